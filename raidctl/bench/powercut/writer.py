"""The writer: it fills, writes groups, flushes, and reports to the witness."""

from __future__ import annotations

import contextlib
import mmap
import random
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from raidctl.bench.blocks import Filler
from raidctl.bench.powercut.judgment import Odd
from raidctl.bench.powercut.medium import Medium, content
from raidctl.bench.powercut.messages import (
    Answer,
    Ask,
    Beat,
    Begin,
    Bye,
    Check,
    Content,
    Durable,
    Fine,
    FromWitness,
    Intent,
    Judged,
    Open,
    Opened,
    Refused,
    Same,
)
from raidctl.bench.powercut.report import Cut, How, Plan, PowerCutRun, Target
from raidctl.bench.powercut.wire import ConnectionLost, ProtocolError, Wire
from raidctl.errors import CannotTell, UnreachableError
from raidctl.text import printable

PATIENCE = 60.0
"""Seconds that the witness may take to answer."""
BEAT = 0.1
"""Seconds between two heartbeats."""
HOT = 64
"""Number of blocks that receive half of the writes. Lost generations are thus found besides lost blocks."""
_PIECE = 1000
"""Blocks that are reported in one message."""


class TargetFailed(CannotTell):
    """The target failed during a write."""


class WitnessGone(CannotTell):
    """The witness can no longer be reached."""


class WitnessConnection:
    """The writer's connection to the witness.

    Args:
        address: Host and port.
        token: The secret that the witness has, too.

    Raises:
        UnreachableError: There is no witness.
        CannotTell: It has another token, or is something else.
    """

    def __init__(self, address: tuple[str, int], token: bytes) -> None:
        self.shown = f"{printable(address[0])} port {address[1]}"
        try:
            connection = socket.create_connection(address, timeout=PATIENCE)
        except OSError as error:
            raise UnreachableError(f"No witness can be reached at {self.shown}: {error.strerror or error}.") from None
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self._wire = Wire(connection, token, witness=False)
        except (ConnectionLost, ProtocolError) as error:
            connection.close()
            raise CannotTell(f"What answers at {self.shown} is not a witness: {error}.") from None
        self._closed = threading.Event()
        self._first = True

    def ask(self, message: msgspec.Struct, kind: type[Any]) -> Any:
        """Send a message and return its answer.

        Raises:
            CannotTell: The witness refuses, or is gone.
        """
        self.send(message)
        try:
            answer = self._wire.receive(FromWitness)
        except (ConnectionLost, ProtocolError) as error:
            if self._first:
                raise CannotTell(
                    f"The witness at {self.shown} does not accept the token, or is gone: {error}."
                ) from None
            raise self._gone(error) from None
        self._first = False
        if isinstance(answer, Refused):
            raise CannotTell(answer.why)
        if not isinstance(answer, kind):
            raise CannotTell(f"The witness at {self.shown} sent an unexpected reply.")
        return answer

    def send(self, message: msgspec.Struct) -> None:
        """Send a message that has no answer. Raise CannotTell if the witness is gone."""
        try:
            self._wire.send(message)
        except ConnectionLost as error:
            raise self._gone(error) from None

    def _gone(self, error: Exception) -> WitnessGone:
        return WitnessGone(
            f"The witness at {self.shown} is gone ({error}): nothing more is written, and a power cut now would test "
            "nothing. Start it again, and continue with --resume."
        )

    def beat(self) -> None:
        """Send heartbeats from now on."""
        threading.Thread(target=self._send_heartbeats, daemon=True).start()

    def _send_heartbeats(self) -> None:
        while not self._closed.wait(BEAT):
            try:
                self._wire.send(Beat(time.monotonic()))
            except ConnectionLost:
                return

    def close(self) -> None:
        """Close the connection; may be repeated."""
        self._closed.set()
        self._wire.close()

    def open(self, request: Open) -> Opened:
        """Open a run. Raise CannotTell."""
        opened: Opened = self.ask(request, Opened)
        return opened

    def check_target(self, target: Target) -> None:
        """Compare the target with that of the run. Raise CannotTell if it is another one."""
        self.ask(Same(target), Fine)

    def report(self) -> PowerCutRun:
        """The run with all its cuts."""
        answer: Answer = self.ask(Ask(), Answer)
        return answer.run


