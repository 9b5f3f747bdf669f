"""One command on many real ssh servers, some of them broken."""

from __future__ import annotations

import contextlib
import errno
import http.client
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner, Result

from raidctl.cli import cli
from raidctl.output.json import to_json
from raidctl.recording.recording import load
from raidctl.survey.survey import survey
from raidctl.vendor.registry import vendors
from tests.runners.conftest import Server, refusing_port
from tests.support.processes import killed_on_error, serving

pytestmark = pytest.mark.slow

GOOD = ("db1", "db2", "rubbish", "bare")
UNREACHABLE = ("refused", "changed", "denied", "password", "no-such-host.invalid", "closed")
RUBBISH = r"printf 'Welcome\n\000\377raidctl-<>#1 5 5\n'; echo motd >&2"
BARE = "PATH=/bin; export PATH; unset HOME; ulimit -n 64"


def through(words: str) -> str:
    """A line for sshd that does something before every command."""
    return f'ForceCommand {words}; eval "$SSH_ORIGINAL_COMMAND"'


@dataclass
class Fleet:
    """The servers, and their inventory."""

    inventory: Path
    servers: dict[str, Server]

    def __call__(self, *words: str | Path) -> Result:
        """Run raidctl on all of them."""
        return CliRunner().invoke(cli, ["--hosts", str(self.inventory), "--timeout", "20", *map(str, words)])


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Hosts that answer, and hosts that fail in each way. Host db1 is listed twice, and db2 is the same machine."""
    place = tmp_path_factory.mktemp("fleet")
    (place / "banner").write_text("Authorised use only\n" * 40)
    wanted: dict[str, tuple[str, ...]] = {
        "db1": (),
        "rubbish": (f"Banner {place}/banner", through(RUBBISH)),
        "bare": (through(BARE),),
        "changed": (),
        "denied": (),
        "password": ("PasswordAuthentication yes",),
        "closed": ("ForceCommand echo This account is closed; exit 1",),
        # the shell begins, and the connection breaks after some of the answers
        "cut": ('ForceCommand eval "$SSH_ORIGINAL_COMMAND" | head -c 3000',),
    }
    servers = {}
    for name, options in wanted.items():
        (place / name).mkdir()
        servers[name] = Server(place / name, options=options)
        servers[name].start()
    other = (servers["db1"].place / "host.pub").read_text().split()[1]
    (servers["changed"].place / "known").write_text(f"[127.0.0.1]:{servers['changed'].port} ssh-ed25519 {other}\n")
    for name in ("denied", "password"):
        (servers[name].place / "authorized").write_text("")
    lines = [
        f"{name} ansible_host=127.0.0.1 ansible_ssh_common_args='-F {server.place}/config'"
        for name, server in servers.items()
    ]
    with pytest.MonkeyPatch.context() as patch, refusing_port() as refusing:
        (place / "hosts").write_text(
            "\n".join(
                (
                    *lines,
                    lines[0],
                    lines[0].replace("db1 ", "db2 ", 1),
                    f"refused ansible_host=127.0.0.1 ansible_port={refusing}",
                    "no-such-host.invalid",
                    "here ansible_connection=local",
                )
            )
        )
        patch.setattr("raidctl.fleet.host_threads.PAUSE", 0.1)
        patch.setattr("raidctl.runners.connection.PAUSE", 0.1)
        yield Fleet(place / "hosts", servers)
    for server in servers.values():
        server.stop()


@pytest.fixture(scope="module")
def shown(fleet: Fleet) -> Result:
    """``show`` of all of them as JSON."""
    return fleet("--json", "show")


def answers(done: Result) -> dict[str, Any]:
    """The hosts' answers by name, each of which is there once."""
    document = json.loads(done.stdout)
    found = {one["host"]: one for one in document["hosts"]}
    assert len(found) == len(document["hosts"]) == document["summary"]["hosts"]
    assert done.exit_code == document["exit_code"]
    return found


