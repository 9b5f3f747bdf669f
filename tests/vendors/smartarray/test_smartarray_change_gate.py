"""What a Smart Array tells of its batteries, to the gate: write-back passes with a good one on that very card only."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import raidctl_smartarray
from raidctl.change.guard import unsafe
from raidctl.model import Controller
from raidctl.vendor.plan import Desired, Setting
from raidctl.vendor.protocol import Document
from tests.support.over import over

DEMOS = Path(raidctl_smartarray.__file__).parent / "demos"
ASK = "ctrl all show config detail"
STATUS = re.compile(r"(?m)^( *Battery/Capacitor Status: ).*$")
COUNT = re.compile(r"(?m)^( *Battery/Capacitor Count: ).*$")
CACHE = re.compile(r"(?m)^( *Cache Status: ).*$")
GOOD = ("OK", "Fully Charged")
BAD = (
    "Recharging", "Charging", "Not Fully Charged", "Degraded", "Low", "Failed", "Failed (Replace Batteries)",
    "Failed (Replace Batteries/Capacitors)", "Disconnected", "Not Attached", "Not Present", "Amber", "None", "N/A",
)  # fmt: skip


def text(demo: str) -> str:
    """What the tool prints of a demo's card."""
    [path] = (DEMOS / demo).glob("*config-detail.out")
    return path.read_text(encoding="utf-8")


def cards(*texts: str) -> list[Controller]:
    """The cards of a machine."""
    whole = "\n".join(texts)
    found = raidctl_smartarray.sniff("", whole)
    assert found is not None
    return list(raidctl_smartarray.read([Document(ASK, found.kind, whole)]).controllers)


def passes(card: Controller, value: str = "protected_write_back", setting: Setting = "write_policy") -> bool:
    """Whether the gate lets a wish about the card's first volume, or about the card, through."""
    object_id = card.volumes[0].id if setting == "write_policy" else card.id
    return unsafe(card, Desired(object_id=object_id, setting=setting, value=value)) is None


@over("demo", ["p400", "p440"])
@over("word", [*GOOD, *BAD])
@over("count", ["0", "1", "2", "N/A"])
def test_write_back_passes_with_a_good_battery_alone(demo: str, word: str, count: str) -> None:
    """Batteries of the P400, a capacitor of the P440; counted or not, in every state that the tool has a word for."""
    [card] = cards(COUNT.sub(rf"\g<1>{count}", STATUS.sub(rf"\g<1>{word}", text(demo))))
    assert passes(card) == (word in GOOD and count != "0")
    assert not passes(card, "unprotected_write_back")
    assert not passes(card, "enabled", "no_battery_write_cache")


@pytest.mark.parametrize("demo", ["p400", "p440"])
def test_a_status_that_is_not_told_is_no_good_battery(demo: str) -> None:
    """The line is missing when a cable is: whether it is counted or not."""
    silent = STATUS.sub("", text(demo))
    for told in (silent, COUNT.sub("", silent)):
        [card] = cards(told)
        assert not passes(card)


@pytest.mark.parametrize(
    ("word", "through"), [("OK", True), ("Permanently Disabled", False), ("Failed", False), ("Error", False)]
)
def test_a_cache_that_is_out_of_use_is_refused(word: str, through: bool) -> None:
    """Whatever its battery says."""
    [card] = cards(CACHE.sub(rf"\g<1>{word}", text("p440")))
    assert passes(card) == through


def test_a_cache_that_is_disabled_for_now_is_not_in_force() -> None:
    """It may be asked for, and reading again tells that it is not in force, and why."""
    [card] = cards(CACHE.sub(r"\g<1>Temporarily Disabled", text("p440")))
    cache = card.volumes[0].cache
    assert cache is not None
    assert (cache.write_active, "Temporarily Disabled" in (cache.why_not_in_force or "")) == ("write_through", True)


@pytest.mark.parametrize("bad", BAD)
def test_a_good_battery_on_the_other_card_does_not_count(bad: str) -> None:
    """Two cards, in either order."""
    good, other = text("p400"), STATUS.sub(rf"\g<1>{bad}", text("p440"))
    for texts in ((good, other), (other, good)):
        found = {card.slot: card for card in cards(*texts)}
        assert (passes(found["1"]), passes(found["0"])) == (True, False)


def test_a_failed_battery_and_a_disabled_cache_are_refused() -> None:
    """The card of the Gen10 demo."""
    [card] = cards(text("gen10"))
    assert not passes(card)
