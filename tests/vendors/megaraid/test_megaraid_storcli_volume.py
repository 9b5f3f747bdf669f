"""Volumes, their states and their cache policies in storcli's outputs."""

from __future__ import annotations

import pytest

from raidctl.model import Operation, VolumeStatus
from tests.vendors.megaraid.storcli_storage_outputs import Data, answer_text, drive_row, read, read_all, volume_row

PROPERTIES: dict[str, Data] = {
    "Strip Size": "128 KB", "Number of Blocks": 4685037568, "VD has Emulated PD": "No", "Span Depth": 2,
    "Number of Drives Per Span": 3, "Write Cache(initial setting)": "WriteBack", "Disk Cache Policy": "Disk's Default",
    "Encryption": "None", "Data Protection": "None", "Active Operations": "None", "Exposed to OS": "Yes",
    "OS Drive Name": "/dev/sdq", "Creation Date": "03-02-2020", "Emulation type": "default",
    "Is LD Ready for OS Requests": "Yes", "SCSI NAA Id": "600aaaa0000000112233445566778899", "Unmap Enabled": "N/A",
}  # fmt: skip


def properties(**changes: Data) -> dict[str, Data]:
    """The output of ``/c0/v3 show all``: the row, its drives, its properties."""
    return {
        "/c0/v3": [volume_row(VD="1/3")],
        "PDs for VD 3": [drive_row(EID="64:2", DG=1), drive_row(EID="64:3", DG=1)],
        "VD3 Properties": PROPERTIES | changes,
    }


def modern(**changes: Data) -> dict[str, Data]:
    """An output of version 8 with changed properties; ``Row`` changes the row."""
    row = {
        "DG/VD": "2/7", "TYPE": "RAID1", "State": "Optl", "Access": "RW", "CurrentCache": "NR,WT",
        "DefaultCache": "R,WB", "Size": "931.512 GiB", "Name": "boot",
    } | changes.pop("Row", {})  # fmt: skip
    data = {
        "Strip Size": "64 KiB", "Block Size": "4096", "Number of Blocks": 244190208, "Number of Drives": 2,
        "Drive Write Cache Policy": "Disabled", "Consistent": "Yes", "Cache Preserved": "No", "Bad Block Exists": "No",
        "SCSI NAA Id": "600bbbb0", "OS Drive Name": "/dev/sdr",
    }  # fmt: skip
    drive = {"EID:Slt": "310:1", "PID": 9, "State": "Conf", "Status": "Online", "DG": 2, "Size": "931.512 GiB"}
    return {"Virtual Drives": [{"VD Info": row, "PDs": [drive], "VD Properties": data | changes}]}


def test_a_row_is_a_volume() -> None:
    """Number, array, level, name and size are read; GB are binary units."""
    volume = read({"VD LIST": [volume_row(VD="4/238", Size="446.625 GB")]}).volumes["238"]
    assert (volume.get("array"), volume.get("name"), volume.get("raid_level")) == ("4", "payroll", "raid5")
    assert (volume.get("status"), volume.get("status_text"), volume.get("target")) == ("ok", "Optl", 238)
    assert volume.get("size_bytes") == round(446.625 * 2**30)
    assert volume.details["Access"] == "RW"


def test_the_cache_column_is_the_active_policy() -> None:
    """``NRAWBC`` gives the active policies; the configured one is unknown."""
    volume = read({"VD LIST": [volume_row(Cache="NRAWBC")]}).volumes["3"]
    assert volume.get("write_current") == "unprotected_write_back"
    assert (volume.get("cache.read_policy"), volume.get("cache.io_policy")) == ("none", "cached")
    assert volume.get("write_configured") is None


def test_an_unknown_cache_token_is_unread() -> None:
    """An unknown token is a detail and a problem."""
    volume = read({"VD LIST": [volume_row(Cache="QQQ")]}).volumes["3"]
    assert volume.get("write_current") is None
    assert volume.details["Cache"] == "QQQ"
    assert [item.kind for item in volume.complaints] == ["unread"]


