"""Physical devices."""

from __future__ import annotations

import pytest

from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import diagnose
from raidctl.model import Health, Interface, Role
from tests.support.conclusions import read_text
from tests.support.machines import altered
from tests.vendors.adaptec.adaptec_outputs import controller_of, drive_of, drive_text, found, left, lines, machine


def one(**changes: object) -> str:
    """A controller with one drive; keywords are labels with blanks as ``_``."""
    return machine(drives=[drive_text(0, {name.replace("_", " "): value for name, value in changes.items()})])


def test_a_drive_is_read() -> None:
    """Address, bay, model, serial number, size, media, link and cache are read."""
    drive = drive_of(machine())
    assert (drive.id, drive.enclosure, drive.bay) == ("adaptec:1/0,0", "0", "0")
    assert (drive.model, drive.serial, drive.firmware) == ("ST1000NX0423", "W470AAA0", "NA05")
    assert (drive.size_bytes, drive.media, drive.interface) == (953869 * 1024**2, "hdd", "sata")
    assert (drive.link_gbps, drive.write_cache, drive.errors.predictive) == (6.0, "disabled", 0)


@pytest.mark.parametrize(
    ("state", "status", "role"),
    [
        ("Online", "ok", "member"), ("Ready", "ok", "unassigned"), ("Available", "ok", "unassigned"),
        ("Hot Spare", "ok", "spare"), ("Hot-Spare", "ok", "spare"), ("Global Hot-Spare", "ok", "spare"),
        ("Dedicated Hot-Spare", "ok", "spare"), ("Raw (Pass Through)", "ok", "passthrough"),
        ("JBOD", "ok", "passthrough"), ("Exposed", "ok", "passthrough"),
        ("Rebuilding", "warning", "member"), ("Failed", "critical", "failed"), ("Defunct", "critical", "failed"),
        ("Missing", "critical", "failed"), ("Unrecoverable", "critical", "failed"), ("Offline", "critical", None),
    ],
)  # fmt: skip
def test_a_state_is_read(state: str, status: Health, role: Role | None) -> None:
    """A state gives the status and the role of the drive."""
    drive = drive_of(one(State=state))
    assert (drive.status, drive.status_text, drive.role) == (status, state, role)


def test_an_unknown_state_is_reported() -> None:
    """An unknown state is kept as printed. A problem names the drive."""
    observation = found(one(State="Sulking"))
    assert (observation.controllers[0].drives[0].status, observation.controllers[0].drives[0].status_text) == (
        "unknown",
        "Sulking",
    )
    assert [p.where for p in observation.problems if p.kind == "unread"] == ["adaptec:1/0,0"]


@pytest.mark.parametrize(
    ("text", "enclosure", "bay"),
    [
        ("Enclosure 2, Slot 11", "2", "11"), ("Connector 1, Device 3", "Connector 1", "3"),
        ("Enclosure 1, Slot 0(Connector 0:CN0)", "1", "0"),
        ("Enclosure Direct Attached, Slot 4(Connector 1:CN1)", "Direct Attached", "4"),
        ("Backplane 0, Slot 5", "Backplane 0", "5"),
    ],
)  # fmt: skip
def test_a_bay_is_read(text: str, enclosure: str, bay: str) -> None:
    """A location outside an enclosure has a name. So no number has two meanings."""
    drive = drive_of(one(Reported_Location=text))
    assert (drive.enclosure, drive.bay, drive.details["Reported Location"]) == (enclosure, bay, text)


@pytest.mark.parametrize(
    ("text", "interface", "speed"),
    [
        ("SAS 12.0 Gb/s", "sas", 12.0), ("SATA 1.5 Gb/s", "sata", 1.5), ("Ultra320", "scsi", None),
        ("PCIe 8.0 GT/s x4", "nvme", 8.0), ("Unknown", None, None),
    ],
)  # fmt: skip
def test_a_link_is_read(text: str, interface: Interface | None, speed: float | None) -> None:
    """Interface and speed are read; parallel SCSI gives the interface only."""
    drive = drive_of(one(Transfer_Speed=text))
    assert (drive.interface, drive.link_gbps) == (interface, speed)


def test_a_jbod_drive_in_a_volume_is_a_member() -> None:
    """Old versions print "JBOD" for members of a volume too."""
    controller = controller_of(machine(drives=[drive_text(n, {"State": "Online (JBOD)"}) for n in range(3)]))
    assert [(drive.status, drive.role) for drive in controller.drives] == [
        ("ok", "member"),
        ("ok", "member"),
        ("ok", "passthrough"),
    ]


