"""Drives behind controllers. The tests are the same for every family whose simulator has bays."""
