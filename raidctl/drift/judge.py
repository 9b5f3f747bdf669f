"""Changes with their severity and message."""

from __future__ import annotations

from raidctl.drift.messages import message
from raidctl.drift.report import Change
from raidctl.drift.severities import Candidate, severity


def judged(candidate: Candidate) -> Change:
    """The change with its severity and message."""
    return Change(
        kind=candidate.kind,  # type: ignore[arg-type]  # one of the words of the callers
        object=candidate.object,  # type: ignore[arg-type]  # as above
        id=candidate.id, field=candidate.what.field or None, old=candidate.what.old, new=candidate.what.new,
        severity=severity(candidate), message=message(candidate), controller=candidate.controller,
    )  # fmt: skip
