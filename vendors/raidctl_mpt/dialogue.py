"""The dialogue with the tools.

``LIST`` comes first, then ``DISPLAY`` of each controller, and ``STATUS`` of those with volumes.

A controller without volumes whose drives the kernel shows is an HBA: its drives are read as plain drives. An IR volume
of the kernel that no tool lists is reported, as its members are hidden from the operating system.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.host import HostView
from raidctl.model import Controller
from raidctl.request import Dialogue
from raidctl.vendor.controllers import read_outputs
from raidctl.vendor.kernel_volumes import with_unlisted
from raidctl.vendor.protocol import Document, Observation, ToolSpec
from raidctl.vendor.session import Reading, Session
from raidctl.vendor.tools import Installed
from raidctl_mpt import kernel
from raidctl_mpt.capability import FAMILY, SUPPORT
from raidctl_mpt.collect import KIND, assemble
from raidctl_mpt.draft import Controllers
from raidctl_mpt.reader import Reader

LOCK = FAMILY
TIMEOUT = 60.0
"""Seconds for one call."""
_MAX_CONTROLLERS = 64
"""Most controllers that are queried one by one."""


def observe(host: HostView, found: Sequence[Installed], tools: Sequence[ToolSpec]) -> Dialogue[Observation]:
    """Read the controllers of each installed tool. Each tool lists those of its generation."""
    sessions = [Session(one, KIND, LOCK, TIMEOUT, Reading) for one in found if _served(host)]
    for session in sessions:
        first = yield from session.run("LIST")
        numbers = (
            [name.rpartition("-")[2] for name in _named(session.documents)][:_MAX_CONTROLLERS] if first.answered else []
        )
        yield from session.run_all((number, "DISPLAY") for number in numbers)
        yield from session.run_all((number, "STATUS") for number in _with_volumes(session.documents))
    volumes = kernel.volumes(host)
    observation = assemble(
        [
            document
            for session in sessions
            for document in session.documents
            if host.root is False or not _none_there(document)
        ],
        [problem for session in sessions for problem in session.problems],
        [session.tool for session in sessions],
        devices={_digits(block.wwn): block.node for block in volumes},
        left_out=lambda controller: _plain(controller, host),
    )
    return with_unlisted(
        observation,
        volumes,
        [one.spec.name for one in found],
        family=FAMILY,
        what="an IR volume of an LSI controller",
        tools=tools,
        support=SUPPORT,
    )


def _served(host: HostView) -> bool:
    """Whether the machine may have such a controller. Without a view of the kernel, it may."""
    return not host.pci or any(device.driver in kernel.DRIVERS for device in host.pci)


def _none_there(document: Document) -> bool:
    """``SAS2IRCU: MPTLib2 Error 1`` of LIST: the other tool's generation is in the machine."""
    return document.name.endswith(" LIST") and re.search(r"MPTLib2 Error 1\b", document.text) is not None


def _drafts(documents: Sequence[Document]) -> Controllers:
    controllers = Controllers()
    read_outputs(documents, lambda output: Reader(output, controllers))
    return controllers


def _named(documents: Sequence[Document]) -> list[str]:
    return list(_drafts(documents).controllers)


def _with_volumes(documents: Sequence[Document]) -> list[str]:
    found = _drafts(documents).controllers
    return [name.rpartition("-")[2] for name, controller in found.items() if controller.volumes]


def _digits(name: str | None) -> str:
    return re.sub(r"^(?:0x|naa\.)", "", (name or "").strip().lower())


def _plain(controller: Controller, host: HostView) -> bool:
    """Whether it is an HBA, all of whose drives the kernel shows."""
    blocks = [block for block in host.blocks if block.kind == "disk"]
    names = {_digits(block.wwn) for block in blocks} | {(block.serial or "").strip() for block in blocks}
    return (
        controller.firmware is not None
        and not controller.volumes
        and all(
            drive.role == "passthrough" and not names.isdisjoint({_digits(drive.wwn) or None, drive.serial})
            for drive in controller.drives
        )
    )
