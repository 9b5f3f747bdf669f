"""The scrubs of md arrays in sysfs, kernel log, systemd and cron."""

from __future__ import annotations

from fnmatch import fnmatch
from typing import Any

import pytest
from msgspec.structs import replace

from raidctl.model import Controller, Host, Inventory, RaidLevel, Volume
from raidctl.request import Answer, Failure, Glob, GlobAnswer, Request, RunAnswer, converse
from raidctl.vendor.checks import CheckReading, Schedules
from raidctl.vendor.plan import Deed, Denial, Verb
from raidctl.vendor.shapes import outside
from raidctl_md.checks import events, readings
from raidctl_md.operate_checks import SHAPES, steps_of
from raidctl_md.schedules import SHOW, schedules
from tests.support.over import over
from tests.vendors.md.md_outputs import Machine

LOG = """\
[   99.213863] md: data-check of RAID array md0
[  106.777807] md: md0: data-check done.
[  116.287894] md: data-check of RAID array md1
[  123.042543] md: md1: data-check interrupted.
[  130.000001] md: md0: requested-resync done.
[  131.000001] md: md0: recovery done.
"""
CRON = (
    "# checks\n57 0 * * 0 root if [ -x /usr/share/mdadm/checkarray ] && [ $(date +\\%d) -le 7 ]; "
    "then /usr/share/mdadm/checkarray --cron --all --idle --quiet; fi\n"
)
UNIT = """\
Id=mdcheck_start.timer
LoadState=loaded
UnitFileState={state}
ActiveState={active}
NextElapseUSecRealtime=Sun 2026-12-06 01:00:00 UTC
TimersCalendar={{ OnCalendar=Sun *-*-1..7 01:00:00 ; next_elapse=Sun 2026-12-06 01:00:00 UTC }}
FragmentPath=/lib/systemd/system/mdcheck_start.timer
DropInPaths=/etc/systemd/system/mdcheck_start.timer.d/site.conf

Id=mdcheck_continue.timer
LoadState=not-found
ActiveState=inactive

Id=raid-check.timer
LoadState=not-found
ActiveState=inactive

Id=cronie.service
LoadState=loaded
ActiveState={cron}

Id=crond.service
LoadState=not-found
ActiveState=inactive

Id=cronie.service
LoadState=loaded
ActiveState={cron}
"""
MD = Inventory(host=Host(), controllers=(Controller(id="md", mode="software"),))


class Shell(Machine):
    """A scripted machine with shell patterns."""

    def answer(self, request: Request[Any]) -> Answer:
        """The machine's reply, except for patterns."""
        if isinstance(request, Glob):
            return GlobAnswer(paths=tuple(path for path in self.files if fnmatch(path, request.pattern)))
        return super().answer(request)


def reading(**details: str) -> CheckReading:
    """The reading of an array with these files."""
    volume = Volume(id="md:md0", device="/dev/md0", mismatch_count=128, details=details)
    return readings(Controller(id="md", volumes=(volume,)))["md:md0"]


def test_the_position_distinguishes_a_stopped_check() -> None:
    """Unless a check is running, `sync_min` above 0 is a stop's position."""
    stopped = reading(sync_action="idle", last_sync_action="check", sync_min="8192")
    assert (stopped.last, stopped.stopped_at, stopped.differ) == ("check", 8192, 128)
    assert reading(sync_action="idle", last_sync_action="check", sync_min="0").stopped_at is None
    assert reading(sync_action="check", last_sync_action="check", sync_min="8192").stopped_at is None
    assert reading(sync_action="idle", last_sync_action="recover", sync_min="8192").stopped_at is None


def test_a_check_is_paused_where_its_limit_is_reached() -> None:
    """A limit that is not reached is not a pause. Neither is "max"."""
    assert reading(sync_action="check", sync_max="16384", sync_completed="16384 / 63488").paused_at == 16384
    assert reading(sync_action="check", sync_max="16384", sync_completed="8192 / 63488").paused_at is None
    assert reading(sync_action="check", sync_max="max", sync_completed="8192 / 63488").paused_at is None


