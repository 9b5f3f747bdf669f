"""Physical drives: rows of a list, and the sections of one drive."""

from __future__ import annotations

import re

from raidctl.model import Health
from raidctl.text import attempt, regex
from raidctl.vendor.draft import REPORT, ROW, Draft, Pair
from raidctl.vendor.fields import Field, Fields, read_field, read_pair
from raidctl.vendor.statuses import report_bad_status, worst
from raidctl_megaraid import vocabulary
from raidctl_megaraid.draft import ControllerDraft
from raidctl_megaraid.storcli import numbers
from raidctl_megaraid.storcli.columns import ADDRESSES, Cells, keep_cells, key, place
from raidctl_megaraid.storcli.foreign import FOREIGN
from raidctl_megaraid.vocabulary import normalized

_GROUPS = regex(r"\d{1,6}(?:\s*[,&/ ]\s*\d{1,6})*", re.ASCII)
_NUMBER = regex(r"\d{1,6}", re.ASCII)


def _write_cache(text: str) -> str | None:
    """``Enabled``, ``On``; the drive's default is not reported."""
    found = vocabulary.disk_cache(text)
    return None if found == "default" else found


def _model(text: str) -> str | None:
    """Return the model of a drive without its vendor column.

    In ``ATA     ZT4000VN``, of a drive behind an HBA, that column is the part before the blanks.
    """
    found = numbers.text(text)
    return found.removeprefix("ATA ") if found is not None else None


def _size(text: str) -> int | None:
    """``0 KB`` of a drive that does not answer is not a size."""
    return numbers.size(text) or None


def _coerced(text: str) -> int | None:
    return numbers.exact_size(text) or None


def _rpm(text: str) -> int | None:
    return numbers.integer(text.lower().removesuffix("rpm").strip()) or None


_ROW_FIELDS = {
    # The Size column is the coerced size: what arrays use of the drive.
    "size": Field("size_bytes", _size),
    "intf": Field("interface", vocabulary.interface),
    "med": Field("media", vocabulary.media),
    "model": Field("model", _model),
}
_READ = frozenset({*ADDRESSES, *_ROW_FIELDS, "state", "status", "dg"})
"""Columns that are read one by one. The others are details."""


def read_row(controller: ControllerDraft, row: Cells, weight: int = ROW, *, jbod: bool = False) -> Draft | None:
    """``252:0  8 Onln   0 446.625 GB SATA SSD N   N  512B MODEL U  -``; None if it has no address.

    Args:
        controller: The controller that the drive is attached to.
        row: Its cells, of version 7 (``State``) or 8 (``State`` and ``Status``).
        weight: How much the table counts; the topology less than the lists.
        jbod: The table lists drives that the operating system sees themselves.
    """
    where = place(row)
    if where is None:
        return None
    drive = controller.drive(key(where))
    for title in ADDRESSES:
        if title in row:
            put_place(drive, row[title], where)
    for title, field in _ROW_FIELDS.items():
        if title in row:
            read_field(drive, row[title], field, weight)
    jbod = jbod or ("type" in row and normalized(row["type"].value) == "jbod")
    _state(drive, row, weight, jbod=jbod)
    _group(controller, drive, row)
    keep_cells(drive, row, skip=_READ)
    return drive


def put_place(drive: Draft, pair: Pair, where: tuple[str, str]) -> None:
    """Enclosure and bay out of ``252:3``; a blank enclosure means that there is none."""
    line = pair.lines[0] if pair.lines else None
    if where[0]:
        drive.put(line, "enclosure", where[0])
    drive.put(line, "bay", where[1])


_STATES = ("state", "status")


def _state(drive: Draft, row: Cells, weight: int, *, jbod: bool) -> None:
    """``Onln``; of version 8 ``Conf`` and ``Online``."""
    state, status = (row[one] if one in row and vocabulary.has_state(row[one].value) else None for one in _STATES)
    for title in _STATES:
        if title in row and row[title] not in (state, status):
            drive.keep_detail(row[title])
    printed = [pair for pair in (state, status) if pair is not None]
    if not printed:
        return
    known = vocabulary.drive_state(state.value) if state else None
    second = vocabulary.drive_status(status.value) if status else None
    healths = ([known.health if known else "unknown"] if state else []) + ([second or "unknown"] if status else [])
    health = worst(healths)
    if "unknown" in healths:
        words = " ".join(pair.value for pair in printed)
        drive.add_problem("warning", "unread", f"The drive's state {words!r} is not recognised.", REPORT)
    role = known.role if known else None
    if second == "critical" and role is not None:
        role = "failed"
    if role == "member" and jbod:
        role = "passthrough"
    elif role == "member" and "dg" in row and not vocabulary.has_value(row["dg"].value):
        role = None
    weight = drive.status_weight("state", health, weight)
    drive.put(None, "state", health, weight)
    for pair in printed:
        for line in pair.lines:
            drive.add_evidence(line, "status", health)
            drive.put(line, "status_text", ", ".join(each.value for each in printed), weight)
            if role is not None:
                drive.put(line, "role", role, weight)


