"""What can be read of software RAID, which has no controller."""

from __future__ import annotations

from raidctl.model import Capability

_READ = Capability(read=True, set=False)


def software_support(why: str, *more: str) -> dict[str, Capability]:
    """The capabilities of a family of software RAID.

    Args:
        why: Why it has no controller's cache and no battery.
        more: Further names of what can be read.
    """
    none = Capability(read=False, set=False, why=why)
    return {
        **dict.fromkeys(("controllers", "arrays", "volumes", "drives", "progress", *more), _READ),
        **dict.fromkeys(("battery", "cache_size", "cache_split", "write_policy"), none),
    }
