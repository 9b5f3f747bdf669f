# Copyright: (c) the authors of raidctl
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Change cache settings."""

from __future__ import annotations

import typing as t

from ansible.errors import AnsibleActionFail
from ansible_collections.raidctl.raid.plugins.plugin_utils.raidctl_action import RaidctlAction, Reply

ON_OFF = ["on", "off"]
SETTINGS: dict[str, dict[str, t.Any]] = {
    "write": {"type": "str", "choices": ["write-through", "protected-write-back", "unprotected-write-back", "off"]},
    "read": {"type": "str", "choices": ["none", "read-ahead", "adaptive", "off"]},
    "io": {"type": "str", "choices": ["direct", "cached"]},
    "drive_cache": {"type": "str", "choices": [*ON_OFF, "default"]},
    "no_battery_write_cache": {"type": "str", "choices": ON_OFF},
    "stripe_cache": {"type": "int"},
    "read_ahead": {"type": "int"},
    "journal_mode": {"type": "str", "choices": ["write-through", "write-back"]},
}
"""Options of ``raidctl cache set``."""
DONE = {"planned": True, "done": True, "already": False}
"""Results of a successful change, and whether something changed."""
NOT_UNDONE = 6
"""The exit code of a change that failed and was not undone."""


class ActionModule(RaidctlAction):
    """Cache policies of volumes, a controller's cache split, or drives' write caches."""

    mode = "target"
    options: t.ClassVar[dict[str, t.Any]] = {
        "target": {"type": "list", "elements": "str", "required": True},
        **SETTINGS,
        "split": {"type": "str"},
        "drive": {"type": "str", "choices": ON_OFF},
        "unsafe_reason": {"type": "str"},
    }
    constraints: t.ClassVar[dict[str, t.Any]] = {
        "mutually_exclusive": [
            ["split", "drive"],
            *([name, other] for name in SETTINGS for other in ("split", "drive")),
        ],
        "required_one_of": [[*SETTINGS, "split", "drive"]],
    }

    def answer(self) -> dict[str, t.Any]:
        """Plan the change, and carry it out unless in check mode."""
        if not self.on_target and not self.args["state_dir"]:
            raise AnsibleActionFail(
                "With mode: connection the journal of the change is kept on the Ansible host: state_dir must name a "
                'directory there that stays, so that "raidctl restore" can undo an interrupted change.'
            )
        check = self._task.check_mode
        reply = self.raidctl(*self._command(), "--dry-run" if check else "--yes", *self._reason(), "--",
                             *self._subjects(), expected=range(8))  # fmt: skip
        return result_of(reply)

    def _command(self) -> list[str]:
        if self.args["split"] is not None:
            return ["cache", "split"]
        if self.args["drive"] is not None:
            return ["cache", "drive"]
        given = {name: self.args[name] for name in SETTINGS if self.args[name] is not None}
        return ["cache", "set", *(f"--{name.replace('_', '-')}={value}" for name, value in given.items())]

    def _reason(self) -> list[str]:
        reason = self.args["unsafe_reason"]
        return [] if reason is None else [f"--unsafe={reason}"]

    def _subjects(self) -> list[str]:
        last = self.args["split"] if self.args["split"] is not None else self.args["drive"]
        return [*self.args["target"], *([] if last is None else [last])]


def result_of(reply: Reply) -> dict[str, t.Any]:
    """Return the task's result for a reply of a changing command."""
    document = reply.document or {}
    word = document.get("result")
    # raidctl omits null and empty values
    steps = document.get("steps", [])
    result = {
        "exit_code": reply.code,
        "result": word,
        "steps": steps,
        "commands": [step["action"]["argv"] for step in steps if step.get("action", {}).get("argv")],
        "undo": [step["undo"]["argv"] for step in steps if (step.get("undo") or {}).get("argv")],
        "change": document.get("change"),
        "refusals": document.get("refusals", []),
        "warnings": [one if isinstance(one, str) else str(one) for one in document.get("warnings", [])],
        "report": document,
    }
    if word in DONE and reply.code == 0:
        return {**result, "changed": DONE[word], "diff": diff_of(steps) if DONE[word] else []}
    # a change that failed and was not undone counts as changed: the machine is in a new state
    return {**result, "changed": reply.code == NOT_UNDONE, "failed": True, "msg": _message(reply)}


def _message(reply: Reply) -> str:
    refusals = [str(one.get("reason")) for one in (reply.document or {}).get("refusals", []) if one.get("reason")]
    return " ".join(refusals) or reply.errors or f"raidctl ended with exit code {reply.code}."


def diff_of(steps: t.Sequence[dict[str, t.Any]]) -> list[dict[str, str]]:
    """Return Ansible's diff of the steps, one entry per object."""
    objects: dict[str, list[dict[str, t.Any]]] = {}
    for step in steps:
        objects.setdefault(str(step.get("object_id")), []).append(step)
    return [
        {
            "before_header": name,
            "after_header": name,
            "before": "".join(f"{one.get('setting')}: {one.get('before')}\n" for one in found),
            "after": "".join(f"{one.get('setting')}: {one.get('after')}\n" for one in found),
        }
        for name, found in objects.items()
    ]
