"""``--format nagios`` of ``audit`` and ``diagnose``, for Nagios, Icinga and compatible systems."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidctl.audit.finding import Audited, Finding
from raidctl.audit.report import Summary
from raidctl.output.audit_formats import Options, writer
from raidctl.output.console import Display
from raidctl.output.nagios import LONGEST, Counts, Status, cut, plugin, safe, status_of
from tests.audit.policies import recorded
from tests.audit.rule_examples import HEALTHY
from tests.support.command_line import command_line
from tests.support.machines import FIXTURES, MACHINES

run = command_line()

# The guidelines' grammar: 'label'=value[UOM];[warn];[crit];[min];[max]
_NUMBER = r"-?\d+(?:\.\d+)?"
_RANGE = rf"@?(?:(?:~|{_NUMBER}):)?(?:{_NUMBER})?"
_DATUM = re.compile(
    rf"(?P<label>'(?:[^'=]|'')+'|[^'= ]+)=(?P<value>{_NUMBER})(?:us|ms|s|%|B|KB|MB|TB|c)?"
    rf"(?:;(?P<warn>{_RANGE}))?(?:;(?P<crit>{_RANGE}))?(?:;(?:{_NUMBER})?)?(?:;(?:{_NUMBER})?)?"
)
_FIRST = re.compile(r"RAID (?P<state>OK|WARNING|CRITICAL|UNKNOWN) - (?P<text>[^|\n]+?)(?: \| (?P<data>[^|\n]+))?")


@dataclass
class Check:
    """An output as a monitoring system parses it."""

    state: str
    text: str
    figures: dict[str, int]
    more: list[str]


def read(output: str) -> Check:
    """Parse an output by the guidelines' grammar; anything else is an error."""
    first, *more = output.removesuffix("\n").split("\n")
    parsed = _FIRST.fullmatch(first)
    assert parsed, first
    figures = {}
    for word in (parsed["data"] or "").split():
        datum = _DATUM.fullmatch(word)
        assert datum, word
        figures[datum["label"]] = int(datum["value"])
    assert not [line for line in more if "|" in line], "a bar would begin more figures"
    assert len(output.encode()) <= LONGEST
    assert len(first.encode()) < 1024
    return Check(parsed["state"], parsed["text"], figures, more)


def finding(severity: str = "critical", outcome: str = "fail", **more: object) -> Finding:
    """A finding."""
    fields = {"rule": "battery", "severity": severity, "outcome": outcome, "where": "smartarray:1", "message": "So."}
    return msgspec.convert({**fields, **more}, Finding)


def audited(*findings: Finding) -> Check:
    """The output for one machine with these findings. One further check passed."""
    out = writer("nagios", Options("site.toml", Display(width=80), alone=True))
    out.host(Audited(host="db1", source="local", findings=findings))
    summary = Summary(hosts=1, checked=len(findings) + 1, passed=1)
    check = read("".join(out.end(summary, lambda: iter(()))))
    assert out.exit_code(summary) == Status[check.state]
    return check


@pytest.mark.parametrize("command", [("diagnose",), ("audit", "--builtin")])
@pytest.mark.parametrize("machine", MACHINES)
def test_the_line_of_every_machine_follows_the_guidelines(machine: str, command: tuple[str, ...]) -> None:
    """The word and the exit code agree. The figures are those of the findings."""
    done = run("--replay", FIXTURES / machine, *command, "--format", "nagios")
    check = read(done.stdout)
    assert done.exit_code == Status[check.state]
    assert check.figures["passed"] <= check.figures["checked"]
    assert bool(check.figures["critical"]) <= (check.state in {"CRITICAL", "UNKNOWN"})


@pytest.mark.parametrize("machine", HEALTHY)
def test_a_healthy_machine_is_ok_without_any_policy(machine: str) -> None:
    """``raidctl diagnose --format nagios`` is a complete check without a policy."""
    done = run("--replay", FIXTURES / machine, "diagnose", "--format", "nagios")
    assert (done.exit_code, read(done.stdout).state) == (0, "OK")


@pytest.mark.slow
def test_diagnose_and_its_line_agree() -> None:
    """Exit code 1 of ``diagnose`` is WARNING or CRITICAL. Exit code 0 is OK, everything else UNKNOWN."""
    words = {0: {0}, 1: {1, 2}, 3: {3}, 4: {3}}
    for machine in MACHINES:
        usual, line = (
            run("--replay", FIXTURES / machine, "diagnose", *more).exit_code for more in ((), ("--format", "nagios"))
        )
        assert line in words[usual], machine


def test_a_controller_without_its_tool_is_unknown() -> None:
    """A controller that could not be queried is never OK."""
    done = run("--replay", FIXTURES / "host-raid-card-no-tool", "diagnose", "--format", "nagios")
    assert (done.exit_code, read(done.stdout).state) == (3, "UNKNOWN")


@pytest.mark.parametrize(
    ("findings", "state"),
    [
        ((), "OK"),
        ((finding("info"),), "OK"),
        ((finding("info", "unknown"),), "UNKNOWN"),
        ((finding(outcome="unmatched"),), "UNKNOWN"),
        ((finding("warning"), finding(outcome="unknown")), "WARNING"),
        ((finding("warning"), finding("critical"), finding("info")), "CRITICAL"),
    ],
)
def test_the_worst_decides(findings: tuple[Finding, ...], state: str) -> None:
    """A known failure outranks UNKNOWN, and UNKNOWN outranks OK."""
    assert audited(*findings).state == state


