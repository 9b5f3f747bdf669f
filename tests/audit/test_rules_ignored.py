"""Findings that are ignored until a date, and the file storing them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from raidctl.audit.builtin import HEALTH, rules
from raidctl.audit.diagnosis import Diagnosis, diagnosed, findings_of
from raidctl.audit.finding import Finding
from raidctl.audit.ignored import Entry, entries_of, waivers_of, with_new
from raidctl.audit.waiving import waive
from raidctl.cli import cli
from raidctl.errors import CannotTell
from raidctl.model import Inventory, Problem
from tests.audit.rule_examples import changed
from tests.support.machines import FIXTURES, replayed

MACHINE = "megaraid-h730p-predictive"
FAILING = "drive_expects_failure=megaraid:0/32:5"
TODAY = date(2026, 1, 1)
WHY = ("--until", "2999-12-31", "--because", "a drive is ordered")


def run(file: Path, *words: str, machine: str = MACHINE) -> Result:
    """Run ``raidctl --replay fixtures/MACHINE diagnose --ignore-file FILE …``."""
    command = ["--replay", str(FIXTURES / machine), "diagnose", "--ignore-file", str(file), *words]
    return CliRunner().invoke(cli, command, env={"COLUMNS": "200"})


def without(inventory: Inventory, found: Sequence[Finding], entries: Sequence[Entry], day: date) -> Diagnosis:
    """The diagnosis on a date with these entries of the ignore file."""
    return diagnosed(inventory, found, waivers_of(entries, inventory.host.hostname, "ignored.json"), day)


def test_an_ignored_finding_does_not_count_and_is_listed_with_its_reason(tmp_path: Path) -> None:
    """An ignored finding is listed with its reason, also in later runs.

    The screen, the JSON and the line of the plugin have it.
    """
    file = tmp_path / "ignored.json"
    assert "drive_expects_failure" in CliRunner().invoke(cli, ["--replay", str(FIXTURES / MACHINE), "diagnose"]).stdout
    line = "ignored until 2999-12-31: drive_expects_failure megaraid:0/32:5: a drive is ordered"
    assert line in run(file, "--ignore", FAILING, *WHY).stdout
    assert line in run(file).stdout
    found = msgspec.json.decode(run(file, "--json").stdout)
    assert {(one["finding"]["where"], one["reason"]) for one in found["ignored"]} == {
        ("megaraid:0/32:5", "a drive is ordered")
    }
    assert "drive_expects_failure" not in {each["rule"] for each in found["findings"]}
    assert f", {len(found['ignored'])} ignored" in run(file, "--format", "nagios").stdout


def test_ignoring_changes_the_exit_code_only_by_what_is_ignored(tmp_path: Path) -> None:
    """If everything is ignored, the exit code is 0. The plugin is OK with the count."""
    file = tmp_path / "ignored.json"
    found = msgspec.json.decode(run(tmp_path / "none.json", "--ignore", FAILING, *WHY, "--json").stdout)
    words = [f"{one['rule']}={one['where']}" for one in found["findings"] + found["unknown"]]
    done = run(file, *(word for each in [FAILING, *words] for word in ("--ignore", each)), *WHY)
    assert done.exit_code == 0
    plugin = run(file, "--format", "nagios")
    assert plugin.exit_code == 0
    assert f", {len(found['ignored']) + len(words)} ignored" in plugin.stdout


def test_a_machine_without_a_name_needs_a_separate_file(tmp_path: Path) -> None:
    """Without a host name, the default file is refused. Ids of two machines may be equal."""
    output = tmp_path / "list.txt"
    output.write_text(
        "Ctl   Model        (V)Ports  Drives   Units   NotOpt  RRate   VRate  BBU\n"
        "------------------------------------------------------------------------\n"
        "c0    9650SE-8LPML 8         8        1       1       1       1      OK\n"
    )
    command = ["--replay", str(output), "--state-dir", str(tmp_path / "state"), "diagnose"]
    ignoring = ["--ignore", "reported_trouble=threeware:0", *WHY]
    refused = CliRunner().invoke(cli, [*command, *ignoring])
    assert (refused.exit_code, "--ignore-file" in refused.stderr) == (2, True)
    assert not (tmp_path / "state").exists()
    own = ["--ignore-file", str(tmp_path / "mine.json")]
    assert CliRunner().invoke(cli, [*command, *own, *ignoring]).exit_code == 0
    assert CliRunner().invoke(cli, [*command, *own]).exit_code == 0
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "ignored.json").write_bytes((tmp_path / "mine.json").read_bytes())
    assert CliRunner().invoke(cli, command).exit_code == 1


def test_a_simulated_machine_has_a_separate_file(tmp_path: Path) -> None:
    """What is ignored on a simulated machine is kept beside its changes, and ends with `demo --reset`."""
    kept = tmp_path / "demo" / "raid6" / "ignored.json"
    command = ["--demo", "raid6", "--state-dir", str(tmp_path), "diagnose"]
    done = CliRunner().invoke(cli, [*command, "--ignore", "md_without_bitmap=md:md0", *WHY])
    assert "ignored until 2999-12-31: md_without_bitmap" in done.stdout
    assert (kept.exists(), (tmp_path / "ignored.json").exists()) == (True, False)
    assert "ignored until 2999-12-31: md_without_bitmap" in CliRunner().invoke(cli, command).stdout
    assert CliRunner().invoke(cli, ["--state-dir", str(tmp_path), "demo", "--reset", "raid6"]).exit_code == 0
    assert "ignored until" not in CliRunner().invoke(cli, command).stdout


def test_a_worse_or_another_finding_is_not_ignored() -> None:
    """An entry covers one object up to one severity. Another drive or a higher severity counts."""
    inventory = replayed(MACHINE).inventory
    found = findings_of(inventory, rules())
    host = inventory.host.hostname
    entries = with_new((), [FAILING], found, host=host, until="2999-12-31", reason="x", today=TODAY)
    today = date(2026, 1, 1)
    mine = [one for one in found if f"{one.rule}={one.where}" == FAILING and one.outcome == "fail"]
    done = without(inventory, found, entries, today)
    assert [one.finding for one in done.ignored if one.finding.because is None] == mine
    assert [one for one in done.findings if one.because == FAILING.replace("=", " ")] == []  # ignored with its cause
    milder = [replace(one, severity="warning") for one in entries]
    worse = [replace(one, severity="critical") if one in mine else one for one in found]
    left = without(inventory, worse, milder, today).findings
    assert [one.severity for one in left if one.rule == "drive_expects_failure"] == ["critical"]
    elsewhere = [replace(one, where="megaraid:0/32:1") if one in mine else one for one in found]
    left = without(inventory, elsewhere, entries, today).findings
    assert "megaraid:0/32:1" in {one.where for one in left}
    other = replace(inventory, host=replace(inventory.host, hostname="another"))
    assert without(other, found, entries, today).ignored == ()


def test_ignoring_a_rule_covers_its_present_objects_only() -> None:
    """Another drive that begins to fail later is a finding."""
    inventory = replayed(MACHINE).inventory
    host = inventory.host.hostname
    entries = with_new(
        (),
        ["drive-expects-failure"],
        findings_of(inventory, rules()),
        host=host,
        until="2999-12-31",
        reason="x",
        today=TODAY,
    )
    later = changed(inventory, "megaraid:0/32:1", {"status": "warning", "status_text": "Predictive failure"})
    left = without(later, findings_of(later, rules()), entries, date(2026, 1, 1)).findings
    assert "megaraid:0/32:1" in {one.where for one in left if one.rule == "drive_expects_failure"}


@pytest.mark.parametrize("earlier", [False, True])
def test_another_drive_in_the_bay_and_another_fault_of_the_controller_count(earlier: bool) -> None:
    """An entry covers one drive and one fault, figures aside. Entries of an earlier version cover what they did."""
    inventory = replayed(MACHINE).inventory
    host, controller = inventory.host.hostname, inventory.controllers[0].id
    texts = ("The controller counts Memory errors: {}.", "Power supply 1: failed.", "Power supply 2: failed.")
    known, *later = (Problem("warning", controller, text, kind="state") for text in texts)

    def with_faults(count: int, *more: Problem) -> Inventory:
        counted = replace(known, message=known.message.format(count))
        return replace(inventory, problems=(*inventory.problems, counted, *more))

    before = with_faults(3, later[0])
    entries = with_new((), [FAILING, f"reported_trouble={controller}"], findings_of(before, rules()),
                       host=host, until="2999-12-31", reason="x", today=TODAY)  # fmt: skip
    if earlier:
        entries = tuple(replace(one, serial=None, about=None) for one in entries)
    after = changed(with_faults(7, *later), "megaraid:0/32:5", {"serial": "NEWDRIVE"})
    left = without(after, findings_of(after, rules()), entries, TODAY).findings
    found = {(one.rule, one.message if one.where == controller else one.serial)
             for one in left if one.where in (controller, "megaraid:0/32:5")}  # fmt: skip
    fresh = {("reported_trouble", texts[2]), ("drive_expects_failure", "NEWDRIVE")}
    assert found & fresh == (set() if earlier else fresh)
    assert ("reported_trouble", texts[1]) not in found
    assert ("reported_trouble", texts[0].format(7)) not in found


def test_what_follows_from_a_fault_that_counts_is_not_ignored() -> None:
    """A consequence is ignored only with all findings of its cause: one of two faults of the object may be new."""
    old, new = (
        Finding(rule="reported_trouble", severity="warning", outcome="fail", where="x:0", message=text)
        for text in ("Fan 1: failed.", "Fan 2: failed.")
    )
    follows = Finding(rule="r", severity="warning", outcome="fail", where="x:0/v0", message="m",
                      because="reported_trouble x:0")  # fmt: skip
    entries = with_new((), ["reported_trouble"], [old], host="h", until="2999-12-31", reason="x", today=TODAY)
    waivers = waivers_of(entries, "h", "ignored.json")
    assert waive([old, follows], waivers, "h", TODAY).left == []
    assert waive([old, new, follows], waivers, "h", TODAY).left == [new, follows]


def test_an_entry_expires_after_its_last_day() -> None:
    """The finding is ignored up to and including the last day. Then it counts, with a note."""
    inventory = replayed(MACHINE).inventory
    found = findings_of(inventory, rules())
    host = inventory.host.hostname
    entries = with_new((), [FAILING], found, host=host, until="2026-06-30", reason="x", today=TODAY)
    assert without(inventory, found, entries, date(2026, 6, 30)).expired == ()
    over = without(inventory, found, entries, date(2026, 7, 1))
    assert over.ignored == ()
    assert {one.finding.where for one in over.expired} == {"megaraid:0/32:5"}
    added = [one for one in over.findings if one not in diagnosed(inventory, found).findings]
    assert [(one.rule, one.where, one.severity) for one in added] == [("waiver_expired", "megaraid:0/32:5", "warning")]
    assert len(over.findings) == len(diagnosed(inventory, found).findings) + 1
    assert "ignored.json" in (added[0].remedy or "")
    gone = [one for one in found if one.rule != "drive_expects_failure"]
    assert without(inventory, gone, entries, date(2026, 7, 1)).findings == diagnosed(inventory, gone).findings


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--ignore", FAILING), "go together"),
        (("--until", "2999-12-31"), "go together"),
        (("--ignore", FAILING, "--until", "soon", "--because", "x"), "is not a date"),
        (("--ignore", FAILING, "--until", "2020-01-01", "--because", "x"), "2020-01-01 is over"),
        (("--ignore", "volume_failed", *WHY), "there is no finding"),
    ],
)
def test_invalid_requests_are_refused_and_nothing_is_stored(
    tmp_path: Path, words: tuple[str, ...], expected: str
) -> None:
    """An invalid date, an unknown finding and incomplete options are wrong usage."""
    file = tmp_path / "ignored.json"
    done = run(file, *words)
    assert done.exit_code == 2
    assert expected in done.stderr
    assert not file.exists()


@pytest.mark.parametrize("line", [1, 2])
def test_a_line_of_the_file_may_be_deleted(tmp_path: Path, line: int) -> None:
    """As the manual describes, the finding of a deleted line counts again. The other one stays ignored."""
    file = tmp_path / "ignored.json"
    run(file, "--ignore", FAILING, "--ignore", "check_overdue=megaraid:0/v0", *WHY)
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:line] + lines[line + 1 :]))
    done = run(file, "--json")
    ignored = {one["finding"]["rule"] for one in msgspec.json.decode(done.stdout)["ignored"]}
    assert ignored & {"drive_expects_failure", "check_overdue"} == {
        ("drive_expects_failure", "check_overdue")[line % 2]
    }


@pytest.mark.parametrize("data", [b"", b"{}", b'[{"rule": "x"}]', b"\xff", b"[" * 100_000])
def test_a_damaged_file_ignores_nothing_and_is_an_error(tmp_path: Path, data: bytes) -> None:
    """A damaged file hides nothing, and the exit code is 3."""
    with pytest.raises(CannotTell):
        entries_of(data, "the file")
    file = tmp_path / "ignored.json"
    file.write_bytes(data)
    assert run(file).exit_code == 3


def test_a_missing_file_that_was_named_is_an_error(tmp_path: Path) -> None:
    """A misspelt file name does not silently bring back ignored findings."""
    assert run(tmp_path / "none.json").exit_code == 3


def test_health_only_limits_the_rules_to_hardware() -> None:
    """Only rules of health are checked, and all of them exist. The failing drive is still found."""
    assert {rule.name for rule in rules()} >= HEALTH
    command = ["--replay", str(FIXTURES / MACHINE), "diagnose", "--json"]
    every = msgspec.json.decode(CliRunner().invoke(cli, command).stdout)
    only = msgspec.json.decode(CliRunner().invoke(cli, [*command, "--health-only"]).stdout)
    assert set(only["rules"]) == set(every["rules"]) & HEALTH < set(every["rules"])
    assert [one for one in every["findings"] if one["rule"] in HEALTH] == only["findings"]


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_an_ignore_file_that_is_no_regular_file_is_reported(tmp_path: Path, make: Callable[[Path], None]) -> None:
    """A pipe in place of the file does not block. ``export`` ends with 3, and ``diagnose`` lists the findings."""
    make(tmp_path / "ignored.json")
    machine = [sys.executable, "-m", "raidctl", "--replay", str(FIXTURES / MACHINE)]
    for words, code in ((["diagnose"], 1), (["export", "--rules"], 3)):
        command = [*machine, *words, "--state-dir", str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == code
        assert "cannot be read: not a regular file." in " ".join((done.stderr + done.stdout).split())


@pytest.mark.parametrize("words", [(), ("megaraid:0/32:5",), ("--rule", "drive_expects_failure")])
def test_a_damaged_file_does_not_hide_the_findings(tmp_path: Path, words: tuple[str, ...]) -> None:
    """The findings are listed, and that nothing is ignored: on the screen, and by the plugin."""
    (tmp_path / "ignored.json").write_text("[{")
    command = ["--replay", str(FIXTURES / MACHINE), "--state-dir", str(tmp_path), "diagnose", *words]
    done = CliRunner().invoke(cli, command, env={"COLUMNS": "200"})
    assert done.exit_code == 1
    assert "rule      drive_expects_failure" in done.stdout
    assert "Nothing is ignored: " in done.output
    plugin = CliRunner().invoke(cli, [*command, "--format", "nagios"])
    assert (plugin.exit_code, "drive_expects_failure" in plugin.stdout) == (1, True)
