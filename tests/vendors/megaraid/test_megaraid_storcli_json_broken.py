"""JSON outputs of storcli and its relatives, incomplete or amid other text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidctl_megaraid.storcli.outline import Outline
from raidctl_megaraid.storcli.reader import read_output
from raidctl_megaraid.storcli.recognise import outline
from tests.support.over import over
from tests.vendors.megaraid.storcli_outlines import (
    answer_text,
    as_tuples,
    cells,
    controller,
    drive,
    every_pair,
    json_text,
    lost,
    section,
    status,
    unparsed,
    unread,
    volume,
)

COMMAND = "perccli64 /call show all J"
DATA: dict[str, Any] = {"HwCfg": {"BBU": "Present", "Ports": 8}, "PD LIST": [drive(f"9:{n}") for n in range(4)]}
WHOLE = json_text(controller(DATA))


def read(text: str) -> Outline:
    """The outline of a text."""
    return outline(COMMAND, text)


def problems(found: Outline) -> list[tuple[str, str]]:
    """Severity and kind of the problems."""
    return [(problem.severity, problem.kind) for problem in found.problems]


@pytest.mark.parametrize(
    ("before", "shown"),
    [
        ("WARNING: the driver is old\n", "WARNING: the driver is old"),
        ("\x1b[1mnotice: \x1b[0mslow\n", "notice: slow"),
        ("a\nb\nc\nd\ne\n", "a; b; c … (5 lines)"),
    ],
)
def test_warning_before_is_a_note(before: str, shown: str) -> None:
    """Text before the JSON is a note, and the JSON is read."""
    found = read(before + WHOLE)
    assert problems(found) == [("info", "note")]
    assert f"“{shown}”" in found.problems[0].message
    assert len(section(found, "PD LIST").rows) == 4
    assert unparsed(found) == []


@pytest.mark.parametrize("before", ["\ufeff", "\x1b[?1034h", "\n\n  ", "\x00", "\ufeff\r\n"])
def test_invisible_bytes_before_are_nothing(before: str) -> None:
    """Byte order marks, escape codes and blank lines may precede the JSON. None of them is a problem."""
    found = read(before + WHOLE)
    assert found.problems == []
    assert unparsed(found) == []


def test_problem_names_the_command() -> None:
    """A problem has the command as its place."""
    assert {problem.where for problem in read(WHOLE[:300]).problems} == {COMMAND}


def test_prompt_after_stays_unparsed() -> None:
    """A prompt after the JSON is unparsed, and no problem."""
    found = read(f"{WHOLE}[root@far ~]# \n")
    assert found.problems == []
    assert unparsed(found) == ["[root@far ~]# "]


def test_log_lines_after_are_a_note() -> None:
    """Text after the JSON is a note."""
    found = read(f"{WHOLE}log: done in 3 s\n")
    assert problems(found) == [("info", "note")]
    assert "done in 3 s" in found.problems[0].message


def test_two_documents() -> None:
    """Two documents in one output are both read."""
    found = read(WHOLE + json_text(controller({"a": 1}, status(1))))
    assert [answer.number for answer in found.answers] == ["0", "1"]
    assert found.problems == []


def test_list_of_documents() -> None:
    """A list of documents is read."""
    found = read(f"[\n{WHOLE},\n{json_text(controller({'a': 1}, status(1)))}]\n")
    assert [answer.number for answer in found.answers] == ["0", "1"]
    assert found.problems == []


def test_broken_list_of_documents() -> None:
    """The complete documents of a truncated list are read."""
    second = json_text(controller({"a": 1}, status(1)))
    found = read(f"[\n{WHOLE},\n{second[:-30]}")
    assert [answer.number for answer in found.answers] == ["0", "1"]
    assert len(unread(found)) == 1


@over("length", range(60, len(WHOLE) - 6, 13))
def test_cut_json_is_reported(length: int) -> None:
    """JSON that is cut anywhere is a problem. Every value that is read is in the complete output."""
    found = read(WHOLE[:length])
    assert any("breaks off" in message for message in unread(found))
    whole = read(WHOLE).answers[0]
    allowed = {(pair.label, pair.value) for pair in every_pair(whole)}
    assert {(pair.label, pair.value) for answer in found.answers for pair in every_pair(answer)} <= allowed


def test_cut_json_keeps_what_was_complete() -> None:
    """Rows before the cut are read. So are the complete cells of the row at the cut."""
    found = read(WHOLE[: WHOLE.index('"9:2"') + 60])
    rows = cells(section(found, "PD LIST"))
    assert rows[:2] == [drive("9:0"), drive("9:1")]
    assert rows[2]["EID:Slt"] == "9:2"
    assert len(rows) == 3


def test_the_problem_names_the_place_of_the_cut() -> None:
    """The problem contains section and line of the cut."""
    cut = WHOLE[: WHOLE.index('"9:2"')]
    assert f"“PD LIST” (line {cut.count(chr(10)) + 1})" in unread(read(cut))[0]


def test_cut_number_is_not_taken() -> None:
    """The first digits of a truncated number are not a value."""
    cut = json_text(controller({"Counts": {"Errors": 12345}}))
    found = read(cut[: cut.index("12345") + 2])
    assert section(found, "Counts").pairs == []


def test_a_truncated_value_stays_unparsed() -> None:
    """A truncated value is an unparsed line."""
    found = read(WHOLE[: WHOLE.index("Present") + 3])
    assert any('"Pre' in line for line in unparsed(found))


@pytest.mark.parametrize(
    "words", ["Illegal instruction", "Segmentation fault (core dumped)", "./run.sh: line 3: Killed"]
)
def test_tool_that_died(words: str) -> None:
    """A crash of the tool is a problem with the shell's message."""
    found = read(f"{WHOLE[: WHOLE.index('9:2') - 20]}\n{words}\n")
    assert any(words in message for message in unread(found))
    assert len(section(found, "PD LIST").rows) == 2


