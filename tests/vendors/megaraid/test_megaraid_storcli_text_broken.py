"""Text outputs of storcli and its relatives, incomplete or amid other text."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidctl_megaraid.storcli.from_text import from_text
from tests.vendors.megaraid.storcli_outlines import (
    answer_text,
    as_tuples,
    cells,
    drive,
    every_pair,
    lost,
    pairs,
    section,
    status,
    table,
    title,
    unparsed,
    unread,
    volume,
)

COMMAND = "storcli64 /c0 show all"
DATA: dict[str, Any] = {
    "HwCfg": {"BBU": "Present", "Alarm": "Off"},
    "VD LIST": [volume(), volume("1/1", "data")],
    "PD LIST": [drive(), drive("9:1"), drive("9:2")],
}
WHOLE = answer_text(DATA)


def test_cut_after_a_title() -> None:
    """A title without a table is a problem."""
    found = from_text(COMMAND, WHOLE[: WHOLE.index("PD LIST")] + title("PD LIST"))
    assert unread(found) == ["The output breaks off in “PD LIST”: the part before was read, the rest is unknown."]


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\n\n[root@far ~]# "])
@pytest.mark.parametrize("length", [8, 20, 200])
def test_cut_in_or_below_the_head_of_a_table(length: int, end: str) -> None:
    """A table that ends in or after its header is a problem."""
    rule, head, *_ = table([drive()]).splitlines()
    found = from_text(COMMAND, f"{WHOLE[: WHOLE.index('PD LIST')]}{title('PD LIST')}\n{rule}\n{head[:length]}{end}")
    assert unread(found) == ["The output breaks off in “PD LIST”: the part before was read, the rest is unknown."]


DRIVE_LEGEND = (
    "EID-Enclosure Device ID|Slt-Slot No.|DID-Device ID|DG-DriveGroup\n"
    "DHS-Dedicated Hot Spare|UGood-Unconfigured Good|GHS-Global Hotspare\n"
    "Med-Media Type|SED-Self Encryptive Drive|PI-Protection Info\nSeSz-Sector Size|Sp-Spun|U-Up|D-Down|F-Foreign\n"
)
MORE = "UGUnsp-Unsupported|UGShld-UnConfigured shielded|HSPShld-Hotspare shielded\nCFShld-Configured shielded\n"


@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("legend", [DRIVE_LEGEND, DRIVE_LEGEND + MORE])
def test_a_legend_without_its_end_is_cut_off(legend: str, before: bool) -> None:
    """A legend without its end is a problem. Versions that end at that point are excepted."""
    head = "CLI Version = 007.0606\nController = {}\nStatus = Success\nDescription = None\n\n"
    text = f"{head}{title('PD LIST')}\n{table([drive()])}\n\n{legend}\n\n"
    first = text.format(0) if before else ""
    assert not unread(from_text(COMMAND, first + text.format(1)))
    whole, start = text.format(1).rstrip(), text.format(1).index("EID-Enclosure") + 40
    missed = [at for at in range(start, len(whole)) if not unread(from_text(COMMAND, first + whole[:at]))]
    certain = whole.index("CFShld-Conf" if "CFShld" in legend else "Sp-Spun") + (20 if "CFShld" in legend else 7)
    version = range(whole.index("Sp-Spun") + 7, whole.index("UGUnsp-") + 7) if "CFShld" in legend else range(0)
    allowed = () if before else (*version, *range(certain, len(whole)))
    assert set(missed) <= set(allowed)


def _pages(number: int) -> str:
    """The output of ``/c0/sall show all`` for a number of drives. Each drive has the same parts."""
    text = "Controller = 0\nStatus = Success\nDescription = Show Drive Information Succeeded.\n\n\n"
    for slot in range(number):
        path = f"Drive /c0/s{slot}"
        parts = {"State": "Media Error Count = 0", "Device attributes": "SN = RC1", "Policies/Settings": "SED = No"}
        text += f"{title(path)}\n{table([drive(f' :{slot}')])}\n\n{title(f'{path} - Detailed Information')}\n"
        text += "".join(f"{title(f'{path} {part}')}{pair}\n\n\n" for part, pair in parts.items())
        text += "Inquiry Data = \n00 00 06 32 9f 01 10 02\n49 42 4d\n\n\n"
    return text


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_page_without_its_last_parts_is_cut_off(number: int) -> None:
    """The last drive's page is a problem only if parts are missing."""
    whole = _pages(number)
    assert not unread(from_text(COMMAND, whole))
    lines = whole.splitlines(keepends=True)
    first = max(at for at, line in enumerate(lines) if "Detailed Information" in line)
    end = max(at for at, line in enumerate(lines) if line.startswith("00 00"))
    for at in range(first + 1, end):
        found = unread(from_text(COMMAND, "".join(lines[:at])))
        assert any("cut off" in text or "breaks off" in text for text in found), lines[at - 1]


