"""What the tools say when something is wrong, as problems with a remedy."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from msgspec import structs

from raidctl.model import Controller, Health, Problem, ProblemKind, Severity
from raidctl_smartarray.words import NOTHING, word


class Saying(NamedTuple):
    """What an error text of the tools means."""

    code: str
    form: re.Pattern[str]
    severity: Severity
    kind: ProblemKind
    message: str
    """``{text}`` is the tool's own sentence."""
    remedy: str | None


def _form(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


_ASKED = re.compile(r"erasing|erase (in progress|queued|complete)", re.IGNORECASE)
"""What is done to a drive because somebody wanted it: good to know, and no trouble."""
_ROOT = "Run raidctl as root (sudo), also on the far machine; the tools talk to the driver."

SAYINGS: tuple[Saying, ...] = (
    # Error: No controllers detected. Possible causes: …
    Saying(
        "none", _form(r"no controllers? (?:was |were )?(?:detected|found)"), "info", "note",
        "The tool sees no controller.",
        "If there is one: run as root, load its driver (hpsa, smartpqi), or use the tool of another generation.",
    ),
    # Error: The specified device does not have any logical drives.
    Saying("empty", _form(r"does not have any \w+"), "info", "note", "{text}", None),
    # Error: Another instance of ACU is already running (possibly a service). …
    Saying(
        "busy", _form(r"another instance of|already running"), "error", "unread",
        "The tool did not answer because another instance of it is running.",
        "Wait for the other instance or end it, then run again; a killed one can leave its semaphore behind (ipcs -s).",
    ),
    # Error: You need to have administrator rights to continue.
    Saying(
        "denied", _form(r"administrator|root (?:user|access)|must be root|privilege|permission denied|not permitted"),
        "error", "no_right", "The tool asks for administrator rights: {text}", _ROOT,
    ),
    # Error: The controller identified by "slot=7" was not detected.
    Saying(
        "gone", _form(r"was not detected|not detected|not found"), "warning", "state",
        "The tool does not find what was asked: {text}",
        "Ask for the slots with `ctrl all show`.",
    ),
    # Error: "raid=1" is not a valid option for array A
    Saying("option", _form(r"is not a valid option"), "info", "note", "The answer about a setting: {text}", None),
    # Error: Syntax error at "config"
    # Error: Invalid target syntax. "attr_value_slot_unknown" is not a valid target.
    # Error: The controller must be identified by slot, chassisname, wwn, serialnumber, or IPF information.
    Saying(
        "syntax", _form(r"syntax|not a valid target|must be (?:identified|specified)|unknown command"),
        "error", "unread",
        "The tool did not accept the command: {text}", "Ask again in the form that this version of the tool knows.",
    ),
    # Error: This operation is not supported with the current configuration.
    Saying(
        "unsupported", _form(r"not supported|license key"), "error", "unread", "The tool refuses: {text}",
        "Use a newer version of the tool, or the tool of the card's own generation.",
    ),
)  # fmt: skip

_OTHER = Saying(
    "other", re.compile(""), "error", "unread", "The tool reports an error: {text}", "Run the command by hand."
)
_WRAPPER = Saying(
    "missing", re.compile(""), "error", "no_tool", "The tool could not be started: {text}",
    "Install its package anew (ssacli for current cards, hpssacli or hpacucli for old ones).",
)  # fmt: skip


def meaning(text: str, *, wrapper: bool = False) -> Saying:
    """What an error text of the tools means; ``wrapper`` is the shell's word that there is no such program."""
    if wrapper:
        return _WRAPPER
    return next((saying for saying in SAYINGS if saying.form.search(text)), _OTHER)


def problem(saying: Saying, text: str, where: str) -> Problem:
    """The problem for an error text."""
    bare = re.sub(r"^error:?\s*", "", text, flags=re.IGNORECASE)[:400]
    return Problem(
        severity=saying.severity,
        where=where,
        message=saying.message.format(text=bare),
        remedy=saying.remedy,
        kind=saying.kind,
    )


_REPLACE = "Replace the drive; let the rebuild finish before the next one."
_LOOK: tuple[Health, ...] = ("warning", "critical")


def state_problems(controller: Controller, battery_count: int | None) -> Iterable[Problem]:
    """Troubles that the tool's status words tell: a degraded volume, a failed drive, a cache that is off."""
    if controller.status in _LOOK:
        yield _state(
            controller.id, f"The controller's status is {controller.status_text}.", "Look at the tool's own report."
        )
    cache = controller.cache
    if cache is not None and cache.status in _LOOK:
        yield _state(
            controller.id,
            f"The cache is not in use: {cache.status_text}.",
            "Look at its battery or capacitor and its module.",
        )
    if any(volume.cache is not None and volume.cache.drive_write_cache == "enabled" for volume in controller.volumes):
        yield _state(
            controller.id,
            "The drives' own write caches are on: what they hold is lost when the power fails, whatever backs the "
            "controller's cache.",
            "Turn them off (`modify drivewritecache=disable`), unless the server's power cannot fail.",
        )
    for battery in controller.batteries[:1]:
        if battery.status == "unknown":
            yield _battery_unknown(battery.id, battery.status_text, battery_count)
        elif battery.status != "ok":
            remedy = "Replace it." if battery.replace else "Wait until it is charged; replace it when it stays so."
            name = "battery or capacitor" if battery.kind == "unknown" else battery.kind
            yield _state(battery.id, f"The cache's {name} is {battery.status}: {battery.status_text}.", remedy)
    for array in controller.arrays:
        if array.status in _LOOK:
            yield _state(array.id, f"The array's status is {array.status_text}.", "Look at its drives.")
    for volume in controller.volumes:
        if volume.status in ("degraded", "failed", "offline", "rebuilding"):
            yield _state(volume.id, f"The volume is {volume.status}: {volume.status_text}.", "Look at its drives.")
    for drive in controller.drives:
        if drive.status in _LOOK:
            remedy = (
                _REPLACE if word(drive.status_text or "").startswith(("failed", "predictive")) else "Look at the drive."
            )
            state = _state(drive.id, f"The drive's status is {drive.status_text}.", remedy)
            yield structs.replace(state, severity="info") if _ASKED.match(drive.status_text or "") else state


def _state(where: str, message: str, remedy: str) -> Problem:
    return Problem(severity="warning", kind="state", where=where, message=message.replace("..", "."), remedy=remedy)


def _battery_unknown(where: str, text: str | None, count: int | None) -> Problem:
    if text is None or word(text) in NOTHING:
        message = f"The controller counts {count or 1} battery or capacitor, but tells no status: the cable may be off."
        return _state(where, message, "Check the cable between the cache module and its battery or capacitor.")
    return Problem(
        severity="warning", kind="unread", where=where,
        message=f"The battery's status word {text!r} is not known.",
        remedy="Report it with a recording of the machine (raidctl record).",
    )  # fmt: skip
