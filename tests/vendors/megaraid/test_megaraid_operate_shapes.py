"""What holds for every planned command on every recorded controller. What the replies mean is tested too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import pytest
from msgspec.structs import replace

from raidctl.change.expectations import known_words
from raidctl.host import HostView
from raidctl.model import Controller, Tool
from raidctl.request import RunAnswer
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Action, Step, Verb
from raidctl.vendor.shapes import FORCING, outside
from raidctl_megaraid import operate
from raidctl_megaraid.operate import VERBS, abilities, judge, may_interfere, plan_deeds
from tests.golden import of_file
from tests.operate.removal_machines import COLLECTION, machines
from tests.vendors.megaraid.megaraid_deeds import everything

TOOLS = ("storcli64", "perccli64", "MegaCli64")


def seen() -> Iterator[tuple[str, Survey]]:
    """All recorded machines and demos. A part of the collection of outputs is added if it exists."""
    yield from machines()
    folders = ("storcli_json", "storcli_text", "megacli")
    paths = sorted(path for name in folders for path in (COLLECTION / name).glob("*")) if COLLECTION.is_dir() else []
    for path in paths[::5]:
        yield path.name, of_file(str(path))


def planned(survey: Survey) -> Iterator[tuple[Step, Survey, Controller]]:
    """All steps planned on a machine. Each tool that could have reported its controllers is used."""
    for controller in survey.inventory.controllers:
        if not controller.id.startswith("megaraid:"):
            continue
        own = [controller.told_by] if controller.told_by else TOOLS
        for name in own:
            tools = [Tool(name=name, path=f"/opt/x/{name}")]
            for step in plan_deeds(controller, list(everything(controller)), tools, survey.view).steps:
                yield step, survey, controller


@pytest.mark.slow
def test_every_command_is_in_the_table_and_names_only_what_was_read() -> None:
    """No command or undo has a force option or acts on all. Each has subjects and expectations."""
    count = 0
    for name, survey in seen():
        for step, machine, controller in planned(survey):
            count += 1
            known = known_words(machine.inventory, machine.view)
            for action in (step.action, *(saved.action for saved in step.saves)):
                assert not any(FORCING.fullmatch(word) for word in action.argv), (name, action)
            assert outside(step.action, operate.SHAPES, known) is None, (name, step.action)
            # the row of a place is reported once it is free, so its number counts as read
            free = known | {str(number) for number in range(64)}
            assert step.undo.empty or outside(step.undo, operate.SHAPES, free) is None, (name, step.undo)
            assert step.expects, (name, step)
            assert step.subjects, (name, step)
            assert all(one.unique for one in step.subjects), (name, step)
            assert step.object_id.startswith(controller.id)
            assert step.kind == "deed"
            assert step.undo.empty == bool(step.no_way_back) == (step.way_back == "none"), (name, step)
            assert bool(step.undo_expects) != step.undo.empty, (name, step)
            assert step.action.timeout == 60.0
            assert step.action.lock == "megaraid"
    assert count > 100


def test_shapes_of_the_second_generation_are_of_single_drives() -> None:
    """Commands of storcli2 and perccli2 act on one drive. Their help explains no more."""
    own = [shape for shape in operate.SHAPES if shape[0] in ("storcli2", "perccli2")]
    assert {shape[1] for shape in own} == {"/c{}/e{}/s{}", "/c{}/s{}"}
    assert not any("jbod" in shape and "del" in shape for shape in own)


def test_no_shape_forces_anything() -> None:
    """No command in the table forces, acts on all, or deletes volumes."""
    bad = ("force", "all", "-Force", "fall", "vd", "config", "-CfgClr", "-CfgLdDel", "init")
    for shape in operate.SHAPES:
        assert not any(FORCING.fullmatch(word) for word in shape), shape
        assert not set(bad) & set(shape), shape
        assert "-aALL" not in shape
        assert "delete" not in shape or {"hotsparedrive", "preservedcache", "/c{}/fall"} & set(shape)


@pytest.mark.parametrize(
    "argv",
    [
        ("storcli64", "/c0/e252/s1", "set", "good", "force", "nolog", "J"),
        ("storcli64", "/c0/eall/sall", "set", "offline", "nolog", "J"),
        ("storcli64", "/c0/e252/s9", "set", "offline", "nolog", "J"),
        ("storcli64", "/c7/e252/s1", "set", "offline", "nolog", "J"),
        ("storcli64", "/c0/v0", "del", "nolog", "J"),
        ("storcli64", "/c0/e252/s1", "start", "erase", "simple", "nolog", "J"),
        ("storcli2", "/c0/e252/s1", "del", "jbod", "nolog", "J"),
        ("storcli2", "/c0/v0", "start", "cc", "nolog", "J"),
        ("MegaCli64", "-PDMakeGood", "-PhysDrv[252:1]", "-Force", "-a0", "-NoLog"),
        ("MegaCli64", "-PDOffline", "-PhysDrv[252:1,252:0]", "-a0", "-NoLog"),
        ("MegaCli64", "-PDOffline", "-PhysDrv[252:1]", "-aALL", "-NoLog"),
        ("sh", "/c0/e252/s1", "set", "offline", "nolog", "J"),
    ],
)
def test_what_is_not_in_the_table_is_not_run(argv: tuple[str, ...]) -> None:
    """Force options, unread drives, other controllers and other tools are rejected."""
    known = {"0", "252", "1", "252:1", "megaraid:0/252:1", "v0"}
    assert (
        outside(Action(argv=("storcli64", "/c0/e252/s1", "set", "offline", "nolog", "J")), operate.SHAPES, known)
        is None
    )
    assert outside(Action(argv=argv), operate.SHAPES, known) is not None


@pytest.mark.parametrize(
    ("tool", "why"),
    [("raidctl-mfi", "raidctl-mfi"), (None, "unknown")],
)
def test_tools_without_deeds_refuse_each_with_the_reason(tool: str | None, why: str) -> None:
    """raidctl-mfi and an unknown tool give no step, and a reason."""
    controller = next(
        controller for _, survey in machines() for controller in survey.inventory.controllers
        if controller.id.startswith("megaraid:") and controller.volumes
        and controller.told_by in ("storcli64", "perccli64")
    )  # fmt: skip
    tools = [Tool(name=tool, path="/x")] if tool else []
    plan = plan_deeds(replace(controller, told_by=tool), list(everything(controller)), tools, HostView())
    assert not plan.steps
    assert {why in denial.reason for denial in plan.denials} == {True}
    able = abilities(replace(controller, told_by=tool), tools)
    assert set(able) == set(VERBS)
    assert not any(one.can for one in able.values())


@pytest.mark.slow
def test_each_verb_without_an_ability_has_a_reason() -> None:
    """Every verb that a tool cannot carry out has its reason."""
    assert set(VERBS) <= set(get_args(Verb))
    for _, survey in machines():
        for controller in survey.inventory.controllers:
            if controller.id.startswith("megaraid:") and controller.told_by:
                for verb, one in abilities(controller, [Tool(name=controller.told_by, path="/x")]).items():
                    assert one.can or one.why_not, verb
                    assert not (one.can and one.printed), verb
                    assert one.can is (one.proof != "none"), verb


# --- the tools' replies

_STORCLI = Action(argv=("storcli64", "/c0/e251/s6", "set", "jbod", "nolog", "J"))
_MEGACLI = Action(argv=("MegaCli64", "-PDOffline", "-PhysDrv[6:1]", "-a0", "-NoLog"))
_REPLY = (
    '{{"Controllers":[{{"Command Status":{{"CLI Version":"007.1616","Controller":0,"Status":"{}","Description":"{}"'
    '{}}}}}]}}'
)  # fmt: skip
_STATE = "device state doesn't support requested command"
_ROW = ',"Detailed Status":[{{"Drive":"/c0/e251/s6","Status":"Failure","ErrCd":{},"ErrMsg":"{}"}}]'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (_REPLY.format("Success", "Set Drive Offline Succeeded.", ""), None),
        (_REPLY.format("Success", "Spin Down Drive Succeeded.", ""), None),
        (_REPLY.format("Failure", "Set Drive JBOD Failed.", _ROW.format(50, _STATE)),
         f"{_STATE} (error 50): not possible in this state"),
        (_REPLY.format("Failure", "Set Drive Good Failed.", _ROW.format(255, "Operation not allowed.")),
         "Operation not allowed. (error 255)"),
        (_REPLY.format("Failure", "Start CC Operation Failed.", _ROW.format(28, "-")), "a rebuild is under way"),
        (_REPLY.format("Failure", "Start CC Operation Failed.", _ROW.format(63, "-")), "a copyback is under way"),
        ("Status = Failure\nDescription = syntax error, unexpected TOKEN_UNKNOWN\n", "syntax error"),
        ("", "It printed nothing."),
    ],
)  # fmt: skip
def test_replies_of_storcli(text: str, words: str | None) -> None:
    """The reply's rows decide; the firmware's error code gets its meaning."""
    found = judge(_STORCLI, RunAnswer(code=0, out=text.encode()))
    assert (found is None) if words is None else (found is not None and words in found), found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("\nAdapter: 0: EnclId-6 SlotId-1 state changed to OffLine.\n\nExit Code: 0x00\n", None),
        ("Adapter: 0: Missing PD at Array 1, Row 2 is replaced\n\nExit Code: 0x00\n", None),
        ("Started rebuild progress on device(Encl-252 Slot-4)\n\nExit Code: 0x00\n", None),
        ("Prepare for removal Success\n\nExit Code: 0x00\n", None),
        ("\nExit Code: 0x00\n", "nothing but its exit code"),
        ("Adapter: 0: Failed to change PD state.\n\nExit Code: 0x32\n", "not possible in this state"),
        ("Adapter: 0: Failed to change PD state.\n\nExit Code: 0x00\n", "Failed to change"),
        ("Adapter: 0: EnclId-6 SlotId-1 state changed", "without an exit code"),
        ("\nExit Code: 0x3f\n", "a copyback is under way"),
        ("", "It printed nothing."),
    ],
)  # fmt: skip
def test_replies_of_megacli(text: str, words: str | None) -> None:
    """Without a sentence of success, even exit code 0 is a failure."""
    found = judge(_MEGACLI, RunAnswer(code=0, out=text.encode()))
    assert (found is None) if words is None else (found is not None and words in found), found


def test_only_tools_that_may_change_something_may_interfere() -> None:
    """A tool that only reads does not interfere. One that may change something may."""
    for words in (
        "storcli64 /c0 show all J",
        "MegaCli64 -PDList -aALL",
        "perccli64 v",
        "MegaCli -PDRbld -ShowProg",
        "vim x",
    ):
        assert not may_interfere(words.split()), words
    for words in (
        "/opt/MegaRAID/storcli/storcli64 /c0/e252/s1 set offline",
        "MegaCli64 -PDOffline -PhysDrv[1:2] -a0",
        "storcli64",
    ):
        assert may_interfere(words.split()), words
    assert not may_interfere([])
