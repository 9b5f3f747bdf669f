"""Event logs of all controllers and the kernel in one list."""
