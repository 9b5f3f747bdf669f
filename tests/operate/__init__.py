"""Tests of work on drives and arrays: guards, replacements, checks, spares."""
