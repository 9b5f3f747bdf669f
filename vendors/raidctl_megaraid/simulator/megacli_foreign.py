"""Foreign configurations and preserved cache of a simulated MegaRAID, with MegaCli. Pure.

A drive whose :attr:`.machine.Disk.foreign` names a configuration comes from another array. An import makes it
a member of the array here that lacks one, by a rebuild. ``megaraid 0/pinned 6`` is as in
:mod:`.foreign`. The commands and questions are those of the help of MegaCli 8.07.14; of the replies, only that of
``-DiscardPreservedCache`` was recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from raidctl.text import regex
from raidctl.vendor.simulator import Reply, State
from raidctl_megaraid.simulator import firmware
from raidctl_megaraid.simulator.machine import Disk, Machine, load, settle
from raidctl_megaraid.simulator.state import name

_ADAPTER = regex(r"-[aA](\d+)")
_VOLUME = regex(r"-[lL](\d+)")
_NONE = 59
"""There is no foreign configuration (0x3b)."""
_LEVELS = {"RAID0": "0, Secondary-0", "RAID1": "1, Secondary-0", "RAID5": "5, Secondary-0", "RAID6": "6, Secondary-0"}


def change(argv: Sequence[str], state: Mapping[str, str]) -> Reply | None:
    """``-CfgForeign -Import [x]``, ``-CfgForeign -Clear [x]``, ``-DiscardPreservedCache -L6``; None for another one."""
    words = [word for word in argv[1:] if word.lower() != "-nolog"]
    adapter = _ADAPTER.fullmatch(words[-1]) if words else None
    if adapter is None:
        return None
    first = [word.lower() for word in words[:2]]
    if first in (["-cfgforeign", "-import"], ["-cfgforeign", "-clear"]) and len(words) in (3, 4):
        which = words[2] if len(words) == 4 else None
        return _decided(load(adapter[1], state), state, which, "import" if "-import" in first else "clear")
    volume = _VOLUME.fullmatch(words[1]) if len(words) == 3 else None
    if first[:1] == ["-discardpreservedcache"] and volume is not None:
        return _discarded(adapter[1], volume[1], state)
    return None


def _decided(machine: Machine, state: Mapping[str, str], which: str | None, verb: str) -> Reply:
    drives = [disk for disk in foreign(machine) if which in (None, disk.foreign)]
    if not drives:
        return Reply(_NONE, _output(f"There is no foreign configuration on controller {machine.number}.", _NONE), state)
    numbers = sorted({disk.foreign for disk in drives})
    for disk in drives:
        disk.foreign = ""
        if verb == "import":
            _taken_back(machine, disk)
    settle(machine)
    # Foreign configuration 0 is cleared on controller 0.
    done = f"is {'imported' if verb == 'import' else 'cleared'} on controller {machine.number}."
    text = "\n".join(f"Foreign configuration {number} {done}" for number in numbers)
    return Reply(0, _output(text), machine.state(state))


def _taken_back(machine: Machine, disk: Disk) -> None:
    """A former member of an array that lacks one is rebuilt."""
    position = next((position for position in machine.positions if machine.occupant(position) is None), "")
    if firmware.insert(machine, disk, position) == 0:
        disk.state, disk.since = "Rbld", machine.clock


def _discarded(number: str, volume: str, state: Mapping[str, str]) -> Reply:
    key = name(number, f"pinned {volume}")
    if key not in state:
        return Reply(firmware.NOT_FOUND, _output("Virtual Drive is not present.", firmware.NOT_FOUND), state)
    after: State = {one: value for one, value in state.items() if one != key}
    if not pinned(number, after):
        after[name(number, "preserved")] = "No"
    return Reply(0, _output(f"Virtual Drive(Target ID {int(volume):02}): Preserved Cache Data Cleared."), after)


def _output(text: str, code: int = 0) -> str:
    return f"\n{' ' * 37}\n{text}\n\nExit Code: 0x{code:02x}\n"


def foreign(machine: Machine) -> list[Disk]:
    """The drives in bays that belong to a foreign configuration."""
    there = [machine.disks[key] for _, key in sorted(machine.bays.items())]
    return [disk for disk in there if disk.foreign]


def pinned(number: str, state: Mapping[str, str]) -> dict[str, str]:
    """The state of each volume with preserved cache, by its number."""
    start = name(number, "pinned ")
    return {key.removeprefix(start): value for key, value in state.items() if key.startswith(start)}


def readings(machine: Machine, state: Mapping[str, str]) -> Iterator[tuple[tuple[str, ...], str]]:
    """``-CfgForeign -Dsply``, ``-CfgForeign -Preview`` and ``-GetPreservedCacheList``, where there is something."""
    asked: list[tuple[tuple[str, ...], Callable[[], str]]] = []
    if foreign(machine):
        asked = [(("-CfgForeign", word), lambda: _output(_shown(machine))) for word in ("-Dsply", "-Preview")]
    asked.append((("-GetPreservedCacheList",), lambda: _output(_list(machine.number, state))))
    for words, text in asked:
        for target in ("-aALL", f"-a{machine.number}"):
            yield (*words, target, "-NoLog"), text()


def _shown(machine: Machine) -> str:
    """Return each configuration with a volume. The volume has the level that its drives would complete here."""
    level = next((volume.level for volume in machine.volumes.values()), "RAID1")
    lines = [f"Adapter: {machine.number}"]
    for number in dict.fromkeys(disk.foreign for disk in foreign(machine)):
        mine = [disk for disk in foreign(machine) if disk.foreign == number]
        lines += [
            "", f"Foreign configuration {number}", "Number of DISK GROUPS: 1", "", "DISK GROUP: 0",
            "Number of Spans: 1", "SPAN: 0", f"Number of PDs: {len(mine)}", "Number of VDs: 1", "",
            "Virtual Drive Information:", "Virtual Drive: 0 (Target Id: 0)",
            f"RAID Level          : Primary-{_LEVELS.get(level, '1, Secondary-0')}, RAID Level Qualifier-0",
            "State               : Degraded", "", "Physical Disk Information:",
        ]  # fmt: skip
        for at, disk in enumerate(mine):
            enclosure, _, slot = (machine.bay_of(disk) or ":").partition(":")
            lines += [f"Physical Disk: {at}", f"Enclosure Device ID: {enclosure}", f"Slot Number: {slot}"]
    return "\n".join(lines)


def _list(number: str, state: Mapping[str, str]) -> str:
    kept = pinned(number, state)
    lines = [f"Virtual Drive(Target ID {int(volume):02}): {text}." for volume, text in sorted(kept.items())]
    return "\n".join([f"Adapter #{number}", "", *(lines or ["No Virtual Drive has Preserved Cache Data."])])
