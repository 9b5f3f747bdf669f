"""The controller's sections, rates, cache and settings in storcli's outputs."""

from __future__ import annotations

import json

import pytest

from raidctl.model import Health, Mode
from raidctl.vendor.protocol import Document
from raidctl_megaraid.reader import read as read_documents
from tests.support.machines import altered
from tests.vendors.megaraid.storcli_controller_outputs import GOOD, HEAD, SHOW_ALL, read, section, table

MIB = 1024**2


def test_basics_and_version_are_read() -> None:
    """The sections Basics and Version give the controller's own fields."""
    controller = read(SHOW_ALL).controller
    assert (controller.name, controller.get("number"), controller.get("model")) == ("0", 0, "MegaRAID 9399-8i")
    assert (controller.get("serial"), controller.get("firmware"), controller.get("driver")) == (
        "SKX0001234",
        "4.990.00-9001",
        "megaraid_sas",
    )
    assert (controller.get("pci_address"), controller.get("slot")) == ("0000:5e:00.0", "7")


def test_every_line_of_show_all_is_accounted_for() -> None:
    """No line of the controller's sections is unparsed."""
    assert read(SHOW_ALL).unparsed == []


def test_details_keep_the_tools_label() -> None:
    """A label that occurs in several sections gets its section's title."""
    details = read(SHOW_ALL).controller.details
    assert details["Firmware Package Build"] == "24.99.0-0001"
    assert details["ROC temperature(Degree Celsius)"] == "61"
    assert details["Supported VD Operations: Write Policy"] == "Yes"
    assert details["Defaults: Write Policy"] == "WB"
    assert details["Defaults: Cache When BBU Bad"] == "Off"


def test_rates_have_their_defaults() -> None:
    """The policies table has the current value and the default."""
    details = read(SHOW_ALL).controller.details
    assert details["Policies: Rebuild Rate"] == "45 % (default 30%)"
    assert details["Policies: Predictive Fail Poll Interval"] == "300 sec"


@pytest.mark.parametrize(
    ("label", "field"),
    [
        ("Rebuildrate", "rebuild"),
        ("CC Rate", "check"),
        ("Consistency Check Rate(%)", "check"),
        ("OCE Rate(%)", "expand"),
        ("Migrate Rate", "expand"),
    ],
)
def test_the_names_of_rates(label: str, field: str) -> None:
    """``show rebuildrate`` and version 8 have their own names of the rates."""
    text = table("Controller Properties", ("Ctrl_Prop", "Value"), (label, "45%"))
    found = read_documents([Document("show", "storcli", text)])
    assert getattr(found.controllers[0].rates, field) == "45%"


def test_the_cache_is_read() -> None:
    """Sizes are binary units, the flush interval seconds."""
    controller = read(SHOW_ALL).controller
    assert (controller.get("cache.present"), controller.get("cache.size_bytes")) == (True, 2048 * MIB)
    assert controller.get("cache.available_bytes") == 1715 * MIB
    assert controller.get("cache.flush_interval_seconds") == 7
    assert controller.get("cache.preserved_data") is True


def test_a_controller_without_memory_has_no_cache() -> None:
    """A memory of 0 MB is not a cache. An available size of 0 is unknown."""
    controller = read(section("HwCfg", "On Board Memory Size = 0MB", "Current Size of FW Cache (MB) = 0")).controller
    assert (controller.get("cache.present"), controller.get("cache.size_bytes")) == (False, 0)
    assert controller.get("cache.available_bytes") is None


@pytest.mark.parametrize(
    ("line", "size"),
    [
        ("On Board Memory Size = 512MB", 512 * MIB),
        ("On Board Memory Size = 1.000 GB", 1024 * MIB),
        ("DDR Memory Size(MiB) = 8192", 8192 * MIB),
        ("On Board Memory Size = NA", None),
    ],
)
def test_forms_of_the_memory_size(line: str, size: int | None) -> None:
    """All forms of the memory size are read as binary units. NA is None."""
    assert read(section("HwCfg", line)).controller.get("cache.size_bytes") == size


