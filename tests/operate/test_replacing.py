"""Replacing a member of md arrays on simulated machines. The tests cover each stage, each wrong turn, each cut."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from raidctl.change.expectations import unmet
from raidctl.change.journal import Journal
from raidctl.change.reading import RECENT_SECONDS
from raidctl.change.waiting import _gone
from raidctl.errors import ChangeNotUndone, ChangeUndone, UnderWay
from raidctl.host import HostView, partition_node
from raidctl.model import Controller, Drive, Host, Inventory, Problem, Progress
from raidctl.model.task import Operation
from raidctl.operate import disk_steps
from raidctl.operate.blinking import NoLed
from raidctl.operate.contents import EMPTY
from raidctl.operate.first_facts import facts_of
from raidctl.operate.joining_guards import Probed, unfit
from raidctl.operate.partition_table import not_copied, parse, script
from raidctl.operate.replacement_facts import Facts, missing, new_drives, with_successor
from raidctl.operate.stages import next_stage
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Step
from raidctl.vendor.simulator import State, fields, words
from raidctl_md import simulator
from tests.change.md_machine import Bench, bench, definition
from tests.operate.replacements import NEW, OLD, Replacement, argvs, begun, exchanged


@pytest.fixture
def raid6(tmp_path: Path) -> Bench:
    """A RAID-6 on four whole drives; two drives on the shelf."""
    return bench(tmp_path / "raid6", definition("raid6", 4))


def drive(state: State, serial: str, **about: str) -> State:
    """The state with other facts of a drive."""
    return {**state, f"md/drive {serial}": words({**fields(state[f"md/drive {serial}"]), **about})}


def test_a_drive_is_replaced_from_its_failure_to_the_complete_array(raid6: Bench) -> None:
    """It is failed and removed, pulled, replaced, rebuilt and verified. The journal ends, and nothing was forced."""
    exchanged(raid6)
    replacement = begun(raid6, 2)
    replacement.replacing.run(replacement.start())
    assert argvs(raid6) == [
        "mdadm /dev/md0 --fail /dev/sdb", "mdadm /dev/md0 --remove /dev/sdb", "mdadm /dev/md0 --add-spare /dev/sdb",
    ]  # fmt: skip
    assert raid6.member(NEW) == "in_sync"
    assert raid6.journal.pending() == []
    assert f"Pull the drive with serial number {OLD}" in "\n".join(raid6.printed)


def test_a_good_drive_is_copied_while_the_array_stays_complete(tmp_path: Path) -> None:
    """With a successor, no member is missing at any time. The old drive leaves last."""
    machine = bench(tmp_path / "copy", definition("raid5", 3, drives=4, shelf=0))
    missing = []
    pass_time = machine.machine.pass_time

    def watched(seconds: float) -> None:
        pass_time(seconds)
        states = [machine.member(f"LABD0000{number}") for number in range(1, 5)]
        missing.append(states.count("in_sync") < 3)

    machine.machine.pass_time = watched  # type: ignore[method-assign]  # of this machine
    machine.events = [(300.0, lambda state: simulator.pull(state, "2"))]
    replacement = begun(machine, 2, way="copy", new=4)
    replacement.replacing.run(replacement.start())
    assert argvs(machine) == [
        "mdadm /dev/md0 --add-spare /dev/sdd", "mdadm /dev/md0 --replace /dev/sdb --with /dev/sdd",
        "mdadm /dev/md0 --remove /dev/sdb",
    ]  # fmt: skip
    assert (machine.member("LABD00004"), any(missing)) == ("in_sync", False)


def test_every_array_on_a_good_drive_is_copied(tmp_path: Path) -> None:
    """The copy of the first array is not a rebuild that forbids that of the second; both stay complete."""
    machine = bench(tmp_path / "parts", definition("raid5", 3, drives=4, shelf=0, parts="1,2"))
    machine.events = [(600.0, lambda state: simulator.pull(state, "2"))]
    replacement = begun(machine, 2, way="copy", new=4)
    replacement.replacing.run(replacement.start())
    commands = [one for one in argvs(machine) if "--replace" in one]
    assert commands == [f"mdadm /dev/md{n} --replace /dev/sdb{n + 1} --with /dev/sdd{n + 1}" for n in range(2)]
    assert [machine.member(f"LABD00004-{n + 1}", f"md{n}") for n in range(2)] == ["in_sync"] * 2


@pytest.mark.parametrize(
    ("event", "lost"), [("pull", "is gone. LABD00002 stays"), ("fail", "has failed. LABD00002 stays")]
)
def test_a_good_drive_stays_if_the_drive_that_it_is_copied_to_is_lost(event: str, lost: str, tmp_path: Path) -> None:
    """The wait ends with the reason, a later one too; the array stays complete, and another successor is taken."""
    machine = bench(tmp_path / "lost", definition("raid5", 3, drives=5, shelf=0))
    machine.events = [(50.0, lambda state: getattr(simulator, event)(state, "4"))]
    replacement = begun(machine, 2, way="copy", new=4)
    with pytest.raises(ChangeNotUndone, match=lost):
        replacement.replacing.run(replacement.start())
    with pytest.raises(UnderWay, match=lost):
        replacement.resume(at_most=0.0)
    members = [machine.member(f"LABD0000{number}") for number in range(1, 4)]
    assert (members, len(argvs(machine))) == (["in_sync"] * 3, 2)
    change = replacement.resumed()
    replacement.replacing.facts = with_successor(replacement.replacing.facts, NEW)
    machine.events = [(machine.at + 300.0, lambda state: simulator.pull(state, "2"))]
    replacement.replacing.run(change)
    assert machine.member(NEW) == "in_sync"


@pytest.mark.parametrize(("bay", "wait"), [("2", ""), ("3", "LABD00003 is gone, but must stay")])
def test_a_copy_ends_if_a_member_is_pulled_meanwhile(bay: str, wait: str, tmp_path: Path) -> None:
    """The old drive that was pulled early needs no wait; with another one gone, nothing more is taken out (R9)."""
    machine = bench(tmp_path / "early", definition("raid5", 3, drives=4, shelf=0))
    machine.events = [(50.0, lambda state: simulator.pull(state, bay))]
    replacement = begun(machine, 2, way="copy", new=4)
    with pytest.raises(UnderWay, match=wait) if wait else contextlib.nullcontext():
        replacement.replacing.run(replacement.start())
    assert (machine.member("LABD00004"), len(argvs(machine))) == ("in_sync", 2)


def test_guard_R9_nothing_is_taken_out_while_another_drive_is_gone(raid6: Bench) -> None:
    """A drive that is gone before the first command stops the replacement; the old drive stays in its array."""
    replacement = begun(raid6, 2)
    change = replacement.start(at_most=0.0)
    raid6.machine.keep(simulator.pull(raid6.machine.state(), "3"))
    raid6.sleep(RECENT_SECONDS + 1)
    with pytest.raises(UnderWay, match="LABD00003 is gone, but must stay"):
        replacement.replacing.run(change)
    assert (raid6.member(OLD), argvs(raid6)) == ("in_sync", [])


def test_guard_R9_the_last_visible_drive_is_not_asked_for(raid6: Bench) -> None:
    """If a controller fails with all other members, raidctl does not request a pull of the remaining drive."""
    replacement = begun(raid6, 2)
    change = replacement.start(at_most=0.0)
    for bay in "134":
        raid6.machine.keep(simulator.pull(raid6.machine.state(), bay))
    raid6.sleep(RECENT_SECONDS + 1)
    with pytest.raises(UnderWay, match="None of the other members is visible"):
        replacement.replacing.run(change)
    with pytest.raises(UnderWay, match="None of the other members is visible"):
        replacement.resume(at_most=0.0)
    assert (argvs(raid6), "Pull" in "".join(raid6.printed)) == ([], False)


def test_a_successor_about_which_something_is_unknown_is_unknown_not_refused(tmp_path: Path) -> None:
    """Its health is not reported: the refusal counts as unknown, and the plan names the option that overrides it."""
    machine = bench(tmp_path / "unknown", definition("raid5", 3, drives=4, shelf=0))
    found = [one for one in begun(machine, 2, way="copy", new=4, unsafe=False).plan().denials if one.guard == "R10"]
    assert [(one.unknown, one.overridable) for one in found] == [(True, True)]
    assert "LABD00004" in found[0].reason
    assert begun(machine, 2, way="copy", new=4).plan().denials == ()


class SlowLed(NoLed):
    """An LED tool that takes seconds, during which something happens."""

    def __init__(self, meanwhile: Callable[[], object]) -> None:
        self.meanwhile = meanwhile

    def off(self) -> None:
        """Take as long as ``meanwhile`` does."""
        self.meanwhile()


@pytest.mark.parametrize("seconds", [1.0, 30.0])
def test_a_reading_from_before_a_slow_led_tool_precedes_no_command(raid6: Bench, seconds: float) -> None:
    """Two members fail while an LED is switched: nothing is taken out, as the machine is read once more."""
    replacement = begun(raid6, 2)
    change = replacement.start(at_most=0.0)

    def meanwhile() -> None:
        raid6.sleep(seconds)
        if seconds > RECENT_SECONDS:
            raid6.machine.keep(simulator.fail(simulator.fail(raid6.machine.state(), "3"), "4"))

    replacement.replacing.led = SlowLed(meanwhile)
    with pytest.raises((ChangeNotUndone, ChangeUndone, UnderWay)):
        replacement.replacing.run(change)
    assert (argvs(raid6) == []) == (seconds > RECENT_SECONDS), raid6.printed


def test_every_command_follows_a_reading_of_its_own(raid6: Bench) -> None:
    """Between two commands of a replacement, the machine is read completely; each command is checked with it."""
    read: list[int] = []
    look = raid6.look

    def looked() -> Survey:
        read.append(len(raid6.argvs))
        return look()

    raid6.look = looked  # type: ignore[method-assign]  # of this machine
    exchanged(raid6)
    replacement = begun(raid6, 2)
    replacement.replacing.run(replacement.start())
    assert {0, 1, 2, 3} <= set(read)  # before the first command, after each, and before the next


@pytest.mark.parametrize(
    ("work", "stage"), [("check", "verifying"), ("repair", "verifying"), ("reshape", "rebuilding")]
)
def test_what_is_done_to_a_complete_array_begins_no_stage_again(raid6: Bench, work: Operation, stage: str) -> None:
    """A wait that has ended is not planned once more.

    A monthly check right after the rebuild would otherwise make it endless.
    """
    exchanged(raid6)
    replacement = begun(raid6, 2)
    change = replacement.start()
    replacement.replacing.run(change)
    seen = change.look()
    controllers = tuple(
        replace(
            controller, volumes=tuple(replace(one, progress=Progress(operation=work)) for one in controller.volumes)
        )
        for controller in seen.inventory.controllers
    )
    busy = replace(seen, inventory=replace(seen.inventory, controllers=controllers))
    found = next_stage(busy, replacement.replacing.facts)
    assert (found.name, found.problem) == (stage, None)
    assert found.step is not None
    ended = not unmet(busy, found.step.expects) and not replacement.replacing.confirm(found.step, busy, lambda: 1e9)
    assert ended is (stage == "verifying")


def test_every_array_on_the_drive_is_treated(tmp_path: Path) -> None:
    """Partitions are made as on a sibling, with new identifiers. Each array gets its member back."""
    machine = bench(tmp_path / "parts", definition("raid6", 4, parts="1,2"))
    exchanged(machine)
    replacement = begun(machine, 2)
    replacement.replacing.run(replacement.start())
    made = argvs(machine)
    assert made[:2] == ["mdadm /dev/md0 --fail /dev/sdb1", "mdadm /dev/md0 --remove /dev/sdb1"]
    assert made[4:] == [
        "sfdisk --quiet /dev/sdb", "mdadm /dev/md0 --add-spare /dev/sdb1", "mdadm /dev/md1 --add-spare /dev/sdb2",
    ]  # fmt: skip
    assert [machine.member(f"{NEW}-{part}", array) for array, part in (("md0", 1), ("md1", 2))] == ["in_sync"] * 2


def test_guard_R1_the_last_redundancy_is_not_taken(tmp_path: Path) -> None:
    """A member is not failed if its array survives no further failure. This also holds with --unsafe."""
    machine = bench(tmp_path / "r1", definition("raid6", 4))
    assert begun(machine, 2).plan().denials == ()
    for serial in ("LABD00003", "LABD00004"):
        state = machine.machine.state()
        machine.machine.keep({name: value for name, value in state.items() if name != f"md/member md0 {serial}"})
    assert "R1" in {denial.guard for denial in begun(machine, 2).plan().denials}


def test_guard_R3_nothing_is_taken_while_the_array_is_rebuilt(raid6: Bench) -> None:
    """While another member is rebuilt, the drive stays. It also stays if the rebuild begins after the plan."""
    replacement = begun(raid6, 2)
    replacement.plan()
    late = {"md/member md0 LABD00004": words({"slot": "3", "state": "rebuilding", "from": "0"})}
    raid6.events = []
    raid6.machine.keep({**raid6.machine.state(), **late})
    assert "R3" in {denial.guard for denial in begun(raid6, 2).plan().denials}


def test_guards_hold_between_the_plan_and_the_step(raid6: Bench) -> None:
    """A second failure right before the command stops it. Nothing is run, and the array keeps what it has."""
    replacement = begun(raid6, 2)
    change = replacement.start()
    state = {name: value for name, value in raid6.machine.state().items()
             if name not in ("md/member md0 LABD00003", "md/member md0 LABD00004")}  # fmt: skip
    made = replacement.plan()
    raid6.machine.keep(state)
    raid6.sleep(RECENT_SECONDS)
    change.guard = replacement.replacing.guard
    with pytest.raises(ChangeUndone, match="Guard R1"):
        change.go_on(made.steps, {})
    assert raid6.argvs == []


def test_guard_R9_the_wrong_drive_pulled_stops_everything(raid6: Bench) -> None:
    """The sentence names the drive to be put back. Nothing is added; it continues when the drive is back."""
    raid6.events = [(50.0, lambda state: simulator.pull(state, "3"))]
    replacement = begun(raid6, 2)
    change = replacement.start()
    with pytest.raises(UnderWay, match=r"LABD00003 is gone.*Put it back now.*resume"):
        replacement.replacing.run(change)
    assert replacement.replacing.facts.places == ""  # no enclosure: the bay has no name
    count = len(raid6.argvs)
    with pytest.raises(UnderWay, match="LABD00003 is gone"):
        replacement.resume(at_most=0.0)
    assert len(raid6.argvs) == count
    raid6.machine.keep(simulator.push(raid6.machine.state(), "3", "LABD00003"))
    exchanged(raid6)
    with pytest.raises(ChangeNotUndone, match="lacks another member"):
        replacement.resume()
    assert raid6.member(NEW) == "in_sync"
    assert "stopped" in {event.mark for event in raid6.journal.changes()[-1].events}


@pytest.mark.parametrize("at", [30.0, 75.0, 150.0])
@pytest.mark.parametrize(
    ("event", "why"), [("fail", "md0 no longer works: nothing is done"), ("pull", "LABD00003 is gone, but must stay")]
)
def test_nothing_is_awaited_after_the_array_has_failed(at: float, event: str, why: str, tmp_path: Path) -> None:
    """While the pull, the new drive or its rebuild is awaited, a member is lost: the wait ends, a later one too."""
    machine = bench(tmp_path / "lost", definition("raid5", 3))
    machine.events = [(at, lambda state: getattr(simulator, event)(state, "3"))]
    if at > 50.0:
        machine.events.insert(0, (50.0, lambda state: simulator.pull(state, "2")))
    if at > 100.0:
        machine.events.insert(1, (100.0, lambda state: simulator.push(state, "2", NEW)))
    replacement = begun(machine, 2)
    with pytest.raises((UnderWay, ChangeNotUndone), match=why):
        replacement.replacing.run(replacement.start())
    with pytest.raises(UnderWay, match=why):
        replacement.resume(at_most=0.0)


def test_guard_R9_a_drive_that_the_kernel_lacks_is_gone_whatever_a_tool_cannot_read(
    raid6: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The replacement stops at once, even if a tool fails afterwards.

    If the kernel's files cannot be read, it waits.
    """
    for where, minutes in (("acmecli", 1.0), ("/sys/class/block", 15.0)):
        machine = bench(raid6.place / where.strip("/").replace("/", "-"), definition("raid6", 4))
        whole = machine.look
        lost = Problem("error", where, "It crashed.", None, "unread")

        def look(whole: Callable[[], Survey] = whole, lost: Problem = lost) -> Survey:
            seen = whole()
            there = any(
                drive.serial == "LABD00003" for controller in seen.inventory.controllers for drive in controller.drives
            )
            problems = seen.inventory.problems if there else (*seen.inventory.problems, lost)
            return replace(seen, inventory=replace(seen.inventory, problems=problems))

        monkeypatch.setattr(machine, "look", look)
        machine.events = [(50.0, lambda state: simulator.pull(state, "3"))]
        replacement = begun(machine, 2)
        with pytest.raises(UnderWay, match=r"LABD00003 is gone.*Put it back now.*resume"):
            replacement.replacing.run(replacement.start())
        assert 50.0 <= machine.at < 60.0 * minutes + 60.0, where
        assert (machine.at > 900.0) == (minutes > 1.0), where


