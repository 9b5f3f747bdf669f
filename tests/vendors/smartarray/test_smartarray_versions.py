"""Output formats of single tool versions, and several outputs in one text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from raidctl.model import Interface, Media
from raidctl.model.write_protection import derived
from raidctl_smartarray.interface import interface
from raidctl_smartarray.numbers import link_speed, mountpoints
from tests.support.judged import wrong
from tests.support.scripted_tools import unparsed
from tests.vendors.smartarray.smartarray_outputs import CONTROLLER, controller, drive, observed


def test_an_hba_mode_drive_has_mount_points() -> None:
    """Drives in HBA mode have mount points like volumes."""
    found = drive(
        """
        Smart Array P840ar in Slot 0 (Embedded) (HBA Mode)
           HBA Drives
              physicaldrive 1I:1:13
                 Drive Type: HBA Mode Drive
                 Disk Name: /dev/sda
                 Mount Points: /boot/efi 488 MB Part Numb 3, /srv/my data 2.7 TB Part Numb 4
        """
    )
    assert (found.device, found.mountpoints) == ("/dev/sda", ("/boot/efi", "/srv/my data"))


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("/boot 101 MB, / 39.1 GB", ("/boot", "/")),
        ("4.0 TB Partition   1 /srv/raw", ("/srv/raw",)),
        (r"C:\ 279.4 GB", ("C:\\",)),
        ("None", ()),
    ],
)
def test_the_forms_of_mount_points(text: str, points: tuple[str, ...]) -> None:
    """Sizes and partition numbers are before or behind the path, by version."""
    assert (mountpoints(text) or ()) == points


@pytest.mark.parametrize(
    ("text", "speed"),
    [("6.0Gbps, Unknown", 6.0), ("Unknown, 12.0Gbps", 12.0), ("16.0GT/s", 16.0), ("8.0 GT/s x4", 8.0), ("???", None)],
)
def test_the_forms_of_a_link_speed(text: str, speed: float | None) -> None:
    """The fastest port counts; for PCIe, the speed of one lane."""
    assert link_speed(text) == speed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Solid State NVMe", ("nvme", "ssd")),
        ("PCIe", ("nvme", "ssd")),
        ("SATA HDD SMR", ("sata", "hdd")),
        ("SED SAS SSD", ("sas", "ssd")),
        ("Parallel SCSI", ("scsi", None)),
        ("SAS SATA", None),
        ("SAS carrier pigeon", None),
    ],
)
def test_an_interface_is_read_word_by_word(text: str, expected: tuple[Interface, Media | None] | None) -> None:
    """Only one protocol, an optional media and known additions are read."""
    assert interface(text) == expected


def test_drives_without_a_known_bay_are_separate() -> None:
    """Question marks are not values, and two missing drives are separate."""
    found = observed(
        """
        Smart Array P812 in Slot 2
           array A (SAS, Unused Space: 0  MB)
              physicaldrive 2E:1:2 (port 2E:box 1:bay 2, ???, ??? GB, Failed)
              physicaldrive ?:?:? (port ?:box ?:bay ?, Unknown, ??? GB, Failed)
           array B (SAS, Unused Space: 0  MB)
              physicaldrive ?:?:?
                 Status: Failed
              physicaldrive ?:?:? (port ?:box ?:bay ?, Unknown, ??? GB, Failed)
        """
    )
    drives = found.controllers[0].drives
    assert [item.id[13:] for item in drives] == ["2E:1:2", "?:?:?", "?:?:?-2"]
    assert [(item.enclosure, item.bay) for item in drives] == [("1", "2"), (None, None), (None, None)]
    assert {item.interface for item in drives} == {None}
    assert {drive.id for drive in drives} <= wrong(found)


@pytest.mark.parametrize(
    ("word", "kinds"), [("True", ["state"]), ("False", []), ("Not Supported", []), ("Trve", ["unread"])]
)
def test_a_worn_out_drive_is_reported(word: str, kinds: list[str]) -> None:
    """Wear is a problem even if the drive's status is OK. So is an unknown word."""
    found = observed(
        CONTROLLER.replace("PHY Transfer Rate", f"SSD Smart Trip Wearout: {word}\n         PHY Transfer Rate")
    )
    assert found.controllers[0].drives[0].status == "ok"
    assert [problem.kind for problem in found.problems] == kinds
    assert {problem.where for problem in found.problems} <= {"smartarray:0/1I:1:1"}


