"""Whether a loose text is an output of tw_cli. Looks at the first lines only."""

from __future__ import annotations

import re

from raidctl.vendor.protocol import Sniffed
from raidctl_threeware import grammar
from raidctl_threeware.collect import KIND

_LINES = 400
_CHARACTERS = 100_000
_SURE = {
    "cards": 90, "units": 92, "ports": 90, "batteries": 92, "events": 75, "enclosure": 80, "enclosures": 85,
    "home": 80, "part": 45, "slots": 75, "phys": 80, "schedule": 40, "commands": 0,
}  # fmt: skip
_COMMANDS = {
    "cards": "tw_cli show", "units": "tw_cli /cX show unitstatus", "ports": "tw_cli /cX show drivestatus",
    "batteries": "tw_cli /cX/bbu show", "events": "tw_cli /cX show alarms", "phys": "tw_cli /cX show phy",
    "schedule": "tw_cli /cX show verify",
}  # fmt: skip
_VERSION = re.compile(r"\s*(CLI|API) Version\s*=\s*[\d.]{3,20}\s*", re.ASCII)
_OBJECT = re.compile(r"(?:[up]\d{1,4}|bbu\d*|e\d{1,3}(?:/\w+)?|phy\d+)?")


def sniff(name: str, text: str) -> Sniffed | None:  # noqa: ARG001 - the protocol's signature; the content decides
    """The claim on an output, None if it comes from another tool."""
    seen: list[str] = []
    confidence = attributes = 0
    versions: set[str] = set()
    for raw in text[:_CHARACTERS].split("\n")[:_LINES]:
        if not raw.strip() or len(raw) > grammar.LONGEST_LINE:
            continue
        line = raw.rstrip("\r ")
        table = grammar.heading(line)
        if table is not None and _own(table.columns):
            seen.append(table.kind)
            confidence = max(confidence, _SURE[table.kind])
        elif (found := grammar.attribute(line)) is not None and _OBJECT.fullmatch(found.path):
            attributes += 1
        elif grammar.sentence(line) is not None or "(CLI:" in line[:40] or grammar.wants_driver(line):
            confidence = max(confidence, 80)
        elif (version := _VERSION.fullmatch(line)) is not None:
            versions.add(version[1])
            # storage tools of other families print a CLI version, too, and no API version beside it
            confidence = max(confidence, 97 if len(versions) > 1 else 0)
    if attributes:
        confidence = max(confidence, 70 if attributes == 1 else 88)
    if confidence < 50:
        return None
    return Sniffed(KIND, confidence, _command(seen, attributes))


def _own(columns: tuple[str, ...]) -> bool:
    """Whether the heading is one of this tool's: ``Port Status …`` alone is anybody's."""
    low = {column.lower() for column in columns}
    forms = (
        {"ctl", "model", "rrate"}, {"ctl", "date", "severity"}, {"unit", "unittype", "status"},
        {"port", "status", "unit"}, {"vport", "status", "unit"}, {"name", "onlinestate", "bbuready"},
        {"encl", "status"}, {"encl", "controllers"}, {"encl", "slots", "drives"}, {"enclosure", "slots", "drives"},
        {"fan", "status"}, {"tempsensor", "temperature"}, {"powersupply", "status", "identify"},
        {"slot", "status", "identify"}, {"alarm", "status", "audibility"}, {"phy", "sas-address", "device"},
        {"slot", "day", "hour"},
    )  # fmt: skip
    return any(form <= low for form in forms)


def _command(seen: list[str], attributes: int) -> str:
    """The command that prints such a text."""
    kinds = set(seen)
    if kinds & {"enclosure", "part", "slots", "home"}:
        return "tw_cli /cX/eX show all"
    if attributes and kinds:
        return "tw_cli /cX show all"
    if {"units", "ports"} <= kinds:
        return "tw_cli /cX show"
    for kind in seen:
        if kind in _COMMANDS:
            return _COMMANDS[kind]
    return "tw_cli /cX show all"
