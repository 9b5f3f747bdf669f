"""A runner of a simulated machine: a recording with changeable settings."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec
from msgspec.structs import replace

from raidctl import json_decode
from raidctl.errors import CannotTell, UsageError
from raidctl.layers.simulator import shown, written
from raidctl.recording.recording import Recording
from raidctl.request import (
    Answer,
    Failure,
    Read,
    ReadAnswer,
    Request,
    Run,
    RunAnswer,
    Runner,
    UdevDatabase,
    Write,
    WriteAnswer,
)
from raidctl.runners.answers import answer_of
from raidctl.runners.replay import ReplayRunner
from raidctl.text import regex
from raidctl.vendor.simulator import Bays, Leds, NewDrive, Reply, Simulator, State

# P: /devices/pci0000:40/0000:40:01.1/0000:41:00.0/host0/target0:0:1/0:0:1:0/block/sdb
_SCSI = regex(r"(?m)^P: \S+/(\d+:\d+:\d+:\d+)/block/(\w+)$")
"""Device node and SCSI address. Writing to the node changes what tools report for the address."""


class NotSavedError(CannotTell):
    """The new settings of a simulated machine cannot be saved."""


class Simulated:
    """Carries out requests on a simulated machine."""

    AT_ONCE = True

    def __init__(self, recording: Recording, simulators: Sequence[Simulator], place: Path) -> None:
        """``place`` is the file for the settings; created if missing."""
        self._machine = ReplayRunner(recording)
        self._simulators = simulators
        self._generated = [one.generated for one in simulators if hasattr(one, "generated")]
        self._shown: tuple[State, ReplayRunner] | None = None
        self.recorded_at = recording.manifest.collected_at
        self.place = place
        if not place.exists():
            self.keep(self.recorded(recording))

    def recorded(self, recording: Recording) -> State:
        """Return the recorded settings."""
        found: State = {}
        for request, answer in recording.answers():
            if isinstance(request, UdevDatabase) and isinstance(answer, ReadAnswer):
                found |= {f"scsi {match[1]}": f"/dev/{match[2]}" for match in _SCSI.finditer(answer.text or "")}
            if isinstance(request, Run) and isinstance(answer, RunAnswer):
                for simulator in self._simulators:
                    found |= simulator.initial(request.argv, answer.text)
                    if hasattr(simulator, "leds"):
                        found |= cast("Leds", simulator).leds(request.argv, answer.text)
        return found

    def state(self) -> State:
        """Return the current settings.

        Raises:
            CannotTell: They cannot be read.
        """
        if not self.place.is_file() and self.place.exists():  # a pipe would block
            raise CannotTell(self._unusable("read", ValueError("not a regular file")))
        try:
            kept: State = json_decode.decode(self.place.read_bytes(), dict[str, str])
        except (OSError, ValueError) as error:
            raise CannotTell(self._unusable("read", error)) from None
        return kept

    def keep(self, state: Mapping[str, str]) -> None:
        """Write the settings atomically.

        Raises:
            NotSavedError: They cannot be written; the previous ones are unchanged.
        """
        fresh = self.place.with_name(f"{self.place.name}.{os.getpid()}")
        try:
            self.place.parent.mkdir(parents=True, exist_ok=True)
            fresh.write_bytes(msgspec.json.encode(dict(state)))
            fresh.replace(self.place)
        except OSError as error:
            with contextlib.suppress(OSError):
                fresh.unlink()
            raise NotSavedError(self._unusable("written", error)) from None

    def _unusable(self, what: str, error: OSError | ValueError) -> str:
        """Why the settings cannot be used. A reset helps against damaged ones only."""
        why, remedy = str(error), f'"raidctl demo --reset {self.place.parent.name}" starts again as recorded.'
        if isinstance(error, OSError):
            why, remedy = error.strerror or why, "--state-dir DIR uses another directory."
        return f"The settings of the simulated machine, {self.place}, cannot be {what}: {why}. {remedy}"

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer each request, in order; a change fails if its settings cannot be saved."""
        state, answers = self.state(), list[Answer]()
        for request in requests:
            try:
                answer, state = self._answer(request, state)
            except NotSavedError as error:
                answer = answer_of(request, Failure.FAILED, str(error).removesuffix("."))
            answers.append(answer)
        return tuple(answers)

    def answer(self, request: Request[Any]) -> Answer:
        """Answer one request."""
        [answer] = self.carry_out([request])
        return answer

    def _answer(self, request: Request[Any], state: State) -> tuple[Answer, State]:
        """The answer in a state, and the state after it."""
        if isinstance(request, Write):
            return self._write(request, state)
        if isinstance(request, Run):
            # simulators receive a program's input as two more words
            reply = self._reply((*request.argv, *(("<", request.feed.decode()) if request.feed else ())), state)
            if reply is not None:
                self.keep(reply.state)
                return RunAnswer(code=reply.code, out=reply.out.encode()), dict(reply.state)
            request = replace(request, changes=False) if request.changes else request
        return self._reading(request, state), state

    def _reading(self, request: Request[Any], state: State) -> Answer:
        [answer] = self._current(state).carry_out([request])
        if isinstance(request, Read) and isinstance(answer, ReadAnswer):
            kept = state.get(f"file {request.path}")
            text = shown(request.path, answer.text or "", state) if kept is None else kept
            return answer if text == answer.text or answer.data is None else ReadAnswer(data=text.encode())
        if isinstance(request, Run) and isinstance(answer, RunAnswer):
            return self._rendered(request, answer, state)
        return answer

    def _current(self, state: State) -> Runner:
        """Return the machine in a state: the recording, as changed by simulators."""
        if not self._generated:
            return self._machine
        if self._shown is None or self._shown[0] != state:
            more = {request: answer for generated in self._generated for request, answer in generated(state).items()}
            self._shown = state, self._machine.with_answers(more) if more else self._machine
        return self._shown[1]

    def pull(self, bay: str) -> None:
        """Take the drive out of a bay.

        Raises:
            UsageError: The bay is empty, or the machine has no bays.
        """
        self._in_bays(lambda simulator, state: simulator.pull(state, bay))

    def insert(self, bay: str, serial: str | None = None, kind: NewDrive = "like") -> None:
        """Put a pulled drive into a bay. Without a serial number, insert a new one of this kind.

        Raises:
            UsageError: The bay or the drive does not exist, the bay is not empty, or the machine has no bays.
        """
        more: tuple[NewDrive, ...] = () if kind == "like" else (kind,)
        self._in_bays(lambda simulator, state: simulator.insert(state, bay, serial, *more))

    def fail(self, bay: str) -> None:
        """Let the drive in a bay fail.

        Raises:
            UsageError: The bay is empty, or the machine has no bays.
        """
        self._in_bays(lambda simulator, state: simulator.fail(state, bay))

    def bay_of(self, serial: str) -> str | None:
        """Return the bay of a drive. None: it is in none, or the machine has no bays."""
        bays = (name for name, value in self.state().items() if value == serial and "/bay " in name)
        return next((name.partition("/bay ")[2] for name in bays), None)

    def _in_bays(self, act: Callable[[Bays, State], State]) -> None:
        state = self.state()
        for simulator in self._simulators:
            if hasattr(simulator, "insert"):
                try:
                    self.keep(act(cast("Bays", simulator), state))
                except ValueError as error:
                    raise UsageError(f"The simulated machine was not changed: {error}.") from None
                except LookupError:
                    continue
                return
        raise UsageError("This simulated machine has no bays; raid6 and p440 have.")

    def pass_time(self, seconds: float) -> None:
        """Let time pass on the simulated machine: rebuilds advance."""
        state = self.state()
        for simulator in self._simulators:
            if hasattr(simulator, "advance"):
                state = simulator.advance(state, seconds)
        self.keep(state)

    def reply(self, argv: tuple[str, ...]) -> Reply | None:
        """Return the reply of the simulator that has this command; saves nothing."""
        return self._reply(argv, self.state())

    def _reply(self, argv: tuple[str, ...], state: State) -> Reply | None:
        for simulator in self._simulators:
            reply = simulator.change(argv, state)
            if reply is not None:
                return reply
        return None

    def _rendered(self, request: Run, answer: RunAnswer, state: State) -> RunAnswer:
        text = answer.text
        for simulator in self._simulators:
            text = simulator.render(request.argv, text, state)
        return answer if text == answer.text else replace(answer, out=text.encode())

    def _write(self, request: Write, state: State) -> tuple[Answer, State]:
        current = self._current(state)
        [known] = current.carry_out([Read(request.path)])
        if known.trouble is not None:
            return WriteAnswer(trouble=Failure.MISSING, detail=f"{request.path}: no such file"), state
        try:
            fresh = written(request.path, request.data)
        except ValueError as refusal:
            return WriteAnswer(trouble=Failure.FAILED, detail=f"{request.path}: {refusal}"), state
        state = dict(state)
        for path, word in fresh.items():
            [recorded] = current.carry_out([Read(path)])
            if not isinstance(recorded, ReadAnswer) or recorded.trouble is not None:
                continue  # another path of the same file, which this machine does not have
            if (recorded.text or "").strip() == word.strip():
                state.pop(f"file {path}", None)  # as it was recorded
            else:
                state[f"file {path}"] = f"{word.strip()}\n"
        self.keep(state)
        return WriteAnswer(), state
