# Copyright: (c) the authors of raidctl
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Show the RAID of a machine."""

from __future__ import annotations

import typing as t

from ansible_collections.raidctl.raid.plugins.plugin_utils.raidctl_action import RaidctlAction


class ActionModule(RaidctlAction):
    """The inventory of a machine."""

    options: t.ClassVar[dict[str, t.Any]] = {"target": {"type": "list", "elements": "str", "default": []}}

    def answer(self) -> dict[str, t.Any]:
        """Return the inventory."""
        # 3 and 4: a part could not be read; the problems name it
        reply = self.raidctl("show", "--", *self.args["target"], expected=(0, 3, 4))
        inventory = reply.document or {}
        return {
            "changed": False,
            "inventory": inventory,
            "complete": reply.code == 0,
            "problems": inventory.get("problems", []),
        }
