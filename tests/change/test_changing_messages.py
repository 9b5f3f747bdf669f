"""What changing commands print. They print at the confirmation, about targets, and about machines that do not exist."""

from __future__ import annotations

import json
import os
import pty
import select
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

from raidctl.cli import cli, restore
from raidctl.cli.shared import systemd_units
from raidctl.simulation.demo import demos
from raidctl.simulation.executables import Fault, install
from raidctl.vendor.registry import vendors
from tests.support.command_line import Raidctl
from tests.support.machines import FIXTURES
from tests.support.waiting import PATIENCE

SPLIT = ("--demo", "p400", "cache", "split", "smartarray:1")
KEEPERS = [("journal",), ("restore",), ("restore", "--dry-run"), ("bench", "list"), ("diff", "last")]
"""Commands that look into the state directory."""


def answered(arguments: Sequence[str], answer: bytes) -> tuple[int, str]:
    """Run raidctl on a terminal and type an answer at its prompt. Return its exit code and the screen."""
    own, other = pty.openpty()
    words = [sys.executable, "-m", "raidctl", *arguments]
    # a separate session, so that the terminal's Ctrl-C reaches this process only
    code = "import os, sys, termios, fcntl; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
    child = subprocess.Popen(
        [sys.executable, "-c", code, *words], stdin=other, stdout=other, stderr=other, start_new_session=True
    )
    os.close(other)
    screen, typed, end = b"", 0.0, time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            if select.select([own], [], [], 0.1)[0]:
                screen += os.read(own, 4096)
        except OSError:  # the last program on it has ended
            break
        _, asked, reply = screen.partition(b"[y/N]")
        # typed again after a while: Python misses a signal that comes just before it begins to read
        if asked and b"raidctl: " not in reply and time.monotonic() - typed > 5:
            os.write(own, answer)
            typed = time.monotonic()
    os.close(own)
    return child.wait(PATIENCE), screen.decode()


def test_a_family_without_changes_gives_its_reason(raidctl: Raidctl) -> None:
    """A refused setting has the reason that the family declares for it, with the way by hand."""
    done = raidctl("--demo", "1882", "cache", "set", "areca:1/v1", "--write", "wt")
    assert done.exit_code == 1
    assert "`vsf modify vol=N cache=…`." in " ".join(done.output.split())


def test_a_value_that_is_set_already_precedes_its_object(raidctl: Raidctl) -> None:
    """The sentence names setting and value, then the object."""
    done = raidctl("--demo", "p400", "cache", "set", "v1", "--write", "wbb")
    assert "write policy protected-write-back of smartarray:1/v1." in done.output


@pytest.mark.parametrize(("answer", "code"), [(b"n\n", 1), (b"\n", 1), (b"\x03", 130), (b"\x04", 130)])
def test_an_answer_other_than_yes_changes_nothing_and_reports_so(tmp_path: Path, answer: bytes, code: int) -> None:
    """Answering no is not an interruption. Both change nothing, and report so on a separate line."""
    where = ["--state-dir", str(tmp_path / "state")]
    ended, screen = answered([*where, *SPLIT, "0/100"], answer)
    assert ended == code
    last = screen.strip().splitlines()[-1]
    assert last.startswith("raidctl: ")
    assert "othing was changed" in last
    assert "interrupted" not in screen
    shown = CliRunner().invoke(cli, [*where, *SPLIT, "25/75", "--yes"])
    assert "No change needed" in shown.stdout


def test_a_machine_that_is_not_simulated_leaves_no_directory(raidctl: Raidctl, tmp_path: Path) -> None:
    """A misspelt name is a usage error, with the existing names. Nothing is made for it."""
    for words in (("show",), ("cache", "split", "smartarray:1", "50/50", "--yes"), ("restore",), ("journal",)):
        done = raidctl("--demo", "p4000", *words)
        assert done.exit_code == 2
        assert "p400, " in done.stderr
    assert not (tmp_path / "state" / "demo" / "p4000").exists()


def test_a_recording_that_is_not_there_is_named_so(raidctl: Raidctl, tmp_path: Path) -> None:
    """It is not taken for files that tools have printed."""
    done = raidctl("--replay", tmp_path / "nowhere", *SPLIT[2:], "50/50", "--dry-run")
    assert done.exit_code == 2
    assert "There is no" in done.stderr


