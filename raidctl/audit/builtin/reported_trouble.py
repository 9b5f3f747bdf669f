"""A tool prints a warning that no other rule covers.

**What it checks.** Problems of kind `state` in the inventory: warnings that a tool prints beside its tables.

**Why it matters.** Tools warn of many things that no common vocabulary covers: a failed power supply of an enclosure,
a cable fault, a count of failed drives that are not listed, a mode that forbids changes. Such a warning is one of
three hundred lines of output.

**Fails** with the severity of the problem: (critical) for an error, (warning) or (information). If another rule
describes the same object, the finding is folded under that one.

**Passes** when no such warning was printed.

**Unknown:** never. What the tool does not print cannot be detected.

**How to fix.** As in the message; `raidctl show --explain ID` prints the line of output that it comes from.

**Example.** Fails: a problem of kind `state`: "Enclosure 2, power supply 02: failed." Passes: none.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Findings, RuleFindings
from raidctl.health.judge import judge
from raidctl.model import Inventory

FINDINGS = RuleFindings("reported_trouble", "critical", "A tool prints a warning that no other rule covers")


def check(inventory: Inventory) -> Findings:
    """One finding for each warning."""
    problems = {(problem.where, problem.message): problem for problem in inventory.problems}
    found = [one for one in judge(inventory) if one.rule == FINDINGS.rule]
    for one in found:
        yield FINDINGS.of_problem(problems[one.where, one.cause], "fail")
    if not found and inventory.controllers:
        yield FINDINGS.of_host("No other warning was printed.")
