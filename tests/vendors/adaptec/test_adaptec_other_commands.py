"""Commands other than getconfig, partial outputs, errors, JSON, and recognition."""

from __future__ import annotations

import json
import re

import pytest

from raidctl.vendor.protocol import Confidence, Document
from raidctl_adaptec import read, sniff
from tests.vendors.adaptec.adaptec_outputs import (
    DONE,
    area,
    controller_of,
    drive_text,
    found,
    left,
    lines,
    machine,
    pqi,
    volume_text,
)
from tests.vendors.adaptec.adaptec_task_outputs import JSON, LIST, TASK, json_text

IDLE = "Controllers found: 1\n   Current operation              : None\n\nCommand completed successfully.\n"


def test_a_task_is_progress_of_its_volume() -> None:
    """A task of ``getstatus`` is the progress of the configured volume."""
    observation = read([Document("getconfig 1", "text", machine()), Document("getstatus 1", "text", TASK)])
    (volume,) = observation.controllers[0].volumes
    assert volume.progress is not None
    assert (volume.progress.operation, volume.progress.percent) == ("rebuild", 41.0)
    assert volume.details["Task: Priority"] == "High"


def test_a_task_of_an_unreadable_volume_is_unread() -> None:
    """A rebuild is under way, and it is unknown of which volume: it is not passed over."""
    problems = found(re.sub(r"(Logical device +: )0", r"\1?", TASK)).problems
    assert [one.kind for one in problems if "Rebuild" in one.message] == ["unread"]


def test_a_task_that_has_failed_is_a_finding() -> None:
    """A failed rebuild task is a finding, a completed one is not."""
    for word, bad in (("Failed", True), ("Completed", False)):
        text = TASK.replace("In Progress", word)
        problems = read([Document("getstatus 1", "text", text)]).problems
        assert [one.message for one in problems if one.kind == "state"] == (
            ["A task of the controller has failed: Rebuild."] if bad else []
        )


def test_several_tasks_are_kept_apart() -> None:
    """Each task is the progress of the volume that it names."""
    second = TASK.split("\n", 1)[1].replace(": 0", ": 1").replace(": 41", ": 7").replace("Rebuild", "Build/Verify")
    controller = controller_of(TASK.replace(DONE, "\n") + second)
    assert [(v.id, v.progress.operation, v.progress.percent) for v in controller.volumes if v.progress] == [
        ("adaptec:1/v0", "rebuild", 41.0),
        ("adaptec:1/v1", "initialize", 7.0),
    ]


def test_an_idle_controller_shows_nothing() -> None:
    """A ``getstatus`` without tasks reports nothing."""
    observation = found(IDLE)
    assert (observation.controllers, observation.problems, left(IDLE)) == ((), (), [])


def test_a_list_gives_each_controller() -> None:
    """Status, slot, mode, name and serial number of each controller are read."""
    controllers = found(LIST).controllers
    assert [(c.id, c.slot, c.mode, c.model, c.serial) for c in controllers] == [
        ("adaptec:1", "3", "raid", "SmartRAID 3152-8i", "7A0001"),
        ("adaptec:2", "4", "hba", "HBA 1100-8i", "7A0002"),
    ]
    assert left(LIST) == []


def test_versions_are_read_for_each_controller() -> None:
    """``getversion`` prints the firmware of every controller."""
    rows = "\n".join(
        f"Controller #{n}\n==============\n{lines({'Firmware': f'7.{n}-0', 'BIOS': '7.0'}, 0)}\n" for n in (1, 2)
    )
    controllers = found("Controllers found: 2\n" + rows + DONE).controllers
    assert [(controller.id, controller.firmware) for controller in controllers] == [
        ("adaptec:1", "7.1-0"),
        ("adaptec:2", "7.2-0"),
    ]