def test_tool_that_died_inside_a_value() -> None:
    """The shell's message inside a value is not a value."""
    found = read(f"{WHOLE[: WHOLE.index('Present') + 3]}Illegal instruction\n")
    assert section(found, "HwCfg").pairs == []
    assert any("Illegal instruction" in message for message in unread(found))


def test_next_document_after_a_broken_one() -> None:
    """The document after a truncated one is read."""
    found = read(f"{WHOLE[:400]}Illegal instruction\n{json_text(controller({'a': 1}, status(1)))}")
    assert found.answers[-1].number == "1"
    assert as_tuples(found.answers[-1].sections[0].pairs) == [("a", "1")]


@pytest.mark.parametrize("damage", ["megaraid_sas: reset\n", '"Name" : "our "big" one",\n', ","])
def test_nothing_is_read_after_the_damage(damage: str) -> None:
    """Damage ends the document. What precedes it is read, the rest is unread."""
    at = WHOLE.index('"Ports"')
    found = read(f"{WHOLE[:at]}{damage}{WHOLE[at:]}")
    assert as_tuples(section(found, "HwCfg").pairs) == [("BBU", "Present")]
    assert "“HwCfg”" in unread(found)[0]
    assert any('"EID:Slt" : "9:3"' in line for line in unparsed(found))


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_odd_numbers_are_kept(word: str) -> None:
    """NaN, infinity and huge numbers stay as printed."""
    assert as_tuples(section(read(WHOLE.replace("8\n", f"{word}\n")), "HwCfg").pairs)[1] == ("Ports", word)


@pytest.mark.parametrize("name", ["DOM\\user", "C:\\u", "x\\ y"])
def test_names_without_escapes(name: str) -> None:
    """A volume's name with an unescaped backslash is read."""
    text = json_text(controller({"VD LIST": [volume(name="NAME"), volume("1/1", name="next")]})).replace("NAME", name)
    assert [row["Name"] for row in cells(section(read(text), "VD LIST"))] == [name, "next"]