def why_unfit(machine: Bench, unsafe: bool = True, /, **about: str) -> str:
    """Why a new drive of these facts is refused."""
    machine.machine.keep(drive(machine.machine.state(), NEW, **about))
    exchanged(machine)
    replacement = begun(machine, 2, unsafe=unsafe)
    with pytest.raises(UnderWay) as refused:
        replacement.replacing.run(replacement.start())
    assert not any("--add-spare" in text for text in argvs(machine))
    return str(refused.value)


def test_guard_R10_a_drive_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    """A drive that does not fit is refused by name.

    Such drives are too small or have another sector size. No command has run, and the replacement waits.
    """
    kinds = (({"sectors": "90000"}, "too small"), ({"sectors": "101000"}, "too small"), ({"sector": "4096"}, "sectors"))
    for number, (about, words_of) in enumerate(kinds):
        machine = bench(tmp_path / str(number), definition("raid6", 4))
        assert words_of in why_unfit(machine, **about)


def test_guard_R10_unknown_health_is_refused(raid6: Bench) -> None:
    """A new drive of unknown health joins only with --unsafe."""
    exchanged(raid6)
    replacement = begun(raid6, 2)
    change = replacement.start()
    replacement.replacing.unsafe = False
    with pytest.raises(UnderWay, match="health of drives:LABD00005 is unknown"):
        replacement.replacing.run(change)
    replacement.replacing.unsafe = True
    replacement.resume()
    assert raid6.member(NEW) == "in_sync"


