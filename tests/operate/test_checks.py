"""What is concluded about the last check of a volume. Only a check whose end was seen is complete."""

from __future__ import annotations

import itertools
import os
from datetime import datetime, timezone
from pathlib import Path
from typing import Literal

from click.testing import CliRunner
from msgspec.structs import replace

from raidctl.cli import cli
from raidctl.model import Controller, Host, Inventory, Progress, Scrub, Volume
from raidctl.operate.check_history import CheckRecord, History, append, read
from raidctl.operate.checks import Evidence, VolumeCheck, checks, newly_settled, with_history
from raidctl.output.checks import checks_screen
from raidctl.output.console import Display
from raidctl.vendor.checks import CheckEvent, CheckReading
from tests.support.machines import MACHINES, replayed
from tests.support.over import over

UUID = "0a1b2c3d:4e5f6071:8293a4b5:c6d7e8f9"
NOW = datetime(2026, 11, 1, 6, 0, tzinfo=timezone.utc)
VOLUME = Volume(id="md:md0", device="/dev/md0", unique_id=UUID, raid_level="raid6", status="ok")
BEGUN = CheckRecord(array=UUID, volume="md:md0", began="2026-11-01T05:00:00Z", boot="b1", seconds=100.0, read_errors=2)
IDLE = CheckReading(last="check", differ=0, read_errors=2)
DONE = CheckEvent(device="md0", kind="check", done=True, seconds=200.0)
STOPPED = replace(DONE, done=False)


def machine(volume: Volume = VOLUME) -> Inventory:
    """A machine with one array."""
    return Inventory(host=Host(), controllers=(Controller(id="md", mode="software", volumes=(volume,)),))


def evidence(
    reading: CheckReading | None = IDLE,
    *records: CheckRecord,
    log: tuple[CheckEvent, ...] | None = (),
    boot: str = "b1",
) -> Evidence:
    """What is known beside the inventory, one hour after the check began."""
    readings = {} if reading is None else {"md:md0": reading}
    return Evidence(
        readings=readings, events=log, history=History(records=records), boot=boot, uptime=3700.0, now=NOW
    )  # fmt: skip


def check(known: Evidence, volume: Volume = VOLUME) -> VolumeCheck:
    """What is concluded."""
    [found] = checks(machine(volume), known)
    return found


