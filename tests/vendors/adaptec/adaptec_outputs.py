"""Outputs in arcconf's formats with invented values. A runner replies from a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from raidctl.model import Battery, Controller, Drive, Volume
from raidctl.request import Answer, Failure, Request, Run, RunAnswer, Which, WhichAnswer
from raidctl.vendor.protocol import Document, Observation
from raidctl_adaptec import read

RULE = "-" * 70
SUB = "   " + "-" * 56
DONE = "\n\nCommand completed successfully.\n"


def lines(pairs: Mapping[str, object], indent: int = 3) -> str:
    """``Label : value`` lines."""
    return "\n".join(f"{' ' * indent}{label:<41}: {value}" for label, value in pairs.items())


def part(title: str, pairs: Mapping[str, object]) -> str:
    """A part of the controller's section."""
    return f"{SUB}\n   {title}\n{SUB}\n{lines(pairs)}"


def area(title: str, *bodies: str) -> str:
    """A section with its title between rules."""
    return "\n".join([RULE, title, RULE, *bodies, ""])


CONTROLLER: dict[str, object] = {
    "Controller Status": "Optimal",
    "Channel description": "SAS/SATA",
    "Controller Model": "Adaptec 6405",
    "Controller Serial Number": "1D4411A09B2",
    "Physical Slot": 5,
    "Temperature": "51 C/ 123 F (Normal)",
    "Installed memory": "512 MB",
    "Defunct disk drive count": 0,
    "Logical devices/Failed/Degraded": "1/0/0",
}
VERSIONS: dict[str, object] = {"BIOS": "5.2-0 (19147)", "Firmware": "5.2-0 (19147)", "Boot Flash": "5.2-0 (19147)"}
ZMM = part("Controller ZMM Information", {"Status": "ZMM Optimal"})
VOLUME: dict[str, object] = {
    "Logical device name": "store",
    "RAID level": 1,
    "Status of logical device": "Optimal",
    "Size": "953334 MB",
    "Stripe-unit size": "256 KB",
    "Read-cache setting": "Enabled",
    "Read-cache status": "On",
    "Write-cache setting": "On when protected by battery/ZMM",
    "Write-cache status": "On",
    "Failed stripes": "No",
}
DRIVE: dict[str, object] = {
    "State": "Online",
    "Supported": "Yes",
    "Transfer Speed": "SATA 6.0 Gb/s",
    "Reported Channel,Device(T:L)": "0,0(0:0)",
    "Reported Location": "Enclosure 0, Slot 0",
    "Vendor": "ATA",
    "Model": "ST1000NX0423",
    "Firmware": "NA05",
    "Serial number": "W470AAA0",
    "Total Size": "953869 MB",
    "Write Cache": "Disabled (write-through)",
    "S.M.A.R.T.": "No",
    "S.M.A.R.T. warnings": 0,
    "SSD": "No",
}
PQI: dict[str, object] = {
    "Controller Status": "Optimal",
    "Controller Mode": "Mixed",
    "Controller Model": "Adaptec SmartRAID 3102-8i",
    "Controller Serial Number": "5A01F3000C1",
    "PCI Address (Domain:Bus:Device:Function)": "0:d8:0:0",
    "Driver Name": "smartpqi",
}
PQI_CACHE: dict[str, object] = {
    "Cache Status": "Ok",
    "Cache memory": "1644 MB",
    "Read Cache Percentage": "10 percent",
    "Write Cache Percentage": "90 percent",
    "No-Battery Write Cache": "Disabled",
}
GREEN: dict[str, object] = {
    "Backup Power Status": "Ok",
    "Battery/Capacitor Pack Count": 1,
    "Hardware Error": "No Error",
}
PQI_VOLUME: dict[str, object] = {
    "Logical Device name": "pool",
    "Disk Name": "/dev/sdb",
    "Array": 0,
    "RAID level": 5,
    "Status of Logical Device": "Optimal",
    "Size": "1907666 MB",
    "Stripe-unit size": "128 KB",
    "Caching": "Enabled",
    "LD Acceleration Method": "Controller Cache",
    "Volume Unique Identifier": "600508B1001C0102030405060708090A",
}


def drive_text(number: int, changes: Mapping[str, object] | None = None) -> str:
    """The section of a drive."""
    own = {
        "Reported Channel,Device(T:L)": f"0,{number}({number}:0)",
        "Reported Location": f"Enclosure 0, Slot {number}",
        "Serial number": f"W470AAA{number}",
    }
    values = {**DRIVE, **own, **(changes or {})}
    return f"      Device #{number}\n         Device is a Hard drive\n{lines(values, 9)}"


