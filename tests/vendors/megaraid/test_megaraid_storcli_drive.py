"""Drives in storcli's outputs, of the older and the newer tool."""

from __future__ import annotations

import pytest

from raidctl.health.redundancy import expects_failure
from raidctl.model import Controller, Drive, Health, Role
from raidctl.vendor.draft import Draft
from raidctl_megaraid.operate.drive_words import state_of
from raidctl_megaraid.vocabulary import KEY_SERVER, LOCKED
from tests.vendors.megaraid.storcli_storage_outputs import (
    Data,
    answer_text,
    details,
    drive_row,
    modern_drive,
    read,
    read_all,
)


def one(response: Data) -> Draft:
    """The only drive of an output."""
    (drive,) = read(response).drives.values()
    return drive


def test_a_row_is_a_drive() -> None:
    """Enclosure, bay, array, size, medium, interface and model are read. The rest are details."""
    controller = read({"PD LIST": [drive_row(EID="64:12", DG=3)]})
    drive = controller.drives["64:12"]
    assert (drive.get("enclosure"), drive.get("bay"), drive.get("array")) == ("64", "12", "3")
    assert (drive.get("interface"), drive.get("media"), drive.get("model")) == ("sas", "hdd", "ZX1200TESTDRIVE")
    assert drive.get("size_bytes") == round(1.090 * 2**40)
    assert (drive.get("role"), drive.get("status"), drive.get("status_text")) == ("member", "ok", "Onln")
    assert (drive.details["SED"], drive.details["SeSz"], drive.details["DID"]) == ("N", "512B", "11")
    assert list(controller.arrays["3"].members) == ["64:12"]


@pytest.mark.parametrize(
    ("state", "group", "status", "role"),
    [
        ("Onln", 1, "ok", "member"), ("Offln", 1, "critical", "failed"), ("Failed", 1, "critical", "failed"),
        ("Rbld", 1, "warning", "member"), ("Cpybck", 1, "warning", "member"), ("UGood", "-", "ok", "unassigned"),
        ("UBad", "-", "critical", "failed"), ("GHS", "-", "ok", "spare"), ("DHS", 1, "ok", "spare"),
        ("JBOD", "-", "ok", "passthrough"), ("UGUnsp", "-", "warning", "unassigned"),
        ("CFShld", 1, "warning", "member"), ("Sntze", "-", "warning", "unassigned"),
    ],
)  # fmt: skip
def test_the_state_of_a_drive(state: str, group: Data, status: Health, role: Role) -> None:
    """Free good drives and spares are ok. A failed drive of an array is still in it."""
    drive = one({"PD LIST": [drive_row(State=state, DG=group)]})
    assert (drive.get("status"), drive.get("role"), drive.get("status_text")) == (status, role, state)
    assert drive.get("array") == ("1" if role in {"member", "failed"} and group == 1 else None)


def test_an_unknown_state_is_unread() -> None:
    """An unknown state keeps its word, and is a problem."""
    drive = one({"PD LIST": [drive_row(State="Napping")]})
    assert (drive.get("status"), drive.get("status_text")) == ("unknown", "Napping")
    assert [item.kind for item in drive.complaints] == ["unread"]


def test_a_dash_is_no_state() -> None:
    """A dash in place of the state is None, without a problem."""
    drive = one({"PD LIST": [drive_row(State="-", DG="-")]})
    assert (drive.get("status"), drive.get("status_text"), drive.complaints) == (None, None, [])


def test_a_dedicated_spare_knows_its_groups() -> None:
    """A dedicated spare belongs to all its arrays but is not a member."""
    controller = read({"PD LIST": [drive_row(State="DHS", DG="0,2")]})
    assert controller.drives["64:2"].get("spare_for") == ("0", "2")
    assert [list(controller.arrays[name].spares) for name in ("0", "2")] == [["64:2"], ["64:2"]]
    assert not any(group.members for group in controller.arrays.values())


def test_an_unconfigured_drive_is_in_no_group() -> None:
    """An unconfigured drive has no array, although firmware without RAID prints 0."""
    controller = read({"PD LIST": [drive_row(State="UGood", DG=0)]})
    assert controller.drives["64:2"].get("array") is None
    assert controller.arrays == {}


def test_a_drive_of_a_foreign_configuration() -> None:
    """``F`` in place of the array marks a foreign drive."""
    drive = one({"PD LIST": [drive_row(State="UGood", DG="F")]})
    assert (drive.get("foreign"), drive.get("role"), drive.get("array")) == (True, "unassigned", None)


