"""Waivers: what they suppress, what they never hide, and mistakes by line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from raidctl.audit import builtin
from raidctl.audit.engine import Auditor
from raidctl.audit.policy.sets import load, only_builtin
from raidctl.audit.policy.waivers import Waiver, waivers_of_file
from raidctl.audit.rule import Rule
from raidctl.cli import cli
from raidctl.cli.shared import many_hosts
from raidctl.fleet.host_threads import Outcome
from raidctl.fleet.hosts import Host
from raidctl.survey.survey import Survey
from raidctl.toml_files.mistakes import MistakesError
from tests.audit.policies import recorded
from tests.support.machines import FIXTURES, MACHINES, replayed

MACHINE = "adaptec-5405-failed-battery"
NOW = datetime(2026, 11, 24, tzinfo=timezone.utc)
ACTIVE = """
[[waiver]]
rule = "battery_failed"
where = "adaptec:1/battery0"
until = 2999-12-31
because = "A battery is ordered."
"""
EXPIRED = ACTIVE.replace("2999-12-31", "2026-01-31")


def run(*words: str | Path) -> Result:
    """Run ``raidctl --replay fixtures/MACHINE …``."""
    command = ["--replay", str(FIXTURES / MACHINE), *map(str, words)]
    return CliRunner().invoke(cli, command, env={"COLUMNS": "200"}, catch_exceptions=False)


@pytest.fixture
def waivers(tmp_path: Path) -> Path:
    """The path of a file for waivers."""
    return tmp_path / "waivers.toml"


def test_a_waived_finding_does_not_count_and_is_listed(waivers: Path) -> None:
    """Neither a waived finding nor its consequences count. Every format has the number and the reasons."""
    waivers.write_text(ACTIVE)
    before = json.loads(run("audit", "--builtin", "--json").stdout)["summary"]
    words = ("audit", "--builtin", "--waivers", waivers)
    done = run(*words)
    assert "2 findings waived" in done.stdout
    assert "waived until 2999-12-31: battery_failed adaptec:1/battery0: A battery is ordered." in done.stdout
    report = json.loads(run(*words, "--json").stdout)
    after = report["summary"]
    assert after["waived"] == 2
    assert {(one["finding"]["rule"], one["reason"]) for one in report["hosts"][0]["waived"]} == {
        ("battery_failed", "A battery is ordered."), ("write_policy_not_in_force", "A battery is ordered."),
    }  # fmt: skip
    assert (after["checked"], after["passed"]) == (before["checked"], before["passed"])
    counts = {one["rule"]: (one["failed"], one["waived"], one["hosts"]) for one in after["rules"]}
    assert counts["battery_failed"] == (0, 1, 0)
    assert ", 2 waived" in run(*words, "--format", "nagios").stdout
    assert (
        'skipped message="Waived until 2999-12-31 (A battery is ordered): ' in run(*words, "--format", "junit").stdout
    )


def test_an_expired_waiver_is_a_finding_and_waives_nothing(waivers: Path) -> None:
    """The finding counts again. The expired waiver is a finding with its line."""
    waivers.write_text(EXPIRED)
    report = json.loads(run("audit", "--builtin", "--waivers", waivers, "--json").stdout)
    assert report["summary"]["waived"] == 0
    found = {one["rule"]: one for one in report["hosts"][0]["findings"]}
    assert "battery_failed" in found
    assert found["waiver_expired"]["where"] == "adaptec:1/battery0"
    assert f"{waivers}:2" in found["waiver_expired"]["remedy"]


def test_a_waiver_in_the_policy_is_for_the_hosts_that_it_names(tmp_path: Path) -> None:
    """A waiver for a pattern covers no other and no nameless host."""
    policy = tmp_path / "site.toml"
    text = (
        'raid_level = "raid6"\n[[waiver]]\nrule = "raid_level"\nhosts = ["{}"]\nuntil = "2999-12-31"\nbecause = "old"\n'
    )
    codes = {}
    for pattern in ("ald*", "db*"):
        policy.write_text(text.format(pattern))
        codes[pattern] = run("audit", policy).exit_code
    assert codes == {"ald*": 0, "db*": 1}
    inventory = recorded(MACHINE)
    nameless = msgspec.structs.replace(inventory, host=msgspec.structs.replace(inventory.host, hostname=None))
    rules = only_builtin(builtin.rules())
    rules.add_waivers([Waiver("battery_failed", NOW.date(), "x", hosts=("*",))])
    assert not Auditor(rules, alone=True, now=NOW).audit(nameless, "x").waived


def test_diagnose_of_many_hosts_reports_an_expired_waiver_once(waivers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is on the host with a finding that it would cover. If it covers nothing, it is about no host: exit code 1."""
    names = ("megaraid-9660-storcli2", "adaptec-smartraid-mixed")  # without a finding

    def read(*_: object) -> Iterator[Outcome[Survey]]:
        yield from (Outcome(Host(name, name), 1, replayed(name)) for name in names)

    monkeypatch.setattr(many_hosts, "read_hosts", read)
    hosts = ["--hosts", ",".join(names), "--state-dir", str(waivers.parent), "diagnose", "--waivers", str(waivers)]
    for text, code in ((ACTIVE, 0), (EXPIRED, 1)):
        waivers.write_text(text)
        assert CliRunner().invoke(cli, hosts, catch_exceptions=False).exit_code == code
    report = json.loads(CliRunner().invoke(cli, [*hosts, "--json"], catch_exceptions=False).stdout)
    assert [(one["rule"], one["outcome"]) for one in report["findings"]] == [("waiver_expired", "fail")]
    assert {host["exit_code"] for host in report["hosts"]} == {0}
    assert "waiver_expired: The waiver of battery_failed ended" in CliRunner().invoke(cli, hosts).stdout


