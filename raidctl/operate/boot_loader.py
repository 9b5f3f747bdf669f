"""The boot loader of a replaced drive, and of the new one.

On a BIOS machine, GRUB is in the first sector and after it, outside every file system: no rebuild restores it. Its
first sector (``boot.img``) contains the word ``GRUB``. On UEFI the firmware loads a file of the EFI system partition: a
copy of that partition, or a member of a RAID-1 with metadata 1.0, which the rebuild fills.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from raidctl.change.indicator import Indicator
from raidctl.host import HostView
from raidctl.locate.bays import bays_of
from raidctl.locate.kernel import read_kernel_leds
from raidctl.model.objects import drives_by_id
from raidctl.operate.container import read_container
from raidctl.operate.contents import SECTOR, Contents, first_sector
from raidctl.operate.replacement_facts import place_words
from raidctl.request import Dialogue, Glob, RunAnswer, Which, ask_all
from raidctl.survey.survey import Survey
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.unreported import Fact, Unreported, unreported

Code = Literal["grub", "other", "none"]
"""Content of a first sector: GRUB, other code, or nothing that a BIOS would start."""
_CODE = 440
"""Bytes of code. The rest of the sector is the drive's identifier, the partition table and the signature."""
_MARK = b"\x55\xaa"
_FIRMWARE = "/sys/firmware/*"
ESP = ("c12a7328-f81f-11d2-ba4b-00a0c93ec93b", "0xef")
BIOS_BOOT = ("21686148-6449-6e6f-744e-656564454649",)
"""Partition types of the BIOS boot partition."""
TOOLS = ("grub-install", "grub2-install")


class Surroundings(Struct, frozen=True, kw_only=True):
    """What a replacement reads besides the inventory."""

    sectors: Mapping[str, Code] = {}
    """Content of the first sector by device node. A node that is missing was not read, or could not be."""
    firmware: Literal["bios", "uefi"] | None = None
    """The firmware that booted the machine; None: unknown."""
    tool: str | None = None
    """The program that installs GRUB; None: not installed, or unknown."""
    debconf: bool = False
    """Whether Debian's debconf database exists, which lists the drives for GRUB's upgrades."""
    container: str | None = None
    """The file that shows that raidctl runs in a container. None: there is none."""
    contents: Mapping[str, Contents] = {}
    """Content of devices on which the kernel shows nothing. A node that is missing was not read."""
    bays: Mapping[str, Indicator] = {}
    """The LED of each drive's bay, by the drive's serial number."""
    empty: Mapping[str, str] = {}
    """The id of the LED of each empty bay of an enclosure, by the bay's words."""
    unreported: Mapping[tuple[str, Fact], Unreported] = {}
    """Facts that no tool of a family reports, by family and fact."""


def nodes_of(seen: Survey, ids: Sequence[str]) -> list[str]:
    """Return the device nodes of drives. Only those that the kernel shows as whole devices are included."""
    drives = drives_by_id(seen.inventory)
    blocks = [seen.view.block(drives[name].device or "") for name in ids if name in drives]
    return [block.node for block in blocks if block is not None and block.kind == "disk"]


def code_of(answer: RunAnswer) -> Code | None:
    """Return the content of a first sector. None: it could not be read."""
    if not answer.fine or answer.code != 0 or len(answer.out) != SECTOR:
        return None
    if answer.out[-2:] != _MARK or not any(answer.out[:_CODE]):
        return "none"
    return "grub" if b"GRUB" in answer.out[:_CODE] else "other"


