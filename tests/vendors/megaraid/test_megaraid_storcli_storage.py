"""Every line of storcli's volumes, drives and enclosures belongs to an object."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import diagnose, exit_code
from raidctl.errors import EXIT_CANNOT_TELL
from raidctl_megaraid.draft import Controllers
from raidctl_megaraid.storcli.from_text import from_text
from raidctl_megaraid.storcli.outline import Answer
from raidctl_megaraid.storcli.storage import read_storage
from tests.support.machines import altered
from tests.vendors.megaraid.megaraid_scripted_tools import observation
from tests.vendors.megaraid.storcli_storage_outputs import (
    Data,
    answer_text,
    details,
    drive_row,
    modern_drive,
    read,
    read_all,
    topology_row,
    volume_row,
)

ENCLOSURE = {"EID": 64, "State": "OK", "Slots": 12, "PD": 4, "PS": 2, "Fans": 3, "ProdID": "BOX"}
EVERYTHING: dict[str, Data] = {
    "Drive Groups": 1, "TOPOLOGY": [topology_row(Type="RAID5", Row="-", Arr="-"), topology_row()],
    "Virtual Drives": 1, "VD LIST": [volume_row()], "Physical Drives": 1, "PD LIST": [drive_row()],
    "Enclosures": 1, "Enclosure LIST": [ENCLOSURE], "Drive /c0/e64/s2": [drive_row()], **details(),
    "VD3 Properties": {"Strip Size": "64 KB"}, "Drives List": [modern_drive()],
}  # fmt: skip


def test_every_line_is_accounted_for() -> None:
    """Each leaf of the response data is evidence of an object."""
    controllers, left, outputs = read_all(answer_text(EVERYTHING))
    for draft in controllers.by_number["0"].all():
        draft.drop_evidence()
    assert left == []
    assert [line.text for line in outputs[0].unparsed() if "Response Data" in line.text] == []


def test_what_is_not_about_storage_is_left() -> None:
    """The controller's own sections are returned, without a controller."""
    controllers, left, _ = read_all(
        answer_text({"Product Name": "X", "HwCfg": {"BBU": "Present"}, "Cachevault_Info": [{"State": "Optimal"}]})
    )
    assert [section.title for section in left] == ["", "HwCfg", "Cachevault_Info"]
    assert controllers.by_number == {}


def test_the_counts_belong_to_the_controller() -> None:
    """Counts are the controller's details; other pairs without a section are returned."""
    controllers, left, _ = read_all(answer_text({"Virtual Drives": 7, "Serial Number": "Y"}))
    assert controllers.by_number["0"].details == {"Virtual Drives": "7"}
    assert [pair.label for section in left for pair in section.pairs] == ["Serial Number"]


def test_a_table_is_known_by_its_columns() -> None:
    """Tables with unknown titles are recognised by their columns."""
    controller = read({"Somebody's drives": [drive_row()], "Somebody's volumes": [volume_row()]})
    assert (list(controller.drives), list(controller.volumes)) == (["64:2"], ["3"])


def test_a_row_with_other_columns_is_kept() -> None:
    """A row without an address gives details. The rows after it are read."""
    controller = read({"PD LIST": [drive_row(), {"Text": "odd"}, drive_row(EID="64:3")]})
    assert list(controller.drives) == ["64:2", "64:3"]
    assert controller.details["PD LIST 1 Text"] == "odd"


def test_enclosures_are_details_of_the_controller() -> None:
    """An enclosure gives details, and a problem if it is not ok."""
    controller = read({"Enclosure LIST": [ENCLOSURE, ENCLOSURE | {"EID": 65, "State": "Critical"}]})
    assert controller.details["Enclosure 64 ProdID"] == "BOX"
    assert [item.message for item in controller.complaints] == ["Enclosure 65 reports 'Critical'."]


@pytest.mark.parametrize("word", ["Unknown", "Not Available"])
def test_an_enclosure_that_cannot_be_read_is_not_good(word: str) -> None:
    """An enclosure whose state the controller cannot read makes the machine unknown, not good."""
    seen = altered("megaraid:9660", r'("EID" : \d+,\s*"State" : )"OK"', rf'\g<1>"{word}"')
    assert exit_code(diagnose(seen.inventory, rules())) == EXIT_CANNOT_TELL


@pytest.mark.parametrize(
    ("word", "bad"),
    [
        ("OK", False),
        ("Normal", False),
        ("Unsupported", False),
        ("Not Installed", False),
        ("N/A", False),
        ("Failed", True),
        ("Critical", True),
        ("Levitating", True),
    ],
)
def test_a_bad_part_of_an_enclosure_is_a_problem(word: str, *, bad: bool) -> None:
    """A part may be a label with a value, or a row of a table."""
    for part in ({"Fan 1 Status": word}, [{"Fan": 1, "Status": word}]):
        controller = read({"Enclosure /c0/e64 ": {"Fan Information": part}})
        assert len(controller.complaints) == int(bad)


