# Copyright: (c) the authors of raidctl
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Check a machine against a policy."""

from __future__ import annotations

import typing as t

from ansible_collections.raidctl.raid.plugins.plugin_utils.raidctl_action import RaidctlAction


class ActionModule(RaidctlAction):
    """The findings of a policy, of the built-in rules, or of both."""

    options: t.ClassVar[dict[str, t.Any]] = {
        "policy": {"type": "str"},
        "builtin": {"type": "bool", "default": False},
        "waivers": {"type": "str"},
    }

    def answer(self) -> dict[str, t.Any]:
        """Return the findings; a finding does not fail the task."""
        policy = self.args["policy"]
        # without a policy, only the built-in rules are checked
        builtin = self.args["builtin"] or policy is None
        words = ["audit", *(["--builtin"] if builtin else [])]
        if self.args["waivers"]:
            words.append(f"--waivers={self._file(self.args['waivers'])}")
        words += ["--", *([self._file(policy)] if policy else [])]
        # 1: a check fails; 3 and 4: no check fails, but some are undecided
        reply = self.raidctl(*words, expected=(0, 1, 3, 4))
        return {"changed": False, "passes": reply.code == 0, "exit_code": reply.code, "report": reply.document}

    def _file(self, path: str) -> str:
        return path if self.on_target else str(self._find_needle("files", path))
