"""Physical devices: drives, and the enclosures between the controller and them."""

from __future__ import annotations

import re
from collections.abc import Callable

from raidctl.evidence import mark_read
from raidctl.model import Drive, Severity
from raidctl.text import attempt, collapse, counted, regex
from raidctl.vendor.draft import DETAIL, ROW, Draft, Pair
from raidctl.vendor.fields import Field, Fields, read_pair
from raidctl.vendor.limits import MANY_ERRORS
from raidctl.vendor.statuses import is_bad_status, put_status, report_life_left
from raidctl_adaptec import numbers, vocabulary
from raidctl_adaptec.draft import ControllerDraft, keep
from raidctl_adaptec.outline import NAMELESS, Block
from raidctl_adaptec.vocabulary import normalized

_ADDRESS = frozenset({"reported channel,device(t:l)", "reported channel,device"})
# S.M.A.R.T.                               : Yes
_ALARMS: dict[str, str] = {
    "s.m.a.r.t.": "The drive reports a SMART predictive failure",
    "pfa": "The drive predicts its failure (PFA)",
    "failed logical device segments": "Segments of logical devices on the drive have failed",
    "ssd smart trip wearout": "The SSD reports that it is worn out",
    "56 day warning present": "The SSD will be worn out in less than 56 days",
}
"""Flags that report a fault if they are yes, and their messages."""
_FLAGS: dict[str, tuple[tuple[str, ...], Severity, str, str]] = {
    # Supported                          : Yes
    "supported": (
        ("no", "false"), "warning", "The controller does not support the drive.",
        "Use a drive of the controller's list of compatible drives.",
    ),
    # Drive has stale RIS data           : False
    "drive has stale ris data": (
        ("yes", "true"), "info", "The drive has outdated RAID metadata (stale RIS data).",
        "If it is not a member, initialize it before it is used.",
    ),
}  # fmt: skip
"""Flags that do not change the state of a drive: their bad values, and what these mean."""
_RAISED = regex(r" \([^()]*: yes\)$")
_YES_OR_NO = ("yes", "true", "no", "false")
_ENCLOSURES = ("enclosure", "expander", "backplane", "services device")
"""``Device is an Enclosure Services Device``. All others are drives: ``a Hard drive``, which SSDs are, too."""
_GOOD_PART = regex(
    r"optimal|normal|ok|okay|good|no failure|on|off|n/a|(?:not |un)?(?:installed|available|supported|present|known)"
    r"|-?[\d.]+ ?(?:rpm|c(?:/ ?-?[\d.]+ ?f)?)|"
)


def read_block(controller: ControllerDraft, block: Block, key: str | None) -> None:
    """Read a part of a physical device's section.

    ``key`` is its channel and device, or None for a channel's own lines.
    """
    if key is None:
        mark_read(*block.heads)
        prefix = f"Channel {block.channel}: " if block.channel else "Physical devices: "
        for pair in block.pairs:
            keep(controller, pair, prefix=prefix)
        return
    if any(part in normalized(block.what) for part in _ENCLOSURES):
        _enclosure(controller, block, key)
        return
    drive = controller.drive(key)
    if not block.name.isdecimal():
        text = 'The line "Device #" above this drive is missing; other lines may be missing, too.'
        drive.add_problem("warning", "unread", text, "Run the tool again and keep its complete output.")
    for line in block.heads:
        drive.add_evidence(line, "id", key)
    for pair in block.pairs:
        _read_pair(drive, pair, block)


def is_device(blocks: list[Block]) -> bool:
    """Whether blocks without a number are those of a device."""
    return any(normalized(pair.label) in _ADDRESS for block in blocks for pair in block.pairs)


def address(blocks: list[Block]) -> str:
    """Channel and device of the device whose blocks these are. If they are cut off, its number in the list is used."""
    for block in blocks:
        for pair in block.pairs:
            if normalized(pair.label) in _ADDRESS:
                found = attempt(numbers.address, pair.value)
                if found is not None:
                    return found
    first = blocks[0]
    if first.name.startswith(NAMELESS):
        return first.name
    if not first.name:
        return f"{NAMELESS}{first.pairs[0].lines[0].number if first.pairs else 0}"
    # With a line for the channel, the number of the device is its address on it.
    return f"{int(first.channel)},{int(first.name)}" if first.channel else f"device{first.name}"


