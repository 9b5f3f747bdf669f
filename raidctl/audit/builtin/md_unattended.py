"""Nothing watches the md arrays, or the configuration file does not list one.

**What it looks for.** A running `mdadm --monitor`, and an ARRAY line for each array in `/etc/mdadm/mdadm.conf` or
`/etc/mdadm.conf`. Whether a check is scheduled is the matter of `consistency_check_off`.

**Why.** Without a monitor a failed drive is noticed when the second one fails. An array that is not in the file gets a
name such as `/dev/md127` after a restart, or is not started at boot, and the monitor does not miss it when it is gone.

**Fails** (warning) where systemd runs and no monitor does, and for each array that no configuration file lists.

**Passes** when a monitor runs, and for arrays that are listed.

**Cannot tell** where the files could not be read, or systemd does not run.

**Remedy.** `systemctl enable --now mdmonitor`, with MAILADDR in the file. `mdadm --detail --scan` prints the ARRAY
lines; after adding one, make the initial RAM disk again (`update-initramfs -u`, `dracut -f`).

**Example.** Fails: `monitored = false`. Passes: `monitored = true`, `in_config_file = true`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._queries import GONE
from raidctl.model import Controller, Inventory, Volume

FINDINGS = RuleFindings("md_unattended", "warning", "Nothing watches the md arrays")


def check(inventory: Inventory) -> Findings:
    """One finding for md itself, and one for each array; of loose files nobody can be asked."""
    for card in inventory.controllers:
        if card.mode == "software" and inventory.host.hostname is not None:
            yield _monitor(card)
            yield from (_listed(volume) for volume in card.volumes if volume.status not in GONE)


def _monitor(card: Controller) -> Finding:
    if card.monitored:
        return FINDINGS.passed(card, "A monitor watches the arrays.")
    if card.monitored is None:
        return FINDINGS.unknown(card, "Whether a monitor watches the arrays is unknown.", severity="info")
    message = "No monitor watches the arrays: a failed drive is reported to nobody."
    remedy = "`systemctl enable --now mdmonitor`; set MAILADDR in the configuration file of md."
    return FINDINGS.failed(card, message, remedy, "monitored", wants=("monitored", "true"))


def _listed(volume: Volume) -> Finding:
    if volume.in_config_file:
        return FINDINGS.passed(volume, "The configuration file lists the array.")
    if volume.in_config_file is None:
        return FINDINGS.unknown(volume, "Whether the configuration file lists the array is unknown.", severity="info")
    message = "No configuration file lists the array: after a restart it may have another name, or not be started."
    remedy = (
        f"Add the line that `mdadm --detail --brief {volume.device}` prints to `/etc/mdadm/mdadm.conf` "
        "(`/etc/mdadm.conf`), and make the initial RAM disk again."
    )
    return FINDINGS.failed(volume, message, remedy, "unique_id name mountpoints", wants=("in_config_file", "true"))
