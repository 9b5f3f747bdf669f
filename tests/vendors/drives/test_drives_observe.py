"""Plain drives on a machine. The tests cover requests, missing tools or rights, and drives of other families."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from msgspec.structs import replace

from raidctl.host import BlockDevice, HostView, PciDevice
from raidctl.request import (
    Answer,
    Failure,
    Read,
    ReadAnswer,
    Request,
    Run,
    RunAnswer,
    Which,
    WhichAnswer,
    converse,
)
from raidctl.vendor.protocol import Observation
from raidctl_drives import observe

AHCI = PciDevice("0000:00:17.0", 0x010601, 0x8086, 0xA352, driver="ahci", vendor="Intel", model="SATA AHCI Controller")
HBA = PciDevice("0000:41:00.0", 0x010700, 0x1000, 0x00AF, driver="mpt3sas")
RAID_CONTROLLER = PciDevice("0000:03:00.0", 0x010400, 0x1000, 0x005D, driver="some_raid")
SATA = BlockDevice(
    "sda", "/dev/sda", kind="disk", size_bytes=4000787030016, model="HARBOR HD4000NS-11A", serial="HBN1K7Q2",
    wwn="0x5000cca0b1000a01", scsi_address="0:0:0:0", pci_address=AHCI.address, driver="ahci", rotational=True,
    removable=False, write_cache="write back", transport="sata",
)  # fmt: skip
SAS = BlockDevice(
    "sdc", "/dev/sdc", kind="disk", size_bytes=1800360124416, model="TG1800-SAS15", serial="TGK00C3Z",
    wwn="0x5000c5a0d1000c30", scsi_address="0:0:2:0", pci_address=HBA.address, driver="mpt3sas", rotational=True,
    removable=False, write_cache="write through", transport="sas",
)  # fmt: skip
NVME = BlockDevice(
    "nvme0n1", "/dev/nvme0n1", kind="disk", size_bytes=1000204886016, model="QUARTZ Q980 1TB", serial="QZ98A1004417",
    pci_address="0000:01:00.0", driver="nvme", rotational=False, removable=False, write_cache="write back",
    transport="nvme",
)  # fmt: skip
VIRTIO = BlockDevice(
    "vda", "/dev/vda", kind="disk", size_bytes=21474836480, pci_address="0000:00:05.0", driver="virtio-pci",
    rotational=True, removable=False, write_cache="write back", transport="virtio",
)  # fmt: skip
TOOLS = ("hdparm", "sdparm", "nvme", "smartctl")


@dataclass
class Machine:
    """A runner with scripted outputs and files; everything else is missing."""

    runs: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    tools: Sequence[str] = TOOLS
    trouble: Failure = Failure.MISSING
    asked: list[Run] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """A runner's one method."""
        self.batches.append(len(requests))
        return [self._answer(request) for request in requests]

    def _answer(self, request: Request[Any]) -> Answer:
        if isinstance(request, Which):
            found = request.name in self.tools
            return WhichAnswer(path=f"/usr/sbin/{request.name}" if found else None)
        if isinstance(request, Read):
            text = self.files.get(request.path)
            return ReadAnswer(data=text.encode()) if text else ReadAnswer(trouble=Failure.MISSING)
        assert isinstance(request, Run)
        self.asked.append(request)
        text = self.runs.get(request.argv)
        return RunAnswer(trouble=self.trouble) if text is None else RunAnswer(code=0, out=text.encode())


def seen(machine: Machine, *blocks: BlockDevice, pci: Sequence[PciDevice] = (), **view: Any) -> Observation:
    """The observation of a machine with these block devices."""
    return converse(observe(HostView(root=view.pop("root", True), pci=tuple(pci), blocks=blocks, **view)), machine)


def test_a_machine_without_drives_is_asked_nothing() -> None:
    """Without drives, no request is made."""
    machine = Machine()
    assert seen(machine) == Observation()
    assert machine.batches == []


def test_without_tools_the_kernels_facts_are_shown() -> None:
    """Identity, size and write cache come from the kernel. One problem names all packages, and what is missing."""
    found = seen(Machine(tools=()), SATA, SAS, NVME, pci=(AHCI, HBA))
    assert [controller.id for controller in found.controllers] == [
        "drives:0000:00:17.0",
        "drives:0000:41:00.0",
        "drives:0000:01:00.0",
    ]
    assert [controller.mode for controller in found.controllers] == ["none", "hba", "none"]
    drive = found.controllers[0].drives[0]
    assert (drive.id, drive.device, drive.role) == ("drives:HBN1K7Q2", "/dev/sda", "passthrough")
    assert (drive.size_bytes, drive.media, drive.interface, drive.write_cache) == (
        4000787030016,
        "hdd",
        "sata",
        "enabled",
    )
    (problem,) = found.problems
    assert problem.kind == "no_tool"
    assert " are not installed: health, temperature, errors and write cache of the plain drives " in problem.message
    assert all(name in str(problem.remedy) for name in ("smartmontools", "hdparm", "sdparm", "nvme-cli"))


