"""JSON outputs of storcli and its relatives, whole ones."""

from __future__ import annotations

import pytest

from raidctl_megaraid.storcli.outline import Outline
from raidctl_megaraid.storcli.recognise import outline
from tests.vendors.megaraid.storcli_outlines import (
    cells,
    controller,
    drive,
    every_pair,
    json_text,
    section,
    shape,
    status,
    told,
    unparsed,
    volume,
)

COMMAND = "storcli64 /call show all J"


def read(*data: dict[str, object]) -> Outline:
    """The outline of an output with one controller for each response."""
    return outline(COMMAND, json_text(*(controller(item, status(n)) for n, item in enumerate(data))))


def raw(response: str) -> Outline:
    """The outline of an output whose response data is written as it stands."""
    said = '"Command Status" : {"Controller" : 0, "Status" : "Success"}'
    return outline(COMMAND, f'{{"Controllers":[{{{said},"Response Data" : {{{response}}}}}]}}')


def test_command_status_is_kept() -> None:
    """The command status gives the answer's status, numbers as printed."""
    (answer,) = read({"a": 1}).answers
    assert answer.printed("controller") == "0"
    assert answer.printed("Status") == "Success"
    assert answer.number == "0"


def test_controller_as_text_is_a_number() -> None:
    """Version 8 prints the controller's number as text."""
    (answer,) = outline(COMMAND, json_text(controller({}, status() | {"Controller": "3"}))).answers
    assert answer.number == "3"


def test_no_controller_in_particular() -> None:
    """An answer about all controllers has no number."""
    (answer,) = outline("storcli show J", json_text(controller({"Number of Controllers": 0}, status(None)))).answers
    assert answer.number is None
    assert answer.printed("Status Code") == "0"


def test_detailed_status_is_rows() -> None:
    """Each object that was asked has its row in the details."""
    rows = [{"VD": 0, "Status": "Failed", "ErrCd": 255, "ErrMsg": "Invalid VD number"}]
    said = status(0, "Failure", details=rows)
    (answer,) = outline(COMMAND, json_text(controller(None, said))).answers
    assert shape(answer)["details"] == [
        {"VD": "0", "Status": "Failed", "ErrCd": "255", "ErrMsg": "Invalid VD number"}
    ]  # fmt: skip


def test_scalars_form_the_untitled_section() -> None:
    """What stands directly in the response data is in the section without a title."""
    found = read({"Product Name": "TestRAID 9999", "Virtual Drives": 2, "HwCfg": {"BBU": "Present"}})
    assert told(section(found, "").pairs) == [("Product Name", "TestRAID 9999"), ("Virtual Drives", "2")]


def test_object_is_a_section() -> None:
    """An object's members are the pairs of the section of its name."""
    assert told(section(read({"HwCfg": {"BBU": "Present", "Ports": 8}}), "HwCfg").pairs) == [
        ("BBU", "Present"),
        ("Ports", "8"),
    ]


def test_nested_object_names_what_is_around_it() -> None:
    """A section inside another one has the titles around it as its path."""
    found = read({"Drive /c0/e9/s0 - Detailed Information": {"Drive /c0/e9/s0 State": {"Media Error Count": 7}}})
    state = section(found, "Drive /c0/e9/s0 State")
    assert state.path == ("Drive /c0/e9/s0 - Detailed Information",)
    assert told(state.pairs) == [("Media Error Count", "7")]


def test_list_of_objects_is_rows() -> None:
    """A list of objects gives one row for each."""
    found = read({"PD LIST": [drive("9:0"), drive("9:1", "OTHER")]})
    assert [row["Model"] for row in cells(section(found, "PD LIST"))] == ["TESTDISK TD4000X", "OTHER"]


def test_items_with_objects_are_told_apart() -> None:
    """Sections inside an item of a list name the item: version 8 lists its volumes so."""
    items = [{"VD Info": {"DG/VD": f"{n}/{n}"}, "PDs": [{"EID:Slt": f"306:{n}"}]} for n in range(2)]
    found = read({"Virtual Drives": items}).answers[0]
    volumes = [part for part in found.sections if part.title == "VD Info"]
    assert [part.path for part in volumes] == [("Virtual Drives[0]",), ("Virtual Drives[1]",)]
    assert [told(part.pairs) for part in volumes] == [[("DG/VD", "0/0")], [("DG/VD", "1/1")]]
    assert [part.path[-1] for part in found.sections if part.title == "PDs"] == [
        "Virtual Drives[0]",
        "Virtual Drives[1]",
    ]


def test_item_with_both_is_row_and_sections() -> None:
    """An item that holds plain values and objects gives a row and sections."""
    found = read({"Drives List": [{"EID:Slt": "9:0", "Path Information": [{"Path": "Primary"}]}]})
    assert cells(section(found, "Drives List")) == [{"EID:Slt": "9:0"}]
    assert section(found, "Path Information").path == ("Drives List[0]",)


def test_list_of_words_is_texts() -> None:
    """A list of plain values gives texts without a label."""
    assert [pair.value for pair in section(read({"Notes": ["first", "second"]}), "Notes").texts] == ["first", "second"]


def test_empty_list_is_a_section_and_noted() -> None:
    """An empty list is a section with nothing in it, and its line is accounted for."""
    found = read({"Virtual Drives": [], "Other": {}})
    assert not section(found, "Virtual Drives").rows
    assert unparsed(found) == []


