"""Which kind of tool can read which controller. Pure data and its look-up.

Sources: the id tables of the kernel's ``drivers/scsi/megaraid/megaraid_sas.h`` and ``drivers/scsi/mpi3mr``, the PCI ID
database (pci.ids), and the reports of hosts that MegaCli froze (hwraid issues 131 and 136).
"""

from __future__ import annotations

from msgspec import Struct

from raidctl.host import HostView, PciDevice
from raidctl_megaraid.tools import MFI_DRIVER

LSI, DELL = 0x1000, 0x1028

AERO = range(0x10E0, 0x10E8)
"""Device ids of the 95xx and the PERC 11 (SAS3816, SAS3908, SAS3916). With these, MegaCli freezes the host or the
firmware."""

V7, V8, OLD = "storcli", "storcli2", "megacli"
PLAIN = (V7, "perccli", OLD)
_PERC = ("perccli", V7, OLD)
_BY_DRIVER: dict[str, tuple[str, ...]] = {
    "megaraid_sas": PLAIN,
    "mpi3mr": (V8, "perccli2"),
    # Parallel SCSI: megarc, megamgr and dellmgr knew them; no tool of the family does.
    "megaraid": (),
    "megaraid_mbox": (),
    "megaraid_mm": (),
}


class Need(Struct, frozen=True):
    """A controller of the PCI bus and the tools that report it. The best tool comes first."""

    device: PciDevice
    kinds: tuple[str, ...]
    frozen_by_megacli: bool = False
    """MegaCli must not be run on a host with this controller."""

    @property
    def name(self) -> str:
        """``1000:10e2 at 0000:01:00.0``."""
        return f"{self.device.vendor_id:04x}:{self.device.device_id:04x} at {self.device.address}"


def needs(host: HostView) -> list[Need]:
    """The family's controllers on the bus, and those that rule out MegaCli."""
    found = [_need(device) for device in host.pci]
    return [need for need in found if need is not None]


def _need(device: PciDevice) -> Need | None:
    lsi = device.vendor_id == LSI
    aero = lsi and device.device_id in AERO
    if device.driver in _BY_DRIVER:
        kinds = _BY_DRIVER[device.driver]
    elif aero:
        kinds = ()  # not bound to its driver, or handed to a guest: no tool reaches it, MegaCli could still freeze it
    else:
        return None
    if kinds == PLAIN and DELL in (device.vendor_id, device.subvendor_id):
        kinds = _PERC
    if kinds[:1] == (V8,) and device.subvendor_id == DELL:
        kinds = tuple(reversed(kinds))
    if aero:
        kinds = tuple(kind for kind in kinds if kind != OLD)
    return Need(device, kinds, frozen_by_megacli=aero)


def readable_by_mfi(host: HostView) -> list[Need]:
    """The controllers for raidctl-mfi.

    None if MegaCli would freeze a controller of this host, as the interface is the same.
    """
    found = needs(host)
    if any(need.frozen_by_megacli for need in found):
        return []
    return [need for need in found if need.device.driver == MFI_DRIVER]
