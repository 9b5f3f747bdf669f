"""The simulated machines for ``--demo NAME``.

A demo is a recording in the folder ``demos`` of a vendor package, or in raidctl's data. Changes of its settings are
kept in the state directory until ``raidctl demo --reset NAME``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import cast

import msgspec
from msgspec.structs import replace

from raidctl.errors import UsageError
from raidctl.layers import simulator as kernel
from raidctl.layers.kernel import VM
from raidctl.recording.recording import Recording, load
from raidctl.simulation.runner import Simulated
from raidctl.text import listing, printable
from raidctl.vendor.parts import part_of
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.simulator import Simulator

STATE = "settings.json"


@dataclass(frozen=True)
class Demo:
    """A simulated machine."""

    name: str
    path: Path
    about: str


def demos(vendors: Sequence[Vendor]) -> list[Demo]:
    """Return all simulated machines, sorted by name."""
    return [Demo(name, path, load(path).manifest.about) for name, path in sorted(_paths(vendors).items())]


def names(vendors: Sequence[Vendor]) -> list[str]:
    """Return the names of all simulated machines, without reading any."""
    return sorted(_paths(vendors))


def _paths(vendors: Sequence[Vendor]) -> dict[str, Path]:
    """Return the recordings by their machines' names."""
    folders = [place for vendor in vendors if (place := _folder(vendor)) is not None]
    folders.append(Path(str(files("raidctl") / "data" / "demos")))
    return {path.name: path for place in folders for path in place.iterdir() if (path / "record.json").is_file()}


def _folder(vendor: Vendor) -> Path | None:
    if not hasattr(vendor, "__path__"):  # a package of one module has no folder for them
        return None
    place = Path(str(files(cast("ModuleType", vendor).__name__) / "demos"))
    return place if place.is_dir() else None


def simulators(vendors: Sequence[Vendor]) -> list[Simulator]:
    """Return the simulators of the vendor packages."""
    found: list[Simulator] = [cast("Simulator", kernel)]
    offered = [part_of(vendor, "simulator") for vendor in vendors]
    return found + [cast("Simulator", one) for one in offered if one is not None]


def machine(name: str, vendors: Sequence[Vendor], place: Path) -> Simulated:
    """Return a simulated machine with its current settings.

    Args:
        name: As ``raidctl demo`` lists it.
        vendors: All vendor packages.
        place: The directory for changed settings.

    Raises:
        UsageError: There is none of this name.
    """
    return Simulated(_with_kernel(load(path_of(name, vendors))), simulators(vendors), place / STATE)


def path_of(name: str, vendors: Sequence[Vendor]) -> Path:
    """The recording of the simulated machine of a name.

    Raises:
        UsageError: There is none of this name.
    """
    known = _paths(vendors)
    if name not in known:
        raise UsageError(f'There is no simulated machine "{printable(name)}"; use {listing(sorted(known), "or")}.')
    return known[name]


def _with_kernel(recording: Recording) -> Recording:
    """Add a typical page cache to a recording that has none."""
    recorded = {entry.read for entry in recording.manifest.answers}
    if f"{VM}/dirty_ratio" in recorded:
        return recording
    usual = load(Path(str(files("raidctl") / "data" / "kernel")))
    answers = (*usual.manifest.answers, *recording.manifest.answers)  # of two answers the last one counts
    manifest = msgspec.structs.replace(recording.manifest, answers=answers)
    return replace(recording, manifest=manifest, files={**usual.files, **recording.files})
