"""Complete text outputs of storcli and its relatives. They give the same outline as their JSON."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidctl_megaraid.storcli.outline import Outline
from raidctl_megaraid.storcli.recognise import outline
from tests.vendors.megaraid.storcli_outlines import (
    DRIVE_COLUMNS,
    SECOND,
    answer_text,
    as_tuples,
    cells,
    controller,
    drive,
    json_text,
    pairs,
    section,
    shape,
    status,
    table,
    title,
    unparsed,
    volume,
)

COMMAND = "storcli64 /c0 show all"
DATA: dict[str, Any] = {
    "Product Name": "TestRAID 9999-8i",
    "Drive Groups": 2,
    "Basics": {"Controller": 0, "Model": "TestRAID 9999-8i", "Current System Date/time": "02/03/2031, 04:05:06"},
    "VD LIST": [volume(), volume("1/1", "my data = x", "60.0 GB")],
    "PD LIST": [drive(), drive("9:1", "OTHER"), drive(" :2", "A B C D E", "893.75 GB")],
    "Cachevault_Info": [{"Model": "CVTEST", "State": "Optimal", "Temp": "31C", "Mode": "-", "MfgDate": "2031/01/02"}],
}
LEGEND = (
    "EID=Enclosure Device ID|Slt=Slot No|DID=Device ID|DG=DriveGroup\n"
    "Optl=Optimal|C=Cached IO|sCC=Scheduled\nCheck Consistency\nTR=Transport Ready\n"
)


def read(text: str) -> Outline:
    """The outline of a text."""
    return outline(COMMAND, text)


def body(text: str) -> Outline:
    """The outline of a text below a header."""
    return read(f"{pairs(status())}\n\n{text}")


def test_text_and_json_are_equivalent() -> None:
    """Text and JSON of an answer have the same outline."""
    (text,) = read(answer_text(DATA)).answers
    (made,) = outline(COMMAND, json_text(controller(DATA))).answers
    assert shape(text) == shape(made)


def test_every_line_is_accounted_for() -> None:
    """No line of a complete text is unparsed."""
    found = read(f"Generating detailed summary of the adapter, it may take a while to complete.\n\n{answer_text(DATA)}")
    assert unparsed(found) == []
    assert found.problems == []


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\n".join(line for line in text.split("\n") if line),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("VD LIST :", "\x1b[1mVD LIST :\x1b[0m"),
        lambda text: "\n".join(line.rstrip() for line in text.split("\n")),
        lambda text: "\n".join(f"    {line}" for line in text.split("\n")),
        lambda text: text.removesuffix("\n"),
    ],
    ids=["crlf", "no blank lines", "mark", "escapes", "no trailing blanks", "indented", "no end"],
)
def test_white_space_makes_no_difference(change: Any) -> None:
    """White space changed by mailers and terminals does not change the outline."""
    found = read(change(answer_text(DATA)))
    assert [shape(answer) for answer in found.answers] == [shape(read(answer_text(DATA)).answers[0])]
    assert found.problems == []


def test_lost_blanks_are_split_by_words() -> None:
    """Rows with single blanks are split if their words leave no doubt."""
    text = answer_text({"PD LIST": [drive(), drive("9:1", "A B C")], "VD LIST": [volume(), volume("1/1", "my data")]})
    found = read("\n".join(" ".join(line.split()) for line in text.split("\n")))
    assert cells(section(found, "PD LIST")) == [drive(), drive("9:1", "A B C")]
    assert cells(section(found, "VD LIST")) == [volume(), volume("1/1", "my data")]


def test_rows_that_cannot_be_split_are_reported() -> None:
    """A row that mismatches its header is unparsed, and a problem."""
    text = answer_text({"PD LIST": [drive(), drive("9:1")]}).replace("9:1     31  Onln   0", "9:1 31 Onln")
    found = read(text)
    assert cells(section(found, "PD LIST")) == [drive()]
    assert len(unparsed(found)) == 1
    assert "1 row of the table “PD LIST” could not be split" in found.problems[0].message


def test_header() -> None:
    """The lines before the first section are the answer's status."""
    (answer,) = read(pairs(status(3, "Failure", "Controller 3 not found"))).answers
    assert answer.number == "3"
    assert answer.printed("Status") == "Failure"
    assert answer.printed("CLI Version") == status()["CLI Version"]


def test_header_without_controller() -> None:
    """A syntax error of version 8 has neither controller nor sections."""
    text = pairs(
        {"CLI Version": SECOND, "Operating system": "Linux6.1", "Status": "Failure", "Description": "syntax error"}
    )
    (answer,) = read(text).answers
    assert answer.number is None
    assert answer.printed("Description") == "syntax error"