def test_a_world_wide_name_of_zeros_from_the_kernel_is_none() -> None:
    """A world wide name of zeros that the kernel read is none."""
    (controller,) = seen(Machine(tools=()), replace(SATA, wwn="0x0000000000000000")).controllers
    assert controller.drives[0].wwn is None


def test_without_root_nothing_is_run_and_one_problem_reports_it() -> None:
    """Without root the kernel's facts are shown and no tool is run."""
    machine = Machine()
    found = seen(machine, SATA, NVME, root=False)
    assert machine.asked == []
    assert [problem.kind for problem in found.problems] == ["no_right"]
    assert found.controllers[0].drives[0].write_cache == "enabled"


def test_a_virtual_drive_is_listed_and_not_asked() -> None:
    """A virtual drive needs no tool. A note refers to the hypervisor."""
    machine = Machine(tools=())
    found = seen(machine, VIRTIO, virtual="kvm")
    assert machine.asked == []
    drive = found.controllers[0].drives[0]
    assert (drive.interface, drive.write_cache, drive.media) == ("virtual", "enabled", None)
    (problem,) = found.problems
    assert (problem.kind, problem.severity) == ("note", "info")
    assert "kvm" in problem.message
    assert problem.remedy


def test_drives_of_other_families_are_left_to_them() -> None:
    """Claimed drives and empty readers are not listed. Neither are drives of an unread RAID controller."""
    claimed = replace(SATA, name="sdb", node="/dev/sdb")
    reader = replace(SATA, name="sdd", node="/dev/sdd", removable=True, size_bytes=0)
    hidden = replace(
        SATA,
        name="sde",
        node="/dev/sde",
        serial="X1",
        wwn=None,
        pci_address=RAID_CONTROLLER.address,
        driver="some_raid",
    )
    found = seen(Machine(), claimed, reader, hidden, pci=(RAID_CONTROLLER,), claimed=frozenset({"/dev/sdb"}))
    assert found.controllers == ()


def test_a_drive_whose_capacity_the_kernel_cannot_read_is_listed() -> None:
    """A failed drive with a size of 0 is a finding. An empty reader or an unused node is none."""
    lost, node = replace(SATA, size_bytes=0), replace(SATA, name="nbd0", node="/dev/nbd0", transport=None, size_bytes=0)
    found = seen(Machine(), lost, node, pci=(AHCI,))
    [drive] = [drive for controller in found.controllers for drive in controller.drives]
    assert (drive.device, drive.size_bytes) == ("/dev/sda", None)
    assert any(problem.severity == "warning" and "size of 0" in problem.message for problem in found.problems)


def test_drives_passed_through_by_a_controller_are_listed() -> None:
    """A RAID controller's block devices besides claimed volumes are plain drives."""
    volume = replace(SATA, name="sdb", node="/dev/sdb", pci_address=RAID_CONTROLLER.address, driver="some_raid")
    passed = replace(SATA, pci_address=RAID_CONTROLLER.address, driver="some_raid")
    found = seen(Machine(), volume, passed, pci=(RAID_CONTROLLER,), claimed=frozenset({"/dev/sdb"}))
    assert [drive.device for drive in found.controllers[0].drives] == ["/dev/sda"]


@pytest.mark.parametrize(
    ("transport", "queue", "cache_type", "known"),
    [
        ("sas", "write through", None, None),
        ("sas", "write back", None, "enabled"),
        ("sas", "write back", "write through", "disabled"),
        ("sas", "write through", "write back", "enabled"),
        ("usb", "write through", "write through", None),
        ("usb", "write back", "write back", "enabled"),
    ],
)
def test_the_kernel_alone_proves_no_write_cache_off(
    transport: str, queue: str, cache_type: str | None, known: str | None
) -> None:
    """A cache is off if the drive reported it to the driver, not if the kernel only sends it no flushes."""
    files = {"/sys/class/scsi_disk/0:0:2:0/cache_type": f"{cache_type}\n"} if cache_type else {}
    found = seen(Machine(tools=(), files=files), replace(SAS, transport=transport, write_cache=queue), pci=(HBA,))
    [drive] = found.controllers[0].drives
    assert drive.write_cache == known
    assert drive.details["queue/write_cache"] == queue


def test_two_paths_are_one_drive() -> None:
    """One WWN on two nodes is one drive. Only one path is queried."""
    machine = Machine(files={"/sys/class/scsi_disk/0:0:2:0/cache_type": "write back\n"})
    other = replace(SAS, name="sde", node="/dev/sde", scsi_address="0:0:4:0")
    joint = BlockDevice("dm-0", "/dev/dm-0", kind="dm", slaves=("sdc", "sde"), dm_name="mpatha", mountpoints=("/srv",))
    found = seen(machine, SAS, other, joint, pci=(HBA,))
    (drive,) = found.controllers[0].drives
    assert drive.details["devices"] == "/dev/sdc, /dev/sde"
    assert drive.details["multipath"] == "/dev/mapper/mpatha"
    assert {request.argv[-1] for request in machine.asked} == {"/dev/sdc"}


