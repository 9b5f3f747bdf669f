"""Tests of ``raidctl watch``."""
