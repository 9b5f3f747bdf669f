"""Whether a loose text is an output of Areca's tool. Looks at the first lines only."""

from __future__ import annotations

from raidctl.text import pair
from raidctl.vendor.protocol import Sniffed
from raidctl_areca import grammar
from raidctl_areca.collect import KIND

_LINES = 400
_CHARACTERS = 100_000
_TABLES = {"channels": 88, "slots": 88, "sets": 90, "volumes": 90, "cards": 60}
_COMMANDS = {
    "channels": "cli64 disk info",
    "slots": "cli64 disk info",
    "sets": "cli64 rsf info",
    "volumes": "cli64 vsf info",
    "cards": "cli64 main",
    "system": "cli64 sys info",
    "config": "cli64 sys showcfg",
    "hardware": "cli64 hw info",
    "drive": "cli64 disk info drv=N",
    "volume": "cli64 vsf info vol=N",
    "set": "cli64 rsf info raid=N",
    "events": "cli64 event info",
}
_OWN = frozenset(
    {
        "device location", "ide channel", "firmware rev.", "timeout count", "volume set name", "scsi ch/id/lun",
        "raid set state", "total raw capacity", "boot rom version", "main processor", "disk write cache mode",
        "buffer threshold", "hdd read ahead cache", "jbod/raid configuration", "background task priority",
    }
)  # fmt: skip
"""Labels that no other tool prints."""
_SURE_TITLES = frozenset(
    {
        "The Hardware Monitor Information", "The Advanced Feature Information", "The HDD Power Management Information",
    }
)  # fmt: skip
_TITLES = frozenset({"drive", "volume", "set", "system", "config", "hardware"})


def sniff(name: str, text: str) -> Sniffed | None:  # noqa: ARG001 - the protocol's signature; the content decides
    """The claim on an output, None if it comes from another tool."""
    seen: list[str] = []
    confidence = 0
    labels: set[str] = set()
    for raw in text[:_CHARACTERS].split("\n")[:_LINES]:
        line = raw.rstrip("\r ")
        if not line or len(line) > grammar.LONGEST_LINE:
            continue
        title, table = grammar.title(line), grammar.heading(line)
        if table in _TABLES:
            seen.append(table)
            confidence = max(confidence, _TABLES[table])
        elif title is not None and title[0] in _TITLES:
            seen.append(title[0])
            confidence = max(confidence, 70 if line.strip() in _SURE_TITLES else 0)
        elif line.lstrip().startswith("GuiErrMsg<"):
            confidence = max(confidence, 92 if seen or labels else 85)
        elif line.startswith("Areca CLI, Version") or grammar.card_line(line) is not None:
            confidence = max(confidence, 85)
        elif grammar.events_heading(line):
            seen.append("events")
            confidence = max(confidence, 60)
        elif (told := pair(line)) is not None and told[0].lower() in _OWN:
            labels.add(told[0].lower())
    if len(labels) >= 2 or (labels and seen):
        confidence = max(confidence, min((60 if seen else 45) + 6 * len(labels), 85))
    if confidence < 50:
        return None
    return Sniffed(KIND, confidence, next((_COMMANDS[kind] for kind in seen if kind in _COMMANDS), "cli64 sys info"))
