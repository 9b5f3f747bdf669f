"""What the kernel and mdadm show of a simulated machine. Pure; the forms are those of mdadm 4.2 and Linux 6.1."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from raidctl.request import (
    Answer,
    Glob,
    GlobAnswer,
    Read,
    ReadAnswer,
    Request,
    Run,
    RunAnswer,
    UdevDatabase,
)
from raidctl_md.simulated_machine import (
    Fields,
    arrays,
    drives,
    failed,
    key_of,
    members,
    node_of,
    partitions,
    spare,
    whole,
)

Answers = dict[Request[Any], Answer]
_PCI = "/devices/pci0000:00/0000:00:1f.2"
_SLOTS = 8
_NUMBERS = {"raid1": "0", "raid5": "2", "raid6": "2"}


def answers_of(state: Mapping[str, str]) -> Answers:
    """Return all answers that depend on the drives and arrays."""
    found: Answers = {UdevDatabase(): ReadAnswer(data=_udev(state).encode())}
    names = [name for drive in drives(state).values() for name in _names(drive)] + list(arrays(state))
    found[Glob("/sys/class/block/*")] = GlobAnswer(tuple(sorted(f"/sys/class/block/{name}" for name in names)))
    slaves = [
        f"/sys/class/block/{array}/slaves/{node_of(state, key)[5:]}"
        for array in arrays(state) for key in members(state, array)
    ]  # fmt: skip
    found[Glob("/sys/class/block/*/slaves/*")] = GlobAnswer(tuple(sorted(slaves)))
    texts = dict(_files(state))
    found |= {Read(path): ReadAnswer(data=f"{text}\n".encode()) for path, text in texts.items()}
    found |= _enclosure(state)
    for array, about in arrays(state).items():
        out = _detail(state, array, about)
        found[Run(("mdadm", "--detail", f"/dev/{array}"))] = RunAnswer(code=0, out=out.encode())
    for serial, drive in drives(state).items():
        nodes = [f"/dev/{name}" for name in _names(drive)]
        if "smart" in drive:
            argv = ("smartctl", "-n", "standby", "-x", "-f", "old", nodes[0])
            found[Run(argv)] = RunAnswer(code=0, out=_smart(serial, drive))
        dump = _dump(serial, drive)
        found[Run(("sfdisk", "--dump", nodes[0]))] = RunAnswer(code=0 if dump else 1, out=dump.encode())
        for node in nodes:
            sector = _first_sector(drive) if node == nodes[0] else RunAnswer(code=0, out=_left_over(drive))
            found[Run(("dd", f"if={node}", "bs=512", "count=1", "status=none"), timeout=30.0)] = sector
            found[Run(("wipefs", "--no-act", "--json", node))] = RunAnswer(code=0, out=_signatures(state, serial, node))
            examined = f"{node}:\n          Magic : a92b4efc\n    Data Offset : 2048 sectors\n".encode()
            dd = ("dd", f"if={node}", "bs=1048576", "count=1", "iflag=skip_bytes", "status=none")
            for skip in (0, (int(drive["sectors"]) - 2048) * 512):
                found[Run((*dd, f"skip={skip}"))] = RunAnswer(code=0)
            found[Run(("mdadm", "--examine", node))] = RunAnswer(code=0, out=examined)
    return found


def _enclosure(state: Mapping[str, str]) -> Answers:
    """The bays as an SES enclosure shows them, ``enclosure = 0x5003048001a2b3bd``. LEDs are off until written."""
    if "md/enclosure" not in state:
        return {}
    folder = "/sys/class/enclosure/8:0:20:0"
    slots = [f"{folder}/Slot {number:02}" for number in range(1, _SLOTS + 1)]
    inside = [
        f"{folder}/Slot {int(name[7:]):02}/device/block/{drives(state)[serial]['node']}"
        for name, serial in state.items()
        if name.startswith("md/bay ") and serial in drives(state)
    ]
    found: Answers = {
        Glob("/sys/class/enclosure/*/*/locate"): GlobAnswer(tuple(f"{slot}/locate" for slot in slots)),
        Glob("/sys/class/enclosure/*/*/device/block/*"): GlobAnswer(tuple(sorted(inside))),
        Read(f"{folder}/id"): ReadAnswer(data=f"{state['md/enclosure']}\n".encode()),
    }
    return found | {Read(f"{slot}/locate"): ReadAnswer(data=b"0\n") for slot in slots}


def _first_sector(drive: Fields) -> RunAnswer:
    """For ``boot=grub``, as GRUB's boot.img begins and ends. Another drive has nothing that a BIOS would start."""
    code = b"\xebc\x90" + bytes(381) + b"GRUB \x00Geom" if drive.get("boot") == "grub" else b""
    return RunAnswer(code=0, out=code.ljust(510, b"\0") + (b"\x55\xaa" if code or drive.get("parts") else b"\0\0"))