def test_the_command_that_shows_loose_files_can_be_pasted(raidctl: Raidctl, tmp_path: Path) -> None:
    """A blank in the file's name is quoted."""
    loose = tmp_path / "a b.txt"
    loose.write_text("nothing\n", encoding="utf-8")
    done = raidctl("--replay", loose, *SPLIT[2:], "50/50", "--dry-run")
    assert shlex.quote(str(loose)) in done.stderr


@pytest.mark.parametrize("words", KEEPERS, ids=" ".join)
def test_a_state_directory_that_is_none_is_not_an_empty_one(
    words: Sequence[str], raidctl: Raidctl, tmp_path: Path
) -> None:
    """``--state-dir FILE`` gives one sentence and exit code 4. "nothing to undo" would be false."""
    (tmp_path / "state").write_text("")
    printed = raidctl(*words)
    assert printed.exit_code == 4
    assert "is not a directory: name another one with --state-dir" in printed.stderr


def test_an_empty_option_is_a_usage_error() -> None:
    """``--state-dir "$UNSET"`` must not mean the journal of root."""
    for option in ("--state-dir", "--demo", "--replay", "--host"):
        done = CliRunner().invoke(cli, [option, "", "cache", "split", "smartarray:1", "50/50", "--dry-run"])
        assert done.exit_code == 2
        assert "empty" in done.stderr


@pytest.mark.parametrize("split", ["25/80", "100", "a/b", "-5/105", "25:75", " 25/75", "25/75/0", "²5/75"])
def test_a_split_that_is_none_is_explained(raidctl: Raidctl, split: str) -> None:
    """The sentence shows how one is written."""
    done = raidctl(*SPLIT, split, "--yes")
    assert done.exit_code == 2
    assert "such as 25/75" in done.stderr


def test_the_volume_of_a_controller_is_no_drive(raidctl: Raidctl) -> None:
    """The refusal names the command that switches the volume's drive caches."""
    done = raidctl("--demo", "p400", "cache", "drive", "/dev/cciss/c0d0", "off", "--dry-run")
    assert done.exit_code == 2
    assert "raidctl cache set /dev/cciss/c0d0 --drive-cache off" in done.stderr


def test_a_drive_is_no_volume(raidctl: Raidctl) -> None:
    """The refusal names the command that switches a plain drive's cache."""
    done = raidctl("--demo", "workstation", "cache", "set", "/dev/sda", "--write", "write-through", "--dry-run")
    assert done.exit_code == 2
    assert "raidctl cache drive /dev/sda" in done.stderr


def test_a_recording_has_no_journal(raidctl: Raidctl) -> None:
    """The journal of this machine is not shown for a recording."""
    done = raidctl("--replay", demo_path("p400"), "journal")
    assert done.exit_code == 2


def test_the_list_of_simulated_machines_fits_the_screen(raidctl: Raidctl) -> None:
    """80 columns; each name begins a line."""
    lines = raidctl("demo").stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert {demo.name for demo in demos(vendors()[0])} <= {line.split()[0] for line in lines}


def demo_path(name: str) -> Path:
    """The path of a simulated machine's recording."""
    return next(demo.path for demo in demos(vendors()[0]) if demo.name == name)


ANSWERS = {
    "inventory": ("--demo", "p400", "show"),
    "change": ("--demo", "p400", "cache", "split", "smartarray:1", "50/50", "--yes"),
    "journal": ("--demo", "p400", "journal"),
    "cache": ("--demo", "layers", "cache", "show"),
    "flush": ("--demo", "layers", "cache", "flush", "--all"),
    "stats": ("--demo", "layers", "cache", "stats"),
}


def test_every_answer_about_caches_is_valid_against_its_schema(raidctl: Raidctl) -> None:
    """``raidctl schema NAME`` is what ``--json`` keeps to."""
    for name, words in ANSWERS.items():
        schema = json.loads(raidctl("schema", name).stdout)
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        validator.validate(json.loads(raidctl("--json", *words).stdout))
        with pytest.raises(jsonschema.ValidationError):
            validator.validate({"nothing": "of the kind"})


