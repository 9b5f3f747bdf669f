"""Tests of ``raidctl tasks``: progress, waiting, rates."""
