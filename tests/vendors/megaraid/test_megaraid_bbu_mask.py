"""The bit mask that MegaRAID firmware prints for its battery."""

from __future__ import annotations

import pytest

from raidctl.model import BatteryStatus
from raidctl_megaraid import bbu_mask


@pytest.mark.parametrize(
    ("mask", "status"),
    [
        (0, "ok"),
        (1 << 0, "missing"),
        (1 << 1, "degraded"),
        (1 << 3, "charging"),
        (1 << 4, "ok"),
        (1 << 5, "ok"),
        (1 << 6, "learning"),
        (1 << 6 | 1 << 4, "learning"),
        (1 << 7, "degraded"),
        (1 << 9, "degraded"),
        (1 << 10, "failed"),
        (1 << 12, "ok"),
        (1 << 12 | 1 << 3, "charging"),
        (1 << 20, "unknown"),
        (1 | 1 << 6, "missing"),
    ],
)
def test_a_bbu_mask_gives_its_worst_status(mask: int, status: BatteryStatus) -> None:
    """Missing is worst, and a requested learn cycle is ok. A bit without a name is unknown."""
    assert bbu_mask.status(mask) == status


def test_a_bbu_mask_in_words() -> None:
    """Each bit has its words. A bit without a name has its number."""
    assert bbu_mask.words(1 << 5 | 1 << 12 | 1 << 14) == [
        "learn cycle requested",
        "periodic learn cycle required",
        "bit 14",
    ]
    assert bbu_mask.words(0) == []


def test_a_bbu_mask_requests_a_replacement() -> None:
    """Only bit 10 requests a replacement."""
    assert bbu_mask.replace(1 << 10)
    assert not bbu_mask.replace(~(1 << 10) & 0xFFFF)
