"""Exceptions of a step that end a running change early."""

from __future__ import annotations


class StepFailed(Exception):
    """Failure of a step, or settings that are not as requested. The text has the reason."""


class NotConfirmed(StepFailed):
    """A command whose effect is not confirmed.

    The readings after it show neither the planned state nor the previous one.
    """