def test_the_properties_of_a_volume_are_read() -> None:
    """Strip size, device, identity, configured policy and members are read."""
    volume = read(properties()).volumes["3"]
    assert (volume.get("strip_bytes"), volume.get("device")) == (131072, "/dev/sdq")
    assert volume.get("unique_id") == "600aaaa0000000112233445566778899"
    assert volume.get("write_configured") == "protected_write_back"
    assert volume.get("cache.drive_write_cache") == "default"
    assert list(volume.members) == ["64:2", "64:3"]
    assert volume.get("drives_expected") == 6
    assert volume.details["Emulation type"] == "default"


def test_the_number_of_blocks_is_the_exact_size() -> None:
    """The block count gives the size if it fits the printed one."""
    volume = read(properties()).volumes["3"]
    assert volume.get("size_bytes") == 4685037568 * 512
    assert volume.details["Number of Blocks"] == "4685037568"


def test_a_number_of_blocks_that_does_not_fit_changes_nothing() -> None:
    """If the block count does not fit, the printed size counts."""
    volume = read(properties(**{"Number of Blocks": 17})).volumes["3"]
    assert volume.get("size_bytes") == round(2.181 * 2**40)


@pytest.mark.parametrize(
    ("state", "status"),
    [
        ("Optl", "ok"),
        ("Dgrd", "degraded"),
        ("Pdgd", "degraded"),
        ("OfLn", "offline"),
        ("Rec", "rebuilding"),
        ("Failed", "failed"),
    ],
)
def test_the_state_of_a_volume(state: str, status: VolumeStatus) -> None:
    """Each state gives a status, and its word is kept."""
    volume = read({"Virtual Drives": [volume_row(State=state)]}).volumes["3"]
    assert (volume.get("status"), volume.get("status_text")) == (status, state)


def test_an_unknown_state_is_unread() -> None:
    """An unknown state keeps its word, and is a problem."""
    volume = read({"Virtual Drives": [volume_row(State="Wobbly")]}).volumes["3"]
    assert (volume.get("status"), volume.get("status_text")) == ("unknown", "Wobbly")
    assert "Wobbly" in volume.complaints[0].message


@pytest.mark.parametrize(
    ("words", "operation", "percent", "status"),
    [
        ("Consistency Check (36%)", "check", 36.0, "checking"),
        ("Background Initialization (7%)", "parity", 7.0, "initializing"),
        ("Initialization (99%)", "initialize", 99.0, "initializing"),
        ("Reconstruction (1.5%)", "migrate", 1.5, "migrating"),
        ("Erase (12%)", "erase", 12.0, "ok"),
        ("Consistency Check", "check", None, "checking"),
    ],
)
def test_active_operations(words: str, operation: Operation, percent: float | None, status: VolumeStatus) -> None:
    """Operation and percentage are read, and an optimal volume gets the status. Whether it is paused is unknown."""
    volume = read(properties(**{"Active Operations": words})).volumes["3"]
    assert volume.get("progress.state") is None
    assert (volume.get("progress.operation"), volume.get("progress.percent")) == (operation, percent)
    assert volume.get("status") == status


def test_a_degraded_volume_stays_degraded_while_it_is_checked() -> None:
    """A check does not hide the degraded state."""
    data = properties(**{"Active Operations": "Consistency Check (36%)"})
    data["/c0/v3"] = [volume_row(VD="1/3", State="Dgrd")]
    assert read(data).volumes["3"].get("status") == "degraded"


def test_no_active_operation_is_no_progress() -> None:
    """``None`` is not an operation."""
    volume = read(properties()).volumes["3"]
    assert volume.get("progress.operation") is None


def test_the_newer_tool_reports_both_policies() -> None:
    """``CurrentCache`` is the active policy, ``DefaultCache`` the configured one."""
    volume = read(modern()).volumes["7"]
    assert (volume.get("write_current"), volume.get("write_configured")) == ("write_through", "protected_write_back")
    assert volume.get("cache.read_policy") == "none"
    assert volume.get("cache.io_policy") is None
    assert volume.get("cache.drive_write_cache") == "disabled"


def test_the_newer_tool_lists_volumes_as_objects() -> None:
    """The sections of each item belong to its volume."""
    controller = read(modern())
    volume = controller.volumes["7"]
    assert (volume.get("name"), volume.get("array"), volume.get("raid_level")) == ("boot", "2", "raid1")
    assert (volume.get("device"), volume.get("drives_expected")) == ("/dev/sdr", 2)
    assert volume.get("size_bytes") == 244190208 * 4096
    assert list(volume.members) == ["310:1"]
    assert controller.drives["310:1"].get("array") == "2"


