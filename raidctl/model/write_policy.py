"""Whether the write policy that is configured is the one in force: said, claimed and verified by one table. Pure."""

from __future__ import annotations

from raidctl.model import VolumeCache

_FULFILLED = {
    "write_through": {"write_through", "off"},
    "protected_write_back": {"write_back"},
    "unprotected_write_back": {"write_back"},
    "off": {"off", "write_through"},
}
"""Which policies in force carry out what is configured."""


def in_force(cache: VolumeCache) -> bool | None:
    """Whether the configured write policy is what is in force; None when either is not known."""
    if cache.write_policy is None or cache.write_active is None:
        return None
    return cache.write_active in _FULFILLED[cache.write_policy]
