"""Machines of which nothing is known but what the kernel says: a card without its tool, and many drives."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.lab.machines import NO_TOOL, THIRTY


def raidctl(*words: str) -> subprocess.CompletedProcess[str]:
    """Run raidctl on this machine, with a table of 80 columns."""
    environment = {**os.environ, "COLUMNS": "80"}
    argv = [sys.executable, "-m", "raidctl", *words]
    return subprocess.run(argv, capture_output=True, text=True, env=environment, check=False)


@pytest.mark.lab(NO_TOOL)
def test_show_names_the_tool_that_a_card_needs_and_exits_with_4() -> None:
    """A MegaRAID card without any tool is listed by its PCI address, with what to install."""
    done = raidctl("show", "--json")
    assert done.returncode == 4, done.stderr
    told = json.loads(done.stdout)
    problem = next(problem for problem in told["problems"] if problem["kind"] == "no_tool")
    assert "0000:00:08.0" in problem["where"] + problem["message"]
    assert "storcli" in problem["remedy"]


@pytest.mark.lab(NO_TOOL)
def test_doctor_names_the_card_its_driver_and_its_tool() -> None:
    """The report of doctor says which card, that the kernel drives it, and which tool is missing; exit 4."""
    done = raidctl("doctor")
    assert done.returncode == 4, done.stderr
    assert "0000:00:08.0" in done.stdout
    assert "megaraid_sas" in done.stdout
    assert "storcli" in done.stdout


@pytest.mark.lab(NO_TOOL)
def test_the_disk_of_a_card_without_a_tool_is_not_taken_for_a_plain_drive() -> None:
    """What the card shows the system may be a RAID: it is no drive of raidctl's."""
    disk = next(place.name for place in Path("/sys/block").glob("sd*"))
    told = json.loads(raidctl("show", "--json").stdout)
    plain = [drive for card in told["controllers"] if card["id"].startswith("drives:") for drive in card["drives"]]
    assert f"/dev/{disk}" not in [drive["device"] for drive in plain]


@pytest.fixture(scope="module")
def thirty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The machine of thirty drives, looked at once, with everything that was asked."""
    place = tmp_path_factory.mktemp("thirty") / "machine"
    done = raidctl("record", str(place))
    assert done.returncode == 0, done.stderr
    return place


@pytest.mark.lab(THIRTY, timeout=600, minutes=3)
def test_thirty_drives_are_all_listed_once_in_the_kernel_s_order(thirty: Path) -> None:
    """Every disk of sysfs is there once; within a card they stand in the order of their names."""
    told = json.loads(raidctl("--replay", str(thirty), "show", "--json").stdout)
    cards = [[drive["device"] for drive in card["drives"]] for card in told["controllers"]]
    listed = [device for card in cards for device in card]
    assert sorted(listed) == sorted(f"/dev/{place.name}" for place in Path("/sys/block").glob("sd*"))
    assert len(listed) == 30
    for card in cards:
        assert card == sorted(card, key=lambda device: (len(device), device))


@pytest.mark.lab(THIRTY, timeout=600)
def test_the_table_of_thirty_drives_fits_80_columns(thirty: Path) -> None:
    """No line is longer than the terminal, and every drive has one."""
    lines = raidctl("--replay", str(thirty), "show").stdout.splitlines()
    assert [line for line in lines if len(line) > 80] == []
    assert len({word for line in lines for word in line.split() if word.startswith("/dev/sd")}) == 30


@pytest.mark.lab(THIRTY, timeout=600)
def test_the_number_of_questions_grows_with_the_number_of_drives_and_no_faster(thirty: Path) -> None:
    """No command runs twice, and no drive is asked more than a handful of questions."""
    kept = json.loads((thirty / "record.json").read_text())
    argvs = [" ".join(entry["run"]) for entry in kept["answers"] if "run" in entry]
    assert len(argvs) == len(set(argvs))
    asked = Counter(word for argv in argvs for word in argv.split() if word.startswith("/dev/sd"))
    assert len(asked) == 30
    assert max(asked.values()) <= 4


@pytest.mark.lab(NO_TOOL)
def test_a_guest_has_the_distribution_s_python_where_that_is_of_the_same_version() -> None:
    """With the packages of the checkout's virtual environment."""
    told = dict(word.partition("=")[::2] for word in Path("/proc/cmdline").read_text(encoding="ascii").split())
    assert sys.prefix == told["lab.venv"]
    if told["lab.instead"]:
        assert os.path.realpath(sys.executable) == os.path.realpath(told["lab.instead"])
        assert sys.base_prefix == str(Path(told["lab.instead"]).parents[1])
