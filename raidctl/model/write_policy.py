"""Whether the configured write policy is active. Pure."""

from __future__ import annotations

from raidctl.model import VolumeCache

_FULFILLED = {
    "write_through": {"write_through", "off"},
    "protected_write_back": {"write_back"},
    "unprotected_write_back": {"write_back"},
    "off": {"off", "write_through"},
}
"""Active policies that satisfy each configured one."""


def in_force(cache: VolumeCache) -> bool | None:
    """Whether the configured write policy is active; None if either is unknown."""
    if cache.write_policy is None or cache.write_active is None:
        return None
    return cache.write_active in _FULFILLED[cache.write_policy]
