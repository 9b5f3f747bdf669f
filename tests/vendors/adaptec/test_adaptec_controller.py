"""The controller: identity, mode, cache, counts."""

from __future__ import annotations

import re

import pytest

from raidctl.model import Health, Mode
from tests.support.judged import wrong
from tests.vendors.adaptec.adaptec_outputs import controller_of, found, left, machine, part, pqi, volume_text


def test_an_aacraid_controller_is_read() -> None:
    """Vendor, model, serial number, firmware, slot and memory are read."""
    controller = controller_of(machine())
    assert (controller.id, controller.vendor, controller.model, controller.serial) == (
        "adaptec:1",
        "Adaptec",
        "6405",
        "1D4411A09B2",
    )
    assert (controller.firmware, controller.slot, controller.status, controller.status_text) == (
        "5.2-0 (19147)",
        "5",
        "ok",
        "Optimal",
    )
    assert controller.cache is not None
    assert controller.cache.size_bytes == 512 * 1024**2
    assert controller.details["Controller Model"] == "Adaptec 6405"


def test_a_smartpqi_controller_is_read() -> None:
    """The tool prints driver and PCI address; the bus number is hexadecimal."""
    controller = controller_of(pqi())
    assert (controller.driver, controller.pci_address, controller.mode, controller.firmware) == (
        "smartpqi",
        "0000:d8:00.0",
        "mixed",
        "4.72",
    )


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("RAID (Expose RAW)", "raid"), ("RAID (Hide RAW)", "raid"), ("Default/RAID", "raid"), ("HBA", "hba"),
        ("Mixed", "mixed"), ("Auto Volume", "raid"), ("Simple Volume", "raid"),
    ],
)  # fmt: skip
def test_a_mode_is_read(text: str, mode: Mode) -> None:
    """Every mode of both generations has a neutral word. The tool's word is kept."""
    controller = controller_of(pqi({"Controller Mode": text}))
    assert (controller.mode, controller.details["Controller Mode"]) == (mode, text)


def test_an_unknown_mode_is_a_problem() -> None:
    """An unknown mode is kept as printed, and a problem reports it."""
    observation = found(pqi({"Controller Mode": "Quantum"}))
    (controller,) = observation.controllers
    assert (controller.mode, controller.details["Controller Mode"]) == (None, "Quantum")
    assert any(p.kind == "unread" and "Quantum" in p.message for p in observation.problems)


def test_an_old_controller_without_a_mode_line_is_in_raid_mode() -> None:
    """Series 6 and older have RAID mode only. The mode of a newer controller is unknown."""
    assert controller_of(machine()).mode == "raid"
    assert controller_of(machine({"Controller Model": "Adaptec ASR8805"})).mode is None


@pytest.mark.parametrize(
    ("text", "vendor", "model"),
    [
        ("IBM ServeRAID 8k-l  ", "IBM", "ServeRAID 8k-l"), ("MSCC Adaptec HBA 1100-8i", "Adaptec", "HBA 1100-8i"),
        ("Adaptec ASR71605", "Adaptec", "ASR71605"), ("Strange Card", None, "Strange Card"),
    ],
)  # fmt: skip
def test_vendor_and_model_are_separated(text: str, vendor: str | None, model: str) -> None:
    """An unknown vendor stays unknown."""
    controller = controller_of(machine({"Controller Model": text}))
    assert (controller.vendor, controller.model) == (vendor, model)


@pytest.mark.parametrize(
    ("text", "status"), [("Okay", "ok"), ("Degraded", "warning"), ("Inaccessible", "critical"), ("Failed", "critical")]
)
def test_a_status_is_read(text: str, status: Health) -> None:
    """A controller status other than ok is a problem."""
    observation = found(machine({"Controller Status": text}))
    assert observation.controllers[0].status == status
    assert ("adaptec:1" in wrong(observation)) == (status != "ok")


@pytest.mark.parametrize("text", [machine(), pqi()], ids=["aacraid", "smartpqi"])
def test_a_status_below_a_lost_title_is_the_controllers(text: str) -> None:
    """Without its title, the section is recognised by its first label; a failed controller is not lost with it."""
    headless = re.sub(r"(?m)^Controller information\n", "", text)
    assert headless != text
    broken = re.sub(r"(Controller Status +: )Optimal", r"\1Failed", headless)
    assert controller_of(broken).status == "critical"
    assert controller_of(headless).model == controller_of(text).model


def test_an_unknown_status_is_reported() -> None:
    """An unknown status word is kept. The status is unknown, and a problem names the controller."""
    observation = found(machine({"Controller Status": "Pondering"}))
    assert (observation.controllers[0].status, observation.controllers[0].status_text) == ("unknown", "Pondering")
    assert [p.where for p in observation.problems if p.kind == "unread"] == ["adaptec:1"]


