"""Read, set, judge and benchmark the RAID of a Linux server."""

__version__ = "0.1.0"
