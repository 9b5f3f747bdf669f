"""A harness that kills raidctl at every point of a change. It also fails its tools, and checks what is left.

    python -m tests.change.harness DEMO SETTING=VALUE… [--kill] [--fail] [--journal] [--restore]

It forks, so it has to be a process without threads. It prints one JSON object: for each way the number of points,
and what was wrong at any of them. Its directories are removed at its end.

A killed process leaves the files of that moment, and nothing else. So a change is made once, in a separate process,
and the directory is copied before every request, and after it if it changes something; each copy is restored as if
that process had been killed then. Equal directories are restored once.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from raidctl.change.engine import Change, begin, plan, subjects
from raidctl.change.journal import Begin, Entry, Journal, JournalFull
from raidctl.change.restore import Restorer
from raidctl.change.state_directory import Holder, hold
from raidctl.errors import ChangeNotUndone, ChangeUndone
from raidctl.request import Runner
from raidctl.simulation.demo import machine
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Desired, Setting
from raidctl.vendor.registry import vendors
from raidctl.vendor.simulator import State
from tests.change.faulty import FAILURES, Fault, Faulty
from tests.support.readings import READINGS

VENDORS = vendors()[0]
DesiredSetting = tuple[str, Setting, str]


def rewrite(journal: Journal, words: Mapping[str, str]) -> None:
    """Rewrite names in a journal. It is then as an old raidctl on a machine with these names would have written it."""
    text = re.sub(r'(?m)^\{"line":\d+,"crc32":"\w+",', "{", journal.path.read_text(encoding="utf-8"))
    for old, new in words.items():
        assert old in text
        text = text.replace(old, new)
    journal.path.write_text(text, encoding="utf-8")


@dataclass
class Trial:
    """One machine, one change and one directory for the journal."""

    demo: str
    desired: Sequence[DesiredSetting]
    place: Path
    lasting: bool = False
    """Whether the change is left without an end, as a batch's is."""
    journal: Journal | None = None
    """A journal that fails, in place of the ordinary one."""

    def machine(self) -> Faulty:
        """The machine, with its current settings."""
        return Faulty(machine(self.demo, VENDORS, self.place))

    def look(self, runner: Runner) -> Callable[[], Survey]:
        """Return a function that reads the machine again."""
        return lambda: READINGS.answered(runner, VENDORS, f"demo:{self.demo}")

    def change(self, runner: Runner) -> None:
        """Make the change as the command line does."""
        look = self.look(runner)
        seen = look()
        settings = [Desired(object_id=name, setting=setting, value=value) for name, setting, value in self.desired]
        made = plan(seen.inventory, VENDORS, settings, unsafe=True)
        entry = begin("set", made, seen.inventory, about="trial", source=f"demo:{self.demo}", unsafe=True)
        held = [item.id for item in subjects(seen.inventory, made)]
        with hold(self.place, held, _holder(entry), source=entry.source):
            change = Change(entry, self.journal or Journal(self.place), runner, look, VENDORS, _silent, sleep=_silent)
            change.apply()
            if not self.lasting:
                change.finish()

    def restore(self, runner: Runner | None = None) -> list[str]:
        """Undo what was left; returns the faults."""
        runner = runner or self.machine()
        restorer = Restorer(
            self.journal or Journal(self.place), self.place, runner, self.look(runner), VENDORS,
            f"demo:{self.demo}", _silent, sleep=_silent,
        )  # fmt: skip
        return [
            fault for result in restorer.restore() for fault in (*result.faults, *result.left, result.busy) if fault
        ]


def _holder(entry: Begin) -> Holder:
    return Holder(change=entry.change, pid=entry.pid, since=entry.at, about=entry.about)


def _silent(_: object) -> None:
    """Print nothing and do not wait."""


@contextlib.contextmanager
def fresh(demo: str, desired: Sequence[DesiredSetting], *, lasting: bool = False) -> Iterator[Trial]:
    """A trial in a temporary directory."""
    with tempfile.TemporaryDirectory(prefix="trial-") as place:
        yield Trial(demo, desired, Path(place), lasting)


def cut_off(act: Callable[[], object]) -> None:
    """Run something in a separate process, which may be killed."""
    child = os.fork()
    if child == 0:
        try:
            act()
        finally:
            os._exit(1)
    os.waitpid(child, 0)


