"""Random histories of findings.

Each finding that lasts is reported once, its end once, and nothing that did not last.
"""

from __future__ import annotations

import random
from collections import Counter
from itertools import groupby
from typing import NamedTuple

import msgspec
import pytest
from msgspec.structs import replace

from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import findings_of
from raidctl.audit.finding import Finding
from raidctl.drift.diff import diff
from raidctl.health.severity import Severity
from raidctl.model import Battery, Controller, Host, Inventory, Problem, hiding_problems
from raidctl.watch.memory import DAY, Config, Event, Known, Look, Memory, Sighting
from raidctl.watch.observe import look_at
from raidctl.watch.step import delivered, enqueue, step, unreported, waiting
from tests.support.machines import MACHINES, replayed

HISTORIES = 10_000
BEGIN = 1_790_000_000.0
MAIL, PROGRAM = "mail:root", "run:/bin/true"


class History(NamedTuple):
    """Results of the looks for one rule and object, every ``gap`` seconds."""

    severity: Severity
    after: int
    gap: float
    states: tuple[str, ...]


def history(chance: random.Random) -> History:
    """A history whose state lasts for a few looks each time."""
    states: list[str] = []
    while len(states) < 10:
        states += [chance.choice(("bad", "good", "unknown", "missing", "aside"))] * chance.choice((1, 1, 2, 3, 5))
    severity: Severity = chance.choice(("warning", "critical"))
    return History(severity, chance.choice((1, 2, 3)), chance.choice((600.0, 7 * 3600.0, 2 * DAY)), tuple(states))


def finding(severity: Severity, where: str = "x:0/v0") -> Finding:
    """A failed rule."""
    return Finding(rule="volume_degraded", severity=severity, outcome="fail", where=where, message="It is degraded.")


def look(state: str, severity: Severity) -> Look:
    """One look. A rule without a finding is good on a machine that was read, otherwise unknown."""
    if state == "missing":
        return Look(objects=frozenset({("x:0/v0", None)}))
    if state == "unknown" and severity == "critical":
        return Look(complete=False)
    found = Sighting(finding=finding(severity), state=state, is_object=True)  # type: ignore[arg-type]  # of its words
    return Look(sightings=(found,), objects=frozenset({("x:0/v0", None)}))


def expected(one: History) -> list[tuple[int, str]]:
    """Return the expected events, new and good again. They follow from the runs of looks that are bad or good."""
    results = [
        (number, "good" if state == "missing" else state)
        for number, state in enumerate(one.states) if state in ("bad", "good", "missing")
    ]  # fmt: skip
    found: list[tuple[int, str]] = []
    present, ended, relapses = False, -(10**9), 0
    needed = 1 if one.severity == "critical" else one.after
    for state, run in groupby(results, key=lambda pair: pair[1]):
        looks = [number for number, _ in run]
        if state == "bad" and not present and len(looks) >= needed:
            at = looks[needed - 1]
            relapses = relapses + 1 if (at - ended) * one.gap < DAY else 0
            present = True
            found.append((at, "new"))
        quiet = one.after * 2**relapses
        if state == "good" and present and len(looks) >= quiet:
            ended = looks[quiet - 1]
            present = False
            found.append((ended, "good"))
    return found


@pytest.mark.slow
def test_what_lasts_is_reported_exactly_once() -> None:
    """A lasting finding is reported exactly once in 10,000 random histories.

    Channels fail at random, and memory is written and read each time.
    """
    chance = random.Random(19)  # noqa: S311 - histories, no secrets
    for _ in range(HISTORIES):
        one = history(chance)
        config = Config(after=one.after, remind=None, unknown_after=10**9)
        memory = Memory()
        happened: list[tuple[int, str]] = []
        received: dict[str, list[Event]] = {MAIL: [], PROGRAM: []}
        for number, state in enumerate(one.states):
            now = BEGIN + number * one.gap
            memory, events = step(memory, look(state, one.severity), now, config)
            memory = enqueue(memory, events, (MAIL, PROGRAM), now)
            happened += [(number, event.kind) for event in events]
            for channel in (MAIL, PROGRAM):
                if chance.random() < 0.5 or number == len(one.states) - 1:
                    got = waiting(memory, channel)
                    received[channel] += got
                    memory = delivered(memory, channel, got)
            memory = msgspec.json.decode(msgspec.json.encode(memory), type=Memory)
        assert happened == expected(one), one
        for channel, got_in_all in received.items():
            assert sorted(event.id for event in got_in_all) == list(range(1, len(happened) + 1)), (channel, one)
        assert not memory.queue