@pytest.mark.parametrize(
    ("word", "health"),
    [
        ("Optimal", "ok"),
        ("OK", "ok"),
        ("Needs Attention", "warning"),
        ("Degraded", "warning"),
        ("Failed", "critical"),
        ("Fault", "critical"),
        ("N/A", None),
    ],
)
def test_the_status_of_a_controller(word: str, health: Health | None) -> None:
    """Known words become a health, and the word is kept."""
    controller = read(section("Status", f"Controller Status = {word}")).controller
    assert controller.get("status") == health
    assert controller.complaints == []
    assert controller.get("status_text") == (word if health else None)


def test_an_unknown_status_is_unread() -> None:
    """An unknown word is unknown, kept, and a problem."""
    controller = read(section("Status", "Controller Status = Sleepy")).controller
    assert (controller.get("status"), controller.get("status_text")) == ("unknown", "Sleepy")
    assert [complaint.kind for complaint in controller.complaints] == ["unread"]


@pytest.mark.parametrize(
    ("lines", "mode"),
    [
        (("Current Personality = RAID-Mode ", "Enable JBOD = Yes"), "raid"),
        (("Current Personality = HBA-Mode",), "hba"),
        (("Current Personality = JBOD-Mode ",), "mixed"),
        (("Controller Personality = RAID",), "raid"),
        (("Controller Personality = eHBA",), "hba"),
        (("Enable JBOD = Yes",), "mixed"),
        (("Enable JBOD = No",), "raid"),
        (("Enable JBOD = Not Allowed",), None),
        (("Driver Name = mpt3sas", "Enable JBOD = Yes"), "hba"),
        (("Product Name = XY9999-IR", "Driver Name = mpt3sas"), None),
        (("SAS Address = 500605b0deadbee0",), None),
    ],
)
def test_the_mode_of_a_controller(lines: tuple[str, ...], mode: Mode | None) -> None:
    """The personality gives the mode. Without one, the driver and the JBOD setting do."""
    controller = read(section("Basics", *lines)).controller
    assert controller.get("mode") == mode
    assert controller.complaints == []


def test_an_unknown_personality_is_unread() -> None:
    """An unknown personality is not a mode, but a detail and a problem."""
    controller = read(section("Status", "Current Personality = Moon-Mode")).controller
    assert (controller.get("mode"), controller.details["Current Personality"]) == (None, "Moon-Mode")
    assert [complaint.kind for complaint in controller.complaints] == ["unread"]


@pytest.mark.parametrize(
    ("lines", "address"),
    [
        (("PCI Address = 00:c1:00:00",), "0000:c1:00.0"),
        (("PCI Address = 01:03:1f:07",), "0001:03:1f.7"),
        (("PCI Address = 00:16:00:0",), "0000:16:00.0"),
        (("Bus Number = 193", "Device Number = 0", "Function Number = 1", "Domain ID = 2"), "0002:c1:00.1"),
        (("Bus Number = 193", "Device Number = 0"), None),
        (("Bus Number = 900", "Device Number = 0", "Function Number = 0"), None),
        (("PCI Address = N/A",), None),
    ],
)
def test_the_pci_address(lines: tuple[str, ...], address: str | None) -> None:
    """The address is printed in hexadecimal, or its parts in decimal."""
    assert read(section("Basics", *lines)).controller.get("pci_address") == address


@pytest.mark.parametrize(
    ("lines", "vendor"),
    [
        (("SubVendor Id = 0x1028", "OEMID = LSI"), "Dell"),
        (("SubVendor Id = 0x1000", "OEMID = LSI"), "LSI"),
        (("SubVendor Id = 0x1000",), "Broadcom"),
        (("OEMID = FSC",), "Fujitsu"),
        (("OEM = Broadcom", "SubOEMID = 0"), "Broadcom"),
        (("Product Name = PERC H999 Mini",), "Dell"),
        (("SubVendor Id = 0xabcd",), None),
    ],
)
def test_the_vendor_of_a_controller(lines: tuple[str, ...], vendor: str | None) -> None:
    """The PCI subsystem's vendor counts before the OEM's name. The chip's vendor counts least."""
    assert read(section("Basics", *lines)).controller.get("vendor") == vendor


