"""A machine of which nothing is known but what the kernel says: many drives, and a card without its tool."""

from __future__ import annotations

import json
import os
import sys
import tarfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from raidctl.cli import cli
from tests.lab.guest import Guest
from tests.lab.machines import THIRTY

pytestmark = [pytest.mark.lab(minutes=3), pytest.mark.xdist_group("lab-thirty")]


@dataclass
class Recorded:
    """The machine, and what raidctl asked there, replayed on the host."""

    guest: Guest
    file: Path

    def show(self, *words: str) -> Result:
        """``raidctl show`` of it, with a table of 80 columns."""
        return self.run("show", *words)

    def run(self, *words: str) -> Result:
        """A command on what was recorded."""
        return CliRunner().invoke(cli, ["--replay", str(self.file), *words], env={"COLUMNS": "80"})

    def inventory(self) -> dict[str, Any]:
        """The same as JSON."""
        told: dict[str, Any] = json.loads(self.show("--json").stdout)
        return told

    def disks(self, which: str) -> list[str]:
        """Nodes of the kernel's disks below the cards whose drivers have a name of this pattern."""
        names = self.guest.sh(
            f"for card in /sys/bus/pci/drivers/{which}/0000:*; do find $card/ -name 'sd*' -prune; done"
        )
        return sorted(f"/dev/{Path(name).name}" for name in names.split() if "/block/" in name)


@pytest.fixture(scope="module")
def thirty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorded]:
    """The machine of thirty drives, looked at once, with everything that was asked."""
    file = tmp_path_factory.mktemp("thirty") / "machine.tar.gz"
    with Guest(THIRTY) as guest:
        guest.boot()
        done = guest.raidctl("--timeout", "600", "record", "/run/machine.tar.gz", timeout=1800)
        assert done.rc == 4, done
        file.write_bytes(guest.read_file("/run/machine.tar.gz"))
        yield Recorded(guest, file)


def test_thirty_drives_are_all_listed_once_in_the_kernel_s_order(thirty: Recorded) -> None:
    """Every disk of the kernel's plain cards is there once; within a card they stand in the order of their names."""
    cards = [[drive["device"] for drive in card["drives"]] for card in thirty.inventory()["controllers"]]
    listed = [device for card in cards for device in card]
    assert sorted(listed) == sorted(thirty.disks("ahci") + thirty.disks("mptsas"))
    assert len(listed) == 30
    for card in cards:
        assert card == sorted(card, key=lambda device: (len(device), device))


def test_the_table_of_thirty_drives_fits_80_columns(thirty: Recorded) -> None:
    """No line is longer than the terminal, and every drive has one."""
    lines = thirty.show().stdout.splitlines()
    assert [line for line in lines if len(line) > 80] == []
    shown = {word for line in lines for word in line.split() if word.startswith("/dev/sd")}
    assert set(thirty.disks("ahci") + thirty.disks("mptsas")) <= shown


def test_the_number_of_questions_grows_with_the_number_of_drives_and_no_faster(thirty: Recorded) -> None:
    """No command runs twice, and no drive is asked more than a handful of questions."""
    with tarfile.open(thirty.file) as archive:
        [kept] = [archive.extractfile(name) for name in archive.getnames() if Path(name).name == "record.json"]
        assert kept is not None
        answers = json.loads(kept.read())["answers"]
    argvs = [" ".join(entry["run"]) for entry in answers if "run" in entry]
    assert len(argvs) == len(set(argvs))
    asked = Counter(word for argv in argvs for word in argv.split() if word.startswith("/dev/sd"))
    assert len(asked) == 30
    assert max(asked.values()) <= 4


def address(thirty: Recorded) -> str:
    """Where the card without its tool is, as the kernel has it."""
    return thirty.guest.sh("cd /sys/bus/pci/drivers/megaraid_sas; ls -d 0000:*").strip()


def test_show_names_the_tool_that_a_card_needs_and_exits_with_4(thirty: Recorded) -> None:
    """A MegaRAID card without any tool is listed by its PCI address, with what to install."""
    assert thirty.show().exit_code == 4
    problem = next(problem for problem in thirty.inventory()["problems"] if problem["kind"] == "no_tool")
    assert address(thirty) in problem["where"] + problem["message"]
    assert "storcli" in problem["remedy"]


def test_doctor_names_the_card_its_driver_and_its_tool(thirty: Recorded) -> None:
    """The report of doctor says which card, that the kernel drives it, and which tool is missing; exit 4."""
    done = thirty.run("doctor")
    assert done.exit_code == 4, done.output
    assert address(thirty) in done.stdout
    assert "megaraid_sas" in done.stdout
    assert "storcli" in done.stdout


def test_the_disk_of_a_card_without_a_tool_is_not_taken_for_a_plain_drive(thirty: Recorded) -> None:
    """What the card shows the system may be a RAID: it is no drive of raidctl's."""
    [disk] = thirty.disks("megaraid_sas")
    assert disk not in [drive["device"] for card in thirty.inventory()["controllers"] for drive in card["drives"]]


def test_a_guest_has_the_distribution_s_python_where_that_is_of_the_same_version(thirty: Recorded) -> None:
    """With the packages of the checkout's virtual environment."""
    words = thirty.guest.sh("cat /proc/cmdline").split()
    told = dict(word.partition("=")[::2] for word in words)
    code = "import os, sys; print(sys.prefix, sys.base_prefix, os.path.realpath(sys.executable))"
    prefix, base, program = thirty.guest.run([sys.executable, "-c", code]).text.split()
    assert prefix == told["lab.venv"]
    if told["lab.instead"]:
        assert program == os.path.realpath(told["lab.instead"])
        assert base == str(Path(told["lab.instead"]).parents[1])
