"""What the kernel knows of a machine, asked for as a dialogue: PCI functions, block devices, mounts."""

from raidctl.discovery.probe import Look, look

__all__ = ["Look", "look"]
