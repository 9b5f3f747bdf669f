"""The screen of ``raidctl show``."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from rich.cells import cell_len

from raidctl.cli import cli
from raidctl.model import Controller, Drive, Inventory, Problem, Volume, VolumeCache
from raidctl.output.console import Display
from raidctl.output.show import screen
from tests.output.inventories import (
    DEGRADED,
    EVERY,
    HEALTHY,
    HOST,
    NOTHING,
    PARTIAL,
    SOFTWARE,
    THIRTY,
    bay_drive,
    controller_with,
)
from tests.support.machines import FIXTURES, replayed

GOLDEN = Path(__file__).parent / "golden"
EIGHTY = Display(width=80)


def compare(name: str, shown: str, *, update: bool) -> None:
    """A screen with the one that was reviewed by eye."""
    path = GOLDEN / f"{name}.txt"
    if update:
        path.parent.mkdir(exist_ok=True)
        path.write_text(shown, encoding="utf-8")
    assert shown == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", EVERY)
def test_the_screen_is_the_one_that_was_reviewed(name: str, update_expected: bool) -> None:
    """The screen in a pipe of 80 columns equals the reviewed one."""
    compare(f"{name}-80", screen(EVERY[name], EIGHTY), update=update_expected)


def test_a_bay_is_not_folded_while_its_drive_may_be(tmp_path: Path) -> None:
    """Whoever looks for the drive needs the name of the bay in one piece."""
    words = ["--state-dir", str(tmp_path), "--demo", "sas", "show"]
    shown = CliRunner().invoke(cli, words, env={"COLUMNS": "80"}).stdout
    assert [f"Slot 0{number}  /dev/sd" in shown for number in range(4)] == [True] * 4


def test_the_progress_of_a_volume_is_printed_once() -> None:
    """The column of the states has it. The line below adds the time left, and the operation if no state names it."""
    shown = {
        name: " ".join(screen(replayed(name).inventory, Display(width=120)).split())
        for name in ("smartarray-gen9-degraded", "md-journal-check", "megaraid-second-card-crashes")
    }
    assert shown["smartarray-gen9-degraded"].split("Problems")[0].count("37.25%") == 2, (
        "in the first lines and the table"
    )
    assert "checking 18.9%" in shown["md-journal-check"]
    assert "2 of 2 drives · 31 min left" in shown["md-journal-check"]
    assert "DEGRADED 37%" in shown["megaraid-second-card-crashes"]
    assert "rebuild 37%, 41 min left" in shown["megaraid-second-card-crashes"]


@pytest.mark.parametrize("name", ["degraded", "software"])
def test_a_wide_terminal_shows_more_and_folds_less(name: str, update_expected: bool) -> None:
    """At 160 columns serial numbers, firmware and links have room."""
    compare(f"{name}-160", screen(EVERY[name], Display(width=160)), update=update_expected)


def test_verbose_shows_what_has_no_column(update_expected: bool) -> None:
    """With -v, serial numbers, links and error counters are shown. At any width, they follow the table."""
    compare("software-verbose-80", screen(SOFTWARE, EIGHTY, more=True), update=update_expected)


def test_a_screen_without_utf8_is_ascii(update_expected: bool) -> None:
    """An ASCII terminal shows the same facts."""
    shown = screen(DEGRADED, Display(width=80, ascii=True))
    assert shown.isascii()
    compare("degraded-ascii-80", shown, update=update_expected)


@pytest.mark.parametrize("width", [20, 60, 72, 80, 100, 132, 250])
@pytest.mark.parametrize("name", EVERY)
def test_no_line_is_wider_than_the_screen(name: str, width: int) -> None:
    """Long ids, models and mount points fold. Below 60 columns, lines are made for 60."""
    for more in (False, True):
        shown = screen(EVERY[name], Display(width=width), more=more)
        assert max(map(cell_len, shown.split("\n"))) <= max(width, 60)


def test_what_is_broken_comes_first() -> None:
    """The second line names the lost redundancy before everything else, and counts."""
    top = screen(DEGRADED, EIGHTY).split("\n")[1]
    assert top.startswith("2 problems: smartarray:1/v1: degraded, survives no further failure; 1I:1:4")


def test_a_problem_of_an_object_and_its_state_are_one() -> None:
    """A problem's message and remedy are below its object. It names this object, which is counted once."""
    shown = screen(DEGRADED, EIGHTY).split("\nProblems\n")[1].split("\n")
    assert shown[0] == "  smartarray:1/v1"
    assert shown[1].startswith("      The volume is degraded; it survives no further failure")
    assert any(line.startswith("      → Check the backup, then ") for line in shown)
    assert any("1I:1:4 (bay 4," in line for line in shown)


