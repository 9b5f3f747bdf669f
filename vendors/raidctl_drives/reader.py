"""Loose outputs of the family's tools, combined by drive under ``drives:loose``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from raidctl.evidence import Output
from raidctl.model import Controller, Drive, Problem, Tool, Volume
from raidctl.text import regex
from raidctl.vendor.protocol import Document, Observation
from raidctl_drives.capability import FAMILY
from raidctl_drives.draft import DriveDraft
from raidctl_drives.hdparm import read_hdparm
from raidctl_drives.nvme import read_nvme
from raidctl_drives.sdparm import read_sdparm
from raidctl_drives.smart import read_smartctl
from raidctl_drives.to_model import Group, Source, drive_of, grouped, identify, problems_of, write_evidence

LOOSE = f"{FAMILY}:loose"
"""The controller of drives that were read from loose files."""
_LAYER = regex(r"/dev/(?:md|dm-|mapper/|loop|zram|ram|drbd|bcache|rbd)")

# smartctl 7.3 2022-02-28 r5338 [x86_64-linux-6.1.0] (local build)
# smartctl pre-7.4 2023-03-21 r5470 [x86_64-linux-6.1.0] (CircleCI)
_BANNER = regex(r"^smartctl (?:version )?((?:pre-)?\d+\.\d+)\b", re.MULTILINE)
# "smartctl": {"argv": ["smartctl", "-j"], "version": [7, 3], …
_JSON_VERSION = regex(r'"smartctl"\s*:\s*\{.{0,4000}?"version"\s*:\s*\[\s*(\d+),\s*(\d+)', re.DOTALL)

Reader = Callable[[str, str], tuple[Sequence[DriveDraft], Output]]


def _smartctl(document: str, text: str) -> tuple[Sequence[DriveDraft], Output]:
    return read_smartctl(document, text, f"{document}#1")


_READERS: dict[str, Reader] = {
    "hdparm": read_hdparm,
    "sdparm": read_sdparm,
    "nvme": read_nvme,
    "smartctl": _smartctl,
}


def tool_of(kind: str) -> str:
    """The tool of a document's kind: ``smartctl`` of ``smartctl-json``."""
    return kind.partition("-")[0]


def read(documents: Sequence[Document]) -> Observation:
    """Read outputs of hdparm, sdparm, nvme and smartctl. Combine those of one drive."""
    sources: list[Source] = []
    outputs: list[Output] = []
    tools: dict[str, str | None] = {}
    lost: list[Problem] = []
    for document in documents:
        tool = tool_of(document.kind)
        reader = _READERS.get(tool)
        if reader is None:
            continue
        drafts, output = reader(document.name, document.text)
        outputs.append(output)
        sources += [Source(tool, draft) for draft in drafts]
        tools[tool] = tools.get(tool) or (smartctl_version(document.text) if tool == "smartctl" else None)
        without_value = [draft for draft in drafts if draft.empty and not draft.complaints]
        lost += [_nothing(draft.get("device") or document.name, tool) for draft in without_value]
        if not drafts:
            lost.append(_nothing(document.name, tool))
    silent = [source.draft for source in sources if source.draft.empty]
    for draft in silent:
        draft.drop_evidence()
    groups = grouped(source for source in sources if not source.draft.empty)
    for group in groups:
        first = group.sources[0].draft
        group.fallback = next((line.output.command for line, _, _ in first.evidence), first.name).rsplit("/", 1)[-1]
    problems = [problem for draft in silent for problem in draft.problems(draft.place)]
    controller = _controller(groups, problems)
    return Observation(
        controllers=(controller,) if controller else (),
        problems=tuple(dict.fromkeys([*problems, *lost])),
        tools=tuple(Tool(name=tool, version=version) for tool, version in tools.items()),
        outputs=tuple(outputs),
    )


def smartctl_version(text: str) -> str | None:
    """Return smartctl's version, such as ``7.3``.

    It comes from a text's first banner, or from the JSON's own word for it.
    """
    match = _BANNER.search(text) or _JSON_VERSION.search(text)
    return ".".join(match.groups()) if match else None


def _controller(groups: Sequence[Group], problems: list[Problem]) -> Controller | None:
    if not groups:
        return None
    drives: list[Drive] = []
    volumes: list[Volume] = []
    ids = identify(groups)
    for group, object_id in zip(groups, ids, strict=True):
        problems += problems_of(group, object_id)
        drive = drive_of(group, object_id)
        if drive.device and _LAYER.match(drive.device):
            # hdparm -t /dev/md0: not a drive, but what is on drives
            volumes.append(
                Volume(id=object_id, device=drive.device, size_bytes=drive.size_bytes, details=dict(drive.details))
            )
        else:
            drives.append(drive)
    write_evidence(groups, ids)
    return Controller(id=LOOSE, drives=tuple(drives), volumes=tuple(volumes))


def _nothing(where: str, tool: str) -> Problem:
    return Problem(
        severity="warning",
        where=where,
        message=f"This output of {tool} contains nothing about {where if where.startswith('/dev/') else 'any drive'}.",
        remedy="The output may be incomplete or empty: run the tool again as root and keep its complete output.",
        kind="unread",
    )
