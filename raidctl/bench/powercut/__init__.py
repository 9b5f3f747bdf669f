"""The power-cut test of acknowledged data, with a witness on another machine.

``writer`` and ``witness`` talk over ``wire`` in the ``messages`` of one format. ``history`` (acknowledged writes),
``judgment`` and ``confidence`` are pure; ``account`` is a run from the witness's view, kept by ``journal``; ``report``
is what users and ``verify`` read.
"""
