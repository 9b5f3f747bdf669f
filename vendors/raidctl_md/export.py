"""The short forms of mdadm: --export, --scan and --brief."""

from __future__ import annotations

import re

from raidctl.evidence import Line
from raidctl.text import attempt, regex
from raidctl.units import parse_size
from raidctl.vendor.draft import Pair
from raidctl.vendor.fields import Field, Fields, read_pair
from raidctl_md.draft import ArrayDraft, Parent, Reading, Source, key_of, slot_of
from raidctl_md.label_lines import count, keep, known, read_uuid
from raidctl_md.split_outputs import Section
from raidctl_md.vocabulary import LEVELS, version

_PAIR = regex(r"\s*((?:MD|IMSM)_\w+)=(.*)")
# MD_DEVICE_dev_sda1_ROLE=0; older ones: MD_DEVICE_ev_sda1_ROLE
_DEVICE = regex(r"MD_DEVICE_(\w+)_(ROLE|DEV)")
_DETAILS = frozenset(
    {"MD_UPDATE_TIME", "MD_EVENTS", "MD_CREATION_TIME", "MD_RESHAPE_ACTIVE", "MD_MEMBER", "MD_CONTAINER", "MD_DEV_UUID"}
)
_PLATFORM_KEYS = regex(r"MD_FIRMWARE_TYPE|IMSM_\w{1,60}")


def read_export(section: Section, reading: Reading) -> None:
    """``KEY=value`` lines; a repeated key begins the next array."""
    draft: ArrayDraft | None = None
    begun = len(reading.drafts)
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
        if draft is None or key in seen:
            draft = ArrayDraft(
                source=Source.EXPORT, output=section.output, node=section.node if draft is None else None
            )
            reading.drafts.append(draft)
            seen.clear()
            members.clear()
        seen.add(key)
        _read_export(draft, line, key, value, members)
    for done in reading.drafts[begun:]:
        _conclude_export(done)
    if draft is not None and not draft.is_container and not draft.members and "MD_EVENTS" not in draft.details:
        section.output.gap = "no device is listed"  # of an array; of a member, the count of events comes last


def _read_export(draft: ArrayDraft, line: Line, key: str, value: str, members: dict[str, str]) -> None:
    device = _DEVICE.fullmatch(key)
    if device:
        _read_device(draft, line, device, value, members)
    else:
        read_pair(draft, Pair(key, value, [line]), key, _EXPORT_FIELDS)


def _read_level(draft: ArrayDraft, pair: Pair) -> None:
    draft.is_container = "container".startswith(pair.value)  # also where the output ends in the word
    draft.put_labelled(pair.lines[0], "raid_level", LEVELS.get(pair.value, "unknown"), pair.label)


def _read_kept_level(draft: ArrayDraft, pair: Pair) -> None:
    _read_level(draft, pair)
    draft.keep_words(pair.label, pair.value)


def _read_node(draft: ArrayDraft, pair: Pair) -> None:
    draft.node = draft.node or f"/dev/md/{pair.value}"
    keep(draft, pair)


def _size(value: str) -> int | None:
    # 21.46GB is decimal, 19.98GiB of older releases is not; rounded in any case
    return attempt(lambda text: parse_size(text, binary=False), value)


_EXPORT_FIELDS: Fields[ArrayDraft] = {
    **dict.fromkeys(_DETAILS, keep),
    # MD_LEVEL=raid1
    "MD_LEVEL": _read_kept_level,
    # MD_DEVICES=2
    "MD_DEVICES": Field("drives_expected", count),
    # MD_METADATA=1.2
    "MD_METADATA": Field("metadata", version),
    # MD_UUID=3a8e6d0f:5c1b2a49:77e0d1c4:9b2f8e63
    "MD_UUID": read_uuid,
    # MD_NAME=box:root
    "MD_NAME": Field("name", known),
    # MD_DEVNAME=root
    "MD_DEVNAME": _read_node,
    # MD_ARRAY_SIZE=21.46GB
    "MD_ARRAY_SIZE": Field("size_bytes", _size),
}


def _read_device(draft: ArrayDraft, line: Line, match: re.Match[str], value: str, members: dict[str, str]) -> None:
    """Read the role or the device of a member. They come in two lines, in either order."""
    word, what = match[1], match[2]
    if what == "DEV":
        member = draft.members.get(members.get(word, ""))
        if member is None:
            member = draft.member(key_of(value))
        else:
            draft.rename(member, key_of(value))
        member.node = value
        members[word] = member.name
        member.detail(line, "device", value)
        return
    member = draft.member(members.setdefault(word, word.removeprefix("dev_").removeprefix("ev_")))
    # a journal, and a faulty device, is called "spare" here too
    member.put(line, "role", "spare" if value == "spare" else "member")
    member.slot = slot_of(value)
    member.detail(line, "ROLE", value)