def test_the_worst_finding_is_in_the_first_line() -> None:
    """The first line has the worst finding. The others follow, the worst first."""
    check = audited(finding("info", message="Third."), finding("warning", message="Second."), finding(message="First."))
    assert check.text.endswith("battery smartarray:1: First.")
    assert [line.split()[0] for line in check.more] == ["[CRITICAL]", "[WARNING]", "[INFO]"]


def test_nothing_checked_is_not_ok() -> None:
    """An empty directory is UNKNOWN."""
    assert status_of(Counts()) is Status.UNKNOWN


def test_many_findings_stay_within_the_bounds() -> None:
    """Findings that do not fit are counted."""
    check = audited(*(finding(where=f"v{number}", message="x" * 300) for number in range(500)))
    assert check.figures["critical"] == 500
    shown = sum(line.startswith("[CRITICAL]") for line in check.more)
    assert check.more[-1] == f"and {500 - shown} more"


@given(st.text() | st.sampled_from(["|", "'a' | b=1", '$(id) `id` "', "\x1b[31m|", "\r\nRAID OK - "]))
def test_no_text_breaks_the_protocol_or_reaches_a_shell(text: str) -> None:
    """Texts contain no bars, line ends or characters that a shell expands."""
    check = audited(finding(message=text, rule=text or "r", where=text or "w", remedy=text))
    assert check.figures["critical"] == 1
    assert len(check.more) == 1
    assert not set(f"{check.text}{check.more[0]}") & set("'\"`$\\")


@given(st.text(), st.integers(10, 60))
def test_a_text_is_cut_between_characters(text: str, limit: int) -> None:
    """A text is cut at the limit, and never within a character. The limit is in bytes."""
    result = cut(safe(text), limit)
    assert len(result.encode()) <= limit
    assert result == safe(text) or result.endswith("...")


def test_without_figures_there_is_no_bar() -> None:
    """A line without figures, such as an error, has no bar."""
    assert plugin(Status.UNKNOWN, "No.") == "RAID UNKNOWN - No.\n"


@pytest.mark.parametrize(
    "words",
    [
        ("audit", "none.toml", "--format", "nagios"),
        ("audit", "--format=nagios"),
        ("diagnose", "--format", "nagios", "--no-such-option"),
        ("diagnose", "--format", "nagios", "no:such/object"),
        ("diagnose", "--format", "nagios", "--list"),
        ("--replay", "none", "diagnose", "--format", "nagios"),
        ("--json", "diagnose", "--format", "nagios"),
    ],
)
def test_whatever_goes_wrong_is_unknown(words: tuple[str, ...]) -> None:
    """Wrong usage is UNKNOWN with a line on standard output. Exit code 2 would be CRITICAL."""
    done = run(*words)
    assert (done.exit_code, read(done.stdout).state) == (3, "UNKNOWN")


def test_a_policy_with_mistakes_is_unknown(tmp_path: Path) -> None:
    """The first mistake of the policy is named."""
    path = tmp_path / "bad.toml"
    path.write_text('raid_level = "raid7"\nbatery = "ok"\n', encoding="utf-8")
    done = run("--replay", FIXTURES / "md-healthy", "audit", path, "--format", "nagios")
    check = read(done.stdout)
    assert (done.exit_code, check.state) == (3, "UNKNOWN")
    assert "bad.toml:1" in check.text


def test_options_of_the_command_of_a_batch_are_ignored() -> None:
    """Words after ``--`` belong to another command: wrong usage stays 2."""
    assert run("batch", "--no-such-option", "--", "x", "--format", "nagios").exit_code == 2


def test_many_machines_have_one_line(tmp_path: Path) -> None:
    """The hosts are counted, and the worst is named with its finding."""
    fleet = tmp_path / "fleet.jsonl"
    lines = [msgspec.json.encode(recorded(machine)) for machine in MACHINES]
    fleet.write_bytes(b"\n".join(lines) + b"\n")
    done = run("audit", "--builtin", fleet, "--format", "nagios", "--jobs", "1")
    check = read(done.stdout)
    assert (done.exit_code, check.figures["hosts"]) == (2, len(MACHINES))
    assert re.match(rf"\d+ of {len(MACHINES)} hosts pass; ", check.text)
    assert 0 < check.figures["hosts_failed"] < len(MACHINES)


def test_a_shell_reads_it_as_a_check_does() -> None:
    """The documented plugin script works in a real shell. The locale is C."""
    page = (FIXTURES.parent / "docs" / "export.md").read_text(encoding="utf-8")
    script = page.split("<!-- the plugin -->\n```sh\n")[1].split("```")[0]
    assert "exec raidctl diagnose --format nagios" in script
    place = Path(sys.executable).parent
    done = subprocess.run(  # the script as a user has it; PATH leads to the raidctl of these tests
        ["/bin/sh", "-c", script, "check_raid", "--replay", str(FIXTURES / "areca-arc1210")],
        capture_output=True,
        check=False,
        env={"PATH": f"{place}:{os.defpath}", "LC_ALL": "C"},
    )
    assert (done.returncode, read(done.stdout.decode("utf-8")).state) == (2, "CRITICAL")
