"""The commands that tw_cli is run with, and how failures are reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidctl.host import HostView
from raidctl.model import ProblemKind
from raidctl.request import Failure, RunAnswer, converse
from raidctl.vendor.protocol import Confidence, Observation
from raidctl_threeware import observe, sniff
from tests.support.scripted_tools import Script, ran
from tests.vendors.threeware.threeware_outputs import (  # fmt: skip
    ALL,
    BATTERY,
    CONTROLLERS,
    DRIVE,
    ENCLOSURE,
    MORE,
    OLD_PORTS,
    PORTS,
    UNIT,
    UNITS,
)

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"
TOOL = {"tw_cli": "/usr/sbin/tw_cli"}
SERIALS = {f"tw_cli /c2/p{port} show serial": ran(f"/c2/p{port} Serial = 5QE0AB{port}C\n") for port in range(5)}
WHOLE = {
    "tw_cli show": ran(CONTROLLERS), "tw_cli /c2 show all": ran(ALL), **SERIALS, "tw_cli /c2/u0 show all": ran(UNIT),
}  # fmt: skip
BAD = ran("Error: (CLI:108) Invalid command or object.\n", code=1)


def seen(script: Script, host: HostView | None = None) -> Observation:
    """The observation of a scripted machine."""
    return converse(observe(host or HostView()), script)


def test_list_controller_units_and_drives_are_one_call_each() -> None:
    """Spares have no StorSave; all calls share one lock and change nothing."""
    script = Script(TOOL, WHOLE)
    found = seen(script)
    assert script.calls == list(WHOLE)
    assert {(request.lock, request.changes) for request in script.asked} == {("threeware", False)}
    assert found.problems == ()
    (volume,) = found.controllers[0].volumes
    assert volume.cache is not None
    assert (volume.cache.write_policy, volume.name) == ("protected_write_back", "store")
    assert [tool.path for tool in found.tools] == ["/usr/sbin/tw_cli"]


def test_controllers_without_storsave_are_not_asked_for_it() -> None:
    """StorSave exists since the 9550SX."""
    old = {name: ran(answer.text.replace("9650SE-8LPML", "8506-8")) for name, answer in WHOLE.items()}
    script = Script(TOOL, old)
    seen(script)
    assert script.calls == ["tw_cli show", "tw_cli /c2 show all", *SERIALS]


def test_a_serial_number_that_is_refused_is_unknown_and_no_error() -> None:
    """Old firmware may refuse the command. A table with serial numbers needs no such command."""
    script = Script(TOOL, {**WHOLE, **dict.fromkeys(SERIALS, BAD)})
    found = seen(script)
    assert [drive.serial for drive in found.controllers[0].drives] == [None] * 5
    assert {problem.kind for problem in found.problems} <= {"note"}
    old = ALL.replace(PORTS, OLD_PORTS)
    script = Script(TOOL, {**WHOLE, "tw_cli /c2 show all": ran(old)})
    assert [drive.serial for drive in seen(script).controllers[0].drives][:2] == ["5QE0AB1C", "5QE0AB7K"]
    assert not [call for call in script.calls if call.endswith("p0 show serial")]


def test_an_old_release_is_asked_with_info() -> None:
    """Refused newer commands are not a problem."""
    script = Script(
        TOOL,
        {
            "tw_cli show": BAD,
            "tw_cli info": ran(CONTROLLERS.replace("9650SE-8LPML", "7506-8")),
            "tw_cli /c2 show all": BAD,
            "tw_cli info c2": ran(UNITS + OLD_PORTS),
        },
    )
    found = seen(script)
    assert script.calls == ["tw_cli show", "tw_cli info", "tw_cli /c2 show all", "tw_cli info c2"]
    assert found.problems == ()
    assert [len(item.drives) for item in found.controllers] == [2]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (RunAnswer(trouble=Failure.DENIED), "no_right"),
        (RunAnswer(trouble=Failure.MISSING), "no_tool"),
        (RunAnswer(trouble=Failure.TIMEOUT), "unread"),
        (RunAnswer(trouble=Failure.FLOOD, out=b"y\n" * 1000), "unread"),
        (BAD, "unread"),
        (ran("", code=0), "unread"),
        (ran("Segmentation fault\n", code=139), "unread"),
        (ran("No controller found.\n", code=0), "note"),
    ],
)
def test_a_failure_is_a_problem(answer: RunAnswer, kind: ProblemKind) -> None:
    """An error has a remedy, and the exit code is ignored."""
    found = seen(Script(TOOL, {"tw_cli show": answer, "tw_cli info": answer}))
    assert found.controllers == ()
    assert kind in {problem.kind for problem in found.problems}
    assert all(problem.remedy for problem in found.problems if problem.severity == "error")


def test_no_controllers_without_root_is_a_missing_right() -> None:
    """Without root, "No controller found" is a missing right."""
    nothing = ran("No controller found.\n")
    script = Script(TOOL, {"tw_cli show": nothing, "tw_cli info": nothing})
    assert "no_right" in {problem.kind for problem in seen(script, HostView(root=False)).problems}


def test_a_controller_that_cannot_be_read_is_listed() -> None:
    """The controller is shown from the list, with the failure."""
    found = seen(
        Script(TOOL, {"tw_cli show": ran(CONTROLLERS), "tw_cli /c2 show all": RunAnswer(trouble=Failure.TIMEOUT)})
    )
    assert [item.model for item in found.controllers] == ["9650SE-8LPML"]
    assert "unread" in {problem.kind for problem in found.problems}


@pytest.mark.parametrize(
    ("text", "command"),
    [
        (CONTROLLERS, "tw_cli show"),
        (ALL, "tw_cli /cX show all"),
        (UNITS, "tw_cli /cX show unitstatus"),
        (PORTS, "tw_cli /cX show drivestatus"),
        (OLD_PORTS, "tw_cli /cX show drivestatus"),
        (UNITS + OLD_PORTS, "tw_cli /cX show"),
        (BATTERY, "tw_cli /cX/bbu show"),
        (UNIT, "tw_cli /cX show all"),
        (DRIVE, "tw_cli /cX show all"),
        (ENCLOSURE, "tw_cli /cX/eX show all"),
        (MORE, "tw_cli /cX show alarms"),
    ],
)
def test_outputs_are_recognised(text: str, command: str) -> None:
    """Outputs are recognised by their content alone."""
    found = sniff("output.txt", "\n\n" + text.replace("\n", "\r\n"))
    assert found is not None
    if text is not MORE:
        assert (found.command, found.confidence is Confidence.SURE) == (command, True)


@pytest.mark.parametrize("text", ["", "Hello\n", "Port Status\n80 open\n", "Name = x\nUnit = y\n", "u0 p0\n", "----\n"])
def test_other_texts_are_not_claimed(text: str) -> None:
    """Headings and labels that any tool prints are not enough."""
    assert sniff("tw_cli.txt", text) is None