@pytest.mark.slow
def test_guard_R11_a_drive_with_contents_is_refused(tmp_path: Path) -> None:
    """A signature is named and nothing is written. With the drive's serial number, it is saved and then removed."""
    for number, (about, name) in enumerate((({"sig": "ext4"}, "ext4"), ({"sig": "LVM2_member"}, "LVM2_member"),
                                            ({"parts": "1"}, "gpt"))):  # fmt: skip
        machine = bench(tmp_path / str(number), definition("raid6", 4))
        assert name in why_unfit(machine, **about)
        [journaled] = machine.journal.pending()
        again = begun_again(machine)
        again.replacing.wipe = NEW
        again.resume()
        assert "wipefs --all /dev/sdb" in argvs(machine)
        assert machine.member(NEW) == "in_sync"
        saved = {path.name for path in (machine.place / "saved" / journaled.begin.change).iterdir()}
        assert {f"{NEW}-first-mib", f"{NEW}-last-mib"} <= saved


def test_guard_R11_data_of_no_known_format_needs_consent(tmp_path: Path) -> None:
    """Data in the first sector that wipefs does not recognise is not overwritten, except with --wipe or --unsafe."""
    machine = bench(tmp_path, definition("raid6", 4))
    text = why_unfit(machine, False, boot="grub")
    assert "has no known signature, but data in its first sector" in text
    assert f"--wipe {NEW}" in text
    for one in (begun(machine, 1, unsafe=False, wipe=NEW), begun(machine, 1)):
        one.replacing.facts = replace(one.replacing.facts, new=NEW)
        assert "R11" not in [reason.guard for reason in one.replacing.objections(machine.look())]
    begun_again(machine).resume()
    assert machine.member(NEW) == "in_sync"


