"""Outputs of HP's tools are read whole, damaged, cut and together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import diagnose, exit_code
from raidctl.vendor.protocol import Confidence, Document
from raidctl_smartarray import read, sniff
from raidctl_smartarray.outline import LONGEST_LINE
from tests.support.conclusions import read_text
from tests.support.scripted_tools import unparsed
from tests.vendors.smartarray.smartarray_outputs import CONTROLLER, controller, observed

BANNER = """
FIRMWARE UPGRADE REQUIRED: A firmware update is recommended for this controller
                           to make it better than it is.

"""


def test_every_line_of_a_controller_is_read() -> None:
    """No line is left unread. Each fact belongs to an existing object."""
    found = observed(CONTROLLER)
    assert unparsed(found) == []
    (only,) = found.controllers
    objects = {only.id} | {
        item.id for group in (only.batteries, only.arrays, only.volumes, only.drives) for item in group
    }
    facts = [fact for output in found.outputs for fact in output.facts]
    assert {fact.object_id for fact in facts} == objects
    assert any(fact.field == "cache.drive_write_cache" and fact.object_id == "smartarray:0/v1" for fact in facts)


def test_an_unknown_label_stays_unread() -> None:
    """An unknown line does not become a detail."""
    found = observed(
        CONTROLLER.replace("   Bus Interface: PCI\n", "   Bus Interface: PCI\n   Favourite Colour: green\n")
    )
    assert [line.strip() for line in unparsed(found)] == ["Favourite Colour: green"]
    assert "Favourite Colour" not in found.controllers[0].details


def test_a_line_that_is_too_long_stays_unread() -> None:
    """A blank line is nothing. A line that is too long to be one of the tool's is not passed over as one."""
    long = f"   Bus Interface: {'P' * LONGEST_LINE}"
    assert unparsed(observed(f"{CONTROLLER}\n   \n")) == []
    assert unparsed(observed(f"{CONTROLLER}\n{long}\n")) == [long]


@pytest.mark.parametrize("place", ["   Bus Interface: PCI\n", "   Array: A\n", "      physicaldrive 1I:1:2\n"])
def test_a_banner_in_the_middle_of_an_output_is_one_problem(place: str) -> None:
    """The sections around the banner are read as without it."""
    found = observed(CONTROLLER.replace(place, BANNER + place))
    assert found.controllers == observed(CONTROLLER).controllers
    (problem,) = found.problems
    assert (problem.where, problem.kind) == ("smartarray:0", "state")
    assert problem.message.endswith("to make it better than it is.")
    assert unparsed(found) == []


def test_a_banner_above_the_heading_belongs_to_the_controller_below() -> None:
    """A repeated heading below the banner is the same controller."""
    assert observed(BANNER + CONTROLLER).problems[0].where == "smartarray:0"
    assert len(observed(CONTROLLER + BANNER + CONTROLLER).controllers) == 1


@pytest.mark.parametrize(
    ("row", "list_"),
    [
        ("physicaldrive Box 1, Bay 3 (port 1I:box 1:bay 3, SAS, 300 GB, Failed)", "drives"),
        ("logicaldrive (279.4 GB, RAID 1, Failed)", "volumes"),
    ],
)
def test_a_row_in_an_unknown_form_is_reported(row: str, list_: str) -> None:
    """A row of a drive or volume that cannot be read is a problem: its state would be lost."""
    found = observed(f"Smart Array P410 in Slot 3\n   array A (SAS, Unused Space: 0 MB)\n\n      {row}\n\n")
    unread = [problem.message for problem in found.problems if problem.kind == "unread"]
    assert f"Line not recognised in the list of {list_}: {row}" in unread


