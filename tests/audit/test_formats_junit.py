"""``raidctl audit --format junit``, for CI servers."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidctl.audit.finding import Audited, Finding
from raidctl.audit.report import Summary
from raidctl.output.audit_formats import Options, writer
from raidctl.output.console import Display
from tests.audit.policies import recorded
from tests.support.command_line import command_line
from tests.support.machines import FIXTURES, MACHINES

run = command_line()

# What the usual readers (Jenkins, GitLab, the schema of Ant's reports) have in common: for each element the attributes
# that it must have, those that it may have, and the elements inside it.
SCHEMA = {
    "testsuites": ({"name"}, set[str](), {"testsuite"}),
    "testsuite": (
        {"name", "hostname", "tests", "failures", "errors", "skipped"}, {"timestamp"}, {"properties", "testcase"},
    ),
    "properties": (set[str](), set[str](), {"property"}),
    "property": ({"name", "value"}, set[str](), set[str]()),
    "testcase": ({"classname", "name"}, set[str](), {"failure", "error", "skipped"}),
    "failure": ({"message", "type"}, set[str](), set[str]()),
    "error": ({"message", "type"}, set[str](), set[str]()),
    "skipped": ({"message"}, set[str](), set[str]()),
}  # fmt: skip
ANY_TEXT = st.text(st.characters(exclude_categories=())) | st.sampled_from(
    ["]]>", "<!--", "&#0;", "\x1b[31m", "\ufffe"]
)


def written(*hosts: Audited, summary: Summary | None = None) -> ET.Element:
    """The parsed XML of some hosts."""
    out = writer("junit", Options("site.toml", Display(width=80), alone=len(hosts) == 1))
    pieces = [out.begin(), *map(out.host, hosts), *out.end(summary or Summary(), lambda: iter(hosts))]
    return ET.fromstring("".join(pieces).encode("utf-8"))  # noqa: S314 - our own text


def of(outcome: str, **more: object) -> Finding:
    """A finding with this outcome."""
    fields = {"rule": "battery", "severity": "critical", "outcome": outcome, "where": "smartarray:1", "message": "So."}
    return msgspec.convert({**fields, **more}, Finding)


def host(*findings: Finding, name: str = "db1") -> Audited:
    """A host with these findings."""
    return Audited(host=name, source="local", findings=findings, checked=len(findings))


def follows(element: ET.Element) -> None:
    """Assert that an element and its children follow the schema. The sums of a suite must be right, too."""
    must, may, inside = SCHEMA[element.tag]
    assert must <= set(element.keys()) <= must | may, element.tag
    for child in element:
        assert child.tag in inside, child.tag
        follows(child)
    if element.tag == "testcase":
        assert len(element) <= 1
    if element.tag == "testsuite":
        kinds = Counter(child.tag for case in element.iter("testcase") for child in case)
        assert [element.get(name) for name in ("tests", "failures", "errors", "skipped")] == [
            str(number)
            for number in (len(element.findall("testcase")), kinds["failure"], kinds["error"], kinds["skipped"])
        ]


@pytest.mark.parametrize("machine", MACHINES)
def test_every_machine_follows_the_schema(machine: str) -> None:
    """Sums agree with the cases. Each case of a suite has its own name."""
    done = run("--replay", FIXTURES / machine, "audit", "--builtin", "--format", "junit")
    root = ET.fromstring(done.stdout)  # noqa: S314 - our own text
    follows(root)
    (suite,) = root
    names = Counter((case.get("classname"), case.get("name")) for case in suite.iter("testcase"))
    assert set(names.values()) == {1}


def test_it_reports_what_the_json_reports() -> None:
    """There is one case per rule and object: failed, unknown or passed."""
    words = ("--replay", FIXTURES / "smartarray-gen10-failed-battery", "audit", "--builtin", "--passed")
    done, expected = run(*words, "--format", "junit"), json.loads(run(*words, "--json").stdout)
    assert done.exit_code == 1
    cases = {
        (case.get("classname"), case.get("name")): case[0].tag if len(case) else "pass"
        for case in ET.fromstring(done.stdout).iter("testcase")  # noqa: S314 - our own text
    }
    (only,) = expected["hosts"]
    words_of = {"fail": "failure", "unknown": "error", "pass": "pass"}
    assert cases == {
        (f"{only['host']}.{one['rule']}", one["where"]): words_of[one["outcome"]] for one in only["findings"]
    }
    assert "failure" in cases.values()
    assert "pass" in cases.values()


def test_each_outcome_has_its_element() -> None:
    """A failed finding is a failure, an unknown one an error. A rule that selected nothing is skipped."""
    outcomes = ("fail", "unknown", "unmatched", "pass")
    root = written(host(*(of(outcome, where=f"v{number}") for number, outcome in enumerate(outcomes))))
    follows(root)
    assert [[child.tag for child in case] for case in root.iter("testcase")] == [
        ["failure"],
        ["error"],
        ["skipped"],
        [],
    ]


def test_a_case_keeps_its_name_when_it_begins_to_fail() -> None:
    """A case has the same name whether it passes or fails. CI servers compare names."""
    good, bad = (written(host(one)).find(".//testcase") for one in (of("pass"), of("fail", field="status")))
    assert good is not None
    assert bad is not None
    assert good.attrib == bad.attrib


def test_two_findings_of_a_rule_on_one_object_are_one_case() -> None:
    """The worse finding decides, and the texts of both are kept."""
    root = written(host(of("unknown", message="Cannot."), of("fail", message="No.", wanted="ok", actual="failed")))
    follows(root)
    (case,) = root.iter("testcase")
    (element,) = case
    assert (element.tag, element.get("type"), element.get("message")) == ("failure", "critical", "No.")
    assert (element.text or "").split("\n") == ["Cannot.", "No.", "wanted: ok", "actual: failed"]


def test_findings_about_the_policy_are_a_separate_suite() -> None:
    """A rule that selected nothing on any host is in suite ``policy``. There are many hosts."""
    root = written(host(), host(name="db2"), summary=Summary(findings=[of("unmatched")]))
    follows(root)
    assert [suite.get("name") for suite in root] == ["db1", "db2", "policy"]
    assert root[2].get("skipped") == "1"


@given(ANY_TEXT)
def test_any_text_is_valid_xml(text: str) -> None:
    """Control characters, surrogates and markup in texts leave the file valid."""
    finding = of("fail", message=text, rule=text, where=text, device=text, wanted=text, evidence=(text,))
    root = written(Audited(host=text, source=text, findings=(finding,)), host(of("pass")))
    follows(root)
    assert len(root) == 2


def test_many_hosts_and_a_line_that_is_broken(tmp_path: Path) -> None:
    """Each host is a suite. An unreadable line is a suite with an error, named by its line."""
    good = msgspec.json.encode(recorded("smartarray-gen9-degraded"))
    fleet = tmp_path / "fleet.jsonl"
    fleet.write_bytes(b"\n".join([good, good[:500], good]) + b"\n")
    done = run("audit", "--builtin", fleet, "--format", "junit", "--jobs", "1")
    root = ET.fromstring(done.stdout)  # noqa: S314 - our own text
    follows(root)
    assert [suite.get("name") for suite in root] == ["flint", f"{fleet}:2", "flint"]
    assert root[1].get("errors") == "1"