@pytest.mark.parametrize("words", [
    ("cache", "set"), ("cache", "split"), ("cache", "drive"), ("cache", "flush"), ("cache", "threshold"),
    ("cache", "stats"), ("batch",), ("restore",), ("journal",), ("demo",),
])  # fmt: skip
def test_the_help_of_a_changing_command_has_an_example(raidctl: Raidctl, words: tuple[str, ...]) -> None:
    """The help of every changing command can be copied from."""
    _, _, examples = raidctl(*words, "--help").stdout.partition("Examples:\n")
    assert f"raidctl {' '.join(words)}" in examples


@pytest.mark.parametrize(("words", "code"), [
    (("p400", "cache", "set", "/", "--io", "direct"), 1),
    (("p400", "cache", "set", "/", "--no-battery-write-cache", "on"), 1),
    (("p440", "cache", "threshold", "/", "--bypass-threshold", "512"), 3),
    (("journal", "cache", "drive", "/dev/nvme0n1", "off"), 4),
])  # fmt: skip
def test_a_refusal_ends_with_the_code_of_its_reason(raidctl: Raidctl, words: tuple[str, ...], code: int) -> None:
    """Impossible or unsafe changes exit with 1. Settings not reported by the tool exit with 3, missing tools with 4."""
    for more in ("--dry-run", "--yes"):
        done = raidctl("--demo", *words, more)
        assert done.exit_code == code
        assert "No change made" in done.stdout


@pytest.mark.parametrize(
    ("word", "policy"),
    [("wt", "write-through"), ("WriteBack", "protected-write-back"), ("wb", "protected-write-back"),
     ("AWB", "unprotected-write-back")],
)  # fmt: skip
def test_write_policies_have_the_names_of_vendors_tools_too(raidctl: Raidctl, word: str, policy: str) -> None:
    """They are accepted in changes and in claims. A bare write-back is the one that needs a battery."""
    planned, full = (
        raidctl("--demo", "p400", "--json", "cache", "set", "/", "--write", name, "--dry-run")
        for name in (word, policy)
    )
    assert json.loads(planned.stdout)["desired"] == json.loads(full.stdout)["desired"]
    recorded = ("--replay", str(FIXTURES / "smartarray-p400"))  # a demo shows the minute
    claimed, full = (raidctl(*recorded, "verify", "--write-cache", name, "/") for name in (word, policy))
    assert claimed.stdout == full.stdout


@pytest.mark.parametrize(("word", "also"), [("on", "enabled"), ("off", "Disabled")])
def test_a_write_cache_has_the_words_of_show_and_verify_too(raidctl: Raidctl, word: str, also: str) -> None:
    """What `show --json` and `verify` call enabled and disabled is accepted where a cache is set."""
    for before in (
        ("p400", "cache", "set", "/", "--drive-cache"),
        ("p400", "cache", "set", "/", "--no-battery-write-cache"),
        ("sas", "cache", "drive", "/dev/sdb"),
    ):
        planned, full = (raidctl("--json", "--demo", *before, name, "--dry-run") for name in (also, word))
        assert planned.exit_code == full.exit_code != 2
        assert json.loads(planned.stdout) == json.loads(full.stdout)


def test_what_only_unsafe_lets_pass_is_marked_as_not_run(raidctl: Raidctl) -> None:
    """The commands are shown with the option that they would need. Each command is marked."""
    printed = raidctl("--demo", "p400", "cache", "set", "/", "--drive-cache", "on", "--yes").stdout
    assert "With --unsafe REASON" in printed
    assert "They are NOT run" in printed
    assert "1. not run: hpacucli" in printed


def test_the_names_of_two_machines_exclude_each_other_for_the_journal(raidctl: Raidctl) -> None:
    """Two machines at once are a usage error, as for other commands."""
    assert raidctl("--host", "a", "--demo", "p400", "journal").exit_code == 2


