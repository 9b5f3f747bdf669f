"""Event logs of all controllers and the kernel, joined into one list. This covers reading, clocks and filters."""