@pytest.mark.parametrize("text", [" :7", ":7", "-:7"])
def test_a_drive_without_an_enclosure(text: str) -> None:
    """Its key begins with a colon, and its enclosure is None."""
    controller = read({"PD LIST": [drive_row(EID=text)]})
    assert list(controller.drives) == [":7"]
    assert (controller.drives[":7"].get("enclosure"), controller.drives[":7"].get("bay")) == (None, "7")


def test_a_drive_without_an_address_is_a_problem() -> None:
    """A row without an address is a problem. Its cells are details."""
    controller = read({"PD LIST": [drive_row(EID="-")]})
    assert controller.drives == {}
    assert [item.kind for item in controller.complaints] == ["unread"]
    assert controller.details["PD LIST 0 Model"] == "ZX1200TESTDRIVE"


def test_the_list_of_plain_drives() -> None:
    """Drives in ``JBOD LIST`` are passed through, whatever their state word."""
    row = {
        "ID": 4, "EID:Slt": "64:5", "DID": 7, "State": "Onln", "Intf": "SATA", "Med": "SSD", "Size": "1.745 TB",
        "SeSz": "512B", "Model": "ZXSSD", "Vendor": "ATA", "Port": "C0 x1",
    }  # fmt: skip
    drive = one({"JBOD LIST": [row]})
    assert (drive.get("role"), drive.get("status"), drive.get("media")) == ("passthrough", "ok", "ssd")
    assert (drive.details["ID"], drive.details["Vendor"]) == ("4", "ATA")


def test_the_type_jbod_is_passed_through() -> None:
    """``JBOD`` in the last column is a drive that is passed through."""
    assert one({"PD LIST": [drive_row(Type="JBOD", DG="-")]}).get("role") == "passthrough"


def test_the_sections_of_a_drive() -> None:
    """All fields of a drive's sections are read. The manufacturer is not part of the model."""
    drive = one({"Drive /c0/e64/s2": [drive_row()], **details()})
    assert (drive.get("serial"), drive.get("firmware"), drive.get("wwn")) == ("TST0PLAIN01", "T01A", "5000AAAA00000BBB")
    assert drive.get("model") == "ZX1200TESTDRIVE"
    assert (drive.get("errors.media"), drive.get("errors.other"), drive.get("errors.predictive")) == (4, 9, 0)
    assert (drive.get("temperature_celsius"), drive.get("link_gbps")) == (31, 6.0)
    assert drive.get("write_cache") is None
    assert drive.details["Inquiry Data"] == "00 00 06 12"
    assert drive.details["Port Information Port 1 Linkspeed"] == "12.0Gb/s"
    assert drive.get("status") == "ok"


def test_the_sectors_give_the_exact_size() -> None:
    """The size is that of the coerced sectors. The other sizes are details."""
    drive = one({"Drive /c0/e64/s2": [drive_row()], **details()})
    assert drive.get("size_bytes") == 0x8B94F800 * 512
    assert drive.details["Raw size"] == "1.091 TB [0x8bba0cb0 Sectors]"
    assert drive.details["Coerced size"].startswith("1.090 TB")


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1.636 TB [0x1a30c000 Sectors]", 0x1A30C000 * 4096),
        ("931.0 GB [0x74600000 Sectors]", 0x74600000 * 512),
        ("931.0 GB [0x5 Sectors]", 931 * 2**30),
        ("931.0 GB", 931 * 2**30),
        ("0 KB", round(1.090 * 2**40)),
    ],
)
def test_sectors_of_any_length(text: str, size: int) -> None:
    """The sector length is the one that fits the printed size. Otherwise that size counts."""
    drive = one({"PD LIST": [drive_row()], **details(Device={"Coerced size": text})})
    assert drive.get("size_bytes") == size


def test_a_raised_alert_is_a_warning() -> None:
    """An online drive with a S.M.A.R.T. alert is a warning. It is also a problem."""
    drive = one({"PD LIST": [drive_row()], **details(State={"S.M.A.R.T alert flagged by drive": "Yes"})})
    assert (drive.get("status"), drive.get("status_text")) == ("warning", "Onln")
    assert [item.kind for item in drive.complaints] == ["state"]


def test_a_drive_without_its_key_is_reported() -> None:
    """A drive that is locked, or waits for its key, is a problem, as with MegaCli. The locked one is not ok."""
    settings = {"Locked": "Yes", "Needs EKM Attention": "Yes"}
    drive = one({"PD LIST": [drive_row()], **details(State=settings)})
    assert (drive.get("status"), drive.get("status_text")) == ("warning", "Onln, locked")
    assert [complaint.message for complaint in drive.complaints] == [LOCKED[0], KEY_SERVER[0]]
    fine = one({"PD LIST": [drive_row()], **details(State=dict.fromkeys(settings, "No"))})
    assert (fine.get("status"), fine.complaints) == ("ok", [])