def test_the_limits_of_a_check_are_put_back() -> None:
    """Undoing a check's start writes the former sync_min and sync_max, and the next reading must show them."""
    details = {"sync_action": "idle", "sync_min": "4096", "sync_max": "2000000"}
    volume = Volume(id="md:md0", device="/dev/md0", unique_id="1:2:3:4", details=details)
    steps = steps_of(Deed(object_id=volume.id, verb="start_check"), volume)
    assert not isinstance(steps, Denial)
    bounds = {step.setting: step for step in steps if step.setting in details}
    assert set(bounds) == {"sync_min", "sync_max"}
    for name, step in bounds.items():
        assert (step.undo.data, step.undo.path) == (details[name], step.action.path)
        assert [(one.field, one.value) for one in step.undo_expects] == [(f"details.{name}", details[name])]
        for action in (step.action, step.undo):
            assert outside(action, SHAPES, ("md0",)) is None
        assert outside(replace(step.undo, data="idle"), SHAPES, ("md0",))


@pytest.mark.parametrize(
    ("verb", "level", "words"),
    [
        ("repair", "raid1", "one overwrites the others"), ("repair", "raid10", "one overwrites the others"),
        ("repair", "raid6", "computed again"), ("start_check", "raid1", "slower"), ("start_check", "raid6", "slower"),
        ("stop_check", "raid1", None),
    ],
)  # fmt: skip
def test_what_a_check_or_a_repair_does_besides(verb: Verb, level: RaidLevel, words: str | None) -> None:
    """The plan of a repair names what it may overwrite; a check overwrites nothing."""
    details = {"sync_action": "check" if verb == "stop_check" else "idle", "sync_min": "0", "sync_max": "max"}
    volume = Volume(id="md:md0", device="/dev/md0", unique_id="1:2:3:4", raid_level=level, details=details)
    steps = steps_of(Deed(object_id=volume.id, verb=verb), volume)
    assert not isinstance(steps, Denial)
    [affected] = [step.affects for step in steps if step.setting == verb]
    assert [words in text for text in affected if words] == ([True] if words else [])


def test_a_delayed_check_waits() -> None:
    """A "delayed" check waits for another array on the same drives."""
    assert reading(sync_action="check", sync_completed="delayed").waiting
    assert not reading(sync_action="check", sync_completed="8192 / 63488").waiting


def test_the_mismatches_of_another_operation_are_not_those_of_a_check() -> None:
    """After a resync the count belongs to the resync. A missing file makes the last operation unknown."""
    assert reading(sync_action="idle", last_sync_action="resync").differ is None
    assert not reading(sync_action="idle").last_known


def test_the_log_distinguishes_done_from_interrupted() -> None:
    """Only checks and repairs count. An unreadable log differs from an empty one."""
    found = converse(events(), Shell({}, {"dmesg": RunAnswer(code=0, out=LOG.encode())})) or []
    assert [(one.device, one.kind, one.done, int(one.seconds)) for one in found] == [
        ("md0", "check", True, 106),
        ("md1", "check", False, 123),
        ("md0", "repair", True, 130),
    ]
    assert converse(events(), Shell({}, {"dmesg": RunAnswer(code=1, err=b"dmesg: read kernel buffer failed")})) is None
    assert converse(events(), Shell({})) is None


def shown(files: dict[str, str | Failure], units: str | None = None) -> Schedules:
    """The schedules of a machine with these files, whose systemctl prints this."""
    runs = {} if units is None else {" ".join(SHOW.argv): RunAnswer(code=0, out=units.encode())}
    return converse(schedules(MD), Shell(files, runs))


@over(
    "active, state, enabled, why",
    [
        ("active", "enabled", True, None),
        ("active", "disabled", True, "It is not enabled: off after a reboot."),
        ("inactive", "enabled", False, "It is enabled, but not running."),
        ("inactive", "disabled", False, "It is not enabled."),
        ("inactive", "masked", False, "It is masked."),
        ("reloading", "enabled", None, "systemd reports it as reloading."),
    ],
)
def test_a_timer_is_on_if_it_runs(active: str, state: str, enabled: bool | None, why: str | None) -> None:
    """A timer is on if it runs now. The reason covers the next boot."""
    [timer] = shown({}, UNIT.format(active=active, state=state, cron="active")).schedules
    assert (timer.name, timer.enabled, timer.why) == ("mdcheck_start.timer", enabled, why)
    assert timer.calendar == "Sun *-*-1..7 01:00:00"
    assert timer.next_at == "Sun 2026-12-06 01:00:00 UTC"
    assert timer.files[-1] == "/etc/systemd/system/mdcheck_start.timer.d/site.conf"


