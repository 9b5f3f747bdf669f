"""The access policy of a volume: whether the operating system may read and write it."""

from __future__ import annotations

from raidctl.model import Severity
from raidctl.vendor.draft import Draft
from raidctl_megaraid.vocabulary import has_state, normalized

_WORDS: dict[str, str] = {
    # RW=Read Write|RO=Read Only|HD=Hidden|TRANS=TransportReady|B=Blocked        legend of storcli
    **dict.fromkeys(("rw", "read/write", "read write", "read-write", "readwrite", "yes"), ""),
    **dict.fromkeys(("ro", "read only", "read-only", "readonly"), "ro"),
    **dict.fromkeys(("hd", "hidden"), "hidden"),
    **dict.fromkeys(("trans", "transportready", "transport ready"), "transport"),
    **dict.fromkeys(("b", "blkd", "blocked"), "blocked"),
}
_PROBLEMS: dict[str, tuple[Severity, str, str]] = {
    "blocked": (
        "error", "Access to the volume is blocked: the operating system cannot use it.",
        "Find out why it was blocked, then set its access policy to RW.",
    ),
    "ro": (
        "warning", "The access policy of the volume is read-only: writes to it fail.",
        "If this is not intended, set its access policy to RW.",
    ),
    "hidden": (
        "warning", "The volume is hidden: the operating system cannot use it.",
        "If this is not intended, set its access policy to RW.",
    ),
    "transport": (
        "warning", "The volume is ready for transport: the operating system cannot use it.",
        "If its drives stay in this machine, end the preparation for transport.",
    ),
}  # fmt: skip


def report_access(volume: Draft, label: str, value: str) -> None:
    """Report each access policy but read and write. An unknown word is reported as not understood."""
    if not has_state(value):
        return
    meaning = _WORDS.get(normalized(value))
    if meaning is None:
        volume.unread(label, value[:80])
    elif meaning:
        severity, message, remedy = _PROBLEMS[meaning]
        volume.add_problem(severity, "state", message, remedy)
