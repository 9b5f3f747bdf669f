"""``raidctl diagnose``: findings, scope, exit codes, JSON, manual pages."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner, Result
from msgspec import structs

from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import Diagnosis, around, diagnose, exit_code
from raidctl.audit.rule import Rule
from raidctl.cli import cli
from raidctl.cli._diagnose_results import names
from raidctl.model import Array, Capability, Controller, Drive, Problem
from raidctl.output.console import Display
from raidctl.output.diagnose import screen
from raidctl.output.json import schema
from tests.audit.rule_examples import HEALTHY
from tests.support.machines import FIXTURES, MACHINES, replayed


@pytest.fixture(autouse=True)
def _eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def raidctl(*arguments: str | Path) -> Result:
    """Run a command line in this process."""
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def of_machine(machine: str, *arguments: str) -> Result:
    """Diagnose a recorded machine."""
    return raidctl("--replay", FIXTURES / machine, "diagnose", *arguments)


@pytest.mark.parametrize("machine", HEALTHY)
def test_a_healthy_machine_has_no_problems(machine: str) -> None:
    """A healthy machine ends with "No problems found." and exit code 0."""
    result = of_machine(machine)
    assert result.exit_code == 0
    verdict = result.stdout.splitlines()[2]
    expected = {
        "md-healthy": "1 for information",
        "drives-virtio": "No problems found, but the status of 1 drive is unknown.",
        "host-vm-virtio": "No problems found, but the status of 2 drives is unknown.",
    }
    assert verdict == expected.get(machine, "No problems found.")


def test_the_worst_finding_comes_first() -> None:
    """Findings are sorted by severity, each with its remedy and evidence."""
    result = of_machine("areca-arc1210", "-v")
    assert result.exit_code == 1
    places = [result.stdout.find(f"\n{word}") for word in ("CRITICAL", "WARNING", "info")]
    assert -1 not in places
    assert places == sorted(places)
    assert "cache.controller_cache = unprotected" in result.stdout
    assert "write-back that ends when the battery fails" in " ".join(result.stdout.split())


@pytest.mark.parametrize("machine", MACHINES)
def test_the_screen_fits_eighty_columns(machine: str) -> None:
    """No line of any machine's diagnosis is wider than 80 columns."""
    result = of_machine(machine)
    assert max(len(line) for line in result.stdout.splitlines()) <= 80


@pytest.mark.parametrize("machine", MACHINES)
def test_the_json_keeps_its_schema(machine: str) -> None:
    """The JSON follows its schema, and its verdict fits the exit code."""
    result = of_machine(machine, "--json")
    diagnosis = json.loads(result.stdout)
    jsonschema.validate(diagnosis, schema("Diagnosis", Diagnosis))
    codes = {"fine": 0, "found": 1, "cannot_tell": 3, "lacking": 4}
    assert result.exit_code == codes[diagnosis["verdict"]]


def test_the_schema_is_printed() -> None:
    """``raidctl schema diagnose`` prints the contract of the JSON."""
    printed = json.loads(raidctl("schema", "diagnose").stdout)
    assert printed == json.loads(json.dumps(schema("Diagnosis", Diagnosis)))


def test_information_alone_ends_with_0() -> None:
    """A machine with nothing but information ends with exit code 0."""
    result = of_machine("adaptec-smartraid-mixed", "--json")
    diagnosis = json.loads(result.stdout)
    assert {one["severity"] for one in diagnosis["findings"]} == {"info"}
    assert result.exit_code == 0


def test_a_missing_tool_is_exit_code_4() -> None:
    """A controller without its tool is the finding ``no_tool``, exit code 4."""
    result = of_machine("host-raid-card-no-tool")
    assert result.exit_code == 4
    assert "no_tool" in result.stdout


def test_what_could_not_be_read_is_exit_code_3() -> None:
    """If nothing failed but an output is unread, the health is unknown."""
    inventory = replayed("md-healthy").inventory
    unread = Problem(severity="error", where="mdstat", message="It could not be read.", kind="unread")
    found = diagnose(structs.replace(inventory, problems=(unread,)), rules())
    assert found.verdict == "cannot_tell"
    assert exit_code(found) == 3


