"""The ``--json`` documents of ``raidctl locate``. Values only."""

from __future__ import annotations

from typing import Annotated

from msgspec.structs import replace

from raidctl.change.indicator import Bay, Indicator, Passed, Unlit, Way
from raidctl.described import doc
from raidctl.vendor.plan import Value


class Located(Value, frozen=True, kw_only=True, omit_defaults=False):
    """A drive or a bay, and its LED."""

    object_id: Annotated[str, doc("The drive; of a bay without one, the bay.")]
    serial: Annotated[str | None, doc("Serial number of the drive; null: unknown, or an empty bay.")] = None
    device: Annotated[str | None, doc("`/dev/sdb`; null: not visible to the operating system.")] = None
    enclosure: Annotated[str | None, doc("Enclosure; null: unknown.")] = None
    bay: Annotated[str | None, doc("Bay or slot; null: unknown.")] = None
    led: Annotated[str | None, doc("What is switched; null: no way works.")] = None
    way: Annotated[Way | None, doc("How it is switched; null: no way works.")] = None
    on: Annotated[
        bool | None, doc("Whether it is on: as read, or as the command was accepted; null: unknown, or no LED.")
    ] = None
    readable: Annotated[bool, doc("Whether its state can be read back.")] = False
    until: Annotated[str | None, doc("When it is switched off, RFC 3339 in UTC; null: not by this raidctl.")] = None
    change: Annotated[str | None, doc("The change in the journal that switched it on; null: none is known.")] = None
    running: Annotated[bool | None, doc("Whether the raidctl that switched it on still runs; null: none did.")] = None
    passed: Annotated[tuple[Passed, ...], doc("Ways that were not used, and why.")] = ()
    why_not: Annotated[str | None, doc("Why it cannot be located, or was not switched; null: it was.")] = None


class LocateReport(Value, frozen=True, kw_only=True, omit_defaults=False):
    """The answer of ``raidctl locate``, ``locate off`` and ``locate list``."""

    targets: Annotated[tuple[Located, ...], doc("Each drive or bay.")] = ()
    change: Annotated[str | None, doc("The change in the journal; null: nothing was switched on.")] = None
    commands: Annotated[tuple[str, ...], doc("With `--dry-run`: the commands that would be run.")] = ()


def located(
    indicator: Indicator | Unlit, *, on: bool | None = None, until: str | None = None, change: str | None = None
) -> Located:
    """Return the entry of an LED, or of a bay without one."""
    plain = of_bay(indicator.bay)
    if isinstance(indicator, Unlit):
        return replace(plain, passed=indicator.passed, why_not=indicator.why)
    return replace(
        plain,
        led=indicator.id,
        way=indicator.way,
        on=on,
        readable=indicator.readable,
        until=until,
        change=change,
        passed=indicator.passed,
    )


def of_bay(bay: Bay) -> Located:
    """Return the entry of a bay, without an LED."""
    return Located(object_id=bay.object_id, serial=bay.serial, device=bay.device, enclosure=bay.enclosure, bay=bay.bay)
