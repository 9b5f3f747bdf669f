"""A tool's output could not be read, or only in part.

**What it checks.** Tools that crashed, hung or printed something that raidctl does not understand.

**Why it matters.** "Could not read" does not mean "nothing there". Many an array has been lost because a check took
empty output for good output. So this is reported, and the exit code is 3.

**Fails:** never, as this shows nothing about the storage.

**Passes** when all output was understood.

**Unknown** (warning) for each output that could not be read.

**How to fix.** The message contains the reason. Run the tool manually; if raidctl does not understand its output,
report it with `raidctl record --redact machine.tar.gz`.

**Example.** Unknown: a problem of kind `unread`. Passes: none.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Findings, RuleFindings
from raidctl.model import Inventory

FINDINGS = RuleFindings("not_read", "warning", "Output of a tool could not be read")


def check(inventory: Inventory) -> Findings:
    """One finding for each output that could not be read."""
    unread = [problem for problem in inventory.problems if problem.kind == "unread"]
    for problem in unread:
        yield FINDINGS.of_problem(problem, "unknown")
    if not unread and inventory.controllers:
        yield FINDINGS.of_host("All output was understood.")
