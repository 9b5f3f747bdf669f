"""A group of drives is in trouble although each volume on it says that it is well.

**What it looks for.** Arrays (drive groups) with a bad status, none of whose volumes is degraded or failed.

**Why.** Some tools tell of trouble only on the group: a drive that will fail soon, a spare that has stepped in, a
member that moved. Whoever looks at the volumes alone sees "OK" in every line.

**Fails** (warning; critical where the tool says so) when the array's status is warning or critical while every volume
on it is well. Where a volume on it is not, its own rules speak, and this one is silent.

**Passes** when the array is ok.

**Cannot tell:** arrays whose status the tool does not tell are passed over; their volumes are judged.

**Remedy.** Look at its drives (`raidctl show ARRAY`).

**Example.** Fails: array `status = critical`, its volume `status = ok`. Passes: array `status = ok`.
"""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.audit.builtin._look import NOT_WHOLE, members, plain, speaks_of_rebuild
from raidctl.audit.builtin._say import Voice, facts
from raidctl.audit.finding import Finding
from raidctl.audit.rule import Rule
from raidctl.model import Array, Controller, Inventory

SAY = Voice("array_in_trouble", "critical")


def check(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each array whose status is told and that no volume speaks for."""
    for card in inventory.controllers:
        for array in card.arrays:
            if array.status == "ok":
                yield SAY.passed(array, "The array is ok.")
            elif array.status in ("warning", "critical") and not _spoken_for(card, array):
                yield _trouble(card, array)


def _spoken_for(card: Controller, array: Array) -> bool:
    """Whether a volume on it, or a drive of it, says what is the matter."""
    if any(volume.array == array.id and volume.status in NOT_WHOLE for volume in card.volumes):
        return True
    return any(drive.status in ("warning", "critical") for drive in members(card, array))


def _trouble(card: Controller, array: Array) -> Finding:
    well = any(volume.array == array.id for volume in card.volumes)
    rebuilt = array.status == "warning" and speaks_of_rebuild(array.status_text)
    return SAY.failed(
        array,
        f"The array is {'being rebuilt' if rebuilt else 'in trouble'} ({plain(array.status_text) or array.status})"
        + (", though its volumes say that they are well." if well and not rebuilt else "."),
        remedy="Let it finish; pull no drive." if rebuilt else f"Look at its drives: `raidctl show {array.id}`.",
        severity=None if array.status == "critical" else "warning",
        field="status",
        wanted="ok",
        evidence=facts(array, "status", "status_text"),
    )


RULE = Rule(
    name=SAY.rule, title="An array is in trouble though its volumes are well", severity=SAY.severity, check=check
)
