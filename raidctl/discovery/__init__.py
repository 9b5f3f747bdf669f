"""Read the kernel's view of a machine as a dialogue: PCI functions, block devices, mounts."""

from raidctl.discovery.probe import Probe, probe_machine

__all__ = ["Probe", "probe_machine"]