def test_each_host_has_its_answer_or_its_reason(fleet: Fleet, shown: Result) -> None:
    """Hosts that fail do not affect the others. Each host has a sentence and an exit code; the worst come first."""
    found = answers(shown)
    assert set(found) == {*GOOD, *UNREACHABLE, "cut", "here"}
    assert shown.exit_code == 8
    assert {name for name, one in found.items() if one["exit_code"] == 8} == set(UNREACHABLE)
    assert found["here"]["exit_code"] == 2
    for name, words in {
        "refused": "Connection refused", "changed": "host key has changed",
        "denied": "Permission denied", "password": "(publickey,password",
        "no-such-host.invalid": "resolve", "closed": "No shell", "here": "local",
    }.items():  # fmt: skip
        assert words in found[name]["error"], found[name]["error"]
    assert [found[name]["tries"] for name in ("refused", "changed", "denied", "db1")] == [2, 1, 1, 1]

    screen = fleet("show").stdout
    assert screen.startswith("12 hosts: ")
    rows = [line.split()[0] for line in screen.splitlines()[2:] if line[:1].strip()]
    assert sorted(rows) == sorted(found)
    assert max(rows.index(name) for name in UNREACHABLE) < min(rows.index(name) for name in GOOD)


def test_the_answer_of_a_host_is_that_of_the_host_alone(fleet: Fleet, shown: Result) -> None:
    """A host's inventory equals that of a survey of this host alone.

    Neither what its login prints, a missing PATH, nor a second name changes it.
    """
    found = answers(shown)
    families, problems = vendors()
    with fleet.servers["db1"].runner() as runner:
        alone = survey(runner, families, source="ssh:db1", problems=problems).inventory
    expected = json.loads(to_json(alone))
    for name in GOOD:
        one = found[name]["result"]
        assert one["host"].pop("source") == f"ssh:{name}"
        one["host"].pop("collected_at")
        assert one["controllers"] == expected["controllers"], name
        assert one["problems"] == expected["problems"], name
        assert one["tools"] == expected["tools"], name


def test_an_answer_that_was_cut_is_unread_and_never_absent(shown: Result) -> None:
    """Nothing is concluded about a host whose replies break off. No drive or tool is called missing."""
    one = answers(shown)["cut"]
    assert one["exit_code"] == 3
    kinds = {problem["kind"] for problem in one["result"]["problems"]}
    assert "unread" in kinds


def test_nothing_of_a_host_that_does_not_answer_is_replaced(fleet: Fleet, tmp_path: Path) -> None:
    """Only good hosts get new snapshot files and recordings. Those of the others are byte for byte as before."""
    place = tmp_path / "states"
    assert fleet("snapshot", "--output", place).exit_code == 8
    assert {path.stem for path in place.iterdir()} == {*GOOD, "cut"}
    again = answers(fleet("--limit", "db1,cut", "--json", "snapshot", "--output", place))
    assert {name for name, one in again.items() if "not everything could be read" in one["message"]} == {"cut"}
    again = answers(fleet("--limit", "db1,cut", "--json", "diff", place))
    assert {name for name, one in again.items() if "as far as it could be read" in one["message"]} == {"cut"}
    good = (place / "db1.json").read_bytes()
    for name in (*UNREACHABLE, "cut"):
        (place / f"{name}.json").write_bytes(good)
    found = answers(fleet("--json", "snapshot", "--output", place))
    assert {name: found[name]["state"] for name in GOOD} == dict.fromkeys(GOOD, "same")
    assert found["cut"]["exit_code"] == 3
    assert "not replaced" in found["cut"]["error"]
    assert {path.read_bytes() for path in place.glob("*.json") if path.stem in {*UNREACHABLE, "cut"}} == {good}

    differences = answers(fleet("--json", "diff", place))
    assert {name: differences[name]["exit_code"] for name in GOOD} == dict.fromkeys(GOOD, 0)
    assert differences["cut"]["exit_code"] == 3

    recordings = tmp_path / "recordings"
    recordings.mkdir()
    (recordings / "db2.tar.gz").write_bytes(b"precious")
    found = answers(fleet("--json", "record", recordings))
    assert found["db2"]["exit_code"] == 2
    assert (recordings / "db2.tar.gz").read_bytes() == b"precious"
    assert load(str(recordings / "db1.tar.gz")).manifest.source == "ssh:db1"
    assert not any((recordings / f"{name}.tar.gz").exists() for name in UNREACHABLE)


