"""Which spares an array has, and whether they fit."""

from __future__ import annotations

from msgspec.structs import replace

from raidctl.model import Array, Controller, Drive, Host, Inventory, Volume
from raidctl.operate.spares import ArraySpares, fit, spares
from tests.support.command_line import Raidctl
from tests.support.machines import MACHINES, replayed

MEMBERS = tuple(
    Drive(id=f"md:md0/sd{letter}", array="md:md0/array", role="member", size_bytes=1000, media="hdd", status="ok")
    for letter in "abc"
)
SPARE = Drive(
    id="md:md0/sdd", array="md:md0/array", role="spare", size_bytes=1000, media="hdd", status="ok",
    spare_for=("md:md0/array",),
)  # fmt: skip


MD = Controller(id="md", mode="software")


def of(*drives: Drive, details: dict[str, str] | None = None, monitored: bool | None = None) -> list[ArraySpares]:
    """The spares of a machine with these drives, md0 and md1. The array md1 shares the group of md0."""
    mine = tuple(drive.id for drive in drives if drive.role == "member")
    arrays = (
        Array(id="md:md0/array", drives=mine, details=details or {}),
        Array(id="md:md1/array", details=details or {}),
    )
    volumes = tuple(
        Volume(id=f"md:{name}", array=f"md:{name}/array", raid_level="raid5", drives_active=3)
        for name in ("md0", "md1")
    )
    controller = Controller(
        id="md", mode="software", monitored=monitored, arrays=arrays, volumes=volumes, drives=drives
    )  # fmt: skip
    return spares(Inventory(host=Host(), controllers=(controller,)))


def test_a_spare_belongs_to_the_arrays_that_it_is_for() -> None:
    """A dedicated spare belongs to its array only. An array whose drives are not listed may have others."""
    first, second = of(*MEMBERS, SPARE)
    assert [(one.drive, one.fits, one.dedicated) for one in first.spares] == [("md:md0/sdd", True, True)]
    assert (first.known, second.spares, second.known) == (True, (), False)


def test_fitting_needs_every_value() -> None:
    """A drive too small or of another type does not fit. Without a size or type, this is unknown."""
    assert fit(MD, SPARE, MEMBERS) == (True, None)
    assert fit(MD, replace(SPARE, size_bytes=900), MEMBERS)[0] is False
    assert fit(MD, replace(SPARE, media="ssd"), MEMBERS)[0] is False
    assert fit(MD, replace(SPARE, status="critical"), MEMBERS)[0] is False
    for unknown in ("size_bytes", "media"):
        assert fit(MD, replace(SPARE, **{unknown: None}), MEMBERS)[0] is None
        assert fit(MD, SPARE, [replace(one, **{unknown: None}) for one in MEMBERS])[0] is None


def test_a_group_moves_spares_only_while_the_monitor_runs() -> None:
    """A monitor that is off or unknown is reported."""
    group = {"spare-group": "main"}
    [one, _] = of(*MEMBERS, SPARE, details=group, monitored=True)
    assert (one.group, one.shares_with, one.why) == ("main", ("md:md1/array",), None)
    assert "no monitor runs" in (of(*MEMBERS, SPARE, details=group, monitored=False)[0].why or "")
    assert "is unknown" in (of(*MEMBERS, SPARE, details=group, monitored=None)[0].why or "")
    assert of(*MEMBERS, SPARE, monitored=False)[0].why is None


def test_every_spare_of_a_recorded_machine_is_shown() -> None:
    """Each drive in the role of a spare belongs to an array. No other drive does."""
    for name in MACHINES:
        inventory = replayed(name).inventory
        expected = {
            drive.id for controller in inventory.controllers for drive in controller.drives if drive.role == "spare"
        }
        shown = {spare.drive for array in spares(inventory) for spare in array.spares}
        assert shown == expected, name


def test_a_spare_has_the_kind_of_its_drive_and_the_reason_below_it(raidctl: Raidctl) -> None:
    """The kind is that of ``show``; why a spare does not fit is a line below the table."""
    drive = next(line for line in raidctl("--demo", "9690", "show").stdout.splitlines() if " p6 " in f"{line} ")
    shown = raidctl("--demo", "9690", "spare", "show").stdout
    assert "  sata  spare" in drive
    assert (
        "1 TB  sata  ok      all arrays  NO\n  threeware:6/p6  It is SATA; the drives of the array are SAS.\n" in shown
    )
