"""The report of ``raidctl replace --check``. Field names are stable for programs."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from raidctl.described import doc
from raidctl.model import Health, Host, RaidLevel, Role, VolumeStatus

Verdict = Literal["yes", "no", "unknown"]
Outcome = Literal["yes", "no", "unknown", "note"]


class Reason(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one guard."""

    guard: Annotated[str, doc("Name of the guard: `R1`; the page replace.md describes each.")]
    verdict: Annotated[
        Outcome,
        doc(
            "`no`: do not pull the drive; `unknown`: facts needed to decide are not reported; `yes`: nothing here "
            "forbids it; `note`: good to know before, without effect on the verdict."
        ),
    ]
    text: Annotated[str, doc("One sentence.")]
    remedy: Annotated[str | None, doc("What to do; null: nothing.")] = None
    evidence: Annotated[tuple[str, ...], doc("The facts: `OBJECT FIELD = VALUE`.")] = ()


class VolumeLeft(msgspec.Struct, frozen=True, kw_only=True):
    """A volume with data on the drive, before and after."""

    id: Annotated[str, doc("Id of the volume; of its array if no volume is reported on it.")]
    array: Annotated[str | None, doc("Id of its array; null: not reported.")] = None
    raid_level: Annotated[RaidLevel | None, doc("RAID level; null: unknown.")] = None
    status: Annotated[VolumeStatus, doc("Status of the volume.")] = "unknown"
    device: Annotated[str | None, doc("`/dev/sda`; null: unknown.")] = None
    mountpoints: Annotated[tuple[str, ...], doc("Mount points of the volume and the layers above.")] = ()
    gone_already: Annotated[bool, doc("The volume works without the drive: it failed, or was dropped.")] = False
    failures_tolerated: Annotated[int | None, doc("Drive failures that it survives now; null: unknown.")] = None
    failures_tolerated_after: Annotated[
        int | None, doc("The same without this drive; null: unknown, or the data would be lost.")
    ] = None
    data_lost: Annotated[bool | None, doc("Its data would be lost without the drive; null: unknown.")] = None
    last_check_at: Annotated[str | None, doc("End of the last complete consistency check; null: unknown.")] = None


class Removal(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a drive may be pulled, and why."""

    host: Annotated[Host, doc("The machine, and when it was read.")]
    drive: Annotated[str, doc("Id of the drive.")]
    verdict: Annotated[
        Verdict, doc("`yes`: it may be pulled now; `no`; `unknown`: facts needed to decide are missing.")
    ]
    enclosure: Annotated[str | None, doc("Box, enclosure, channel, as printed.")] = None
    bay: Annotated[str | None, doc("Bay or slot, as printed; null: not reported.")] = None
    serial: Annotated[str | None, doc("Serial number, as printed; null: not reported.")] = None
    wwn: Annotated[str | None, doc("World wide name, as printed.")] = None
    model: Annotated[str | None, doc("Model.")] = None
    size_bytes: Annotated[int | None, doc("Size, bytes: the new drive must not be smaller.")] = None
    device: Annotated[str | None, doc("`/dev/sda`, if the operating system sees it.")] = None
    role: Annotated[Role | None, doc("Use of the drive.")] = None
    status: Annotated[Health, doc("Health of the drive.")] = "unknown"
    status_text: Annotated[str | None, doc("The tool's words.")] = None
    reasons: Annotated[tuple[Reason, ...], doc("Every guard with its result, those that decide first.")] = ()
    volumes: Annotated[tuple[VolumeLeft, ...], doc("Volumes with data on the drive.")] = ()
    leaves_with_it: Annotated[tuple[str, ...], doc("Other objects on the same drive: members of software arrays.")] = ()
    spares: Annotated[tuple[str, ...], doc("Spares that will take its place, ids.")] = ()
    activity: Annotated[tuple[str, ...], doc("Background operations on its volumes.")] = ()
    errors_elsewhere: Annotated[tuple[str, ...], doc("Other members with errors.")] = ()
    unwritten: Annotated[tuple[str, ...], doc("What caches hold; empty: nothing is reported.")] = ()
    boot: Annotated[tuple[str, ...], doc("What is on the drive that boots the machine, as far as it is seen.")] = ()
    age_seconds: Annotated[int | None, doc("Age of the information, seconds; null: unknown.")] = None
    recorded: Annotated[bool, doc("The information is from a recording or saved outputs.")] = False
