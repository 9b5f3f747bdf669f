"""Read, set, judge and benchmark the RAID of a Linux server.

The core, which names no vendor. The modules at this level are the ground floor, which everything may import; each
folder is a room, and its ``__init__`` describes it. docs/architecture.md follows a line of output, and a change,
through the rooms. Vendor packages are in ``vendors/``.
"""

__version__ = "0.1.0"
