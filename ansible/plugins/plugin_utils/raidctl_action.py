# Copyright: (c) the authors of raidctl
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Code shared by the action plugins: options, where raidctl runs, its reply."""

from __future__ import annotations

import abc
import json
import shlex
import typing as t

from ansible.errors import AnsibleActionFail
from ansible_collections.raidctl.raid.plugins.plugin_utils import sessions

from ansible.plugins.action import ActionBase


class Reply(t.NamedTuple):
    """The exit code and output of a raidctl command."""

    code: int
    document: dict[str, t.Any] | None
    """Its JSON; None if there is none."""
    errors: str


class RaidctlAction(ActionBase):
    """An action that runs raidctl on the Ansible host or the target.

    On the Ansible host, raidctl uses Ansible's connection to the target.
    """

    _supports_check_mode = True
    _supports_async = False
    TRANSFERS_FILES = False

    mode: t.ClassVar[str] = "connection"
    """Where raidctl runs by default."""
    options: t.ClassVar[dict[str, t.Any]] = {}
    """The argument spec of the module's own options."""
    constraints: t.ClassVar[dict[str, t.Any]] = {}
    """Further arguments of `validate_argument_spec`."""

    def run(self, tmp: t.Any = None, task_vars: t.Any = None) -> dict[str, t.Any]:
        """Validate the options, and carry out the task."""
        result = super().run(tmp, task_vars)
        del tmp
        self.args = self.validate_argument_spec(self.spec(), **self.constraints)[1]
        self._host = str((task_vars or {}).get("inventory_hostname", "target"))
        result.update(self.answer())
        return result

    @classmethod
    def spec(cls) -> dict[str, t.Any]:
        """Return the argument spec."""
        return {
            "mode": {"type": "str", "choices": ["connection", "target"], "default": cls.mode},
            "executable": {"type": "str", "default": "raidctl"},
            "state_dir": {"type": "path"},
            "timeout": {"type": "float"},
            "demo": {"type": "str"},
            **cls.options,
        }

    @abc.abstractmethod
    def answer(self) -> dict[str, t.Any]:
        """Return the result of the task."""

    @property
    def on_target(self) -> bool:
        """Whether raidctl runs on the target."""
        return self.args["mode"] == "target"

    def raidctl(self, *words: str, expected: t.Container[int] = (0,)) -> Reply:
        """Run raidctl, and return its reply.

        Raises:
            AnsibleActionFail: The exit code is unexpected, or raidctl printed no JSON.
            AnsibleConnectionFailure: The target cannot be reached.
        """
        reply = self._on_target(words) if self.on_target else self._over_connection(words)
        return self.judged(reply, words, expected)

    @staticmethod
    def judged(reply: Reply, words: t.Sequence[str], expected: t.Container[int] = (0,)) -> Reply:
        """Return a reply that has an expected exit code and JSON.

        Raises:
            AnsibleActionFail: The exit code is unexpected, or there is no JSON.
        """
        if reply.code not in expected or reply.document is None:
            message = (
                (reply.document or {}).get("error") or reply.errors or f"raidctl ended with exit code {reply.code}."
            )
            raise AnsibleActionFail(message, result={"rc": reply.code, "cmd": ["raidctl", *words]})
        return reply

    def words(self, *words: str) -> list[str]:
        """Return the arguments of a command, after those common to all commands."""
        shared = ["--json"]
        for name in ("state_dir", "timeout", "demo"):
            if self.args[name] is not None:
                shared += ["--" + name.replace("_", "-"), str(self.args[name])]
        return [*shared, *words]

    def _on_target(self, words: t.Sequence[str]) -> Reply:
        return self.shell(shlex.join([self.args["executable"], *self.words(*words)]))

    def shell(self, script: str) -> Reply:
        """Run a script on the target that prints raidctl's JSON."""
        # as standard input: without one, Ansible requests a terminal, which mixes both outputs
        done = self._low_level_execute_command(self._shell_command(), in_data=f"{script}\n".encode())
        if done["rc"] == 127:
            raise AnsibleActionFail(
                f"{self.args['executable']} is not installed on the target: {done['stderr'].strip()}. "
                "Install it there, or use mode: connection."
            )
        return Reply(done["rc"], _document(done["stdout"]), done["stderr"].strip())

    def _shell_command(self) -> str:
        return f"{self._compute_environment_string()} /bin/sh -s".strip()

    def _over_connection(self, words: t.Sequence[str]) -> Reply:
        if sessions.IMPORT_ERROR is not None:
            raise AnsibleActionFail(
                f"raidctl is not installed in the Python that runs Ansible ({sessions.IMPORT_ERROR}). Install it "
                "there, or on the target and use mode: target."
            )
        from raidctl.cli.shared.embedded import run  # noqa: PLC0415 - it may be missing

        if self.args["demo"]:
            ended = run(self.words(*words))
            return Reply(ended.code, _document(ended.out), ended.err.strip())
        carrier = sessions.AnsibleSessions(self._low_level_execute_command, self._shell_command())
        # as one word: a name that begins with a hyphen is not an option
        ended = run(self.words(f"--host={self._host}", *words), carrier)
        reply = Reply(ended.code, _document(ended.out), ended.err.strip())
        # the result of a change matters more than a connection that broke meanwhile
        if "result" not in (reply.document or {}):
            if carrier.error is not None:
                raise carrier.error
            if carrier.reason:
                raise AnsibleActionFail(carrier.reason)
        return reply


def _document(text: str) -> dict[str, t.Any] | None:
    """Return the JSON object in an output. A login may have printed text before it. None if there is no object."""
    begin = text.find("{\n")
    try:
        found = json.loads(text[max(begin, 0) :])
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
