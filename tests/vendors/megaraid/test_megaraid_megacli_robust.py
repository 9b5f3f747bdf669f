"""No text breaks the reader of MegaCli's outputs, and failures are problems."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidctl.vendor.protocol import Document
from raidctl_megaraid.draft import Controllers
from raidctl_megaraid.megacli import read, sniff
from tests.vendors.megaraid import megacli_outputs as outputs
from tests.vendors.megaraid.megacli_outputs import controller_of, drive, read_outputs

_ALL = (
    outputs.ALL_INFO, outputs.VOLUME, outputs.DRIVE, outputs.BATTERY, outputs.CONFIGURATION, outputs.MEMBERS,
    outputs.SUMMARY,
    "Adapter 0: Get BBU Status Failed.\nFW error description:\n The required hardware component is not present.\n",
    "Rebuild Progress on Device at Enclosure 8, Slot 3 Completed 27% in 64 Minutes.\nExit Code: 0x00\n",
)  # fmt: skip
_LINES = sorted({line for text in _ALL for line in text.splitlines()})


def _values(text: str) -> dict[str, object]:
    """Every value of every object of a text."""
    controllers = Controllers()
    read(controllers, Document("x", "megacli", text))
    return {
        f"{number}/{draft.name}/{name}": value
        for number, found in controllers.by_number.items()
        for draft in found.all()
        for name, (_, value) in draft.values.items()
    }


@given(st.text(max_size=400))
def test_no_text_breaks_the_reader(text: str) -> None:
    """Random text raises no exception."""
    sniff("x", text)
    output, problems = read(Controllers(), Document("x", "megacli", text))
    assert all(problem.where == output.command for problem in problems)


@given(st.lists(st.sampled_from(_LINES), max_size=60))
def test_lines_in_any_order_break_nothing(lines: list[str]) -> None:
    """Lines of the tool in random order raise no exception."""
    text = "\n".join(lines)
    sniff("x", text)
    output, problems = read(Controllers(), Document("x", "megacli", text))
    assert all(problem.where == output.command for problem in problems)


@given(st.sampled_from(_ALL), st.integers(0, 4000))
def test_a_truncated_text_gives_no_other_value(text: str, cut: int) -> None:
    """A truncated text contradicts the complete one in no steady value.

    States, sizes and cache policies may depend on the lines that are missing.
    """
    whole, part = _values(text), _values(text[:cut].rpartition("\n")[0])
    steady = {
        name: value
        for name, value in part.items()
        if not name.endswith(("status", "status_text", "size_bytes", "firmware", "replace", "role", "array", "summary"))
        and "read_policy" not in name
        and "io_policy" not in name
        and "?" not in name
    }
    assert all(whole.get(name) == value for name, value in steady.items() if name in whole)


@given(st.sampled_from(_ALL), st.data())
def test_broken_values_break_nothing(text: str, data: st.DataObject) -> None:
    """A random value gives no negative size and raises no exception."""
    lines = text.splitlines()
    number = data.draw(st.integers(0, len(lines) - 1))
    lines[number] = lines[number].partition(":")[0] + ":" + data.draw(st.text(max_size=40))
    sizes = [value for name, value in _values("\n".join(lines)).items() if name.endswith("_bytes")]
    assert all(isinstance(size, int) and size >= 0 for size in sizes)


def test_line_ends_of_windows_make_no_difference() -> None:
    """Windows line ends change no value."""
    for text in _ALL:
        assert _values(text.replace("\n", "\r\n")) == _values(text)


def test_a_repeated_section_changes_nothing() -> None:
    """A second copy of an output changes no value."""
    assert _values(outputs.DRIVE + outputs.DRIVE) == _values(outputs.DRIVE)
    assert _values(outputs.VOLUME + outputs.VOLUME) == _values(outputs.VOLUME)


@pytest.mark.parametrize(
    "line",
    ["Media Error Count: ", "Coerced Size: ", "Drive Temperature :", "Link Speed: ", "Predictive Failure Count: "],
)
def test_figures_of_four_hundred_digits(line: str) -> None:
    """A number of 400 digits is not a field, and a problem."""
    found = drive(f"Enclosure Device ID: 8\nSlot Number: 1\n{line}{'9' * 400}\n")
    assert "size_bytes" not in found.values
    assert "errors.media" not in found.values
    assert found.complaints


def test_very_long_lines_are_skipped() -> None:
    """A line of a million characters is not read."""
    text = f"{outputs.DRIVE}\nInquiry Data: {'x' * 1_000_000}\n{'Adapter 0: ' * 100_000}\n"
    assert list(controller_of(text).drives) == ["32:3"]


def test_ten_thousand_rows() -> None:
    """Each of 3,300 drives is listed."""
    text = "Adapter #0\n" + "".join(
        f"Enclosure Device ID: {number // 100}\nSlot Number: {number % 100}\nFirmware state: Online\n"
        for number in range(3_300)
    )
    assert len(controller_of(text).drives) == 3_300


def test_an_exit_code_alone_means_that_root_is_needed() -> None:
    """Without root the tool prints only its exit code. The problem mentions root."""
    _, _, problems = read_outputs("\n\nExit Code: 0x00\n")
    assert [problem.kind for problem in problems] == ["unread"]
    assert "root" in problems[0].message


@pytest.mark.parametrize(
    "text",
    [
        "\n Number of Virtual Drives Configured on Adapter 0: 2\n\nExit Code: 0x02\n",
        "\n Number of Physical Drives on Adapter 0: 8\n\n Number of Physical Drives on Adapter 1: 4\nExit Code: 0x0c\n",
    ],
)
def test_a_count_as_exit_code_is_no_error(text: str) -> None:
    """The exit code of ``-LDGetNum`` and ``-PDGetNum`` is the number that they print."""
    assert not read_outputs(text)[2]


def test_another_exit_code_than_the_count_is_an_error() -> None:
    """``-LDGetNum`` that ends with another code than its number has failed."""
    _, _, problems = read_outputs("\n Number of Virtual Drives Configured on Adapter 0: 2\n\nExit Code: 0x0c\n")
    assert [problem.kind for problem in problems] == ["unread"]


def test_errors_of_phys_are_no_errors_of_the_tool() -> None:
    """``Invalid Dword Count`` of ``-PhyErrorCounters`` is a detail of its phy, not an error message."""
    text = (
        "\nAdapter #0\n\nPhy No: 0\nInvalid Dword Count : 0\n\nPhy No: 1\nInvalid Dword Count : 4\n\nExit Code: 0x00\n"
    )
    controllers, _, problems = read_outputs(text)
    assert not problems
    assert controllers.controller("0").details["Phy No 1: Invalid Dword Count"] == "4"


def test_the_count_of_controllers_is_no_error() -> None:
    """The exit code of ``-AdpCount`` is the number of controllers."""
    controllers, _, problems = read_outputs("\nController Count: 2.\n\nExit Code: 0x02\n")
    assert (controllers.by_number, problems) == ({}, [])


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Fatal error - Command Tool invoked with wrong parameters\n\nExit Code: 0x01\n", "unread"),
        ("User specified controller is not present.\n\nExit Code: 0x01\n", "unread"),
        ("./libstorelib.so: cannot open shared object file: No such file or directory\nExit Code: 0x01\n", "no_tool"),
        ("bash: MegaCli64: command not found\n", "no_tool"),
        ("-bash: /opt/MegaRAID/MegaCli/MegaCli64: Permission denied\n", "no_right"),
        ("Adapter 0: Failed to Set Adapter Properties.\n\nExit Code: 0x03\n", "state"),
        ("Adapter #0\n\nExit Code: 0x0c\n", "unread"),
    ],
)
def test_failures_are_problems(text: str, kind: str) -> None:
    """Each failure is one problem with the output's name."""
    _, _, problems = read_outputs(text)
    assert [problem.kind for problem in problems] == [kind]
    assert problems[0].where == "output.txt"