def test_an_object_includes_what_it_depends_on() -> None:
    """A volume's diagnosis includes its controller's battery and its members' drives."""
    found = of_machine("adaptec-5405-failed-battery", "v0", "--json")
    assert "battery_failed" in {one["rule"] for one in json.loads(found.stdout)["findings"]}
    found = of_machine("md-degraded-rebuilding", "/dev/md5", "--json")
    where = {one["where"] for one in json.loads(found.stdout)["findings"]}
    assert {"md:md5", "drives:TLW5B1109"} <= where


def test_a_software_array_includes_the_volume_below() -> None:
    """An array on a controller's volume depends on the volume's drives, its cache and the battery, too."""
    below = replayed("adaptec-5405-failed-battery").inventory
    [volume] = below.controllers[0].volumes
    member = Drive(id="md:md0/sda", array="md:md0/array", role="member", status="ok", backing=(volume.id,))
    array = Array(id="md:md0/array", drives=(member.id,))
    md = Controller(id="md", mode="software", arrays=(array,), drives=(member,))
    inventory = structs.replace(below, controllers=(*below.controllers, md))
    scope = around(inventory, {member.id})
    assert {volume.id, *(one.id for one in below.controllers[0].drives if one.array == volume.array)} <= scope
    assert "battery_failed" in {one.rule for one in diagnose(inventory, rules(), scope).findings}


def test_an_object_counts_the_unknown_states_of_what_is_below() -> None:
    """A pool is no better known than the drives below its members."""
    plugin = of_machine("zfs-raidz2-resilvering", "zfs:system", "--format", "nagios").stdout
    assert "the status of 2 drives is unknown" in plugin.splitlines()[0]


def test_an_object_excludes_the_others() -> None:
    """The diagnosis of one volume has no findings of another volume."""
    where = {one["where"] for one in json.loads(of_machine("lab-md", "md13", "--json").stdout)["findings"]}
    assert "md:md13" in where
    assert "md:md14" not in where


def test_a_rule_is_checked_alone() -> None:
    """--rule takes one rule and counts only its checks. The name may have hyphens or underscores."""
    diagnosis = json.loads(of_machine("areca-arc1210", "--rule", "battery-failed", "--json").stdout)
    assert diagnosis["rules"] == ["battery_failed"]
    assert diagnosis["checked"] == 1


def test_the_nearest_rule_is_suggested_for_a_misspelt_one() -> None:
    """An unknown rule is wrong usage, with a suggestion."""
    result = raidctl("diagnose", "--rule", "batery_failed")
    assert result.exit_code == 2
    assert "battery_failed" in result.stderr


@pytest.mark.parametrize("rule", rules(), ids=[rule.name for rule in rules()])
def test_a_manual_page_is_printed(rule: Rule) -> None:
    """--explain prints the page of each rule within 80 columns."""
    result = raidctl("diagnose", "--explain", rule.name)
    assert result.exit_code == 0
    assert "How to fix." in result.stdout
    assert max(len(line) for line in result.stdout.splitlines()) <= 80


@pytest.mark.parametrize("name", names())
def test_a_result_without_a_rule_has_a_page(name: str) -> None:
    """--explain takes any rule name of a finding, also with --json."""
    result = raidctl("diagnose", "--explain", name)
    assert result.exit_code == 0
    assert "How to fix." in result.stdout
    assert max(len(line) for line in result.stdout.splitlines()) <= 80
    assert [one["rule"] for one in json.loads(raidctl("diagnose", "--explain", name, "--json").stdout)] == [name]


def test_a_group_of_a_policy_has_a_page_under_the_name_of_its_finding() -> None:
    """--explain takes `group NAME`, as reports print it."""
    shown = [raidctl("diagnose", "--explain", name).stdout for name in ("group db", "group")]
    assert shown[0] == shown[1]
    assert "matches no host" in shown[0]


def test_the_rules_are_listed() -> None:
    """--list has each rule, as a table and as JSON. The JSON has its page."""
    listed = raidctl("diagnose", "--list").stdout
    assert all(rule.name in listed for rule in rules())
    listed_json = json.loads(raidctl("diagnose", "--list", "--json").stdout)
    assert [one["rule"] for one in listed_json] == [rule.name for rule in rules()]
    assert all("**Why it matters.**" in one["manual"] for one in listed_json)


