"""Findings that are new, worse, better or gone since the last run."""
