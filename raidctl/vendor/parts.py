"""The optional modules of a vendor package: ``change``, ``operate``, ``locate`` and others."""

from __future__ import annotations

import importlib
from functools import cache
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from raidctl.vendor.protocol import Vendor


def part_of(vendor: Vendor, name: str, without: str | None = None) -> Any:
    """The module of a package, imported now; None if it has none.

    Args:
        vendor: The package.
        name: Name of the module: ``change``.
        without: An attribute by which the package itself counts as the part, if it is an object instead of a module.
    """
    if not isinstance(vendor, ModuleType):
        return vendor if without is not None and hasattr(vendor, without) else None
    return _module_in(vendor, name)


@cache  # a wait asks for the parts of every family again and again
def _module_in(package: ModuleType, name: str) -> ModuleType | None:
    full = f"{package.__name__}.{name}"
    if not hasattr(package, "__path__") or find_spec(full) is None:
        return None
    return importlib.import_module(full)
