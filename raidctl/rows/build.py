"""Convert inventories, findings and runs to rows. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timezone
from typing import Any

from raidctl.audit.finding import Finding
from raidctl.bench.record import Run
from raidctl.bench.result import TrialResult
from raidctl.model import Controller, Drive, Inventory, is_complete
from raidctl.model.drives_below import physical_drives
from raidctl.rows.tables import BatteryRow, BenchRow, CacheRow, DriveRow, FindingRow, Row, VolumeRow
from raidctl.text import collapse, regex
from raidctl.units import format_moment, parse_moment

_ERRORS = {"media": "media_errors", "other": "other_errors", "predictive": "predictive_errors", "link": "link_errors"}
_DRIVE = {"id": "drive", "array": "array_id"}
_VOLUME = {"id": "volume", "array": "array_id"}
"""Columns with another name: ARRAY is a word of SQL."""
_WORLD_WIDE = regex(r"(?:eui\.)?[0-9a-f]{16,32}", re.ASCII)
_PERCENTILES = ("p50", "p90", "p99", "p999", "worst")


def day_of(moment: str | None) -> tuple[str | None, str | None]:
    """A time in UTC, RFC 3339, and its day; None without one."""
    read = parse_moment(moment)
    if read is None:
        return None, None
    found = read.astimezone(timezone.utc)
    return format_moment(found), found.strftime("%Y-%m-%d")


def machine(inventory: Inventory, source: str) -> dict[str, Any]:
    """The columns that all rows of an inventory share."""
    at, day = day_of(inventory.host.collected_at)
    complete = is_complete(inventory)
    return {"host": inventory.host.hostname or source, "collected_at": at, "day": day, "source": source,
            "complete": complete}  # fmt: skip


def drives(inventory: Inventory, source: str) -> Iterator[Row]:
    """Each physical drive once."""
    common = machine(inventory, source)
    for controller, drive in physical_drives(inventory.controllers):
        errors = {_ERRORS.get(name, name): getattr(drive.errors, name) for name in drive.errors.__struct_fields__}
        yield DriveRow(
            **common, **_controller(controller), **_same(drive, DriveRow, _DRIVE), **errors,
            drive_key=drive_key(drive),
        )  # fmt: skip


def drive_key(drive: Drive) -> str | None:
    """The permanent identity of a drive; None if its numbers are masked, as ``XXXX``."""
    # 0x5000c500b426d2d0    5 000c50 0b426d2d0    naa.5000C500B426D2D0    eui.0025385b71b00f2a
    name = re.sub(r"[\s:-]", "", (drive.wwn or "").lower()).removeprefix("0x").removeprefix("naa.")
    if _WORLD_WIDE.fullmatch(name) and len(set(name)) > 1:
        return f"wwn:{name}"
    if drive.model and drive.serial and "*" not in drive.serial and len(set(drive.serial.lower())) > 1:
        return collapse(f"{drive.model} {drive.serial}")
    return None


def volumes(inventory: Inventory, source: str) -> Iterator[Row]:
    """Each volume."""
    common = machine(inventory, source)
    for controller in inventory.controllers:
        for volume in controller.volumes:
            cache = {} if volume.cache is None else _same(volume.cache, VolumeRow)
            progress = volume.progress
            yield VolumeRow(
                **common, **_controller(controller), **cache,
                **(_same(volume, VolumeRow, _VOLUME) | {"mountpoints": _words(volume.mountpoints)}),
                operation=progress.operation if progress else None,
                progress_percent=progress.percent if progress else None,
            )  # fmt: skip


def batteries(inventory: Inventory, source: str) -> Iterator[Row]:
    """Each battery and capacitor."""
    common = machine(inventory, source)
    for controller in inventory.controllers:
        for battery in controller.batteries:
            yield BatteryRow(
                **common, **_controller(controller), controller_serial=controller.serial,
                **_same(battery, BatteryRow, {"id": "battery"}),
            )  # fmt: skip


def caches(inventory: Inventory, source: str) -> Iterator[Row]:
    """Each controller's cache."""
    common = machine(inventory, source)
    for controller in inventory.controllers:
        if controller.cache is not None:
            yield CacheRow(
                **common, **_controller(controller), controller_serial=controller.serial,
                firmware=controller.firmware, **_same(controller.cache, CacheRow),
            )  # fmt: skip


def findings(
    inventory: Inventory, source: str, found: Sequence[tuple[Finding, str | None]], policy: str
) -> Iterator[Row]:
    """Each finding, with the last day of its waiver."""
    common = machine(inventory, source)
    for one, until in found:
        same = _same(one, FindingRow, {"where": "object"}) | {"mountpoints": _words(one.mountpoints)}
        yield FindingRow(**common, **same, policy=policy, waived_until=until)


def bench(run: Run, source: str) -> Iterator[Row]:
    """Each figure of a run, and each percentile of its latencies."""
    at, day = day_of(run.at)
    complete = run.inventory is not None and is_complete(run.inventory)
    common = {
        "host": run.host or source, "collected_at": at, "day": day, "source": source, "complete": complete,
        "run": run.id, "label": run.label, "raidctl": run.raidctl, "profile": run.session.profile,
        "target": run.place, "target_kind": run.session.kind,
    }  # fmt: skip
    for result in run.session.results:
        yield from _result(result, common | {"engine": result.engine or run.session.engine})


def _result(result: TrialResult, common: Mapping[str, Any]) -> Iterator[Row]:
    about = {**common, "test": result.trial, "verdict": result.verdict}
    for name, spread in result.figures.items():
        yield BenchRow(
            **about, figure=name, unit=spread.unit, measured=spread.measured, low=spread.low, high=spread.high,
            samples=spread.n,
        )  # fmt: skip
    for phase, latency in result.latency.items():
        for part in _PERCENTILES:
            yield BenchRow(
                **about, figure=f"latency/{phase}/{part}", unit="ms", measured=getattr(latency, part),
                samples=latency.n,
            )  # fmt: skip


BUILDERS: Mapping[str, Callable[[Inventory, str], Iterator[Row]]] = {
    "drives": drives, "volumes": volumes, "batteries": batteries, "caches": caches,
}  # fmt: skip
"""Builders of tables that need only an inventory."""


def _controller(controller: Controller) -> dict[str, Any]:
    return {"controller": controller.id, "controller_model": controller.model}


def _same(item: Any, row: type[Row], renamed: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Fields of an object that are columns, some under new names."""
    columns = set(row.__struct_fields__)
    names = {name: (renamed or {}).get(name, name) for name in item.__struct_fields__}
    return {column: getattr(item, name) for name, column in names.items() if column in columns}


def _words(mountpoints: Sequence[str]) -> str | None:
    return ", ".join(mountpoints) or None