def test_a_missing_drive_is_not_given_a_model() -> None:
    """``*MISSING*`` is not a vendor, and 0 MB is not a size."""
    drive = drive_of(one(State="Failed", Vendor="*MISSING*", Model="", Firmware="", Total_Size="0 MB"))
    assert (drive.status, drive.model, drive.firmware, drive.size_bytes) == ("critical", None, None, None)


def test_a_model_that_was_cut_in_two_is_joined() -> None:
    """A model that was cut in two is joined.

    Old firmware prints the first eight letters of an ATA model as its vendor.
    """
    assert drive_of(one(Vendor="ST325031", Model="0NS")).model == "ST3250310NS"
    assert drive_of(one(Vendor="SEAGATE", Model="ST3600057SS")).model == "ST3600057SS"


@pytest.mark.parametrize(
    ("label", "value", "text"),
    [
        ("S.M.A.R.T. warnings", 4, "Online"), ("S.M.A.R.T.", "Yes", "Online (S.M.A.R.T.: yes)"),
        ("PFA", "Yes", "Online (pfa: yes)"), ("SSD Smart Trip Wearout", "True", "Online (ssd smart trip wearout: yes)"),
    ],
)  # fmt: skip
def test_an_alarm_is_a_warning(label: str, value: object, text: str) -> None:
    """A SMART alarm is a warning even if the drive is online. The alarm is in its words."""
    observation = found(machine(drives=[drive_text(0, {label: value}), drive_text(1)]))
    drive = observation.controllers[0].drives[0]
    assert (drive.status, drive.status_text) == ("warning", text)
    assert [p.kind for p in observation.problems if p.where == "adaptec:1/0,0"] == ["state"]


@pytest.mark.parametrize("label", ["S.M.A.R.T.", "PFA", "SSD Smart Trip Wearout", "56 Day Warning Present"])
def test_an_alarm_that_is_neither_yes_nor_no_is_reported(label: str) -> None:
    """An unknown word of an alarm is not a good one."""
    for value, kinds in (
        ("Perhaps", ["unread"]),
        ("Unknown", ["unread"]),
        ("No", []),
        ("False", []),
        ("Not Applicable", []),
    ):
        problems = found(machine(drives=[drive_text(0, {label: value}), drive_text(1)])).problems
        assert [one.kind for one in problems if one.where == "adaptec:1/0,0"] == kinds


@pytest.mark.parametrize(
    ("label", "value", "severity"),
    [
        ("Supported", "No", "warning"), ("Supported", "Yes", None), ("Drive has stale RIS data", "True", "info"),
        ("Drive has stale RIS data", "False", None), ("Drive has stale RIS data", "Perhaps", "warning"),
        ("Supported", "Unknown", "warning"),
    ],
)  # fmt: skip
def test_a_flag_of_a_drive_is_reported(label: str, value: str, severity: str | None) -> None:
    """A drive that is not supported is a warning; outdated metadata on it are for information.

    An unknown word is a warning.
    """
    problems = found(machine(drives=[drive_text(0, {label: value}), drive_text(1)])).problems
    assert [one.severity for one in problems if one.where == "adaptec:1/0,0"] == ([severity] if severity else [])


def test_a_controller_that_waits_for_a_restart_is_noted() -> None:
    """A reason for a restart is a note, and no alarm."""
    seen = altered("adaptec:3154", r"(Reboot Required Reasons +: ).*", r"\g<1>Firmware update")
    [note] = [one for one in seen.inventory.problems if "restart" in one.message]
    assert (note.kind, note.where) == ("note", "adaptec:1")


def test_a_temperature_without_a_figure_is_none() -> None:
    """A temperature without a figure is unknown."""
    assert drive_of(one(Temperature="38 C/ 100 F")).temperature_celsius == 38
    assert drive_of(one(Temperature="Not Supported")).temperature_celsius is None


def test_counters_are_read() -> None:
    """Media errors have a field; the other counters are details."""
    rule = "      " + "-" * 64
    counters = lines({"Aborted Commands": 3, "Media Failures": 2, "Scsi Bus Faults": 1}, 9)
    text = machine(drives=[f"{drive_text(0)}\n{rule}\n      Device Error Counters\n{rule}\n{counters}"])
    drive = drive_of(text)
    assert (drive.errors.media, drive.details["Aborted Commands"], drive.details["Scsi Bus Faults"]) == (2, "3", "1")
    assert left(text) == []


