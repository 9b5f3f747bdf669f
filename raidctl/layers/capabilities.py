"""What can be set on a layer, according to its family. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from raidctl.layers.model import Answer, Result
from raidctl.model import Controller, Tool
from raidctl.select import family_of
from raidctl.vendor.changes import changes_of
from raidctl.vendor.plan import Desired, Refusal, Setting
from raidctl.vendor.protocol import Vendor

_SAMPLES: Mapping[str, tuple[str, str]] = {
    "flush_interval": ("4", "5"),
    "bypass_threshold": ("1040", "512"),
    "cache_split": ("50/50", "25/75"),
    "stripe_cache_size": ("256", "512"),
}
"""Values that any hardware with such a setting accepts. One other than the current value is planned, as setting the
current value needs no command, so its plan would not show whether there is one."""
_RESULTS: Mapping[str, Result] = {"unknown": "unknown", "no_tool": "no_tool"}
"""Results for refusals that are not a limit of the hardware."""


@dataclass(frozen=True)
class Families:
    """The families of a machine, and what they can set."""

    by_name: Mapping[str, Vendor]
    tools: Sequence[Tool]

    def able(self, controller: Controller, object_id: str, setting: Setting, present: str | None) -> Answer:
        """Whether a setting of a controller or its part can be set. ``present`` is its current value."""
        family = family_of(controller)
        vendor = self.by_name.get(family)
        changes = changes_of(vendor) if vendor is not None else None
        ability = controller.capabilities.get(setting)
        why = ability.why if ability is not None and not ability.set else None
        if vendor is None or changes is None:
            only = f"raidctl does not change settings of {family} controllers."
            return Answer(result="unsupported", why=why or only)
        names = {spec.name for spec in vendor.TOOLS}
        other = next(sample for sample in _SAMPLES[setting] if sample != present)
        desired = Desired(object_id=object_id, setting=setting, value=other)
        refusals = changes.plan(controller, [desired], [tool for tool in self.tools if tool.name in names]).refusals
        return _of_refusal(refusals[0], why) if refusals else Answer(result="supported")


def _of_refusal(refusal: Refusal, why: str | None) -> Answer:
    """Convert a refusal. ``why``: the family's general reason for the setting, which is preferred."""
    if refusal.kind in ("unsafe", "not_in_force"):
        return Answer(result="supported", why=refusal.reason)
    if why is not None:
        return Answer(result="unsupported", why=why)
    result: Result = _RESULTS.get(refusal.kind, "unsupported")
    return Answer(result=result, why=refusal.reason, alternative=refusal.alternative)


def best(answers: Sequence[Answer]) -> Answer:
    """Combine the results for several settings. A layer can do what any of them can."""
    order = ("supported", "no_tool", "unknown", "unsupported")
    return min(answers, key=lambda answer: order.index(answer.result))
