"""Controller labels that fill fields, and sections whose labels need their title.

Whatever else the tool prints about the controller is a detail under its own label: the sections of ``/cx show all``
contain about 300 labels, nearly all of them switches and limits, and each version adds a few.
"""

from __future__ import annotations

from typing import NamedTuple

from raidctl.model import ProblemKind, Severity
from raidctl.vendor.draft import ROW, WEAK
from raidctl.vendor.fields import Field
from raidctl_megaraid.storcli import controller_words as words

FIELDS: dict[str, Field] = {
    "product name": Field("model", words.plain_text),
    "model": Field("model", words.plain_text),
    "serial number": Field("serial", words.printed),
    "fw version": Field("firmware", words.plain_text),
    "firmware version": Field("firmware", words.plain_text),
    "driver name": Field("driver", words.module),
    "pci address": Field("pci_address", words.pci_address),
    "pci slot number": Field("slot", words.plain_text),
    "current personality": Field("mode", words.mode),
    "controller personality": Field("mode", words.mode),
    "personality": Field("mode", words.mode, ROW),
    # Enable JBOD = Yes: drives may be used without a volume
    "enable jbod": Field("mode", words.jbod, WEAK, keep=True),
    # On Board Memory Size = 4096MB
    "on board memory size": Field("cache.size_bytes", words.memory),
    # DDR Memory Size(MiB) = 4096
    "ddr memory size(mib)": Field("cache.size_bytes", words.memory),
    "memory size": Field("cache.size_bytes", words.memory, ROW),
    # Current Size of FW Cache (MB) = 3142
    "current size of fw cache (mb)": Field("cache.available_bytes", words.nonzero_memory),
    "current size of fw cache(mb)": Field("cache.available_bytes", words.nonzero_memory),
    "current size of fw cache(mib)": Field("cache.available_bytes", words.nonzero_memory),
    "current size of fw cache (mib)": Field("cache.available_bytes", words.nonzero_memory),
    "current size of fw cache": Field("cache.available_bytes", words.nonzero_memory),
    "any offline vd cache preserved": Field("cache.preserved_data", words.flag),
    "preserved cache present": Field("cache.preserved_data", words.flag),
    "bbu status": Field("bbu_status", words.mask, keep=True),
    "energy pack status": Field("bbu_status", words.mask, keep=True),
    "bbu": Field("bbu_present", words.presence, keep=True),
    "energy pack": Field("bbu_present", words.presence, keep=True),
}
"""In the sections of FIELD_TITLES."""

PROPERTIES: dict[str, Field] = {
    "cache flush interval": Field("cache.flush_interval_seconds", words.seconds),
    "cacheflushint": Field("cache.flush_interval_seconds", words.seconds),
    "cache flush int": Field("cache.flush_interval_seconds", words.seconds),
    "current personality": Field("mode", words.mode),
    "personality": Field("mode", words.mode),
    # JBOD      ON
    "jbod": Field("mode", words.jbod, WEAK, keep=True),
}
"""``Ctrl_Prop`` of ``Controller Properties``, and ``Policy`` of the ``Policies Table``."""

FIELD_TITLES = frozenset({
    "", "basics", "version", "bus", "pci version", "status", "hwcfg", "hostinterface", "deviceinterface",
    "scheduled tasks", "capabilities", "pending images in flash", "high availability", "controller information",
    "personality information", "personality",
})  # fmt: skip
"""Sections whose labels are read with FIELDS."""

PLAIN_TITLES = FIELD_TITLES - {"capabilities", "high availability"}
"""Sections whose labels occur nowhere else: their details are stored without the title."""

ANCHORS: dict[str, str] = {
    "bus number": "bus",
    "device number": "device",
    "function number": "function",
    "domain id": "domain",
}
"""The parts of the PCI address, where ``PCI Address`` itself is not reported."""

