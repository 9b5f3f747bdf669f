"""The dialogue with the kernel: two rounds, a third without udev."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from raidctl.discovery import blocks, enclosures, ext4, mapper, mounts, sysfs, udevdb
from raidctl.discovery.mounts import MOUNTINFO, SWAPS
from raidctl.discovery.pci import LINK, linked, storage_functions
from raidctl.discovery.udevdb import Database, Entry, parse, uevent
from raidctl.discovery.virtual import hypervisor
from raidctl.evidence import Output
from raidctl.host import HostView, PciDevice, Piece
from raidctl.model import Problem
from raidctl.request import (
    MORE_TIME,
    Answer,
    Dialogue,
    Failure,
    Glob,
    GlobAnswer,
    Read,
    ReadAnswer,
    Request,
    RunAnswer,
    UdevDatabase,
    ask_all,
)
from raidctl.text import counted

HOSTNAME = "/proc/sys/kernel/hostname"
RELEASE = "/proc/sys/kernel/osrelease"
STATUS = "/proc/self/status"
CPUINFO = "/proc/cpuinfo"
DMI_VENDOR = "/sys/class/dmi/id/sys_vendor"
DMI_PRODUCT = "/sys/class/dmi/id/product_name"
HYPERVISOR = "/sys/hypervisor/type"
XEN = "/proc/xen/capabilities"
_ONE_CPU = 4096
_FILES = (
    *(Read(path) for path in (HOSTNAME, RELEASE, STATUS, MOUNTINFO, SWAPS, DMI_VENDOR, DMI_PRODUCT, HYPERVISOR, XEN)),
    Read(CPUINFO, limit=_ONE_CPU),
)
_GLOBS = (sysfs.BLOCKS, sysfs.SLAVES, sysfs.PARTITIONS, sysfs.FUNCTIONS, enclosures.INSIDE, ext4.PATTERN)


class Probe(Struct, frozen=True):
    """The kernel's view of a machine, and what could not be read."""

    view: HostView
    problems: list[Problem] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    """The lines of the kernel's tables that have an unknown format."""


class _FirstAnswers(Struct):
    """The answers of the first round."""

    udev: ReadAnswer
    files: Mapping[str, ReadAnswer]
    globs: Mapping[str, GlobAnswer]
    database: Database

    @property
    def all_functions(self) -> bool:
        """Whether the database lists the PCI functions. One that was cut off may lack some of them."""
        return self.udev.trouble is None and bool(self.database.of("pci"))

    def text(self, path: str) -> str:
        return self.files[path].text or ""

    def paths(self, pattern: str) -> tuple[str, ...]:
        return self.globs[pattern].paths


def probe_machine() -> Dialogue[Probe]:
    """Read the kernel's view of the machine.

    Without udev, sysfs is used; without sysfs the view is empty and a problem is reported.
    """
    first = yield from _first_round()
    functions = first.database.of("pci")
    on_bus = sysfs.names_of(first.paths(sysfs.FUNCTIONS))
    unlisted = [] if first.all_functions else [name for name in on_bus if name not in functions]
    entries = first.database.of("block")
    listed = sysfs.names_of(first.paths(sysfs.BLOCKS))
    parents = sysfs.parents_of(first.paths(sysfs.PARTITIONS))
    devices = blocks.collect(listed, entries, (), parents)
    devices.slaves = sysfs.slaves_of(first.paths(sysfs.SLAVES))
    second_round = _SecondRound(
        attributes=[
            (name, attribute)
            for name in devices.names
            for attribute in sysfs.wanted(name, devices.kind(name), entries.get(name), devices.slaves.get(name, ()))
        ],
        functions=unlisted,
        links=[function.address for function in storage_functions(functions.values())],
        patterns=sysfs.PLACES if any(_drives_without_path(devices)) else (),
        mapped=_root(first.text(STATUS)) is not False and any(devices.kind(name) == "dm" for name in devices.names),
        enclosures=enclosures.folders(first.paths(enclosures.INSIDE)),
        ext4=first.paths(ext4.PATTERN),
    )
    second = yield from _second_round(second_round)
    if second.found:
        slaves, devices = devices.slaves, blocks.collect(listed, entries, second.found, parents)
        devices.slaves = slaves
    devices.attributes = second.attributes
    devices.bays = enclosures.bays(first.paths(enclosures.INSIDE), second.enclosures)
    functions = {**functions, **second.functions}
    pci = storage_functions(functions.values())
    more_functions = [function.address for function in pci if function.address not in second_round.links]
    if more_functions:
        second.links.update((yield from _links(more_functions)))
    seen = _probe(first, functions, linked(pci, second.links), second, devices)
    seen.problems.extend(_pci_problems(first, second.unread_functions))
    return seen


def _drives_without_path(devices: blocks.DeviceFacts) -> Iterator[bool]:
    """Yield whether each block device is a drive without a sysfs path."""
    return (devices.kind(name) == "disk" and name not in devices.places for name in devices.names)


