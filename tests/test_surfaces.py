"""What one command concludes from a machine, no other contradicts with something better."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec import Struct, field
from msgspec.structs import replace

from raidctl.audit.builtin import HEALTH, health_rules, rules
from raidctl.audit.diagnosis import diagnose, exit_code, findings_of
from raidctl.audit.engine import Auditor
from raidctl.audit.policy.sets import only_builtin
from raidctl.audit.report import EXITS
from raidctl.cli import cli
from raidctl.health.judge import judge
from raidctl.model import Errors, Host, Inventory, Problem, ProblemKind, is_complete
from raidctl.output.json import to_json
from raidctl.recording.inventory_files import decode
from raidctl.request import Answer, Failure, Request, Runner, Which, WhichAnswer
from raidctl.runners.replay import ReplayRunner
from raidctl.select import family_of, items
from raidctl.survey import second_view
from raidctl.survey.survey import survey
from raidctl.tasks.watch import Frame
from raidctl.vendor.registry import vendors
from raidctl.watch.live import Live, Reading
from raidctl.watch.memory import Config, Event, Memory
from raidctl.watch.observe import look_at
from raidctl.watch.step import ENDS, step
from tests.support.machines import FIXTURES, MACHINES, recording, replayed

OUTSIDE = second_view.families(vendors()[0])
NOTHING = Inventory(host=Host(hostname="db1"))
HIDING = [machine for machine in MACHINES if not is_complete(replayed(machine).inventory)]


@pytest.mark.parametrize("alone", [True, False], ids=["alone", "one of several"])
def test_the_built_in_rules_pass_no_machine_of_which_diagnose_is_not_sure(alone: bool) -> None:
    """An audit by them ends with 0 only where diagnose does, also if nothing was found, and from a file."""
    auditor = Auditor(only_builtin(rules()), alone=alone)
    better = []
    for inventory in (NOTHING, *(replayed(machine).inventory for machine in MACHINES)):
        written = decode(to_json(inventory).encode())
        assert written == inventory
        auditor.audit(written, "machine.json")
        code = EXITS[auditor.take().summary.verdict]
        if code == 0 and exit_code(diagnose(inventory, rules())) != 0:
            better.append(inventory.host.source)
    assert better == []


@pytest.mark.parametrize(
    "words",
    [
        ("show",), ("tasks",), ("export",), ("export", "--rows", "drives"), ("snapshot",), ("doctor",),
        ("battery", "show"), ("spare", "show"), ("check", "show"), ("check", "media", "show"),
        ("layout", "export"), ("audit", "--init"),
    ],
    ids=" ".join,
)  # fmt: skip
@pytest.mark.parametrize("machine", HIDING)
def test_no_list_is_complete_where_an_object_may_be_hidden(
    machine: str, words: tuple[str, ...], tmp_path: Path
) -> None:
    """No command exits with 0 if a problem may hide objects, which its list or file would lack."""
    done = CliRunner().invoke(cli, ["--replay", str(FIXTURES / machine), "--state-dir", str(tmp_path), *words])
    assert done.exit_code in (3, 4)


@pytest.mark.parametrize("form", ["table", "nagios"])
@pytest.mark.parametrize("machine", HIDING)
def test_a_chosen_rule_does_not_pass_a_machine_on_which_an_object_may_be_hidden(machine: str, form: str) -> None:
    """Whether the rule fails for hidden objects is unknown, as in a policy with this rule alone."""
    for name in ("drive_failed", "volume_degraded", "temperature_high"):
        words = ["--replay", str(FIXTURES / machine), "diagnose", "--rule", name, "--format", form]
        assert CliRunner().invoke(cli, words).exit_code != 0


def test_every_condition_of_the_hardware_is_one_of_its_health() -> None:
    """`--health-only` omits no condition that `show` lists, except a setting: the write caches of drives."""
    beside = replayed("redfish-beside-hpssacli").inventory
    views = tuple(replace(one, status="failed") for one in beside.second_views if one.kind == "volume")
    contradicted = replace(beside, second_views=views)
    for inventory in (contradicted, *(replayed(machine).inventory for machine in MACHINES)):
        assert {one.rule for one in judge(inventory)} - HEALTH <= {"drive_cache_volatile"}
    assert views
    assert exit_code(diagnose(contradicted, health_rules())) == 1


def without_details(inventory: Inventory, kind: ProblemKind) -> Inventory:
    """The machine as it looks without the tool, or the permission, that reads the details of plain drives."""
    details = {
        "critical_warning": None, "available_spare_percent": None, "life_used_percent": None, "write_cache": None,
        "temperature_celsius": None, "error_recovery_seconds": None, "paths": None, "link_gbps": None,
    }  # fmt: skip
    plain = [one for one in inventory.controllers if family_of(one) == "drives"]
    bare = {one.id: tuple(replace(drive, errors=Errors(), **details) for drive in one.drives) for one in plain}
    controllers = tuple(replace(one, drives=bare.get(one.id, one.drives)) for one in inventory.controllers)
    problem = Problem("warning", "drives", "Only kernel data is shown.", kind=kind)
    return replace(inventory, controllers=controllers, problems=(*inventory.problems, problem))


@pytest.mark.parametrize("kind", ["no_tool", "no_right"])
def test_nothing_is_good_again_because_its_tool_is_missing(kind: ProblemKind) -> None:
    """Neither a mail of `watch --once` nor the live screen ends a finding that can no longer be read."""
    ended: list[tuple[str, str]] = []
    for machine in MACHINES:
        before = replayed(machine).inventory
        memory, live = Memory(), Live()
        for number, seen in enumerate([before] * 3 + [without_details(before, kind)] * 5):
            look = look_at(seen, findings_of(seen, rules()))
            events: tuple[Event, ...]
            memory, events = step(memory, look, 1e9 + 3600 * number, Config())
            frame = Frame(2.0 * number, seen, seen.tasks, whole=True)
            board = live.step(Reading(at="2026-03-10T22:00:00Z", frame=frame))
            ended += [(machine, one.message) for one in events if one.kind in ENDS]
            ended += [(machine, one.message) for one in board.changes if (one.kind, one.section) == ("gone", "health")]
    assert ended == []


class WithoutTool(Struct):
    """A machine on which one tool is not installed; None: all that it has are."""

    inner: Runner
    tool: str | None = None
    found: set[str] = field(default_factory=set)

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer as the machine does, except about the tool."""
        answers = list(self.inner.carry_out(requests))
        for number, (request, answer) in enumerate(zip(requests, answers, strict=True)):
            if isinstance(request, Which) and isinstance(answer, WhichAnswer) and answer.path:
                self.found.add(request.name)
                if request.name == self.tool:
                    answers[number] = WhichAnswer(trouble=Failure.MISSING)
        return answers


