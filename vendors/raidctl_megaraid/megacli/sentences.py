"""The sentences of MegaCli: progress of operations, settings, preserved caches, foreign configurations.

Each entry of the table is the tool's sentence, with what is done about it. Failures are in :mod:`.failure`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from raidctl.evidence import Line, mark_read
from raidctl.text import attempt, collapse, regex
from raidctl.vendor.draft import DETAIL, ROW, GroupDraft, Pair
from raidctl.vendor.fields import Field, Fields, read_pair
from raidctl.vendor.shapes import MISSING_PLACES
from raidctl_megaraid.draft import ControllerDraft
from raidctl_megaraid.megacli import numbers
from raidctl_megaraid.megacli.controller import read_controller
from raidctl_megaraid.megacli.drive import drive_key, progress
from raidctl_megaraid.megacli.grammar import split
from raidctl_megaraid.megacli.outline import Block, Item
from raidctl_megaraid.megacli.volume import cache_policy, under_way
from raidctl_megaraid.vocabulary import disk_cache, normalized

ControllerOf = Callable[[str | None], ControllerDraft]
Reader = Callable[[ControllerOf, Line, "re.Match[str]", str | None], None]


def _on_volume(controller_of: ControllerOf, line: Line, match: re.Match[str], adapter: str | None) -> None:
    """``Check Consistency on VD #1 (target id #1) Completed 8% in 18 Minutes.``."""
    volume = _volume(controller_of(adapter), match["target"] or match["volume"])
    label = match["operation"]
    under_way(volume, line, label, numbers.percent_in(f"{match['percent']}%"))
    volume.detail(line, f"Ongoing {label}", match["text"])


def _volume(controller: ControllerDraft, number: str) -> GroupDraft:
    return controller.volume(str(int(number)))


def _on_drive(controller_of: ControllerOf, line: Line, match: re.Match[str], adapter: str | None) -> None:
    """``Rebuild Progress on Device at Enclosure 8, Slot 3 Completed 27% in 64 Minutes.``."""
    drive = controller_of(adapter).drive(drive_key(match["enclosure"], match["slot"]))
    percent = numbers.percent_in(f"{match['percent']}%")
    if percent is not None:
        progress(drive, line, match["operation"], percent)
    drive.detail(line, f"Ongoing {match['operation']}", match["text"])


def _idle(controller_of: ControllerOf, line: Line, match: re.Match[str], adapter: str | None) -> None:
    """``Background Initialization on VD #0 is not in Progress.``, ``Device(Encl-32 Slot-2) is not in rebuild process``.

    No operation is running, so nothing is shown.
    """
    del match, adapter, controller_of
    mark_read(line)


def _name(volume: GroupDraft, pair: Pair) -> None:
    if pair.value:
        volume.put(pair.lines[0], "name", pair.value)
    else:
        volume.detail(pair.lines[0], pair.label, "yes")


_PROPERTIES: Fields[GroupDraft] = {
    # Adapter 0-VD 0(target id: 0): Cache Policy:WriteBack, ReadAdaptive, Direct, No Write Cache if bad BBU
    "cache policy": partial(cache_policy, field="write_configured", weight=ROW),
    "disk write cache": Field("cache.drive_write_cache", disk_cache),
    # Adapter 0-VD 0(target id: 0): Disk Write Cache : Disk's Default
    "disk cache policy": Field("cache.drive_write_cache", disk_cache),
    "name": _name,
}


def _property(controller_of: ControllerOf, line: Line, match: re.Match[str], adapter: str | None) -> None:
    """``Adapter 0-VD 0(target id: 0): Cache Policy:WriteBack, ReadAdaptive, Direct, No Write Cache if bad BBU``.

    The counterpart of ``-LDSetProp``, so the write policy is the configured one; what is active is not reported.
    """
    del adapter
    volume = _volume(controller_of(_number(match["adapter"])), match["target"] or match["volume"])
    if match["target"]:
        volume.put(line, "target", int(match["target"]), ROW)
    label, value = split(match["rest"]) or (match["rest"], "")
    pair = Pair(label, value, [line])
    if not read_pair(volume, pair, normalized(label), _PROPERTIES):
        volume.detail(line, label, value or "yes")


