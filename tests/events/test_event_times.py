"""Times of events. Covered are clocks of controllers, ``--since``, and the order of several logs."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from raidctl.errors import UsageError
from raidctl.events.report import Filter, fits, joined, report, unseen
from raidctl.events.times import MARGIN, cutoff, difference, shifted
from raidctl.model import Host, Inventory
from raidctl.vendor.events import LEVELS, Event, EventLog, Level

NOW = datetime(2026, 5, 6, 12, 0, tzinfo=timezone.utc)
BARE = Inventory(host=Host())


def event(number: int, at: str | None, level: Level | None = "info", text: str = "x") -> Event:
    """An entry of a controller's log."""
    return Event(at=at, controller="megaraid:0", number=number, level=level, text=text)


def log(*events: Event, clock: str | None = None, limited: bool = False, begins: str | None = None) -> EventLog:
    """The log of a controller."""
    return EventLog(
        controller="megaraid:0", command="show events", events=events, clock=clock, limited=limited, begins=begins
    )


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("2h", NOW - timedelta(hours=2)),
        ("3d", NOW - timedelta(days=3)),
        ("2026-05-05", datetime(2026, 5, 5, tzinfo=timezone.utc)),
        ("2026-05-05 07:08", datetime(2026, 5, 5, 7, 8, tzinfo=timezone.utc)),
        ("2026-05-05T07:08:00+02:00", datetime(2026, 5, 5, 5, 8, tzinfo=timezone.utc)),
        ("boot", datetime(2026, 5, 1, tzinfo=timezone.utc)),
    ],
)
def test_since_is_a_length_a_date_or_the_boot(word: str, expected: datetime) -> None:
    """A date without a time zone is UTC."""
    assert cutoff(word, NOW, "2026-05-01T00:00:00Z") == expected


@pytest.mark.parametrize("word", ["", "soon", "-2h", "2", "9999999w", "2026-13-01", "2026-05-06T99:00", "\x00"])
def test_since_refuses_what_is_no_time(word: str) -> None:
    """Anything but a time is refused in one sentence, without a traceback.

    It never selects another moment than the intended one.
    """
    with pytest.raises(UsageError, match="is not a time"):
        cutoff(word, NOW, None)


def test_since_boot_is_refused_where_the_boot_is_unknown() -> None:
    """A guess could hide events."""
    with pytest.raises(UsageError, match="unknown"):
        cutoff("boot", NOW, None)


def test_the_time_of_a_controller_is_converted_by_the_difference_of_the_clocks() -> None:
    """The difference includes the time zone. Without the controller's clock, there is no difference."""
    by = difference("2026-05-06T13:00:00", NOW)
    assert by == timedelta(hours=-1)
    assert shifted("2026-05-06T10:30:00", by) == "2026-05-06T09:30:00Z"
    assert difference(None, NOW) is None
    assert shifted("2026-05-06T10:30:00", None) is None
    assert shifted("0001-01-01T00:00:00", by) is None


def test_an_event_that_might_be_newer_is_kept() -> None:
    """With an unknown difference, every event that is newer in some time zone is kept."""
    wanted = Filter(since=NOW)
    assert fits(event(1, "2026-05-06T00:00:00"), wanted)
    assert not fits(event(1, (NOW - MARGIN - timedelta(seconds=1)).strftime("%Y-%m-%dT%H:%M:%S")), wanted)
    assert fits(event(1, None), wanted)


@pytest.mark.parametrize("least", LEVELS)
def test_a_level_keeps_what_is_as_bad_or_unknown(least: Level) -> None:
    """An unknown level is never left out."""
    kept = [level for level in LEVELS if fits(event(1, None, level), Filter(level=least))]
    assert kept == list(LEVELS[LEVELS.index(least) :])
    assert fits(event(1, None, None), Filter(level=least))


def test_logs_are_joined_by_the_clock_of_the_machine() -> None:
    """The controller is an hour ahead. Entries without a time stay behind the one before them."""
    kernel = EventLog(
        command="dmesg", events=(Event(at="2026-05-06T10:15:00Z", host_at="2026-05-06T10:15:00Z", text="kernel"),)
    )
    controller_log = log(
        event(3, "2026-05-06T11:30:00", text="third"), event(1, "2026-05-06T11:10:00", text="first"),
        event(2, None, text="second"), clock="2026-05-06T13:00:00",
    )  # fmt: skip
    assert [one.text for one in joined([kernel, controller_log], NOW)] == ["first", "second", "kernel", "third"]


def test_a_log_without_numbers_is_turned_round_if_the_newest_comes_first() -> None:
    """The first and the last time decide."""
    newest_first = [Event(at=f"2026-05-0{day}T00:00:00", controller="c", text=str(day)) for day in (3, 2, 1)]
    found = joined([EventLog(controller="c", command="event info", events=tuple(newest_first))], None)
    assert [one.text for one in found] == ["1", "2", "3"]


def test_older_events_that_were_not_read_are_mentioned_unless_they_are_not_wanted() -> None:
    """A list of the newest entries never passes for the whole log."""
    short = log(
        event(9, "2026-05-06T11:00:00"), clock="2026-05-06T12:00:00", limited=True, begins="2026-05-06T11:00:00"
    )
    assert "there may be older" in report(BARE, [short], NOW, Filter()).problems[0].message
    late = Filter(since=NOW + timedelta(hours=15))
    assert report(BARE, [short], NOW, late).problems == ()


def test_new_events_are_those_that_were_not_there() -> None:
    """An entry is the same if number, time and text are."""
    before = [event(1, None), event(2, None)]
    assert unseen([*before, event(3, None)], before) == [event(3, None)]
