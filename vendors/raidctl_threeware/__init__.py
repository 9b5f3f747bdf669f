"""3ware, AMCC and LSI 3ware controllers (6000 to 9750), through tw_cli.

Of the settings, only the rates are changed (``change``); ``operate`` works on units and drives. ``controller_of_table``
decides which controller a table is about, as most tables do not name it. CONTRIBUTING.md explains the modules that all
families have. The parsers are imported when there is something to parse.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.host import HostView
from raidctl.request import Dialogue
from raidctl.vendor.protocol import Document, Observation, Sniffed, ToolSpec
from raidctl.vendor.tools import installed
from raidctl_threeware.capability import FAMILY, SUPPORT, UNREPORTED

TITLE = "3ware"
DRIVERS = ("3w-xxxx", "3w-9xxx", "3w-sas")
LAST = False
TOOLS = (
    ToolSpec(
        name="tw_cli",
        places=("/opt/3ware/CLI/tw_cli", "/opt/AMCC/CLI/tw_cli"),
        package="tw_cli, from Broadcom's archive of 3ware downloads",
        version_argv=("show", "ver"),
    ),
    ToolSpec(name="tw-cli", package="tw-cli, from the HWRaid repository", version_argv=("show", "ver")),
)

__all__ = ["DRIVERS", "FAMILY", "LAST", "SUPPORT", "TITLE", "TOOLS", "UNREPORTED", "observe", "read", "sniff"]


def observe(host: HostView) -> Dialogue[Observation]:
    """Read every controller of the family. The observation is empty without the tool."""
    found = yield from installed(TOOLS)
    if not found:
        return Observation()
    from raidctl_threeware import dialogue  # noqa: PLC0415 - takes its time, and most machines have no such controller

    return (yield from dialogue.observe(host, found))


def sniff(name: str, text: str) -> Sniffed | None:
    """Whether a text is an output of the tool."""
    from raidctl_threeware import recognise  # noqa: PLC0415 - for loose texts only

    return recognise.sniff(name, text)


def read(documents: Sequence[Document]) -> Observation:
    """Read complete or partial outputs and combine those of one controller."""
    from raidctl_threeware import collect  # noqa: PLC0415 - as in observe()

    return collect.read(documents)
