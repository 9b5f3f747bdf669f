"""Flat rows for tables of many machines: ``raidctl export --rows``.

A row is a drive, volume, battery, cache, finding or benchmark figure. ``tables`` has the columns, whose names are
stable, ``build`` fills them, ``parquet`` writes files. A new column is a field in ``tables``; a field of the model with
the same name is filled in without more.
"""