def test_a_locked_drive_with_an_alert_predicts_its_failure() -> None:
    """The lock does not explain the alert away."""
    flags = {"S.M.A.R.T alert flagged by drive": "Yes", "Locked": "Yes"}
    for settings, expected in ((flags, True), ({"Locked": "Yes"}, False)):
        found = one({"PD LIST": [drive_row()], **details(State=settings)})
        drive = Drive(id="megaraid:0/252:0", status="warning", status_text=found.get("status_text"))
        assert expects_failure(Controller(id="megaraid:0"), drive) is expected
        assert state_of(drive) == "online"


@pytest.mark.parametrize("first", [True, False])
def test_a_predictive_failure_is_a_warning(first: bool) -> None:
    """A predictive failure is a warning in any order of outputs. A failed drive stays critical."""
    listed = answer_text({"PD LIST": [drive_row(), drive_row(EID="64:3", State="Failed")]})
    detailed = answer_text(
        details(State={"Predictive Failure Count": 3}) | details("/c0/e64/s3", State={"Predictive Failure Count": 1})
    )
    controllers, _, _ = read_all(*((listed, detailed) if first else (detailed, listed)))
    drives = controllers.by_number["0"].drives
    assert (drives["64:2"].get("status"), drives["64:2"].get("errors.predictive")) == ("warning", 3)
    assert drives["64:3"].get("status") == "critical"


@pytest.mark.parametrize(
    ("label", "value"),
    [("Drive Temperature", "N/A"), ("Media Error Count", "-"), ("Other Error Count", "N/A")],
)
def test_a_value_that_is_not_reported_is_a_detail(label: str, value: str) -> None:
    """``N/A`` and a dash are not values, without a problem."""
    drive = one(details(State={label: value}))
    assert (drive.details[label], drive.complaints) == (value, [])


@pytest.mark.parametrize(
    ("state", "label"),
    [
        ({"Drive Temperature": "warm"}, "Drive Temperature"),
        ({"Media Error Count": "9" * 400}, "Media Error Count"),
        ({"Drive Temperature": "9" * 40 + "C"}, "Drive Temperature"),
    ],
)
def test_an_unreadable_value_is_a_problem_and_a_detail(state: dict[str, Data], label: str) -> None:
    """The problem names the label, and the raw value is a detail."""
    drive = one(details(State=state))
    assert label in drive.details
    assert [label in item.message for item in drive.complaints] == [True]


@pytest.mark.parametrize(
    ("text", "cache"), [("Enabled", "enabled"), ("Disabled", "disabled"), ("N/A", None), ("Disk's Default", None)]
)
def test_the_cache_of_the_drive(text: str, cache: str | None) -> None:
    """The drive's own write cache is read."""
    assert one(details(Device={"Write cache": text})).get("write_cache") == cache


def test_a_drive_is_listed_once() -> None:
    """A drive in several sections is one drive."""
    controller = read(
        {"PD LIST": [drive_row()], "PDs for VD 1": [drive_row()], "Drive /c0/e64/s2": [drive_row()], **details()}
    )
    assert list(controller.drives) == ["64:2"]


def test_the_newer_tool_splits_the_state() -> None:
    """``Conf`` with ``Online`` means a member that is ok. Both words are kept."""
    drive = one({"Drives List": [modern_drive()]})
    assert (drive.get("status"), drive.get("role"), drive.get("status_text")) == ("ok", "member", "Conf, Online")
    assert (drive.get("array"), drive.details["PID"]) == ("4", "287")


@pytest.mark.parametrize(
    ("state", "status", "health", "role"),
    [
        ("UConf", "Good", "ok", "unassigned"), ("Conf", "Failed", "critical", "failed"),
        ("Conf", "Offline", "critical", "failed"), ("Conf", "Rebuild", "warning", "member"),
        ("GHS", "Good", "ok", "spare"), ("JBOD", "Online", "ok", "passthrough"),
        ("ConfShld", "Shielded", "warning", "member"), ("UConf", "Strange", "unknown", "unassigned"),
    ],
)  # fmt: skip
def test_the_two_words_of_the_newer_tool(state: str, status: str, health: Health, role: Role) -> None:
    """The worse of both words counts; an unknown word is a problem."""
    drive = one({"Drives List": [modern_drive(State=state, Status=status)]})
    assert (drive.get("status"), drive.get("role")) == (health, role)
    assert bool(drive.complaints) == (health == "unknown")


