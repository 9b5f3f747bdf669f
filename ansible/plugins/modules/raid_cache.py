#!/usr/bin/python
# Copyright: (c) the authors of raidctl
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Documentation of an action plugin."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: raid_cache
short_description: Change cache settings of volumes, controllers and drives
version_added: 0.1.0
author:
  - The authors of raidctl (@raidctl)
description:
  - Sets the cache policy of volumes, the split of a controller's cache, or the write caches of drives.
  - A setting that is in place already is not set again. Each change is recorded in raidctl's journal before it is made,
    is checked afterwards, and is undone if it failed.
  - A policy that could lose data, such as write-back without a healthy battery, is refused unless O(unsafe_reason) is
    given.
  - With O(mode=connection) the journal is on the Ansible host, and O(state_dir) is required. It must be on a place that
    stays; in a container that is thrown away, nothing could undo an interrupted change.
options:
  target:
    description:
      - What the settings are for.
      - The ids of C(raidctl show), devices, mount points, or directories on one. A controller or an array means all of
        its volumes.
    type: list
    elements: str
    required: true
  write:
    description: Write policy of the volumes.
    type: str
    choices: [write-through, protected-write-back, unprotected-write-back, "off"]
  read:
    description: Read-ahead of the volumes.
    type: str
    choices: [none, read-ahead, adaptive, "off"]
  io:
    description: Bypass the controller's cache, or use it.
    type: str
    choices: [direct, cached]
  drive_cache:
    description: Write caches of the volumes' drives.
    type: str
    choices: ["on", "off", default]
  no_battery_write_cache:
    description: The controller's write cache without a battery.
    type: str
    choices: ["on", "off"]
  stripe_cache:
    description: Entries of the stripe cache of md arrays, 17 to 32768.
    type: int
  read_ahead:
    description: Read-ahead of the block devices in KiB.
    type: int
  journal_mode:
    description: Use of the write journal of md arrays.
    type: str
    choices: [write-through, write-back]
  split:
    description: Split of the controller's cache between reads and writes in percent, such as V(25/75). Alone.
    type: str
  drive:
    description: Write cache of drives that the operating system sees. Alone.
    type: str
    choices: ["on", "off"]
  unsafe_reason:
    description: Allow what may lose data; the reason goes into the journal.
    type: str
  mode:
    default: target
extends_documentation_fragment:
  - raidctl.raid.program
attributes:
  check_mode:
    support: full
    details: In check mode raidctl plans the change and makes none.
  diff_mode:
    support: full
"""

EXAMPLES = r"""
- name: A quarter of the cache for reads
  raidctl.raid.raid_cache:
    target: smartarray:1
    split: 25/75
  become: true

- name: Write-back where a battery protects it
  raidctl.raid.raid_cache:
    target: /srv/db
    write: protected-write-back
  become: true

- name: The same without raidctl on the target
  raidctl.raid.raid_cache:
    target: /srv/db
    write: protected-write-back
    mode: connection
    state_dir: "/var/lib/raidctl-ansible/{{ inventory_hostname }}"
  become: true
"""

RETURN = r"""
result:
  description:
    - C(planned) in check mode, C(done), or C(already) if nothing had to be changed.
    - C(refused), C(undone), C(failed) or C(stands) if the task failed. After C(stands) a part of the change is in
      place.
  returned: always
  type: str
  sample: done
exit_code:
  description: Exit code of raidctl.
  returned: always
  type: int
  sample: 0
steps:
  description: The steps of the change, with values before and after.
  returned: always
  type: list
  elements: dict
  sample: [{"object_id": "smartarray:1", "setting": "cacheratio", "before": "50/50", "after": "25/75"}]
commands:
  description: The commands of the steps; files that are written are in RV(steps).
  returned: always
  type: list
  elements: list
  sample: [["hpacucli", "ctrl", "slot=1", "modify", "cacheratio=25/75", "forced"]]
undo:
  description: The commands that undo the steps.
  returned: always
  type: list
  elements: list
  sample: [["hpacucli", "ctrl", "slot=1", "modify", "cacheratio=50/50", "forced"]]
change:
  description: The change in raidctl's journal; null if there is none.
  returned: always
  type: str
  sample: 9ff55054ba57
refusals:
  description: Why the change was refused.
  returned: always
  type: list
  elements: dict
  sample: []
warnings:
  description: What raidctl warns of.
  returned: always
  type: list
  elements: str
  sample: []
report:
  description: The whole document of C(raidctl --json cache set); C(raidctl schema change) prints its JSON Schema.
  returned: always
  type: dict
  sample: {"result": "already"}
"""

# The work is done by the action plugin of the same name.