def _number(text: str) -> str:
    return str(int(text))


def _preserved(controller_of: ControllerOf, line: Line, match: re.Match[str], adapter: str | None) -> None:
    """``Virtual Drive(Target ID 06): Missing.``: the cache holds preserved data of it."""
    controller = controller_of(adapter)
    controller.put(line, "cache.preserved_data", value=True)
    controller.keep_preserved(str(int(match["target"])), match["text"].rstrip("."))
    controller.keep_words(f"Preserved cache of virtual drive {int(match['target'])}", match["text"].rstrip("."))


def _discarded(controller_of: ControllerOf, line: Line, match: re.Match[str], adapter: str | None) -> None:
    """``Virtual Drive(Target ID 06): Preserved Cache Data Cleared.``."""
    if not _CLEARED.search(match["text"]):
        _strange(controller_of, line, match, adapter)
        return
    controller_of(adapter).detail(line, f"Virtual Drive (Target ID {int(match['target'])})", match["text"].rstrip("."))


_CLEARED = regex(r"\b(?:cleared|discarded|success)", re.IGNORECASE)


def _strange(controller_of: ControllerOf, line: Line, match: re.Match[str], adapter: str | None) -> None:
    """Report a sentence about preserved cache or a running operation in another form."""
    del match
    controller_of(adapter).unread("line", collapse(line.text)[:80])


def _nothing_preserved(controller_of: ControllerOf, line: Line, match: re.Match[str], adapter: str | None) -> None:
    """``Adapter 0: No Virtual Drive has Preserved Cache Data.``."""
    controller_of(match["adapter"] or adapter).put(line, "cache.preserved_data", value=False)


def _foreign(controller_of: ControllerOf, line: Line, match: re.Match[str], adapter: str | None) -> None:
    """``There are 2 foreign configuration(s) on controller 0.``; ``There is no foreign configuration …``."""
    controller = controller_of(_number(match["adapter"]) if match["adapter"] else adapter)
    count = 0 if normalized(match["count"]) in ("no", "0") else match["count"]
    controller.detail(line, "Foreign configurations", str(count))
    if count:
        controller.put(None, "foreign", value=True)


def _count(controller_of: ControllerOf, line: Line, match: re.Match[str], adapter: str | None) -> None:
    """``Number of Virtual Drives Configured on Adapter 0: 1``."""
    del adapter
    controller_of(_number(match["adapter"])).detail(line, match["what"], match["count"])


def _none_there(controller_of: ControllerOf, line: Line, match: re.Match[str], adapter: str | None) -> None:
    """``Adapter 0: No Virtual Drive Configured.``: an empty list, from a controller that answered."""
    controller_of(_number(match["adapter"]) if match["adapter"] else adapter).detail(line, match["what"], "none")


def _state_changed(controller_of: ControllerOf, line: Line, match: re.Match[str], adapter: str | None) -> None:
    """``Adapter: 0: EnclId-8 SlotId-3 state changed to OffLine.``: a command's success; the state is read again."""
    controller = controller_of(_number(match["adapter"]) if match["adapter"] else adapter)
    controller.detail(line, f"Changed {match['what']}", match["text"])


def _set(controller_of: ControllerOf, line: Line, match: re.Match[str], adapter: str | None) -> None:
    """``Adapter 0: Set rebuild rate to 45% success.``."""
    named = match["adapter"] or next(iter(_ON_ADAPTER.findall(match["what"])), None)
    controller = controller_of(_number(named) if named else adapter)
    controller.detail(line, match["what"].strip(" :,"), "success")


_ON_ADAPTER = regex(r"\bon adapter (\d{1,3})\b", re.IGNORECASE | re.ASCII)


def _later(controller_of: ControllerOf, line: Line, match: re.Match[str], adapter: str | None) -> None:
    """``Battery capacity is too low. So policy Change to WB will not come into effect immediately``."""
    controller = controller_of(adapter)
    controller.detail(line, "Warning", match[0])
    controller.add_problem("warning", "state", f"The tool reports: {match[0].rstrip('.')}.", "Check the battery.")


