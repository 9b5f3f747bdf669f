"""Tests of layouts: reading, comparing, planning, applying."""
