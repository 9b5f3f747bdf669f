from __future__ import annotations

import pytest

from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import diagnose
from raidctl.health.judge import judge
from raidctl.model import Health, Inventory
from tests.support.conclusions import read_text
from tests.vendors.megaraid.megaraid_storage_answers import Data, drive_row, read, topology_row
from tests.vendors.megaraid.storcli_outlines import controller, drive, json_text, volume


def group_row(**changes: Data) -> dict[str, Data]:
    """The row of a group: ``0 -   -   -        -   RAID1 Optl``."""
    return topology_row(**{
        "Arr": "-", "Row": "-", "EID": "-", "DID": "-", "Type": "RAID1", "State": "Optl", "Size": "1.090 TB",
        "FSpace": "N",
    } | changes)  # fmt: skip


def span_row(**changes: Data) -> dict[str, Data]:
    """The row of a span."""
    return group_row(**{"Arr": 0} | changes)


def test_the_topology_tells_groups_and_their_drives() -> None:
    """A group's row, its span's, and those of the drives."""
    card = read({"TOPOLOGY": [group_row(), span_row(), topology_row(Row=0), topology_row(EID="64:3")]})
    group = card.arrays["0"]
    assert (group.get("status"), group.get("status_text")) == ("ok", "Optl")
    assert list(group.members) == ["64:2", "64:3"]
    assert (group.details["Type"], group.details["Span 0 State"]) == ("RAID1", "Optl")
    assert card.drives["64:3"].get("array") == "0"


@pytest.mark.parametrize(
    ("state", "status"),
    [("Optl", "ok"), ("Dgrd", "warning"), ("Pdgd", "warning"), ("OfLn", "critical"), ("Tilted", "unknown")],
)
def test_the_state_of_a_group(state: str, status: Health) -> None:
    """A word that is not known is unknown and said."""
    group = read({"TOPOLOGY": [group_row(State=state)]}).arrays["0"]
    assert (group.get("status"), group.get("status_text")) == (status, state)
    assert bool(group.complaints) == (status == "unknown")


def test_a_group_whose_state_is_not_told() -> None:
    """Version 8 prints a dash there."""
    row = group_row(State="-") | {"Span": "-", "Status": "-"}
    del row["Arr"]
    assert read({"TOPOLOGY": [row]}).arrays["0"].get("status") is None


def test_a_span_does_not_speak_for_the_group() -> None:
    """One span of a RAID 10 can be degraded; the group's own row says what the group is."""
    card = read({"TOPOLOGY": [group_row(State="Dgrd"), span_row(), span_row(Arr=1, State="Dgrd")]})
    assert card.arrays["0"].get("status_text") == "Dgrd"
    assert card.arrays["0"].details["Span 1 State"] == "Dgrd"


def test_missing_drives_are_counted() -> None:
    """They have no address, and no drive is made up; printed twice they are not twice as many."""
    rows = [group_row(State="Dgrd"), topology_row(EID="-", State="Msng", Row=2), topology_row(EID="-", State="Msng")]
    card = read({"TOPOLOGY": rows + rows})
    assert card.drives == {}
    assert card.arrays["0"].details["Missing drives"] == "2"
    assert [item.message for item in card.arrays["0"].complaints] == ["The group misses 2 drives."]


def test_a_missing_drive_is_not_the_one_in_its_slot() -> None:
    """Another drive may be in that slot now."""
    card = read({"TOPOLOGY": [topology_row(State="Msng")], "PD LIST": [drive_row(State="UGood", DG="-")]})
    assert card.drives["64:2"].get("status") == "ok"
    assert card.arrays["0"].details["Missing drives"] == "1"


def test_spares_of_the_topology() -> None:
    """A global spare is in no group, a dedicated one is the spare of its group."""
    card = read(
        {
            "TOPOLOGY": [
                topology_row(EID="64:8", DG="-", Arr="-", Row="-", State="GHS"),
                topology_row(EID="64:9", DG=1, Arr="-", Row="-", State="DHS"),
            ]
        }
    )
    assert [drive.get("role") for drive in card.drives.values()] == ["spare", "spare"]
    assert list(card.arrays["1"].spares) == ["64:9"]
    assert "0" not in card.arrays


def test_the_list_of_drives_outweighs_the_topology() -> None:
    """Where the two differ."""
    card = read({"TOPOLOGY": [topology_row()], "PD LIST": [drive_row(State="Offln")]})
    assert (card.drives["64:2"].get("status"), card.drives["64:2"].get("role")) == ("critical", "failed")


def test_free_space() -> None:
    """What no volume of the group uses."""
    card = read({"TOPOLOGY": [group_row()], "FREE SPACE DETAILS": [{"DG": 0, "Size": "20.5 GB"}]})
    assert card.arrays["0"].get("free_bytes") == round(20.5 * 2**30)


def test_free_space_in_pieces() -> None:
    """The pieces of a group are added."""
    card = read({"FREE SPACE DETAILS": [{"DG": 0, "Size": "1 GB"}, {"DG": 0, "Size": "2 GB"}]})
    assert card.arrays["0"].get("free_bytes") == 3 * 2**30


def test_a_topology_row_without_group_and_drive_is_kept() -> None:
    """Its words are details of the card."""
    card = read({"TOPOLOGY": [group_row(DG="-")]})
    assert card.arrays == {}
    assert card.details["Topology Type"] == "RAID1"


def _show(*drives: tuple[str, str, str], state: str = "Pdgd") -> Inventory:
    """The tables of a RAID-6; of each drive: its slot in the list, its row in the topology or "", its state."""
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


def test_the_places_of_the_topology_are_the_members_of_a_volume() -> None:
    """A RAID-6 without one member survives one more; without the topology the number is unknown."""
    members = [("0", "0", "Onln"), ("1", "1", "Onln"), ("2", "2", "Onln"), ("3", "3", "Offln")]
    for shown, wanted in ((members, 1), ([(slot, "", word) for slot, _, word in members], None)):
        (card,) = _show(*shown).controllers
        assert card.volumes[0].failures_tolerated == wanted
    (card,) = _show(*members[:3], ("3", "3", "Msng")).controllers
    assert card.volumes[0].failures_tolerated == 1
    (card,) = _show(*members[:2], ("2", "2", "Msng"), ("3", "3", "Msng"), state="Dgrd").controllers
    assert card.volumes[0].failures_tolerated == 0


def test_a_copyback_takes_no_redundancy_and_a_missing_member_is_one_finding() -> None:
    """``Cpybck`` is the drive that is filled; "The group misses a drive" explains its degraded volume."""
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
    """A foreign or unsupported drive predicts no failure, and a spare that is being tested has no data."""
    members = [(str(row), str(row), "Onln") for row in range(4)]
    worst = diagnose(_show(*members, ("4", "", state), state="Optl"), rules()).findings[0]
    assert (worst.rule, worst.severity) == (rule, severity)
    assert advice in (worst.remedy or "")


def test_a_volume_whose_access_is_blocked_is_out_of_reach() -> None:
    """``Access`` ``B`` or ``Blkd``: critical."""
    for access, wanted in (("RW", []), ("Blkd", ["critical"]), ("B", ["critical"])):
        data = {"VD LIST": [volume("0/0", TYPE="RAID1", State="Optl", Access=access)]}
        found = judge(read_text(json_text(controller(data))).inventory)
        assert [one.severity for one in found if one.rule == "reported_trouble"] == wanted
