"""The state of a drive in the words of MegaRAID's tools, as far as deeds depend on it. Pure."""

from __future__ import annotations

import re
from typing import Literal

from raidctl.model import Controller, Drive
from raidctl.model.automatic_rebuild import no_automatic_rebuild
from raidctl.model.objects import by_id
from raidctl.text import regex
from raidctl.vendor.shapes import MISSING_PLACES
from raidctl_megaraid.vocabulary import LOCKED_STATE, SMART_ALERT, normalized

State = Literal["online", "rebuilding", "copying", "offline", "failed", "good", "bad", "spare", "jbod", "unknown"]
_STATES: dict[str, State] = {
    "onln": "online", "online": "online", "rbld": "rebuilding", "rebuild": "rebuilding", "rebuilding": "rebuilding",
    "cpybck": "copying", "copyback": "copying", "offln": "offline", "ofln": "offline", "offline": "offline",
    "failed": "failed", "fld": "failed", "ugood": "good", "unconfigured(good)": "good", "ubad": "bad",
    "unconfigured(bad)": "bad", "ghs": "spare", "dhs": "spare", "hotspare": "spare", "jbod": "jbod",
}  # fmt: skip
_SECOND: dict[tuple[str, str], State] = {
    ("conf", "online"): "online", ("conf", "rebuild"): "rebuilding", ("conf", "copyback"): "copying",
    ("conf", "replace"): "copying", ("conf", "offline"): "offline", ("conf", "failed"): "failed",
    ("uconf", "good"): "good", ("uconf", "bad"): "bad", ("uconf", "failed"): "bad", ("jbod", "online"): "jbod",
    ("jbod", "good"): "jbod", ("ghs", "good"): "spare", ("ghs", "online"): "spare", ("dhs", "good"): "spare",
    ("dhs", "online"): "spare",
}  # fmt: skip
"""State and status of version 8: ``Conf, Online``."""
_POWER = ("spun up", "spun down", "transition", "power save", "stopped", "active")
"""What MegaCli prints behind a state: ``Online, Spun Up``."""
_POSITION = regex(r"drivegroup:(\d+), span:(\d+), row:(\d+)")
# 0:3, 1:2
_MISSING = regex(r"(\d{1,5}):(\d{1,5})", re.ASCII)


def state_of(drive: Drive) -> State:
    """The state of a drive by its words: ``Onln``, ``Unconfigured(good), Spun down``, ``Conf, Online``."""
    text = (drive.status_text or "").removesuffix(LOCKED_STATE).removesuffix(SMART_ALERT)
    first, _, second = (normalized(word) for word in text.partition(","))
    if second and second not in _POWER:
        return _SECOND.get((first, second), "unknown")
    return _STATES.get(first, "unknown")


def spun_down(drive: Drive) -> bool:
    """``Sp`` ``D`` of storcli, ``Spun down`` of MegaCli."""
    return drive.details.get("Sp", "").strip() == "D" or "spun down" in normalized(drive.status_text or "")


def position_of(drive: Drive) -> tuple[str, str, str] | None:
    """Group, span and row of a member, as storcli prints them. None: not reported."""
    # Drive position = DriveGroup:1, Span:0, Row:3
    match = _POSITION.fullmatch(normalized(drive.details.get("Drive position", "")))
    return (match[1], match[2], match[3]) if match is not None else None


def missing_places(controller: Controller, array: str | None) -> list[tuple[str, str]]:
    """The places of an array's missing members, as the tool names them.

    A place is a span and a row, with MegaCli an array and a row. MegaCli numbers the spans of all groups in one list,
    so its places count only if one array alone lacks drives.
    """
    own = by_id(controller.arrays, array)
    if own is not None and MISSING_PLACES in own.details:
        return _MISSING.findall(own.details[MISSING_PLACES])
    lacking = {
        volume.array for volume in controller.volumes if volume.status not in ("ok", "checking") and volume.array
    }
    if MISSING_PLACES in controller.details and lacking == {array}:
        return _MISSING.findall(controller.details[MISSING_PLACES])
    return []


def replacing_spare(controller: Controller, array: str | None) -> Drive | None:
    """The spare that may begin replacing a member once it is offline. None if none does."""
    if no_automatic_rebuild(controller):
        return None
    members = [drive for drive in controller.drives if drive.array == array and drive.role == "member"]
    spares = (drive for drive in controller.drives if drive.role == "spare" and drive.status != "critical")
    own = (drive for drive in spares if not drive.spare_for or array in drive.spare_for)
    return next((drive for drive in own if all(_may_replace(drive, member) for member in members)), None)


def _may_replace(spare: Drive, member: Drive) -> bool:
    """Whether a spare may take a member's place, as far as is known."""
    small = spare.size_bytes and member.size_bytes and spare.size_bytes < member.size_bytes
    return not small and (None in (spare.media, member.media) or spare.media == member.media)
