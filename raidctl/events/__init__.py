"""Event logs of all controllers and the kernel, joined into one list: reading, clocks, filters."""
