"""The controller ``md``, its arrays, volumes and drives, from the drafts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, cast

from msgspec import Struct, field

from raidctl.evidence import mark_read, record
from raidctl.model import Array, Controller, Drive, Health, Problem, Progress, Volume
from raidctl.order import natural
from raidctl.vendor.draft import Complaint
from raidctl.vendor.mixed_machines import described_twice
from raidctl.vendor.protocol import Observation
from raidctl.vendor.statuses import health_of_volume, worst
from raidctl_md.agreement import LIVE, differences, worst_first
from raidctl_md.capability import FAMILY, SUPPORT
from raidctl_md.draft import ArrayDraft, Reading, Source
from raidctl_md.group import Alias, Group, group
from raidctl_md.members import Device, drive_of, in_order, list_members
from raidctl_md.out_of_date import mark_out_of_date
from raidctl_md.state import is_read_only

_FIELDS = (
    "name", "raid_level", "size_bytes", "strip_bytes", "status", "status_text", "unique_id", "layout", "metadata",
    "consistency_policy", "bitmap", "drives_expected", "drives_active", "mismatch_count", "sync_speed_min_bytes",
    "sync_speed_max_bytes",
)  # fmt: skip
_ANSWERED = (*LIVE, Source.EXPORT, Source.QUERY)
"""Sources that show a running kernel."""
_TRUSTED_WHEN_INACTIVE = frozenset({"raid_level"})
"""Fields for which superblocks are more reliable while the array is not started."""


_NO_JOURNAL = Complaint(
    "error", "state", "The array's journal is missing, without which it takes no writes.",
    "Connect the device again; if it is lost, add another while the array is read-only: `mdadm --manage DEVICE "
    "--add-journal JOURNAL`.",
)  # fmt: skip
_READ_ONLY = "The array is read-only: it takes no writes, and nothing is rebuilt on it."


class _Built(Struct):
    arrays: list[Array] = field(default_factory=list)
    volumes: list[Volume] = field(default_factory=list)
    drives: list[Drive] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    ids: dict[int, str] = field(default_factory=dict)
    """The id of each draft's object, by the ``id()`` of the draft."""
    alive: bool = False


def build(
    reading: Reading,
    alias: Alias = lambda _: None,
    measured: Collection[str] = (),
) -> Observation:
    """Build the observation: objects, problems, and the evidence on the outputs.

    ``alias`` gives the kernel's name of a device path if the machine is known; ``measured`` are the nodes whose
    size the kernel reports: a superblock's figure is smaller, as it leaves out the metadata.
    """
    _forget_sizes(reading, measured)
    built = _Built()
    for item in sorted(group(reading.drafts, alias), key=_by_name):
        mark_out_of_date(item)
        if item.container is None:
            _build_array(item, built, alias)
    details = _write_evidence(reading, built)
    problems = [complaint.problem(where) for where, complaint in reading.complaints] + built.problems
    controllers: tuple[Controller, ...] = ()
    if built.arrays or details:
        controllers = (
            Controller(
                id=FAMILY,
                vendor="Linux",
                model="Linux md",
                mode="software",
                status="ok" if built.alive else "unknown",
                arrays=tuple(built.arrays),
                volumes=tuple(sorted(built.volumes, key=lambda volume: natural(volume.id))),
                drives=tuple(built.drives),
                capabilities=SUPPORT,
                details=details,
            ),
        )
    return Observation(controllers, tuple(dict.fromkeys(problems)), (), tuple(reading.outputs))


def _forget_sizes(reading: Reading, measured: Collection[str]) -> None:
    for draft in reading.drafts if measured else ():
        known = {key for key, member in draft.members.items() if member.node in measured}
        for key in known:
            draft.members[key].forget("size_bytes")


def _by_name(item: Group) -> tuple[str | int, ...]:
    """Sort ``md2`` before ``md10``."""
    return natural(item.name)


