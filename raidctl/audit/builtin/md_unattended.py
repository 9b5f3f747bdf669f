"""The md arrays are not monitored, or the configuration file lacks one.

**What it checks.** A running `mdadm --monitor`, and an ARRAY line for each array in `/etc/mdadm/mdadm.conf` or
`/etc/mdadm.conf`. Scheduled scrubs are covered by `consistency_check_off`.

**Why it matters.** Without a monitor a failed drive is noticed when the second one fails. An array that is not in the
file is named something like `/dev/md127` after a reboot or is not started at boot, and the monitor does not notice if
it disappears.

**Fails** (warning) when systemd runs but no monitor does, and for each array that no configuration file lists.

**Passes** when a monitor runs, and for arrays that are listed.

**Unknown** when the files could not be read, or systemd does not run.

**How to fix.** `systemctl enable --now mdmonitor`, with MAILADDR in the file. `mdadm --detail --scan` prints the ARRAY
lines; after adding one, rebuild the initramfs (`update-initramfs -u`, `dracut -f`).

**Example.** Fails: `monitored = false`. Passes: `monitored = true`, `in_config_file = true`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._queries import OUT_OF_REACH
from raidctl.model import Controller, Inventory, Volume
from raidctl.select import family_of

FINDINGS = RuleFindings("md_unattended", "warning", "md arrays are not monitored")


def check(inventory: Inventory) -> Findings:
    """One finding for md, and one for each array. There are none for single output files."""
    for controller in inventory.controllers:
        if family_of(controller) == "md" and inventory.host.hostname is not None:
            yield _monitor(controller)
            yield from (_listed(volume) for volume in controller.volumes if volume.status not in OUT_OF_REACH)


def _monitor(controller: Controller) -> Finding:
    if controller.monitored:
        return FINDINGS.passed(controller, "A monitor is running.")
    if controller.monitored is None:
        return FINDINGS.unknown(controller, "Whether a monitor is running is unknown.", severity="info")
    message = "No monitor is running: nobody is notified of a failed drive."
    remedy = "`systemctl enable --now mdmonitor`; set MAILADDR in `/etc/mdadm/mdadm.conf` (`/etc/mdadm.conf`)."
    return FINDINGS.failed(controller, message, remedy, "monitored", wants=("monitored", "true"))


def _listed(volume: Volume) -> Finding:
    if volume.in_config_file:
        return FINDINGS.passed(volume, "The configuration file lists the array.")
    if volume.in_config_file is None:
        return FINDINGS.unknown(volume, "Whether the configuration file lists the array is unknown.", severity="info")
    message = "No configuration file lists the array: after a reboot it may have another name or not be started."
    remedy = (
        f"Add the line that `mdadm --detail --brief {volume.device}` prints to `/etc/mdadm/mdadm.conf` "
        "(`/etc/mdadm.conf`), then rebuild the initramfs (`update-initramfs -u` or `dracut -f`)."
    )
    return FINDINGS.failed(volume, message, remedy, "unique_id name mountpoints", wants=("in_config_file", "true"))
