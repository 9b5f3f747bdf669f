"""Claims about a volume's level, drives, strip, size, media and firmware. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.health.missing_members import intact, not_whole
from raidctl.health.redundancy import WHOLE
from raidctl.health.unknown_states import members_in_doubt, states_unknown
from raidctl.host import BlockDevice
from raidctl.model import Drive
from raidctl.text import all_of, capitalised, counted, listing
from raidctl.units import format_binary, format_decimal
from raidctl.verify.capacity import check_size, fitting
from raidctl.verify.case import HOST, Case
from raidctl.verify.report import Answer, Evidence, Source
from raidctl.verify.subjects import blocks_of

_COPYING = frozenset({"btrfs", "zfs_member", "bcachefs"})
"""File systems that can keep copies on several devices."""
NOT_STRIPED = frozenset({"raid1", "raid1t", "jbod", "linear"})
_COMPLETE = frozenset({"ok", "checking", "initializing", "expanding", "migrating", "rebuilding"})
"""States in which the list of members is complete."""
_TIME = "Measure the time of random reads: hard drives need milliseconds, SSDs do not."
SAME = 0.01
"""Relative tolerance for sizes, as tools round."""


def raid_level(case: Case) -> Answer:
    """Whether the tool reports this level, and the drives' size matches it."""
    volume = case.subject.volume
    if volume is None:
        return _single(case)
    level = volume.raid_level
    if level is None or level == "unknown":
        return _level_unknown(case)
    case.cite(volume.id, "raid_level", f"RAID level {level}")
    found = check_size(case.machine, case.subject, level)
    if found:
        case.evidence.append(Evidence(source="arithmetic", object=volume.id, statement=found.statement))
    if case.machine.view.virtual:
        case.notes.append("The drives below it are virtual: several may be on one drive of the host.")
    if level not in case.claim.words:
        return case.failed(f"It is {level}, not {case.claim.wanted}.")
    if found and found.finding == "contradicts":
        return case.suspect(
            f"The tool reports {level}, but the size does not match: {found.statement}.",
            next_test=f'Compare "raidctl show --explain {volume.id}" with the drives in the machine.',
        )
    if found and found.finding == "fits":
        case.ruled_out += found.ruled_out
        return case.passed(f"It is {level}, and the size of the volume matches.")
    return case.passed(f"The tool reports {level}; the size neither confirms nor contradicts it.")


def _level_unknown(case: Case) -> Answer:
    levels = fitting(case.machine, case.subject)
    if levels:
        statement = f"the size matches {listing(levels, 'or')}"
        case.evidence.append(Evidence(source="arithmetic", object=case.subject.id, statement=statement))
    _kernel_size(case)
    return case.inconclusive(
        "The RAID level of this volume is not reported.", next_test="Install the controller's tool and verify again."
    )


def _single(case: Case) -> Answer:
    drive = case.subject.item
    case.cite(drive.id, "role", "a plain drive", "drive")
    if case.claim.words == ("jbod",):
        return case.passed("It is a single plain drive.")
    if isinstance(drive, Drive) and drive.interface == "virtual":
        return case.inconclusive(
            "It is a virtual drive: only its host can show which RAID is behind it.",
            next_test=HOST,
            access=False,
        )
    above = _copies(case)
    if above:
        return case.inconclusive(
            f"It is a single drive, but {above} may keep copies on several drives, which raidctl does not read.",
            next_test="Check the file system or LVM (btrfs filesystem usage, zpool status, lvs -a -o +segtype).",
        )
    return case.failed("It is a single plain drive, without a RAID controller or md.")


def _copies(case: Case) -> str | None:
    """A layer on a drive that may keep copies elsewhere."""
    for block in blocks_of(case.machine, case.subject):
        if block.filesystem in _COPYING:
            return f"the file system on it ({block.filesystem})"
        if block.kind == "dm" and len(_below(case, block)) > 1:
            return f"the device mapper ({block.node})"
    return None


def _below(case: Case, block: BlockDevice) -> set[str]:
    """The devices below, several paths to the same drive counted once."""
    found = [below for name in block.slaves if (below := case.machine.view.block(name)) is not None]
    return {below.wwn or below.serial or below.name for below in found}


