"""Wrong input and failures. One sentence names the present status and the command that continues."""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from raidctl.change.failure_messages import RightMissing
from raidctl.cli import cli
from raidctl.errors import EXIT_NOT_UNDONE, ChangeNotUndone, ChangeUndone, RaidctlError, UsageError
from raidctl.operate.first_facts import facts_of
from raidctl.operate.stages import next_stage
from raidctl.request import Answer, Request, Run, RunAnswer
from raidctl.select import Ambiguous, find_drive
from raidctl.survey.survey import Survey
from raidctl_md import simulator
from tests.change.md_machine import Behaviour, Bench, bench, definition
from tests.operate.replace_commands import OLD, moved, run
from tests.operate.replace_commands import Run as Typed
from tests.operate.replacements import NEW, RESUME, Replacement, argvs, begun, exchanged, replacing
from tests.support.machines import FIXTURES

__all__ = ["run"]


@pytest.fixture
def raid6(tmp_path: Path) -> Bench:
    """A RAID-6 on four whole drives; two drives on the shelf."""
    return bench(tmp_path / "raid6", definition("raid6", 4))


def test_a_drive_in_no_array(run: Typed) -> None:
    """A drive in no array is refused. The command that shows whether the drive may be pulled is named."""
    for demo, word in (("raid6", "/dev/sde"), ("p440", "2I:1:8")):
        result = CliRunner().invoke(cli, ["--demo", demo, "replace", word, "--confirm", "x"])
        assert result.exit_code == 2
        assert "is in no array" in result.output
        assert "--check" in result.output
    assert run("replace", "/dev/sde").exit_code == 2


def test_a_name_that_fits_two(run: Typed) -> None:
    """Both are named, and nothing is done."""
    for words in (("replace", "drives:ZC1A00K"), ("replace", "drives:ZC1A00K", "--check"),
                  ("replace", OLD, "--with", "drives:ZC1B10")):  # fmt: skip
        result = run(*words)
        assert (result.exit_code, "can mean drives:" in result.output) == (2, True), words


def twins(machine: Bench) -> Survey:
    """The machine with one serial number on two drives. The second drive's number is on the third one, too."""
    seen = machine.look()

    def both(drive: Any) -> Any:
        return replace(drive, serial="LABD00002") if drive.serial == "LABD00003" else drive

    controllers = tuple(
        replace(controller, drives=tuple(map(both, controller.drives))) for controller in seen.inventory.controllers
    )
    blocks = tuple(replace(one, serial="LABD00002") if one.serial == "LABD00003" else one for one in seen.view.blocks)
    return replace(
        seen, inventory=replace(seen.inventory, controllers=controllers), view=replace(seen.view, blocks=blocks)
    )


def test_two_drives_with_one_serial_number(raid6: Bench) -> None:
    """A serial number of two drives names neither. A replacement by another name is refused (X1)."""
    seen = twins(raid6)
    with pytest.raises(Ambiguous, match=r"drives:LABD00002 and drives:LABD00003"):
        find_drive(seen.inventory, seen.view, "serial:LABD00002")
    facts = facts_of(seen, "drives:LABD00002", way="out")
    replacement = replacing(raid6, facts, unsafe=True)
    plan = replacement.plan(next_stage(seen, facts), seen)
    assert "X1" in {denial.guard for denial in plan.denials}
    assert any("serial number" in denial.reason for denial in plan.denials)


def test_a_recording(tmp_path: Path) -> None:
    """A recording has a plan, and is never changed."""
    words = ["--state-dir", str(tmp_path), "--replay", str(FIXTURES / "md-healthy"), "replace", "/dev/sda"]
    for more in ([], ["--yes"], ["--confirm", "x"]):
        result = CliRunner().invoke(cli, [*words, *more])
        assert (result.exit_code, "cannot be changed" in result.output) == (2, True)
    assert CliRunner().invoke(cli, [*words, "--dry-run"]).exit_code == 1


@dataclass
class Without:
    """A machine where some commands fail as they do without root."""

    machine: Bench
    denied: str

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """The denial, or the machine's answer."""
        return [self._answer(request) for request in requests]

    def _answer(self, request: Request[Any]) -> Answer:
        if isinstance(request, Run) and self.denied in request.argv:
            return RunAnswer(code=1, err=f"mdadm: must be super-user ({errno.EPERM})\n".encode())
        [answer] = self.machine.carry_out([request])
        return answer


def test_without_root_nothing_is_done(raid6: Bench) -> None:
    """Nothing is left half done or open without root. Backups cannot be read, or mdadm refuses."""
    for word in ("--examine", "--fail"):
        replacement = begun(raid6, 2)
        change = replacement.start()
        change.runner = Without(raid6, word)
        with pytest.raises(RightMissing, match="Nothing was done"):
            replacement.replacing.run(change)
        assert (argvs(raid6), raid6.member("LABD00002"), raid6.journal.pending()) == ([], "in_sync", [])


BEHAVIOURS: tuple[Behaviour, ...] = (
    "hangs",
    "refuses",
    "hangs after the change",
    "refuses and changes",
    "prints nothing",
)