def test_guard_R7_a_new_drive_that_a_program_holds_is_refused(tmp_path: Path) -> None:
    """An empty drive that a virtual machine or an iSCSI target has open does not join."""
    machine = bench(tmp_path, definition("raid6", 4))
    machine.machine.keep(machine.machine.state() | {f"md/held {NEW}": "yes"})
    assert "held open by a program" in why_unfit(machine)


def test_the_last_mib_of_a_drive_that_is_wiped_ends_with_the_drive(tmp_path: Path) -> None:
    """Metadata in the last sectors of a drive are saved too if its size is not a whole number of MiB."""
    image = tmp_path / "image"
    image.write_bytes(bytes(3 * 1024**2 + 700_000) + b"LAST")
    new = Drive(id="drives:A", serial="A", device=str(image), size_bytes=image.stat().st_size)
    [first, last] = disk_steps.wiping(new, HostView())[0].saves
    found = [subprocess.run(one.action.argv, check=True, capture_output=True).stdout for one in (first, last)]
    assert [len(data) for data in found] == [1024**2] * 2
    assert found[1].endswith(b"LAST")


def test_guard_P7_a_drive_of_another_kind_needs_an_override(tmp_path: Path) -> None:
    """A drive of another kind joins only with --unsafe.

    An SSD among hard drives, or a drive with another interface, is refused by name.
    """
    machine = bench(tmp_path / "kind", definition("raid6", 4))
    machine.machine.keep(drive(machine.machine.state(), NEW, rotational="0"))
    exchanged(machine)
    replacement = begun(machine, 2)
    change = replacement.start()
    replacement.replacing.unsafe = False
    with pytest.raises(UnderWay, match="is an SSD, the others are not"):
        replacement.replacing.run(change)
    assert not any("--add-spare" in text for text in argvs(machine))
    replacement.replacing.unsafe = True
    replacement.resume()
    assert machine.member(NEW) == "in_sync"
    seen = machine.look()
    new = next(
        one
        for controller in seen.inventory.controllers
        for one in controller.drives
        if one.serial == NEW and not one.backing
    )
    sata = msgspec.structs.replace(new, interface="sata", media="hdd")
    for interface, wanted in (("sas", True), ("sata", False), (None, False)):
        other = msgspec.structs.replace(sata, interface=interface)
        found = unfit(sata, (seen.inventory, seen.view), Probed(contents=EMPTY), [other], partitions=())
        assert (("P7", True) in [(one.guard, one.overridable) for one in found]) == wanted

    for mine, theirs in ((None, "hdd"), ("hdd", None)):
        unknown, other = msgspec.structs.replace(sata, media=mine), msgspec.structs.replace(sata, media=theirs)
        found = unfit(unknown, (seen.inventory, seen.view), Probed(contents=EMPTY), [other], partitions=())
        assert ("P7", True) in [(one.guard, one.overridable) for one in found], (mine, theirs)