def test_header_of_an_old_version() -> None:
    """Old versions begin with the controller."""
    (answer,) = read("Controller = 1\nStatus = Success\nDescription = None\n\nHwCfg :\n=====\nBBU = Yes\n").answers
    assert answer.number == "1"


def test_show_keeps_its_second_operating_system() -> None:
    """``show`` prints the operating system in the header and below it."""
    header = status(None)
    text = f"{pairs(header)}\nNumber of Controllers = 1\nHost Name = far\nOperating System  = Linux 6.1\n"
    found = read(text)
    assert found.answers[0].number is None
    assert as_tuples(section(found, "").pairs)[-1] == ("Operating System", "Linux 6.1")


def test_controller_in_basics_is_no_header() -> None:
    """``Controller = 0`` in the basics does not begin an answer."""
    assert len(read(answer_text(DATA)).answers) == 1


def test_detailed_status_table() -> None:
    """The detailed status is the answer's details. The sections after it are not."""
    rows = [{"Ctrl": 0, "Status": "Failed", "Property": "-", "ErrMsg": "use /cx/cv", "ErrCd": 255}]
    found = read(answer_text({"HwCfg": {"BBU": "No"}}, status(0, "Failure", details=rows)))
    (answer,) = found.answers
    assert shape(answer)["details"] == [{label: str(value) for label, value in rows[0].items()}]
    assert as_tuples(section(found, "HwCfg").pairs) == [("BBU", "No")]
    assert unparsed(found) == []


def test_several_controllers() -> None:
    """Each header begins an answer."""
    found = read("\n\n".join(answer_text(DATA, status(number)) for number in range(3)))
    assert [answer.number for answer in found.answers] == ["0", "1", "2"]
    assert len({str(shape(answer)["sections"]) for answer in found.answers}) == 1


def test_several_commands() -> None:
    """Outputs of several commands with prompts between them are read."""
    texts = [answer_text({"TOPOLOGY": [{"DG": "0", "Arr": "-"}]}), answer_text({"VD LIST": [volume()]})]
    found = read("".join(f"root@far:~# storcli64 /c0 show\n{text}" for text in texts))
    assert [[part.title for part in answer.sections] for answer in found.answers] == [["TOPOLOGY"], ["VD LIST"]]
    assert unparsed(found) == ["root@far:~# storcli64 /c0 show"] * 2


def test_pasted_table_without_header() -> None:
    """A table without a header is an answer without a controller."""
    found = read(f"{title('PD LIST')}\n{table([drive()])}")
    assert found.answers[0].number is None
    assert cells(section(found, "PD LIST")) == [drive()]


def test_values_with_signs() -> None:
    """A value may contain equal signs and bars, a label brackets."""
    text = "HwCfg :\n=====\nROC temperature(Degree Celsius) = 53\nOption = a = b | c\nBGI Rate  = Yes\nOther =\n"
    assert as_tuples(section(body(text), "HwCfg").pairs) == [
        ("ROC temperature(Degree Celsius)", "53"), ("Option", "a = b | c"), ("BGI Rate", "Yes"), ("Other", ""),
    ]  # fmt: skip


def test_value_that_runs_on() -> None:
    """A list over several lines is one value with all its lines."""
    levels = "RAID Level Supported = RAID0, RAID1, \n, PRL 11, SRL 3, \nlast one\n"
    text = f"{title('Capabilities')}{levels}Enable JBOD = No\n"
    (level, jbod) = section(body(text), "Capabilities").pairs
    assert level.value == "RAID0, RAID1, , PRL 11, SRL 3, last one"
    assert len(level.lines) == 3
    assert jbod.value == "No"


def test_inquiry_data() -> None:
    """The rows of the inquiry data are the value of their label."""
    text = f"{title('Drive /c0/e9/s0 - Detailed Information')}\nInquiry Data = \n00 00 06 32 \nff 01 10 02 \nab \n\n\n"
    found = body(text)
    assert as_tuples(section(found, "Drive /c0/e9/s0 - Detailed Information").pairs) == [
        ("Inquiry Data", "00 00 06 32 ff 01 10 02 ab")
    ]
    assert unparsed(found) == []


def test_pairs_after_a_table() -> None:
    """Pairs after a table and a legend belong to no section. The same holds in JSON."""
    aso = [{"Adv S/W Opt": "MegaRAID RAID6", "Time Remaining": "Unlimited", "Mode": "-"}]
    found = body(f"{title('Advanced Software Option')}\n{table(aso)}\nSafe ID =  ABCDEF\n\n{title('HwCfg')}BBU = No\n")
    assert as_tuples(section(found, "").pairs) == [("Safe ID", "ABCDEF")]
    assert cells(section(found, "Advanced Software Option")) == aso