def test_the_newer_tools_details() -> None:
    """Temperature, rpm, link, write cache and logical unit counters are read."""
    drive = one({"Drives List": [modern_drive()]})
    assert (drive.get("temperature_celsius"), drive.get("rpm"), drive.get("link_gbps")) == (38, 7200, 6.0)
    assert (drive.get("serial"), drive.get("firmware")) == ("TST8PLAIN05", "T8")
    assert (drive.get("errors.media"), drive.get("write_cache")) == (2, "disabled")
    assert drive.get("size_bytes") == 0x2BA800000 * 512
    assert drive.details["LU/NS Default Write Cache"] == "On"


def test_the_sections_of_each_item_are_about_its_drive() -> None:
    """The sections of two listed drives are kept apart."""
    second = modern_drive(EID="310:6", Units={"Media Error Count": 7})
    controller = read({"Drives List": [modern_drive(), second]})
    assert [drive.get("errors.media") for drive in controller.drives.values()] == [2, 7]


def test_errors_of_two_actuators_are_added() -> None:
    """The counters of a drive's logical units are added."""
    first = {"Drive /c0/e1/s1": [drive_row(EID="1:1")], "Drive /c0/e1/s1 - Detailed Information": {
        "LU/NS Properties": {"Media Error Count": 1}, "LU/NS Properties 2": {"Media Error Count": 5},
    }}  # fmt: skip
    assert one(first).get("errors.media") == 6
    controllers, _, _ = read_all(answer_text(first), answer_text(first))
    assert controllers.by_number["0"].drives["1:1"].get("errors.media") == 6


@pytest.mark.parametrize("alarm", [{"Predictive Failure Count": 3}, {"Locked": "Yes"}])
def test_an_alarm_of_the_second_actuator_is_one_of_the_drive(alarm: Data) -> None:
    """A drive whose second logical unit predicts a failure or is locked is a warning."""
    units = {"LU/NS Properties": {"Media Error Count": 0}, "LU/NS Properties 2": alarm}
    drive = one({"Drive /c0/e1/s1": [drive_row(EID="1:1")], "Drive /c0/e1/s1 - Detailed Information": units})
    assert drive.get("status") == "warning"


@pytest.mark.parametrize(("label", "word"), [("S.M.A.R.T alert flagged by drive", "Alert"), ("Locked", "Maybe")])
def test_a_flag_that_is_neither_yes_nor_no_is_reported(label: str, word: str) -> None:
    """A flag of a drive with an unknown word is a problem."""
    drive = one({"PD LIST": [drive_row()], **details(State={label: word})})
    assert [complaint.kind for complaint in drive.complaints] == ["unread"]


def test_a_list_of_logical_units_is_about_its_drives() -> None:
    """Logical units are assigned to drives by the persistent id."""
    row = {"EID:Slt": "310:5", "PID": 287, "State": "Conf", "Status": "Online", "DG": 4, "Size": "5.456 TiB"}
    units = [{"PID": 287, "LUN/NSID": "1/-", "Status": "Good", "Size": "5.456 TiB"}]
    drive = one({"PD LIST": [row, row], "LU/NS LIST": units})
    assert drive.details["LU/NS 1/- Status"] == "Good"


@pytest.mark.parametrize(
    ("words", "status", "reported"),
    [
        (("Good", "Good"), "ok", []),
        (("Good", "Bogus"), "unknown", ["unread"]),
        (("Bogus", "Failed"), "critical", ["unread", "state"]),
        (("Failed", "Good"), "critical", ["state"]),
        (("-", "Good"), "ok", []),
    ],
)
def test_a_drive_is_no_better_than_the_worst_of_its_units(
    words: tuple[str, str], status: str, reported: list[str]
) -> None:
    """A unit that has failed, or whose state is a word that is not known, is a problem of its drive."""
    row = {"EID:Slt": "310:5", "PID": 287, "State": "Conf", "Status": "Online", "DG": 4, "Size": "5.456 TiB"}
    units = [{"PID": 287, "LUN/NSID": f"{n}/-", "Status": word, "Size": "5 TiB"} for n, word in enumerate(words)]
    drive = one({"PD LIST": [row, row], "LU/NS LIST": units})
    assert drive.get("status") == status
    assert [complaint.kind for complaint in drive.complaints] == reported


def test_the_titles_name_the_controller_without_a_header() -> None:
    """Without a header, ``/c2/e64/s2`` belongs to controller 2."""
    controllers, _, _ = read_all(answer_text(details("/c2/e64/s2"), controller=None))
    assert list(controllers.by_number) == ["2"]


def test_settings_of_drives_are_their_details() -> None:
    """A table of settings with a drive's address gives that drive's details."""
    drive = one({"PD LIST": [drive_row()], "Jbod Settings": [{"Drive-ID": "/c0/e64/s2", "Automount": "Off"}]})
    assert drive.details["Jbod Settings Automount"] == "Off"