def test_a_full_file_system_only_loses_the_later_hosts(
    fleet: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each later host has a sentence and exit code 3.

    The files that were there stay whole, and no partial file is left.
    """
    place = tmp_path / "states"
    fleet("snapshot", "--output", place)
    old = (place / "db1.json").read_bytes().replace(b'"schema_version"', b'"schema_version" ', 1)
    for name in (*GOOD, "cut"):
        (place / f"{name}.json").write_bytes(old)
    calls = count()
    fsync = os.fsync

    def full(handle: int) -> None:
        if next(calls):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", full)
    found = answers(fleet("--json", "snapshot", "--output", place, "--force"))
    written = [name for name in (*GOOD, "cut") if found[name]["error"] is None]
    assert len(written) == 1
    late = {*GOOD, "cut"} - set(written)
    assert {found[name]["exit_code"] for name in late} == {3}
    assert all("No space left on device" in found[name]["error"] for name in late)
    assert {found[name]["exit_code"] for name in UNREACHABLE} == {8}
    assert {path.stem for path in place.iterdir()} == {*GOOD, "cut"}
    assert [path.stem for path in place.iterdir() if path.read_bytes() != old] == written


def test_the_inventory_can_be_limited(fleet: Fleet) -> None:
    """Only these are queried."""
    assert set(answers(fleet("--limit", "db*,refused,!db2", "--json", "show"))) == {"db1", "refused"}


def test_saved_snapshots_of_two_names_are_kept_apart(fleet: Fleet, tmp_path: Path) -> None:
    """Hosts with one name are compared with their own previous snapshots."""
    state = ("--state-dir", tmp_path)
    first = answers(fleet(*state, "--json", "snapshot"))
    assert {name: first[name]["state"] for name in GOOD} == dict.fromkeys(GOOD, "new")
    second = answers(fleet(*state, "--json", "snapshot"))
    assert {name: second[name]["state"] for name in GOOD} == dict.fromkeys(GOOD, "same")
    found = answers(fleet(*state, "--json", "diff", "-2"))
    for name in GOOD:
        assert found[name]["result"]["before"]["name"] == f"snapshot {first[name]['result']['id']}"
        assert found[name]["result"]["verdict"] == "same"
    assert found["refused"]["exit_code"] == 8
    listed = json.loads(CliRunner().invoke(cli, [*map(str, state), "snapshot", "--list", "--json"]).stdout)
    mine = [one for one in listed if one["source"].removeprefix("ssh:") in GOOD]
    assert len(mine) == 2 * len(GOOD)
    assert sum(one["changed"] for one in mine) == len(GOOD)


def test_the_other_commands(fleet: Fleet) -> None:
    """Diagnose and doctor have an answer for each host. Audit has its own report, by the given names."""
    for command in ("diagnose", "doctor"):
        found = answers(fleet("--json", command))
        assert {found[name]["exit_code"] for name in UNREACHABLE} == {8}
        assert all(found[name]["result"] for name in GOOD)
        assert found["cut"]["exit_code"] == 3
    done = fleet("audit", "--builtin", "--json")
    document = json.loads(done.stdout)
    codes = {one["host"]: one["exit_code"] for one in document["hosts"]}
    assert set(codes) == {*GOOD, *UNREACHABLE, "cut", "here"}
    assert {codes[name] for name in UNREACHABLE} == {8}
    assert codes["cut"] == 3
    assert done.exit_code == (1 if 1 in codes.values() else 8)
    assert {one["host"] for one in document["hosts"] if one["unreadable"]} == {*UNREACHABLE, "here"}


def test_an_interruption_shows_what_is_there(fleet: Fleet, tmp_path: Path) -> None:
    """Ctrl-C while a host hangs shows the hosts that have answered.

    It also shows the number of the others: exit code 130.
    """
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(5)
        line = next(line for line in fleet.inventory.read_text().splitlines() if line.startswith("db1 "))
        (tmp_path / "hosts").write_text(
            f"{line}\nhanging ansible_host=127.0.0.1 ansible_port={silent.getsockname()[1]} "
            "ansible_ssh_common_args='-o ConnectTimeout=60'\n"
        )
        place = tmp_path / "states"
        argv = ["--hosts", str(tmp_path / "hosts"), "--json", "snapshot", "--output", str(place)]
        with killed_on_error(
            subprocess.Popen([sys.executable, "-m", "raidctl", *argv], stdout=subprocess.PIPE, text=True)
        ) as running:
            while not (place / "db1.json").exists() and running.poll() is None:
                time.sleep(0.05)
            os.kill(running.pid, signal.SIGINT)
            out, _ = running.communicate(timeout=60)
    document = json.loads(out)
    assert running.returncode == document["exit_code"] == 130
    assert [one["host"] for one in document["hosts"]] == ["db1"]
    assert document["summary"]["not_asked"] == 1


def test_a_host_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A host that never replies is unreachable after the time limit. It accepts the connection, and is tried again."""
    monkeypatch.setattr("raidctl.fleet.host_threads.PAUSE", 0.1)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(5)
        (tmp_path / "hosts").write_text(f"hanging ansible_host=127.0.0.1 ansible_port={silent.getsockname()[1]}\n")
        done = CliRunner().invoke(cli, ["--hosts", str(tmp_path / "hosts"), "--timeout", "1", "--json", "show"])
    one = answers(done)["hanging"]
    assert (one["exit_code"], one["tries"]) == (8, 2)
    assert "No connection" in one["error"]


def test_a_small_list_on_the_command_line() -> None:
    """Names alone; a file that is not there is no host."""
    done = CliRunner().invoke(cli, ["--hosts", "a.invalid,b.invalid", "--jobs", "1", "--json", "show"])
    assert {name: one["exit_code"] for name, one in answers(done).items()} == {"a.invalid": 8, "b.invalid": 8}


def test_the_commands_of_the_manual(fleet: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command line of docs/fleet.md runs, in the order of the page. None loses a host."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    page = (Path(__file__).resolve().parents[2] / "docs" / "fleet.md").read_text(encoding="utf-8")
    lines = [line for block in re.findall(r"(?ms)^```sh\n(.+?)^```", page) for line in block.splitlines()]
    lines = [re.sub(r"^out=\$\((.+)\) \|\| .*", r"\1", line) for line in lines]
    (tmp_path / "site.toml").write_text('raid_level = ["raid1", "raid6"]\n')
    chosen = [line for line in fleet.inventory.read_text().splitlines() if line.startswith(("db1 ", "refused "))]
    (tmp_path / "hosts").write_text("\n".join(chosen))
    commands = [shlex.split(line, comments=True) for line in lines]
    assert len(commands) > 8
    for words in commands:
        words = words[: words.index(">")] if ">" in words else words  # noqa: PLW2901 - the shell's part
        assert words[:3] == ["raidctl", "--hosts", "hosts"]
        done = CliRunner().invoke(
            cli, ["--state-dir", str(tmp_path / "state"), *(w for w in words[1:] if w != "--sudo")]
        )
        assert done.exit_code in {1, 8}, f"{words}: {done.output}"
        assert {"db1", "refused"} <= set(re.findall(r"\b(?:db1|refused)\b", done.output)), words


def test_targets_of_an_export_are_reached_as_the_inventory_describes(fleet: Fleet) -> None:
    """``--targets`` reads the inventory of ``--hosts``. Address, port and arguments of ssh are those of the host."""
    words = ["--timeout", "20", "export", "--listen", "0", "--targets", str(fleet.inventory)]
    with serving(*words) as (_, url):
        place = urlsplit(url)
        pages = {}
        for target in ("db1", "here", "refused"):
            with contextlib.closing(http.client.HTTPConnection(place.netloc, timeout=60)) as connection:
                connection.request("GET", f"/probe?target={target}")
                response = connection.getresponse()
                pages[target] = response.status, b"raidctl_build_info" in response.read()
        assert pages == {"db1": (200, True), "here": (503, False), "refused": (503, False)}
