"""The commands that cli64 is run with, and failures of single ones."""

from __future__ import annotations

import pytest

from raidctl.host import HostView, PciDevice
from raidctl.model import ProblemKind
from raidctl.request import Failure, RunAnswer, converse
from raidctl.vendor.protocol import Observation
from raidctl_areca import observe
from tests.support.scripted_tools import Script, ran
from tests.vendors.areca.areca_outputs import DISKS, DRIVE, END, SETS, SYS, VOLUME, VOLUMES, config, hardware

TOOL = {"cli64": "/usr/local/bin/cli64"}
WHOLE = {
    "cli64 sys info": ran(SYS),
    "cli64 sys showcfg": ran(config("Disk Write Cache Mode : Disabled")),
    "cli64 adsys info": ran("The Advanced Feature Information\nBuffer Threshold : 25%\n" + END),
    "cli64 hw info": ran(hardware("Battery Status : 100%")),
    "cli64 rsf info": ran(SETS),
    "cli64 vsf info": ran(VOLUMES),
    "cli64 disk info": ran(DISKS.replace("Failed", "Free")),
    "cli64 vsf info vol=1": ran(VOLUME),
    "cli64 vsf info vol=2": ran(END),
} | {f"cli64 disk info drv={n}": ran(DRIVE if n == 2 else END) for n in (1, 2, 10, 11, 12, 13, 14, 15)}


def bus(count: int) -> HostView:
    """A machine with some controllers."""
    return HostView(
        root=True,
        pci=tuple(
            PciDevice(f"0000:0{n}:00.0", pci_class=0x010400, vendor_id=0x17D3, device_id=0x1680, driver="arcmsr")
            for n in range(count)
        ),
    )


def seen(script: Script, host: HostView | None = None) -> Observation:
    """The observation of a scripted machine."""
    return converse(observe(host or HostView()), script)


def test_each_volume_and_drive_is_requested_once() -> None:
    """Empty channels are not requested. All calls share one lock and change nothing."""
    script = Script(TOOL, WHOLE)
    found = seen(script, bus(1))
    (only,) = found.controllers
    assert found.problems == ()
    assert len(script.asked) == 7 + 2 + 8
    assert {(request.lock, request.changes) for request in script.asked} == {("areca", False)}
    assert only.volumes[0].cache is not None
    assert (only.volumes[0].cache.controller_cache, only.batteries[0].status) == ("protected", "ok")
    assert (only.drives[1].serial, only.details["Buffer Threshold"]) == ("WD-WMAUJ0042017", "25%")
    assert [(tool.name, tool.path) for tool in found.tools] == [("cli64", "/usr/local/bin/cli64")]


def test_more_than_one_controller_is_reported() -> None:
    """With two controllers, a problem reports that only the default was read."""
    found = seen(Script(TOOL, WHOLE), bus(2))
    assert [(problem.kind, problem.where) for problem in found.problems] == [("unread", "areca")]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (RunAnswer(trouble=Failure.DENIED), "no_right"),
        (RunAnswer(trouble=Failure.MISSING), "no_tool"),
        (RunAnswer(trouble=Failure.TIMEOUT), "unread"),
        (RunAnswer(trouble=Failure.FLOOD, out=b"y\n" * 1000), "unread"),
        (ran("", code=0), "unread"),
        (ran("GuiErrMsg<0x4d>: Password Required.\n", code=0), "no_right"),
        (ran("Segmentation fault\n", code=139), "unread"),
    ],
)
def test_a_failure_of_the_first_call_is_a_problem(answer: RunAnswer, kind: ProblemKind) -> None:
    """An error has a remedy, and the exit code is ignored."""
    found = seen(Script(TOOL, {"cli64 sys info": answer}))
    assert kind in {problem.kind for problem in found.problems}
    assert all(problem.remedy for problem in found.problems if problem.severity == "error")


def test_an_output_without_its_last_line_may_be_cut_off() -> None:
    """An output without the success line is marked as cut off."""
    found = seen(Script(TOOL, WHOLE | {"cli64 rsf info": ran(SETS.replace(END, ""))}))
    assert [output.command for output in found.outputs if output.cut_off] == ["cli64 rsf info"]
    assert len(found.controllers[0].arrays) == 2


def test_one_call_that_fails_loses_only_its_own_facts() -> None:
    """If one call fails, it is named and the rest is shown."""
    found = seen(Script(TOOL, WHOLE | {"cli64 vsf info": RunAnswer(trouble=Failure.TIMEOUT)}))
    assert len(found.controllers[0].drives) == 8
    assert {problem.where for problem in found.problems} == {"cli64 vsf info"}
