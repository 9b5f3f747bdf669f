"""How many more drive failures a volume survives.

The tests cover every level, every kind of evidence, and what never makes it more.
"""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from raidctl.health.missing_members import shortage, signs_of_missing_member, volumes_lacking
from raidctl.health.redundancy import survives, tolerated, with_redundancy
from raidctl.model import Array, Controller, Drive, Progress, Volume
from tests.support.conclusions import read_text
from tests.support.machines import MACHINES, replayed

FAILED: dict[str, Any] = {"status": "critical", "status_text": "Failed"}
REBUILDING: dict[str, Any] = {"status": "warning", "status_text": "Rebuilding"}
PREDICTIVE: dict[str, Any] = {"status": "warning", "status_text": "Predictive Failure"}
UNKNOWN: dict[str, Any] = {"status": "unknown"}
UNASSIGNED: dict[str, Any] = {"role": "unassigned"}


def controller_with(level: str, *members: dict[str, Any] | None, mode: Any = "raid", **volume: Any) -> Controller:
    """A controller with one volume. Each member gives what differs from a good one, or None if it is not listed."""
    drives = tuple(
        Drive(**{"id": f"x:0/{number}", "role": "member", "status": "ok", "array": "x:0/A", **changes})
        for number, changes in enumerate(members)
        if changes is not None
    )
    fields: dict[str, Any] = {"status": "ok", "drives_expected": len(members) or None, **volume}
    return Controller(
        id="x:0",
        mode=mode,
        drives=drives,
        arrays=(
            Array(id="x:0/A", drives=tuple(drive.id for drive in drives if drive.role in ("member", "unassigned"))),
        ),
        volumes=(Volume(id="x:0/v0", array="x:0/A", raid_level=level, **fields),),  # type: ignore[arg-type]
    )


def left(found: Controller) -> int | None:
    """The figure of the only volume, which is the array's too."""
    (done,) = with_redundancy([found])
    assert done.arrays[0].failures_tolerated == done.volumes[0].failures_tolerated
    return done.volumes[0].failures_tolerated


OK: dict[str, Any] = {}


@pytest.mark.parametrize(
    ("level", "members", "mode", "wanted"),
    [
        ("raid0", 4, "raid", 0), ("jbod", 1, "raid", 0), ("linear", 2, "software", 0),
        ("raid1", 2, "raid", 1), ("raid1", 3, "software", 2), ("raid1", 1, "software", 0), ("raid1t", 3, "raid", 2),
        ("raid1e", 3, "raid", 1), ("raid4", 3, "software", 1), ("raid5", 3, "raid", 1), ("raid6", 4, "raid", 2),
        ("raid10", 4, "raid", 1), ("raid10t", 6, "raid", 2), ("raid50", 6, "raid", 1), ("raid60", 8, "raid", 2),
        ("unknown", 4, "raid", None), (None, 4, "raid", None),
    ],
)  # fmt: skip
def test_a_complete_volume_survives_what_its_level_allows(level: str, members: int, mode: str, wanted: int) -> None:
    """The table of the manual, with every member good."""
    assert left(controller_with(level, *[OK] * members, mode=mode)) == wanted


@pytest.mark.parametrize(
    ("level", "members", "wanted"),
    [
        ("raid1", [OK, FAILED], 0), ("raid5", [OK, OK, FAILED], 0), ("raid5", [OK, OK, REBUILDING], 0),
        ("raid5", [OK, OK, None], 0), ("raid6", [OK, OK, OK, FAILED], 1), ("raid6", [OK, OK, OK, REBUILDING], 1),
        ("raid6", [OK, OK, REBUILDING, FAILED], 0), ("raid6", [OK, OK, None, None], 0),
        ("raid10", [OK] * 3 + [None], 0),
        ("raid10t", [OK] * 5 + [None], 1), ("raid10t", [OK] * 4 + [None] * 2, 0), ("raid50", [OK] * 5 + [FAILED], 0),
        ("raid60", [OK] * 7 + [FAILED], 0), ("raid1t", [OK, OK, FAILED], 1), ("raid5", [OK] * 2 + [UNKNOWN], 0),
        ("raid6", [OK, OK, OK, PREDICTIVE], 1), ("raid6", [OK, OK, UNASSIGNED, FAILED], 0),
    ],
)  # fmt: skip
def test_what_is_gone_counts_once_and_whatever_reports_it(level: str, members: list[Any], wanted: int) -> None:
    """A lost member of an incomplete volume counts once as gone.

    Lost means failed, missing, not yet rebuilt, of unknown state, or in no array by its own state.
    """
    for status in ("degraded", "rebuilding"):
        assert left(controller_with(level, *members, status=status)) == wanted
    assert left(controller_with(level, *members, status="degraded", drives_active=0)) == 0