def _read_pair(drive: Draft, pair: Pair, block: Block) -> None:
    label = normalized(pair.label)
    if block.item:
        _phy(drive, pair, block.item)
    elif not read_pair(drive, pair, label, _FIELDS):
        read_pair(drive, pair, _SPARE_FOR if label.startswith(_SPARE_FOR) else label, _KEPT_FIELDS)
        keep(drive, pair, block.sub)


def _alarm(drive: Draft, pair: Pair) -> None:
    drive.conclude(f"alarm.{normalized(pair.label)}", pair.value, DETAIL)


def _flag(drive: Draft, pair: Pair) -> None:
    bad, severity, message, remedy = _FLAGS[normalized(pair.label)]
    if normalized(pair.value) in bad:
        drive.add_problem(severity, "state", message, remedy)
    elif vocabulary.has_state(pair.value) and normalized(pair.value) not in _YES_OR_NO:
        drive.unread(pair.label, pair.value)


def _dedicated_spare(drive: Draft, pair: Pair) -> None:
    owner = "spare.for.array" if normalized(pair.value).startswith("array") else "spare.for"
    drive.conclude(owner, re.findall(r"\d{1,5}", pair.value))


def _state(drive: Draft, pair: Pair) -> None:
    """``State : Online``, ``Raw (Pass Through)``, ``Global Hot-Spare``."""
    line = pair.lines[0]
    known = vocabulary.drive_word(pair.value)
    if not vocabulary.has_state(pair.value):
        keep(drive, pair)
        return
    put_status(drive, [line], "drive", known.status if known else None, text=pair.value)
    if known is not None and known.role is not None:
        # A failed drive or spare is that first; what is configured counts over what follows from the state.
        first = known.role == "failed" or "spare" in normalized(pair.value)
        drive.put(line, "role", known.role, DETAIL + 1 if first else ROW)


def _transfer(drive: Draft, pair: Pair) -> None:
    """``Transfer Speed : SATA 6.0 Gb/s``."""
    try:
        interface, speed = numbers.transfer(pair.value)
    except ValueError:
        drive.unread(pair.label, pair.value)
        interface = speed = None
    if interface is not None:
        drive.put(pair.lines[0], "interface", interface)
    if speed is not None:
        drive.put(pair.lines[0], "link_gbps", speed)
    else:
        keep(drive, pair)


def _location(drive: Draft, pair: Pair) -> None:
    """``Reported Location : Enclosure 0, Slot 2``, ``Connector 1, Device 0``, old ``Reported Enclosure,Slot : 0,2``."""
    keep(drive, pair)
    line = pair.lines[0]
    if normalized(pair.label) == "reported enclosure,slot":
        inside = attempt(numbers.address, pair.value)
        first, _, second = (inside or "").partition(",")
        place = ("enclosure", first, second) if inside is not None else None
    else:
        place = attempt(numbers.location, pair.value)
    if place is None:
        if vocabulary.has_value(pair.value):
            drive.unread(pair.label, pair.value)
        return
    drive.put(line, "enclosure", place_shown(place))
    drive.put(line, "bay", place[2])
    drive.conclude("place", place)


def place_shown(place: tuple[str, str, str]) -> str:
    """The place as it is shown.

    Connectors and enclosures are numbered separately, so a place that is not an enclosure is named: ``Connector 1``.
    """
    kind, outer, _ = place
    return outer if kind == "enclosure" else f"{kind.capitalize()} {outer}"


def _maker(drive: Draft, pair: Pair) -> None:
    """``Vendor : WDC`` and ``Model : WD1001FALS-0``."""
    label, value = normalized(pair.label), numbers.text(pair.value)
    drive.conclude(f"maker.{label}", value)
    if label == "vendor" or value is None:
        keep(drive, pair)
    else:
        drive.add_evidence(pair.lines[0], "model", value)


def model(drive: Draft) -> str | None:
    """The model. Old firmware cuts that of an ATA drive in two: vendor ``ST310003``, model ``40NS``."""
    vendor, name = drive.get("maker.vendor"), drive.get("maker.model")
    if vendor and name and len(vendor) == 8 and re.search(r"[A-Z]\d{3}|\d{4}", vendor) and " " not in name:
        return f"{vendor}{name}"
    found: str | None = name
    return found


