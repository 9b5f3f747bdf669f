"""Arrays, spans and missing drives in storcli's topology."""

from __future__ import annotations

import pytest

from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import diagnose
from raidctl.health.judge import judge
from raidctl.model import Health, Inventory
from tests.support.conclusions import read_text
from tests.vendors.megaraid.storcli_outlines import controller, drive, json_text, volume
from tests.vendors.megaraid.storcli_storage_outputs import Data, drive_row, read, topology_row


def group_row(**changes: Data) -> dict[str, Data]:
    """The topology's row of an array: ``0 -   -   -        -   RAID1 Optl``."""
    return topology_row(**{
        "Arr": "-", "Row": "-", "EID": "-", "DID": "-", "Type": "RAID1", "State": "Optl", "Size": "1.090 TB",
        "FSpace": "N",
    } | changes)  # fmt: skip


def span_row(**changes: Data) -> dict[str, Data]:
    """The topology's row of a span."""
    return group_row(**{"Arr": 0} | changes)


def test_the_topology_gives_arrays_and_their_drives() -> None:
    """Rows of a group, span and drives make an array with members."""
    found = read({"TOPOLOGY": [group_row(), span_row(), topology_row(Row=0), topology_row(EID="64:3")]})
    group = found.arrays["0"]
    assert (group.get("status"), group.get("status_text")) == ("ok", "Optl")
    assert list(group.members) == ["64:2", "64:3"]
    assert (group.details["Type"], group.details["Span 0 State"]) == ("RAID1", "Optl")
    assert found.drives["64:3"].get("array") == "0"


@pytest.mark.parametrize(
    ("state", "status"),
    [("Optl", "ok"), ("Dgrd", "warning"), ("Pdgd", "warning"), ("OfLn", "critical"), ("Tilted", "unknown")],
)
def test_the_state_of_a_group(state: str, status: Health) -> None:
    """Each state is known; any other is unknown, and a problem."""
    group = read({"TOPOLOGY": [group_row(State=state)]}).arrays["0"]
    assert (group.get("status"), group.get("status_text")) == (status, state)
    assert bool(group.complaints) == (status == "unknown")


def test_a_group_without_a_state() -> None:
    """A dash in place of the state is None. Version 8 has such a dash."""
    row = group_row(State="-") | {"Span": "-", "Status": "-"}
    del row["Arr"]
    assert read({"TOPOLOGY": [row]}).arrays["0"].get("status") is None


def test_the_state_of_a_span_is_not_that_of_the_group() -> None:
    """The array's status comes from the group's own row."""
    found = read({"TOPOLOGY": [group_row(State="Dgrd"), span_row(), span_row(Arr=1, State="Dgrd")]})
    assert found.arrays["0"].get("status_text") == "Dgrd"
    assert found.arrays["0"].details["Span 1 State"] == "Dgrd"


def test_missing_drives_are_counted() -> None:
    """Missing drives are counted, not listed, and counted once if printed twice."""
    rows = [group_row(State="Dgrd"), topology_row(EID="-", State="Msng", Row=2), topology_row(EID="-", State="Msng")]
    found = read({"TOPOLOGY": rows + rows})
    assert found.drives == {}
    assert found.arrays["0"].details["Missing drives"] == "2"
    assert [item.message for item in found.arrays["0"].complaints] == ["The array lacks 2 drives."]


def test_a_missing_drive_is_not_the_one_in_its_slot() -> None:
    """The drive in a missing drive's slot may be another drive."""
    found = read({"TOPOLOGY": [topology_row(State="Msng")], "PD LIST": [drive_row(State="UGood", DG="-")]})
    assert found.drives["64:2"].get("status") == "ok"
    assert found.arrays["0"].details["Missing drives"] == "1"


def test_spares_of_the_topology() -> None:
    """A global spare has no array. A dedicated one is a spare of its array."""
    found = read(
        {
            "TOPOLOGY": [
                topology_row(EID="64:8", DG="-", Arr="-", Row="-", State="GHS"),
                topology_row(EID="64:9", DG=1, Arr="-", Row="-", State="DHS"),
            ]
        }
    )
    assert [drive.get("role") for drive in found.drives.values()] == ["spare", "spare"]
    assert list(found.arrays["1"].spares) == ["64:9"]
    assert "0" not in found.arrays


def test_the_list_of_drives_outweighs_the_topology() -> None:
    """If they differ, the state in the list of drives counts."""
    found = read({"TOPOLOGY": [topology_row()], "PD LIST": [drive_row(State="Offln")]})
    assert (found.drives["64:2"].get("status"), found.drives["64:2"].get("role")) == ("critical", "failed")


