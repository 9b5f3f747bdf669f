"""Claims about a machine and their verdicts. Pure, except for one dialogue with the kernel.

``wanted`` parses the claims of the command line, ``contract`` those of a file; ``subjects`` finds their volumes and
drives, ``kernel`` reads what the kernel reports. ``layout``, ``caches``, ``drive_claims`` and ``safety`` judge one
claim each; ``judge`` combines the answers, ``measured`` adds measurements. What is unknown is inconclusive, never a
pass.
"""
