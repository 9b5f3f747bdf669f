"""``raidctl layout apply`` on the command line.

This covers confirmation, exit codes, one document, continuing and giving up.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result

from raidctl.cli import cli
from raidctl.output.json import schema
from raidctl.vendor.plan import Outcome
from tests.layout.layout_commands import EXAMPLES, MIRROR, WIPE, Raidctl, code_of, cut_off


@pytest.fixture
def raidctl(tmp_path: Path) -> Raidctl:
    """Run a command on this test's own simulated machine."""

    def run(*words: str, demo: str = "raid6") -> Result:
        return CliRunner().invoke(cli, ["--state-dir", str(tmp_path), "--demo", demo, *words])

    return run


def test_only_the_code_of_the_plan_confirms_it(raidctl: Raidctl) -> None:
    """Neither --yes, another code, nor the end of input confirms it. A dry run needs no code and changes nothing."""
    code = code_of(raidctl)
    other = "00000000" if code != "00000000" else "11111111"
    for words in ((), ("--yes",), ("--confirm", other)):
        result = raidctl("layout", "apply", MIRROR, *WIPE, *words)
        assert (result.exit_code, "Nothing was done" in result.stderr) == (2, True), result.output
    assert raidctl("journal").stdout == "The journal is empty.\n"
    assert raidctl("layout", "apply", MIRROR, *WIPE, "--confirm", code.upper()).exit_code == 0
    assert raidctl("layout", "check", MIRROR).exit_code == 0
    again = raidctl("layout", "apply", MIRROR)
    assert (again.exit_code, "nothing to do" in again.stdout) == (0, True)


def test_a_code_is_worthless_after_a_change(raidctl: Raidctl) -> None:
    """The code of an old plan confirms nothing after a change.

    A drive that became a spare meanwhile is no longer free.
    """
    code = code_of(raidctl)
    assert raidctl("spare", "add", "/dev/sde", "--for", "md0", "--yes").exit_code == 0
    assert raidctl("layout", "apply", MIRROR, *WIPE, "--confirm", code).exit_code in (1, 2)


def test_volumes_on_hardware_controllers_are_printed_and_not_made(raidctl: Raidctl) -> None:
    """The whole plan is shown: commands, and the point of no return.

    The exit code is 1, and not even its settings are set.
    """
    result = raidctl("layout", "apply", str(EXAMPLES / "p440.toml"), "--yes", demo="p440")
    assert (result.exit_code, "create type=ld" in result.stdout) == (1, True), result.output
    assert "from here on, the contents of the drives are overwritten" in result.stdout
    assert "raidctl does not create volumes on hardware controllers" in result.stderr
    assert "Nothing was done." in result.stderr
    assert raidctl("journal", demo="p440").stdout == "The journal is empty.\n"


def test_settings_alone_are_set_with_yes(raidctl: Raidctl, tmp_path: Path) -> None:
    """A layout that differs only in cache policies is applied. The engine of "cache set" does it."""
    text = raidctl("layout", "export", demo="perc5i").stdout
    file = tmp_path / "perc5i.toml"
    file.write_text(text.replace('write = "protected-write-back"', 'write = "write-through"'))
    assert raidctl("layout", "check", str(file), demo="perc5i").exit_code == 1
    result = raidctl("layout", "apply", str(file), "--yes", demo="perc5i")
    assert result.exit_code == 0, result.output
    assert raidctl("layout", "check", str(file), demo="perc5i").exit_code == 0


@pytest.mark.parametrize(
    ("words", "code", "result"),
    [((), 1, "refused"), ((*WIPE, "--dry-run"), 0, "planned"), (WIPE, 2, "failed"), (("--confirm",), 0, "done")],
)
def test_json_is_one_document_with_the_result_of_the_plan(
    raidctl: Raidctl, words: tuple[str, ...], code: int, result: str
) -> None:
    """The JSON fits the schema that all changing commands share."""
    if words == ("--confirm",):
        words = (*WIPE, "--confirm", code_of(raidctl))
    done = raidctl("layout", "apply", MIRROR, "--json", *words)
    document: dict[str, Any] = json.loads(done.stdout)
    jsonschema.validate(document, schema("Change", Outcome))
    assert (done.exit_code, document["result"]) == (code, result), done.output