def test_lines_below_a_row_belong_to_its_drive() -> None:
    """Some lists print a few settings below each row."""
    found = observed(
        """
        HPE Smart Array P408i-a SR Gen10 in Slot 0 (Embedded)

           Total Solid State Drives with Wearout Status: 0

           Array A

              physicaldrive 1I:1:1 (port 1I:box 1:bay 1, SATA SSD, 480 GB, OK)
                 Usage remaining: 99.00%
                 Power On Hours: 1000
        """
    )
    (item,) = found.controllers[0].drives
    assert (item.power_on_hours, item.details["Usage remaining"]) == (1000, "99.00%")
    assert unparsed(found) == []


def test_used_and_unused_space_are_the_size_of_an_array() -> None:
    """An array's size is in binary units, like that of logical drives."""
    found = controller(
        CONTROLLER.replace("      Status: OK\n\n      Logical", "      Used Space: 556.9 GB (99.6%)\n\n      Logical")
    )
    array = found.arrays[0]
    assert array.free_bytes == 2048 * 1024**2
    assert array.size_bytes == round(556.9 * 1024**3) + 2048 * 1024**2
    assert array.details["Used Space"] == "556.9 GB (99.6%)"


def test_the_state_of_an_array_keeps_its_percentage() -> None:
    """The comma before the percentage does not end the state."""
    found = observed(
        "Smart Array P410 in Slot 1\n   array B (Solid State SATA, Unused Space: 0 MB, Transforming, 12% complete)"
    )
    array = found.controllers[0].arrays[0]
    assert (array.status, array.status_text) == ("ok", "Transforming, 12% complete")
    assert found.problems == ()


def test_the_temperature_of_what_backs_the_cache() -> None:
    """The tool's label is the capacitor's even for a battery."""
    text = CONTROLLER.replace("Capacitors\n", "Batteries\n").replace(
        "   Driver Name", "   Capacitor Temperature  (C): 48\n   Driver Name"
    )
    (battery,) = controller(text).batteries
    assert (battery.kind, battery.temperature_celsius) == ("battery", 48)


def test_the_disable_code_of_a_cache_is_its_reason() -> None:
    """Old tools print a code instead of details."""
    found = controller(
        CONTROLLER.replace(
            "Cache Status: OK", "Cache Status: Permanently Disabled\n   Cache Disable Code: No batteries"
        )
    )
    assert found.cache is not None
    assert (found.cache.status, found.cache.status_text) == ("critical", "Permanently Disabled; No batteries")


def test_a_controller_that_does_not_answer_is_critical() -> None:
    """The tool prints the error behind the slot."""
    found = controller("Smart Array P410 in Slot 2 (Error: Not responding)\n")
    assert (found.status, found.status_text, found.slot) == ("critical", "Error: Not responding", "2")


def test_each_output_of_a_session_belongs_to_its_command() -> None:
    """An output without a controller name belongs to its command's slot."""
    found = observed(
        """
        => ctrl all show status

        Smart Array P840 in Slot 1
           Controller Status: OK

        Smart Array P440ar in Slot 0 (Embedded)
           Controller Status: OK

        => ctrl slot=1 ld all show status

           logicaldrive 1 (447.1 GB, RAID 1): Interim Recovery Mode

        [root@node1 ~]# ssacli ctrl slot=0 pd all show status

           physicaldrive 1I:1:1 (port 1I:box 1:bay 1, 480 GB): OK
        """
    )
    assert [
        (item.id, [volume.id for volume in item.volumes], [drive.id for drive in item.drives])
        for item in sorted(found.controllers, key=lambda item: item.id)
    ] == [
        ("smartarray:0", [], ["smartarray:0/1I:1:1"]),
        ("smartarray:1", ["smartarray:1/v1"], []),
    ]


