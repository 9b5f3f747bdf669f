"""raidctl killed with signal 9 while real processes run. Its watchdog or restore undoes the change."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from raidctl.simulation.executables import Fault, FaultKind
from tests.change.real_machine import CACHING, CHANGES, WRITE_THROUGH, Machine
from tests.support.waiting import PATIENCE, until

pytestmark = pytest.mark.slow

KILLED_WITHIN = 4.0
"""Seconds for which a tool continues, and in which raidctl is killed. A busy machine may need more than one of them."""


@pytest.mark.parametrize("fault", ["hangs", "hangs after the change"])
def test_restore_undoes_a_change_that_was_killed_while_its_tool_hung(
    on: Callable[[str], Machine], fault: FaultKind
) -> None:
    """Restore undoes what the tool has done, and ends the change."""
    machine = on("p400")
    machine.tools.fail(Fault(fault=fault, seconds=KILLED_WITHIN))
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
def test_restore_waits_for_the_tool_of_a_killed_raidctl(on: Callable[[str], Machine], demo: str) -> None:
    """Restore does not read the settings before the tool has ended."""
    machine = on(demo)
    machine.tools.fail(Fault(fault="is slow", seconds=KILLED_WITHIN))
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


def test_a_renamed_tool_keeps_the_lock(on: Callable[[str], Machine]) -> None:
    """Restore waits for the lock that a renamed tool has inherited. A wrapper starts the tool under another name."""
    machine = on("p400")
    (machine.tools.programs / "hpacucli").write_text(DISGUISED.format(python=sys.executable, place=machine.tools.place))
    machine.tools.fail(Fault(fault="is slow", seconds=KILLED_WITHIN))
    machine.kill(machine.start(*WRITE_THROUGH))
    done = machine.run("restore")
    until(machine.at_rest)
    assert done.returncode == 0, done.stderr
    assert machine.difference() == {}
    assert machine.results() == ["restored"]


def test_only_one_of_two_restores_undoes_a_change(on: Callable[[str], Machine]) -> None:
    """The tool is called once. The other restore finds nothing or a lock."""
    machine = on("p400")
    machine.tools.fail(Fault(fault="hangs after the change", seconds=KILLED_WITHIN))
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


def test_the_watchdog_waits_for_the_tool_of_its_batch(on: Callable[[str], Machine]) -> None:
    """The watchdog does not read the settings before the tool has ended."""
    machine = on("p400")
    machine.tools.fail(Fault(fault="is slow", seconds=KILLED_WITHIN))
    words = ("batch", "smartarray:1", "--write", "write-through", "--yes", "--", "sleep", "60")
    machine.kill(machine.start(*words))
    until(lambda: machine.results() == ["restored"] and machine.at_rest())
    assert machine.difference() == {}


@pytest.mark.parametrize("killed", [False, True])
def test_a_batch_that_lost_its_terminal_is_restored(on: Callable[[str], Machine], *, killed: bool) -> None:
    """A lost connection's closed standard error stops neither raidctl nor its watchdog."""
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
