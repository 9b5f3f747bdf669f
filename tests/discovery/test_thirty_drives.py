"""A server with thirty drives, and a MegaRAID controller without its tool. Everything known comes from the kernel.

``thirty/`` was recorded in the lab (``python -m tests.lab --record``).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from raidctl.cli import cli

RECORDED = Path(__file__).with_name("thirty")
PLAIN = ("ahci", "mptsas")
"""Drivers of controllers without RAID."""


def run(*words: str) -> Result:
    """Run a command on the recorded machine. The screen has 80 columns."""
    return CliRunner().invoke(cli, ["--replay", str(RECORDED), *words], env={"COLUMNS": "80"})


@cache
def inventory() -> dict[str, Any]:
    """The JSON of ``raidctl show``."""
    reported: dict[str, Any] = json.loads(run("show", "--json").stdout)
    return reported


@cache
def functions() -> dict[str, str]:
    """PCI functions with a driver, found by the udev database's lines.

    P: /devices/pci0000:00/0000:00:08.0
    E: DRIVER=ahci
    """
    text = (RECORDED / "udev-db").read_text(encoding="utf-8")
    return dict(re.findall(r"(?m)^P: /devices/pci[^/\n]+/(\S+)\n(?:[^P\n].*\n)*?E: DRIVER=(\w+)$", text))


def block_devices(*drivers: str) -> list[str]:
    """The nodes of the kernel's block devices below controllers with these drivers.

    P: /devices/pci0000:00/0000:00:08.0/ata2/host1/target1:0:0/1:0:0:0/block/sda
    """
    text = (RECORDED / "udev-db").read_text(encoding="utf-8")
    found = re.findall(r"(?m)^P: /devices/pci[^/\n]+/([^/\n]+)/\S+/block/(sd[a-z]+)$", text)
    return sorted(f"/dev/{name}" for function, name in found if functions()[function] in drivers)


def address() -> str:
    """The address of the controller without its tool."""
    [found] = [function for function, driver in functions().items() if driver == "megaraid_sas"]
    return found


def test_thirty_drives_are_all_listed_once_in_the_kernel_s_order() -> None:
    """Every drive of the kernel's plain controllers is listed once. The order is that of the kernel's names."""
    drives = [[drive["device"] for drive in controller["drives"]] for controller in inventory()["controllers"]]
    listed = [device for controller in drives for device in controller]
    assert sorted(listed) == block_devices(*PLAIN)
    assert len(listed) == 30
    for controller in drives:
        assert controller == sorted(controller, key=lambda device: (len(device), device))


def test_the_table_of_thirty_drives_fits_80_columns() -> None:
    """No line is longer than the terminal, and every drive has one."""
    lines = run("show").stdout.splitlines()
    assert [line for line in lines if len(line) > 80] == []
    shown = {word for line in lines for word in line.split() if word.startswith("/dev/sd")}
    assert set(block_devices(*PLAIN)) <= shown


def test_the_number_of_requests_grows_with_the_number_of_drives_and_no_faster() -> None:
    """No command runs twice. Each drive has only a handful of requests."""
    answers = json.loads((RECORDED / "record.json").read_text(encoding="utf-8"))["answers"]
    argvs = [" ".join(entry["run"]) for entry in answers if "run" in entry]
    assert len(argvs) == len(set(argvs))
    asked = Counter(word for argv in argvs for word in argv.split() if word.startswith("/dev/sd"))
    assert len(asked) == 30
    assert max(asked.values()) <= 4


def test_show_names_the_tool_that_a_controller_needs_and_exits_with_4() -> None:
    """A MegaRAID controller without any tool is listed by its PCI address. What to install is shown with it."""
    assert run("show").exit_code == 4
    problem = next(problem for problem in inventory()["problems"] if problem["kind"] == "no_tool")
    assert address() in problem["where"] + problem["message"]
    assert "storcli" in problem["remedy"]


def test_doctor_names_the_controller_its_driver_and_its_tool() -> None:
    """The doctor names the controller, its kernel driver and the missing tool. The exit code is 4."""
    done = run("doctor")
    assert done.exit_code == 4, done.output
    for word in (address(), "megaraid_sas", "storcli"):
        assert word in done.stdout


def test_the_device_of_a_controller_without_a_tool_is_not_taken_for_a_plain_drive() -> None:
    """No drive is listed for a controller without its tool. What the controller shows the system may be a RAID."""
    [disk] = block_devices("megaraid_sas")
    assert disk not in [drive["device"] for controller in inventory()["controllers"] for drive in controller["drives"]]
