"""Commands for the hardware of simulated machines.

They cover foreign configurations, preserved cache, drive states, rebuilds, patrol reads and batteries.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from raidctl.cli import cli
from raidctl.simulation.demo import machine
from raidctl.vendor.registry import vendors
from tests.support.command_line import Raidctl

Raid = Callable[..., Result]
SERIAL = "71T04VC"
"""Of the controller of h730-foreign."""


@pytest.fixture
def raid(tmp_path: Path) -> Raid:
    """Run `raidctl --demo NAME …`."""

    def run(name: str, *words: str) -> Result:
        return CliRunner().invoke(cli, ["--state-dir", str(tmp_path), "--demo", name, *words])

    return run


def shown(raid: Raid, name: str, *words: str) -> Any:
    """The JSON of a command that shows something."""
    done = raid(name, *words, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def drives(raid: Raid, name: str) -> dict[str, dict[str, Any]]:
    """The drives of a machine, by the last part of their ids."""
    found = shown(raid, name, "show")
    return {one["id"].rpartition("/")[2]: one for controller in found["controllers"] for one in controller["drives"]}


# --- foreign configurations and preserved cache


def test_a_refused_plan_reads_as_a_command_and_undoes_nothing(raid: Raid) -> None:
    """Verb and object need no "of"; a plan that is not run has no point of no return."""
    done = raid("h730-foreign", "foreign", "clear", "megaraid:0", "--yes")
    assert "Refused (guard F2): clear foreign megaraid:0: " in done.output
    assert "     clear foreign megaraid:0: foreign -> cleared\n" in done.output
    assert "From here on nothing is undone" not in done.output
    spare = raid("p440", "spare", "add", "2I:1:8", "--for", "v1", "--yes").output
    assert "add spare smartarray:0/2I:1:8: It is an SSD, the members" in spare  # not the drive's id twice


def test_foreign_drives_are_listed_previewed_and_imported(raid: Raid) -> None:
    """Drives are listed with their serial numbers. The import writes the preserved cache, and is seen before "done"."""
    [before] = shown(raid, "h730-foreign", "foreign", "show")["controllers"]
    assert [one["serial"] for one in before["drives"]] == ["RCX59W0K7", "RCX5AW0K7"]
    assert before["groups"][0]["raid_level"] == "raid1"
    [preview] = shown(raid, "h730-foreign", "foreign", "preview", "megaraid:0")["controllers"]
    assert [(one["name"], one["complete"]) for one in preview["preview"]["volumes"]] == [("mail", True)]
    done = raid("h730-foreign", "foreign", "import", "megaraid:0", "--yes", "--confirm", SERIAL)
    assert done.exit_code == 0, done.output
    assert all(serial in done.stdout for serial in ("RCX59W0K7", "RCX5AW0K7"))
    [after] = shown(raid, "h730-foreign", "foreign", "show")["controllers"]
    assert (after["foreign"], after["drives"], after["groups"]) == (False, [], [])
    [kept] = shown(raid, "h730-foreign", "preserved", "show")["controllers"]
    assert (kept["preserved_data"], kept["volumes"]) == (False, [])
    assert drives(raid, "h730-foreign")["32:9"]["role"] == "member"
    assert raid("h730-foreign", "foreign", "preview", "megaraid:0").exit_code == 1


def test_the_controller_confirms_what_hits_all_of_it(raid: Raid) -> None:
    """Neither --yes nor a drive's serial number nor the controller's model is enough. Nothing is done."""
    for typed in ((), ("--confirm", "RCX59W0K7"), ("--confirm", "VC"), ("--confirm", "H730")):
        done = raid("h730-foreign", "foreign", "import", "megaraid:0", "--yes", *typed)
        assert done.exit_code == 2, done.output
    assert drives(raid, "h730-foreign")["32:9"]["foreign"] is True


def test_clearing_waits_for_the_cache(raid: Raid) -> None:
    """Clearing is refused while there is preserved data. Discarding it is refused while there are foreign drives."""
    clear = ("foreign", "clear", "megaraid:0", "--yes", "--confirm", SERIAL)
    for more in ((), ("--unsafe", "really")):
        done = raid("h730-foreign", *clear, *more)
        assert (done.exit_code, "guard F2" in done.stdout) == (1, True), done.output
        done = raid("h730-foreign", "preserved", "discard", "v6", "--yes", "--confirm", f"{SERIAL}/v6", *more)
        assert (done.exit_code, "guard F4" in done.stdout) == (1, True), done.output
    assert raid("h730-foreign", "preserved", "discard", "v7", "--yes").exit_code == 2


def test_cache_is_discarded_with_a_reason_and_the_id_of_the_volume(raid: Raid, tmp_path: Path) -> None:
    """Cache is discarded once its drives are known to be lost. Here somebody has pulled them."""
    assert raid("h730-foreign", "show").exit_code == 0
    simulated = machine("h730-foreign", vendors()[0], tmp_path / "demo" / "h730-foreign")
    state = {key: value for key, value in simulated.state().items() if not key.startswith("megaraid 0/foreign ")}
    simulated.keep(state)
    for bay in ("32:9", "32:10"):
        simulated.pull(bay)
    words = ("preserved", "discard", "megaraid:0/v6", "--yes")
    assert raid("h730-foreign", *words, "--confirm", f"{SERIAL}/v6").exit_code == 1
    assert raid("h730-foreign", *words, "--unsafe", "drives lost").exit_code == 2
    assert raid("h730-foreign", *words, "--unsafe", "drives lost", "--confirm", "/v6").exit_code == 2
    done = raid("h730-foreign", *words, "--unsafe", "drives lost", "--confirm", f"{SERIAL}/v6")
    assert done.exit_code == 0, done.output
    [kept] = shown(raid, "h730-foreign", "preserved", "show")["controllers"]
    assert (kept["preserved_data"], kept["volumes"]) == (False, [])


def test_an_object_shows_the_foreign_drives_and_batteries_of_its_controller(raid: Raid) -> None:
    """A volume's name limits these commands to its controller, and not to the volume's own drives."""
    for name, command in (("h730-foreign", "foreign"), ("9271", "battery")):
        narrowed, every = shown(raid, name, command, "show", "v0"), shown(raid, name, command, "show")
        assert narrowed["controllers"] == every["controllers"]


def test_a_foreign_drive_changes_no_state(raid: Raid) -> None:
    """A foreign drive's state stays until its configuration is imported or cleared."""
    for verb in ("good", "jbod", "erase"):
        done = raid("h730-foreign", "drive", verb, "32:9", "--yes", "--unsafe", "really")
        assert done.exit_code == 1, done.output
    assert drives(raid, "h730-foreign")["32:9"]["foreign"] is True


