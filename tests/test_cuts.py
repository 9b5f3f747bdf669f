"""Conclusions from less information, which never look better.

Outputs are cut off, answers are missing, or members are not described.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import pytest
from msgspec.structs import replace

from raidctl.evidence import Output
from raidctl.health.redundancy import with_redundancy
from raidctl.model import Controller, Drive, Inventory, write_protection
from raidctl.request import Answer, Failure, Request, Run, RunAnswer, Runner, decode
from raidctl.runners.replay import ReplayRunner
from raidctl.survey.survey import Survey, survey
from raidctl.vendor.registry import vendors
from tests.fuzz.samples import of_other_forms, samples
from tests.support.conclusions import (
    Conclusions,
    anything_unread,
    between_blocks,
    conclusions,
    cut_worse,
    cuts,
    falsely_ok,
    improved,
    read_text,
)
from tests.support.machines import COUNTING, MACHINES, recording, replayed

_PLACES = 3
_SHORT = 60
"""Lines of an output that is cut after each of them."""
_JSON = re.compile(r"\s*[{\[]\s*[\"{\[]")
_LONG = 20_000
"""Bytes of an answer; longer ones take too long to read often."""
_SPREAD = 4
"""Answers of a session that are removed, one at a time."""
_DRIVE = re.compile(r"/dev/(sd|nvme)\w+")
CUT = (
    "These conclusions improve where an output is cut off. The reader has to tell the Output how it ends (`closing`, "
    "`framed`, or `gap` where something is missing; raidctl/evidence.py), so that the rest counts as unknown:"
)
BLOCKS = (
    "If nothing shows a cut there, because the tool prints the same on a machine with fewer objects, add the form to "
    "_WHOLE in tests/support/conclusions.py."
)
SAMPLES = list({sample.text: sample for sample in samples()}.values())
TOOLS = sorted({sample.tool for sample in SAMPLES})


@pytest.mark.slow
@pytest.mark.parametrize("tool", TOOLS)
def test_no_conclusion_improves_where_an_output_is_cut_off(tool: str) -> None:
    """A cut output gives no better state, verdict or exit code.

    The cut is after a line or within one; the whole output is the measure.
    """
    better = []
    for sample in of_other_forms(one for one in SAMPLES if one.tool == tool):
        seen = read_text(sample.text)
        whole = conclusions(seen)
        for text in cuts(sample.text, _PLACES):
            found = cut_worse(seen, whole, text)
            better += [(sample.name, text[-80:], found)] if found else []
    assert not better, "\n".join([CUT, *map(str, better)])


@pytest.mark.parametrize("tool", TOOLS)
def test_no_conclusion_improves_where_an_output_ends_between_two_blocks(tool: str) -> None:
    """A cut between the sections of two objects gives no better state, verdict or exit code.

    JSON is left out: no part of it is JSON.
    """
    better = []
    for sample in of_other_forms(one for one in SAMPLES if one.tool == tool):
        seen = read_text(sample.text)
        if not seen.inventory.controllers or _JSON.match(sample.text):
            continue
        whole = conclusions(seen)
        for text in between_blocks(sample.text, _SHORT):
            found = cut_worse(seen, whole, text)
            better += [(sample.name, text[-80:], found)] if found else []
    assert not better, "\n".join([CUT, *map(str, better), BLOCKS])


@dataclass
class _Less:
    """A runner that returns one command's output in part, or not."""

    runner: Runner
    argv: tuple[str, ...]
    share: float
    AT_ONCE: ClassVar = True

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        answers = self.runner.carry_out(requests)
        return [self._less(request, answer) for request, answer in zip(requests, answers, strict=True)]

    def _less(self, request: Request[Any], answer: Answer) -> Answer:
        if not isinstance(request, Run) or not isinstance(answer, RunAnswer) or request.argv != self.argv:
            return answer
        if not self.share:
            return RunAnswer(trouble=Failure.TIMEOUT)
        return RunAnswer(code=answer.code, out=answer.out[: int(len(answer.out) * self.share)], err=answer.err)


@cache
def _whole(machine: str) -> Conclusions:
    return conclusions(replayed(machine))


def _of_another_witness(inventory: Inventory, conclusion: str) -> bool:
    """Whether it is the state of an object with another witness.

    Another answer may then give a state of the object that the missing one had refuted.

    That is a drive, and a volume that only the BMC lists then. The exit codes are no exception.
    """
    drives = [drive.id for controller in inventory.controllers for drive in controller.drives]
    outside = [
        volume.id
        for controller in inventory.controllers
        for volume in controller.volumes
        if controller.id.startswith("redfish:")
    ]
    states = [f"{name}: status" for name in (*drives, *outside)] + [
        f"{name}: verify --volume-status" for name in outside
    ]
    return any(state.endswith(conclusion[: conclusion.rindex(": ")].removesuffix(" ok")) for state in states)


def _asked(machine: str) -> list[Run]:
    """The commands of a machine. The same command for several drives is listed once, for the last one."""
    asked = [request for request, _ in recording(machine).answers() if isinstance(request, Run)]
    return list({_DRIVE.sub("*", " ".join(request.argv)): request for request in asked}.values())


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    "share", [pytest.param(0.0, marks=pytest.mark.slow), 0.4, pytest.param(0.8, marks=pytest.mark.slow)]
)
def test_no_conclusion_improves_where_an_answer_is_missing_or_cut_off(machine: str, share: float) -> None:
    """No conclusion improves where a tool's output is missing or cut off. Each output of a machine's tools is tried."""
    found, problems = vendors()
    better = {}
    for request in _asked(machine):
        runner = _Less(ReplayRunner(recording(machine)), request.argv, share)
        seen = survey(runner, found, collected_at=recording(machine).manifest.collected_at, problems=problems)
        assert seen.tracebacks == ()
        better_looking = [
            one for one in improved(_whole(machine), conclusions(seen)) if not _of_another_witness(seen.inventory, one)
        ]
        if better_looking:
            better[request.argv] = better_looking
    assert not better, "\n".join([CUT, *(f"{' '.join(argv)}: {what}" for argv, what in better.items())])


