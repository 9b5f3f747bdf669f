"""``raidctl replace`` as it is typed, on the demo of a RAID-6.

The tests cover what confirms it, what is open, and what is refused.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from raidctl.cli import cli
from raidctl.cli.shared.apply_deeds import refuse_container
from raidctl.errors import CannotTell
from raidctl.operate import replacing
from raidctl.recording.manifest import Entry, Manifest
from raidctl.recording.recording import Recording
from raidctl.request import Failure
from raidctl.runners.replay import ReplayRunner
from raidctl_md import simulator
from tests.operate.replace_commands import OLD, OTHER, Run, moved, run, state

__all__ = ["run"]


def test_only_the_serial_number_confirms(run: Run, tmp_path: Path) -> None:
    """Only the whole serial number takes a drive out.

    Neither --yes nor another drive's number nor a part of five characters does.
    """
    for words in (
        ("--yes",), ("--yes", "--confirm", "ZC1A00K1"), ("--confirm", "A00K4"), ("--confirm", ""), ("--confirm", "y"),
    ):  # fmt: skip
        result = run("replace", "/dev/sdb", *words)
        assert (result.exit_code, "Nothing was done" in result.output) == (2, True), words
    assert f"md/member md0 {OLD}" in state(tmp_path)


def test_the_first_lines_say_which_drive_and_what_survives(run: Run) -> None:
    """First come serial number, bay and device.

    Next is what the array survives now and without the drive. With a copy it loses none.
    """
    lines = run("replace", OLD, "--now", "--dry-run").stderr.splitlines()
    where = "enclosure 0x5003048001a2b3bd, bay Slot 02, /dev/sdb, LAB_D"
    assert lines[:2] == [
        f"Replace: serial number {OLD}, {where}.",
        "md:md0 is ok and survives 2 more drive failures. Without the drive: md:md0 survives 1 more drive failure.",
    ]
    copied = run("replace", OLD, "--with", OTHER, "--dry-run").stderr.splitlines()
    assert copied[1] == "md:md0 is ok and survives 2 more drive failures."


def test_a_wrong_drive_is_named_with_its_bay(run: Run, tmp_path: Path) -> None:
    """The sentence names its previous bay, even where no LED can blink."""
    assert run("replace", OLD, "--now", "--no-wait", "--confirm", OLD).exit_code == 7
    moved(tmp_path, lambda machine: simulator.pull(machine, "4"))
    result = run("replace", "resume", "--no-wait")
    assert result.exit_code == 7
    where = "enclosure 0x5003048001a2b3bd, bay Slot 04"
    assert f"ZC1A00M7 is gone, but must stay. Put it back now, into the bay that it came from ({where});" in (
        " ".join(result.output.split())
    )


def test_a_dry_run_prints_the_commands(run: Run, tmp_path: Path) -> None:
    """A dry run names the drive, the commands and their undo. It changes nothing."""
    result = run("replace", OLD, "--dry-run")
    assert result.exit_code == 0
    for text in (f"serial number {OLD}", "mdadm /dev/md0 --fail /dev/sdb", "undo: mdadm", "names the drive to pull"):
        assert text in result.output
    assert "faulty" not in str(state(tmp_path))


@pytest.mark.slow
def test_guard_X4_an_open_replacement_is_seen_and_protected(run: Run, tmp_path: Path) -> None:
    """The command exits with 7. List, show, journal and restore name it; nothing else touches its array (X4)."""
    result = run("replace", OLD, "--confirm", OLD, "--no-wait")
    assert (result.exit_code, f"Pull the drive with serial number {OLD}" in result.output) == (7, True)
    [journaled] = json.loads(run("replace", "list", "--json").output)
    resume = f"replace resume {journaled['begin']['change']}"
    command = f"raidctl --demo raid6 --state-dir {tmp_path / 'state'} {resume}"
    assert command in run("replace", "list").output
    assert resume in " ".join(run("show").output.split())
    assert resume in " ".join(run("journal").output.split())
    restored = run("restore")
    assert (restored.exit_code, resume in " ".join(restored.output.split())) == (0, True)
    twice = run("replace", OLD, "--confirm", OLD, "--no-wait")
    assert (twice.exit_code, command in twice.output) == (2, True)
    refused = run("spare", "add", f"serial:{OTHER}", "--for", "md0", "--yes")
    assert (refused.exit_code, "is not complete and uses" in " ".join(refused.output.split())) == (3, True)
    neighbour = run("replace", "ZC1A00L2", "--confirm", "ZC1A00L2", "--no-wait")
    assert (neighbour.exit_code, "guard R2" in neighbour.output) == (1, True)
    assert f"md/member md0 {OTHER}" not in state(tmp_path)


def test_it_continues_after_the_hand(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The new drive is checked, joins, and is rebuilt. The replacement is resumed after the pull and the push.

    With --json, "resume" prints its result as "replace" does.
    """
    run("replace", OLD, "--confirm", OLD, "--no-wait")
    moved(tmp_path, lambda now: simulator.pull(now, "2"))
    assert "Put the new drive" in run("replace", "resume", "--no-wait").output
    shelf = {"md/drive ZC9Z00A1": "sectors=7814037168 smart=PASSED"}
    moved(tmp_path, lambda now: simulator.push({**now, **shelf}, "2", "ZC9Z00A1"))
    result = run("replace", "resume", "--no-wait")
    assert result.exit_code == 7, result.output
    assert "New drive: ZC9Z00A1" in result.output
    assert "rebuilding" in state(tmp_path)["md/member md0 ZC9Z00A1"]
    assert "rebuilding of md:md0 is not complete" in run("replace", "list").output
    assert json.loads(run("--json", "replace", "resume", "--no-wait").stdout)["result"] == "waiting"
    [journaled] = json.loads(run("replace", "list", "--json").stdout)
    monkeypatch.setattr(replacing, "_APART", 0.0)
    moved(tmp_path, lambda now: simulator.advance(now, 200_000.0))
    result = run("--json", "replace", "resume", "--no-wait")
    assert result.exit_code == 0, result.output
    done = json.loads(result.stdout)
    assert (done["result"], done["change"]) == ("done", journaled["begin"]["change"])


