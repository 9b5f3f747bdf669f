"""The kernel's view of a machine: PCI functions, block devices and mounts, read in one dialogue.

``probe`` is the dialogue, which gives a :class:`raidctl.host.HostView`; ``blocks`` builds the block devices; ``pci``,
``sysfs``, ``udevdb``, ``mounts``, ``mapper`` and ``enclosures`` parse one source each and are pure; ``index`` finds
devices by node, name or serial number. A new source of the kernel is a parser here and a request in ``probe``.
"""

from raidctl.discovery.probe import Probe, probe_machine

__all__ = ["Probe", "probe_machine"]
