"""Outputs of mvcli: cut-off descriptions, states and background activities."""

from __future__ import annotations

import pytest

from tests.support.conclusions import anything_unread, read_text
from tests.support.machines import FIXTURES

_CONTROLLER = """Adapter ID:                          0
Product:                             1b4b-9230
Supported RAID mode:                 RAID0 RAID1
Max total blocks:                    128
Features:                            rebuild,synchronize
Advanced features:                   event sense code,multi VD,image health,timer
Max buffer size:                     3
Image health:                        Healthy
HBA info image health:               Error
"""


@pytest.mark.parametrize(
    ("line", "missing"),
    [
        ("Features", "Features"),
        ("Advanced features", "Max buffer size"),
        ("Max buffer", "Max buffer size"),
        ("HBA info", "HBA info image health"),
    ],
)
def test_a_description_of_a_controller_without_its_end_is_reported(line: str, missing: str) -> None:
    """A controller's description without its end is reported.

    The states of the firmware's images come last, where the features announce them.
    """
    assert [output.cut_off for output in read_text(_CONTROLLER).outputs] == [None]
    cut = _CONTROLLER[: _CONTROLLER.index(f"\n{line}") + 1]
    assert [output.cut_off for output in read_text(cut).outputs] == [f"the line `{missing}` is missing"]


_VOLUME = """id:                  0
name:                test
status:              {}
Stripe size:         64
RAID mode:           RAID1
size:                122040 M
# of PDs:            2
PD RAID setup:       0 1

Total # of VD:       1
"""


@pytest.mark.parametrize(
    ("word", "status"),
    [("functional", "ok"), ("optimal", "ok"), ("degraded", "degraded"), ("partially optimal", "degraded"),
     ("offline", "offline"), ("functional, but one drive is gone", "unknown"), ("suboptimal", "unknown"),
     ("deleted", "unknown"), ("Degrade", "degraded"), ("degrade plugin", "degraded"), ("missing", "offline"),
     ("foreign", "inactive"), ("importable", "inactive"), ("not importable", "inactive"), ("conflicted", "inactive"),
     ("migration", "migrating"), ("rebuilding", "rebuilding"), ("initialized", "ok"), ("invalid", "unknown")],
)  # fmt: skip
def test_a_good_word_counts_alone(word: str, status: str) -> None:
    """A state that only begins with a good word is not ok."""
    seen = read_text(_VOLUME.format(word))
    assert seen.inventory.controllers[0].volumes[0].status == status
    assert any(one.kind == "unread" for one in seen.inventory.problems) == (status == "unknown")


@pytest.mark.parametrize(
    ("word", "status", "left"),
    [("online", "ok", 1), ("Idle", "ok", 1), ("assigned", "ok", 1)]
    + [(word, "unknown", None) for word in ("unassigned", "Free", "spare", "global spare", "unconfigured")],
)
def test_only_a_state_that_members_have_counts_for_a_volume(word: str, status: str, left: int | None) -> None:
    """A volume that is ok and lists a drive with a state that no member has is unknown, with what it survives."""
    drives = "".join(f"\nAdapter: 0\nPD ID: {number}\nType: SATA PD\nPD status: {word}\n" for number in (0, 1))
    seen = read_text(
        f"{_VOLUME.format('functional')}\nPhysical Disk Information\n{'-' * 25}{drives}\nTotal # of PD: 2\n"
    )
    [volume] = seen.inventory.controllers[0].volumes
    assert (volume.status, volume.failures_tolerated) == (status, left)
    assert (f"drive p1 is {word}" in (volume.status_text or "")) == (status == "unknown")


def test_a_volume_is_unknown_if_the_complete_list_lacks_one_of_its_drives() -> None:
    """A volume that is ok and has a drive that the tool does not list is unknown, and has no known redundancy."""
    drives = "\nAdapter: 0\nPD ID: 0\nType: SATA PD\nPD status: online\n\nTotal # of PD: 1\n"
    seen = read_text(f"{_VOLUME.format('functional')}\nPhysical Disk Information\n{'-' * 25}{drives}")
    [volume] = seen.inventory.controllers[0].volumes
    assert (volume.status, volume.status_text) == ("unknown", "functional, but drive p1 is not listed")
    assert not volume.failures_tolerated