def check(witness: WitnessConnection, medium: Medium, opened: Opened, how: How) -> Cut:
    """Read the range back and have the witness judge it.

    Raises:
        CannotTell: The target cannot be read, or the witness is gone.
    """
    plan, run_id = opened.plan, int(opened.run, 16)
    try:
        for start in range(0, plan.blocks, _PIECE):
            piece = [content(medium, plan, run_id, n) for n in range(start, min(start + _PIECE, plan.blocks))]
            witness.send(Content(start, piece))
    except OSError as error:
        raise CannotTell(f"The target cannot be read: {error.strerror or error}. The cut is not judged yet.") from None
    judged: Judged = witness.ask(Check(how), Judged)
    return judged.cut


def foreign(medium: Medium, opened: Opened) -> int:
    """Count blocks with data that the run has not written. Raise CannotTell if they cannot be read."""
    plan, run_id = opened.plan, int(opened.run, 16)
    try:
        return sum(Odd.FOREIGN in content(medium, plan, run_id, number) for number in range(plan.blocks))
    except OSError as error:
        raise CannotTell(f"The target cannot be read: {error.strerror or error}. Nothing is written.") from None


class Writing:
    """A session of writing.

    Args:
        opened: The run.
        most: Bytes to write at most.
        report_event: Receives a sentence for each event.
    """

    def __init__(
        self,
        witness: WitnessConnection,
        medium: Medium,
        opened: Opened,
        most: int,
        report_event: Callable[[str], object],
    ) -> None:
        self._witness, self._medium, self._opened, self._report_event = witness, medium, opened, report_event
        self._plan: Plan = opened.plan
        self._groups = max(most // (opened.plan.block_bytes * opened.plan.group), 1)
        self._buffer = mmap.mmap(-1, self._plan.block_bytes)
        self._filler = Filler(self._buffer, int(opened.run, 16))  # type: ignore[arg-type]  # an mmap is a buffer
        self._generation = opened.generation
        self._random = random.Random(f"{opened.run} {opened.generation}")  # noqa: S311 - places, no secrets

    def run(self, ready: str) -> int:
        """Write until the limit; return the number of flushed groups. ``ready`` is printed when a cut would count.

        Raises:
            TargetFailed: The target failed, and the witness was informed. WitnessGone: The witness could not be
                informed that writing has ended.
        """
        done = 0
        try:
            self._fill()
            self._report_event(ready)
            while done < self._groups:
                self._group()
                done += 1
        except OSError as error:
            self._witness.ask(Bye(target=True), Fine)
            raise TargetFailed(f"The target failed after {done} flushes: {error.strerror or error}.") from None
        except CannotTell:
            raise
        except BaseException:
            # Ctrl-C, or SIGTERM from an orderly shutdown: not a power cut
            with contextlib.suppress(CannotTell):
                self._witness.ask(Bye(), Fine)
            raise
        self._witness.ask(Bye(), Fine)
        return done

    def _fill(self) -> None:
        """Fill the range with one generation."""
        base = self._generation
        self._witness.ask(Begin(base), Fine)
        self._witness.beat()
        for number in range(self._plan.blocks):
            self._write(number, base)
        self._flushed(base)

    def _group(self) -> None:
        """Announce, write and flush one group."""
        first = self._generation
        places = self._places()
        self._witness.ask(Intent(places), Fine)
        for generation, place in enumerate(places, first):
            self._write(place, generation)
        self._flushed(first + len(places) - 1)

    def _places(self) -> list[int]:
        """Choose the blocks of a group, each once. Half of them come from a few that are written often."""
        plan = self._plan
        hot = min(HOT, plan.blocks)
        count = min(plan.group, plan.blocks)
        often = self._random.sample(range(hot), min((count + 1) // 2, hot))
        taken = set(often)
        while len(taken) < count:
            taken.add(self._random.randrange(plan.blocks))
        places = sorted(taken)
        self._random.shuffle(places)
        return places

    def _write(self, number: int, generation: int) -> None:
        at = number * self._plan.block_bytes
        self._filler.fill(at, generation, time.time_ns())
        self._medium.write(self._buffer, at)

    def _flushed(self, upto: int) -> None:
        self._medium.flush()
        self._witness.send(Durable(upto, time.monotonic()))
        self._generation = upto + 1


def boot_id(root: Path = Path("/proc")) -> str:
    """The id of this boot, which every start of the machine changes. Raise CannotTell."""
    try:
        return (root / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError as error:
        raise CannotTell(
            f"The id of this boot cannot be read ({error.strerror}), so a power cut would not be noticed."
        ) from None
