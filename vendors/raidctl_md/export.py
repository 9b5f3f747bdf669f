"""The short forms of mdadm: --export, --scan and --brief."""

from __future__ import annotations

import re

from msgspec.structs import replace

from raidctl.evidence import Line
from raidctl.text import attempt
from raidctl.units import parse_size
from raidctl_md.label_lines import Field, Fields, count, read_label
from raidctl_md.parts import Claim, Parent, Part, Reading, Source, key_of, slot_of
from raidctl_md.split_outputs import Section
from raidctl_md.vocabulary import LEVELS, version

_PAIR = re.compile(r"\s*((?:MD|IMSM)_\w+)=(.*)")
# MD_DEVICE_dev_sda1_ROLE=0; older ones: MD_DEVICE_ev_sda1_ROLE
_DEVICE = re.compile(r"MD_DEVICE_(\w+)_(ROLE|DEV)")
_DETAILS = frozenset(
    {"MD_UPDATE_TIME", "MD_EVENTS", "MD_CREATION_TIME", "MD_RESHAPE_ACTIVE", "MD_MEMBER", "MD_CONTAINER", "MD_DEV_UUID"}
)
_PLATFORM_KEYS = re.compile(r"MD_FIRMWARE_TYPE|IMSM_\w{1,60}")


def read_export(section: Section, reading: Reading) -> None:
    """``KEY=value`` lines; a key that comes again begins the next array."""
    part: Part | None = None
    begun = len(reading.parts)
    seen: set[str] = set()
    members: dict[str, str] = {}
    for line in section.lines:
        match = _PAIR.fullmatch(line.text)
        if not match:
            continue
        key, value = match[1], match[2].strip()
        if _PLATFORM_KEYS.fullmatch(key):
            reading.controller.append((line, key, value))
            continue
        if part is None or key in seen:
            part = Part(Source.EXPORT, section.output, node=section.node if part is None else None)
            reading.parts.append(part)
            seen.clear()
            members.clear()
        seen.add(key)
        _take_export(part, line, key, value, members)
    for done in reading.parts[begun:]:
        _settle_export(done)
    if part is not None and not part.is_container and not part.members and "MD_EVENTS" not in part.details:
        section.output.gap = "no device is listed"  # of an array; of a member, the count of events comes last


def _take_export(part: Part, line: Line, key: str, value: str, members: dict[str, str]) -> None:
    device = _DEVICE.fullmatch(key)
    if device:
        _take_device(part, line, device, value, members)
    elif key in _DETAILS:
        part.detail(line, key, value)
    else:
        read_label(part, part, (line, key, value), _FIELDS)


def _take_level(part: Part, line: Line, value: str) -> None:
    part.is_container = "container".startswith(value)  # also where the output ends in the word
    part.put(line, "raid_level", LEVELS.get(value, "unknown"), "MD_LEVEL")
    part.details["MD_LEVEL"] = value


def _take_uuid(part: Part, line: Line, value: str) -> None:
    part.take_uuid(line, "MD_UUID", value)


def _take_name(part: Part, line: Line, value: str) -> None:
    part.node = part.node or f"/dev/md/{value}"
    part.detail(line, "MD_DEVNAME", value)


def _size(value: str) -> int | None:
    # 21.46GB is decimal, 19.98GiB of older releases is not; rounded in any case
    return attempt(lambda text: parse_size(text, binary=False), value)


_FIELDS: Fields[Part] = {
    # MD_LEVEL=raid1
    "MD_LEVEL": _take_level,
    "MD_DEVICES": Field("drives_expected", count),
    # MD_METADATA=1.2
    "MD_METADATA": Field("metadata", version),
    # MD_UUID=3a8e6d0f:5c1b2a49:77e0d1c4:9b2f8e63
    "MD_UUID": _take_uuid,
    # MD_NAME=box:root
    "MD_NAME": Field("name", lambda value: value or None),
    # MD_DEVNAME=root
    "MD_DEVNAME": _take_name,
    # MD_ARRAY_SIZE=21.46GB
    "MD_ARRAY_SIZE": Field("size_bytes", _size),
}


