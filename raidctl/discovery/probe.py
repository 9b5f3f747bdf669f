"""The dialogue with the kernel: two rounds of requests, whatever the machine has; a third one without udev."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from raidctl.discovery import blocks, mapper, mounts, sysfs
from raidctl.discovery.pci import LINK, linked, storage_functions
from raidctl.discovery.udevdb import Database, Entry, parse, uevent
from raidctl.discovery.virtual import hypervisor
from raidctl.evidence import Line, Output
from raidctl.host import HostView, PciDevice, Piece
from raidctl.model import Problem
from raidctl.request import (
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
MOUNTINFO = "/proc/self/mountinfo"
SWAPS = "/proc/swaps"
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
_GLOBS = (sysfs.BLOCKS, sysfs.SLAVES, sysfs.PARTITIONS, sysfs.FUNCTIONS)
_UDEV = "udev database"


class Look(Struct, frozen=True):
    """What a look at the machine gave."""

    view: HostView
    problems: list[Problem] = field(default_factory=list)
    sheets: list[Output] = field(default_factory=list)
    """The lines of the kernel's tables that are in no known form; the others are facts of the view."""


class _First(Struct):
    """The answers of the first round."""

    udev: ReadAnswer
    files: Mapping[str, ReadAnswer]
    globs: Mapping[str, GlobAnswer]
    database: Database

    def text(self, path: str) -> str:
        return self.files[path].text or ""

    def paths(self, pattern: str) -> tuple[str, ...]:
        return self.globs[pattern].paths


def look() -> Dialogue[Look]:
    """Ask for the kernel's side of the machine.

    Nothing of it is needed: without udev sysfs tells, without sysfs the view is empty and a problem says so.
    """
    first = yield from _first_round()
    functions = first.database.of("pci")
    bare = [] if functions else sysfs.names_of(first.paths(sysfs.FUNCTIONS))
    entries = first.database.of("block")
    listed = sysfs.names_of(first.paths(sysfs.BLOCKS))
    parents = sysfs.parents_of(first.paths(sysfs.PARTITIONS))
    gathered = blocks.gather(listed, entries, (), parents)
    gathered.slaves = sysfs.slaves_of(first.paths(sysfs.SLAVES))
    asked = _Asked(
        attributes=[
            (name, attribute)
            for name in gathered.names
            for attribute in sysfs.wanted(name, gathered.kind(name), entries.get(name), gathered.slaves.get(name, ()))
        ],
        functions=bare,
        links=[function.address for function in storage_functions(functions.values())],
        patterns=sysfs.PLACES if any(_homeless(gathered)) else (),
        mapped=_root(first.text(STATUS)) is not False and any(gathered.kind(name) == "dm" for name in gathered.names),
    )
    second = yield from _second_round(asked)
    if second.found:
        slaves, gathered = gathered.slaves, blocks.gather(listed, entries, second.found, parents)
        gathered.slaves = slaves
    gathered.attributes = second.attributes
    functions = {**functions, **second.functions}
    pci = storage_functions(functions.values())
    late = [function.address for function in pci if function.address not in asked.links]
    if late:
        second.links.update((yield from _links(late)))
    return _look(first, functions, linked(pci, second.links), second.table, gathered)


def _homeless(gathered: blocks.Gathered) -> Iterator[bool]:
    """Whether each disk is one of which udev has not told where it is."""
    return (gathered.kind(name) == "disk" and name not in gathered.places for name in gathered.names)


def _first_round() -> Dialogue[_First]:
    udev, *rest = yield (UdevDatabase(), *_FILES, *(Glob(pattern) for pattern in _GLOBS))
    files = {request.path: answer for request, answer in zip(_FILES, rest, strict=False)}
    globs = dict(zip(_GLOBS, rest[len(_FILES) :], strict=True))
    return _First(udev, files, globs, parse(udev.text or ""))


class _Asked(Struct, frozen=True):
    """What the second round asks for."""

    attributes: Sequence[tuple[str, str]]
    """Of block devices: kernel name and file."""
    functions: Sequence[str]
    """PCI functions that udev has not told of."""
    links: Sequence[str]
    """Addresses of storage cards."""
    patterns: Sequence[str]
    mapped: bool
    """Whether the device mapper is asked."""


class _Second(Struct):
    """The answers of the second round."""

    attributes: dict[str, sysfs.Attributes]
    functions: dict[str, Entry]
    """PCI functions that udev has not told of."""
    links: dict[tuple[str, str], str]
    """Texts of the files of PCI links, by address and name."""
    table: str
    """Of the device mapper."""
    found: list[str]
    """Paths of block devices below PCI functions."""


