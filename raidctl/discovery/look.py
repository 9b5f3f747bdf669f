"""The dialogue with the kernel: two rounds of requests, whatever the machine has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from raidctl.discovery import blocks, mounts, sysfs
from raidctl.discovery.pci import storage_functions
from raidctl.discovery.udevdb import Database, Entry, parse, uevent
from raidctl.discovery.virtual import hypervisor
from raidctl.evidence import Line, Sheet
from raidctl.host import HostView
from raidctl.model import Problem
from raidctl.request import (
    Answer,
    Dialogue,
    Glob,
    GlobAnswer,
    Read,
    ReadAnswer,
    Request,
    Trouble,
    UdevDatabase,
    ask_all,
)

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


@dataclass(frozen=True)
class Look:
    """What a look at the machine gave."""

    view: HostView
    problems: list[Problem] = field(default_factory=list)
    sheets: list[Sheet] = field(default_factory=list)
    """The lines of the kernel's tables that are in no known form; the others are facts of the view."""


@dataclass
class _First:
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
    asked = [
        (name, attribute)
        for name in gathered.names
        for attribute in sysfs.wanted(name, gathered.kind(name), entries.get(name))
    ]
    homeless = any(gathered.kind(name) == "disk" and name not in gathered.places for name in gathered.names)
    second = yield from _second_round(asked, bare, sysfs.PLACES if homeless else ())
    if second.found:
        gathered = blocks.gather(listed, entries, second.found, parents)
    gathered.slaves = sysfs.slaves_of(first.paths(sysfs.SLAVES))
    gathered.attributes = second.attributes
    return _look(first, {**functions, **second.functions}, gathered)


def _first_round() -> Dialogue[_First]:
    udev, *rest = yield (UdevDatabase(), *_FILES, *(Glob(pattern) for pattern in _GLOBS))
    files = {request.path: answer for request, answer in zip(_FILES, rest, strict=False)}
    globs = dict(zip(_GLOBS, rest[len(_FILES) :], strict=True))
    return _First(udev, files, globs, parse(udev.text or ""))


@dataclass
class _Second:
    """The answers of the second round."""

    attributes: dict[str, sysfs.Attributes]
    functions: dict[str, Entry]
    """PCI functions that udev has not told of."""
    found: list[str]
    """Paths of block devices below PCI functions."""


def _second_round(
    asked: Sequence[tuple[str, str]], functions: Sequence[str], patterns: Sequence[str]
) -> Dialogue[_Second]:
    requests: list[Request[Any]] = [Read(sysfs.path_of(name, attribute)) for name, attribute in asked]
    requests += [Read(f"{sysfs.PCI}/{address}/uevent") for address in functions]
    requests += [Glob(pattern) for pattern in patterns]
    answers = iter((yield from ask_all(requests)))
    attributes: dict[str, dict[str, bytes]] = {}
    for name, attribute in asked:
        data = next(answers).data
        if data is not None:
            attributes.setdefault(name, {})[attribute] = data
    entries = {
        address: Entry(f"/devices/{address}", properties=uevent(next(answers).text or "")) for address in functions
    }
    return _Second(
        {name: sysfs.Attributes(data) for name, data in attributes.items()},
        entries,
        [path for answer in answers for path in answer.paths],
    )


def _look(first: _First, functions: Mapping[str, Entry], gathered: blocks.Gathered) -> Look:
    mounted = mounts.mountinfo(first.text(MOUNTINFO))
    swapped = mounts.swaps(first.text(SWAPS))
    shown = blocks.present(gathered)
    points = mounts.placed(mounted.mounts, swapped.swaps, blocks.candidates(gathered, shown))
    pci = storage_functions(functions.values())
    drivers = {address: entry.properties.get("DRIVER") for address, entry in functions.items()}
    view = replace(_machine(first), pci=pci, blocks=blocks.assemble(gathered, shown, drivers, points))
    strange = {_UDEV: first.database.strange, MOUNTINFO: mounted.strange, SWAPS: swapped.strange}
    sheets = [Sheet(command, lines) for command, lines in strange.items() if lines]
    return Look(view, list(_problems(first, view, functions, strange)), sheets)


def _machine(first: _First) -> HostView:
    dmi = f"{first.text(DMI_VENDOR).strip()} {first.text(DMI_PRODUCT).strip()}".strip()
    return HostView(
        hostname=first.text(HOSTNAME).strip() or None,
        kernel=first.text(RELEASE).strip() or None,
        root=_root(first.text(STATUS)),
        virtual=hypervisor(
            dmi=dmi,
            cpuinfo=first.text(CPUINFO),
            hypervisor_type=first.text(HYPERVISOR),
            xen_capabilities=first.text(XEN),
        ),
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
        found.append(
            Problem(
                severity="warning",
                where=sysfs.BLOCK,
                message="Neither the udev database nor sysfs could be read, so devices and mount points are not known.",
                remedy="Run where /sys is mounted; in a container, hand the host's /sys in.",
                kind="unread",
            )
        )
    elif not first.files[MOUNTINFO].fine and any(device.size_bytes for device in view.blocks):
        found.append(
            Problem(
                severity="warning",
                where=MOUNTINFO,
                message=f"Mount points are not known: the file could not be read ({_why(first.files[MOUNTINFO])}).",
                remedy="Run where /proc is mounted.",
                kind="unread",
            )
        )
    if first.udev.trouble not in (None, Trouble.MISSING, Trouble.UNRECORDED):
        found.append(
            Problem(
                severity="info",
                where=_UDEV,
                message=f"The udev database could not be read in full ({_why(first.udev)}); sysfs stands in for it.",
                remedy="Names of PCI cards may be missing; run again.",
            )
        )
    found += [
        Problem(
            severity="warning",
            where=where,
            message=f"{len(lines)} lines of {where} are in no known form; line {lines[0].number} is the first.",
            remedy="They are listed by `raidctl show --unparsed`; report them with a recording.",
            kind="unread",
        )
        for where, lines in strange.items()
        if lines
    ]
    return found


def _why(answer: Answer) -> str:
    words = (answer.trouble.value if answer.trouble else "", answer.detail)
    return ", ".join(word for word in words if word)
