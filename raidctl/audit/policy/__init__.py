"""Policies: requirements for machines, from a TOML file. Pure: the caller provides the function that reads files.

``lines`` finds the line of a key; ``schema`` is the model as a policy sees it: kinds of objects, their fields and how
they are linked; ``values`` and ``conditions`` compile conditions to functions; ``rules`` combines them to a rule;
``document`` reads files with their includes; ``sets`` selects the rules for a host.

Logic has three values throughout: ``True``, ``False`` and ``None``, which is unknown and never a pass.
"""
