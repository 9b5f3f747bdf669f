"""Which of HP's tools is run, with which commands, and what fails."""

from __future__ import annotations

import pytest

from raidctl.host import HostView, PciDevice
from raidctl.model import ProblemKind
from raidctl.request import Failure, RunAnswer, converse
from raidctl.vendor.protocol import Observation
from raidctl_smartarray import observe
from tests.support.machines import FIXTURES
from tests.support.scripted_tools import Script, ran
from tests.vendors.smartarray.smartarray_outputs import CONTROLLER

ALL = "ctrl all show config detail"
SECOND = """
Smart Array P410 in Slot 3
   Serial Number: PACCR0X
   Controller Status: OK
"""


def bus(*drivers: str) -> HostView:
    """A machine with one controller per driver."""
    return HostView(
        root=True,
        pci=tuple(
            PciDevice(address=f"0000:0{number}:00.0", pci_class=0x010400, vendor_id=0x103C, device_id=1, driver=driver)
            for number, driver in enumerate(drivers)
        ),
    )


def seen(script: Script, host: HostView | None = None) -> Observation:
    """The observation of a scripted machine."""
    return converse(observe(host or HostView()), script)


def test_one_call_is_enough_if_it_is_complete() -> None:
    """One complete call is enough. The call has the family's lock and a time limit, and skips storage networks."""
    script = Script({"ssacli": "/usr/sbin/ssacli"}, {f"ssacli {ALL}": ran(CONTROLLER)})
    found = seen(script, bus("hpsa"))
    assert [controller.id for controller in found.controllers] == ["smartarray:0"]
    assert [(tool.name, tool.path) for tool in found.tools] == [("ssacli", "/usr/sbin/ssacli")]
    (request,) = script.asked
    assert (request.lock, request.timeout) == ("smartarray", 120.0)
    assert request.environment == (("INFOMGR_BYPASS_NONSA", "1"),)
    assert found.problems == ()


def test_a_tool_off_the_path_is_called_by_its_path() -> None:
    """Two names of one executable are one tool."""
    path = "/opt/smartstorageadmin/ssacli/bin/ssacli"
    script = Script({"ssacli": path, "hpssacli": path}, {f"{path} {ALL}": ran(CONTROLLER)})
    assert len(seen(script).controllers) == 1
    assert script.calls == [f"{path} {ALL}"]


def test_several_tools_report_their_controllers() -> None:
    """Each controller is shown once. A note names the tool that reports most."""
    script = Script(
        {"ssacli": "/usr/sbin/ssacli", "hpacucli": "/usr/sbin/hpacucli"},
        {
            f"ssacli {ALL}": ran(CONTROLLER),
            f"hpacucli {ALL}": ran(SECOND + "\nSmart Array P420i in Slot 0 (Embedded)\n   Controller Status: OK\n"),
        },
    )
    found = seen(script)
    assert sorted(controller.id for controller in found.controllers) == ["smartarray:0", "smartarray:3"]
    (note,) = found.problems
    assert (note.kind, note.where) == ("note", "smartarray:0")
    assert "the data shown is from ssacli" in note.message
    assert [line.text for output in found.outputs for line in output.unparsed()] == []
    facts = [fact for output in found.outputs for fact in output.facts if fact.command.startswith("hpacucli")]
    assert {fact.object_id for fact in facts} == {"smartarray:3"}


_FULL = (FIXTURES / "redfish-beside-hpssacli" / "hpssacli-ctrl-all-show-config-detail.out").read_text()
_WORD = "Wobbling"


@pytest.mark.parametrize(
    ("line", "bad", "status"),
    [
        ("Controller Status: OK", _WORD, "unknown"),
        ("Cache Status: OK", "Permanently Disabled", "critical"),
        ("Cache Status: OK", _WORD, "unknown"),
        ("Battery/Capacitor Status: OK", "Failed (Replace Capacitors)", "failed"),
        ("Battery/Capacitor Status: OK", _WORD, "unknown"),
    ],
)
def test_what_only_the_tool_that_is_not_shown_reports_as_bad_counts(line: str, bad: str, status: str) -> None:
    """A failed cache or battery, and a state that is not recognised, are shown, with the doubt which tool is right."""
    fewer = "".join(one for one in _FULL.splitlines(keepends=True) if "Temperature" not in one)
    assert line in fewer
    tools = {"ssacli": "/usr/sbin/ssacli", "hpssacli": "/usr/sbin/hpssacli"}
    for less, states in ((fewer, {"ok"}), (fewer.replace(line, line.replace("OK", bad)), {"ok", status})):
        found = seen(Script(tools, {f"ssacli {ALL}": ran(_FULL), f"hpssacli {ALL}": ran(less)}))
        [controller] = found.controllers
        assert any("the data shown is from ssacli" in one.message for one in found.problems)
        assert controller.cache is not None
        assert {controller.status, controller.cache.status, controller.batteries[0].status} == states
        doubts = [one for one in found.problems if one.kind == "unread" and "disagree on the state" in one.message]
        assert len(doubts) == len(states) - 1


