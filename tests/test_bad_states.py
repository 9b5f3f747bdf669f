"""A bad state in any list of a healthy output is seen."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import diagnose, exit_code
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
SAMPLES = [one for one in samples() if len(one.text) < _LARGEST]
TOOLS = sorted({sample.name.partition(": ")[2].split()[0].rpartition("/")[2] for sample in SAMPLES})


def _bad(sample: Sample) -> Iterator[tuple[str, str]]:
    """The output with one state word made bad, line by line."""
    lines, seen = sample.text.splitlines(keepends=True), set()
    for number, line in enumerate(lines):
        match = _STATE.match(line.rstrip("\r\n"))
        kind = re.sub(r"\d+", "#", line)
        if match is None or kind in seen or _OF_NO_OBJECT.search(line):
            continue
        seen.add(kind)
        changed = f"{match['before']}{'Failed':{len(match['word'])}}{match['after']}\n"
        yield changed.strip(), "".join([*lines[:number], changed, *lines[number + 1 :]])


@pytest.mark.slow
@pytest.mark.parametrize("tool", TOOLS)
def test_a_bad_state_in_any_listing_is_seen(tool: str) -> None:
    """With a bad state in any listing, diagnose never ends in OK. Only one list may show a failed drive."""
    quiet = []
    for sample in SAMPLES:
        if sample.name.partition(": ")[2].split()[0].rpartition("/")[2] != tool:
            continue
        before = read_text(sample.text).inventory
        if not before.controllers or exit_code(diagnose(before, rules())) != 0:
            continue
        for line, text in _bad(sample):
            if exit_code(diagnose(read_text(text).inventory, rules())) == 0:
                quiet.append((sample.name, line))
    assert quiet == []