def test_the_most_pessimistic_evidence_decides() -> None:
    """A count, a member's state and the volume's state are each enough."""
    assert left(controller_with("raid6", *[OK] * 4, drives_active=3)) == 1
    assert left(controller_with("raid6", *[OK] * 3, FAILED)) == 1
    assert left(controller_with("raid6", *[OK] * 4, status="degraded")) == 1
    assert left(controller_with("raid6", *[OK] * 3, FAILED, drives_active=2)) == 0
    assert left(controller_with("raid5", *[OK] * 3, status="failed")) == 0
    assert left(controller_with("raid60", *[OK] * 7, FAILED, status="degraded", spans=2)) == 1
    assert left(controller_with("raid6", *[OK] * 4, status="offline")) == 0


def test_spares_and_journals_are_no_redundancy() -> None:
    """A spare counts for nothing until it is rebuilt. A device of another kind counts for nothing, too."""
    spare, journal = {"role": "spare"}, {"role": "journal"}
    assert left(controller_with("raid5", OK, OK, FAILED, spare, spare, drives_expected=3, status="degraded")) == 0
    assert left(controller_with("raid5", OK, OK, OK, journal, drives_expected=3, mode="software")) == 1
    replaced = controller_with("raid5", OK, OK, OK, {**FAILED, "role": "failed"}, drives_expected=3)
    assert left(replaced) == 1


def test_a_drive_that_is_copied_onto_its_replacement_takes_nothing_away() -> None:
    """A rebuild with every member working leaves the redundancy as it is. The tool counts every member as working."""
    assert (
        left(controller_with("raid5", *[OK] * 3, REBUILDING, drives_expected=3, drives_active=3, status="rebuilding"))
        == 1
    )


@pytest.mark.parametrize("operation", ["initialize", "expand", "migrate", "reshape", "parity"])
def test_what_a_volume_survives_is_unknown_before_it_is_settled(operation: Any) -> None:
    """Redundancy is unknown until parity is written, and while the geometry changes. If none is left, it is 0."""
    busy = Progress(operation=operation, percent=99.0)
    assert left(controller_with("raid6", *[OK] * 4, progress=busy)) is None
    waiting = left(controller_with("raid6", *[OK] * 4, progress=Progress(operation=operation, state="queued")))
    assert waiting == (None if operation in ("initialize", "parity") else 2)
    assert left(controller_with("raid5", *[OK] * 2, FAILED, progress=busy)) == 0


@pytest.mark.parametrize(
    ("level", "members", "wanted"),
    [("raid4", 3, None), ("raid5", 3, None), ("raid6", 4, None), ("raid1", 3, 2), ("raid10", 4, 1)],
)
@pytest.mark.parametrize("state", ["running", "queued"])
def test_parity_promises_nothing_until_a_resync_is_complete(
    level: str, members: int, wanted: int | None, state: Any
) -> None:
    """Data computed from parity may be wrong until a resync ends, also if it waits. Any copy of a mirror is whole."""
    busy = Progress(operation="resync", state=state)
    assert left(controller_with(level, *[OK] * members, mode="software", status="checking", progress=busy)) == wanted


@pytest.mark.parametrize(("state", "percent", "wanted"), [("running", 5.0, None), ("queued", None, 1)])
def test_a_resync_of_an_incomplete_array_counts_only_if_it_runs(state: Any, percent: float | None, wanted: Any) -> None:
    """A waiting one is the recovery of a missing member, for which md prints the same word."""
    busy = Progress(operation="resync", state=state, percent=percent)
    degraded = controller_with("raid6", *[OK] * 3, FAILED, mode="software", status="degraded", progress=busy)
    assert left(degraded) == wanted


def test_unknown_geometry_is_unknown_redundancy() -> None:
    """Nothing is promised without members and counts, or with a cut-off list. A degraded RAID-5 has no redundancy."""
    assert left(controller_with("raid5")) is None
    assert left(controller_with("raid6", *[OK] * 3, drives_expected=4)) is None
    assert left(controller_with("raid6", status="degraded")) is None
    assert left(controller_with("raid5", status="degraded")) == 0
    assert left(controller_with("raid6", *[OK] * 4, status="unknown")) is None
    assert left(controller_with("raid6", *[OK] * 4, status="inactive")) is None
    assert left(controller_with("raid5", OK, OK, None, None, status="inactive")) == 0


