"""What has changed between two states of a machine, object by object. Pure.

:mod:`raidctl.drift.noise` says which fields change while nothing happens; :mod:`raidctl.drift.canonical` writes a state
without them, in an order that never changes; :mod:`raidctl.drift.match` finds each object of one state in the other;
:mod:`raidctl.drift.diff` compares, and :mod:`raidctl.drift.severities` says how bad a change is, in a sentence.
"""
