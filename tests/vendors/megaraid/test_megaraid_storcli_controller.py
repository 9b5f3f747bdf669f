from __future__ import annotations

import json

import pytest

from raidctl.model import Health, Mode
from tests.vendors.megaraid.megaraid_card_texts import GOOD, HEAD, SHOW_ALL, read, section, table

MIB = 1024**2


def test_megaraid_card_tells_name_serial_firmware_driver_slot_and_address() -> None:
    """The sections Basics and Version fill the controller's own fields."""
    card = read(SHOW_ALL).controller
    assert (card.name, card.get("number"), card.get("model")) == ("0", 0, "MegaRAID 9399-8i")
    assert (card.get("serial"), card.get("firmware"), card.get("driver")) == (
        "SKX0001234",
        "4.990.00-9001",
        "megaraid_sas",
    )
    assert (card.get("pci_address"), card.get("slot")) == ("0000:5e:00.0", "7")


def test_megaraid_card_every_line_of_show_all_is_accounted_for() -> None:
    """No line of the card's sections is left over."""
    assert read(SHOW_ALL).unparsed == []


def test_megaraid_card_facts_without_a_field_keep_the_tools_label() -> None:
    """Labels that occur in several sections stand behind the title of theirs."""
    details = read(SHOW_ALL).controller.details
    assert details["Firmware Package Build"] == "24.99.0-0001"
    assert details["ROC temperature(Degree Celsius)"] == "61"
    assert details["Supported VD Operations: Write Policy"] == "Yes"
    assert details["Defaults: Write Policy"] == "WB"
    assert details["Defaults: Cache When BBU Bad"] == "Off"


def test_megaraid_card_rates_stand_with_their_defaults() -> None:
    """The policies table tells the value in force first."""
    details = read(SHOW_ALL).controller.details
    assert details["Policies: Rebuild Rate"] == "45 % (default 30%)"
    assert details["Policies: Predictive Fail Poll Interval"] == "300 sec"


def test_megaraid_card_cache_has_size_share_flush_interval_and_preserved_data() -> None:
    """Cache memory counts in binary units, the interval in seconds."""
    card = read(SHOW_ALL).controller
    assert (card.get("cache.present"), card.get("cache.size_bytes")) == (True, 2048 * MIB)
    assert card.get("cache.available_bytes") == 1715 * MIB
    assert card.get("cache.flush_interval_seconds") == 7
    assert card.get("cache.preserved_data") is True


def test_megaraid_card_without_memory_has_no_cache() -> None:
    """A memory of no size is no cache, and a firmware's share of 0 is not told."""
    card = read(section("HwCfg", "On Board Memory Size = 0MB", "Current Size of FW Cache (MB) = 0")).controller
    assert (card.get("cache.present"), card.get("cache.size_bytes")) == (False, 0)
    assert card.get("cache.available_bytes") is None


@pytest.mark.parametrize(
    ("line", "size"),
    [
        ("On Board Memory Size = 512MB", 512 * MIB),
        ("On Board Memory Size = 1.000 GB", 1024 * MIB),
        ("DDR Memory Size(MiB) = 8192", 8192 * MIB),
        ("On Board Memory Size = NA", None),
    ],
)
def test_megaraid_card_memory_is_binary(line: str, size: int | None) -> None:
    """All forms of the memory's size are read; NA is none."""
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
def test_megaraid_card_status_is_neutral_with_the_tools_word(word: str, health: Health | None) -> None:
    """Known words of the status become a health, the word is kept."""
    card = read(section("Status", f"Controller Status = {word}")).controller
    assert card.get("status") == health
    assert card.complaints == []
    assert card.get("status_text") == (word if health else None)


def test_megaraid_card_status_word_that_is_not_known_is_a_problem() -> None:
    """A new word is unknown, kept and reported."""
    card = read(section("Status", "Controller Status = Sleepy")).controller
    assert (card.get("status"), card.get("status_text")) == ("unknown", "Sleepy")
    assert [complaint.kind for complaint in card.complaints] == ["unread"]


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
def test_megaraid_card_mode_is_the_personality_or_what_the_card_can_only_be(
    lines: tuple[str, ...], mode: Mode | None
) -> None:
    """The personality counts most; without it the driver and the JBOD switch tell."""
    card = read(section("Basics", *lines)).controller
    assert card.get("mode") == mode
    assert card.complaints == []


def test_megaraid_card_personality_that_is_not_known_is_a_problem() -> None:
    """A new personality is no mode, but a problem and a detail."""
    card = read(section("Status", "Current Personality = Moon-Mode")).controller
    assert (card.get("mode"), card.details["Current Personality"]) == (None, "Moon-Mode")
    assert [complaint.kind for complaint in card.complaints] == ["unread"]


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
def test_megaraid_card_address_is_hexadecimal_and_the_parts_are_decimal(
    lines: tuple[str, ...], address: str | None
) -> None:
    """The address stands as such, or in its parts."""
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
def test_megaraid_card_vendor_is_who_sells_the_card(lines: tuple[str, ...], vendor: str | None) -> None:
    """The PCI subsystem's vendor counts before the OEM's name; the chip's own maker counts least."""
    assert read(section("Basics", *lines)).controller.get("vendor") == vendor


