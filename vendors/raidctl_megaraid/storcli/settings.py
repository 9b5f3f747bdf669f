"""Labels and properties of a controller. Each fills a field of the model, is a detail, or reports a fault."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from raidctl.evidence import mark_read
from raidctl.text import attempt
from raidctl.vendor.draft import ROW, WEAK, Pair
from raidctl.vendor.fields import Field, read_field
from raidctl.vendor.statuses import report_bad_status
from raidctl_megaraid.chip_temperature import report_chip_temperature
from raidctl_megaraid.draft import ControllerDraft
from raidctl_megaraid.messages import keep_count
from raidctl_megaraid.storcli import battery
from raidctl_megaraid.storcli import controller_labels as labels
from raidctl_megaraid.storcli import controller_words as words
from raidctl_megaraid.storcli.host_tables import read_brand, read_status, read_subvendor
from raidctl_megaraid.storcli.outline import Row
from raidctl_megaraid.storcli.tables import keep, two_columns, unique_lines


def read_pair(controller: ControllerDraft, pair: Pair, prefix: str, *, fields: bool) -> None:
    """Read a label of one of the controller's sections. ``fields``: whether its labels fill fields of the model."""
    label = words.word(pair.label)
    if not fields or not _read_field(controller, pair, label):
        keep(controller, Pair(f"{prefix}{pair.label}" if pair.label else "", pair.value, pair.lines))
        if not fields or (label not in labels.FIELDS and label not in _READERS):
            report_bad_status(controller, pair)
    keep_count(controller, pair, label, ROW)
    _raise_alarm(controller, label, pair.value)


def _read_field(controller: ControllerDraft, pair: Pair, label: str) -> bool:
    """Fill the field of a label. False if the label has none and is a detail."""
    if label in labels.FIELDS:
        _take(controller, pair, labels.FIELDS[label])
    elif label in _READERS:
        _READERS[label](controller, pair)
        return label not in _ALSO_DETAILS
    else:
        return False
    return True


def _take(controller: ControllerDraft, pair: Pair, field: Field) -> None:
    value = read_field(controller, pair, field)
    if value is None:
        return
    line = pair.lines[0] if pair.lines else None
    if field.name == "pci_address":
        controller.put(None, "bus", value, field.weight)
    elif field.name == "cache.size_bytes":
        # On Board Memory Size = 0MB: a controller without a cache
        controller.put(line, "cache.present", value > 0, field.weight)
    elif field.name == "driver" and value.startswith("mpt"):
        # Driver Name = mpt3sas: an HBA; the firmware called IR makes volumes as well, and reports no mode
        if not str(controller.get("model")).upper().endswith("-IR"):
            controller.put(line, "mode", "hba", ROW)
    elif field.name == "model":
        read_brand(controller, pair, value)


def _read_oem(controller: ControllerDraft, pair: Pair) -> None:
    """``OEMID = Dell``, ``OEM = Broadcom``."""
    name = words.plain_text(pair.value)
    if name is not None and not name.isdecimal():
        maker = labels.OEMS.get(name.lower(), name)
        # OEMID = LSI: the maker's own; the product's name has the brand (AVAGO MegaRAID SAS 9361)
        weight = WEAK if maker in labels.CHIP_MAKERS else ROW
        controller.put(pair.lines[0] if pair.lines else None, "vendor", maker, weight)


def _raise_alarm(controller: ControllerDraft, label: str, value: str) -> None:
    alarm = labels.ALARMS.get(label)
    if alarm is not None and words.word(value) in words.YES:
        controller.add_problem(alarm.severity, alarm.kind, alarm.message, alarm.remedy)
    elif alarm is not None and words.word(value) not in words.NO | words.NO_VALUE:
        controller.unread(label, value)
    report_chip_temperature(controller, label, value)
    # Allowable bad blocks consumed(%) = 16
    consumed = attempt(words.percent, value) if label == "allowable bad blocks consumed(%)" else None
    if consumed is not None and consumed >= _WORN:
        controller.add_problem(
            "warning", "state", f"The flash that keeps the cache has used {consumed}% of its spare blocks.",
            "Plan to replace the controller.",
        )  # fmt: skip


_WORN = 90
"""Percent of the spare blocks of the cache's flash, as for the endurance of an SSD."""


def read_property(controller: ControllerDraft, row: Row, title: str) -> bool:
    """``Cache Flush Interval 4s`` of ``Controller Properties`` (Ctrl_Prop, Value) and of the ``Policies Table``."""
    columns = [words.word(label) for label in row]
    if columns == ["ctrl_prop", "value"] or (title == "controller properties" and len(row) == 2):
        pair = two_columns(row)
    elif title == "policies table" and len(row) == 3:
        pair = _policy(row)
    else:
        return False
    if pair is None:
        return False
    field = labels.PROPERTIES.get(words.word(pair.label))
    if field is not None and title == "policies table":
        _take(controller, replace(pair, value=next(cell.value for cell in list(row.values())[1:])), field)
    elif field is not None:
        _take(controller, pair, field)
    else:
        prefix = "Policies: " if title == "policies table" else ""
        keep(controller, replace(pair, label=f"{prefix}{pair.label}"))
    return True


def _policy(row: Row) -> Pair | None:
    """``Rebuild Rate   30 %    30%``: the current value, and the default where the table has one."""
    name, current, default = row.values()
    if not name.value:
        return None
    value = f"{current.value} (default {default.value})" if default.value else current.value
    return Pair(name.value, value, unique_lines(name, current, default))


_READERS: dict[str, Callable[[ControllerDraft, Pair], object]] = {
    # Controller = 0
    "controller": lambda _, pair: mark_read(*pair.lines),
    # Controller Status = Needs Attention
    **dict.fromkeys(("controller status", "controller health"), read_status),
    # OEMID = Dell
    **dict.fromkeys(("oemid", "oem"), _read_oem),
    # SubVendor Id = 0x1028
    **dict.fromkeys(("subvendor id", "pci subsystem vendor id"), read_subvendor),
    # Next Battery Learn = 06/18/2031, 20:00:00
    "next battery learn": battery.read_next_learn,
}
_ALSO_DETAILS = frozenset({"oemid", "oem", "subvendor id", "pci subsystem vendor id", "next battery learn"})
