"""The chain for real: raidctl serves a simulated machine, Prometheus scrapes it, and the right alerts wait to fire."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.audit.test_prometheus_rules import RULES
from tests.runners.conftest import free_port

PATIENCE = 300
"""Attempts, of a fifth of a second each, before the chain counts as broken."""


@contextmanager
def started(*argv: str | Path) -> Iterator[subprocess.Popen[str]]:
    """A program until the end of the block."""
    with subprocess.Popen(
        list(map(str, argv)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env={"PATH": os.environ["PATH"]},
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.terminate()


def asked(url: str) -> Any:
    """The data of Prometheus's answer; None while it does not answer."""
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:  # noqa: S310 - our own server
            return json.loads(answer.read())["data"]
    except (urllib.error.URLError, OSError):
        return None


@pytest.mark.slow  # needs a Debian package
def test_an_alert_of_a_simulated_machine_waits_in_prometheus(tmp_path: Path) -> None:
    """A degraded array without a failed drive: the volume, and nothing about drives, batteries or reading."""
    raidctl = (sys.executable, "-m", "raidctl", "--state-dir", tmp_path / "state")
    subprocess.run([*map(str, raidctl), "demo", "--pull", "raid6", "3"], check=True)
    with started(*raidctl, "--demo", "raid6", "export", "--rules", "--label", "rack=a1", "--listen", "0") as exporter:
        assert exporter.stderr is not None
        served = re.search(r"http://(\S+)/metrics", exporter.stderr.readline())
        assert served
        config = {
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"}, "rule_files": [str(RULES)],
            "scrape_configs": [{"job_name": "raidctl", "static_configs": [{"targets": [served[1]]}]}],
        }  # fmt: skip
        (tmp_path / "prometheus.yml").write_text(json.dumps(config))  # JSON is YAML
        base = f"http://127.0.0.1:{free_port()}"
        words = ("--config.file", tmp_path / "prometheus.yml", "--storage.tsdb.path", tmp_path / "data")
        with started(
            "prometheus", *words, "--web.listen-address", base.removeprefix("http://"), "--log.level", "error"
        ):
            alerts = waiting(f"{base}/api/v1/alerts")
    assert {one["labels"]["alertname"] for one in alerts} == {"RaidVolumeDegraded"}
    assert {one["labels"]["volume"] for one in alerts} == {"md:md0"}
    assert {one["state"] for one in alerts} == {"pending"}


def waiting(url: str) -> list[dict[str, Any]]:
    """The alerts about a machine, as soon as there is one."""
    pause = threading.Event()
    for _ in range(PATIENCE):
        found = asked(url)
        # before the first scrape, no machine has metrics
        alerts = [one for one in (found or {}).get("alerts", ()) if one["labels"]["alertname"] != "RaidNoMetrics"]
        if alerts:
            return alerts
        pause.wait(0.2)
    pytest.fail("Prometheus has no alert")
