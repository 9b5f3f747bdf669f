"""Run raidctl-mfi last, for controllers that no other tool has reported."""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.host import HostView
from raidctl.model import Problem
from raidctl.request import Dialogue
from raidctl.vendor.tools import installed
from raidctl_megaraid.collect.expected_controllers import V8, needs, readable_by_mfi
from raidctl_megaraid.collect.tool_call import Source
from raidctl_megaraid.tools import MFI, MFI_DRIVER, MFI_JSON


def query_mfi(asked: Sequence[Source], host: HostView) -> Dialogue[list[Source]]:
    """Run raidctl-mfi once, if it is installed and could report more."""
    if not _useful(asked) or not readable_by_mfi(host):
        return []
    found = yield from installed((MFI,))
    if not found:
        return []
    one = Source.of(found[0], MFI_JSON, MFI_JSON)
    yield from one.run(("show",))
    return [one]


def _useful(asked: Sequence[Source]) -> bool:
    """Whether no tool has reported a controller of the driver megaraid_sas. Version 8 has another driver."""
    return not any(one.seen for one in asked if one.kind != V8)


def why_not_run(asked: Sequence[Source], host: HostView) -> list[Problem]:
    """Why raidctl-mfi is not run although it is installed."""
    frozen = [need for need in needs(host) if need.frozen_by_megacli and need.device.driver == MFI_DRIVER]
    if not _useful(asked) or not frozen:
        return []
    return [
        Problem(
            severity="info", kind="note", where=frozen[0].device.address,
            message=f"{MFI.name} was not run: MegaCli, which uses the same driver interface, can freeze a "
            f"host with the controller {frozen[0].name}.",
        )
    ]  # fmt: skip
