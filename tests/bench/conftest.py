"""What is measured lies on a drive."""

from tests.support.temporary import on_a_drive

__all__ = ["on_a_drive"]
