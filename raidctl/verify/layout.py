"""Claims about how a volume is made: level, drives, spares, strip, size, medium, state, firmware. Pure."""

from __future__ import annotations

from datetime import timedelta

from raidctl.host import BlockDevice
from raidctl.model import Drive, Scrub, Volume
from raidctl.text import counted, listing
from raidctl.units import format_binary, format_decimal, parse_moment
from raidctl.verify.capacity import fitting, reckon
from raidctl.verify.case import HOST, Case
from raidctl.verify.report import Answer, Evidence, Source
from raidctl.verify.subjects import blocks_of

_COPYING = frozenset({"btrfs", "zfs_member", "bcachefs"})
"""File systems that keep copies on several devices by themselves."""
NOT_STRIPED = frozenset({"raid1", "raid1t", "jbod", "linear"})
_BUSY = frozenset({"initializing", "expanding", "migrating"})
"""Work under way on a volume that is not degraded, and not yet what it is to be."""
_COMPLETE = frozenset({"ok", "checking", "initializing", "expanding", "migrating", "rebuilding"})
"""States in which no member is missing from the list."""
_TIME = "Measure the time of random reads, and its spread: a disk needs milliseconds, and turns."
SAME = 0.01
"""Sizes that differ by less are the same: tools round."""


def raid_level(case: Case) -> Answer:
    """Whether the tool tells this level, and whether the size of the drives goes with it."""
    volume = case.subject.volume
    if volume is None:
        return _single(case)
    level = volume.raid_level
    if level is None or level == "unknown":
        return _level_untold(case)
    case.read(volume.id, "raid_level", f"RAID level {level}")
    found = reckon(case.ground, case.subject, level)
    if found:
        case.evidence.append(Evidence(source="arithmetic", object=volume.id, says=found.says))
    if case.ground.view.virtual:
        case.notes.append("The drives below it are those that a hypervisor shows: several may be one disk of the host.")
    if level not in case.claim.words:
        return case.failed(f"It is {level}, not {case.claim.wanted}.")
    if found and found.finding == "contradicts":
        return case.suspect(
            f"The tool says {level}, but the size does not go with it: {found.says}.",
            next_test=f'Compare "raidctl show --explain {volume.id}" with the drives in the machine.',
        )
    if found and found.finding == "fits":
        case.ruled_out += found.ruled_out
        return case.passed(f"It is {level}, and the size of the volume goes with that.")
    return case.passed(f"It is {level} as its tool says; the size neither confirms nor refutes it.")


def _level_untold(case: Case) -> Answer:
    levels = fitting(case.ground, case.subject)
    if levels:
        says = f"the size goes with {listing(levels, 'or')}"
        case.evidence.append(Evidence(source="arithmetic", object=case.subject.id, says=says))
    _kernel_size(case)
    return case.untold(
        "Nothing tells the RAID level of this volume.", next_test="Install the controller's tool and ask again."
    )


def _single(case: Case) -> Answer:
    drive = case.subject.item
    case.read(drive.id, "role", "a drive that the system sees itself", "drive")
    if case.claim.words == ("jbod",):
        return case.passed("It is a single drive that the system sees itself.")
    if isinstance(drive, Drive) and drive.interface == "virtual":
        return case.untold(
            "It is a virtual disk: which RAID lies below it only its host can tell.",
            next_test=HOST,
            access=False,
        )
    above = _copies(case)
    if above:
        return case.untold(
            f"It is a single drive, but {above} may keep copies on several drives, which raidctl does not read.",
            next_test="Ask the file system or LVM itself (btrfs filesystem usage, zpool status, lvs -a -o +segtype).",
        )
    return case.failed(
        "It is a single drive that the system sees itself: there is neither a RAID card nor md above it."
    )


def _copies(case: Case) -> str | None:
    """What lies on a drive and may keep copies elsewhere."""
    for block in blocks_of(case.ground, case.subject):
        if block.filesystem in _COPYING:
            return f"the file system on it ({block.filesystem})"
        if block.kind == "dm" and len(_below(case, block)) > 1:
            return f"the device mapper ({block.node})"
    return None