HOST_LABELS = frozenset({
    "number of controllers", "host name", "operating system", "storelib it version", "storelib ir3 version",
    "storelib version", "sl8 library version", "storelib ir version", "status code", "cli version", "controller count",
})  # fmt: skip
"""Labels of ``show`` and ``show ctrlcount`` about the machine and the tool."""

COUNTS = frozenset({
    "drive groups", "virtual drives", "physical drives", "jbod drives", "enclosures", "arrays", "safe id", "oemid",
    "total foreign drive groups", "total foreign pds", "total locked foreign pds", "security protocol",
    "total vd count", "total drive count", "unconfigured drive count", "requested boot drive", "enclosure count",
})  # fmt: skip
"""Controller labels that text outputs print between tables of volumes and drives."""

VENDORS: dict[int, str] = {
    0x1000: "Broadcom", 0x1014: "IBM", 0x1028: "Dell", 0x103C: "HP", 0x1137: "Cisco", 0x1590: "HPE",
    0x15D9: "Supermicro",
    0x1734: "Fujitsu", 0x17AA: "Lenovo", 0x19E5: "Huawei", 0x1BD4: "Inspur", 0x1D49: "Lenovo", 0x8086: "Intel",
    0x152D: "Quanta", 0x193D: "H3C", 0x1054: "Hitachi", 0x1033: "NEC", 0x10CF: "Fujitsu", 0x1CF2: "ZTE",
    0x1849: "ASRock", 0x1043: "ASUS", 0x1458: "Gigabyte", 0x108E: "Oracle", 0x1D8D: "xFusion",
}  # fmt: skip
"""PCI subsystem vendors that put their name on MegaRAID controllers. The source is the PCI ID database."""

OEMS: dict[str, str] = {"fsc": "Fujitsu", "lsi": "LSI", "avago": "Avago", "dell": "Dell", "hp": "HP", "hpe": "HPE"}
"""``OEMID`` where it is not the name itself."""

CHIP_MAKERS = frozenset({"LSI", "Avago", "Broadcom"})

BRANDS: dict[str, str] = {
    "lsi": "LSI", "avago": "Avago", "broadcom": "Broadcom", "perc": "Dell", "intel(r)": "Intel", "hpe": "HPE",
    "praid": "Fujitsu", "cisco": "Cisco", "thinksystem": "Lenovo", "supermicro": "Supermicro",
}  # fmt: skip
"""First words of product names that name the maker."""


class Alarm(NamedTuple):
    """A label whose ``Yes`` reports a fault."""

    severity: Severity
    kind: ProblemKind
    message: str
    remedy: str | None


_REBOOT = "Restart the server when possible."
ALARMS: dict[str, Alarm] = {
    "controller has booted into safe mode": Alarm(
        "warning", "state", "The controller has booted into safe mode.", "Look at its event log, then restart it."
    ),
    "controller has booted into certificate provision mode": Alarm(
        "warning", "state", "The controller has booted into certificate provision mode.", _REBOOT
    ),
    "failed to get lock key on bootup": Alarm(
        "warning", "state", "The controller did not get the drives' lock key at boot.", "Enter the key."
    ),
    "failed to get security key on bootup": Alarm(
        "warning", "state", "The controller did not get the drives' security key at boot.", "Enter the key."
    ),
    "controller must be rebooted to complete security operation": Alarm(
        "info", "note", "The controller waits for a restart to complete a security operation.", _REBOOT
    ),
    "controller shutdown required": Alarm("warning", "state", "The controller must be shut down.", _REBOOT),
    "system shutdown required": Alarm("warning", "state", "The controller requires a shutdown of the server.", _REBOOT),
    "system reboot required": Alarm("info", "note", "The controller waits for a restart of the server.", _REBOOT),
    "controller reset required": Alarm("warning", "state", "The controller must be reset.", _REBOOT),
    "personality change pending": Alarm("info", "note", "A change of the personality waits for a restart.", _REBOOT),
}