def test_many_hosts_have_one_finding_about_an_expired_waiver(tmp_path: Path, waivers: Path) -> None:
    """The finding is on the host that the waiver would cover. If it covers nothing, the finding is about the policy."""
    lines = [msgspec.json.encode(recorded(name)) for name in MACHINES[:6]]
    (tmp_path / "fleet.jsonl").write_bytes(b"\n".join(lines))
    words = ("--builtin", "--waivers", str(waivers), str(tmp_path / "fleet.jsonl"), "--jobs", "1", "--json")
    waivers.write_text(EXPIRED.replace('where = "adaptec:1/battery0"\n', 'where = "nowhere"\n'))
    report = json.loads(CliRunner().invoke(cli, ["audit", *words]).stdout)
    assert [one["rule"] for one in report["summary"]["findings"]].count("waiver_expired") == 1
    assert not [one for host in report["hosts"] for one in host["findings"] if one["rule"] == "waiver_expired"]


def test_an_expired_waiver_that_covers_nothing_fails_on_many_hosts_as_on_one(tmp_path: Path, waivers: Path) -> None:
    """The exit code is 1, whatever the number of hosts and the format."""
    policy = tmp_path / "site.toml"
    policy.write_text('raid_level = "raid*"\n')
    waivers.write_text(EXPIRED)
    lines = [msgspec.json.encode(recorded(name)) for name in ("md-healthy", "host-lvm-on-md")]
    for number in (1, 2):
        fleet = tmp_path / f"{number}.jsonl"
        fleet.write_bytes(b"\n".join(lines[:number]))
        for form in ("table", "json", "nagios"):
            words = ["audit", str(policy), str(fleet), "--waivers", str(waivers), "--jobs", "1", "--format", form]
            done = CliRunner().invoke(cli, words)
            assert done.exit_code == 1, (number, form, done.output)


def test_watch_does_not_report_what_is_waived(tmp_path: Path, waivers: Path) -> None:
    """A waived finding is counted. The end of the waiver is reported."""

    def look() -> list[str]:
        command = [
            "--state-dir",
            str(tmp_path / "state"),
            "--demo",
            "p400",
            "watch",
            "--once",
            "--after",
            "1",
            "--json",
        ]
        done = CliRunner().invoke(cli, [*command, "--waivers", str(waivers)], catch_exceptions=False)
        report = json.loads(done.stdout)
        return [event["rule"] for event in report["events"]] + ["waived"] * report["waived"]

    waivers.write_text(WAIVER.format("2999-12-31"))
    assert look() == ["waived"]
    waivers.write_text(WAIVER.format("2026-01-01"))
    assert sorted(look()) == ["reported_trouble", "waiver_expired"]


