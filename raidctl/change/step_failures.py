"""Exceptions that end a running change early. Raised by its steps and caught by the engine."""

from __future__ import annotations


class StepFailed(Exception):
    """A step failed, or the settings are not as requested. The text has the reason."""


class NotConfirmed(StepFailed):
    """The readings after a command show neither the planned state nor the previous one."""
