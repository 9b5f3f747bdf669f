"""The pytest plugin in the guest: collects, then runs the tests that the host names, and sends every report as a line.

Its stdin and stdout belong to the conversation; whatever else writes to stdout goes to stderr.
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


def tell(**message: object) -> None:
    """One line to the host."""
    REPORTS.write(json.dumps(message) + "\n")
    REPORTS.flush()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    """Run what the host asks for until it hangs up."""
    items = {item.nodeid: item for item in session.items}
    tell(ready=len(items))
    for line in REQUESTS:
        request = json.loads(line)
        item = items[request["run"]]
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=items.get(request["next"]))
        tell(done=item.nodeid)
    return True


class Sender:
    """Kept in a class so that it is registered after pytest's own plugins have made the report whole."""

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Send it in pytest's own serialised form."""
        data = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        tell(report=data)

    def __init__(self, config: pytest.Config) -> None:
        self.config = config


def pytest_configure(config: pytest.Config) -> None:
    """Register the sender."""
    config.pluginmanager.register(Sender(config))