WAIVER = '[[waiver]]\nrule = "reported_trouble"\nuntil = {}\nbecause = "The update is planned."\n'
_SERIES = re.compile(r'^raidctl_rule_(finding|waived)\{rule="(\w+)",.*?object="([^"]+)"', re.MULTILINE)
Found = set[tuple[str, str]]


def counted(state: Path, *words: str) -> dict[str, tuple[Found, Found]]:
    """Counted and waived findings of one simulated machine, by command."""

    def shown(*command: str) -> str:
        argv = ["--state-dir", str(state), "--demo", "p400", *command, *words]
        return CliRunner().invoke(cli, argv, catch_exceptions=False).stdout

    def pairs(found: list[Any], key: str = "where") -> Found:
        return {(one["rule"], one[key]) for one in found}

    diagnosis = json.loads(shown("diagnose", "--json"))
    rows = [json.loads(line) for line in shown("export", "--rows", "findings").splitlines()]
    rows = [one for one in rows if one["outcome"] != "pass"]
    series = _SERIES.findall(shown("export", "--rules"))
    for memory in state.rglob("watch*.json"):
        memory.unlink()
    look = json.loads(shown("watch", "--once", "--after", "1", "--unknown-after", "1s", "--json"))
    events = pairs([one for one in look["events"] if one["kind"] == "new"])
    status = shown("diagnose", "--format", "nagios")
    lines = set(re.findall(r"^\[\w+\] (\w+) (\S+?)(?: /\S+)?: ", status, re.MULTILINE))
    ignored = pairs([one["finding"] for one in diagnosis["ignored"]])
    assert look["waived"] == len(ignored)
    assert (f", {len(ignored)} ignored" in status) == bool(ignored)
    return {
        "diagnose": (pairs([*diagnosis["findings"], *diagnosis["unknown"]]), ignored),
        "nagios": (lines, ignored),
        "metrics": (
            {(rule, where) for kind, rule, where in series if kind == "finding"},
            {(rule, where) for kind, rule, where in series if kind == "waived"},
        ),
        "rows": (
            pairs([one for one in rows if one["waived_until"] is None], "object"),
            pairs([one for one in rows if one["waived_until"] is not None], "object"),
        ),
        "watch": (events, ignored),
    }


def test_every_command_counts_the_same_findings(tmp_path: Path, waivers: Path) -> None:
    """All commands count the same findings, whatever is waived or ignored."""
    state = tmp_path / "state"
    trouble = {("reported_trouble", "smartarray:1")}
    over = {("waiver_expired", "smartarray:1")}

    def ignored() -> Path:
        argv = ["--state-dir", str(state), "--demo", "p400", "diagnose", "--ignore", "reported_trouble"]
        CliRunner().invoke(cli, [*argv, "--until", "2999-12-31", "--because", "The update is planned."])
        [kept] = state.rglob("ignored.json")
        return kept

    def same(*words: str) -> tuple[Found, Found]:
        found = counted(state, *words)
        assert all(one == found["diagnose"] for one in found.values()), found
        return found["diagnose"]

    plain, none = same()
    assert trouble <= plain
    assert not none
    waivers.write_text(WAIVER.format("2999-12-31"))
    assert same("--waivers", str(waivers)) == (plain - trouble, trouble)
    waivers.write_text(WAIVER.format("2026-01-01") + 'where = "smartarray:1"\n')
    assert same("--waivers", str(waivers)) == (plain | over, set())
    kept = ignored()
    assert same() == (plain - trouble, trouble)
    kept.write_text(kept.read_text().replace("2999-12-31", "2026-01-01"))
    assert same() == (plain | over, set())


def test_a_damaged_file_of_ignored_findings_waives_nothing(tmp_path: Path) -> None:
    """Metrics and rows have every finding, and the exit code is 3."""
    place = tmp_path / "demo" / "p400"
    place.mkdir(parents=True)
    (place / "ignored.json").write_text("[{")
    for words in (("export", "--rules"), ("export", "--rows", "findings")):
        done = CliRunner().invoke(cli, ["--state-dir", str(tmp_path), "--demo", "p400", *words])
        assert "reported_trouble" in done.stdout
        assert "Nothing is ignored" in done.stderr
        assert done.exit_code == 3


