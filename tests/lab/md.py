"""Shell lines that wait for md. It starts and ends a rebuild some time after the request."""

from __future__ import annotations


def waits(path: str, word: str) -> str:
    """A line that waits until a file of sysfs has this word. `mdadm --wait` polls only every five seconds."""
    return f'while read -r now < {path}; [ "$now" != {word} ]; do sleep 0.2; done'


def complete(name: str) -> str:
    """The lines that wait until an array has all its members. The array was created without ``--assume-clean``.

    ``sync_action`` is not enough: it is "idle" before the first rebuild too. A RAID-5 starts without its last member,
    so ``degraded`` is 1 from the start and 0 once that was built.
    """
    md = f"/sys/block/{name}/md"
    return "\n".join((waits(f"{md}/degraded", "0"), waits(f"{md}/sync_action", "idle")))


def rebuilding(name: str) -> str:
    """The line that waits until the rebuild of an array has started."""
    return waits(f"/sys/block/{name}/md/sync_action", "recover")
