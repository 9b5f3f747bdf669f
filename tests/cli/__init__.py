"""Tests of commands by running them, on demos and recordings."""
