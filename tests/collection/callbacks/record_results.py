# SPDX-License-Identifier: GPL-3.0-or-later
"""A callback plugin of Ansible for the results of tasks. It writes each as a line of JSON."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: record_results
type: notification
short_description: Write results
description: Writes each result of a task as a line of JSON into the file RESULTS.
"""


class CallbackModule(CallbackBase):
    """Writes results."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "record_results"

    def _write(self, how: str, result: Any) -> None:
        line = {"how": how, "host": result._host.get_name(), "task": result._task.get_name(), **result._result}
        with Path(os.environ["RESULTS"]).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, default=str) + "\n")

    def v2_runner_on_ok(self, result: Any) -> None:
        """A task that worked."""
        self._write("ok", result)

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        """A task that failed."""
        del ignore_errors
        self._write("failed", result)

    def v2_runner_on_unreachable(self, result: Any) -> None:
        """A host that cannot be reached."""
        self._write("unreachable", result)
