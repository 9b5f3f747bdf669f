"""One invented machine as storcli's JSON, storcli's text and MegaCli's text.

Storcli's text is rendered from its JSON by the tool's rules (columns as wide as their widest cell, numbers aligned
right), so that any JSON output has a text. MegaCli's text is separate.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from raidctl.model import Controller
from raidctl.vendor.protocol import Document, Observation
from raidctl_megaraid import read, sniff

Answer = dict[str, Any]

_RIGHT = frozenset({"DID", "DG", "Size", "PDs", "Slots", "VD", "ErrCd", "LU/NS Count", "Port", "Ctl", "Ports", "VDs"})
_ROLES = ("member", "spare", "unassigned", "passthrough", "failed")


def answer(description: str, data: Answer, version: str = "007.1704.0000.0000 Jan 16, 2021") -> Answer:
    """The JSON output of storcli for controller 0."""
    status = {
        "CLI Version": version, "Operating system": "Linux 5.10.0-8-amd64", "Controller": 0,
        "Status": "Success", "Description": description,
    }  # fmt: skip
    return {"Controllers": [{"Command Status": status, "Response Data": data}]}


def text_of(whole: Answer) -> str:
    """The output as the tool prints it without ``J``."""
    lines: list[str] = []
    for one in whole["Controllers"]:
        lines += [f"{label} = {value}" for label, value in one["Command Status"].items()]
        lines += ["", ""]
        _data(lines, one["Response Data"])
    return "\n".join([*lines, ""])


def _data(lines: list[str], data: Answer) -> None:
    for title, value in data.items():
        if isinstance(value, dict):
            _title(lines, title)
            tables = {name: inner for name, inner in value.items() if isinstance(inner, (list, dict))}
            lines += [f"{label} = {inner}" for label, inner in value.items() if label not in tables]
            lines += ["", ""]
            _data(lines, tables)
        elif isinstance(value, list):
            _title(lines, title)
            lines += [*_table(value), "", ""]
        else:
            lines.append(f"{title} = {value}")
            if f"{title}" in ("Virtual Drives", "Physical Drives", "Drive Groups", "Function Number"):
                lines.append("")


def _title(lines: list[str], title: str) -> None:
    lines += [f"{title} :", "=" * (len(title) + 1), ""]


def _table(rows: list[Answer]) -> list[str]:
    titles = list(rows[0])
    widths = {title: max(len(title), *(len(str(row[title])) for row in rows)) for title in titles}
    rule = "-" * (sum(widths.values()) + len(widths))
    printed = [
        " ".join(
            str(cell).rjust(widths[title]) if title in _RIGHT else str(cell).ljust(widths[title])
            for title, cell in row.items()
        )
        + " "
        for row in [{title: title for title in titles}, *rows]
    ]
    return [rule, printed[0], rule, *printed[1:], rule]


def observed(*texts: str) -> Observation:
    """The observation of some outputs, each recognised by its content."""
    documents = []
    for number, text in enumerate(texts):
        found = sniff(f"output{number}", text)
        assert found is not None
        documents.append(Document(f"output{number}", found.kind, text))
    return read(documents)


def as_json(answers: list[Answer]) -> Observation:
    """The observation of the outputs in JSON."""
    return observed(*(json.dumps(one, indent=1) for one in answers))


def as_text(answers: list[Answer]) -> Observation:
    """The observation of the outputs in text."""
    return observed(*(text_of(one) for one in answers))


def facts(found: Controller) -> dict[str, Any]:
    """The fields of a controller and all its objects, by object id. The tool's own words are left out."""
    plain = msgspec.to_builtins(found)
    lists = {name: plain.pop(name) for name in ("batteries", "arrays", "volumes", "drives")}
    objects = {item["id"]: item for items in lists.values() for item in items}
    for item in [plain, *objects.values()]:
        for name in ("details", "status_text", "capabilities"):
            item.pop(name, None)
    if plain["cache"]:
        plain["cache"].pop("details")
    return {plain["id"]: plain, **objects}


