"""Outputs of the tools, and a runner that replies from a script. Names and numbers are invented."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from raidctl.host import HostView, PciDevice
from raidctl.model import Controller, Volume, VolumeCache
from raidctl.request import Answer, Failure, Request, Run, RunAnswer, Which, WhichAnswer, converse
from raidctl.vendor.protocol import Document, Observation
from raidctl_megaraid import observe, read

TAIL = "nolog J"
Json = dict[str, Any]


def answer(data: Json | None, number: int | None = 0, *, version: str = "007.2011.0000.0000 Oct 08, 2021") -> Json:
    """The part of an output about one controller. Without data: the controller does not exist."""
    status: Json = {"CLI Version": version, "Operating system": "Linux 6.1.0", "Controller": number}
    status |= {"Status": "Success", "Description": "None"}
    if number is None:
        del status["Controller"]
    if data is None:
        status |= {"Status": "Failure", "Description": "No Controller found" if number is None else "failed"}
        return {"Command Status": status}
    return {"Command Status": status, "Response Data": data}


def printed(*controllers: Json) -> str:
    """The JSON as printed."""
    return json.dumps({"Controllers": list(controllers)}, indent=1)


def basics(number: int = 0, *, battery: str | None = "Optimal", letters: str = "RWBD", memory: str = "1024MB") -> Json:
    """``show all`` of a controller with one mirror. ``battery`` None: it has no battery."""
    data: Json = {
        "Basics": {
            "Model": "RCTL MegaRAID 9999",
            "Serial Number": f"RC00{number}",
            "PCI Address": f"00:0{number + 1}:00:00",
        },
        "Version": {"Firmware Version": "4.100.00-0001", "Driver Name": "megaraid_sas"},
        "Status": {"Controller Status": "Optimal", "BBU Status": 0},
        "HwCfg": {"BBU": "Absent" if battery is None else "Present", "On Board Memory Size": memory},
        "VD LIST": [row(letters)],
        "PD LIST": [drive_row("252:0"), drive_row("252:1")],
    }
    if battery is not None:
        data["Cachevault_Info"] = [{"Model": "CVPM05", "State": battery, "Temp": "28C"}]
    return data


def row(letters: str) -> Json:
    """A row of the list of virtual drives."""
    return {"DG/VD": "0/0", "TYPE": "RAID1", "State": "Optl", "Access": "RW", "Cache": letters, "Size": "100.000 GB"}


def drive_row(place: str, state: str = "Onln", group: int | str = 0) -> Json:
    """A row of the list of drives."""
    return {"EID:Slt": place, "DID": 1, "State": state, "DG": group, "Size": "100.000 GB", "Intf": "SAS", "Med": "HDD"}


def properties(setting: str, letters: str, disk_cache: str = "Disabled") -> Json:
    """``/c0/v0 show all``."""
    inner = {"Write Cache(initial setting)": setting, "Disk Cache Policy": disk_cache}
    return {"/c0/v0": [row(letters)], "VD0 Properties": inner}


def observation(*texts: str, names: Sequence[str] = ()) -> Observation:
    """The observation of some outputs of storcli, read together."""
    given = list(names) or [f"output-{number}.json" for number in range(len(texts))]
    return read([Document(name, "storcli", text) for name, text in zip(given, texts, strict=True)])


def controller_of(*texts: str) -> Controller:
    """The only controller of some outputs."""
    (found,) = observation(*texts).controllers
    return found


def volume(*texts: str) -> Volume:
    """The only volume of some outputs."""
    (found,) = controller_of(*texts).volumes
    return found


def cache(*texts: str) -> VolumeCache:
    """The cache of the only volume."""
    found = volume(*texts).cache
    assert found is not None
    return found


def bus(*controllers: str, root: bool | None = True) -> HostView:
    """A machine with controllers given as ``driver vendor:device subvendor``."""
    return HostView(root=root, pci=tuple(_function(number, text) for number, text in enumerate(controllers)))


def _function(number: int, text: str) -> PciDevice:
    driver, ids, *more = text.split()
    vendor, device = (int(part, 16) for part in ids.split(":"))
    return PciDevice(
        address=f"0000:0{number + 1}:00.0",
        pci_class=0x010400,
        vendor_id=vendor,
        device_id=device,
        subvendor_id=int(more[0], 16) if more else None,
        driver=None if driver == "-" else driver,
    )


def ran(out: str = "", *, code: int = 0, err: str = "") -> RunAnswer:
    """The reply of a tool that ended normally."""
    return RunAnswer(code=code, out=out.encode(), err=err.encode())


CRASH = RunAnswer(code=-4, err=b"Illegal instruction\n")
HANG = RunAnswer(trouble=Failure.TIMEOUT)
NO_CONTROLLER = ran(printed(answer(None, None)), code=1)


@dataclass
class Script:
    """A runner with some tools and some replies; it records the requests."""

    tools: Sequence[str]
    answers: Mapping[str, RunAnswer] = field(default_factory=dict)
    asked: list[Run] = field(default_factory=list)

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Reply to each request from the script; any other is unrecorded."""
        return [self._answer(request) for request in requests]

    def _answer(self, request: Request[Any]) -> Answer:
        if isinstance(request, Which):
            known = request.name in self.tools
            return WhichAnswer(
                path=f"/usr/sbin/{request.name}" if known else None, trouble=None if known else Failure.MISSING
            )
        assert isinstance(request, Run)
        self.asked.append(request)
        return self.answers.get(" ".join(request.argv), RunAnswer(trouble=Failure.UNRECORDED))

    @property
    def calls(self) -> list[str]:
        """The command lines that were run, without the options that all have."""
        return [" ".join(request.argv).removesuffix(f" {TAIL}").removesuffix(" -NoLog") for request in self.asked]


def seen(script: Script, host: HostView | None = None) -> Observation:
    """The observation of the dialogue with a scripted machine."""
    return converse(observe(host or HostView()), script)


def whole(tool: str, *numbers: int) -> dict[str, RunAnswer]:
    """The replies of a tool for controllers with one mirror each."""
    numbers = numbers or (0,)
    empty = ran(printed(*(answer({"note": "nothing more"}, number) for number in numbers)))
    found = {f"{tool} /call show all {TAIL}": ran(printed(*(answer(basics(number), number) for number in numbers)))}
    return found | {f"{tool} /call{path} show all {TAIL}": empty for path in ("/vall", "/eall/sall", "/cv")}
