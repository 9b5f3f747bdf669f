"""Alert rules, recording rules and the dashboard. All are valid and use metrics that exist."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from msgspec.structs import replace

from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import causes, diagnose, exit_code
from raidctl.cli import cli
from raidctl.json_decode import decode
from raidctl.model import Controller, Inventory, Volume, VolumeStatus, WriteActive
from raidctl.output.metrics import families
from raidctl.output.metrics_table import INVENTORY, of_rules, of_scan
from raidctl.output.prometheus import text
from tests.audit.prometheus_files import CONTRIB, RULES
from tests.output.inventories import HEALTHY
from tests.support.machines import MACHINES as EVERY_MACHINE
from tests.support.machines import replayed

GROUPS = yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
EVERY: list[Mapping[str, Any]] = [rule for group in GROUPS for rule in group["rules"]]
ALERTS = {rule["alert"]: rule for rule in EVERY if "alert" in rule}
SUITES = yaml.safe_load((RULES.parent / "raidctl_test.rules.yml").read_text(encoding="utf-8"))["tests"]
DASHBOARD = json.loads((CONTRIB / "grafana" / "raidctl.json").read_text(encoding="utf-8"))
NAME = re.compile(r"\b(?:instance(?:_[a-z]+)?:)?raidctl_\w+(?::\w+)?")


def promtool(*words: str | Path) -> tuple[int, str]:
    """Exit code and output of promtool (``tests/run`` installs it)."""
    argv = ["promtool", *map(str, words)]
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True)
    return done.returncode, done.stdout


def queries() -> list[str]:
    """The dashboard's queries, with a value for each variable."""
    return [one["expr"].replace("$instance", ".*") for panel in DASHBOARD["panels"] for one in panel.get("targets", ())]


def known() -> set[str]:
    """The names of all metrics and recording rules."""
    metrics = [*INVENTORY, of_scan(0.0), *of_rules(diagnose(HEALTHY, ()))]
    return {metric.name for metric in metrics} | {rule["record"] for rule in EVERY if "record" in rule}


def test_every_metric_of_rules_and_dashboard_exists() -> None:
    """Rules and dashboard only use metrics that raidctl exports."""
    expressions = [*(rule["expr"] for rule in EVERY), *queries()]
    used = {name for one in expressions for name in NAME.findall(one)}
    assert len(used) > 20
    assert used <= known()


def test_every_rule_that_has_an_alert_exists() -> None:
    """The names of built-in rules that RaidFinding excludes exist."""
    left_out = re.findall(r'rule!~"([^"]+)"', ALERTS["RaidFinding"]["expr"])[0].split("|")
    assert set(left_out) <= {rule.name for rule in rules()}


@pytest.mark.parametrize("name", ALERTS)
def test_every_alert_is_complete_and_tested(name: str) -> None:
    """Each alert has a severity, a summary, a description and two tests. It fires in one test, and not in the other."""
    rule = ALERTS[name]
    assert rule["labels"]["severity"] in {"critical", "warning", "info"}
    assert {"summary", "description"} == set(rule["annotations"])
    assert "for" in rule or rule["labels"]["severity"] == "info"
    tests = [one for suite in SUITES for one in suite.get("alert_rule_test", ()) if one["alertname"] == name]
    assert {bool(one["exp_alerts"]) for one in tests} == {True, False}


def test_the_dashboard_is_what_its_builder_writes() -> None:
    """The dashboard is its builder's output, with unique ids and positions."""
    assert runpy.run_path(str(CONTRIB / "grafana" / "build.py"))["text"]() == (
        CONTRIB / "grafana" / "raidctl.json"
    ).read_text(encoding="utf-8")
    places = [(one["gridPos"]["x"], one["gridPos"]["y"]) for one in DASHBOARD["panels"]]
    assert len(set(places)) == len(places)
    assert [one["id"] for one in DASHBOARD["panels"]] == list(range(1, len(places) + 1))


@pytest.mark.slow  # needs a Debian package
def test_prometheus_accepts_rules_tests_and_queries(tmp_path: Path) -> None:
    """The rules are valid and pass their tests. Every query of the dashboard parses."""
    code, output = promtool("check", "rules", RULES)
    assert (code, f"{len(EVERY)} rules found" in output) == (0, True), output
    assert promtool("test", "rules", RULES.parent / "raidctl_test.rules.yml")[0] == 0
    made = [{"record": f"query:number{number}", "expr": one} for number, one in enumerate(queries())]
    (tmp_path / "queries.yml").write_text(json.dumps({"groups": [{"name": "dashboard", "rules": made}]}))
    code, output = promtool("check", "rules", tmp_path / "queries.yml")
    assert (code, f"{len(made)} rules found" in output) == (0, True), output


Stage = list[tuple[str, str]]
"""Series with their values at one time."""


def stage(exported: str) -> Stage:
    """The series of an exposition."""
    lines = [line.rpartition(" ") for line in exported.splitlines() if not line.startswith("#")]
    return [(name, value) for name, _, value in lines if "timestamp" not in name]


