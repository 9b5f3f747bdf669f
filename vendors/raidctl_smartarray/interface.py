"""Interface and media in the tools' phrase for a drive's interface."""

from __future__ import annotations

from raidctl.model import Interface, Media
from raidctl_smartarray.vocabulary import normalized

_PROTOCOLS: dict[str, Interface] = {
    "sas": "sas",
    "sata": "sata",
    "nvme": "nvme",
    "pcie": "nvme",
    "scsi": "scsi",
    "ata": "ata",
}
_MEDIA: dict[str, Media] = {"hdd": "hdd", "ssd": "ssd", "solid": "ssd"}
_OTHER_WORDS = frozenset({"state", "parallel", "smr", "hm-smr", "ha-smr", "dm-smr", "sed", "fips", "multi-actuator"})
"""Words beside an interface that do not change what it is."""
_PHRASE = _OTHER_WORDS | _PROTOCOLS.keys() | _MEDIA.keys()


def interface(text: str) -> tuple[Interface, Media | None] | None:
    """``SAS HDD``, ``Solid State SATA``, ``Parallel SCSI``. None for another phrase; media is None if not reported."""
    tokens = normalized(text).split()
    protocols = {_PROTOCOLS[token] for token in tokens if token in _PROTOCOLS}
    if len(protocols) != 1 or any(token not in _PHRASE for token in tokens):
        return None
    protocol = protocols.pop()
    media = next((_MEDIA[token] for token in tokens if token in _MEDIA), None)
    return protocol, "ssd" if protocol == "nvme" else media