def _take_device(part: Part, line: Line, match: re.Match[str], value: str, members: dict[str, str]) -> None:
    """Role and device of a member come in two lines, in either order."""
    word, what = match[1], match[2]
    if what == "DEV":
        former = part.members.pop(members.get(word, ""), None)
        member = part.member(key_of(value), value)
        if former is not None:
            member.values, member.details, member.slot = former.values, former.details, former.slot
            part.claims = [_renamed(claim, former.key, member.key) for claim in part.claims]
        members[word] = member.key
        part.detail_member(line, member, "device", value)
        return
    key = members.setdefault(word, word.removeprefix("dev_").removeprefix("ev_"))
    member = part.member(key)
    # a journal, and a faulty device, is called "spare" here too
    part.put_member(line, member, "role", "spare" if value == "spare" else "member")
    member.slot = slot_of(value)
    part.detail_member(line, member, "ROLE", value)


def _renamed(claim: Claim, old: str, new: str) -> Claim:
    return replace(claim, member=new) if claim.member == old else claim


def _settle_export(part: Part) -> None:
    container = part.details.get("MD_CONTAINER")
    if container:
        part.parent = Parent(container, part.details.get("MD_MEMBER", ""))
    if "MD_EVENTS" in part.details or "MD_DEV_UUID" in part.details or not (part.node or part.members):
        # the device that the command names is the member then, not the array
        part.source = Source.EXAMINE
        if part.node and not part.node.startswith("/dev/md"):
            member = part.member(key_of(part.node), part.node)
            part.node = None
            moved = part.details.pop("MD_DEV_UUID", None)
            if moved:
                member.details["MD_DEV_UUID"] = moved
                part.claims = [_given(claim, member.key) for claim in part.claims]
    else:
        _count_members(part)


_NOT_REDUNDANT = frozenset({"raid0", "linear", "unknown", None})


def _count_members(part: Part) -> None:
    """Without a state in the output: an array is degraded if it lists fewer members with a role than it has places.

    ``--detail --export`` lists what the kernel lists: a member that was removed or has failed has no role.
    """
    places, level = part.values.get("drives_expected"), part.values.get("raid_level")
    working = sum(member.values.get("role") == "member" for member in part.members.values())
    line = next((claim.line for claim in part.claims if claim.field == "drives_expected"), None)
    if line is None or part.is_container or level in _NOT_REDUNDANT or not part.members or not isinstance(places, int):
        return
    if working < places:
        part.put(line, "status", "degraded", "MD_DEVICES")
        part.put(line, "status_text", f"{working} of {places} devices", "MD_DEVICES")


def _given(claim: Claim, member: str) -> Claim:
    return replace(claim, member=member) if claim.label == "MD_DEV_UUID" else claim


# what may follow in the next line, as mdadm prints it (devices, spares) or where a mailer broke the line
_CONTINUED = re.compile(
    r"(?:devices|spares|UUID|name|metadata|level|num-devices|container|member|bitmap|spare-group|super-minor|auto)=\S"
)


def read_scan(section: Section, reading: Reading) -> None:
    """Lines of ``--detail --scan`` and ``--examine --scan``: ``ARRAY /dev/md0 metadata=1.2 UUID=…``."""
    part: Part | None = None
    for line in section.lines:
        words = line.text.split()
        if words and words[0] in ("ARRAY", "INACTIVE-ARRAY"):
            part = Part(Source.SCAN, section.output)
            reading.parts.append(part)
            _take_scan(part, line, words[1:])
            if words[0] == "INACTIVE-ARRAY":
                part.put(line, "status_text", words[0], words[0])
                part.values["status"] = "inactive"
        elif part is not None and words and all(_CONTINUED.match(word) for word in words):
            _take_scan(part, line, words)


_SCAN_FIELDS = {"name": "name", "metadata": "metadata", "bitmap": "bitmap"}


def _take_scan(part: Part, line: Line, words: list[str]) -> None:
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            part.node = word if word.startswith("/") else f"/dev/{word}"
            part.detail(line, "device", word)
        elif key == "level":
            part.is_container = "container".startswith(value)  # also where the output ends in the word
            part.put(line, "raid_level", LEVELS.get(value, "unknown"), key)
        elif key == "num-devices" and value.isdecimal() and len(value) < 6:
            part.put(line, "drives_expected", int(value), key)
        elif key == "UUID":
            part.take_uuid(line, key, value)
        elif key in _SCAN_FIELDS:
            part.put(line, _SCAN_FIELDS[key], value, key)
        elif key == "devices":
            for node in value.split(","):
                if node.startswith("/"):
                    part.detail_member(line, part.member(key_of(node), node), "device", node)
        else:
            part.detail(line, key, value)
    if not part.parent and "container" in part.details:
        part.parent = Parent(part.details["container"], part.details.get("member", ""))
    if part.values.get("metadata") in ("imsm", "ddf") and part.parent is None:
        part.is_container = True