@pytest.mark.parametrize(
    "row",
    ["array B ?", "array ?? (Failed)", "Xyzzy 1 (136.7 GB, RAID 5, Failed)", "? (port 1I:box 1:bay 3, SAS, 1 TB, OK)"],
)
def test_a_heading_or_a_row_without_its_first_words_is_reported(row: str) -> None:
    """The state of an array, a volume or a drive is not lost with the words in front of it."""
    lines = f"      logicaldrive 1 (279.4 GB, RAID 1, OK)\n\n   {row}\n\n      logicaldrive 2 (1 TB, RAID 1, OK)\n\n"
    found = observed(f"\nSmart Array P410 in Slot 3\n\n   array A\n\n{lines}")
    assert f"Line not recognised: {row}" in [one.message for one in found.problems if one.kind == "unread"]


def test_a_label_with_brackets_is_not_a_row() -> None:
    """The name of a volume may have brackets."""
    label = "Logical Drive Label: first"
    assert label in CONTROLLER
    assert (
        observed(CONTROLLER.replace(label, "Logical Drive Label: data (old)")).problems == observed(CONTROLLER).problems
    )


def test_outputs_of_one_machine_are_put_together() -> None:
    """Outputs of one machine give one controller.

    A volume without its controller's name, a list, and the settings are put together.
    """
    found = controller(
        "   logicaldrive 1 (279.4 GB, RAID 1): OK\n",
        "Smart Array P420i in Slot 0 (Embedded)    (sn: 5001438022AB4C10)\n",
        CONTROLLER,
    )
    assert found.id == "smartarray:0"
    assert len(found.volumes) == 1


@pytest.mark.parametrize("later", [0, 1])
def test_a_bad_battery_of_any_output_counts(later: int) -> None:
    """A battery that has failed in one of two outputs is not ok, whatever their order."""
    failed = CONTROLLER.replace("Battery/Capacitor Status: OK", "Battery/Capacitor Status: Failed (Replace Batteries)")
    found = controller(*((CONTROLLER, failed) if later else (failed, CONTROLLER)))
    assert [(battery.status, battery.replace) for battery in found.batteries] == [("failed", True)]


@pytest.mark.parametrize("later", [0, 1])
@pytest.mark.parametrize(
    ("safe", "unsafe"),
    [
        ("No-Battery Write Cache: Disabled", "No-Battery Write Cache: Enabled"),
        ("Drive Write Cache: Disabled", "Drive Write Cache: Enabled"),
    ],
)
def test_the_less_safe_setting_of_two_outputs_counts(later: int, safe: str, unsafe: str) -> None:
    """Two outputs that disagree on a setting of the controller are a problem, and the less safe value is shown."""
    other = CONTROLLER.replace(safe, unsafe)
    found = observed(*((CONTROLLER, other) if later else (other, CONTROLLER)))
    alone = observed(other).controllers[0]
    assert [volume.cache for volume in found.controllers[0].volumes] == [volume.cache for volume in alone.volumes]
    assert [one.severity for one in found.problems if "outputs disagree" in one.message] == ["error"]


def test_the_command_line_gives_the_slot() -> None:
    """The slot comes from the document's name or a command line. The command line is in the output."""
    row = "   physicaldrive 1I:1:1 (port 1I:box 1:bay 1, 4 TB): OK\n"
    assert observed(row, names=["ssacli ctrl slot=3 pd all show status"]).controllers[0].id == "smartarray:3"
    assert observed(f"# ssacli ctrl slot=4 pd all show status\n\n{row}").controllers[0].id == "smartarray:4"
    assert observed(row).controllers[0].id == "smartarray:unknown"


def test_no_logical_drives_is_a_note_on_the_controller() -> None:
    """The tool prints an error, which is only a note."""
    found = observed(
        "# hpacucli ctrl slot=3 ld all show\n\nError: The specified device does not have any logical drives.\n"
    )
    assert found.controllers[0].id == "smartarray:3"
    assert [(problem.kind, problem.severity) for problem in found.problems] == [("note", "info")]


