"""Snapshots of machines, in an SQLite database of the state directory.

``store`` saves and finds them; ``sqlite`` is the file: created, migrated, locked, and its errors explained. The store
of benchmark runs (:mod:`raidctl.bench.store`) uses it, too. Comparing two snapshots is :mod:`raidctl.drift`.
"""
