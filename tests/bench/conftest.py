"""Measured files are on a drive."""

from tests.support.temporary import on_a_drive

__all__ = ["on_a_drive"]