def test_the_stripe_shows_the_number_of_members() -> None:
    """A list of members without a count is compared with the stripe. A drive may be missing from the list."""
    stripe: dict[str, Any] = {"strip_bytes": 65536, "full_stripe_bytes": 2 * 65536, "drives_expected": None}
    assert left(controller_with("raid6", *[OK] * 3, REBUILDING, status="rebuilding", **stripe)) == 1
    assert left(controller_with("raid6", *[OK] * 2, REBUILDING, status="rebuilding", **stripe)) == 0


def test_copies_of_software_raid10_are_counted() -> None:
    """Three near copies survive two failures; far copies count as well."""
    for layout, wanted in (("near=2", 1), ("near=3", 2), ("far=2", 1), ("near=1, far=3", 2), ("near=1", 0)):
        assert left(controller_with("raid10", *[OK] * 6, mode="software", layout=layout)) == wanted


def test_members_below_are_judged_as_well() -> None:
    """Two members on one drive fail together. A member on a volume that is out of reach is gone."""
    below = [{"backing": (name,)} for name in ("d:1", "d:2", "d:3")]
    assert left(controller_with("raid5", *below, mode="software")) == 1
    assert left(controller_with("raid5", *below[:2], below[0], mode="software")) == 0
    hardware = Controller(id="d:", volumes=(Volume(id="d:2", status="offline"),))
    _, upper = with_redundancy([hardware, controller_with("raid6", *below, OK, mode="software")])
    assert upper.volumes[0].failures_tolerated == 1


@pytest.mark.parametrize(
    ("level", "nodes", "wanted"),
    [
        ("raid1", "sda1 sda2", 0), ("raid1", "sda1 sdb1", 1), ("raid1", "sda sda1", 0), ("raid1", "dm-1 dm-2", 1),
        ("raid1", "nvme0n1p1 nvme0n1p2", 0), ("raid1", "nvme0n1 nvme0n2", 1), ("raid1", "mmcblk0p1 mmcblk0p2", 0),
        ("raid1", "cciss/c0d0p1 cciss/c0d0p2", 0), ("raid1", "cciss/c0d0p1 cciss/c0d1p1", 1), ("raid1", "md1 md12", 1),
        ("raid1", "disk/by-id/ata-A-part1 disk/by-id/ata-A-part2", 0), ("raid10", "sda1 sda2 sdb1 sdb2", 0),
        ("raid6", "sda1 sda2 sdb1 sdc1", 1), ("raid6", "sda1 sda2 sda3 sdb1", 0), ("raid1", "sda1 sda2 sdb1 sdc1", 2),
        ("raid1", "vdev0 vdev1", 1),
    ],
)  # fmt: skip
def test_partitions_of_one_drive_fail_together(level: str, nodes: str, wanted: int) -> None:
    """Without the kernel's view, the names of partitions show that they share a drive."""
    named = [{"device": f"/dev/{name}"} for name in nodes.split()]
    assert left(controller_with(level, *named, mode="software")) == wanted


@pytest.mark.parametrize(("level", "wanted"), [("raid0", 0), ("raid1", 1)])
def test_arrays_below_that_share_a_drive_fail_together_if_they_survive_nothing(level: str, wanted: int) -> None:
    """A drive that two arrays are on ends both only if neither survives a failure."""
    listing = f"""Personalities : [raid1] [raid0]
md30 : active raid1 md31[0] md32[1]
      976629760 blocks super 1.2 [2/2] [UU]

md31 : active {level} sdb1[0] sdc1[1]
      976629760 blocks super 1.2 {"[2/2] [UU]" if level == "raid1" else "512k chunks"}

md32 : active {level} sdb2[0] sdd1[1]
      976629760 blocks super 1.2 {"[2/2] [UU]" if level == "raid1" else "512k chunks"}

unused devices: <none>
"""
    [controller] = read_text(listing).inventory.controllers
    assert [one.failures_tolerated for one in controller.volumes if one.id == "md:md30"] == [wanted]


def test_the_array_has_what_its_worst_volume_has() -> None:
    """One volume without redundancy decides; an unknown one makes the array unknown."""
    one = controller_with("raid6", *[OK] * 4)
    for level, wanted in (("raid0", 0), ("raid5", 1), ("unknown", None)):
        other = replace(one.volumes[0], id="x:0/v1", raid_level=level)
        (done,) = with_redundancy([replace(one, volumes=(one.volumes[0], other))])
        assert done.arrays[0].failures_tolerated == wanted
    bare, unknown = (replace(one.volumes[0], id=f"x:0/{level}", raid_level=level) for level in ("raid0", "unknown"))
    (done,) = with_redundancy([replace(one, volumes=(unknown, bare))])
    assert done.arrays[0].failures_tolerated == 0


