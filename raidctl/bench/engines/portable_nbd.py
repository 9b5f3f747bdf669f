"""The portable engine on an NBD export: one pipelining process per stream.

The depth is the number of requests under way on that connection. A flush is sent when all requests before it are
answered, so its effect does not depend on what the server announces about several connections.
"""

from __future__ import annotations

import errno
import mmap
import select
import socket
import time
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field

from raidctl.bench.blocks import Checker, Filler, State
from raidctl.bench.engines.process_group import Job, Report, ending, now
from raidctl.bench.engines.work_split import trim
from raidctl.bench.targets.nbd import NbdTarget
from raidctl.bench.targets.nbd_link import FLUSH, FUA, READ, REQUEST, REQUEST_MAGIC, WRITE, Link, ServerGone
from raidctl.bench.work import Op, Stream, Work
from raidctl.errors import BenchError

_SPIN_NS = 120_000


def pipelined(target: NbdTarget, work: Work, stream: Stream) -> Job:
    """Run one stream.

    Raises:
        BenchError: The server does not offer what the stream asks for.
    """
    export = target.export
    if Op.FLUSH in stream.ops and not export.can_flush:
        raise BenchError(f"{target.name} has no flush: what is durable there is unknown.")
    if Op.WRITE_DURABLE in stream.ops and not (export.can_fua or export.can_flush):
        raise BenchError(f"{target.name} has neither durable writes nor a flush.")
    if stream.size > export.largest:
        raise BenchError(f"{target.name} takes {export.largest} bytes at once, not {stream.size}.")

    def job(arrive: Callable[[], int]) -> Report:
        link = target.connect()
        try:
            return _Pipe(link, work, stream).run(arrive)
        finally:
            link.close()

    return job