def _group(controller: ControllerDraft, drive: Draft, row: Cells) -> None:
    """``DG``: a number, ``-`` for none, ``F`` for a foreign configuration. A dedicated spare has the groups it is for.

    An unconfigured drive is in no array, whatever the column contains (HBA firmware prints 0).
    """
    if "dg" not in row:
        return
    pair, role = row["dg"], drive.get("role")
    line = pair.lines[0] if pair.lines else None
    if role == "spare" and _GROUPS.fullmatch(pair.value):
        names = tuple(_NUMBER.findall(pair.value))
        drive.override("spare_for", tuple(dict.fromkeys((drive.get("spare_for") or ()) + names)))
        drive.add_evidence(line, "spare_for", ", ".join(names))
        for name in names:
            controller.array(name).spares[drive.name] = True
    elif role in ("member", "failed", None) and _NUMBER.fullmatch(pair.value) and not _unconfigured(drive):
        drive.put(line, "array", pair.value, ROW)
        controller.array(pair.value).members[drive.name] = None
    else:
        drive.keep_detail(pair)
        if (
            vocabulary.has_value(pair.value)
            and not _GROUPS.fullmatch(pair.value)
            and normalized(pair.value) not in FOREIGN
        ):
            drive.unread(pair.label, pair.value)


def _unconfigured(drive: Draft) -> bool:
    """Whether a drive is unconfigured. ``UBad`` can show the number of a group that the drive was in."""
    return (drive.get("status_text") or "").lower().startswith("u")


# Locked = No        Needs EKM Attention = No
_KEYS = {"locked": vocabulary.LOCKED, "needs ekm attention": vocabulary.KEY_SERVER}


def read_pairs(drive: Draft, pairs: list[Pair], prefix: str = "") -> None:
    """The pairs of a drive's own sections: ``SN = 6XN0AAAA``."""
    for pair in pairs:
        label = normalized(pair.label)
        if label.startswith(("s.m.a.r.t", "smart alert")):
            _smart_alert(drive, pair)
        elif label in _KEYS:
            drive.keep_detail(pair, prefix)
            _key(drive, pair, label)
        elif not read_pair(drive, pair, label, _FIELDS):
            drive.keep_detail(pair, prefix)
            report_bad_status(drive, pair)


def _key(drive: Draft, pair: Pair, label: str) -> None:
    if _flag(drive, pair):
        drive.add_problem("warning", "state", *_KEYS[label])
        drive.override(label, value=True)


def _flag(drive: Draft, pair: Pair) -> bool:
    """Whether a flag is set. A word that is not known is a problem."""
    try:
        return bool(vocabulary.flag(pair.value))
    except ValueError:
        drive.unread(pair.label, pair.value)
        return False


def _smart_alert(drive: Draft, pair: Pair) -> None:
    """``S.M.A.R.T alert flagged by drive = No``."""
    drive.keep_detail(pair)
    if _flag(drive, pair):
        drive.override("alert", value=True)
        drive.add_problem("warning", "state", *vocabulary.ALERTED)


def _predicted(drive: Draft, _: Pair, count: int) -> None:
    if count:
        drive.override("alert", value=True)


def read_unit_status(drive: Draft, unit: str, pair: Pair) -> None:
    """Read the state of one of a drive's logical units, ``Online``. The drive is no better than the worst of them."""
    if not vocabulary.has_state(pair.value):
        return
    health = vocabulary.drive_status(pair.value) or "unknown"
    drive.override("unit_state", worst((health, drive.get("unit_state") or "ok")))
    if health == "unknown":
        drive.add_problem("warning", "unread", f"The state {pair.value!r} of unit {unit} is not recognised.", REPORT)
    elif health != "ok":
        drive.add_problem("warning", "state", f"The drive's unit {unit} is {pair.value}.", "Replace the drive.")