@pytest.mark.parametrize(
    "line",
    [
        {"Hardware Errors": 12}, {"Hardware Error Count": 10}, {"Failed Read Recovers": 10},
        {"Failed Write Recovers": 99}, {"Usage Remaining": "3 percent"}, {"Estimated Life Remaining": "56 days"},
    ],
)  # fmt: skip
def test_counters_and_wear_that_are_bad_are_findings(line: dict[str, object]) -> None:
    """A drive may count errors, or be worn, while its state is Online."""
    good = {label: {"Usage Remaining": "97 percent"}.get(label, "57 days" if "Life" in label else 0) for label in line}
    for pairs, bad in ((line, True), (good, False)):
        rule = "      " + "-" * 64
        text = machine(drives=[f"{drive_text(0)}\n{rule}\n      Device Error Counters\n{rule}\n{lines(pairs, 9)}"])
        about = [one for one in diagnose(read_text(text).inventory, rules()).findings if one.where == "adaptec:1/0,0"]
        assert any(one.severity != "info" for one in about) is bad


def test_phys_are_kept_apart() -> None:
    """Each phy's lines are details under its number."""
    phys = "\n".join(
        f"         Phy #{n}\n            Negotiated Physical Link Rate     : {6 * (n + 1)} Gbps" for n in (0, 1)
    )
    details = drive_of(machine(drives=[f"{drive_text(0)}\n{phys}"])).details
    assert details["Phy #1: Negotiated Physical Link Rate"] == "12 Gbps"


def test_what_is_configured_counts_over_the_state() -> None:
    """``Drive Configuration Type`` determines the role rather than the state."""
    drive = drive_of(one(State="Ready", Drive_Configuration_Type="HBA", Disk_Name="/dev/sdd"))
    assert (drive.role, drive.device) == ("passthrough", "/dev/sdd")


@pytest.mark.parametrize("kind", ["a Hard drive", "a Solid State Device", "a NVMe device", "an unknown device"])
def test_a_device_of_any_kind_but_an_enclosure_is_a_drive(kind: str) -> None:
    """A failed device is shown whatever the tool calls its kind."""
    drive = drive_of(one(State="Failed").replace("Device is a Hard drive", f"Device is {kind}"))
    assert (drive.id, drive.status) == ("adaptec:1/0,0", "critical")


def test_an_enclosure_is_no_drive() -> None:
    """An enclosure's parts are details of the controller. A failed part is a problem, as is one in an unknown state."""
    values = {"Reported Channel,Device(T:L)": "2,0(0:0)", "Type": "SES2", "Vendor": "LSI"}
    parts = {
        "Fan 1 status": "0 rpm (Failed)", "Fan 2 status": "0 rpm (Not Installed)", "Fan 3 status": "0 rpm (Melted)",
        "Fan 4 status": "6960 rpm (Optimal)", "Fan 5 status": "900 rpm (No failure)", "Power supply 1 status": "Sad",
        "Power supply 2 status": "Faulty", "Temperature sensor 1 status": "71 C (Over temperature)",
        "Temperature Sensor Status 2": "37 C/ 98 F", "Temperature": "Normal", "Speaker status": "Muted",
    }  # fmt: skip
    state = lines(parts, 12)
    box = f"      Device #2\n         Device is an Enclosure services device\n{lines(values, 9)}\n"
    text = machine(drives=[drive_text(0), drive_text(1), f"{box}         Status of Enclosure services device\n{state}"])
    controller = controller_of(text)
    assert len(controller.drives) == 2
    assert controller.details["Enclosure device 2,0: Vendor"] == "LSI"
    assert [p.message for p in found(text).problems if "Enclosure" in p.message] == [
        "Enclosure device 2,0: Fan 1 status is 0 rpm (Failed).",
        "The tool's Enclosure device 2,0: Fan 3 status '0 rpm (Melted)' was not understood.",
        "The tool's Enclosure device 2,0: Power supply 1 status 'Sad' was not understood.",
        "Enclosure device 2,0: Power supply 2 status is Faulty.",
        "Enclosure device 2,0: Temperature sensor 1 status is 71 C (Over temperature).",
    ]


def test_an_unreadable_value_is_reported() -> None:
    """A problem names the label of an unreadable value. The value is kept as printed."""
    observation = found(one(Total_Size="plenty"))
    drive = observation.controllers[0].drives[0]
    assert (drive.size_bytes, drive.details["Total Size"]) == (None, "plenty")
    assert any(p.kind == "unread" and "Total Size" in p.message for p in observation.problems)
