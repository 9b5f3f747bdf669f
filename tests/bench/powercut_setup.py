"""A witness on the loopback and a simulated drive.

The drive has a volatile cache, and its power is cut during writes.
"""

from __future__ import annotations

import mmap
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

from raidctl.bench.powercut import account, witness
from raidctl.bench.powercut.messages import Open, Opened
from raidctl.bench.powercut.report import Cut, How, Plan, PowerCutRun, Target
from raidctl.bench.powercut.witness import Witness
from raidctl.bench.powercut.writer import WitnessConnection, Writing, check
from tests.support.waiting import PATIENCE

TOKEN = b"a token that both sides have"
RUN = "00000000000000a1"
PLAN = Plan(blocks=64, group=8)
TARGET = Target(kind="device", name="/dev/sdx", serial="S1", size_bytes=1 << 20)


class PowerCutError(BaseException):
    """The power is cut; raised apart from all other errors."""


def fair(cut: Cut) -> bool:
    """Whether a cut counts, or would count on an idle host."""
    return cut.counted or all("clock jumped" in reason or "last flush" in reason for reason in cut.reasons)


@contextmanager
def patient(closing: float = PATIENCE) -> Iterator[None]:
    """Have a witness wait this long for a session to end. On a busy machine it notices a closed connection late."""
    with (
        patch.object(witness, "GREETING", PATIENCE),
        patch.object(witness, "FRESH", PATIENCE),
        patch.object(witness, "_CLOSING", closing),
        patch.object(account, "CLOSED_SOON", PATIENCE),
    ):
        yield


@dataclass
class Drive:
    """A drive with a volatile cache that fails after some operations."""

    honest: bool = True
    medium: bytearray = field(default_factory=lambda: bytearray(PLAN.blocks * PLAN.block_bytes))
    cache: dict[int, bytes] = field(default_factory=dict)
    left: int = 500
    """Operations until the power is cut."""
    machine: Callable[[], object] = lambda: None
    """Ends the connection, since the machine loses power too."""

    def write(self, data: mmap.mmap, at: int) -> None:
        """Write into the cache."""
        self._step()
        self.cache[at] = bytes(data)

    def flush(self) -> None:
        """Empty the cache, if the drive is honest."""
        self._step()
        if self.honest:
            self._out()

    def read(self, at: int, size: int) -> bytes:
        """The current content."""
        return self.cache.get(at) or bytes(self.medium[at : at + size])

    def _out(self) -> None:
        for at, data in self.cache.items():
            self.medium[at : at + len(data)] = data
        self.cache.clear()

    def _step(self) -> None:
        self.left -= 1
        if self.left < 0:
            self.cache.clear()
            self.machine()
            raise PowerCutError


@dataclass
class WitnessSetup:
    """A witness, and sessions with it."""

    directory: Path
    printed: list[str] = field(default_factory=list)
    address: tuple[str, int] = ("", 0)

    @contextmanager
    def running(self, closing: float = PATIENCE) -> Iterator[Witness]:
        """Run the witness. It waits this long for a session to end before it refuses the next one."""
        witness = Witness(self.directory, TOKEN, self.printed.append)
        self.address = witness.listen("127.0.0.1", 0)
        thread = threading.Thread(target=witness.serve)
        thread.start()
        try:
            with patient(closing):
                yield witness
        finally:
            witness.stop()
            thread.join()

    @contextmanager
    def session(
        self,
        boot: str,
        *,
        run: str = RUN,
        new: bool = False,
        target: Target = TARGET,
        left: str | None = None,
        virtual: str | None = "qemu",
    ) -> Iterator[tuple[WitnessConnection, Opened]]:
        """A connection with an open run. At a cut it is closed, as by the host of a virtual machine."""
        witness = WitnessConnection(self.address, TOKEN)
        try:
            plan = PLAN if new else None
            request = Open(
                run=run, host="db7", boot=boot, raidctl="1", virtual=virtual, target=target, plan=plan, left=left
            )
            yield witness, witness.open(request)
        finally:
            witness.close()

    def write(self, drive: Drive, boot: str, *, new: bool = False, target: Target = TARGET) -> None:
        """Write until the power of the machine is cut."""
        try:
            with self.session(boot, new=new, target=target) as (witness, opened):
                drive.machine = witness.close
                Writing(witness, drive, opened, 1 << 30, self.printed.append).run("writing")
        except PowerCutError:
            drive.left = 500

    def check(self, drive: Drive, boot: str, *, left: str | None = None, how: How = "plug") -> PowerCutRun:
        """Check after a cut, if there was one."""
        with self.session(boot, left=left) as (witness, opened):
            witness.check_target(TARGET)
            self.printed += opened.notes
            if opened.due:
                check(witness, drive, opened, how)
            return witness.report()