_FIRST = r"(Slot Number: 0\n(?:.*\n)+?{}\nPort status: )Active"


@pytest.mark.parametrize(
    ("machine", "before", "message"),
    [
        ("megaraid:9271", r'("Port" ?: ?0,\s*"Status" ?: ?")Active', "No port of the drive is active"),
        ("megaraid:perc5i", r"(Port status: )Active", "No port of the drive is active"),
        ("megaraid:perc5i", _FIRST.format("Port-1 :"), "The drive has lost a path"),
        ("megaraid:perc5i", r"(Port-1 :\nPort status: )Active", None),  # the second port is not connected
    ],
)
def test_a_working_drive_that_has_lost_a_path_is_reported(machine: str, before: str, message: str | None) -> None:
    """A drive without an active port is a problem, and so is one with fewer than its neighbours."""
    problems = altered(machine, before, r"\g<1>Link Down").inventory.problems
    found = {one.message.partition(",")[0].partition(" that ")[0] for one in problems if "Link Down" in one.message}
    assert found == ({message} if message else set())


def test_a_sata_drive_beside_sas_drives_has_lost_no_path() -> None:
    """SATA drives have one port: SAS drives with two in their enclosure show nothing about them."""
    found: dict[str, Data] = {}
    for number, (interface, second) in enumerate([("SATA", "Inactive"), *[("SAS", "Active")] * 3, ("SAS", "Inactive")]):
        name = f"Drive /c0/e64/s{number}"
        ports = [{"Port": 0, "Status": "Active"}, {"Port": 1, "Status": second}]
        found[name] = [drive_row(EID=f"64:{number}", DID=number, Intf=interface)]
        found[f"{name} - Detailed Information"] = {"Port Information": ports}
    problems = observation(answer_text(found)).problems
    assert [one.where for one in problems if "lost a path" in one.message] == ["megaraid:0/64:4"]


def test_the_sections_of_an_enclosure_are_not_of_a_drive() -> None:
    """An enclosure's inquiry data and properties are details of the controller."""
    controller = read({"Drive /c0/e64/s2": [drive_row()], "Enclosure /c0/e64 ": {"Inquiry Data": {"Vendor": "MAKER"}}})
    assert controller.details["Enclosure 64 Inquiry Data Vendor"] == "MAKER"
    assert "Vendor" not in controller.drives["64:2"].details


def test_controllers_are_kept_apart() -> None:
    """Each answer belongs to its controller."""
    controllers, _, _ = read_all(
        answer_text({"PD LIST": [drive_row()]}, controller=0), answer_text({"PD LIST": [drive_row()]}, controller=1)
    )
    assert [list(controller.drives) for controller in controllers.by_number.values()] == [["64:2"], ["64:2"]]


def test_reading_twice_changes_nothing() -> None:
    """The same output twice gives the same objects."""
    once, _, _ = read_all(answer_text(EVERYTHING))
    twice, _, _ = read_all(answer_text(EVERYTHING), answer_text(EVERYTHING))
    for one, two in zip(once.by_number["0"].all(), twice.by_number["0"].all(), strict=True):
        assert (one.values, one.details, one.complaints) == (two.values, two.details, two.complaints)


def test_very_many_drives() -> None:
    """Each of 3,000 drives is listed."""
    controller = read({"PD LIST": [drive_row(EID=f"{number // 100}:{number % 100}") for number in range(3_000)]})
    assert len(controller.drives) == 3_000


_VALUES = st.one_of(
    st.sampled_from(["-", "", "N/A", "64:2", "0/3", " :4", "Onln", "Msng", "Optl", "DRIVE", "RWBD", "F", "0", "9" * 400,
                     "1.0 TB", "37", "Yes", "No", "1.0 TB [0xffffffffffffffff Sectors]", "Rebuild (5%)"]),
    st.integers(), st.text(max_size=12), st.none(), st.booleans(),
)  # fmt: skip
_LABELS = st.one_of(
    st.sampled_from(sorted({
        *drive_row(), *volume_row(), *topology_row(), *ENCLOSURE, "VD", "Operation", "Progress%", "Status",
        "Estimated Time Left", "Drive-ID", "PID", "LUN/NSID", "Active Operations", "Coerced size", "Strip Size",
        "Number of Blocks", "Block Size", "Span Depth", "Number of Drives Per Span", "Drive Temperature",
        "Predictive Failure Count", "S.M.A.R.T alert flagged by drive", "Total Foreign PDs", "CurrentCache",
    })),
    st.text(max_size=8),
)  # fmt: skip
_TITLES = st.one_of(
    st.sampled_from(["VD LIST", "TOPOLOGY", "/c0/v3", "PDs for VD 3", "VD3 Properties", "Drive /c0/e64/s2", "VD Info",
                     "Drive /c0/e64/s2 State", "Drives List", "JBOD LIST", "FREE SPACE DETAILS", "LU/NS Properties",
                     "FOREIGN CONFIGURATION", "Enclosure /c0/e1", "Port Information", "Inquiry Data", "PDs", ""]),
    st.text(max_size=8),
)  # fmt: skip
_OBJECTS = st.dictionaries(_LABELS, _VALUES, max_size=8)
_SECTIONS = st.recursive(
    st.one_of(_OBJECTS, st.lists(_OBJECTS, max_size=4), st.lists(_VALUES, max_size=3)),
    lambda inner: st.one_of(st.dictionaries(_TITLES, inner, max_size=4), st.lists(inner, max_size=3)),
    max_leaves=8,
)


