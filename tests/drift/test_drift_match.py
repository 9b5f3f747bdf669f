"""The same object in another place has moved. Another object in the same place is a replacement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from raidctl.drift.diff import diff
from raidctl.model import Inventory, Problem
from tests.drift.states import CONTROLLER, changed, controller, found, item, only, state

Doc = dict[str, Any]
A1, A2, SPARE = f"{CONTROLLER}/1I:1:1", f"{CONTROLLER}/1I:1:2", f"{CONTROLLER}/2I:1:7"


def _rebay(document: Doc, old: str, new: str) -> None:
    """Move a drive to another bay, as a tool would report it."""
    drive = item(document, old)
    drive.update(id=new, bay=new.rpartition(":")[2])
    for problem in document["problems"]:
        problem["where"] = new if problem["where"] == old else problem["where"]
    for array in controller(document)["arrays"]:
        for name in ("drives", "spares"):
            array[name] = [new if each == old else each for each in array[name]]


def _renumber(document: Doc, old: str, new: str) -> None:
    """Give a controller, and everything on it, another number."""

    def renamed(value: Any) -> Any:
        if isinstance(value, str) and (value == old or value.startswith(f"{old}/")):
            return new + value[len(old) :]
        if isinstance(value, list):
            return [renamed(each) for each in value]
        if isinstance(value, dict):
            return {key: renamed(each) for key, each in value.items()}
        return value

    document["controllers"] = renamed(document["controllers"])
    document["problems"] = renamed(document["problems"])


def test_a_drive_in_another_bay_has_moved() -> None:
    """A move is one change, which names the bay. There is no loss, no gain, no change of its array."""
    after = changed(state(), lambda document: _rebay(document, A1, f"{CONTROLLER}/1I:1:9"))
    change = only(diff(state(), after))
    assert (change.kind, change.object, change.old, change.new) == ("moved", "drive", A1, f"{CONTROLLER}/1I:1:9")
    assert change.message == (
        "The drive (EG0300FCVBF, serial number W7K0AB3D) was smartarray:0/1I:1:1 and is now smartarray:0/1I:1:9."
    )


def test_two_drives_that_were_swapped_are_two_moves() -> None:
    """Both serial numbers are still present, so nothing is replaced."""

    def swap(document: Doc) -> None:
        _rebay(document, A1, "elsewhere")
        _rebay(document, A2, A1)
        _rebay(document, "elsewhere", A2)
        item(document, A2)["bay"] = "2"

    after = changed(state(), swap)
    assert [(kind, field) for kind, _, _, field in found(state(), after)] == [("moved", "id"), ("moved", "id")]


def test_another_drive_in_the_same_bay_is_named_as_replaced() -> None:
    """Both serial numbers and both models are given. The array's list of ids is the same."""

    def replace(document: Doc) -> None:
        item(document, A2).update(serial="NEW00001", model="EG0600FCVBK", firmware="HPD2")

    replaced = only(diff(state(), changed(state(), replace)))
    assert (replaced.kind, replaced.field) == ("replaced", "serial")
    assert (replaced.old, replaced.new) == ("W7K0AE9F", "NEW00001")
    assert replaced.message == (
        "The drive smartarray:0/1I:1:2 was replaced: it was EG0300FCVBF, serial number W7K0AE9F, and is EG0600FCVBK, "
        "serial number NEW00001."
    )


def test_a_replaced_drive_is_one_change_as_bad_as_what_differs() -> None:
    """A replaced drive is one line, with the new drive's state.

    It covers size, counters, state, details and the problem of the old one.
    """

    def replace(document: Doc) -> None:
        drive = item(document, A2)
        drive.update(serial="NEW00001", wwn="5000AAAA", size_bytes=1, status="warning", rpm=7200, firmware="HPD2")
        drive["details"] = {"Port": "9I"}
        document["problems"] = [one for one in document["problems"] if one["where"] != A2]

    before = changed(state(), lambda document: item(document, A2).update(status="critical"))
    change = only(diff(before, changed(state(), replace)))
    assert (change.kind, change.severity) == ("replaced", "warning")
    assert change.message.endswith("serial number NEW00001. Its status is warning.")