def _left_over(drive: Fields) -> bytes:
    """The first sector of a partition. With ``rest=data``, it has data of no known format from earlier use."""
    return (b"rest" if drive.get("rest") == "data" else b"").ljust(512, b"\0")


def _names(drive: Fields) -> Iterator[str]:
    yield drive["node"]
    yield from (f"{drive['node']}{part}" for part in partitions(drive))


def _udev(state: Mapping[str, str]) -> str:
    controller = (
        f"P: {_PCI}\nE: DEVPATH={_PCI}\nE: SUBSYSTEM=pci\nE: DRIVER=ahci\nE: PCI_CLASS=10601\nE: PCI_ID=8086:2922\n"
        "E: PCI_SLOT_NAME=0000:00:1f.2\nE: ID_VENDOR_FROM_DATABASE=Intel Corporation\n"
        "E: ID_MODEL_FROM_DATABASE=SATA AHCI Controller"
    )
    blocks = [controller]
    bays = {serial: name[7:] for name, serial in state.items() if name.startswith("md/bay ")}
    for minor, (serial, drive) in enumerate(sorted(drives(state).items(), key=lambda item: item[1]["node"])):
        bay = int(bays.get(serial, "1")) - 1
        path = f"{_PCI}/ata{bay + 1}/host{bay}/target{bay}:0:0/{bay}:0:0:0/block/{drive['node']}"
        for part in ("", *partitions(drive)):
            name = f"{drive['node']}{part}"
            sig = _signature(state, serial, drive, part)
            table = "gpt" if drive.get("parts") else ""
            lines = [
                f"P: {path}{'/' + name if part else ''}", f"N: {name}",
                f"S: disk/by-id/ata-LAB_D_{serial}{'-part' + part if part else ''}",
                f"E: DEVPATH={path}{'/' + name if part else ''}", f"E: DEVNAME=/dev/{name}",
                "E: DEVTYPE=partition" if part else "E: DEVTYPE=disk", "E: MAJOR=8",
                f"E: MINOR={16 * minor + int(part or 0)}",
                "E: SUBSYSTEM=block", "E: ID_BUS=ata", "E: ID_ATA=1", "E: ID_MODEL=LAB_D", "E: ID_REVISION=1.0",
                f"E: ID_SERIAL=LAB_D_{serial}", f"E: ID_SERIAL_SHORT={serial}",
                *([f"E: ID_PART_TABLE_TYPE={table}"] if table else []), *([f"E: ID_FS_TYPE={sig}"] if sig else []),
            ]  # fmt: skip
            blocks.append("\n".join(lines))
    for minor, (array, about) in enumerate(arrays(state).items()):
        lines = [
            f"P: /devices/virtual/block/{array}", f"N: {array}", f"S: disk/by-id/md-uuid-{about['uuid']}",
            f"E: DEVPATH=/devices/virtual/block/{array}", f"E: DEVNAME=/dev/{array}", "E: DEVTYPE=disk",
            "E: MAJOR=9", f"E: MINOR={minor}", "E: SUBSYSTEM=block",
            *(["E: ID_FS_TYPE=ext4"] if about.get("fs") != "none" else []),
            *([f"S: md/{about['link']}"] if "link" in about else []),
        ]  # fmt: skip
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def _signature(state: Mapping[str, str], serial: str, drive: Fields, part: str) -> str:
    key = f"{serial}-{part}" if part else serial
    if any(key in members(state, array) for array in arrays(state)):
        return "linux_raid_member"
    return "" if part else drive.get("sig", "")


def _signatures(state: Mapping[str, str], serial: str, node: str) -> bytes:
    """What wipefs prints: nothing for a drive without any signature."""
    drive = drives(state)[serial]
    part = (key_of(state, node) or "").partition("-")[2]
    found = [_signature(state, serial, drive, part)] + (["gpt"] if drive.get("parts") and not part else [])
    rows = [{"device": node[5:], "offset": "0x1000", "type": one, "uuid": None, "label": None} for one in found if one]
    return json.dumps({"signatures": rows}).encode() if rows else b""