def _setting(controller_of: ControllerOf, line: Line, match: re.Match[str], adapter: str | None) -> None:
    """``Adapter 0: Rebuild Rate = 30%``, ``Adapter 0: NCQ is Enabled.``."""
    del adapter
    controller = controller_of(_number(match["adapter"]))
    text = match["rest"].strip()
    pair = split(text) or _name_and_state(text)
    if pair is None:
        controller.detail(line, "Said", text)
        return
    block = Block("controller", items=[Item.of("", Pair(pair[0], pair[1].rstrip("."), [line]))])
    read_controller(controller, block)


_IS = regex(r"(.{2,60}?)\s+(?:is|are|will)\s+(.{2,80}?)\.?")


def _name_and_state(text: str) -> tuple[str, str] | None:
    match = _IS.fullmatch(text)
    return (match[1], match[2]) if match else None


_A = r"(?:Adapter\s*:?\s*(?P<adapter>\d{1,3})\s*[:-]\s*)?"
_OPERATION = (
    r"(?P<operation>Check Consistency|Consistency Check|Background Initialization|Initialization|Reconstruction|"
    r"Rebuild|Copyback|Copy ?Back|Clear|Secure Erase|Erase|Patrol Read)"
)
_VD = r"(?:VD|Virtual Drive) ?#?(?P<volume>\d{1,5})"
_TARGET = r"(?:\(target id ?#?:? ?(?P<target>\d{1,5})\))?"
_PINNED = r"Virtual (?:Drive|Disk) ?\(Target ID:? ?#?(?P<target>\d{1,5})\) ?:"
_COMPLETED = r"(?P<text>Completed (?P<percent>[\d.]{1,8}) ?% .{0,60})"
_ON_DRIVE = r"Progress on Device at Enclosure:? ?-? ?(?P<enclosure>[\w/]{1,8}),? ?Slot:? ?-? ?(?P<slot>\d{1,5})"
_FOREIGN = (
    r"There (?:is|are) (?P<count>no|\d{1,5}) foreign configuration(?:\(s\)|s)?"
    r"(?: on (?:controller|adapter) (?P<adapter>\d{1,3}))?\.?"
)
_COUNTED = (
    r"(?P<what>Number of (?:Virtual|Physical) (?:Drives|Disks)(?: Configured)?) on Adapter ?(?P<adapter>\d{1,3})"
    r" ?: ?(?P<count>\d{1,6})\.?"
)
_NONE = (
    r"-? ?No (?P<what>(?:Virtual|Physical|Missing Physical|Missing) (?:Drive|Disk)s?|Foreign Configurations?)"
    r"(?: (?:is |are )?(?:Configured|Found|Present|Missing|Available))?\.?"
)
_SUCCESS = r"(?P<what>.{2,160}?)[ ,:]*\b(?:success(?:ful(?:ly)?)?|succeeded)\b.{0,100}"
_TABLE: tuple[tuple[re.Pattern[str], Reader], ...] = tuple(
    (regex(form, re.IGNORECASE | re.ASCII), reader)
    for form, reader in (
        (f"{_A}{_OPERATION} (?:Progress )?on {_VD} ?{_TARGET} ?{_COMPLETED}", _on_volume),
        (f"{_A}{_OPERATION} {_ON_DRIVE} {_COMPLETED}", _on_drive),
        (rf"{_A}.{{0,120}}\bis not (?:in|under|running)\b.{{0,60}}", _idle),
        (f"{_A}There is no .{{0,60}}in progress.{{0,60}}", _idle),
        (rf"Adapter (?P<adapter>\d{{1,3}}) ?- ?{_VD} ?{_TARGET} ?: ?(?P<rest>.{{1,200}})", _property),
        (rf"{_A}{_PINNED} ?(?P<text>Missing|Offline|Failed|Degraded|Not Available|Present)\.?", _preserved),
        (rf"{_A}{_PINNED} ?(?P<text>.{{1,100}})", _discarded),
        (f"{_A}{_OPERATION} Progress on .{{1,160}}", _strange),
        (rf"{_A}Virtual (?:Drive|Disk) ?\(Target ID.{{1,160}}", _strange),
        (rf"{_A}No Virtual (?:Drive|Disk) has Preserved Cache Data\.?", _nothing_preserved),
        (_FOREIGN, _foreign),
        (_COUNTED, _count),
        (f"{_A}{_NONE}", _none_there),
        (f"{_A}(?P<what>EnclId ?-.{{1,20}}SlotId ?-.{{1,8}}?) (?P<text>state changed.{{1,60}})", _state_changed),
        (r".{0,160}policy change to WB will not come into effect.{0,60}", _later),
        (f"{_A}{_SUCCESS}", _set),
    )
)
_SETTING = regex(r"Adapter ?:? ?(?P<adapter>\d{1,3}) ?: ?(?P<rest>\S.{1,200})", re.IGNORECASE | re.ASCII)