def test_mistakes_and_recordings_are_refused(raidctl: Raidctl, tmp_path: Path) -> None:
    """All mistakes of a file are listed with their lines. A recording cannot be changed; a missing file is named."""
    file = tmp_path / "wrong.toml"
    file.write_text("layout = 1\nunlistd = 'keep'\n[[volume]]\nnam = 'x'\n")
    result = raidctl("layout", "apply", str(file))
    assert (result.exit_code, result.stderr.count("wrong.toml:")) == (2, 3), result.stderr
    assert raidctl("layout", "apply", str(tmp_path / "missing.toml")).exit_code == 2
    assert raidctl("layout", "apply", "a", "b").exit_code == 2
    for other in ("ZC1A00K1", "ZC1B10Q"):  # a drive of another array, and a typo
        wiped = raidctl("layout", "apply", MIRROR, "--wipe", other, "--dry-run")
        assert (wiped.exit_code, "neither a drive that the layout names" in wiped.stderr) == (2, True), wiped.output
    recorded = ["--replay", str(EXAMPLES.parents[1] / "fixtures" / "md-healthy"), "layout", "apply", MIRROR]
    assert CliRunner().invoke(cli, recorded).exit_code == 2


def test_what_was_cut_off_is_continued_or_given_up(raidctl: Raidctl) -> None:
    """It is named before anything else is applied. Resume completes it; abandon closes it and changes nothing."""
    cut_off(raidctl, ("layout", "apply", MIRROR, *WIPE, "--confirm", code_of(raidctl)), 2)
    for words in (("layout", "apply", MIRROR), ("layout", "apply", MIRROR, *WIPE, "--yes")):
        result = raidctl(*words)
        assert (result.exit_code, "Continue it first" in result.stderr) == (3, True), result.output
    done = raidctl("layout", "apply", "resume")
    assert done.exit_code == 0, done.output
    assert raidctl("layout", "apply", MIRROR).stdout.endswith("nothing to do.\n")
    assert raidctl("layout", "apply", "resume").exit_code == 2


def test_what_is_given_up_stays_as_it_is(raidctl: Raidctl) -> None:
    """Abandoning before the array was made closes the journal. The next plan starts from the beginning."""
    cut_off(raidctl, ("layout", "apply", MIRROR, *WIPE, "--confirm", code_of(raidctl)), 1)
    change = json.loads(raidctl("journal", "--json").stdout)[0]["begin"]["change"]
    abandoned = raidctl("layout", "apply", "abandon", change, "--json")
    assert (abandoned.exit_code, json.loads(abandoned.stdout)["result"]) == (0, "abandoned")
    assert raidctl("layout", "check", MIRROR).exit_code == 1
    dry = raidctl("layout", "apply", MIRROR, "--dry-run")
    assert (dry.exit_code, "wipefs" in dry.stdout) == (0, False), dry.output


def test_a_deletion_is_planned_under_its_guards(raidctl: Raidctl, tmp_path: Path) -> None:
    """A mounted volume is not deleted. Plan lists the deletion, and check reports the volume as still present."""
    file = tmp_path / "delete.toml"
    uuid = "8c1f6e20:4b7d93a5:e0523b18:77d96c4f"
    head = 'layout = 1\n[machine]\nhostname = "orchard"\n[[delete]]\ncontroller = "md"\n'
    file.write_text(f'{head}unique_id = "{uuid}"\n')
    check = raidctl("layout", "check", str(file))
    assert (check.exit_code, "STILL THERE" in check.stdout) == (1, True), check.output
    plan = raidctl("layout", "plan", str(file))
    assert (plan.exit_code, "delete md:md0" in plan.stdout) == (1, True), plan.output
    refused = raidctl("layout", "apply", str(file), "--wipe", uuid, "--yes")
    assert (refused.exit_code, "md:md0 is in use: /srv" in refused.stdout) == (1, True), refused.output
    file.write_text(head + 'unique_id = "ffffffff:ffffffff:ffffffff:ffffffff"\n')
    assert raidctl("layout", "check", str(file)).exit_code == 0
    assert raidctl("layout", "apply", str(file)).exit_code == 0