def test_an_error_code_after_an_output_is_a_problem() -> None:
    """The output before an error code is read. A problem reports that it may be incomplete."""
    controllers, _, problems = read_outputs(outputs.DRIVE.replace("0x00", "0x0c"))
    assert list(controllers.by_number["0"].drives) == ["32:3"]
    assert [problem.message for problem in problems] == [
        "The tool ended with exit code 0x0c: no such device; its output may be incomplete."
    ]


def test_a_pinned_cache_shows_in_a_refusal() -> None:
    """A refusal because of preserved cache is read as preserved cache."""
    found = controller_of(
        "The current operation is not allowed because the controller has data in cache for offline or missing virtual "
        "disks.\n\nExit Code: 0x54\n"
    )
    assert found.get("cache.preserved_data") is True


def test_success_is_no_problem() -> None:
    """A success with a warning about the battery is not a problem."""
    controllers, _, problems = read_outputs(
        "Set Write Policy to WriteBack on Adapter 1, VD 0 (target id: 0) success\n"
        "Battery capacity is too low. So policy Change to WB will not come into effect immediately\n\nExit Code: 0x00\n"
    )
    assert problems == []
    assert list(controllers.by_number) == ["1"]


def test_prose_around_an_output_is_left() -> None:
    """Lines that are not the tool's stay unparsed."""
    text = f"Dear all,\n\nplease look at this drive tomorrow\n{outputs.DRIVE}"
    assert outputs.left(text) == ["Dear all,", "please look at this drive tomorrow"]
