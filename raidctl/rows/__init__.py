"""Flat rows for tables of many machines.

They are drives, volumes, batteries, caches, findings and benchmark figures.
"""