# --- states of drives, rebuilds, patrol reads


def test_a_member_is_set_offline_and_rebuilt(raid: Raid) -> None:
    """It takes the serial number and, for a good member, a reason. Online again is refused, as the array has run on."""
    assert raid("h730", "spare", "remove", "32:8", "--yes").exit_code in (0, 1, 2)
    offline = ("drive", "offline", "32:4", "--yes")
    assert raid("h730", *offline).exit_code == 1
    assert raid("h730", *offline, "--unsafe", "cabling").exit_code == 2
    done = raid("h730", *offline, "--unsafe", "cabling", "--confirm", "RCX14W0K7")
    assert done.exit_code == 0, done.output
    online = raid("h730", "drive", "online", "32:4", "--yes", "--unsafe", "cabling", "--confirm", "RCX14W0K7")
    assert online.exit_code == 1, online.output


def test_two_members_of_an_array_are_not_set_offline_at_once(raid: Raid) -> None:
    """The second is judged after the first."""
    done = raid("h730", "drive", "offline", "32:4", "32:5", "--yes", "--unsafe", "really")
    assert done.exit_code == 2
    assert "one after the other" in done.stderr


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("drive", "good", "32:4", "--yes"), 1),
        (("drive", "jbod", "32:4", "--yes", "--confirm", "RCX14W0K7"), 1),
        (("drive", "erase", "32:4", "--yes", "--unsafe", "really"), 1),
        (("drive", "good", "32:99", "--yes"), 2),
        (("drive", "good", "megaraid:0", "--yes"), 2),
        (("rebuild", "start", "32:4", "--yes"), 1),
        (("rebuild", "stop", "32:4", "--yes"), 1),
        (("patrol", "pause", "megaraid:0", "--yes"), 1),
        (("patrol", "stop", "megaraid:0", "--yes"), 0),
        (("patrol", "show"), 0),
        (("battery", "learn", "megaraid:0", "--yes"), 1),
        (("foreign", "import", "megaraid:0", "--yes"), 1),
        (("foreign", "preview", "megaraid:0"), 1),
        (("preserved", "discard", "v1", "--yes", "--unsafe", "really"), 1),
    ],
)
def test_refused_commands_change_nothing(raid: Raid, words: tuple[str, ...], code: int) -> None:
    """Each has a reason, and no step is carried out."""
    before = shown(raid, "h730", "show")["controllers"]
    done = raid("h730", *words)
    assert done.exit_code == code, done.output
    assert done.output.strip()
    assert shown(raid, "h730", "show")["controllers"] == before