def _build_array(item: Group, built: _Built, alias: Alias) -> None:
    """A plain array, or a container with its arrays."""
    array_id = f"{FAMILY}:{item.name}/array"
    members = sorted(item.children, key=_by_name) if item.is_container or item.children else [item]
    volumes = [_volume(member, array_id, built) for member in members]
    built.volumes += volumes
    drives = _drives(
        item, array_id, built, alias, inactive=any(v.status == "inactive" for v in volumes) or item.is_container
    )
    own = None if members == [item] else item
    if own is not None:
        for draft in own.drafts:
            built.ids[id(draft)] = array_id
            built.alive |= draft.source in _ANSWERED
    for member, volume in zip(members, volumes, strict=True):
        if _lacks_journal(member, volume, drives):
            built.problems.append(_NO_JOURNAL.problem(volume.id))
        elif any(is_read_only(str(draft.get("status_text"))) for draft in member.drafts if draft.source in LIVE):
            remedy = f"If this is not intended: find the reason with `dmesg`, then `mdadm --readwrite {volume.device}`."
            built.problems.append(Complaint("warning", "state", _READ_ONLY, remedy).problem(volume.id))
    built.arrays.append(_array(item, array_id, volumes, drives, is_container=own is not None))
    built.drives += drives
    for each in (*members, item):
        if between := differences(each.ranked()):
            where = array_id if each is own else f"{FAMILY}:{each.name}"
            built.problems.append(described_twice(each.name, between).problem(where))
    for draft in (draft for each in (*members, item) for draft in each.drafts):
        reports = [report for report in (draft, *draft.members.values()) if report.complaints]
        found = [item.problem(built.ids.get(id(report), array_id)) for report in reports for item in report.complaints]
        built.problems += sorted(found, key=lambda problem: problem.severity == "info")


def _lacks_journal(item: Group, volume: Volume, drives: Sequence[Drive]) -> bool:
    """Whether a running array of this policy has none. A failed journal is a failed drive."""
    listed = any(draft.source in LIVE and draft.members for draft in item.drafts)
    beside = any(drive.role in ("journal", "failed") for drive in drives)
    return volume.consistency_policy == "journal" and volume.status != "inactive" and listed and not beside


def _array(
    item: Group, array_id: str, volumes: Sequence[Volume], drives: Sequence[Drive], *, is_container: bool
) -> Array:
    status: Health = worst([health_of_volume(volume.status) for volume in volumes])
    details: dict[str, str] = {}
    if is_container:
        for draft in reversed(item.ranked()):
            details.update({_label(draft, name): str(value) for _, name, value in draft.evidence})
            details.update(draft.details)
        if not volumes:
            working = details.get("Working Devices")
            same = working is not None and working == details.get("Total Devices")
            status = "ok" if same else worst([drive.status for drive in drives])
    raw = [draft.get("raw_bytes") for draft in item.ranked()]
    return Array(
        id=array_id,
        status=status,
        drives=tuple(drive.id for drive in drives if drive.role != "spare"),
        spares=tuple(drive.id for drive in drives if drive.role == "spare"),
        size_bytes=next((size for size in raw if isinstance(size, int)), None),
        details=details,
    )


def _volume(item: Group, array_id: str, built: _Built) -> Volume:
    volume_id = f"{FAMILY}:{item.name}"
    ranked = item.ranked()
    for draft in ranked:
        built.ids[id(draft)] = volume_id
        built.alive |= draft.source in _ANSWERED
    values = _values(ranked)
    if item.container is not None:
        outer = item.container.ranked()
        inherited = next((draft.get("metadata") for draft in outer if draft.get("metadata")), None)
        values["metadata"] = values["metadata"] or inherited
    details: dict[str, str] = {}
    for draft in reversed(ranked):
        details.update(draft.details)
    if item.container is not None:
        details["container"] = f"{FAMILY}:{item.container.name}/array"
    # "external:/md127/0" if no source describes that container
    values["metadata"] = values["metadata"] or details.get("super")
    return Volume(
        id=volume_id,
        array=array_id,
        device=f"/dev/{item.kernel}" if item.kernel else item.node,
        progress=_progress(ranked),
        details=details,
        **{**values, "status": values["status"] or "unknown"},
    )


