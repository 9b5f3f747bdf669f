"""From raidctl to alerts in a real Prometheus."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode

import pytest

from tests.audit.prometheus_files import RULES
from tests.runners.conftest import Server, free_port, program, refusing_port, serving
from tests.support.processes import killed_on_error
from tests.support.waiting import PATIENCE

T = TypeVar("T")
NODE = {"__name__": "node_textfile_scrape_error", "job": "node"}


@contextmanager
def started(*argv: str | Path, environment: Mapping[str, str] | None = None) -> Iterator[subprocess.Popen[str]]:
    """Run a program until the end of the block."""
    environment = environment or {"PATH": os.environ["PATH"]}
    words = list(map(str, argv))
    with killed_on_error(
        subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment)
    ) as process:
        yield process
        process.terminate()


def asked(url: str) -> Any:
    """The data of Prometheus's reply; None if it does not reply."""
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:  # noqa: S310 - our own server
            return json.loads(answer.read())["data"]
    except (urllib.error.URLError, OSError):
        return None


@pytest.mark.slow  # needs a Debian package
def test_an_alert_of_a_simulated_machine_is_pending_in_prometheus(tmp_path: Path) -> None:
    """A degraded array without failed drives raises one alert, about the volume."""
    raidctl = (sys.executable, "-m", "raidctl", "--state-dir", tmp_path / "state")
    subprocess.run([*map(str, raidctl), "demo", "--pull", "raid6", "3"], check=True)
    with started(*raidctl, "--demo", "raid6", "export", "--rules", "--label", "rack=a1", "--listen", "0") as exporter:
        assert exporter.stderr is not None
        served = re.search(r"http://(\S+)/metrics", exporter.stderr.readline())
        assert served
        with prometheus(tmp_path, [{"job_name": "raidctl", "static_configs": [{"targets": [served[1]]}]}]) as base:
            alerts = waiting(base)
    assert {one["labels"]["alertname"] for one in alerts} == {"RaidVolumeDegraded"}
    assert {one["labels"]["volume"] for one in alerts} == {"md:md0"}
    assert {one["state"] for one in alerts} == {"pending"}


@contextmanager
def prometheus(place: Path, scrapes: list[dict[str, Any]]) -> Iterator[str]:
    """Run Prometheus with the alert rules; yields the URL of its API."""
    config = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"}, "rule_files": [str(RULES)],
        "scrape_configs": scrapes,
    }  # fmt: skip
    (place / "prometheus.yml").write_text(json.dumps(config))  # JSON is YAML
    listen = f"127.0.0.1:{free_port()}"
    words = ("--config.file", place / "prometheus.yml", "--storage.tsdb.path", place / "data", "--log.level", "error")
    with started(program("prometheus", "prometheus"), *words, "--web.listen-address", listen):
        yield f"http://{listen}/api/v1"


def waiting(base: str) -> list[dict[str, Any]]:
    """The alerts about a machine, as soon as there is one."""

    def found() -> list[dict[str, Any]]:
        # before the first scrape, no machine has metrics
        alerts = (asked(f"{base}/alerts") or {}).get("alerts", ())
        return [one for one in alerts if one["labels"]["alertname"] != "RaidNoMetrics"]

    return soon(found, "Prometheus has no alert")


def values(base: str, query: str) -> list[tuple[dict[str, str], float]]:
    """The result of a query, or an empty list."""
    found = asked(f"{base}/query?{urlencode({'query': query})}") or {}
    return [(one["metric"], float(one["value"][1])) for one in found.get("result", ())]


