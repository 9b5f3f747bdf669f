#!/usr/bin/python
# Copyright: (c) the authors of raidctl
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Documentation of an action plugin."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: raid_audit_info
short_description: Check a machine against a policy
version_added: 0.1.0
author:
  - The authors of raidctl (@raidctl)
description:
  - Checks a machine against a policy in TOML, against the built-in rules of raidctl, or against both.
  - A finding does not fail the task; use C(failed_when) with RV(passes).
options:
  policy:
    description:
      - The policy. With O(mode=connection) a file on the Ansible host, searched as other files of the play are; with
        O(mode=target) a file on the target.
      - Without it, the built-in rules are checked.
    type: str
  builtin:
    description: Check the built-in rules as well.
    type: bool
    default: false
  waivers:
    description: A file with findings that do not count until a day; it is searched as O(policy) is.
    type: str
  mode:
    default: connection
extends_documentation_fragment:
  - raidctl.raid.program
  - raidctl.raid.program.read_only
"""

EXAMPLES = r"""
- name: Check the policy of the site
  raidctl.raid.raid_audit_info:
    policy: site.toml
  become: true
  register: audit
  failed_when: not audit.passes
"""

RETURN = r"""
passes:
  description: Whether all checks pass. An unknown result does not pass.
  returned: success
  type: bool
  sample: false
exit_code:
  description: Exit code of C(raidctl audit). 1 means a check fails; 3 and 4 that none fails and some are unknown.
  returned: success
  type: int
  sample: 1
report:
  description: The document of C(raidctl audit --json); C(raidctl schema audit) prints its JSON Schema.
  returned: success
  type: dict
  sample: {"policy": "site", "hosts": [{"host": "db1", "findings": []}], "summary": {"verdict": "fail"}}
"""

# The work is done by the action plugin of the same name.