def test_a_moved_drive_takes_along_what_belongs_to_its_bay() -> None:
    """Its device and its details are part of the move. A failure that came with it is not."""

    def move(document: Doc) -> None:
        _rebay(document, A1, f"{CONTROLLER}/1I:1:9")
        item(document, f"{CONTROLLER}/1I:1:9").update(details={"Connector": "9"}, device="/dev/sdq")

    assert only(diff(state(), changed(state(), move))).kind == "moved"

    def fail(document: Doc) -> None:
        move(document)
        item(document, f"{CONTROLLER}/1I:1:9").update(status="critical")

    changes = diff(state(), changed(state(), fail)).changes
    assert [(one.severity, one.field) for one in changes] == [("critical", "status"), ("info", "id")]


def _text(machine: str, old: str, new: str) -> Inventory:
    return msgspec.json.decode(msgspec.json.encode(state(machine)).replace(old.encode(), new.encode()), type=Inventory)


@pytest.mark.parametrize(
    ("old", "new", "kind", "name"),
    [
        ("HBN2C0M4", "NEWSERIAL", "replaced", "drives:NEWSERIAL"),
        ("/sdc", "/sdz", "changed", "drives:HBN2C0M4"),
    ],
)
def test_a_drive_under_a_software_array_is_one_drive(old: str, new: str, kind: str, name: str) -> None:
    """A drive under a software array is one change.

    Replaced, or under another name of the kernel, it is not listed once more for its member, nor for the array's other
    drives.
    """
    change = only(diff(state("md-healthy"), _text("md-healthy", old, new)))
    assert (change.kind, change.id) == (kind, name)


def test_a_replaced_drive_has_the_state_of_its_member() -> None:
    """The new drive is ok, and its partition has failed in the array."""
    after = changed(_text("md-healthy", "HBN2C0M4", "NEWSERIAL"),
                    lambda document: item(document, "md:md1/sdc1").update(status="critical"))  # fmt: skip
    change = only(diff(state("md-healthy"), after))
    assert (change.kind, change.id, change.severity) == ("replaced", "drives:NEWSERIAL", "critical")
    assert change.message.endswith(" md:md1/sdc1 on it is critical.")


def test_a_plain_drive_that_was_replaced_is_not_lost_and_found() -> None:
    """A plain drive with another serial number is one change.

    The device is the same, and the id is made by the serial number.
    """
    after = _text("drives-ahci", "HBN1K7Q2", "NEWSERIAL")
    assert only(diff(state("drives-ahci"), after)).kind == "replaced"


def test_a_learn_cycle_is_information() -> None:
    """The changes of a learn cycle are information. They include the volume that writes through meanwhile."""
    machine = "megaraid-9271-learning"

    def heal(document: Doc) -> None:
        one = controller(document, "megaraid:0")
        one["batteries"][0]["status"] = "ok"
        one["volumes"][0]["cache"].update(write_active="write_back", why_not_in_force=None, write_protected=True)
        one["cache"]["status"] = "ok"
        document["problems"] = [each for each in document["problems"] if "learn" not in each["message"]]

    changes = diff(changed(state(machine), heal), state(machine)).changes
    assert {"status", "cache.write_active"} <= {one.field for one in changes}
    assert {one.severity for one in changes} == {"info"}


@pytest.mark.parametrize(
    ("message", "severity"),
    [
        ("The last learn cycle failed.", "warning"), ("The last learn cycle ran out of time.", "warning"),
        ("Learn cycle is overdue.", "warning"), ("The battery failed while learning.", "warning"),
        ("The learn cycle is in progress.", "info"), ("The battery is learning.", "info"),
        ("The battery is in its learn cycle.", "info"), ("Learn cycle active", "info"),
    ],
)  # fmt: skip
def test_a_problem_with_a_learn_cycle_is_no_information(message: str, severity: str) -> None:
    """Only a message about a running learn cycle is information. One that failed before is a warning meanwhile."""
    after = state("megaraid-9271-learning")
    problem = Problem("warning", "megaraid:0/battery0", message, kind="state")
    change = only(diff(after, replace(after, problems=(*after.problems, problem))))
    assert (change.kind, change.severity) == ("added", severity)


def test_a_renumbered_controller_is_one_move() -> None:
    """Everything on it has another id and is the same."""
    after = changed(state(), lambda document: _renumber(document, CONTROLLER, "smartarray:3"))
    change = only(diff(state(), after))
    assert (change.kind, change.object, change.old, change.new) == ("moved", "controller", CONTROLLER, "smartarray:3")