def test_plain_words_of_values() -> None:
    """Numbers stand as printed, null says nothing, truth values are words."""
    found = raw('"a" : 3.50, "b" : null, "c" : true, "d" : false, "e" : 007.1, "f" : "  spaced  "'.replace("007", "7"))
    assert told(section(found, "").pairs) == [
        ("a", "3.50"), ("b", ""), ("c", "true"), ("d", "false"), ("e", "7.1"), ("f", "spaced"),
    ]  # fmt: skip


def test_endless_number_is_kept() -> None:
    """A number of five thousand digits does not stop the reader."""
    digits = "9" * 5000
    assert told(section(raw(f'"a" : {digits}'), "").pairs) == [("a", digits)]


def test_repeated_names_are_all_kept() -> None:
    """Two values and two sections of one name are both there, each with its own line."""
    found = raw('"BBU" : "No", "BBU" : "Yes", "X" : {"k" : 1}, "X" : {"k" : 2}')
    pairs = section(found, "").pairs
    assert told(pairs) == [("BBU", "No"), ("BBU", "Yes")]
    assert pairs[0].lines != pairs[1].lines
    assert [told(part.pairs) for part in found.answers[0].sections if part.title == "X"] == [[("k", "1")], [("k", "2")]]


def test_repeated_columns_are_all_kept() -> None:
    """Two cells of one name in a row are both there."""
    assert cells(section(raw('"T" : [{"Status" : "Good", "Status" : "Bad"}]'), "T")) == [
        {"Status": "Good", "Status (2)": "Bad"}
    ]


def test_line_is_the_leaf() -> None:
    """A pair's line is the leaf's path and value, also where the name holds dots and brackets."""
    found = read({"S.M.A.R.T": {"a[0]": 5}})
    (pair,) = section(found, "S.M.A.R.T").pairs
    assert [line.text for line in pair.lines] == ["Controllers[0].Response Data.S.M.A.R.T.a[0]: 5"]


def test_leaves_are_lines_as_elsewhere() -> None:
    """The sheet finds a leaf by its path, as that of any other JSON output."""
    line = read({"HwCfg": {"BBU": "Present"}}).output.leaf("Controllers[0].Response Data.HwCfg.BBU")
    assert line is not None
    assert line.text.endswith(': "Present"')


def test_every_leaf_is_read() -> None:
    """No line of a whole output is left over, and none is read twice."""
    found = read(
        {"Product Name": "T", "PD LIST": [drive(), drive("9:1")], "Policies": {"Policies Table": [{"Policy": "x"}]}},
        {"VD LIST": [volume()], "Deep": {"a": {"b": {"c": [[1, 2], {"d": [{"e": None}]}]}}}},
    )
    numbers = [line.number for answer in found.answers for pair in every_pair(answer) for line in pair.lines]
    assert sorted(numbers) == [line.number for line in found.output.lines]


def test_each_controller_has_its_answer() -> None:
    """Several controllers in one output give one answer each."""
    assert [answer.number for answer in read({"a": 1}, {"a": 2}, {"a": 3}).answers] == ["0", "1", "2"]


def test_answer_without_response() -> None:
    """A failure without response data is an answer all the same."""
    (answer,) = outline(COMMAND, json_text(controller(None, status(5, "Failure", "Controller 5 not found")))).answers
    assert answer.printed("Description") == "Controller 5 not found"
    assert answer.sections == []


def test_response_that_is_a_list() -> None:
    """Rows directly in the response data belong to the untitled section."""
    said = json_text({"Command Status": status(), "Response Data": [{"EID:Slt": "9:0", "Progress%": "12"}]})
    assert cells(section(outline(COMMAND, said), "")) == [{"EID:Slt": "9:0", "Progress%": "12"}]


def test_one_controller_taken_out() -> None:
    """A controller that somebody cut out of the output with a tool is read too."""
    text = json_text(controller({"HwCfg": {"BBU": "Present"}}))
    inner = text[text.index("[") + 1 : text.rindex("]")]
    assert told(section(outline(COMMAND, inner), "HwCfg").pairs) == [("BBU", "Present")]


def test_control_bytes_in_values() -> None:
    """Control bytes and escape codes in a value do not reach it."""
    found = raw('"Model" : "\\u001b[31mTESTDISK\\u0000\\u0000 "')
    assert told(section(found, "").pairs) == [("Model", "TESTDISK")]
    assert told(section(raw('"Model" : "TEST\x00DISK\x01"'), "").pairs) == [("Model", "TEST DISK")]


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("\\ud800", "\ufffd"),
        ("a\\uDC00b", "a\ufffdb"),
        ("\\ud83d\\ude00", "\U0001f600"),
        ("\\ud800\\ud800", "\ufffd\ufffd"),
    ],
)
def test_half_characters(written: str, read_as: str) -> None:
    """An escape that is half a character becomes the replacement character, in the value and in its line."""
    found = raw(f'"Name" : "{written}"')
    assert told(section(found, "").pairs) == [("Name", read_as)]
    assert found.output.lines[-1].text.encode().decode().endswith(f'"{read_as}"')


def test_no_problem_with_a_whole_output() -> None:
    """A whole output gives no problem."""
    assert read({"HwCfg": {"BBU": "Present"}, "PD LIST": [drive()]}).problems == []


def test_a_title_that_comes_again_and_again_is_kept_each_time() -> None:
    """A damaged row with one key thousands of times has a column for each; finding a free title is no search."""
    number = 4000
    row = ",".join(['"VD" : 1'] * number)
    [answer] = raw(f'"Rows" : [{{{row}}}]').answers
    titles = list(answer.sections[-1].rows[0])
    assert (len(titles), titles[:2], titles[-1]) == (number, ["VD", "VD (2)"], f"VD ({number})")