@pytest.mark.parametrize(
    ("label", "value"), [("Cache Preserved", "Yes"), ("Bad Block Exists", "Yes"), ("VD Ready for OS Requests", "No")]
)
def test_faults_of_a_volume_are_problems(label: str, value: str) -> None:
    """Preserved cache, bad blocks and volumes that are not ready are problems."""
    for word, kinds in ((value, ["state"]), ("Perhaps", ["unread"]), ("-", [])):
        assert [item.kind for item in read(modern(**{label: word})).volumes["7"].complaints] == kinds
    assert read(modern()).volumes["7"].complaints == []


def test_an_inconsistent_volume_is_noted() -> None:
    """``Consist`` ``No`` is a note, and no fault of the hardware."""
    volume = read({"VD LIST": [volume_row(Consist="No")]}).volumes["3"]
    assert [(item.severity, item.kind) for item in volume.complaints] == [("info", "note")]
    assert volume.details["Consist"] == "No"


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("RW", []), ("-", []), ("Blkd", [("error", "state")]), ("RO", [("warning", "state")]),
        ("TRANS", [("warning", "state")]), ("HD", [("warning", "state")]), ("Hidden", [("warning", "state")]),
        ("Unknown", [("warning", "unread")]), ("Levitating", [("warning", "unread")]),
    ],
)  # fmt: skip
def test_a_volume_that_the_system_cannot_write_is_a_problem(word: str, found: list[tuple[str, str]]) -> None:
    """Each access policy but read and write is a problem of the volume."""
    volume = read({"VD LIST": [volume_row(Access=word)]}).volumes["3"]
    assert [(item.severity, item.kind) for item in volume.complaints] == found


def test_a_cache_of_ssds_is_a_volume() -> None:
    """``Cac1`` is a RAID 1 of SSDs. The tool's word is a detail."""
    volume = read({"VD LIST": [volume_row(TYPE="Cac1")]}).volumes["3"]
    assert (volume.get("raid_level"), volume.details["TYPE"]) == ("raid1", "Cac1")


def test_the_volumes_own_section_counts_more_than_the_list() -> None:
    """The volume's own section overrides the list, in any order of outputs."""
    listed, own = {"VD LIST": [volume_row(State="Optl")]}, {"/c0/v3": [volume_row(State="Dgrd")]}
    for texts in ((listed, own), (own, listed)):
        controllers, _, _ = read_all(*map(answer_text, texts))
        assert controllers.by_number["0"].volumes["3"].get("status") == "degraded"


def test_a_spare_is_no_member_of_the_volume() -> None:
    """A dedicated spare among the volume's drives is not a member."""
    data = properties()
    data["PDs for VD 3"].append(drive_row(EID="64:9", State="DHS", DG=1))
    controller = read(data)
    assert "64:9" not in controller.volumes["3"].members
    assert list(controller.arrays["1"].spares) == ["64:9"]


def test_an_unreadable_value_is_a_problem_and_a_detail() -> None:
    """An unreadable value is None and a detail. There is a problem with its label."""
    volume = read(properties(**{"Strip Size": "plenty", "Disk Cache Policy": "Sometimes"})).volumes["3"]
    assert (volume.get("strip_bytes"), volume.get("cache.drive_write_cache")) == (None, None)
    assert volume.details["Strip Size"] == "plenty"
    assert {item.kind for item in volume.complaints} == {"unread"}
    assert any("Disk Cache Policy" in item.message for item in volume.complaints)


def test_a_name_of_another_system_is_no_device() -> None:
    """``N/A`` in place of the device is None."""
    volume = read(properties(**{"OS Drive Name": "N/A"})).volumes["3"]
    assert volume.get("device") is None


def test_a_table_of_settings_is_about_its_volumes() -> None:
    """Tables with a ``VD`` column but no known fields give volume details."""
    controller = read(
        {"VD LIST": [volume_row()], "Auto BGI": [{"VD": "3", "AutoBGI": "On"}, {"VD": "all", "AutoBGI": "?"}]}
    )
    assert controller.volumes["3"].details["Auto BGI AutoBGI"] == "On"
    assert list(controller.volumes) == ["3"]
