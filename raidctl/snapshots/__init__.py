"""Snapshots of machines, in an SQLite database of the state directory."""