def test_counts_after_pairs() -> None:
    """A count after pairs and a blank line belongs to no section."""
    found = body(f"{title('Scheduled Tasks')}OEMID = TEST\n\nDrive Groups = 2\n\n{title('TOPOLOGY')}\n")
    assert as_tuples(section(found, "").pairs) == [("Drive Groups", "2")]


def test_policies() -> None:
    """Pairs after the table of policies belong to the policies."""
    text = (
        f"{title('Policies')}\n{title('Policies Table')}\n"
        f"{table([{'Policy': 'Rebuild Rate', 'Current': '30 %', 'Default': '30%'}])}\n"
        "Flush Time(Default) = 4s\nAuto Rebuild = On\n"
    )
    found = body(text)
    assert as_tuples(section(found, "Policies").pairs) == [("Flush Time(Default)", "4s"), ("Auto Rebuild", "On")]
    assert section(found, "Policies Table").path == ("Policies",)
    assert cells(section(found, "Policies Table"))[0]["Current"] == "30 %"


def test_sections_of_a_drive() -> None:
    """The parts of a drive's details have its titles as their path."""
    name = "Drive /c0/e9/s1"
    port = [{"Port": "0", "Status": "Active", "Linkspeed": "12.0Gb/s", "SAS address": "0x5000a"}]
    text = (
        f"{title(name)}\n{table([drive('9:1')])}\n{LEGEND}\n\n{title(f'{name} - Detailed Information')}\n"
        f"{title(f'{name} State')}Media Error Count = 3\n\n\n{title(f'{name} Policies/Settings')}Certified = Yes\n\n"
        f"{title('Port Information')}\n{table(port)}\n\nInquiry Data = \n00 01 02 03 \n\n\n\n"
        f"{title('Drive /c0/e9/s12')}\n{table([drive('9:12')])}\n"
    )
    found = body(text)
    details = f"{name} - Detailed Information"
    assert [(part.title, part.path) for part in found.answers[0].sections] == [
        (name, ()), (details, ()), (f"{name} State", (details,)), (f"{name} Policies/Settings", (details,)),
        ("Port Information", (details, f"{name} Policies/Settings")), ("Drive /c0/e9/s12", ()),
    ]  # fmt: skip
    assert as_tuples(section(found, details).pairs) == [("Inquiry Data", "00 01 02 03")]
    assert cells(section(found, "Port Information")) == port
    assert unparsed(found) == []


def test_sections_of_an_enclosure() -> None:
    """The parts of an enclosure have its title as their path."""
    text = (
        f"{title('Enclosure /c0/e252 ')}\n{title('Information')}Device Type = SES\n\n"
        f"{title('Properties')}\n{table([{'EID': '252', 'State': 'OK'}])}"
    )
    found = body(text)
    assert section(found, "Information").path == ("Enclosure /c0/e252",)
    assert section(found, "Properties").path == ("Enclosure /c0/e252",)


def test_legends_are_noted() -> None:
    """Legends below tables are accounted for, without values."""
    found = body(f"{title('PD LIST')}\n{table([drive()])}\n{LEGEND}\nVirtual Drives = 2\n")
    assert unparsed(found) == []
    assert as_tuples(section(found, "").pairs) == [("Virtual Drives", "2")]


def test_legend_right_below_the_table() -> None:
    """Legend and title are recognised without blank lines between them."""
    found = body(f"{title('PD LIST')}{table([drive()])}{LEGEND}{title('VD LIST')}{table([volume()])}")
    assert cells(section(found, "PD LIST")) == [drive()]
    assert cells(section(found, "VD LIST")) == [volume()]
    assert unparsed(found) == []


def test_mode_of_the_battery_is_a_legend() -> None:
    """The explanation of the battery's mode is not a value."""
    bbu = [{"Model": "TESTBBU", "State": "Optimal", "RetentionTime": "48 hours +", "Temp": "31C", "Mode": "5",
            "MfgDate": "2031/01/02", "Next Learn": "2031/02/03  04:05:06"}]  # fmt: skip
    found = body(
        f"{title('BBU_Info')}\n{table(bbu)}\nMode 5: 48+ Hrs retention with a non-transparent learn\n    and life.\n"
    )
    assert cells(section(found, "BBU_Info")) == bbu
    assert unparsed(found) == []


def test_table_without_rows() -> None:
    """A table without rows is an empty section."""
    rule = "-" * 40
    found = body(f"{title('VD LIST')}\n{rule}\nDG/VD TYPE State\n{rule}\n{rule}\n\nPhysical Drives = 0\n")
    assert section(found, "VD LIST").rows == []
    assert found.problems == []


