"""Read the kernel's view of a machine as a dialogue. The view has PCI functions, block devices and mounts."""

from raidctl.discovery.probe import Probe, probe_machine

__all__ = ["Probe", "probe_machine"]
