"""QEMU's command line for a machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from tests.lab import clock, interpreter
from tests.lab.machine import Bus, Controller, ControllerKind, Drive, Machine
from tests.lab.places import hidden

PORTS = 6  # of an AHCI controller

# A bus that no declared controller serves gets one of this kind.
IMPLIED: dict[Bus, ControllerKind] = {"sata": "ahci", "scsi": "virtio-scsi", "megasas": "megasas"}
SERVES: dict[ControllerKind, Bus] = {
    "ahci": "sata",
    "virtio-scsi": "scsi",
    "mptsas": "scsi",
    "megasas": "megasas",
    "megasas-gen2": "megasas",
}
DEVICE: dict[ControllerKind, str] = {
    "ahci": "ich9-ahci",
    "virtio-scsi": "virtio-scsi-pci",
    "mptsas": "mptsas1068",
    "megasas": "megasas",
    "megasas-gen2": "megasas-gen2",
}

# Emulating what newer processors have (AVX) costs the guest's C library more than it gains.
CPU = "Nehalem"


@dataclass(frozen=True)
class Places:
    """The files of one machine's runs. The path has to be short, because of sockets."""

    scratch: Path

    def disk(self, drive: Drive) -> Path:
        """The drive's content, which outlives a power cut."""
        return self.scratch / f"{drive.serial}.img"

    def nbd(self, drive: Drive) -> Path:
        """The socket of the process that emulates a drive with a cache."""
        return self.scratch / f"{drive.serial}.nbd"

    @property
    def port(self) -> Path:
        """The socket of the agent."""
        return self.scratch / "port"

    @property
    def qmp(self) -> Path:
        """The socket of QEMU."""
        return self.scratch / "qmp"

    @property
    def console(self) -> Path:
        """The output of the serial console."""
        return self.scratch / "console"


@dataclass(frozen=True)
class Software:
    """The programs and files that a machine needs."""

    qemu: str
    image: Path
    initramfs: Path
    modules: Path
    python: str
    agent: Path


def command(machine: Machine, places: Places, software: Software, *, terminal: bool = False) -> list[str]:
    """The arguments to boot a machine. With ``terminal``, its console is the caller's terminal."""
    console = "mon:stdio" if terminal else f"file:{places.console}"
    return [
        software.qemu,
        *("-name", machine.name, "-nodefaults", "-no-user-config", "-display", "none"),
        *("-machine", "q35,sata=off,smbus=off,usb=off,vmport=off,hpet=off", "-accel", "tcg,thread=multi", "-cpu", CPU),
        *("-m", str(machine.memory), "-smp", str(machine.cpus)),
        *(() if machine.from_drive else ("-kernel", str(software.image), "-initrd", str(software.initramfs))),
        *(() if machine.from_drive else ("-append", kernel_line(machine, software))),
        *("-serial", console, "-qmp", f"unix:{places.qmp},server=on,wait=off"),
        *("-device", "virtio-serial-pci,addr=0x2", "-chardev", f"socket,id=lab,path={places.port},server=on,wait=off"),
        *("-device", "virtserialport,chardev=lab,name=lab"),
        *("-fsdev", "local,id=root,path=/,readonly=on,security_model=none,multidevs=remap"),
        *("-device", "virtio-9p-pci,fsdev=root,mount_tag=root,addr=0x3"),
        *("-device", "virtio-rng-pci,addr=0x4"),
        *devices(machine, places),
        *machine.qemu,
    ]


def kernel_line(machine: Machine, software: Software) -> str:
    """The kernel's command line. Arguments for the init of the initramfs begin with ``lab.``."""
    words = (
        "console=ttyS0 loglevel=4 panic=-1 mitigations=off random.trust_cpu=on no_timer_check",
        clock.kernel_words(),
        "cryptomgr.notests audit=0 nowatchdog ipv6.disable=1",
        # QEMU translates a program again for each address that it is loaded to: half the time of a short command
        "norandmaps",
        # checks and accounting that make each system call and each page slower; no module named "none" exists
        "lsm=none init_on_alloc=0 hardened_usercopy=off randomize_kstack_offset=off cgroup_disable=memory",
        f"lab.name={machine.name} lab.modules={software.modules}",
        f"lab.python={software.python} lab.agent={software.agent} lab.kept={':'.join(hidden())}",
        interpreter.words(),
        machine.kernel_arguments,
    )
    return " ".join(words).strip()