def test_a_reason_is_shown_once(raid: Raid) -> None:
    """The controller's family and a guard refuse in the same words. An overridden refusal names the option."""
    done = raid("h730", "rebuild", "stop", "32:8", "--dry-run")
    assert done.stdout.count("is not being rebuilt") == 1, done.output
    unknown = raid("9690", "battery", "learn", "threeware:6", "--dry-run")
    assert "instead: If it was more than a day ago, override with --unsafe REASON." in " ".join(unknown.stdout.split())


def test_a_command_for_a_person_is_printed_only_if_no_guard_refuses_it(raid: Raid) -> None:
    """The command names the drive's bay. If a guard refuses, no command to run by hand is shown."""
    words = "pd {} modify disablepd"
    free = raid("gen10", "drive", "offline", "1I:3:1", "--dry-run", "--json")
    assert words.format("1I:3:1") in json.loads(free.stdout)["denials"][0]["alternative"]
    refused = raid("gen10", "drive", "offline", "1I:3:4", "--dry-run")
    assert (refused.exit_code, "guard R1" in refused.stdout, "disablepd" in refused.stdout) == (1, True, False)
    for name, drive in (("6805", "0,4"), ("h730", "32:5"), ("1882", "E2:S3")):
        for verb in ("jbod", "erase"):
            done = raid(name, "drive", verb, drive, "--dry-run")
            assert done.exit_code == 1, done.output
            assert not {"UNINIT", "CLEAR", "erase simple", "drv="} & set(done.stdout.split()), done.output
            assert "Run it yourself" not in done.stdout
            assert "By hand" not in done.stdout


@pytest.mark.parametrize("name", ["h730", "perc5i", "9271"])
def test_a_patrol_read_is_started_seen_and_stopped(raid: Raid, name: str) -> None:
    """The controller reports a started patrol read, and "tasks" lists it. A second start is refused."""
    start, stop = ("patrol", "start", "megaraid:0", "--yes"), ("patrol", "stop", "megaraid:0", "--yes")
    began = raid(name, *start)
    assert began.exit_code == 0, began.output
    [patrol] = shown(raid, name, "patrol", "show")["controllers"]
    assert patrol["patrol_read"]["state"] == patrol["task"]["state"] == "running"
    assert [one["object_id"] for one in shown(raid, name, "tasks")["tasks"] if one["operation"] == "patrol_read"]
    assert raid(name, *start).exit_code == 1
    assert raid(name, *stop).exit_code == 0
    [patrol] = shown(raid, name, "patrol", "show")["controllers"]
    assert (patrol["patrol_read"]["state"], patrol["task"]) == ("stopped", None)


