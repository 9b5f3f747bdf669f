"""The changing commands on the command line, on a simulated machine."""

from __future__ import annotations

import errno
import json
import os
import shlex
import sys
from pathlib import Path

import pytest
from msgspec import structs

from raidctl.change import state_place
from raidctl.change.journal import Begin, Journal, StepEvent
from raidctl.change.state_directory import Holder, directory, hold
from raidctl.cli import restore
from raidctl.cli.shared import systemd_units
from raidctl.cli.shared.change_targets import drives
from raidctl.errors import UsageError
from tests.support.command_line import Raidctl, command_line
from tests.support.machines import replayed


def shown(raidctl: Raidctl) -> dict[str, str]:
    """The cache settings of the machine's volume and controller."""
    [controller] = json.loads(raidctl("--demo", "p400", "show", "--json").stdout)["controllers"]
    policy = controller["volumes"][0]["cache"]["write_policy"]
    return {"write": policy, "split": f"{controller['cache']['read_percent']}/{controller['cache']['write_percent']}"}


def test_a_dry_run_prints_the_commands_and_changes_nothing(raidctl: Raidctl) -> None:
    """The exact command and its undo are printed, and nothing is changed."""
    before = shown(raidctl)
    done = raidctl("--demo", "p400", "cache", "set", "/", "--write", "write-through", "--dry-run")
    assert done.exit_code == 0
    assert "hpacucli ctrl slot=1 ld 1 modify arrayaccelerator=disable forced" in done.stdout
    assert "undo: hpacucli ctrl slot=1 ld 1 modify arrayaccelerator=enable forced" in done.stdout
    assert shown(raidctl) == before


def test_without_a_terminal_and_without_yes_nothing_is_changed(raidctl: Raidctl) -> None:
    """The plan is printed, and the exit code is 2."""
    before = shown(raidctl)
    done = raidctl("--demo", "p400", "cache", "split", "smartarray:1", "20/80")
    assert (done.exit_code, shown(raidctl)) == (2, before)


def test_a_change_is_made_and_read_again(raidctl: Raidctl) -> None:
    """The new value is shown, and the journal has the change."""
    done = raidctl("--demo", "p400", "cache", "split", "smartarray:1", "20/80", "--yes")
    assert done.exit_code == 0
    assert shown(raidctl)["split"] == "20/80"
    printed = raidctl("--demo", "p400", "journal").stdout
    assert "cacheratio of smartarray:1: 25/75 -> 20/80 (start, done)" in printed


def test_a_current_value_is_not_set_again(raidctl: Raidctl) -> None:
    """The exit code is 0, and the journal is empty. The message is "No change needed"."""
    done = raidctl("--demo", "p400", "cache", "split", "smartarray:1", "25/75", "--yes")
    assert done.exit_code == 0
    assert "No change needed" in done.stdout
    assert "The journal is empty" in raidctl("--demo", "p400", "journal").stdout


def test_an_unsafe_setting_is_refused_without_a_reason(raidctl: Raidctl) -> None:
    """The exit code is 1. With --unsafe, the setting is changed, and the journal has the reason."""
    asked = ("--demo", "p400", "cache", "set", "v1", "--write", "unprotected-write-back", "--yes")
    refused = raidctl(*asked)
    assert refused.exit_code == 1
    assert "Unsafe" in refused.stdout
    assert shown(raidctl)["write"] == "protected_write_back"
    assert raidctl(*asked, "--unsafe", "a scratch disk").exit_code == 0
    assert shown(raidctl)["write"] == "unprotected_write_back"
    assert "a scratch disk" in raidctl("--demo", "p400", "journal").stdout


def test_a_split_whose_sum_is_not_100_is_refused(raidctl: Raidctl) -> None:
    """The message contains the required sum."""
    done = raidctl("--demo", "p400", "cache", "split", "smartarray:1", "20/90", "--yes")
    assert done.exit_code == 2
    assert "100" in done.stderr


