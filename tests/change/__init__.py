"""Tests of the change engine: raidctl is killed, and tools fail, at every request of a change."""
