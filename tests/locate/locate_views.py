"""Machines with different programs for locate LEDs."""

from __future__ import annotations

from raidctl.change.indicator import Bay
from raidctl.host import BlockDevice
from raidctl.locate.targets import Wanted
from raidctl.model import Drive
from raidctl.recording.manifest import FORMAT, Entry, Manifest
from raidctl.recording.recording import Recording
from raidctl.request import Failure
from raidctl.runners.replay import ReplayRunner

SAS = BlockDevice("sdb", "/dev/sdb", kind="disk", serial="S2", transport="sas", pci_address="0000:41:00.0")


def wanted(*blocks: BlockDevice) -> Wanted:
    """A plain drive with these devices."""
    drive = Drive(id=f"drives:{blocks[0].serial}", serial=blocks[0].serial, device=blocks[0].node)
    return Wanted(Bay(object_id=drive.id, serial=drive.serial, device=drive.device), drive, None, blocks)


Programs = dict[tuple[str, ...], tuple[int, str, str]]


def with_which(tool: str, programs: Programs, files: dict[str, str | Failure] | None = None) -> ReplayRunner:
    """A machine with these files and programs. The tool is installed if it answers anything."""
    entries = [Entry(read=path, text=text) for path, text in (files or {}).items() if isinstance(text, str)]
    entries += [Entry(which=tool, path=f"/usr/sbin/{tool}")] if programs else []
    kept = {}
    for number, (argv, (code, out, _)) in enumerate(programs.items()):
        kept[f"{number}.out"] = out.encode()
        entries.append(Entry(run=argv, code=code, out=f"{number}.out"))
    about = Manifest(format=FORMAT, source="written", unrecorded="missing", answers=tuple(entries))
    return ReplayRunner(Recording(about, kept))
