"""Drives behind controllers: the same stories for every family whose simulator has bays."""
