"""Audit many inventories. Only the newest of each host counts."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timedelta, timezone
from operator import itemgetter

import msgspec

from raidctl.audit.engine import SKEW, Tally
from raidctl.audit.finding import Audited
from raidctl.audit.policy.sets import only_builtin
from raidctl.errors import RaidctlError
from raidctl.fleet.audit_piece import PieceAuditor, recorded
from raidctl.fleet.process_pool import results
from raidctl.fleet.sources import Piece
from raidctl.fleet.spool import Spool
from raidctl.units import parse_moment

Older = Mapping[str, tuple[str, str]]
"""Each outdated source with its host and the newer source."""


class _Host(msgspec.Struct):
    hostname: str | None = None
    collected_at: str | None = None


class _Head(msgspec.Struct):
    """The host and time of an inventory."""

    host: _Host


class _Drive(msgspec.Struct):
    serial: str | None = None


class _Volume(msgspec.Struct):
    unique_id: str | None = None


class _Controller(_Drive):
    drives: list[_Drive] = []
    volumes: list[_Volume] = []


class _Machine(_Head):
    """Also the serial numbers: two machines may have the same name."""

    controllers: list[_Controller] = []

    @property
    def serials(self) -> frozenset[str]:
        """The serial numbers. A virtual machine may have none, and then has the unique ids of its volumes."""
        found = {each.serial for controller in self.controllers for each in (controller, *controller.drives)}
        names = {each.unique_id for controller in self.controllers for each in controller.volumes}
        return frozenset(filter(None, found)) or frozenset(filter(None, names))


class _Reader(PieceAuditor):
    """Reader of only the host and time of each inventory. Of some, it also reads the serial numbers."""

    def __init__(self, names: Container[str] = ()) -> None:
        super().__init__(only_builtin(()))
        self._names = names
        self.found: dict[str, list[tuple[datetime, str, frozenset[str]]]] = {}

    def _document(self, document: bytes, source: str) -> Audited:
        with suppress(msgspec.DecodeError, RecursionError, UnicodeDecodeError):  # the audit reports it
            host = _HEAD.decode(document).host
            self._add(host, source, _MACHINE.decode(document).serials if host.hostname in self._names else frozenset())
        return Audited(host=source, source=source)

    def _recording(self, path: str) -> Audited:
        from raidctl.discovery.probe import HOSTNAME  # noqa: PLC0415 - only where there is a recording
        from raidctl.recording.recording import load  # noqa: PLC0415 - as above
        from raidctl.request import Read, ReadAnswer  # noqa: PLC0415 - as above
        from raidctl.runners.replay import ReplayRunner  # noqa: PLC0415 - as above

        with suppress(OSError, RaidctlError):  # as above
            kept = load(path)
            [answer] = ReplayRunner(kept).carry_out([Read(HOSTNAME)])
            name = answer.text.strip() if isinstance(answer, ReadAnswer) and answer.text else None
            serials: frozenset[str] = frozenset()
            if name in self._names:
                serials = _MACHINE.decode(msgspec.json.encode(recorded(path))).serials
            self._add(_Host(name, kept.manifest.collected_at), path, serials)
        return Audited(host=path, source=path)

    def _add(self, host: _Host, source: str, serials: frozenset[str]) -> None:
        at = parse_moment(host.collected_at)
        if host.hostname and at is not None:
            self.found.setdefault(host.hostname, []).append((at, source, serials))


_HEAD, _MACHINE = msgspec.json.Decoder(_Head), msgspec.json.Decoder(_Machine)


def audit_newest(
    pieces: Callable[[], Iterable[Piece]], work: Callable[[Container[str]], PieceAuditor], jobs: int,
    left_out: Callable[[Older], None],
) -> Iterator[tuple[Tally, Iterable[Audited]]]:  # fmt: skip
    """Audit all inventories. If some are outdated, audit the others again, since those must not count.

    Args:
        pieces: Cuts the inventories into pieces; called once more for each further reading.
        work: Makes the auditor that skips these sources.
        jobs: Number of processes.
        left_out: Called with the outdated inventories before any result.
    """
    with Spool() as spool:
        tally, times, unsure = Tally(), dict[str, str](), False
        for result in results(pieces(), work(()), jobs):
            tally.add(result.tally)
            for audited in result.hosts:
                spool.put(audited)
            # of one that cannot be read, only the host and time may be readable
            unsure = unsure or result.tally.summary.unreadable > 0
            for host, at in result.read:
                if host and at:
                    unsure = times.setdefault(host, at) != at or unsure
        outdated = older(pieces) if unsure else {}
        if not outdated:
            yield tally, spool.again()
            return
    left_out(outdated)
    for result in results(pieces(), work(outdated), jobs):
        yield result.tally, result.hosts


def older(pieces: Callable[[], Iterable[Piece]]) -> Older:
    """Return the outdated inventories.

    Inventories without a time or host all count; so do those of the same time, and those of one name whose serial
    numbers are all different. One without serial numbers outdates none that has some: it may be of another machine, as
    many are called localhost. One from the future outdates none: its clock was wrong.
    """
    first = _Reader()
    for piece in pieces():
        first(piece)
    names = {host for host, several in first.found.items() if len({at for at, _, _ in several}) > 1}
    if not names:
        return {}
    second = _Reader(names)
    for piece in pieces():
        second(piece)
    found, latest = {}, datetime.now(timezone.utc) + timedelta(seconds=SKEW)
    for host in sorted(names):
        several = sorted(second.found[host], key=itemgetter(0), reverse=True)
        for number, (at, source, mine) in enumerate(several):
            for newer, best, other in several[:number]:
                if at < newer <= latest and (not mine or mine & other):
                    found[source] = (host, best)
                    break
    return found