def test_repeated_head() -> None:
    """A repeated header inside a table is not a row."""
    rule, head, _, row, *_ = table([drive()]).split("\n")
    second = row.replace("9:0", "9:1")
    found = body(f"{title('PD LIST')}\n{rule}\n{head}\n{rule}\n{row}\n{rule}\n{head}\n{rule}\n{second}\n{rule}\n")
    assert [cell["EID:Slt"] for cell in cells(section(found, "PD LIST"))] == ["9:0", "9:1"]
    assert unparsed(found) == []


def test_blank_line_inside_a_table() -> None:
    """A blank line among the rows does not end the table."""
    lines = table([drive(), drive("9:1")]).split("\n")
    legend = "EID=Enclosure Device ID|Slt=Slot No|DID=Device ID|DG=DriveGroup\n"
    found = body("\n".join([*title("PD LIST").split("\n"), *lines[:4], "", *lines[4:], legend]))
    assert len(section(found, "PD LIST").rows) == 2
    assert found.problems == []


def test_table_without_title() -> None:
    """A table right below the header belongs to the untitled section."""
    rows = [{"EID:Slt": "9:0", "PID": "258", "Progress%": "-", "Status": "Not in progress", "Estimated Time Left": "-"}]
    assert cells(section(body(table(rows)), "")) == rows


def test_second_version() -> None:
    """Columns of version 8 whose titles contain blanks are split."""
    rows = [
        {"EID:Slt": f"268:{n}", "PID": "258", "State": "Conf", "Status": "Online", "DG": "0", "Size": "893.75 GiB",
         "Intf": "SAS", "Med": "SSD", "SED_Type": "Enterprise", "SeSz": "512B", "Model": "TESTSSD 1T", "Sp": "U",
         "LU/NS Count": "1", "Alt-EID": "-"}
        for n in range(2)
    ]  # fmt: skip
    found = body(f"{title('PDs for VD 1')}\n{table(rows)}")
    assert cells(section(found, "PDs for VD 1")) == rows


def test_a_garbled_cell_leaves_the_others() -> None:
    """Random text in the model's column does not damage the other cells."""
    rows = [drive(), drive("9:1", "     -      0n   t  p   -", State="UBad", DG="-"), drive("9:2", "")]
    found = cells(section(body(f"{title('PD LIST')}\n{table(rows)}"), "PD LIST"))
    assert [row["State"] for row in found] == ["Onln", "UBad", "Onln"]
    assert [row["Model"] for row in found] == ["TESTDISK TD4000X", "-      0n   t  p   -", ""]
    assert [row["Sp"] for row in found] == ["U"] * 3


WORD = st.text(alphabet="ABCxyz019-_./+()", min_size=1, max_size=9)
NAME = st.lists(WORD, max_size=3).map(" ".join)
SIZE = st.tuples(st.integers(1, 99999), st.sampled_from(["GB", "TB", "MB", "GiB", "TiB", "KB"])).map(
    lambda parts: f"{parts[0] / 1000:.3f} {parts[1]}"
)
DRIVES = st.lists(
    st.builds(
        lambda place, model, size, group: drive(place, model, size, DG=group),
        st.tuples(st.integers(0, 9999), st.integers(0, 255)).map("{0[0]}:{0[1]}".format), NAME, SIZE,
        st.sampled_from(["-", "0", "12", "127"]),
    ),
    min_size=1, max_size=6,
)  # fmt: skip
VOLUMES = st.lists(
    st.builds(
        volume,
        st.tuples(st.sampled_from(["-", "0", "31"]), st.integers(0, 255)).map("{0[0]}/{0[1]}".format), NAME, SIZE,
    ),
    min_size=1, max_size=6,
)  # fmt: skip


@given(DRIVES, st.booleans())
def test_any_drives(rows: list[dict[str, str]], stripped: bool) -> None:
    """A drive table with any models and sizes is read as printed."""
    found = body(f"{title('PD LIST')}\n{table(rows, DRIVE_COLUMNS, stripped=stripped)}")
    assert cells(section(found, "PD LIST")) == rows


@given(VOLUMES, st.booleans())
def test_any_volumes(rows: list[dict[str, str]], stripped: bool) -> None:
    """A volume table with any names and sizes is read as printed."""
    found = body(f"{title('VD LIST')}\n{table(rows, stripped=stripped)}")
    assert cells(section(found, "VD LIST")) == rows


PROPERTY = st.tuples(NAME, NAME).filter(all)


@given(st.lists(PROPERTY, min_size=2, max_size=6))
def test_any_properties(values: list[tuple[str, str]]) -> None:
    """A table of properties and values with blanks is read as printed."""
    rows = [{"Ctrl_Prop": label, "Value": value} for label, value in values]
    assert cells(section(body(f"{title('Controller Properties')}\n{table(rows)}"), "Controller Properties")) == rows
