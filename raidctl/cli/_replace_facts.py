"""The facts of a replacement, from command line and first reading."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone

from msgspec.structs import replace

from raidctl.cli.shared.machine import Machine
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.snapshot_sources import Source, store_of
from raidctl.errors import CannotTell, RaidctlError, UsageError
from raidctl.health.redundancy import in_words
from raidctl.model import Drive, Inventory
from raidctl.model.objects import drives_by_id
from raidctl.operate.boot_loader import Surroundings, boot_parts, boot_step, nodes_of, read_surroundings
from raidctl.operate.first_facts import facts_of
from raidctl.operate.first_facts_behind import BEHIND, controller_behind, facts_behind
from raidctl.operate.gone_drive import facts_of_array, facts_of_serial
from raidctl.operate.gone_drive_behind import facts_of_gone, facts_of_volume
from raidctl.operate.removal import check
from raidctl.operate.removal_report import VolumeLeft
from raidctl.operate.replacement_facts import Facts, drive_of, observed, parts, redundancy_now
from raidctl.request import converse
from raidctl.select import find, find_drive, physical
from raidctl.survey.survey import Survey


@dataclass(frozen=True)
class Wanted:
    """The options of ``replace``."""

    successor: str | None = None
    now: bool = False
    wait: bool = True
    confirm: str | None = None
    wipe: str | None = None
    boot: bool = False
    rate: str | None = None


def facts_for(
    named: Machine, seen: Survey, word: str, wanted: Wanted, settings: Settings
) -> tuple[Facts, Surroundings]:
    """Return which drive leaves, which joins, whether it is copied first, and what else was read."""
    new = _successor(seen, wanted)
    facts = observed(_named(seen, word, wanted, settings, new), seen)
    nodes = nodes_of(seen, [facts.old_id, *_siblings(seen, facts)])
    around = converse(read_surroundings(seen, nodes, named.vendors), named.runner)
    leds = {serial: indicator.id for serial, indicator in around.bays.items()}
    if facts.old and (empty := _empty_bay(facts, around)) is not None:
        leds[facts.old] = empty
    bays = "\n".join(f"{serial}={led}" for serial, led in leds.items())
    own = around.bays.get(facts.old)
    if own is not None and own.bay.bay and "bay " not in facts.bay:
        facts = replace(facts, bay=f"enclosure {own.bay.enclosure}, {own.bay.bay}, {facts.bay}")
    return with_boot(replace(facts, bays=bays), seen, around, wanted), around


def _empty_bay(facts: Facts, around: Surroundings) -> str | None:
    """Return the LED of the bay in which a missing drive was. None: unknown."""
    led = (led for words, led in around.empty.items() if f"{facts.bay}, ".startswith(f"{words}, "))
    return next(led, None) if facts.gone else None


def with_boot(facts: Facts, seen: Survey, around: Surroundings, wanted: Wanted) -> Facts:
    """Return the facts with the steps for the boot loader.

    The steps follow the old drive, or its siblings if it was not read.
    """
    if facts.volumes:
        return facts  # the boot loader is on the controller's volume, not on a single drive
    own = nodes_of(seen, [facts.old_id] if drive_of(seen, facts.old) is not None else [])
    nodes = own if own and all(node in around.sectors for node in own) else nodes_of(seen, _siblings(seen, facts))
    kinds = [kind for node in own or nodes for kind in boot_parts(seen.view, node.removeprefix("/dev/"))]
    step = boot_step(kinds, [around.sectors.get(node) for node in nodes], around, table=bool(facts.partitions))
    if step is None:
        return facts
    more = " Debian installs GRUB at upgrades on the drives that it has noted: dpkg-reconfigure grub-pc."
    text = f"{step.text}{'.' + more if around.debconf and 'GRUB' in step.text else ''}"
    tool = step.tool or ""
    return replace(facts, boot=text, boot_tool=tool, boot_run="yes" if wanted.boot and tool else "")


def _siblings(seen: Survey, facts: Facts) -> list[str]:
    """Return the drives with working members of the same arrays."""
    arrays = parts(seen, facts)
    members = [] if isinstance(arrays, str) else [one.id for part in arrays for one in part.whole]
    return [name for name in physical(seen.inventory, members) if name != facts.old_id]


def _successor(seen: Survey, wanted: Wanted) -> Drive | None:
    if not wanted.successor:
        return None
    drives = drives_by_id(seen.inventory)
    new = drives[find_drive(seen.inventory, seen.view, wanted.successor)]
    if not new.serial:
        raise CannotTell(f"{new.id} has no serial number.")
    return new


def _named(seen: Survey, word: str, wanted: Wanted, settings: Settings, new: Drive | None) -> Facts:
    """Return the named drive. One that is gone is found by an array that lacks it, or in the last snapshot."""
    serial = (new.serial or "") if new is not None else ""
    try:
        old = find_drive(seen.inventory, seen.view, word)
    except (UsageError, CannotTell):
        gone = _gone(seen, word, settings, serial)
        if gone is None:
            raise
        return gone
    if new is not None and new.id == old:
        raise UsageError("A drive cannot take its own place.")
    drives = drives_by_id(seen.inventory)
    behind = controller_behind(seen, drives[old])
    if behind is not None:
        return facts_behind(seen, behind, drives[old], new=serial)
    facts = facts_of(seen, old, way="out", new=serial)
    if wanted.now or not _works(seen, facts, drives[old]):
        return facts
    spare = new or _spare(seen, facts)
    return replace(facts, way="copy", new=spare.serial or "") if spare is not None else facts


def _gone(seen: Survey, word: str, settings: Settings, new: str) -> Facts | None:
    """Return the facts of a replacement whose drive is gone already. None if the word names no such drive."""
    before = _last_snapshot(settings)
    try:
        ids = sorted(find(seen.inventory, seen.view, [word]))
    except RaidctlError:
        if before is None:
            return None
        return facts_of_serial(seen, word, before, new=new) or facts_of_gone(seen, word, before, new=new)
    behind = [
        (controller, volume)
        for controller in seen.inventory.controllers if controller.mode in BEHIND
        for volume in controller.volumes if volume.id in ids or volume.array in ids
    ]  # fmt: skip
    if behind:
        return facts_of_volume(seen, *behind[0], before, new=new)
    volumes = [
        volume.id
        for controller in seen.inventory.controllers if controller.mode == "software"
        for volume in controller.volumes if volume.id in ids or volume.array in ids
    ]  # fmt: skip
    return facts_of_array(seen, volumes[0], before, new=new) if len(volumes) == 1 else None


def _last_snapshot(settings: Settings) -> Inventory | None:
    """Return the newest snapshot of the machine. None if there is none, or it cannot be read: then less is known."""
    try:
        source = Source(settings, store_of(settings))
        states = source.states()
        return source.store.get(states[-1].id) if states else None
    except RaidctlError:
        return None


def _works(seen: Survey, facts: Facts, old: Drive) -> bool:
    """Return whether the drive can be copied. It must be a working member of all of its arrays."""
    arrays = parts(seen, facts)
    if isinstance(arrays, str) or old.status == "critical":
        return False
    members = [part.member(old.device or "") for part in arrays]
    return all(member is not None and member.role == "member" and member.status == "ok" for member in members)


def _spare(seen: Survey, facts: Facts) -> Drive | None:
    """Return the drive that is a spare of all the arrays, if no drive was named."""
    arrays = parts(seen, facts)
    if isinstance(arrays, str) or facts.partitions:
        return None
    drives = drives_by_id(seen.inventory)
    names = [{name for one in part.members if one.role == "spare" for name in one.backing} for part in arrays]
    common = sorted(set.intersection(*names)) if names else []
    return next((drives[name] for name in common if name in drives and drives[name].serial), None)


def next_steps(facts: Facts) -> str:
    """Return what follows after the first steps."""
    if facts.gone:
        return "The new drive is checked, joins" + (" and is rebuilt." if facts.gone == "member" else " as a spare.")
    if facts.way == "copy":
        return f"The drive is copied to {facts.new}; its arrays stay complete. Then raidctl names the drive to pull."
    if facts.new:
        return f"Then raidctl names the drive to pull; {facts.new} joins and is rebuilt."
    then = "Then raidctl names the drive to pull; the new one is checked, joins and is rebuilt."
    return f"{then} If a spare takes its place first, the new one becomes the next spare." if facts.spares else then


def prospect(seen: Survey, facts: Facts) -> str:
    """Return what the arrays survive now, and while the drive is out."""
    now_there = redundancy_now(seen, facts)
    if facts.gone or facts.way == "copy" or drive_of(seen, facts.old) is None:
        return now_there
    report = check(seen.inventory, seen.view, facts.old_id, datetime.now(timezone.utc))
    words = [f"{one.id} {_redundancy_left(one)}" for one in report.volumes]
    return f"{now_there} Without the drive: {'; '.join(words)}." if words else now_there


def _redundancy_left(volume: VolumeLeft) -> str:
    if volume.data_lost:
        return "loses its data"
    return in_words(volume.failures_tolerated_after) or "may survive none"


def notes(seen: Survey, facts: Facts, around: Surroundings, wanted: Wanted) -> Iterator[str]:
    """Yield notes for the plan: beginning, guards, boot loader."""
    if facts.gone == "spare":
        yield f"A spare has taken the place of {facts.name}: the new drive becomes the next spare."
    if facts.gone and not facts.new and not facts.place:
        yield from [] if facts.old in facts.leds else [_no_led(facts)]
        yield "If the new drive is in the machine already, name it: --with DRIVE."
    old = next((drive.id for controller in seen.inventory.controllers for drive in controller.drives
                if drive.id == facts.old_id), None)  # fmt: skip
    if old is not None:
        report = check(seen.inventory, seen.view, old, datetime.now(timezone.utc), around)
        yield from (one.text for one in report.reasons if one.verdict == "note" and one.guard == "R14")
    yield from boot_notes(facts, "the new drive")
    if wanted.boot and not facts.boot:
        yield "Boot (R13): nothing is installed: no boot partition, and no boot loader in the first sector."


def _no_led(facts: Facts) -> str:
    if "bay " not in facts.bay:
        return f"No LED blinks: the bay that {facts.name} was in is unknown."
    return (
        "No LED blinks for a drive that is already gone; its bay is that of the last snapshot. `raidctl locate list` "
        "lists the empty bays, and `raidctl locate BAY` makes one blink."
    )


def boot_notes(facts: Facts, node: str) -> Iterator[str]:
    """Yield the boot loader steps, and who runs them. Yield nothing if the drive is known not to boot the machine."""
    if not facts.boot:
        return
    text = f"Boot (R13): {facts.boot.replace('NEW', node).rstrip('.')}."
    if facts.boot_run:
        yield f"{text} raidctl runs it after the rebuild."
    elif facts.boot_tool:
        yield f"{text} With --boot raidctl runs it."
    else:
        yield f"{text} Do this yourself."