def fired(stages: Sequence[Stage], place: Path, hours: Sequence[int] = ()) -> list[set[str]]:
    """The alerts that fire at the end of each stage. ``hours`` is the duration of each stage, 24 by default."""
    names = dict.fromkeys(name for one in stages for name, _ in one)
    lasting = [hour * 60 // 4 for hour in hours or [24] * len(stages)]
    values = {
        name: " ".join(
            f"{dict(one)[name]}x{times - 1}" if name in dict(one) else f"_x{times}"
            for one, times in zip(stages, lasting, strict=True)
        )
        for name in names
    }  # fmt: skip
    data = [{"series": name, "values": line} for name, line in values.items()]
    data.append({"series": "raidctl_collected_timestamp_seconds", "values": f"0+240x{sum(lasting)}"})
    ends = [4 * times - 8 for times in accumulate(lasting)]
    checks = [{"eval_time": f"{end}m", "alertname": name, "exp_alerts": []} for end in ends for name in ALERTS]
    group = {"interval": "4m", "input_series": data, "alert_rule_test": checks}
    suite = {"rule_files": [str(RULES)], "evaluation_interval": "20m", "tests": [group]}
    (place / "suite.yml").write_text(json.dumps(suite))  # JSON is YAML
    return list(_fired(promtool("test", "rules", place / "suite.yml")[1], ends))


def _fired(output: str, ends: Sequence[int]) -> Iterator[set[str]]:
    failures = re.findall(r"alertname: ?(\w+), time: (\S+),", output)
    by_time = {when: {name for name, _ in found} for when, found in groupby(sorted(failures, key=lambda one: one[1]),
                                                                           key=lambda one: one[1])}  # fmt: skip
    for minutes in ends:
        yield by_time.get(_shown(minutes), set())


def _shown(minutes: int) -> str:
    """A duration as promtool prints it: ``23h52m``, ``1d23h52m``."""
    days, rest = divmod(minutes, 1440)
    return f"{f'{days}d' if days else ''}{rest // 60}h{rest % 60}m"


def of_machine(name: str) -> Stage:
    """The series of a recorded machine."""
    return of_inventory(replayed(name).inventory)


def of_inventory(inventory: Inventory) -> Stage:
    """The series of an inventory."""
    return stage(text(families([*INVENTORY, of_scan(0.25), *of_rules(diagnose(inventory, rules()))], inventory)))


MACHINES: Mapping[str, set[str]] = {
    "md-healthy": set(),
    "smartarray-gen10-failed-battery": {"RaidBatteryFailed"},
    "megaraid-perc5i-failed-battery": {"RaidBatteryFailed", "RaidDriveFailed", "RaidVolumeDegraded"},
    "megaraid-h730p-predictive": {"RaidDriveExpectsFailure"},
    "host-raid-card-no-tool": {"RaidNotRead"},
    "areca-arc1210": {"RaidBatteryFailed", "RaidWritesUnprotected"},
    "smartarray-gen9-degraded": {"RaidDriveExpectsFailure", "RaidVolumeRebuilding"},
}


@pytest.mark.slow  # as above
def test_each_recorded_machine_has_the_alerts_that_it_should(tmp_path: Path) -> None:
    """Each cause has one alert, a healthy machine none. Other causes of diagnose raise RaidFinding.

    A failed drive that its controller no longer lists in an array may be of another one: its volume has an alert, too.
    """
    assert {name: fired([of_machine(name)], tmp_path)[0] for name in MACHINES} == {
        name: alerts | ({"RaidFinding"} if other_causes(name) else set()) for name, alerts in MACHINES.items()
    }


@pytest.mark.slow  # as above
def test_no_machine_without_a_finding_is_silent_if_something_is_unknown(tmp_path: Path) -> None:
    """A machine on which diagnose ends with 3 or 4 has an alert. One that is fine has none."""
    judged = {name: exit_code(diagnose(replayed(name).inventory, rules())) for name in EVERY_MACHINE}
    unsure = {name: code != 0 for name, code in judged.items() if code != 1}
    assert {name: bool(fired([of_machine(name)], tmp_path, [13])[0]) for name in unsure} == unsure
    assert {*judged.values()} == {0, 1, 3, 4}


@pytest.mark.slow  # as above
def test_a_failed_member_of_a_complete_software_array_is_an_alert(tmp_path: Path) -> None:
    """The member has no metrics of a drive, and its volume has no alert: the finding alone raises one."""
    healthy = replayed("md-healthy").inventory
    member = next(drive for controller in healthy.controllers for drive in controller.drives if drive.backing)
    broken = replace(member, status="critical", role="failed", status_text="faulty")

    def controller(one: Controller) -> Controller:
        return replace(one, drives=tuple(broken if drive is member else drive for drive in one.drives))

    inventory = replace(healthy, controllers=tuple(map(controller, healthy.controllers)))
    assert fired([of_inventory(inventory)], tmp_path) == [{"RaidFinding"}]


@pytest.mark.slow  # as above
def test_a_finding_that_the_state_of_its_object_does_not_show_is_an_alert(tmp_path: Path) -> None:
    """Volumes lack a member although they are ok; a drive is rebuilt below an ok volume; write-back is active unasked.

    The alerts of these rules are by states of volumes, which are good here.
    """

    def volumes(machine: str, change: Callable[[Volume], Volume]) -> Stage:
        inventory = replayed(machine).inventory
        changed = [replace(one, volumes=tuple(map(change, one.volumes))) for one in inventory.controllers]
        return of_inventory(replace(inventory, controllers=tuple(changed)))

    def short(status: VolumeStatus) -> Stage:
        return volumes("md-healthy", lambda one: replace(one, status=status, drives_active=1))

    def active(mode: WriteActive | None) -> Stage:
        policy = {"write_policy": "write_through", "write_active": mode, "why_not_in_force": "unknown"}
        return volumes(
            "megaraid-9660-storcli2", lambda one: replace(one, cache=one.cache and replace(one.cache, **policy))
        )

    healthy = replayed("md-healthy").inventory
    rebuilt = [
        replace(one, drives=tuple(replace(drive, status="warning", status_text="Rebuilding") for drive in one.drives))
        for one in healthy.controllers
        if one.id == "md"
    ]
    members = of_inventory(replace(healthy, controllers=tuple(rebuilt)))
    stages = [short("ok"), short("initializing"), members, active("write_back"), active(None)]
    assert fired(stages, tmp_path) == [{"RaidFinding"}] * len(stages)


def other_causes(name: str) -> set[str]:
    """The rules of a machine's warnings without a cause or an alert."""
    left_out = re.findall(r'rule!~"([^"]+)"', ALERTS["RaidFinding"]["expr"])[0].split("|")
    found = causes(diagnose(replayed(name).inventory, rules()).findings)
    return {one.rule for one in found if one.severity != "info"} - set(left_out)


@pytest.mark.slow  # as above
def test_alerts_of_a_drive_failure_and_rebuild(tmp_path: Path) -> None:
    """Pulling, adding and rebuilding a drive raise one alert at a time.

    The finding at the beginning and the end is that the array has no bitmap.
    """

    def run(*words: str) -> str:
        done = CliRunner().invoke(cli, ["--state-dir", str(tmp_path / "state"), *words], catch_exceptions=False)
        assert done.exit_code == 0, done.stderr
        return done.stdout

    stages = []
    for words in (
        (),
        ("demo", "--pull", "raid6", "3"),
        ("--demo", "raid6", "spare", "add", "/dev/sde", "--for", "md0", "--yes"),
        ("demo", "--pass-time", "raid6", "60h"),
    ):
        if words:
            run(*words)
        stages.append(stage(run("--demo", "raid6", "export", "--rules")))
    assert fired(stages, tmp_path) == [
        {"RaidFinding"}, {"RaidVolumeDegraded"}, {"RaidVolumeRebuilding"}, {"RaidFinding"},
    ]  # fmt: skip


def with_failed_battery(inventory: Inventory) -> Inventory:
    """The same machine with a failed battery and write-through active."""

    def volume(one: Volume) -> Volume:
        cache = replace(one.cache, write_active="write_through") if one.cache else None
        return replace(one, cache=cache)

    def controller(one: Controller) -> Controller:
        batteries = tuple(replace(each, status="failed", status_text="Failed") for each in one.batteries)
        return replace(one, batteries=batteries, volumes=tuple(map(volume, one.volumes)))

    return replace(inventory, controllers=tuple(map(controller, inventory.controllers)))


@pytest.mark.slow  # as above
def test_alerts_of_a_battery(tmp_path: Path) -> None:
    """A learn cycle of four hours raises no alert. A failed battery raises one, until it is replaced."""

    def run(*words: str) -> str:
        done = CliRunner().invoke(cli, ["--state-dir", str(tmp_path / "state"), *words], catch_exceptions=False)
        assert done.exit_code == 0, done.stderr
        return done.stdout

    def shown() -> Inventory:
        inventory: Inventory = decode(run("--demo", "9271", "--json", "show").encode(), Inventory)
        return inventory

    good = shown()
    run("--demo", "9271", "battery", "learn", "megaraid:0", "--yes")
    learning = shown()
    assert [one.status for one in learning.controllers[0].batteries] == ["learning"]
    run("demo", "--pass-time", "9271", "24h")
    again = shown()
    assert [one.status for one in again.controllers[0].batteries] == ["ok"]
    stages = [of_inventory(one) for one in (good, learning, again, with_failed_battery(again), again)]
    alerts = fired(stages, tmp_path, (24, 4, 24, 24, 24))
    assert [one - alerts[0] for one in alerts] == [set(), set(), set(), {"RaidBatteryFailed"}, set()]
    assert alerts[0] <= {"RaidFinding"}