def _smart(serial: str, drive: Fields) -> bytes:
    """The output of smartctl for a drive put in after the recording.

    The drive has ``smart=PASSED`` or ``smart=FAILED!``.
    """
    size = int(drive["sectors"]) * 512
    lines = [
        "smartctl 7.3 2022-02-28 r5338 [x86_64-linux-6.1.0-25-amd64] (local build)", "",
        "=== START OF INFORMATION SECTION ===", "Device Model:     LAB_D", f"Serial Number:    {serial}",
        "Firmware Version: 1.0", f"User Capacity:    {size:,} bytes [{size / 1e12:.2f} TB]",
        "Sector Sizes:     512 bytes logical, 4096 bytes physical", "Rotation Rate:    7200 rpm",
        "SMART support is: Available - device has SMART capability.", "SMART support is: Enabled", "",
        "=== START OF READ SMART DATA SECTION ===",
        f"SMART overall-health self-assessment test result: {drive['smart']}", "", "",
    ]  # fmt: skip
    return "\n".join(lines).encode()


def _dump(serial: str, drive: Fields) -> str:
    """What sfdisk prints of a drive's table; empty without one."""
    if not drive.get("parts"):
        return ""
    # the identifiers of a new table are its own; "guid" is that of a careless copy
    own = drive.get("guid", serial)
    lines = ["label: gpt", f"label-id: {own}-0", f"device: /dev/{drive['node']}", "unit: sectors", "first-lba: 2048",
             f"last-lba: {int(drive['sectors']) - 34}", "sector-size: 512", ""]  # fmt: skip
    lines += [
        f"/dev/{drive['node']}{part} : start= {2048 + 110000 * index}, size= 105000, "
        f'type=A19D880F-05FC-4D3B-A006-743F0F84911E, uuid={own}-{part}, name="md {part}"'
        for index, part in enumerate(partitions(drive))
    ]
    return "\n".join([*lines, ""])


