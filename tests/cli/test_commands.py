"""Each command, its exit codes, and what it prints where."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import msgspec
import pytest
from click.testing import Result

from raidctl.cli.schema import DOCUMENTS
from raidctl.model import Inventory, Problem
from raidctl.recording.recording import load
from tests.cli import acme
from tests.output.inventories import DEGRADED, HEALTHY, HOST, SOFTWARE

Raidctl = Callable[..., Result]
Recorded = Callable[[Inventory | None], Path]


def problem(kind: str, severity: str = "warning") -> Problem:
    """A problem of a kind."""
    return Problem(severity=severity, where="somewhere", message="Something happened.", kind=kind)  # type: ignore[arg-type]  # words of the model


@pytest.mark.parametrize(
    ("kinds", "code"),
    [
        ([], 0),
        (["note"], 0),
        (["state"], 0),
        (["unread"], 3),
        (["no_tool"], 4),
        (["no_right"], 4),
        (["no_tool", "unread"], 3),
        (["no_right", "state"], 4),
    ],
)
def test_the_exit_code_shows_whether_all_could_be_read(
    raidctl: Raidctl, recorded: Recorded, kinds: list[str], code: int
) -> None:
    """Exit code 3 means unknown values, 4 a missing tool or permission.

    Otherwise it is 0. What could be read is always shown.
    """
    machine = recorded(msgspec.structs.replace(HEALTHY, problems=tuple(map(problem, kinds))))
    done = raidctl("--replay", machine, "show")
    assert done.exit_code == code
    assert "1I:1:4" in done.stdout
    assert ("Something happened." in done.stdout) == bool(kinds)


def test_show_prints_the_screen(raidctl: Raidctl, recorded: Recorded) -> None:
    """The screen shows host, time, verdict and everything on the controller."""
    machine = recorded(DEGRADED)
    done = raidctl("--replay", machine, "show")
    assert done.exit_code == 0
    assert "2026-03-04 05:06 UTC" in done.stdout
    assert "2 problems: smartarray:1/v1: degraded" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("place", ["before", "after"])
@pytest.mark.parametrize("option", ["--json", "-v", "--replay"])
def test_shared_options_stand_before_or_after_the_command(
    raidctl: Raidctl, recorded: Recorded, place: str, option: str
) -> None:
    """Both places give the same screen."""
    machine = str(recorded(HEALTHY))
    options = {"--json": ["--json"], "-v": ["-v"], "--replay": []}[option] + ["--replay", machine]
    other = raidctl(*options, "show")
    done = raidctl("show", *options) if place == "after" else raidctl(*options[:-2], "show", *options[-2:])
    assert done.exit_code == 0, done.stderr
    assert done.stdout == other.stdout


@pytest.mark.parametrize(
    ("command", "option"),
    [("batch", "--host"), ("watch", "--replay"), ("demo", "--host"), ("demo", "--replay"), ("demo", "--demo")],
)
def test_a_shared_option_that_a_command_refuses_is_not_in_its_help(
    raidctl: Raidctl, command: str, option: str
) -> None:  # fmt: skip
    """If it is given, the command refuses it with the reason."""
    assert f"{option} " not in raidctl(command, "--help").stdout.partition("Options:")[2].partition("Examples:")[0]
    words = ("/", "--write", "write-through", "--", "true") if command == "batch" else ()
    done = raidctl(command, option, "x", *words)
    assert done.exit_code == 2
    assert any(reason in done.stderr for reason in ("runs COMMAND on this machine", "cannot be used")), done.stderr


def test_the_help_of_schema_names_every_schema(raidctl: Raidctl) -> None:
    """A name that the command accepts is in its help."""
    words = set(raidctl("schema", "--help").stdout.replace(",", " ").replace(".", " ").split())
    names = {"rows-TABLE" if name.startswith("rows-") else name for name in DOCUMENTS}
    assert names <= words


def test_json_is_valid_against_the_schema_that_is_printed(raidctl: Raidctl, recorded: Recorded) -> None:
    """The output is valid, whole and narrowed."""
    schema = json.loads(raidctl("schema").stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    for arguments in (["show"], ["show", "md1"], ["show", "-v"]):
        done = raidctl("--json", "--replay", recorded(SOFTWARE), *arguments)
        jsonschema.Draft202012Validator(schema).validate(json.loads(done.stdout))


def test_no_line_of_a_description_in_a_schema_is_indented(raidctl: Raidctl) -> None:
    """The descriptions are docstrings without the indentation of the code."""
    described = [part["description"] for part in json.loads(raidctl("schema", "doctor").stdout)["$defs"].values()]
    assert any("\n" in text for text in described)
    assert not [line for text in described for line in text.splitlines() if line.startswith(" ")]


def test_ids_narrow_the_screen_and_the_json(raidctl: Raidctl, recorded: Recorded) -> None:
    """One array is shown with the drives that it consists of."""
    machine = recorded(SOFTWARE)
    printed = raidctl("--replay", machine, "show", "md:md1").stdout
    assert "md1/sda2" in printed
    assert "md0" not in printed
    held = json.loads(raidctl("--replay", machine, "--json", "show", "/dev/md1").stdout)
    assert [volume["id"] for volume in held["controllers"][0]["volumes"]] == ["md:md1"]
    assert [controller["id"] for controller in held["controllers"]] == ["md", "drives:0000:00:1f.2"]


def test_a_missing_object_exits_with_2_and_offers_near_matches(raidctl: Raidctl, recorded: Recorded) -> None:
    """On standard error, in one sentence."""
    done = raidctl("--replay", recorded(HEALTHY), "show", "smartarray:1/v2")
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith('raidctl: No object is called "smartarray:1/v2"; did you mean smartarray:1/v1')


def test_explain_names_command_and_line(raidctl: Raidctl, recorded: Recorded) -> None:
    """As a screen and for programs."""
    machine = recorded(HEALTHY)
    done = raidctl("--replay", machine, "show", "--explain", "smartarray:1")
    assert done.exit_code == 0
    assert "from acmecli show" in done.stdout
    printed = json.loads(raidctl("--replay", machine, "--json", "show", "--explain", "smartarray:1").stdout)
    assert printed[0]["facts"][0]["command"] == "acmecli show"


def test_unparsed_lists_the_unused_lines(raidctl: Raidctl, recorded: Recorded) -> None:
    """As a screen and for programs."""
    machine = recorded(HEALTHY)
    assert '"schema_version"' in raidctl("--replay", machine, "show", "--unparsed").stdout
    printed = json.loads(raidctl("--replay", machine, "--json", "show", "--unparsed").stdout)
    assert any(output["command"] == "acmecli show" and output["unparsed"] for output in printed)


def test_a_loose_output_is_shown_as_the_machine_would_be(raidctl: Raidctl, tmp_path: Path) -> None:
    """A file and standard input give the screen of the machine."""
    path = tmp_path / "mail.txt"
    path.write_bytes(acme.output_of(HEALTHY))
    by_file = raidctl("--replay", path, "show")
    by_pipe = raidctl("--replay", "-", "show", stdin=acme.output_of(HEALTHY))
    for done in (by_file, by_pipe):
        assert done.exit_code == 0, done.stdout + done.stderr
        assert "1I:1:4" in done.stdout
        assert "unknown host" in done.stdout


def test_an_unrecognised_file_exits_with_3(raidctl: Raidctl, tmp_path: Path) -> None:
    """A message explains why. A path that does not exist exits with 3 as well."""
    path = tmp_path / "letter.txt"
    path.write_text("Dear Sir or Madam,\n", encoding="utf-8")
    done = raidctl("--replay", path, "show")
    assert done.exit_code == 3
    assert "letter.txt" in done.stdout
    assert raidctl("--replay", tmp_path / "nowhere", "show").exit_code == 3


def test_nothing_found_in_an_unrecognised_file_is_unknown(raidctl: Raidctl, tmp_path: Path) -> None:
    """No array, no volume: if something could not be read, they may exist."""
    path = tmp_path / "letter.txt"
    path.write_text("Dear Sir or Madam,\n", encoding="utf-8")
    done = raidctl("--replay", path, "spare", "show")
    nothing = "No arrays that could use a spare, but not everything could be read."
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (3, nothing)
    assert raidctl("--replay", path, "layout", "export").exit_code == 3
    assert raidctl("--replay", path, "audit", "--init").exit_code == 3


def test_a_package_that_fails_is_a_problem_with_its_traceback_on_request(raidctl: Raidctl, recorded: Recorded) -> None:
    """One sentence is printed, with exit code 3. The traceback goes to standard error, with -v only."""
    machine = recorded(None)
    done = raidctl("--replay", machine, "show")
    assert done.exit_code == 3
    assert "KeyError" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    assert "Traceback" in raidctl("-v", "--replay", machine, "show").stderr


def test_doctor_lists_the_programs(raidctl: Raidctl, recorded: Recorded) -> None:
    """Each program has its version; exit code 0 if none is missing."""
    machine = recorded(HEALTHY)
    done = raidctl("--replay", machine, "doctor")
    assert "Acme CLI 1.2.3" in done.stdout
    assert done.exit_code == 0, done.stdout
    printed = json.loads(raidctl("--replay", machine, "--json", "doctor").stdout)
    jsonschema.validate(printed, json.loads(raidctl("schema", "doctor").stdout))
    assert printed["schema_version"] == "1"
    assert [tool["path"] for tool in printed["tools"] if tool["name"] == "acmecli"] == ["/usr/sbin/acmecli"]


@pytest.mark.parametrize(("kind", "code"), [("no_tool", 4), ("no_right", 4), ("unread", 3), ("state", 0)])
def test_doctor_exits_by_what_is_missing(raidctl: Raidctl, recorded: Recorded, kind: str, code: int) -> None:
    """A failing drive does not change the doctor's exit code."""
    machine = recorded(msgspec.structs.replace(HEALTHY, problems=(problem(kind, "error"),)))
    assert raidctl("--replay", machine, "doctor").exit_code == code


