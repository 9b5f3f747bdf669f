"""Waivers of a policy or file: findings suspended until a day.

::

    [[waiver]]
    rule = "drive_expects_failure"
    where = "megaraid:0/32:5"      # optional: the object, also as a pattern; all findings of the rule on it
    hosts = ["db*"]                # optional
    until = 2027-01-31             # the last day
    because = "A drive is ordered."
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from fnmatch import fnmatchcase
from typing import Any

from raidctl.audit.finding import Finding, topic
from raidctl.health.severity import WEIGHT, Severity
from raidctl.text import attempt
from raidctl.toml_files.mistakes import Fault, MistakesError, Place, hint, suggestion
from raidctl.toml_files.read import read_toml

KEYS = ("rule", "where", "hosts", "until", "because")
KEY = "waiver"


@dataclass(frozen=True)
class Waiver:
    """One entry."""

    rule: str
    until: date
    because: str
    where: str = "*"
    hosts: tuple[str, ...] = ()
    """Patterns of host names; none: all hosts."""
    place: str = ""
    """File and line."""
    at_most: Severity = "critical"
    """A more severe finding is not waived."""
    stays: bool = True
    """Whether its expiry is a finding even if there is nothing that it would cover."""
    serial: str | None = None
    """A finding on a drive with another serial number is not waived; None: any drive."""
    about: str | None = None
    """A finding with another topic is not waived; None: any fault of the object."""

    def is_for(self, host: str | None) -> bool:
        """Whether it is for a host. A waiver covers a host without a name only if it is for all."""
        return not self.hosts or (
            host is not None and any(fnmatchcase(host.lower(), one.lower()) for one in self.hosts)
        )

    def covers(self, finding: Finding) -> bool:
        """Whether it applies to a finding that did not pass."""
        same = finding.outcome != "pass" and finding.rule == self.rule and fnmatchcase(finding.where, self.where)
        same = same and (self.serial is None or finding.serial in (None, self.serial))
        same = same and (self.about is None or topic(finding.rule, finding.message) == self.about)
        return same and WEIGHT[finding.severity] >= WEIGHT[self.at_most]


def read_waivers(spec: Any, place: Place) -> list[tuple[Waiver, Place]]:
    """The entries of a file; mistakes are added to the place."""
    if not isinstance(spec, list):
        place.wrong("waivers have to be a list: write [[waiver]], with two brackets.")
        return []
    found = [(_waiver(one, place.at(number)), place.at(number)) for number, one in enumerate(spec)]
    return [(one, at) for one, at in found if one is not None]


def check_rules(waivers: Collection[tuple[Waiver, Place]], known: Collection[str]) -> None:
    """Add a mistake for each entry whose rule does not exist."""
    for one, place in waivers:
        if one.rule not in known:
            meant = suggestion(one.rule, known) or 'see "raidctl diagnose --list".'
            place.at("rule").wrong(f'no rule is called "{one.rule}"; {meant}')


def waivers_of_file(path: str, read: Callable[[str], bytes], known: Collection[str]) -> tuple[Waiver, ...]:
    """The entries of a file that has nothing else.

    Args:
        path: Its path.
        read: Returns its bytes.
        known: Names of rules.

    Raises:
        MistakesError: It has mistakes; the error lists all of them.
        OSError: It cannot be read.
    """
    faults: list[Fault] = []
    entries: list[tuple[Waiver, Place]] = []
    content = read_toml(path, read(path), faults)
    if content is not None:
        table, place = content
        for key in table:
            if key != KEY:
                place.at(key).wrong(f'"{key}" is unknown here; a file of waivers contains only [[waiver]].')
        entries = read_waivers(table.get(KEY, []), place.at(KEY))
        check_rules(entries, known)
    if faults:
        raise MistakesError(faults)
    return tuple(one for one, _ in entries)


def _waiver(content: Any, place: Place) -> Waiver | None:
    if not isinstance(content, Mapping):
        place.wrong("waivers have to be a list: write [[waiver]], with two brackets.")
        return None
    before = len(place.faults)
    for key in content:
        if key not in KEYS:
            place.at(key).wrong(f'a waiver has no "{key}"; {hint(key, KEYS)}')
    rule, because = _text(content, "rule", place), _text(content, "because", place)
    where = _text(content, "where", place) if "where" in content else "*"
    hosts = content.get("hosts", [])
    if (
        not isinstance(hosts, list)
        or ("hosts" in content and not hosts)
        or not all(isinstance(one, str) and one for one in hosts)
    ):
        place.at("hosts").wrong('"hosts" has to be a list of host names or patterns: hosts = ["db*"].')
    until = _until(content, place)
    if until is None or len(place.faults) > before:
        return None
    return Waiver(rule, until, because, where, tuple(hosts), f"{place.file}:{place.line}")


def _text(content: Mapping[str, Any], key: str, place: Place) -> str:
    value = content.get(key)
    if isinstance(value, str) and value.strip():
        return value
    words = {"rule": "the name of a rule", "because": "a reason", "where": "the id of an object"}
    (place.at(key) if key in content else place).wrong(f'a waiver needs "{key}": {words[key]}, as text.')
    return ""


def _until(content: Mapping[str, Any], place: Place) -> date | None:
    value = content.get("until")
    if isinstance(value, str):
        value = attempt(date.fromisoformat, value) or value
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    (place.at("until") if "until" in content else place).wrong(
        'a waiver needs "until": its last day, until = 2027-01-31; nothing is waived for ever.'
    )
    return None