def _below(case: Case, block: BlockDevice) -> set[str]:
    """What a device lies on, several paths to the same drive counted once."""
    found = [below for name in block.slaves if (below := case.ground.view.block(name)) is not None]
    return {below.wwn or below.serial or below.name for below in found}


def drives(case: Case) -> Answer:
    """Whether the volume is made of so many drives, and all of them are there."""
    volume, wanted = case.subject.volume, case.claim.number
    if volume is None:
        case.read(case.subject.id, "role", "a single drive", "drive")
        return case.passed("It is one drive.") if wanted == 1 else case.failed("It is one drive.")
    array = case.subject.array
    working = sum(drive.status != "critical" for drive in case.subject.members)
    known = max(len(array.drives) if array else 0, len(case.subject.members))
    expected = volume.drives_expected or known
    if known:
        case.read(volume.array or volume.id, "drives", f"lists {_drives(known)}")
    if volume.drives_expected is not None:
        case.read(volume.id, "drives_expected", f"made of {_drives(volume.drives_expected)}")
    if not expected:
        return case.untold("Nothing tells how many drives it is made of.")
    if volume.drives_expected is None and volume.status not in _COMPLETE and expected <= wanted:
        return case.untold(f"It is {volume.status} and lists {_drives(expected)}: drives that are gone may be missing.")
    if expected != wanted:
        return case.failed(f"It is made of {_drives(expected)}, not {wanted}.")
    active = working if volume.drives_active is None else min(working, volume.drives_active)
    if active < expected:
        return case.failed(f"It is made of {_drives(expected)}, but only {active} of them work.")
    return case.passed(f"It is made of {_drives(expected)}.")


def spares(case: Case) -> Answer:
    """Whether at least so many spares wait for this volume: its own, and those of the whole controller."""
    volume, wanted = case.subject.volume, case.claim.number
    if volume is None:
        return case.failed("It is a single drive, which has no spares.") if wanted else case.passed("It has no spares.")
    card, array = case.subject.controller, case.subject.array
    named = set(array.spares) if array else set()
    ready = [d for d in card.drives if d.id in named or _global(d, volume, software=case.subject.software)]
    least = min((d.size_bytes for d in case.subject.members if d.size_bytes), default=0)
    good = [d for d in ready if d.status == "ok" and (d.size_bytes or least) >= least * (1 - SAME)]
    for drive in ready:
        case.read(drive.id, "role", f"a spare, {drive.status}")
    if len(good) >= wanted:
        return case.passed(f"{_spares(len(good))} {'waits' if len(good) == 1 else 'wait'} for it.")
    if not card.drives:
        return case.untold(f"The drives of {card.id} are not known.")
    if any(d.status == "unknown" for d in ready):
        return case.untold(f"It has {_spares(len(ready))}, and whether they are good is not told.")
    if any(p.kind == "unread" and p.where == card.id for p in case.ground.inventory.problems):
        return case.untold("The drives of this controller could not all be read.")
    bad = (
        f", and {len(ready) - len(good)} that {'is' if len(ready) - len(good) == 1 else 'are'} not ok or too small"
        * (ready != good)
    )
    return case.failed(f"It has {_spares(len(good))}{bad}; {wanted} {'is' if wanted == 1 else 'are'} claimed.")


def _global(drive: Drive, volume: Volume, *, software: bool) -> bool:
    """Whether a spare belongs to every array of its controller, or to this one."""
    if drive.role != "spare":
        return False
    if drive.spare_for or drive.array:
        return volume.array in (*drive.spare_for, drive.array)
    return not software


def strip_size(case: Case) -> Answer:
    """Whether the strip of one drive has this size."""
    volume = case.subject.volume
    if volume is None or volume.strip_bytes is None:
        return case.untold("The tool does not tell the strip size.")
    told = format_binary(volume.strip_bytes)
    case.read(volume.id, "strip_bytes", f"strip {told}")
    if volume.strip_bytes == case.claim.number:
        return case.passed(f"The strip of one drive is {told}.")
    return case.failed(f"The strip of one drive is {told}, not {case.claim.wanted}.")