def read_surroundings(seen: Survey, nodes: Sequence[str], vendors: Sequence[Vendor]) -> Dialogue[Surroundings]:
    """Read first sectors, the firmware, boot loader tools, and bay LEDs."""
    leds = yield from read_kernel_leds()
    container = yield from read_container()
    sectors = yield from ask_all([first_sector(node) for node in nodes])
    [firmware] = yield from ask_all([Glob(_FIRMWARE)])
    found = yield from ask_all([Which(name) for name in (*TOOLS, "debconf-show")])
    codes = {node: code for node, answer in zip(nodes, sectors, strict=True) if (code := code_of(answer)) is not None}
    there = [one.trouble is None for one in found]
    return Surroundings(
        sectors=codes,
        firmware=_firmware(firmware.paths),
        tool=next((name for name, known in zip(TOOLS, there, strict=False) if known), None), debconf=there[-1],
        bays=bays_of(seen, leds), unreported=unreported(vendors), container=container,
        empty={place_words(one.enclosure, one.bay): one.id for one in leds.enclosures if not one.blocks},
    )  # fmt: skip


def _firmware(paths: Sequence[str]) -> Literal["bios", "uefi"] | None:
    """Return the firmware: UEFI creates ``/sys/firmware/efi``; without any entry it is unknown."""
    if any(path.endswith("/efi") for path in paths):
        return "uefi"
    return "bios" if paths else None


def boot_parts(view: HostView, name: str) -> Iterator[str]:
    """Yield the boot-related content of a drive, as the kernel shows it."""
    for part in view.above(name):
        if part.kind == "partition" and part.parent == name:
            kind = (part.partition_type or "").lower()
            if kind in ESP or any(point.rstrip("/").endswith("/efi") for point in part.mountpoints):
                array = " (a member of an array)" if part.filesystem == "linux_raid_member" else ""
                yield f"EFI system partition {part.node}{array}"
            elif kind in BIOS_BOOT:
                yield f"BIOS boot partition {part.node}"
            elif "/boot" in part.mountpoints:
                yield f"/boot on {part.node}"


class BootStep(Struct, frozen=True, kw_only=True):
    """A step after which the machine boots from the new drive."""

    text: str
    """One sentence; ``NEW`` stands for the device node of the new drive."""
    tool: str | None = None
    """The program for it, if it is certainly the right one. None: left to a person."""


def boot_step(
    kinds: Sequence[str], codes: Sequence[Code | None], around: Surroundings, *, table: bool
) -> BootStep | None:
    """Return the step after the rebuild. None: the drive is known not to boot the machine.

    Args:
        kinds: Boot partitions of the drive, or of one that has the same partitions.
        codes: What the first sectors contain: of the drive, or of one that has the same partitions.
        around: What else was read.
        table: Whether the new drive gets a partition table.
    """
    esp = [kind for kind in kinds if kind.startswith("EFI")]
    if esp and around.firmware != "bios":
        return BootStep(text=_for_uefi(all("member" in kind for kind in esp)))
    if "grub" in codes and around.firmware != "uefi":
        return _for_grub(around, table=table)
    if kinds:
        return BootStep(text="Make NEW bootable, too, with the tool of your boot loader.")
    if "other" in codes and around.firmware != "uefi":
        return BootStep(text="The first sector contains an unknown boot loader: install it on NEW.")
    if around.firmware == "uefi" or (codes and all(code == "none" for code in codes)):
        return None  # UEFI boots from a partition, and there is none
    return BootStep(text="Whether the machine boots from the drive is unknown: its first sector could not be read.")


def _for_uefi(member: bool) -> str:
    entry = "efibootmgr --create --disk NEW --part NUMBER --loader FILE"
    if member:
        return f"The rebuild fills the EFI system partition, a member of an array; the firmware needs an entry: {entry}"
    return f"Copy the files of an EFI system partition to that of NEW, and add an entry: {entry}"


def _for_grub(around: Surroundings, *, table: bool) -> BootStep:
    """Return the step for GRUB.

    The program is run only if its tool, the firmware, and its place on the drive are certain.
    """
    tool = around.tool or TOOLS[0]
    doubts = [
        "" if table else "the drive has no partition table, so there may be no room for it",
        "" if around.tool else f"{tool} was not found",
        "" if around.firmware else "the firmware is unknown",
    ]
    why = next((doubt for doubt in doubts if doubt), "")
    text = f"GRUB is in the first sector, which no rebuild fills: {tool} NEW{why and f' ({why})'}"
    return BootStep(text=text, tool=None if why else tool)
