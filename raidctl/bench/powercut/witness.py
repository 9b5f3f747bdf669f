"""The witness, a server that records a run. Meanwhile, the power of another machine is cut.

It answers an announcement of writes only after recording it in the journal. Silence never ends a run: a drive may
stall, and only the next session of the run shows whether there was a cut. Only one run is active at a time.
"""

from __future__ import annotations

import contextlib
import secrets
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from raidctl.bench.powercut.account import Account
from raidctl.bench.powercut.history import Disorder
from raidctl.bench.powercut.journal import SUFFIX, Journal
from raidctl.bench.powercut.messages import (
    Alive,
    Answer,
    Ask,
    Beat,
    Begin,
    Bye,
    Check,
    Content,
    Created,
    Durable,
    Ended,
    Fine,
    FromWitness,
    Intent,
    JournalRecord,
    Judged,
    Open,
    Opened,
    Refused,
    Same,
    Session,
    ToWitness,
)
from raidctl.bench.powercut.report import PowerCutRun
from raidctl.bench.powercut.wire import ConnectionLost, ProtocolError, Wire
from raidctl.errors import CannotTell, RaidctlError
from raidctl.text import printable
from raidctl.units import timestamp

GREETING = 10.0
"""Seconds within which a client has to introduce itself."""
FRESH = 5.0
"""Seconds for which a silent writer still counts as writing. They begin at its last heartbeat."""
_CLOSING = 2.0
"""Seconds that a new connection waits for the previous one to end."""
_MAX_CONNECTIONS = 16
"""Connections at a time."""
_BEATS = 1.0
"""Seconds between two heartbeats in the journal."""


@dataclass
class _Run:
    """An open run."""

    account: Account
    journal: Journal
    wire: Wire
    boot: str
    witness: str
    caches: dict[str, str]
    heard: float = field(default_factory=time.monotonic)
    kept: float = 0.0
    found: list[list[int]] = field(default_factory=list)
    checked: bool = False
    """Whether the target was compared and no check is due."""
    lives: bool = True

    def keep(self, record: JournalRecord, *, sync: bool = False) -> None:
        """Record in the account, then in the journal."""
        at = time.monotonic()
        self.account.record(record, at)
        self.journal.append(record, at, sync=sync)

    def end(self) -> None:
        """Record the last heartbeat of the writer, and close everything."""
        self.lives = False
        self.wire.close()
        if self.checked and self.account.heard is not None:
            with contextlib.suppress(RaidctlError):
                self.journal.append(Alive(self.account.heard), self.heard)
        self.journal.close()