def min_size(case: Case) -> Answer:
    """Whether it is at least so large, by the tool and by the kernel."""
    item = case.subject.item
    block = _kernel_size(case)
    if item.size_bytes is not None:
        source: Source = "controller" if case.subject.volume else "drive"
        case.read(item.id, "size_bytes", f"size {format_decimal(item.size_bytes)}", source)
    kernel = block.size_bytes if block else None
    told = [size for size in (item.size_bytes, kernel) if size]
    if not told:
        return case.untold("Its size is not told.")
    if len(told) == 2 and min(told) < max(told) * (1 - 5 * SAME):
        return case.suspect(
            f"The tool says {format_decimal(told[0])} and the kernel {format_decimal(told[1])}.",
            next_test="Have the kernel read the size again (echo 1 > /sys/class/block/NAME/device/rescan).",
        )
    size = kernel or told[0]
    if size >= case.claim.number * (1 - SAME):
        less = 100 * (1 - size / case.claim.number)
        near = (
            f", {less:.1g} % less than {case.claim.wanted}: within the tolerance of {100 * SAME:g} %"
            if less > 0
            else ""
        )
        return case.passed(f"It has {format_decimal(size)}{near}.")
    return case.failed(f"It has {format_decimal(size)}, less than {case.claim.wanted}.")


def _kernel_size(case: Case) -> BlockDevice | None:
    blocks = blocks_of(case.ground, case.subject)
    if not blocks or not blocks[0].size_bytes:
        return None
    block = blocks[0]
    size = block.size_bytes or 0
    sectors = f"{size // 512}"
    says = f"{block.node} has {format_decimal(size)}"
    path = f"/sys/class/block/{block.name.replace('/', '!')}/size"
    case.evidence.append(Evidence(source="kernel", object=block.node, says=says, command=path, line=1, raw=sectors))
    return block


def media(case: Case) -> Answer:
    """Whether all of its drives are of this kind."""
    wanted = case.claim.words[0]
    return _each(case, "media", {d.id: d.media for _, d in case.subject.drives}, wanted, "what they are")


def drive_rpm(case: Case) -> Answer:
    """Whether all of its drives turn this fast."""
    told = {
        d.id: str(d.rpm) if d.rpm else "ssd" if d.media == "ssd" else None for _, d in case.subject.drives
    }  # fmt: skip
    return _each(case, "rpm", told, str(case.claim.number), "how fast they turn")


def _each(case: Case, path: str, told: dict[str, str | None], wanted: str, what: str) -> Answer:
    for name, value in told.items():
        if value is not None:
            case.read(name, path, f"{path} {value}", "drive")
    _rotational(case)
    if not told:
        return case.untold("The drives of it are not known.")
    others = {name: value for name, value in told.items() if value not in (None, wanted)}
    if others:
        return case.failed(f"{listing(f'{name} is {value}' for name, value in others.items())}, not {wanted}.")
    unknown = [name for name, value in told.items() if value is None]
    if unknown:
        return case.untold(
            f"{listing(unknown)} {'does' if len(unknown) == 1 else 'do'} not tell {what}.",
            next_test=f"{_TIME} That is: {case.measuring()}",
        )
    if case.ground.view.virtual:
        return case.untold("A hypervisor shows these drives: what they are made of only its host can tell.")
    alone = case.subject.volume is None or case.subject.software
    spinning = {block.rotational for block in _disks(case)} if alone else set()
    if (wanted == "ssd" and True in spinning) or (wanted != "ssd" and False in spinning):
        return case.suspect(
            f"The drives say {wanted}, the kernel takes one of them for the opposite.",
            next_test=f"{_TIME} That is: {case.measuring()}",
        )
    return case.passed(f"All {len(told)} drives say {wanted}." if len(told) > 1 else f"The drive says {wanted}.")


def _disks(case: Case) -> list[BlockDevice]:
    nodes = [drive.device for _, drive in case.subject.drives if drive.device]
    return [block for node in nodes if (block := case.ground.view.block(node)) is not None]


