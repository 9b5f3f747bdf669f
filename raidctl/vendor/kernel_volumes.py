"""Volumes that the kernel shows as plain drives. No tool of the family lists them. Pure.

For families whose controllers use a driver of plain drives: the kernel's device is a volume by its address or model,
and its members are hidden from the operating system.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raidctl.evidence import Output
from raidctl.host import BlockDevice
from raidctl.model import Capability, Controller, Problem, Volume
from raidctl.text import listing
from raidctl.vendor.protocol import Observation, ToolSpec
from raidctl.vendor.tools import failed_tools


def with_unlisted(
    observation: Observation,
    blocks: Sequence[BlockDevice],
    found: Sequence[str],
    *,
    family: str,
    what: str,
    tools: Sequence[ToolSpec],
    support: Mapping[str, Capability],
) -> Observation:
    """Add the volumes that no tool lists. Their status is unknown, and there is a problem for each controller.

    Args:
        observation: The objects that the family's tools list.
        blocks: The kernel's devices that are volumes of the family.
        found: The names of the installed tools.
        family: Name of the family.
        what: A description of such a volume: ``an IR volume of an LSI controller``.
        tools: The tools of the family, each of which may list the volume.
        support: Capabilities of the family.
    """
    listed = {volume.device for controller in observation.controllers for volume in controller.volumes}
    left = [block for block in blocks if block.node not in listed]
    output = Output(f"{family} volumes (kernel)")
    controllers, problems = [], []
    for address in dict.fromkeys(block.pci_address for block in left):
        object_id = f"{family}:{address or 'unknown'}"
        own = [block for block in left if block.pci_address == address]
        for block in own:
            line = output.add(f"{block.node}: {block.model or 'no model'}, {block.driver}, at {block.scsi_address}")
            line.fact(f"{object_id}/{block.name}", "device", block.node)
            line.fact(object_id, "driver", block.driver)
        controllers.append(
            Controller(
                id=object_id,
                driver=own[0].driver,
                pci_address=address,
                mode="raid",
                volumes=tuple(Volume(id=f"{object_id}/{block.name}", device=block.node) for block in own),
                capabilities=dict(support),
            )
        )
        shown = f"{listing(block.node for block in own)}: {what}"
        problems.append(_problem(object_id, shown, found, tools, observation.problems))
    return Observation(
        controllers=(*observation.controllers, *controllers),
        problems=(*observation.problems, *problems),
        tools=observation.tools,
        outputs=(*observation.outputs, *([output] if left else [])),
    )


def _problem(
    where: str, what: str, found: Sequence[str], tools: Sequence[ToolSpec], known: Sequence[Problem]
) -> Problem:
    missing = [tool for tool in tools if tool.name not in found]
    unknown = "its state and its drives are unknown."
    failed, kind = failed_tools(found, known)
    if failed:
        message = f"{what} that was not read, as {listing(failed)} failed; {unknown}"
        return Problem("error", where, message, f"Run {failed[0]} by hand, as root, and read its messages.", kind)
    if not missing:
        message = f"{what} that {listing(found)} does not list; {unknown}"
        return Problem("error", where, message, f"Run {found[0]} by hand, as root.", "unread")
    names = listing((tool.name for tool in missing), "or")
    message = f"{what} that no installed tool lists ({names} is missing); {unknown}"
    return Problem("error", where, message, f"Install {listing((tool.package for tool in missing), 'or')}.", "no_tool")