@dataclass
class _Pipe:
    """One connection and its outstanding requests. A cookie is the number of the buffer used."""

    link: Link
    work: Work
    stream: Stream
    report: Report = field(default_factory=Report)
    under_way: dict[int, tuple[int, int]] = field(default_factory=dict)
    """By cookie: the number of the operation and its start."""
    second: set[int] = field(default_factory=set)
    """Cookies of durable writes that are not complete yet. The flush that replaces FUA is still to come."""
    later: list[int] = field(default_factory=list)
    """Cookies of such flushes waiting for a partly sent request to complete."""

    def __post_init__(self) -> None:
        size = self.stream.size
        memory = memoryview(mmap.mmap(-1, size * self.stream.depth))
        self._views = [memory[at * size : (at + 1) * size] for at in range(self.stream.depth)]
        self._fillers = [Filler(view, self.work.run_id) for view in self._views]
        self._checker = Checker(size, self.work.run_id, self.work.generation)
        self._places = array("Q")
        self._free = list(range(self.stream.depth))
        self._poll = select.poll()
        self._poll.register(self.link, select.POLLIN)
        self._both = select.poll()
        self._both.register(self.link, select.POLLIN | select.POLLOUT)
        self._sending = False

    def run(self, arrive: Callable[[], int]) -> Report:
        """Run the stream. If the server disconnects, it ends early with an error for every outstanding request."""
        for filler in self._fillers:
            filler.fill(0, 0, 0)
        begun = arrive()
        used = time.process_time_ns()
        end = ending(begun, self.work.seconds)
        try:
            self._all(begun, end)
        except OSError as error:
            self.report.notes.add(f"It ended early: {error.strerror or error}.")
            for number, start in self.under_way.values():
                self._note(number, start, -(error.errno or errno.EIO))
        self.report.cpu_ns = time.process_time_ns() - used
        self.report.places = self._places
        trim(self.report, self.stream.ops, self.work.keep)
        return self.report

    def _all(self, begun: int, end: int) -> None:
        ops, offsets, intended, count = self.stream.ops, self.stream.offsets, self.stream.intended, len(self.stream.ops)
        number, flushing = 0, False
        while number < count or self.stream.cycle:
            index = number % count
            # a flush comes after all before it, and before all after it
            while not self._free or (self.under_way and (flushing or ops[index] == Op.FLUSH)):
                self._finish_one()
            flushing = ops[index] == Op.FLUSH
            start = None if intended is None else begun + intended[index]
            if start is not None and start < end:
                self._wait_until(start)
            if now() >= end or (start is not None and start >= end):
                break
            self._begin(number, ops[index], offsets[index], start)
            number += 1
        while self.under_way:
            self._finish_one()

    def _begin(self, number: int, op: int, offset: int, intended: int | None) -> None:
        cookie = self._free.pop()
        view = self._views[cookie]
        if op in (Op.WRITE, Op.WRITE_DURABLE):
            passes = number // len(self.stream.ops)
            self._fillers[cookie].fill(offset, self.work.generation + passes, time.time_ns())
        self.under_way[cookie] = number, intended or now()
        if op == Op.READ:
            self._send(READ, cookie, offset, len(view))
        elif op == Op.FLUSH:
            self._send(FLUSH, cookie, 0, 0)
        else:
            fua = op == Op.WRITE_DURABLE and self.link.export.can_fua
            if op == Op.WRITE_DURABLE and not fua:
                self.second.add(cookie)
                self.report.notes.add("The NBD server has no durable writes: each is a write and a flush.")
            self._send(WRITE, cookie, offset, len(view), view, FUA if fua else 0)

    def _send(  # noqa: PLR0917 - the fields of a request
        self, command: int, cookie: int, offset: int, length: int, data: memoryview | None = None, flags: int = 0
    ) -> None:
        """Send a request; receive replies while the server does not accept it."""
        head = memoryview(REQUEST.pack(REQUEST_MAGIC, flags, command, cookie, offset, length))
        pieces = [head] if data is None else [head, data]
        self._sending = True
        while pieces:
            try:
                sent = self.link.socket.sendmsg(pieces, (), socket.MSG_DONTWAIT)
            except BlockingIOError:
                if any(event & select.POLLIN for _, event in self._both.poll()):
                    self._finish_one()
                continue
            while pieces and sent >= len(pieces[0]):
                sent -= len(pieces.pop(0))
            if pieces:
                pieces[0] = pieces[0][sent:]
        self._sending = False
        if self.later:
            self._send(FLUSH, self.later.pop(), 0, 0)

    def _finish_one(self) -> None:
        """Receive the next reply."""
        cookie, error = self.link.reply()
        if cookie not in self.under_way:
            raise ServerGone
        number, start = self.under_way[cookie]
        op = self.stream.ops[number % len(self.stream.ops)]
        if op == Op.READ and not error:
            self.link.take(self._views[cookie])
        if cookie in self.second:
            self.second.discard(cookie)
            if not error:
                if self._sending:
                    self.later.append(cookie)
                else:
                    self._send(FLUSH, cookie, 0, 0)
                return
        result = -error if error else (0 if op == Op.FLUSH else self.stream.size)
        del self.under_way[cookie]
        self._note(number, start, result)
        if op == Op.READ and not error and self.work.verify:
            self._compare(cookie, self.stream.offsets[number % len(self.stream.ops)])
        self._free.append(cookie)

    def _compare(self, cookie: int, place: int) -> None:
        if self._checker.check(bytes(self._views[cookie]), place) is not State.OK:
            self.report.mismatches.append(place)

    def _note(self, number: int, start: int, result: int) -> None:
        op = self.stream.ops[number % len(self.stream.ops)]
        if result != (0 if op == Op.FLUSH else self.stream.size):
            self.report.odd[len(self.report.ends)] = result
        self.report.starts.append(start)
        self.report.ends.append(now())
        self._places.append(number)

    def _wait_until(self, when: int) -> None:
        """Receive replies until an instant."""
        while (left := when - now()) > 0:
            if not self.under_way:
                if left > _SPIN_NS:
                    time.sleep((left - _SPIN_NS) / 1e9)
            elif self._poll.poll(max(0, left - _SPIN_NS) / 1e6 if left > _SPIN_NS else 0):
                self._finish_one()