def test_waivers_without_findings_are_refused(waivers: Path) -> None:
    """An option that would have no effect is refused."""
    waivers.write_text(ACTIVE)
    for words in (("export",), ("export", "--rows", "drives")):
        assert run(*words, "--waivers", waivers).exit_code == 2


GOOD = '[[waiver]]\nrule = "battery_failed"\nuntil = 2027-01-31\nbecause = "x"\n'
MISTAKES = {
    '[[waiver]]\nrule = "battery_faild"\nuntil = 2027-01-31\nbecause = "x"':
        '2: no rule is called "battery_faild"; did you mean battery_failed',
    '[[waiver]]\nrule = "battery_failed"\nbecause = "x"': '1: a waiver needs "until": its last day',
    '[[waiver]]\nrule = "battery_failed"\nuntil = "soon"\nbecause = "x"': '3: a waiver needs "until": its last day',
    '[[waiver]]\nrule = "battery_failed"\nuntil = 2027-01-31': '1: a waiver needs "because": a reason',
    '[[waiver]]\nrule = "battery_failed"\nuntil = 2027-01-31\nbecause = " "': '4: a waiver needs "because"',
    f'{GOOD}host = "db"': '5: a waiver has no "host"',
    f'{GOOD}hosts = "db"': '5: "hosts" has to be a list',
    f"{GOOD}hosts = []": '5: "hosts" has to be a list',
    '[waiver]\nrule = "battery_failed"': "1: waivers have to be a list: write [[waiver]]",
    'waiver = ["x"]': "1: waivers have to be a list: write [[waiver]]",
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), MISTAKES.items())
def test_mistakes_have_their_line(text: str, expected: str, waivers: Path) -> None:
    """A mistake in either file has its line and exit code 2."""
    names = [rule.name for rule in builtin.rules()]
    with pytest.raises(MistakesError) as error:
        waivers_of_file("w.toml", lambda _: text.encode(), names)
    assert str(error.value.faults[0]).startswith(f"w.toml:{expected}")
    with pytest.raises(MistakesError) as error:
        load("site.toml", lambda _: text.encode(), builtin.rules())
    assert str(error.value.faults[0]).startswith(f"site.toml:{expected}")
    waivers.write_text(text)
    done = run("audit", "--builtin", "--waivers", waivers)
    assert (done.exit_code, expected in done.stderr) == (2, True)


def test_a_file_of_waivers_has_only_waivers(waivers: Path) -> None:
    """A policy given as a file of waivers, or a missing file, is a mistake."""
    waivers.write_text('raid_level = "raid6"\n')
    assert (
        '1: "raid_level" is unknown here; a file of waivers' in run("audit", "--builtin", "--waivers", waivers).stderr
    )
    assert run("audit", "--builtin", "--waivers", "/nowhere.toml").exit_code == 2


@given(st.lists(st.tuples(st.sampled_from(builtin.rules()), st.booleans()), max_size=8), st.sampled_from(MACHINES))
def test_findings_are_never_lost(chosen: list[tuple[Rule, bool]], name: str) -> None:
    """With any waivers, each finding counts or is listed as waived."""
    inventory = recorded(name)
    plain = Auditor(only_builtin(builtin.rules()), alone=True, now=NOW).audit(inventory, name)
    rules = only_builtin(builtin.rules())
    days = {True: NOW.date().replace(year=2027), False: NOW.date().replace(year=2025)}
    rules.add_waivers([Waiver(rule.name, days[active], "because") for rule, active in chosen])
    auditor = Auditor(rules, alone=True, now=NOW)
    found = auditor.audit(inventory, name)
    together = [one for one in found.findings if one.rule != "waiver_expired"] + [one.finding for one in found.waived]
    assert sorted(together, key=repr) == sorted(plain.findings, key=repr)
    assert sum(one.rule == "waiver_expired" for one in found.findings) == sum(not active for _, active in chosen)
    assert all(min(vars(count).values()) >= 0 for count in auditor.tally.rules.values())
    assert auditor.tally.summary.waived == len(found.waived)
