"""The guard on Smart Array controllers. Write-back needs a good battery on the same controller."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import raidctl_smartarray
from raidctl.model import Controller
from raidctl.vendor.protocol import Document
from tests.support.guarded import passes
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
    """The tool's output for a demo's controller."""
    [path] = (DEMOS / demo).glob("*config-detail.out")
    return path.read_text(encoding="utf-8")


def controllers(*texts: str) -> list[Controller]:
    """The controllers of a machine."""
    whole = "\n".join(texts)
    found = raidctl_smartarray.sniff("", whole)
    assert found is not None
    return list(raidctl_smartarray.read([Document(ASK, found.kind, whole)]).controllers)


@over("demo", ["p400", "p440"])
@over("word", [*GOOD, *BAD])
@over("count", ["0", "1", "2", "N/A"])
def test_write_back_needs_a_good_battery(demo: str, word: str, count: str) -> None:
    """Batteries and capacitors allow write-back only with a good status word."""
    [controller] = controllers(COUNT.sub(rf"\g<1>{count}", STATUS.sub(rf"\g<1>{word}", text(demo))))
    assert passes(controller) == (word in GOOD and count != "0")
    assert not passes(controller, "unprotected_write_back")
    assert not passes(controller, "enabled", "no_battery_write_cache")


@pytest.mark.parametrize("demo", ["p400", "p440"])
def test_a_missing_battery_status_is_not_good(demo: str) -> None:
    """A missing status line, as with a disconnected cable, refuses write-back."""
    silent = STATUS.sub("", text(demo))
    for output in (silent, COUNT.sub("", silent)):
        [controller] = controllers(output)
        assert not passes(controller)


@pytest.mark.parametrize(
    ("word", "through"), [("OK", True), ("Permanently Disabled", False), ("Failed", False), ("Error", False)]
)
def test_a_disabled_cache_refuses_write_back(word: str, through: bool) -> None:
    """A failed or disabled cache refuses write-back, whatever its battery reports."""
    [controller] = controllers(CACHE.sub(rf"\g<1>{word}", text("p440")))
    assert passes(controller) == through


def test_a_temporarily_disabled_cache_is_not_active() -> None:
    """A temporarily disabled cache is not active. Write-back may be set, but the next reading shows the reason."""
    [controller] = controllers(CACHE.sub(r"\g<1>Temporarily Disabled", text("p440")))
    cache = controller.volumes[0].cache
    assert cache is not None
    assert (cache.write_active, "Temporarily Disabled" in (cache.why_not_in_force or "")) == ("write_through", True)


@pytest.mark.parametrize("bad", BAD)
def test_a_good_battery_on_another_controller_does_not_count(bad: str) -> None:
    """A battery protects only its own controller. The order of the outputs does not matter."""
    good, other = text("p400"), STATUS.sub(rf"\g<1>{bad}", text("p440"))
    for texts in ((good, other), (other, good)):
        found = {controller.slot: controller for controller in controllers(*texts)}
        assert (passes(found["1"]), passes(found["0"])) == (True, False)


def test_a_failed_battery_and_a_disabled_cache_are_refused() -> None:
    """The controller of the Gen10 demo refuses write-back."""
    [controller] = controllers(text("gen10"))
    assert not passes(controller)
