"""The other screens (explain, unparsed, doctor, vendors, record) and their JSON."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace
from typing import cast

import jsonschema
import msgspec
import pytest

from raidctl.evidence import Output, mark_read
from raidctl.model import Capability, Host, Inventory, Problem
from raidctl.operate.alarms import AlarmReport
from raidctl.operate.hardware_reports import (
    BatteryReport,
    BatteryState,
    ControllerBatteries,
    ForeignReport,
    PatrolReport,
    PreservedReport,
)
from raidctl.output import hardware_reports
from raidctl.output.alarms import alarms_screen
from raidctl.output.console import Display
from raidctl.output.doctor import Checkup, checkup_data, checkup_screen
from raidctl.output.explain import concluded, explained, explanation, facts_of
from raidctl.output.json import schema, to_json
from raidctl.output.recording import recording_data, recording_screen
from raidctl.output.unparsed import unparsed, unparsed_screen
from raidctl.output.vendors import support, support_screen
from raidctl.recording.manifest import FORMAT, Entry, Manifest
from raidctl.recording.recording import Recording
from raidctl.request import Failure
from raidctl.survey.doctor import ToolCheck
from raidctl.survey.pci_controllers import PciControllerRow
from raidctl.vendor.protocol import ToolSpec, Vendor
from tests.output.inventories import DEGRADED, EVERY, HEALTHY, NOTHING
from tests.support.command_line import Raidctl

EIGHTY = Display(width=80)
TEXT = """
Smart Array P410i in Slot 1
   Cache Ratio: 25% Read / 75% Write
   Odd Label: 12
