"""Complete JSON outputs of storcli and its relatives."""

from __future__ import annotations

import pytest

from raidctl_megaraid.storcli.outline import Outline
from raidctl_megaraid.storcli.recognise import outline
from tests.vendors.megaraid.storcli_outlines import (
    as_tuples,
    cells,
    controller,
    drive,
    every_pair,
    json_text,
    section,
    shape,
    status,
    unparsed,
    volume,
)

COMMAND = "storcli64 /call show all J"


def read(*data: dict[str, object]) -> Outline:
    """The outline of an output with a controller for each response."""
    return outline(COMMAND, json_text(*(controller(item, status(n)) for n, item in enumerate(data))))


def raw(response: str) -> Outline:
    """The outline of an output with verbatim response data."""
    header = '"Command Status" : {"Controller" : 0, "Status" : "Success"}'
    return outline(COMMAND, f'{{"Controllers":[{{{header},"Response Data" : {{{response}}}}}]}}')


def test_command_status_is_kept() -> None:
    """The command status is the answer's status, with numbers as printed."""
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
    """Each requested object has its row in the details."""
    rows = [{"VD": 0, "Status": "Failed", "ErrCd": 255, "ErrMsg": "Invalid VD number"}]
    header = status(0, "Failure", details=rows)
    (answer,) = outline(COMMAND, json_text(controller(None, header))).answers
    assert shape(answer)["details"] == [
        {"VD": "0", "Status": "Failed", "ErrCd": "255", "ErrMsg": "Invalid VD number"}
    ]  # fmt: skip


def test_scalars_form_the_untitled_section() -> None:
    """Values directly in the response data are the section without a title."""
    found = read({"Product Name": "TestRAID 9999", "Virtual Drives": 2, "HwCfg": {"BBU": "Present"}})
    assert as_tuples(section(found, "").pairs) == [("Product Name", "TestRAID 9999"), ("Virtual Drives", "2")]


def test_object_is_a_section() -> None:
    """An object's members are the pairs of the section with its name."""
    assert as_tuples(section(read({"HwCfg": {"BBU": "Present", "Ports": 8}}), "HwCfg").pairs) == [
        ("BBU", "Present"),
        ("Ports", "8"),
    ]


def test_nested_object_has_a_path() -> None:
    """A nested section has the outer titles as its path."""
    found = read({"Drive /c0/e9/s0 - Detailed Information": {"Drive /c0/e9/s0 State": {"Media Error Count": 7}}})
    state = section(found, "Drive /c0/e9/s0 State")
    assert state.path == ("Drive /c0/e9/s0 - Detailed Information",)
    assert as_tuples(state.pairs) == [("Media Error Count", "7")]


def test_list_of_objects_is_rows() -> None:
    """A list of objects gives one row for each."""
    found = read({"PD LIST": [drive("9:0"), drive("9:1", "OTHER")]})
    assert [row["Model"] for row in cells(section(found, "PD LIST"))] == ["TESTDISK TD4000X", "OTHER"]


def test_sections_of_list_items_are_kept_apart() -> None:
    """A section in a list's item has the item in its path. The volumes of version 8 are such items."""
    items = [{"VD Info": {"DG/VD": f"{n}/{n}"}, "PDs": [{"EID:Slt": f"306:{n}"}]} for n in range(2)]
    found = read({"Virtual Drives": items}).answers[0]
    volumes = [part for part in found.sections if part.title == "VD Info"]
    assert [part.path for part in volumes] == [("Virtual Drives[0]",), ("Virtual Drives[1]",)]
    assert [as_tuples(part.pairs) for part in volumes] == [[("DG/VD", "0/0")], [("DG/VD", "1/1")]]
    assert [part.path[-1] for part in found.sections if part.title == "PDs"] == [
        "Virtual Drives[0]",
        "Virtual Drives[1]",
    ]


def test_item_with_both_is_row_and_sections() -> None:
    """An item with plain values and objects is a row and sections."""
    found = read({"Drives List": [{"EID:Slt": "9:0", "Path Information": [{"Path": "Primary"}]}]})
    assert cells(section(found, "Drives List")) == [{"EID:Slt": "9:0"}]
    assert section(found, "Path Information").path == ("Drives List[0]",)


def test_list_of_words_is_texts() -> None:
    """A list of plain values gives texts without labels."""
    assert [pair.value for pair in section(read({"Notes": ["first", "second"]}), "Notes").texts] == ["first", "second"]


def test_empty_list_is_a_section_and_noted() -> None:
    """An empty list is an empty section. Its line is accounted for."""
    found = read({"Virtual Drives": [], "Other": {}})
    assert not section(found, "Virtual Drives").rows
    assert unparsed(found) == []


def test_plain_words_of_values() -> None:
    """Numbers stay as printed, null is empty, booleans are words."""
    found = raw('"a" : 3.50, "b" : null, "c" : true, "d" : false, "e" : 007.1, "f" : "  spaced  "'.replace("007", "7"))
    assert as_tuples(section(found, "").pairs) == [
        ("a", "3.50"), ("b", ""), ("c", "true"), ("d", "false"), ("e", "7.1"), ("f", "spaced"),
    ]  # fmt: skip


