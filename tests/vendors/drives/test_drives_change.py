"""The commands that switch the write caches of plain drives."""

from __future__ import annotations

import pytest

from raidctl.change.plan import Action, Plan, Wish
from raidctl.model import Controller, Drive, Interface, Tool
from raidctl.request import RunAnswer
from raidctl_drives import change

TOOLS = [Tool(name=name) for name in ("hdparm", "sdparm", "nvme", "smartctl")]
ADDRESS = {"SCSI address": "2:0:0:0", "cache_type": "write back"}


def drive(interface: Interface | None, **more: object) -> Drive:
    """A drive whose write cache is on."""
    facts: dict[str, object] = {"device": "/dev/sda", "write_cache": "enabled", "details": ADDRESS} | more
    return Drive(id="drives:S1", interface=interface, **facts)  # type: ignore[arg-type]  # fields of the model


def off(item: Drive, tools: list[Tool] | None = None) -> Plan:
    """The plan that switches its cache off."""
    wish = Wish(object_id="drives:S1", setting="write_cache", value="disabled")
    controller = Controller(id="drives:loose", drives=(item,))
    return change.plan(controller, [wish], TOOLS if tools is None else tools)


@pytest.mark.parametrize(
    ("interface", "command", "undo"),
    [
        ("sata", "hdparm -W0 /dev/sda", "hdparm -W1 /dev/sda"),
        (
            "sas",
            "echo 'write through' > /sys/class/scsi_disk/2:0:0:0/cache_type",
            "echo 'write back' > /sys/class/scsi_disk/2:0:0:0/cache_type",
        ),
        (
            "nvme",
            "nvme set-feature /dev/sda --feature-id=6 --value=0",
            "nvme set-feature /dev/sda --feature-id=6 --value=1",
        ),
    ],
)
def test_each_kind_of_drive_has_its_command(interface: Interface, command: str, undo: str) -> None:
    """Hdparm for ATA, the kernel's own file for SCSI, feature 6 with long options for NVMe."""
    [step] = off(drive(interface)).steps
    assert (str(step.action), str(step.undo)) == (command, undo)


def test_the_read_cache_of_a_scsi_drive_stays_as_it_is() -> None:
    """One file holds both: a drive whose read cache is off keeps it off."""
    item = drive("sas", details=ADDRESS | {"cache_type": "write back, no read (daft)"})
    [step] = off(item).steps
    assert (step.action.data, step.undo.data) == ("none", "write back, no read (daft)")


def test_ata_without_hdparm_goes_through_the_kernel() -> None:
    """The kernel translates it for the drive."""
    [step] = off(drive("sata"), [Tool(name="smartctl")]).steps
    assert step.action.path == "/sys/class/scsi_disk/2:0:0:0/cache_type"


def test_what_an_nvme_drive_forgets_is_said() -> None:
    """Without --save it is gone with the power."""
    [step] = off(drive("nvme")).steps
    assert step.persistent is False


@pytest.mark.parametrize(
    "item",
    [
        drive("virtual"),
        drive("usb"),
        drive("sas", details={}),
        drive("sata", device=None),
        drive("nvme", write_cache=None),
    ],
)
def test_what_cannot_be_switched_is_refused_with_the_reason(item: Drive) -> None:
    """Hypervisors, USB adapters, drives without a node or an address, a state that nobody tells."""
    plan = off(item)
    assert plan.steps == ()
    assert plan.refusals[0].reason


W0, W1 = ("hdparm", "-W0", "/dev/sda"), ("hdparm", "-W1", "/dev/sda")
NVME0 = ("nvme", "set-feature", "/dev/nvme0n1", "--feature-id=6", "--value=0")
NVME1 = (*NVME0[:-1], "--value=1")
SAID = "set-feature:0x06 (Volatile Write Cache), value:{}, cdw12:00000000, save:0\n"


@pytest.mark.parametrize(
    ("argv", "out", "accepted"),
    [
        (W0, "/dev/sda:\n setting drive write-caching to 0 (off)\n write-caching =  0 (off)\n", True),
        (W0, "/dev/sda:\n setting drive write-caching to 0 (off)\n write-caching =  1 (on)\n", False),
        (W1, "SG_IO: bad/missing sense data, sb[]:  70 00 05\n", False),
        (NVME0, SAID.format("00000000"), True),
        (NVME1, SAID.format("0x00000001"), True),
        (NVME1, SAID.format("00000000"), False),
        (NVME1, "NVMe status: Invalid Field in Command: (0x4002)\n", False),
    ],
)
def test_the_state_that_is_printed_decides(argv: tuple[str, ...], out: str, accepted: bool) -> None:
    """Both programs end with 0 when the drive has refused."""
    assert (change.judge(Action(argv=argv), RunAnswer(code=0, out=out.encode())) is None) == accepted
