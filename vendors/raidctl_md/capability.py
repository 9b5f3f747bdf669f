"""What can be read of md, and why nothing is set."""

from __future__ import annotations

from raidctl.model import Capability

_READ = Capability(read=True, set=False)
_NONE = Capability(read=False, set=False, why="md has no cache memory and no battery.")
SUPPORT: dict[str, Capability] = {
    "controllers": _READ,
    "arrays": _READ,
    "volumes": _READ,
    "drives": _READ,
    "progress": _READ,
    "device": _READ,
    "battery": _NONE,
    "cache_size": _NONE,
    "cache_split": _NONE,
    "write_policy": _NONE,
}
