"""The health of a machine: problems, severity, and failures that it survives. Pure.

``judge`` is the one list of conditions, with their severities, that every command and rule uses; ``redundancy`` counts
the failures that a volume survives; the others answer one question each. A new condition goes into ``judge``; its words
are those of a rule in :mod:`raidctl.audit.builtin`.
"""