def drives(case: Case) -> Answer:
    """Whether the volume has the claimed number of drives, and all work."""
    volume, wanted = case.subject.volume, case.claim.number
    if volume is None:
        case.cite(case.subject.id, "role", "a single drive", "drive")
        return case.passed("It is one drive.") if wanted == 1 else case.failed("It is one drive.")
    array = case.subject.array
    members = case.subject.members
    counts = volume.drives_expected is not None  # else the drive onto which a member is copied is among those known
    working = len(intact(case.subject.controller, members)) if counts else sum(not not_whole(one) for one in members)
    known = max(len(array.drives) if array else 0, len(case.subject.members))
    expected = volume.drives_expected or known
    if known:
        case.cite(volume.array or volume.id, "drives", f"lists {counted(known, 'drive')}")
    if volume.drives_expected is not None:
        case.cite(volume.id, "drives_expected", f"consists of {counted(volume.drives_expected, 'drive')}")
    if not expected:
        return case.inconclusive("Its number of drives is not reported.")
    if volume.drives_expected is None and volume.status not in _COMPLETE and expected <= wanted:
        return case.inconclusive(
            f"It is {volume.status} and lists {counted(expected, 'drive')}; lost drives may be missing from the list."
        )
    if expected != wanted:
        return case.failed(f"It consists of {counted(expected, 'drive')}, not {wanted}.")
    active = working if volume.drives_active is None else min(working, volume.drives_active)
    if volume.drives_active is None and working == len(case.subject.members) < expected and (why := undescribed(case)):
        return case.inconclusive(why)
    if active < expected:
        return case.failed(
            f"It consists of {counted(expected, 'drive')}, of which only {active} {'works' if active == 1 else 'work'}."
        )
    if doubtful := members_in_doubt(case.subject.members):
        return case.inconclusive(f"It consists of {counted(expected, 'drive')}, but {states_unknown(doubtful)}.")
    if volume.drives_active is None and (volume.status not in _COMPLETE or volume.status == "rebuilding"):
        which = "whether all of them work is not reported"
        return case.inconclusive(f"It consists of {counted(expected, 'drive')} and is {volume.status}; {which}.")
    return case.passed(f"It consists of {counted(expected, 'drive')}.")


def strip_size(case: Case) -> Answer:
    """Whether the strip (chunk) of one drive has the claimed size."""
    volume = case.subject.volume
    if volume is None or volume.strip_bytes is None:
        return case.inconclusive("The strip size is not reported.")
    size = format_binary(volume.strip_bytes)
    case.cite(volume.id, "strip_bytes", f"strip size {size}")
    if volume.strip_bytes == case.claim.number:
        return case.passed(f"The strip size is {size}.")
    return case.failed(f"The strip size is {size}, not {case.claim.wanted}.")


def min_size(case: Case) -> Answer:
    """Whether it has at least the claimed size, by tool and kernel."""
    item = case.subject.item
    block = _kernel_size(case)
    if item.size_bytes is not None:
        source: Source = "controller" if case.subject.volume else "drive"
        case.cite(item.id, "size_bytes", f"size {format_decimal(item.size_bytes)}", source)
    kernel = block.size_bytes if block else None
    sizes = [size for size in (item.size_bytes, kernel) if size]
    if not sizes:
        return case.inconclusive("Its size is not reported.")
    if len(sizes) == 2 and min(sizes) < max(sizes) * (1 - 5 * SAME):
        return case.suspect(
            f"The tool reports {format_decimal(sizes[0])}, the kernel {format_decimal(sizes[1])}.",
            next_test="Let the kernel read the size again (echo 1 > /sys/class/block/NAME/device/rescan).",
        )
    size = kernel or sizes[0]
    if size >= case.claim.number * (1 - SAME):
        less = 100 * (1 - size / case.claim.number)
        near = (
            f", {less:.1g}% less than {case.claim.wanted}: within the tolerance of {100 * SAME:g}%" if less > 0 else ""
        )
        return case.passed(f"It has {format_decimal(size)}{near}.")
    return case.failed(f"It has {format_decimal(size)}, less than {case.claim.wanted}.")


def _kernel_size(case: Case) -> BlockDevice | None:
    blocks = blocks_of(case.machine, case.subject)
    if not blocks or not blocks[0].size_bytes:
        return None
    block = blocks[0]
    size = block.size_bytes or 0
    sectors = f"{size // 512}"
    statement = f"{block.node} has {format_decimal(size)}"
    path = f"/sys/class/block/{block.name.replace('/', '!')}/size"
    case.evidence.append(
        Evidence(source="kernel", object=block.node, statement=statement, command=path, line=1, raw=sectors)
    )
    return block


def media(case: Case) -> Answer:
    """Whether all of its drives are of the claimed type."""
    wanted = case.claim.words[0]
    return _compare_values(case, "media", {d.id: d.media for _, d in case.subject.drives}, wanted, "type")


def drive_rpm(case: Case) -> Answer:
    """Whether all of its drives have the claimed rpm."""
    speeds = {
        d.id: str(d.rpm) if d.rpm else "ssd" if d.media == "ssd" else None for _, d in case.subject.drives
    }  # fmt: skip
    return _compare_values(case, "rpm", speeds, str(case.claim.number), "rpm")


