"""Facts of inventory and kernel about a volume, as evidence beside measurements. Pure."""

from __future__ import annotations

from typing import Literal

from raidctl.bench.verdict.evidence import Evidence, Policy
from raidctl.change.guard import unprotected
from raidctl.model import Cache, Controller
from raidctl.verify.case import Case
from raidctl.verify.drive_caches import drive_caches
from raidctl.verify.kernel import without_barriers
from raidctl.verify.subjects import CheckedMachine, Subject, blocks_of
from raidctl.verify.wanted import Claim

_BAD = frozenset({"failed", "missing", "degraded"})
_BETWEEN = {("md", "write back"), ("dm", "write back")}
_MIB = 1 << 20


def facts(machine: CheckedMachine, subject: Subject) -> Evidence:
    """The facts of a volume.

    Controller, policy, battery, caches, flushes and the common speed of its drives are included.
    """
    case = Case(Claim("power_safe"), subject, machine)
    controller = None if subject.on_controllers else _controller(subject)
    drives: Literal["enabled", "disabled"] | None = None
    state = drive_caches(case).state
    if state in ("enabled", "disabled"):
        drives = "enabled" if state == "enabled" else "disabled"
    speeds = {drive.rpm for _, drive in subject.drives}
    one = speeds.pop() if len(speeds) == 1 else None
    return Evidence(
        controller=None if subject.on_controllers else controller is not None,
        policy=None if controller is None else _policy(subject),
        battery=None if controller is None else _battery(controller, subject),
        cache_mib=None if controller is None else _write_share(controller.cache),
        drive_cache=drives,
        flush_sent=_flush_sent(case),
        rpm=float(one) if one else None,
    )


def _controller(subject: Subject) -> Controller | None:
    """The controller whose cache is used for the drives."""
    return None if subject.volume is None or subject.software else subject.controller


def _policy(subject: Subject) -> Policy | None:
    cache = subject.volume.cache if subject.volume else None
    active = cache.write_active if cache else None
    if active is None:
        return None
    return "write_back" if active == "write_back" else "write_through"


def _battery(controller: Controller, subject: Subject) -> bool | None:
    """Whether the battery is healthy; None: unknown, also while learning or charging."""
    cache = subject.volume.cache if subject.volume else None
    if cache is not None and cache.controller_cache == "unprotected":
        return False
    if not controller.batteries:
        return None
    if unprotected(controller) is None:
        return True
    return False if any(one.status in _BAD or one.replace for one in controller.batteries) else None


def _write_share(cache: Cache | None) -> float | None:
    """Reported share of the controller's cache for writes, MiB."""
    if cache is None or cache.present is False:
        return None
    if cache.write_bytes is not None:
        return cache.write_bytes / _MIB
    if cache.size_bytes is None:
        return None
    percent = 100 if cache.write_percent is None else cache.write_percent
    return cache.size_bytes * percent / 100 / _MIB


def write_percent(subject: Subject | None) -> int | None:
    """Reported share of the cache for writes, percent; None: not reported."""
    cache = subject.controller.cache if subject is not None else None
    return cache.write_percent if cache is not None else None


def _flush_sent(case: Case) -> bool | None:
    """Whether file system and kernel send flushes. None: unknown, by a device in between or without the mounts."""
    if without_barriers(case.machine.kernel, case.subject.item.mountpoints):
        return False
    if case.subject.volume is not None and case.subject.volume.sync_disabled != ():
        return None  # it depends on the file system of the pool
    blocks = [block for block in blocks_of(case.machine, case.subject) if block.kind != "partition"]
    # a device in between that passes on no flush shows "write back" as well
    caches = {None if (block.kind, block.write_cache) in _BETWEEN else block.write_cache for block in blocks}
    for _, drive in case.subject.drives:
        block = case.machine.view.block(drive.device)
        caches |= {block.write_cache} if block is not None else set()
    if "write through" in caches:
        return False
    return True if caches == {"write back"} and case.machine.kernel.mounts else None
