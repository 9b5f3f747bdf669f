"""Commands of storcli2 and perccli2. What their help lists is run, the rest is printed or refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec.structs import replace

from raidctl.host import HostView
from raidctl.model import Array, Controller, Drive, Role, Tool, Volume
from raidctl.request import Answer, Failure, Request, Run, RunAnswer
from raidctl.survey.help_texts import add_help_texts
from raidctl.survey.survey import Survey, survey
from raidctl.vendor.plan import Action, Deed, Plan, Verb
from raidctl_megaraid.operate import VERBS, abilities, plan_deeds
from raidctl_megaraid.operate.help_forms import listed
from tests.vendors.megaraid.megaraid_deeds import CONTROLLER, Bench, everything
from tests.vendors.megaraid.megaraid_demos import VENDORS, run, simulated

PROGRAM = "/opt/MegaRAID/storcli2/storcli2"


class Ready(Bench):
    """The simulated 9660 with the tool's help. The help lists all drive commands of version 7."""

    def __init__(self, place: Path, *, whole: bool = True) -> None:
        super().__init__("9660", place)
        if whole:
            self.machine.keep(self.machine.state() | {"megaraid 0/help": "whole"})

    def read(self) -> Survey:
        """Read the machine and the tool's help."""
        return add_help_texts(survey(self.machine, VENDORS), self.machine, VENDORS)


# --- command forms in a help text


def of_drive(*words: str, path: str = "/c0/e32/s5") -> Action:
    """A command on a drive, as it is run."""
    return Action(argv=(PROGRAM, path, *words, "nolog", "J"))


@pytest.mark.parametrize(
    "form",
    [
        "storcli2 /cx/ex/sx set offline",
        "  storcli2 /cx[/ex]/sx set offline",
        "storcli2 /cx[/ex]/sx set {good|offline|online}",
        "storcli2 /cx/ex/sx set good|offline|online",
        "storcli2 /cx/ex/sx set offline [force]",
        "perccli2 /cx/ex/sx set [state] offline[force][simple|normal]",
        "/opt/MegaRAID/storcli2/storcli2 /Cx/Ex/Sx SET OFFLINE",
    ],
)
def test_a_line_that_requires_the_words_lists_the_command(form: str) -> None:
    """Options may be left out, and one alternative is enough. Case and spaces do not count."""
    assert listed(f"Help\n{form}\nMore\n", of_drive("set", "offline"))


@pytest.mark.parametrize(
    "form",
    [
        "",
        "storcli2 /cx/ex/sx set",
        "storcli2 /cx/ex/sx set online",
        "storcli2 /cx/ex/sx set offline simple",
        "storcli2 /cx/ex/sx set offline type=<a|b>",
        "storcli2 /cx/ex/sx set <state>",
        "storcli2 /cx/ex/sx set [offline",
        "storcli2 /cx/ex/sx set good|",
        "storcli2 /cx/ex/sx set offline takes a drive out of its array.",
        "storcli2 /cx/vx set offline",
        "storcli2 /cx/eall/sall set offline",
        "storcli2 /cx set offline",
        "Use storcli2 /cx/ex/sx set offline",
        "# storcli2 /cx/ex/sx set offline",
        "megacli /cx/ex/sx set offline",
    ],
)
def test_any_other_line_lists_nothing(form: str) -> None:
    """A line with another object or word does not list the command.

    Neither does one with a required value, prose or another tool.
    """
    assert not listed(form, of_drive("set", "offline"))


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("add hotsparedrive [DGs=<N|0,1,2...>] [enclaffinity][nonrevertible]", ("add", "hotsparedrive")),
        ("add hotsparedrive [DGs=<N|0,1,2...>] [enclaffinity][nonrevertible]", ("add", "hotsparedrive", "DGs=1")),
        ("start copyback target=e:s", ("start", "copyback", "target=32:7")),
        ("insert dg=A array=B row=C", ("insert", "dg=0", "array=1", "row=2")),
        ("show|stop|pause|resume rebuild", ("pause", "rebuild")),
        ("set uconf [force]", ("set", "uconf")),
        ("spindown", ("spindown",)),
    ],
)
def test_forms_of_the_commands_that_are_run(form: str, words: tuple[str, ...]) -> None:
    """The forms of version 7 list the commands. They do not list them with further words or other objects."""
    text = f"storcli2 /cx[/ex]/sx {form}"
    assert listed(text, of_drive(*words))
    assert listed(text, of_drive(*words, path="/c0/s5"))
    assert not listed(text.replace("[/ex]", "/ex"), of_drive(*words, path="/c0/s5"))
    assert not listed(text, of_drive(*words, "force", "now"))
    assert not listed(text, of_drive(*words, path="/c0/v5"))


