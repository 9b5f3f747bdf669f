"""``raidctl bench powercut`` and ``bench witness`` as they are typed.

They run on NBD servers whose power is cut by SIGKILL.
"""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import jsonschema
import msgspec
import pytest
from click.testing import CliRunner, Result

from raidctl.bench.powercut.report import Cut, PowerCutRun
from raidctl.bench.powercut.witness import Witness
from raidctl.cli import cli
from raidctl.cli.shared.options import Settings
from raidctl.output.json import schema
from tests.bench.nbd_server import nbdkit, uri
from tests.bench.powercut_setup import fair, patient
from tests.support.processes import killed_on_error
from tests.support.temporary import on_a_drive
from tests.support.waiting import until

__all__ = ["on_a_drive"]

TOKEN = b"a token that both machines have"
ENOUGH = 200
"""Acknowledged writes before the power is cut."""


class Station:
    """A witness in this process, and the command that uses it."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.ending = False
        """Whether the witness vanishes instead of the drive."""
        self.witness = Witness(place, TOKEN, lambda _: None)
        self.port = self.witness.listen("127.0.0.1", 0)[1]
        (place / "token").write_bytes(TOKEN)

    def run(self, target: str, *words: str) -> Result:
        """The command, to its end."""
        begin = ["bench", "powercut", target, "--witness", f"127.0.0.1:{self.port}"]
        state = ["--state-dir", str(self.place / "state")]
        return CliRunner().invoke(cli, [*begin, "--token-file", str(self.place / "token"), *words, *state])

    def cut(self, cache: str, *words: str) -> Result:
        """Write to a server with a cache until enough is acknowledged. Then kill the server and its cache."""
        until(lambda: not self.witness.acknowledged())  # it may not have noticed yet that the last session ended
        with served(self.place, cache) as server:
            killer = threading.Thread(target=self._kill, args=(server,))
            killer.start()
            done = self.run(uri(self.place), "--overwrite", "all", "--yes", *words)
            server.kill()  # the command may have ended without writing
            killer.join()
        return done

    def check(self, *words: str) -> Result:
        """Check what is left."""
        with served(self.place, "writeback"):
            return self.run(uri(self.place), "--resume", "last", "--check", "--cut-by", "server", *words)

    def _kill(self, server: subprocess.Popen[bytes]) -> None:
        while self.witness.acknowledged() < ENOUGH and server.poll() is None:
            time.sleep(0.01)
        if self.ending:
            self.witness.stop()
        else:
            server.kill()


@contextmanager
def served(place: Path, cache: str) -> Iterator[subprocess.Popen[bytes]]:
    """A 1 MiB drive, with a cache that dies with its server."""
    disk = place / "disk"
    if not disk.exists():
        disk.write_bytes(bytes(1 << 20))
    with nbdkit(place, "--filter=cache", "file", str(disk), f"cache={cache}") as server:
        yield server


@pytest.fixture
def station(tmp_path: Path) -> Iterator[Station]:
    """A witness that accepts connections."""
    station = Station(tmp_path)
    thread = threading.Thread(target=station.witness.serve)
    thread.start()
    with patient():
        yield station
    station.witness.stop()
    thread.join()


def test_an_honest_cache_loses_nothing_in_two_cuts_of_one_run(station: Station) -> None:
    """The second session checks the first cut before it writes."""
    first = station.cut("writeback")
    assert first.exit_code == 3
    assert "Writing: cut the power at any time. After the start: raidctl bench powercut" in first.stderr
    assert "The target failed after" in first.stderr
    second = station.cut("writeback", "--resume", "last", "--cut-by", "server")
    assert "no loss" in second.stdout
    done = station.check("--json")
    assert done.exit_code in {0, 3}, done.output
    reported = json.loads(done.stdout)
    jsonschema.validate(reported, schema("Power-cut run", PowerCutRun))
    assert [(cut["verdict"], cut["how"]) for cut in reported["cuts"]] == [("none", "server")] * 2
    # a busy machine may pause between a flush and the cut, which then does not count
    assert reported["clean"] == sum(cut["counted"] for cut in reported["cuts"])
    assert all(fair(msgspec.convert(cut, Cut)) for cut in reported["cuts"])


def test_a_cache_that_ignores_flushes_is_caught(station: Station) -> None:
    """The loss is found at the first cut, with exit code 1. Nothing more is written."""
    station.cut("unsafe")
    done = station.check()
    assert done.exit_code == 1, done.output
    assert "LOST" in done.stdout
    assert "Acknowledged data was lost" in done.stdout
    assert station.cut("unsafe", "--resume", "last").exit_code == 1


def test_a_file_is_made_kept_and_removed(station: Station) -> None:
    """In a directory, only that file is touched. If it is not as it was made, it is refused."""
    folder = station.place / "data"
    folder.mkdir()
    (folder / "mine").write_text("untouched")
    dry = station.run(str(folder), "--size", "1MiB", "--dry-run")
    assert (dry.exit_code, [path.name for path in folder.iterdir()]) == (0, ["mine"])
    done = station.run(str(folder), "--size", "1MiB", "--most", "1MiB")
    assert done.exit_code == 3
    assert "without a cut: continue with" in done.stderr
    [made] = folder.glob("raidctl-powercut-*.dat")
    whole = made.read_bytes()
    made.write_bytes(whole[:-1])
    refused = station.run(str(folder), "--resume", "last", "--check")
    assert "is not the file that the run has made: it is left as it is." in refused.stderr
    assert refused.exit_code == 3
    made.write_bytes(whole[:8192] + b"data of another program".ljust(4096) + whole[12288:])
    other = station.run(str(folder), "--resume", "last")
    assert (other.exit_code, "is in 1 block of the range" in other.stderr) == (3, True), other.output
    assert made.read_bytes()[8192:12288].startswith(b"data of another program")
    made.write_bytes(whole)
    done = station.run(str(folder), "--resume", "last", "--check", "--remove")
    assert "No cut has counted yet." in done.stdout
    assert [path.name for path in folder.iterdir()] == ["mine"]
    missing = station.run(str(folder), "--resume", "last", "--check")
    assert (missing.exit_code, "is missing: it was removed, or was lost" in missing.stderr) == (3, True)
    assert (folder / "mine").read_text() == "untouched"


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (["--check"], 2, "need --resume"),
        (["--cut-by", "plug"], 2, "need --resume"),
        (["--resume", "last", "--check", "--remove", "--dry-run"], 2, "cannot be used with --dry-run"),
        (["--resume", "last", "--remove"], 2, "--remove needs --check"),
        (["--resume", "last", "--group", "4"], 2, "the run keeps its own"),
        (["--resume", "last"], 3, "has no run yet"),
        (["--size", "16KiB"], 2, "must be at least 1MiB"),
        (["--size", "2GiB"], 2, "The range is 2 GiB; it must be 64 KiB to 1 GiB"),
        (["--most", "much"], 2, "is not a size with a unit"),
        (["--overwrite", "all"], 2, "--overwrite is for devices"),
    ],
)
def test_impossible_options_are_refused(station: Station, words: list[str], code: int, why: str) -> None:
    """Impossible options are refused before any file is made."""
    folder = station.place / "data"
    folder.mkdir()
    done = station.run(str(folder), *words)
    assert (done.exit_code, why in " ".join(done.stderr.split())) == (code, True), done.stderr
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("address", ["host", "host:", ":1", "host:70000", "2001:db8::7:1", "host:x"])
def test_an_address_needs_a_port(tmp_path: Path, address: str) -> None:
    """Both commands refuse an address without a port."""
    (tmp_path / "token").write_bytes(TOKEN)
    for words in (["witness", "--listen", address], ["powercut", str(tmp_path), "--witness", address]):
        done = CliRunner().invoke(cli, ["bench", *words, "--token-file", str(tmp_path / "token")])
        assert (done.exit_code, "is not an address with a port" in done.stderr) == (2, True), done.output


def test_a_cut_after_the_witness_was_lost_is_not_counted(station: Station) -> None:
    """Until the run continues, the machine stores what its witness cannot record."""
    kept = station.place / "state/powercut-left"
    station.ending = True
    done = station.cut("writeback")
    assert (done.exit_code, "is gone" in done.stderr) == (3, True), done.output
    run = kept.read_text().strip()
    assert run in done.stderr
    again = Station(station.place)
    thread = threading.Thread(target=again.witness.serve)
    thread.start()
    resumed = again.check()
    again.witness.stop()
    thread.join()
    assert "No cut has counted yet." in resumed.stdout
    assert not kept.exists()


def test_without_a_witness_nothing_is_made(tmp_path: Path) -> None:
    """Without a witness, the exit code is that of an unreachable machine. One sentence is printed."""
    (tmp_path / "token").write_bytes(TOKEN)
    (tmp_path / "data").mkdir()
    words = ["powercut", str(tmp_path / "data"), "--witness", "127.0.0.1:1", "--token-file", str(tmp_path / "token")]
    done = CliRunner().invoke(cli, ["bench", *words, "--state-dir", str(tmp_path)])
    assert (done.exit_code, "No witness can be reached" in done.stderr) == (8, True), done.output
    assert list((tmp_path / "data").iterdir()) == []


def test_the_commands_of_the_page_are_accepted() -> None:
    """The commands of ``docs/powercut.md`` are accepted. They run up to the point at which they would do something."""
    page = (Path(__file__).resolve().parents[2] / "docs/powercut.md").read_text(encoding="utf-8")
    lines = re.findall(r"(?m)^    (raidctl .*)$", page.replace("\\\n        ", ""))
    assert len(lines) > 8
    for line in lines:
        with cli.make_context("raidctl", shlex.split(line.partition(" > ")[0])[1:], obj=Settings()) as context:
            group: click.Command = cli
            words = [*context._protected_args, *context.args]
            while isinstance(group, click.Group):
                _, found, words = group.resolve_command(context, words)
                assert found is not None, line
                group = found
            group.make_context("raidctl", words, parent=context)


def test_the_witness_makes_its_token_for_its_owner_alone_and_ends_in_order(tmp_path: Path) -> None:
    """Its first line is for programs. A signal ends it with exit code 0."""
    argv = [sys.executable, "-m", "raidctl", "--json", "bench", "witness", "--listen", "127.0.0.1:0"]
    with killed_on_error(
        subprocess.Popen([*argv, "--directory", str(tmp_path / "w")], stdout=subprocess.PIPE)
    ) as process:
        assert process.stdout is not None
        reported = json.loads(process.stdout.readline())
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    token = Path(reported["token_file"])
    assert token == tmp_path / "w/token"
    assert (token.stat().st_mode & 0o777, len(token.read_text().strip())) == (0o600, 64)
    assert reported["listening"].startswith("127.0.0.1:")
