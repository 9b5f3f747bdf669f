#!/usr/bin/python
# Copyright: (c) the authors of raidctl
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Documentation of an action plugin."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: raid_verify_info
short_description: Check whether volumes are what was promised
version_added: 0.1.0
author:
  - The authors of raidctl (@raidctl)
description:
  - Checks claims about volumes one by one, from what the tools and the kernel report. Nothing is measured.
  - A claim that fails does not fail the task; use C(failed_when) with RV(passes).
options:
  target:
    description:
      - The volumes; all of them by default.
      - The ids of C(raidctl show), devices, mount points, or directories on one.
    type: list
    elements: str
    default: []
  claims:
    description:
      - What is claimed of each volume.
      - Without a claim, checks that volumes are ok, their configured write policy is active, and written data is safe.
    type: dict
    suboptions:
      raid_level:
        description: The RAID level is one of these, such as V(raid6).
        type: list
        elements: str
      battery:
        description: The controller has a healthy battery or capacitor.
        type: bool
      policy_active:
        description: The configured write policy is active.
        type: bool
      no_write_hole:
        description: Parity RAID; a power failure damages no old data.
        type: bool
      power_safe:
        description: Acknowledged writes survive a power failure.
        type: bool
      drives:
        description: Number of drives, all of them working.
        type: int
      spares:
        description: Minimum number of good spares.
        type: int
      drive_rpm:
        description: Rotation speed of all drives.
        type: int
      survives:
        description: Number of further drives, any of which may fail without data loss.
        type: int
      write_cache:
        description: The active policy, V(protected), V(write-through), V(unprotected) or V(off).
        type: str
      cache_size:
        description: Minimum size of the controller's cache, such as V(512MiB).
        type: str
      cache_split:
        description: Split of the controller's cache between reads and writes in percent, such as V(25/75).
        type: str
      drive_cache:
        description: Write caches of the drives, V(disabled) or V(enabled).
        type: str
      read_policy:
        description: Read policy, V(none), V(read-ahead), V(adaptive) or V(off).
        type: str
      strip_size:
        description: Strip size (chunk), such as V(256KiB).
        type: str
      min_size:
        description: Minimum size of the volume, such as V(4TB).
        type: str
      media:
        description: Media of all drives, V(hdd) or V(ssd).
        type: str
      volume_status:
        description: Status of the volume, such as V(ok).
        type: str
      firmware:
        description: Firmware of the controller.
        type: str
      checked_within:
        description: Age of the last consistency check, such as V(30d).
        type: str
  mode:
    default: connection
extends_documentation_fragment:
  - raidctl.raid.program
  - raidctl.raid.program.read_only
"""

EXAMPLES = r"""
- name: The database needs RAID 6 with a protected cache
  raidctl.raid.raid_verify_info:
    target: /srv/db
    claims:
      raid_level: raid6
      battery: true
      write_cache: protected
  become: true
  register: promised
  failed_when: not promised.passes
"""

RETURN = r"""
passes:
  description: Whether every claim passes for every volume. An inconclusive claim does not pass.
  returned: success
  type: bool
  sample: true
exit_code:
  description: Exit code of C(raidctl verify). 1 means a claim fails; 3 and 4 that none fails and some are inconclusive.
  returned: success
  type: int
  sample: 0
report:
  description: The document of C(raidctl --json verify); C(raidctl schema verify) prints its JSON Schema.
  returned: success
  type: dict
  sample: {"verdict": "pass", "answers": [{"claim": "battery", "object": "smartarray:1/v1", "verdict": "pass"}]}
"""

# The work is done by the action plugin of the same name.