def test_guard_R10_a_foreign_drive_is_not_called_in_use(tmp_path: Path) -> None:
    """A drive with a configuration that was not imported is refused for that."""
    seen = bench(tmp_path, definition("raid6", 4)).look()
    sata = next(one for controller in seen.inventory.controllers for one in controller.drives if not one.backing)
    foreign = msgspec.structs.replace(sata, role="unassigned", foreign=True)
    texts = [one.text for one in unfit(foreign, (seen.inventory, seen.view), Probed(), [sata], partitions=())]
    assert f"{sata.id} holds a configuration that a controller has not imported." in texts
    assert f"{sata.id} is in use: unassigned." not in texts


def test_guard_R10_an_unknown_sector_size_of_the_members_fits_no_drive(tmp_path: Path) -> None:
    """No drive fits if the members' sector size is unknown.

    A drive with larger sectors than the array's cannot join it, so both sizes have to be known.
    """
    seen = bench(tmp_path / "sectors", definition("raid6", 4)).look()
    new = next(
        one for controller in seen.inventory.controllers for one in controller.drives if one.device and not one.backing
    )
    known, unknown = (Probed(sector_bytes=512, member_sector_bytes=size) for size in (512, None))
    texts = [
        [one.text for one in unfit(new, (seen.inventory, seen.view), found, [new], partitions=())]
        for found in (known, unknown)
    ]
    wanted = "The sector size of the other drives is unknown."
    assert [wanted in found for found in texts] == [False, True]


def test_guard_R10_a_partition_table_is_copied_only_to_sectors_of_the_same_size(tmp_path: Path) -> None:
    """A table counts in sectors, so on smaller ones its partitions are too small. A whole drive may have them."""
    seen = bench(tmp_path / "sectors", definition("raid6", 4)).look()
    new = next(
        one for controller in seen.inventory.controllers for one in controller.drives if one.device and not one.backing
    )
    found = Probed(sector_bytes=512, member_sector_bytes=4096)
    texts = [
        [one.text for one in unfit(new, (seen.inventory, seen.view), found, [new], partitions=parts)]
        for parts in ((), ("1",))
    ]
    assert [any("has 512-byte sectors" in text for text in one) for one in texts] == [False, True]