def pd_row(place: str, did: int, state: str, group: int | str, model: str, **more: str) -> Answer:
    """A row of ``PD LIST``."""
    kind = {"Size": "1.090 TB", "Intf": "SAS", "Med": "HDD"} | more
    return {
        "EID:Slt": place, "DID": did, "State": state, "DG": group, **kind, "SED": "N", "PI": "N", "SeSz": "512B",
        "Model": model.ljust(16), "Sp": "U", "Type": "-",
    }  # fmt: skip


def vd_row(  # noqa: PLR0917 - the columns of the table
    dg_vd: str, level: str, state: str, cache: str, size: str, name: str
) -> Answer:
    """A row of ``VD LIST``."""
    return {
        "DG/VD": dg_vd, "TYPE": level, "State": state, "Access": "RW", "Consist": "Yes", "Cache": cache, "Cac": "-",
        "sCC": "ON", "Size": size, "Name": name,
    }  # fmt: skip


# bay, DID, storcli's state, group, media errors, other errors, predictive failures, degrees, MegaCli's state
DRIVES: list[tuple[int, int, str, int | str, int, int, int, int, str]] = [
    (0, 10, "Onln", 0, 0, 0, 0, 31, "Online, Spun Up"),
    (1, 11, "Onln", 0, 3, 1, 0, 32, "Online, Spun Up"),
    (2, 12, "Onln", 1, 0, 0, 2, 33, "Online, Spun Up"),
    (3, 13, "Rbld", 1, 0, 0, 0, 34, "Rebuild"),
    (4, 14, "Onln", 1, 0, 0, 0, 35, "Online, Spun Up"),
    (5, 15, "UGood", "-", 0, 0, 0, 30, "Unconfigured(good), Spun down"),
    (6, 16, "UBad", "-", 99, 5, 0, 29, "Unconfigured(bad)"),
]
MODEL, REVISION, SECTORS = "ZT1200MM0099", "QS0C", 0x8BAA0000
_VOLUMES = [
    ("0/0", "RAID1", "Optl", "RWBD", "1.090 TB", "system", 2, 1, "WriteBack", "Disabled"),
    ("1/1", "RAID5", "Dgrd", "NRWTD", "2.180 TB", "data", 3, 1, "WriteBack", "Disk's Default"),
]


def serial(bay: int) -> str:
    """The serial number of the drive in a bay."""
    return f"Z7R0A{bay:03}"


def rows() -> list[Answer]:
    """``PD LIST``."""
    return [pd_row(f"32:{bay}", did, state, group, MODEL) for bay, did, state, group, *_ in DRIVES]


def storcli() -> list[Answer]:
    """``/c0 show all``, ``/c0/vall show all``, ``/c0/eall/sall show all``, ``/c0/bbu show all``."""
    return [
        answer("None", _controller()),
        answer("None", _volumes()),
        answer("Show Drive Information Succeeded.", _drives()),
        answer("None", _battery()),
    ]


def _controller() -> Answer:
    return {
        "Basics": {
            "Controller": 0, "Model": "PERC H999P Mini", "Serial Number": "4CB00ZZ", "PCI Address": "00:02:00:00",
            "SAS Address": "590b11c0aabbcc00",
        },
        "Version": {"Firmware Version": "4.270.00-6744", "Bios Version": "6.33.01.0"},
        "Bus": {
            "Vendor Id": "0x1000", "Device Id": "0x5D", "SubVendor Id": "0x1028", "SubDevice Id": "0x1F47",
            "Bus Number": 2, "Device Number": 0, "Function Number": 0,
        },
        "Status": {"Controller Status": "Optimal", "Any Offline VD Cache Preserved": "No", "BBU Status": 0},
        "HwCfg": {
            "BBU": "Present", "On Board Memory Size": "2048MB", "Current Size of FW Cache (MB)": 1706,
            "ROC temperature(Degree Celsius)": 61,
        },
        "Policies": {"Policies Table": [
            {"Policy": "Rebuild Rate", "Current": "30 %", "Default": "30%"},
            {"Policy": "Cache Flush Interval", "Current": "4s", "Default": ""},
        ]},
        "Virtual Drives": 2,
        "VD LIST": [vd_row(*volume[:6]) for volume in _VOLUMES],
        "Physical Drives": len(DRIVES),
        "PD LIST": rows(),
        "BBU_Info": [{"Model": "BBU", "State": "Optimal", "Temp": "28C"}],
    }  # fmt: skip


