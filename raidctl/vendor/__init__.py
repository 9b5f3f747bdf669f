"""The interface for vendor packages: protocol, drafts, tools, plans of changes.

``protocol`` is the contract of a package. ``tools``, ``session``, ``fields``, ``forms``, ``statuses``, ``recognise``,
``draft`` and ``controllers`` help to write one; ``changes``, ``operations``, ``locating``, ``events``, ``checks`` and
others are the contracts of its optional modules, which ``parts`` finds. ``registry`` loads the installed packages.
Vendor packages may import from here, from :mod:`raidctl.model` and from the ground floor, and from nothing else.
"""
