# Copyright: (c) the authors of raidctl
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs raidctl's scripts through Ansible's connection."""

from __future__ import annotations

import threading
import typing as t

from ansible.errors import AnsibleConnectionFailure, AnsibleError

try:
    from raidctl.cli.shared.embedded import prepare
    from raidctl.request import Answer, Failure, RunAnswer
except ImportError as error:
    IMPORT_ERROR: ImportError | None = error
else:
    IMPORT_ERROR = None
    # Ansible loads action plugins before it forks a worker for each host, so this runs once for all hosts.
    prepare()

HOLD = b"""for hold in /dev/shm /run /tmp /var/tmp; do
hold=$(mktemp -d "$hold/raidctl-XXXXXXXXXX" 2>/dev/null) && break
done
mkfifo "$hold/in" && exec 8<>"$hold/in" && exec <&8 8<&-
rm -rf -- "$hold"
"""
"""Script for a standard input that does not end. At the end of its input, raidctl's script ends its programs, and
Ansible closes the input at once."""


class AnsibleSessions:
    """Runs scripts through the connection of a task, one after the other."""

    def __init__(self, execute: t.Callable[..., dict[str, t.Any]], command: str) -> None:
        """``execute`` is the action's ``_low_level_execute_command``, ``command`` starts a shell on the target."""
        self._execute = execute
        self._command = command
        self._guard = threading.Lock()
        self._failure = Answer()
        self.passing = False
        self.error: AnsibleConnectionFailure | None = None
        self.reason = ""
        """Why no shell could be used; empty if one was used."""

    def begin(self) -> t.Any:
        """Return the failure, if any; Ansible connects with the first script."""
        return self._failure

    def ready(self) -> t.Any:
        """Return the failure, if any; a failed connection is not retried."""
        return self._failure

    def settle(self) -> None:
        """Do nothing: a script returns only when its session has ended."""

    def close(self) -> None:
        """Do nothing: the connection belongs to Ansible."""

    def run(self, bounds: t.Any) -> t.Any:
        """Run a script, and return its exit code and outputs."""
        with self._guard:
            if self._failure.trouble:
                return RunAnswer(trouble=self._failure.trouble, detail=self._failure.detail)
            try:
                done = self._execute(self._command, in_data=b"{\n" + HOLD + bounds.feed + b"\n}\n")
            except AnsibleConnectionFailure as error:
                self.error = error
                return self._failed(str(error))
            except AnsibleError as error:  # become has a wrong password, or the connection has no standard input
                return self._failed(str(error))
            out, err = (done[name].encode("utf-8", "surrogateescape") for name in ("stdout", "stderr"))
            if bounds.begin is not None and bounds.begin not in out:
                printed = (done["stderr"].strip() or done["stdout"].strip())[-400:]
                return self._failed(f"No shell: {printed or 'exit code ' + str(done['rc'])}")
            return RunAnswer(code=done["rc"], out=out, err=err)

    def _failed(self, why: str) -> t.Any:
        self.reason = why
        self._failure = Answer(trouble=Failure.FAILED, detail=why)
        return RunAnswer(trouble=Failure.FAILED, detail=why)
