# Copyright: (c) the authors of raidctl
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Check claims about volumes."""

from __future__ import annotations

import typing as t

from ansible_collections.raidctl.raid.plugins.plugin_utils.raidctl_action import RaidctlAction

FLAGS = ("battery", "policy_active", "no_write_hole", "power_safe")
NUMBERS = ("drives", "spares", "drive_rpm", "survives")
TEXTS = (
    "write_cache", "cache_size", "cache_split", "drive_cache", "read_policy", "strip_size", "min_size", "media",
    "volume_status", "firmware", "checked_within",
)  # fmt: skip


class ActionModule(RaidctlAction):
    """The results of claims about volumes."""

    options: t.ClassVar[dict[str, t.Any]] = {
        "target": {"type": "list", "elements": "str", "default": []},
        "claims": {
            "type": "dict",
            "options": {
                "raid_level": {"type": "list", "elements": "str"},
                **{name: {"type": "bool"} for name in FLAGS},
                **{name: {"type": "int"} for name in NUMBERS},
                **{name: {"type": "str"} for name in TEXTS},
            },
        },
    }

    def answer(self) -> dict[str, t.Any]:
        """Return the results; a failed claim does not fail the task."""
        words = []
        for name, value in (self.args["claims"] or {}).items():
            option = "--" + name.replace("_", "-")
            if name in FLAGS:
                words += [option] if value else []
            elif value is not None:
                # raidctl refuses an empty value: an undefined variable must not drop a claim
                words += [f"{option}={one}" for one in (value or [""] if isinstance(value, list) else [value])]
        reply = self.raidctl("verify", *words, "--", *self.args["target"], expected=(0, 1, 3, 4))
        return {"changed": False, "passes": reply.code == 0, "exit_code": reply.code, "report": reply.document}
