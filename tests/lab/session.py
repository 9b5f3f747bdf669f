"""A booted machine with a pytest inside. It runs requested tests one by one."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from tests.lab.guest import PYTHONPATH, Background, Guest
from tests.lab.machine import Machine
from tests.lab.places import CHECKOUT, LabError

INSIDE = "RAIDCTL_LAB_INSIDE"
IMPORTS = 900.0  # seconds that pytest and the test files may take to be imported by an emulated processor


class Session:
    """One boot; ``nodeids`` are the tests that may be requested."""

    def __init__(self, machine: Machine, nodeids: Sequence[str]) -> None:
        self.machine = machine
        self.guest = Guest(machine)
        self._pytest: Background | None = None
        self._nodeids = nodeids

    @property
    def alive(self) -> bool:
        """Whether the machine runs."""
        return self.guest.running

    def run(self, nodeid: str, follows: str | None, timeout: float) -> Iterator[dict[str, Any]]:
        """The serialised reports of one test. ``follows`` is the next test, for its fixtures."""
        inside = self._start()
        inside.write(json.dumps({"run": nodeid, "next": follows}).encode() + b"\n")
        while True:
            message = self._read(inside, timeout)
            if "done" in message:
                return
            yield message["report"]

    def close(self) -> None:
        """Power off, and remove the drives."""
        self.guest.close()

    def _start(self) -> Background:
        """Boot and start pytest, unless done."""
        if self._pytest is None:
            self.guest.boot()
            files = sorted({nodeid.split("::", 1)[0] for nodeid in self._nodeids})
            argv = [sys.executable, "-m", "pytest", "-p", "tests.lab.guest_pytest", "-p", "no:cacheprovider"]
            self._pytest = self.guest.start(
                [*argv, "--rootdir", CHECKOUT, "-c", CHECKOUT / "setup.cfg", *files],
                env={**PYTHONPATH, INSIDE: "yes", "PYTEST_ADDOPTS": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "yes"},
                cwd=str(CHECKOUT),
            )
            message = self._read(self._pytest, IMPORTS)
            if "ready" not in message:
                raise LabError(f"pytest in {self.machine.name} said {message}")
        return self._pytest

    def _read(self, inside: Background, timeout: float) -> dict[str, Any]:
        """The next message of pytest. A pytest that has ended is an error with its stderr."""
        line = inside.readline(timeout)
        if not line:
            errors = inside.stderr().decode("utf-8", "replace")[-4000:]
            raise LabError(f"pytest in {self.machine.name} ended: {errors}")
        message: dict[str, Any] = json.loads(line)
        return message
