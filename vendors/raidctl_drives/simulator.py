"""Plain drives whose write caches can be switched: what their tools print, and what they say to changes. Pure.

One setting for each node, ``drive /dev/sda``: ``1`` or ``0``. A SCSI drive's is the kernel's file ``cache_type``, which
the simulated machine keeps by itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from posixpath import basename

from raidctl.simulation import Reply, State

#  write-caching =  1 (on)
_HDPARM = re.compile(r"(?m)^( write-caching =  )(\d) \((?:on|off)\)$")
#    	   *	Write cache
_ENABLED = re.compile(r"(?m)^(\t {3})[ *](\tWrite cache)$")
# Write cache is:   Enabled
_SMARTCTL = re.compile(r"(?m)^(Write(?:back)? [Cc]ache is:\s+)(Enabled|Disabled)$")
# WCE           1  [cha: y, def:  1, sav:  1]
_SDPARM = re.compile(r"(?m)^(\s*WCE\s+)[01](?=\s|$)()")
# get-feature:0x06 (Volatile Write Cache), Current value:0x00000001
_NVME = re.compile(r"(\bget-feature:0x0?6 \(Volatile Write Cache\), Current value:)(0x)?0*([01])\b")

_FLUSHES = frozenset({("hdparm", "-F"), ("sdparm", "--command=sync"), ("nvme", "flush")})


def initial(argv: tuple[str, ...], text: str) -> State:
    """The state of the cache that an answer of hdparm or nvme tells."""
    tool = basename(argv[0]) if argv else ""
    if tool == "hdparm" and (match := _HDPARM.search(text)):
        return {f"drive {argv[-1]}": match[2]}
    if tool == "nvme" and (match := _NVME.search(text)):
        return {f"drive {argv[2]}": match[3]}
    return {}


def render(argv: tuple[str, ...], text: str, state: Mapping[str, str]) -> str:
    """The answer of hdparm, smartctl or nvme with the cache as it is now."""
    tool = basename(argv[0]) if argv else ""
    node = argv[2] if tool == "nvme" and len(argv) > 2 else argv[-1] if argv else ""
    value = state.get(f"drive {node}") or _of_file(node, state)
    if value is None or tool not in _RENDERED:
        return text
    return _RENDERED[tool](text, value)


def _of_file(node: str, state: Mapping[str, str]) -> str | None:
    """What was written into the ``cache_type`` of a SCSI drive; None when nothing was."""
    for name, told in state.items():
        if told == node and name.startswith("scsi "):
            written = state.get(f"file /sys/class/scsi_disk/{name.removeprefix('scsi ')}/cache_type")
            return None if written is None else "1" if written.startswith("write back") else "0"
    return None


def change(argv: tuple[str, ...], state: Mapping[str, str]) -> Reply | None:
    """``hdparm -W1 /dev/sda``, ``nvme set-feature /dev/nvme0n1 --feature-id=6 --value=1``, and the flushes."""
    tool = basename(argv[0]) if argv else ""
    if (tool, *argv[1:2]) in _FLUSHES:
        return Reply(0, f"\n{argv[-1]}:\n" if tool == "hdparm" else "", dict(state))
    if tool == "hdparm" and len(argv) == 3 and argv[1] in ("-W0", "-W1"):
        return _hdparm(argv[2], argv[1][2], state)
    if tool == "nvme" and argv[1:2] == ("set-feature",):
        return _nvme(argv, state)
    return None


def _hdparm(node: str, value: str, state: Mapping[str, str]) -> Reply:
    if f"drive {node}" not in state:
        return Reply(2, "", state)
    word = "on" if value == "1" else "off"
    said = f"\n{node}:\n setting drive write-caching to {value} ({word})\n write-caching =  {value} ({word})\n"
    return Reply(0, said, dict(state) | {f"drive {node}": value})


def _nvme(argv: tuple[str, ...], state: Mapping[str, str]) -> Reply:
    node = argv[2] if len(argv) > 2 else ""
    values = [word.partition("=")[2] for word in argv if word.startswith("--value=")]
    if f"drive {node}" not in state or "--feature-id=6" not in argv or values not in (["0"], ["1"]):
        return Reply(1, "NVMe status: Invalid Field in Command: A reserved coded value (0x4002)\n", state)
    # zero is printed without 0x in front of it
    shown = "0x00000001" if values == ["1"] else "00000000"
    said = f"set-feature:0x06 (Volatile Write Cache), value:{shown}, cdw12:00000000, save:0\n"
    return Reply(0, said, dict(state) | {f"drive {node}": values[0]})


def _of_hdparm(text: str, value: str) -> str:
    text = _HDPARM.sub(rf"\g<1>{value} ({'on' if value == '1' else 'off'})", text)
    return _ENABLED.sub(rf"\g<1>{'*' if value == '1' else ' '}\g<2>", text)


def _of_smartctl(text: str, value: str) -> str:
    return _SMARTCTL.sub(rf"\g<1>{'Enabled' if value == '1' else 'Disabled'}", text)


def _of_sdparm(text: str, value: str) -> str:
    return _SDPARM.sub(rf"\g<1>{value}\g<2>", text)


def _of_nvme(text: str, value: str) -> str:
    return _NVME.sub(rf"\g<1>{'0x00000001' if value == '1' else '00000000'}", text)


_RENDERED: dict[str, Callable[[str, str], str]] = {
    "hdparm": _of_hdparm,
    "smartctl": _of_smartctl,
    "sdparm": _of_sdparm,
    "nvme": _of_nvme,
}
