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
    desired = Desired(object_id="drives:S1", setting="write_cache", value="disabled")
    controller = Controller(id="drives:loose", drives=(item,))
    return change.plan(controller, [desired], TOOLS if tools is None else tools)


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
    """Each kind of drive has its command. ATA uses hdparm, SCSI the kernel's file, NVMe feature 6 with long options."""
    [step] = off(drive(interface)).steps
    assert (str(step.action), str(step.undo)) == (command, undo)


def test_the_read_cache_of_a_scsi_drive_stays_as_it_is() -> None:
    """A disabled read cache stays disabled. The kernel's file holds both caches."""
    item = drive("sas", details=ADDRESS | {"cache_type": "write back, no read (daft)"})
    [step] = off(item).steps
    assert (step.action.data, step.undo.data) == ("none", "write back, no read (daft)")


def test_ata_without_hdparm_goes_through_the_kernel() -> None:
    """Without hdparm, an ATA drive is switched by the kernel's file."""
    [step] = off(drive("sata"), [Tool(name="smartctl")]).steps
    assert step.action.path == "/sys/class/scsi_disk/2:0:0:0/cache_type"


def test_an_nvme_setting_is_not_persistent() -> None:
    """A setting made without --save is lost with the power."""
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
    """Caches that cannot be switched are refused with the reason.

    Virtual and USB drives, drives without a node or address, and unknown caches cannot be switched.
    """
    plan = off(item)
    assert plan.steps == ()
    assert plan.refusals[0].reason


def on(item: Drive) -> Plan:
    """The plan that switches the cache of a drive on."""
    desired = Desired(object_id="drives:S1", setting="write_cache", value="enabled")
    return change.plan(Controller(id="drives:loose", drives=(item,)), [desired], TOOLS)


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
def test_persistence_is_reported_as_far_as_it_is_known(interface: Interface, page: str, survives: bool | None) -> None:
    """SCSI saves the page if it can be saved. ATA drives differ; NVMe does not persist."""
    [step] = off(drive(interface, details=ADDRESS | {"WCE": page})).steps
    assert step.persistent is survives


def test_a_saved_setting_that_differs_is_named_before_it_is_overwritten() -> None:
    """The plan names a saved value that differs. The kernel's file cannot restore it."""
    [step] = off(drive("sas", details=ADDRESS | {"WCE": "1 [cha: y, def: 1, sav: 0]"})).steps
    assert "saved" in step.affects[0]
    [same] = off(drive("sas", details=ADDRESS | {"WCE": "1 [cha: y, def: 1, sav: 1]"})).steps
    assert same.affects == ()


def test_an_unchangeable_cache_is_refused() -> None:
    """A cache with ``cha: n`` is refused."""
    [refusal] = off(drive("sas", details=ADDRESS | {"WCE": "1 [cha: n, def: 1, sav: 1]"})).refusals
    assert "not changeable" in refusal.reason


def test_nvme_acts_on_all_namespaces_of_a_drive() -> None:
    """The plan names the other namespaces. The feature belongs to the controller."""
    details = {"namespaces": "/dev/nvme0n1, /dev/nvme0n2", "controller": "/dev/nvme0"}
    [step] = off(drive("nvme", device="/dev/nvme0n1", details=details)).steps
    assert any("/dev/nvme0n2" in text for text in step.affects)


@pytest.mark.parametrize("details", [{}, {"controller": ""}, {"controller": "/dev/nvme0n1"}])
def test_nvme_is_not_switched_without_its_controller(details: dict[str, str]) -> None:
    """Without a single controller node, the change is refused. A namespace refuses the feature."""
    [refusal] = off(drive("nvme", device="/dev/nvme0n1", details=details)).refusals
    assert "shows no single controller" in refusal.reason


def test_a_drive_without_a_volatile_cache_has_none_to_switch() -> None:
    """A drive that reports no volatile cache is unsupported."""
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
def test_an_unaware_kernel_is_reported_when_a_cache_is_enabled(item: Drive, word: str) -> None:
    """The plan reports that the kernel sees no cache, and therefore sends no flushes."""
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
    """The flush gives the namespace's number. For several namespaces the commands are only named."""
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
def test_a_flush_is_judged_by_output_and_exit_code(argv: tuple[str, ...], code: int, out: str, done: bool) -> None:
    """Hdparm exits with 0 after a refusal; nvme prints its success."""
    assert (change.judge(Action(argv=argv), RunAnswer(code=code, out=out.encode())) is None) == done


W0, W1 = ("hdparm", "-W0", "/dev/sda"), ("hdparm", "-W1", "/dev/sda")
NVME0 = ("nvme", "set-feature", "/dev/nvme0", "--feature-id=6", "--value=0")
NVME1 = (*NVME0[:-1], "--value=1")
SET_FEATURE = "set-feature:0x06 (Volatile Write Cache), value:{}, cdw12:00000000, save:0\n"


@pytest.mark.parametrize(
    ("argv", "out", "accepted"),
    [
        (W0, "/dev/sda:\n setting drive write-caching to 0 (off)\n write-caching =  0 (off)\n", True),
        (W0, "/dev/sda:\n setting drive write-caching to 0 (off)\n write-caching =  1 (on)\n", False),
        (W1, "SG_IO: bad/missing sense data, sb[]:  70 00 05\n", False),
        (NVME0, SET_FEATURE.format("00000000"), True),
        (NVME1, SET_FEATURE.format("0x00000001"), True),
        (NVME1, SET_FEATURE.format("00000000"), False),
        (NVME1, "NVMe status: Invalid Field in Command: (0x4002)\n", False),
    ],
)
def test_the_state_that_is_printed_decides(argv: tuple[str, ...], out: str, accepted: bool) -> None:
    """The printed state decides. Both tools exit with 0 after a refusal."""
    assert (change.judge(Action(argv=argv), RunAnswer(code=0, out=out.encode())) is None) == accepted