def test_text_where_json_was_asked_for() -> None:
    """Text is read if JSON was requested, with a note."""
    found = read(answer_text({"HwCfg": {"BBU": "Present"}}))
    assert as_tuples(section(found, "HwCfg").pairs) == [("BBU", "Present")]
    assert problems(found) == [("info", "note")]


def test_text_after_json() -> None:
    """JSON and text of two commands in one file are both read."""
    found = read(WHOLE + answer_text({"VD LIST": [volume()]}, status(1)))
    assert [answer.number for answer in found.answers] == ["0", "1"]
    assert cells(section(found, "VD LIST")) == [volume()]


def test_text_after_broken_json() -> None:
    """Text after truncated JSON is read."""
    legend = "Cac=CacheCade|Rec=Recovery|OfLn=OffLine|Dgrd=Degraded\nWT=WriteThrough|sCC=Scheduled\nCheck Consistency\n"
    found = read(f"{WHOLE[:500]}\n{answer_text({'VD LIST': [volume()]}, status(1))}\n{legend}")
    assert cells(section(found, "VD LIST")) == [volume()]
    assert len(unread(found)) == 1


def test_missing_beginning() -> None:
    """JSON without its beginning is not read, and a problem."""
    text = json_text(controller({"Drive /c0/e9/s0": [drive()], "Drive /c0/e9/s1": [drive("9:1")], "A": {"b": 1}}))
    found = read(text[text.index('"TESTDISK') :])
    assert unparsed(found)
    assert any("beginning of the JSON is missing" in message for message in unread(found))
    assert found.answers == []


def test_missing_beginning_before_a_whole_controller() -> None:
    """A complete controller after a fragment is read."""
    text = json_text(controller({"PD LIST": [drive()]}), controller({"PD LIST": [drive("7:7")]}, status(1)))
    found = read(text[text.index('"TESTDISK') :])
    assert found.answers[-1].number == "1"
    assert cells(found.answers[-1].sections[0]) == [drive("7:7")]


@pytest.mark.parametrize("text", ["", "\n \n", "\ufeff", "\x00\x00"])
def test_empty_output(text: str) -> None:
    """An empty output is a problem."""
    assert unread(read(text)) == ["The tool printed nothing."]


def test_help_text() -> None:
    """The tool's help instead of an output is a problem."""
    help_text = "     Storage Command Line Tool  Ver 007.1999.0000.0000\n\n storcli -v\n storcli /cx show all\n"
    assert unread(read(help_text)) == ["The tool printed its help instead of the requested output."]


def test_other_json_is_not_read() -> None:
    """JSON of another tool gives no answer."""
    found = read('{"smartctl": {"version": [7, 3]}, "Status": "Success"}')
    assert found.answers == []
    assert len(unread(found)) == 1


def test_bare_syntax_error() -> None:
    """A syntax error without a header is a problem."""
    assert "TOKEN_WRITE_CACHE" in unread(read("syntax error, unexpected TOKEN_WRITE_CACHE, expecting $end\n"))[0]


def test_deep_nesting_does_no_harm() -> None:
    """Ten thousand open brackets are a problem, not an exception."""
    for bracket in ("[", '{"a":'):
        found = read('{"Controllers":[{"Response Data":' + bracket * 10_000)
        assert unread(found)


def test_deep_but_whole_nesting() -> None:
    """Nesting deeper than in any output of the tools raises no exception."""
    found = read(f'{{"Controllers":[{{"Response Data":{"[" * 300}1{"]" * 300}}}]}}')
    assert len(found.answers) == 1


PIECES = st.lists(
    st.sampled_from(
        [
            '{"Controllers":[', '{"Command Status" : {', '"Response Data" : {', '"PD LIST" : [', "{", "}", "[", "]",
            ",", '"EID:Slt" : "9:0"', '"a" : 1', '"a"', ":", "12", "null", "tru", '"half', "\\", "\n", " ", "Killed\n",
            "[root@far ~]# ", "CLI Version = 007.1\n", "Controller = 0\nStatus = Success\n", "-" * 20 + "\n",
            "\x00", "\ud7ff",
        ]
    ),
    max_size=40,
)  # fmt: skip