def test_cut_inside_a_row() -> None:
    """The row at the cut is unparsed, and those before are read. There is a problem."""
    found = from_text(COMMAND, WHOLE[: WHOLE.index("9:2") + 30])
    assert cells(section(found, "PD LIST")) == [drive(), drive("9:1")]
    assert len(unread(found)) == 1
    assert [line[:3] for line in unparsed(found)] == ["9:2"]


def test_cut_after_a_row() -> None:
    """Rows without the table's last rule are read, with a problem."""
    found = from_text(COMMAND, WHOLE[: WHOLE.index("9:2")])
    assert cells(section(found, "PD LIST")) == [drive(), drive("9:1")]
    assert len(unread(found)) == 1


def test_the_rest_of_a_wrapped_row_is_no_row() -> None:
    """A single word below a table that breaks off is unparsed."""
    found = from_text(COMMAND, f"{WHOLE[: WHOLE.index('9:2')]}U\n\nThanks\n-- \n")
    assert cells(section(found, "PD LIST")) == [drive(), drive("9:1")]
    assert {"U", "Thanks"} <= set(unparsed(found))
    assert any("could not be split" in message for message in unread(found))


def test_a_row_whose_last_column_lost_its_blanks_is_split_at_its_words() -> None:
    """``TESTDISK U`` is split into the model and the column after it."""
    [line] = [line for line in WHOLE.split("\n") if line.startswith("9:1")]
    found = from_text(COMMAND, WHOLE.replace(line, " ".join(line.split())))
    assert cells(section(found, "PD LIST")) == [drive(), drive("9:1"), drive("9:2")]


def test_a_head_whose_last_title_lost_its_blanks_is_no_column_of_the_model() -> None:
    """Rows below ``Model Sp`` are split at words, as the titles allow."""
    found = from_text(COMMAND, re.sub(r"Model +Sp", "Model Sp", WHOLE))
    assert cells(section(found, "PD LIST")) == [drive(), drive("9:1"), drive("9:2")]


def test_table_cut_by_the_next_answer() -> None:
    """A table that the next header ends is a problem. The next output is read."""
    found = from_text(COMMAND, f"{WHOLE[: WHOLE.index('9:2')]}{answer_text(DATA, status(1))}")
    assert [answer.number for answer in found.answers] == ["0", "1"]
    assert len(cells(found.answers[1].sections[-1])) == 3
    assert len(unread(found)) == 1


@pytest.mark.parametrize(
    "words", ["Illegal instruction", "Segmentation fault (core dumped)", "./run: line 3: 77 Killed"]
)
def test_tool_that_died(words: str) -> None:
    """A crash of the tool is a problem. Its message contains the section and what the shell printed."""
    found = from_text(COMMAND, f"{WHOLE[: WHOLE.index('Alarm')]}{words}\n")
    assert unread(found) == [f"The tool died in “HwCfg” ({words}): the output up to that point was read."]
    assert unparsed(found) == []


def test_tool_that_died_inside_a_value() -> None:
    """The shell's message at the end of a value is not a value."""
    found = from_text(COMMAND, f"{WHOLE[: WHOLE.index('Present') + 3]}Segmentation fault\n")
    assert section(found, "HwCfg").pairs == []
    assert len(unread(found)) == 1


