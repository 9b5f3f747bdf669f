"""The command line above an output of smartctl. Drive and type are read from it, and the output above ends there."""

from __future__ import annotations

import pytest

from tests.vendors.drives.smart_outputs import read_drives
from tests.vendors.drives.smart_text_outputs import BANNER, TABLE


@pytest.mark.parametrize(
    ("command", "device", "address"),
    [
        ("smartctl -A /dev/sdq", "/dev/sdq", None),
        ("sudo /usr/sbin/smartctl -d sat -A /dev/sdq 2>/dev/null", "/dev/sdq", None),
        ("smartctl -A /dev/sdq; smartctl -A /dev/sdr", None, None),
        ("smartctl -A /dev/sd?", None, None),
        ("smartctl -A -dsat+megaraid,4 /dev/bus/1", None, "/dev/bus/1 sat+megaraid,4"),
        ("host7/smartctl.txt", None, None),
    ],
)
def test_the_command_names_the_drive(command: str, device: str | None, address: str | None) -> None:
    """The command's device is the drive's node. This does not hold for a drive behind a controller."""
    parts, _ = read_drives(command, BANNER + TABLE, "drive")
    assert [(part.device, part.address) for part in parts] == [(device, address)]
    parts, _ = read_drives("session.txt", f"[root@harbor ~]# {command}\n{BANNER}{TABLE}", "drive")
    assert [(part.device, part.address) for part in parts] == [(device, address)]


def test_drives_behind_one_controller_are_kept_apart() -> None:
    """Two drives behind one node are separate. The node is a detail of each."""
    text = "".join(f"# smartctl -A -d megaraid,{n} /dev/bus/1\n{BANNER}{TABLE}" for n in (4, 5))
    parts, output = read_drives("session.txt", text, "drive")
    assert [part.address for part in parts] == ["/dev/bus/1 megaraid,4", "/dev/bus/1 megaraid,5"]
    assert [part.details["device"] for part in parts] == ["/dev/bus/1", "/dev/bus/1"]
    assert [fact.line.number for fact in output.facts if fact.field == "details[device]"] == [1, 18]


def test_a_failed_call_reports_no_drive() -> None:
    """A failure is reported at the device of its call. The next call is separate."""
    gone = f"{BANNER}Smartctl open device: /dev/bus/1 [megaraid_disk_09] failed: INQUIRY failed\n"
    text = (
        f"# smartctl -H -d megaraid,9 /dev/bus/1\n{gone}# smartctl -H /dev/sdr\n# smartctl -A /dev/sdq\n{BANNER}{TABLE}"
    )
    parts, _ = read_drives("session.txt", text, "drive")
    assert [part.empty for part in parts] == [True, False]
    assert [problem.where for problem in parts[0].problems] == ["/dev/bus/1 megaraid,9"]
    assert parts[1].device == "/dev/sdq"