def read_node(draft: Draft, pair: Pair) -> None:
    r"""``Disk Name : /dev/sda``, ``\\.\PHYSICALDRIVE1 (Disk1) (Bus: 1, Target: 0, Lun: 1)``."""
    if draft.read_field(pair, "device", numbers.node) is not None and "(" in pair.value:
        draft.keep_words(pair.label, pair.value)


def _phy(drive: Draft, pair: Pair, item: str) -> None:
    """``Phy #0``: ``Negotiated Physical Link Rate : 12 Gbps``."""
    if normalized(pair.label) == "negotiated physical link rate":
        rate = attempt(numbers.link_rate, pair.value)
        if rate is not None:
            drive.conclude("link_gbps", rate)
    keep(drive, pair, prefix=f"{item}: ")


def _enclosure(controller: ControllerDraft, block: Block, key: str) -> None:
    """``Device is an Enclosure Services Device``: details of the controller. A failed part gives a warning."""
    mark_read(*block.heads)
    prefix = f"Enclosure device {key.removeprefix('device')}: "
    for pair in block.pairs:
        if normalized(pair.label) in _ADDRESS:
            mark_read(*pair.lines)
            continue
        keep(controller, pair, block.sub, prefix)
        label = normalized(pair.label)
        state = pair.value.rsplit("(", maxsplit=1)[-1].rstrip(") ")
        if "status" not in label and label != "temperature":
            continue
        if is_bad_status(state):
            controller.add_problem(
                "warning", "state", f"{prefix}{pair.label} is {collapse(pair.value)}.", "Check the enclosure."
            )
        elif label.startswith(("fan", "power supply", "temperature")) and not _GOOD_PART.fullmatch(normalized(state)):
            controller.unread(f"{prefix}{pair.label}", pair.value)


def state_word(drive: Drive) -> str:
    """The tool's word for the state, without the alarms that :func:`health` has added."""
    return _RAISED.sub("", drive.status_text or "").lower()


def health(drive: Draft) -> None:
    """Make a healthy drive with an alarm a warning."""
    warned: int = drive.get("errors.predictive") or 0
    alarms = {name[6:]: normalized(value) for name, (_, value) in drive.values.items() if name.startswith("alarm.")}
    raised = [label for label, word in alarms.items() if word in ("yes", "true")]
    for label, word in alarms.items():
        if word not in _YES_OR_NO and vocabulary.has_state(word):
            drive.unread(label, word)
    if warned and "s.m.a.r.t." not in raised:
        raised.append("s.m.a.r.t.")
    if raised and drive.get("status") == "ok":
        drive.override("status", "warning", DETAIL + 1)
        # Online (S.M.A.R.T.: yes)      not "warning (Online)"
        shown = ", ".join("S.M.A.R.T." if label == "s.m.a.r.t." else label for label in raised)
        if not warned:
            drive.override("status_text", f"{drive.get('status_text')} ({shown}: yes)", DETAIL + 1)
        drive.override("alarmed", value=True)
    for label in raised:
        if drive.get("status") == "critical" and label == "failed logical device segments":
            continue
        count = f" (warnings: {warned})" if warned and label == "s.m.a.r.t." else ""
        drive.add_problem(
            "warning",
            "state",
            f"{_ALARMS[label]}{count}.",
            "Replace the drive; let the rebuild finish before the next one.",
        )


def _hardware_errors(drive: Draft, pair: Pair) -> None:
    keep(drive, pair)
    found = attempt(numbers.number, pair.value)
    if found:
        # as for other errors: a few are not yet a warning
        severity: Severity = "warning" if found >= MANY_ERRORS else "info"
        message = f"The controller has counted {counted(found, 'hardware error')} of the drive."
        drive.add_problem(severity, "state", message, "Check cable and backplane; replace the drive if more follow.")


def _life_used(text: str) -> int | None:
    """Percent of life used, from ``100 percent`` remaining."""
    left = numbers.percent(text)
    return None if left is None else 100 - left


def _life_left(drive: Draft, pair: Pair) -> None:
    keep(drive, pair)
    report_life_left(drive, pair)


