"""Self-tests of plain drives. JSON of smartctl shows them, and commands start and abort them."""

from __future__ import annotations

import json
from typing import Any

from raidctl.model import Drive
from raidctl.request import Failure, RunAnswer, converse
from raidctl.vendor.plan import Action
from raidctl.vendor.self_tests import SelfTest
from raidctl_drives.self_tests import READ, of_output, read, refused, start, stop
from tests.support.over import over
from tests.vendors.md.md_outputs import Machine

BASE = SelfTest(drive="drives:ZC1", device="/dev/sda")
DRIVE = Drive(id="drives:ZC1", device="/dev/sda", interface="sata")

ASLEEP = '{"smartctl":{"messages":[{"string":"Device is in STANDBY mode, exit(2)"}],"exit_status":2}}'
STRANGE = '{"smartctl":{"messages":[{"string":"/dev/sda: Unable to detect device type"}],"exit_status":1}}'


def ata(value: int, *tests: tuple[int, int, int], **status: Any) -> str:
    """An ATA drive with this status and these tests: type, status, hours."""
    table = [
        {"type": {"value": kind}, "status": {"value": result, "passed": result >> 4 == 0}, "lifetime_hours": hours}
        for kind, result, hours in tests
    ]
    smart = {"self_test": {"status": {"value": value, **status}, "polling_minutes": {"short": 2, "extended": 512}}}
    log = {"count": len(tests), **({"table": table} if table else {})}
    return json.dumps({"ata_smart_data": smart, "ata_smart_self_test_log": {"standard": log}})


def nvme(running: int, *tests: tuple[int, int, int], percent: int | None = None) -> str:
    """An NVMe drive with these tests: code, result, hours."""
    log: dict[str, Any] = {"current_self_test_operation": {"value": running}}
    log |= {"current_self_test_completion_percent": percent} if percent is not None else {}
    log["table"] = [
        {"self_test_code": {"value": code}, "self_test_result": {"value": result}, "power_on_hours": hours}
        for code, result, hours in tests
    ]
    return json.dumps({"nvme_self_test_log": log})


def scsi(*tests: tuple[int, int, int]) -> str:
    """A SCSI drive with these tests: code, result, hours."""
    rows = {
        f"scsi_self_test_{number}": {
            "code": {"value": code},
            "result": {"value": result},
            "power_on_time": {"hours": hours},
        }
        for number, (code, result, hours) in enumerate(tests)
    }
    return json.dumps({"scsi_extended_self_test_seconds": 1330, **rows})


@over(
    "text, state, kind, percent, hours",
    [
        (ata(0), "none", None, None, None),
        (ata(0, (1, 0, 18)), "passed", "short", None, 18),
        (ata(25, (2, 25, 18), (1, 0, 7)), "aborted", "long", None, 18),
        (ata(33, (2, 33, 18)), "aborted", "long", None, 18),
        (ata(121, (2, 121, 18)), "failed", "long", None, 18),
        (ata(241, (1, 0, 7), remaining_percent=10), "running", None, 90, None),
        (ata(249, (1, 0, 7)), "running", None, 10, None),
        # the status was reset by a power cycle, the log has the failure
        (ata(0, (2, 121, 18)), "failed", "long", None, 18),
        (ata(144, (2, 144, 18)), "unknown", "long", None, 18),
        (nvme(0), "none", None, None, None),
        (nvme(2, (1, 0, 7), percent=28), "running", "long", 28, None),
        (nvme(0, (1, 0, 7)), "passed", "short", None, 7),
        (nvme(0, (2, 7, 7)), "failed", "long", None, 7),
        (nvme(0, (2, 1, 7)), "aborted", "long", None, 7),
        (nvme(0, (2, 11, 7)), "unknown", "long", None, 7),
        (scsi(), "none", None, None, None),
        (scsi((2, 0, 66), (1, 4, 3)), "passed", "long", None, 66),
        (scsi((1, 4, 66)), "failed", "short", None, 66),
        (scsi((1, 15, 66)), "running", "short", None, None),
        (scsi((2, 1, 66)), "aborted", "long", None, 66),
        (ASLEEP, "asleep", None, None, None),
        (STRANGE, "unknown", None, None, None),
        ('{"ata_smart_data":{"capabilities":{"self_tests_supported":false}}}', "not_supported", None, None, None),
        ('{"nvme_optional_admin_commands":{"self_test":false}}', "not_supported", None, None, None),
        ("smartctl 6.6 2017-11-05", "unknown", None, None, None),
        ("[]", "unknown", None, None, None),
    ],
)  # fmt: skip
def test_the_state_is_that_of_the_newest_test(
    text: str, state: str, kind: str | None, percent: int | None, hours: int | None
) -> None:
    """A drive that was never tested has not passed. An unknown result is unknown."""
    found = of_output(BASE, text, 0)
    assert (found.state, found.kind, found.percent, found.hours) == (state, kind, percent, hours)


