"""A bad or unknown state word in any list of an output is seen."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator

import msgspec
import pytest

import raidctl
from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import diagnose, exit_code
from raidctl.model import Inventory
from tests.fuzz.samples import Sample, samples
from tests.support.conclusions import read_text

_LARGEST = 60_000
# In front of and behind a state word: of a table's cell, of a label's value, of a row of ssacli or arcconf.
_STATE = re.compile(
    r"(?P<before>^.*?(?:(?:DRIVE|RAID\d+|RAID-\d+|\d:\d+ +\d+|- +\d+) +|(?:status|state)[\w .()]* ?[:=] *\"?"
    r"|(?:segment|device|logical) \d+ +: |, |\"(?:status|state)\" ?: ?\"))"
    r"(?P<word>Onln|Optl|Online|Optimal|OK|Present|Normal)(?P<after>\b(?!/).*)$",
    re.IGNORECASE,
)
_OF_NO_OBJECT = re.compile(
    # Drive Authentication Status: OK      whether it is a drive of the vendor's
    r"authentication|temperature|spin|firmware|bios|nvram|link|port|media status",
    re.IGNORECASE,
)
_DECIDED_ELSEWHERE = re.compile(
    # "status": "0x00, ok"      of raidctl's own mfi output: the number counts
    # perccli64 /c0/fall import preview      volumes that are not there yet
    r'"status": "0x00, |import preview'
)
SAMPLES = [one for one in samples() if len(one.text) < _LARGEST]
TOOLS = sorted({sample.tool for sample in SAMPLES})


def _with_word(sample: Sample, word: str) -> Iterator[tuple[str, str]]:
    """The output with one good state word replaced, line by line."""
    lines, seen = sample.text.splitlines(keepends=True), set()
    for number, line in enumerate(lines):
        match = _STATE.match(line.rstrip("\r\n"))
        kind = re.sub(r"\d+", "#", line)
        if match is None or kind in seen or _OF_NO_OBJECT.search(line):
            continue
        seen.add(kind)
        changed = f"{match['before']}{word:{len(match['word'])}}{match['after']}\n"
        yield changed.strip(), "".join([*lines[:number], changed, *lines[number + 1 :]])


@pytest.mark.slow
@pytest.mark.parametrize("tool", TOOLS)
def test_a_bad_state_in_any_listing_is_seen(tool: str) -> None:
    """With a bad state in any listing, diagnose never ends in OK. Only one list may show a failed drive."""
    quiet = []
    for sample in (one for one in SAMPLES if one.tool == tool):
        before = read_text(sample.text).inventory
        if not before.controllers or exit_code(diagnose(before, rules())) != 0:
            continue
        for line, text in _with_word(sample, "Failed"):
            if exit_code(diagnose(read_text(text).inventory, rules())) == 0:
                quiet.append((sample.name, line))
    assert quiet == []


def _good(inventory: Inventory) -> int:
    """How much is reported as good: objects that are ok, and working members."""
    parts = [
        part
        for one in inventory.controllers
        for part in (one, one.cache, *one.arrays, *one.volumes, *one.drives, *one.batteries)
    ]
    good = [part for part in parts if getattr(part, "status", None) == "ok"]
    return len(good) + sum(volume.drives_active or 0 for one in inventory.controllers for volume in one.volumes)


@pytest.mark.slow
def test_an_unknown_word_is_never_good() -> None:
    """A state word that no table has makes an object worse, or is a problem."""
    tried, trusted = 0, []
    for sample in SAMPLES:
        before = read_text(sample.text).inventory
        for line, text in _with_word(sample, "Zqxwv"):
            if _DECIDED_ELSEWHERE.search(f"{sample.name} {line}"):
                continue
            after = read_text(text).inventory
            tried += 1
            if _good(after) >= _good(before) and len(after.problems) <= len(before.problems):
                trusted.append((sample.name, line))
    assert trusted == []
    assert tried > 100


def _structs(base: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    """The structs of raidctl that derive from one."""
    for one in base.__subclasses__():
        if one.__module__.partition(".")[0] == "raidctl":
            yield one
        yield from _structs(one)


def test_a_state_that_nothing_reports_is_unknown() -> None:
    """No struct has a good state by default: what a reader leaves out would be a false OK."""
    for module in pkgutil.walk_packages(raidctl.__path__, "raidctl."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    defaults = {
        f"{one.__name__}.{field.name}": field.default
        for one in _structs(msgspec.Struct)
        for field in msgspec.structs.fields(one)
        if re.search("status|state|verdict|outcome|result|cache", field.name) and isinstance(field.default, str)
    }
    assert {"Volume.status", "Drive.status", "BatteryState.status"} <= defaults.keys()
    good = {name: word for name, word in defaults.items() if word not in ("unknown", "", "info")}
    assert good == {"Summary.verdict": "pass"}  # of no rule at all
