"""What an Adaptec card tells of its battery, to the gate: write-back passes with a good one on that very card only."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

import raidctl_adaptec
from raidctl.change.guard import unsafe
from raidctl.model import Controller
from raidctl.vendor.plan import Desired, Setting
from raidctl.vendor.protocol import Document
from tests.support.over import over
from tests.vendors.adaptec.adaptec_texts import GREEN, card_of, machine, part, pqi

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


def passes(card: Controller, value: str = "protected_write_back", setting: Setting = "write_policy") -> bool:
    """Whether the gate lets a wish about the card's first volume, or about the card, through."""
    object_id = card.volumes[0].id if setting == "write_policy" else card.id
    return unsafe(card, Desired(object_id=object_id, setting=setting, value=value)) is None


@over("section", SECTIONS)
@over("word", [*GOOD, *BAD])
def test_write_back_of_an_older_card_passes_with_a_good_battery_alone(section: str, word: str) -> None:
    """Battery, ZMM and backup unit, in every state that the tool has a word for."""
    title, label = SECTIONS[section]
    card = card_of(machine(backup=part(title, {label: word})))
    assert passes(card) == (word in GOOD)
    assert not passes(card, "unprotected_write_back")


@over("word", [*GOOD, *BAD])
def test_write_back_of_a_younger_card_passes_with_a_good_capacitor_alone(word: str) -> None:
    """Green Backup."""
    card = card_of(pqi(cache={"Cache Status": "Ok"}, backup={**GREEN, "Backup Power Status": word}))
    assert passes(card) == (word in GOOD)
    assert not passes(card, "unprotected_write_back")
    assert not passes(card, "enabled", "no_battery_write_cache")


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
    """Though the whole calls itself well."""
    assert not passes(
        card_of(pqi(cache={"Cache Status": "Ok"}, backup={**GREEN, "Backup Power Status": "Ok", **facts}))
    )


def test_one_bad_of_two_is_enough_to_refuse() -> None:
    """A battery and a ZMM."""
    good, bad = ({"Status": word} for word in ("Optimal", "Failed"))
    both = part("Controller Battery Information", good) + "\n" + part("Controller ZMM Information", bad)
    card = card_of(machine(backup=both))
    assert (len(card.batteries), passes(card)) == (2, False)


def test_no_word_of_a_battery_is_no_battery() -> None:
    """On either kind of card."""
    assert not passes(card_of(machine(backup="")))
    assert not passes(card_of(pqi(cache={"Cache Status": "Ok"}, backup=None)))


@pytest.mark.parametrize("word", ["Permanently Disabled", "Failed", "Error"])
def test_a_cache_that_is_out_of_use_is_refused(word: str) -> None:
    """Whatever its capacitor says."""
    assert not passes(card_of(pqi(cache={"Cache Status": word}, backup={**GREEN, "Backup Power Status": "Ok"})))


@pytest.mark.parametrize("bad", BAD)
def test_a_good_battery_on_the_other_card_does_not_count(bad: str) -> None:
    """Two cards of one machine."""
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
    one, other = sorted(raidctl_adaptec.read(documents).controllers, key=lambda card: card.id)
    assert (passes(one), passes(other)) == (True, False)
