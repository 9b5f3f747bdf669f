"""Outputs of smartctl, read into the drives that they report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from raidctl.evidence import Output
from raidctl.model import Problem
from raidctl_drives.smart import read_smartctl
from raidctl_drives.smart.draft import SmartDraft


@dataclass(frozen=True)
class Reported:
    """A drive as one output reports it. Its fields are attributes, None where the output has none."""

    key: str
    empty: bool
    values: Mapping[str, Any]
    details: Mapping[str, str]
    problems: Sequence[Problem]

    def __getattr__(self, name: str) -> Any:
        """The value of a field: ``errors_media`` of ``errors.media``."""
        return self.values.get(name.replace("errors_", "errors."))


def reported(drafts: Sequence[SmartDraft]) -> list[Reported]:
    """The drives, with their evidence written under the names of the drafts."""
    for draft in drafts:
        for line, name, value in draft.evidence:
            line.fact(draft.name, name, value)
    return [
        Reported(
            key=draft.name,
            empty=draft.empty,
            values={name: value for name, (_, value) in draft.values.items()},
            details=draft.details,
            problems=list(draft.problems(draft.place if draft.empty else draft.name)),
        )
        for draft in drafts
    ]


def read_drives(command: str, text: str, name: str) -> tuple[list[Reported], Output]:
    """Read an output."""
    drafts, output = read_smartctl(command, text, name)
    return reported(drafts), output


def one(text: str) -> tuple[Reported, Output]:
    """The only part of an output, and its output object."""
    parts, output = read_drives("smartctl -x /dev/sdq", text, "drive")
    assert len(parts) == 1
    return parts[0], output
