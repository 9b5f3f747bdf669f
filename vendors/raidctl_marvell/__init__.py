"""Marvell controllers of boot mirrors (Dell BOSS, Lenovo M.2), through mvcli and mnv_cli.

No settings are changed. No kernel driver is listed, as ahci and nvme serve plain drives as well. CONTRIBUTING.md
explains the modules that all families have. The parsers are imported when there is something to parse.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.host import HostView
from raidctl.request import Dialogue
from raidctl.vendor.protocol import Document, Observation, Sniffed, ToolSpec
from raidctl.vendor.tools import installed
from raidctl_marvell import kernel
from raidctl_marvell.capability import FAMILY, SUPPORT, UNREPORTED

TITLE = "Marvell boot mirrors: Dell BOSS, Lenovo M.2"
DRIVERS: tuple[str, ...] = ()
LAST = False
TOOLS = (
    ToolSpec(
        "mvcli",
        ("/opt/marvell/storage/cli/mvcli", "/opt/marvell/mvcli/mvcli", "/opt/dell/mvcli/mvcli"),
        "mvcli, from the server's vendor (Dell BOSS-S1 and S2, Lenovo M.2 SATA)",
        ("help",),
    ),
    ToolSpec(
        "mnv_cli",
        ("/opt/marvell/mnvcli/dell/mnv_cli", "/opt/marvell/mnvcli/lenovo/mnv_cli", "/opt/marvell/mnvcli/mnv_cli"),
        "mnv_cli, from the server's vendor (Dell BOSS-N1, Lenovo M.2 NVMe)",
        ("help",),
    ),
)

__all__ = ["DRIVERS", "FAMILY", "LAST", "SUPPORT", "TITLE", "TOOLS", "UNREPORTED", "observe", "read", "sniff"]


def observe(host: HostView) -> Dialogue[Observation]:
    """Read the controller of each tool. Report volumes of the kernel that no tool lists."""
    found = yield from installed(TOOLS)
    if not found and not kernel.volumes(host):
        return Observation()
    from raidctl_marvell import dialogue  # noqa: PLC0415 - takes its time, and most machines have no such controller

    return (yield from dialogue.observe(host, found, TOOLS))


def sniff(name: str, text: str) -> Sniffed | None:
    """Whether a text is an output of the tools."""
    from raidctl_marvell import recognise  # noqa: PLC0415 - for loose texts only

    return recognise.sniff(name, text)


def read(documents: Sequence[Document]) -> Observation:
    """Read complete or partial outputs and combine those of one controller."""
    from raidctl_marvell import collect  # noqa: PLC0415 - as in observe()

    return collect.read(documents)