def test_the_manual_reads_no_machine() -> None:
    """--list and --explain refuse a machine, an object and each other."""
    for arguments in (["--list", "/"], ["--list", "--explain", "no_tool"], ["--explain", "no_tool", "--demo", "p400"]):
        assert raidctl("diagnose", *arguments).exit_code == 2


def test_a_simulated_machine_is_diagnosed(tmp_path: Path) -> None:
    """--demo machines are diagnosed like real ones."""
    result = raidctl("--demo", "gen10", "--state-dir", tmp_path, "diagnose")
    assert result.exit_code == 1
    assert "battery_failed" in result.stdout


def test_a_loose_output_is_diagnosed() -> None:
    """A file with the output of a tool is enough."""
    path = FIXTURES / "areca-arc1882-degraded" / "cli64-vsf-info.out"
    result = raidctl("--replay", path, "diagnose")
    assert result.exit_code == 1
    assert "volume_degraded" in result.stdout


def test_equal_findings_are_one_entry() -> None:
    """Equal findings of several objects are one entry. With -v, each is listed with its evidence."""
    brief, full = of_machine("lab-megasas").stdout, of_machine("lab-megasas", "-v").stdout
    assert brief.count("rule      drive_cache_volatile") == 1
    assert full.count("rule      drive_cache_volatile") == 3
    inventory = replayed("lab-megasas").inventory  # its tool sets nothing
    able = {"drive_write_cache": Capability(read=True, set=True)}
    controllers = tuple(structs.replace(controller, capabilities=able) for controller in inventory.controllers)
    found = diagnose(structs.replace(inventory, controllers=controllers), rules())
    printed = screen(found, inventory, Display(width=80), more=False)
    assert "cache set megaraid:0/v0 megaraid:0/v1 megaraid:0/v5 --drive-cache off" in " ".join(printed.split())


def test_names_that_take_several_rows_stay_in_their_column() -> None:
    """Wrapped names are indented, so that they do not look like headings."""
    inventory = replayed("md-degraded-rebuilding").inventory
    rows = screen(diagnose(inventory, rules()), inventory, Display(), more=False).splitlines()
    unknown = rows[rows.index("Unknown") + 1 : rows.index("", rows.index("Unknown"))]
    assert len(unknown) > 2
    assert all(row.startswith("  ") for row in unknown)


@pytest.mark.parametrize("machine", ["megaraid-perc5i-failed-battery", "smartarray-gen10-failed-battery"])
def test_the_text_of_a_tool_is_printed_once_in_a_finding(machine: str) -> None:
    """Battery, cache and write policy have one reason, which is printed once."""
    inventory = replayed(machine).inventory
    printed = " ".join(screen(diagnose(inventory, rules()), inventory, Display(), more=False).split())
    why = next(v.cache.why_not_in_force for c in inventory.controllers for v in c.volumes
               if v.cache and v.cache.why_not_in_force)  # fmt: skip
    words = why.rstrip(".").split(": ", 1)[1]
    finding = printed[printed.index("of the cache has failed") : printed.index("battery_failed")]
    assert finding.replace(f"facts status = failed status_text = {words}", "").count(words) == 1


def test_a_setting_that_overrides_a_good_battery_is_named() -> None:
    """The message names a setting that overrides a good battery. Write-back is unprotected because of it."""
    inventory = replayed("threeware-9690sa-rebuilding").inventory
    found = diagnose(inventory, rules()).findings
    message = next(one.message for one in found if one.rule == "write_back_unprotected")
    assert "although the battery is ok (StorSave policy `perform`" in message
    controller = inventory.controllers[0]
    silent = structs.replace(
        controller, volumes=tuple(structs.replace(volume, details={}) for volume in controller.volumes)
    )
    others = diagnose(structs.replace(inventory, controllers=(silent,)), rules()).findings
    assert not [one for one in others if "StorSave policy `perform`" in one.message]


def test_the_manual_of_the_rules_is_complete() -> None:
    """``docs/rules.md`` has the page of each rule."""
    page = (FIXTURES.parent / "docs" / "rules.md").read_text(encoding="utf-8")
    for rule in rules():
        assert f"\n## {rule.name}\n" in page
        assert f"| [{rule.name}](#{rule.name}) | {rule.severity} | {rule.title} |" in page