def _first_round() -> Dialogue[_FirstAnswers]:
    # the database last: reading it takes longer than all the rest, which must not wait for it
    *rest, udev = yield (*_FILES, *(Glob(pattern) for pattern in _GLOBS), UdevDatabase())
    files = {request.path: answer for request, answer in zip(_FILES, rest, strict=False)}
    globs = dict(zip(_GLOBS, rest[len(_FILES) :], strict=True))
    return _FirstAnswers(udev, files, globs, parse(udev.text or ""))


class _SecondRound(Struct, frozen=True):
    """The requests of the second round."""

    attributes: Sequence[tuple[str, str]]
    """Of block devices: kernel name and file."""
    functions: Sequence[str]
    """PCI functions that udev does not list."""
    links: Sequence[str]
    """Addresses of storage controllers."""
    patterns: Sequence[str]
    mapped: bool
    """Whether to run ``dmsetup table``."""
    enclosures: Sequence[str]
    """Folders of SES enclosures with drives."""
    ext4: Sequence[str]
    """Files with all mount options of file systems."""


class _SecondAnswers(Struct):
    """The answers of the second round."""

    attributes: dict[str, sysfs.Attributes]
    functions: dict[str, Entry]
    """PCI functions that udev does not list."""
    unread_functions: list[ReadAnswer]
    links: dict[tuple[str, str], str]
    """Texts of the files of PCI links, by address and name."""
    table: str
    """Of the device mapper."""
    enclosures: dict[str, str]
    """Identifiers, by folder."""
    ext4: dict[str, tuple[str, ...]]
    """Mount options, by kernel name."""
    found: list[str]
    """Paths of block devices below PCI functions."""


def _second_round(second_round: _SecondRound) -> Dialogue[_SecondAnswers]:
    requests: list[Request[Any]] = [Read(sysfs.path_of(name, attribute)) for name, attribute in second_round.attributes]
    requests += [Read(f"{sysfs.PCI}/{address}/uevent") for address in second_round.functions]
    requests += _link_files(second_round.links)
    requests += [mapper.TABLE] if second_round.mapped else []
    requests += [Read(enclosures.id_file(folder)) for folder in second_round.enclosures]
    requests += [Read(path) for path in second_round.ext4]
    requests += [Glob(pattern) for pattern in second_round.patterns]
    answers = iter((yield from ask_all(requests)))
    attributes: dict[str, dict[str, bytes]] = {}
    for name, attribute in second_round.attributes:
        data = next(answers).data
        if data is not None:
            attributes.setdefault(name, {})[attribute] = data
    uevents: dict[str, ReadAnswer] = {address: next(answers) for address in second_round.functions}
    entries = {
        address: Entry(f"/devices/{address}", properties=uevent(answer.text or ""))
        for address, answer in uevents.items()
    }
    links = {(address, name): next(answers).text or "" for address in second_round.links for name in LINK}
    table = next(answers) if second_round.mapped else None
    ids = {folder: enclosures.identifier(folder, next(answers).text) for folder in second_round.enclosures}
    options = ext4.options_by_name([(path, next(answers).text) for path in second_round.ext4])
    return _SecondAnswers(
        {name: sysfs.Attributes(data) for name, data in attributes.items()},
        entries,
        [answer for answer in uevents.values() if answer.text is None],
        links,
        table.text if isinstance(table, RunAnswer) and table.code == 0 else "",
        ids,
        options,
        [path for answer in answers for path in answer.paths],
    )


def _link_files(addresses: Iterable[str]) -> list[Read]:
    return [Read(f"{sysfs.PCI}/{address}/{name}") for address in addresses for name in LINK]


def _links(addresses: Sequence[str]) -> Dialogue[dict[tuple[str, str], str]]:
    """Read links of functions found to be storage after the second round."""
    answers = iter((yield from ask_all(_link_files(addresses))))
    return {(address, name): next(answers).text or "" for address in addresses for name in LINK}


def _probe(
    first: _FirstAnswers,
    functions: Mapping[str, Entry],
    pci: tuple[PciDevice, ...],
    second: _SecondAnswers,
    devices: blocks.DeviceFacts,
) -> Probe:
    mounted = mounts.mountinfo(first.text(MOUNTINFO))
    swapped = mounts.swaps(first.text(SWAPS))
    shown = blocks.present(devices)
    found, swaps = mounts.located(mounted.mounts, swapped.swaps, blocks.candidates(devices, shown))
    found = ext4.with_defaults(found, second.ext4)
    uses = blocks.Uses(mounts.points(found, swaps), found, _pieces(second.table, devices))
    drivers = {address: entry.properties.get("DRIVER") for address, entry in functions.items()}
    sys_mounts = [mount.flags for mount in mounted.mounts if mount.point == "/sys"]
    view = replace(_machine(first), sys_read_only="ro" in sys_mounts[-1] if sys_mounts else None)
    view = replace(view, filesystems=frozenset(mount.filesystem for mount in mounted.mounts))
    view = replace(view, pci=pci, blocks=blocks.assemble(devices, shown, drivers, uses))
    tables = (first.database.unknown_lines, mounted.unknown_lines, swapped.unknown_lines)
    outputs = [lines[0].output for lines in tables if lines]
    return Probe(view, list(_problems(first, view, functions, outputs)), outputs)