def test_an_error_belongs_to_the_controller_that_its_command_names() -> None:
    """Missing logical drives are reported at the controller in the command's slot."""
    config = "Smart Array P410 in Slot 1\n   Slot: 1\n\nSmart Array P410 in Slot 2\n   Slot: 2\n"
    error = "\nError: The specified device does not have any logical drives.\n\n"
    for slot in ("1", "2"):
        names = ["ssacli ctrl all show config detail", f"ssacli ctrl slot={slot} ld all show"]
        found = observed(config, error, names=names)
        assert [one.id for one in found.controllers] == ["smartarray:1", "smartarray:2"]
        assert [one.where for one in found.problems if one.kind == "note"] == [f"smartarray:{slot}"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Error: No controllers detected.", "note"),
        ("Error: Another instance of ACU is already running (possibly a service).", "unread"),
        ("Error: You need to have administrator rights to continue.", "no_right"),
        ('Error: Syntax error at "config"', "unread"),
        ('Error: The controller identified by "slot=7" was not detected.', "state"),
        ("Error: The moon is in the wrong quarter.", "unread"),
        ("sh: 1: ssacli: not found", "no_tool"),
        ("", "unread"),
        ("a text that has nothing to do with it", "unread"),
    ],
)
def test_an_error_text_is_a_problem_with_the_right_kind(text: str, kind: str) -> None:
    """Each error of the tools has its kind of problem. So has an output without content."""
    found = observed(text)
    assert [problem.kind for problem in found.problems] == [kind]
    assert found.controllers == ()


def test_the_version_of_a_banner_is_the_tools() -> None:
    """The banner of each tool gives its version."""
    texts = {
        "HP Array Configuration Utility CLI 9.40.1.0\nDetecting Controllers...Done.\n": ("hpacucli", "9.40.1.0"),
        'Smart Storage Administrator CLI 3.10.2.0\nType "help" for a list of supported commands.\n=>\n': (
            "ssacli",
            "3.10.2.0",
        ),
        "   HPSSACLI Version: 2.40.1.0\n   SoulAPI Version: 6.2.2.0\n": ("hpssacli", "2.40.1.0"),
    }
    for text, (name, version) in texts.items():
        found = observed(text)
        assert [(tool.name, tool.version) for tool in found.tools] == [(name, version)]
        assert unparsed(found) == []
        assert found.problems == ()


def test_the_options_of_a_setting_are_no_configuration() -> None:
    """The options of a setting are read and give a note."""
    found = observed("\nAvailable options are:\n   Max: 1042188 (Units in MB)\n   Min: 16 (Units in MB)\n")
    assert unparsed(found) == []
    assert [problem.kind for problem in found.problems] == ["note"]


def test_crlf_tabs_and_terminal_codes_do_not_matter() -> None:
    """CR LF, tabs and terminal codes give the same objects."""
    dirty = CONTROLLER.replace("\n", "\r\n").replace("HPD7", "\x1b[31mHPD7\x1b[0m").replace("      ", "\t")
    assert observed(dirty).controllers == observed(CONTROLLER).controllers
    assert controller(CONTROLLER.replace("6XN0AAAA", "[red]")).drives[0].serial == "[red]"


@given(st.integers(min_value=0, max_value=len(CONTROLLER)))
def test_a_text_cut_anywhere_is_read(cut: int) -> None:
    """An output cut anywhere is read."""
    found = observed(CONTROLLER[:cut])
    assert len(found.outputs) == 1
    sniff("x.txt", CONTROLLER[cut:])
    observed(CONTROLLER[cut:])


@given(st.binary(max_size=400), st.integers(min_value=0, max_value=len(CONTROLLER)))
def test_rubbish_in_a_text_breaks_nothing(rubbish: bytes, place: int) -> None:
    """Any bytes at any place raise no exception."""
    text = rubbish.decode("utf-8", errors="replace")
    observed(CONTROLLER[:place] + text + CONTROLLER[place:])
    observed(text)
    sniff(text, text)


