"""What can be set on a layer: its family is asked what it would plan, so that no table beside it can differ. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from raidctl.layers.model import Answer, Result
from raidctl.model import Controller, Tool
from raidctl.vendor.changes import changes_of
from raidctl.vendor.plan import Desired, Refusal, Setting
from raidctl.vendor.protocol import Vendor

_SAMPLES: Mapping[str, tuple[str, str]] = {
    "flush_interval": ("4", "5"),
    "bypass_threshold": ("1040", "512"),
    "cache_split": ("50/50", "25/75"),
    "stripe_cache_size": ("256", "512"),
}
"""Values that any hardware takes which has such a setting. One that is not the present one is asked for: what is so
already needs no command, and a plan for it would not tell whether there is one."""
_RESULTS: Mapping[str, Result] = {"unknown": "unknown", "no_tool": "no_tool"}
"""What kinds of refusals mean that are no lack of the hardware."""


@dataclass(frozen=True)
class Families:
    """The families of a machine, which can be asked."""

    by_name: Mapping[str, Vendor]
    tools: Sequence[Tool]

    def able(self, card: Controller, object_id: str, setting: Setting, present: str | None) -> Answer:
        """Whether a setting of a controller, or of an object on it, can be set, given what it is now."""
        family = card.id.partition(":")[0]
        vendor = self.by_name.get(family)
        changes = changes_of(vendor) if vendor is not None else None
        told = card.capabilities.get(setting)
        why = told.why if told is not None and not told.set else None
        if vendor is None or changes is None:
            only = f"raidctl only reads controllers of the family {family}."
            return Answer(result="unsupported", why=why or only)
        names = {spec.name for spec in vendor.TOOLS}
        other = next(sample for sample in _SAMPLES[setting] if sample != present)
        wish = Desired(object_id=object_id, setting=setting, value=other)
        refusals = changes.plan(card, [wish], [tool for tool in self.tools if tool.name in names]).refusals
        return _of_refusal(refusals[0], why) if refusals else Answer(result="supported")


def _of_refusal(refusal: Refusal, why: str | None) -> Answer:
    """What a refusal means; ``why``: what the family says of the setting in general, which is the better reason."""
    if refusal.kind in ("unsafe", "not_in_force"):
        return Answer(result="supported", why=refusal.reason)
    if why is not None:
        return Answer(result="unsupported", why=why)
    result: Result = _RESULTS.get(refusal.kind, "unsupported")
    return Answer(result=result, why=refusal.reason, alternative=refusal.alternative)


def best(answers: Sequence[Answer]) -> Answer:
    """The answer for several settings together: what one of them can, the layer can."""
    order = ("supported", "no_tool", "unknown", "unsupported")
    return min(answers, key=lambda answer: order.index(answer.result))