def volume_text(number: int, changes: Mapping[str, object] | None = None, segments: Sequence[str] | None = None) -> str:
    """The section of a logical device of an aacraid controller. The default drives are 0,0 and 0,1."""
    rows = segments if segments is not None else [f"Present (0,{n}) W470AAA{n}" for n in range(2)]
    below = lines({f"Segment {n}": row for n, row in enumerate(rows)})
    head = f"Logical device number {number}\n{lines({**VOLUME, **(changes or {})})}"
    return f"{head}\n{SUB}\n   Logical device segment information\n{SUB}\n{below}\n"


def machine(
    controller: Mapping[str, object] | None = None,
    backup: str = ZMM,
    volumes: Sequence[str] | None = None,
    drives: Sequence[str] | None = None,
) -> str:
    """``getconfig 1`` of an aacraid controller with one mirror."""
    return "\n".join(
        [
            "Controllers found: 1",
            area(
                "Controller information",
                lines({**CONTROLLER, **(controller or {})}),
                part("Controller Version Information", VERSIONS),
                backup,
            ),
            area("Logical device information", *(volumes if volumes is not None else [volume_text(0)])),
            area("Physical Device information", *(drives if drives is not None else [drive_text(0), drive_text(1)])),
            DONE,
        ]
    )


def pqi(
    controller: Mapping[str, object] | None = None,
    cache: Mapping[str, object] | None = None,
    backup: Mapping[str, object] | None = GREEN,
    volume: Mapping[str, object] | None = None,
) -> str:
    """``getconfig 1`` of a smartpqi controller with one RAID-5."""
    array = lines({"Name": "A", "Status": "Ok", "Total Size": "2861588 MB", "Unused Size": "0 MB"})
    return "\n".join(
        [
            "Controllers found: 1",
            area(
                "Controller information",
                lines({**PQI, **(controller or {})}),
                part("Cache Properties", {**PQI_CACHE, **(cache or {})}),
                part("Green Backup Information", backup) if backup else "",
                part("Controller Version Information", {"Firmware": "4.72"}),
            ),
            area("Array Information", f"Array Number 0\n{array}"),
            area("Logical device information", f"Logical Device number 0\n{lines({**PQI_VOLUME, **(volume or {})})}"),
            area(
                "Physical Device information",
                "   Channel #0:",
                *(drive_text(n, {"Array": 0, "Drive Configuration Type": "Data"}) for n in range(3)),
            ),
            DONE,
        ]
    )


def found(text: str, name: str = "getconfig.txt", kind: str = "text") -> Observation:
    """The observation of a single output."""
    return read([Document(name, kind, text)])


def controller_of(text: str) -> Controller:
    """The only controller of an output."""
    (controller,) = found(text).controllers
    return controller


def volume_of(text: str) -> Volume:
    """The first volume of an output."""
    return controller_of(text).volumes[0]


def drive_of(text: str) -> Drive:
    """The first drive of an output."""
    return controller_of(text).drives[0]


def battery_of(text: str) -> Battery:
    """The only battery of an output."""
    (battery,) = controller_of(text).batteries
    return battery


def left(text: str) -> list[str]:
    """The lines that no parser used."""
    return [line.text for output in found(text).outputs for line in output.unparsed()]


def ran(text: str, code: int = 0) -> RunAnswer:
    """A reply of the tool."""
    return RunAnswer(code=code, out=text.encode())


@dataclass
class Script:
    """A runner that replies from a table and records the requests."""

    answers: Mapping[str, RunAnswer] = field(default_factory=dict)
    path: str | None = "/usr/sbin/arcconf"
    asked: list[Run] = field(default_factory=list)

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer each request. A command outside the table ends with exit code 3 and no output."""
        return [self._answer(request) for request in requests]

    def _answer(self, request: Request[Any]) -> Answer:
        if isinstance(request, Which):
            return WhichAnswer(path=self.path, trouble=None if self.path else Failure.MISSING)
        assert isinstance(request, Run)
        self.asked.append(request)
        return self.answers.get(" ".join(request.argv), RunAnswer(code=3))

    @property
    def calls(self) -> list[str]:
        """The requested command lines."""
        return [" ".join(request.argv) for request in self.asked]
