# Copyright: (c) the authors of raidctl
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options that all modules share."""

from __future__ import annotations


class ModuleDocFragment:
    """Options for the place and the way of running raidctl."""

    DOCUMENTATION = r"""
options:
  mode:
    description:
      - C(connection) runs raidctl on the Ansible host, and sends its requests through Ansible's connection.
      - C(target) runs the raidctl that is installed on the target.
    type: str
    choices: [connection, target]
  executable:
    description:
      - The program on the target, with O(mode=target).
    type: str
    default: raidctl
  state_dir:
    description:
      - Directory of the journal, where raidctl runs.
      - The default is that of raidctl, C(/var/lib/raidctl) for root.
    type: path
  timeout:
    description:
      - Time limit in seconds for each tool and each batch of files.
      - The keyword C(timeout) of a task limits the whole task.
    type: float
  demo:
    description:
      - Use a simulated machine of this name instead of the hardware, to try a playbook. C(raidctl demo) lists them.
    type: str
notes:
  - With O(mode=connection) raidctl must be installed in the Python that runs Ansible.
    The target needs a POSIX shell and the tools of its controllers, and no Python. raidctl's requests are sent through
    the connection of Ansible, with its user, port, jump hosts and C(become).
    The connection plugin must pass standard input on, as M(ansible.builtin.raw) over C(ssh) and C(local) does.
  - With O(mode=target) the target needs raidctl, and its shell; Ansible needs no Python there.
  - Most tools need root, so use C(become).
attributes:
  check_mode:
    description: Can run in check mode and reports what would change, without changing anything.
  diff_mode:
    description: Returns what has changed, or would change, in diff mode.
  platform:
    description: The operating systems of the targets.
    support: full
    platforms: linux
"""

    READ_ONLY = r"""
attributes:
  check_mode:
    support: full
    details: The module changes nothing.
  diff_mode:
    support: none
"""