def test_reminders_come_as_configured_until_it_is_good() -> None:
    """Reminders come as configured until a finding is good.

    One of thirty days, looked at every hour, gives one report, a reminder a week and one end; with --remind 0 it gives
    no reminder.
    """
    for remind, number in ((7 * DAY, 4), (DAY, 29), (None, 0)):
        memory, kinds = Memory(), Counter[str]()
        for hour in range(30 * 24 + 3):
            state = "bad" if hour < 30 * 24 else "good"
            memory, events = step(memory, look(state, "warning"), BEGIN + hour * 3600, Config(remind=remind))
            kinds.update(event.kind for event in events)
        assert kinds == Counter({"new": 1, "reminder": number, "good": 1}) + Counter()


def charging(hours: float) -> Look:
    """A look at a battery that is charging. It is normal for this long."""
    found = Finding(
        rule="battery_learning", severity="info", outcome="fail", where="x:0/battery0", message="It is charging."
    )
    objects = frozenset({("x:0/battery0", None)})
    return Look(sightings=(Sighting(finding=found, state="aside", normal=hours * 3600.0),), objects=objects)


def charged() -> Look:
    """A look at a good battery."""
    found = Finding(rule="battery_learning", severity="info", outcome="pass", where="x:0/battery0", message="Charged.")
    return Look(sightings=(Sighting(finding=found, state="good"),), objects=frozenset({("x:0/battery0", None)}))


def test_what_is_normal_for_a_while_is_reported_if_it_lasts() -> None:
    """A battery that charges for a day is normal, for longer a warning; a new learn cycle begins at zero."""
    memory, found = Memory(), list[tuple[int, str, Severity]]()
    looks = [charging(24), charged(), *[charging(24)] * 6, *[charged()] * 3, *[charging(24)] * 4]
    for number, one in enumerate(looks):
        memory, events = step(memory, one, BEGIN + number * 6 * 3600, Config(remind=None))
        found += [(number, event.kind, event.severity) for event in events]
    assert found == [(7, "new", "warning"), (9, "good", "warning")]
    assert step(memory, charging(24), BEGIN, Config())[1] == (), "a clock that was set back makes nothing longer"


def test_the_time_of_an_earlier_learn_cycle_does_not_count() -> None:
    """A battery that failed and was replaced begins at zero, also if the rule had no result in between."""
    gone = Look(objects=frozenset({("x:0/battery0", None)}))
    memory, found = Memory(), list[Event]()
    for number, one in enumerate([*[charging(24)] * 3, gone, *[charging(24)] * 4]):
        memory, events = step(memory, one, BEGIN + number * 6 * 3600, Config(remind=None))
        found += events
    assert found == []


def test_a_result_that_stays_unknown_is_reported_once_and_ends_nothing() -> None:
    """A result that stays unknown is reported once.

    A failed battery whose tool is gone for two days is reported, unknown after a day, and never good again.
    """
    memory, kinds = Memory(), list[str]()
    for hour in range(80):
        one = look("bad", "critical") if hour < 10 or hour > 70 else Look(complete=False)
        memory, events = step(memory, one, BEGIN + hour * 3600, Config())
        kinds += [event.kind for event in events]
    assert kinds == ["new", "unknown"]


def test_an_object_that_is_gone_is_not_good_again() -> None:
    """A failed drive that was pulled is no longer there. Another serial number in its bay is another drive."""
    bad = Sighting(finding=finding("critical", "x:0/3"), state="bad", serial="A", is_object=True)
    memory, events = step(Memory(), Look(sightings=(bad,), objects=frozenset({("x:0/3", "A")})), BEGIN, Config())
    assert [event.kind for event in events] == ["new"]
    kinds = []
    for number in (1, 2, 3):
        there = Look(objects=frozenset({("x:0/3", "B")}))
        memory, events = step(memory, there, BEGIN + number * 600, Config())
        kinds += [(event.kind, event.serial) for event in events]
    assert kinds == [("gone", "A")]


