"""The dialogue: as few calls as possible, and handling of failed calls."""

from __future__ import annotations

from raidctl.request import Failure, RunAnswer
from raidctl.vendor.protocol import Observation
from tests.vendors.megaraid.megaraid_scripted_tools import (
    CRASH,
    HANG,
    NO_CONTROLLER,
    TAIL,
    Script,
    answer,
    basics,
    bus,
    drive_row,
    printed,
    ran,
    seen,
    whole,
)

CONTROLLER = "megaraid_sas 1000:005b"
MORE = ran(printed(answer({"note": "nothing more"})))


def test_without_a_tool_there_is_no_call_and_no_problem() -> None:
    """Controllers without a tool are reported elsewhere."""
    script = Script([])
    assert seen(script, bus(CONTROLLER)) == Observation()
    assert script.asked == []


def test_five_calls_report_all() -> None:
    """Controllers, volumes, drives, battery and patrol read take one call each."""
    script = Script(["storcli64"], whole("storcli64"))
    found = seen(script, bus(CONTROLLER))
    assert [controller.id for controller in found.controllers] == ["megaraid:0"]
    paths = ("/call", "/call/vall", "/call/eall/sall", "/call/cv")
    assert script.calls == [*(f"storcli64 {path} show all" for path in paths), "storcli64 /call show patrolread"]
    assert {(request.lock, request.timeout) for request in script.asked} == {("megaraid", 120.0)}
    assert found.problems == ()


def test_a_bare_controller_takes_one_call() -> None:
    """Without volumes, drives and a battery, one call is enough."""
    bare = printed(answer({"Basics": {"Model": "RCTL 1"}, "HwCfg": {"BBU": "Absent"}}))
    script = Script(["storcli64"], {f"storcli64 /call show all {TAIL}": ran(bare)})
    seen(script, bus(CONTROLLER))
    assert script.calls == ["storcli64 /call show all"]


def test_drives_without_an_enclosure_have_their_own_path() -> None:
    """``/call/sall`` is run instead of ``/call/eall/sall``."""
    data = basics(battery=None) | {"PD LIST": [drive_row(" :3")], "VD LIST": []}
    script = Script(
        ["storcli64"],
        {f"storcli64 /call show all {TAIL}": ran(printed(answer(data))), f"storcli64 /call/sall show all {TAIL}": MORE},
    )
    found = seen(script, bus(CONTROLLER))
    assert script.calls == ["storcli64 /call show all", "storcli64 /call/sall show all"]
    assert [drive.id for drive in found.controllers[0].drives] == ["megaraid:0/:3"]


def test_the_progress_of_a_rebuild_is_requested() -> None:
    """The volume of a drive in a rebuild has its progress."""
    data = basics(battery=None)
    data["PD LIST"] = [drive_row("252:0"), drive_row("252:1", "Rbld")]
    row = {"Drive-ID": "/c0/e252/s1", "Progress%": 42, "Status": "In progress", "Estimated Time Left": "5 Minutes"}
    script = Script(
        ["storcli64"],
        {
            f"storcli64 /call show all {TAIL}": ran(printed(answer(data))),
            f"storcli64 /call/vall show all {TAIL}": MORE,
            f"storcli64 /call/eall/sall show all {TAIL}": MORE,
            f"storcli64 /call/eall/sall show rebuild {TAIL}": ran(
                '{"Controllers":[{"Command Status":{"Controller":0,"Status":"Success",'
                '"Description":"Show Drive Rebuild Status Succeeded."},"Response Data":['
                + str(row).replace("'", '"')
                + "]}]}"
            ),
        },
    )
    (volume,) = seen(script, bus(CONTROLLER)).controllers[0].volumes
    assert volume.progress is not None
    assert (volume.progress.operation, volume.progress.percent) == ("rebuild", 42.0)


def two_controllers(second: RunAnswer) -> Script:
    """Two controllers; the call for the second fails with a reply, and so does the call for all."""
    overview = {"System Overview": [{"Ctl": n, "Model": f"RCTL{n}", "Hlth": "Opt"} for n in (0, 1)]}
    answers = {
        f"storcli64 /call show all {TAIL}": second,
        f"storcli64 show {TAIL}": ran(printed(answer(overview, None))),
        f"storcli64 /c0 show all {TAIL}": ran(printed(answer(basics()))),
        f"storcli64 /c1 show all {TAIL}": second,
    }
    return Script(
        ["storcli64"], answers | {f"storcli64 /c0{p} show all {TAIL}": MORE for p in ("/vall", "/eall/sall", "/cv")}
    )


