"""Background operations: what is going on, how long it takes, and how it ended."""
