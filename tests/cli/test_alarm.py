"""``raidctl alarm``: how alarms are reported, silenced and switched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from raidctl.model import Alarm, Controller, Tool
from raidctl.request import Answer, Failure, Request, RunAnswer, converse
from raidctl.simulation.demo import demos
from raidctl.vendor.alarms import alarms_of
from raidctl.vendor.locating import fits
from raidctl.vendor.plan import Action, Desired
from raidctl.vendor.registry import vendors
from raidctl_adaptec import alarm as adaptec
from raidctl_megaraid import alarm as megaraid
from raidctl_megaraid.change import plan
from raidctl_megaraid.derived_fields import CONTROLLER
from raidctl_threeware import alarm as threeware
from tests.support.command_line import Raidctl, command_line
from tests.support.failing import answer_instead

USAGE = b"Usage: SETALARM <Controller#> <on|off|test|silence> [nologs]\n"


@pytest.fixture
def raidctl(tmp_path: Path) -> Raidctl:
    """Run a command line with an empty state directory."""
    return command_line("--state-dir", tmp_path)


def is_on(raidctl: Raidctl) -> object:
    """Whether the alarm of the only controller is switched on."""
    return json.loads(raidctl("--demo", "9271", "alarm", "show", "--json").stdout)["controllers"][0]["alarm"]["on"]


@pytest.mark.parametrize(
    ("text", "present", "on"),
    [("On", True, True), ("Disable", True, False), ("Absent", False, None), ("Missing", False, None),
     ("Present", True, None), ("Enabled", None, True), ("Disabled", None, False), ("Purple", None, None)],
)  # fmt: skip
def test_words_for_an_alarm(text: str, present: bool | None, on: bool | None) -> None:
    """An unknown word means unknown. MegaCli's setting does not show that there is an alarm."""
    assert {field: parse(text) for field, parse in CONTROLLER["alarm"]} == {"alarm.present": present, "alarm.on": on}


def test_an_alarm_is_switched_and_read_again(raidctl: Raidctl) -> None:
    """Off, on, and already on."""
    assert is_on(raidctl) is True
    assert raidctl("--demo", "9271", "alarm", "off", "megaraid:0", "--yes").exit_code == 0
    assert is_on(raidctl) is False
    assert raidctl("--demo", "9271", "alarm", "on", "megaraid:0", "--yes").exit_code == 0
    done = raidctl("--demo", "9271", "alarm", "on", "megaraid:0", "--yes", "--json")
    assert json.loads(done.stdout)["result"] == "already"


def test_an_alarm_is_silenced_and_never_called_silent(raidctl: Raidctl) -> None:
    """The result is only what the tool prints. The setting stays, and the journal has an entry."""
    done = raidctl("--demo", "9271", "alarm", "silence", "megaraid:0", "--json")
    assert (done.exit_code, json.loads(done.stdout)["result"]) == (0, "accepted")
    assert is_on(raidctl) is True
    [journaled] = json.loads(raidctl("--demo", "9271", "journal", "--json").stdout)
    assert journaled["end"]["result"] == "done"


@pytest.mark.parametrize(
    ("answer", "result", "code"),
    [
        (RunAnswer(trouble=Failure.DENIED), "refused", 1),
        (RunAnswer(trouble=Failure.TIMEOUT), "uncertain", 6),
        (RunAnswer(code=-9), "uncertain", 6),
        (RunAnswer(code=1, out=b"Status = Failure"), "refused", 1),
    ],
)
def test_an_alarm_is_refused_only_if_the_command_has_ended(
    raidctl: Raidctl, monkeypatch: pytest.MonkeyPatch, answer: RunAnswer, result: str, code: int
) -> None:
    """A command that was killed may have taken effect. One that could not be started has not."""
    answer_instead(monkeypatch, lambda request: answer if "silence" in str(getattr(request, "argv", "")) else None)
    done = raidctl("--demo", "9271", "alarm", "silence", "megaraid:0", "--json")
    assert (json.loads(done.stdout)["result"], done.exit_code) == (result, code)


def test_a_dry_run_silences_nothing(raidctl: Raidctl) -> None:
    """It prints the command."""
    done = raidctl("--demo", "9271", "alarm", "silence", "megaraid:0", "--dry-run")
    assert (done.exit_code, done.stdout) == (0, "Would run: storcli64 /c0 set alarm=silence nolog J\n")
    assert json.loads(raidctl("--demo", "9271", "journal", "--json").stdout) == []


