"""``raidctl events`` on every simulated machine, and out of a recording."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from raidctl.cli.events import _new, _Reading, selected
from raidctl.cli.shared.machine import Machine
from raidctl.request import Answer, Request
from raidctl.simulation.demo import demos, machine
from raidctl.vendor.kernel_log import JOURNAL
from raidctl.vendor.registry import vendors
from tests.output.inventories import stacked
from tests.support.command_line import Raidctl, command_line


@pytest.fixture
def raidctl(monkeypatch: pytest.MonkeyPatch) -> Raidctl:
    """Run a command line in this process."""
    monkeypatch.setenv("COLUMNS", "80")
    return command_line()


DEMOS = [demo.name for demo in demos(vendors()[0])]
START = 1768000000000000
WITH_LOG = ("9271", "h730", "h730-foreign", "perc5i", "raid6", "workstation")


@pytest.mark.parametrize("name", DEMOS)
def test_events_of_every_simulated_machine(raidctl: Raidctl, tmp_path: Path, name: str) -> None:
    """Screen and JSON agree. The screen keeps to 80 columns; what was not read gives exit code 3, never silence."""
    options = ("--demo", name, "--state-dir", tmp_path)
    screen, reported = raidctl(*options, "events"), raidctl(*options, "events", "--json")
    report = json.loads(reported.stdout)
    assert screen.exit_code == reported.exit_code
    assert max(map(len, screen.stdout.splitlines())) <= 80
    kinds = {problem["kind"] for problem in report["problems"]}
    assert reported.exit_code == (3 if "unread" in kinds else 4 if kinds & {"no_tool", "no_right"} else 0)
    assert report["unparsed"] == []
    assert (name in WITH_LOG) == bool(report["events"])
    assert name not in WITH_LOG or reported.exit_code == 0, "the log is complete"
    for event in report["events"]:
        assert event["text"].split()[0] in screen.stdout


def test_a_recording_with_events_shows_the_same(raidctl: Raidctl, tmp_path: Path) -> None:
    """``record --events`` keeps them. Without the option, the replay reports that they are missing."""
    demo = ("--demo", "perc5i", "--state-dir", tmp_path)
    shown = json.loads(raidctl(*demo, "events", "--json").stdout)
    assert raidctl(*demo, "record", "--events", tmp_path / "with").exit_code == 0
    assert raidctl(*demo, "record", tmp_path / "without").exit_code == 0
    again = json.loads(raidctl("--replay", tmp_path / "with", "events", "--json").stdout)
    assert [one["text"] for one in again["events"]] == [one["text"] for one in shown["events"]]
    missing = raidctl("--replay", tmp_path / "without", "events")
    assert missing.exit_code == 3
    assert "record --events" in missing.stdout


def test_target_level_and_time_limit_the_list(raidctl: Raidctl, tmp_path: Path) -> None:
    """A volume is meant with its drives; a controller with everything."""
    demo = ("--demo", "raid6", "--state-dir", tmp_path, "events")
    found = json.loads(raidctl(*demo, "/srv", "--level", "critical", "--json").stdout)["events"]
    assert {one["object_id"] for one in found} == {"drives:ZC1A00L2"}
    assert json.loads(raidctl(*demo, "--since", "2026-11-23T05:00", "--json").stdout)["events"][0]["text"].endswith(
        "data-check done."
    )


def with_journal(place: Path, *rows: tuple[str, str, str]) -> Path:
    """A recording of three drives with these lines of the journal: boot, priority, message."""
    shutil.copytree("fixtures/drives-ahci", place)
    lines = [
        {"MESSAGE": text, "PRIORITY": priority, "_BOOT_ID": boot * 32, "__REALTIME_TIMESTAMP": str(START + number)}
        for number, (boot, priority, text) in enumerate(rows)
    ]
    (place / "journal").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    record = json.loads((place / "record.json").read_text())
    record["answers"] += [
        {"run": JOURNAL.argv, "code": 0, "out": "journal"},
        {"read": "/proc/sys/kernel/random/boot_id", "text": "-".join("b" * length for length in (8, 4, 4, 4, 12))},
        {"read": "/proc/uptime", "text": "1000.00 900.00\n"},
    ]
    (place / "record.json").write_text(json.dumps(record))
    return place


def test_no_line_that_may_be_of_the_target_is_left_out_silently(raidctl: Raidctl, tmp_path: Path) -> None:
    """Lines with the target's name from before it was certain are marked; lines without a name are counted."""
    place = with_journal(
        tmp_path / "machine",
        ("a", "3", "critical medium error, dev sdb, sector 4096 op 0x0:(READ)"),
        ("a", "3", "critical medium error, dev sda, sector 4096 op 0x0:(READ)"),
        ("b", "3", "ata3.00: exception Emask 0x0 SAct 0x8 SErr 0x0 action 0x0"),
        ("b", "6", "sd 1:0:0:0: [sdb] Attached SCSI disk"),
        ("b", "6", "sd 0:0:0:0: [sda] Attached SCSI disk"),
    )
    options = ("--replay", place, "events", "--level", "warning")
    screen = raidctl(*options, "/dev/sdb")
    report = json.loads(raidctl(*options, "/dev/sdb", "--json").stdout)
    assert [(one["object_id"], one["possible_object_id"]) for one in report["events"]] == [(None, "drives:HBN1K9X5")]
    assert "drives:HBN1K9X5?  critical medium error" in screen.stdout
    assert report["left_out"] == 2
    assert "Left out: 2 events whose object is uncertain." in screen.stdout
    silent = raidctl(*options, "/dev/sdc").stdout
    assert "No events." not in silent
    assert "Left out: 3 events whose object is uncertain." in silent
    whole = json.loads(raidctl(*options, "--json").stdout)
    assert (len(whole["events"]), whole["left_out"]) == (3, 0)