def test_a_serial_number_that_is_missing_once_makes_no_second_report() -> None:
    """A drive is one although its serial number is sometimes missing. The tool reports it in every second look only."""
    memory, kinds = Memory(), list[str]()
    for number, serial in enumerate((None, "A", None, "A", None)):
        bad = Sighting(finding=finding("critical", "x:0/3"), state="bad", serial=serial, is_object=True)
        memory, events = step(memory, Look(sightings=(bad,)), BEGIN + number * 600, Config())
        kinds += [event.kind for event in events]
    assert kinds == ["new"]
    assert [one.serial for one in memory.tracked] == ["A"]


def troubles(*messages: str) -> Look:
    """A look at a recorded machine on which a tool also reports these faults of its controller."""
    inventory = replayed("smartarray-gen9-degraded").inventory
    name = inventory.controllers[0].id
    added = (Problem("error", name, message, kind="state") for message in messages)
    inventory = replace(inventory, problems=(*inventory.problems, *added))
    return look_at(inventory, findings_of(inventory, rules()))


def test_each_fault_of_an_object_is_reported_with_its_own_end() -> None:
    """A fan that fails after a power supply of the same controller is reported; each is good again on its own.

    A figure that moves is not a new fault, and a number that is a name is.
    """
    supply, supply2 = "Enclosure 2, power supply 01: failed.", "Enclosure 2, power supply 02: failed."
    fan, count = "Enclosure 2, fan 03: failed.", "Checksum errors: {}."
    memory, found = Memory(), list[tuple[int, str, str]]()
    looks: list[tuple[str, ...]] = [(supply, count.format(number)) for number in (1, 2, 3)]
    looks += [(supply, fan, count.format(9)), (supply, supply2, fan), (supply2, fan), (supply2, fan), (fan,), (fan,)]
    for number, messages in enumerate(looks):
        memory, events = step(memory, troubles(*messages), BEGIN + number * 600, Config())
        memory = msgspec.json.decode(msgspec.json.encode(memory), type=Memory)
        found += [(number, one.kind, one.message) for one in events if one.rule == "reported_trouble"]
    assert found == [
        (0, "new", supply), (0, "new", count.format(1)), (3, "new", fan), (4, "new", supply2),
        (5, "over", count.format(9)), (6, "over", supply), (8, "over", supply2),
    ]  # fmt: skip


def test_a_rule_that_passes_ends_all_that_it_found_on_an_object() -> None:
    """BMC and tool agree again: the finding has ended, although not everything can be read."""
    apart = Finding(rule="bmc_disagrees", severity="critical", outcome="fail", where="x:0/v0", message="They differ.")
    same = replace(apart, outcome="pass", message="Both report ok.")
    memory, kinds = Memory(), list[str]()
    for number, one in enumerate((apart, same, same)):
        seen = Sighting(finding=one, state="bad" if one is apart else "good", is_object=True)
        there = frozenset({("x:0/v0", None)})
        memory, events = step(memory, Look(sightings=(seen,), complete=False, objects=there), BEGIN + number, Config())
        kinds += [event.kind for event in events]
    assert kinds == ["new", "good"]


def test_what_gets_worse_is_reported_and_what_gets_milder_is_not() -> None:
    """A finding that gets worse is reported, one that gets milder is not.

    A warning that becomes critical, a warning again, and critical again gives two reports.
    """
    memory, kinds = Memory(), list[str]()
    worst: list[Severity] = ["warning", "warning", "critical", "warning", "critical"]
    for number, severity in enumerate(worst):
        memory, events = step(memory, look("bad", severity), BEGIN + number * 600, Config())
        kinds += [event.kind for event in events]
    assert kinds == ["new", "worse"]


def test_what_was_milder_for_long_enough_is_reported_when_it_is_worse_again() -> None:
    """A finding that was milder for two readings is reported when it is worse again.

    A return within a day needs twice as many.
    """
    memory, found = Memory(), list[tuple[int, str, str]]()
    worst: list[Severity] = ["critical"]
    for times in (2, 2, 4):
        worst += ["warning"] * times
        worst.append("critical")
    for number, severity in enumerate(worst):
        memory, events = step(memory, look("bad", severity), BEGIN + number * 600, Config())
        found += [(number, event.kind, event.severity) for event in events]
    assert found == [(0, "new", "critical"), (3, "worse", "critical"), (11, "worse", "critical")]


