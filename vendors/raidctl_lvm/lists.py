"""The lists of lvs, pvs and vgs (JSON and text) and the lines of dmsetup."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from raidctl.evidence import Line, Output, mark_read
from raidctl.text import regex
from raidctl_lvm.agreement import add_status
from raidctl_lvm.columns import columns_of, row_of
from raidctl_lvm.draft import ControllerDraft, Row, Status
from raidctl_lvm.vocabulary import (
    FAILED_MERGE,
    FULL,
    INVALID_SNAPSHOT,
    POOL_REMEDY,
    TARGET_TROUBLE,
    VDO_REMEDY,
    level_of,
)

#   LV   VG   Attr       LSize Pool Origin Data%  Meta%  Move Log Cpy%Sync Convert Devices
HEAD = regex(r"\s*LV\s+VG\s+Attr\s+LSize\b.*")
#   [myvg_lv_rimage_1] myvg iwi-aor-p- 9.00g                 unknown device(1)
_ROW = regex(r"\s*(?P<lv>\[?[\w.+-]{1,128}\]?)\s+(?P<vg>[\w.+-]{1,128})\s+(?P<attr>[\w-]{6,10})\s+"
                  r"(?P<size>[<>]?[\d.,]+[bBsSkKmMgGtTpPeE]?)(?=\s|$)(?P<rest>.*)")  # fmt: skip
_TWO_ROWS = regex(r"\s[\w.+-]+\]?\s+[\w.+-]+\s+[a-zA-Z-]{10}\s+[<>]?\d")
"""The beginning of another row. Two short lines are not one that a mailer broke."""
_PERCENT = regex(r"(?<=\s)\d{1,3}[.,]\d\d(?=\s|$)")
DEVICE = regex(r"(unknown device|\[unknown\]|[^\s,()]+)\(\d+\)|([^\s,:]+):\d+-\d+")
#         15.20            raid1-1t_rimage_0(0),raid1-1t_rimage_1(0)       the rest of a row that a mailer has wrapped
_REST = regex(rf"(?:\d{{1,3}}[.,]\d\d(?:\s+|$))*(?:(?:{DEVICE.pattern})(?:,|$))*")
#   WARNING: VG vg00 is missing PV weDidc-… (last written to /dev/vdd).
MISSING = regex(
    r"\s*(?:WARNING: )?(?:Device for PV (\S+) not found.*|Couldn't find device with uuid (\S+?)\.?|"
    r"VG \S+ is missing PV (\S+).*|Couldn't find all devices for LV .*)"
)
#   PV         VG  Fmt  Attr PSize   PFree            VG  #PV #LV #SN Attr   VSize   VFree
PARTS_HEAD = regex(r"\s*(?:PV\s+VG\s+Fmt\s+Attr\s+PSize\b|VG\s+#PV\s+#LV\s+#SN\s+Attr\s+VSize\b).*")
#   [unknown]  vg0 lvm2 a-m  931.50g    0             vg0   2   3   0 wz-pn- 931.50g    0
_PARTS_ROW = regex(
    r"\s*(?P<name>unknown device|\S{1,256})\s+"
    r"(?:(?:[\w.+-]{1,128}\s+)?lvm[12]\s+(?P<pv>[a-z-]{2,3})|(?:\d{1,9}\s+){3}(?P<vg>[a-z-]{5,6}))\s+[<>]?\d\S*\s+\d.*"
)
# vg0-data: 0 4423680 raid raid1 2 AA 4423680/4423680 idle 0 0 -
TARGET = regex(r"(?P<name>\S{1,256}): \d+ \d+ (?P<target>[\w-]{1,32})(?: (?P<words>.*))?")
_LOST = regex(r"\S{1,256}: \S+ \S+ (?:raid raid\d|mirror \d).*")
"""A line like this in another form."""
UNKNOWN = ("unknown device", "[unknown]")
"""What is printed in place of the name of a missing physical volume."""
_REMARKS = ("WARNING:", "File descriptor ")
_MISSING = "missing physical volume"
_ESCAPED = regex(r"(?<!-)((?:--)*)-(?!-)")


def read_json(output: Output, value: Mapping[str, Any], controller: ControllerDraft) -> None:
    """``lvs --reportformat json``; also ``lvm fullreport``, which lists segments apart."""
    for number, report in enumerate(value.get("report") or ()):
        if not isinstance(report, Mapping):
            continue
        groups = [str(group.get("vg_name")) for group in report.get("vg") or () if isinstance(group, Mapping)]
        only = {"vg_name": groups[0]} if len(groups) == 1 else {}
        for index, entry in enumerate(report.get("pv") or ()):
            line = output.leaf(f"report[{number}].pv[{index}].pv_name")
            if isinstance(entry, Mapping) and line is not None and _is_missing(entry):
                controller.detail(line, _MISSING, str(entry.get("pv_uuid") or entry["pv_name"]))
        for index, entry in enumerate(report.get("vg") or ()):
            line = output.leaf(f"report[{number}].vg[{index}].vg_name")
            if isinstance(entry, Mapping) and line is not None and _is_partial(entry):
                controller.detail(line, _MISSING, f"of {entry['vg_name']}")
        segments = {str(seg.get("lv_uuid")): seg for seg in report.get("seg") or () if isinstance(seg, Mapping)}
        for index, entry in enumerate(report.get("lv") or ()):
            if isinstance(entry, Mapping):
                more = segments.get(str(entry.get("lv_uuid")), {})
                _json_row(output, f"report[{number}].lv[{index}]", {**only, **more, **entry}, controller)
    for line in output.lines:
        if ".lv[" not in line.text.partition(": ")[0]:
            mark_read(line)


def _is_missing(entry: Mapping[str, Any]) -> bool:
    """Whether a physical volume of ``lvm fullreport`` is not there: ``a-m`` of its Attr, or a column."""
    return str(entry.get("pv_attr", ""))[2:3] == "m" or str(entry.get("pv_missing") or "0") not in ("0", "-1")


def _is_partial(entry: Mapping[str, Any]) -> bool:
    """Whether a volume group lacks a physical volume: ``wz-pn-`` of its Attr, or a column."""
    return str(entry.get("vg_attr", ""))[3:4] == "p" or str(entry.get("vg_partial") or "0") not in ("0", "-1")


def _json_row(output: Output, path: str, entry: Mapping[str, Any], controller: ControllerDraft) -> None:
    cells = {str(name): _cell(one) for name, one in entry.items()}
    lines = {name: line for name in cells
             # "devices": ["home_rimage_0(0)", …] of --reportformat json_std
             if (line := output.leaf(f"{path}.{name}") or output.leaf(f"{path}.{name}[0]")) is not None}  # fmt: skip
    for name, one in entry.items():
        mark_read(*(line for place in range(len(one) if isinstance(one, list) else 0)
                    if (line := output.leaf(f"{path}.{name}[{place}]")) is not None))  # fmt: skip
    if not lines:
        return
    if "lv_name" not in cells:
        controller.unread("volume without lv_name", " ".join(filter(None, cells.values()))[:80])
        return
    vg, lv = cells.get("vg_name", ""), cells["lv_name"].strip("[]")
    attr = cells.get("lv_attr", "")
    controller.rows.setdefault(f"{vg}/{lv}", []).append(Row(vg, lv, attr, lines, cells))


def _cell(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value).strip()


def read_text(output: Output, controller: ControllerDraft) -> bool:
    """Read the tables of lvs, pvs and vgs, warnings, and the lines of dmsetup. False if there are none of these."""
    known = table = False
    row: Row | None = None
    headings: list[str] = []
    columns: dict[str, int] = {}
    for line in output.lines:
        if HEAD.fullmatch(line.text):
            columns, known, table = {}, True, True
            headings = line.stripped.split()
            mark_read(line)
        elif PARTS_HEAD.fullmatch(line.text):
            columns, known, table = {}, True, False
            mark_read(line)
        elif found := columns_of(line):
            columns, known, table = found, True, False
            mark_read(line)
        elif known and not table and (match := _PARTS_ROW.fullmatch(line.text)) is not None:
            _part(line, match, controller)
        elif (match := MISSING.fullmatch(line.text)) is not None:
            known = True
            uuid = match[1] or match[2] or match[3]
            controller.detail(line, _MISSING, uuid or line.stripped)
        elif table and (match := _ROW.fullmatch(line.text.rstrip())) and not _TWO_ROWS.search(match["rest"]):
            row = _text_row(line, match, headings)
            controller.rows.setdefault(f"{row.vg}/{row.lv}", []).append(row)
        elif row is not None and line.stripped and _REST.fullmatch(line.stripped) is not None:
            row.cells.update(_cells(line.text))
            mark_read(line)
        elif (match := TARGET.fullmatch(line.stripped)) is not None:
            known = True
            _target(line, match, controller)
        elif _LOST.fullmatch(line.stripped) is not None:
            controller.unread("line of dmsetup", line.stripped[:80])
        elif columns and line.stripped and not line.stripped.startswith(_REMARKS):
            _chosen(line, columns, controller)
        elif line.stripped == "No devices found":
            known = True
            mark_read(line)
    return known


def _chosen(line: Line, columns: Mapping[str, int], controller: ControllerDraft) -> None:
    """Read a row with columns of the user's choice."""
    row = row_of(line, columns)
    if row is None:
        line.output.gap = line.output.gap or "the columns of a row are not below their headings"
        return
    controller.rows.setdefault(f"{row.vg}/{row.lv}", []).append(row)
    mark_read(line)


