"""The report: a page about a machine, as HTML or Markdown, for readers without a terminal.

``page`` has the parts of a page, ``contents`` assembles them, ``findings``, ``promises``, ``hardware``,
``measurements``, ``changes`` and ``inputs`` make one section each, ``html`` and ``markdown`` write it, ``plots`` draws.
"""