def test_a_clock_that_is_set_back_delays_no_reminder() -> None:
    """A clock that is set back delays no reminder.

    A machine that began in 2099 and is corrected to today is reminded a week later, not in 2099.
    """
    memory, _ = step(Memory(), look("bad", "critical"), 4_080_000_000.0, Config())
    memory, events = step(memory, look("bad", "critical"), BEGIN, Config())
    assert not events
    memory, events = step(memory, look("bad", "critical"), BEGIN + 7 * DAY, Config())
    assert [event.kind for event in events] == ["reminder"]


def test_a_new_channel_gets_what_is_present() -> None:
    """An address that is added later gets the earlier reports once. One that is removed waits for a month."""
    memory, events = step(Memory(), look("bad", "critical"), BEGIN, Config())
    memory = enqueue(memory, events, (), BEGIN)
    assert memory.queue == ()
    for number in (1, 2):
        memory, events = step(memory, look("bad", "critical"), BEGIN + number, Config())
        memory = enqueue(memory, events, (MAIL,), BEGIN + number)
        assert [one.kind for one in waiting(memory, MAIL)] == ["still"]
    for days, kinds in ((0, ["still"]), (29, ["still"]), (31, [])):
        memory = enqueue(memory, (), (PROGRAM,), BEGIN + 3 + days * DAY)
        assert [one.kind for one in waiting(memory, MAIL)] == kinds
        assert [one.kind for one in waiting(memory, PROGRAM)] == ["still"]


def test_a_run_by_hand_takes_nothing_from_the_address_of_the_timer() -> None:
    """What a run without the address has found is sent to it as well, and nothing is sent twice."""
    memory, events = step(Memory(), look("bad", "critical"), BEGIN, Config())
    memory = delivered(enqueue(memory, events, (MAIL,), BEGIN), MAIL, events)
    memory = replace(memory, used={})  # as written by an earlier version
    found = list[str]()
    for number, channels in enumerate(((), (MAIL,), (), (MAIL,)), 1):
        state = "bad" if number == 1 else "good"
        memory, events = step(memory, look(state, "critical"), BEGIN + number * 600, Config())
        memory = enqueue(memory, events, channels, BEGIN + number * 600)
        if channels:
            found += [event.kind for event in waiting(memory, MAIL)]
            memory = delivered(memory, MAIL, waiting(memory, MAIL))
    assert found == ["good"]


def test_signs_of_life_do_not_pile_up() -> None:
    """Signs of life do not pile up. If a mail server is down for a month, one of them waits, besides the events."""
    config = Config(alive=DAY, remind=DAY)
    memory = Memory()
    for day in range(30):
        memory, events = step(memory, look("bad", "critical"), BEGIN + day * DAY, config)
        memory = enqueue(memory, events, (MAIL,), BEGIN + day * DAY)
    assert [one.kind for one in waiting(memory, MAIL)] == ["new", "reminder", "alive"]


@pytest.mark.parametrize("gap", [600.0, 7200.0])
def test_time_instead_of_looks(gap: float) -> None:
    """With --after 2h a warning needs two hours. The number of readings does not matter."""
    config = Config(after=7200.0, by_time=True)
    memory, at = Memory(), list[float]()
    for number in range(int(4 * 7200 / gap)):
        memory, events = step(memory, look("bad", "warning"), BEGIN + number * gap, config)
        at += [number * gap for _ in events]
    assert at == [7200.0]


def known(*names: str) -> tuple[Known, ...]:
    """Volumes by their unique ids."""
    return tuple(Known(kind="volume", identity=name, where=f"x:0/{name}") for name in names)


def test_an_object_without_a_finding_that_is_gone_is_reported_once() -> None:
    """The object is reported after two complete looks without it.

    An incomplete look shows nothing, and one that is back is as before.
    """
    looks = [
        (("a", "b"), True), (("a",), False), (("a",), True), (("a", "b"), True),
        (("a",), True), ((), False), (("a",), True), (("a",), True), (("a", "b"), True), (("a",), True), (("a",), True),
    ]  # fmt: skip
    memory, found = Memory(), list[tuple[int, str, str]]()
    for number, (names, complete) in enumerate(looks):
        one = Look(complete=complete, known=known(*names))
        memory, events = step(memory, one, BEGIN + number * 600, Config())
        found += [(number, event.kind, event.where) for event in events]
    assert found == [(6, "gone", "x:0/b"), (10, "gone", "x:0/b")]