def test_nothing_passes_for_lack_of_a_value() -> None:
    """A failed, aborted or running test never passes for a missing value. Any one of its values may be missing."""

    def without(tree: Any) -> Any:
        for name in list(tree) if isinstance(tree, dict) else []:
            whole = tree.pop(name)
            yield
            tree[name] = whole
            yield from without(whole)
        for one in tree if isinstance(tree, list) else []:
            yield from without(one)

    bad = (
        ata(121, (2, 121, 18)),
        ata(25, (2, 25, 18)),
        ata(249, (1, 0, 7)),
        nvme(0, (2, 7, 7)),
        nvme(2, percent=9),
        scsi((1, 4, 6)),
    )
    for text in bad:
        tree = json.loads(text)
        for _ in without(tree):
            assert of_output(BASE, json.dumps(tree), 0).state != "passed", json.dumps(tree)


def test_a_drive_is_asked_once_and_not_woken() -> None:
    """One call with `-n standby` reads the drive.

    A missing tool or a failure makes the state unknown, with a reason.
    """
    machine = Machine({}, {" ".join((*READ, "/dev/sda")): RunAnswer(code=0, out=ata(0, (1, 0, 18)).encode())})
    assert converse(read(DRIVE), machine).state == "passed"
    assert machine.commands() == ["smartctl -j -n standby -c -l selftest /dev/sda"]
    for trouble in Failure:
        lost = Machine({}, {" ".join((*READ, "/dev/sda")): RunAnswer(trouble=trouble)})
        found = converse(read(DRIVE), lost)
        assert (found.state, bool(found.why)) == ("unknown", True), trouble


def test_only_nodes_of_drives_reach_the_command() -> None:
    """Only a drive's node is accepted, and no command has "force"."""
    made = [start(DRIVE, "short"), start(DRIVE, "long"), stop(DRIVE)]
    assert [action.argv for action in made if isinstance(action, Action)] == [
        ("smartctl", "-t", "short", "/dev/sda"),
        ("smartctl", "-t", "long", "/dev/sda"),
        ("smartctl", "-X", "/dev/sda"),
    ]
    for device in (None, "/dev/sda1", "/dev/sda -t force", "-X", "/dev/mapper/x", "/dev/sda\n"):
        drive = Drive(id="drives:x", device=device)
        assert isinstance(start(drive, "short"), str), device
        assert isinstance(stop(drive), str), device
    assert isinstance(start(Drive(id="drives:x", device="/dev/vda", interface="virtual"), "short"), str)


def test_a_refusal_is_the_tools_own_line() -> None:
    """A running test, unknown option or bad exit code is a refusal. An accepted start is none."""
    action = Action(argv=("smartctl", "-t", "short", "/dev/sda"))
    busy = b"Can't start self-test without aborting current test (90% remaining),\nadd '-t force' option to override"
    assert (refused(action, RunAnswer(code=4, out=busy)) or "").startswith("Can't start self-test")
    assert refused(action, RunAnswer(code=1, out=b"")) == "exit code 1"
    assert refused(action, RunAnswer(code=0, out=b"Testing has begun.\n")) is None
