"""The commands that judge and compare, on another machine.

They use the real ssh client and a real sshd on the loopback address.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from raidctl.cli import cli
from tests.runners.conftest import SBIN, MakeServer, Server

Far = Callable[..., Result]


@pytest.fixture
def far(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Far:
    """Run a command line with ``--host``. For ssh, the server's configuration takes the place of the user's own."""
    _client(server, tmp_path, monkeypatch)

    def start(*words: str) -> Result:
        return CliRunner().invoke(cli, ["--state-dir", str(tmp_path / "kept"), "--host", "127.0.0.1", *words])

    return start


def _client(server: Server, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = place / "bin" / "ssh"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec /usr/bin/ssh -F {server.place}/config "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{SBIN}")


@pytest.mark.slow
def test_every_judgement_is_about_the_far_machine(far: Far) -> None:
    """The output names the remote machine. The exit code is a result, not a failure."""
    for words in (("diagnose",), ("audit", "--builtin"), ("verify",)):
        done = far("--json", *words)
        assert done.exit_code in (0, 1, 3, 4), (words, done.stderr)
        assert '"ssh:127.0.0.1"' in done.stdout


@pytest.mark.slow
def test_a_far_machine_is_kept_and_compared(far: Far) -> None:
    """Its state goes into the store here, and nothing has changed since."""
    assert far("snapshot").stdout.startswith(f"Saved as snapshot 1, the first of {os.uname().nodename}")
    found = json.loads(far("--json", "diff").stdout)
    assert (found["before"]["name"], found["after"]["name"], found["changes"]) == ("snapshot 1", "now", [])


def test_a_path_of_a_claim_is_looked_for_on_that_machine(far: Far) -> None:
    """A path that is not there names no volume, not that of ``/``."""
    done = far("verify", "--volume-status", "ok", "/no/such/directory")
    assert (done.exit_code, 'There is no "/no/such/directory" on' in done.stderr) == (2, True)
    assert '"raidctl --host 127.0.0.1 show" lists what there is' in far("show", "no-such-object").stderr


@pytest.mark.parametrize("words", [("verify", "--measure", "."), ("bench", "run", ".")])
def test_the_clock_is_never_asked_over_ssh(far: Far, words: tuple[str, ...]) -> None:
    """Measuring over ssh is wrong usage, and no connection is made. The measurement would include the network."""
    done = far(*words)
    assert (done.exit_code, "Only this machine can be measured" in done.stderr) == (2, True)


def test_a_key_that_is_refused_is_one_sentence_with_one_full_stop(
    make_server: MakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It contains ssh's own message."""
    _client(make_server("AllowUsers nobody-at-all"), tmp_path, monkeypatch)
    done = CliRunner().invoke(cli, ["--host", "127.0.0.1", "diagnose"])
    assert done.exit_code == 8
    assert "Permission denied" in done.stderr
    assert "). Try the same host with ssh itself." in done.stderr


def test_a_changed_host_key_is_one_sentence_with_the_commands(
    make_server: MakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A changed host key is one sentence, not the banner of ssh.

    The sentence has the old key's place, what to compare, and how to accept the new one.
    """
    server = make_server()
    other = (server.place / "user.pub").read_text().split()[1]
    (server.place / "known").write_text(f"[127.0.0.1]:{server.port} ssh-ed25519 {other}\n")
    _client(server, tmp_path, monkeypatch)
    done = CliRunner().invoke(cli, ["--host", "127.0.0.1", "show"])
    assert done.exit_code == 8
    assert "@@@" not in done.stderr
    assert f"line 1 of {server.place}/known" in done.stderr
    assert "ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub" in done.stderr
    assert f"-R '[127.0.0.1]:{server.port}'" in done.stderr.replace('"', "'")
    assert len(done.stderr) < 700
