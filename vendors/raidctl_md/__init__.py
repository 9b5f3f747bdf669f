"""Linux software RAID: /proc/mdstat, sysfs and mdadm.

A reader for each form of output (``mdstat``, ``sysfs``, ``detail``, ``examine`` with ``superblock``, ``imsm`` and
``ddf``, ``export``, ``query``); ``group`` finds the drafts of one array, ``infer`` and ``members`` combine them.
``change``, ``operate``, ``make`` and ``schedule_*`` change a machine; ``simulator`` is one that can be changed. The
parsers are imported when there is something to parse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raidctl.host import HostView
from raidctl.model import Progress
from raidctl.request import Dialogue, Read, ask
from raidctl.vendor.protocol import Document, Observation, Sniffed, ToolSpec
from raidctl_md.capability import FAMILY, SUPPORT
from raidctl_md.probe import MDSTAT, PLACES, first_round

__all__ = ["DRIVERS", "FAMILY", "LAST", "SUPPORT", "TITLE", "TOOLS", "observe", "progress", "read", "sniff"]

TITLE = "Linux software RAID (md)"
TOOLS = (ToolSpec("mdadm", PLACES, "the package mdadm of the distribution"),)
DRIVERS: tuple[str, ...] = ()
LAST = False


def observe(host: HostView) -> Dialogue[Observation]:
    """Read all arrays of a machine; no md there: an empty observation."""
    first = yield from first_round()
    if first.nothing:
        return Observation()
    from raidctl_md import dialogue  # noqa: PLC0415 - takes its time, and most machines have no md

    return (yield from dialogue.observe(host, first))


def progress() -> Dialogue[Mapping[str, Progress | None]]:
    """The operation in progress in each array, from /proc/mdstat alone."""
    answer = yield from ask(Read(MDSTAT))
    if not answer.text:
        return {}
    found = read([Document(MDSTAT, "md", answer.text)])
    return {volume.id: volume.progress for controller in found.controllers for volume in controller.volumes}


def sniff(name: str, text: str) -> Sniffed | None:
    """Whether a text is /proc/mdstat or an output of mdadm's."""
    from raidctl_md import recognise  # noqa: PLC0415 - for loose texts only

    return recognise.sniff(name, text)


def read(documents: Sequence[Document]) -> Observation:
    """Read complete or partial outputs and combine those of one controller."""
    from raidctl_md.reader import read_documents  # noqa: PLC0415 - as in observe()
    from raidctl_md.to_model import build  # noqa: PLC0415 - as in observe()

    return build(read_documents(documents))
