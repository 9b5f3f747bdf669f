"""Contradictory descriptions of one logical volume, from two machines or two moments."""

from __future__ import annotations

from raidctl.text import attempt
from raidctl.vendor.mixed_machines import described_twice
from raidctl_lvm.draft import ControllerDraft, Row, Status


def add_status(controller: ControllerDraft, name: str, status: Status) -> None:
    """Keep a line of dmsetup, preferring ``status`` to ``table``. If two differ, the worse one is kept."""
    known = controller.statuses.get(name)
    if known is not None and known.health and status.health and known.health != status.health:
        controller.complain(described_twice(name, [f"state {known.health} or {status.health}"]))
    if known is None or _whole(status) < _whole(known):
        controller.statuses[name] = status


def _whole(status: Status) -> tuple[bool, float]:
    """How many of its images are in sync, for :func:`min`. A status without a state ranks above all others."""
    return not status.health, status.health.count("A") / max(len(status.health), 1)


def settle_rows(controller: ControllerDraft) -> None:
    """Put a volume's worst row first, and report rows that differ."""
    for name, rows in controller.rows.items():
        uuids = {row.cells["lv_uuid"] for row in rows if row.cells.get("lv_uuid")}
        found = [f"UUID {' or '.join(sorted(uuids))}"] if len(uuids) > 1 else []
        if len({_bad(row) for row in rows}) > 1:
            found.append(f"state {' or '.join(dict.fromkeys(row.attr for row in rows))}")
        if found:
            controller.complain(described_twice(name, found))
            rows.sort(key=lambda row: not _bad(row))


def _bad(row: Row) -> bool:
    """Whether an image or volume is gone, out of sync or incomplete."""
    percent = attempt(float, row.cells.get("sync_percent") or row.cells.get("copy_percent"))
    health = row.letter(9) or row.cells.get("lv_health_status") or "-"
    return health != "-" or row.letter(1) == "I" or (percent is not None and percent < 100)
