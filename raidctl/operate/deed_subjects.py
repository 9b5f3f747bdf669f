"""The objects of a deed on a controller, and reasons as refusals. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from raidctl.model import Battery, Controller, Drive, Inventory, Volume, unread_problems
from raidctl.operate.removal_report import Reason
from raidctl.vendor.plan import Deed, Denial

OVERRIDABLE = frozenset({"R2", "R6", "R8"})
"""Guards of a drive's removal that ``--unsafe REASON`` lifts."""


def drive_of(inventory: Inventory, drive_id: str | None) -> tuple[Controller, Drive] | None:
    """A drive with its controller; None: not found."""
    pairs = ((controller, drive) for controller in inventory.controllers for drive in controller.drives)
    return next((pair for pair in pairs if pair[1].id == drive_id), None)


def volumes_of(controller: Controller, drive: Drive) -> tuple[Volume, ...]:
    """The volumes on the drive's array."""
    return tuple(one for one in controller.volumes if drive.array is not None and one.array == drive.array)


def refusals(deed: Deed, reasons: Iterable[Reason], guard: str | None = None) -> Iterator[Denial]:
    """The reasons that forbid a deed, as denials; ``guard`` replaces theirs."""
    for reason in reasons:
        if reason.verdict not in ("no", "unknown"):
            continue
        yield Denial(
            deed=deed, guard=guard or reason.guard, reason=reason.text, alternative=reason.remedy,
            overridable=reason.guard in OVERRIDABLE, unknown=reason.verdict == "unknown",
        )  # fmt: skip


def learning(controller: Controller) -> Battery | None:
    """The battery in a learn cycle; None: none is reported."""
    return next((one for one in controller.batteries if one.status == "learning"), None)


def whole(deed: Deed, inventory: Inventory, controller: Controller) -> Iterator[Denial]:
    """Denials of a command on a whole controller without identity, or with unread objects.

    X1: its serial number is known, and no other controller has it. X8: no drive or volume of it is missing from what
    was read.
    """
    if not controller.serial:
        text = f"{controller.id} reports no serial number, so it cannot be identified."
        yield Denial(deed=deed, guard="X1", reason=text, unknown=True)
    twins = [one.id for one in inventory.controllers if one.serial == controller.serial and one.id != controller.id]
    if controller.serial and twins:
        text = f"{controller.serial} is the serial number of {controller.id} and of {', '.join(twins)}."
        yield Denial(deed=deed, guard="X1", reason=text, unknown=True)
    for text in _hidden(inventory, controller):
        yield Denial(
            deed=deed, guard="X8", reason=f"{text} A command for the whole controller may affect it.", unknown=True,
            alternative="raidctl doctor",
        )  # fmt: skip


def _hidden(inventory: Inventory, controller: Controller) -> Iterator[str]:
    """Reasons why a controller may have objects that were not read."""
    others = [one.id for one in inventory.controllers if one.id != controller.id]
    for problem in unread_problems(inventory.problems):
        elsewhere = any(problem.where == name or problem.where.startswith(f"{name}/") for name in others)
        if problem.severity != "info" and not elsewhere:
            yield f"Not everything was read: {problem.where}: {problem.message}"
    listed = {drive.id for drive in controller.drives}
    lacking = sorted({name for array in controller.arrays for name in (*array.drives, *array.spares)} - listed)
    if lacking:
        yield f"{_names(lacking)} of {controller.id} {_was(lacking)} not read."
    silent = [drive.id for drive in controller.drives if drive.role is None or not drive.serial]
    if silent:
        yield f"The use or the serial number of {_names(silent)} is unknown."
    used = {volume.array for volume in controller.volumes}
    empty = [array.id for array in controller.arrays if array.id not in used and array.free_bytes is None]
    if empty:
        yield f"No volume is listed on {_names(empty)}, and whether there is one is unknown."


def _names(names: Sequence[str]) -> str:
    return ", ".join([*names[:4], *([f"{len(names) - 4} more"] if len(names) > 4 else [])])


def _was(names: Sequence[str]) -> str:
    return "was" if len(names) == 1 else "were"