def _transcript(answers: Sequence[tuple[str, str]]) -> str:
    return "".join(f"root@host:~# {command}\n{out}" for command, out in answers)


@pytest.mark.slow
@pytest.mark.parametrize("machine", MACHINES)
def test_no_conclusion_improves_where_a_session_lacks_an_answer(machine: str) -> None:
    """No conclusion improves if one output of a text session is missing.

    It is one of a few: exit codes do not show that others are.

    The state of a drive is excepted as above.
    """
    kept = [
        (" ".join(request.argv), decode(answer.out))
        for request, answer in recording(machine).answers()
        if isinstance(request, Run) and isinstance(answer, RunAnswer) and answer.out.strip() and len(answer.out) < _LONG
    ]
    seen = read_text(_transcript(kept))
    whole = conclusions(seen)
    better = {}
    for index in range(0, len(kept), max(1, len(kept) // _SPREAD)):
        command = kept[index][0]
        for rest in ([], [(command, "")]):
            less = read_text(_transcript([*kept[:index], *rest, *kept[index + 1 :]]))
            better_looking = improved(whole, conclusions(less), exempt=True, torn=anything_unread(seen))
            better_looking = [one for one in better_looking if not _of_another_witness(less.inventory, one)]
            if better_looking:
                better[command, len(rest)] = better_looking
    assert better == {}


@pytest.mark.parametrize("machine", MACHINES)
def test_a_machine_with_something_bad_is_never_found_to_be_ok(machine: str) -> None:
    """Each bad object and each problem has a finding that names it. Otherwise, diagnose does not end well."""
    assert falsely_ok(replayed(machine).inventory) == []


@pytest.mark.parametrize("machine", MACHINES)
def test_a_member_that_is_named_and_not_described_survives_nothing(machine: str) -> None:
    """A member known by its name alone adds no redundancy.

    A volume survives no more failures than with all members known.
    """
    for controller in replayed(machine).inventory.controllers:
        before = {volume.id: volume.failures_tolerated for volume in controller.volumes}
        for drive in controller.drives:
            [after] = with_redundancy([_named_only(controller, drive)], COUNTING)
            for volume in after.volumes:
                left, whole = volume.failures_tolerated, before[volume.id]
                assert left is None or whole is None or left <= whole


@pytest.mark.parametrize("machine", MACHINES)
def test_no_conclusion_improves_where_a_member_is_not_described(machine: str) -> None:
    """No command finds a machine better where a member is not described.

    Nothing is known of it but its name, or no line is about it.
    """
    seen, before = replayed(machine), _whole(machine)
    for index, controller in enumerate(seen.inventory.controllers):
        for drive in controller.drives:
            if drive.array is None:
                continue
            for less in (_named_only(controller, drive), _without(controller, drive)):
                controllers = list(seen.inventory.controllers)
                controllers[index] = less
                derived = write_protection.derived(with_redundancy(controllers, COUNTING))
                inventory = replace(seen.inventory, controllers=derived)
                found = improved(before, conclusions(Survey(inventory, seen.outputs, seen.view)))
                assert found == [], drive.id


def _without(controller: Controller, drive: Drive) -> Controller:
    """A controller without a drive that its array still lists."""
    return replace(controller, drives=tuple(one for one in controller.drives if one.id != drive.id))


def _named_only(controller: Controller, drive: Drive) -> Controller:
    bare = Drive(id=drive.id, array=drive.array, role=drive.role)
    return replace(controller, drives=tuple(bare if one.id == drive.id else one for one in controller.drives))


def test_an_output_without_its_known_end_is_reported_and_weakens_what_it_describes_last() -> None:
    """The problem is of kind unread. The facts stay, but the good state of the last drive becomes unknown."""
    sample = next(one for one in SAMPLES if "arcconf getconfig 1 AL" in one.name and "Device #1" in one.text)
    at = sample.text.index("Device #1")
    seen = read_text(sample.text[:at])
    [problem] = [one for one in seen.inventory.problems if "cut off" in one.message]
    assert (problem.severity, problem.kind) == ("error", "unread")
    [controller] = seen.inventory.controllers
    assert [(drive.status, drive.model is not None) for drive in controller.drives if drive.model] == [
        ("unknown", True)
    ]


def test_a_blank_line_at_the_beginning_promises_one_at_the_end_of_a_kept_output() -> None:
    """A blank first line promises a blank last one.

    Some tools frame their outputs with blank lines and have no closing line.
    """
    output = Output.of_text("tool", "\nUnit\nu0\n")
    output.framed = True
    assert output.cut_off is not None
    whole = Output.of_text("tool", "\nUnit\nu0\n\n")
    whole.framed = True
    assert whole.cut_off is None


def test_a_setting_is_not_believed_of_drives_that_are_named_and_not_described() -> None:
    """A cache setting does not count for drives that are not described.

    A controller may keep their caches off and the drives report them on, further down in the output.
    """
    sample = next(one for one in SAMPLES if "Configured Drive Write Cache Policy: Disable" in one.text)
    seen = read_text(sample.text[: sample.text.index("      physicaldrive ")])
    caches = [
        volume.cache for controller in seen.inventory.controllers for volume in controller.volumes if volume.cache
    ]
    assert {(cache.drive_write_cache, cache.drive_caches, cache.write_protected) for cache in caches} == {
        ("disabled", "unknown", None)
    }
