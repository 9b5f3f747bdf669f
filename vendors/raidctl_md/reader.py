"""Choose the parser for each section of a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from raidctl.evidence import Output
from raidctl.text import regex
from raidctl.vendor.protocol import Document
from raidctl_md import detail, examine, export, mdstat, query, sysfs
from raidctl_md.draft import Reading
from raidctl_md.split_outputs import Section, split, unanswered

_READERS: dict[str, Callable[[Section, Reading], None]] = {
    "mdstat": mdstat.read,
    "detail": detail.read,
    "examine": examine.read,
    "export": export.read_export,
    "scan": export.read_scan,
    "query": query.read_query,
    "message": query.read_message,
    "bitmap": query.read_bitmap,
    "badblocks": query.read_bad_blocks,
    "platform": query.read_platform,
}
_SYSFS = regex(r"/sys/(?:block|devices/virtual/block)/([^/*]{1,120})/md\b")


def read_documents(documents: Sequence[Document]) -> Reading:
    """Read all texts, without combining them yet."""
    reading = Reading()
    for document in documents:
        output = Output.of_text(document.name, document.text)
        reading.outputs.append(output)
        place = _SYSFS.search(document.name)
        if document.kind == "sysfs":
            sysfs.read(output, place[1] if place else "", reading)
            continue
        sections = split(output)
        for section in sections:
            reader, output.gap = _READERS.get(section.kind), ""
            if reader is not None:
                reader(section, reading)
        output.gap = output.gap or unanswered(output, sections)
    return reading