def test_megaraid_card_numbers_of_json_are_decimal() -> None:
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
        ("Memory Uncorrectable Errors = 2", "state"),
        ("Controller has booted into safe mode = Yes", "state"),
        ("System Reboot Required = Yes", "note"),
        ("Memory Uncorrectable Errors = 0", None),
        ("Controller has booted into safe mode = No", None),
    ],
)
def test_megaraid_card_that_reports_trouble_of_its_own_is_a_problem(line: str, kind: str | None) -> None:
    """Switches that mean trouble are told when they are on."""
    complaints = read(section("Status", line)).controller.complaints
    assert [complaint.kind for complaint in complaints] == ([kind] if kind else [])


def test_megaraid_card_properties_are_details() -> None:
    """Patrol read and consistency check are told under the tool's own labels."""
    rows = [("PR Mode", "Auto"), ("PR Current State", "Active 3"), ("CC Operation Mode", "Concurrent")]
    card = read(table("Controller Properties", ("Ctrl_Prop", "Value"), *rows)).controller
    assert card.details == dict(rows)


@pytest.mark.parametrize("value", ["9s", "9 sec", "9"])
def test_megaraid_card_flush_interval_property_counts_seconds(value: str) -> None:
    """The property of its own command fills the field."""
    card = read(table("Controller Properties", ("Ctrl_Prop", "Value"), ("Cache Flush Interval", value))).controller
    assert card.get("cache.flush_interval_seconds") == 9


def test_megaraid_card_figure_in_an_unknown_form_is_a_problem_and_a_detail() -> None:
    """What cannot be read is reported with its label and kept in the tool's words."""
    card = read(section("HwCfg", "On Board Memory Size = plenty", "BBU = maybe")).controller
    assert card.details == {"On Board Memory Size": "plenty", "BBU": "maybe"}
    assert [complaint.kind for complaint in card.complaints] == ["unread", "unread"]
    assert "On Board Memory Size" in card.complaints[0].message


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
def test_megaraid_card_says_whether_a_pack_is_there(line: str, present: bool | None) -> None:
    """The hardware list tells of the pack, in the words of both generations."""
    assert read(section("HwCfg", line)).controller.get("bbu_present") is present


def test_megaraid_card_bit_mask_of_the_battery_is_a_number() -> None:
    """The mask is kept as a number and as a detail; NA is none."""
    assert read(section("Status", "BBU Status = 4096")).controller.get("bbu_status") == 4096
    assert read(section("Status", "BBU Status = NA")).controller.get("bbu_status") is None


def test_megaraid_card_volumes_and_drives_are_handed_back() -> None:
    """Sections that are not about the card are returned whole, and nothing of them is used."""
    tables = (
        ("VD LIST", ("DG/VD", "TYPE", "State"), ("0/0", "RAID5", "Optl")),
        ("PD LIST", ("EID:Slt", "DID", "State"), ("8:1", "14", "Onln")),
        ("Enclosure LIST", ("EID", "State", "Slots"), ("8", "OK", "12")),
        ("Something New", ("EID:Slt", "Mood", "Size"), ("8:1", "good", "1 TB")),
    )
    for title, head, row in tables:
        found = read(table(title, head, row))
        assert [part.title for part in found.left] == [title]
        assert found.controllers.by_number == {}


def test_megaraid_card_counts_between_the_tables_are_the_cards() -> None:
    """Text outputs print the counts of the card between the tables of others."""
    assert read(SHOW_ALL).controller.details["Drive Groups"] == "1"


def test_megaraid_card_software_options_are_details() -> None:
    """A table without fields becomes details: the first column is the label."""
    card = read(
        table(
            "Advanced Software Option",
            ("Adv S/W Opt", "Time Remaining", "Mode"),
            ("MegaRAID RAID6", "Unlimited", "Secured"),
            ("Cache Offload", "30 days", "Trial"),
        )
    ).controller
    assert card.details["Advanced Software Option: MegaRAID RAID6"] == "Time Remaining Unlimited, Mode Secured"
    assert card.details["Advanced Software Option: Cache Offload"] == "Time Remaining 30 days, Mode Trial"


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}Controller = 5\nStatus = Failure\nDescription = Controller 5 not found\n",
        f"{HEAD}Status Code = 0\nStatus = Success\nDescription = None\n\nNumber of Controllers = 0\nHost Name = pi\n",
        f"{HEAD}Controller = 2\nStatus = Failure\nDescription = Un-supported Command\n",
    ],
)
def test_megaraid_card_that_is_not_there_is_not_made_up(text: str) -> None:
    """An answer that tells nothing of a card makes none, and its lines are accounted for."""
    found = read(text)
    assert found.controllers.by_number == {}
    assert found.unparsed == []


def test_megaraid_card_no_preserved_cache_is_told_by_the_description() -> None:
    """The answer of ``show preservedcache`` is a sentence."""
    text = GOOD.replace("= None", "= No Virtual Drive has Preserved Cache Data.")
    assert read(text).controller.get("cache.preserved_data") is False


def test_megaraid_card_with_preserved_cache_lists_the_volumes() -> None:
    """A table of volumes whose data waits means unwritten data."""
    found = read(table("Preserved Cache Information", ("VD", "State"), ("3", "Missing")))
    assert found.controller.get("cache.preserved_data") is True
    assert found.controller.details == {"Preserved Cache Information: 3": "Missing"}
    assert found.left == []
