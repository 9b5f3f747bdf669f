"""The card: identity, mode, cache, counts."""

from __future__ import annotations

import pytest

from raidctl.model import Health, Mode
from tests.support.judged import wrong
from tests.vendors.adaptec.adaptec_texts import card_of, found, left, machine, part, pqi


def test_an_aacraid_card_is_told() -> None:
    """Maker, product, serial number, firmware, slot and memory stand in their fields."""
    card = card_of(machine())
    assert (card.id, card.vendor, card.model, card.serial) == ("adaptec:1", "Adaptec", "6405", "1D4411A09B2")
    assert (card.firmware, card.slot, card.status, card.status_text) == ("5.2-0 (19147)", "5", "ok", "Optimal")
    assert card.cache is not None
    assert card.cache.size_bytes == 512 * 1024**2
    assert card.details["Controller Model"] == "Adaptec 6405"


def test_a_smartpqi_card_is_told() -> None:
    """Driver and PCI address are told by the tool; the bus number is hexadecimal."""
    card = card_of(pqi())
    assert (card.driver, card.pci_address, card.mode, card.firmware) == ("smartpqi", "0000:d8:00.0", "mixed", "4.72")


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("RAID (Expose RAW)", "raid"), ("RAID (Hide RAW)", "raid"), ("Default/RAID", "raid"), ("HBA", "hba"),
        ("Mixed", "mixed"), ("Auto Volume", "raid"), ("Simple Volume", "raid"),
    ],
)  # fmt: skip
def test_a_mode_is_told(text: str, mode: Mode) -> None:
    """Every mode of both generations has its neutral word, and the tool's own is kept."""
    card = card_of(pqi({"Controller Mode": text}))
    assert (card.mode, card.details["Controller Mode"]) == (mode, text)


def test_an_unknown_mode_is_a_problem() -> None:
    """It is not guessed; the raw word is kept and said."""
    observation = found(pqi({"Controller Mode": "Quantum"}))
    (card,) = observation.controllers
    assert (card.mode, card.details["Controller Mode"]) == (None, "Quantum")
    assert any(p.kind == "unread" and "Quantum" in p.message for p in observation.problems)


def test_an_old_card_without_a_mode_line_knows_raid_only() -> None:
    """Series 6 and older have no other mode; of a younger card nobody says."""
    assert card_of(machine()).mode == "raid"
    assert card_of(machine({"Controller Model": "Adaptec ASR8805"})).mode is None


@pytest.mark.parametrize(
    ("text", "vendor", "model"),
    [
        ("IBM ServeRAID 8k-l  ", "IBM", "ServeRAID 8k-l"), ("MSCC Adaptec HBA 1100-8i", "Adaptec", "HBA 1100-8i"),
        ("Adaptec ASR71605", "Adaptec", "ASR71605"), ("Strange Card", None, "Strange Card"),
    ],
)  # fmt: skip
def test_maker_and_product_are_told_apart(text: str, vendor: str | None, model: str) -> None:
    """A maker that is not known is not invented."""
    card = card_of(machine({"Controller Model": text}))
    assert (card.vendor, card.model) == (vendor, model)


@pytest.mark.parametrize(
    ("text", "status"), [("Okay", "ok"), ("Degraded", "warning"), ("Inaccessible", "critical"), ("Failed", "critical")]
)
def test_a_status_is_told(text: str, status: Health) -> None:
    """A card that is not well is a problem of kind state."""
    observation = found(machine({"Controller Status": text}))
    assert observation.controllers[0].status == status
    assert ("adaptec:1" in wrong(observation)) == (status != "ok")


def test_an_unknown_status_is_said() -> None:
    """The word is kept, the status is unknown, and a problem of kind unread names the card."""
    observation = found(machine({"Controller Status": "Pondering"}))
    assert (observation.controllers[0].status, observation.controllers[0].status_text) == ("unknown", "Pondering")
    assert [p.where for p in observation.problems if p.kind == "unread"] == ["adaptec:1"]


def test_the_split_of_the_cache_is_told() -> None:
    """In percent and, of the memory that the tool tells, in bytes."""
    cache = card_of(pqi(cache={"Read Cache Percentage": "25 percent", "Write Cache Percentage": "75 percent"})).cache
    assert cache is not None
    assert (cache.read_percent, cache.write_percent, cache.status) == (25, 75, "ok")
    assert (cache.read_bytes, cache.write_bytes) == (411 * 1024**2, 1233 * 1024**2)
    assert cache.no_battery_write_cache is False


def test_a_cache_that_nobody_configured_is_well() -> None:
    """What does not apply is not told."""
    changes = {"Cache Status": "Not Configured", "Read Cache Percentage": "Not Applicable"}
    cache = card_of(pqi(cache=changes)).cache
    assert cache is not None
    assert (cache.status, cache.status_text, cache.read_percent) == ("ok", "Not Configured", None)


def test_defunct_drives_that_are_not_listed_are_said() -> None:
    """The count is all that the tool tells of a drive that was pulled."""
    problems = found(machine({"Defunct disk drive count": 1})).problems
    assert [p.kind for p in problems if "defunct" in p.message] == ["state"]


def test_a_list_that_was_cut_off_is_said() -> None:
    """Without the closing line, fewer volumes than counted were not all read."""
    text = machine({"Logical devices/Failed/Degraded": "3/0/0"}).replace("Command completed successfully.", "")
    assert [p.kind for p in found(text).problems if "counts 3" in p.message] == ["unread"]


def test_a_hot_card_is_said() -> None:
    """The tool's own verdict counts, not a limit of ours."""
    problems = found(machine({"Temperature": "99 C/ 210 F (Abnormal)"})).problems
    assert any(p.kind == "state" and "too warm" in p.message for p in problems)


def test_sensors_are_details_under_their_numbers() -> None:
    """The same labels come again for each sensor."""
    sensors = "\n\n".join(
        part("Temperature Sensors Information", {"Sensor ID": n, "Current Value": f"{n + 30} deg C"}) for n in (0, 1)
    )
    details = card_of(machine(backup=sensors)).details
    assert (details["Sensor 0: Current Value"], details["Sensor 1: Current Value"]) == ("30 deg C", "31 deg C")


def test_unknown_labels_are_details() -> None:
    """A version that prints more loses nothing."""
    text = machine({"Flux Capacity": "1.21 GW"})
    assert card_of(text).details["Flux Capacity"] == "1.21 GW"
    assert left(text) == []


def test_capabilities_follow_the_generation() -> None:
    """Only smartpqi cards have a split to set; a card in HBA mode has nothing to set."""
    assert not card_of(machine()).capabilities["cache_split"].set
    assert card_of(pqi()).capabilities["cache_split"].set
    assert not card_of(pqi({"Controller Mode": "HBA"})).capabilities["write_policy"].set