def read_sentence(controller_of: ControllerOf, line: Line, adapter: str | None) -> bool:
    """Read a line that is a sentence of the tool. Return whether it was one that reports something."""
    text = collapse(line.text)
    for form, reader in _TABLE:
        match = form.fullmatch(text)
        if match is not None:
            reader(controller_of, line, match, adapter)
            return True
    return False


def read_setting(controller_of: ControllerOf, line: Line) -> bool:
    """Read ``Adapter 0: Rebuild Rate = 30%``, of which there is one for each property. Return whether it was one."""
    match = _SETTING.fullmatch(collapse(line.text))
    if match is None:
        return False
    _setting(controller_of, line, match, None)
    return True


_PLACE = regex(r"\d{1,5}:\d{1,5}", re.ASCII)
MISSING_ROW = "The drive in row "
"""Beginning of the problem of each missing drive."""
_MISSING_ROW = regex(r"(\d{1,5})\s+(\d{1,5})\s+(\d{1,5})\s+(\S.{0,30})", re.ASCII)


def read_missing(controller: ControllerDraft, block: Block) -> None:
    """Below ``Adapter 0 - Missing Physical drives``, a table: ``0     0       4     390144 MB``.

    An array is a span here, and all spans of the controller are counted in one list: it is not a number of a group.
    """
    places = _PLACE.findall(controller.details.get(MISSING_PLACES, ""))
    for line in block.texts:
        match = _MISSING_ROW.fullmatch(line.stripped)
        if match is None:
            # No.   Array   Row   Size Expected
            if line.stripped.lower().startswith(("no", "array", "row", "size")):
                mark_read(line)
            elif any(map(str.isdecimal, line.stripped.split())):
                controller.unread("row of a missing drive", collapse(line.stripped)[:80])
            continue
        place = f"{int(match[2])}:{int(match[3])}"
        size = attempt(numbers.size, match[4])
        controller.detail(line, f"Missing drive, array {match[2]}, row {match[3]}", match[4] if size else "yes")
        if place not in places:
            places.append(place)
        controller.add_problem(
            "warning", "state", f"{MISSING_ROW}{match[3]} of array {match[2]} is missing.",
            "Reinsert or replace the drive; a replacement must have at least the expected size.",
        )  # fmt: skip
    if places:
        controller.replace_words(MISSING_PLACES, ", ".join(places))


def read_events(controller: ControllerDraft, blocks: list[Block]) -> None:
    """Count events, and keep the latest: ``seqNum: 0x00002a10`` and the lines below."""
    for block in blocks:
        for line in ([block.line] if block.line else []) + block.texts:
            controller.add_evidence(line, "details[Events]", line.stripped)
    controller.put(None, "events", (controller.get("events") or 0) + len(blocks), DETAIL)
    controller.replace_words("Events", str(len(blocks)))
    for block in blocks[-_EVENTS_KEPT:]:
        description = next((text for line in block.texts if (text := _described(line))), None)
        if description:
            controller.keep_words(f"Event {block.name}".strip(), description)


_EVENTS_KEPT = 20


def _described(line: Line) -> str | None:
    """``Event Description: State change on PD 0a(e0x20/s3) from HOT SPARE(2) to REBUILD(14)``."""
    found = split(line.stripped)
    return found[1][:200] if found and normalized(found[0]) == "event description" else None