# --- plans


def test_without_its_help_nothing_is_run() -> None:
    """Without the tool's help a command is printed or refused."""
    controller, tools, view = _controller()
    for seen in (view, replace(view, help_texts={PROGRAM: ""}), replace(view, help_texts={"/other": HELP})):
        plan = plan_deeds(controller, list(everything(controller)), tools, seen)
        assert not plan.steps
        assert any(denial.printed for denial in plan.denials)


def test_a_step_runs_only_what_the_help_lists(tmp_path: Path) -> None:
    """With any help line removed, every command and undo is still listed."""
    bench = Ready(tmp_path / "s.json")
    bench.machine.pull("310:1")
    controller, tools = bench.controller(), list(bench.read().inventory.tools)
    whole = bench.read().view.help_texts[PROGRAM].splitlines()
    counts = set()
    for left_out in range(len(whole)):
        text = "\n".join(line for at, line in enumerate(whole) if at != left_out)
        plan = plan_deeds(controller, list(everything(controller)), tools, HostView(help_texts={PROGRAM: text}))
        actions = [one for step in plan.steps for one in (step.action, step.undo) if not one.empty]
        assert all(listed(text, action) for action in actions)
        counts.add(len(plan.steps))
    assert min(counts) < max(counts)


def test_what_acts_on_more_than_a_drive_is_refused(tmp_path: Path) -> None:
    """Verbs for volumes and controllers are refused, whatever the help lists."""
    bench = Ready(tmp_path / "s.json")
    verbs: tuple[Verb, ...] = (
        "start_check", "start_patrol", "import_foreign", "clear_foreign", "discard_preserved", "start_learn", "erase",
    )  # fmt: skip
    for verb in verbs:
        [denial] = bench.plan(verb, "v2" if verb == "start_check" else "").denials
        assert not denial.printed
        assert denial.alternative == f"{PROGRAM} help lists the commands of this version."


@pytest.mark.parametrize("name", ["storcli2", "perccli2"])
def test_the_command_is_printed_where_the_help_does_not_list_it(name: str) -> None:
    """A command that the help lacks is printed with the reason. A failed drive needs no command."""
    controller, _, view = _controller(name)
    tools = [Tool(name=name, path=f"/x/{name}")]
    [online, good, jbod] = controller.drives

    def asked(verb: str, one: Drive, object_id: str = f"{CONTROLLER}/v1") -> Plan:
        deed = Deed(object_id=object_id, verb=cast("Verb", verb), drive=one.id)
        others = tuple(drive for drive in controller.drives if drive.id != one.id)
        return plan_deeds(replace(controller, drives=(one, *others)), [deed], tools, view)

    for verb, drive, words in (
        ("take_out", online, "set offline; /x/{0} /c0/e310/s2 set missing; /x/{0} /c0/e310/s2 spindown"),
        ("offline", online, "set offline"), ("jbod", good, "set jbod"), ("raid", jbod, "set uconf"),
        ("add_spare", good, "add hotsparedrive DGs=1"),
    ):  # fmt: skip
        [denial] = asked(verb, drive).denials
        assert denial.printed
        slot = drive.id.rpartition(":")[2]
        forms, them = ("these forms", "them") if ";" in words else ("this form", "it")
        assert denial.alternative == (
            f"If /x/{name} help lists {forms}, run {them} yourself: /x/{name} /c0/e310/s{slot} {words.format(name)}"
        )
        assert "help could not be read" in denial.reason
    failed = replace(online, role="failed", status="critical", status_text="Conf, Failed")
    assert asked("take_out", failed) == Plan()
    assert asked("add_member", replace(online, status="warning", status_text="Conf, Rebuild")) == Plan()


def test_no_verb_is_promised() -> None:
    """No verb is reported as possible. Whether one runs depends on the machine's help."""
    controller, tools, _ = _controller()
    able = abilities(controller, tools)
    assert set(able) == set(VERBS)
    assert not any(one.can for one in able.values())
    assert {(one.printed, one.by_help) for one in able.values()} == {(True, True), (False, False)}


HELP = "storcli2 /cx/ex/sx set offline|good|jbod|uconf\n"


