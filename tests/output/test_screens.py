"""The other screens: explain, unparsed, doctor, vendors, what was kept; and their JSON."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import cast

import jsonschema
import msgspec
import pytest

from raidctl.evidence import Output, mark_read
from raidctl.model import Capability, Inventory, Problem
from raidctl.output.console import Paper
from raidctl.output.doctor import Checkup, checkup_data, checkup_screen
from raidctl.output.explain import concluded, explained, explanation, facts_of
from raidctl.output.json import schema, to_json
from raidctl.output.snapshots import kept_data, kept_screen
from raidctl.output.unparsed import unparsed, unparsed_screen
from raidctl.output.vendors import support, support_screen
from raidctl.recording.manifest import FORMAT, Entry, Manifest
from raidctl.recording.recording import Recording
from raidctl.request import Failure
from raidctl.survey.doctor import ToolCheck
from raidctl.survey.pci_controllers import PciControllerRow
from raidctl.vendor.protocol import ToolSpec, Vendor
from tests.output.inventories import DEGRADED, EVERY, HEALTHY, NOTHING

EIGHTY = Paper(width=80)
TEXT = """
Smart Array P410i in Slot 1
   Cache Ratio: 25% Read / 75% Write
   Odd Label: 12
"""


@pytest.fixture
def sheet() -> Output:
    """An output of which one line was understood, one noted, one left."""
    made = Output.of_text("acmecli show detail", TEXT)
    made.lines[2].fact("smartarray:1", "cache.write_percent", 75)
    made.lines[2].fact("smartarray:1", "cache.read_percent", 25)
    made.lines[1].fact("smartarray:1", "model", "Smart Array P410i")
    made.lines[1].fact("smartarray:1/v1", "status", "ok")
    return made


def test_each_fact_is_told_with_the_line_that_it_came_from(sheet: Output) -> None:
    """Command, line number, field, value, and the line as it was printed; the facts of that object only."""
    told = explanation(HEALTHY, [sheet], ["smartarray:1"], EIGHTY)
    assert "from acmecli show detail" in told
    assert "     2  model                Smart Array P410i  Smart Array P410i in Slot 1" in told
    assert [fact.line.number for fact in facts_of([sheet], "smartarray:1")] == [2, 3, 3]
    assert "status" not in told.split("concluded")[0]


def test_what_has_no_line_of_its_own_is_said_to_be_concluded(sheet: Output) -> None:
    """A field that is filled without evidence is never passed off as read."""
    fields = dict(concluded(HEALTHY, [sheet], "smartarray:1"))
    assert fields["slot"] == "1"
    assert fields["cache.no_battery_write_cache"] == "no"
    assert not {"model", "cache.read_percent", "id", "volumes", "serial_"} & set(fields)


def test_explanations_for_programs_hold_the_same(sheet: Output) -> None:
    """One entry for each object that was asked for."""
    (entry,) = explained(HEALTHY, [sheet], ["smartarray:1/v1"])
    assert entry["facts"] == [
        {
            "field": "status",
            "value": "ok",
            "command": "acmecli show detail",
            "line": 2,
            "text": "Smart Array P410i in Slot 1",
        }
    ]


def test_an_object_without_evidence_is_explained_honestly() -> None:
    """Nothing is invented."""
    assert "Nothing was recorded" in explanation(Inventory(host=HEALTHY.host), [], ["nothing"], EIGHTY)


def test_lines_that_nobody_used_are_listed(sheet: Output) -> None:
    """With their numbers, and how many there are."""
    told = unparsed_screen([sheet], EIGHTY)
    assert told.startswith("Not used: 1 of 3 lines, in 1 of 1 output.\n")
    assert "  4  Odd Label: 12\n" in told
    assert unparsed([sheet])[0]["unparsed"] == [{"line": 4, "text": "   Odd Label: 12"}]


def test_that_every_line_was_used_is_said(sheet: Output) -> None:
    """An empty list would leave one in doubt."""
    mark_read(sheet.lines[3])
    assert unparsed_screen([sheet], EIGHTY) == "Every line was used: 3 in 1 output.\n"
    assert unparsed_screen([], EIGHTY) == "No output was read.\n"


CARDS = (
    PciControllerRow(
        "0000:05:00.0", "Acme R 5", "acme", "acme", ("acmecli", "acmectl"), (), (), listed=False, note=None
    ),
    PciControllerRow(
        "0000:06:00.0", "Acme R 6", "acme", "acme", ("acmecli",), ("acmecli",), ("acme:1",), listed=True, note=None
    ),
    PciControllerRow("0000:07:00.0", "Acme R 7", "vfio-pci", None, (), (), (), listed=None, note="Handed to a guest."),
)
TOOLS = (
    ToolCheck("acme", "acmecli", "acme-tools", "/opt/acme/acmecli", "acmecli 1.2.3"),
    ToolCheck("acme", "acmectl", "acme-tools"),
    ToolCheck("md", "mdadm", "mdadm", "/sbin/mdadm", None, "does not start: not executable"),
)
CHECKUP = Checkup(NOTHING, CARDS, TOOLS, root=False, libraries={"rich": "13.0", "pyudev": None})


def test_the_doctor_tells_of_each_card_who_answers_for_it() -> None:
    """Shown as what, or not shown and which program is missing, or why nobody needs to answer."""
    told = checkup_screen(CHECKUP, EIGHTY)
    assert "NOT SHOWN, needs acmecli or acmectl" in told
    assert "reported by acmecli" in told
    assert "shown as acme:1" in told
    assert "Handed to a guest." in told


def test_the_doctor_explains_the_choice_under_the_card() -> None:
    """Of several programs it says which one told, which did not, and the family's reason; that is not said twice."""
    why = "acmecli and acmectl see this controller; it is shown as acmecli told it."
    other = Problem(severity="info", where="acme:9", message="Something about another card.")
    mine = Problem(severity="info", where="acme:1", message=why)
    row = PciControllerRow(
        "0000:06:00.0", "Acme R 6", "acme", "acme", ("acmecli", "acmectl"), ("acmecli", "acmectl"), ("acme:1",),
        listed=True, note=None, reported_by=("acmecli",), notes=(why,),
    )  # fmt: skip
    inventory = msgspec.structs.replace(NOTHING, problems=(mine, other))
    told = checkup_screen(Checkup(inventory, (row,), (), root=True, libraries={}), EIGHTY)
    assert "reported by acmecli, not by acmectl" in told
    card, notes = " ".join(told.split()).split(" Notes ")
    assert why in card
    assert why not in notes
    assert "Something about another card." in notes


