"""raidctl killed with signal 9 while real processes are at work: its guardian or restore puts back."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from raidctl.simulation.executables import Disturbance, Fault
from tests.change.real import CACHING, CHANGES, WRITE_THROUGH, Machine
from tests.support.waiting import PATIENCE, until

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("fault", ["hangs", "hangs after the change"])
def test_killed_while_its_tool_hangs_it_is_put_back_by_restore(on: Callable[[str], Machine], fault: Fault) -> None:
    """Signal 9 in the middle of the change: "restore" puts back what the tool has done, and ends the story."""
    machine = on("p400")
    machine.tools.fail(Disturbance(fault=fault, seconds=1.5))
    machine.kill(machine.start(*WRITE_THROUGH))
    if fault == "hangs after the change":
        until(lambda: machine.difference() == {CACHING: "disable"})
    assert machine.results() == ["pending"]
    done = machine.run("restore")
    until(machine.at_rest)
    assert done.returncode == 0, done.stderr
    assert machine.difference() == {}
    assert machine.results() == ["restored"]
    assert machine.run("restore").returncode == 0


@pytest.mark.parametrize("demo", ["p400", "9271", "6805"])
def test_restore_waits_for_the_tool_that_a_killed_raidctl_has_left(on: Callable[[str], Machine], demo: str) -> None:
    """A tool that outlives its raidctl does its change later; restore must not look before that."""
    machine = on(demo)
    machine.tools.fail(Disturbance(fault="is slow", seconds=1.5))
    words = next(words for name, words, _ in CHANGES if name == demo)
    machine.kill(machine.start(*words))
    done = machine.run("restore")
    until(machine.at_rest)
    assert done.returncode == 0, done.stderr
    assert machine.difference() == {}
    assert machine.results() == ["restored"]


DISGUISED = """#!/bin/sh
exec {python} -I -c '
import shlex, sys
from raidctl.simulation.executables import main
main(["--answer", "{place}", "hpacucli", *shlex.split(sys.argv[1])])
' "$*"
"""


def test_a_tool_that_is_not_known_by_its_command_line_has_the_lock(on: Callable[[str], Machine]) -> None:
    """A wrapper may start a program of another name: it outlives its raidctl with the lock, and nobody looks before."""
    machine = on("p400")
    (machine.tools.programs / "hpacucli").write_text(DISGUISED.format(python=sys.executable, place=machine.tools.place))
    machine.tools.fail(Disturbance(fault="is slow", seconds=1.5))
    machine.kill(machine.start(*WRITE_THROUGH))
    done = machine.run("restore")
    until(machine.at_rest)
    assert done.returncode == 0, done.stderr
    assert machine.difference() == {}
    assert machine.results() == ["restored"]


def test_of_two_restores_at_once_one_puts_back(on: Callable[[str], Machine]) -> None:
    """The other finds nothing left, or leaves it to the first; the tool is told once."""
    machine = on("p400")
    machine.tools.fail(Disturbance(fault="hangs after the change", seconds=1.0))
    machine.kill(machine.start(*WRITE_THROUGH))
    until(machine.at_rest)
    both = [
        subprocess.Popen(machine.line("restore"), env=machine.environment, stderr=subprocess.DEVNULL, text=True)
        for _ in range(2)
    ]
    machine.running += both
    codes = [process.wait(PATIENCE) for process in both]
    assert 0 in codes
    assert set(codes) <= {0, 1}
    assert machine.difference() == {}
    assert machine.results() == ["restored"]
    assert len(machine.changes()) == 2


def test_a_killed_batch_is_put_back_by_its_guardian_after_its_tool(on: Callable[[str], Machine]) -> None:
    """The second process must not look before the tool of the first has ended."""
    machine = on("p400")
    machine.tools.fail(Disturbance(fault="is slow", seconds=1.5))
    words = ("batch", "smartarray:1", "--write", "write-through", "--yes", "--", "sleep", "60")
    machine.kill(machine.start(*words))
    until(lambda: machine.results() == ["restored"] and machine.at_rest())
    assert machine.difference() == {}


@pytest.mark.parametrize("killed", [False, True])
def test_a_batch_whose_terminal_is_lost_is_put_back_all_the_same(on: Callable[[str], Machine], *, killed: bool) -> None:
    """Nobody reads standard error any more, as after a broken connection: by raidctl itself, or by its guardian."""
    machine = on("p400")
    reading, writing = os.pipe()
    batch = machine.start_batch(1, errors=writing)
    os.close(writing)
    os.close(reading)
    if killed:
        batch.kill()
    batch.wait(PATIENCE)
    until(lambda: machine.results() == ["restored"])
    assert machine.difference() == {}
