"""A controller's binary structures become fields, words and problems."""

from __future__ import annotations

from typing import Any

import pytest

from tests.vendors.mfi.mfi_firmware import (
    BBU,
    CFG_READ,
    CTRL_GET_INFO,
    GET_PROP,
    LD_INFO,
    LD_LIST,
    NONE,
    PD_INFO,
    battery,
    configuration,
    configured,
    controller,
    drive_info,
    healthy,
    mbox,
    policies,
    put,
    shown,
    volume_info,
    volume_list,
)


@pytest.fixture(scope="module")
def healthy_controller() -> dict[str, Any]:
    """A healthy controller as the program prints it."""
    found, _ = shown(healthy())
    return found


def test_complete_consistent_answers_give_no_problem() -> None:
    """Complete answers that agree give no problem."""
    assert shown(healthy())[1] == []


def test_controller_info_is_read(healthy_controller: dict[str, Any]) -> None:
    """Product name, serial number, firmware and memory are read. Their offsets are those of CTRL_GET_INFO."""
    assert healthy_controller["product_name"] == "RCTL MegaRAID 9999-8i"
    assert healthy_controller["serial_number"] == "RC00000001"
    assert healthy_controller["firmware"] == [{"name": "APP", "version": "3.140.35-1998", "built": ""}]
    assert healthy_controller["package_version"] == "24.9.0-0022"
    assert healthy_controller["memory_bytes"] == 1 << 30
    assert healthy_controller["properties"]["cache_flush_interval_seconds"] == 5


def test_all_fields_of_a_volume_are_read(healthy_controller: dict[str, Any]) -> None:
    """Size, level, strip size, state, name and world wide name are read. So is the running check."""
    volume = healthy_controller["volumes"][0]
    assert [one["target"] for one in healthy_controller["volumes"]] == [0, 3]
    assert (volume["name"], volume["state"], volume["raid_level"]) == ("data", "Optimal", "RAID5")
    assert (volume["size_bytes"], volume["strip_bytes"], volume["arrays"]) == (1 << 40, 65536, [0])
    assert volume["wwn"] == "0x600605b00a1b2c3d20112233445566aa"
    assert volume["progress"] == [{"operation": "check", "percent": 50.0}]


def test_cache_policies_are_reported_as_bits_and_as_words(healthy_controller: dict[str, Any]) -> None:
    """Two kinds of write-back are distinguished. One stays on with a bad battery, the other does not."""
    first, second = (volume["cache"] for volume in healthy_controller["volumes"])
    assert first["default"] == {"write": "write-back", "bad_bbu": False, "read": "read-ahead", "io": "direct"}
    assert second["current"] == {"write": "write-back", "bad_bbu": True, "read": "none", "io": "direct"}
    assert first["disk"] == "disabled"
    assert first["told"]["LD_GET_PROP"] == {"default": "0x05", "current": "0x05", "disk": "0x02"}


def test_a_fallback_to_write_through_is_reported() -> None:
    """The active policy may differ from the configured one, without a problem."""
    firmware = healthy()
    firmware.answers[GET_PROP, mbox(0)] = policies(0, 0x05, 0x04)
    firmware.answers[LD_INFO, mbox(0)] = volume_info(0, current=0x04)
    firmware.answers[CFG_READ, NONE] = configuration(
        configured(0, current=0x04), configured(3, default=0x11, current=0x11)
    )
    found, problems = shown(firmware)
    cache = found["volumes"][0]["cache"]
    assert (cache["default"]["write"], cache["current"]["write"], problems) == ("write-back", "write-through", [])


def test_all_fields_of_the_drives_are_read(healthy_controller: dict[str, Any]) -> None:
    """Sizes, errors, temperature, cache and array of each drive are read. The enclosure is not a drive."""
    first, _, spare = healthy_controller["drives"]
    assert [(one["enclosure"], one["slot"]) for one in healthy_controller["drives"]] == [(252, 0), (252, 1), (252, 2)]
    assert (first["vendor"], first["model"], first["firmware"], first["serial"]) == (
        "RCTL", "DISK 1000", "A001", "SER00008",
    )  # fmt: skip
    assert (first["raw_bytes"], first["size_bytes"]) == (1 << 40, (1 << 40) - (1 << 20))
    assert (first["media_errors"], first["other_errors"], first["predicted_failures"]) == (2, 3, 1)
    assert (first["interface"], first["temperature_celsius"], first["write_cache"]) == ("SAS", 31, "enabled")
    assert (first["state"], first["array"], first["spare"]) == ("Online", 0, False)
    assert (spare["state"], spare["spare"], spare["dedicated_to"]) == ("Hot Spare", True, [0])