def test_a_healthy_machine_has_no_problem_section() -> None:
    """There is nothing to do, so there is nothing to read."""
    shown = screen(HEALTHY, EIGHTY)
    assert "No problems found: 1 controller, 1 volume, 5 drives\n" in shown
    assert "Problems" not in shown


def test_unknown_states_are_no_good_health() -> None:
    """The top of the screen has the number of unknown states."""
    unknown = Inventory(host=HOST, controllers=(controller_with((bay_drive(1, status="unknown", status_text=None),)),))
    shown = screen(unknown, EIGHTY)
    assert "No problems found: 1 controller, 1 volume, 1 drive (1 status unknown)" in shown
    green = "\x1b[32mNo problems found"
    assert green in screen(HEALTHY, Display(width=80, colour=True))
    assert green not in screen(unknown, Display(width=80, colour=True))
    assert " ?  " in shown.split("1I:1:1")[1].split("\n")[0]


def test_thirty_drives_take_one_line_each() -> None:
    """Each drive is one line."""
    shown = screen(THIRTY, EIGHTY)
    assert sum("1I:1:" in text for text in shown.split("\n")) == 30


def test_a_shelf_of_drives_with_long_names_takes_one_line_each() -> None:
    """Long model names of many drives are cut with a mark. With -v they are whole."""
    drives = tuple(bay_drive(n, model="SAMSUNG MZILT3T8HALS0D3 ENTERPRISE") for n in range(1, 25))
    inventory = Inventory(host=HOST, controllers=(controller_with(drives),))
    shown = screen(inventory, EIGHTY).split("  drive ")[1].rstrip("\n").split("\n")
    assert len(shown) == 25
    assert all("…" in text for text in shown[1:])
    whole = screen(inventory, EIGHTY, more=True)
    assert "ENTERPRISE" in whole


def test_an_id_is_never_cut() -> None:
    """An id longer than the screen folds. Every character of it is there."""
    name = "drives:" + "".join(f"{n:03}" for n in range(60))
    inventory = Inventory(
        host=HOST, controllers=(controller_with((Drive(id=name, status="ok"),), id="drives:0000:00:1f.2"),)
    )
    shown = screen(inventory, EIGHTY)
    rows = shown.split("  drive ")[1].split("\n")[1:]
    assert "".join(row.split()[0] for row in rows if row.split()) == name.removeprefix("drives:")


def test_the_reason_of_an_inactive_policy_is_shown_once_for_all_volumes() -> None:
    """Ten volumes behind one failed battery are one problem."""
    cache = VolumeCache(
        write_policy="protected_write_back", write_active="write_through", why_not_in_force="learn cycle under way"
    )
    volumes = tuple(Volume(id=f"smartarray:1/v{n}", status="ok", cache=cache) for n in range(1, 11))
    shown = screen(Inventory(host=HOST, controllers=(controller_with((), volumes=volumes, arrays=()),)), EIGHTY)
    assert "1 problem: smartarray:1/v1, smartarray:1/v2 and 8 more: write policy active:" in shown
    assert shown.count("configured write policy is not active: learn cycle under way") == 1


def test_each_problem_brings_its_advice_once() -> None:
    """The words of the rule are below the object, with a remedy. The tool's own report is folded under them."""
    broken = controller_with((bay_drive(1, status="critical"),))
    shown = Problem(severity="error", kind="state", where="smartarray:1/1I:1:1", message="It clicks.")
    text = screen(Inventory(host=HOST, controllers=(broken,), problems=(shown,)), EIGHTY)
    assert text.count("→ Replace it (bay 1") == 1
    assert "· smartarray:1/1I:1:1: It clicks." in text


