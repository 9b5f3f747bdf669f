"""Manual pages of results of a check or watch, without a rule."""

from __future__ import annotations

from raidctl.audit.policy.document import MAX_AGE, UNREAD
from raidctl.audit.rule import Rule
from raidctl.audit.waiving import EXPIRED
from raidctl.watch.objects import RULE as OBJECT_GONE
from raidctl.watch.observe import NOT_READ as MACHINE_NOT_READ

_PAGES = {
    EXPIRED: (
        "The last day of a waiver is over",
        """**What it checks.** Entries of waiver files, of policies and of `diagnose --ignore` whose last day is over.

**Why it matters.** A finding that was accepted up to a day counts again. The entry itself is a finding too, so that
it is removed or renewed, and the old finding is not mistaken for a new one.

**Fails** (warning) from the day after `until`.

**How to fix.** Fix what was waived and remove the entry; the remedy names its file and line. If the finding is still
accepted, give the entry a new day and a reason.""",
    ),
    UNREAD: (
        "Something could not be read, so objects may be missing",
        """**What it checks.** Whether everything was read on a host of `raidctl audit`, or in a file that it was given.

**Why it matters.** What was not read may be broken. A host that was read in part never passes.

**Unknown** (warning) for each tool or file that could not be read. A policy may set another severity.

**How to fix.** The message contains the reason; `raidctl doctor` on the host lists missing tools and permissions.""",
    ),
    MAX_AGE: (
        "An inventory is older than the policy allows",
        """**What it checks.** The time of an inventory against `max_age` of a policy.

**Why it matters.** An old inventory shows a past state; drives may have failed since.

**Unknown** (warning) if it is older, if its time is in the future, or if its time is unknown.

**How to fix.** Read the machine again: `raidctl --json show > FILE`.""",
    ),
    "group": (
        "A group of a policy matched no host, or whether it matches one is unknown",
        """**What it checks.** The groups of a policy. Reports name it `group NAME`.

**Why it matters.** The rules of a group that matches no host check nothing, and a name in it may be misspelled.

**Unmatched** (warning) if no host of an audit belongs to the group. **Unknown** (warning) if the name of a host is
unknown, so that it may belong to it.

**How to fix.** Correct the `hosts` of the group. If a host has no name, record its inventory on the machine
itself.""",
    ),
    "policy": (
        "Nothing of a policy applies to a host",
        """**What it checks.** Whether a policy has a rule for a host, or for an object of it.

**Why it matters.** A host that nothing was checked on is not known to be good.

**Unmatched** (warning) for each such host.

**How to fix.** Correct the groups of the policy, or add a rule that applies to the host.""",
    ),
    OBJECT_GONE: (
        "An object of earlier runs of raidctl watch is missing",
        """**What it checks.** Controllers, batteries, volumes and drives that `raidctl watch` saw in earlier runs.

**Why it matters.** A volume that is not assembled after a reboot, or a controller that has left its slot, is reported
by no tool: nothing else shows that it is missing.

**Fails** (a controller, battery or volume: critical, a drive: warning) if everything was read and the object is
missing.

**How to fix.** Reseat or reconnect it, or assemble the array. If it was removed on purpose, nothing needs to be done:
it is reported once.""",
    ),
    MACHINE_NOT_READ: (
        "A run of raidctl watch could not read the machine",
        """**What it checks.** Whether a run of `raidctl watch` could read the machine.

**Why it matters.** The state of the machine is unknown; nothing counts as fixed meanwhile.

**Unknown** (warning) until a run succeeds.

**How to fix.** The message contains the reason; `raidctl doctor` lists missing tools and permissions.""",
    ),
}
"""For each result its title and its page, in Markdown."""


def names() -> tuple[str, ...]:
    """Return their names, sorted."""
    return tuple(sorted(_PAGES))


def other_result(name: str) -> tuple[Rule, str] | None:
    """Return a result as a rule that finds nothing, and its page. None: there is none of this name."""
    wanted = "group" if name.startswith("group ") else name.replace("-", "_")
    if wanted not in _PAGES:
        return None
    title, page = _PAGES[wanted]
    return Rule(
        name=wanted, title=title, severity="critical" if wanted == OBJECT_GONE else "warning", check=lambda _: ()
    ), page
