"""TOML files that people write. All mistakes are reported at once, each with its line and a suggestion.

``read`` and ``write`` convert text, ``lines`` has the line of each key, ``mistakes`` collects and formats the mistakes.
Policies, layouts and contracts are read with it; what their keys mean is in :mod:`raidctl.audit.policy`,
:mod:`raidctl.layout.document` and :mod:`raidctl.verify.contract`.
"""