def test_expanders_are_details() -> None:
    """Expanders are details of their controller, by number."""
    row = lines({"Expander ID": 0, "Vendor ID": "ACME"})
    text = f"Controllers found: 1\n\nExpander List for Controller 2:\n\nExpander# 1\n{row}{DONE}"
    controller = controller_of(text)
    assert (controller.id, controller.details["Expander 1: Vendor ID"]) == ("adaptec:2", "ACME")


def test_the_counters_of_a_drive_are_its_details() -> None:
    """The counters of ``phyerrorlog N device C D`` are details of the drive."""
    text = (
        "Controllers found: 1\n\nPhysical Device Information:\n----------------------------\n\n"
        "Channel            : 0\nDevice             : 4\nVendor             : ATA\nModel              : KX100\n"
        "Serial number      : Q1\nDevice Type        : SATA\n\nSATA Phy Event Counters:\n------------------------\n\n"
        "ID      Size     Value  Description\n0x0001  4            0  Command failed due to ICRC error\n"
        "0x000a  4            6  Register device to host FISes sent due to a COMRESET\n" + DONE
    )
    (drive,) = controller_of(text).drives
    assert (drive.id, drive.model, drive.serial, drive.interface) == ("adaptec:1/0,4", "KX100", "Q1", "sata")
    assert drive.details["Register device to host FISes sent due to a COMRESET"] == "6"
    assert left(text) == []


def test_fragments_are_put_together() -> None:
    """``LD`` and ``PD`` of the same controller are merged."""
    parts = [
        Document(
            "arcconf getconfig 1 LD",
            "text",
            "Controllers found: 1\n" + area("Logical device information", volume_text(0)),
        ),
        Document(
            "arcconf getconfig 1 PD",
            "text",
            "Controllers found: 1\n" + area("Physical Device information", drive_text(0), drive_text(1)),
        ),
    ]
    (controller,) = read(parts).controllers
    assert controller.arrays[0].drives == ("adaptec:1/0,0", "adaptec:1/0,1")


def test_the_number_comes_from_the_command_the_segments_or_the_count() -> None:
    """The controller's number comes from the command, the segments or the count."""
    text = machine().replace("Controllers found: 1", "Controllers found: 2")
    assert found(text, "arcconf GETCONFIG 2 AL").controllers[0].id == "adaptec:2"
    segment = text.replace("Present (0,0)", "Present (Controller:2,Enclosure:0,Slot:0)")
    assert found(segment).controllers[0].id == "adaptec:2"
    assert found(machine()).controllers[0].id == "adaptec:1"


def test_two_machines_are_two_controllers() -> None:
    """The same number with another serial number is another controller."""
    other = machine({"Controller Serial Number": "OTHER"})
    observation = read([Document("a/getconfig 1", "text", machine()), Document("b/getconfig 1", "text", other)])
    assert [controller.id for controller in observation.controllers] == ["adaptec:1", "adaptec:1-2"]


def test_lost_indentation_and_line_ends_make_no_difference() -> None:
    """A paste without indentation and with CR LF gives the same controller."""
    text = machine()
    flat = "\r\n".join(line.strip() for line in text.split("\n"))
    assert controller_of(flat) == controller_of(text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Controllers found: 0\nCommand completed successfully.\n", "note"),
        ("No controllers found.\n", "note"),
        ("Controllers found: 1\nInvalid controller number.\n\nCommand aborted.\n", "note"),
        ("Controllers found: 1\nCommand aborted.\n", "unread"),
        ("", "unread"),
    ],
)
def test_an_output_without_a_controller_is_reported(text: str, kind: str) -> None:
    """An unreadable output is reported differently from a missing controller."""
    observation = found(text)
    assert observation.controllers == ()
    assert [problem.kind for problem in observation.problems] == [kind]


def test_an_unsupported_command_is_no_failure() -> None:
    """An aborted ``getconfig N LD`` of an HBA is not a problem."""
    text = "Controllers found: 1\nThe requested feature is not supported on this controller.\n\nCommand aborted."
    assert (found(text).problems, left(text)) == ((), [])