def _volumes() -> Answer:
    data: Answer = {}
    for number, (dg_vd, level, state, cache, size, name, each, spans, initial, drives) in enumerate(_VOLUMES):
        data[f"/c0/v{number}"] = [vd_row(dg_vd, level, state, cache, size, name)]
        data[f"PDs for VD {number}"] = [row for row in rows() if str(row["DG"]) == dg_vd[0]]
        data[f"VD{number} Properties"] = {
            "Strip Size": "64 KB", "Number of Blocks": SECTORS * (each - 1), "Span Depth": spans,
            "Number of Drives Per Span": each, "Write Cache(initial setting)": initial, "Disk Cache Policy": drives,
            "Active Operations": "None", "Exposed to OS": "Yes",
        }  # fmt: skip
    return data


def _drives() -> Answer:
    data: Answer = {}
    for row, (bay, _, _, _, media, other, predicted, degrees, _) in zip(rows(), DRIVES, strict=True):
        path = f"Drive /c0/e32/s{bay}"
        data[path] = [row]
        data[f"{path} - Detailed Information"] = {
            f"{path} State": {
                "Shield Counter": 0, "Media Error Count": media, "Other Error Count": other,
                "Drive Temperature": f" {degrees}C ({degrees * 9 / 5 + 32:.2f} F)",
                "Predictive Failure Count": predicted, "S.M.A.R.T alert flagged by drive": "No",
            },
            f"{path} Device attributes": {
                "SN": serial(bay), "Manufacturer Id": "ZENITH  ", "Model Number": MODEL, "NAND Vendor": "NA",
                "WWN": f"5000C500AABBCC{bay:02X}", "Firmware Revision": REVISION,
                "Raw size": "1.091 TB [0x8bba0cb0 Sectors]", "Coerced size": f"1.090 TB [{SECTORS:#x} Sectors]",
                "Device Speed": "12.0Gb/s", "Link Speed": "6.0Gb/s", "Write Cache": "Disabled",
            },
            "Inquiry Data": "00 00 06 12 8b 00 10 02 5a 45 4e 49 54 48 20 20 ",
        }  # fmt: skip
    return data


def _battery() -> Answer:
    def table(**pairs: str) -> list[Answer]:
        return [{"Property": label.replace("_", " "), "Value": value} for label, value in pairs.items()]

    return {
        "BBU_Info": table(Type="BBU", Voltage="3925 mV", Temperature="28 C", Battery_State="Optimal"),
        "BBU_Firmware_Status": table(
            Charging_Status="None", Voltage="OK", Temperature="OK", Learn_Cycle_Active="No", Replacement_required="No",
            Remaining_Capacity_Low="Yes",
        ),
        "GasGaugeStatus": table(Fully_Charged="Yes", Relative_State_of_Charge="88%"),
        "BBU_Properties": table(Auto_Learn_Period="90d (7776000 seconds)", Next_Learn_time="2031/10/12  12:20:37"),
    }  # fmt: skip


def megacli() -> list[str]:
    """``-AdpAllInfo``, ``-AdpGetPciInfo``, ``-LdPdInfo``, ``-PDList``, ``-AdpBbuCmd``, each for ``-aALL``."""
    pci = "Adapter:0\n\nPCI information for Controller 0\n" + "-" * 32 + "\n"
    pci += "Bus Number      : 2\nDevice Number   : 0\nFunction Number : 0\n\nExit Code: 0x00\n"
    volumes = "\nAdapter #0\n\nNumber of Virtual Disks: 2\n" + "".join(map(_mega_volume, range(2)))
    drives = "\nAdapter #0\n\n" + "".join(map(_mega_drive, DRIVES))
    return [_MEGA_CONTROLLER, pci, f"{volumes}\n\nExit Code: 0x00\n", f"{drives}\n\nExit Code: 0x00\n", _MEGA_BATTERY]