class DirectoryCopies:
    """Copies of a directory at several moments; equal contents are copied once."""

    def __init__(self, place: Path, copies: Path) -> None:
        self._place, self._copies = place, copies
        self._seen: set[tuple[tuple[str, bytes], ...]] = set()
        self._one = threading.Lock()
        self._moments = 0

    def copy(self) -> None:
        """Copy the directory; may be called from several threads."""
        with self._one:
            files = [path for path in sorted(self._place.rglob("*")) if path.is_file()]
            content = tuple((str(path), path.read_bytes()) for path in files)
            if content not in self._seen:
                self._seen.add(content)
                shutil.copytree(self._place, self._copies / str(self._moments))
            self._moments += 1

    def close(self) -> None:
        """Store the number of moments for the parent process."""
        (self._copies / "moments").write_text(str(self._moments))


@dataclass
class Cuts:
    """The states that a kill at any moment leaves."""

    moments: int
    """The number of moments at which the process could have been killed."""
    places: list[Path]
    """The different directories that it would have left. Each is named after its first moment."""
    changing: list[bool]


@contextlib.contextmanager
def cuts(trial: Trial, act: Callable[[Runner], object]) -> Iterator[Cuts]:
    """Run something, and yield what a kill at each moment would leave. It runs in a separate process."""
    with tempfile.TemporaryDirectory(prefix="copies-") as folder:
        copies, runner = DirectoryCopies(trial.place, Path(folder)), trial.machine()
        runner.watch = copies.copy
        child = os.fork()
        if child == 0:
            code = 1
            try:
                act(runner)
                copies.close()
                (Path(folder) / "changing").write_text(json.dumps(runner.changing))
                code = 0
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        places = sorted((path for path in Path(folder).iterdir() if path.is_dir()), key=lambda path: int(path.name))
        changing = json.loads((Path(folder) / "changing").read_text())
        yield Cuts(int((Path(folder) / "moments").read_text()), places, changing)


def killed(demo: str, desired: Sequence[DesiredSetting]) -> tuple[int, list[str]]:
    """Kill at each request. After restore, the settings are the previous or the new ones."""
    wrong = []
    with fresh(demo, desired) as trial:
        before = trial.machine().machine.state()
        with cuts(trial, trial.change) as left:
            after = trial.machine().machine.state()
            for place in left.places:
                again = Trial(demo, desired, place)
                faults, current = again.restore(), again.machine().machine.state()
                changes = Journal(place).changes()
                complete = current == after and bool(changes) and changes[-1].end is not None and not faults
                if faults or (current != before and not complete) or any(journaled.pending for journaled in changes):
                    wrong.append(f"{demo} moment {place.name}: {faults} {_difference(before, current)}")
            # equal contents are copied once: check that there were different ones
            assert len(left.places) > 2 * left.changing.count(True)
            return left.moments, wrong


def failed(demo: str, desired: Sequence[DesiredSetting]) -> tuple[int, list[str]]:
    """Fail each change in each way. The change is done, undone, or undone by restore, never half done."""
    with fresh(demo, desired) as trial:
        runner = trial.machine()
        before = runner.machine.state()
        trial.change(runner)
        after = runner.machine.state()
    attempts = [(at, fault) for at in range(runner.changing.count(True)) for fault in FAILURES]
    wrong = []
    for at, fault in attempts:
        with fresh(demo, desired) as trial:
            runner = trial.machine()
            runner.changes_only, runner.fault, runner.at = True, fault, at
            wanted = before
            try:
                trial.change(runner)
                wanted = after
            except ChangeUndone:
                pass
            except ChangeNotUndone:
                trial.restore()
            current = trial.machine().machine.state()
            if current != wanted or any(journaled.pending for journaled in Journal(trial.place).changes()):
                wrong.append(f"{demo} {fault} change {at}: {_difference(wanted, current)}")
    return len(attempts), wrong