def test_second_controller_after_a_crash() -> None:
    """The answer after a crash is read."""
    found = from_text(COMMAND, f"{WHOLE[:400]}Illegal instruction\n{answer_text(DATA, status(1))}")
    assert found.answers[-1].number == "1"
    assert len(found.answers[-1].sections) == 3


def test_rows_without_head() -> None:
    """Rows without their table's header are unparsed."""
    found = from_text(COMMAND, WHOLE[WHOLE.index("9:1") :])
    assert len(unparsed(found)) == 2
    assert all(not part.rows for answer in found.answers for part in answer.sections)


def test_pairs_without_header() -> None:
    """An output without its header is an answer without a controller."""
    found = from_text(COMMAND, WHOLE[WHOLE.index("HwCfg") :])
    assert found.answers[0].number is None
    assert len(section(found, "PD LIST").rows) == 3


def test_words_among_the_lines() -> None:
    """Prose between the lines is unparsed, and the lines are read."""
    at = WHOLE.index("Alarm")
    found = from_text(COMMAND, f"{WHOLE[:at]}(shortened)\n{WHOLE[at:]}")
    assert as_tuples(section(found, "HwCfg").pairs) == [("BBU", "Present"), ("Alarm", "Off")]
    assert unparsed(found) == ["(shortened)"]


def test_sentence_in_place_of_a_table() -> None:
    """A sentence below a title is the section's text."""
    found = from_text(COMMAND, f"{pairs(status())}\n{title('VD LIST')}\nNo VDs have been configured\n")
    assert [pair.value for pair in section(found, "VD LIST").texts] == ["No VDs have been configured"]


def test_broken_lines_of_a_mail() -> None:
    """A long value that a mailer wrapped is one value."""
    long = "This is a list of words that is so long that a mailer breaks it"
    found = from_text(COMMAND, f"{pairs(status())}\n{title('HwCfg')}Words = {long}\nsomewhere\nAlarm = Off\n")
    assert as_tuples(section(found, "HwCfg").pairs) == [("Words", f"{long} somewhere"), ("Alarm", "Off")]


def test_prompt_is_no_value() -> None:
    """A prompt below a pair is not part of its value."""
    found = from_text(COMMAND, f"{WHOLE[: WHOLE.index('Alarm')]}Words = {'x' * 70},\n[root@far ~]# ls\n")
    assert as_tuples(section(found, "HwCfg").pairs)[-1] == ("Words", "x" * 70 + ",")


@pytest.mark.parametrize("text", ["", "\n\n", "\x00", "\ufeff\n"])
def test_empty_output(text: str) -> None:
    """An empty output is a problem."""
    assert unread(from_text(COMMAND, text)) == ["The tool printed nothing."]


def test_text_of_another_program() -> None:
    """Another text is a problem with its first words."""
    found = from_text(COMMAND, "bash: storcli64: command not found\n")
    assert unread(found) == [
        "Not recognised as output of the tool; it begins with “bash: storcli64: command not found”."
    ]


def test_escape_codes_do_not_reach_problems() -> None:
    """A problem contains no escape codes."""
    found = from_text(COMMAND, "\x1b[31mgarbage\x07 and more\n")
    assert "\x1b" not in unread(found)[0]
    assert "\x07" not in unread(found)[0]


def test_endless_line_is_not_read() -> None:
    """A line of a million characters is unparsed."""
    found = from_text(COMMAND, f"{WHOLE}\nName = {'x' * 1_000_000}\n")
    assert len(found.answers[0].sections) == 3
    assert [len(line) for line in unparsed(found)] == [1_000_007]


def test_endless_head_is_not_split() -> None:
    """A table with 5,000 columns is unparsed, with a problem."""
    rule = "-" * 30
    found = from_text(COMMAND, f"{title('T')}{rule}\n{'ab ' * 5000}\n{rule}\nx y z\n{rule}\n")
    assert unparsed(found) == ["x y z"]
    assert len(unread(found)) == 1


