"""The boot loader of a replaced drive.

The tests cover its first sector, who installs it, and that it is always reported.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from raidctl.errors import ChangeNotUndone, UnderWay
from raidctl.model import Drive
from raidctl.operate.boot_loader import Code, Surroundings, boot_step, code_of
from raidctl.operate.disk_steps import booting
from raidctl.request import Failure, Run, RunAnswer
from raidctl.survey.survey import Survey
from raidctl.vendor.simulator import fields
from raidctl_md import simulator
from tests.change.md_machine import Bench, bench, definition
from tests.operate.replacements import NEW, Replacement, argvs, begun, exchanged

MARK = b"\x55\xaa"
BIOS = Surroundings(firmware="bios", tool="grub-install")


def test_a_first_sector_is_read_as_what_it_is() -> None:
    """It has GRUB (by its word), other code, or nothing BIOS-bootable. Less than a whole sector is unknown."""
    grub = (b"\xebc\x90" + bytes(381) + b"GRUB \0Geom\0Hard Disk\0Read\0 Error\r\n").ljust(510, b"\0") + MARK
    table = bytes(446) + b"\0\0\2\0\xee\xff\xff\xff\1\0\0\0\xff\xff\xff\xff" + bytes(48) + MARK
    cases: tuple[tuple[bytes, Code | None], ...] = (
        (grub, "grub"), (table, "none"), (bytes(512), "none"), (grub[:510] + b"\0\0", "none"),
        (b"\xfa" + bytes(509) + MARK, "other"), (grub[:511], None), (b"", None),
    )  # fmt: skip
    for data, wanted in cases:
        assert code_of(RunAnswer(code=0, out=data)) == wanted
    assert code_of(RunAnswer(code=1, err=b"dd: failed to open '/dev/sda': Permission denied\n")) is None
    assert code_of(RunAnswer(trouble=Failure.TIMEOUT, out=grub)) is None
    data = bytes(range(256)) * 2
    assert code_of(RunAnswer(code=0, out=data[:510] + MARK)) == "other"


def test_guard_R13_a_boot_loader_is_run_only_where_it_is_certain() -> None:
    """A boot loader is run only where everything is certain.

    Needed are a BIOS, GRUB in the first sector, its tool, and a partition table. Otherwise it is named, with the
    reason.
    """
    step = boot_step((), ["grub"], BIOS, table=True)
    assert (step and step.tool, step and "grub-install NEW" in step.text) == ("grub-install", True)
    for around, table, why in (
        (BIOS, False, "no partition table"), (replace(BIOS, tool=None), True, "was not found"),
        (replace(BIOS, firmware=None), True, "firmware is unknown"),
    ):  # fmt: skip
        step = boot_step((), ["grub"], around, table=table)
        assert step is not None
        assert (step.tool, why in step.text, "grub-install NEW" in step.text) == (None, True, True)


def test_guard_R13_a_drive_that_may_boot_is_never_passed_over() -> None:
    """UEFI, another boot loader and an unreadable sector are reported. Only a sector known to boot nothing is not."""
    uefi = replace(BIOS, firmware="uefi")
    esp, member = "EFI system partition /dev/sda1", "EFI system partition /dev/sda1 (a member of an array)"
    for kinds, codes, around, word in (
        ((esp,), ["none"], uefi, "Copy the files"), ((member,), ["none"], uefi, "rebuild fills"),
        ((esp,), [None], Surroundings(), "efibootmgr"), ((), ["other"], BIOS, "an unknown boot loader"),
        ((), [None], BIOS, "unknown"), ((), [], BIOS, "unknown"), (("/boot on /dev/sda1",), ["none"], BIOS, "bootable"),
    ):  # fmt: skip
        step = boot_step(kinds, codes, around, table=True)  # type: ignore[arg-type]  # of a list of codes
        assert step is not None
        assert (step.tool, word in step.text) == (None, True), step
    assert boot_step((), ["none", "none"], BIOS, table=True) is None
    assert boot_step((), [None], uefi, table=True) is None


def with_grub(place: Path, *, asked: bool, parts: str = "1,2") -> Replacement:
    """The replacement of a drive in a machine with GRUB everywhere."""
    text = definition("raid6", 4, parts=parts)
    machine = bench(place, text.replace("node=sd", "boot=grub node=sd"))
    exchanged(machine)
    replacement = begun(machine, 2)
    run_it = "yes" if asked else ""
    replacement.replacing.facts = replace(
        replacement.replacing.facts, boot="x", boot_tool="grub-install", boot_run=run_it
    )
    return replacement


def boot_of(machine: Bench) -> str | None:
    """What the first sector of the new drive has."""
    return fields(machine.machine.state()[f"md/drive {NEW}"]).get("boot")


def test_grub_is_installed_after_the_rebuild_and_read_again(tmp_path: Path) -> None:
    """It is installed last of all, on the new drive alone. Without --boot, it is not."""
    for number, asked in enumerate((True, False)):
        replacement = with_grub(tmp_path / str(number), asked=asked)
        replacement.replacing.run(replacement.start())
        assert (argvs(replacement.bench)[-1] == "grub-install /dev/sdb") == asked
        assert (boot_of(replacement.bench), replacement.bench.journal.pending()) == ("grub" if asked else None, [])


def test_a_boot_loader_that_is_not_there_afterwards_is_not_reported_as_done(tmp_path: Path) -> None:
    """A boot loader that was not written gives exit code 6.

    The tool reports success and writes nothing, or refuses. The replacement can be continued.
    """
    for number, behaviour in enumerate(("accepts and does nothing", "refuses")):
        replacement = with_grub(tmp_path / str(number), asked=True)
        replacement.bench.behaviour, replacement.bench.match = behaviour, "grub-install"
        with pytest.raises(ChangeNotUndone, match="resume"):
            replacement.replacing.run(replacement.start())
        assert (boot_of(replacement.bench), len(replacement.bench.journal.pending())) == (None, 1)
        replacement.bench.match = "nothing"
        replacement.resume()
        assert (boot_of(replacement.bench), replacement.bench.journal.pending()) == ("grub", [])


def without_serial(seen: Survey) -> Survey:
    """A reading in which the new drive has no serial number."""

    def hidden(drive: Drive) -> Drive:
        return replace(drive, serial=None) if drive.serial == NEW else drive

    kept = [replace(one, drives=tuple(map(hidden, one.drives))) for one in seen.inventory.controllers]
    return replace(seen, inventory=replace(seen.inventory, controllers=tuple(kept)))


def test_a_boot_loader_is_not_left_out_because_the_new_drive_is_not_recognised(tmp_path: Path) -> None:
    """If its serial number cannot be read at the end, the replacement is not done, and continues later."""
    replacement = with_grub(tmp_path, asked=True)
    read = replacement.bench.look

    def look() -> Survey:
        return without_serial(read()) if replacement.replacing.complete_since is not None else read()

    replacement.bench.look = look  # type: ignore[method-assign]  # of this machine alone
    with pytest.raises(UnderWay, match="boot loader is not installed"):
        replacement.replacing.run(replacement.start())
    assert (boot_of(replacement.bench), len(replacement.bench.journal.pending())) == (None, 1)
    replacement.bench.look = read  # type: ignore[method-assign]
    replacement.resume()
    assert (boot_of(replacement.bench), replacement.bench.journal.pending()) == ("grub", [])


@pytest.mark.parametrize("setting", ["boot_loader", "copy_table", "wipe"])
def test_a_drive_that_is_not_listed_confirms_nothing(setting: str, tmp_path: Path) -> None:
    """Data written to the new drive is confirmed by reading it."""
    replacement = with_grub(tmp_path, asked=True)
    step = replace(booting(Drive(id="x", serial="NONE"), "grub-install"), setting=setting)
    replacement.replacing.facts = replace(replacement.replacing.facts, new="NONE")
    assert replacement.replacing.confirm(step, replacement.bench.look(), replacement.bench.clock) == [
        "NONE is not listed"
    ]


def test_the_first_sector_is_read_once_and_not_written(tmp_path: Path) -> None:
    """It is read by a program that writes to its standard output."""
    machine = bench(tmp_path / "one", definition("raid6", 4).replace("node=sd", "boot=grub node=sd"))
    [answer] = machine.carry_out([Run(("dd", "if=/dev/sda", "bs=512", "count=1", "status=none"), timeout=30.0)])
    assert isinstance(answer, RunAnswer)
    assert (code_of(answer), machine.argvs) == ("grub", [])
    assert simulator.change(("grub-install", "/dev/sda"), machine.machine.state()) is not None
