"""A switchable LED and its bay. Values only."""

from __future__ import annotations

from typing import Annotated, Literal

from raidctl.described import doc
from raidctl.text import regex
from raidctl.vendor.plan import Action, Value

Way = Literal["tool", "enclosure", "npem", "pci_slot", "ledctl", "sg_ses", "activity"]
WAYS: tuple[Way, ...] = ("tool", "enclosure", "npem", "pci_slot", "ledctl", "sg_ses")
"""Methods in the order in which they are tried. ``activity`` is used only on request."""
TITLES: dict[Way, str] = {
    "tool": "the controller's tool",
    "enclosure": "the enclosure (SES)",
    "npem": "NPEM",
    "pci_slot": "the PCIe slot",
    "ledctl": "ledctl",
    "sg_ses": "sg_ses",
    "activity": "reads of the drive",
}
ON, OFF = "on", "off"

_FILES = regex(
    r"/sys/class/enclosure/[^/]+/[^/]+/locate"
    r"|/sys/class/leds/[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]:enclosure:locate/brightness"
    r"|/sys/bus/pci/slots/[^/]+/attention"
)
"""The only files that locating writes, without ``fault``, ``status`` and ``active``."""


class Passed(Value, frozen=True):
    """A method that was not used."""

    way: Annotated[Way, doc("The way.")]
    why: Annotated[str, doc("Why not, one sentence.")]


class Bay(Value, frozen=True, kw_only=True, omit_defaults=True):
    """The place to find: a drive, or an empty bay."""

    object_id: Annotated[str, doc("`megaraid:0/252:3`, `drives:SERIAL`; of a bay `enclosure:0x5000…/Slot 02`.")]
    serial: Annotated[str | None, doc("Serial number of the drive; null: unknown, or an empty bay.")] = None
    device: Annotated[str | None, doc("`/dev/sdb`; null: not visible to the operating system.")] = None
    enclosure: Annotated[str | None, doc("Enclosure, as the tool or the kernel names it.")] = None
    bay: Annotated[str | None, doc("Bay or slot.")] = None


class Indicator(Value, frozen=True, kw_only=True, omit_defaults=True):
    """The LED of a bay, and how to switch it."""

    id: Annotated[str, doc("`enclosure:0x5000…/Slot 02`; where the vendor's tool switches it, the drive's id.")]
    bay: Annotated[Bay, doc("Where it is.")]
    way: Annotated[Way, doc("How it is switched.")]
    on: Annotated[Action, doc("Switches it on.")]
    off: Annotated[Action, doc("Switches it off.")]
    look: Annotated[tuple[str, ...], doc("The command that shows its state; empty: the file, or none.")] = ()
    controller: Annotated[str | None, doc("Serial number of the controller whose tool switches it.")] = None
    limit_seconds: Annotated[float | None, doc("The hardware switches it off after this time; null: it does not.")] = (
        None
    )
    state: Annotated[Literal["on", "off"] | None, doc("As read; null: nothing reports it.")] = None
    passed: Annotated[tuple[Passed, ...], doc("Ways that come before and were not used.")] = ()

    @property
    def readable(self) -> bool:
        """Whether its state can be read back. It could when it was found."""
        return self.state is not None


class Unlit(Value, frozen=True, kw_only=True):
    """A bay that cannot be located."""

    bay: Annotated[Bay, doc("Where it is.")]
    passed: Annotated[tuple[Passed, ...], doc("Every way, with the reason why it does not work.")] = ()

    @property
    def why(self) -> str:
        """All reasons, in one line."""
        return "; ".join(f"{TITLES[one.way]}: {one.why}" for one in self.passed)


def writes_only_leds(action: Action) -> bool:
    """Whether an action that writes a file only switches a locate LED.

    >>> writes_only_leds(Action(path="/sys/class/enclosure/0:0:8:0/Slot 02/fault", data="1"))
    False
    """
    return action.path is None or (_FILES.fullmatch(action.path) is not None and action.data in ("0", "1"))