def _pieces(table: str, devices: blocks.DeviceFacts) -> dict[str, tuple[Piece, ...]]:
    return mapper.pieces(table, blocks.numbers(devices)) if table else {}


def _machine(first: _FirstAnswers) -> HostView:
    dmi = f"{first.text(DMI_VENDOR).strip()} {first.text(DMI_PRODUCT).strip()}".strip()
    cpuinfo, xen = first.text(CPUINFO), first.text(XEN)
    virtual = hypervisor(dmi=dmi, cpuinfo=cpuinfo, hypervisor_type=first.text(HYPERVISOR), xen_capabilities=xen)
    unread = not cpuinfo and first.files[CPUINFO].trouble is not Failure.UNRECORDED
    by_kernel = bool(first.text(RELEASE) or first.paths(sysfs.BLOCKS))  # a BMC has neither, and describes hardware
    return HostView(
        hostname=first.text(HOSTNAME).strip() or None,
        kernel=first.text(RELEASE).strip() or None,
        root=_root(first.text(STATUS)),
        virtual=virtual,
        maybe_virtual=virtual is None and unread and by_kernel and "control_d" not in xen,
    )


def _root(status: str) -> bool | None:
    """Whether the effective user is root."""
    for line in status.splitlines():
        # Uid:	0	0	0	0
        words = line.split()
        if len(words) >= 3 and words[0] == "Uid:":
            return words[2] == "0"
    return None


def _problems(
    first: _FirstAnswers, view: HostView, functions: Mapping[str, Entry], unknown: Sequence[Output]
) -> list[Problem]:
    """Return problems that matter. A missing udev is not reported if sysfs has the same facts."""
    found: list[Problem] = []
    if not view.blocks and not functions and not first.paths(sysfs.BLOCKS):
        blocks_read = first.globs[sysfs.BLOCKS]
        why = f" ({_why(blocks_read)})" if blocks_read.trouble else ""
        message = f"Neither the udev database nor sysfs could be read: devices and mount points are unknown{why}."
        mount = _remedy(blocks_read, "Run where /sys is mounted; in a container, mount the host's /sys.")
        found.append(Problem("warning", sysfs.BLOCK, message, mount, "unread"))
    elif not first.files[MOUNTINFO].fine and any(device.size_bytes for device in view.blocks):
        message = f"Mount points are unknown: the file could not be read ({_why(first.files[MOUNTINFO])})."
        remedy = _remedy(first.files[MOUNTINFO], "Run where /proc is mounted.")
        found.append(Problem("warning", MOUNTINFO, message, remedy, "unread"))
    # without the file, the kernel has no swap; other failures are reported with those of other files
    if first.files[SWAPS].trouble is Failure.DENIED and any(device.size_bytes for device in view.blocks):
        message = f"Swap partitions are unknown: the file could not be read ({_why(first.files[SWAPS])})."
        found.append(Problem("warning", SWAPS, message, "Run as root, where /proc can be read.", "unread"))
    links = [first.globs[pattern] for pattern in (sysfs.SLAVES, sysfs.PARTITIONS)]
    if denied := [one for one in links if one.trouble is Failure.DENIED]:
        message = (
            f"What each block device is built on could not be read ({_why(denied[0])}): mount points may be missing."
        )
        found.append(Problem("warning", sysfs.BLOCK, message, "Run as root, where /sys can be read.", "unread"))
    if first.udev.trouble not in (None, Failure.MISSING, Failure.UNRECORDED):
        message = f"The udev database could not be read in full ({_why(first.udev)}); sysfs is used instead."
        found.append(
            Problem("info", udevdb.SOURCE, message, "Names of PCI devices may be missing; run again.", "unread")
        )
    remedy = "List them with `raidctl show --unparsed`, and report them with a recording."
    for output in unknown:
        where, count, first_line = output.command, counted(len(output.lines), "line"), output.lines[0].number
        message = f"{count} of {where} not understood, the first is line {first_line}."
        found.append(Problem("warning", where, message, remedy, "unread"))
    return found


def _pci_problems(first: _FirstAnswers, unread: Sequence[ReadAnswer]) -> Iterator[Problem]:
    """Report PCI functions that neither udev nor sysfs shows. A controller without a driver is seen nowhere else."""
    listed = first.globs[sysfs.FUNCTIONS]
    failed: Sequence[Answer] = unread
    if not first.all_functions and listed.trouble not in (None, Failure.UNRECORDED):
        failed = [listed]
    if failed:
        what = counted(len(unread), "PCI function") if unread else "The PCI bus"
        message = f"{what} could not be read ({_why(failed[0])}): storage controllers may be missing from this reading."
        yield Problem("warning", sysfs.PCI, message, _remedy(failed[0], "Run where /sys is mounted."), "unread")


def _remedy(answer: Answer, otherwise: str) -> str:
    return MORE_TIME if answer.trouble is Failure.TIMEOUT else otherwise


def _why(answer: Answer) -> str:
    words = (answer.trouble.value if answer.trouble else "", answer.detail)
    return ", ".join(word for word in words if word)