def test_numbers_of_json_are_decimal() -> None:
    """JSON prints the PCI ids as decimal numbers."""
    text = json.dumps(
        {
            "Controllers": [
                {
                    "Command Status": {"Controller": "1", "Status": "Success", "Description": "None"},
                    "Response Data": {"Product Name": "XY 9", "SubVendor Id": 4136, "Bus Number": 59,
                                      "Device Number": 0, "Function Number": 0, "Serial Number": "  "},
                }
            ]
        }
    )  # fmt: skip
    found = read(text)
    assert found.controller.get("number") == 1
    assert (found.controller.get("vendor"), found.controller.get("pci_address")) == ("Dell", "0000:3b:00.0")
    assert found.controller.get("serial") is None
    assert found.unparsed == []


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("Controller has booted into safe mode = Yes", "state"),
        ("System Reboot Required = Yes", "note"),
        ("Controller has booted into safe mode = No", None),
        ("Controller has booted into safe mode = Perhaps", "unread"),
    ],
)
def test_faults_of_a_controller_are_problems(line: str, kind: str | None) -> None:
    """Safe mode and required reboots are problems only if present. An unknown word is one, too."""
    complaints = read(section("Status", line)).controller.complaints
    assert [complaint.kind for complaint in complaints] == ([kind] if kind else [])


def test_properties_are_details() -> None:
    """Patrol read and consistency check are details with the tool's labels."""
    rows = [("PR Mode", "Auto"), ("PR Current State", "Active 3"), ("CC Operation Mode", "Concurrent")]
    controller = read(table("Controller Properties", ("Ctrl_Prop", "Value"), *rows)).controller
    assert controller.details == dict(rows)


@pytest.mark.parametrize("value", ["9s", "9 sec", "9"])
def test_the_flush_interval_property(value: str) -> None:
    """The flush interval is read from its own command. The unit may have any form."""
    controller = read(
        table("Controller Properties", ("Ctrl_Prop", "Value"), ("Cache Flush Interval", value))
    ).controller
    assert controller.get("cache.flush_interval_seconds") == 9


def test_an_unreadable_value_is_a_problem_and_a_detail() -> None:
    """A value of unknown form is a detail. A problem names its label."""
    controller = read(section("HwCfg", "On Board Memory Size = plenty", "BBU = maybe")).controller
    assert controller.details == {"On Board Memory Size": "plenty", "BBU": "maybe"}
    assert [complaint.kind for complaint in controller.complaints] == ["unread", "unread"]
    assert "On Board Memory Size" in controller.complaints[0].message


@pytest.mark.parametrize(
    ("line", "present"),
    [
        ("BBU = Present", True),
        ("BBU = Yes", True),
        ("BBU = Absent", False),
        ("BBU = N/A", None),
        ("Energy Pack = Present", True),
        ("Energy Pack = Absent", False),
    ],
)
def test_the_presence_of_a_battery(line: str, present: bool | None) -> None:
    """The hardware section reports the battery, in the words of both generations."""
    assert read(section("HwCfg", line)).controller.get("bbu_present") is present


def test_the_bit_mask_of_the_battery() -> None:
    """The mask is read as a number; NA is None."""
    assert read(section("Status", "BBU Status = 4096")).controller.get("bbu_status") == 4096
    assert read(section("Status", "BBU Status = NA")).controller.get("bbu_status") is None


@pytest.mark.parametrize(("word", "reported"), [("Optimal", False), ("Failed", True), ("Zqxwv", True)])
def test_a_bad_word_in_place_of_the_bit_mask_is_reported(word: str, *, reported: bool) -> None:
    """A good word is in the pack's own output as well. A bad one may be nowhere else."""
    problems = read(section("Status", f"BBU Status = {word}")).controller.problems("megaraid:0")
    assert any(word in one.message for one in problems) == reported