def _rotational(case: Case) -> None:
    """What the kernel thinks of drives that it sees themselves; of a card's volumes it knows nothing."""
    if case.subject.volume is not None and not case.subject.software:
        return
    for block in _disks(case):
        if block.rotational is not None:
            path = f"/sys/class/block/{block.name.replace('/', '!')}/queue/rotational"
            says = "takes it for a disk that turns" if block.rotational else "takes it for solid state"
            case.evidence.append(Evidence("kernel", block.node, says, path, 1, str(int(block.rotational))))


def volume_status(case: Case) -> Answer:
    """Whether the volume, or the drive, is in this state."""
    item = case.subject.item
    words = {"warning": "degraded", "critical": "failed"}
    status = item.status if isinstance(item, Volume) else words.get(item.status, item.status)
    told = f" ({item.status_text})" if item.status_text and item.status_text.lower() != item.status else ""
    if status == "unknown":
        return case.untold(f"Its state is not told{told}.")
    case.read(item.id, "status", f"status {item.status}{told}", "controller" if case.subject.volume else "drive")
    if status in case.claim.words:
        return case.passed(f"It is {status}.")
    if case.claim.words == ("ok",) and status == "checking":
        return case.passed("It is ok; a check is under way.")
    if case.claim.words == ("ok",) and status in _BUSY:
        return case.untold(
            f"It is {status}{told}: it shows only afterwards.", next_test="Ask again when that is over.", access=False
        )
    return case.failed(f"It is {item.status}{told}, not {case.claim.wanted}.")


def survives(case: Case) -> Answer:
    """Whether so many more drives may fail, whichever they are, without loss of data."""
    volume, wanted = case.subject.volume, case.claim.number
    left = 0 if volume is None else volume.failures_tolerated
    if left is None:
        return case.untold(
            "How many more drive failures it survives is unknown: its geometry, or the state of a member."
        )
    if volume is not None:
        case.read(volume.id, "raid_level", f"RAID level {volume.raid_level}")
        case.read(volume.id, "status", f"status {volume.status}")
    many = f"{left or 'no'} more drive failure{'s' * (left != 1)}"
    if left < wanted:
        return case.failed(f"It survives {many}; {wanted} {'is' if wanted == 1 else 'are'} claimed.")
    return case.passed(f"It survives {many}, whichever drives they are.")


def checked_within(case: Case) -> Answer:
    """Whether a complete consistency check ended within so many days."""
    volume, days = case.subject.volume, case.claim.number
    scrub = (volume.consistency_check if volume else None) or case.subject.controller.consistency_check or Scrub()
    last, now = parse_moment(scrub.last_at), parse_moment(case.ground.inventory.host.collected_at)
    start = "Start one, and ask again when it has ended."
    if scrub.last_result == "failed":
        return case.failed("The last consistency check found differences or errors.")
    if last is None:
        what = "was stopped before its end" if scrub.last_result == "unfinished" else "is not reported by its tool"
        return case.untold(f"The last consistency check {what}; when a complete one ended is unknown.", next_test=start)
    case.read(case.subject.id, "consistency_check.last_at", f"last complete check {scrub.last_at}")
    if now is None:
        return case.untold("The time of the reading is unknown.")
    ago = (now - last).days
    if now - last > timedelta(days=days):
        return case.failed(f"The last complete consistency check ended {counted(ago, 'day')} ago.")
    return case.passed(f"The last complete consistency check ended {counted(max(ago, 0), 'day')} ago.")


def firmware(case: Case) -> Answer:
    """Whether the controller runs this firmware; of a drive that the system sees itself, the drive."""
    drive = case.subject.volume is None
    owner = case.subject.item if isinstance(case.subject.item, Drive) and drive else case.subject.controller
    if case.subject.software:
        return case.failed("Software RAID has no firmware.")
    told = owner.firmware
    if told is None:
        return case.untold(f"{owner.id} does not tell its firmware.")
    case.read(owner.id, "firmware", f"firmware {told}", "drive" if drive else "controller")
    if told.strip() == case.claim.words[0]:
        return case.passed(f"{owner.id} runs firmware {told}.")
    return case.failed(f"{owner.id} runs firmware {told}, not {case.claim.wanted}.")


def _drives(count: int) -> str:
    return f"{count} drive{'s' * (count != 1)}"


def _spares(count: int) -> str:
    return f"{count or 'no'} good spare{'s' * (count != 1)}"
