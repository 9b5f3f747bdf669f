"""Locate LEDs in the form of vendor packages, for the change engine. Pure, but for the reading of states.

Each LED is a pseudo controller with one setting, ``locate``, and a separate lock: so a drive can be located while its
controller is being changed. An LED that nothing reports is a setting that cannot be read back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from raidctl.change.indicator import OFF, ON, Indicator, writes_only_leds
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

    def __init__(self, family: str, indicators: Sequence[Indicator], vendors: Sequence[Vendor]) -> None:
        self.FAMILY = family
        self._indicators = {indicator.id: indicator for indicator in indicators}
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
        indicator = self._indicators[controller.id]
        state = controller.details.get(SETTING)
        steps, already, refusals = [], [], []
        for desired in requests:
            if desired.setting != SETTING or not (writes_only_leds(indicator.on) and writes_only_leds(indicator.off)):
                refusals.append(Refusal(desired, "unsupported", "It is a locate LED, and has no such setting."))
            elif state == desired.value:
                already.append(desired)
            else:
                steps.append(_step(indicator, desired.value, state))
        return Plan(desired=tuple(requests), steps=tuple(steps), already=tuple(already), refusals=tuple(refusals))


_JUDGES = {"ledctl": ledctl.judge, "sg_ses": sg_ses.judge}


def _step(indicator: Indicator, wanted: str, state: str | None) -> Step:
    """The step that switches an LED. If its state cannot be read, undoing switches it off."""
    on = wanted == ON
    return Step(
        object_id=indicator.id,
        setting=SETTING,
        before=OFF if on else ON,
        after=wanted,
        action=indicator.on if on else indicator.off,
        undo=indicator.off if on or state is None else indicator.on,
        affects=(_SENT,) if state is None else (),
        persistent=False,
        readable=state is not None,
    )


def families(indicators: Sequence[Indicator], vendors: Sequence[Vendor]) -> list[Vendor]:
    """Return the pseudo vendor packages of LEDs."""
    names = dict.fromkeys(family_in(indicator.id) for indicator in indicators)
    return [
        Leds(name, [indicator for indicator in indicators if family_in(indicator.id) == name], vendors)
        for name in names
    ]


def survey_of(indicators: Sequence[Indicator], host: Host) -> Survey:
    """Return LEDs as an inventory, each a pseudo controller."""
    return Survey(Inventory(host=host, controllers=tuple(_controller(indicator) for indicator in indicators)))


def _controller(indicator: Indicator) -> Controller:
    """The pseudo controller of an LED. Its serial number identifies the LED, as the drive may be moved."""
    serial = (
        f"{indicator.controller} {indicator.id.rpartition('/')[2]}"
        if indicator.way == "tool" and indicator.controller
        else None
    )
    details: dict[str, str] = {SETTING: indicator.state} if indicator.state is not None else {}
    return Controller(id=indicator.id, model=indicator.bay.serial, serial=serial, mode="none", details=details)


def look(indicators: Sequence[Indicator], vendors: Sequence[Vendor]) -> Dialogue[list[Indicator]]:
    """Return LEDs with their current states; those without a readable state unchanged."""
    fresh: dict[str, Indicator] = {}
    if any(indicator.way in ("enclosure", "npem", "pci_slot") for indicator in indicators):
        leds = yield from read_kernel_leds()
        known = {led.path: led for led in leds.all()}
        for indicator in (one for one in indicators if one.on.path is not None):
            led = known.get(indicator.on.path or "")
            fresh[indicator.id] = replace(indicator, state=led.state if led is not None else None)
    for family in dict.fromkeys(family_in(indicator.id) for indicator in indicators if indicator.look):
        mine = [indicator for indicator in indicators if indicator.look and family_in(indicator.id) == family]
        way = vendor_tools.offered(vendors, family)
        if family == "sg_ses":
            states = yield from sg_ses.read_states(mine)
        else:
            states = (yield from vendor_tools.read_states(mine, way)) if way is not None else mine
        fresh |= {indicator.id: indicator for indicator in states}
    return [fresh.get(indicator.id, indicator) for indicator in indicators]
