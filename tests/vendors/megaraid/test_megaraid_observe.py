"""The dialogue: as few calls as possible, and what becomes of calls that fail."""

from __future__ import annotations

from raidctl.request import Failure, RunAnswer
from raidctl.vendor.protocol import Observation
from tests.vendors.megaraid.megaraid_scripts import (
    CRASH,
    HANG,
    NOBODY,
    TAIL,
    Script,
    answer,
    basics,
    bus,
    disk,
    printed,
    ran,
    seen,
    whole,
)

CARD = "megaraid_sas 1000:005b"
MORE = ran(printed(answer({"note": "nothing more"})))


def test_without_a_tool_nothing_is_asked_and_nothing_is_said() -> None:
    """Cards without a tool are somebody else's business."""
    script = Script([])
    assert seen(script, bus(CARD)) == Observation()
    assert script.asked == []


def test_five_calls_tell_all() -> None:
    """The cards, the volumes, the drives, the battery that the card named, and whether it reads its drives."""
    script = Script(["storcli64"], whole("storcli64"))
    found = seen(script, bus(CARD))
    assert [card.id for card in found.controllers] == ["megaraid:0"]
    paths = ("/call", "/call/vall", "/call/eall/sall", "/call/cv")
    assert script.calls == [*(f"storcli64 {path} show all" for path in paths), "storcli64 /call show patrolread"]
    assert {(request.lock, request.timeout) for request in script.asked} == {("megaraid", 120.0)}
    assert found.problems == ()


def test_a_bare_card_takes_one_call() -> None:
    """No volumes, no drives, no battery: there is nothing more to ask."""
    bare = printed(answer({"Basics": {"Model": "RCTL 1"}, "HwCfg": {"BBU": "Absent"}}))
    script = Script(["storcli64"], {f"storcli64 /call show all {TAIL}": ran(bare)})
    seen(script, bus(CARD))
    assert script.calls == ["storcli64 /call show all"]


def test_drives_without_an_enclosure_are_asked_by_their_own_path() -> None:
    """``/call/sall`` is asked in place of ``/call/eall/sall``."""
    data = basics(battery=None) | {"PD LIST": [disk(" :3")], "VD LIST": []}
    script = Script(
        ["storcli64"],
        {f"storcli64 /call show all {TAIL}": ran(printed(answer(data))), f"storcli64 /call/sall show all {TAIL}": MORE},
    )
    found = seen(script, bus(CARD))
    assert script.calls == ["storcli64 /call show all", "storcli64 /call/sall show all"]
    assert [drive.id for drive in found.controllers[0].drives] == ["megaraid:0/:3"]


def test_a_rebuild_is_asked_for_its_progress() -> None:
    """And the volume that waits for it shows it."""
    data = basics(battery=None)
    data["PD LIST"] = [disk("252:0"), disk("252:1", "Rbld")]
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
    (volume,) = seen(script, bus(CARD)).controllers[0].volumes
    assert volume.progress is not None
    assert (volume.progress.operation, volume.progress.percent) == ("rebuild", 42.0)


def two_cards(second: RunAnswer) -> Script:
    """Two cards, the second of which spoils the call for all."""
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


def test_a_card_that_crashes_the_tool_is_named_and_the_other_is_shown_in_full() -> None:
    """``Illegal instruction``: each card is asked on its own; the call for all is only a note."""
    script = two_cards(CRASH)
    found = seen(script, bus(CARD, CARD))
    assert [(card.id, len(card.volumes)) for card in found.controllers] == [("megaraid:0", 1), ("megaraid:1", 0)]
    (failed,) = [problem for problem in found.problems if problem.kind == "unread"]
    assert "Controller 1" in failed.message
    assert "Illegal instruction" in failed.message
    assert "storcli64 /c1/vall show all" not in script.calls


def test_a_card_that_hangs_is_treated_alike() -> None:
    """The time limit ends the call; the other card is shown."""
    found = seen(two_cards(HANG), bus(CARD, CARD))
    assert [(card.id, len(card.volumes)) for card in found.controllers] == [("megaraid:0", 1), ("megaraid:1", 0)]
    assert any("Controller 1" in problem.message and "120 seconds" in problem.message for problem in found.problems)


def test_json_that_is_cut_off_is_asked_again_card_by_card() -> None:
    """Half an answer is no answer."""
    text = printed(answer(basics()), answer(basics(1), 1))
    found = seen(two_cards(ran(text[: len(text) - 120])), bus(CARD, CARD))
    assert [len(card.volumes) for card in found.controllers][:1] == [1]
    assert any("Controller 1" in problem.message for problem in found.problems if problem.kind == "unread")


def test_a_failure_with_exit_code_46_and_complete_data_is_an_answer() -> None:
    """The exit code is the firmware's, not the verdict."""
    answers = whole("storcli64")
    first = f"storcli64 /call show all {TAIL}"
    answers[first] = ran(answers[first].out.decode(), code=46)
    script = Script(["storcli64"], answers)
    assert len(seen(script, bus(CARD)).controllers) == 1
    assert len(script.calls) == 5


def test_without_root_the_right_is_missing_not_the_card() -> None:
    """A tool that may not look says that there is no controller."""
    script = Script(["storcli64", "perccli64"], {f"storcli64 /call show all {TAIL}": NOBODY})
    found = seen(script, bus(CARD, root=False))
    assert [problem.kind for problem in found.problems] == ["no_right"]
    assert len(script.asked) == 1


def test_a_tool_that_does_not_start_is_told() -> None:
    """With the reason, and nothing breaks."""
    script = Script(["storcli64"], {f"storcli64 /call show all {TAIL}": RunAnswer(trouble=Failure.DENIED)})
    assert [problem.kind for problem in seen(script, bus(CARD)).problems] == ["no_right"]


def test_megacli_is_asked_only_for_what_the_card_has() -> None:
    """No battery, and as many drives as the volumes name: two calls."""
    info = "\nAdapter #0\n\nProduct Name    : RCTL 5/i\nSerial No       : RC1\nBBU  : Absent\n  Disks           : 0 \n"
    script = Script(
        ["MegaCli64"],
        {
            "MegaCli64 -AdpAllInfo -aALL -NoLog": ran(f"{info}\nExit Code: 0x00\n"),
            "MegaCli64 -LdPdInfo -aALL -NoLog": ran("\nAdapter 0 -- Virtual Drive Information:\n\nExit Code: 0x00\n"),
        },
    )
    found = seen(script, bus("megaraid_sas 1028:0015 1028"))
    assert [card.model for card in found.controllers] == ["RCTL 5/i"]
    assert script.calls == ["MegaCli64 -AdpAllInfo -aALL", "MegaCli64 -LdPdInfo -aALL"]