def test_the_doctor_does_not_praise_a_program_that_is_silent() -> None:
    """A program that is installed and lists no such card has not told of it."""
    row = PciControllerRow(
        "0000:06:00.0", "R 6", "acme", "acme", ("acmecli",), ("acmecli",), (), listed=False, note=None
    )
    told = checkup_screen(Checkup(NOTHING, (row,), (), root=True, libraries={}), EIGHTY)
    assert "not reported by acmecli" in told


def test_the_doctor_tells_programs_rights_and_libraries() -> None:
    """What is there with its version, what does not start, what is not installed."""
    told = checkup_screen(CHECKUP, EIGHTY)
    assert "  acme    acmecli  acmecli 1.2.3                   /opt/acme/acmecli\n" in told
    assert "does not start: not executable" in told
    assert "    acme      acmectl\n" in told
    assert "NOT ROOT" in told
    assert "pyudev MISSING" in told
    assert "→ Install ssacli." in told
    assert told.split("\n")[1] == "1 thing to look at: 0000:05:00.0"


def test_the_doctor_leaves_sick_drives_to_show() -> None:
    """A degraded array is no matter of tools and rights."""
    told = checkup_screen(Checkup(DEGRADED, (), (), root=True, libraries={}), EIGHTY)
    assert "Nothing is missing." in told
    assert "degraded" not in told


def test_the_doctor_for_programs_is_plain_data() -> None:
    """Encodable, with the problems of the inventory."""
    data = json.loads(to_json(checkup_data(CHECKUP)))
    assert data["problems"][0]["kind"] == "no_tool"
    assert data["tools"][1]["path"] is None


