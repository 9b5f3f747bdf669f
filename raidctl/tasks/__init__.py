"""Background operations: progress, time left, and results."""
