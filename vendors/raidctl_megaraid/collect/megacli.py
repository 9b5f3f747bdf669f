"""The dialogue with MegaCli.

The controllers first; then the volumes with their drives, the battery and, where more than one controller is there,
their places on the PCI bus; the list of all drives only where the controller counts more of them than the volumes have;
the places of missing members only where a volume is not whole, and the progress only of drives that are rebuilt;
foreign configurations and preserved cache only if an output mentions them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from raidctl.request import Dialogue, Failure
from raidctl.text import regex
from raidctl.vendor.session import Call
from raidctl.vendor.tools import as_note
from raidctl_megaraid.collect.tool_call import Source, one_by_one, problems_to_notes
from raidctl_megaraid.draft import ControllerDraft

if TYPE_CHECKING:
    from raidctl_megaraid.read_document import ReadDocument

_QUIET = "-NoLog"
_MAX_CONTROLLERS = 16
_PLACE = regex(r"\d{0,5}:\d{1,5}", re.ASCII)
_DISKS = regex(r"(?:^|\W)disks$", re.IGNORECASE)


def query_megacli(one: Source, expected: int) -> Dialogue[None]:
    """Query everything. ``expected``: the tool's controllers on the PCI bus, 0 if unknown."""
    [first] = yield from one.run(("-AdpAllInfo", "-aALL", _QUIET))
    targets = ["-aALL"]
    if not first.whole:
        targets = yield from _query_each(one, first, expected)
    if not one.seen or not targets:
        return
    questions = ["-LdPdInfo"]
    if any(controller.get("bbu_present") is not False for controller in one.seen):
        questions.append("-AdpBbuCmd")
    if len(one.seen) > 1 or expected > 1:
        questions.append("-AdpGetPciInfo")
    yield from one.run(*((question, target, _QUIET) for question in questions for target in targets))
    if any(_has_unnamed_drives(controller) for controller in one.seen):
        yield from one.run(*(("-PDList", target, _QUIET) for target in targets))
    made = yield from one.run(*_more(one.seen, targets))
    for call in made:
        if "-AdpPR" in call.request.argv:
            problems_to_notes(call)
        elif call.answer.trouble is Failure.UNRECORDED:  # recordings of earlier versions
            call.problems = [as_note(problem) for problem in call.problems]


def _more(controllers: Sequence[ControllerDraft], targets: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Further commands if needed.

    They list places of missing members, progress of rebuilds, foreign configurations and preserved cache.
    """
    volumes = [volume for controller in controllers for volume in controller.volumes.values()]
    if any(volume.get("status") in ("degraded", "offline", "failed", "rebuilding") for volume in volumes):
        yield from (("-PdGetMissing", target, _QUIET) for target in targets)
    if any(_foreign(controller) for controller in controllers):
        yield from (("-CfgForeign", "-Dsply", target, _QUIET) for target in targets)
    if any(controller.get("cache.preserved_data") for controller in controllers):
        yield from (("-GetPreservedCacheList", target, _QUIET) for target in targets)
    if volumes:
        yield from (("-AdpPR", "-Info", target, _QUIET) for target in targets)
    for controller in controllers:
        for command, word in (("-PDRbld", "rebuild"), ("-PDCpyBk", "copyback")):
            drives = [
                key for key, drive in controller.drives.items()
                if _PLACE.fullmatch(key) and (drive.get("status_text") or "").lower().startswith(word)
            ]  # fmt: skip
            if drives:
                yield command, "-ShowProg", f"-PhysDrv[{','.join(sorted(drives))}]", f"-a{controller.name}", _QUIET


def _foreign(controller: ControllerDraft) -> bool:
    return bool(controller.get("foreign") or any(drive.get("foreign") for drive in controller.drives.values()))


def _query_each(one: Source, first: Call[ReadDocument], expected: int) -> Dialogue[list[str]]:
    """The targets of each controller that answers, by its number."""
    if first.answer.trouble is not None and not first.hangs:
        return []
    if first.answer.fine and first.crash is None and first.answer.code == 0 and not one.seen and expected < 2:
        return []
    targets = [f"-a{number}" for number in range(min(max(expected, 1), _MAX_CONTROLLERS))]
    made = yield from one.run(*(("-AdpAllInfo", target, _QUIET) for target in targets))
    good = [target for target, call in zip(targets, made, strict=True) if call.whole]
    if good:
        first.problems = [one_by_one(first)]
    return good


def _has_unnamed_drives(controller: ControllerDraft) -> bool:
    """Whether the controller counts more drives than the volumes name. True if it does not count them."""
    counts = [
        value for label, value in controller.details.items() if _DISKS.search(label) and value.strip().isdecimal()
    ]
    plain = [int(value) for value in counts if len(value) < 7]
    return not plain or max(plain) > len(controller.drives)
