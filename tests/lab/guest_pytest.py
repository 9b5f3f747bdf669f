"""The pytest plugin in the guest. It runs the tests that the host names, and sends each report as a line.

Its stdin and stdout are the connection; everything else that is written to stdout goes to stderr.
"""

from __future__ import annotations

import json
import os
import sys

import pytest

REQUESTS = os.fdopen(os.dup(0), "r", encoding="utf-8")
REPORTS = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
os.dup2(2, 1)
sys.stdout = sys.stderr


def send(**message: object) -> None:
    """Send one line to the host."""
    REPORTS.write(json.dumps(message) + "\n")
    REPORTS.flush()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    """Run what the host requests until it disconnects."""
    items = {item.nodeid: item for item in session.items}
    send(ready=len(items))
    for line in REQUESTS:
        request = json.loads(line)
        item = items[request["run"]]
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=items.get(request["next"]))
        send(done=item.nodeid)
    return True


class Sender:
    """Sends reports; registered last, so that pytest's plugins have completed them."""

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Send the report in pytest's serialised form."""
        data = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        send(report=data)

    def __init__(self, config: pytest.Config) -> None:
        self.config = config


def pytest_configure(config: pytest.Config) -> None:
    """Register the sender."""
    config.pluginmanager.register(Sender(config))
