"""Power cuts of a machine that writes. QEMU and the caches of its drives are killed, and the next boot checks.

The witness runs on the host. `tests/lab/test_lab_powercut.py` makes a few cuts, `benchmarks/powercut.py` a table.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from raidctl import json_decode
from raidctl.bench.powercut.report import PowerCutRun
from raidctl.bench.powercut.witness import Witness
from tests.lab.guest import Background, Guest
from tests.lab.machines_powercut import HOST, POWERCUT

TOKEN = b"a token that both machines have"
PLACE = "/run/token"
ACKNOWLEDGED = 64
"""Writes to wait for before the power is cut."""
PATIENCE = 900.0
"""Seconds in which a drive must have acknowledged that number."""
IMPORTS = ("raidctl.cli.bench._powercut", "raidctl.verify.subjects", "raidctl.output.powercut")


@dataclass
class Station:
    """A witness on the host's loopback, for one drive."""

    directory: Path
    printed: list[str] = field(default_factory=list)

    def __enter__(self) -> Station:  # noqa: PYI034 - Self is not in the typing of Python 3.10
        self.directory.mkdir()
        self.witness = Witness(self.directory, TOKEN, self.printed.append)
        _, self.port = self.witness.listen("127.0.0.1", 0)
        self._thread = threading.Thread(target=self.witness.serve)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.witness.stop()
        self._thread.join()


@dataclass
class Drill:
    """The machine, and the witnesses of its two drives."""

    guest: Guest
    honest: Station
    liar: Station

    def command(self, serial: str, station: Station, *words: str) -> list[str]:
        """``raidctl bench powercut`` for a drive."""
        [drive] = [one for one in POWERCUT.drives if one.serial == serial]
        sizes = self.guest.sh("cd /sys/block; for disk in vd*; do echo /dev/$disk $(cat $disk/size); done")
        nodes = {int(size) * 512: node for node, size in (line.split() for line in sizes.splitlines())}
        begin = ["--json", "bench", "powercut", nodes[drive.size], "--witness", f"{HOST}:{station.port}"]
        return [*begin, "--token-file", PLACE, *words]

    def boot(self) -> None:
        """Power on."""
        self.guest.boot()
        self.guest.write_file(PLACE, TOKEN)

    def write(self, serial: str, station: Station, *words: str) -> Background:
        """Start writing to a drive, and wait until some writes are acknowledged."""
        words = ("--overwrite", "0+4MiB", "--yes", *words)
        started = self.guest.start_raidctl(*self.command(serial, station, *words), imports=IMPORTS)
        end = time.monotonic() + PATIENCE
        while station.witness.acknowledged() < ACKNOWLEDGED:
            assert time.monotonic() < end, (
                f"{serial} was not written to: {started.stderr().decode()}; {station.printed}"
            )
            assert started.wait(0.2) is None, f"{serial}: {started.stderr().decode()}; {station.printed}"
        return started

    def check(self, serial: str, station: Station) -> tuple[int, PowerCutRun]:
        """Check a drive after a cut; the exit code and the run."""
        words = self.command(serial, station, "--resume", "last", "--check", "--cut-by", "plug")
        done = self.guest.raidctl(*words, timeout=PATIENCE, imports=IMPORTS)
        assert done.out, done
        return done.rc, json_decode.decode(done.out, PowerCutRun)

    def cut(self) -> None:
        """Cut the power of both drives and of the machine."""
        self.guest.kill()
