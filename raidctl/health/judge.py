"""The conditions of a machine, the worst first, for every command. Pure.

Each object in a bad state is one condition, with a severity that depends on the remaining redundancy (:data:`TABLE`). A
consequence of another condition is folded under it: a failed drive under its degraded volume, a battery's cache under
the battery. Rules provide the wording; this module alone decides on conditions and their severity.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from raidctl.health import bmc_contradictions, missing_members
from raidctl.health.phrases import battery_noun, errors, predicts, state_words
from raidctl.health.redundancy import (
    NOT_WHOLE,
    OUT_OF_REACH,
    being_copied,
    being_rebuilt,
    below,
    counted_above,
    degraded_by_rebuild,
    expects_failure,
    has_bare_volume,
    held_journal,
    is_degraded,
    least_redundant,
    may_need,
    members,
    mentions_rebuild,
    needs_attention,
    only_replaced,
    rebuilding,
    survives,
)  # fmt: skip
from raidctl.health.reliance import exposed, pack_gone, recovering, relied_on
from raidctl.health.severity import WEIGHT, Severity
from raidctl.model import Array, Battery, Cache, Controller, Drive, Inventory, Volume, has_failed, state_problems
from raidctl.model.objects import by_id
from raidctl.model.write_policy import in_force
from raidctl.select import Item, items
from raidctl.text import counted, listing, regex
from raidctl.units import format_percent
from raidctl.vendor.limits import LITTLE_CHARGE, MANY_ERRORS, MANY_LINK_ERRORS

LOST, BARE, REDUCED, PREDICTED, PROTECTION, OTHER = range(1, 7)
RANKS = (
    "data lost or out of reach", "no redundancy left", "redundancy reduced", "predicted failure",
    "protection of written data", "everything else",
)  # fmt: skip

TABLE: Mapping[str, tuple[int, Severity, str]] = {
    "out_of_reach": (LOST, "critical", "a volume is failed, offline, or not started and members are missing"),
    "lost_sectors": (LOST, "critical", "unreadable sectors on a drive without redundancy"),
    "preserved": (LOST, "critical", "a cache holds data of volumes that are offline or gone"),
    "not_started": (LOST, "warning", "a volume is not started, and no member is known to be missing"),
    "bare": (BARE, "critical", "a member is missing or rebuilt; survives no further failure, or an unknown number"),
    "last": (BARE, "critical", "predicted failure without redundancy, or in an array with reduced redundancy"),
    "reduced": (REDUCED, "warning", "a member is missing or rebuilt; survives at least one more failure"),
    "idle": (REDUCED, "warning", "a drive has failed that no volume needs now"),
    "several": (PREDICTED, "critical", "predicted failures of two or more drives of one array"),
    "last_one": (PREDICTED, "critical", "predicted failure of a drive whose loss would remove the last redundancy"),
    "predicted": (
        PREDICTED,
        "warning",
        "predicted failure elsewhere: its array survives two failures, or the number is unknown",
    ),
    "unprotected": (PROTECTION, "critical", "unprotected write-back is active"),
    "unguarded": (PROTECTION, "warning", "a battery or cache has failed, and no unprotected write-back is active"),
    "drive_caches": (PROTECTION, "warning", "volatile write caches of the drives are on"),
    "learning": (PROTECTION, "info", "a battery is learning or charging, and the consequences"),
    "errors": (OTHER, "warning", "ten or more errors, unreadable sectors with redundancy, 100 or more link errors"),
    "few_errors": (OTHER, "info", "fewer errors"),
    "trouble": (OTHER, "critical", "a controller is critical, or a tool reports an error"),
    "warned": (OTHER, "warning", "a controller, array or tool reports a warning"),
    "copied": (OTHER, "info", "a complete volume is being checked, resynchronised or copied to a new drive"),
    "noted": (OTHER, "info", "information from a tool"),
}
"""Rank, severity and meaning of each situation; the manual prints this table."""

_COPYING = ("btrfs", "zfs", "zfs_member", "bcachefs")


class Condition(Struct, frozen=True, kw_only=True):
    """One thing that is wrong."""

    rule: str
    """The built-in rule for it."""
    where: str
    cause: str
    """A few words: ``degraded, survives no further failure``."""
    rank: int
    """1 is the worst: the first of :data:`RANKS`."""
    severity: Severity
    bay: str | None = None
    serial: str | None = None
    failures_tolerated: int | None = None
    under: tuple[str, str] | None = None
    """Rule and object of the condition that causes this one. None: it is a cause itself."""

    @property
    def key(self) -> tuple[str, str]:
        """Rule and object, which identify a condition."""
        return self.rule, self.where


class _Machine(Struct):
    """The volumes on each drive, arrays of arrays included."""

    inventory: Inventory
    found: list[Condition] = field(default_factory=list)
    upper: dict[str, list[tuple[Controller, Drive]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for controller in self.inventory.controllers:
            for drive in controller.drives if controller.mode == "software" else ():
                for name in {*drive.backing, drive.serial or ""}:
                    self.upper.setdefault(name, []).append((controller, drive))

    def above(self, name: str, serial: str | None = None) -> list[tuple[Controller, Drive]]:
        """The members of software arrays on a physical drive or a volume."""
        return self.upper.get(name) or self.upper.get(serial or "-", [])

    def volumes(self, controller: Controller, drive: Drive, seen: frozenset[str] = frozenset()) -> list[Volume]:
        """The volumes with data on a drive. Those of arrays on arrays are included."""
        found = [one for one in controller.volumes if drive.array and one.array == drive.array and one.id not in seen]
        uppers = [] if controller.mode == "software" else self.above(drive.id, drive.serial)
        for volume in list(found):
            uppers += self.above(volume.id)
        seen |= {volume.id for volume in found}
        return found + [one for upper, member in uppers for one in self.volumes(upper, member, seen)]

    def left(self, controller: Controller, drive: Drive) -> int | None:
        """The failures that the least redundant volume on a drive survives. None: unknown, -1: there is no volume."""
        volumes = self.volumes(controller, drive)
        if volumes:
            return least_redundant(volumes)
        spread = any(len(layer.on) > 1 for layer in drive.layers) or any(m.filesystem in _COPYING for m in drive.mounts)
        return -1 if drive.mountpoints and drive.role in (None, "passthrough") and not spread else None

    def reported(self, drive: Drive) -> bool:
        """Whether a tool prints a warning about the drive."""
        return bool(state_problems(self.inventory.problems, drive.id))

    def add(
        self, situation: str, rule: str, item: Item, cause: str, *, left: int | None = None, milder: bool = False
    ) -> None:
        """Add a condition of an object. ``left``: the failures that its volume survives."""
        rank, severity, _ = TABLE[situation]
        drive = item if isinstance(item, Drive) else None
        self.found.append(
            Condition(
                rule=rule, where=item.id, cause=cause, rank=rank, severity="info" if milder else severity,
                bay=drive.bay if drive else None, serial=drive.serial if drive else None, failures_tolerated=left,
            )
        )  # fmt: skip


def judge(inventory: Inventory) -> tuple[Condition, ...]:
    """All conditions, the worst first; consequences are folded under their causes."""
    global _last  # noqa: PLW0603 - all rules judge the same inventory: it is cached
    last = _last
    if last is None or last[0] is not inventory:
        last = _last = inventory, _judge(inventory)
    return last[1]


_last: tuple[Inventory, tuple[Condition, ...]] | None = None
"""The last inventory, and its conditions."""


def _judge(inventory: Inventory) -> tuple[Condition, ...]:
    machine = _Machine(inventory)
    for controller in inventory.controllers:
        for volume in controller.volumes:
            _volume(machine, controller, volume)
        for drive in controller.drives:
            _drive(machine, controller, drive)
        for array in controller.arrays:
            _array(machine, controller, array)
        for battery in controller.batteries:
            _battery(machine, controller, battery)
        _caches(machine, controller)
        if controller.foreign or any(drive.foreign for drive in controller.drives):
            machine.add("warned", "foreign_configuration", controller, "foreign configuration")
        if controller.status in ("warning", "critical"):
            situation = "trouble" if controller.status == "critical" else "warned"
            word = state_words("controller", controller.status, controller.status_text)
            machine.add(situation, "controller_in_trouble", controller, word)
    for one in bmc_contradictions.compared(inventory):
        if one.outcome == "fail":
            machine.add("warned" if one.about_status else "noted", "bmc_disagrees", one.item, one.cause)
    for problem in inventory.problems:
        if problem.kind == "state":
            where, cause = problem.where, problem.message
            rank, severity, _ = TABLE[{"error": "trouble", "warning": "warned", "info": "noted"}[problem.severity]]
            made = Condition(rule="reported_trouble", where=where, cause=cause, rank=rank, severity=severity)
            machine.found.append(made)
    return tuple(sorted((_folded(machine, one) for one in machine.found), key=_order))


def _order(one: Condition) -> tuple[int, int]:
    return WEIGHT[one.severity], one.rank


def _volume(machine: _Machine, controller: Controller, volume: Volume) -> None:
    left, status = volume.failures_tolerated, volume.status
    if status in OUT_OF_REACH:
        word, gone = ("not started", left == 0) if status == "inactive" else (status, True)
        machine.add("out_of_reach" if gone else "not_started", "volume_failed", volume, word, left=left)
    elif status in ("degraded", "rebuilding"):
        rebuilt = rebuilding(controller, volume)
        situation = "copied" if only_replaced(volume) else "reduced" if left else "bare"
        percent = volume.progress.percent if volume.progress else None
        far = f" {format_percent(percent)}" if rebuilt and percent is not None else ""
        cause = f"{'rebuilding' if rebuilt else 'degraded'}{far}"
        machine.add(situation, "volume_rebuilding" if rebuilt else "volume_degraded", volume,
                    ", ".join(text for text in (cause, survives(volume)) if text), left=left)  # fmt: skip
    elif cause := missing_members.shortage(controller, volume):
        machine.add("reduced" if left else "bare", "volume_degraded", volume, cause, left=left)


def _drive(machine: _Machine, controller: Controller, drive: Drive) -> None:
    own = [volume for volume in controller.volumes if drive.array is None or volume.array == drive.array]
    number = None if (left := machine.left(controller, drive)) == -1 else left
    filled = being_rebuilt(drive) and not being_copied(drive)
    if has_failed(drive):
        hurt = [volume for volume in own if volume.status in NOT_WHOLE and not only_replaced(volume)]
        joined = drive.role == "member" or (drive.role in ("failed", None) and drive.array is not None)
        needed = hurt or not own or (joined and any(map(may_need, own)))
        situation = "bare" if needed or held_journal(controller, drive) else "idle"
        if left == -1:
            situation = "out_of_reach"
        elif hurt and all(volume.failures_tolerated for volume in hurt):
            situation = "reduced"
        word = state_words("failed", drive.status, drive.status_text)
        machine.add(situation, "drive_failed", drive, word + errors(drive), left=number)
    elif filled and not any(volume.status in NOT_WHOLE for volume in own):
        machine.add("reduced" if number else "bare", "volume_rebuilding", drive, "rebuilding", left=number)
        if drive.errors.predictive:
            machine.add("predicted", "drive_expects_failure", drive, predicts(drive) + errors(drive), left=number)
        else:
            _counters(machine, drive, left)
    elif not drive.backing and expects_failure(controller, drive) and not degraded_by_rebuild(controller, drive):
        whole = not any(volume.status in NOT_WHOLE for volume in machine.volumes(controller, drive))
        situation = "last" if left in (0, -1) or (left == 1 and not whole) else "last_one" if left == 1 else "predicted"
        machine.add(situation, "drive_expects_failure", drive, predicts(drive) + errors(drive), left=number)
    else:
        if drive.status == "warning":
            situation = "warned" if needs_attention(drive) else "noted"
            if situation == "warned" or not machine.reported(drive):  # otherwise that is why it is not ok
                words = (drive.status_text or "busy").lower()
                machine.add(situation, "background_operation", drive, words, left=number)
        _counters(machine, drive, left)


def _counters(machine: _Machine, drive: Drive, left: int | None) -> None:
    if drive.backing and not counted_above(machine.inventory, drive, MANY_ERRORS):
        return  # the drive below is judged
    now = (drive.errors.pending or 0) + (drive.errors.uncorrectable or 0)
    moved = max(drive.errors.media or 0, drive.errors.reallocated or 0)
    link = (drive.errors.link or 0) if drive.interface != "sas" else 0  # the rule sas_link covers SAS links
    if now or moved or link >= MANY_LINK_ERRORS:
        worse = now or link >= MANY_LINK_ERRORS or moved >= MANY_ERRORS
        situation = "lost_sectors" if now and left in (0, -1) else "errors" if worse else "few_errors"
        cause = errors(drive)[2:] or counted(link, "link error")
        machine.add(situation, "drive_errors", drive, cause, left=None if left == -1 else left)


def _array(machine: _Machine, controller: Controller, array: Array) -> None:
    """Report an array with two predicted failures. Otherwise only if no volume or drive of it is as bad."""
    failing = {one.where for one in machine.found if one.rule == "drive_expects_failure"}
    several = [one for one in members(controller, array) if failing & {one.id, *one.backing}]
    if len(several) > 1:
        names = listing(one.id.rpartition("/")[2] for one in several)
        machine.add("several", "several_expect_failure", array, f"{len(several)} drives predict failure: {names}")
    if array.status not in ("warning", "critical"):
        return
    rebuilt = array.status == "warning" and mentions_rebuild(array.status_text)
    bare = array.status == "critical" or rebuilt or has_bare_volume(controller, array)
    situation, near = "bare" if bare else "warned", {drive.id for drive in members(controller, array)}
    as_bad = any(one.where in near and WEIGHT[one.severity] <= WEIGHT[TABLE[situation][1]] for one in machine.found)
    if as_bad or any(volume.array == array.id and volume.status in NOT_WHOLE for volume in controller.volumes):
        return
    word = state_words("array", array.status, array.status_text)
    machine.add(situation, "array_in_trouble", array, word, left=array.failures_tolerated)


def _battery(machine: _Machine, controller: Controller, battery: Battery) -> None:
    name = battery_noun(battery)
    charge = battery.charge_percent
    if battery.status == "missing" and not relied_on(controller) and not pack_gone(controller, battery):
        return  # the controller has no battery, and needs none
    if battery.status in ("failed", "degraded", "missing") or battery.replace:
        word = battery.status if battery.status in ("failed", "degraded", "missing") else "to be replaced"
        unprotected = battery.status in ("failed", "missing") and any(map(exposed, controller.volumes))
        machine.add("unprotected" if unprotected else "unguarded", "battery_failed", battery, f"{name} {word}")
    elif battery.status in ("learning", "charging"):
        machine.add("learning", "battery_learning", battery, f"{name} {battery.status}")
    elif battery.status == "ok" and charge is not None and charge < LITTLE_CHARGE:
        machine.add("unguarded", "battery_learning", battery, f"{name} charged to only {format_percent(charge)}")


def _caches(machine: _Machine, controller: Controller) -> None:
    cache = controller.cache or Cache()
    if cache.preserved_data:
        machine.add("preserved", "unwritten_cache", controller,
                    "the cache holds preserved data of volumes that are gone")  # fmt: skip
    if cache.status in ("warning", "critical"):
        unprotected = cache.status == "critical" and any(map(exposed, controller.volumes))
        word = state_words("cache", cache.status, cache.status_text)
        machine.add("unprotected" if unprotected else "unguarded", "cache_in_trouble", controller, word)
    dead = bool(controller.batteries) and {one.status for one in controller.batteries} <= {"failed", "missing"}
    for volume in controller.volumes:
        one = volume.cache
        if one is None or volume.status in OUT_OF_REACH:
            continue
        if one.controller_cache == "unprotected" or (one.write_active == "write_back" and dead):
            machine.add("unprotected", "write_back_unprotected", volume, "write-back without protection")
        if one.drive_caches == "on":
            ssd = {drive.media for drive in below(controller, volume)} == {"ssd"}
            machine.add("drive_caches", "drive_cache_volatile", volume, "drive write caches on", milder=ssd)
        if in_force(one) is False or (one.why_not_in_force and one.write_active is None):
            active = (one.write_active or "unknown").replace("_", "-")
            passing = recovering(controller)
            machine.add("learning" if passing else "unguarded", "write_policy_not_in_force", volume,
                        f"write policy active: {active}, not as configured")  # fmt: skip


_OF_VOLUMES = ("volume_failed", "volume_degraded", "volume_rebuilding")
_OF_DRIVES = ("drive_failed", "volume_rebuilding", "background_operation")
_OF_CACHES = ("write_back_unprotected", "battery_failed", "battery_learning", "cache_in_trouble")
"""Rules whose conditions cause later ones in the list. These are on the same controller."""
_STAND_ALONE = (*_OF_CACHES, "controller_in_trouble", "reported_trouble")
"""Rules without a milder cause. An example is a failed controller besides a failed battery."""
_GRADED = ("drive_failed", "drive_expects_failure")
"""Rules that grade a drive by the remaining redundancy. A tool's warning about the drive is no worse."""
_ABOUT_CACHE = regex(r"\bcache\b.*\bproblem\b", re.IGNORECASE)
"""A tool's warning about a cache whose state is a separate condition."""
_ROUTINE = ("background_operation", "battery_learning")
"""Rules whose conditions do not reduce a tool's warning. An example is a charging battery that is too warm."""