def test_endless_number_is_kept() -> None:
    """A number of 5,000 digits is kept as text."""
    digits = "9" * 5000
    assert as_tuples(section(raw(f'"a" : {digits}'), "").pairs) == [("a", digits)]


def test_repeated_names_are_all_kept() -> None:
    """Values and sections of the same name are all kept. Each has its own line."""
    found = raw('"BBU" : "No", "BBU" : "Yes", "X" : {"k" : 1}, "X" : {"k" : 2}')
    pairs = section(found, "").pairs
    assert as_tuples(pairs) == [("BBU", "No"), ("BBU", "Yes")]
    assert pairs[0].lines != pairs[1].lines
    assert [as_tuples(part.pairs) for part in found.answers[0].sections if part.title == "X"] == [
        [("k", "1")],
        [("k", "2")],
    ]


def test_repeated_columns_are_all_kept() -> None:
    """Cells of the same name in a row are all kept."""
    assert cells(section(raw('"T" : [{"Status" : "Good", "Status" : "Bad"}]'), "T")) == [
        {"Status": "Good", "Status (2)": "Bad"}
    ]


def test_the_line_of_a_pair_is_its_leaf() -> None:
    """A pair's line is the leaf's path and value. Its name may contain dots and brackets."""
    found = read({"S.M.A.R.T": {"a[0]": 5}})
    (pair,) = section(found, "S.M.A.R.T").pairs
    assert [line.text for line in pair.lines] == ["Controllers[0].Response Data.S.M.A.R.T.a[0]: 5"]


def test_a_leaf_is_found_by_its_path() -> None:
    """A leaf is found by its path, as in other JSON output."""
    line = read({"HwCfg": {"BBU": "Present"}}).output.leaf("Controllers[0].Response Data.HwCfg.BBU")
    assert line is not None
    assert line.text.endswith(': "Present"')


def test_every_leaf_is_read() -> None:
    """Every line of a complete output is read once."""
    found = read(
        {"Product Name": "T", "PD LIST": [drive(), drive("9:1")], "Policies": {"Policies Table": [{"Policy": "x"}]}},
        {"VD LIST": [volume()], "Deep": {"a": {"b": {"c": [[1, 2], {"d": [{"e": None}]}]}}}},
    )
    numbers = [line.number for answer in found.answers for pair in every_pair(answer) for line in pair.lines]
    assert sorted(numbers) == [line.number for line in found.output.lines]


def test_each_controller_has_its_answer() -> None:
    """Each controller of an output has one answer."""
    assert [answer.number for answer in read({"a": 1}, {"a": 2}, {"a": 3}).answers] == ["0", "1", "2"]


def test_answer_without_response() -> None:
    """A failure without response data is an answer."""
    (answer,) = outline(COMMAND, json_text(controller(None, status(5, "Failure", "Controller 5 not found")))).answers
    assert answer.printed("Description") == "Controller 5 not found"
    assert answer.sections == []


def test_response_that_is_a_list() -> None:
    """Rows directly in the response data belong to the untitled section."""
    text = json_text({"Command Status": status(), "Response Data": [{"EID:Slt": "9:0", "Progress%": "12"}]})
    assert cells(section(outline(COMMAND, text), "")) == [{"EID:Slt": "9:0", "Progress%": "12"}]


def test_one_controller_taken_out() -> None:
    """A controller that was cut out of the output is read."""
    text = json_text(controller({"HwCfg": {"BBU": "Present"}}))
    inner = text[text.index("[") + 1 : text.rindex("]")]
    assert as_tuples(section(outline(COMMAND, inner), "HwCfg").pairs) == [("BBU", "Present")]


def test_control_bytes_in_values() -> None:
    """Control bytes and escape codes are removed from values."""
    found = raw('"Model" : "\\u001b[31mTESTDISK\\u0000\\u0000 "')
    assert as_tuples(section(found, "").pairs) == [("Model", "TESTDISK")]
    assert as_tuples(section(raw('"Model" : "TEST\x00DISK\x01"'), "").pairs) == [("Model", "TEST DISK")]


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
    """In value and line, half a surrogate pair becomes the replacement character."""
    found = raw(f'"Name" : "{written}"')
    assert as_tuples(section(found, "").pairs) == [("Name", read_as)]
    assert found.output.lines[-1].text.encode().decode().endswith(f'"{read_as}"')


def test_no_problem_with_a_whole_output() -> None:
    """A complete output gives no problem."""
    assert read({"HwCfg": {"BBU": "Present"}, "PD LIST": [drive()]}).problems == []


def test_thousands_of_equal_titles_are_all_kept() -> None:
    """Thousands of equal keys in a row are numbered in linear time."""
    number = 4000
    row = ",".join(['"VD" : 1'] * number)
    [answer] = raw(f'"Rows" : [{{{row}}}]').answers
    titles = list(answer.sections[-1].rows[0])
    assert (len(titles), titles[:2], titles[-1]) == (number, ["VD", "VD (2)"], f"VD ({number})")