def test_a_change_on_a_renumbered_controller_is_found() -> None:
    """It is reported with the later id."""

    def both(document: Doc) -> None:
        item(document, A1)["status"] = "critical"
        _renumber(document, CONTROLLER, "smartarray:3")

    reported = found(state(), changed(state(), both))
    assert ("changed", "drive", "smartarray:3/1I:1:1", "status") in reported
    assert len(reported) == 2


@pytest.mark.parametrize("machine", ["megaraid-second-card-crashes", "smartarray-two-tools"])
def test_two_controllers_that_swap_their_numbers_are_two_moves(machine: str) -> None:
    """Known by serial number or PCI address, not by their number."""
    first, second = (one.id for one in state(machine).controllers[:2])

    def swap(document: Doc) -> None:
        _renumber(document, first, "x:9")
        _renumber(document, second, first)
        _renumber(document, "x:9", second)

    reported = found(state(machine), changed(state(machine), swap))
    assert [(kind, thing) for kind, thing, *_ in reported] == [("moved", "controller")] * 2


def test_a_recreated_volume_is_no_change_of_the_old_one() -> None:
    """Another unique id in the same place is a recreated volume. The data are lost, and the sentence states it."""

    def recreate(document: Doc) -> None:
        item(document, f"{CONTROLLER}/v2")["unique_id"] = "600508B1001C00000000000000000000"

    change = only(diff(state(), changed(state(), recreate)))
    assert (change.kind, change.field, change.severity) == ("replaced", "unique_id", "warning")
    assert "it was recreated" in change.message


def test_a_volume_under_another_number_is_a_move() -> None:
    """A volume with the same unique id has moved."""

    def renumber(document: Doc) -> None:
        item(document, f"{CONTROLLER}/v2")["id"] = f"{CONTROLLER}/v5"

    assert found(state(), changed(state(), renumber)) == [("moved", "volume", f"{CONTROLLER}/v5", "id")]


def test_a_drive_that_the_kernel_renames_is_one_change() -> None:
    """Its partitions and mounts are named after it, and are the same."""

    def rename(document: Doc) -> None:
        def renamed(value: Any) -> Any:
            if isinstance(value, str):
                return value.replace("/dev/sdb", "/dev/sdq")
            if isinstance(value, list):
                return [renamed(each) for each in value]
            return {key: renamed(each) for key, each in value.items()} if isinstance(value, dict) else value

        volume = item(document, f"{CONTROLLER}/v2")
        volume.update(renamed(volume))

    assert found(state(), changed(state(), rename)) == [("changed", "volume", f"{CONTROLLER}/v2", "device")]


def test_a_mount_that_is_lost_under_another_device_is_a_change() -> None:
    """The kernel has renamed the drive, and its file system is no longer mounted."""

    def renamed(mounted: tuple[str, ...]) -> Inventory:
        def change(document: Doc) -> None:
            item(document, "drives:HBN1K9X5").update(device="/dev/sdz", mountpoints=list(mounted), mounts=[], layers=[])

        return changed(state("drives-ahci"), change)

    drive = next(one for one in state("drives-ahci").controllers[0].drives if one.id == "drives:HBN1K9X5")
    assert drive.mountpoints
    fields = [[one.field for one in diff(state("drives-ahci"), renamed(points)).changes if one.id == drive.id]
              for points in (drive.mountpoints, ())]  # fmt: skip
    assert fields == [["device"], ["device", "mountpoints"]]


def test_a_removed_controller_is_one_loss() -> None:
    """The fourteen objects on the controller are not listed as lost."""

    def lose(document: Doc) -> None:
        document["controllers"] = []
        document["problems"] = []

    reported = [one for one in found(state(), changed(state(), lose)) if one[1] != "problem"]
    assert reported == [("removed", "controller", CONTROLLER, None)]