def test_the_number_of_problems_is_limited() -> None:
    """A random text gives at most 20 problems."""
    found = from_text(COMMAND, "".join(f"T{n} :\n===\n\nController = {n}\nStatus = Failure\n" for n in range(200)))
    assert len(found.problems) <= 20


LINES = st.lists(
    st.sampled_from(
        [
            "CLI Version = 007.1", "Controller = 0", "Status = Success", "Description = None", "Detailed Status :",
            "=====", "-" * 30, "", "PD LIST :", "EID:Slt DID State DG     Size Intf Model",
            "9:0      31 Onln   0 1.000 TB SAS  A B", "A = b,", "c", ", d", "Optl=Optimal|RO=Read Only",
            "Policies :", "Policies Table :", "Port Information :",
            "Drive /c0/e9/s0 - Detailed Information :", "Drive /c0/e9/s0 State :", "Inquiry Data =", "00 01 02 03",
            "Killed", "root@far:~# ls", "Mode 5: x", "\x1b[1mBold\x1b[0m = \x00", "\t\t=", " :", "= =", "a" * 70,
        ]
    ),
    max_size=40,
)  # fmt: skip


@given(LINES, st.sampled_from(["\n", "\r\n", "\n\n"]))
def test_any_mixture_is_survived(lines: list[str], end: str) -> None:
    """Any mixture of lines is read. Each pair and cell has a line of the output."""
    found = from_text(COMMAND, end.join(lines))
    assert lost(found) == []
    assert all(pair.lines for answer in found.answers for pair in every_pair(answer))


@given(st.text(max_size=300))
def test_any_text_is_survived(text: str) -> None:
    """Random text raises no exception, alone and after a truncated output."""
    for found in (from_text(COMMAND, text), from_text(COMMAND, WHOLE[:500] + text)):
        assert lost(found) == []


@given(st.integers(0, len(WHOLE)))
def test_any_cut_takes_nothing_wrong(length: int) -> None:
    """Wherever a text is cut, each row is one that was printed."""
    found = from_text(COMMAND, WHOLE[:length])
    rows = [row for answer in found.answers for part in answer.sections for row in cells(part)]
    assert all(row in [*DATA["VD LIST"], *DATA["PD LIST"]] for row in rows)


@given(st.lists(st.sampled_from([drive(), drive("9:1", "A B"), drive("9:2", "")]), min_size=1, max_size=4), st.data())
def test_shifted_rows_are_right_or_reported(rows: list[dict[str, str]], data: st.DataObject) -> None:
    """A row shifted by some blanks is read correctly, or a problem."""
    lines = table(rows).split("\n")
    at = data.draw(st.integers(3, len(lines) - 3))
    lines[at] = " " * data.draw(st.integers(1, 4)) + lines[at]
    found = from_text(COMMAND, f"{title('PD LIST')}\n" + "\n".join(lines))
    read = cells(section(found, "PD LIST"))
    assert read == rows or (len(read) < len(rows) and unread(found) and all(row in rows for row in read))


LEGEND = "EID=Enclosure Device ID|Slt=Slot No|DID=Device ID|DG=DriveGroup\n"
CUTS = (
    "", "\n\n", *(f"\n\n{LEGEND}\n\n{end}" for end in (
        "VD LIST :\n", "VD LIST :\n=", "VD LIST :\n=======\n", "VD LIST :\n=======\n\n", "VD LIST :\n=======\n\n--",
    )),
)  # fmt: skip


@pytest.mark.parametrize("cut", CUTS)
def test_a_list_without_its_legend_or_its_rows_is_cut_off(cut: str) -> None:
    """A list without its legend was cut off. So was a title without its list."""
    head = "CLI Version = 007.0606\nController = 0\nStatus = Success\nDescription = Show Diskgroup Succeeded\n\n"
    found = from_text(COMMAND, f"{head}{title('PD LIST')}\n{table([drive()])}{cut}")
    assert any("The output breaks off in" in problem.message for problem in found.problems)
