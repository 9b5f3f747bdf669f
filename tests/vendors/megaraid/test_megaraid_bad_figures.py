"""Figures and flags of a controller and its cache that are bad while every state is good."""

from __future__ import annotations

import re

import pytest

from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import diagnose
from tests.support.conclusions import read_text
from tests.support.machines import FIXTURES

_ALL = "megaraid-9660-storcli2/storcli2-call-show-all-nolog-J.out"
_SHOW = "megaraid-9271-learning/storcli64-call-show-all-nolog-J.out"
_VOLUMES = "megaraid-9660-storcli2/storcli2-call-vall-show-all-nolog-J.out"
_BBU = "megaraid-h730p-predictive/perccli64-call-bbu-show-all-nolog-J.out"
_CV = "megaraid-9271-learning/storcli64-call-cv-show-all-nolog-J.out"


def findings(text: str) -> set[str]:
    """What the built-in rules report beyond information."""
    return {one.message for one in diagnose(read_text(text).inventory, rules()).findings if one.severity != "info"}


@pytest.mark.parametrize(
    ("file", "label", "good", "bad"),
    [
        (_ALL, "VD Degraded Count", "0", "1"),
        (_ALL, "VD Offline Count", "0", "1"),
        (_ALL, "Failed PD Drive Count", "0", "1"),
        (_ALL, "Critical Predictive Failure PD Drive Count", "0", "1"),
        (_ALL, "Memory Correctable Errors", "9", "10"),
        (_SHOW, "Memory Uncorrectable Errors", "0", "1"),
        (_ALL, "ECC Bucket Count", "9", "10"),
        (_ALL, "Allowable bad blocks consumed(%)", "89", "90"),
        (_VOLUMES, "Access Policy Status", '"VD has desired access"', '"Access is blocked"'),
        (_BBU, "Is SOH Good", '"Yes"', '"No"'),
        (_CV, "Capacitance", '"21 %"', '"20 %"'),
    ],
)
def test_a_bad_figure_beside_good_states_is_a_finding(file: str, label: str, good: str, bad: str) -> None:
    """One value is changed in a recorded output: a label with its value, or a property in a separate row."""
    text = (FIXTURES / file).read_text()
    found = re.search(rf'"{re.escape(label)}"(?: ?: ?|,\s*"Value" ?: ?)("[^"]*"|\d+)', text)
    assert found
    begin, end = text[: found.start(1)], text[found.end(1) :]
    assert findings(begin + good + end) < findings(begin + bad + end)