def _part(line: Line, match: re.Match[str], controller: ControllerDraft) -> None:
    """Read a row of pvs or vgs: whether a physical volume is missing."""
    mark_read(line)
    if (match["pv"] or "")[2:] == "m" or match["name"] in UNKNOWN:
        controller.detail(line, _MISSING, match["name"])
    elif (match["vg"] or "")[3:4] == "p":
        controller.detail(line, _MISSING, f"of {match['name']}")


def _text_row(line: Line, match: re.Match[str], headings: Sequence[str]) -> Row:
    printed = {"sync_percent": ""} if "Cpy%Sync" in headings or "Copy%" in headings else {}
    cells = {"lv_size": match["size"], **printed, **_cells(match["rest"])}
    if match["attr"].startswith("t"):  # Data% and Meta% of a pool
        percents = [one.replace(",", ".") for one in _PERCENT.findall(match["rest"])]
        cells |= dict(zip(FULL, percents, strict=False))
    levels = [word for word in match["rest"].split() if level_of(word)]
    if "Type" in headings and len(levels) == 1:  # else a pool may have such a name
        cells["segtype"] = levels[0]
    return Row(match["vg"], match["lv"].strip("[]"), match["attr"], {"lv_name": line}, cells)


def _cells(text: str) -> dict[str, str]:
    """The last columns of a row: the last percentage, and the devices."""
    cells = {}
    percents = _PERCENT.findall(f" {text}")
    if percents:
        cells["sync_percent"] = percents[-1].replace(",", ".")
    devices = [one[0] for one in DEVICE.finditer(text)]
    if devices:
        cells["devices"] = ",".join(devices)
    return cells