def family(name: str, support_of: dict[str, Capability]) -> Vendor:
    """A vendor package's constants."""
    made = SimpleNamespace(
        FAMILY=name,
        TITLE=f"{name} cards",
        TOOLS=(ToolSpec(f"{name}cli"),),
        DRIVERS=(name,),
        LAST=False,
        SUPPORT=support_of,
    )
    return cast("Vendor", made)


FAMILIES = [
    family("acme", {"volumes": Capability(read=True, set=False), "cache_split": Capability(read=True, set=True)}),
    family("zeta", {"volumes": Capability(read=False, set=False, why="Their tool does not tell.")}),
]


def test_the_support_table_has_a_column_for_each_family() -> None:
    """Marks with a legend, reasons as footnotes."""
    told = support_screen(FAMILIES, EIGHTY)
    rows = {text[:24].strip(): text[24:].split() for text in told.split("\n")}
    assert rows["volumes"] == ["r", "-", "1"]
    assert rows["cache split"] == ["rw", "-"]
    assert "1         Their tool does not tell." in told
    assert "r: can be read" in told


def test_seven_families_fit_into_eighty_columns() -> None:
    """The table stays readable when all planned families are installed."""
    names = ("adaptec", "areca", "drives", "md", "megaraid", "smartarray", "threeware")
    told = support_screen([family(name, {"volumes": Capability(read=True, set=True)}) for name in names], EIGHTY)
    assert max(map(len, told.split("\n"))) <= 80
    assert all(name in told.split("\n")[0] for name in names)


def test_support_for_programs_names_every_capability_that_is_told() -> None:
    """In the words of the model."""
    told = support(FAMILIES)[0]
    assert told["family"] == "acme"
    assert told["capabilities"]["cache_split"] == {"read": True, "set": True, "why": None}


@pytest.mark.parametrize("name", EVERY)
def test_every_inventory_is_valid_against_the_schema(name: str) -> None:
    """The schema is itself valid, and ``--json`` keeps to it."""
    jsonschema.Draft202012Validator.check_schema(schema())
    jsonschema.Draft202012Validator(schema()).validate(json.loads(to_json(EVERY[name])))


def test_the_schema_describes_every_field() -> None:
    """Meaning and unit of each field stand in the schema; lists of objects speak for themselves."""
    undescribed = {
        f"{cls}.{name}"
        for cls, told in schema()["$defs"].items()
        for name, field in told["properties"].items()
        if "description" not in field and "items" not in field
    }
    assert undescribed == set()


def test_json_is_the_same_for_the_same_inventory() -> None:
    """Fields in the order of the model, keys of details sorted, UTF-8, a newline at the end."""
    one = msgspec.structs.replace(HEALTHY.controllers[0], details={"b": "ü", "a": "2"})
    two = msgspec.structs.replace(one, details={"a": "2", "b": "ü"})
    assert to_json(one) == to_json(two)
    assert to_json(one).endswith("}\n")
    assert '"b": "ü"' in to_json(one)
    assert list(json.loads(to_json(HEALTHY)))[:3] == ["schema_version", "host", "controllers"]


KEPT = Recording(
    Manifest(
        format=FORMAT,
        answers=(
            Entry(run=("acmecli", "show", "\x1b[31m"), code=1, out="show.out"),
            Entry(run=("acmecli", "hang"), trouble=Failure.TIMEOUT),
            Entry(read="/proc/mdstat", text="none\n"),
        ),
    ),
    {"show.out": b"x" * 2048},
)


def test_what_was_kept_is_told_with_a_warning() -> None:
    """Commands with their exit codes, and that serial numbers are inside unless they were masked."""
    told = kept_screen(KEPT, "/tmp/it.tar.gz", EIGHTY)  # noqa: S108 - a name, no file
    assert "2 commands, 1 other answer, 2 KiB" in told
    assert "  acmecli show  exit code 1\n" in told
    assert "  acmecli hang  timeout\n" in told
    assert "It holds serial numbers" in told
    masked = Recording(msgspec.structs.replace(KEPT.manifest, redacted=True), KEPT.files)
    assert "are masked" in kept_screen(masked, "x", EIGHTY)
    assert kept_data(masked, "x")["redacted"] is True
