"""The exception of work that another thread has stopped."""

from __future__ import annotations


class Interrupted(Exception):
    """``stop`` was set, or the runner was closed; the running programs have been ended."""
