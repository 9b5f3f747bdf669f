"""Whether a loose text is an output of these tools. The most certain of the dialects' recognisers decides."""

from __future__ import annotations

from msgspec.structs import replace

from raidctl.vendor.protocol import Sniffed
from raidctl.vendor.recognise import surest
from raidctl_megaraid.megacli import sniff as sniff_megacli
from raidctl_megaraid.mfi import reader
from raidctl_megaraid.storcli.recognise import sniff as sniff_storcli
from raidctl_megaraid.tools import MEGACLI, STORCLI


def sniff(name: str, text: str) -> Sniffed | None:
    """The claim on a text, None if it is not theirs. The name is only a hint."""
    storcli, megacli = sniff_storcli(name, text), sniff_megacli(name, text)
    return surest(
        (
            reader.sniff(text),
            replace(storcli, kind=STORCLI) if storcli else None,
            replace(megacli, kind=MEGACLI) if megacli else None,
        )
    )