@pytest.mark.parametrize(
    ("word", "mode", "kinds"),
    [
        ("Enabled", "automatic", []), ("High", "automatic", []), ("Disabled", "disabled", []),
        ("Not Applicable", None, []), ("Unknown", None, ["unread"]), ("Sometimes", None, ["unread"]),
    ],
)  # fmt: skip
def test_an_unknown_word_for_the_background_check_is_reported(word: str, mode: str | None, kinds: list[str]) -> None:
    """Whether a check runs is unknown if its word is unknown, and a problem reports that."""
    observation = found(machine({"Background consistency check": word}))
    check = observation.controllers[0].consistency_check
    assert (check.mode if check else None) == mode
    assert [p.kind for p in observation.problems if p.where == "adaptec:1"] == kinds


@pytest.mark.parametrize(
    "text",
    [
        machine({"Controller Status": "Unknown"}), machine({"NVRAM Checksum Status": "Unknown"}),
        machine(volumes=[volume_text(0, {"Status of Logical Device": "Unknown"})]),
        machine(volumes=[volume_text(0, {"Failed stripes": "Unknown"})]),
        machine(backup=part("Controller Battery Information", {"Status": "Unknown"})),
        pqi(cache={"Cache Status": "Unknown"}),
    ],
)  # fmt: skip
def test_a_state_that_the_tool_does_not_know_is_reported(text: str) -> None:
    """``Unknown`` as a state is a problem, whatever it is the state of."""
    assert "unread" in {problem.kind for problem in found(text).problems}


def test_the_split_of_the_cache_is_read() -> None:
    """The split is read in percent and in bytes. The bytes follow from the reported memory."""
    cache = controller_of(
        pqi(cache={"Read Cache Percentage": "25 percent", "Write Cache Percentage": "75 percent"})
    ).cache
    assert cache is not None
    assert (cache.read_percent, cache.write_percent, cache.status) == (25, 75, "ok")
    assert (cache.read_bytes, cache.write_bytes) == (411 * 1024**2, 1233 * 1024**2)
    assert cache.no_battery_write_cache is False


@pytest.mark.parametrize(("why", "kinds"), [("A cache error was detected.", ["state"]), ("Not Applicable", [])])
def test_a_reason_beside_a_good_status_of_the_cache_is_a_problem(why: str, kinds: list[str]) -> None:
    """A reason below ``Cache Status : Ok`` counts."""
    observation = found(pqi(cache={"Cache Status": "Ok", "Cache Status Details": why}))
    assert [problem.kind for problem in observation.problems] == kinds


def test_an_unconfigured_cache_is_ok() -> None:
    """A cache that is not configured is ok. Its split is unknown."""
    changes = {"Cache Status": "Not Configured", "Read Cache Percentage": "Not Applicable"}
    cache = controller_of(pqi(cache=changes)).cache
    assert cache is not None
    assert (cache.status, cache.status_text, cache.read_percent) == ("ok", "Not Configured", None)


def test_defunct_drives_that_are_not_listed_are_reported() -> None:
    """Defunct drives that are not listed are reported.

    The count is the tool's only report of a drive that was pulled.
    """
    problems = found(machine({"Defunct disk drive count": 1})).problems
    assert [p.kind for p in problems if "defunct" in p.message] == ["state"]


def test_a_list_that_is_shorter_than_the_count_is_reported() -> None:
    """Fewer volumes than counted are a problem, with and without the closing line."""
    text = machine({"Logical devices/Failed/Degraded": "3/0/0"})
    for printed in (text, text.replace("Command completed successfully.", "")):
        assert [p.kind for p in found(printed).problems if "counts 3" in p.message] == ["unread"]


def test_a_hot_controller_is_reported() -> None:
    """The tool's own verdict on the temperature counts."""
    problems = found(machine({"Temperature": "99 C/ 210 F (Abnormal)"})).problems
    assert any(p.kind == "state" and "too hot" in p.message for p in problems)


@pytest.mark.parametrize(
    ("why", "count"), [("Firmware update", 1), ("Not Available", 0), ("No reboot required", 0), ("None", 0)]
)
def test_a_controller_that_waits_for_a_restart_is_a_note(why: str, count: int) -> None:
    """``Reboot Required Reasons`` is reported unless it reports that there is no reason."""
    problems = found(machine({"Reboot Required Reasons": why})).problems
    assert len([one for one in problems if "waits for a restart" in one.message]) == count


def test_sensors_are_details_under_their_numbers() -> None:
    """A sensor's number is part of its detail's name. The labels repeat for each sensor."""
    sensors = "\n\n".join(
        part("Temperature Sensors Information", {"Sensor ID": n, "Current Value": f"{n + 30} deg C"}) for n in (0, 1)
    )
    details = controller_of(machine(backup=sensors)).details
    assert (details["Sensor 0: Current Value"], details["Sensor 1: Current Value"]) == ("30 deg C", "31 deg C")


def test_unknown_labels_are_details() -> None:
    """A label of a newer version is kept as a detail."""
    text = machine({"Flux Capacity": "1.21 GW"})
    assert controller_of(text).details["Flux Capacity"] == "1.21 GW"
    assert left(text) == []


def test_capabilities_follow_the_generation() -> None:
    """Only smartpqi has a cache split to set. In HBA mode nothing can be set."""
    assert not controller_of(machine()).capabilities["cache_split"].set
    assert controller_of(pqi()).capabilities["cache_split"].set
    assert not controller_of(pqi({"Controller Mode": "HBA"})).capabilities["write_policy"].set