def controllers(machine: Machine) -> list[Controller]:
    """The declared controllers, then those that the drives imply."""
    found = list(machine.controllers)
    needed = Counter(drive.bus for drive in machine.drives if not drive.controller and drive.bus in IMPLIED)
    for bus, drives in needed.items():
        kind = IMPLIED[bus]
        if any(SERVES[controller.kind] == bus for controller in machine.controllers):
            continue
        missing = -(-drives // PORTS) if bus == "sata" else 1
        found += [Controller(f"{bus}{number}", kind) for number in range(missing)]
    return found


def devices(machine: Machine, places: Places) -> Iterator[str]:
    """Controllers at PCI slots from 8 on, then drives. PCI drives take the slots after them."""
    found = controllers(machine)
    slots = count(8)
    for controller in found:
        options = f",{controller.options}" if controller.options else ""
        yield from ("-device", f"{DEVICE[controller.kind]},id={controller.name},addr={next(slots):#x}{options}")
    if machine.slots:  # else ACPI has them, and their attention LEDs do nothing
        yield from ("-global", "ICH9-LPC.acpi-pci-hotplug-with-bridge-support=off")
    for number in range(1, machine.slots + 1):
        port = f"pcie-root-port,id={slot(number)},chassis={number},slot={number},addr={next(slots):#x}"
        yield from ("-device", port)
    used: Counter[str] = Counter()
    for drive in machine.drives:
        yield from ("-drive", _backend(drive, places))
        yield from ("-device", _frontend(drive, found, slots, used))


def slot(number: int) -> str:
    """QEMU's name for a hot plug slot."""
    return f"slot{number}"


def _backend(drive: Drive, places: Places) -> str:
    """The option for a drive's content."""
    file = str(places.disk(drive)) if drive.backing == "file" else f"nbd+unix:///?socket={places.nbd(drive)}"
    throttle = drive.throttle.options() if drive.throttle else ""
    more = f",{drive.drive_options}" if drive.drive_options else ""
    return f"if=none,id={drive.serial},format=raw,cache=writeback,file={file}{throttle}{more}"


def _frontend(drive: Drive, found: list[Controller], slots: Iterator[int], used: Counter[str]) -> str:
    """The option for the guest's side of a drive."""
    words = [f"drive={drive.serial}", f"id=drive-{drive.serial}", f"serial={drive.serial}"]
    words += [f"write-cache={'on' if drive.write_cache else 'off'}"]
    if drive.bus in ("nvme", "virtio"):
        device = "nvme" if drive.bus == "nvme" else "virtio-blk-pci"
        words.append(f"bus={slot(drive.slot)}" if drive.slot else f"addr={next(slots):#x}")
    else:
        controller = _controller(drive, found, used)
        place = used[controller.name] if drive.scsi_id is None else drive.scsi_id
        used[controller.name] += 1
        device, extra = _on_bus(drive, controller, place)
        words += extra
    if drive.options:
        words.append(drive.options)
    return ",".join([device, *words])


def _controller(drive: Drive, found: list[Controller], used: Counter[str]) -> Controller:
    """The controller of a drive. Without a name, the first of its bus with a free port is used."""
    for controller in found:
        mine = drive.controller in ("", controller.name) and SERVES[controller.kind] == drive.bus
        if mine and (controller.kind != "ahci" or used[controller.name] < PORTS):
            return controller
    raise ValueError(f"drive {drive.serial}: no controller of the machine has a place for it")


def _on_bus(drive: Drive, controller: Controller, place: int) -> tuple[str, list[str]]:
    """A drive on a controller: the device and its properties."""
    words = [f"rotation_rate={drive.rpm}"] if drive.rpm else []
    if drive.wwn:
        words.append(f"wwn={drive.wwn:#x}")
    if drive.bus == "sata":
        return "ide-hd", [f"bus={controller.name}.{place}", *words, *([f"model={drive.model}"] if drive.model else [])]
    words += [f"bus={controller.name}.0", f"scsi-id={place}"]
    words += [f"product={drive.model}"] if drive.model else []
    words += [f"vendor={drive.vendor}"] if drive.vendor else []
    return "scsi-hd", words