def test_write_back_without_protection_is_loud() -> None:
    """A volume that can lose written data shows NO at the top."""
    cache = VolumeCache(
        write_policy="unprotected_write_back",
        write_active="write_back",
        controller_cache="unprotected",
        write_protected=False,
    )
    volumes = (Volume(id="smartarray:1/v1", status="ok", cache=cache),)
    shown = screen(Inventory(host=HOST, controllers=(controller_with((), volumes=volumes, arrays=()),)), EIGHTY)
    assert "1 problem: smartarray:1/v1: write-back without protection" in shown
    assert "write-back always  NO, cache" in shown


def test_what_could_not_be_read_stands_among_the_problems() -> None:
    """A problem without an object is shown with its place. Its message and remedy are shown as well."""
    shown = screen(NOTHING, EIGHTY)
    assert "0000:05:00.0" in shown.split("\n")[1]
    assert "→ Install ssacli." in shown


def test_a_partial_output_has_no_empty_columns() -> None:
    """Values missing in an output take no room. The status is always there."""
    shown = screen(PARTIAL, EIGHTY)
    assert "device" not in shown
    assert "write cache" not in shown
    assert "900.1 GB" in shown


def test_a_raid_controller_comes_before_the_drives_in_no_array() -> None:
    """The most important parts of the screen come first. The JSON stays ordered by id."""
    shown = screen(SOFTWARE, EIGHTY)
    assert shown.index("md · Linux md") < shown.index("drives:0000:00:1f.2")


def test_only_a_terminal_in_colour_gets_escape_codes() -> None:
    """The colours change nothing of the text."""
    coloured = screen(DEGRADED, Display(width=80, colour=True))
    assert "\x1b[" in coloured
    bare = re.sub(r"\x1b\[[\d;]*m", "", coloured)
    assert [row.rstrip() for row in bare.split("\n")] == screen(DEGRADED, EIGHTY).split("\n")


def test_markup_of_hardware_is_printed_as_it_stands() -> None:
    """A drive that calls itself [red] is shown so, even in colour."""
    inventory = Inventory(host=HOST, controllers=(controller_with((bay_drive(1, model="[red]X[/red]"),)),))
    for display in (EIGHTY, Display(width=80, colour=True)):
        assert "[red]X[/red]" in screen(inventory, display)


def test_notes_are_apart_from_problems() -> None:
    """Information is not counted, nor mixed with problems that need action."""
    note = Problem(severity="info", where="somewhere", message="Good to know.")
    shown = screen(msgspec.structs.replace(HEALTHY, problems=(note,)), EIGHTY)
    assert "No problems found" in shown
    assert "\nNotes\n  somewhere\n      Good to know.\n" in shown


def test_an_empty_machine_names_what_to_do_next() -> None:
    """The hint of the caller is in the place of the controllers."""
    shown = screen(Inventory(host=HOST), EIGHTY, hint="Look elsewhere.")
    assert "Nothing found" in shown
    assert "Look elsewhere." in shown


def test_a_volume_that_is_known_not_to_be_mounted_is_no_unknown_one() -> None:
    """A dash means not mounted, a question mark means unknown."""
    volumes = tuple(Volume(id=f"md:md{number}", device=f"/dev/md{number}") for number in range(3))
    mounted = msgspec.structs.replace(volumes[0], mountpoints=("/srv",))
    inventory = Inventory(host=HOST, controllers=(Controller(id="md", volumes=(mounted, *volumes[1:])),))
    shown = screen(inventory, EIGHTY, unmounted={"md:md1"})
    cells = {
        words[0]: words[-1] for row in shown.split("\n") if (words := row.split())[:1] and words[0].startswith("md")
    }
    assert {name: cells[name] for name in ("md0", "md1", "md2")} == {"md0": "/srv", "md1": "-", "md2": "?"}


def test_show_knows_which_arrays_of_a_machine_are_not_mounted() -> None:
    """One array of the recorded machine is mounted. The kernel's table shows that no other is."""
    shown = CliRunner().invoke(cli, ["--replay", str(FIXTURES / "lab-md"), "show"], env={"COLUMNS": "80"}).stdout
    cells = [
        row.split("/dev/md", 1)[1].split()[1]
        for row in shown.split("\n")
        if row.startswith("  md") and "/dev/md" in row
    ]
    assert (cells.count("-"), cells.count("/srv/mirror"), len(cells)) == (9, 1, 10)
