"""The programs of the family and where they come from."""

from __future__ import annotations

from raidctl.vendor.protocol import ToolSpec

PACKAGES = {"smartctl": "smartmontools", "hdparm": "hdparm", "sdparm": "sdparm", "nvme": "nvme-cli"}
TOOLS = (
    ToolSpec("smartctl", package=PACKAGES["smartctl"]),
    ToolSpec("hdparm", package=PACKAGES["hdparm"], version_argv=("-V",)),
    ToolSpec("sdparm", package=PACKAGES["sdparm"], version_argv=("-V",)),
    ToolSpec("nvme", package=PACKAGES["nvme"], version_argv=("version",)),
)
DRIVERS = (
    "ahci", "nvme", "ata_piix", "ata_generic", "pata_acpi", "sata_sil24", "sata_sil", "sata_nv", "sata_mv", "sata_via",
    "sata_svw", "sata_promise", "sata_uli", "sata_vsc", "sata_sis", "sata_sx4", "ahci_platform", "pata_amd",
    "pata_atiixp", "pata_jmicron", "pata_marvell", "pata_via", "pata_sis", "pata_oldpiix", "pata_serverworks", "vmd",
    "intel-nvme-remap", "mpt3sas", "mpt2sas", "mptsas", "mptspi", "mptfc", "pm80xx", "pm8001", "isci", "mvsas",
    "aic94xx", "aic7xxx", "aic79xx", "sym53c8xx", "esas2r", "hisi_sas_v3_hw", "virtio-pci", "vmw_pvscsi", "sdhci-pci",
)  # fmt: skip
"""Kernel drivers of ports and HBAs without RAID volumes and cache."""