@pytest.mark.parametrize("name", [demo.name for demo in demos(vendors()[0])])
def test_every_simulated_machine_answers(raidctl: Raidctl, name: str) -> None:
    """The screen keeps to 80 columns. What cannot be switched is refused with a sentence, never with a traceback."""
    shown = raidctl("--demo", name, "alarm", "show")
    assert shown.exit_code in (0, 3, 4)
    assert max(map(len, shown.stdout.splitlines())) <= 80
    for one in json.loads(raidctl("--demo", name, "alarm", "show", "--json").stdout)["controllers"]:
        for words in (("on",), ("off",), ("silence",)):
            done = raidctl("--demo", name, "alarm", *words, one["object_id"], "--dry-run")
            assert done.exit_code in (0, 1, 3), done.output


@pytest.mark.parametrize("words", [("silence", "nosuch"), ("silence",), ("on", "md0"), ("off", "megaraid:0")])
def test_wrong_words_are_refused(raidctl: Raidctl, words: tuple[str, ...]) -> None:
    """Wrong objects, and no terminal without --yes, are refused.

    Wrong objects are a missing one, no controller, and an md array.
    """
    demo = "9271" if words[0] == "off" else "raid6"
    assert raidctl("--demo", demo, "alarm", *words).exit_code == 2


def test_a_3ware_alarm_has_the_way_by_hand(raidctl: Raidctl) -> None:
    """The refusal contains the command that silences an enclosure's alarm."""
    done = raidctl("--demo", "9690", "alarm", "silence", "threeware:6")
    assert done.exit_code == 1
    assert "`tw_cli /cX/eX/almX set alarm=mute`" in done.output


def test_megacli_switches_with_its_own_words() -> None:
    """MegaCli's setting is changed with its own words and restored afterwards."""
    mine = Controller(id="megaraid:0", told_by="MegaCli", mode="raid", alarm=Alarm(present=True, on=True))
    [step] = plan(mine, [Desired(object_id=mine.id, setting="alarm", value="disabled")], [Tool(name="MegaCli")]).steps
    assert (str(step.action), str(step.undo)) == (
        "MegaCli -AdpSetProp AlarmDsbl -a0 -NoLog", "MegaCli -AdpSetProp AlarmEnbl -a0 -NoLog",
    )  # fmt: skip


def test_an_alarm_of_unknown_state_is_not_switched() -> None:
    """A setting whose previous value is unknown could not be restored."""
    mine = Controller(id="megaraid:0", told_by="storcli64", mode="raid", alarm=Alarm(present=True))
    made = plan(mine, [Desired(object_id=mine.id, setting="alarm", value="disabled")], [Tool(name="storcli64")])
    assert (made.steps, made.refusals[0].kind) == ((), "unknown")


class Help:
    """An arcconf that prints this text."""

    def __init__(self, text: bytes) -> None:
        self.text = text

    def carry_out(self, requests: tuple[Request[Answer], ...]) -> list[Answer]:
        """Reply the same to every request."""
        return [RunAnswer(code=1, out=self.text) for _ in requests]


@pytest.mark.parametrize(("text", "there"), [(USAGE, True), (b"Invalid command\n", False), (b"", False),
                                             (b"SETALARM <Controller#> <on|off|test>", False)])  # fmt: skip
def test_arcconf_is_only_used_if_its_help_shows_the_command(text: bytes, there: bool) -> None:
    """The tool is only used if its help shows the command. No manual has the command."""
    mine = Controller(id="adaptec:1", told_by="arcconf", mode="raid")
    found = converse(adaptec.silence(mine, [Tool(name="arcconf")]), Help(text))  # type: ignore[arg-type]  # a runner
    assert isinstance(found, Action) == there
    if isinstance(found, Action):
        assert found.argv == ("arcconf", "SETALARM", "1", "silence")


def test_every_command_has_a_permitted_form() -> None:
    """Those of the table, and no other."""
    assert [offered for vendor in vendors()[0] if (offered := alarms_of(vendor)) is not None] == [
        adaptec, megaraid, threeware,
    ]  # fmt: skip
    assert not fits(("/c0", "set", "alarm=off", "nolog", "J"), megaraid.SHAPES)
    assert not fits(("SETALARM", "1", "off"), adaptec.SHAPES)
