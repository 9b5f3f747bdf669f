"""Flat rows for tables of many machines.

A row is a drive, volume, battery, cache, finding or benchmark figure.
"""
