"""A tool prints a warning for which there is no other rule.

**What it looks for.** Problems of kind `state` in the inventory: warnings that a tool prints beside its tables.

**Why.** Tools warn of much that no vocabulary foresees: a foreign configuration, a failed power supply of an enclosure,
a cable error, a count of failed drives that are not listed, a mode that forbids changes. Such a line is one of three
hundred lines of output.

**Fails** as the problem's severity: (critical) an error, (warning), (information). Where another rule describes the
same object, the finding is folded under that one.

**Passes** when nothing of the kind was reported.

**Cannot tell:** what the tool does not print.

**Remedy.** As the message; `raidctl show --explain ID` prints the line that it was read from.

**Example.** Fails: a problem of kind `state`: "Enclosure 2, power supply 02: failed." Passes: none.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Findings, RuleFindings
from raidctl.health.judge import judge
from raidctl.model import Inventory

FINDINGS = RuleFindings("reported_trouble", "critical", "A tool prints a warning of another kind")


def check(inventory: Inventory) -> Findings:
    """One finding for each report."""
    problems = {(problem.where, problem.message): problem for problem in inventory.problems}
    found = [one for one in judge(inventory) if one.rule == FINDINGS.rule]
    for one in found:
        yield FINDINGS.of_problem(problems[one.where, one.cause], "fail")
    if not found and inventory.controllers:
        yield FINDINGS.of_host("No other trouble was reported.")
