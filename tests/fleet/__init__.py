"""Tests of many machines: ``audit`` of many inventories, and ``--hosts``."""
