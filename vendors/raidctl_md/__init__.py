"""Linux software RAID: /proc/mdstat, sysfs and mdadm."""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.host import HostView
from raidctl.model import Capability
from raidctl.request import Dialogue
from raidctl.vendor import Document, Observation, Sniffed, ToolSpec
from raidctl_md import observe as _observe
from raidctl_md import sniff as _sniff
from raidctl_md.build import build
from raidctl_md.reader import read_documents

FAMILY = "md"
TITLE = "Linux software RAID (md)"
TOOLS = (ToolSpec("mdadm", ("/sbin/mdadm", "/usr/sbin/mdadm"), "the package mdadm of the distribution"),)
DRIVERS: tuple[str, ...] = ()
LAST = False

_READ = Capability(read=True, set=False)
_NONE = Capability(read=False, set=False, why="md has no cache memory and no battery of its own.")
SUPPORT = {
    "controllers": _READ,
    "arrays": _READ,
    "volumes": _READ,
    "drives": _READ,
    "progress": _READ,
    "device": _READ,
    "battery": _NONE,
    "cache_size": _NONE,
    "cache_split": _NONE,
    "write_policy": _NONE,
}


def observe(host: HostView) -> Dialogue[Observation]:
    """Read all arrays of a machine; no md there: an empty observation."""
    return (yield from _observe.observe(host, SUPPORT))


def sniff(name: str, text: str) -> Sniffed | None:
    """Whether a text is /proc/mdstat or an output of mdadm's."""
    return _sniff.sniff(name, text)


def read(documents: Sequence[Document]) -> Observation:
    """Read outputs, in whole or in part, and put together what belongs together."""
    return build(read_documents(documents), SUPPORT)
