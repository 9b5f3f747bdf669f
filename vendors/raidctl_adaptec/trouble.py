"""Troubles that the tool's status words tell, and what it says when something is wrong with the call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from raidctl.model import Battery, Controller, Drive, Health, Problem
from raidctl_adaptec.draft import CardDraft
from raidctl_adaptec.grammar import plain
from raidctl_adaptec.outline import Answer
from raidctl_adaptec.policy import doubted, name, words_of

_LOOK: tuple[Health, ...] = ("warning", "critical")
_REPLACE = "Replace the drive; let the rebuild finish before the next one."
_COUNTS = re.compile(r"(\d{1,5})/(\d{1,5})/(\d{1,5})", re.ASCII)


def state_problems(controller: Controller, card: CardDraft) -> Iterable[Problem]:
    """A degraded volume, a failed drive, a bad battery, counts that tell more than the lists."""
    if controller.status in _LOOK:
        yield _state(
            controller.id, f"The controller's status is {controller.status_text}.", "Look at the card's event log."
        )
    cache = controller.cache
    if cache is not None and cache.status in _LOOK:
        yield _state(controller.id, f"The cache is not in use: {cache.status_text}.", "Look at its backup unit.")
    for battery in controller.batteries:
        yield from _battery(battery)
    for array in controller.arrays:
        if array.status in _LOOK and array.status_text:
            yield _state(array.id, f"The array's status is {array.status_text}.", "Look at its drives.")
    yield from _volumes(controller)
    for drive in controller.drives:
        yield from _drive(drive, card)
    yield from _counts(controller, card)


def _battery(battery: Battery) -> Iterator[Problem]:
    if battery.status in ("ok", "unknown", "missing"):
        return
    remedy = "Replace it." if battery.status == "failed" or battery.replace else "Wait; replace it when it stays so."
    part = next((f"{label}: {battery.details[label]}" for label in _PARTS if _not_ready(battery, label)), "")
    said = "; ".join(text for text in (battery.status_text, part) if text)
    yield _state(battery.id, f"The cache's {name(battery)} {words_of(battery)}: {said}.", remedy)


_PARTS = ("Supercap Status", "Non-Volatile Storage Status", "Learn Status", "Hardware Error", "Over temperature")


def _not_ready(battery: Battery, label: str) -> bool:
    return battery.details.get(label, "Ready").lower() not in ("ready", "ok", "idle", "no error", "no", "optimal")


def _volumes(controller: Controller) -> Iterator[Problem]:
    for volume in controller.volumes:
        if volume.status in ("degraded", "failed", "offline", "rebuilding"):
            said = f": {volume.status_text}" if volume.status_text else ""
            yield _state(volume.id, f"The volume is {volume.status}{said}.", "Look at its drives.")
        cache = volume.cache
        if cache is None or cache.write_active != "write_back":
            continue
        gone = [battery for battery in controller.batteries if battery.status != "ok"]
        if doubted(cache.write_policy, gone):
            continue
        if gone and len(gone) == len(controller.batteries) and gone[0].status != "unknown":
            protected = cache.write_policy == "protected_write_back"
            yield _state(
                volume.id, f"Write-back is in force though the {name(gone[0])} {words_of(gone[0])}: "
                "what is in the cache is lost when the power fails.",
                "See to the battery, and set the volume to write-through until then." if protected
                else "Set it to write-back when protected (`arcconf setcache … wbb`), or see to the battery.",
            )  # fmt: skip
        elif not controller.batteries and cache.write_policy == "unprotected_write_back" and controller.firmware:
            yield _state(
                volume.id, "Write-back is in force, and the tool tells of no battery or capacitor: if there is none, "
                "what is in the cache is lost when the power fails.",
                "Set it to write-through, unless the server's power cannot fail.",
            )  # fmt: skip
    caching = [drive for drive in controller.drives if drive.role == "member" and drive.write_cache == "enabled"]
    if caching and controller.volumes:
        yield _state(
            controller.id, f"The write caches of {len(caching)} member drives are on: what they hold is lost when the "
            "power fails, whatever backs the controller's cache.",
            "Turn them off (`arcconf setcache`), unless the server's power cannot fail.",
        )  # fmt: skip


def _drive(drive: Drive, card: CardDraft) -> Iterator[Problem]:
    draft = card.drives.get(drive.id.rsplit("/", maxsplit=1)[-1])
    alarmed = draft is not None and draft.get("alarmed")
    if drive.status in _LOOK and not alarmed:
        remedy = _REPLACE if drive.status == "critical" else "Look at the drive."
        yield _state(drive.id, f"The drive's status is {drive.status_text}.", remedy)


def _counts(controller: Controller, card: CardDraft) -> Iterator[Problem]:
    """``Logical devices/Failed/Degraded : 2/0/1`` and ``Defunct disk drive count : 1`` against what is listed."""
    match = _COUNTS.fullmatch((card.get("count.logical") or "").strip())
    listed = len(controller.volumes)
    if match and "logical" in card.sections and listed < int(match[1]):
        # With its closing line, the output lists what it lists: a hidden container may be counted.
        yield Problem(
            severity="warning", kind="note" if "whole" in card.sections else "unread", where=controller.id,
            message=f"The controller counts {match[1]} logical devices, but {listed} of them were read.",
            remedy="Ask for them with `arcconf getconfig N LD`.",
        )  # fmt: skip
    if match and "logical" not in card.sections and int(match[2]) + int(match[3]):
        yield _state(
            controller.id, f"The controller counts {match[2]} failed and {match[3]} degraded logical devices.",
            "Look at them with `arcconf getconfig N LD`.",
        )  # fmt: skip
    defunct = (card.get("count.defunct") or "").strip()
    gone = sum(drive.status == "critical" for drive in controller.drives)
    if defunct.isdecimal() and len(defunct) < 6 and int(defunct) > gone:
        more = "" if not gone else f", of which {gone} are listed"
        yield _state(
            controller.id, f"The controller's count of defunct drives is {int(defunct)}{more}.",
            "Look for a drive that was pulled, or a bay that is dark.",
        )  # fmt: skip


def _state(where: str, message: str, remedy: str) -> Problem:
    return Problem(severity="warning", kind="state", where=where, message=message.replace("..", "."), remedy=remedy)


def said_problems(answer: Answer) -> Iterator[Problem]:
    """What an answer says about the run: no controller, a wrong number, an aborted command."""
    where = answer.sheet.command
    explained = False
    for saying in answer.sayings:
        text = plain(saying.line.text)[:300]
        if saying.kind in {"none", "number"}:
            explained = True
            yield Problem(
                severity="info", kind="note", where=where,
                message="The tool sees no controller." if saying.kind == "none" else f"The tool says: {text}",
                remedy="If there is one: run as root, and use a version of the tool that knows the card.",
            )  # fmt: skip
        elif saying.kind == "error":
            explained = True
            denied = re.search(r"denied|root|super ?user|privilege", text, re.IGNORECASE)
            yield Problem(
                severity="error", kind="no_right" if denied else "unread", where=where,
                message=f"The tool reports: {text}",
                remedy="Run raidctl as root (sudo)." if denied else "Run the command by hand.",
            )  # fmt: skip
        else:
            explained = True
    if answer.found == 0 and not any(saying.kind == "none" for saying in answer.sayings):
        explained = True
        yield Problem(
            severity="info", kind="note", where=where, message="The tool sees no controller.",
            remedy="If there is one: run as root, and use a version of the tool that knows the card.",
        )  # fmt: skip
    if answer.trailer is not None and not answer.trailer.startswith("completed") and not explained:
        yield Problem(
            severity="error", kind="unread", where=where,
            message=f"The tool says: Command {answer.trailer}.",
            remedy="Run the command by hand; another instance of the tool may be running.",
        )  # fmt: skip
