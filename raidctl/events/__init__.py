"""Event logs of all controllers and the kernel in one list.

``reading`` runs the dialogues of the families' modules ``events`` (:mod:`raidctl.vendor.events`); ``times`` converts
the controllers' clocks; ``report`` is the result. A family's log format belongs into its package.
"""
