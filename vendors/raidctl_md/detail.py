"""``mdadm --detail /dev/mdX`` (-D, --query --detail), mdadm 1 to 4.

The labels are those of Detail.c and of the ``detail_super`` functions of the metadata formats, in all releases.
"""

from __future__ import annotations

import re

from raidctl.evidence import Line, mark_read
from raidctl.model import Progress
from raidctl.text import collapse, counted, regex
from raidctl.vendor.draft import Pair
from raidctl.vendor.fields import Field, Fields, read_pair
from raidctl_md.draft import ArrayDraft, MemberDraft, Parent, Reading, Source
from raidctl_md.label_lines import (
    count,
    is_table_head,
    keep,
    known,
    layout,
    name_of,
    pair_of,
    read_member,
    required,
    row_of,
    split_row,
)
from raidctl_md.split_outputs import Section
from raidctl_md.state import State, of_detail
from raidctl_md.vocabulary import OPERATIONS, chunk_bytes, size_in, version

_DETAILS = frozenset(
    {
        "Creation Time", "Update Time", "Used Dev Size", "Device Size", "Total Devices", "Preferred Minor",
        "Persistence", "Working Devices", "Failed Devices", "Spare Devices", "Events", "Rounding", "Seq",
        "Virtual Disks", "Member Arrays", "Delta Devices", "New Level", "New Layout", "New Chunksize",
        "Reshape pos'n", "Cluster Name", "Checksum", "Sync checkpoint",
    }
)  # fmt: skip
_WORK = {"Rebuild Status": "recovery", "Resync Status": "resync", "Reshape Status": "reshape", "Check Status": "check"}
_DONE = regex(r"(\d{1,3})% complete", re.ASCII)
# "Container : /dev/md127, member 0"
_CONTAINER = regex(r"(\S+), member (\S+)")
_DELTA = regex(r"(-?\d{1,6})\b")
_COUNT = regex(r"\d{1,9}", re.ASCII)
_BRACKETED = regex(r"\s*\([^()]*\)\s*")


class _DetailDraft(ArrayDraft):
    state: State | None = None
    work: str | None = None
    """The label of the line with the percentage."""
    percent: float = 0.0


def read(section: Section, reading: Reading) -> None:
    """Read one array's detail."""
    draft = _DetailDraft(source=Source.DETAIL, output=section.output, node=section.node)
    reader = _Reader(draft)
    for line in section.lines:
        if line.text.strip():
            reader.read_line(line)
    if section.head and (draft.reported or section.head.stripped.startswith("/dev/md")):
        draft.put_labelled(section.head, "device", section.node, "device")
    if draft.reported:
        _conclude(draft, reader.rows)
        reading.drafts.append(draft)


class _Reader:
    """Reads the lines of one array."""

    def __init__(self, draft: _DetailDraft) -> None:
        self.draft = draft
        self.last = ""
        self.states = True
        self.rows = 0
        self.in_table = False
        self.without_device = False
        """Whether the row above names no device; a mailer may have moved it to this line."""

    def read_line(self, line: Line) -> None:
        draft = self.draft
        if is_table_head(line):
            self.states, self.in_table = "State" in line.text, True
            mark_read(line)
            return
        columns = row_of(line)
        if columns:
            self.rows += 1
            self.without_device = columns["major"] != "0" and split_row(columns["rest"])[1] is None
            member = read_member(draft, line, columns, states=self.states)
            if member is not None and member.get("role") is None and "status" in member.values:
                _report_strange(member)
            return
        pair = pair_of(line)
        if pair is None:
            self._continue(line)
        elif read_pair(draft, pair, pair.label, _FIELDS):
            self.last = pair.label

    def _continue(self, line: Line) -> None:
        """Read a line without label: a GUID, or a wrapped name's rest."""
        text = line.text.strip()
        if self.last == "Container GUID" and _BRACKETED.fullmatch(line.text):
            self.draft.detail(line, "Container GUID in words", text.strip("()"))
        elif self.last == "Name" and text.endswith(")"):
            mark_read(line)
        elif self.in_table and "/dev/" in text and not (self.without_device and " " not in text):
            message = f"A row of the table of members was not understood: {collapse(text)[:80]}"
            self.draft.add_problem("warning", "unread", message)


def _read_level(draft: ArrayDraft, pair: Pair) -> None:
    draft.is_container = pair.value == "container"
    draft.read_level(pair.lines[0], pair.label, pair.value)


def _read_uuid(draft: ArrayDraft, pair: Pair) -> None:
    # 0.90 keeps the host in the UUID: "1f2e3d4c:…:0a1b2c3d (local to host box)"
    draft.read_uuid(pair.lines[0], pair.label, name_of(pair.value))


def _read_version(draft: ArrayDraft, pair: Pair) -> None:
    """``1.2``, ``imsm``; ``/md127/0`` of an array in a container; empty without superblocks."""
    if pair.value[:1] in ("/", "-"):
        container, _, index = pair.value[1:].partition("/")
        draft.parent = Parent(f"/dev/{container}", index)
        keep(draft, pair)
    else:
        draft.put_labelled(pair.lines[0], "metadata", version(pair.value), pair.label)


def _read_name(draft: ArrayDraft, pair: Pair) -> None:
    draft.put_labelled(pair.lines[0], "name", name_of(pair.value), pair.label)


def _read_container(draft: ArrayDraft, pair: Pair) -> None:
    match = _CONTAINER.fullmatch(pair.value)
    draft.parent = Parent(match[1], match[2]) if match else None
    keep(draft, pair)


