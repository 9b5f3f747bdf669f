"""Simulated machines: the demos, and executables that simulate their tools."""
