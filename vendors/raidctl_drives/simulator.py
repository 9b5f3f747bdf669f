"""Plain drives whose write caches can be switched. The outputs and replies of their tools are simulated. Pure.

One setting for each node, ``drive /dev/sda``: ``1`` or ``0``; for its self-tests see
:mod:`raidctl_drives.simulator_self_tests`. That of a SCSI drive is the kernel's file ``cache_type``, which the
simulated machine has as a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from posixpath import basename

from raidctl.text import regex
from raidctl.vendor.simulator import Reply, State
from raidctl_drives import simulator_self_tests as self_tests

#  write-caching =  1 (on)
_HDPARM = regex(r"(?m)^( write-caching =  )(\d) \((?:on|off)\)$")
#    	   *	Write cache
_ENABLED = regex(r"(?m)^(\t {3})[ *](\tWrite cache)$")
# Write cache is:   Enabled
_SMARTCTL = regex(r"(?m)^(Write(?:back)? [Cc]ache is:\s+)(Enabled|Disabled)$")
# WCE           1  [cha: y, def:  1, sav:  1]
_SDPARM = regex(r"(?m)^(\s*WCE\s+)[01](?=\s|$)()")
# get-feature:0x06 (Volatile Write Cache), Current value:0x00000001
_NAMESPACE = regex(r"/dev/nvme\d+n(\d+)")
_NVME = regex(r"(\bget-feature:0x0?6 \(Volatile Write Cache\), Current value:)(0x)?0*([01])\b")


def initial(argv: tuple[str, ...], text: str) -> State:
    """Return the cache state that an output of hdparm or nvme shows."""
    tool = basename(argv[0]) if argv else ""
    if tool == "hdparm" and (match := _HDPARM.search(text)):
        return {f"drive {argv[-1]}": match[2]}
    if tool == "nvme" and (match := _NVME.search(text)):
        return {f"drive {argv[2]}": match[3]}
    return self_tests.initial(argv, text)


def render(argv: tuple[str, ...], text: str, state: Mapping[str, str]) -> str:
    """The output of hdparm, smartctl or nvme for the current cache state."""
    tool = basename(argv[0]) if argv else ""
    node = argv[2] if tool == "nvme" and len(argv) > 2 else argv[-1] if argv else ""
    text = self_tests.render(argv, text, state)
    value = state.get(f"drive {node}") or _of_file(node, state)
    if value is None or tool not in _RENDERED:
        return text
    return _RENDERED[tool](text, value)


def _of_file(node: str, state: Mapping[str, str]) -> str | None:
    """What was written into the ``cache_type`` of a SCSI drive. None if nothing was."""
    for name, current in state.items():
        if current == node and name.startswith("scsi "):
            written = state.get(f"file /sys/class/scsi_disk/{name.removeprefix('scsi ')}/cache_type")
            return None if written is None else "1" if written.startswith("write back") else "0"
    return None


def change(argv: tuple[str, ...], state: Mapping[str, str]) -> Reply | None:
    """``hdparm -W1 /dev/sda``, ``nvme set-feature /dev/nvme0 --feature-id=6 --value=1``, and the flushes."""
    tool, first = basename(argv[0]) if argv else "", argv[1] if len(argv) > 1 else ""
    if tool == "hdparm" and (first == "-F" or (first.startswith("-W") and first != "-W")):
        return _hdparm(argv, state)
    if (tool, first) == ("sdparm", "--command=sync"):
        return Reply(0 if len(argv) == 3 else 1, "", state)
    if (tool, first) == ("nvme", "flush"):
        return _nvme_flush(argv, state)
    if (tool, first) == ("nvme", "set-feature"):
        return _nvme(argv, state)
    return self_tests.change(argv, state)


def _hdparm(argv: tuple[str, ...], state: Mapping[str, str]) -> Reply:
    """``-F`` of any drive; ``-W`` of those that have such a cache."""
    node = argv[-1]
    if len(argv) != 3 or argv[1] not in ("-F", "-W0", "-W1"):
        return Reply(22, "", state)
    if argv[1] == "-F":
        return Reply(0, f"\n{node}:\n", state)
    if f"drive {node}" not in state:
        return Reply(2, "", state)
    value = argv[1][2]
    word = "on" if value == "1" else "off"
    printed = f"\n{node}:\n setting drive write-caching to {value} ({word})\n write-caching =  {value} ({word})\n"
    return Reply(0, printed, dict(state) | {f"drive {node}": value})


def _nvme_flush(argv: tuple[str, ...], state: Mapping[str, str]) -> Reply:
    """The kernel accepts a flush of a namespace only under its own number."""
    match = _NAMESPACE.fullmatch(argv[2]) if len(argv) == 5 and argv[3] == "-n" else None
    if match is None or argv[4] != match[1]:
        return Reply(1, "flush: Invalid argument\n", state)
    return Reply(0, "NVMe Flush: success\n", state)


def _nvme(argv: tuple[str, ...], state: Mapping[str, str]) -> Reply:
    """Reply to nvme with long options only.

    What the short ones mean depends on the version. A namespace has no such feature.
    """
    node = argv[2] if len(argv) > 2 else ""
    if _NAMESPACE.fullmatch(node):
        return Reply(1, "NVMe status: Feature Not Namespace Specific: The Feature Identifier ... (0x410f)\n", state)
    drives = [name for name in state if re.fullmatch(rf"drive {re.escape(node)}n\d+", name)]
    options = dict(word.partition("=")[::2] for word in argv[3:])
    value = options.pop("--value", None)
    if "--save" in options:
        return Reply(1, "NVMe status: Feature Identifier Not Saveable: The Feature Identifier ... (0x410d)\n", state)
    if not drives or options != {"--feature-id": "6"} or value not in ("0", "1"):
        return Reply(1, "NVMe status: Invalid Field in Command: A reserved coded value (0x4002)\n", state)
    # zero is printed without 0x in front of it
    shown = "0x00000001" if value == "1" else "00000000"
    printed = f"set-feature:0x06 (Volatile Write Cache), value:{shown}, cdw12:00000000, save:0\n"
    return Reply(0, printed, dict(state) | dict.fromkeys(drives, value))


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
