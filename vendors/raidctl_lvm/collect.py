"""From outputs of lvs and dmsetup to the model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from raidctl.evidence import Output
from raidctl.host import HostView
from raidctl.model import Array, Controller, Drive, Problem, Tool, Volume
from raidctl.vendor.draft import unreadable
from raidctl.vendor.protocol import Document, Observation
from raidctl.vendor.software import array_id, json_value
from raidctl_lvm.capability import FAMILY, SUPPORT
from raidctl_lvm.draft import ControllerDraft
from raidctl_lvm.infer import infer
from raidctl_lvm.lists import device_of, read_json, read_text

_REMEDY = "Give the output of `lvs -a -o +devices,segtype` as printed, with its headings."


def read(
    documents: Sequence[Document],
    host: HostView | None = None,
    problems: Iterable[Problem] = (),
    tools: Sequence[Tool] = (),
) -> Observation:
    """Read outputs, and combine those of one volume. Never raises for their contents."""
    draft, outputs, found = ControllerDraft(), list[Output](), list(problems)
    for document in documents:
        for output, known in _read(document, draft, found):
            outputs.append(output)
            found += unreadable(output, _REMEDY, known=known)
    infer(draft)
    if "missing physical volume" in draft.details:
        draft.add_problem("warning", "state", "A physical volume of LVM is missing.", "`pvs` lists what is there.")
    made = []
    if draft.volumes:
        first = next(iter(draft.volumes.values()))
        draft.put(first.evidence[0][0], "model", "LVM RAID")
        made = [_controller(draft, host or HostView())]
        draft.write_evidence(FAMILY)
    else:
        draft.drop_evidence()
    found += draft.problems(FAMILY)
    return Observation(tuple(made), tuple(dict.fromkeys(found)), tuple(tools), tuple(outputs))


def _read(document: Document, draft: ControllerDraft, found: list[Problem]) -> Iterator[tuple[Output, bool]]:
    """Each output, and whether a tool printed it. JSON can have warnings before and after it."""
    start = document.text.find("{")
    if start < 0 or '"report"' not in document.text[start : start + 200]:
        output = Output.of_text(document.name, document.text)
        yield output, read_text(output, draft)
        return
    value, rest = json_value(document, document.text[start:], found)
    output = Output.of_json(document.name, value) if isinstance(value, Mapping) else Output(document.name)
    if isinstance(value, Mapping):
        read_json(output, value, draft)
    yield output, value is None or (isinstance(value, Mapping) and "report" in value)
    for text in (document.text[:start], rest):
        if text.strip():
            output = Output.of_text(document.name, text)
            read_text(output, draft)
            yield output, True


def _controller(draft: ControllerDraft, host: HostView) -> Controller:
    nodes = {name: block.node for block in host.blocks for name in (*block.links, block.node)}
    return Controller(
        id=FAMILY,
        model="LVM RAID",
        mode="software",
        told_by="lvs" if draft.rows else "dmsetup",
        volumes=tuple(_volume(draft, name, nodes) for name in draft.volumes),
        arrays=tuple(_array(draft, name) for name in draft.arrays),
        drives=tuple(_drive(draft, name, nodes) for name in draft.drives),
        capabilities=SUPPORT,
        details=draft.details,
    )


def _volume(draft: ControllerDraft, name: str, nodes: Mapping[str, str]) -> Volume:
    # /data of a list without groups: its device is unknown
    device = None if name.startswith("/") else device_of(name)
    return draft.volume(name).build(
        Volume,
        id=f"{FAMILY}:{name}",
        array=array_id(FAMILY, name),
        device=nodes.get(device, device) if device else None,
    )


def _array(draft: ControllerDraft, name: str) -> Array:
    array = draft.array(name)
    return array.build(Array, id=array_id(FAMILY, name), drives=tuple(f"{FAMILY}:{key}" for key in array.members))


def _drive(draft: ControllerDraft, name: str, nodes: Mapping[str, str]) -> Drive:
    drive = draft.drive(name)
    device = drive.get("device")
    array = array_id(FAMILY, name.rpartition("/")[0])
    return drive.build(Drive, id=f"{FAMILY}:{name}", array=array, device=nodes.get(device, device) if device else None)