@given(
    st.lists(st.sampled_from(CONTROLLER.splitlines() + BANNER.splitlines() + ["Error: x", "   Mirror Group 1:", "=>"]))
)
def test_lines_in_any_order_break_nothing(lines: list[str]) -> None:
    """Ids stay unique, and every reference has its object."""
    for only in observed("\n".join(lines)).controllers:
        ids = [item.id for group in (only.batteries, only.arrays, only.volumes, only.drives) for item in group]
        assert len(ids) == len(set(ids))
        named = [name for array in only.arrays for name in (*array.drives, *array.spares)]
        named += [volume.array for volume in only.volumes if volume.array]
        named += [drive.array for drive in only.drives if drive.array]
        assert set(named) <= set(ids)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "x" * 5_000_000,
        "logicaldrive 1 (" * 100_000,
        "Smart Array P410 in Slot 1 (" * 50_000,
        "Label: value\n" * 40_000,
        "   physicaldrive 1I:1:1 (port 1I:box 1:bay 1, SAS, 1 TB, OK)\n" * 4_000,
        "Warning: " + "a: b\n" * 40_000,
        "Status: " + "- " * 2_000,
        "physicaldrive 1I:1:1\n" + "".join(f"Status: odd {number}\n" for number in range(8_000)),
        "Smart Array P410 in Slot 1\nCache Status Details: x\n" + "more\n" * 40_000,
        "".join(f"Smart Array P410 in Slot {number}\n" for number in range(1_000)),
    ],
    ids=[
        "long line",
        "brackets",
        "headings",
        "pairs",
        "one drive",
        "banner",
        "dashes",
        "odd",
        "details",
        "controllers",
    ],
)
def test_a_flood_is_read_to_its_end(text: str) -> None:
    """Megabytes of any input are read without losing a line."""
    [output] = read([Document("flood", "show", text)]).outputs
    assert len(output.lines) == len(text.split("\n"))
    assert sniff("flood", text) is None or "Slot" in text or "ical" in text


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        (CONTROLLER, Confidence.SURE),
        ("   logicaldrive 1 (1.36 TB, RAID 5): OK\n", Confidence.SURE),
        ("   physicaldrive 1I:1:1 (port 1I:box 1:bay 1, 500 GB): OK\n", Confidence.SURE),
        ("Error: The specified device does not have any logical drives.\n", Confidence.LIKELY),
    ],
)
def test_an_output_is_recognised_by_its_content(text: str, sure: Confidence) -> None:
    """An output is recognised without a name."""
    claim = sniff("noname", text)
    assert claim is not None
    assert claim.confidence >= sure


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Personalities : [raid1]\nmd0 : active raid1 sda1[0] sdb1[1]\n",
        "Controller = 0\nStatus = Success\n",
        "=== START OF INFORMATION SECTION ===\nDevice Model: X\nSerial Number: Y\nFirmware Version: Z\n",
        '{"smartctl": {"version": [7, 3]}}',
    ],
)
def test_other_tools_outputs_are_not_claimed(text: str) -> None:
    """A few common words are not enough."""
    claim = sniff("noname", text)
    assert claim is None or claim.confidence < Confidence.LIKELY


@pytest.mark.parametrize("damaged", [1, 2, 3])
def test_a_failed_drive_whose_heading_is_missing_is_no_ok(damaged: int) -> None:
    """If its lines belong to no object, the line with its state is a problem."""
    page = "      physicaldrive 1I:1:{0}\n         Port: 1I\n         Box: 1\n         Bay: {0}\n         Status: {1}\n"
    page += "         Drive Type: Unassigned Drive\n         Serial Number: SN{0}\n"
    pages = [page.format(bay, "Failed" if bay == damaged else "OK") for bay in (1, 2, 3)]
    text = "\nSmart Array P440ar in Slot 0 (Embedded)\n\n   unassigned\n\n" + "\n".join(pages) + "\n"
    seen = read_text(text.replace(f"      physicaldrive 1I:1:{damaged}\n", ""))
    assert exit_code(diagnose(seen.inventory, rules())) != 0