def soon(ask: Callable[[], list[T]], complaint: str) -> list[T]:
    """The first result that is not empty."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if found := ask():
            return found
        time.sleep(0.2)
    pytest.fail(complaint)


@pytest.mark.slow  # needs two Debian packages
def test_a_file_reaches_prometheus_through_node_exporter(tmp_path: Path) -> None:
    """The textfile collector reads ``export --output``. A later file ends one alert and raises another."""
    textfiles, state = tmp_path / "textfiles", tmp_path / "state"
    textfiles.mkdir()
    raidctl = [sys.executable, "-m", "raidctl", "--state-dir", str(state)]

    def write() -> None:
        argv = [*raidctl, "--demo", "raid6", "export", "--rules", "--output", str(textfiles / "raidctl.prom")]
        subprocess.run(argv, check=True)

    def names(base: str) -> set[str]:
        return {one["labels"]["alertname"] for one in waiting(base)}

    write()
    listen = f"127.0.0.1:{free_port()}"
    node_exporter = program("prometheus-node-exporter", "prometheus-node-exporter")
    words = ("--collector.disable-defaults", "--collector.textfile", "--collector.textfile.directory", textfiles)
    scrape = {"job_name": "node", "static_configs": [{"targets": [listen]}]}
    with (
        started(node_exporter, *words, "--web.listen-address", listen, "--log.level", "error"),
        prometheus(tmp_path, [scrape]) as base,
    ):
        assert names(base) == {"RaidFinding"}  # md_without_bitmap
        # nothing while the last scrape was late, as on a busy machine
        errors = soon(lambda: values(base, "node_textfile_scrape_error"), "the file was not scraped")
        assert errors == [({**NODE, "instance": listen}, 0.0)]
        written = (textfiles / "raidctl.prom").read_text()
        series = sum(not line.startswith("#") for line in written.splitlines())
        counted = soon(lambda: values(base, 'count({__name__=~"raidctl_.+"})'), "the file has no series")
        assert [count for _, count in counted] == [series]
        subprocess.run([*raidctl, "demo", "--pull", "raid6", "3"], check=True)
        write()
        degraded = soon(
            lambda: values(base, 'ALERTS{alertname="RaidVolumeDegraded"}'), "the degraded volume raises no alert"
        )
        assert [(one["volume"], one["alertstate"]) for one, _ in degraded] == [("md:md0", "pending")]
        soon(lambda: [1] if names(base) == {"RaidVolumeDegraded"} else [], "another alert is left")


def far_hosts(server: Server, place: Path, refusing: int) -> dict[str, str]:
    """The environment of a raidctl with a redirected ssh.

    It connects db1 and db2 to the server, and ``refused`` to a port that refuses.
    """
    (place / "bin").mkdir()
    ssh = program("ssh", "openssh-client")
    (place / "config").write_text(
        f"Host db1 db2 refused\n HostName 127.0.0.1\nHost refused\n Port {refusing}\n"
        f"Host *\n Include {server.place}/config\n"
    )
    (place / "bin" / "ssh").write_text(f'#!/bin/sh\nexec {ssh} -F {place}/config "$@"\n')
    (place / "bin" / "ssh").chmod(0o755)
    return {"PATH": f"{place}/bin:{os.environ['PATH']}", "HOME": str(place)}


@pytest.mark.slow  # needs a Debian package
def test_probes_over_ssh(tmp_path: Path) -> None:
    """Two simultaneous scrapes of a target share one login. Refused and unlisted hosts do not delay others."""
    (tmp_path / "sshd").mkdir()
    with serving(tmp_path / "sshd") as server, refusing_port() as refusing:
        probes_of(server, tmp_path, refusing)


def probes_of(server: Server, tmp_path: Path, refusing: int) -> None:
    """Probe the machines of a server."""
    (tmp_path / "targets").write_text("db1\ndb2\nrefused\n")
    words = ("export", "--rules", "--listen", "0", "--targets", tmp_path / "targets", "--timeout", "30")
    environment = far_hosts(server, tmp_path, refusing)
    with started(sys.executable, "-m", "raidctl", *words, environment=environment) as exporter:
        assert exporter.stderr is not None
        served = re.search(r"http://(\S+)/metrics", exporter.stderr.readline())
        assert served

        def got(target: str) -> tuple[int, str]:
            try:
                with urllib.request.urlopen(f"http://{served[1]}/probe?target={target}", timeout=120) as answer:
                    return answer.status, answer.read().decode()
            except urllib.error.HTTPError as error:
                return error.code, error.read().decode()

        with ThreadPoolExecutor(4) as pool:
            first, second, refused, other = pool.map(got, ("db1", "db1", "refused", "db9"))
        assert first[0] == 200, first[1]
        assert first == second
        assert "raidctl_rule_checks" in first[1]
        assert server.connections() == 1
        assert (refused[0], "Connection refused" in refused[1]) == (503, True)
        assert (other[0], "not in the list" in other[1]) == (403, True)
        scrapes = [probing(job, served[1], "db1", "db2", "refused", "db9") for job in ("one", "two")]
        with prometheus(tmp_path, scrapes) as base:
            up = soon(lambda: found if len(found := values(base, "up")) == 8 else [], "not all were scraped")
            assert {one["instance"] for one, value in up if value} <= {"db1", "db2"}

            def read() -> list[str]:
                found = {one["instance"] for one, _ in values(base, "raidctl_rule_checks")}
                return sorted(found) if len(found) > 1 else []

            assert soon(read, "db1 and db2 are not scraped") == ["db1", "db2"]
        assert server.connections() == 2


def probing(job: str, exporter: str, *targets: str) -> dict[str, Any]:
    """The scrape configuration of docs/export.md."""
    relabel = [
        {"source_labels": ["__address__"], "target_label": "__param_target"},
        {"source_labels": ["__address__"], "target_label": "instance"},
        {"target_label": "__address__", "replacement": exporter},
    ]
    static = [{"targets": list(targets)}]
    return {"job_name": job, "metrics_path": "/probe", "static_configs": static, "relabel_configs": relabel}
