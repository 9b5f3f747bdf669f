"""Areca ARC-1xxx, through cli64, cli32 or areca-cli: one tool under several names.

No settings are changed, as that needs the controller's password; ``operate`` plans spares and checks. CONTRIBUTING.md
explains the modules that all families have. The parsers are imported when there is something to parse.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.host import HostView
from raidctl.request import Dialogue
from raidctl.vendor.protocol import Document, Observation, Sniffed, ToolSpec
from raidctl.vendor.tools import installed
from raidctl_areca.capability import FAMILY, SUPPORT, UNREPORTED

TITLE = "Areca"
DRIVERS = ("arcmsr",)
LAST = False
_ABOUT = "Areca's CLI, from the support pages of areca.com.tw"
_FOLDERS = ("/usr/local/bin", "/opt/areca", "/usr/local/areca/bin", "/opt/areca/cli")


def _spec(name: str) -> ToolSpec:
    # a one-shot `main` prints the banner with the version
    return ToolSpec(name, tuple(f"{folder}/{name}" for folder in _FOLDERS), _ABOUT, ("main",))


NAMES = ("cli64", "cli32", "areca-cli", "areca_cli64", "areca_cli32")
TOOLS = tuple(map(_spec, NAMES))

__all__ = ["DRIVERS", "FAMILY", "LAST", "SUPPORT", "TITLE", "TOOLS", "UNREPORTED", "observe", "read", "sniff"]


def observe(host: HostView) -> Dialogue[Observation]:
    """Read the tool's current controller; the observation is empty without the tool."""
    found = yield from installed(TOOLS)
    if not found:
        return Observation()
    from raidctl_areca import dialogue  # noqa: PLC0415 - takes its time, and most machines have no such controller

    return (yield from dialogue.observe(host, found, DRIVERS))


def sniff(name: str, text: str) -> Sniffed | None:
    """Whether a text is an output of the tool."""
    from raidctl_areca import recognise  # noqa: PLC0415 - for loose texts only

    return recognise.sniff(name, text)


def read(documents: Sequence[Document]) -> Observation:
    """Read complete or partial outputs and combine those of one controller."""
    from raidctl_areca import collect  # noqa: PLC0415 - as in observe()

    return collect.read(documents)