def test_an_object_whose_serial_number_comes_and_goes_stays_one() -> None:
    """A controller stays one if its tool is installed, removed and reinstalled.

    Another controller in its slot is a different object.
    """
    bare = Known(kind="controller", identity="x:0", where="x:0")
    named = Known(kind="controller", identity="EX A", where="x:0", serial="A")
    other = Known(kind="controller", identity="EX B", where="x:0", serial="B")
    memory, kinds = Memory(), list[str]()
    for number, one in enumerate((bare, bare, named, named, bare, bare, bare, named, other, other)):
        memory, events = step(memory, Look(known=(one,)), BEGIN + number * 600, Config())
        kinds += [f"{number} {event.kind} {event.serial}" for event in events]
    assert kinds == ["9 gone A"]


def test_an_object_with_a_finding_is_gone_once() -> None:
    """A failed drive that is pulled has one event. There is not one of its finding and one of itself."""
    drive = Known(kind="drive", identity="EX A", where="x:0/3", serial="A")
    bad = Sighting(finding=finding("critical", "x:0/3"), state="bad", serial="A", is_object=True)
    memory, _ = step(
        Memory(), Look(sightings=(bad,), objects=frozenset({("x:0/3", "A")}), known=(drive,)), BEGIN, Config()
    )
    kinds = []
    for number in (1, 2, 3):
        memory, events = step(memory, Look(), BEGIN + number * 600, Config())
        kinds += [event.kind for event in events]
    assert kinds == ["gone"]


def test_a_lost_volume_comes_before_what_is_good_again_and_before_warnings() -> None:
    """A critical lost volume comes before warnings and good news."""
    volume = Known(kind="volume", identity="U1", where="x:0/v0")
    battery = Sighting(finding=finding("critical", "x:0/b0"), state="bad", is_object=True)
    good = msgspec.structs.replace(battery, state="good")
    warning = Sighting(finding=finding("warning", "x:0/3"), state="bad", is_object=True)
    there = frozenset({("x:0/b0", None), ("x:0/3", None)})
    memory, _ = step(Memory(), Look(sightings=(battery,), known=(volume,), objects=there), BEGIN, Config())
    events: tuple[Event, ...] = ()
    for number in (1, 2):
        one = Look(sightings=(good, warning), objects=there)
        memory, events = step(memory, one, BEGIN + number * 600, Config())
    memory = enqueue(memory, events, (MAIL,), BEGIN + 1200)
    for found in (events, waiting(memory, MAIL)):
        assert [(event.kind, event.severity) for event in found] == [
            ("gone", "critical"), ("new", "warning"), ("good", "critical"),
        ]  # fmt: skip


def test_a_degraded_volume_that_is_lost_is_no_milder_than_a_complete_one() -> None:
    """The end of a warning about a volume is critical if the volume itself is missing."""
    volume = Known(kind="volume", identity="U1", where="x:0/v0")
    memory, found = Memory(), list[tuple[str, str]]()
    for number in range(5):
        one = look("bad", "warning") if number < 2 else Look()
        one = msgspec.structs.replace(one, known=(volume,) if number < 2 else ())
        memory, events = step(memory, one, BEGIN + number * 600, Config())
        found += [(event.kind, event.severity) for event in events]
    assert found == [("new", "warning"), ("gone", "critical")]


WITH_BATTERY = [name for name in MACHINES if any(one.batteries for one in replayed(name).inventory.controllers)]


@pytest.mark.parametrize("unread", [False, True])
@pytest.mark.parametrize("machine", WITH_BATTERY)
def test_a_battery_that_is_gone_is_reported_once_and_an_unread_one_is_not(machine: str, unread: bool) -> None:
    """A battery that complete runs miss is gone, as for diff. If something was not read, it is unknown."""
    whole = replayed(machine).inventory
    whole = replace(whole, problems=tuple(one for one in whole.problems if one.kind in ("note", "state")))
    bare = replace(whole, controllers=tuple(replace(one, batteries=()) for one in whole.controllers))
    gap = Problem("error", "tool show battery", "It did not answer.", kind="unread")
    bare = replace(bare, problems=(*bare.problems, gap)) if unread else bare
    memory, found = Memory(), list[tuple[str, str, str]]()
    for number, inventory in enumerate((whole, bare, bare, bare)):
        memory, events = step(memory, look_at(inventory, ()), BEGIN + number * 600, Config())
        found += [(event.kind, event.severity, event.where) for event in events]
    removed = [one.id for one in diff(whole, bare).changes if (one.object, one.kind) == ("battery", "removed")]
    assert bool(removed) != unread
    assert sorted(found) == sorted(("gone", "critical", name) for name in removed)


