"""Drives behind controllers. The stories are the same for every family whose simulator has bays."""
