"""The guard on Adaptec controllers. Write-back needs a good battery on the same controller."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

import raidctl_adaptec
from raidctl.vendor.protocol import Document
from tests.support.guarded import passes
from tests.support.over import over
from tests.vendors.adaptec.adaptec_outputs import GREEN, controller_of, machine, part, pqi

GOOD = ("Optimal", "Ready", "OK", "Fully Charged")
BAD = (
    "Charging", "Recharging", "Not Charged", "Learn Cycle In Progress", "Learning", "Reconditioning In Progress",
    "Degraded", "Not Ready", "Depleted", "Discharging", "Over Temperature", "Maintenance Required",
    "Replacement Required", "Failed", "Dead", "Not Installed", "Missing", "Disconnected", "Amber", "Unknown", "N/A",
)  # fmt: skip
SECTIONS = {
    "battery": ("Controller Battery Information", "Status"),
    "zmm": ("Controller ZMM Information", "Status"),
    "unit": ("Controller Cache Backup Unit Information", "Overall Backup Unit Status"),
}


@over("section", SECTIONS)
@over("word", [*GOOD, *BAD])
def test_aacraid_write_back_needs_a_good_battery(section: str, word: str) -> None:
    """Battery, ZMM and backup unit allow write-back only with a good status. The status word shows it."""
    title, label = SECTIONS[section]
    controller = controller_of(machine(backup=part(title, {label: word})))
    assert passes(controller) == (word in GOOD)
    assert not passes(controller, "unprotected_write_back")


@over("word", [*GOOD, *BAD])
def test_smartpqi_write_back_needs_a_good_capacitor(word: str) -> None:
    """Green Backup allows write-back only with a good status word."""
    controller = controller_of(pqi(cache={"Cache Status": "Ok"}, backup={**GREEN, "Backup Power Status": word}))
    assert passes(controller) == (word in GOOD)
    assert not passes(controller, "unprotected_write_back")
    assert not passes(controller, "enabled", "no_battery_write_cache")


@pytest.mark.parametrize(
    "facts",
    [
        {"Battery/Capacitor Pack Count": "0"},
        {"Hardware Error": "Charge Timeout"},
        {"Supercap Status": "Failed"},
        {"Over temperature": "Yes"},
        {"Learn Status": "In Progress"},
    ],
)
def test_one_bad_part_of_a_backup_unit_is_enough_to_refuse(facts: Mapping[str, str]) -> None:
    """One bad part refuses write-back, whatever the overall status."""
    assert not passes(
        controller_of(pqi(cache={"Cache Status": "Ok"}, backup={**GREEN, "Backup Power Status": "Ok", **facts}))
    )


def test_one_bad_of_two_is_enough_to_refuse() -> None:
    """With a battery and a ZMM, one bad one refuses write-back."""
    good, bad = ({"Status": word} for word in ("Optimal", "Failed"))
    both = part("Controller Battery Information", good) + "\n" + part("Controller ZMM Information", bad)
    controller = controller_of(machine(backup=both))
    assert (len(controller.batteries), passes(controller)) == (2, False)


def test_an_unreported_battery_refuses_write_back() -> None:
    """An output without a battery refuses write-back on both generations."""
    assert not passes(controller_of(machine(backup="")))
    assert not passes(controller_of(pqi(cache={"Cache Status": "Ok"}, backup=None)))


@pytest.mark.parametrize("word", ["Permanently Disabled", "Failed", "Error"])
def test_a_disabled_cache_refuses_write_back(word: str) -> None:
    """A failed or disabled cache refuses write-back, whatever its capacitor reports."""
    assert not passes(controller_of(pqi(cache={"Cache Status": word}, backup={**GREEN, "Backup Power Status": "Ok"})))


@pytest.mark.parametrize("bad", BAD)
def test_a_good_battery_on_another_controller_does_not_count(bad: str) -> None:
    """A battery protects only its own controller."""
    texts = [
        machine(
            {"Controller Serial Number": f"1D4411A09B{number}"},
            backup=part("Controller ZMM Information", {"Status": word}),
        )
        for number, word in enumerate(("Optimal", bad), 1)
    ]
    documents = []
    for number, text in enumerate(texts, 1):
        found = raidctl_adaptec.sniff("", text)
        assert found is not None
        documents.append(Document(f"arcconf getconfig {number} AL", found.kind, text))
    one, other = sorted(raidctl_adaptec.read(documents).controllers, key=lambda controller: controller.id)
    assert (passes(one), passes(other)) == (True, False)
