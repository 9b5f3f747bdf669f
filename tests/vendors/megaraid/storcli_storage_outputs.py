"""Outputs of storcli about volumes and drives, of no real machine. The format is that of the tool."""

from __future__ import annotations

import json
from typing import Any

from raidctl.evidence import Output
from raidctl_megaraid.draft import ControllerDraft, Controllers
from raidctl_megaraid.storcli.from_json import from_json
from raidctl_megaraid.storcli.outline import Section
from raidctl_megaraid.storcli.storage import read_storage

Data = Any


def answer_text(response: Data, description: str = "None", controller: int | None = 0) -> str:
    """A JSON output of one controller."""
    status = {"CLI Version": "007.1912.0000.0000 Nov 23, 2021", "Status": "Success", "Description": description}
    if controller is not None:
        status["Controller"] = str(controller)
    return json.dumps({"Controllers": [{"Command Status": status, "Response Data": response}]})


def read_all(*texts: str) -> tuple[Controllers, list[Section], list[Output]]:
    """The controllers of some outputs, the sections left, and the outputs."""
    controllers, left, outputs = Controllers(), [], []
    for text in texts:
        outline = from_json("storcli64 /c0 show all J", text)
        for answer in outline.answers:
            left += read_storage(controllers, answer)
        outputs.append(outline.output)
    return controllers, left, outputs


def read(response: Data, description: str = "None") -> ControllerDraft:
    """The only controller of one output."""
    controllers, _, _ = read_all(answer_text(response, description))
    (controller,) = controllers.by_number.values()
    return controller


def drive_row(**changes: Data) -> dict[str, Data]:
    """A row of version 7: ``drive_row(State="UGood", DG="-")``; ``EID`` means ``EID:Slt``."""
    row: dict[str, Data] = {
        "EID:Slt": changes.pop("EID", "64:2"), "DID": 11, "State": "Onln", "DG": 0, "Size": "1.090 TB", "Intf": "SAS",
        "Med": "HDD", "SED": "N", "PI": "N", "SeSz": "512B", "Model": "ZX1200TESTDRIVE ", "Sp": "U", "Type": "-",
    }  # fmt: skip
    return row | changes


def volume_row(**changes: Data) -> dict[str, Data]:
    """A row of version 7; ``VD`` means ``DG/VD``."""
    row: dict[str, Data] = {
        "DG/VD": changes.pop("VD", "0/3"), "TYPE": "RAID5", "State": "Optl", "Access": "RW", "Consist": "Yes",
        "Cache": "RWBD", "Cac": "-", "sCC": "ON", "Size": "2.181 TB", "Name": "payroll",
    }  # fmt: skip
    return row | changes


def topology_row(**changes: Data) -> dict[str, Data]:
    """A drive's row of the topology; ``EID`` means ``EID:Slot``."""
    row: dict[str, Data] = {
        "DG": 0, "Arr": 0, "Row": 1, "EID:Slot": changes.pop("EID", "64:2"), "DID": 11, "Type": "DRIVE",
        "State": "Onln", "BT": "N", "Size": "1.090 TB", "PDC": "dsbl", "PI": "N", "SED": "N", "DS3": "none",
        "FSpace": "-", "TR": "N",
    }  # fmt: skip
    return row | changes


def details(place: str = "/c0/e64/s2", **changes: dict[str, Data]) -> dict[str, Data]:
    """The sections of one drive of version 7 (``show all``). State, Device and Policies can be changed."""
    state = {
        "Shield Counter": 0, "Media Error Count": 4, "Other Error Count": 9, "Drive Temperature": " 31C (87.80 F)",
        "Predictive Failure Count": 0, "S.M.A.R.T alert flagged by drive": "No",
    }  # fmt: skip
    device = {
        "SN": "  TST0PLAIN01  ", "Manufacturer Id": "MAKER   ", "Model Number": "ZX1200TESTDRIVE ", "NAND Vendor": "NA",
        "WWN": "5000AAAA00000BBB", "Firmware Revision": "T01A", "Raw size": "1.091 TB [0x8bba0cb0 Sectors]",
        "Coerced size": "1.090 TB [0x8b94f800 Sectors]", "Non Coerced size": "1.090 TB [0x8baa0cb0 Sectors]",
        "Device Speed": "12.0Gb/s", "Link Speed": "6.0Gb/s", "Write cache": "N/A", "Logical Sector Size": "512B",
        "Physical Sector Size": "512B", "Connector Name": "C0 x4 ",
    }  # fmt: skip
    policies = {
        "Drive position": "DriveGroup:0, Span:0, Row:1", "Sequence Number": 2, "Commissioned Spare": "No",
        "Port Information": [
            {"Port": 0, "Status": "Active", "Linkspeed": "6.0Gb/s", "SAS address": "0x5000aaaa00000bb9"},
            {"Port": 1, "Status": "Active", "Linkspeed": "12.0Gb/s", "SAS address": "0x0"},
        ],
    }  # fmt: skip
    return {
        f"Drive {place} - Detailed Information": {
            f"Drive {place} State": state | changes.get("State", {}),
            f"Drive {place} Device attributes": device | changes.get("Device", {}),
            f"Drive {place} Policies/Settings": policies | changes.get("Policies", {}),
            "Inquiry Data": "00 00 06 12 ",
        }
    }


def modern_drive(**changes: Data) -> dict[str, Data]:
    """An item of version 8's ``Drives List``. The changes apply to the row and, with ``Units``, to the logical unit."""
    units = changes.pop("Units", {})
    row = {
        "EID:Slt": changes.pop("EID", "310:5"), "PID": 287, "State": "Conf", "Status": "Online", "DG": 4,
        "Size": "5.456 TiB", "Intf": "SATA", "Med": "HDD", "SED_Type": "-", "SeSz": "512B", "Model": "ZX6000TESTDRIVE",
        "Sp": "U", "LU/NS Count": 1, "Alt-EID": "-",
    }  # fmt: skip
    return {
        "Drive Information": row | changes,
        "LU/NS Information": [{"PID": 287, "LUN/NSID": "0/-", "Status": "Online", "Size": "5.456 TiB"}],
        "Drive Detailed Information": {
            "Shield Counter": 0, "Temperature(C)": 38, "Serial Number": "TST8PLAIN05", "Vendor": "MAKER",
            "Model": "ZX6000TESTDRIVE", "Firmware Revision Level": "T8", "Hard Disk Drive RPM": 7200,
            "Coerced size": "5.456 TiB [0x2ba800000 Sectors]",
            "Path Information": [{"SASAddress": "0x5", "Path": "Primary", "Negotiated Speed": "6.0Gb/s"}],
            "LU/NS Properties": {
                "Media Error Count": 2, "Other Error Count": 0, "Predictive Failure Count": 0,
                "Current Write Cache": "Off", "Default Write Cache": "On",
            } | units,
        },
    }  # fmt: skip