def test_a_timer_known_from_files_alone_is_never_on() -> None:
    """Without systemctl, a link shows that a timer is enabled, not running."""
    unit, link = "/lib/systemd/system/raid-check.timer", "/etc/systemd/system/timers.target.wants/raid-check.timer"
    assert [one.enabled for one in shown({unit: "", link: ""}).schedules] == [None]
    assert [one.enabled for one in shown({unit: ""}).schedules] == [False]
    assert shown({}).schedules == ()


@over(
    "files, cron, enabled",
    [
        ({"/etc/default/mdadm": "AUTOCHECK=true\n"}, "active", True),
        ({"/etc/default/mdadm": "AUTOCHECK=true\n", "/run/crond.pid": "7\n"}, None, True),
        ({"/etc/default/mdadm": "AUTOCHECK=true\n"}, None, None),
        ({"/etc/default/mdadm": "AUTOCHECK=true\n"}, "inactive", False),
        ({"/etc/default/mdadm": "AUTOCHECK=false\n"}, "active", False),
        ({"/etc/default/mdadm": "# AUTOCHECK=true\n"}, "active", False),
        ({}, "active", False),
        ({"/etc/default/mdadm": Failure.DENIED}, "active", None),
    ],
)
def test_a_cron_job_is_on_if_cron_runs_and_it_is_not_disabled(
    files: dict[str, str | Failure], cron: str | None, enabled: bool | None
) -> None:
    """Debian's job needs AUTOCHECK=true. An unknown file or cron makes the job unknown."""
    units = None if cron is None else UNIT.format(active="inactive", state="disabled", cron=cron)
    [job] = [one for one in shown({"/etc/cron.d/mdadm": CRON, **files}, units).schedules if one.kind == "cron"]
    assert (job.enabled, job.calendar) == (enabled, "57 0 * * 0, days 1 to 7 only")


def test_a_job_without_a_line_is_off() -> None:
    """A cron file with comments only is off."""
    [job] = shown({"/etc/cron.d/mdadm": "# 57 0 * * 0 root checkarray\n"}).schedules
    assert (job.enabled, job.why) == (False, "It contains no job: all lines are comments.")


def test_what_cannot_be_read_may_hide_a_schedule() -> None:
    """An unreadable file is a problem, not a missing schedule."""
    found = shown({"/etc/cron.d/mdadm": Failure.DENIED})
    assert [(one.name, one.enabled) for one in found.schedules] == [("/etc/cron.d/mdadm", None)]
    assert [one.kind for one in found.problems] == ["no_right"]


def test_a_systemd_that_does_not_answer_is_reported() -> None:
    """Without an answer of systemctl, timers may be missing; a machine without systemctl has none."""
    failed = RunAnswer(code=1, err=b"Failed to connect to bus: Connection timed out")
    [problem] = converse(schedules(MD), Shell({}, {" ".join(SHOW.argv): failed})).problems
    assert problem.kind == "unread"
    assert "Connection timed out" in problem.message
    assert shown({}).problems == ()


def test_a_unit_that_systemctl_does_not_print_is_unknown() -> None:
    """A timer without a block is known from its files alone, and cron without one may run; a problem names the unit."""
    whole = UNIT.format(active="active", state="enabled", cron="inactive")
    assert shown({}, whole).problems == ()
    unit, link = "/lib/systemd/system/raid-check.timer", "/etc/systemd/system/timers.target.wants/raid-check.timer"
    blocks = whole.split("\n\n")
    lacking = "\n\n".join(block for block in blocks if "raid-check" not in block)
    found = shown({unit: "", link: "", "/etc/cron.d/mdadm": CRON, "/etc/default/mdadm": "AUTOCHECK=true\n"}, lacking)
    assert [(one.name, one.enabled) for one in found.schedules] == [
        ("mdcheck_start.timer", True),
        ("raid-check.timer", None),
        ("/etc/cron.d/mdadm", None),
    ]
    [problem] = found.problems
    assert problem.kind == "unread"
    assert "raid-check.timer" in problem.message
    cut = shown({}, whole[: whole.index("raid-check.timer\nLoadState")])
    assert [problem.kind for problem in cut.problems] == ["unread"]


def test_a_machine_without_md_is_not_asked() -> None:
    """Without md, no request is made."""
    machine = Shell({})
    assert converse(schedules(Inventory(host=Host())), machine) == Schedules()
    assert machine.asked == []