def _files(state: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for drive in drives(state).values():
        for name in _names(drive):
            yield f"/sys/class/block/{name}/size", drive["sectors"]
        yield f"/sys/class/block/{drive['node']}/removable", "0"
        yield f"/sys/class/block/{drive['node']}/queue/rotational", drive.get("rotational", "1")
        yield f"/sys/class/block/{drive['node']}/queue/logical_block_size", drive.get("sector", "512")
        for part in partitions(drive):
            yield f"/sys/class/block/{drive['node']}/{drive['node']}{part}/partition", part
    yield "/proc/mdstat", _mdstat(state)
    for array, about in arrays(state).items():
        yield f"/sys/class/block/{array}/size", str(int(about["sectors"]) * _data(about))
        yield from _array_files(state, array, about)


def _data(about: Fields) -> int:
    return {"raid1": 1}.get(about["level"], int(about["slots"]) - spare(about))


def _array_files(state: Mapping[str, str], array: str, about: Fields) -> Iterator[tuple[str, str]]:
    place = f"/sys/block/{array}/md"
    gone = int(about["slots"]) - len(whole(state, array))
    values = {
        "level": about["level"], "raid_disks": about["slots"], "chunk_size": "0" if about["level"] == "raid1" else
        about.get("chunk", "524288"), "layout": _NUMBERS[about["level"]], "metadata_version": "1.2",
        "array_state": "broken" if failed(state, array) else about.get("ro", "clean"), "degraded": str(gone),
        "sync_action": "recover" if _rebuilding(state, array) else "idle", "sync_completed": "none",
        "mismatch_cnt": "0", "reshape_position": "none", "consistency_policy": about.get("policy", "resync"),
        "component_size": str(int(about["sectors"]) // 2), "sync_speed_min": "1000 (system)",
        "sync_speed_max": "200000 (system)", "last_sync_action": "none",
        "sync_min": "0", "sync_max": "max",
    }  # fmt: skip
    if about["level"] in ("raid5", "raid6"):
        values |= {"stripe_cache_size": "256", "stripe_cache_active": "0"}
    yield from ((f"{place}/{name}", value) for name, value in values.items())
    for key, member in members(state, array).items():
        name = f"dev-{node_of(state, key)[5:]}"
        yield f"{place}/{name}/state", _member_state(state, array, member)
        yield f"{place}/{name}/slot", "none" if member["slot"] == "-" else member["slot"]
        yield f"{place}/{name}/errors", "0"
        yield f"{place}/{name}/offset", about["offset"]


def _member_state(state: Mapping[str, str], array: str, member: Fields) -> str:
    copied = any(it["state"] == "copying" and it["slot"] == member["slot"] for it in members(state, array).values())
    words = {"faulty": "faulty", "spare": "spare", "rebuilding": "spare", "copying": "spare,replacement"}
    return words.get(member["state"], "in_sync,want_replacement" if copied else "in_sync")


def _rebuilding(state: Mapping[str, str], array: str) -> float | None:
    """How many percent of a rebuild or copy are done. None: there is none."""
    about = arrays(state)[array]
    for member in members(state, array).values():
        if member["state"] in ("rebuilding", "copying") and "ro" not in about:
            done = (float(state["md/clock"]) - float(member["from"])) / float(about["seconds"])
            return min(99.9, max(0.0, 100 * done))
    return None


def _mdstat(state: Mapping[str, str]) -> str:
    lines = ["Personalities : [raid1] [raid6] [raid5] [raid4] "]
    for array, about in arrays(state).items():
        listed = []
        for number, (key, member) in enumerate(members(state, array).items()):
            mark = {"faulty": "(F)", "spare": "(S)", "copying": "(R)"}.get(member["state"], "")
            listed.append(f"{node_of(state, key)[5:]}[{number}]{mark}")
        slots = int(about["slots"])
        up = {member["slot"] for member in members(state, array).values() if member["state"] == "in_sync"}
        signs = "".join("U" if str(slot) in up else "_" for slot in range(slots))
        size = int(about["sectors"]) * _data(about) // 2
        level = (
            ""
            if about["level"] == "raid1"
            else (f" level {about['level'][4:]}, {int(about.get('chunk', '524288')) // 1024}k chunk, algorithm 2")
        )
        held = {"read-auto": " (auto-read-only)", "readonly": " (read-only)"}.get(about.get("ro", ""), "")
        lines.append(f"{array} : active{held} {about['level']} {' '.join(listed)}")
        lines.append(f"      {size} blocks super 1.2{level} [{slots}/{len(up)}] [{signs}]")
        percent = _rebuilding(state, array)
        if percent is not None:
            done = int(size * percent / 100)
            minutes = float(about["seconds"]) * (1 - percent / 100) / 60
            speed = int(int(about["sectors"]) / 2 / float(about["seconds"]))
            lines.append(
                f"      [==>..................]  recovery = {percent:.1f}% ({done}/{size}) "
                f"finish={minutes:.1f}min speed={speed}K/sec"
            )
        lines.append("      ")
    return "\n".join([*lines, "unused devices: <none>"])


def _detail(state: Mapping[str, str], array: str, about: Fields) -> str:
    found = members(state, array)
    slots, active = int(about["slots"]), len(whole(state, array))
    bad = sum(member["state"] == "faulty" for member in found.values())
    idle = sum(member["state"] in ("spare", "rebuilding", "copying") for member in found.values())
    words = ["clean"] + (["FAILED"] if failed(state, array) else ["degraded"] if active < slots else [])
    percent = _rebuilding(state, array)
    words += ["recovering"] if percent is not None else []
    size = int(about["sectors"]) * _data(about) // 2
    text = [
        f"/dev/{array}:", "           Version : 1.2", "     Creation Time : Mon Nov 18 10:47:05 2024",
        f"        Raid Level : {about['level']}", f"        Array Size : {_size(size)}",
        f"     Used Dev Size : {_size(int(about['sectors']) // 2)}",
        f"      Raid Devices : {slots}", f"     Total Devices : {len(found)}",
        "       Persistence : Superblock is persistent", "", "       Update Time : Sun Mar  1 00:59:01 2026",
        f"             State : {', '.join(words)} ", f"    Active Devices : {active}",
        f"   Working Devices : {active + idle}", f"    Failed Devices : {bad}", f"     Spare Devices : {idle}", "",
        f"Consistency Policy : {about.get('policy', 'resync')}", "",
    ]  # fmt: skip
    text += [f"    Rebuild Status : {int(percent)}% complete", ""] if percent is not None else []
    text += [
        f"              Name : {about.get('name', f'lab:{array}')}",
        f"              UUID : {about['uuid']}",
        "            Events : 61",
        "",
    ]
    text.append("    Number   Major   Minor   RaidDevice State")
    return "\n".join([*text, *_rows(state, array, slots)]) + "\n"


def _size(blocks: int) -> str:
    """Sizes as mdadm prints them, of a number of KiB."""
    return f"{blocks} ({blocks / 2**20:.2f} GiB {blocks / 976562.5:.2f} GB)"


_ROWS = {
    "in_sync": "active sync", "faulty": "faulty", "spare": "spare", "rebuilding": "spare rebuilding",
    "copying": "spare rebuilding",  # mdadm has no separate word for a replacement
}  # fmt: skip


def _rows(state: Mapping[str, str], array: str, slots: int) -> Iterator[str]:
    found = members(state, array)
    for slot in range(slots):
        mine = [key for key, member in found.items() if member["slot"] == str(slot)]
        if not mine:
            yield f"       -       0        0        {slot}      removed"
        for key in mine:
            row = _ROWS[found[key]["state"]]
            yield f"       {slot}       8        0        {slot}      {row}   {node_of(state, key)}"
    for number, (key, member) in enumerate(found.items(), slots):
        if member["slot"] == "-":
            yield f"       {number}       8        0        -      {_ROWS[member['state']]}   {node_of(state, key)}"