def _read_guid(draft: ArrayDraft, pair: Pair) -> None:
    """Read a label that only DDF has. An array in the container has no line Version."""
    keep(draft, pair)
    if "metadata" in draft.values:
        draft.put(pair.lines[0], "metadata", "ddf", shown_as=f"details[{pair.label}]")
    else:
        draft.put_labelled(pair.lines[0], "metadata", "ddf", pair.label)


def _read_state(draft: _DetailDraft, pair: Pair) -> None:
    draft.put_labelled(pair.lines[0], "status_text", pair.value, pair.label)
    draft.state = of_detail(pair.value)
    draft.override("status", draft.state.status if draft.state else "unknown")
    if draft.state is None:
        draft.add_problem("warning", "unread", f"Unknown word in state {pair.value!r}.")


def _read_progress(draft: _DetailDraft, pair: Pair) -> None:
    match = _DONE.fullmatch(pair.value)
    if match:
        draft.work, draft.percent = pair.label, min(float(match[1]), 100.0)
        progress = Progress(operation=OPERATIONS[_WORK[pair.label]], percent=draft.percent, state="running")
        draft.put_labelled(pair.lines[0], "progress", progress, pair.label)


def _conclude(draft: _DetailDraft, rows: int) -> None:
    """Combine state, progress and the number of members."""
    progress = draft.state.progress if draft.state else None
    if draft.work:
        # mdadm 2 prints "Rebuild Status" for a resync too; the word in State distinguishes them
        operation = progress.operation if progress else OPERATIONS[_WORK[draft.work]]
        progress = Progress(operation=operation, percent=draft.percent, state="running")
    draft.override("progress", progress)
    # a slot without a device has its row, "removed"; spares and failed devices follow
    total = draft.details.get("Total Devices", "")
    expected = draft.get("drives_expected")
    listed = max(expected if isinstance(expected, int) else 1, int(total) if _COUNT.fullmatch(total) else 0)
    draft.output.gap = "" if rows >= listed else f"it lists {rows} of {listed} devices"
    if draft.get("status_text") is None and not draft.is_container and "drives_expected" in draft.values:
        draft.output.gap = "its state is missing"  # of a running array, mdadm always prints it
    delta = _DELTA.match(draft.details.get("Delta Devices", ""))
    if draft.get("status") == "migrating" and delta and int(delta[1]) > 0:
        draft.override("status", "expanding")
    if draft.is_container:
        draft.discard("status")
        # DDF containers have a GUID in place of a UUID
        draft.uuid = draft.uuid or draft.details.get("Container GUID")
    elif "Total Devices" in draft.details and "drives_expected" not in draft.values:
        # an inactive array: mdadm prints neither Raid Devices nor, in some releases, its state
        draft.conclude("status", "inactive")
    _count_failed(draft)
    _doubt_level(draft)


def _count_failed(draft: ArrayDraft) -> None:
    """Compare ``Failed Devices : 1`` with the rows. A failed device may have lost its row."""
    count = draft.details.get("Failed Devices", "")
    listed = sum(member.get("status") == "critical" for member in draft.members.values())
    if _COUNT.fullmatch(count) and int(count) > listed and draft.get("status") in ("ok", "checking", None):
        text = f"mdadm counts {counted(int(count), 'failed device')}, of which {listed} are listed."
        draft.add_problem("warning", "state", text, "List the members: `cat /proc/mdstat`.")


def _doubt_level(draft: ArrayDraft) -> None:
    """Doubt the level raid0 of an inactive array.

    Up to 4.1, mdadm prints it for every such array, as the kernel reports no level.
    """
    inactive = draft.get("status") == "inactive" and "drives_expected" not in draft.values
    if inactive and draft.get("raid_level") == "raid0":
        draft.add_problem(
            "info",
            "note",
            "mdadm prints raid0 for any array that is not started; the real level may differ.",
            "Read the level from a member: `mdadm --examine`.",
        )


def _report_strange(member: MemberDraft) -> None:
    text = str(member.get("status_text") or "")
    if text and not set(text.split()) <= {"removed", "missing"}:
        member.add_problem("warning", "unread", f"Unknown member state {text!r}.")


def _kib(value: str) -> int | None:
    return size_in(value, (1024,))


def _bitmap(value: str) -> str | None:
    return value.lower() if value.lower().startswith("internal") else value or None


_FIELDS: Fields[_DetailDraft] = {
    **dict.fromkeys(_DETAILS, keep),
    #            Version : 1.2
    "Version": _read_version,
    #         Raid Level : raid1
    "Raid Level": _read_level,
    #         Array Size : 976630464 (931.39 GiB 1000.07 GB)
    "Array Size": Field("size_bytes", required(_kib)),
    "Raid Devices": Field("drives_expected", required(count)),
    "Active Devices": Field("drives_active", required(count)),
    #      Intent Bitmap : Internal
    "Intent Bitmap": Field("bitmap", required(_bitmap)),
    #              State : clean, degraded, recovering
    "State": _read_state,
    #     Rebuild Status : 14% complete
    **dict.fromkeys(_WORK, _read_progress),
    #             Layout : near=2
    "Layout": Field("layout", layout),
    #         Chunk Size : 512K
    "Chunk Size": Field("strip_bytes", required(chunk_bytes)),
    # Consistency Policy : bitmap
    "Consistency Policy": Field("consistency_policy", required(known)),
    #               Name : box:root  (local to host box)
    "Name": _read_name,
    #               UUID : 3a8e6d0f:5c1b2a49:77e0d1c4:9b2f8e63
    "UUID": _read_uuid,
    #          Container : /dev/md127, member 0
    "Container": _read_container,
    "Container GUID": _read_guid,
}