def test_doctor_and_record_need_a_machine(raidctl: Raidctl, tmp_path: Path) -> None:
    """A loose file gives exit code 2, as it cannot answer requests. The commands that can use it are named."""
    path = tmp_path / "mail.txt"
    path.write_bytes(acme.output_of(HEALTHY))
    for arguments in (["doctor"], ["record", tmp_path / "kept"]):
        done = raidctl("--replay", path, *arguments)
        assert done.exit_code == 2
        assert "show" in done.stderr


@pytest.mark.parametrize("name", ["kept", "kept.tar.gz"])
def test_what_was_recorded_gives_the_same_screen(
    raidctl: Raidctl, recorded: Recorded, tmp_path: Path, name: str
) -> None:
    """Directory and archive both give it. The commands and the warning about serial numbers are printed."""
    machine = recorded(DEGRADED)
    kept = tmp_path / name
    done = raidctl("--replay", machine, "record", kept)
    assert done.exit_code == 0, done.stderr
    assert "acmecli show  exit code 0" in done.stdout
    assert "It contains serial numbers" in done.stdout
    first = raidctl("--replay", machine, "--json", "show").stdout.replace(str(machine), "")
    again = raidctl("--replay", kept, "--json", "show").stdout.replace(str(kept), "")
    assert first == again
    assert raidctl("--replay", kept, "doctor").exit_code == 0


