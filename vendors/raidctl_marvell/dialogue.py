"""The dialogue with the tools.

It runs ``info -o hba``, ``info -o vd``, ``info -o pd``, and ``smart -p N`` for each drive.

A volume of the kernel that no tool lists is reported, as its members are hidden from the operating system.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.host import BlockDevice, HostView
from raidctl.model import Problem
from raidctl.request import Dialogue
from raidctl.vendor.controllers import read_outputs
from raidctl.vendor.kernel_volumes import with_unlisted
from raidctl.vendor.protocol import Document, Observation, ToolSpec
from raidctl.vendor.session import Reading, Session
from raidctl.vendor.tools import Installed
from raidctl_marvell import kernel
from raidctl_marvell.capability import FAMILY, SUPPORT
from raidctl_marvell.collect import KIND, assemble
from raidctl_marvell.draft import Controllers
from raidctl_marvell.reader import Reader

LOCK = FAMILY
TIMEOUT = 60.0
"""Seconds for one call."""
_MAX_DRIVES = 32
"""Most drives that are queried one by one."""


def observe(host: HostView, found: Sequence[Installed], tools: Sequence[ToolSpec]) -> Dialogue[Observation]:
    """Read the default controller of each installed tool."""
    sessions = [Session(one, KIND, LOCK, TIMEOUT, Reading) for one in found]
    for session in sessions:
        first = yield from session.run("info", "-o", "hba")
        if first.answered and first.answer.fine and not _none_there(session.documents[-1]):
            yield from session.run_all((("info", "-o", "vd"), ("info", "-o", "pd")))
            yield from session.run_all(_smart(session))
    volumes = kernel.volumes(host)
    wanted = host.root is False or bool(volumes)
    documents = [one for session in sessions for one in session.documents if _counts(one, wanted=wanted)]
    observation = assemble(
        documents,
        [problem for session in sessions for problem in session.problems],
        [session.tool for session in sessions],
        places={f"{prefix}0": _place(volumes, nvme=prefix == "n") for prefix in ("", "n")},
    )
    observation = with_unlisted(
        observation,
        volumes,
        [one.spec.name for one in found],
        family=FAMILY,
        what="a volume of a Marvell RAID controller",
        tools=tools,
        support=SUPPORT,
    )
    return _with_others(observation, documents)


def _smart(session: Session[Document]) -> list[tuple[str, ...]]:
    """The calls for the drives that ``info -o pd`` lists."""
    if session.name != "mvcli":
        return []  # the form of mnv_cli's output is unknown
    controllers = Controllers()
    read_outputs(session.documents, lambda output: Reader(output, controllers))
    drives = [key[1:] for one in controllers.controllers.values() for key in one.drives if key[1:].isdecimal()]
    return [("smart", "-p", number) for number in drives[:_MAX_DRIVES]]


def _counts(document: Document, *, wanted: bool) -> bool:
    """Whether an output is read. Outputs without a controller, or without a drive's SMART attributes, are not."""
    if " smart " in document.name:
        return re.search(r"Attribute Name|SMART STATUS RETURN", document.text) is not None
    return wanted or not _none_there(document)


def _none_there(document: Document) -> bool:
    """``No Adapter Found``: also what the tools print without root."""
    return re.search(r"(?i)\bno adapter", document.text) is not None


def _place(volumes: Sequence[BlockDevice], *, nvme: bool) -> dict[str, str | None]:
    """The place of the only volume of one of the tools. Empty if there are several."""
    own = [block for block in volumes if (block.driver == "nvme") is nvme]
    return {"pci_address": own[0].pci_address, "device": own[0].node} if len(own) == 1 else {}


def _with_others(observation: Observation, documents: Sequence[Document]) -> Observation:
    """Report controllers besides the tool's default one. The tool does not list their volumes."""
    adapters = {
        match for one in documents for match in re.findall(r"(?im)^\s*(?:adapter|controller) id: *(\d{1,3})", one.text)
    }
    if len(adapters) < 2:
        return observation
    problem = Problem(
        severity="warning", kind="unread", where=FAMILY,
        message=f"The machine has {len(adapters)} such controllers; only the volumes of the default one were read.",
        remedy="Read the others by hand: `mvcli`, then `adapter -i N` and `info -o vd`.",
    )  # fmt: skip
    return Observation(
        controllers=observation.controllers,
        problems=(*observation.problems, problem),
        tools=observation.tools,
        outputs=observation.outputs,
    )
