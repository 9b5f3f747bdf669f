"""Every built-in rule has a manual page, and fails on bad machines."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path

import pytest

from raidctl.audit import builtin
from raidctl.audit.builtin import manual, named, rules
from raidctl.audit.finding import Finding
from raidctl.audit.rule import Rule
from raidctl.health.severity import WEIGHT
from raidctl.model import Host, Inventory
from raidctl.select import items
from tests.audit.rule_examples import EXAMPLES, HEALTHY, Machine
from tests.support.machines import MACHINES, replayed

every = pytest.mark.parametrize("rule", rules(), ids=[rule.name for rule in rules()])
machines = pytest.mark.parametrize("machine", MACHINES)
SECTIONS = ("What it checks.", "Why it matters.", "Fails", "Passes", "Unknown", "How to fix.", "Example.")


def findings_of(rule: Rule, machine: Machine) -> list[Finding]:
    """The findings of a rule on a machine."""
    return list(rule.check(machine.inventory))


def test_each_rule_has_an_example_and_each_example_a_rule() -> None:
    """Each rule has an example, and each example a rule."""
    assert sorted(EXAMPLES) == [rule.name for rule in rules()]


@every
def test_a_rule_fires_on_its_fail_machine(rule: Rule) -> None:
    """The rule fails on the machine that violates it."""
    example = EXAMPLES[rule.name]
    assert example.outcome in {one.outcome for one in findings_of(rule, example.fails)}


@every
def test_a_rule_is_silent_on_its_pass_machine(rule: Rule) -> None:
    """The rule checks something on the healthy machine, and everything passes."""
    assert {one.outcome for one in findings_of(rule, EXAMPLES[rule.name].passes)} == {"pass"}


@every
def test_a_rule_has_its_manual_page(rule: Rule) -> None:
    """The page has a first sentence and all sections, in their order."""
    page = manual(rule)
    assert page.split("\n\n")[0].endswith(".")
    places = [page.find(f"**{section}") for section in SECTIONS]
    assert -1 not in places
    assert places == sorted(places)


def test_contributing_names_the_sections_of_a_page() -> None:
    """Who adds a rule reads its sections in CONTRIBUTING.md, in their order."""
    text = (Path(__file__).resolve().parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    steps = text.partition("## Add a rule")[2].partition("\n## ")[0]
    assert tuple(re.findall(r"\*\*(.+?)\*\*", steps)) == SECTIONS


@every
def test_a_rule_has_the_name_of_its_module(rule: Rule) -> None:
    """A rule's module has its name, and hyphens are accepted for underscores."""
    assert importlib.import_module(f"raidctl.audit.builtin.{rule.name}").FINDINGS.rule == rule.name
    assert named(rule.name.replace("_", "-")) is rule
    assert not rule.title.endswith(".")


def test_every_module_is_a_rule() -> None:
    """Each module is a rule, in a stable order. Names with a leading underscore do not count."""
    modules = sorted(m.name for m in pkgutil.iter_modules(builtin.__path__) if not m.name.startswith("_"))
    assert [rule.name for rule in rules()] == modules


@machines
def test_findings_are_complete(machine: str) -> None:
    """Each finding has a rule, an existing object and evidence. A failure has a remedy."""
    inventory = replayed(machine).inventory
    ids = {item.id for controller in inventory.controllers for item in items(controller)}
    places = ids | {"host"} | {problem.where for problem in inventory.problems}
    for rule in rules():
        for one in rule.check(inventory):
            assert one.rule == rule.name
            assert one.where in places
            assert one.message.strip()
            if one.outcome == "fail":
                assert one.evidence
                assert one.remedy or one.rule == "reported_trouble"
                assert WEIGHT[one.severity] >= WEIGHT[rule.severity], "a finding may be milder than its rule, not worse"


@machines
def test_a_rule_has_one_finding_per_object(machine: str) -> None:
    """A rule passes an object once."""
    for rule in rules():
        found = [one.where for one in rule.check(replayed(machine).inventory) if one.outcome == "pass"]
        assert len(found) == len(set(found))


@pytest.mark.parametrize("machine", HEALTHY)
def test_rules_are_silent_on_a_healthy_machine(machine: str) -> None:
    """No rule fails or is unknown on a healthy machine. The exception is the write hole of its design."""
    inventory = replayed(machine).inventory
    found = [one for rule in rules() for one in rule.check(inventory) if one.outcome != "pass"]
    assert [one for one in found if (one.rule, one.severity) != ("write_hole", "info")] == []


def test_rules_have_no_findings_on_an_empty_machine() -> None:
    """Without storage there is no finding, not even a passed one."""
    assert [one for rule in rules() for one in rule.check(Inventory(host=Host()))] == []


EXPECTED = {
    "adaptec-5405-failed-battery": {
        "battery_failed": "adaptec:1/battery0",
        "write_policy_not_in_force": "adaptec:1/v0",
    },
    "adaptec-6805-rebuilding": {"volume_rebuilding": "adaptec:1/v0", "drive_expects_failure": "adaptec:1/0,3"},
    "areca-arc1210": {"write_back_unprotected": "areca:1/v1", "drive_cache_volatile": "areca:1/v1"},
    "areca-arc1882-degraded": {"volume_degraded": "areca:1/v1", "drive_failed": "areca:1/E2:S4"},
    "drives-ahci": {"drive_errors": "drives:HBN1K9X5"},
    "drives-sas-multipath": {"drive_expects_failure": "drives:TGK00D4W"},
    "host-raid-card-no-tool": {"no_tool": "0000:03:00.0"},
    "lab-md": {"volume_degraded": "md:md13", "volume_rebuilding": "md:md15"},
    "md-container-inactive": {"volume_failed": "md:md3", "md_without_bitmap": "md:md126"},
    "md-degraded-rebuilding": {"volume_degraded": "md:md5", "volume_rebuilding": "md:md10"},
    "md-journal-check": {"md_mismatch": "md:md127", "background_operation": "md:md127"},
    "megaraid-9271-learning": {"battery_learning": "megaraid:0/battery0", "raid5_large_drives": "megaraid:0/v0"},
    "megaraid-h730p-predictive": {"drive_expects_failure": "megaraid:0/32:5"},
    "megaraid-perc5i-failed-battery": {"battery_failed": "megaraid:0/battery0", "volume_degraded": "megaraid:0/v0"},
    "smartarray-gen10-failed-battery": {"cache_in_trouble": "smartarray:0", "battery_failed": "smartarray:0/battery0"},
    "smartarray-gen9-degraded": {
        "drive_expects_failure": "smartarray:0/1I:1:2",
        "volume_rebuilding": "smartarray:0/v2",
    },
    "threeware-8006-mirror": {"write_back_unprotected": "threeware:0/v0"},
    "threeware-9690sa-rebuilding": {"volume_rebuilding": "threeware:6/v1", "write_back_unprotected": "threeware:6/v0"},
}
"""The findings that an expert expects on each recorded machine."""


@pytest.mark.parametrize("machine", EXPECTED)
def test_the_problems_of_a_machine_are_found(machine: str) -> None:
    """The expected rule fails on the expected object."""
    inventory = replayed(machine).inventory
    found = {(one.rule, one.where) for rule in rules() for one in rule.check(inventory) if one.outcome == "fail"}
    assert set(EXPECTED[machine].items()) <= found
