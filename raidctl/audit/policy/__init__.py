"""Policies: requirements for machines, from a TOML file. Pure: the caller provides the function that reads files.

``document`` reads a file with its includes; ``schema`` is the model as a policy sees it: kinds of objects, their fields
and how they are linked; ``values``, ``conditions`` and ``quantifiers`` compile conditions to functions; ``rules``
combines them to a rule; ``sets`` selects the rules for a host; ``waivers`` suspends findings. A new operator goes into
``values``, or into ``quantifiers`` if it is about lists.

Logic has three values throughout: ``True``, ``False`` and ``None``, which is unknown and never a pass.
"""
