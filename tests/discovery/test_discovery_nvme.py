"""The controller of an NVMe namespace. The feature of its write cache is the controller's."""

from __future__ import annotations

import pytest

from raidctl.discovery.sysfs_path import nvme_controllers

PORT = "/devices/pci0000:00/0000:00:03.0/nvme"
HEAD = "/devices/virtual/nvme-subsystem/nvme-subsys1/nvme1n1"


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        ([f"{PORT}/nvme0/nvme0n1"], {"nvme0n1": "/dev/nvme0"}),
        (["/sys/bus/pci/devices/0000:00:03.0/nvme/nvme2/nvme2n1"], {"nvme2n1": "/dev/nvme2"}),
        ([f"{PORT}/nvme0/nvme1c0n1", HEAD], {"nvme1n1": "/dev/nvme0"}),
        ([f"{PORT}/nvme0/nvme1c0n1", f"{PORT}/nvme3/nvme1c3n1"], {}),
        (["/devices/pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda", ""], {}),
    ],
)  # fmt: skip
def test_the_controller_is_found_by_the_path_and_not_by_the_name(paths: list[str], found: dict[str, str]) -> None:
    """``nvme1n1`` may hang on ``nvme0``, or on several; then none is named."""
    assert nvme_controllers(paths) == found
