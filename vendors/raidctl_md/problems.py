"""What mdadm and the kernel report of an array besides its state, as problems."""

from __future__ import annotations

from raidctl.model import Problem
from raidctl_md.parts import Trouble


def of_trouble(trouble: Trouble, where: str) -> Problem:
    """The problem of a trouble, now that the object's id is known."""
    return Problem(
        severity=trouble.severity, where=where, message=trouble.message, remedy=trouble.remedy, kind=trouble.kind
    )
