"""Tests of ``raidctl verify`` and of the verdict engine."""
