"""Which of several installed tools are run, and which must not be."""

from __future__ import annotations

import pytest

from tests.vendors.megaraid.megaraid_scripted_tools import NO_CONTROLLER, TAIL, Script, bus, ran, seen, whole

OLD = "megaraid_sas 1000:005b"
AERO = "megaraid_sas 1000:10e2"
DELL = "megaraid_sas 1000:005d 1028"
MPI3 = "mpi3mr 1000:00a5"


def test_a_second_tool_is_not_run_if_the_first_reports_all() -> None:
    """A second tool is not run if the first reports every controller. A note names it."""
    script = Script(["storcli64", "storcli", "MegaCli64"], whole("storcli64"))
    found = seen(script, bus(OLD))
    assert {call.split()[0] for call in script.calls} == {"storcli64"}
    (note,) = found.problems
    assert note.kind == "note"
    assert "MegaCli64" in note.message
    assert "not run, because storcli64 reported every controller" in note.message


@pytest.mark.parametrize("device", range(0x10E0, 0x10E8))
def test_megacli_is_never_run_beside_a_controller_that_it_freezes(device: int) -> None:
    """MegaCli is not run, even as the only tool. The same holds for an older controller."""
    script = Script(["MegaCli64", "megacli"])
    found = seen(script, bus(f"megaraid_sas 1000:{device:x}", OLD))
    assert script.asked == []
    assert found.controllers == ()
    assert [(problem.kind, "were not run" in problem.message) for problem in found.problems] == [("no_tool", True)]


def test_an_unbound_controller_that_megacli_freezes_bars_it_too() -> None:
    """MegaCli is not run even if no driver binds such a controller."""
    script = Script(["MegaCli64"])
    seen(script, bus("vfio-pci 1000:10e6", OLD))
    assert script.asked == []


def test_beside_such_a_controller_storcli_is_run() -> None:
    """Storcli is run, and a note explains that MegaCli is not."""
    script = Script(["storcli64", "MegaCli64"], whole("storcli64"))
    found = seen(script, bus(AERO))
    assert len(found.controllers) == 1
    assert {problem.kind for problem in found.problems} == {"note"}


def test_perccli_is_run_first_for_a_dell_controller() -> None:
    """Storcli may not list Dell's controllers."""
    script = Script(["storcli64", "perccli64"], whole("perccli64"))
    seen(script, bus(DELL))
    assert {call.split()[0] for call in script.calls} == {"perccli64"}


def test_the_next_tool_is_run_if_one_lists_no_controller() -> None:
    """``No Controller found`` of the first tool is only a note then."""
    script = Script(
        ["storcli64", "perccli64"], whole("perccli64") | {f"storcli64 /call show all {TAIL}": NO_CONTROLLER}
    )
    found = seen(script, bus("megaraid_sas 1000:005d"))
    assert [controller.id for controller in found.controllers] == ["megaraid:0"]
    assert {problem.kind for problem in found.problems} <= {"note"}


def test_only_storcli2_is_run_for_a_controller_of_mpi3mr() -> None:
    """No other tool supports a controller of mpi3mr."""
    script = Script(["storcli64", "storcli2", "MegaCli64"], whole("storcli2"))
    found = seen(script, bus(MPI3))
    assert {call.split()[0] for call in script.calls} == {"storcli2"}
    assert len(found.controllers) == 1


def test_both_generations_on_one_host_are_both_run() -> None:
    """Both tools count from 0, so the second controller gets another id."""
    second = {key: ran(value.out.decode().replace("RC000", "RC777").replace("00:01:", "00:02:"))
              for key, value in whole("storcli2").items()}  # fmt: skip
    found = seen(Script(["storcli64", "storcli2"], whole("storcli64") | second), bus(OLD, MPI3))
    assert [controller.id for controller in found.controllers] == ["megaraid:0", "megaraid:0-2"]


def test_without_a_controller_there_are_only_notes() -> None:
    """A tool on a host without such a controller gives notes only."""
    found = seen(Script(["storcli64"], {f"storcli64 /call show all {TAIL}": NO_CONTROLLER}), bus("ahci 8086:a102"))
    assert found.controllers == ()
    assert {problem.severity for problem in found.problems} == {"info"}


def test_no_tool_is_run_for_a_parallel_scsi_controller() -> None:
    """No tool supports it, and a problem reports that."""
    script = Script(["MegaCli64"])
    found = seen(script, bus("megaraid_mbox 1000:0408"))
    assert script.asked == []
    assert "No supported tool reads the old controller" in found.problems[0].message
