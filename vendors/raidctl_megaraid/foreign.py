"""Previews of the import of foreign configurations, by storcli, perccli and MegaCli. Pure.

``/c0/fall import preview`` and ``-CfgForeign -Preview -a0`` change nothing (help of storcli 007.2707 and of MegaCli
8.07.14). No recorded output of either is known; a firmware that refuses because drives are missing prints ``Incomplete
foreign configuration``, and where every listed volume is ``Optl``, ``Dgrd`` or ``Pdgd``, no missing drive costs it its
data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from raidctl.model import Controller, Tool
from raidctl.request import Dialogue, Run, ask
from raidctl.text import attempt, regex
from raidctl.vendor.foreign import ForeignPreview, ForeignVolume
from raidctl.vendor.plan import Deed, Denial
from raidctl.vendor.protocol import Document
from raidctl_megaraid.collect.tool_call import LOCK, TIMEOUT
from raidctl_megaraid.draft import ControllerDraft
from raidctl_megaraid.operate.commands import Route
from raidctl_megaraid.operate.steps import case_of
from raidctl_megaraid.read_document import read_document
from raidctl_megaraid.storcli import numbers
from raidctl_megaraid.storcli.foreign import level_of
from raidctl_megaraid.tools import KINDS, MEGACLI, STORCLI
from raidctl_megaraid.vocabulary import normalized

_COMPLETE = frozenset({"optl", "optimal", "dgrd", "degraded", "pdgd", "partially degraded"})
_LACKING = frozenset({"offln", "ofln", "offline", "failed", "incomplete", "missing", "rec"})
_STORCLI = regex(r"Foreign VD LIST (\d+) (.+)", re.IGNORECASE)
"""``Foreign VD LIST 0 Name``: a detail of :mod:`raidctl_megaraid.storcli.foreign`."""
_MEGACLI = regex(r"Foreign configuration (\S+) Virtual Drive (\S+) (.+)", re.IGNORECASE)
_GAPS = regex(r"incomplete foreign", re.IGNORECASE)


def selects(controller: Controller) -> bool:
    """True for MegaCli, which takes the number of one configuration. ``fall`` of storcli is all of them."""
    return KINDS.get(controller.told_by or "") == "megacli"


def preview(controller: Controller, tools: Sequence[Tool]) -> Dialogue[ForeignPreview | str]:
    """Preview an import; changes nothing."""
    case = case_of(Deed(object_id=controller.id, verb="import_foreign"), controller, tools)
    if isinstance(case, Denial):
        return case.reason
    request = Run(_words(case.route), timeout=TIMEOUT, lock=LOCK)
    answer = yield from ask(request)
    command = " ".join(request.argv)
    if not answer.fine:
        return f"`{command}` failed: {answer.detail or answer.trouble}"
    kind = MEGACLI if case.route.kind == "megacli" else STORCLI
    found = read_document(Document(command, kind, answer.text))
    return of_text(answer.text, list(found.controllers.by_number.values()))


def _words(route: Route) -> tuple[str, ...]:
    if route.kind == "megacli":
        return (route.command, "-CfgForeign", "-Preview", f"-a{route.number}", "-NoLog")
    return (route.command, f"/c{route.number}/fall", "import", "preview", "nolog", "J")


def of_text(text: str, drafts: Sequence[ControllerDraft]) -> ForeignPreview:
    """The preview in an output that was read."""
    details: dict[str, str] = {}
    for draft in drafts:
        details |= draft.details
    if _GAPS.search(text):
        return ForeignPreview(complete=False, why="Incomplete foreign configuration", lines=_lines(details))
    volumes = tuple(_volumes(details))
    known = {volume.complete for volume in volumes}
    complete = False if False in known else True if known == {True} else None
    why = None if complete is not None else "The tool's preview does not list the states of volumes."
    return ForeignPreview(volumes=volumes, complete=complete, why=why, lines=() if volumes else _lines(details))


def _volumes(details: Mapping[str, str]) -> Iterator[ForeignVolume]:
    rows: dict[str, dict[str, str]] = {}
    for label, text in details.items():
        if match := _STORCLI.fullmatch(label):
            rows.setdefault(match[1], {})[normalized(match[2])] = text.strip()
        elif match := _MEGACLI.fullmatch(label):
            rows.setdefault(f"{match[1]}/{match[2]}", {})[normalized(match[3])] = text.strip()
    for number, row in rows.items():
        state = row.get("state", "")
        word = normalized(state)
        size = row.get("size")
        yield ForeignVolume(
            number=row.get("dg/vd", number), name=row.get("name") or None,
            raid_level=level_of(row.get("type") or row.get("raid level") or ""),
            size_bytes=attempt(numbers.size, size) if size else None, status_text=state or None,
            complete=True if word in _COMPLETE else False if word in _LACKING else None,
        )  # fmt: skip


def _lines(details: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(f"{label}: {text}" for label, text in details.items() if "foreign" in label.lower())[:20]
