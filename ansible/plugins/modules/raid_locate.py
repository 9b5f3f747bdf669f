#!/usr/bin/python
# Copyright: (c) the authors of raidctl
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Documentation of an action plugin."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: raid_locate
short_description: Switch the locate LEDs of drives
version_added: 0.1.0
author:
  - The authors of raidctl (@raidctl)
description:
  - Makes the locate LEDs of drives blink for a while, or switches them off.
  - With O(mode=target) and O(state=on), raidctl stays on the target, and switches off when the time is over. With
    O(mode=connection) it runs on the Ansible host, so the task lasts as long as O(duration).
  - An LED whose state no tool reports is switched off each time, and reported as changed.
options:
  target:
    description:
      - Drives and bays, as C(raidctl locate) takes them. A volume, an array or a mount point means all of its drives.
      - Required with O(state=on). With O(state=off), none means all LEDs that raidctl has switched on.
    type: list
    elements: str
    default: []
  state:
    description: Whether they are to blink.
    type: str
    choices: ["on", "off"]
    default: "on"
  duration:
    description: How long they blink, such as V(90s), V(10m) or V(1h).
    type: str
    default: 10m
  mode:
    default: target
extends_documentation_fragment:
  - raidctl.raid.program
attributes:
  check_mode:
    support: full
    details: In check mode nothing is switched.
  diff_mode:
    support: none
"""

EXAMPLES = r"""
- name: Let the drive blink for half an hour
  raidctl.raid.raid_locate:
    target: /dev/sdb
    duration: 30m
  become: true

- name: Switch off what raidctl has switched on
  raidctl.raid.raid_locate:
    state: "off"
  become: true
"""

RETURN = r"""
targets:
  description: The drives and bays with their LEDs; C(raidctl schema locate) prints the JSON Schema of an entry.
  returned: success
  type: list
  elements: dict
  sample: [{"object_id": "smartarray:1/1I:1:4", "led": "smartarray:1/1I:1:4", "on": true}]
commands:
  description: The commands that switch the LEDs.
  returned: success
  type: list
  elements: str
  sample: ["hpacucli ctrl slot=1 pd 1I:1:4 modify led=on"]
"""

# The work is done by the action plugin of the same name.
