"""Ctrl-C during a command for many hosts, at any moment."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator

import pytest
from click.testing import CliRunner

from raidctl.cli import cli
from raidctl.cli.shared import many_hosts
from raidctl.cli.shared.options import Settings
from raidctl.fleet.host_threads import Outcome
from raidctl.fleet.hosts import Host
from raidctl.fleet.report import Rank
from raidctl.survey.survey import Survey
from tests.support.machines import replayed

HOSTS = (Host("db1", "db1"), Host("db2", "db2"))


def test_an_interruption_while_a_host_is_saved_shows_this_host(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its files are complete, so it is shown. The exit code is 130, and the next host is counted as not queried."""
    closed = []

    def read(*_: object) -> Iterator[Outcome[str]]:
        try:
            yield from (Outcome(host, 1, host.name) for host in HOSTS)
        finally:
            closed.append("connections")

    def line(_: Host, name: str) -> many_hosts.Line:
        signal.raise_signal(signal.SIGINT)
        return many_hosts.Line(0, Rank.FINE, "new", "saved", result={"name": name})

    monkeypatch.setattr(many_hosts, "read_hosts", read)
    settings = Settings()
    settings.as_json = True
    assert many_hosts.run(settings, "snapshot", lambda named: named.source, line, HOSTS) == 130
    shown = capsys.readouterr()
    document = json.loads(shown.out)
    assert [one["host"] for one in document["hosts"]] == ["db1"]
    assert (document["exit_code"], document["summary"]["not_asked"]) == (130, 1)
    assert shown.err.count("interrupted") == 1
    assert closed == ["connections"]


@pytest.mark.parametrize(
    ("form", "code", "words"),
    [
        ("nagios", 3, "RAID UNKNOWN - 0 of 2 hosts pass; 1 unknown"),
        ("table", 130, "could not be read"),
        ("json", 130, '"hosts_unknown":1'),
        ("jsonl", 130, '"exit_code":130'),
        ("junit", 130, 'errors="1"'),
    ],
)
def test_a_host_that_an_interrupted_audit_did_not_reach_is_unknown_in_each_format(
    form: str, code: int, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No format may look as if the first host, on which nothing is wrong, were all."""

    def read(*_: object) -> Iterator[Outcome[Survey]]:
        yield Outcome(HOSTS[0], 1, replayed("md-healthy"))

    monkeypatch.setattr(many_hosts, "read_hosts", read)
    done = CliRunner().invoke(cli, ["--hosts", "db1,db2", "audit", "--builtin", "--format", form])
    assert done.exit_code == code
    assert words in done.stdout
    assert "interrupted before this host answered" in done.stdout
