#!/usr/bin/python
# Copyright: (c) the authors of raidctl
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Documentation of an action plugin."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: raid_info
short_description: Show what RAID a machine has
version_added: 0.1.0
author:
  - The authors of raidctl (@raidctl)
description:
  - Returns the controllers, arrays, volumes, drives, batteries and caches of a machine, with the same names for all
    vendors, and what could not be read.
  - Nothing is changed. A value that no tool reports is null; a part that could not be read is a problem.
options:
  target:
    description:
      - Only what these name; everything by default.
      - The ids of C(raidctl show), devices, mount points, or directories on one.
    type: list
    elements: str
    default: []
  mode:
    default: connection
extends_documentation_fragment:
  - raidctl.raid.program
  - raidctl.raid.program.read_only
"""

EXAMPLES = r"""
- name: Read the inventory, over the connection of Ansible
  raidctl.raid.raid_info:
  become: true
  register: raid

- name: Report what is wrong
  ansible.builtin.debug:
    msg: "{{ raid.problems | map(attribute='message') }}"
  when: not raid.complete or raid.problems | length > 0
"""

RETURN = r"""
inventory:
  description: The document of C(raidctl --json show); C(raidctl schema) prints its JSON Schema.
  returned: success
  type: dict
  sample: {"schema_version": "1", "host": {"hostname": "db1"}, "controllers": [], "problems": []}
complete:
  description: Whether everything could be read. If not, RV(problems) has the reasons.
  returned: success
  type: bool
  sample: true
problems:
  description: What is wrong, and what could not be read.
  returned: success
  type: list
  elements: dict
  sample: [{"severity": "warning", "where": "smartarray:1", "message": "FIRMWARE UPGRADE REQUIRED"}]
"""

# The work is done by the action plugin of the same name.
