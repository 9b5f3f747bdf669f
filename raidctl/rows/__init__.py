"""Flat rows for tables: drives, volumes, batteries, caches, findings and benchmark figures of many machines."""