@settings(deadline=None)
@given(
    st.dictionaries(_TITLES, _SECTIONS, max_size=5), st.sampled_from(["None", "Show Drive Rebuild Status", "foreign"])
)
def test_random_answers_raise_no_exception(response: Data, description: str) -> None:
    """Random labels and values raise no exception. Numbers stay in the model's range."""
    controllers, _, _ = read_all(answer_text(response, description))
    for controller in controllers.by_number.values():
        for draft in controller.all():
            draft.drop_evidence()
            for name, (_, value) in draft.values.items():
                assert not isinstance(value, int) or abs(value) < 2**63, name


@pytest.mark.parametrize("share", [0.1, 0.35, 0.6, 0.85, 0.97])
def test_a_truncated_output_gives_no_other_volumes(share: float) -> None:
    """A truncated output gives no volume that the complete one lacks."""
    text = answer_text(EVERYTHING)
    controllers, _, _ = read_all(text[: int(len(text) * share)])
    whole, _, _ = read_all(text)
    for number, controller in controllers.by_number.items():
        assert set(controller.volumes) <= set(whole.by_number[number].volumes)


def test_an_empty_answer() -> None:
    """An empty answer gives nothing."""
    controllers, left, _ = read_all(json.dumps({"Controllers": [{"Command Status": {"Controller": 0}}]}))
    assert (controllers.by_number, left) == ({}, [])


def test_an_answer_without_sections_leaves_none() -> None:
    """An answer without sections returns none."""
    assert read_storage(Controllers(), Answer()) == []


TEXT = """\
CLI Version = 007.1912.0000.0000 Nov 23, 2021
Operating system = Linux 5.10.0
Controller = 2
Status = Success
Description = None

TOPOLOGY :
========

-----------------------------------------------------------------------------
DG Arr Row EID:Slot DID Type  State BT       Size PDC  PI SED DS3  FSpace TR
-----------------------------------------------------------------------------
 0 -   -   -        -   RAID1 Dgrd  N    1.090 TB dsbl N  N   none N      N
 0 0   -   -        -   RAID1 Dgrd  N    1.090 TB dsbl N  N   none N      N
 0 0   0   64:2     11  DRIVE Onln  N    1.090 TB dsbl N  N   none -      N
 0 0   1   -        -   DRIVE Msng  -    1.090 TB -    -  -   -    -      N
 - -   -   64:9     12  DRIVE GHS   -    1.090 TB -    -  -   -    -      N
-----------------------------------------------------------------------------

Virtual Drives = 1

VD LIST :
=======

---------------------------------------------------------------
DG/VD TYPE  State Access Consist Cache Cac sCC     Size Name
---------------------------------------------------------------
0/3   RAID1 Dgrd  RW     Yes     RWTD  -   ON  1.090 TB payroll
---------------------------------------------------------------

Physical Drives = 2

PD LIST :
=======

---------------------------------------------------------------------------
EID:Slt DID State DG     Size Intf Med SED PI SeSz Model            Sp Type
---------------------------------------------------------------------------
64:2     11 Onln   0 1.090 TB SAS  HDD N   N  512B ZX1200TESTDRIVE  U  -
64:9     12 GHS    - 1.090 TB SAS  HDD N   N  512B ZX1200TESTDRIVE  D  -
---------------------------------------------------------------------------
"""


def test_the_text_form_is_read_like_json() -> None:
    """Text tables give the same objects as the rows of the JSON."""
    outline, controllers = from_text("storcli64 /c2 show", TEXT), Controllers()
    left = [section for answer in outline.answers for section in read_storage(controllers, answer)]
    controller = controllers.by_number["2"]
    assert (controller.arrays["0"].details["Missing drives"], list(controller.arrays["0"].members)) == ("1", ["64:2"])
    assert (controller.volumes["3"].get("status"), controller.volumes["3"].get("name")) == ("degraded", "payroll")
    assert [(key, drive.get("role")) for key, drive in controller.drives.items()] == [
        ("64:2", "member"),
        ("64:9", "spare"),
    ]
    assert left == []
