"""The dialogue that reads PCI functions, block devices and mounts."""

from raidctl.discovery.probe import Probe, probe_machine

__all__ = ["Probe", "probe_machine"]