def _controller(name: str = "storcli2") -> tuple[Controller, list[Tool], HostView]:
    """A RAID 10 with a working member, and two other drives. One is unconfigured good, one JBOD."""
    volume = Volume(id=f"{CONTROLLER}/v1", array=f"{CONTROLLER}/g1", status="ok", raid_level="raid10", unique_id="7a4d")
    places: tuple[tuple[int, Role, str | None, str], ...] = (
        (2, "member", f"{CONTROLLER}/g1", "Conf, Online"),
        (5, "unassigned", None, "UConf, Good"),
        (6, "passthrough", None, "JBOD, Online"),
    )
    drives = tuple(
        Drive(id=f"{CONTROLLER}/310:{slot}", role=role, array=array, status="ok", status_text=text, serial=f"RC{slot}")
        for slot, role, array, text in places
    )
    array = Array(id=f"{CONTROLLER}/g1", status="ok", drives=(f"{CONTROLLER}/310:2",))
    controller = Controller(id=CONTROLLER, told_by=name, serial="S1", volumes=(volume,), drives=drives, arrays=(array,))
    return controller, [Tool(name=name, path=PROGRAM)], HostView()


# --- results


def test_drives_change_their_state(tmp_path: Path) -> None:
    """A spare becomes unconfigured, JBOD, unconfigured and a spare again."""
    bench = Ready(tmp_path / "s.json")
    assert bench.do("remove_spare", bay="310:4") == ["/e310/s4 delete hotsparedrive"]
    assert bench.do("jbod", "310:4", bay="310:4") == ["/e310/s4 set jbod"]
    assert bench.drive("310:4").role == "passthrough"
    assert bench.do("raid", "310:4", bay="310:4") == ["/e310/s4 set uconf"]
    assert bench.do("add_spare", "v2", bay="310:4") == ["/e310/s4 add hotsparedrive DGs=1"]
    assert bench.drive("310:4").spare_for == (f"{CONTROLLER}/g1",)


def test_a_member_is_replaced(tmp_path: Path) -> None:
    """A member is taken out, replaced by a new drive and rebuilt."""
    bench = Ready(tmp_path / "s.json")
    bench.do("remove_spare", bay="310:4")
    old = bench.drive("310:1").serial
    assert bench.do("take_out", "v2", "310:1") == ["/e310/s1 set offline", "/e310/s1 set missing", "/e310/s1 spindown"]
    bench.machine.pull("310:1")
    assert bench.status("v2") == "degraded"
    bench.machine.insert("310:1", None)
    bench.do("add_member", "v2", "310:1")
    new = bench.drive("310:1")
    assert new.serial != old
    assert (new.array, new.status_text) == (f"{CONTROLLER}/g1", "Conf, Rebuild")
    assert new.progress is not None
    assert (new.progress.operation, new.progress.percent) == ("rebuild", 0.0)
    bench.machine.pass_time(7300)
    assert bench.status("v2") == "ok"
    assert bench.drive("310:1").status_text == "Conf, Online"


def test_a_rebuild_is_paused_and_continued(tmp_path: Path) -> None:
    """Pause and resume are confirmed by ``show rebuild``."""
    bench = Ready(tmp_path / "s.json")
    bench.machine.fail("310:1")
    assert bench.drive("310:4").status_text == "Conf, Rebuild"
    assert bench.do("pause_rebuild", "v2", "310:4") == ["/e310/s4 pause rebuild"]
    assert bench.do("resume_rebuild", "v2", "310:4") == ["/e310/s4 resume rebuild"]


def test_the_tool_rejects_what_its_help_does_not_list(tmp_path: Path) -> None:
    """The simulated storcli2 rejects commands that its help lacks."""
    bench = Ready(tmp_path / "s.json", whole=False)
    for words in (("set", "offline"), ("add", "hotsparedrive"), ("del", "jbod")):
        answer = run(bench.machine, PROGRAM, "/c0/e310/s4", *words, "nolog", "J")
        assert "syntax error" in answer.text
    assert "syntax error" in run(bench.machine, PROGRAM, "/c0/v2", "start", "cc", "nolog", "J").text
    assert bench.drive("310:4").role == "spare"


def test_the_help_is_requested_before_deeds_only(tmp_path: Path) -> None:
    """A survey does not run the help. Help that is known is not run again."""
    machine = simulated("9660", tmp_path / "s.json")
    asked: list[tuple[str, ...]] = []

    class Recorder:
        def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
            return [self.answer(request) for request in requests]

        def answer(self, request: Request[Any]) -> Answer:
            if isinstance(request, Run):
                asked.append(request.argv)
                if request.argv[-1:] == ("help",):
                    return RunAnswer(trouble=Failure.TIMEOUT)
            return machine.answer(request)

    observed = survey(Recorder(), VENDORS)
    assert (PROGRAM, "help") not in asked
    assert add_help_texts(observed, Recorder(), VENDORS).view.help_texts == {}
    assert asked.count((PROGRAM, "help")) == 1
    known = add_help_texts(observed, machine, VENDORS).view.help_texts
    assert add_help_texts(observed, Recorder(), VENDORS, known).view.help_texts == known
    assert asked.count((PROGRAM, "help")) == 1
