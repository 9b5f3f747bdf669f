"""Tables of lvs with columns of the user's choice, after lib/report/columns.h and lvmraid(7)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from raidctl.model import Controller
from raidctl.survey.survey import Survey
from tests.support.conclusions import read_text


def _table(*rows: Sequence[str]) -> str:
    """Rows as lvs prints them: headings at the left, columns as wide as their widest value."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join(
        "  " + " ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + "\n" for row in rows
    )


def _unread(seen: Survey) -> list[str]:
    return [line.stripped for output in seen.outputs for line in output.unparsed()]


def _controller(seen: Survey) -> Controller:
    [controller] = seen.inventory.controllers
    return controller


@pytest.mark.parametrize(("second", "status"), [("/dev/sdb2(1)", "unknown"), ("[unknown](1)", "degraded")])
@pytest.mark.parametrize("copied", ["Copy%", "Cpy%Sync"])
def test_copies_and_devices_show_a_missing_image(copied: str, second: str, status: str) -> None:
    """``lvs -a -o name,copy_percent,devices`` has no Attr. Whether the images that are there are in sync is unknown."""
    seen = read_text(
        _table(
            ("LV", copied, "Devices"),
            ("data", "100.00", "data_rimage_0(0),data_rimage_1(0)"),
            ("[data_rimage_0]", "", "/dev/sda2(1)"),
            ("[data_rimage_1]", "", second),
            ("[data_rmeta_0]", "", "/dev/sda2(0)"),
            ("[data_rmeta_1]", "", "/dev/sdb2(0)"),
        )
    )
    [volume] = _controller(seen).volumes
    assert (volume.status, volume.raid_level, volume.device) == (status, None, None)
    assert (volume.drives_active, volume.failures_tolerated, _unread(seen)) == (None, None, [])


@pytest.mark.parametrize(
    ("row", "status"),
    [
        (("vg", "data", "raid1", "rwi-aor---", "100.00", "idle", "0", ""), "ok"),
        (("vg", "data", "raid1", "rwi-aor-p-", "100.00", "idle", "0", "partial"), "degraded"),
        (("vg", "data", "raid1", "rwi-aor---", "37,50", "recover", "0", ""), "rebuilding"),
        (("vg", "data", "raid1", "rwi-aor---", "12.00", "check", "0", ""), "checking"),
        (("vg", "data", "raid1", "rwi---r---", "", "", "", ""), "inactive"),
    ],
)
def test_every_column_is_read_below_its_heading(row: tuple[str, ...], status: str) -> None:
    """Empty cells move no other value into their column."""
    seen = read_text(_table(("VG", "LV", "Type", "Attr", "Cpy%Sync", "SyncAction", "Mismatches", "Health"), row))
    [volume] = _controller(seen).volumes
    assert (volume.id, volume.status, _unread(seen)) == ("lvm:vg/data", status, [])


@pytest.mark.parametrize(("more", "status"), [((), "unknown"), (("100.00",), "ok"), (("41.20",), "initializing")])
def test_health_alone_does_not_show_that_images_are_in_sync(more: tuple[str, ...], status: str) -> None:
    """The state is known with the percentage beside it."""
    head = ("LV", "VG", "Type", "Health", *("Cpy%Sync" for _ in more))
    [volume] = _controller(read_text(_table(head, ("data", "vg", "raid1", "", *more)))).volumes
    assert volume.status == status


def test_a_partial_volume_without_its_type_is_a_problem() -> None:
    """Whether it has redundancy is unknown then."""
    problems = read_text(
        _table(("LV", "VG", "Health"), ("data", "vg", "partial"), ("root", "vg", ""))
    ).inventory.problems
    assert [problem.message for problem in problems] == [
        "The logical volume vg/data is partial: a physical volume is missing."
    ]


@pytest.mark.parametrize(("segtype", "cut"), [("raid1", True), ("raid0", False)])
def test_an_active_raid_volume_without_its_percentage_is_cut_off(segtype: str, cut: bool) -> None:
    """Only RAID-0 has none. The columns behind could show a recovery."""
    rows = _table(("LV", "VG", "Attr", "Type", "Cpy%Sync"), ("data", "vg", "rwi-aor---", segtype, ""))
    [output] = read_text(rows).outputs
    assert bool(output.cut_off) == cut


def test_a_row_that_is_not_below_the_headings_is_not_passed_over() -> None:
    """A list whose blanks were lost is incomplete."""
    [output] = read_text("LV VG Health\nroot vg\ndata vg partial\n").outputs
    assert output.cut_off
