"""The commands that switch the write caches of plain drives."""

from __future__ import annotations

import pytest

from raidctl.model import Controller, Drive, Interface, Tool
from raidctl.request import RunAnswer
from raidctl.vendor.plan import Action, Desired, Plan
from raidctl_drives import change

TOOLS = [Tool(name=name) for name in ("hdparm", "sdparm", "nvme", "smartctl")]
ADDRESS = {"SCSI address": "2:0:0:0", "cache_type": "write back", "controller": "/dev/nvme3"}


def drive(interface: Interface | None, **more: object) -> Drive:
    """A drive whose write cache is on."""
    facts: dict[str, object] = {"device": "/dev/sda", "write_cache": "enabled", "details": ADDRESS} | more
    return Drive(id="drives:S1", interface=interface, **facts)  # type: ignore[arg-type]  # fields of the model


def off(item: Drive, tools: list[Tool] | None = None) -> Plan:
    """The plan that switches its cache off."""
    wish = Desired(object_id="drives:S1", setting="write_cache", value="disabled")
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
            "nvme set-feature /dev/nvme3 --feature-id=6 --value=0",
            "nvme set-feature /dev/nvme3 --feature-id=6 --value=1",
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


def on(item: Drive) -> Plan:
    """The plan that switches the cache of a drive on."""
    wish = Desired(object_id="drives:S1", setting="write_cache", value="enabled")
    return change.plan(Controller(id="drives:loose", drives=(item,)), [wish], TOOLS)


@pytest.mark.parametrize(
    ("interface", "page", "survives"),
    [
        ("sas", "1 [cha: y, def: 1, sav: 1]", True),
        ("sas", "1 [cha: y]", None),
        ("sas", "", None),
        ("sata", "1 [cha: y, def: 1, sav: 1]", None),
        ("nvme", "", False),
    ],
)
def test_what_survives_a_power_cycle_is_told_as_far_as_it_is_known(
    interface: Interface, page: str, survives: bool | None
) -> None:
    """The kernel saves the page of a SCSI drive that has a saved one; ATA drives differ; NVMe forgets."""
    [step] = off(drive(interface, details=ADDRESS | {"WCE": page})).steps
    assert step.persistent is survives


def test_a_saved_setting_that_differs_is_named_before_it_is_overwritten() -> None:
    """It cannot be put back through the kernel's file."""
    [step] = off(drive("sas", details=ADDRESS | {"WCE": "1 [cha: y, def: 1, sav: 0]"})).steps
    assert "saved" in step.affects[0]
    [same] = off(drive("sas", details=ADDRESS | {"WCE": "1 [cha: y, def: 1, sav: 1]"})).steps
    assert same.affects == ()


def test_a_drive_that_does_not_let_it_be_switched_is_refused() -> None:
    """``cha: n``."""
    [refusal] = off(drive("sas", details=ADDRESS | {"WCE": "1 [cha: n, def: 1, sav: 1]"})).refusals
    assert "not changeable" in refusal.reason


def test_nvme_acts_on_all_namespaces_of_a_drive() -> None:
    """The feature is the controller's."""
    details = {"namespaces": "/dev/nvme0n1, /dev/nvme0n2", "controller": "/dev/nvme0"}
    [step] = off(drive("nvme", device="/dev/nvme0n1", details=details)).steps
    assert any("/dev/nvme0n2" in text for text in step.affects)


@pytest.mark.parametrize("details", [{}, {"controller": ""}, {"controller": "/dev/nvme0n1"}])
def test_nvme_is_not_switched_without_its_controller(details: dict[str, str]) -> None:
    """A namespace refuses the feature, and the number in its name may be another drive's."""
    [refusal] = off(drive("nvme", device="/dev/nvme0n1", details=details)).refusals
    assert "shows no single controller" in refusal.reason


def test_a_drive_without_a_volatile_cache_has_none_to_switch() -> None:
    """Its controller says so."""
    [refusal] = on(drive("nvme", write_cache="disabled", details={"volatile write cache": "not present"})).refusals
    assert (refusal.kind, "no volatile" in refusal.reason) == ("unsupported", True)


@pytest.mark.parametrize(
    ("item", "word"),
    [
        (
            drive(
                "nvme",
                write_cache="disabled",
                details={"controller": "/dev/nvme0", "queue/write_cache": "write through"},
            ),
            "no flushes",
        ),
        (drive("sas", write_cache="disabled", details=ADDRESS | {"devices": "/dev/sda, /dev/sdb"}), "other paths"),
    ],
)
def test_what_the_kernel_is_not_told_is_said_when_a_cache_is_switched_on(item: Drive, word: str) -> None:
    """A kernel that believes in no cache sends no flushes."""
    [step] = on(item).steps
    assert any(word in text for text in step.affects)


@pytest.mark.parametrize(
    ("details", "device", "argv"),
    [
        ({}, "/dev/nvme0n1", ("nvme", "flush", "/dev/nvme0n1", "-n", "1")),
        ({}, "/dev/nvme0n2", ("nvme", "flush", "/dev/nvme0n2", "-n", "2")),
        ({"namespaces": "/dev/nvme0n1, /dev/nvme0n2"}, "/dev/nvme0n1", None),
        ({}, "/dev/nvme0", None),
    ],
)
def test_a_flush_names_the_namespace_that_it_is_of(
    details: dict[str, str], device: str, argv: tuple[str, ...] | None
) -> None:
    """The kernel refuses another number; of several namespaces, the commands are named."""
    item = drive("nvme", device=device, details=details)
    [flush] = change.flushes(Controller(id="drives:loose", drives=(item,)), TOOLS)
    assert (flush.action.argv if flush.action else None) == argv
    assert flush.action is not None or flush.alternative


@pytest.mark.parametrize(
    ("argv", "code", "out", "done"),
    [
        (("hdparm", "-F", "/dev/sda"), 0, "\n/dev/sda:\n", True),
        (("hdparm", "-F", "/dev/sda"), 0, "/dev/sda:\nSG_IO: bad/missing sense data, sb[]:  70 00\n", False),
        (("hdparm", "-F", "/dev/sda"), 25, " HDIO_DRIVE_CMD(flushcache) failed: Inappropriate ioctl\n", False),
        (("sdparm", "--command=sync", "/dev/sda"), 0, "    /dev/sda: TAIGA     TG1800\n", True),
        (("sdparm", "--command=sync", "/dev/sda"), 6, "", False),
        (("nvme", "flush", "/dev/nvme0n1", "-n", "1"), 0, "NVMe Flush: success\n", True),
        (("nvme", "flush", "/dev/nvme0n1", "-n", "1"), 0, "", False),
        (("nvme", "flush", "/dev/nvme0n1", "-n", "1"), 1, "flush: Invalid argument\n", False),
    ],
)
def test_a_flush_is_done_when_the_tool_says_nothing_against_it(
    argv: tuple[str, ...], code: int, out: str, done: bool
) -> None:
    """Hdparm ends with 0 when the drive has refused; nvme names its success."""
    assert (change.judge(Action(argv=argv), RunAnswer(code=code, out=out.encode())) is None) == done


W0, W1 = ("hdparm", "-W0", "/dev/sda"), ("hdparm", "-W1", "/dev/sda")
NVME0 = ("nvme", "set-feature", "/dev/nvme0", "--feature-id=6", "--value=0")
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