def test_a_step_that_the_firmware_refuses_is_undone(raidctl: Raidctl) -> None:
    """The tool's message is printed, and the exit code is 5. The settings are unchanged."""
    before = shown(raidctl)
    done = raidctl("--demo", "p400", "cache", "split", "smartarray:1", "13/87", "--yes")
    assert done.exit_code == 5
    assert "not a valid value" in done.stderr
    assert shown(raidctl) == before


def test_a_locked_controller_is_refused(raidctl: Raidctl, tmp_path: Path) -> None:
    """The message names the command that holds the lock."""
    raidctl("--demo", "p400", "show")
    place = next(path.parent for path in tmp_path.rglob("settings.json"))
    with hold(
        place,
        ["smartarray:1"],
        Holder(change="c9", pid=1, since="now", about="raidctl batch load.sh"),
        source="demo:p400",
    ):
        done = raidctl("--demo", "p400", "cache", "split", "smartarray:1", "20/80", "--yes")
    assert done.exit_code == 3
    assert "raidctl batch load.sh" in done.stderr


def test_a_temporary_value_does_not_count_as_current(raidctl: Raidctl, tmp_path: Path) -> None:
    """A change is refused while a batch has set the value temporarily. The exit code is 3, also in a dry run."""
    raidctl("--demo", "p400", "show")
    place = next(path.parent for path in tmp_path.rglob("settings.json"))
    batch = Holder(change="c9", pid=1, since="now", about="raidctl batch load.sh")
    for last in ("--yes", "--dry-run"):
        with hold(place, ["smartarray:1"], batch, source="demo:p400"):
            done = raidctl("--demo", "p400", "cache", "split", "smartarray:1", "25/75", last)
        assert (done.exit_code, done.stdout) == (3, "")
        assert "raidctl batch load.sh" in done.stderr
        assert raidctl("--demo", "p400", "cache", "split", "smartarray:1", "25/75", last).exit_code == 0


def test_the_previous_value_of_a_change_can_always_be_set_again(raidctl: Raidctl) -> None:
    """An unsafe previous value is accepted with a warning.

    This applies only to the drive and setting of that change.
    """
    drive = ("--demo", "workstation", "cache", "drive")
    assert raidctl(*drive, "/dev/sdb", "on", "--yes").exit_code == 1
    assert raidctl(*drive, "/dev/sda", "off", "--yes").exit_code == 0
    assert raidctl(*drive, "/dev/sda", "/dev/sdb", "on", "--yes").exit_code == 1
    planned = raidctl(*drive, "/dev/sda", "on", "--dry-run")
    assert planned.exit_code == 0
    done = raidctl(*drive, "/dev/sda", "on", "--yes")
    assert done.exit_code == 0
    for one in (planned, done):
        assert "This restores the state before change" in one.stdout
        assert "/srv/media" in one.stdout


def test_drives_that_report_an_enabled_cache_are_named(raidctl: Raidctl) -> None:
    """Drives that report an enabled cache make the exit code 1.

    The controller's setting is disabled, but two drives report theirs enabled.
    """
    done = raidctl("--demo", "gen10", "cache", "set", "/", "--drive-cache", "off", "--yes")
    assert done.exit_code == 1
    assert "smartarray:0/1I:3:1 and smartarray:0/1I:3:2 report their write cache on" in " ".join(done.stdout.split())


def test_a_recorded_machine_is_only_planned(raidctl: Raidctl) -> None:
    """A recording accepts a dry run and refuses the change."""
    machine = Path(__file__).resolve().parents[2] / "fixtures" / "smartarray-p400"
    asked = ("--replay", machine, "cache", "split", "smartarray:1", "20/80")
    assert raidctl(*asked, "--dry-run").exit_code == 0
    assert raidctl(*asked, "--yes").exit_code == 2


def test_a_demo_can_be_reset(raidctl: Raidctl) -> None:
    """After a reset, a simulated machine has its original settings."""
    before = shown(raidctl)
    raidctl("--demo", "p400", "cache", "split", "smartarray:1", "20/80", "--yes")
    assert raidctl("demo", "--reset", "p400").exit_code == 0
    assert shown(raidctl) == before