@pytest.mark.slow
def test_what_is_not_listed_for_lack_of_a_tool_is_reported_as_hidden() -> None:
    """An object that is not listed without a tool may be there. A BMC may list it, under another id."""
    silent = []
    for machine in MACHINES:
        whole = WithoutTool(ReplayRunner(recording(machine)))
        every = _ids(_surveyed(whole))
        for tool in sorted(whole.found):
            seen = _surveyed(WithoutTool(ReplayRunner(recording(machine)), tool))
            families = {family_of(controller) for controller in seen.controllers}
            if every - _ids(seen) and is_complete(seen) and families.isdisjoint(OUTSIDE):
                silent.append((machine, tool))
    assert silent == []


def _surveyed(runner: Runner) -> Inventory:
    return survey(runner, vendors()[0], source="here", collected_at="2026-03-10T22:00:00Z").inventory


def _ids(inventory: Inventory) -> set[str]:
    return {item.id for controller in inventory.controllers for item in items(controller)}


def test_a_finding_that_its_own_tool_no_longer_reports_ends_whichever_other_tool_is_missing() -> None:
    """A warning of ZFS ends on a machine without smartctl, too."""
    inventory = replayed("zfs-raidz2-resilvering").inventory
    assert any(one.kind == "no_tool" for one in inventory.problems)
    warned = Problem("warning", "zfs:system", "zpool reports a warning.", kind="state")
    before = replace(inventory, problems=(*inventory.problems, warned))
    memory, kinds = Memory(), []
    for number, seen in enumerate([before] * 3 + [inventory] * 5):
        look = look_at(seen, findings_of(seen, rules()))
        memory, events = step(memory, look, 1e9 + 3600 * number, Config())
        kinds += [one.kind for one in events if (one.rule, one.where) == ("reported_trouble", "zfs:system")]
    assert kinds == ["new", "good"]