def test_a_controller_that_crashes_the_tool_does_not_hide_the_other() -> None:
    """After ``Illegal instruction`` each controller is read separately. The bad one is reported."""
    script = two_controllers(CRASH)
    found = seen(script, bus(CONTROLLER, CONTROLLER))
    assert [(controller.id, len(controller.volumes)) for controller in found.controllers] == [
        ("megaraid:0", 1),
        ("megaraid:1", 0),
    ]
    (failed,) = [problem for problem in found.problems if problem.kind == "unread"]
    assert "Controller 1" in failed.message
    assert "Illegal instruction" in failed.message
    assert "storcli64 /c1/vall show all" not in script.calls


def test_a_controller_that_hangs_does_not_hide_the_other() -> None:
    """The time limit ends the call, and the other controller is read."""
    found = seen(two_controllers(HANG), bus(CONTROLLER, CONTROLLER))
    assert [(controller.id, len(controller.volumes)) for controller in found.controllers] == [
        ("megaraid:0", 1),
        ("megaraid:1", 0),
    ]
    assert any("Controller 1" in problem.message and "120 seconds" in problem.message for problem in found.problems)


def test_truncated_json_is_read_again_by_controller() -> None:
    """After truncated JSON each controller is read on its own."""
    text = printed(answer(basics()), answer(basics(1), 1))
    found = seen(two_controllers(ran(text[: len(text) - 120])), bus(CONTROLLER, CONTROLLER))
    assert [len(controller.volumes) for controller in found.controllers][:1] == [1]
    assert any("Controller 1" in problem.message for problem in found.problems if problem.kind == "unread")


def test_a_failure_with_exit_code_46_and_complete_data_is_an_answer() -> None:
    """Complete data counts, whatever the exit code of the firmware."""
    answers = whole("storcli64")
    first = f"storcli64 /call show all {TAIL}"
    answers[first] = ran(answers[first].out.decode(), code=46)
    script = Script(["storcli64"], answers)
    assert len(seen(script, bus(CONTROLLER)).controllers) == 1
    assert len(script.calls) == 5


def test_without_root_the_permission_is_missing_not_the_controller() -> None:
    """Without root the tool reports no controller. The problem is the missing permission."""
    script = Script(["storcli64", "perccli64"], {f"storcli64 /call show all {TAIL}": NO_CONTROLLER})
    found = seen(script, bus(CONTROLLER, root=False))
    assert [problem.kind for problem in found.problems] == ["no_right"]
    assert len(script.asked) == 1


def test_a_tool_that_does_not_start_is_reported() -> None:
    """A tool that cannot be executed is a problem."""
    script = Script(["storcli64"], {f"storcli64 /call show all {TAIL}": RunAnswer(trouble=Failure.DENIED)})
    assert [problem.kind for problem in seen(script, bus(CONTROLLER)).problems] == ["no_right"]
    [note] = seen(script, bus()).problems
    assert (note.kind, "sees no controller" in note.message) == ("note", False), "it was not asked"


def test_megacli_is_run_only_for_present_hardware() -> None:
    """Without a battery and further drives, MegaCli takes two calls."""
    info = "\nAdapter #0\n\nProduct Name    : RCTL 5/i\nSerial No       : RC1\nBBU  : Absent\n  Disks           : 0 \n"
    script = Script(
        ["MegaCli64"],
        {
            "MegaCli64 -AdpAllInfo -aALL -NoLog": ran(f"{info}\nExit Code: 0x00\n"),
            "MegaCli64 -LdPdInfo -aALL -NoLog": ran("\nAdapter 0 -- Virtual Drive Information:\n\nExit Code: 0x00\n"),
        },
    )
    found = seen(script, bus("megaraid_sas 1028:0015 1028"))
    assert [controller.model for controller in found.controllers] == ["RCTL 5/i"]
    assert script.calls == ["MegaCli64 -AdpAllInfo -aALL", "MegaCli64 -LdPdInfo -aALL"]