@pytest.mark.parametrize(
    "answer",
    [
        RunAnswer(trouble=Failure.TIMEOUT, detail="120 s"),
        ran('Error: Syntax error at "detail"\n', code=1),
        ran("", code=139),
    ],
    ids=["timeout", "syntax", "crash"],
)
def test_if_the_one_call_fails_each_controller_is_asked(answer: RunAnswer) -> None:
    """If the one call fails, each controller is queried.

    Two calls per machine and one per controller follow; the failure becomes a note.
    """
    script = Script(
        {"ssacli": "/usr/sbin/ssacli"},
        {
            f"ssacli {ALL}": answer,
            "ssacli ctrl all show": ran(
                "Smart Array P420i in Slot 0 (Embedded)   (sn: 5001438022AB4C10)\n"
                "Smart Array P410 in Slot 3                (sn: PACCR0X)\n"
            ),
            "ssacli ctrl slot=0 show config detail": ran(CONTROLLER),
            "ssacli ctrl slot=3 show config detail": ran(SECOND),
        },
    )
    found = seen(script)
    assert sorted(controller.id for controller in found.controllers) == ["smartarray:0", "smartarray:3"]
    assert len(script.asked) == 4
    assert {problem.kind for problem in found.problems} <= {"note"}


@pytest.mark.parametrize(
    "answer", [RunAnswer(trouble=Failure.TIMEOUT, detail="120 s"), ran("")], ids=["timeout", "empty"]
)
def test_a_controller_known_only_from_a_list_is_not_read(answer: RunAnswer) -> None:
    """If no call describes a controller that the list names, the failures are errors: its drives are unknown."""
    script = Script(
        {"ssacli": "/usr/sbin/ssacli"},
        {
            f"ssacli {ALL}": answer,
            "ssacli ctrl all show": ran("Smart Array P420i in Slot 0 (Embedded)   (sn: 5001438022AB4C10)\n"),
            "ssacli ctrl slot=0 show config detail": answer,
        },
    )
    found = seen(script, bus("hpsa"))
    assert [controller.id for controller in found.controllers] == ["smartarray:0"]
    assert {(problem.kind, problem.severity) for problem in found.problems} == {("unread", "error")}


def test_an_unreported_controller_on_the_bus_is_asked_for() -> None:
    """Only the controllers that are not yet read are requested."""
    script = Script(
        {"ssacli": "/usr/sbin/ssacli"},
        {
            f"ssacli {ALL}": ran(CONTROLLER),
            "ssacli ctrl all show": ran("Smart Array P420i in Slot 0 (Embedded)\nSmart Array P410 in Slot 3\n"),
            "ssacli ctrl slot=3 show config detail": ran(SECOND),
        },
    )
    found = seen(script, bus("hpsa", "hpsa"))
    assert sorted(controller.id for controller in found.controllers) == ["smartarray:0", "smartarray:3"]
    assert script.calls == [f"ssacli {ALL}", "ssacli ctrl all show", "ssacli ctrl slot=3 show config detail"]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (RunAnswer(trouble=Failure.DENIED), "no_right"),
        (RunAnswer(trouble=Failure.MISSING), "no_tool"),
        (RunAnswer(trouble=Failure.TIMEOUT), "unread"),
        (RunAnswer(trouble=Failure.FLOOD, out=b"y\n" * 1000), "unread"),
        (ran("Error: Another instance of ACU is already running (possibly a service).\n", code=0), "unread"),
        (ran("Error: You need to have administrator rights to continue.\n", code=1), "no_right"),
        (ran("", code=127, err="/usr/sbin/ssacli: 16: /opt/hp/bld/ssacli: not found\n"), "unread"),
        (ran("", code=0), "unread"),
        (ran("Hallo Welt\n", code=0), "unread"),
    ],
)
def test_a_failing_tool_is_a_problem_with_a_remedy(answer: RunAnswer, kind: ProblemKind) -> None:
    """The kind of problem does not depend on the exit code."""
    script = Script({"ssacli": "/usr/sbin/ssacli"}, {f"ssacli {ALL}": answer, "ssacli ctrl all show": answer})
    found = seen(script)
    assert found.controllers == ()
    assert kind in {problem.kind for problem in found.problems}
    assert all(problem.remedy for problem in found.problems if problem.severity == "error")
    assert len(script.asked) <= 2


def test_no_controllers_without_root_is_a_missing_right() -> None:
    """Without root, "No controllers detected" is a missing right."""
    script = Script(
        {"ssacli": "/usr/sbin/ssacli"}, {f"ssacli {ALL}": ran("\nError: No controllers detected.\n", code=1)}
    )
    assert [problem.kind for problem in seen(script, HostView(root=True)).problems] == ["note"]
    assert [problem.kind for problem in seen(script, HostView(root=False)).problems] == ["no_right"]


def test_a_failing_tool_is_a_note_if_another_reports_the_controllers() -> None:
    """All controllers are shown, so the failure is a note."""
    script = Script(
        {"ssacli": "/usr/sbin/ssacli", "hpacucli": "/usr/sbin/hpacucli"},
        {
            f"ssacli {ALL}": ran(CONTROLLER),
            f"hpacucli {ALL}": ran("Error: The moon is in the wrong quarter.\n", code=1),
        },
    )
    found = seen(script, bus("hpsa"))
    assert len(found.controllers) == 1
    assert {problem.kind for problem in found.problems} == {"note"}


def test_a_controller_without_volumes_is_a_note() -> None:
    """Exit code 1 for missing logical drives is not a problem."""
    script = Script(
        {"ssacli": "/usr/sbin/ssacli"},
        {f"ssacli {ALL}": ran(SECOND + "\nError: The specified device does not have any logical drives.\n", code=1)},
    )
    found = seen(script)
    assert [controller.id for controller in found.controllers] == ["smartarray:3"]
    assert {problem.kind for problem in found.problems} == {"note"}