def _conclude_export(draft: ArrayDraft) -> None:
    container = draft.details.get("MD_CONTAINER")
    if container:
        draft.parent = Parent(container, draft.details.get("MD_MEMBER", ""))
    if "MD_EVENTS" in draft.details or "MD_DEV_UUID" in draft.details or not (draft.node or draft.members):
        # then the device that the command names is the member, not the array
        draft.source = Source.EXAMINE
        if draft.node and not draft.node.startswith("/dev/md"):
            member = draft.member(key_of(draft.node), draft.node)
            draft.node = None
            draft.move_detail("MD_DEV_UUID", member)
    else:
        _count_members(draft)


_NOT_REDUNDANT = frozenset({"raid0", "linear", "unknown", None})


def _count_members(draft: ArrayDraft) -> None:
    """Infer the state if the output has none.

    An array is degraded if it lists fewer members with a role than it has places.

    ``--detail --export`` lists what the kernel lists: a member that was removed or has failed has no role.
    """
    places, level = draft.get("drives_expected"), draft.get("raid_level")
    working = sum(member.get("role") == "member" for member in draft.members.values())
    line = next((line for line, name, _ in draft.evidence if name == "drives_expected"), None)
    redundant = not draft.is_container and level not in _NOT_REDUNDANT
    if line is None or not redundant or not draft.members or not isinstance(places, int):
        return
    if working < places:
        draft.put_labelled(line, "status", "degraded", "MD_DEVICES")
        draft.put_labelled(line, "status_text", f"{working} of {places} devices", "MD_DEVICES")


# what may follow in the next line, as mdadm prints it (devices, spares) or where a mailer broke the line
_CONTINUED = regex(
    r"(?:devices|spares|UUID|name|metadata|level|num-devices|container|member|bitmap|spare-group|super-minor|auto)=\S"
)


def read_scan(section: Section, reading: Reading) -> None:
    """Lines of ``--detail --scan`` and ``--examine --scan``: ``ARRAY /dev/md0 metadata=1.2 UUID=…``."""
    draft: ArrayDraft | None = None
    for line in section.lines:
        words = line.text.split()
        if words and words[0] in ("ARRAY", "INACTIVE-ARRAY"):
            draft = ArrayDraft(source=Source.SCAN, output=section.output)
            reading.drafts.append(draft)
            _read_words(draft, line, words[1:])
            if words[0] == "INACTIVE-ARRAY":
                draft.put_labelled(line, "status_text", words[0], words[0])
                draft.override("status", "inactive")
        elif draft is not None and words and all(_CONTINUED.match(word) for word in words):
            _read_words(draft, line, words)


def _read_devices(draft: ArrayDraft, pair: Pair) -> None:
    for node in pair.value.split(","):
        if node.startswith("/"):
            draft.member(key_of(node), node).detail(pair.lines[0], "device", node)


_SCAN_FIELDS: Fields[ArrayDraft] = {
    # ARRAY /dev/md0 level=raid1 num-devices=2 metadata=1.2 name=box:root UUID=3a8e6d0f:5c1b2a49:77e0d1c4:9b2f8e63
    "level": _read_level,
    "num-devices": Field("drives_expected", slot_of),
    "metadata": Field("metadata", str),
    "name": Field("name", str),
    "UUID": read_uuid,
    "bitmap": Field("bitmap", str),
    #    devices=/dev/sda1,/dev/sdb1
    "devices": _read_devices,
}


def _read_words(draft: ArrayDraft, line: Line, words: list[str]) -> None:
    for word in words:
        key, equals, value = word.partition("=")
        pair = Pair(key, value, [line])
        if not equals:
            draft.node = word if word.startswith("/") else f"/dev/{word}"
            draft.detail(line, "device", word)
        elif not read_pair(draft, pair, key, _SCAN_FIELDS):
            keep(draft, pair)
    if not draft.parent and "container" in draft.details:
        draft.parent = Parent(draft.details["container"], draft.details.get("member", ""))
    if draft.get("metadata") in ("imsm", "ddf") and draft.parent is None:
        draft.is_container = True
