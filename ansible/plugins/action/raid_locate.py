# Copyright: (c) the authors of raidctl
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Switch the locate LEDs of drives."""

from __future__ import annotations

import shlex
import typing as t

from ansible.errors import AnsibleActionFail
from ansible_collections.raidctl.raid.plugins.plugin_utils.raidctl_action import RaidctlAction, Reply

NOT_LOCATED = 1
"""The exit code if a drive cannot be located."""
BACKGROUND = """d=$(mktemp -d) || exit 1
nohup {command} >"$d/out" 2>"$d/err" </dev/null & p=$!
while kill -0 $p 2>/dev/null && [ "$(tail -n 1 "$d/out")" != "}}" ]; do sleep 0.1 2>/dev/null || sleep 1; done
c=0; kill -0 $p 2>/dev/null || {{ wait $p; c=$?; }}
cat "$d/out"; cat "$d/err" >&2; rm -rf "$d"; exit $c"""
"""Script that starts a command and leaves it running. It prints the command's report as soon as the LEDs are on."""


class ActionModule(RaidctlAction):
    """The locate LEDs of drives and bays."""

    mode = "target"
    options: t.ClassVar[dict[str, t.Any]] = {
        "target": {"type": "list", "elements": "str", "default": []},
        "state": {"type": "str", "choices": ["on", "off"], "default": "on"},
        "duration": {"type": "str", "default": "10m"},
    }
    constraints: t.ClassVar[dict[str, t.Any]] = {"required_if": [["state", "on", ["target"]]]}

    def answer(self) -> dict[str, t.Any]:
        """Switch the LEDs that are not in the desired state."""
        state, targets = self.args["state"], ["--", *self.args["target"]]
        command = ["locate", state, *([f"--for={self.args['duration']}"] if state == "on" else [])]
        planned = self._report(*command, "--dry-run", *targets)
        known = {one["led"]: one["on"] for one in self._report("locate", "list")["targets"] if one["led"]}
        wanted = [one["led"] for one in planned["targets"] if one["led"]]
        if all(known.get(led) is (state == "on") for led in wanted):
            return {"changed": False, "targets": planned["targets"], "commands": []}
        result = {"changed": True, "targets": planned["targets"], "commands": planned["commands"]}
        if not self._task.check_mode:
            begun = state == "on" and self.on_target
            report = self._begun(*command, *targets) if begun else self._report(*command, *targets)
            result["targets"] = report["targets"]
        return result

    def _report(self, *words: str) -> dict[str, t.Any]:
        return _located(self.raidctl(*words, expected=(0, NOT_LOCATED)))

    def _begun(self, *words: str) -> dict[str, t.Any]:
        """Start locating on the target.

        raidctl keeps running there, and switches the LEDs off at the end of the time.
        """
        command = shlex.join([self.args["executable"], *self.words(*words)])
        reply = self.judged(self.shell(BACKGROUND.format(command=command)), words, (0, NOT_LOCATED))
        return _located(reply)


def _located(reply: Reply) -> dict[str, t.Any]:
    """Return the report.

    Raises:
        AnsibleActionFail: A drive cannot be located; the message has the reasons.
    """
    document = reply.document or {}
    if reply.code == NOT_LOCATED:
        reasons = [f"{one['object_id']} cannot be located: {one['why_not']}."
                   for one in document.get("targets", []) if one.get("why_not")]  # fmt: skip
        raise AnsibleActionFail(" ".join(reasons) or reply.errors, result={"rc": reply.code, **document})
    return document