def _target(line: Line, match: re.Match[str], controller: ControllerDraft) -> None:
    words = (match["words"] or "").split()
    if "raid".startswith(match["target"]) or "mirror".startswith(match["target"]):
        if words:  # else the line is cut off, and stays unread
            add_status(controller, name_of(match["name"]), Status(line, words, match["target"]))
    else:
        mark_read(line)
        _other_target(name_of(match["name"]), match["target"], words, controller)


def _other_target(name: str, target: str, words: list[str], controller: ControllerDraft) -> None:
    """Report wrong checksums, and failed caches and pools, below and beside RAID."""
    # vg-data_rimage_0: 0 209715200 integrity 17 207618048 -
    if target == "integrity" and words[:1] and words[0].isdecimal() and words[0].strip("0"):
        message, remedy = f"dm-integrity has found {words[0]} mismatches in {name}.", "Check the drive below it."
        controller.add_problem("warning", "state", message, remedy)
    trouble = next((TARGET_TROUBLE[word] for word in words if word in TARGET_TROUBLE), None)
    # vg-lv: 0 204800 writecache 5 100 200 0: the number of the error comes first
    if target == "writecache" and words[:1] and words[0].isdecimal() and words[0].strip("0"):
        trouble = TARGET_TROUBLE["Error"]
    if target.startswith(("cache", "thin", "writecache", "era")) and trouble:
        controller.add_problem("error", "state", f"The logical volume {name} {trouble}.", POOL_REMEDY)
    # vg-vpool0-vpool: 0 41943040 vdo /dev/dm-3 read-only - online online 1039 2097152
    if target == "vdo" and words[1:2] == ["read-only"]:
        controller.add_problem("error", "state", f"The VDO volume {name} is read-only after an error.", VDO_REMEDY)
    elif target == "vdo" and len(words) > 6 and words[5].isdecimal() and words[5] == words[6]:
        text = f"The VDO volume {name} is out of space: writes to it fail."
        controller.add_problem("error", "state", text, VDO_REMEDY)
    # vg-snap: 0 8388608 snapshot Invalid        vg-root: 0 8388608 snapshot-merge Merge failed
    if target.startswith("snapshot"):
        snapshot_trouble(controller, name, next(iter(words), ""))


def snapshot_trouble(controller: ControllerDraft, name: str, word: str) -> None:
    """Report a snapshot that is invalid or could not be merged: a letter of Attr, or a word of the kernel."""
    if word in INVALID_SNAPSHOT:
        text = f"The logical volume {name} is an invalid snapshot: its contents are lost, its origin is not affected."
        controller.add_problem("warning", "state", text, f"`lvremove {name}`")
    elif word in FAILED_MERGE:
        text = f"The logical volume {name} could not be merged into its origin."
        remedy = f"Check the file system of its origin, and the backup: `lvs -a {name}`."
        controller.add_problem("error", "state", text, remedy)


def name_of(device: str) -> str:
    """Return ``vg/lv`` for a device-mapper name, else the name. In the former, a dash of LVM's names is doubled.

    >>> name_of("vg--a-data"), name_of("isw_mirror")
    ('vg-a/data', 'isw_mirror')
    """
    match = _ESCAPED.search(device)
    if match is None:
        return device.replace("--", "-")
    cut = match.end() - 1
    return f"{device[:cut]}/{device[cut + 1 :]}".replace("--", "-")


def device_of(name: str) -> str:
    """``/dev/mapper/vg--a-data`` of ``vg-a/data``.

    >>> device_of("vg-a/data")
    '/dev/mapper/vg--a-data'
    """
    return "/dev/mapper/" + "-".join(part.replace("-", "--") for part in name.split("/"))