def test_a_dry_run_of_resume_ends_as_the_real_one_where_a_guard_refuses(run: Run, tmp_path: Path) -> None:
    """A new drive that is too small is refused by both, with the same reason and exit code 7."""
    run("replace", OLD, "--confirm", OLD, "--no-wait")
    moved(tmp_path, lambda now: simulator.pull(now, "2"))
    shelf = {"md/drive ZC9Z00A1": "sectors=1000 smart=PASSED"}
    moved(tmp_path, lambda now: simulator.push({**now, **shelf}, "2", "ZC9Z00A1"))
    before = state(tmp_path)
    planned = run("replace", "resume", "--dry-run")
    assert state(tmp_path) == before
    result = run("replace", "resume", "--no-wait")
    assert (planned.exit_code, result.exit_code) == (7, 7)
    reason = planned.stderr.splitlines()[0]
    assert reason in " ".join(result.output.split())
    assert "too small" in reason, reason


def test_it_can_be_abandoned(run: Run) -> None:
    """Confirmed by the serial number, it is closed. The present status is named, and nothing is done.

    With --json, standard output has the outcome, as of every changing command.
    """
    run("replace", OLD, "--confirm", OLD, "--no-wait")
    [journaled] = json.loads(run("replace", "list", "--json").output)
    change = journaled["begin"]["change"]
    assert run("replace", "abandon", change).exit_code == 2
    planned = json.loads(run("replace", "abandon", change, "--dry-run", "--json").stdout)
    assert (planned["result"], planned["change"]) == ("planned", change)
    result = run("replace", "abandon", change, "--confirm", OLD, "--json")
    assert (result.exit_code, "md:md0 is degraded" in result.stderr) == (0, True)
    abandoned = json.loads(result.stdout)
    assert (abandoned["result"], abandoned["change"]) == ("abandoned", change)
    assert "No replacement is open." in run("replace", "list").output


def test_wrong_words_are_usage_errors(run: Run) -> None:
    """Wrong words give exit code 2 and one sentence.

    Among them are a volume, a drive in no array, two drives, and a number that is not open.
    """
    for words in (
        ("replace",), ("replace", "md0"), ("replace", "/dev/sde"), ("replace", "/dev/sda", "/dev/sdb"),
        ("replace", "resume"), ("replace", "resume", "nonsense"), ("replace", "abandon"), ("replace", "list", "x"),
        ("replace", "list", "--check"), ("replace", "/dev/sda", "--with", "/dev/sda"),
    ):  # fmt: skip
        result = run(*words)
        assert result.exit_code == 2, (words, result.output)


def test_a_recording_cannot_be_changed(tmp_path: Path) -> None:
    """A recorded machine answers --check, and nothing more."""
    recorded = "fixtures/md-healthy"
    result = CliRunner().invoke(
        cli, ["--state-dir", str(tmp_path), "--replay", recorded, "replace", "/dev/sda", "--confirm", "x"]
    )
    assert (result.exit_code, "recorded machine cannot be changed" in result.output) == (2, True)


@pytest.mark.parametrize(
    ("mark", "text", "word"),
    [
        ("/run/systemd/container", "lxc\n", "container"),
        ("/.dockerenv", "", "container"),
        ("/proc/self/mounts", "sysfs /sys sysfs ro,nosuid 0 0\n", "read-only"),
        ("/proc/self/mounts", "sysfs /sys sysfs rw,nosuid 0 0\n", None),
    ],
)
def test_guard_X8_no_deed_in_a_container(mark: str, text: str, word: str | None) -> None:
    """Where the host's devices may not all be visible, nothing is done."""
    manifest = Manifest(format="raidctl-record 1", unrecorded="missing", answers=(Entry(read=mark, text=text),))
    runner = ReplayRunner(Recording(manifest))
    if word is None:
        refuse_container(runner)
        return
    with pytest.raises(CannotTell, match=word):
        refuse_container(runner)


@pytest.mark.parametrize("path", ["/run/systemd/container", "/run/.containerenv", "/.dockerenv", "/proc/self/mounts"])
@pytest.mark.parametrize("trouble", [Failure.DENIED, Failure.TIMEOUT, Failure.FAILED])
def test_guard_X8_what_cannot_be_read_is_no_sign_of_a_host(path: str, trouble: Failure) -> None:
    """If a file that shows a container may be there, or the mounts are unknown, nothing is done."""
    answers = (Entry(read=path, trouble=trouble),)
    manifest = Manifest(format="raidctl-record 1", unrecorded="missing", answers=answers)
    with pytest.raises(CannotTell, match="could not be read"):
        refuse_container(ReplayRunner(Recording(manifest)))


def test_json_has_one_document(run: Run) -> None:
    """With --json, the plan and what has become of it."""
    result = run("replace", OLD, "--confirm", OLD, "--no-wait", "--json")
    document = json.loads(result.stdout)
    assert (document["result"], document["deeds"][0]["verb"]) == ("waiting", "fail")
