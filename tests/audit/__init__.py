"""Tests of policies, built-in rules, ``audit`` and ``diagnose``."""