"""


@pytest.fixture
def output() -> Output:
    """An output with one line understood, one noted, one unused."""
    made = Output.of_text("acmecli show detail", TEXT)
    made.lines[2].fact("smartarray:1", "cache.write_percent", 75)
    made.lines[2].fact("smartarray:1", "cache.read_percent", 25)
    made.lines[1].fact("smartarray:1", "model", "Smart Array P410i")
    made.lines[1].fact("smartarray:1/v1", "status", "ok")
    return made


def test_each_fact_is_shown_with_the_line_that_it_came_from(output: Output) -> None:
    """It is shown with command, line number, field, value and printed line. Only facts of that object are shown."""
    shown = explanation(HEALTHY, [output], ["smartarray:1"], EIGHTY)
    assert "from acmecli show detail" in shown
    assert "     2  model                Smart Array P410i  Smart Array P410i in Slot 1" in shown
    assert [fact.line.number for fact in facts_of([output], "smartarray:1")] == [2, 3, 3]
    assert "status" not in shown.split("derived")[0]


def test_a_value_without_a_line_is_shown_as_derived(output: Output) -> None:
    """A value without evidence is never shown as read from a line."""
    fields = dict(concluded(HEALTHY, [output], "smartarray:1"))
    assert fields["slot"] == "1"
    assert fields["cache.no_battery_write_cache"] == "no"
    assert not {"model", "cache.read_percent", "id", "volumes", "serial_"} & set(fields)


def test_explanations_for_programs_hold_the_same(output: Output) -> None:
    """One entry for each requested object."""
    (entry,) = explained(HEALTHY, [output], ["smartarray:1/v1"])
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
    """No line is invented for it."""
    assert "The source of this object was not recorded" in explanation(
        Inventory(host=HEALTHY.host), [], ["nothing"], EIGHTY
    )


def test_unused_lines_are_listed(output: Output) -> None:
    """Unused lines are listed with their numbers and their count."""
    shown = unparsed_screen([output], EIGHTY)
    assert shown.startswith("Not used: 1 of 3 lines, in 1 of 1 output.\n")
    assert "  4  Odd Label: 12\n" in shown
    assert unparsed([output])[0]["unparsed"] == [{"line": 4, "text": "   Odd Label: 12"}]


def test_an_empty_list_of_unused_lines_is_reported(output: Output) -> None:
    """An empty list would leave a doubt."""
    mark_read(output.lines[3])
    assert unparsed_screen([output], EIGHTY) == "Every line was used: 3 in 1 output.\n"
    assert unparsed_screen([], EIGHTY) == "No output was read.\n"


CONTROLLERS = (
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
CHECKUP = Checkup(NOTHING, CONTROLLERS, TOOLS, root=False, libraries={"rich": "13.0", "pyudev": None})


def test_the_doctor_names_the_family_responsible_for_each_controller() -> None:
    """The doctor accounts for each controller.

    It names the object it is shown as, or the missing tool, or the reason why no tool is needed.
    """
    shown = checkup_screen(CHECKUP, EIGHTY)
    assert "NOT SHOWN, needs acmecli or acmectl" in shown
    assert "reported by acmecli" in shown
    assert "shown as acme:1" in shown
    assert "Handed to a guest." in shown


def test_the_doctor_explains_the_choice_below_the_controller() -> None:
    """Of several tools, the doctor names the one used.

    It also names the silent one and the family's reason, each once.
    """
    why = "acmecli and acmectl see this controller; it is shown as acmecli reports it."
    other = Problem(severity="info", where="acme:9", message="Something about another controller.")
    mine = Problem(severity="info", where="acme:1", message=why)
    row = PciControllerRow(
        "0000:06:00.0", "Acme R 6", "acme", "acme", ("acmecli", "acmectl"), ("acmecli", "acmectl"), ("acme:1",),
        listed=True, note=None, reported_by=("acmecli",), notes=(why,),
    )  # fmt: skip
    inventory = msgspec.structs.replace(NOTHING, problems=(mine, other))
    shown = checkup_screen(Checkup(inventory, (row,), (), root=True, libraries={}), EIGHTY)
    assert "reported by acmecli, not by acmectl" in shown
    controller, notes = " ".join(shown.split()).split(" Notes ")
    assert why in controller
    assert why not in notes
    assert "Something about another controller." in notes


def test_the_doctor_credits_no_tool_that_lists_nothing() -> None:
    """An installed tool that lists no such controller has not reported it."""
    row = PciControllerRow(
        "0000:06:00.0", "R 6", "acme", "acme", ("acmecli",), ("acmecli",), (), listed=False, note=None
    )
    shown = checkup_screen(Checkup(NOTHING, (row,), (), root=True, libraries={}), EIGHTY)
    assert "not reported by acmecli" in shown


def test_the_doctor_lists_tools_permissions_and_libraries() -> None:
    """The doctor lists installed tools with their versions.

    It also lists tools that do not start, and tools that are not installed.
    """
    shown = checkup_screen(CHECKUP, EIGHTY)
    assert "  acme    acmecli  acmecli 1.2.3                   /opt/acme/acmecli\n" in shown
    assert "does not start: not executable" in shown
    assert "    acme      acmectl\n" in shown
    assert "NOT ROOT" in shown
    assert "pyudev MISSING" in shown
    assert "→ Install ssacli." in shown
    assert shown.split("\n")[1] == "1 thing to check: 0000:05:00.0"


def test_the_doctor_leaves_sick_drives_to_show() -> None:
    """A degraded array does not concern tools and permissions."""
    shown = checkup_screen(Checkup(DEGRADED, (), (), root=True, libraries={}), EIGHTY)
    assert "Nothing is missing." in shown
    assert "degraded" not in shown


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
    shown = support_screen(FAMILIES, EIGHTY)
    rows = {text[:24].strip(): text[24:].split() for text in shown.split("\n")}
    assert rows["volumes"] == ["r", "-", "1"]
    assert rows["cache split"] == ["rw", "-"]
    assert "1         Their tool does not tell." in shown
    assert "r: can be read" in shown


def test_seven_families_fit_into_eighty_columns() -> None:
    """The table stays readable when all planned families are installed."""
    names = ("adaptec", "areca", "drives", "md", "megaraid", "smartarray", "threeware")
    shown = support_screen([family(name, {"volumes": Capability(read=True, set=True)}) for name in names], EIGHTY)
    assert max(map(len, shown.split("\n"))) <= 80
    assert all(name in shown.split("\n")[0] for name in names)


def test_more_families_than_fit_have_a_table_of_their_own() -> None:
    """No cell is alone on a line. Each table has the names of all rows."""
    names = [f"family{number}" for number in range(12)]
    shown = support_screen([family(name, {"volumes": Capability(read=True, set=True)}) for name in names], EIGHTY)
    titles = [text for text in shown.split("\n") if text.startswith(" " * 24 + "family")]
    assert " ".join(titles).split() == names
    assert [text.split() for text in shown.split("\n") if text.startswith("volumes ")] == [
        ["volumes", *["rw"] * len(title.split())] for title in titles
    ]


def test_support_as_json_has_every_reported_capability() -> None:
    """In the words of the model."""
    shown = support(FAMILIES)[0]
    assert shown["family"] == "acme"
    assert shown["capabilities"]["cache_split"] == {"read": True, "set": True, "why": None}


@pytest.mark.parametrize("name", EVERY)
def test_every_inventory_is_valid_against_the_schema(name: str) -> None:
    """The schema is itself valid, and ``--json`` keeps to it."""
    jsonschema.Draft202012Validator.check_schema(schema())
    jsonschema.Draft202012Validator(schema()).validate(json.loads(to_json(EVERY[name])))


def test_the_schema_describes_every_field() -> None:
    """Each field has its meaning and unit in the schema. Lists of objects need none."""
    undescribed = {
        f"{cls}.{name}"
        for cls, shown in schema()["$defs"].items()
        for name, field in shown["properties"].items()
        if "description" not in field and "items" not in field
    }
    assert undescribed == set()


def test_json_is_the_same_for_the_same_inventory() -> None:
    """JSON has fields in model order and sorted keys of details. The encoding is UTF-8, with a newline at the end."""
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


def test_the_contents_of_a_recording_are_listed_with_a_warning() -> None:
    """A recording's commands are listed with their exit codes.

    A warning names the serial numbers inside, unless they were masked.
    """
    shown = recording_screen(KEPT, "/tmp/it.tar.gz", EIGHTY)  # noqa: S108 - a name, no file
    assert "2 commands, 1 other reply, 2 KiB" in shown
    assert "  acmecli show  exit code 1\n" in shown
    assert "  acmecli hang  timeout\n" in shown
    assert "It contains serial numbers" in shown
    masked = Recording(msgspec.structs.replace(KEPT.manifest, redacted=True), KEPT.files)
    assert "are masked" in recording_screen(masked, "x", EIGHTY)
    assert recording_data(masked, "x")["redacted"] is True


def test_a_battery_shows_each_fact_once() -> None:
    """What is not reported is one row, and so is the next learn cycle, however many labels of the tool have it."""
    pack = BatteryState(
        object_id="acme:0/battery0", kind="battery", status="ok", status_text="OK", next_learn_at="2026-07-12T01:48:52",
        more={"Next Learn time": "2026/07/12 01:48:52", "Auto-Learn Mode": "Transparent"},
    )  # fmt: skip
    one = ControllerBatteries(object_id="acme:0", model=None, batteries=(pack,))
    shown = hardware_reports.batteries_screen(BatteryReport(host=Host(), controllers=(one,)), EIGHTY)
    rows = dict(re.findall(r"^  (\S.*?)   *(\S.*)$", shown, re.MULTILINE))
    assert (rows["status"], rows["next learn"], rows["Auto-Learn Mode"]) == ("ok", "2026-07-12T01:48:52", "Transparent")
    assert shown.count("01:48:52") == shown.count("not reported") == 1
    assert rows["not reported"].startswith("charge, temperature, voltage")


def test_without_a_reading_no_screen_concludes_that_there_is_no_controller() -> None:
    """Where something could not be read, there may be a controller with a battery, an alarm or foreign drives."""
    unread = Problem(severity="warning", where="/sys", message="It could not be read.", kind="unread")
    for problems, sure in (((), True), ((unread,), False)):
        screens = (
            alarms_screen(AlarmReport(host=Host(), problems=problems), EIGHTY),
            hardware_reports.batteries_screen(BatteryReport(host=Host(), problems=problems), EIGHTY),
            hardware_reports.foreign_screen(ForeignReport(host=Host(), problems=problems), EIGHTY),
            hardware_reports.patrols_screen(PatrolReport(host=Host(), problems=problems), EIGHTY),
            hardware_reports.preserved_screen(PreservedReport(host=Host(), problems=problems), EIGHTY),
        )
        for text in screens:
            assert ("there is no" in text) is sure
            assert ("not everything could be read" in text) is not sure


@pytest.mark.parametrize(
    "command",
    [
        "show", "diagnose", "verify --battery", "tasks", "events", "cache show", "spare show", "check show",
        "check media show", "check schedule show", "locate list", "battery show", "rate", "doctor",
    ],
)  # fmt: skip
def test_a_screen_about_a_machine_begins_with_its_name(raidctl: Raidctl, command: str) -> None:
    """A screen in a ticket shows of which machine it is, and when it was read."""
    [head, *_] = raidctl("--demo", "raid6", *command.split()).stdout.splitlines()
    assert head.startswith("orchard · Linux 6.1.0-25-amd64 · 20")


@pytest.mark.parametrize("demo", ["gen10", "h730", "9271", "1882"])
def test_a_battery_has_the_same_state_and_temperature_on_both_screens(raidctl: Raidctl, demo: str) -> None:
    """``battery show`` prints them in the words of ``show``, and no word of the tool twice."""
    controllers = raidctl("--demo", demo, "battery", "show").stdout
    [found] = re.findall(r"\n  (?:battery|capacitor) +(.+?)(?: ·|\n)", raidctl("--demo", demo, "show").stdout)
    [state] = re.findall(r"\n  status +(.+)", controllers)
    assert found == state
    shown = " ".join(raidctl("--demo", demo, "show").stdout.split())
    assert all(degrees in shown for degrees in re.findall(r"\n  temperature +(\d+ °C)", controllers))