@pytest.mark.parametrize(
    ("activity", "progress", "status", "found"),
    [
        ("running", "rebuilding is 15% done", "rebuilding", ("rebuild", 15, "running")),
        ("paused", "rebuilding is 15% done", "rebuilding", ("rebuild", 15, "paused")),
        ("auto paused", "media patrol is 3% done", "degraded", ("patrol_read", 3, "paused")),
        ("running", "consistency fix is 3% done", "degraded", ("repair", 3, "running")),
        ("running", "consistency check is 3% done", "degraded", ("check", 3, "running")),
        ("running", "migration is 3% done", "degraded", ("migrate", 3, "running")),
        ("DDF pending", "rebuilding is 0% done", "rebuilding", ("rebuild", 0, "queued")),
        # an operation that has ended early is not running
        ("aborted", "rebuilding is 15% done", "degraded", None),
        ("interrupted", "rebuilding is 15% done", "degraded", None),
        ("not running", "N/A", "degraded", None),
    ],
)
def test_background_activities(activity: str, progress: str, status: str, found: tuple[str, float, str] | None) -> None:
    """Each state and kind of a volume's background activity."""
    more = f"BGA status:          {activity}\nBGA progress:        {progress}\nTotal"
    seen = read_text(_VOLUME.format("degraded").replace("Total", more))
    [volume] = seen.inventory.controllers[0].volumes
    work = volume.progress
    assert volume.status == status
    assert (work and (work.operation, work.percent, work.state)) == found
    assert not [problem for problem in seen.inventory.problems if problem.kind == "unread"]


def test_an_unknown_activity_is_reported() -> None:
    """An unknown activity is a problem."""
    seen = read_text(_VOLUME.format("functional").replace("Total", "BGA status:          juggling\nTotal"))
    assert any("juggling" in problem.message for problem in seen.inventory.problems)


@pytest.mark.parametrize(
    ("word", "status"),
    [("online", "ok"), ("Idle", "ok"), ("assigned", "ok"), ("free", "ok"), ("global spare", "ok"),
     ("offline", "critical"), ("rebuild", "warning"), ("bewildered", "unknown")],
)  # fmt: skip
def test_states_of_drives(word: str, status: str) -> None:
    """An unknown word is unknown, and a problem."""
    text = (
        f"PD ID:               0\nType:                SATA PD\nPD status:           {word}\n\nTotal # of PD:       1\n"
    )
    seen = read_text(text)
    assert [drive.status for drive in seen.inventory.controllers[0].drives] == [status]
    assert any(one.kind == "unread" for one in seen.inventory.problems) == (status == "unknown")


@pytest.mark.parametrize(("word", "present"), [("Not Support", False), ("Unknown", None), ("", None), ("On", None)])
def test_a_cache_mode_that_is_not_known_is_no_missing_cache(word: str, present: bool | None) -> None:
    """Only a mode that the tool does not support shows that there is no cache."""
    text = _VOLUME.format("functional").replace("RAID mode", f"Cache mode:          {word}\nRAID mode")
    cache = read_text(text).inventory.controllers[0].cache
    assert (cache.present if cache is not None else None) is present


@pytest.mark.parametrize(("number", "few", "bad"), [("C5", 0, 1), ("C6", 0, 1), ("05", 9, 10)])
def test_bad_sectors_count_without_the_command_that_names_the_drive(number: str, few: int, bad: int) -> None:
    """The attributes alone are those of some drive of the controller."""
    recorded = (FIXTURES / "marvell-boss-rebuilding/mvcli-smart-1.out").read_text()
    row = next(line for line in recorded.splitlines() if line.startswith(number))
    for count in (few, bad):
        found = read_text(recorded.replace(row, row.replace("000000000000", f"{count:012X}"))).inventory.problems
        assert ["state"] * (count == bad) == [one.kind for one in found if "sector" in one.message]


@pytest.mark.parametrize("number", ["0", "1"])
def test_a_drive_of_mnv_cli_without_its_number_is_unread(number: str) -> None:
    """Its state is not lost, and not taken for that of the drive above."""
    drives = "".join(
        f"PD ID:        {one}\nModel:        X\nFirmware version:  1\nStatus:       {word}\nSMART Critical: No\n\n"
        for one, word in (("0", "Idle"), ("1", "Idle"))
    )
    whole = f"{drives}Total # of PD: 2\n"
    found = read_text(whole.replace(f"PD ID:        {number}\n", "")).inventory.problems
    assert [one for one in found if one.kind == "unread" and "without its number" in one.message]


@pytest.mark.parametrize(
    "damaged", ["", "SMART Critical", "SMART Critical                ", "SMART Cr?tical      Yes", "SMART"]
)
def test_a_damaged_verdict_of_a_drive_is_unread(damaged: str) -> None:
    """Without its line `SMART Critical`, a drive that mnv_cli expects to fail is not good."""
    recorded = (FIXTURES / "marvell-n1-and-no-tool/mnv_cli-info-pd.out").read_text()
    line = "SMART Critical                Yes"
    assert recorded.count(line) == 1
    assert anything_unread(read_text(recorded.replace(line, damaged)))
