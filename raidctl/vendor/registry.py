"""Which vendor packages are installed. In-tree ones come in by the same door as a third party's: an entry point."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import cast

from raidctl.model import Problem
from raidctl.vendor.protocol import Vendor

GROUP = "raidctl.vendors"
_MEMBERS = ("FAMILY", "TITLE", "TOOLS", "DRIVERS", "LAST", "SUPPORT", "observe", "sniff", "read")


def vendors() -> tuple[list[Vendor], list[Problem]]:
    """All vendor packages that load, sorted by family, and a problem for each that does not."""
    found: list[Vendor] = []
    problems: list[Problem] = []
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        try:
            found.append(_load(entry))
        except Exception as error:  # noqa: BLE001 - a third party's module may raise anything; the others go on
            message = f"The vendor package {entry.value} cannot be used: {type(error).__name__}: {error}."
            remedy = "Reinstall or remove the package that brings it."
            problems.append(Problem("error", f"plugin {entry.name}", message, remedy, "unread"))
    if not found and not problems:
        message = "No vendor package is installed, so nothing can be recognised."
        remedy = "Install raidctl with pip; a bare source tree does not register its vendor packages."
        problems.append(Problem("error", "raidctl", message, remedy, "unread"))
    return sorted(found, key=lambda vendor: vendor.FAMILY), problems


def _load(entry: EntryPoint) -> Vendor:
    module = entry.load()
    missing = [name for name in _MEMBERS if not hasattr(module, name)]
    if missing:
        raise TypeError(f"it lacks {', '.join(missing)}")
    return cast("Vendor", module)
