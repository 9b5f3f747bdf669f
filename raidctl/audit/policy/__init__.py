"""Policies: what a TOML file says every machine must be. Pure: whoever loads one hands in how its files are read.

``lines`` tells on which line of the file a key stands; ``shapes`` is the model as a policy sees it: kinds of objects,
their fields, and how one leads to the other; ``values`` and ``conditions`` make closures of what is wanted; ``rules``
makes a rule of it; ``document`` reads files with their includes; ``sets`` has the rules that count for a host.

Logic has three values throughout: ``True``, ``False`` and ``None``, which is "cannot tell" and never a pass.
"""