def test_it_is_written_as_people_speak() -> None:
    """The noun agrees with 0, 1 and more. A level without redundancy gets no sentence."""
    words = [survives(Volume(id="v", raid_level="raid6", failures_tolerated=number)) for number in (None, 0, 1, 2)]
    assert words == [
        "", "survives no further failure", "survives 1 more drive failure", "survives 2 more drive failures",
    ]  # fmt: skip
    assert survives(Volume(id="v", raid_level="raid0", failures_tolerated=0)) == ""


@pytest.mark.parametrize("machine", MACHINES)
def test_a_member_less_never_makes_it_more(machine: str) -> None:
    """On every recorded machine, a lost member never raises the figure."""
    for found in replayed(machine).inventory.controllers:
        for volume in found.volumes:
            now = tolerated(found, volume)
            for gone in found.drives:
                if gone.array is None or gone.array != volume.array or gone.role != "member":
                    continue
                failed = replace(gone, status="critical")
                worse = replace(found, drives=tuple(failed if one is gone else one for one in found.drives))
                fewer = replace(found, drives=tuple(one for one in found.drives if one is not gone))
                for other in (tolerated(worse, volume), tolerated(fewer, volume)):
                    assert (other or 0) <= (now or 0)


def test_a_drive_that_data_are_copied_onto_is_no_member_yet() -> None:
    """The drive being replaced works until the end, so nothing is gone. A rebuild beside the copy counts."""
    copied: dict[str, Any] = {"status": "warning", "status_text": "Cpybck"}
    assert left(controller_with("raid6", OK, OK, OK, OK, copied, drives_expected=4)) == 2
    assert left(controller_with("raid6", OK, OK, OK, OK, copied, drives_expected=None)) == 2
    assert left(controller_with("raid6", OK, OK, OK, REBUILDING, copied, drives_expected=4)) == 1
    assert left(controller_with("raid5", OK, OK, FAILED, copied, drives_expected=3, status="degraded")) == 0


def test_an_ok_volume_lacks_a_member_by_its_stripe() -> None:
    """A volume that is reported ok lacks a member if fewer work than its full stripe has."""
    stripe: dict[str, Any] = {"strip_bytes": 65536, "full_stripe_bytes": 2 * 65536, "drives_expected": None}
    for active, words in ((4, ""), (3, "reported ok, but 3 of 4 members work")):
        found = controller_with("raid6", OK, OK, OK, **stripe, drives_active=active)
        assert shortage(found, found.volumes[0]) == words
        assert left(found) == (2 if not words else 1)


@pytest.mark.parametrize(("fourth", "count"), [(OK, 0), (FAILED, 1), (REBUILDING, 1)])
def test_a_drive_that_data_are_copied_onto_replaces_no_failed_member(fourth: dict[str, Any], count: int) -> None:
    """A volume that is reported ok lacks a failed member, also if the copy of another makes up the number."""
    copied: dict[str, Any] = {"status": "warning", "status_text": "Cpybck"}
    found = controller_with("raid6", OK, OK, OK, fourth, copied, drives_expected=4)
    assert len(signs_of_missing_member(found, found.volumes[0])) == count
    assert len(volumes_lacking(found, found.drives[3])) == count


@pytest.mark.parametrize(
    ("words", "wanted"),
    [("Degraded", 1), ("Failed Physical Drive", 1), ("Missing Physical Drive", 1), ("Rebuilding", 1),
     ("Predictive Failure", 2), ("Migrating", 2)],
)  # fmt: skip
def test_an_array_that_lacks_a_drive_counts_although_its_volume_is_ok(words: str, wanted: int) -> None:
    """The worse of two states decides. The list of arrays has "Degraded", that of volumes "Normal"."""
    found = controller_with("raid6", OK, OK, OK, OK)
    array = replace(found.arrays[0], status="warning", status_text=words)
    assert left(replace(found, arrays=(array,))) == wanted


def test_a_rebuild_of_a_degraded_volume_is_no_copy() -> None:
    """All members are present, yet the word is "Degraded, Rebuilding". A mirror of one drive has no redundancy."""
    counted = {"status": "rebuilding", "drives_active": 3}
    assert left(controller_with("raid5", OK, OK, OK, status_text="Degraded, Rebuilding", **counted)) == 0
    assert left(controller_with("raid5", OK, OK, OK, status_text="Rebuilding", **counted)) == 1
    assert left(controller_with("raid1", OK)) == 0
