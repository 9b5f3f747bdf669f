"""Machines through their service processors (BMC) with Redfish; nothing is changed.

The runner of ``--bmc`` answers the requests; for all other runners, there is no service processor. ``dialogue`` follows
the links; ``controller``, ``volume``, ``drive`` and ``battery`` read one kind of resource each. The parsers are
imported when there is something to parse.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.host import HostView
from raidctl.request import Dialogue, Failure, Get, ask
from raidctl.vendor.protocol import Document, Observation, Sniffed, ToolSpec
from raidctl_redfish.capability import FAMILY, SUPPORT, UNREPORTED

__all__ = [
    "DRIVERS",
    "FAMILY",
    "LAST",
    "SECOND_VIEW",
    "SUPPORT",
    "TITLE",
    "TOOLS",
    "UNREPORTED",
    "observe",
    "read",
    "sniff",
]

TITLE = "Service processors (BMC) with Redfish"
DRIVERS: tuple[str, ...] = ()
LAST = False
TOOLS = (ToolSpec("redfish", (), "no program: the BMC itself, by --bmc", ()),)
SECOND_VIEW = True
"""Whether it lists the hardware that the operating system's tools list, too. See :mod:`raidctl.survey.second_view`."""

_ROOT = "/redfish/v1/"


def observe(host: HostView) -> Dialogue[Observation]:
    """Read a machine's storage from its service processor, if one was named."""
    del host  # a service processor is not a device of the kernel
    root = yield from ask(Get(_ROOT))
    if root.status is None and root.trouble in (Failure.MISSING, Failure.UNRECORDED):
        return Observation()
    from raidctl_redfish import dialogue  # noqa: PLC0415 - only where there is a service processor

    return (yield from dialogue.observe(root))


def sniff(name: str, text: str) -> Sniffed | None:
    """Whether a text is a Redfish resource."""
    from raidctl_redfish import recognise  # noqa: PLC0415 - for loose texts only

    return recognise.sniff(name, text)


def read(documents: Sequence[Document]) -> Observation:
    """Read saved resources and combine those of one controller."""
    from raidctl_redfish import collect  # noqa: PLC0415 - as in observe()

    return collect.read(documents)