def _folded(machine: _Machine, one: Condition) -> Condition:
    """The condition with the root cause, and no worse than that."""
    root, seen = one, {one.key}
    while (upper := _above(machine, root)) is not None and upper not in seen:
        seen.add(upper)
        root = next(other for other in machine.found if other.key == upper)
    worse = WEIGHT[one.severity] < WEIGHT[root.severity]
    alone = one.rule in _STAND_ALONE and not (one.rule == "reported_trouble" and root.rule in _GRADED)
    if root is one or (worse and (alone or root.rule in _ROUTINE)):
        return one
    milder = max(one.severity, root.severity, key=WEIGHT.__getitem__)
    return replace(one, under=root.key, rank=max(one.rank, root.rank), severity=milder)


def _above(machine: _Machine, one: Condition) -> tuple[str, str] | None:
    """The condition that directly causes one."""
    controller = next((each for each in machine.inventory.controllers if _within(each, one.where)), None)
    if controller is None:
        return None
    if one.rule == "reported_trouble":
        if one.where != controller.id:
            hurt = [v.id for v in controller.volumes if v.array == one.where and v.status in NOT_WHOLE]
            return _first(machine, one, hurt, _OF_VOLUMES) or _first(machine, one, [one.where])
        return _first(machine, one, [one.where], ("cache_in_trouble",)) if _ABOUT_CACHE.search(one.cause) else None
    drive = by_id(controller.drives, one.where)
    if drive:
        own = [v for v in controller.volumes if drive.array in (None, v.array) and v.status in NOT_WHOLE]
        hurt = [v.id for v in own if one.rule != "drive_failed" or not only_replaced(v)]
        software = controller.mode == "software"
        upper = [] if software else [member.id for _, member in machine.above(drive.id, drive.serial)]
        if one.rule in _OF_DRIVES or (one.rule == "drive_expects_failure" and is_degraded(controller, drive)):
            return _first(machine, one, hurt, _OF_VOLUMES) or _first(machine, one, upper, ("drive_failed",))
        return _first(machine, one, upper, ("drive_failed",))
    if one.rule in (*_OF_CACHES, "write_policy_not_in_force"):
        before = _OF_CACHES[: _OF_CACHES.index(one.rule)] if one.rule in _OF_CACHES else _OF_CACHES[1:]
        return next(
            (o.key for rule in before for o in machine.found if o.rule == rule and _within(controller, o.where)), None
        )
    if one.rule == "controller_in_trouble":
        others = [other for other in machine.found if other.severity != "info" and other.where != controller.id]
        return next((other.key for other in sorted(others, key=_order) if _within(controller, other.where)), None)
    return None


def _first(
    machine: _Machine, one: Condition, places: Sequence[str], rules: Sequence[str] | None = None
) -> tuple[str, str] | None:
    found = [other for place in places for other in machine.found if other.where == place and other.key != one.key]
    return next((other.key for other in found if (other.rule in rules if rules else other.rule != one.rule)), None)


def _within(controller: Controller, name: str) -> bool:
    return any(item.id == name for item in items(controller))