def test_a_serial_number_with_a_blank_is_one_drive(tmp_path: Path) -> None:
    """A drive whose serial number has a blank is neither missing nor new."""
    seen = bench(tmp_path / "blank", definition("raid6", 4)).look()
    view = replace(seen.view, blocks=tuple(
        replace(one, serial="WD 1234") if one.serial == "LABD00002" else one for one in seen.view.blocks
    ))  # fmt: skip
    controllers = tuple(
        replace(one, drives=tuple(replace(d, serial="WD 1234") if d.serial == "LABD00002" else d for d in one.drives))
        for one in seen.inventory.controllers
    )
    changed = Survey(replace(seen.inventory, controllers=controllers), view=view)
    facts = facts_of(changed, "drives:LABD00001", way="out")
    assert "WD 1234" in facts.others
    assert (missing(changed, facts), new_drives(changed, facts)) == ([], [])


def begun_again(machine: Bench) -> Replacement:
    """Another process that finds the replacement in the journal."""
    return begun(machine, 1)


def test_guard_R12_identifiers_of_a_copied_table_are_its_own(tmp_path: Path) -> None:
    """A copied table that keeps the source's identifiers is not accepted. The array is not touched."""
    machine = bench(tmp_path / "guid", definition("raid6", 4, parts="1,2"))
    # a careless tool: the new drive has the identifiers of the sibling
    machine.machine.keep(drive(machine.machine.state(), NEW, guid="LABD00001"))
    exchanged(machine)
    replacement = begun(machine, 2)
    with pytest.raises((ChangeNotUndone, ChangeUndone)):
        replacement.replacing.run(replacement.start())
    assert not any("--add-spare" in text for text in argvs(machine))


def test_guard_R15_complete_is_seen_twice(raid6: Bench) -> None:
    """The replacement ends ten seconds after the array was first complete. It does not end at once."""
    exchanged(raid6)
    replacement = begun(raid6, 2)
    replacement.replacing.run(replacement.start())
    assert replacement.replacing.complete_since is not None
    assert raid6.at - replacement.replacing.complete_since >= 10


def test_the_new_drive_fails_during_the_rebuild(raid6: Bench) -> None:
    """A rebuild that ends because the new drive failed is not a success."""
    exchanged(raid6)
    raid6.events.append(
        (150.0, lambda state: {**state, f"md/member md0 {NEW}": words({"slot": "-", "state": "faulty"})})
    )
    replacement = begun(raid6, 2)
    with pytest.raises(ChangeNotUndone, match="has failed"):
        replacement.replacing.run(replacement.start())
    assert raid6.journal.pending() != []


def test_the_new_drive_is_gone_during_the_rebuild(raid6: Bench) -> None:
    """A rebuild onto a drive that has left ends the wait; then another new drive is asked for."""
    exchanged(raid6)
    raid6.events.append((150.0, lambda state: simulator.pull(state, "2")))
    replacement = begun(raid6, 2)
    with pytest.raises(ChangeNotUndone, match=f"The new drive {NEW} is gone"):
        replacement.replacing.run(replacement.start())
    with pytest.raises(UnderWay, match="Put the new drive into the bay"):
        replacement.resume(at_most=0.0)


def test_a_second_member_fails_on_the_way(raid6: Bench) -> None:
    """The replacement continues as long as the array works. Other lost members are not called complete."""
    exchanged(raid6)
    raid6.events.append(
        (150.0, lambda state: {**state, "md/member md0 LABD00003": words({"slot": "-", "state": "faulty"})})
    )
    replacement = begun(raid6, 2)
    with pytest.raises(ChangeNotUndone, match="lacks another member"):
        replacement.replacing.run(replacement.start())
    assert (raid6.member(NEW), raid6.journal.pending() != []) == ("in_sync", True)


def test_the_tools_answer_is_not_believed(raid6: Bench) -> None:
    """A tool that reports success and does nothing is not confirmed. No drive has to be pulled."""
    raid6.behaviour, raid6.match = "accepts and does nothing", "--fail"
    replacement = begun(raid6, 2)
    with pytest.raises((ChangeNotUndone, ChangeUndone)):
        replacement.replacing.run(replacement.start())
    assert not any("Pull" in text for text in raid6.printed)
    assert raid6.member(OLD) == "in_sync"


def test_two_new_drives_are_asked_about(raid6: Bench) -> None:
    """Of two drives that came, none is taken by guess."""
    exchanged(raid6)
    raid6.events[1] = (100.0, lambda state: simulator.push(simulator.push(state, "2", NEW), "7", "LABD00006"))
    replacement = begun(raid6, 2)
    with pytest.raises(UnderWay, match=r"several new drives") as stopped:
        replacement.replacing.run(replacement.start())
    resume = f"raidctl replace resume {raid6.journal.pending()[0].begin.change}"
    for serial in (NEW, "LABD00006"):
        assert f'"{resume} --with {serial}"' in str(stopped.value)


