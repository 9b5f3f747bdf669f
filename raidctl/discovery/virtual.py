"""Detect the hypervisor of a virtual machine."""

from __future__ import annotations

import re

from raidctl.text import regex

_FLAGS = regex(r"^flags\s*:.*\bhypervisor\b", re.MULTILINE)
_X86 = regex(r"^flags\s*:", re.MULTILINE)
"""Only these processors report a hypervisor."""
# hypervisors' names in DMI, sys_vendor and product_name together
_NAMES = (
    (regex(r"vmware", re.IGNORECASE), "vmware"),
    (regex(r"virtualbox|innotek", re.IGNORECASE), "virtualbox"),
    (regex(r"microsoft corporation virtual machine", re.IGNORECASE), "hyper-v"),
    (regex(r"^xen\b|hvm domu", re.IGNORECASE), "xen"),
    (regex(r"parallels", re.IGNORECASE), "parallels"),
    (regex(r"bhyve", re.IGNORECASE), "bhyve"),
    (
        regex(r"qemu|\bkvm\b|\bbochs\b|ovirt|rhev|openstack|google compute engine|apple virtual", re.IGNORECASE),
        "kvm",
    ),
)
_CLOUD = regex(r"amazon ec2|google|alibaba|digitalocean|hetzner", re.IGNORECASE)
_BARE_METAL = regex(r"\bmetal\b", re.IGNORECASE)
UNNAMED = "unknown"
"""The processor reports a hypervisor; which one is unknown."""


def hypervisor(
    *, dmi: str = "", cpuinfo: str = "", hypervisor_type: str = "", xen_capabilities: str = ""
) -> str | None:
    """Return the machine's hypervisor; None if nothing shows that it is virtual.

    Args:
        dmi: ``sys_vendor`` and ``product_name`` of DMI, with a blank between them.
        cpuinfo: The beginning of ``/proc/cpuinfo``.
        hypervisor_type: ``/sys/hypervisor/type``.
        xen_capabilities: ``/proc/xen/capabilities``; ``control_d`` marks Xen's control domain: real hardware.
    """
    if "control_d" in xen_capabilities:
        return None
    for pattern, name in _NAMES:
        if pattern.search(dmi):
            return name
    if hypervisor_type.strip():
        return hypervisor_type.strip()
    # flags : fpu vme … hypervisor
    if _FLAGS.search(cpuinfo):
        return "kvm" if _CLOUD.search(dmi) else UNNAMED
    # Amazon EC2 m6g.large; m6g.metal is a whole server
    if cpuinfo and not _X86.search(cpuinfo) and _CLOUD.search(dmi) and not _BARE_METAL.search(dmi):
        return "kvm"
    return None
