"""The event log of each family, in the format of its tool. The texts are written for these tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from raidctl.model import Controller, Drive, Tool, Volume
from raidctl.request import Answer, Failure, Request, Run, RunAnswer, converse
from raidctl.vendor.events import NEWEST, Event, EventLog, failed
from raidctl_adaptec import events as adaptec
from raidctl_areca import events as areca
from raidctl_megaraid import events as megaraid
from raidctl_threeware import events as threeware

BLOCK = """\
seqNum: 0x00000{number:03x}
Time: Sat Jan  4 18:22:56 2014

Code: 0x00000072
Class: {level}
Locale: 0x02
Event Description: State change on PD 05(e0x08/s1) from OFFLINE(10) to ONLINE(18)
Event Data:
===========
Device ID: 5
Enclosure Index: 8
New state: 24


"""
STORCLI = """
CLI Version = 007.1017.0000.0000 May 10, 2019
Operating system = Linux 5.4.0
Controller = 0
Status = Success
Description = None

Events = GETEVENTS
"""
MEGACLI = "\nExit Code: 0x00\n"
ALARMS = """
Ctl  Date                        Severity  Alarm Message
------------------------------------------------------------------------------
c0   [Tue Jul  8 18:20:05 2008]  INFO      Verify started: unit=0
c0   [Wed Jul  9 02:01:00 2008]  ERROR     Drive timeout detected: port=1
c0   [Wed Jul  9 02:02:00 2008]  STRANGE   Something else

"""
ARECA = """\
Date-Time            Device           Event Type            Elapsed Time Errors
===============================================================================
2026-02-03 11:09:41  ARC-1880-VOL#00  Complete Rebuild      012:34:56         0
2026-02-02 22:31:02  Enc#2 Slot#5     Time Out Error
2026-02-01 09:00:00  H/W MONITOR      Raid Powered On
===============================================================================
GuiErrMsg<0x00>: Success.
"""
ARCCONF = """\
Controllers found: 1

ControllerLog
   controllerID ............................ 0
   type .................................... 1
   version ................................. 3

   event
      sequence ............................. 17
      time ................................. 1770000000
      severity ............................. Warning
      description .......................... Drive 0,1 was reset
   event
      kind ................................. odd
      value ................................ 3