@over(
    "known, state, complete, differ",
    [
        # raidctl's own check, in this boot
        (evidence(IDLE, BEGUN, log=(DONE,)), "complete", True, 0),
        (evidence(replace(IDLE, differ=128), BEGUN, log=(DONE,)), "complete", True, 128),
        (evidence(IDLE, BEGUN, log=(STOPPED,)), "interrupted", False, 0),
        (evidence(replace(IDLE, stopped_at=8192), BEGUN, log=()), "interrupted", False, 0),
        (evidence(replace(IDLE, stopped_at=8192), BEGUN, log=None), "interrupted", False, 0),
        (evidence(IDLE, BEGUN, log=()), "unknown", None, None),
        (evidence(IDLE, BEGUN, log=None), "unknown", None, None),
        # the log of another array, or of an earlier check, shows nothing
        (evidence(IDLE, BEGUN, log=(replace(DONE, device="md1"),)), "unknown", None, None),
        (evidence(IDLE, BEGUN, log=(replace(DONE, seconds=50.0),)), "unknown", None, None),
        # the log's clock runs behind or ahead of the uptime: an end counts if it is after the last one at the start
        (evidence(IDLE, replace(BEGUN, log_seconds=60.0),
                  log=(replace(STOPPED, seconds=60.0), replace(DONE, seconds=80.0))), "complete", True, 0),
        (evidence(IDLE, replace(BEGUN, log_seconds=150.0), log=(replace(DONE, seconds=150.0),)), "unknown", None, None),
        (evidence(IDLE, replace(BEGUN, log_seconds=150.0),
                  log=(replace(DONE, seconds=150.0), replace(STOPPED, seconds=160.0))), "interrupted", False, 0),
        (evidence(IDLE, replace(BEGUN, log_seconds=0.0), log=(replace(DONE, seconds=50.0),)), "complete", True, 0),
        # somebody went on with a stopped check: the count is for the rest only
        (evidence(IDLE, BEGUN, log=(STOPPED, replace(DONE, seconds=300.0))), "interrupted", False, None),
        (evidence(IDLE, BEGUN, log=(DONE, replace(STOPPED, seconds=300.0))), "complete", True, None),
        # after a reboot the end can no longer be seen; the saved result remains
        (evidence(CheckReading(), BEGUN, boot="b2"), "unknown", None, None),
        (evidence(CheckReading(), replace(BEGUN, end="complete", complete=True, ended="2026-11-01T05:30:00Z", differ=0),
                  boot="b2"), "complete", True, 0),
        (evidence(CheckReading(), replace(BEGUN, end="interrupted", ended="2026-11-01T05:30:00Z"), boot="b2"),
         "interrupted", False, None),
        # nobody has recorded it
        (evidence(IDLE, log=(DONE,)), "ended", None, 0),
        (evidence(IDLE, log=()), "ended", None, 0),
        (evidence(IDLE, log=None), "ended", None, 0),
        (evidence(IDLE, log=(STOPPED,)), "interrupted", False, 0),
        (evidence(replace(IDLE, stopped_at=8192), log=None), "interrupted", False, 0),
        (evidence(CheckReading()), "none", None, None),
        (evidence(CheckReading(last_known=False)), "unknown", None, None),
        (evidence(CheckReading(known=False)), "unknown", None, None),
        # under way
        (evidence(CheckReading(running="check", differ=8), BEGUN), "running", None, 8),
        (evidence(CheckReading(running="check", paused_at=16384)), "paused", None, None),
        # a hardware controller
        (evidence(None), "not_reported", None, None),
    ],
)  # fmt: skip
def test_complete_needs_an_end_that_was_seen(
    known: Evidence, state: str, complete: bool | None, differ: int | None
) -> None:
    """A check is complete only with an end that was seen.

    The log of the same boot has its end after its start, or the result was kept. Everything else is interrupted or
    unknown.
    """
    found = check(known)
    assert (found.state, found.complete, found.differ) == (state, complete, differ)


@over(
    "result, state, complete",
    [
        ("ok", "complete", True),
        ("failed", "complete", True),
        ("unfinished", "interrupted", False),
        (None, "ended", None),
    ],
)
def test_what_a_controller_reports_of_its_last_check_counts(
    result: Literal["ok", "failed", "unfinished"] | None, state: str, complete: bool | None
) -> None:
    """The volume's own check counts before the controller's. Without a result only its end is known."""
    scrub = Scrub(last_at="2026-10-30T03:00:00Z", last_result=result)
    found = check(evidence(None), replace(VOLUME, consistency_check=scrub))
    assert (found.state, found.complete, found.kind) == (state, complete, "check")
    if state == "interrupted":  # the time is that of the last complete one
        assert (found.ended, "2026-10-30T03:00:00Z" in (found.why or "")) == (None, True)


@over("result, green", [("ok", True), ("failed", False)])
def test_a_complete_check_that_found_errors_is_not_green(result: Literal["ok", "failed"], green: bool) -> None:
    """All of it was checked, and the result is bad: a ZFS scrub that ended with errors."""
    found = check(evidence(None), replace(VOLUME, consistency_check=Scrub(last_result=result)))
    assert found.faults is not green
    assert ("\x1b[32mcomplete" in checks_screen([found], Display(colour=True))) is green


@over("status, state, shown", [("ok", "paused", "paused"), ("ok", "queued", "waiting"), ("ok", None, "running"),
                              ("checking", "", "running")])  # fmt: skip
def test_a_controllers_check_that_does_not_run_is_not_called_running(
    status: Literal["ok", "checking"], state: Literal["paused", "queued", ""] | None, shown: str
) -> None:
    """A paused or queued check is shown as such. One that only the volume's status shows hides the last one."""
    work = None if state == "" else Progress(operation="check", state=state)
    last = Scrub(last_at="2020-10-30T03:00:00Z", last_result="ok")
    found = check(evidence(None), replace(VOLUME, status=status, progress=work, consistency_check=last))
    assert (found.state, found.complete) == (shown, None)