def test_sections_of_volumes_and_drives_are_returned() -> None:
    """Sections that are not about the controller are returned complete and unused."""
    tables = (
        ("VD LIST", ("DG/VD", "TYPE", "State"), ("0/0", "RAID5", "Optl")),
        ("PD LIST", ("EID:Slt", "DID", "State"), ("8:1", "14", "Onln")),
        ("Enclosure LIST", ("EID", "State", "Slots"), ("8", "OK", "12")),
        ("Something New", ("EID:Slt", "Behaviour", "Size"), ("8:1", "good", "1 TB")),
    )
    for title, head, row in tables:
        found = read(table(title, head, row))
        assert [part.title for part in found.left] == [title]
        assert found.controllers.by_number == {}


def test_counts_between_the_tables_belong_to_the_controller() -> None:
    """Counts between the tables of a text are details of the controller."""
    assert read(SHOW_ALL).controller.details["Drive Groups"] == "1"


def test_software_options_are_details() -> None:
    """A table without fields becomes details with its first column as label."""
    controller = read(
        table(
            "Advanced Software Option",
            ("Adv S/W Opt", "Time Remaining", "Mode"),
            ("MegaRAID RAID6", "Unlimited", "Secured"),
            ("Cache Offload", "30 days", "Trial"),
        )
    ).controller
    assert controller.details["Advanced Software Option: MegaRAID RAID6"] == "Time Remaining Unlimited, Mode Secured"
    assert controller.details["Advanced Software Option: Cache Offload"] == "Time Remaining 30 days, Mode Trial"


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}Controller = 5\nStatus = Failure\nDescription = Controller 5 not found\n",
        f"{HEAD}Status Code = 0\nStatus = Success\nDescription = None\n\nNumber of Controllers = 0\nHost Name = pi\n",
        f"{HEAD}Controller = 2\nStatus = Failure\nDescription = Un-supported Command\n",
    ],
)
def test_a_controller_that_does_not_exist_is_not_listed(text: str) -> None:
    """An output without a controller gives none, and leaves no line unparsed."""
    found = read(text)
    assert found.controllers.by_number == {}
    assert found.unparsed == []


def test_no_preserved_cache_is_read_from_the_description() -> None:
    """The output of ``show preservedcache`` is one sentence."""
    text = GOOD.replace("= None", "= No Virtual Drive has Preserved Cache Data.")
    assert read(text).controller.get("cache.preserved_data") is False


def test_preserved_cache_lists_the_volumes() -> None:
    """A table of volumes with preserved cache means unwritten data."""
    found = read(table("Preserved Cache Information", ("VD", "State"), ("3", "Missing")))
    assert found.controller.get("cache.preserved_data") is True
    assert found.controller.details == {"Preserved Cache Information: 3": "Missing"}
    assert found.left == []


@pytest.mark.parametrize(("word", "bad"), [("Failed", True), ("OK", False)])
def test_a_bad_status_of_any_name_is_a_problem(word: str, *, bad: bool) -> None:
    """A bad status under a label without a field is a problem of the controller."""
    seen = altered("megaraid:9271", r'("Memory Uncorrectable Errors" : \d+)', rf'\g<1>, "NVRAM Status" : "{word}"')
    assert any("NVRAM Status: Failed" in one.message for one in seen.inventory.problems) == bad


@pytest.mark.parametrize(
    ("degrees", "severity"),
    [(104, None), (105, "warning"), (109, "warning"), (110, "error"), (118, "error"), (255, None)],
)
@pytest.mark.parametrize(
    ("machine", "before"),
    [("megaraid:9660", r'("Chip temperature\(C\)" : )\d+'), ("megaraid:9271", r'("ROC temperature\(.*" : )\d+')],
)
def test_a_chip_outside_its_limits_is_a_problem(machine: str, before: str, degrees: int, severity: str | None) -> None:
    """A chip is a warning from 105 °C, and an error from 110 °C, at which it is throttled. 255 is no temperature."""
    problems = altered(machine, before, rf"\g<1>{degrees}").inventory.problems
    assert [one.severity for one in problems if "°C" in one.message] == ([severity] if severity else [])
