"""Background operations: progress, time left, and results.

``derive`` finds them in an inventory; ``outcome`` is the result of one that has ended; ``rates`` are their speed
limits; ``report`` is the ``--json`` document. These are pure; ``watch`` and ``wait`` read the machine again and again.
"""