@pytest.mark.parametrize(
    "kept",
    [
        lambda text: "\n".join(line.strip() for line in text.split("\n")),
        lambda text: text.replace("   ", "\t"),
        lambda text: text.replace("\n", "\r\n"),
    ],
    ids=["indentation lost", "tabs", "CR LF"],
)
def test_how_a_text_was_kept_makes_no_difference(kept: Callable[[str], str]) -> None:
    """Lost blanks, tabs and CR LF give the same controllers."""
    text = CONTROLLER.replace(
        "   Cache Ratio",
        "   Cache Status Details: Cache disabled; the battery is not\n     charged enough.\n   Cache Ratio",
    ).replace(
        "      Logical Drive",
        "      Warning: One of the drives on this array have failed or has\n      been removed.\n\n      Logical Drive",
    )
    found, same = observed(text), observed(kept(text))
    assert same.controllers == found.controllers
    assert same.problems == found.problems
    assert unparsed(same) == []


def test_a_command_of_another_shell_names_the_slot() -> None:
    """A command through VMware's esxcli names the slot."""
    found = observed(
        '~ # esxcli ssacli cmd -q "controller slot=3 ld all show status"\n\n   logicaldrive 1 (1.0 TB, RAID 5): OK\n'
    )
    assert [item.id for item in found.controllers] == ["smartarray:3"]
    assert unparsed(found) == []


def test_an_encrypted_array_is_no_unknown_state() -> None:
    """The word "Encrypted" is a detail of the array, not its state."""
    found = observed("HPE Smart Array P408i-a SR Gen10 in Slot 0\n   Array A (SAS, Unused Space: 0  MB, Encrypted)\n")
    array = found.controllers[0].arrays[0]
    assert (array.status_text, array.details["Encryption"]) == (None, "Encrypted")
    assert found.problems == ()


def test_drive_write_caches_leave_data_unprotected() -> None:
    """No battery protects data in the drives' write caches."""
    text = CONTROLLER.replace("Drive Write Cache: Disabled", "Drive Write Cache: Enabled")
    [found] = derived([controller(text)])
    caches = [volume.cache for volume in found.volumes]
    assert [cache.write_protected for cache in caches if cache is not None] == [False] * len(caches)


@pytest.mark.parametrize("remains", ["18446744073709551616%", "-5%", "100.5%", "99", "some"])
def test_an_impossible_remainder_gives_no_wear(remains: str) -> None:
    """A remaining endurance outside 0 to 100 percent is unknown."""
    found = controller(
        CONTROLLER.replace("         Status: OK\n", f"         Status: OK\n         Usage remaining: {remains}\n")
    )
    assert {drive.life_used_percent for drive in found.drives} == {None}


@pytest.mark.parametrize(
    ("known", "strange"), [("Logical Drive: 1", "Logical Carriage: 1"), ("Logical Drive: 1", "Logical Drive: one")]
)
def test_lines_below_an_unknown_heading_do_not_belong_to_the_object_above(known: str, strange: str) -> None:
    """The status below an unknown heading is not that of the array."""
    text = "\n".join(line for line in CONTROLLER.splitlines() if line != "      Status: OK")
    assert known in text
    found = controller(text.replace(known, strange))
    assert found.arrays[0].status == "unknown"


def test_lines_after_a_drive_without_indentation_belong_to_it() -> None:
    """Without indentation, the serial number below a drive is the drive's."""
    for blanks in ("", " "):
        lines = (
            "Unassigned",
            "physicaldrive 1I:1:2",
            "Status: OK",
            "Serial Number: WS100260",
            "Current Temperature (C): 30",
        )
        rows = "\n".join(f"{blanks}{line}" for line in lines)
        found = controller(f"Smart Array P816i-a SR Gen10 in Slot 0 (Embedded)\n\n{rows}\n")
        assert (found.serial, found.drives[0].serial, found.drives[0].temperature_celsius) == (None, "WS100260", 30)