@pytest.mark.parametrize(("name", "target"), [("p400", "smartarray:1"), ("raid6", "md")])
def test_a_family_without_the_operation_reports_so_in_one_sentence(raid: Raid, name: str, target: str) -> None:
    """The exit code is 1, or 2 without a RAID controller. Show commands report what there is."""
    for words in (("foreign", "import", target), ("battery", "learn", target)):
        done = raid(name, *words, "--dry-run")
        assert done.exit_code in (1, 2), done.output
    for group in ("foreign", "preserved", "battery", "patrol"):
        assert raid(name, group, "show").exit_code == 0


def test_a_recorded_machine_is_shown_and_not_changed() -> None:
    """A recording can be shown, but not changed."""

    def replay(*words: str) -> Result:
        return CliRunner().invoke(cli, ["--replay", "fixtures/megaraid-second-card-crashes", *words])

    found = json.loads(replay("foreign", "show", "--json").stdout)["controllers"]
    assert [(one["object_id"], one["foreign"]) for one in found] == [("megaraid:0", True), ("megaraid:1", None)]
    assert found[0]["groups"][0]["size_bytes"] == 599_583_876_973
    assert replay("foreign", "import", "megaraid:0", "--yes").exit_code == 2
    dry = replay("foreign", "import", "megaraid:0", "--dry-run")
    assert dry.exit_code in (1, 3)
    assert "guard X3" in dry.stdout


def test_without_the_tool_nothing_is_done() -> None:
    """A controller that only the kernel shows: exit code 4."""
    record = ["--replay", "fixtures/host-raid-card-no-tool"]
    found = json.loads(CliRunner().invoke(cli, [*record, "show", "--json"]).stdout)["controllers"]
    controller = next(one["id"] for one in found if one["mode"] not in ("none", "software"))
    done = CliRunner().invoke(cli, [*record, "foreign", "import", controller, "--dry-run"])
    assert done.exit_code == 4, done.output


# --- batteries


def test_a_learn_cycle_starts_once_a_day(raid: Raid, tmp_path: Path) -> None:
    """The plan states that it lasts hours. The cycle is seen running, ends by the clock, and is not repeated."""
    done = raid("9271", "battery", "learn", "megaraid:0", "--yes")
    assert done.exit_code == 0, done.output
    assert "cannot be ended" in " ".join(done.stdout.split())
    [task] = shown(raid, "9271", "tasks")["tasks"]
    assert task["operation"] == "learn"
    for _ in range(2):
        again = raid("9271", "battery", "learn", "megaraid:0", "--yes", "--unsafe", "really")
        assert (again.exit_code, "guard B2" in again.stdout) == (1, True), again.output
        machine("9271", vendors()[0], tmp_path / "demo" / "9271").pass_time(5 * 3600)
    [controller] = shown(raid, "9271", "battery", "show")["controllers"]
    assert controller["batteries"][0]["status"] == "ok"
    [planned] = shown(raid, "9271", "battery", "schedule", "megaraid:0")["controllers"]
    assert planned["batteries"][0]["more"]["Auto-Learn Mode"] == "Transparent"
    assert not any("capacity" in label.lower() for label in planned["batteries"][0]["more"])
    assert any("capacity" in label.lower() for label in controller["batteries"][0]["more"])


def test_volumes_that_stay_in_write_back_forbid_a_learn_cycle(raid: Raid) -> None:
    """Unprotected write-back would lose data in a power failure during the cycle."""
    policy = ("cache", "set", "megaraid:0/v0", "--write", "unprotected-write-back", "--yes", "--unsafe", "test")
    assert raid("9271", *policy).exit_code == 0
    done = raid("9271", "battery", "learn", "megaraid:0", "--yes", "--unsafe", "really")
    assert (done.exit_code, "guard B1" in done.stdout) == (1, True), done.output


def test_a_learn_cycle_that_preserved_data_forbids_names_the_command_that_lists_it(raidctl: Raidctl) -> None:
    """The refusal leads to the data that has to be written first."""
    done = raidctl("--demo", "h730-foreign", "battery", "learn", "megaraid:0")
    assert done.exit_code == 1
    assert re.search(r"instead: raidctl .* preserved show megaraid:0", " ".join(done.stdout.split()))
