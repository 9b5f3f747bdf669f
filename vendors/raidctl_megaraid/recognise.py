"""Whether a loose text is an output of these tools: the dialects' own recognisers, the surest one counts."""

from __future__ import annotations

from msgspec.structs import replace

from raidctl.vendor.protocol import Sniffed
from raidctl_megaraid.megacli import sniff as sniff_megacli
from raidctl_megaraid.mfi import reader
from raidctl_megaraid.read_document import MEGACLI, STORCLI
from raidctl_megaraid.storcli.recognise import sniff as sniff_storcli


def sniff(name: str, text: str) -> Sniffed | None:
    """The claim on a text, None when it is none of these tools' outputs. The name is only a hint."""
    own = reader.sniff(text)
    if own is not None:
        return own
    claims = []
    storcli = sniff_storcli(name, text)
    if storcli is not None:
        claims.append(replace(storcli, kind=STORCLI))
    megacli = sniff_megacli(name, text)
    if megacli is not None:
        claims.append(replace(megacli, kind=MEGACLI))
    return max(claims, key=lambda claim: claim.confidence, default=None)
