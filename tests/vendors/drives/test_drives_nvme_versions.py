"""The output formats of nvme-cli's versions. They follow its sources, with invented names and numbers."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest

from tests.vendors.drives import drive_outputs

USAGE = "500.11  GB / 500.11  GB"
VERBOSE = f"""Subsystem        {"Subsystem-NQN":<96} Controllers
---------------- {"-" * 96} ----------------
nvme-subsys0     {"nqn.2014.08.org.nvmexpress:1d0f1d0fQZ98A1004417  QUARTZ Q980":<96} nvme0

Device   {"SN":<20} {"MN":<40} FR       TxPort Address        Subsystem    Namespaces
-------- {"-" * 20} {"-" * 40} -------- ------ -------------- ------------ ----------------
nvme0    {"QZ98A1004417":<20} {"QUARTZ Q980 1TB":<40} 4QAX21   pcie   0000:01:00.0   nvme-subsys0 nvme0n1

Device       Generic      NSID     {"Usage":<26} {"Format":<16} Controllers
------------ ------------ -------- {"-" * 26} {"-" * 16} ----------------
{{row}}
"""
HEALTH: dict[str, Any] = {
    "critical_warning": 0, "temperature": 311, "avail_spare": 100, "spare_thresh": 10, "percent_used": 1,
    "power_on_hours": 5678, "media_errors": 0, "num_err_log_entries": 6,
}  # fmt: skip


observed, only = partial(drive_outputs.observed, "nvme"), partial(drive_outputs.only, "nvme")


@pytest.mark.parametrize(
    "row",
    [
        f"/dev/nvme0n1 /dev/ng0n1   1        {USAGE}    512   B +  0 B   nvme0",
        f"/dev/nvme0n1 /dev/ng0n1   0x1        {USAGE}    512   B +  0 B   nvme0",
        f"nvme0n1      ng0n1            1        {USAGE}    512   B +  0 B   nvme0",
        f"nvme0n1      1        {USAGE}    512   B +  0 B   nvme0",
        (
            "/dev/nvme0n1      /dev/ng0n1        0x1        500.11 GB / 500.11 GB ( 465.76 GiB /  465.76 GiB)    "
            " 512   B +  0 B   nvme0"
        ),
    ],
    ids=["2.0", "2.4", "1.16", "1.12", "2.16"],
)
def test_rows_wider_than_their_header_are_read(row: str) -> None:
    """Shifted columns of ``list -v`` put no value into the wrong field."""
    drive = only(VERBOSE.format(row=row))
    assert (drive.id, drive.device, drive.size_bytes) == ("drives:QZ98A1004417", "/dev/nvme0n1", 500110000000)
    assert (drive.model, drive.serial, drive.firmware) == ("QUARTZ Q980 1TB", "QZ98A1004417", "4QAX21")


def test_the_namespaces_of_a_drive_add_up() -> None:
    """Two rows with one serial number are one drive. The sizes of both are added."""
    header = f"{'Node':<16} {'SN':<20} {'Model':<40} Namespace {'Usage':<26} {'Format':<16} FW Rev"
    rule = f"{'-' * 16} {'-' * 20} {'-' * 40} {'-' * 9} {'-' * 26} {'-' * 16} {'-' * 8}"
    names = f"{'QZ98A1004417':<20} {'QUARTZ Q980 1TB':<40}"
    rows = [f"/dev/nvme0n{n:<5} {names} {n:<9} {USAGE:<26} {'512   B +  0 B':<16} 4QAX21" for n in (1, 2)]
    drive = only("\n".join([header, rule, *rows]) + "\n")
    assert (drive.device, drive.size_bytes) == ("/dev/nvme0n1", 1000220000000)
    assert drive.details["namespaces"] == "/dev/nvme0n1, /dev/nvme0n2"
    assert only("\n".join([header, rule, rows[0], rows[1].replace("nvme0n2", "nvme1n1")])).size_bytes == 500110000000


@pytest.mark.parametrize(
    "text",
    [
        (
            "Node        SN         Model     Namespace Usage               Format           FW Rev\n"
            "----------- ---------- --------- --------- ------------------- ---------------- --------\n"
        ),
        '{\n  "Devices":[]\n}\n',
    ],
)
def test_an_empty_list_is_a_note(text: str) -> None:
    """An empty list is a note, not an unread output."""
    found = observed(text)
    assert not found.controllers
    assert [problem.kind for problem in found.problems] == ["note"]


@pytest.mark.parametrize("form", [lambda v: v, str, float], ids=["integers", "texts", "floats"])
def test_counters_of_all_forms_are_read(form: Any) -> None:
    """JSON counters are integers, strings or floats, depending on the version."""
    drive = only(json.dumps({name: form(value) for name, value in HEALTH.items()}))
    assert (drive.power_on_hours, drive.errors.media, drive.errors.other) == (5678, 0, 6)


@pytest.mark.parametrize(
    "printed", ["38 °C (311 K, 100 °F)", "100 °F (311 K, 38 °C)", "311 K (38 °C)", "38°C (311 Kelvin)"]
)
def test_temperatures_of_all_versions_are_celsius(printed: str) -> None:
    """The temperature is in Celsius, whichever unit is printed first."""
    assert (
        only(f"Smart Log for NVME device:nvme0 namespace-id:ffffffff\ntemperature\t: {printed}\n").temperature_celsius
        == 38
    )


def test_media_errors_are_counted() -> None:
    """``media_errors`` is the number of media errors, as with smartctl."""
    found = observed(json.dumps(HEALTH | {"media_errors": 3}))
    assert [drive.errors.media for controller in found.controllers for drive in controller.drives] == [3]


def test_the_first_versions_had_no_hosts_in_their_lists() -> None:
    """``list -v -o json`` of 1.x has subsystems at the top and the size below."""
    space = {"NameSpace": "nvme0n1", "NSID": 1, "PhysicalSize": 500107862016, "SectorSize": 512}
    controller = {
        "Controller": "nvme0", "Transport": "pcie", "State": "live", "Firmware": "4QAX21",
        "ModelNumber": "QUARTZ Q980 1TB", "SerialNumber": "QZ98A1004417", "Namespaces": [space],
    }  # fmt: skip
    devices = [{"Subsystem": "nvme-subsys0", "SubsystemNQN": "nqn.x", "Controllers": [controller]}]
    drive = only(json.dumps({"Devices": devices}))
    assert (drive.device, drive.serial, drive.size_bytes) == ("/dev/nvme0n1", "QZ98A1004417", 500107862016)


@pytest.mark.parametrize(
    ("text", "cache"),
    [
        ("get-feature:0x06 (Volatile Write Cache), Current value:00000000\n", "disabled"),
        ("get-feature:0x6 (Volatile Write Cache), Current value:0x000001\n", "enabled"),
        (
            (
                "get-feature:0x06 (Volatile Write Cache), Default value:0x00000001\n"
                "\tVolatile Write Cache Enable (WCE): Enabled\n"
            ),
            None,
        ),
        ("get-feature:0x06 (Volatile Write Cache), Supported capabilities value:0x00000005\n", None),
        ('{"feature: 0x06":{"name":"Volatile Write Cache","Current":"0x00000001"}}', "enabled"),
        ('{"feature: 0x06":{"name":"Volatile Write Cache","Current":"00000000"}}', "disabled"),
        ('{"feature: 0x06":{"name":"Volatile Write Cache","Default":"0x00000001"}}', None),
    ],
)
def test_only_the_current_value_is_the_state_of_the_cache(text: str, cache: str | None) -> None:
    """Default, saved and supported values do not show the active value."""
    assert only(text).write_cache == cache


def test_several_features_are_of_one_drive() -> None:
    """Features without a device belong to one drive. A repeated feature belongs to another."""
    features = (
        "get-feature:0x01 (Arbitration), Current value:0x00000001\n"
        "get-feature:0x06 (Volatile Write Cache), Current value:0x00000001\n"
    )
    assert only(features).write_cache == "enabled"
    assert len(observed(features * 2).controllers[0].drives) == 2


def test_the_tree_of_subsystems_is_read() -> None:
    """Names, device and transport are read. The media of a drive behind a network is unknown."""
    tree = (
        "nvme-subsys0 - NQN=nqn.2014.08.org.nvmexpress:1d0f\n               hostnqn=nqn.2014-08.org:uuid:0\n"
        "               iopolicy=numa\n               model=QUARTZ Q980 1TB\n               serial=QZ98A1004417\n"
        "               firmware=4QAX21\n               type=nvm\n\\\n +- nvme3 {} live\n"
    )
    drive = only(tree.format("pcie 0000:01:00.0"))
    assert (drive.device, drive.serial, drive.firmware) == ("/dev/nvme3", "QZ98A1004417", "4QAX21")
    assert drive.media == "ssd"
    assert only(tree.format("tcp traddr=10.0.0.7,trsvcid=4420")).media is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Failed to open /dev/nvme0: Permission denied\n", "no_right"),
        ("/dev/nvme0: Permission denied\n", "no_right"),
        ("get-feature:0x06 (Volatile Write Cache): NVMe status: Invalid Field in Command(0x4002)\n", "unread"),
    ],
)
def test_refusals_of_newer_versions_are_problems(text: str, kind: str) -> None:
    """A refusal is a problem that names no other tool."""
    (problem,) = observed(text).problems
    assert problem.kind == kind
    assert "hdparm" not in problem.message
