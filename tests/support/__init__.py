"""Helpers of several tests. A helper of one folder stays in that folder."""