def test_record_keeps_the_notes_about_the_machine(raidctl: Raidctl, recorded: Recorded, tmp_path: Path) -> None:
    """The JSON output lists what was kept."""
    kept = tmp_path / "kept"
    done = raidctl("--replay", recorded(HEALTHY), "--json", "record", kept, "--about", "battery pulled")
    assert json.loads(done.stdout)["redacted"] is False
    assert load(kept).manifest.about == "battery pulled"


def test_record_masks_on_request(raidctl: Raidctl, recorded: Recorded, tmp_path: Path) -> None:
    """The recording itself records that it is masked."""
    kept = tmp_path / "kept"
    done = raidctl("--replay", recorded(HEALTHY), "record", "--redact", kept)
    assert done.exit_code == 0, done.stderr
    assert "are masked" in done.stdout
    assert load(kept).manifest.redacted


def test_record_overwrites_nothing(raidctl: Raidctl, recorded: Recorded, tmp_path: Path) -> None:
    """An existing target or a missing directory is reported first. No tool is run before that."""
    taken = tmp_path / "taken.tar.gz"
    taken.write_bytes(b"precious")
    for place in (taken, tmp_path / "no" / "such" / "place"):
        done = raidctl("--replay", recorded(HEALTHY), "record", place)
        assert done.exit_code == 2
        assert str(place.parent if place != taken else place) in done.stderr
    assert taken.read_bytes() == b"precious"


def test_vendors_lists_what_is_installed(raidctl: Raidctl) -> None:
    """A third party's family is listed beside raidctl's."""
    done = raidctl("vendors")
    assert "acme · Acme RAID controllers" in done.stdout
    assert "acme" in [entry["family"] for entry in json.loads(raidctl("--json", "vendors").stdout)]


def test_an_empty_machine_is_reported(raidctl: Raidctl, recorded: Recorded) -> None:
    """The screen names where to look next."""
    done = raidctl("--replay", recorded(Inventory(host=HOST)), "show")
    assert "Nothing" in done.stdout
    assert done.exit_code == 0


def test_a_package_of_one_module_does_not_stop_the_demos(raidctl: Raidctl, tmp_path: Path) -> None:
    """A vendor package of one module does not stop the demos.

    A third party's may be such a module: it has no demos, no events and no LEDs.
    """
    assert "p400" in raidctl("demo").stdout
    for words in (("show",), ("locate", "list"), ("check", "show"), ("alarm", "show")):
        result = raidctl("--demo", "p400", "--state-dir", tmp_path, *words)
        assert "internal error" not in result.stderr, (words, result.stderr)
