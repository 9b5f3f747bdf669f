"""Locate LEDs in the form of vendor packages, for the change engine. Pure, but for the reading of states.

Each LED is a pseudo controller with one setting, ``locate``, and a separate lock: so a drive can be located while its
controller is being changed. An LED that nothing reports is a setting that cannot be read back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from raidctl.change.lamp import OFF, ON, Lamp, writes_only_leds
from raidctl.host import HostView
from raidctl.locate import ledctl, sg_ses, vendor_tools
from raidctl.locate.kernel import read_kernel_leds
from raidctl.model import Capability, Controller, Host, Inventory, Tool
from raidctl.request import Answer, Dialogue, ask_all
from raidctl.select import family_in
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Action, Desired, Flush, Plan, Refusal, Step, ToolSetting
from raidctl.vendor.protocol import Document, Observation, Sniffed, ToolSpec, Vendor

SETTING = "locate"
_SENT = "Nothing reports the LED: only that the command was accepted is known."


class Leds:
    """All LEDs whose ids begin with one word. The engine sees them as a vendor package."""

    TITLE = "Locate LEDs"
    TOOLS: tuple[ToolSpec, ...] = ()
    DRIVERS: tuple[str, ...] = ()
    LAST = False
    SUPPORT: Mapping[str, Capability] = {}

    def __init__(self, family: str, lamps: Sequence[Lamp], vendors: Sequence[Vendor]) -> None:
        self.FAMILY = family
        self._lamps = {lamp.id: lamp for lamp in lamps}
        self._way = vendor_tools.offered(vendors, family)

    def observe(self, host: HostView) -> Dialogue[Observation]:  # noqa: ARG002 - the signature of all families
        """Nothing: :func:`look` reads the LEDs of all families together."""
        yield from ask_all([])
        return Observation()

    def sniff(self, name: str, text: str) -> Sniffed | None:  # noqa: ARG002 - as above
        """Recognise nothing."""
        return None

    def read(self, documents: Sequence[Document]) -> Observation:  # noqa: ARG002 - as above
        """Read nothing from loose outputs."""
        return Observation()

    def current_settings(self, controller: Controller) -> dict[ToolSetting, str]:
        """The state of an LED that can be read."""
        state = controller.details.get(SETTING)
        return {(controller.id, SETTING): state} if state is not None else {}

    def flushes(self, controller: Controller, tools: Sequence[Tool]) -> list[Flush]:  # noqa: ARG002 - as above
        """Nothing to flush."""
        return []

    def judge(self, action: Action, answer: Answer) -> str | None:
        """The objection of the program that switches the LED."""
        if self.FAMILY in _JUDGES:
            return _JUDGES[self.FAMILY](action, answer)
        return self._way.judge(action, answer) if self._way is not None else None

    def plan(self, controller: Controller, requests: Sequence[Desired], tools: Sequence[Tool]) -> Plan:  # noqa: ARG002
        """One command for each LED that is not as requested."""
        lamp = self._lamps[controller.id]
        state = controller.details.get(SETTING)
        steps, already, refusals = [], [], []
        for desired in requests:
            if desired.setting != SETTING or not (writes_only_leds(lamp.on) and writes_only_leds(lamp.off)):
                refusals.append(Refusal(desired, "unsupported", "It is a locate LED, and has no such setting."))
            elif state == desired.value:
                already.append(desired)
            else:
                steps.append(_step(lamp, desired.value, state))
        return Plan(desired=tuple(requests), steps=tuple(steps), already=tuple(already), refusals=tuple(refusals))


_JUDGES = {"ledctl": ledctl.judge, "sg_ses": sg_ses.judge}


def _step(lamp: Lamp, wanted: str, state: str | None) -> Step:
    """The step that switches an LED. If its state cannot be read, undoing switches it off."""
    on = wanted == ON
    return Step(
        object_id=lamp.id,
        setting=SETTING,
        before=OFF if on else ON,
        after=wanted,
        action=lamp.on if on else lamp.off,
        undo=lamp.off if on or state is None else lamp.on,
        affects=(_SENT,) if state is None else (),
        persistent=False,
        readable=state is not None,
    )


def families(lamps: Sequence[Lamp], vendors: Sequence[Vendor]) -> list[Vendor]:
    """Return the pseudo vendor packages of LEDs."""
    names = dict.fromkeys(family_in(lamp.id) for lamp in lamps)
    return [Leds(name, [lamp for lamp in lamps if family_in(lamp.id) == name], vendors) for name in names]


def survey_of(lamps: Sequence[Lamp], host: Host) -> Survey:
    """Return LEDs as an inventory, each a pseudo controller."""
    return Survey(Inventory(host=host, controllers=tuple(_controller(lamp) for lamp in lamps)))


def _controller(lamp: Lamp) -> Controller:
    """The pseudo controller of an LED. Its serial number identifies the LED, as the drive may be moved."""
    serial = f"{lamp.controller} {lamp.id.rpartition('/')[2]}" if lamp.way == "tool" and lamp.controller else None
    details: dict[str, str] = {SETTING: lamp.state} if lamp.state is not None else {}
    return Controller(id=lamp.id, model=lamp.bay.serial, serial=serial, mode="none", details=details)


def look(lamps: Sequence[Lamp], vendors: Sequence[Vendor]) -> Dialogue[list[Lamp]]:
    """Return LEDs with their current states; those without a readable state unchanged."""
    fresh: dict[str, Lamp] = {}
    if any(lamp.way in ("enclosure", "npem", "pci_slot") for lamp in lamps):
        leds = yield from read_kernel_leds()
        known = {led.path: led for led in leds.all()}
        for lamp in (one for one in lamps if one.on.path is not None):
            led = known.get(lamp.on.path or "")
            fresh[lamp.id] = replace(lamp, state=led.state if led is not None else None)
    for family in dict.fromkeys(family_in(lamp.id) for lamp in lamps if lamp.look):
        mine = [lamp for lamp in lamps if lamp.look and family_in(lamp.id) == family]
        way = vendor_tools.offered(vendors, family)
        if family == "sg_ses":
            states = yield from sg_ses.read_states(mine)
        else:
            states = (yield from vendor_tools.read_states(mine, way)) if way is not None else mine
        fresh |= {lamp.id: lamp for lamp in states}
    return [fresh.get(lamp.id, lamp) for lamp in lamps]
