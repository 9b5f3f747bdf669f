"""Changes between two snapshots of a machine, object by object. Pure.

:mod:`raidctl.drift.noise` lists fields that change without an event; :mod:`raidctl.drift.canonical` writes a snapshot
without them in a stable order; :mod:`raidctl.drift.match` finds each object of one snapshot in the other;
:mod:`raidctl.drift.diff` compares them; :mod:`raidctl.drift.severities` gives each change its severity, and
:mod:`raidctl.drift.messages` its message.
"""