class Failing(Journal):
    """A journal that fails from one line on. raidctl is killed there, or the file system is full."""

    def __init__(self, place: Path, at: int, way: Way) -> None:
        super().__init__(place)
        self.at, self.way, self.count = at, way, 0

    def append(self, entry: Entry) -> None:
        """Write a line, or fail."""
        mine, self.count = self.count == self.at, self.count + 1
        if self.way == "full" and self.count > self.at:
            raise JournalFull("The journal cannot be written: No space left on device.")
        if mine and self.way == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        size = self.path.stat().st_size if self.path.exists() else 0
        super().append(entry)
        if mine and self.way == "torn":
            with self.path.open("r+b") as file:
                file.truncate(size + (self.path.stat().st_size - size) // 2)
        if mine and self.way in ("torn", "after"):
            os.kill(os.getpid(), signal.SIGKILL)


Way = Literal["before", "torn", "after", "full"]
WAYS: tuple[Way, ...] = get_args(Way)


def unwritten(demo: str, desired: Sequence[DesiredSetting]) -> tuple[int, list[str]]:
    """Kill before, in and after each line of the journal. Alternatively, the file system is full from there on."""
    with fresh(demo, desired) as trial:
        before = trial.machine().machine.state()
        trial.journal = counted = Failing(trial.place, -1, "after")
        trial.change(trial.machine())
        after = trial.machine().machine.state()
    attempts = [(at, way) for at in range(counted.count) for way in WAYS]
    wrong = []
    for at, way in attempts:
        with fresh(demo, desired) as trial:
            trial.machine()
            trial.journal = Failing(trial.place, at, way)
            cut_off(lambda trial=trial: trial.change(trial.machine()))  # type: ignore[misc]  # of this trial
            trial.journal = None
            faults, current = trial.restore(), trial.machine().machine.state()
            open_ = [journaled for journaled in Journal(trial.place).changes() if journaled.pending]
            last = at == counted.count - 1 and way == "after"
            if faults or open_ or current != (after if last else before):
                wrong.append(f"{demo} {way} line {at}: {faults} {_difference(before, current)}")
    return len(attempts), wrong


def interrupted(demo: str, desired: Sequence[DesiredSetting]) -> tuple[int, list[str]]:
    """Interrupt restore at each request and line, then restore again. Kill it there, or fail its tools or journal."""
    with fresh(demo, desired, lasting=True) as trial:
        runner = trial.machine()
        before = runner.machine.state()
        trial.change(runner)
        kept = {path.name: path.read_bytes() for path in trial.place.iterdir() if path.is_file()}
        runner = trial.machine()
        trial.journal = lines = Failing(trial.place, -1, "after")
        trial.restore(runner)
    attempts: list[tuple[int, Fault | None, Way | None]] = [
        *((at, fault, None) for at in range(runner.changing.count(True)) for fault in FAILURES),
        *((at, None, way) for at in range(lines.count) for way in WAYS),
    ]
    wrong = []
    for at, fault, way in attempts:
        with fresh(demo, desired, lasting=True) as again:
            for name, data in kept.items():
                (again.place / name).write_bytes(data)
            again.journal = Failing(again.place, at, way) if way else None
            faulty = again.machine()
            faulty.fault, faulty.at, faulty.changes_only = fault, at, True
            cut_off(lambda again=again, faulty=faulty: again.restore(faulty))  # type: ignore[misc]  # as above
            again.journal = None
            faults, current = again.restore(), again.machine().machine.state()
            if faults or current != before or any(journaled.pending for journaled in Journal(again.place).changes()):
                wrong.append(f"{demo} {fault or way} at {at} of restore: {faults} {_difference(before, current)}")
    with fresh(demo, desired, lasting=True) as trial:
        for name, data in kept.items():
            (trial.place / name).write_bytes(data)
        with cuts(trial, trial.restore) as left:
            for place in left.places:
                again = Trial(demo, desired, place)
                faults, current = again.restore(), again.machine().machine.state()
                if faults or current != before or any(journaled.pending for journaled in Journal(place).changes()):
                    wrong.append(f"{demo} moment {place.name} of restore: {faults} {_difference(before, current)}")
            return len(attempts) + left.moments, wrong


def _difference(wanted: State, current: State) -> str:
    return ", ".join(f"{name} is {current.get(name)}" for name, value in wanted.items() if current.get(name) != value)


def main(words: Sequence[str]) -> int:
    """Run the trials that the arguments name."""
    demo, *rest = words
    desired: list[DesiredSetting] = []
    for word in rest:
        if not word.startswith("--"):
            name, setting, value = word.split("=", 2)
            desired.append((name, setting, value))  # type: ignore[arg-type]  # a word of the caller's
    ways = {"--kill": killed, "--fail": failed, "--journal": unwritten, "--restore": interrupted}
    with tempfile.TemporaryDirectory(prefix="trials-") as tempfile.tempdir:
        found = {word: way(demo, desired) for word, way in ways.items() if word in rest}
    print(json.dumps(found))  # noqa: T201 - its answer
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