def test_json_is_one_document_with_plan_and_outcome(raidctl: Raidctl) -> None:
    """JSON has the steps, result, change and message for every result."""
    asked = ("--demo", "p400", "--json", "cache", "split", "smartarray:1")
    planned = json.loads(raidctl(*asked, "20/80", "--dry-run").stdout)
    assert (planned["result"], planned["steps"][0]["after"]) == ("planned", "20/80")
    done = json.loads(raidctl(*asked, "20/80", "--yes").stdout)
    assert done["result"] == "done"
    [journaled] = json.loads(raidctl("--demo", "p400", "--json", "journal").stdout)
    assert journaled["begin"]["change"] == done["change"]
    assert json.loads(raidctl(*asked, "20/80", "--yes").stdout)["result"] == "already"
    undone = raidctl(*asked, "13/87", "--yes")
    report = json.loads(undone.stdout)
    assert (undone.exit_code, report["result"]) == (5, "undone")
    assert "not a valid value" in report["message"]
    unasked = raidctl(*asked, "30/70")
    assert (unasked.exit_code, json.loads(unasked.stdout)["result"]) == (2, "failed")
    refused = raidctl(
        "--demo", "p400", "--json", "cache", "set", "smartarray:1", "--no-battery-write-cache", "on", "--yes"
    )
    assert (refused.exit_code, json.loads(refused.stdout)["result"]) == (1, "refused")


def test_a_plan_fits_a_screen_and_its_commands_a_shell(raidctl: Raidctl) -> None:
    """Sentences are wrapped at 80 columns, commands never."""
    done = raidctl(
        "--demo", "h730", "cache", "set", "megaraid:0/v1", "--io", "cached", "--drive-cache", "on", "--dry-run"
    )
    long = [line for line in done.stdout.splitlines() if len(line) > 80]
    assert all("perccli" in line for line in long)


def test_reading_the_journal_creates_nothing(raidctl: Raidctl, tmp_path: Path) -> None:
    """Neither ``journal`` nor ``restore`` creates a state directory."""
    assert "The journal is empty" in raidctl("journal").stdout
    assert raidctl("restore").exit_code == 0
    assert not (tmp_path / "state").exists()


def test_an_unknown_journal_line_changes_nothing(raidctl: Raidctl, tmp_path: Path) -> None:
    """With a newer raidctl's line, every command ends before any change. The exit code is 3."""
    before = shown(raidctl)
    place = next(path.parent for path in tmp_path.rglob("settings.json"))
    (place / "journal.jsonl").write_text('{"event":"prophecy","change":"c1"}\n', encoding="utf-8")
    for words in (("cache", "split", "smartarray:1", "20/80", "--yes"), ("restore",), ("journal",)):
        assert raidctl("--demo", "p400", *words).exit_code == 3
    assert shown(raidctl) == before


def test_a_pipe_in_place_of_a_simulated_machines_settings_is_named(raidctl: Raidctl, tmp_path: Path) -> None:
    """A pipe in place of a simulated machine's settings does not block.

    The message names the command that resets the demo.
    """
    shown(raidctl)
    settings = next(tmp_path.rglob("settings.json"))
    settings.unlink()
    os.mkfifo(settings)
    done = raidctl("--demo", "p400", "show")
    assert (done.exit_code, "not a regular file" in done.stderr, "demo --reset p400" in done.stderr) == (3, True, True)
    assert raidctl("demo", "--reset", "p400").exit_code == 0
    assert raidctl("--demo", "p400", "show").exit_code == 0


def test_a_reset_that_fails_is_no_success(raidctl: Raidctl, monkeypatch: pytest.MonkeyPatch) -> None:
    """A demo whose changes cannot be removed keeps them; the exit code is 4, and the file is named."""
    before = shown(raidctl)

    def refuse(place: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(place / "settings.json"))

    monkeypatch.setattr("shutil.rmtree", refuse)
    done = raidctl("demo", "--reset", "p400")
    assert (done.exit_code, "settings.json cannot be removed: Permission denied" in done.stderr) == (4, True)
    assert shown(raidctl) == before


