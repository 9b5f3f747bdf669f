"""Claims about a machine: is it what was promised? Pure, but for one dialogue with the kernel.

``wanted`` reads the claims of the command line, ``subjects`` finds what they are about, ``kernel`` asks what the
kernel says of it, ``layout``, ``caches`` and ``safety`` judge one claim each, ``judge`` puts the answers together.
What cannot be known is inconclusive, never a pass.
"""