def test_no_evidence_of_less_makes_a_check_complete() -> None:
    """Less evidence never makes a check complete.

    With any of log, record, boot and reading missing, it needs "done" or a record.
    """
    readings = [CheckReading(last=last, stopped_at=at, last_known=known, known=known)
                for last in (None, "check", "repair") for at in (None, 64) for known in (True, False)]  # fmt: skip
    logs = [None, (), (STOPPED,), (replace(DONE, device="md1"),), (replace(DONE, kind="repair"),)]
    records = [
        (),
        (BEGUN,),
        (replace(BEGUN, boot="b0"),),
        (replace(BEGUN, seconds=None),),
        (replace(BEGUN, end="unknown"),),
    ]
    for reading, log, kept, boot in itertools.product(readings, logs, records, ("b1", "")):
        found = check(evidence(reading, *kept, log=log, boot=boot))
        assert found.state != "complete", (reading, log, kept, boot)
        assert found.complete is not True


def test_read_errors_are_those_since_the_start() -> None:
    """Read errors are the members' counters minus their earlier values.

    The number is unknown if either is, or if a member was exchanged.
    """
    assert check(evidence(replace(IDLE, read_errors=5), BEGUN, log=(DONE,))).errors == 3
    assert check(evidence(replace(IDLE, read_errors=None), BEGUN, log=(DONE,))).errors is None
    assert check(evidence(replace(IDLE, read_errors=0), BEGUN, log=(DONE,))).errors is None


def test_mdchecks_own_record_counts() -> None:
    """Its mark means a complete check. Beside the place of a stopped check, it does not."""
    at = "2026-11-01T05:30:00+00:00"
    done = check(evidence(), replace(VOLUME, consistency_check=Scrub(last_at=at, last_result="ok")))
    assert (done.state, done.by, done.ended) == ("complete", "mdcheck", at)
    half = check(evidence(CheckReading()), replace(VOLUME, consistency_check=Scrub(last_result="unfinished")))
    assert (half.state, half.complete) == ("interrupted", False)


COMPLETE = replace(BEGUN, end="complete", complete=True, ended="2026-11-01T05:30:00Z", differ=0, errors=0)


@over("log", [(), None, (DONE,), (STOPPED,)])
@over(
    "record, scrub",
    [
        (replace(COMPLETE, boot="b0"), None),  # of an earlier boot
        (replace(COMPLETE, boot="b0", began="2027-01-01T05:00:00Z", ended="2027-01-01T05:30:00Z"), None),
        (COMPLETE, None),  # of this boot, and the kernel counts something else now
        (None, Scrub(last_at="2026-10-01T02:00:00+00:00", last_result="ok")),  # mdcheck's, before the boot
    ],
)
def test_the_kernels_later_check_is_not_hidden_by_an_older_good_one(
    record: CheckRecord | None, scrub: Scrub | None, log: tuple[CheckEvent, ...] | None
) -> None:
    """Sectors that differ in the kernel's last check count, whatever the time of an older record."""
    reading = replace(IDLE, differ=128)
    records = () if record is None else (record,)
    found = check(evidence(reading, *records, log=log), replace(VOLUME, consistency_check=scrub))
    assert found.differ == 128
    assert found.complete is not True


def test_after_a_clock_was_set_back_the_last_check_is_the_one_recorded_last() -> None:
    """A later check that found differences is the last one, even if its time is earlier."""
    bad = replace(COMPLETE, began="2026-10-20T05:00:00Z", ended="2026-10-20T05:30:00Z", differ=128)
    found = check(evidence(CheckReading(), COMPLETE, bad))
    assert (found.began, found.differ) == (bad.began, 128)
    [volume] = with_history(machine(), History(records=(COMPLETE, bad))).controllers[0].volumes
    assert volume.consistency_check is not None
    assert volume.consistency_check.last_result == "failed"