def ended(replacement: Replacement) -> str:
    """What the replacement ends with; empty if it is complete."""
    try:
        replacement.replacing.run(replacement.start())
    except (ChangeUndone, ChangeNotUndone) as error:
        return str(error)
    return ""


@pytest.mark.slow
def test_a_tool_that_hangs_in_the_middle(tmp_path: Path) -> None:
    """A tool that hangs leaves everything as before, or a way to continue.

    At each command, the operation is closed, or the message has the command that continues it, which works.
    """
    for number, (behaviour, match) in enumerate(
        (behaviour, word) for behaviour in BEHAVIOURS for word in ("--fail", "--remove", "--add")
    ):
        machine = bench(tmp_path / str(number), definition("raid6", 4))
        exchanged(machine)
        machine.behaviour, machine.match = behaviour, match
        replacement = begun(machine, 2)
        sentence = ended(replacement)
        pending = machine.journal.pending()
        if pending:
            assert f"resume {pending[0].begin.change}" in sentence or RESUME in sentence, (behaviour, match)
            assert pending[0].waiting, (behaviour, match)
        else:
            assert not sentence or "Nothing was done" in sentence, (behaviour, match)
        machine.match = "no command has this"
        if pending:
            replacement.resume()
        elif sentence:
            again = begun(machine, 2)
            again.replacing.run(again.start())
        assert (machine.member(NEW), machine.journal.pending()) == ("in_sync", []), (behaviour, match)


def test_a_later_step_that_fails_does_not_deny_the_earlier_ones(raid6: Bench) -> None:
    """If the old drive is out and the new one does not join, the exit code is 6, and the earlier steps are kept."""
    exchanged(raid6)
    raid6.behaviour, raid6.match = "refuses", "--add"
    replacement = begun(raid6, 2)
    with pytest.raises(ChangeNotUndone, match=r"Nothing more was done; the earlier steps are kept\. ") as failure:
        replacement.replacing.run(replacement.start())
    assert (failure.value.exit_code, raid6.member("LABD00002")) == (EXIT_NOT_UNDONE, None)


def test_every_stop_reports_what_the_array_survives(run: Typed) -> None:
    """What the array survives now, before the sentence that has the command."""
    result = run("replace", OLD, "--now", "--no-wait", "--confirm", OLD)
    text = " ".join(result.output.split())
    assert "md:md0 is degraded and survives 1 more drive failure." in text
    assert text.index("survives 1 more") < text.index("Under way:")
    assert "replace resume" in text


def test_options_that_do_nothing_are_refused(run: Typed) -> None:
    """--check changes nothing. Options of a replacement are not silently ignored."""
    for option in (
        ("--now",),
        ("--boot",),
        ("--no-wait",),
        ("--with", "/dev/sde"),
        ("--confirm", OLD),
        ("--wipe", "x"),
    ):
        assert run("replace", OLD, "--check", *option).exit_code == 2, option


def test_an_array_without_a_uuid_or_a_drive_without_a_number(raid6: Bench) -> None:
    """Without a UUID or a serial number, nothing begins.

    Neither could be found again after a reboot. The refusal is one sentence.
    """
    seen = raid6.look()

    def changed(change: Callable[[Any], Any]) -> Survey:
        controllers = tuple(map(change, seen.inventory.controllers))
        return replace(seen, inventory=replace(seen.inventory, controllers=controllers))

    nameless = changed(
        lambda controller: replace(
            controller, volumes=tuple(replace(one, unique_id=None) for one in controller.volumes)
        )
    )
    numberless = changed(
        lambda controller: replace(controller, drives=tuple(replace(one, serial=None) for one in controller.drives))
    )
    for other, words in ((nameless, "UUID"), (numberless, "serial number")):
        with pytest.raises(RaidctlError, match=words):
            facts_of(other, "drives:LABD00002", way="out")
    journal = changed(lambda controller: replace(controller, drives=tuple(
        replace(one, role="journal") if one.backing else one for one in controller.drives)))  # fmt: skip
    with pytest.raises(UsageError, match="journal of its array"):
        facts_of(journal, "drives:LABD00002", way="out")


def test_a_member_that_was_pulled_by_mistake_is_back_but_not_in_its_array(run: Typed, tmp_path: Path) -> None:
    """Every stop names the command that adds a mistakenly pulled member. Md does not take it back automatically."""
    run("replace", OLD, "--now", "--no-wait", "--confirm", OLD)
    moved(tmp_path, lambda now: simulator.pull(now, "3"))
    wrong = run("replace", "resume", "--no-wait")
    assert (wrong.exit_code, "but must stay" in wrong.output, "--re-add" in wrong.output) == (7, True, False)
    moved(tmp_path, lambda now: simulator.push(now, "3", "ZC1A00L2"))
    back = run("replace", "resume", "--no-wait")
    assert (back.exit_code, "`mdadm /dev/md0 --re-add /dev/sdc`" in back.output) == (7, True), back.output
