"""Machines through their service processors (BMC) with Redfish; nothing is changed.

The runner of ``--bmc`` answers the requests; all other runners answer that there is no service processor. ``dialogue``
follows the links; ``controller``, ``volume``, ``drive`` and ``battery`` read one kind of resource each. The parsers are
imported when there is something to parse.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.host import HostView
from raidctl.model import Capability
from raidctl.request import Dialogue, Failure, Get, ask
from raidctl.vendor.protocol import Document, Observation, Sniffed, ToolSpec
from raidctl.vendor.unreported import Unreported

FAMILY = "redfish"
TITLE = "Service processors (BMC) with Redfish"
DRIVERS: tuple[str, ...] = ()
LAST = False
TOOLS = (ToolSpec("redfish", (), "no program: the BMC itself, by --bmc", ()),)
SECOND_VIEW = True
"""Whether it lists the hardware that the operating system's tools list, too. See :mod:`raidctl.survey.second_view`."""

_READ = Capability(read=True, set=False, why="Redfish is only read.")
_NONE = Capability(read=False, set=False, why="Redfish has no property for it.")
SUPPORT = {
    "controllers": _READ,
    "arrays": _READ,
    "volumes": _READ,
    "drives": _READ,
    "battery": _READ,
    "cache_size": _READ,
    "cache_split": _NONE,
    "write_policy": _READ,
    "write_active": _READ,
    "read_policy": _READ,
    "drive_write_cache": _READ,
    "progress": _READ,
    "flush": _NONE,
    "cache_statistics": _NONE,
    "device": _NONE,
}
UNREPORTED: tuple[Unreported, ...] = ()
"""No fact, as a controller behind a BMC may hold preserved data. Its own tool may report them, so they are unknown."""
_ROOT = "/redfish/v1/"


def observe(host: HostView) -> Dialogue[Observation]:
    """Read a machine's storage from its service processor, if one was named."""
    del host  # a service processor is no device of the kernel
    root = yield from ask(Get(_ROOT))
    if root.status is None and root.trouble in (Failure.MISSING, Failure.UNRECORDED):
        return Observation()
    from raidctl_redfish import dialogue  # noqa: PLC0415 - only where there is a service processor

    return (yield from dialogue.observe(root, SUPPORT))


def sniff(name: str, text: str) -> Sniffed | None:
    """Whether a text is a Redfish resource."""
    from raidctl_redfish import recognise  # noqa: PLC0415 - for loose texts only

    return recognise.sniff(name, text)


def read(documents: Sequence[Document]) -> Observation:
    """Read saved resources and combine those of one controller."""
    from raidctl_redfish import collect  # noqa: PLC0415 - as in observe()

    return collect.read(documents, SUPPORT)
