"""The installed vendor packages. Those of raidctl and of third parties are found by the same entry point."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import cast

from raidctl.model import Problem
from raidctl.select import family_in
from raidctl.vendor.protocol import Vendor

GROUP = "raidctl.vendors"
_MEMBERS = ("FAMILY", "TITLE", "TOOLS", "DRIVERS", "LAST", "SUPPORT", "observe", "sniff", "read")


def vendors() -> tuple[list[Vendor], list[Problem]]:
    """All vendor packages that load, sorted by family. Each that does not gives a problem."""
    found: list[Vendor] = []
    problems: list[Problem] = []
    for name, module in sorted(_entry_points(tuple(sys.path))):
        try:
            found.append(_load(module))
        except Exception as error:  # noqa: BLE001 - third-party modules may raise anything; the others are still loaded
            message = f"The vendor package {module} cannot be used: {type(error).__name__}: {error}."
            remedy = "Reinstall or remove the package that provides it."
            problems.append(Problem("error", f"plugin {name}", message, remedy, "unread"))
    if not found and not problems:
        message = "No vendor package is installed, so nothing can be recognised."
        remedy = "Install raidctl with pip; a bare source tree does not register its vendor packages."
        problems.append(Problem("error", "raidctl", message, remedy, "unread"))
    return sorted(found, key=lambda vendor: vendor.FAMILY), problems


def vendor_of(identifier: str, packages: Iterable[Vendor]) -> Vendor | None:
    """The vendor package of an object by its id, or of a family by its name. None: it is not installed."""
    family = family_in(identifier)
    return next((vendor for vendor in packages if family == vendor.FAMILY), None)


def families_that_share_drives() -> frozenset[str]:
    """Families whose volumes may have some of their drives in common."""
    return _declaring("SHARES_DRIVES", vendors()[0])


def families_that_count_redundancy(packages: Iterable[Vendor]) -> frozenset[str]:
    """Families whose readers work out how many more drives each volume survives."""
    return _declaring("COUNTS_REDUNDANCY", packages)


def _declaring(fact: str, packages: Iterable[Vendor]) -> frozenset[str]:
    """The families that declare a fact as true. A missing constant means false."""
    return frozenset(vendor.FAMILY for vendor in packages if getattr(vendor, fact, False) is True)


@cache  # a process that reads many machines would look through all installed packages for each of them
def _entry_points(path: tuple[str, ...]) -> set[tuple[str, str]]:
    """Name and module of the group's entry points. Of two distributions with one name, the first on the path counts.

    Faster than importing ``importlib.metadata``, which is used only if the path contains an archive.
    """
    if any(os.path.isfile(place) for place in path):  # noqa: PTH113 - pathlib takes long to be imported, too
        from importlib.metadata import entry_points  # noqa: PLC0415 - slow to import

        return {(entry.name, entry.value) for entry in entry_points(group=GROUP)}
    files: dict[str, str] = {}
    for place in path:
        for name in os.listdir(place or ".") if os.path.isdir(place or ".") else ():  # noqa: PTH112, PTH208 - as above
            stem, _, kind = name.rpartition(".")
            if kind in ("dist-info", "egg-info"):
                files.setdefault(stem.partition("-")[0].lower(), f"{place or '.'}/{name}/entry_points.txt")
    return {pair for file in files.values() for pair in _in_group(file)}


def _in_group(file: str) -> Iterator[tuple[str, str]]:
    """The lines ``name = module`` of the group in an ``entry_points.txt``. Nothing if there is no such file."""
    with suppress(OSError), open(file, encoding="utf-8") as lines:  # noqa: PTH123 - as above
        group = ""
        for line in lines:
            name, equals, module = line.partition("=")
            group = line.strip() if line.startswith("[") else group
            if equals and group == f"[{GROUP}]":
                yield name.strip(), module.strip()


def _load(name: str) -> Vendor:
    module = import_module(name)
    missing = [name for name in _MEMBERS if not hasattr(module, name)]
    if missing:
        raise TypeError(f"it lacks {', '.join(missing)}")
    return cast("Vendor", module)
