"""Outputs of arcconf about tasks and lists of controllers."""

from __future__ import annotations

import json

from tests.vendors.adaptec.adaptec_outputs import DONE, lines

TASK = "Controllers found: 1\nLogical device Task:\n" + lines(
    {
        "Logical device": 0, "Task ID": 100, "Current operation": "Rebuild", "Status": "In Progress",
        "Priority": "High", "Percentage complete": 41,
    }
) + DONE  # fmt: skip

LIST = (
    "Controllers found: 2\n" + "-" * 60 + "\nController information\n" + "-" * 60
    + "\n   Controller ID             : Status, Slot, Mode, Name, SerialNumber, WWN\n" + "-" * 60
    + "\n   Controller 1: : Optimal, Slot 3, RAID (Hide RAW), Adaptec SmartRAID 3152-8i, 7A0001, 50000D1E00000001"
    + "\n   Controller 2:             : Optimal, Slot 4, HBA, MSCC Adaptec HBA 1100-8i, 7A0002, 50000D1E00000002" + DONE
)  # fmt: skip

JSON = {
    "Controller": {
        "deviceVendor": "Adaptec", "deviceName": "SmartRAID 3151-4i", "serialNumber": "9C0001", "controllerStatus": 0,
        "firmwareVersion": "5.01", "physicalSlot": 7, "readCachePercentage": 20, "functionalMode": 5, "flavour": "plum",
        "Array": [{"arrayID": 0, "arrayName": "A", "blockSize": 512, "totalSize": 1000, "unUsedSpace": 10}],
        "LogicalDrive": [{
            "logicalDriveID": 0, "name": "vol", "raidLevel": "1+0", "volumeUniqueID": "600508B1", "BlockSize": 512,
            "dataSpace": 400, "state": 2, "StripeSize": 256, "fullStripeSize": 512, "Chunk": [{"consumerArrayID": 0}],
        }],
        "Channel": [{"HardDrive": [{
            "channelID": 0, "deviceID": 4, "serialNumber": "S4 ", "vendor": "SEAGATE", "model": "ST1", "blockSize": 512,
            "numOfUsableBlocks": 500, "state": 1, "interfaceType": 4, "nonSpinning": False, "rotationalSpeed": 7200,
            "physicalDriveName": "Not Applicable", "Chunk": [{"consumerArrayID": 0}],
        }]}],
    }
}  # fmt: skip


def json_text(value: object) -> str:
    """``getconfigJSON 1``: the JSON is on the second line."""
    return f"Controllers found: 1\n{json.dumps(value)}\n\nCommand completed successfully.\n"