def _rpm(value: str) -> str:
    return f"{int(value):,} rpm" if value.isdigit() else "no rpm (SSD)"


def by_value(values: dict[str, str], verbs: tuple[str, str], members: int) -> str:
    """``a and b have 146 GB; c has 300 GB``, or ``All 3 drives have 146 GB``."""
    names: dict[str, list[str]] = {}
    for name, value in values.items():
        names.setdefault(value, []).append(name)
    if len(names) == 1 and len(values) == members > 1:
        return f"{capitalised(all_of(members, 'drive'))} {verbs[1]} {next(iter(names))}"
    return "; ".join(f"{listing(several)} {verbs[len(several) > 1]} {value}" for value, several in names.items())


def silent(unknown: Sequence[str], what: str, members: int) -> str:
    """Name the drives that do not report a value. If none of several does, state that."""
    if len(unknown) == members > 1:
        return f"None of the {members} drives reports the {what}."
    return f"{listing(unknown)} {'does' if len(unknown) == 1 else 'do'} not report the {what}."


def undescribed(case: Case) -> str:
    """Which members of a volume no output describes, as a sentence; empty if all are described."""
    volume, array = case.subject.volume, case.subject.array
    listed = {drive.id for drive in case.subject.controller.drives}
    missing = [name for name in (array.drives if array is not None else ()) if name not in listed]
    if missing:
        return f"Nothing is known about {listing(missing)}."
    expected, count = (volume.drives_expected or 0) if volume is not None else 0, len(case.subject.members)
    if volume is not None and volume.status in WHOLE and expected > count:
        return f"Only {counted(count, 'drive')} of {expected} are listed."
    return ""


def _compare_values(case: Case, path: str, values: dict[str, str | None], wanted: str, what: str) -> Answer:
    for name, value in values.items():
        if value is not None:
            case.cite(name, path, f"{path} {value}", "drive")
    _rotational(case)
    if not values:
        return case.inconclusive("Its drives are unknown.")
    others = {name: value for name, value in values.items() if value is not None and value != wanted}
    if others:
        verbs, shown = ("is", "are"), others
        if what == "rpm":
            verbs = "has", "have"
            shown = {name: _rpm(value) for name, value in others.items()}
            wanted = f"{int(wanted):,}"
        return case.failed(f"{by_value(shown, verbs, len(values))}, not {wanted}.")
    unknown = [*(name for name, value in values.items() if value is None), *case.subject.unlinked]
    if unknown:
        return case.inconclusive(
            silent(unknown, what, len(values) + len(case.subject.unlinked)),
            next_test=f"{_TIME} Run: {case.measuring()}",
        )
    if why := undescribed(case):
        return case.inconclusive(why)
    if case.machine.view.virtual:
        return case.inconclusive("The drives are virtual: only the host can show the hardware.")
    alone = case.subject.volume is None or case.subject.software
    spinning = {block.rotational for block in _disks(case)} if alone else set()
    if (wanted == "ssd" and True in spinning) or (wanted != "ssd" and False in spinning):
        return case.suspect(
            f"The drives report {wanted}, but the kernel treats one of them as the opposite.",
            next_test=f"{_TIME} Run: {case.measuring()}",
        )
    return case.passed(
        f"{capitalised(all_of(len(values), 'drive'))} report {wanted}."
        if len(values) > 1
        else f"The drive reports {wanted}."
    )


def _disks(case: Case) -> list[BlockDevice]:
    nodes = [drive.device for _, drive in case.subject.drives if drive.device]
    return [block for node in nodes if (block := case.machine.view.block(node)) is not None]


def _rotational(case: Case) -> None:
    """The kernel's view of plain drives. It has no meaning for a controller's volumes."""
    if case.subject.volume is not None and not case.subject.software:
        return
    for block in _disks(case):
        if block.rotational is not None:
            path = f"/sys/class/block/{block.name.replace('/', '!')}/queue/rotational"
            statement = "treats it as a hard drive" if block.rotational else "treats it as solid state"
            case.evidence.append(Evidence("kernel", block.node, statement, path, 1, str(int(block.rotational))))


def firmware(case: Case) -> Answer:
    """Whether the controller, or a plain drive, has this firmware."""
    drive = case.subject.volume is None
    owner = case.subject.item if isinstance(case.subject.item, Drive) and drive else case.subject.controller
    if case.subject.software:
        return case.failed("Software RAID has no firmware.")
    version = owner.firmware
    if version is None:
        return case.inconclusive(f"{owner.id} does not report its firmware.")
    case.cite(owner.id, "firmware", f"firmware {version}", "drive" if drive else "controller")
    if version.strip() == case.claim.words[0]:
        return case.passed(f"{owner.id} runs firmware {version}.")
    return case.failed(f"{owner.id} runs firmware {version}, not {case.claim.wanted}.")