BOARD = Problem("error", "0000:82:00.0", "No tool can read the RAID controller.", kind="no_tool")


@pytest.mark.parametrize(
    "machine", ["md-healthy", "smartarray-gen9-degraded", "zfs-raidz2-resilvering", "lvm-legs-gone"]
)
def test_a_board_without_a_tool_does_not_hide_the_loss_of_what_was_seen_beside_it(machine: str) -> None:
    """A lost volume is gone if only an unrelated board is always unread; if that is new, it is unknown after a day."""
    whole = replayed(machine).inventory
    whole = replace(whole, problems=tuple(one for one in whole.problems if one.kind in ("note", "state")))
    lost = replace(whole, controllers=tuple(replace(one, volumes=()) for one in whole.controllers))
    volumes = {volume.id for one in whole.controllers for volume in one.volumes}
    for before, kind in ((BOARD, "gone"), (None, "unknown")):
        first = replace(whole, problems=(*whole.problems, before)) if before else whole
        memory, found = Memory(), list[tuple[int, Event]]()
        for hour, inventory in enumerate([first] * 2 + [replace(lost, problems=(*lost.problems, BOARD))] * 30):
            memory, events = step(memory, look_at(inventory, ()), BEGIN + hour * 3600, Config())
            memory = msgspec.json.decode(msgspec.json.encode(memory), type=Memory)
            found += [(hour, event) for event in events]
        assert {(hour, event.kind, event.rule) for hour, event in found} == {
            (3 if kind == "gone" else 26, kind, "object_gone")
        }
        named = " ".join(f"{event.where} {event.message}" for _, event in found)
        assert all(name in named for name in volumes)


@pytest.mark.parametrize("machine", [name for name in MACHINES if hiding_problems(replayed(name).inventory.problems)])
def test_what_cannot_be_read_counts_until_it_is_reported(machine: str) -> None:
    """Each hidden part makes runs end with 3 or 4, until an event about it; then they end with 0. A waived one is 0."""
    inventory = replayed(machine).inventory
    hidden = hiding_problems(inventory.problems)
    found = findings_of(inventory, rules())
    memory, reported = Memory(), set[str]()
    for hour in range(27):
        look_ = look_at(inventory, found)
        memory, events = step(memory, look_, BEGIN + hour * 3600, Config())
        reported |= {event.where for event in events}
        assert {one.where for one in unreported(memory, look_)} >= {one.where for one in hidden} - reported
    assert {one.where for one in hidden} <= reported
    assert not unreported(memory, look_)
    waived = [one for one in found if one.rule in ("not_read", "no_tool", "no_right")]
    look_ = look_at(inventory, [one for one in found if one not in waived], waived)
    assert not unreported(step(Memory(), look_, BEGIN, Config())[0], look_)


def test_a_fault_ends_although_an_unrelated_board_is_never_read() -> None:
    """A power supply that was replaced is good again on a machine with a board that no tool reads."""
    inventory = replayed("smartarray-gen9-degraded").inventory
    fault = Problem("error", inventory.controllers[0].id, "Power supply 1: failed.", kind="state")
    memory, kinds = Memory(), list[str]()
    for number, problems in enumerate(((BOARD, fault), (BOARD,), (BOARD,))):
        seen = replace(inventory, problems=(*inventory.problems, *problems))
        found = [one for one in findings_of(seen, rules()) if one.rule == "reported_trouble"]
        memory, events = step(memory, look_at(seen, found), BEGIN + number * 600, Config())
        kinds += [event.kind for event in events]
    assert kinds == ["new", "good"]


def test_the_battery_of_a_renumbered_controller_is_the_same() -> None:
    """A controller with another number after a reboot, or once without its serial number, has lost no battery."""
    memory, found = Memory(), list[str]()
    for number, (name, serial) in enumerate([("x:0", "A"), ("x:1", "A"), ("x:1", None), ("x:1", None), ("x:1", "A")]):
        batteries = (Battery(id=f"{name}/battery0"),)
        one = Controller(id=name, model="EX", serial=serial, pci_address="0000:03:00.0", batteries=batteries)
        look_ = look_at(Inventory(host=Host(), controllers=(one,)), ())
        memory, events = step(memory, look_, BEGIN + number * 600, Config())
        found += [event.message for event in events]
    assert found == []