def test_json_is_read() -> None:
    """Documented JSON keys fill fields."""
    (controller,) = found(json_text(JSON), kind="json").controllers
    assert (controller.id, controller.model, controller.serial, controller.mode) == (
        "adaptec:1",
        "SmartRAID 3151-4i",
        "9C0001",
        "mixed",
    )
    assert (controller.arrays[0].size_bytes, controller.arrays[0].drives) == (512000, ("adaptec:1/0,4",))
    volume, drive = controller.volumes[0], controller.drives[0]
    assert (volume.raid_level, volume.status, volume.size_bytes, volume.array) == (
        "raid10",
        "ok",
        204800,
        "adaptec:1/a0",
    )
    assert (drive.interface, drive.media, drive.rpm, drive.status, drive.device) == ("sas", "hdd", 7200, "ok", None)


def test_json_keys_that_are_not_published_are_details() -> None:
    """Undocumented JSON keys are details, and no leaf is left unread."""
    observation = found(json_text(JSON), kind="json")
    assert observation.controllers[0].details["flavour"] == "plum"
    assert [line.text for output in observation.outputs for line in output.unparsed()] == []


def test_a_bad_state_counts_whichever_of_text_and_json_has_it() -> None:
    """A failed controller and a degraded volume of the JSON output are so beside a good text, in either order."""
    text = (
        "Controllers found: 1\nController information\n   Controller Status : Optimal\n"
        "   Controller Serial Number : 9C0001\n"
        "Logical device information\nLogical Device number 0\n   Status of Logical Device : Optimal\n\n"
        "Command completed successfully.\n"
    )
    changed = json.loads(json.dumps(JSON))
    changed["Controller"]["controllerStatus"] = 1
    changed["Controller"]["LogicalDrive"][0]["state"] = 3
    both = [Document("arcconf getconfig 1", "config", text), Document("getconfigJSON 1", "json", json_text(changed))]
    for documents in (both, both[::-1]):
        [controller] = read(documents).controllers
        assert (controller.status, controller.volumes[0].status) == ("critical", "degraded")


def test_an_unknown_json_state_is_reported() -> None:
    """A number with an undocumented meaning is unknown. A problem names the volume."""
    changed = json.loads(json.dumps(JSON))
    changed["Controller"]["LogicalDrive"][0]["state"] = 77
    observation = found(json_text(changed), kind="json")
    assert observation.controllers[0].volumes[0].status == "unknown"
    assert [p.where for p in observation.problems if p.kind == "unread"] == ["adaptec:1/v0"]


def test_json_that_was_cut_off_is_reported() -> None:
    """A cut-off JSON document gives no controller and one problem."""
    observation = found(json_text(JSON)[:200], kind="json")
    assert (observation.controllers, [p.kind for p in observation.problems]) == ((), ["unread"])


@pytest.mark.parametrize("text", [machine(), pqi(), TASK, IDLE, LIST])
def test_an_output_is_recognised(text: str) -> None:
    """Each output is recognised by its content."""
    claim = sniff("x.txt", text)
    assert claim is not None
    assert (claim.kind, claim.confidence is Confidence.SURE) == ("text", True)


def test_json_is_recognised() -> None:
    """JSON is recognised by its keys."""
    claim = sniff("x.txt", json_text(JSON))
    assert claim is not None
    assert claim.kind == "json"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "Smart Array P420i in Slot 0\n   Controller Status: OK\n",
        "Adapter #0\nController Id : 1\n",
        '{"a": 1}',
        "----\nController information\n----\n  Controller type : SAS2308\n----\nPhysical device information\n----\n",
    ],
)
def test_other_texts_are_not_claimed(text: str) -> None:
    """Outputs of other tools are not claimed."""
    assert sniff("x.txt", text) is None