def test_namespaces_are_parts_of_one_drive() -> None:
    """Two namespaces with one serial number are one drive. The sizes of both are added."""
    second = replace(NVME, name="nvme0n2", node="/dev/nvme0n2", size_bytes=500107862016, wwn="eui.6479a7500a004418")
    first = replace(NVME, wwn="eui.6479a7500a004417")
    (controller,) = seen(Machine(tools=()), first, second).controllers
    (drive,) = controller.drives
    assert drive.size_bytes == 1000204886016 + 500107862016
    assert drive.details["namespaces"] == "/dev/nvme0n1, /dev/nvme0n2"


def test_many_problems_stay_apart_and_each_comes_once() -> None:
    """Each drive that does not answer is reported once."""
    many = [
        replace(SATA, name=f"sd{n}x", node=f"/dev/sd{n}x", serial=f"HBN1{n:04}", wwn=None, scsi_address=None)
        for n in range(300)
    ]
    found = seen(Machine(trouble=Failure.TIMEOUT, tools=("hdparm",)), *many, pci=(AHCI,))
    silent = [problem.where for problem in found.problems if problem.kind == "unread"]
    assert len(silent) == len(set(silent)) == 300


def test_usb_drives_of_one_adapter_stay_apart() -> None:
    """USB drives behind one bridge stay apart. USB bridges give all drives one serial number."""
    one = replace(SATA, transport="usb", pci_address="0000:00:14.0", driver="xhci_hcd", wwn=None)
    two = replace(one, name="sdb", node="/dev/sdb")
    found = seen(Machine(tools=()), one, two)
    assert [drive.id for drive in found.controllers[0].drives] == ["drives:HBN1K7Q2", "drives:HBN1K7Q2-sdb"]


def test_a_cache_that_the_kernel_does_not_know_of_is_dangerous() -> None:
    """A problem reports a drive's cache that is on without flushes. The kernel sends none."""
    machine = Machine({("sdparm", "--get=WCE,RCD", "/dev/sdc"): "WCE           1  [cha: y, def:  1, sav:  1]\n"})
    found = seen(machine, SAS, pci=(HBA,))
    assert found.controllers[0].drives[0].write_cache == "enabled"
    assert any("no flushes" in problem.message and problem.kind == "state" for problem in found.problems)


def test_an_nvme_drive_is_asked_for_feature_6_only_when_it_has_a_cache() -> None:
    """Feature 6 is not requested from a drive without a volatile cache. Such a drive would refuse it."""
    head = "NVME Identify Controller:\nsn : QZ98A1004417\nmn : QUARTZ Q980 1TB\nvwc : "
    identify = ("nvme", "id-ctrl", "/dev/nvme0n1")
    feature = ("nvme", "get-feature", "/dev/nvme0n1", "-f", "6")
    without = Machine({identify: f"{head}0\n"})
    assert seen(without, NVME).controllers[0].drives[0].write_cache == "disabled"
    assert feature not in {request.argv for request in without.asked}
    switched_off = "get-feature:0x06 (Volatile Write Cache), Current value:00000000\n"
    there = Machine({identify: f"{head}0x7\n", feature: switched_off})
    assert seen(there, NVME).controllers[0].drives[0].write_cache == "disabled"


def test_drives_are_asked_in_parallel() -> None:
    """A hundred drives take as many rounds of requests as one."""
    machine = Machine()
    many = [replace(SATA, name=f"sd{n}", node=f"/dev/sd{n}", serial=f"HB{n:06}", wwn=None) for n in range(100)]
    found = seen(machine, *many)
    one = Machine()
    seen(one, many[0])
    assert len(found.controllers[0].drives) == 100
    assert len(machine.batches) == len(one.batches)


def test_a_timeout_is_reported_and_the_rest_is_shown() -> None:
    """A drive whose tools time out is listed with the kernel's facts."""
    found = seen(Machine(trouble=Failure.TIMEOUT), SATA)
    assert found.controllers[0].drives[0].model == "HARBOR HD4000NS-11A"
    assert {problem.kind for problem in found.problems} == {"unread"}


def test_refusals_of_many_drives_are_one_problem() -> None:
    """If root is unknown, "permission denied" of many drives is one problem."""
    other = replace(SATA, name="sdb", node="/dev/sdb", serial="HB2", wwn=None)
    runs: dict[tuple[str, ...], str] = {
        ("hdparm", "-I", "-W", node): f"{node}: Permission denied\n" for node in ("/dev/sda", "/dev/sdb")
    }
    found = seen(Machine(runs, tools=("hdparm",)), SATA, other, root=None)
    assert [problem.kind for problem in found.problems if problem.kind == "no_right"] == ["no_right"]


def test_every_drive_has_evidence() -> None:
    """Each drive and controller has facts. No fact belongs to an unknown object."""
    found = seen(Machine(), SATA, SAS, NVME, VIRTIO)
    listed = {drive.id for controller in found.controllers for drive in controller.drives}
    listed |= {controller.id for controller in found.controllers}
    assert {fact.object_id for output in found.outputs for fact in output.facts} == listed