def _highest(name: str) -> Callable[[Draft, Pair], None]:
    """The reader of a counter that several lines report differently. The highest one counts."""

    def read(drive: Draft, pair: Pair) -> None:
        known: int | None = drive.get(name)
        found = drive.read_field(pair, name, numbers.number)
        if found is not None and known is not None:
            drive.keep_words(pair.label, pair.value)
            drive.override(name, max(found, known))

    return read


def row(drive: Draft, pair: Pair) -> None:
    """Read what a call about one device reports besides its counters.

    These lines are ``Vendor``, ``Model`` and ``Serial number``.
    """
    if not read_pair(drive, pair, normalized(pair.label), _ROW_FIELDS):
        keep(drive, pair)


def _interface(drive: Draft, pair: Pair) -> None:
    if normalized(pair.value) in ("sas", "sata", "nvme"):
        drive.put(pair.lines[0], "interface", normalized(pair.value), ROW)
    else:
        keep(drive, pair)


_ROW_FIELDS: Fields[Draft] = {
    "serial number": Field("serial", numbers.text, ROW),
    # Vendor : WDC
    **dict.fromkeys(("vendor", "model"), _maker),
    # Device Type : SATA
    "device type": _interface,
}
_FIELDS: Fields[Draft] = {
    # State : Online
    "state": _state,
    **dict.fromkeys(_ADDRESS, lambda drive, pair: drive.add_evidence(pair.lines[0], "id", pair.value)),
    # Transfer Speed : SATA 6.0 Gb/s
    "transfer speed": _transfer,
    # Reported Location : Enclosure 0, Slot 2
    "reported location": _location,
    "reported enclosure,slot": _location,
    # Vendor : WDC
    "vendor": _maker,
    "model": _maker,
    # Write Cache                              : Enabled (write-back)
    "write cache": Field("write_cache", numbers.write_cache),
    "ssd": Field("media", numbers.solid_state),
    "disk name": read_node,
    "array": Field("array", numbers.plain_number),
    "drive configuration type": Field("role", numbers.role, keep=True),
    "configuration type": Field("role", numbers.role, keep=True),
    "firmware": Field("firmware", numbers.text),
    "serial number": Field("serial", numbers.text),
    "world-wide name": Field("wwn", numbers.text),
    "total size": Field("size_bytes", numbers.size),
    "size": Field("size_bytes", numbers.size),
    "rotational speed": Field("rpm", numbers.rpm),
    "current temperature": Field("temperature_celsius", numbers.celsius),
    "temperature": Field("temperature_celsius", numbers.celsius, ROW),
    # Threshold Temperature                      : 70 deg C
    "threshold temperature": Field("max_temperature_celsius", numbers.celsius, keep=True),
    "mount point(s)": Field("mountpoints", numbers.mountpoints),
    "mount points": Field("mountpoints", numbers.mountpoints),
    # S.M.A.R.T. warnings                      : 2
    **dict.fromkeys(
        ("s.m.a.r.t. warnings", "smart warning count", "predictive failures"), _highest("errors.predictive")
    ),
    # Hard Read Errors                           : 0
    **dict.fromkeys(
        (
            "medium error count",
            "media failures",
            "hard read errors",
            "hard write errors",
            "failed read recovers",
            "failed write recovers",
        ),
        _highest("errors.media"),
    ),
    # Hardware Errors                            : 0
    **dict.fromkeys(("hardware errors", "hardware error count"), _hardware_errors),
    # Usage Remaining                            : 100 percent
    "usage remaining": Field("life_used_percent", _life_used, keep=True),
    # Estimated Life Remaining                   : 46667 days
    **dict.fromkeys(
        ("estimated life remaining based on workload to date", "estimated life remaining"),
        _life_left,
    ),
    "power on hours": Field("power_on_hours", numbers.number),
}
_SPARE_FOR = "dedicated spare for"
"""Beginning of a label. Another version may also name there what the spare is for."""
_KEPT_FIELDS: Fields[Draft] = {
    **dict.fromkeys(_ALARMS, _alarm),
    **dict.fromkeys(_FLAGS, _flag),
    # Dedicated Spare for                      : logical device 1
    _SPARE_FOR: _dedicated_spare,
}
"""Labels that are kept as details, too."""
