"""``--format junit``: JUnit XML for CI servers, with a suite per host.

A suite has a case per rule and object. A failed check is a failure, an unknown result an error; a rule that selected
nothing is skipped. The file is plain ASCII, so that it is valid XML whatever the encoding of the terminal, and it is
written host by host.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from raidctl import __version__
from raidctl.audit.finding import WORST_FIRST, Audited, Finding, Ignored, Outcome
from raidctl.audit.report import Summary
from raidctl.output.audit_formats import Again, Options, Writer
from raidctl.text import printable, regex

_FORBIDDEN = regex("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, not even as a character reference."""
_ELEMENTS = {"fail": "failure", "unknown": "error", "unmatched": "skipped"}


class JUnit(Writer):
    """Writer of one suite per host, as the results arrive."""

    everything = True
    again = False

    def __init__(self, options: Options) -> None:
        self._policy = options.policy

    def begin(self) -> str:
        """The head, without totals: readers add up the suites."""
        return '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="raidctl audit">\n'

    def host(self, audited: Audited) -> str:
        """The suite of a host."""
        properties = {
            "policy": self._policy,
            "source": audited.source,
            "collected_at": audited.collected_at,
            "checked": str(audited.checked),
            "passed": str(audited.passed),
        }
        waived = [_skipped(one) for one in audited.waived]
        return _text(_suite(audited.host, [*audited.findings, *waived], properties, audited.collected_at))

    def end(self, summary: Summary, again: Again) -> Iterator[str]:  # noqa: ARG002 - the signature of all writers
        """The end, after any suite of findings about the policy itself."""
        if summary.findings:
            yield _text(_suite("policy", summary.findings, {"policy": self._policy}))
        yield "</testsuites>\n"


def _skipped(one: Ignored) -> Finding:
    """A waived finding as a skipped case, with its reason."""
    message = f"Waived until {one.until} ({one.reason.rstrip('.')}): {one.finding.message}"
    return msgspec.structs.replace(one.finding, outcome="unmatched", message=message)


def _suite(
    name: str, findings: Sequence[Finding], properties: Mapping[str, str | None], when: str | None = None
) -> ET.Element:
    cases: dict[tuple[str, str], list[Finding]] = {}
    for one in findings:
        cases.setdefault((one.rule, one.where), []).append(one)
    outcomes = Counter(_outcome(case) for case in cases.values())
    suite = ET.Element(
        "testsuite",
        name=clean(name),
        hostname=clean(name),
        tests=str(len(cases)),
        failures=str(outcomes["fail"]),
        errors=str(outcomes["unknown"]),
        skipped=str(outcomes["unmatched"]),
    )
    if when:
        suite.set("timestamp", clean(when))
    held = ET.SubElement(suite, "properties")
    for key, value in {"raidctl": __version__, **properties}.items():
        if value is not None:
            ET.SubElement(held, "property", name=key, value=clean(value))
    suite.extend(_case(name, rule, where, case) for (rule, where), case in cases.items())
    return suite


def _outcome(case: Sequence[Finding]) -> Outcome:
    """The worst result of a rule for an object."""
    return min((one.outcome for one in case), key=WORST_FIRST.index)


def _case(host: str, rule: str, where: str, case: Sequence[Finding]) -> ET.Element:
    """A test case, with the same name whether it passes or not. Readers compare runs by name."""
    made = ET.Element("testcase", classname=clean(f"{host}.{rule}"), name=clean(where))
    outcome = _outcome(case)
    if outcome != "pass":
        decided = [one for one in case if one.outcome == outcome]
        element = ET.SubElement(made, _ELEMENTS[outcome], message=clean(" ".join(one.message for one in decided)))
        if outcome != "unmatched":
            element.set("type", decided[0].severity if outcome == "fail" else "unknown")
        element.text = clean("\n".join(line for one in case if one.outcome != "pass" for line in _details(one)))
    return made


def _details(one: Finding) -> Iterator[str]:
    """Details for the reader of the report, one fact per line."""
    yield one.message
    if one.device or one.mountpoints:
        yield f"where: {' '.join([one.where, *([one.device] if one.device else []), *one.mountpoints])}"
    for label, value in (("wanted", one.wanted), ("actual", one.actual), ("remedy", one.remedy)):
        if value:
            yield f"{label}: {value}"
    yield from one.evidence


def clean(text: str) -> str:
    """Text without characters that XML 1.0 forbids or that control a terminal."""
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", printable(text))


def _text(suite: ET.Element) -> str:
    ET.indent(suite, level=1)
    return f"  {ET.tostring(suite, encoding='us-ascii').decode('ascii')}\n"


def writer(options: Options) -> JUnit:
    """The writer of this format."""
    return JUnit(options)