def read_unit(drive: Draft, pairs: list[Pair], prefix: str) -> None:
    """Read a second logical unit of a drive with two actuators. Its errors and alarms are the drive's, too."""
    for pair in pairs:
        drive.keep_detail(pair, prefix)
        label = normalized(pair.label)
        if label in _KEYS:
            _key(drive, pair, label)
        field = _FIELDS.get(label)
        name = field.name if isinstance(field, Field) else ""
        count = attempt(numbers.integer, pair.value) if name.startswith("errors.") else None
        if count is not None:
            known: dict[str, int] = drive.get("unit_errors") or {}
            drive.override(name, (drive.get(name) or 0) - known.get(prefix + name, 0) + count)
            drive.override("unit_errors", known | {prefix + name: count})
        if name == "errors.predictive" and count:
            _predicted(drive, pair, count)


def _coerced_size(drive: Draft, pair: Pair) -> None:
    """``Coerced size = 446.625 GB [0x37d40000 Sectors]``; the size as printed stays readable beside the bytes."""
    if vocabulary.has_value(pair.value):
        drive.keep_detail(pair)
    drive.read_field(pair, "size_bytes", _coerced)


def infer(drive: Draft) -> None:
    """Infer the status from state word, alerts and progress; idempotent."""
    state: Health | None = drive.get("state")
    if not FOREIGN.isdisjoint(normalized(drive.get("status_text") or "").split(", ")):  # UConf, Foreign
        drive.override("foreign", value=True)  # the column DG of such a row can be "-"
    going = drive.get("progress.operation")
    worse: Health | None = "warning" if drive.get("alert") or drive.get("locked") or going else None
    if drive.get("page_lost") and drive.get("errors.predictive") is None:
        worse = worse or "unknown"  # "Onln" alone does not exclude a predicted failure
    if going and going != "unknown":
        # an output on the rebuild alone has no state word
        drive.conclude("status_text", f"{going} in progress")
    if drive.get("locked"):
        drive.override("status_text", _with_lock(drive))
    found = [health for health in (state, worse, drive.get("unit_state")) if health is not None]
    if found:
        drive.override("status", worst(found), ROW)


def _with_lock(drive: Draft) -> str:
    """The state of a locked drive. An alert is part of it, or the lock alone would explain the warning."""
    text = (drive.get("status_text") or "").removesuffix(vocabulary.LOCKED_STATE).removesuffix(vocabulary.SMART_ALERT)
    lock = "" if text.lower().endswith("locked") else vocabulary.LOCKED_STATE
    alert = vocabulary.SMART_ALERT if drive.get("alert") and not drive.get("errors.predictive") else ""
    return f"{text}{alert}{lock}".removeprefix(", ")


_FIELDS: Fields[Draft] = {
    "sn": Field("serial", numbers.text),
    "serial number": Field("serial", numbers.text),
    "model number": Field("model", _model),
    "model": Field("model", _model),
    "firmware revision": Field("firmware", numbers.text),
    "firmware revision level": Field("firmware", numbers.text),
    "wwn": Field("wwn", numbers.text),
    # Coerced size = 446.625 GB [0x37d40000 Sectors]
    "coerced size": _coerced_size,
    "media error count": Field("errors.media", numbers.integer),
    "other error count": Field("errors.other", numbers.integer),
    "predictive failure count": Field("errors.predictive", numbers.integer, then=_predicted),
    # Drive Temperature =  26C (78.80 F)
    "drive temperature": Field("temperature_celsius", numbers.celsius),
    "temperature(c)": Field("temperature_celsius", numbers.celsius),
    "temperature": Field("temperature_celsius", numbers.celsius, ROW),
    # Device Speed is what the drive could do.
    "link speed": Field("link_gbps", numbers.link_speed),
    "negotiated speed": Field("link_gbps", numbers.link_speed),
    "write cache": Field("write_cache", _write_cache),
    "current write cache": Field("write_cache", _write_cache),
    "hard disk drive rpm": Field("rpm", _rpm),
    "rpm": Field("rpm", _rpm, ROW),
    "os drive name": Field("device", numbers.device_node),
    "drive name": Field("device", numbers.device_node, ROW),
    "power on hours": Field("power_on_hours", numbers.hours),
    "total power on hours": Field("power_on_hours", numbers.hours, ROW),
    "power on hours(poh)": Field("power_on_hours", numbers.hours, ROW),
}
