"""The screen of ``raidctl show``."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from rich.cells import cell_len

from raidctl.cli import cli
from raidctl.model import Controller, Drive, Inventory, Problem, Volume, VolumeCache
from raidctl.output.console import Paper
from raidctl.output.tree import screen
from tests.output.inventories import DEGRADED, EVERY, HEALTHY, HOST, NOTHING, PARTIAL, SOFTWARE, THIRTY, bay_drive, card
from tests.support.machines import FIXTURES

GOLDEN = Path(__file__).parent / "golden"
EIGHTY = Paper(width=80)


def compare(name: str, told: str, *, update: bool) -> None:
    """A screen with the one that was reviewed by eye."""
    path = GOLDEN / f"{name}.txt"
    if update:
        path.parent.mkdir(exist_ok=True)
        path.write_text(told, encoding="utf-8")
    assert told == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", EVERY)
def test_the_screen_is_the_one_that_was_reviewed(name: str, update_expected: bool) -> None:
    """In a pipe of 80 columns."""
    compare(f"{name}-80", screen(EVERY[name], EIGHTY), update=update_expected)


@pytest.mark.parametrize("name", ["degraded", "software"])
def test_a_wide_terminal_shows_more_and_folds_less(name: str, update_expected: bool) -> None:
    """At 160 columns serial numbers, firmware and links have room."""
    compare(f"{name}-160", screen(EVERY[name], Paper(width=160)), update=update_expected)


def test_verbose_shows_what_has_no_column(update_expected: bool) -> None:
    """Serial numbers, links and error counters stand below the table with -v, at any width."""
    compare("software-verbose-80", screen(SOFTWARE, EIGHTY, more=True), update=update_expected)


def test_a_screen_without_utf8_is_ascii(update_expected: bool) -> None:
    """A terminal that knows only ASCII gets the same facts."""
    told = screen(DEGRADED, Paper(width=80, ascii=True))
    assert told.isascii()
    compare("degraded-ascii-80", told, update=update_expected)


@pytest.mark.parametrize("width", [20, 60, 72, 80, 100, 132, 250])
@pytest.mark.parametrize("name", EVERY)
def test_no_line_is_wider_than_the_screen(name: str, width: int) -> None:
    """Long ids, models and mount points fold; below 60 columns lines are made for 60."""
    for more in (False, True):
        told = screen(EVERY[name], Paper(width=width), more=more)
        assert max(map(cell_len, told.split("\n"))) <= max(width, 60)


def test_what_is_broken_comes_first() -> None:
    """The second line names the lost redundancy before everything else, and counts."""
    top = screen(DEGRADED, EIGHTY).split("\n")[1]
    assert top.startswith("2 problems: smartarray:1/v1: degraded, survives no further failure; 1I:1:4")


def test_a_problem_of_an_object_and_its_state_are_one() -> None:
    """The message and the remedy of a problem stand below the object that it names, which is counted once."""
    told = screen(DEGRADED, EIGHTY).split("\nProblems\n")[1].split("\n")
    assert told[0] == "  smartarray:1/v1"
    assert told[1].startswith("      The volume is degraded; it survives no further failure")
    assert any(line.startswith("      → Check the backup, then ") for line in told)
    assert any("1I:1:4 (bay 4," in line for line in told)


def test_a_healthy_machine_is_said_to_be_one_without_a_problem_section() -> None:
    """Nothing to do, nothing to read."""
    told = screen(HEALTHY, EIGHTY)
    assert "No problems found: 1 controller, 1 volume, 5 drives\n" in told
    assert "Problems" not in told


def test_unknown_states_are_no_good_health() -> None:
    """The top of the screen says how many states nobody told."""
    unknown = Inventory(host=HOST, controllers=(card((bay_drive(1, status="unknown", status_text=None),)),))
    told = screen(unknown, EIGHTY)
    assert "No problems found: 1 controller, 1 volume, 1 drive (1 status unknown)" in told
    green = "\x1b[32mNo problems found"
    assert green in screen(HEALTHY, Paper(width=80, colour=True))
    assert green not in screen(unknown, Paper(width=80, colour=True))
    assert " ?  " in told.split("1I:1:1")[1].split("\n")[0]


def test_thirty_drives_take_one_line_each() -> None:
    """A full shelf is a list, not a wall."""
    told = screen(THIRTY, EIGHTY)
    assert sum("1I:1:" in text for text in told.split("\n")) == 30


def test_a_shelf_of_drives_with_long_names_takes_one_line_each() -> None:
    """Long model names of many drives are cut with a mark; with -v they are whole."""
    drives = tuple(bay_drive(n, model="SAMSUNG MZILT3T8HALS0D3 ENTERPRISE") for n in range(1, 25))
    inventory = Inventory(host=HOST, controllers=(card(drives),))
    told = screen(inventory, EIGHTY).split("  drive ")[1].rstrip("\n").split("\n")
    assert len(told) == 25
    assert all("…" in text for text in told[1:])
    whole = screen(inventory, EIGHTY, more=True)
    assert "ENTERPRISE" in whole


def test_an_id_is_never_cut() -> None:
    """An id longer than the screen folds, and every character of it is there."""
    name = "drives:" + "".join(f"{n:03}" for n in range(60))
    inventory = Inventory(host=HOST, controllers=(card((Drive(id=name, status="ok"),), id="drives:0000:00:1f.2"),))
    told = screen(inventory, EIGHTY)
    rows = told.split("  drive ")[1].split("\n")[1:]
    assert "".join(row.split()[0] for row in rows if row.split()) == name.removeprefix("drives:")


def test_why_a_policy_is_not_in_force_is_said_once_for_all_volumes_of_the_same_reason() -> None:
    """Ten volumes behind one failed battery are one problem."""
    cache = VolumeCache(
        write_policy="protected_write_back", write_active="write_through", why_not_in_force="learn cycle under way"
    )
    volumes = tuple(Volume(id=f"smartarray:1/v{n}", status="ok", cache=cache) for n in range(1, 11))
    told = screen(Inventory(host=HOST, controllers=(card((), volumes=volumes, arrays=()),)), EIGHTY)
    assert "1 problem: smartarray:1/v1, smartarray:1/v2 and 8 more: write policy active:" in told
    assert told.count("write cache is not as set: learn cycle under way") == 1


def test_each_problem_brings_its_advice_once() -> None:
    """The words of the rule stand below the object, with what to do; what a tool prints of it is folded under them."""
    broken = card((bay_drive(1, status="critical"),))
    told = Problem(severity="error", kind="state", where="smartarray:1/1I:1:1", message="It clicks.")
    text = screen(Inventory(host=HOST, controllers=(broken,), problems=(told,)), EIGHTY)
    assert text.count("→ Replace it (bay 1") == 1
    assert "· smartarray:1/1I:1:1: It clicks." in text


def test_write_back_without_protection_is_loud() -> None:
    """A volume that can lose written data says NO, and stands at the top."""
    cache = VolumeCache(
        write_policy="unprotected_write_back",
        write_active="write_back",
        controller_cache="unprotected",
        write_protected=False,
    )
    volumes = (Volume(id="smartarray:1/v1", status="ok", cache=cache),)
    told = screen(Inventory(host=HOST, controllers=(card((), volumes=volumes, arrays=()),)), EIGHTY)
    assert "1 problem: smartarray:1/v1: write-back without protection" in told
    assert "write-back always  NO, cache" in told


def test_what_could_not_be_read_stands_among_the_problems() -> None:
    """A problem about a thing that is not an object is told with its place, message and remedy."""
    told = screen(NOTHING, EIGHTY)
    assert "0000:05:00.0" in told.split("\n")[1]
    assert "→ Install ssacli." in told


def test_a_partial_output_has_no_empty_columns() -> None:
    """What an output does not tell takes no room; the status is always there."""
    told = screen(PARTIAL, EIGHTY)
    assert "device" not in told
    assert "write cache" not in told
    assert "900.1 GB" in told


def test_a_raid_card_stands_before_the_drives_that_are_in_no_array() -> None:
    """The order of the screen is what matters first; that of the JSON stays by id."""
    told = screen(SOFTWARE, EIGHTY)
    assert told.index("md · Linux md") < told.index("drives:0000:00:1f.2")


def test_only_a_terminal_in_colour_gets_escape_codes() -> None:
    """The colours change nothing of the text."""
    coloured = screen(DEGRADED, Paper(width=80, colour=True))
    assert "\x1b[" in coloured
    assert "\x1b" not in screen(DEGRADED, EIGHTY)


def test_markup_of_hardware_is_printed_as_it_stands() -> None:
    """A drive that calls itself [red] is shown as such, in colour as well."""
    inventory = Inventory(host=HOST, controllers=(card((bay_drive(1, model="[red]X[/red]"),)),))
    for paper in (EIGHTY, Paper(width=80, colour=True)):
        assert "[red]X[/red]" in screen(inventory, paper)


def test_notes_are_apart_from_problems() -> None:
    """What is good to know is neither counted nor mixed with what is to be done."""
    note = Problem(severity="info", where="somewhere", message="Good to know.")
    told = screen(msgspec.structs.replace(HEALTHY, problems=(note,)), EIGHTY)
    assert "No problems found" in told
    assert "\nNotes\n  somewhere\n      Good to know.\n" in told


def test_an_empty_machine_says_what_to_do_next() -> None:
    """The hint of the caller stands where the controllers would be."""
    told = screen(Inventory(host=HOST), EIGHTY, hint="Look elsewhere.")
    assert "Nothing found" in told
    assert "Look elsewhere." in told


def test_a_volume_that_is_known_not_to_be_mounted_is_no_unknown_one() -> None:
    """A dash is known to be nowhere, a question mark is not told."""
    volumes = tuple(Volume(id=f"md:md{number}", device=f"/dev/md{number}") for number in range(3))
    mounted = msgspec.structs.replace(volumes[0], mountpoints=("/srv",))
    inventory = Inventory(host=HOST, controllers=(Controller(id="md", volumes=(mounted, *volumes[1:])),))
    told = screen(inventory, EIGHTY, unmounted={"md:md1"})
    cells = {
        words[0]: words[-1] for row in told.split("\n") if (words := row.split())[:1] and words[0].startswith("md")
    }
    assert {name: cells[name] for name in ("md0", "md1", "md2")} == {"md0": "/srv", "md1": "-", "md2": "?"}


def test_show_knows_which_arrays_of_a_machine_are_not_mounted() -> None:
    """Of the recorded machine one array is mounted, and the kernel's table says that no other is."""
    told = CliRunner().invoke(cli, ["--replay", str(FIXTURES / "lab-md"), "show"], env={"COLUMNS": "80"}).stdout
    cells = [
        row.split("/dev/md", 1)[1].split()[1] for row in told.split("\n") if row.startswith("  md") and "/dev/md" in row
    ]
    assert (cells.count("-"), cells.count("/srv/mirror"), len(cells)) == (9, 1, 10)
