from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidctl.vendor.protocol import Document
from raidctl_megaraid.draft import Controllers
from raidctl_megaraid.megacli import read, sniff
from tests.vendors.megaraid import megacli_texts as texts
from tests.vendors.megaraid.megacli_texts import card, drive, told

_ALL = (
    texts.ALL_INFO, texts.VOLUME, texts.DRIVE, texts.BATTERY, texts.CONFIGURATION, texts.MEMBERS, texts.SUMMARY,
    "Adapter 0: Get BBU Status Failed.\nFW error description:\n The required hardware component is not present.\n",
    "Rebuild Progress on Device at Enclosure 8, Slot 3 Completed 27% in 64 Minutes.\nExit Code: 0x00\n",
)  # fmt: skip
_LINES = sorted({line for text in _ALL for line in text.splitlines()})


def _values(text: str) -> dict[str, object]:
    """Every value of every object that a text tells of."""
    cards = Controllers()
    read(cards, Document("x", "megacli", text))
    return {
        f"{number}/{draft.name}/{name}": value
        for number, found in cards.by_number.items()
        for draft in found.all()
        for name, (_, value) in draft.values.items()
    }


@given(st.text(max_size=400))
def test_no_text_breaks_the_reader(text: str) -> None:
    """Whatever stands there, reading ends."""
    sniff("x", text)
    sheet, problems = read(Controllers(), Document("x", "megacli", text))
    assert all(problem.where == sheet.command for problem in problems)


@given(st.lists(st.sampled_from(_LINES), max_size=60))
def test_lines_in_any_order_break_nothing(lines: list[str]) -> None:
    """Outputs are cut, mixed and pasted together."""
    text = "\n".join(lines)
    sniff("x", text)
    sheet, problems = read(Controllers(), Document("x", "megacli", text))
    assert all(problem.where == sheet.command for problem in problems)


@given(st.sampled_from(_ALL), st.integers(0, 4000))
def test_a_text_that_is_cut_tells_nothing_else(text: str, cut: int) -> None:
    """What the first whole lines tell, the whole text tells as well; objects are never mixed up."""
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
    """A label with rubbish behind it is a problem or a detail at most."""
    lines = text.splitlines()
    number = data.draw(st.integers(0, len(lines) - 1))
    lines[number] = lines[number].partition(":")[0] + ":" + data.draw(st.text(max_size=40))
    sizes = [value for name, value in _values("\n".join(lines)).items() if name.endswith("_bytes")]
    assert all(isinstance(size, int) and size >= 0 for size in sizes)


def test_line_ends_of_windows_make_no_difference() -> None:
    """Nor do carriage returns before them."""
    for text in _ALL:
        assert _values(text.replace("\n", "\r\n")) == _values(text)


def test_a_section_that_stands_twice_changes_nothing() -> None:
    """The second copy tells the same."""
    assert _values(texts.DRIVE + texts.DRIVE) == _values(texts.DRIVE)
    assert _values(texts.VOLUME + texts.VOLUME) == _values(texts.VOLUME)


@pytest.mark.parametrize(
    "line",
    ["Media Error Count: ", "Coerced Size: ", "Drive Temperature :", "Link Speed: ", "Predictive Failure Count: "],
)
def test_figures_of_four_hundred_digits(line: str) -> None:
    """They are no figures of a drive."""
    found = drive(f"Enclosure Device ID: 8\nSlot Number: 1\n{line}{'9' * 400}\n")
    assert "size_bytes" not in found.values
    assert "errors.media" not in found.values
    assert found.complaints


def test_very_long_lines_are_left_alone() -> None:
    """A line of a million characters is none of the tool's."""
    text = f"{texts.DRIVE}\nInquiry Data: {'x' * 1_000_000}\n{'Adapter 0: ' * 100_000}\n"
    assert list(card(text).drives) == ["32:3"]


def test_ten_thousand_rows() -> None:
    """Each drive is there."""
    text = "Adapter #0\n" + "".join(
        f"Enclosure Device ID: {number // 100}\nSlot Number: {number % 100}\nFirmware state: Online\n"
        for number in range(3_300)
    )
    assert len(card(text).drives) == 3_300


def test_an_exit_code_alone_says_who_may_run_the_tool() -> None:
    """As another user than root the tool prints nothing else."""
    _, _, problems = told("\n\nExit Code: 0x00\n")
    assert [problem.kind for problem in problems] == ["unread"]
    assert "root" in problems[0].message


def test_the_count_of_controllers_is_no_error() -> None:
    """It is the exit code of that command."""
    cards, _, problems = told("\nController Count: 2.\n\nExit Code: 0x02\n")
    assert (cards.by_number, problems) == ({}, [])


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
    """One each, which names the command's output."""
    _, _, problems = told(text)
    assert [problem.kind for problem in problems] == [kind]
    assert problems[0].where == "output.txt"


def test_a_code_behind_an_answer_says_that_something_is_missing() -> None:
    """What could be read is kept."""
    cards, _, problems = told(texts.DRIVE.replace("0x00", "0x0c"))
    assert list(cards.by_number["0"].drives) == ["32:3"]
    assert [problem.message for problem in problems] == [
        "The tool ended with exit code 0x0c: no such device; its output may be incomplete."
    ]


def test_a_pinned_cache_shows_in_a_refusal() -> None:
    """The firmware's reason tells of the cache."""
    found = card(
        "The current operation is not allowed because the controller has data in cache for offline or missing virtual "
        "disks.\n\nExit Code: 0x54\n"
    )
    assert found.get("cache.preserved_data") is True


def test_success_is_no_problem() -> None:
    """Neither is what the tool warns of without failing."""
    cards, _, problems = told(
        "Set Write Policy to WriteBack on Adapter 1, VD 0 (target id: 0) success\n"
        "Battery capacity is too low. So policy Change to WB will not come into effect immediately\n\nExit Code: 0x00\n"
    )
    assert problems == []
    assert list(cards.by_number) == ["1"]


def test_prose_around_an_output_is_left() -> None:
    """What is no line of the tool is not made a fact."""
    text = f"Dear all,\n\nplease look at this drive tomorrow\n{texts.DRIVE}"
    assert texts.left(text) == ["Dear all,", "please look at this drive tomorrow"]