@pytest.mark.parametrize("command", ["check", "plan", "apply"])
def test_all_mistakes_are_reported_at_once(command: str, tmp_path: Path) -> None:
    """Each mistake is reported with file and line.

    The mistakes are a typo, drives and a controller that do not exist, two volumes on one drive.
    """
    volume = '[[volume]]\nname = "{}"\ncontroller = "{}"\n{} = "raid1"\ndrives = ["{}", "{}"]\n'
    rows = [
        ("a", "megaraid", "raid_levle", "999:0", "32:1"), ("b", "megaraid", "raid_level", "32:1", "32:2"),
        ("c", "megarad", "raid_level", "1:1", "1:2"),
    ]  # fmt: skip
    path = tmp_path / "machine.toml"
    path.write_text("layout = 1\n" + "".join(volume.format(*row) for row in rows))
    state = ["--state-dir", str(tmp_path / "state")]
    done = CliRunner().invoke(cli, [*state, "--demo", "h730", "layout", command, str(path)])
    mistakes = [line.removeprefix(f"{path}:") for line in done.stderr.splitlines()]
    assert (done.exit_code, done.stdout) == (2, "")
    assert mistakes[:2] == [
        '5: "raid_levle" is not a key here; did you mean raid_level?',
        '11: the drive "32:1" is a member of another array, too (line 2); volumes of one array name the same drives.',
    ]
    assert mistakes[2].startswith('2: "999:0" is not a drive of megaraid:0')
    assert mistakes[3].startswith('12: There is no controller "megarad"; did you mean megaraid')
    assert mistakes[4:] == ["raidctl: 4 mistakes in the layout; nothing was compared."]
    nowhere = CliRunner().invoke(cli, ["--replay", str(tmp_path / "none"), "layout", "check", str(path)])
    assert "2 mistakes in the layout" in nowhere.stderr
    for line, wanted in (
        ("colour = 3", '"colour" is not a key here; see the manual.'),
        ('raid_level = "raid_99"', '"raid_99" is not valid; did you mean raid'),
        ('write = "write-back"', ""), ('write = "always-write-back"', ""),
    ):  # fmt: skip
        text = f'layout = 1\n[[volume]]\nname = "a"\ncontroller = "megaraid"\n{line}\n'
        path.write_text(text)
        checked = CliRunner().invoke(cli, [*state, "--demo", "h730", "layout", command, str(path)])
        assert wanted in checked.stderr
        assert ("is not valid" in checked.stderr) == ("is not valid" in wanted), "write: the words of cache set"
    path.write_text("layout = 1\n" + "".join(volume.format(*row) for row in rows))
    # a controller that could not be read may be the one, and its drives those
    unread = str(EXAMPLES.parents[1] / "fixtures" / "megaraid-second-card-crashes")
    part = CliRunner().invoke(cli, ["--replay", unread, "layout", "check", str(path)])
    assert "2 mistakes in the layout" in part.stderr


def test_spares_and_deletions_are_compared_with_the_machine_as_well(tmp_path: Path) -> None:
    """Spares and deletions are compared with the machine as well.

    Unknown drives and controllers are found in any table, as is a drive that two arrays name differently.
    """
    path = tmp_path / "machine.toml"
    path.write_text(
        'layout = 1\nunlistd = "keep"\n[machine]\nserial = "PDNLH0BRHAK4T2"\n'
        '[[spare]]\ncontroller = "smartarray:0"\ndrives = ["9I:9:9"]\n'
        '[[delete]]\ncontroller = "smartaray"\nunique_id = "1234"\n'
        '[[volume]]\ncontroller = "smartarray:0"\ndrives = ["2I:1:8"]\n'
        '[[volume]]\ncontroller = "smartarray"\ndrives = ["BTWL512304K7480QGN", "W7K0AB3D"]\n'
        '[[spare]]\ncontroller = "P440ar"\ndrives = ["BTWL512304K7480QGN"]\n'
    )
    done = CliRunner().invoke(cli, ["--state-dir", str(tmp_path), "--demo", "p440", "layout", "plan", str(path)])
    mistakes = [line.removeprefix(f"{path}:") for line in done.stderr.splitlines()]
    assert (done.exit_code, done.stdout) == (2, "")
    assert mistakes[2].startswith('5: "9I:9:9" is not a drive of smartarray:0')
    assert mistakes[3].startswith('8: There is no controller "smartaray"; did you mean smartarray')
    assert mistakes[4:] == [
        '14: "BTWL512304K7480QGN" and "2I:1:8" (line 11) are one drive, smartarray:0/2I:1:8.',
        '17: "BTWL512304K7480QGN" and "2I:1:8" (line 11) are one drive, smartarray:0/2I:1:8.',
        "raidctl: 6 mistakes in the layout; nothing was compared.",
    ]


@pytest.mark.parametrize("words", [("check",), ("plan",), ("apply", "--yes"), ("apply", "--dry-run", "--json")])
@pytest.mark.parametrize(("line", "code"), [("", 3), ('unlisted = "refuse"\n', 1)])
def test_a_layout_that_lists_nothing_is_not_met(line: str, code: int, words: Sequence[str], tmp_path: Path) -> None:
    """Nothing was compared, which is not the same as no difference. With "refuse", each volume is a difference."""
    path = tmp_path / "empty.toml"
    path.write_text(f"layout = 1\n{line}")
    command, *options = words
    state = ("--demo", "perc5i", "--state-dir", str(tmp_path))
    done = CliRunner().invoke(cli, [*state, "layout", command, str(path), *options])
    assert done.exit_code == code, done.output
    assert "nothing to do" not in done.output