def _second_round(asked: _Asked) -> Dialogue[_Second]:
    requests: list[Request[Any]] = [Read(sysfs.path_of(name, attribute)) for name, attribute in asked.attributes]
    requests += [Read(f"{sysfs.PCI}/{address}/uevent") for address in asked.functions]
    requests += _link_files(asked.links)
    requests += [mapper.TABLE] if asked.mapped else []
    requests += [Glob(pattern) for pattern in asked.patterns]
    answers = iter((yield from ask_all(requests)))
    attributes: dict[str, dict[str, bytes]] = {}
    for name, attribute in asked.attributes:
        data = next(answers).data
        if data is not None:
            attributes.setdefault(name, {})[attribute] = data
    entries = {
        address: Entry(f"/devices/{address}", properties=uevent(next(answers).text or ""))
        for address in asked.functions
    }
    links = {(address, name): next(answers).text or "" for address in asked.links for name in LINK}
    table = next(answers) if asked.mapped else None
    return _Second(
        {name: sysfs.Attributes(data) for name, data in attributes.items()},
        entries,
        links,
        table.text if isinstance(table, RunAnswer) and table.code == 0 else "",
        [path for answer in answers for path in answer.paths],
    )


def _link_files(addresses: Iterable[str]) -> list[Read]:
    return [Read(f"{sysfs.PCI}/{address}/{name}") for address in addresses for name in LINK]


def _links(addresses: Sequence[str]) -> Dialogue[dict[tuple[str, str], str]]:
    """The links of cards that were not known to be storage when the others were asked for."""
    answers = iter((yield from ask_all(_link_files(addresses))))
    return {(address, name): next(answers).text or "" for address in addresses for name in LINK}


def _look(
    first: _First, functions: Mapping[str, Entry], pci: tuple[PciDevice, ...], table: str, gathered: blocks.Gathered
) -> Look:
    mounted = mounts.mountinfo(first.text(MOUNTINFO))
    swapped = mounts.swaps(first.text(SWAPS))
    shown = blocks.present(gathered)
    found, swaps = mounts.located(mounted.mounts, swapped.swaps, blocks.candidates(gathered, shown))
    uses = blocks.Uses(mounts.points(found, swaps), found, _pieces(table, gathered))
    drivers = {address: entry.properties.get("DRIVER") for address, entry in functions.items()}
    view = replace(_machine(first), pci=pci, blocks=blocks.assemble(gathered, shown, drivers, uses))
    strange = {_UDEV: first.database.strange, MOUNTINFO: mounted.strange, SWAPS: swapped.strange}
    sheets = [Output(command, lines) for command, lines in strange.items() if lines]
    return Look(view, list(_problems(first, view, functions, strange)), sheets)


def _pieces(table: str, gathered: blocks.Gathered) -> dict[str, tuple[Piece, ...]]:
    return mapper.pieces(table, blocks.numbers(gathered)) if table else {}


def _machine(first: _First) -> HostView:
    dmi = f"{first.text(DMI_VENDOR).strip()} {first.text(DMI_PRODUCT).strip()}".strip()
    cpuinfo = first.text(CPUINFO)
    hypervisor_type = first.text(HYPERVISOR)
    return HostView(
        hostname=first.text(HOSTNAME).strip() or None,
        kernel=first.text(RELEASE).strip() or None,
        root=_root(first.text(STATUS)),
        virtual=hypervisor(dmi=dmi, cpuinfo=cpuinfo, hypervisor_type=hypervisor_type, xen_capabilities=first.text(XEN)),
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
    first: _First, view: HostView, functions: Mapping[str, Entry], strange: Mapping[str, Sequence[Line]]
) -> list[Problem]:
    """Only what makes a difference: udev is not missed where sysfs tells the same."""
    found: list[Problem] = []
    if not view.blocks and not functions and not first.paths(sysfs.BLOCKS):
        message = "Neither the udev database nor sysfs could be read, so devices and mount points are not known."
        mount = "Run where /sys is mounted; in a container, hand the host's /sys in."
        found.append(Problem("warning", sysfs.BLOCK, message, mount, "unread"))
    elif not first.files[MOUNTINFO].fine and any(device.size_bytes for device in view.blocks):
        message = f"Mount points are not known: the file could not be read ({_why(first.files[MOUNTINFO])})."
        found.append(Problem("warning", MOUNTINFO, message, "Run where /proc is mounted.", "unread"))
    if first.udev.trouble not in (None, Failure.MISSING, Failure.UNRECORDED):
        message = f"The udev database could not be read in full ({_why(first.udev)}); sysfs stands in for it."
        found.append(Problem("info", _UDEV, message, "Names of PCI cards may be missing; run again.", "unread"))
    remedy = "They are listed by `raidctl show --unparsed`; report them with a recording."
    for where, lines in strange.items():
        if lines:
            message = f"{counted(len(lines), 'line')} of {where} not understood; line {lines[0].number} is the first."
            found.append(Problem("warning", where, message, remedy, "unread"))
    return found


def _why(answer: Answer) -> str:
    words = (answer.trouble.value if answer.trouble else "", answer.detail)
    return ", ".join(word for word in words if word)