def _mega_volume(number: int) -> str:
    level = ("Primary-1, Secondary-0, RAID Level Qualifier-0", "Primary-5, Secondary-0, RAID Level Qualifier-3")[number]
    state = ("Optimal", "Degraded")[number]
    ahead = ("ReadAhead", "ReadAheadNone")[number]
    now = ("WriteBack", "WriteThrough")[number]
    tail = f"{ahead}, Direct, No Write Cache if Bad BBU"
    _, _, _, _, size, name, each, spans, _, drives = _VOLUMES[number]
    lines = (
        f"Virtual Drive: {number} (Target Id: {number})", f"Name                :{name}",
        f"RAID Level          : {level}",
        f"Size                : {size}", "Sector Size         : 512", f"State               : {state}",
        "Strip Size          : 64 KB", f"Number Of Drives    : {each}", f"Span Depth          : {spans}",
        f"Default Cache Policy: WriteBack, {tail}", f"Current Cache Policy: {now}, {tail}",
        f"Disk Cache Policy   : {drives}", "Encryption Type     : None", "Number of Spans: 1",
        f"Span: 0 - Number of PDs: {each}", "", "",
    )  # fmt: skip
    members = [drive for drive in DRIVES if drive[3] == number]
    parts = [f"PD: {place} Information\n{_mega_drive(drive)}" for place, drive in enumerate(members)]
    return "\n".join(lines) + "".join(parts)


def _mega_drive(drive: tuple[int, int, str, int | str, int, int, int, int, str]) -> str:
    bay, did, _, group, media, other, predicted, degrees, state = drive
    place = [f"Drive's position: DiskGroup: {group}, Span: 0, Arm: {bay}"] if isinstance(group, int) else []
    lines = (
        "Enclosure Device ID: 32", f"Slot Number: {bay}", *place, f"Device Id: {did}", f"WWN: 5000C500AABBCC{bay:02X}",
        f"Media Error Count: {media}", f"Other Error Count: {other}", f"Predictive Failure Count: {predicted}",
        "PD Type: SAS", "", "Raw Size: 1.091 TB [0x8bba0cb0 Sectors]", f"Coerced Size: 1.090 TB [{SECTORS:#x} Sectors]",
        f"Firmware state: {state}", f"Device Firmware Level: {REVISION}",
        f"Inquiry Data: ZENITH  {MODEL:<16}{REVISION}{serial(bay):<20}", "Foreign State: None",
        "Device Speed: 12.0Gb/s", "Link Speed: 6.0Gb/s", "Media Type: Hard Disk Device",
        f"Drive Temperature :{degrees}C ({degrees * 9 / 5 + 32:.2f} F)", "Drive's write cache : Disabled",
        "Drive has flagged a S.M.A.R.T alert : No", "", "", "",
    )  # fmt: skip
    return "\n".join(lines)


_MEGA_CONTROLLER = """
Adapter #0

==============================================================================
                    Versions
                ================
Product Name    : PERC H999P Mini
Serial No       : 4CB00ZZ

                Image Versions in Flash:
                ================
BIOS Version       : 6.33.01.0
FW Version         : 4.270.00-6744

                PCI Info
                ================
Controller Id   : 0000
Vendor Id       : 1000
Device Id       : 005d
SubVendorId     : 1028
SubDeviceId     : 1f47

                HW Configuration
                ================
SAS Address      : 590b11c0aabbcc00
BBU              : Present
Memory           : Present
Memory Size      : 2048MB
ROC temperature : 61  degree Celsius

                Settings
                ================
Cache Flush Interval             : 4s
Any Offline VD Cache Preserved   : No

                Limitations
                ================
Current Size of FW Cache       : 1706 MB

Exit Code: 0x00
"""
_MEGA_BATTERY = """
BBU status for Adapter: 0

BatteryType: BBU
Voltage: 3925 mV
Temperature: 28 C
Battery State: Optimal
BBU Firmware Status:

  Charging Status              : None
  Voltage                                 : OK
  Temperature                             : OK
  Learn Cycle Active                      : No
  Battery Replacement required            : No
  Remaining Capacity Low                  : Yes

GasGuageStatus:
  Fully Charged           : Yes
Relative State of Charge: 88 %

BBU Properties for Adapter: 0

  Auto Learn Period: 90 Days
  Next Learn time: Sun Oct 12 12:20:37 2031

Exit Code: 0x00
"""


def unread(found: Observation) -> list[str]:
    """The messages of the problems of kind ``unread``."""
    return [item.message for item in found.problems if item.kind == "unread"]
