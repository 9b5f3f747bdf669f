"""What ends a running change early; raised by its steps and caught by the engine."""

from __future__ import annotations


class StepFailed(Exception):
    """A step failed, or the settings are not as requested; the text has the reason."""


class NotConfirmed(StepFailed):
    """A command was accepted or refused, and the next readings show neither what was planned nor what was before."""