def _values(ranked: Sequence[ArrayDraft]) -> dict[str, Any]:
    """The value of each field from the strongest source."""
    if len(ranked) == 1:
        known = ranked[0].values
        return {name: known[name][1] if name in known else None for name in _FIELDS}
    live = [draft for draft in ranked if draft.source in LIVE]
    inactive = any(draft.get("status") == "inactive" for draft in live)
    values: dict[str, Any] = {}
    for name in _FIELDS:
        drafts = list(ranked)
        if inactive and name in _TRUSTED_WHEN_INACTIVE:
            drafts.sort(key=lambda draft: draft.source is not Source.EXAMINE)
        if live and name in ("status", "status_text", "drives_active"):
            # a superblock has the state when it was last written, not the current one
            drafts = worst_first([draft for draft in drafts if draft.source is not Source.EXAMINE])
        values[name] = next((found for draft in drafts if (found := draft.get(name)) is not None), None)
    return values


def _progress(ranked: Sequence[ArrayDraft]) -> Progress | None:
    """The percentage of mdstat, and the word of sysfs. The percentage is finer, and a repair is a resync elsewhere."""
    order = sorted(ranked, key=lambda draft: draft.source is not Source.MDSTAT)
    live = [draft for draft in order if draft.source in LIVE] or order
    found = [cast("Progress", found) for draft in live if (found := draft.get("progress"))]
    if not found:
        return None
    operation = found[0].operation
    if operation == "resync" and any(progress.operation == "repair" for progress in found):
        operation = "repair"
    figures = {
        name: next((value for progress in found if (value := getattr(progress, name)) is not None), None)
        for name in ("percent", "remaining_seconds", "rate_bytes")
    }
    known = next((progress for progress in found if progress.state is not None), found[0])
    return Progress(operation=operation, state=known.state, reason=known.reason, **figures)


def _drives(item: Group, array_id: str, built: _Built, alias: Alias, *, inactive: bool) -> list[Drive]:
    drives: list[tuple[Device, Drive]] = []
    for device in list_members(item, alias).devices:
        drive_id = f"{FAMILY}:{item.name}/{device.key}"
        for _, member in device.reports:
            built.ids[id(member)] = drive_id
        drives.append((device, drive_of(device, item, drive_id=drive_id, array_id=array_id, inactive=inactive)))
    return in_order(drives)


def _label(draft: ArrayDraft, name: str) -> str:
    """The tool's label of a field or detail."""
    return name[len("details[") : -1] if name.startswith("details[") else draft.labels.get(name, name)


def _write_evidence(reading: Reading, built: _Built) -> dict[str, str]:
    """Record which line gives which fact; returns the controller's details."""
    containers = {array.id for array in built.arrays}
    statuses = {volume.id: volume.status for volume in built.volumes}
    for draft in reading.drafts:
        where = built.ids[id(draft)]
        status = statuses.get(where)
        # the words that the neutral status was concluded from
        concluded = status is not None and status == draft.get("status")
        evidence = draft.evidence
        if where in containers:
            evidence = [(line, f"details[{_label(draft, name)}]", value) for line, name, value in evidence]
        record(where, evidence)
        if concluded:
            record(where, [(line, "status", status) for line, name, _ in evidence if name == "status_text"])
        for member in draft.members.values():
            record(built.ids[id(member)], member.evidence)
    details = {label: value for _, label, value in reading.controller if built.arrays or label != "Personalities"}
    if not built.arrays and len(details) < 2:
        details = {}  # "unused devices: sdb" alone does not make a controller
    for line, label, value in reading.controller:
        if label in details:
            record(FAMILY, [(line, f"details[{label}]", value)])
        else:
            mark_read(line)
    return details