def test_a_software_array_has_the_events_of_the_volume_below() -> None:
    """The log of the controller is read, and events of its volume, battery and drives are listed."""
    narrowed, ids = selected(stacked(), frozenset({"md:md0"}))
    assert {one.id for one in narrowed.controllers} == {"adaptec:1", "md"}
    assert {"md:md0", "adaptec:1/v0", "adaptec:1/battery0", "adaptec:1/0,1"} < ids


@pytest.mark.parametrize("words", [("--since", "soon"), ("--level", "bad"), ("nosuch",), ("--since", "")], ids=" ".join)
def test_wrong_words_are_refused(raidctl: Raidctl, tmp_path: Path, words: tuple[str, ...]) -> None:
    """One sentence, exit code 2."""
    done = raidctl("--demo", "raid6", "--state-dir", tmp_path, "events", *words)
    assert (done.exit_code, done.stdout) == (2, "")


def test_a_recording_cannot_be_followed(raidctl: Raidctl) -> None:
    """A recording has no later events, so --follow is wrong usage."""
    assert raidctl("--replay", Path("fixtures/md-healthy"), "events", "--follow").exit_code == 2


class Growing:
    """A simulated machine whose kernel logs one more line with each reading."""

    def __init__(self, place: Path) -> None:
        self._inner = machine("raid6", vendors()[0], place)
        self._lines = 0
        self.recorded_at = self._inner.recorded_at

    def carry_out(self, requests: tuple[Request[Answer], ...]) -> list[Answer]:
        """Reply; the journal grows."""
        answers = list(self._inner.carry_out(requests))
        for number, request in enumerate(requests):
            if request == JOURNAL:
                self._lines += 1
                more = [{"MESSAGE": f"md: line {line}", "PRIORITY": "4"} for line in range(1, self._lines)]
                more_printed = answers[number].out + "".join(f"{json.dumps(one)}\n" for one in more).encode()  # type: ignore[attr-defined]  # of a program
                answers[number] = type(answers[number])(code=0, out=more_printed)  # type: ignore[call-arg]  # as above
        return answers


class Ticking:
    """A clock that passes as fast as one sleeps."""

    seconds = 0.0

    def now(self) -> float:
        """Seconds so far."""
        return self.seconds

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.seconds += seconds


def test_follow_lists_each_event_once(tmp_path: Path) -> None:
    """Existing events are listed first, then only new ones. Reading the tools again repeats nothing."""
    named = Machine(Growing(tmp_path), vendors()[0], "demo:raid6", recorded_at="2026-11-23T06:12:05Z")  # type: ignore[arg-type]  # a runner
    reading = _Reading(named, named.survey(), None)
    stream = _new(reading, reading.whole(None, None), Ticking())
    first = next(stream)
    assert len(first) == 13
    for number in range(1, 16):
        assert [event.text for event in next(stream)] == [f"md: line {number}"]