def test_a_volume_without_copies_has_nothing_to_compare() -> None:
    """RAID-0, linear and single drives."""
    for level in ("raid0", "linear", "jbod"):
        assert check(evidence(None), replace(VOLUME, raid_level=level)).state == "not_redundant"


def test_every_check_under_way_on_a_recorded_machine_is_shown_as_running() -> None:
    """Every check under way is shown as running. No other volume is."""
    for name in MACHINES:
        inventory = replayed(name).inventory
        running = {
            v.id for c in inventory.controllers for v in c.volumes if v.progress and v.progress.operation == "check"
        }
        assert {one.volume for one in checks(inventory, Evidence()) if one.state == "running"} == running, name


def test_results_survive_in_a_file(tmp_path: Path) -> None:
    """A record is open, then settled once. A line that was cut off costs that line only."""
    append(tmp_path, [BEGUN])
    fresh = newly_settled(machine(), replace(evidence(log=(DONE,)), history=read(tmp_path)))
    append(tmp_path, fresh)
    assert [one.end for one in read(tmp_path).of(UUID)] == ["complete"]
    assert newly_settled(machine(), replace(evidence(log=(DONE,)), history=read(tmp_path))) == []
    with (tmp_path / "checks.jsonl").open("ab") as file:
        file.write(b'{"array":"x')
    append(tmp_path, [replace(BEGUN, began="2026-11-02T05:00:00Z")])
    kept = read(tmp_path)
    assert len(kept.of(UUID)) == 2
    assert kept.unread is not None
    assert "Damaged lines: 1 of 4" in kept.unread


def test_a_history_of_others_is_not_trusted(tmp_path: Path) -> None:
    """A file that others may write to has no results. The problem names the reason."""
    append(tmp_path, [BEGUN])
    os.chmod(tmp_path / "checks.jsonl", 0o666)  # noqa: PTH101, S103 - what is tested
    assert read(tmp_path).records == ()
    assert "Not trusted" in (read(tmp_path).unread or "")


def test_results_that_cannot_be_read_are_a_problem_of_every_reading(tmp_path: Path) -> None:
    """Unreadable results are a problem of every reading, with exit code 3.

    A failed check may be among them. `show` gives the reason first, since it cuts a long path.
    """
    place = tmp_path / "state" / "demo" / "raid6"
    place.mkdir(parents=True)
    for path in (tmp_path / "state", place.parent, place):
        path.chmod(0o700)
    append(place, [BEGUN])
    words = ["--state-dir", str(tmp_path / "state"), "--demo", "raid6"]
    assert CliRunner().invoke(cli, [*words, "show"]).exit_code == 0
    with (place / "checks.jsonl").open("ab") as file:
        file.write(b'{"array":"x')
    for command in ("show", "diagnose", "snapshot", "check show"):
        done = CliRunner().invoke(cli, [*words, *command.split()])
        assert "Damaged lines: 1 of 2, in" in " ".join(done.output.split())
        assert done.exit_code == (1 if command == "diagnose" else 3)


def test_rules_learn_of_kept_results() -> None:
    """`diagnose` sees the end of a check that raidctl has kept.

    It also sees that the check found differences or was stopped.
    """
    end = replace(BEGUN, end="complete", complete=True, ended="2026-11-01T05:30:00Z", differ=0)
    for record, last in (
        (end, Scrub(last_at=end.ended, last_result="ok")),
        (replace(end, differ=8), Scrub(last_at=end.ended, last_result="failed")),
        (replace(end, differ=None), Scrub(last_at=end.ended)),
        (replace(end, end="interrupted", complete=False), Scrub(last_result="unfinished")),
        (BEGUN, None),
    ):
        known = with_history(machine(), History(records=(record,)))
        assert known.controllers[0].volumes[0].consistency_check == last, record


def test_a_running_check_has_its_progress() -> None:
    """Percent and time left are the kernel's."""
    progress = Progress(operation="check", percent=18.9, remaining_seconds=1872)
    found = check(evidence(CheckReading(running="check")), replace(VOLUME, progress=progress))
    assert (found.percent, found.remaining_seconds) == (18.9, 1872)
