"""Findings that are new, worse, better or gone since the last run.

``step`` is pure: from memory, findings and clock to the next memory and the events; ``memory`` keeps it, ``delivery``
sends the events by mail or to a program. ``live``, ``live_facts`` and ``live_report`` are the live screen of ``raidctl
watch`` without ``--once``.
"""