def test_the_new_drive_of_another_replacement_is_not_taken(raid6: Bench) -> None:
    """A drive that joined elsewhere is not taken as the new one. Of two drives that came, the other one is meant."""
    exchanged(raid6)
    raid6.events[1] = (100.0, lambda state: simulator.push(simulator.push(state, "2", NEW), "7", "LABD00006"))
    replacement = begun(raid6, 2)
    replacement.replacing.facts = msgspec.structs.replace(replacement.replacing.facts, joining="LABD00006")
    replacement.replacing.run(replacement.start())
    assert (raid6.member(NEW), raid6.member("LABD00006")) == ("in_sync", None)


@pytest.mark.slow
def test_an_array_that_is_auto_read_only_after_a_reboot_is_explained(raid6: Bench) -> None:
    """An auto-read-only array is reported once, with mdadm's command.

    Nothing is copied to it before the first write. Then the rebuild continues.
    """

    def rebooted(state: State) -> State:
        about = {**fields(state["md/md md0"]), "ro": "read-auto"}
        return {**state, "md/md md0": words(about)}

    def written(state: State) -> State:
        return {**state, "md/md md0": state["md/md md0"].replace(" ro=read-auto", "")}

    exchanged(raid6)
    replacement = begun(raid6, 2)
    with pytest.raises(UnderWay):
        replacement.replacing.run(replacement.start(at_most=120.0))
    raid6.machine.keep(rebooted(raid6.machine.state()))
    raid6.events = [(raid6.at + 3600.0, written)]
    again = begun_again(raid6)
    again.resume()
    printed = [text for text in raid6.printed if "auto-read-only" in text]
    assert len(printed) == 1
    assert "mdadm --readwrite /dev/md0" in printed[0]
    assert raid6.at > 3600.0
    assert raid6.member(NEW) == "in_sync"


def test_the_old_drive_put_in_again_is_asked_for_again(raid6: Bench) -> None:
    """It is named to be pulled a second time, and the new drive takes its place."""
    raid6.events = [
        (50.0, lambda state: simulator.pull(state, "2")), (100.0, lambda state: simulator.push(state, "2", OLD)),
        (200.0, lambda state: simulator.pull(state, "2")), (300.0, lambda state: simulator.push(state, "2", NEW)),
    ]  # fmt: skip
    replacement = begun(raid6, 2)
    replacement.replacing.run(replacement.start())
    assert sum(line.startswith(f"Pull the drive with serial number {OLD}") for line in raid6.printed) == 2
    assert raid6.member(NEW) == "in_sync"


def test_a_drive_in_another_bay_is_asked_about(raid6: Bench) -> None:
    """A new drive elsewhere is taken only if it is named."""
    exchanged(raid6)
    raid6.events[1] = (100.0, lambda state: simulator.push(state, "7", NEW))
    replacement = begun(raid6, 2)
    with pytest.raises(UnderWay, match=f"--with {NEW}"):
        replacement.replacing.run(replacement.start())


def test_a_person_who_never_comes(raid6: Bench) -> None:
    """Without waiting, the replacement is open with what it waits for. It continues in another process."""
    replacement = begun(raid6, 2)
    with pytest.raises(UnderWay, match="Pull the drive"):
        replacement.replacing.run(replacement.start(at_most=0.0))
    assert "Pull the drive" in (raid6.journal.pending()[0].waiting or "")
    exchanged(raid6)
    again = begun_again(raid6)
    again.resume()
    assert raid6.member(NEW) == "in_sync"


@pytest.mark.slow
def test_a_cut_at_any_command_or_moment_is_continued(tmp_path: Path) -> None:
    """A replacement killed before each command or in between continues. No command is run twice without need."""
    for number, cut in enumerate(
        [*(("command", at) for at in range(3)), *(("second", at) for at in (20, 70, 150, 305))]
    ):
        machine = bench(tmp_path / str(number), definition("raid6", 4))
        exchanged(machine)
        _cut(machine, *cut)
        machine.at = float(machine.machine.state()["md/clock"])
        machine.events = [one for one in _events() if one[0] > machine.at]
        if machine.journal.pending():
            again = begun_again(machine)
            again.resume()
        else:  # cut before the first command was journaled
            again = begun(machine, 2)
            again.replacing.run(again.start())
        assert machine.member(NEW) == "in_sync", cut
        assert Journal(machine.place).pending() == [], cut


def _events() -> Iterator:  # type: ignore[type-arg]  # of a test
    yield 50.0, lambda state: simulator.pull(state, "2")
    yield 100.0, lambda state: simulator.push(state, "2", NEW)


def _cut(machine: Bench, what: str, at: int) -> None:
    """Run the replacement in a process that is killed. The kill comes before command ``at``, or at that moment."""
    child = os.fork()
    if child == 0:
        counts = iter(range(100))
        if what == "command":
            machine.before = lambda _: os._exit(1) if next(counts) == at else None
        else:
            machine.events.append((float(at), lambda _: os._exit(1)))
            machine.events.sort(key=lambda one: one[0])
        try:
            replacement = begun(machine, 2)
            replacement.replacing.run(replacement.start())
        finally:
            os._exit(0)
    os.waitpid(child, 0)


