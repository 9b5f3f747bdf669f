"""Tests of ``diff``, ``snapshot`` and ``history``."""