def test_free_space() -> None:
    """The free space of an array is read."""
    found = read({"TOPOLOGY": [group_row()], "FREE SPACE DETAILS": [{"DG": 0, "Size": "20.5 GB"}]})
    assert found.arrays["0"].get("free_bytes") == round(20.5 * 2**30)


def test_free_space_in_pieces() -> None:
    """Free pieces of an array are added."""
    found = read({"FREE SPACE DETAILS": [{"DG": 0, "Size": "1 GB"}, {"DG": 0, "Size": "2 GB"}]})
    assert found.arrays["0"].get("free_bytes") == 3 * 2**30


def test_a_topology_row_without_group_and_drive_is_kept() -> None:
    """A row without group and drive gives details of the controller, and is unread."""
    found = read({"TOPOLOGY": [group_row(DG="-")]})
    assert found.arrays == {}
    assert found.details["TOPOLOGY 0 Type"] == "RAID1"
    assert [complaint.kind for complaint in found.complaints] == ["unread"]


def _show(*drives: tuple[str, str, str], state: str = "Pdgd") -> Inventory:
    """The tables of a RAID 6. Each drive is given by its slot, its row in the topology or "", and its state."""
    places = [
        topology_row(**{"Arr": 0, "Row": row, "EID:Slot": f"252:{slot}" if word != "Msng" else "-", "State": word})
        for slot, row, word in drives
        if row
    ]
    listed = [drive(f"252:{slot}", DG="0", State=word) for slot, _, word in drives if word != "Msng"]
    data = {
        "TOPOLOGY": [group_row(Type="RAID6", State=state), *places],
        "VD LIST": [volume("0/0", TYPE="RAID6", State=state)],
        "PD LIST": listed,
    }
    return read_text(json_text(controller(data))).inventory


def test_the_topology_gives_the_redundancy_of_a_volume() -> None:
    """A RAID 6 without one member survives one more failure. Without the topology, its redundancy is unknown."""
    members = [("0", "0", "Onln"), ("1", "1", "Onln"), ("2", "2", "Onln"), ("3", "3", "Offln")]
    for shown, wanted in ((members, 1), ([(slot, "", word) for slot, _, word in members], None)):
        (found,) = _show(*shown).controllers
        assert found.volumes[0].failures_tolerated == wanted
    (found,) = _show(*members[:3], ("3", "3", "Msng")).controllers
    assert found.volumes[0].failures_tolerated == 1
    (found,) = _show(*members[:2], ("2", "2", "Msng"), ("3", "3", "Msng"), state="Dgrd").controllers
    assert found.volumes[0].failures_tolerated == 0


def test_a_copyback_takes_no_redundancy_and_a_missing_member_is_one_finding() -> None:
    """A ``Cpybck`` drive is a target. A missing member is the cause of its degraded volume."""
    members = [(str(row), str(row), "Onln") for row in range(4)]
    copying = _show(*members, ("4", "", "Cpybck"), state="Optl")
    (found,) = copying.controllers[0].volumes
    assert (found.failures_tolerated, found.progress and found.progress.operation) == (2, "copyback")
    assert {one.severity for one in judge(copying)} == {"info"}
    lacking = judge(_show(*members[:3], ("3", "3", "Msng")))
    assert [(one.rule, one.severity) for one in lacking if one.under is None] == [("volume_degraded", "warning")]


@pytest.mark.parametrize(
    ("state", "rule", "severity", "advice"),
    [
        ("Frgn", "foreign_configuration", "warning", "Find out where"),
        ("UGUnsp", "background_operation", "info", ""),
        ("HSPShld", "drive_expects_failure", "warning", "no volume has data on it"),
    ],
)
def test_a_drive_beside_the_volumes_endangers_no_data(state: str, rule: str, severity: str, advice: str) -> None:
    """A foreign, unsupported or shielded drive outside the volumes endangers no data."""
    members = [(str(row), str(row), "Onln") for row in range(4)]
    worst = diagnose(_show(*members, ("4", "", state), state="Optl"), rules()).findings[0]
    assert (worst.rule, worst.severity) == (rule, severity)
    assert advice in (worst.remedy or "")


def test_a_volume_with_blocked_access_is_critical() -> None:
    """``Access`` ``B`` or ``Blkd`` is a critical finding."""
    for access, wanted in (("RW", []), ("Blkd", ["critical"]), ("B", ["critical"])):
        data = {"VD LIST": [volume("0/0", TYPE="RAID1", State="Optl", Access=access)]}
        found = judge(read_text(json_text(controller(data))).inventory)
        assert [one.severity for one in found if one.rule == "reported_trouble"] == wanted