class Witness:
    """A witness with its journals in ``directory``. ``report_event`` receives a sentence for each event."""

    def __init__(self, directory: Path, token: bytes, report_event: Callable[[str], object]) -> None:
        self._directory, self._token, self._report_event = directory, token, report_event
        self._id = secrets.token_hex(8)
        self._lock = threading.Condition()
        self._active: _Run | None = None
        self._places = threading.BoundedSemaphore(_MAX_CONNECTIONS)
        self._server: socket.socket | None = None

    def listen(self, host: str, port: int) -> tuple[str, int]:
        """Listen; return address and port. Raise CannotTell."""
        try:
            family, kind, protocol, _, where = socket.getaddrinfo(
                host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            self._server = socket.socket(family, kind, protocol)
            self._server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._server.bind(where)
            self._server.listen(_MAX_CONNECTIONS)
        except OSError as error:
            if self._server is not None:
                self._server.close()
            shown = printable(host)
            raise CannotTell(f"The witness cannot listen on {shown} port {port}: {error.strerror or error}.") from None
        name = self._server.getsockname()
        return name[0], name[1]

    def serve(self) -> None:
        """Serve until `stop`."""
        server = self._server
        while server is not None:
            try:
                connection, where = server.accept()
            except OSError:
                return
            if not self._places.acquire(blocking=False):
                connection.close()
                continue
            threading.Thread(target=self._serve, args=(connection, f"{where[0]}:{where[1]}"), daemon=True).start()

    def stop(self) -> None:
        """End, with all journals synced."""
        server, self._server = self._server, None
        if server is not None:
            with contextlib.suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)
            server.close()
        with self._lock:
            if self._active is not None:
                self._active.end()
                self._active = None

    def acknowledged(self) -> int:
        """Writes of the present session followed by a completed flush. Without a session: 0."""
        with self._lock:
            history = self._active.account.history if self._active is not None else None
            return history.acknowledged if history is not None and self._active and self._active.checked else 0

    def _serve(self, connection: socket.socket, where: str) -> None:
        run: _Run | None = None
        try:
            connection.settimeout(GREETING)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            wire = Wire(connection, self._token, witness=True)
            first: Open = wire.receive(Open)
            run = self._answered(wire, first, where)
            connection.settimeout(None)
            while run is not None:
                self._message(run, wire.receive(ToWitness))
        except ProtocolError as error:
            self._report_event(f"A connection from {where} was refused: {error}.")
        except ConnectionLost:
            pass
        except RaidctlError as error:
            self._report_event(str(error))
        finally:
            connection.close()
            self._places.release()
            if run is not None:
                self._closed(run)

    def _answered(self, wire: Wire, first: Open, where: str) -> _Run | None:
        """Open the requested run; None: it is refused."""
        try:
            asked = time.monotonic()
            with self._lock:
                # the connection of a session that has just ended may not be closed yet
                self._lock.wait_for(lambda: not self._writing(asked), timeout=_CLOSING)
                run, opened = self._opened(wire, first, asked)
        except RaidctlError as error:
            self._report_event(f"{where}: {error}")
            wire.send(Refused(str(error)))
            return None
        what = "a cut is to be checked" if opened.due else "connected"
        self._report_event(f"Run {opened.run} of {printable(first.host or where)}: {what}.")
        wire.send(opened)
        return run

    def _writing(self, asked: float) -> bool:
        """Whether a run was being written when another connection asked for one, and still is."""
        active = self._active
        return active is not None and active.lives and asked - active.heard < FRESH

    def _opened(self, wire: Wire, first: Open, asked: float) -> tuple[_Run, Opened]:
        active = self._active
        if active is not None and self._writing(asked):
            name = active.account.run.run
            which = "This run" if first.run in (name, "last") and first.plan is None else f"Another run ({name})"
            raise CannotTell(f"{which} is being written at this moment, and a witness records one run at a time.")
        if active is not None:
            active.end()
            self._active = None
        account, journal = self._created(first) if first.plan is not None else self._continued(first.run)
        notes = []
        if journal.torn:
            notes.append("The last record in the witness's journal was incomplete, and is left out.")
            account.doubts.append("The end of the witness's journal is missing.")
        if account.session is not None and account.session.witness != self._id:
            account.doubts.append("The witness was restarted since: when the cut came is unknown.")
        if first.left == account.run.run:
            account.doubts.append("The writer had lost its witness, and wrote nothing more before the cut.")
        caches = first.target.caches if first.target is not None else {}
        run = _Run(account, journal, wire, first.boot, self._id, caches)
        due = account.due(first.boot)
        if not due and account.history is not None and account.history.durable:
            notes.append(
                "No power cut since: the machine was not restarted."
                if account.session is not None and account.session.boot == first.boot
                else "The writer ended normally before the machine was restarted: that is not a power cut."
            )
        if any(account.changed(caches)):
            notes.append("A cache is set differently than when the run began: a cut without a loss will not count.")
        self._active = run
        report = account.run
        return run, Opened(
            run=report.run, target=report.target, plan=report.plan, due=due, generation=account.generation,
            same_boot=account.session is not None and account.session.boot == first.boot,
            notes=tuple(notes),
        )  # fmt: skip

    def _created(self, first: Open) -> tuple[Account, Journal]:
        path = self._directory / f"{_id(first.run)}{SUFFIX}"
        if first.plan is None or first.target is None:
            raise CannotTell("A new run needs a target and a plan.")
        if path.exists():
            raise CannotTell(f"Run {first.run} already exists.")
        report = PowerCutRun(
            run=first.run, at=timestamp(), raidctl=first.raidctl, host=first.host, virtual=first.virtual,
            target=first.target, plan=first.plan,
        )  # fmt: skip
        journal = Journal(path)
        journal.append(Created(report), time.monotonic(), sync=True)
        return Account(report), journal

    def _continued(self, name: str) -> tuple[Account, Journal]:
        if name == "last":
            found = sorted(self._directory.glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime_ns)
            if not found:
                raise CannotTell("This witness has no run yet.")
            path = found[-1]
        else:
            path = self._directory / f"{_id(name)}{SUFFIX}"
        if not path.exists():
            raise CannotTell(f"This witness has no run {name}.")
        journal = Journal(path)
        account: Account | None = None
        try:
            for at, record in journal.records():
                if account is None and isinstance(record, Created):
                    account = Account(record.run)
                elif account is not None:
                    account.record(record, at)
        except Disorder as error:
            raise CannotTell(f"{printable(str(path))} contradicts itself: {error}") from None
        if account is None:
            raise CannotTell(f"{printable(str(path))} is not a journal of a run.")
        return account, journal

    def _message(self, run: _Run, message: ToWitness) -> None:
        """Handle one message; one that contradicts the account ends the connection."""
        try:
            with self._lock:
                if not run.lives:
                    raise ConnectionLost("another connection has taken over the run")
                run.heard = time.monotonic()
                answer = _answer(run, message)
        except Disorder as error:
            run.wire.send(Refused(str(error)))
            raise ProtocolError(str(error)) from None
        except CannotTell as error:
            if not isinstance(error, (ConnectionLost, ProtocolError)):
                run.wire.send(Refused(str(error)))
            raise
        if isinstance(answer, Judged):
            cut = answer.cut
            self._report_event(
                f"Run {run.account.run.run}, cut {cut.number}: {cut.verdict}{'' if cut.counted else ', not counted'}."
            )
        if answer is not None:
            run.wire.send(answer)

    def _closed(self, run: _Run) -> None:
        """Record the writer's last heartbeat. The connection is closed by then."""
        with self._lock:
            if not run.lives:
                return
            run.lives = False
            account = run.account
            if self._server is None:
                return
            if account.session is not None and account.ended is None and account.heard is not None:
                with contextlib.suppress(RaidctlError):
                    run.keep(Ended(account.heard), sync=True)
            run.journal.close()
            self._active = None
            self._lock.notify_all()
        self._report_event(f"Run {account.run.run}: the connection has ended.")