@pytest.mark.parametrize(
    "line",
    [
        "start=2048, size=4096, type=fd, bootable",
        'start=2048, size=4096, type=A19D880F-05FC-4D3B-A006-743F0F84911E, attrs="RequiredPartition GUID:63"',
    ],
)
def test_a_copied_partition_keeps_its_flags(line: str) -> None:
    """The boot flag of a DOS table and the attributes of a GPT are copied as sfdisk prints and reads them."""
    source = parse(f"label: {'dos' if 'bootable' in line else 'gpt'}\n\n/dev/sda1 : {line}\n")
    assert source is not None
    assert script(source, "/dev/sdq").splitlines()[-1] == f"/dev/sdq1 : {line}"


def test_a_table_is_copied_without_its_identifiers() -> None:
    """Partitions and types stay the same. Identifiers and size of the source are left out."""
    source = parse(
        "label: gpt\nlabel-id: AAAA-1\ndevice: /dev/nvme0n1\nunit: sectors\nfirst-lba: 34\nlast-lba: 99999\n\n"
        '/dev/nvme0n1p1 : start=2048, size=4096, type=C12A7328-F81F-11D2-BA4B-00A0C93EC93B, uuid=BBBB-2, name="EFI x"\n'
        "/dev/nvme0n1p3 : start=8192, size=50000, type=A19D880F-05FC-4D3B-A006-743F0F84911E, uuid=CCCC-3\n"
    )
    assert source is not None
    text = script(source, "/dev/sdq")
    assert "AAAA" not in text
    assert "BBBB" not in text
    assert "last-lba" not in text
    assert "/dev/sdq1 : start=2048, size=4096" in text
    assert 'name="EFI x"' in text
    copy = parse(text.replace("label: gpt", "label: gpt\nlabel-id: NEW-1"))
    assert copy is not None
    assert not_copied(source, copy) is None
    assert not_copied(source, source) is not None
    assert not_copied(source, None) is not None
    assert source.end == 58192
    assert parse("") is None
    assert msgspec.json.encode(copy)


@pytest.mark.parametrize(
    ("drive", "partition", "node"),
    [
        ("/dev/sda", "", "/dev/sda"),
        ("/dev/sda", "1", "/dev/sda1"),
        ("/dev/nvme0n1", "1", "/dev/nvme0n1p1"),
        ("/dev/nvme0n1", "", "/dev/nvme0n1"),
        ("/dev/mmcblk10", "2", "/dev/mmcblk10p2"),
    ],
)
def test_the_node_of_a_partition_is_that_of_the_kernel(drive: str, partition: str, node: str) -> None:
    """The kernel puts a p before some partition numbers.

    It separates a name that ends with a digit from the number.
    """
    assert partition_node(drive, partition) == node


def test_ctrl_c_in_a_command_undoes_it_and_in_a_wait_leaves_it(raid6: Bench) -> None:
    """Ctrl-C at the second command undoes the first. The replacement is then closed. While it waits, it stays open."""
    counts = iter(range(100))

    def interrupt(_: object) -> None:
        if next(counts) == 1:
            raise KeyboardInterrupt

    raid6.before = interrupt
    replacement = begun(raid6, 2)
    with pytest.raises(KeyboardInterrupt):
        replacement.replacing.run(replacement.start())
    assert (raid6.member(OLD) in ("in_sync", "rebuilding"), raid6.journal.pending()) == (True, [])
    raid6.before = lambda _: None
    raid6.sleep(500)

    def again(_: State) -> State:
        raise KeyboardInterrupt

    raid6.events = [(raid6.at + 30.0, again)]
    replacement = begun(raid6, 2)
    with pytest.raises(UnderWay, match="Pull the drive"):
        replacement.replacing.run(replacement.start())
    assert (raid6.member(OLD), len(raid6.journal.pending())) == (None, 1)


def test_a_drive_that_another_replacement_takes_out_is_not_asked_back() -> None:
    """Every drive known at the beginning must stay.

    The exceptions are the one that leaves, and those of other open replacements.
    """
    facts = Facts(old="A", old_id="drives:A", bay="", place="", members="", known="A B C D", way="out", leaving="C")
    assert facts.others == ("B", "D")


@pytest.mark.parametrize(
    ("keeps", "seen", "gone"),
    [
        ("AB", "AB", ""), ("AB", "A", "B"), ("AB", "X", ""), ("ABC", "X", ""), ("A", "X", "A"), ("AB", "", ""),
    ],
)  # fmt: skip
def test_drives_that_are_all_gone_at_once_were_not_pulled(keeps: str, seen: str, gone: str) -> None:
    """Several drives without any that is left are those of a failed controller or reading; a single one is gone."""
    drives = tuple(Drive(id=f"drives:{serial}", serial=serial) for serial in seen)
    read = Survey(Inventory(host=Host(), controllers=(Controller(id="drives:0", drives=drives),)), view=HostView())
    step = Step(object_id="md:md0", setting="pull", before="", after="", keeps=tuple(keeps))
    assert _gone(step, read) == list(gone)
