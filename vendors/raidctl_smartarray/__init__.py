"""HP and HPE Smart Array controllers. hpacucli, hpssacli and ssacli are one tool under three names.

If they report no controller, cciss_vol_status and the files of the cciss driver are read (``status_*``,
``proc_reader``). Settings are changed (``change``), and arrays and drives worked on (``operate``). CONTRIBUTING.md
explains the modules that all families have. The parsers are imported when there is something to parse.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.host import HostView
from raidctl.request import Dialogue
from raidctl.vendor.protocol import Document, Observation, Sniffed
from raidctl.vendor.tools import installed
from raidctl_smartarray.capability import FAMILY, SUPPORT, UNREPORTED
from raidctl_smartarray.tools import DRIVERS, KIND, STATUS_TOOL
from raidctl_smartarray.tools import TOOLS as _SETTING_TOOLS

__all__ = ["DRIVERS", "FAMILY", "LAST", "SUPPORT", "TITLE", "TOOLS", "UNREPORTED", "observe", "read", "sniff"]

TITLE = "HP and HPE Smart Array"
TOOLS = (*_SETTING_TOOLS, STATUS_TOOL)
LAST = False


def observe(host: HostView) -> Dialogue[Observation]:
    """Read every controller of the family. The observation is empty if no tool is installed."""
    found = yield from installed(TOOLS)
    observed = Observation()
    setting = [one for one in found if one.spec in _SETTING_TOOLS]
    if setting:
        from raidctl_smartarray import dialogue  # noqa: PLC0415 - slow, and most machines have no such controller

        observed = yield from dialogue.observe(host, setting)
    if observed.controllers or not any(device.driver in DRIVERS for device in host.pci):
        return observed
    from raidctl_smartarray import status_collect  # noqa: PLC0415 - as above

    more = yield from status_collect.observe(host, found)
    return Observation(
        controllers=more.controllers,
        problems=(*observed.problems, *more.problems),
        tools=(*observed.tools, *more.tools),
        outputs=(*observed.outputs, *more.outputs),
    )


def sniff(name: str, text: str) -> Sniffed | None:
    """Whether a text is an output of one of the tools."""
    from raidctl_smartarray import recognise  # noqa: PLC0415 - for loose texts only

    return recognise.sniff(name, text)


def read(documents: Sequence[Document]) -> Observation:
    """Read complete or partial outputs and combine those of one controller."""
    from raidctl_smartarray import reader  # noqa: PLC0415 - for loose texts only

    own = [one for one in documents if one.kind == KIND]
    observed = reader.read(own) if own else Observation()
    others = [one for one in documents if one.kind != KIND]
    if not others:
        return observed
    from raidctl_smartarray import status_collect  # noqa: PLC0415 - as above

    more = status_collect.read_status(others, [controller.id for controller in observed.controllers])
    return Observation(
        controllers=(*observed.controllers, *more.controllers),
        problems=(*observed.problems, *more.problems),
        tools=observed.tools,
        outputs=(*observed.outputs, *more.outputs),
    )