def test_a_missing_drive_is_counted(healthy_controller: dict[str, Any]) -> None:
    """Device id 0xffff in an array is a missing drive."""
    [array] = healthy_controller["arrays"]
    assert ([drive["device_id"] for drive in array["drives"]], array["missing"]) == ([8, 9], 1)


def test_the_battery_is_read(healthy_controller: dict[str, Any]) -> None:
    """Type, charge, voltage, temperature and next learn cycle are read. The latter is in seconds since 2000."""
    found = healthy_controller["battery"]
    assert (found["present"], found["type"], found["status_bits"], found["status"]) == (True, "iBBU", 0, [])
    assert (found["charge_percent"], found["voltage_volts"], found["temperature_celsius"]) == (97, 4.1, 28)
    assert found["learn"] == {"mode": "enabled", "period_seconds": 2592000, "next": "2000-01-02T00:00:00"}


def test_each_bit_of_the_battery_has_its_words() -> None:
    """Each status bit has its words. A bit without a known meaning has its number."""
    firmware = healthy()
    firmware.answers[BBU, NONE] = battery(1 << 6 | 1 << 10 | 1 << 20)
    assert shown(firmware)[0]["battery"]["status"] == ["learn cycle active", "replacement required", "bit 20"]


def test_status_0x22_means_no_battery() -> None:
    """Status 0x22 of BBU_STATUS means no battery, and is not a fault."""
    firmware = healthy()
    firmware.answers[CTRL_GET_INFO, NONE] = controller(hardware=0x34)
    firmware.answers[BBU, NONE] = 0x22
    found, problems = shown(firmware)
    assert (found["battery"]["present"], problems) == (False, [])


def test_a_header_that_names_the_size_of_all_elements_is_read() -> None:
    """QEMU's header contains total sizes, and hardware's the size of one element. The sum shows which it is."""
    firmware = healthy()
    two = (configured(0), configured(3, default=0x11, current=0x11))
    firmware.answers[CFG_READ, NONE] = configuration(*two, totals=True)
    found, problems = shown(firmware)
    assert (len(found["arrays"]), found["volumes"][1]["cache"]["told"]["CFG_READ"]["default"]) == (1, "0x11")
    assert problems == []


def test_a_configuration_larger_than_the_buffer_is_asked_for_again() -> None:
    """A configuration larger than the buffer is requested again. The size is the one that it reports."""
    firmware = healthy()
    many = [configured(target) for target in range(30)]
    firmware.answers[CFG_READ, NONE] = configuration(*many)
    firmware.answers[LD_LIST, NONE] = volume_list(0)
    firmware.answers[CTRL_GET_INFO, NONE] = controller(lds=1)
    found, problems = shown(firmware)
    asked = [len(buffer) for opcode, _, buffer in firmware.sent if opcode == CFG_READ]
    assert asked == [4096, 32 + 288 + 30 * 256 + 40]
    assert (found["volumes"][0]["raid_level"], problems) == ("RAID5", [])


def test_a_volume_on_drives_with_large_blocks_has_no_size() -> None:
    """The size is unknown unless the drives' blocks have 512 bytes."""
    firmware = healthy()
    for device in (8, 9):
        firmware.answers[PD_INFO, mbox(device)] = drive_info(device, block=4096)
    found, problems = shown(firmware)
    assert found["volumes"][0]["size_bytes"] is None
    assert found["drives"][0]["raw_bytes"] == 8 << 40
    assert "a block size other than 512 bytes" in problems[0]["message"]


def test_an_empty_controller_has_empty_lists() -> None:
    """No volumes and no drives are empty lists, not unknown."""
    firmware = healthy()
    firmware.answers[CTRL_GET_INFO, NONE] = controller(lds=0, disks=0)
    firmware.answers[LD_LIST, NONE] = volume_list()
    firmware.answers[0x02010000, NONE] = put(8, (0, "I", 8))
    firmware.answers[CFG_READ, NONE] = put(32, (0, "I", 32))
    found, problems = shown(firmware)
    assert (found["volumes"], found["drives"], found["arrays"], problems) == ([], [], [], [])


def test_the_raw_bytes_of_each_answer_are_kept(healthy_controller: dict[str, Any]) -> None:
    """Opcode, mailbox, status and bytes are kept. A record can thus be decoded later."""
    kept = {(one["command"], one["mbox"]): one for one in healthy_controller["answers"]}
    answer = kept["LD_GET_PROP", "03"]
    assert (answer["opcode"], answer["status"], answer["told_bytes"]) == ("0x03030000", "0x00, ok", 32)
    assert bytes.fromhex(answer["raw"]) == policies(3, 0x11, 0x11)