def _answer(run: _Run, message: ToWitness) -> FromWitness | None:
    """The answer to a message; None: it has none."""
    account = run.account
    if isinstance(message, Durable):
        _written(run)
        run.keep(message)
        return None
    if isinstance(message, Beat):
        account.heard = (time.monotonic(), message.clock)
        if run.checked and run.heard - run.kept > _BEATS:
            run.kept = run.heard
            run.journal.append(Alive(account.heard), run.heard)
        return None
    if isinstance(message, Intent):
        _written(run)
        run.keep(message)
        return Fine()
    if isinstance(message, Bye):
        if run.checked:
            run.keep(message, sync=True)
        return Fine()
    return _answer_before_writing(run, message)


def _written(run: _Run) -> None:
    if not run.checked:
        raise Disorder("Writes were announced before the range was filled.")


def _answer_before_writing(run: _Run, message: ToWitness) -> FromWitness | None:
    """Handle requests before anything is written."""
    account = run.account
    if isinstance(message, Same):
        why = account.differs(message.target)
        return Refused(why) if why else Fine()
    if isinstance(message, Content):
        if message.start != len(run.found):
            raise Disorder("Blocks were read back in another order than they lie.")
        run.found += message.blocks
        return None
    if isinstance(message, Check):
        if not account.due(run.boot):
            raise Disorder("There is no cut to be checked.")
        judged = Judged(account.judged(run.found, message.how, timestamp()))
        run.found = []
        run.keep(judged, sync=True)
        return judged
    if isinstance(message, Begin):
        if account.due(run.boot):
            raise Disorder("The last cut is not checked yet.")
        if message.generation < account.generation:
            raise Disorder("A generation was used twice.")
        run.keep(Session(boot=run.boot, witness=run.witness, caches=run.caches))
        run.keep(message, sync=True)
        run.checked = True
        return Fine()
    if isinstance(message, Ask):
        return Answer(account.report())
    raise Disorder("A run is opened once for each connection.")


def _id(name: str) -> str:
    """Check the id of a run. It becomes the name of a file. Raise CannotTell."""
    if len(name) != 16 or not set(name) <= set("0123456789abcdef"):
        raise CannotTell(f'"{printable(name[:40])}" is not an id of a run: 16 hexadecimal digits, or "last".')
    return name