@given(PIECES)
def test_any_mixture_is_survived(pieces: list[str]) -> None:
    """Any mixture of pieces is read. Each pair has a line of the output."""
    found = read("".join(pieces))
    assert lost(found) == []


@given(st.text(max_size=300))
def test_any_text_is_survived(text: str) -> None:
    """Random text raises no exception, alone and after truncated JSON."""
    for found in (read(text), read(WHOLE[:333] + text)):
        assert lost(found) == []


@given(st.integers(0, len(WHOLE)), st.text(alphabet='{}[],:"\\x0 \n', max_size=3))
def test_any_small_damage_is_survived(at: int, damage: str) -> None:
    """Damage without a problem changes at most one value."""
    found = read(WHOLE[:at] + damage + WHOLE[at + len(damage) :])
    whole = {(pair.label, pair.value) for pair in every_pair(read(WHOLE).answers[0])}
    read_now = {(pair.label, pair.value) for answer in found.answers for pair in every_pair(answer)}
    assert found.problems or len(read_now - whole) <= 1


def test_each_of_many_broken_documents_is_placed_at_its_line() -> None:
    """Each problem has the line of its document. Of thousands, 20 are reported."""
    found = read('{"Controllers":[{"Command\n' * 3000)
    assert len(found.problems) == 20
    assert all(f"(line {number})" in problem.message for number, problem in enumerate(found.problems, 2))


_LISTED = [drive("9:0"), drive("9:1")]
_VOLUMES = {"/c0/v0": [volume()], "PDs for VD 0": _LISTED, "VD0 Properties": {"Strip Size": "64 KB"}}
_SECOND = {"Virtual Drives": [{"VD Info": volume(), "PDs": _LISTED, "VD Properties": {"Strip Size": "64 KB"}}]}


@pytest.mark.parametrize("value", [None, "?", True])
@pytest.mark.parametrize(
    "damaged",
    [
        lambda value: {"Command Status": value, "Response Data": _VOLUMES},
        lambda value: controller() | {"Response Data": value},
        *[lambda value, name=name: controller(_VOLUMES | {name: value}) for name in _VOLUMES],
        lambda value: controller({"PD LIST": [drive("9:0"), value]}),
        *[
            lambda value, name=name: controller({"Virtual Drives": [_SECOND["Virtual Drives"][0] | {name: value}]})
            for name in _SECOND["Virtual Drives"][0]
        ],
        lambda value: controller({"Virtual Drives": value}),
    ],
)
def test_a_value_in_place_of_an_object_or_a_list_is_unread(damaged: Callable[[object], Any], value: object) -> None:
    """What the tool always prints as an object or a list is unknown if something else is in its place."""
    found = read(json_text(damaged(value)))
    assert ("error", "unread") in problems(found)


@pytest.mark.parametrize("data", [{"VD LIST": 2, "Virtual Drives": 2}, {"Virtual Drives": 2, "PDs": 9}])
def test_counts_are_no_lists(data: dict[str, Any]) -> None:
    """`"Virtual Drives" : 2` counts them, `"VD LIST"` lists them."""
    assert bool(problems(read(json_text(controller(data))))) == ("VD LIST" in data)


@pytest.mark.parametrize(
    "data",
    [
        {"Virtual Drives": [{"VD Info": {"TYPE": "RAID1", "State": "Dgrd"}, "PDs": _LISTED}]},
        [{"Progress%": "37", "Status": "In progress", "Estimated Time Left": "-"}],
        [{"Drive-ID": "/c0/e9/s0", "Progress%": "-", "Status": "Not in progress"},
         {"Progress%": "37", "Status": "In progress"}],
    ],
)  # fmt: skip
def test_a_row_that_does_not_name_its_object_is_unread(data: object) -> None:
    """The state of a volume, or an operation, is not dropped because the number of its object is missing."""
    found = read_output(COMMAND, json_text({"Command Status": status(), "Response Data": data}))
    [draft] = found.controllers.by_number.values()
    assert "unread" in [problem.kind for problem in draft.problems("megaraid:0")]