@pytest.mark.parametrize(
    ("change", "severity", "message"),
    [
        (lambda d: item(d, f"{CONTROLLER}/battery0").update(status="failed"), "critical",
         "The battery of smartarray:0 changed from ok to failed."),
        (lambda d: item(d, f"{CONTROLLER}/battery0").update(status="learning"), "info",
         "The battery of smartarray:0 changed from ok to learning."),
        (lambda d: item(d, f"{CONTROLLER}/battery0").update(replace=True), "warning",
         "The battery of smartarray:0 needs replacement."),
        (lambda d: item(d, f"{CONTROLLER}/v1")["cache"].update(write_active="write_through"), "warning",
         "The volume smartarray:0/v1 has fallen back from write-back to write-through."),
        (lambda d: item(d, f"{CONTROLLER}/v1")["cache"].update(controller_cache="unprotected"), "critical",
         "The controller's cache no longer protects unwritten data of the volume smartarray:0/v1 in a power failure."),
        (lambda d: item(d, f"{CONTROLLER}/v1")["cache"].update(drive_caches="on", write_protected=False), "warning",
         "The write caches of the drives of the volume smartarray:0/v1 changed from off to on."),
        (lambda d: item(d, f"{CONTROLLER}/v1").update(status="degraded"), "critical",
         "The volume smartarray:0/v1 changed from ok to degraded."),
        (lambda d: item(d, f"{CONTROLLER}/v2").update(status="ok"), "info",
         "The volume smartarray:0/v2 changed from rebuilding to ok."),
        (lambda d: controller(d).update(foreign=True), "warning", None),
        (lambda d: controller(d).update(firmware="7.00"), "info",
         "The controller smartarray:0, firmware: 6.60 → 7.00."),
        (lambda d: item(d, A1)["errors"].update(media=4), "warning", None),
        (lambda d: item(d, A1).update(status="critical"), "critical",
         "The drive smartarray:0/1I:1:1 changed from ok to critical."),
        (lambda d: item(d, f"{CONTROLLER}/B").update(spares=[]), "warning",
         "The array smartarray:0/B has lost the spare smartarray:0/2I:1:7."),
        (lambda d: controller(d)["drives"].remove(item(d, SPARE)), "warning", None),
        (lambda d: controller(d)["drives"].remove(item(d, A1)), "critical", None),
        (lambda d: controller(d)["batteries"].clear(), "critical", "The battery of smartarray:0 is gone."),
    ],
)  # fmt: skip
def test_a_well_known_change_has_its_weight_and_its_sentence(
    change: Callable[[Doc], None], severity: str, message: str | None
) -> None:
    """A loss of data or speed has a severity to match. Deliberate changes are information."""
    reported = only(diff(state(), changed(state(), change)))
    assert reported.severity == severity
    assert message is None or reported.message == message


@pytest.mark.parametrize(
    ("name", "status", "severity"),
    [(SPARE, "ok", "info"), (SPARE, "critical", "critical"), (SPARE, "warning", "warning"),
     (f"{CONTROLLER}/battery0", "failed", "critical"), (f"{CONTROLLER}/v1", "degraded", "critical")],
)  # fmt: skip
def test_a_new_object_in_a_bad_state_is_no_information(name: str, status: str, severity: str) -> None:
    """A drive that is plugged in and has failed is critical, and the sentence has its status."""

    def lose(document: Doc) -> None:
        for kind in ("batteries", "volumes", "drives"):
            controller(document)[kind] = [one for one in controller(document)[kind] if one["id"] != name]

    after = changed(state(), lambda document: item(document, name).update(status=status))
    reported = only(diff(changed(state(), lose), after))
    assert (reported.kind, reported.severity) == ("added", severity)
    assert reported.message.endswith(f"is new. Its status is {status}." if status != "ok" else "is new.")


def test_what_becomes_known_and_is_bad_is_critical() -> None:
    """No tool reported the caches before. Now the controller's has failed, and the volume's is unprotected."""

    def unknown(document: Doc) -> None:
        controller(document).update(cache=None)
        item(document, f"{CONTROLLER}/v1").update(cache=None)

    def bad(document: Doc) -> None:
        controller(document)["cache"].update(status="critical")
        item(document, f"{CONTROLLER}/v1")["cache"].update(controller_cache="unprotected")

    changes = diff(changed(state(), unknown), changed(state(), bad)).changes
    assert [(one.object, one.field, one.severity) for one in changes] == [
        ("controller", "cache", "critical"), ("volume", "cache", "critical"),
    ]  # fmt: skip


def test_a_problem_that_becomes_an_error_is_critical() -> None:
    """Its words are the same."""
    mild, bad = (
        msgspec.structs.replace(
            state(), problems=(*state().problems, Problem(severity, CONTROLLER, "Odd.", kind="state"))
        )
        for severity in ("warning", "error")
    )
    assert only(diff(mild, bad)).severity == "critical"
    assert only(diff(bad, mild)).severity == "info"