Command completed successfully.
"""


def controller_with(family: str, *, drives: tuple[str, ...] = (), volumes: tuple[Volume, ...] = ()) -> Controller:
    """A controller with the clock and the objects that its log names."""
    return Controller(
        id=family, mode="raid", drives=tuple(Drive(id=f"{family}/{name}", role="member") for name in drives),
        volumes=volumes, details={"Current Controller Date/Time": "05/06/2026, 07:08:01"},
    )  # fmt: skip


MEGARAID = controller_with("megaraid:0", drives=("8:1",))


def read(text: str, controller: Controller = MEGARAID) -> EventLog:
    """A log of storcli or MegaCli."""
    return megaraid.read_events(controller, "show events", RunAnswer(code=0, out=text.encode()))


def kinds(log: EventLog) -> list[str]:
    """The kinds of its problems."""
    return [problem.kind for problem in log.problems]


@pytest.mark.parametrize("tail", [STORCLI, MEGACLI])
def test_storcli_and_megacli_print_the_same_blocks(tail: str) -> None:
    """Blocks of both tools give the same facts.

    The facts are number, time without a zone, level, code, the named object, and the event's data.
    """
    found = read(BLOCK.format(number=0x283, level=2) + tail)
    assert found.events == (
        Event(
            at="2014-01-04T18:22:56", controller="megaraid:0", number=0x283, level="critical", code="0x00000072",
            object_id="megaraid:0/8:1", details={"Device ID": "5", "Enclosure Index": "8", "New state": "24"},
            text="State change on PD 05(e0x08/s1) from OFFLINE(10) to ONLINE(18)",
        ),
    )  # fmt: skip
    assert (found.unparsed, found.problems, found.clock) == ((), (), "2026-05-06T07:08:01")


@pytest.mark.parametrize(("word", "level"), [("-2", "debug"), ("-1", "progress"), ("0", "info"), ("1", "warning"),
                                             ("3", "fatal"), ("4", "fatal"), ("9", None), ("", None)])  # fmt: skip
def test_classes_of_the_firmware(word: str, level: str | None) -> None:
    """An unknown class is an unknown level."""
    assert read(BLOCK.format(number=1, level=word) + STORCLI).events[0].level == level


def test_an_event_before_the_clock_was_set_has_no_time() -> None:
    """Seconds since the boot are kept as they are."""
    text = BLOCK.format(number=1, level=0).replace("Time: Sat Jan  4 18:22:56 2014", "Seconds since last reboot: 14")
    [found] = read(text + STORCLI).events
    assert found.at is None
    assert found.details["Seconds since last reboot"] == "14"


def test_a_drive_that_is_not_there_any_more_is_not_named() -> None:
    """An id that no object has would be a guess."""
    assert read(BLOCK.format(number=1, level=0) + STORCLI, controller_with("megaraid:0")).events[0].object_id is None


def test_every_line_of_a_log_is_an_event_or_unparsed() -> None:
    """A damaged block and a strange line are kept."""
    broken = BLOCK.format(number=2, level=0).replace("Event Description", "Event Descr")
    found = read(BLOCK.format(number=1, level=0) + broken + "odd line\n" + STORCLI)
    assert len(found.events) == 1
    assert "seqNum: 0x00000002" in found.unparsed
    assert any("odd line" in line for line in (*found.unparsed, *map(str, found.events)))


@pytest.mark.parametrize(
    "text", ["", "nonsense\n", "Controller = 0\nStatus = Failure\nDescription = x\n", "Exit Code: 0x01\n"]
)
def test_a_log_of_megaraid_that_was_not_read_is_not_an_empty_one(text: str) -> None:
    """Nothing printed, rubbish, a failure."""
    assert kinds(read(text)) == ["unread"]
    assert kinds(read(STORCLI)) == []


def test_a_list_of_megaraid_without_its_end_is_not_whole() -> None:
    """The events of an incomplete list are shown. It is reported that more may be missing."""
    found = read(BLOCK.format(number=1, level=0))
    assert (len(found.events), kinds(found)) == (1, ["unread"])


def test_a_log_is_limited_if_as_many_events_come_as_were_asked_for() -> None:
    """Then there may be older ones, before the oldest that came."""
    text = "".join(BLOCK.format(number=number, level=0) for number in range(NEWEST))
    assert read(text + STORCLI).limited
    assert not read(BLOCK.format(number=1, level=0) + STORCLI).limited


def test_alarms_of_3ware() -> None:
    """Port and unit are the objects. An unknown severity is an unknown level."""
    mine = controller_with("threeware:0", drives=("p1",), volumes=(Volume(id="threeware:0/v0"),))
    found = threeware.read_events(mine, "show alarms", RunAnswer(code=0, out=ALARMS.encode()))
    assert [(one.at, one.level, one.object_id) for one in found.events] == [
        ("2008-07-08T18:20:05", "info", "threeware:0/v0"),
        ("2008-07-09T02:01:00", "critical", "threeware:0/p1"),
        ("2008-07-09T02:02:00", None, None),
    ]
    assert (found.unparsed, found.problems) == ((), ())
    assert kinds(threeware.read_events(mine, "show alarms", RunAnswer(code=1, out=b"Error: (CLI:003)"))) == ["unread"]


def test_events_of_areca() -> None:
    """Volumes are given by name, drives by enclosure and slot. The list has no severities."""
    mine = controller_with(
        "areca:1", drives=("E2:S5", "E1:S5"), volumes=(Volume(id="areca:1/v1", name="ARC-1880-VOL#00"),)
    )
    found = areca.read_events(mine, "event info", RunAnswer(code=0, out=ARECA.encode()))
    assert [(one.at, one.level, one.object_id, one.text) for one in found.events] == [
        ("2026-02-03T11:09:41", None, "areca:1/v1", "ARC-1880-VOL#00: Complete Rebuild"),
        ("2026-02-02T22:31:02", None, "areca:1/E2:S5", "Enc#2 Slot#5: Time Out Error"),
        ("2026-02-01T09:00:00", None, None, "H/W MONITOR: Raid Powered On"),
    ]
    assert found.events[0].details["Elapsed Time"] == "012:34:56"
    assert (found.unparsed, found.problems) == ((), ())


def test_a_list_of_areca_that_is_cut_off_is_not_whole() -> None:
    """Without its last line, events may be missing."""
    mine = controller_with("areca:1")
    cut = ARECA.rpartition("GuiErrMsg")[0]
    assert kinds(areca.read_events(mine, "event info", RunAnswer(code=0, out=cut.encode()))) == ["unread"]
    assert kinds(areca.read_events(mine, "event info", RunAnswer(code=0, out=b""))) == ["unread"]


def test_blocks_of_adaptec_keep_every_pair() -> None:
    """Plain labels give time, level and text. In any other block, the pairs are the text."""
    mine = controller_with("adaptec:1")
    found = adaptec.read_events(mine, "getlogs", RunAnswer(code=0, out=ARCCONF.encode()))
    assert [(one.number, one.level, one.text) for one in found.events] == [
        (17, "warning", "Drive 0,1 was reset"),
        (None, None, "event: kind odd, value 3"),
    ]
    assert found.events[0].at == "2026-02-02T02:40:00"
    assert found.events[1].details == {"kind": "odd", "value": "3"}
    assert kinds(adaptec.read_events(mine, "getlogs", RunAnswer(code=1, out=b"Invalid command"))) == ["unread"]


def test_adaptec_without_the_word_tabular_prints_xml() -> None:
    """The attributes are the same pairs."""
    text = (
        '<ControllerLog controllerID="0" type="1"><event severity="Error" description="Fan failed"/></ControllerLog>\n'
        "Command completed successfully.\n"
    )
    [found] = adaptec.read_events(controller_with("adaptec:1"), "getlogs", RunAnswer(code=0, out=text.encode())).events
    assert (found.level, found.text) == ("critical", "Fan failed")


def test_a_call_that_could_not_be_made_is_a_problem() -> None:
    """A recording without the log states how to get one."""
    request = Run(("storcli64", "/c0", "show", "events"))
    gone = failed("megaraid:0", request, RunAnswer(trouble=Failure.UNRECORDED))
    assert gone is not None
    assert "record --events" in (gone.problems[0].remedy or "")
    denied = failed("megaraid:0", request, RunAnswer(trouble=Failure.DENIED))
    assert denied is not None
    assert kinds(denied) == ["no_right"]
    assert failed("megaraid:0", request, RunAnswer(code=5)) is None


@pytest.mark.parametrize(("code", "expected"), [(0, []), (137, ["unread"]), (139, ["unread"])])
def test_the_log_of_a_tool_that_was_killed_may_lack_its_end(code: int, expected: list[str]) -> None:
    """The events that it printed are kept, and the newest may be missing."""
    text = "Ctl  Date  Severity  AEN Message\nc6   [Sat Jan 04 2014 18:22:56]  ERROR     Drive timeout\n"

    class Tool3:
        """Answers each call in the same way."""

        def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
            """Answer."""
            return [RunAnswer(code=code, out=text.encode()) for _ in requests]

    tools = [Tool(name="tw_cli", path="/usr/sbin/tw_cli")]
    log = converse(threeware.log(controller_with("threeware:6"), tools), Tool3())
    assert (len(log.events), kinds(log)) == (1, expected)