@pytest.fixture
def unit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, str]]:
    """Install the unit into a directory; its settings."""

    def install(*options: str) -> dict[str, str]:
        monkeypatch.setattr(systemd_units, "PLACE", tmp_path)
        monkeypatch.setattr(systemd_units, "ENABLE", ("true",))
        assert CliRunner().invoke(cli, [*options, "restore", "--install-unit"]).exit_code == 0
        lines = (tmp_path / restore.UNIT).read_text(encoding="utf-8").splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))

    return install


def test_the_unit_runs_before_any_service_and_after_the_file_systems(unit: Callable[..., dict[str, str]]) -> None:
    """The unit runs before any service and after the file systems.

    Otherwise a database would write under the policy that was left by a power failure during a load.
    """
    printed = unit()
    assert "basic.target" in printed["Before"].split()
    assert {"sysinit.target", "local-fs.target"} <= set(printed["After"].split())
    assert printed["DefaultDependencies"] == "no"  # the usual ones would put it behind basic.target
    assert printed["RequiresMountsFor"] == "/var/lib/raidctl"
    assert printed["WantedBy"] == "basic.target"


def test_the_unit_looks_where_the_journal_is(unit: Callable[..., dict[str, str]]) -> None:
    """``--state-dir`` is carried over, as a full path."""
    printed = unit("--state-dir", "state dir/50%")
    place = f"{Path.cwd()}/state dir/50%%"
    assert printed["ExecStart"].endswith(f' restore --wait 60 --state-dir "{place}"')
    assert printed["RequiresMountsFor"] == f'"{place}"'


def test_a_batch_without_a_target_names_what_is_missing(raidctl: Raidctl) -> None:
    """The message uses the same word as the usage."""
    done = raidctl("--demo", "p400", "batch", "--split", "0/100", "--yes", "--", "true")
    assert done.exit_code == 2
    assert "Name the TARGET" in done.stderr


def test_settings_not_made_because_of_a_refused_one_are_marked(raidctl: Raidctl) -> None:
    """If one of two settings is refused, neither is made. The message states it."""
    printed = raidctl("--demo", "p400", "cache", "set", "/", "--read", "none", "--write", "write-through", "--yes")
    assert printed.exit_code == 1
    assert "No change made: one of the settings was refused." in printed.stdout
    shown = " ".join(printed.stdout.split())
    assert "Without what was refused, raidctl would run these commands. They are NOT run:" in shown
    assert "--unsafe" not in printed.stdout


def test_an_interrupted_change_is_undone_and_reported_so(tmp_path: Path) -> None:
    """Ctrl-C while a tool hangs restores the old values. The exit code is 130, and the last sentence states it."""
    tools = install("p400", tmp_path / "p400")
    tools.fail(Fault(fault="hangs after the change", match="cacheratio", seconds=300))
    path = f"{tools.programs}:{os.environ['PATH']}"
    child = subprocess.Popen(
        [sys.executable, "-m", "raidctl", "--state-dir", tmp_path / "state", "--json", *SPLIT[2:], "50/50", "--yes"],
        env={**os.environ, "PATH": path}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509 - no threads here
    )  # fmt: skip
    while tools.state["slot=1/cacheratio"] != "50/50":
        assert child.poll() is None
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=PATIENCE)
    assert child.returncode == 130
    assert err.splitlines()[-1] == "raidctl: Interrupted: everything is as before."
    assert json.loads(out)["result"] == "undone"
    assert tools.state["slot=1/cacheratio"] == "25/75"


def test_inactive_settings_are_reported_in_the_words_of_the_command_line(raidctl: Raidctl) -> None:
    """Hyphens, as one types them; the JSON has underscores."""
    printed = raidctl("--demo", "h730", "cache", "set", "/srv/archive", "--write", "protected-write-back", "--dry-run")
    assert "protected_write_back" not in printed.stdout
    assert "write_through" not in printed.stdout
    assert "but write-through is active" in " ".join(printed.stdout.split())


def test_a_read_policy_is_not_refused_with_the_reason_of_a_write_policy(raidctl: Raidctl) -> None:
    """Reads that cannot be switched off are reported as reads."""
    printed = raidctl("--demo", "9271", "cache", "set", "/", "--read", "off", "--dry-run").stdout
    assert "write policy" not in printed
    assert "none" in printed