def test_a_full_disk_changes_nothing(raidctl: Raidctl, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the journal cannot be written, nothing is changed."""
    before = shown(raidctl)

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), handle)

    monkeypatch.setattr(os, "fsync", full)
    done = raidctl("--demo", "p400", "cache", "split", "smartarray:1", "20/80", "--yes")
    assert done.exit_code == 3
    assert "Nothing was changed" in done.stderr
    assert shown(raidctl) == before


@pytest.mark.parametrize(
    ("demo", "word", "serials"),
    [
        ("raid6", "/dev/sda", ["ZC1A00K1"]), ("raid6", "md0/sda", ["ZC1A00K1"]),
        ("raid6", "md0", ["ZC1A00K1", "ZC1A00K4", "ZC1A00L2", "ZC1A00M7"]),
        ("layers", "/srv/db", ["HBS4A011", "HBS4A027", "HBS4A033", "QZ98A1004417"]),
        ("layers", "/dev/md0", ["HBS4A011", "HBS4A027", "HBS4A033"]), ("journal", "/dev/sda1", ["HBK7L20P"]),
    ],
)  # fmt: skip
def test_the_write_caches_below_software_raid_are_those_of_its_drives(
    raidctl: Raidctl, demo: str, word: str, serials: list[str]
) -> None:
    """A member of an md array is the drive below it. A mount point means all drives below, not only a cache's."""
    done = raidctl("--demo", demo, "cache", "drive", word, "off", "--dry-run", "--json")
    desired = json.loads(done.stdout)["desired"]
    assert [one["object_id"] for one in desired] == [f"drives:{serial}" for serial in serials]
    refused = raidctl("--demo", demo, "cache", "set", "md0" if demo != "journal" else "md126", "--drive-cache", "off")
    assert " cache drive md:md" in " ".join(refused.stdout.split())


def test_the_drives_below_a_controllers_volume_in_software_raid_are_set_by_the_volume() -> None:
    """The refusal has the commands for the volume, and for the members that are plain drives."""
    seen = replayed("md-healthy")
    hardware = replayed("megaraid-h730p-predictive").inventory.controllers
    volume = hardware[0].volumes[0].id
    [md] = [c for c in seen.inventory.controllers if c.id == "md"]
    first, *others = md.drives
    changed = structs.replace(md, drives=(structs.replace(first, backing=(volume,)), *others))
    plain = [c for c in seen.inventory.controllers if c.id != "md"]
    whole = structs.replace(seen.inventory, controllers=(changed, *plain, *hardware))
    with pytest.raises(
        UsageError, match=f"raidctl cache set {volume} --drive-cache off` .*raidctl cache drive drives:"
    ):
        drives(structs.replace(seen, inventory=whole), [md.volumes[0].id])


def test_restore_skips_changes_of_other_machines(raidctl: Raidctl, tmp_path: Path) -> None:
    """A change made over ssh is not undone here. The command for its host is printed."""
    journal = Journal(directory(str(tmp_path / "state")))
    journal.append(Begin(change="c1", at="", kind="set", about="", user="ann", pid=7, boot="b", source="ssh:root@db7"))
    journal.append(StepEvent(change="c1", at="", step=0, mark="start"))
    done = raidctl("restore")
    assert done.exit_code == 0
    assert "raidctl --host root@db7 --state-dir" in done.stderr


@pytest.mark.parametrize("words", [("restore",), ("locate", "list"), ("journal",), ("journal", "--json")], ids=" ".join)
def test_nothing_to_undo_is_about_the_journal_of_the_user(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: tuple[str, ...]
) -> None:
    """Root's journal is another one: a user who is not root gets the command that reads it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    for user, expected in ((1000, True), (0, False)):
        monkeypatch.setattr(os, "geteuid", lambda user=user: user)
        monkeypatch.setattr(state_place, "ROOT_PLACE", str(tmp_path / "root"))
        done = command_line()(*words)
        named = f"root's: sudo raidctl {' '.join(words).removesuffix(' --json')}\n" in done.stderr
        assert (done.exit_code, named) == (0, expected)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/usr/bin/raidctl", "/usr/bin/raidctl"),
        ("/opt/raid tools/bin/raidctl", '"/opt/raid tools/bin/raidctl"'),
        ("/opt/100%/raidctl", '"/opt/100%%/raidctl"'),
        ('/opt/a"b$c/raidctl', '"/opt/a\\"b$$c/raidctl"'),
    ],
)
def test_the_unit_names_the_program_as_systemd_reads_it(path: str, words: str) -> None:
    """Spaces, quotes, percent signs and dollar signs in a path are escaped."""
    assert systemd_units.quoted(path) == words


def test_the_unit_starts_this_raidctl(raidctl: Raidctl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The unit's command exists; a machine without systemd is an error."""
    monkeypatch.setattr(systemd_units, "PLACE", tmp_path)
    monkeypatch.setattr(systemd_units, "ENABLE", ("true",))
    done = raidctl("restore", "--install-unit")
    assert (done.exit_code, "Installed and enabled" in done.stderr) == (0, True)
    unit = (tmp_path / "raidctl-restore.service").read_text(encoding="utf-8")
    [start] = [line for line in unit.splitlines() if line.startswith("ExecStart=")]
    assert Path(shlex.split(start.removeprefix("ExecStart="))[0]).is_file()
    monkeypatch.setattr(systemd_units, "ENABLE", ("false",))
    done = raidctl("restore", "--install-unit")
    assert (done.exit_code, "Enable it with: false raidctl-restore.service\n" in done.stderr) == (4, True)
    monkeypatch.setattr(systemd_units, "PLACE", tmp_path / "nowhere")
    done = raidctl("restore", "--install-unit")
    assert done.exit_code == 4
    assert "no systemd" in done.stderr
    assert raidctl("--demo", "p400", "restore", "--install-unit").exit_code == 2


def test_a_unit_never_starts_a_program_that_others_can_change(
    raidctl: Raidctl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs that others can write, and paths with control characters, are refused."""
    monkeypatch.setattr(systemd_units, "PLACE", tmp_path)
    monkeypatch.setattr(systemd_units, "ENABLE", ("true",))
    done = raidctl("--state-dir", "/x\nExecStartPre=/bin/evil", "restore", "--install-unit")
    assert (done.exit_code, "control characters" in done.stderr) == (2, True)
    program = tmp_path / "bin" / "raidctl"
    program.parent.mkdir()
    program.touch(mode=0o775)
    program.chmod(0o775)
    monkeypatch.setattr(sys, "argv", [str(program)])
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    done = raidctl("restore", "--install-unit")
    assert (done.exit_code, "can be changed by others than root" in done.stderr) == (4, True)
    assert not (tmp_path / restore.UNIT).exists()


@pytest.mark.parametrize("demo", ["gen10", "3154"])
def test_a_threshold_without_a_field_in_the_model_is_set(raidctl: Raidctl, demo: str) -> None:
    """The tool's setting shows that the threshold was set and is current."""
    words = ("--demo", demo, "cache", "threshold", "--bypass-threshold", "64", "--yes")
    assert raidctl(*words).exit_code == 0
    again = raidctl(*words)
    assert again.exit_code == 0
    assert "No change needed" in again.stdout


def test_no_command_of_a_refused_plan_is_run(raidctl: Raidctl) -> None:
    """One refused setting marks the commands for the others as not run."""
    done = raidctl(
        "--demo", "h730", "cache", "set", "megaraid:0/v0", "--write", "protected-write-back", "--read", "none", "--yes"
    )
    assert done.exit_code == 1
    commands = [line for line in done.stdout.splitlines() if line[:1].isdigit()]
    assert commands
    assert all("not run" in line for line in commands)
