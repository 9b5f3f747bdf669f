"""What starts scrubs of md arrays: systemd timers and cron jobs. Pure.

The timers are mdadm's and Fedora's, the cron jobs those of Debian and Red Hat. raidctl shows and edits the schedule
that is there; it never adds another one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from raidctl.model import Inventory, Problem
from raidctl.request import Dialogue, Failure, Glob, GlobAnswer, Read, ReadAnswer, Request, Run, RunAnswer
from raidctl.text import collapse, counted, regex
from raidctl.vendor.checks import Schedule, Schedules

TIMERS = ("mdcheck_start.timer", "mdcheck_continue.timer", "raid-check.timer")
_CRON_UNITS = ("cron.service", "crond.service", "cronie.service")
_PROPERTIES = "Id,LoadState,UnitFileState,ActiveState,NextElapseUSecRealtime,TimersCalendar,FragmentPath,DropInPaths"
_UNITS = (*TIMERS, *_CRON_UNITS)
SHOW = Run(("systemctl", "show", f"--property={_PROPERTIES}", *_UNITS))
_PLACES = ("/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system")
_UNIT_FILES = tuple(Glob(f"{place}/{timer}") for timer in TIMERS for place in _PLACES)
_LINKS = tuple(Glob(f"{place}/*.wants/{timer}") for timer in TIMERS for place in _PLACES)
_DAEMON = Glob("/run/cron*.pid")
# TimersCalendar={ OnCalendar=Sun *-*-1..7 01:00:00 ; next_elapse=Sun 2026-12-06 01:00:00 UTC }
CALENDAR = regex(r"\{ OnCalendar=(.{1,200}?) ; next_elapse=")
# AUTOCHECK=true
_SWITCH = regex(r"(?m)^\s*(?:export\s+)?(AUTOCHECK|ENABLED)=[\"']?(\w{1,20})[\"']?\s*(?:#.*)?$")
_FIELDS = 5


class Job(NamedTuple):
    """A cron job and the program that it starts. A file can switch the program off."""

    path: str
    program: str
    switch_file: str
    on: str
    off: str


JOBS = (
    Job("/etc/cron.d/mdadm", "checkarray", "/etc/default/mdadm", "true", "false"),
    Job("/etc/cron.d/raid-check", "raid-check", "/etc/sysconfig/raid-check", "yes", "no"),
    Job("/etc/cron.weekly/raid-check", "raid-check", "/etc/sysconfig/raid-check", "yes", "no"),
    Job("/etc/cron.weekly/99-raid-check", "raid-check", "/etc/sysconfig/raid-check", "yes", "no"),
)
_READS = tuple(dict.fromkeys(Read(path) for job in JOBS for path in (job.path, job.switch_file)))
REQUESTS: tuple[Request[Any], ...] = (SHOW, *_UNIT_FILES, *_LINKS, _DAEMON, *_READS)

Answers = Mapping[Request[Any], Any]
Units = Mapping[str, Mapping[str, str]] | None
"""The properties of each unit; None: systemctl did not answer."""


def schedules(inventory: Inventory) -> Dialogue[Schedules]:
    """Every installed timer and cron job. Empty if the machine has no software RAID."""
    if not any(controller.mode == "software" for controller in inventory.controllers):
        return Schedules()
    answers = yield REQUESTS
    reported = dict(zip(REQUESTS, answers, strict=True))
    units = units_of(reported[SHOW])
    found = [*(_timer(timer, units, reported) for timer in TIMERS), *(_cron(job, units, reported) for job in JOBS)]
    problems = (*silent(reported[SHOW], "schedules of checks"), *_unread(reported))
    return Schedules(schedules=tuple(one for one in found if one is not None), problems=problems)


def silent(answer: RunAnswer, where: str) -> tuple[Problem, ...]:
    """The problem if systemctl did not answer, or not for each timer. A machine without it has no timers."""
    units = units_of(answer)
    lacking = [name for name in TIMERS if name not in (units or {})]
    if not lacking or answer.trouble is Failure.MISSING:
        return ()
    printed = collapse(answer.detail if answer.trouble is not None else answer.error_text or answer.text)[:200]
    what = f"did not answer{f' ({printed})' if printed else ''}" if units is None else f"did not print {lacking[0]}"
    message = f"systemctl {what}: which timers there are is unknown."
    return (
        Problem(
            severity="warning", where=where, message=message, remedy="Run: systemctl list-timers --all", kind="unread"
        ),
    )


def units_of(answer: RunAnswer) -> Units:
    """The properties of each unit; None if systemctl did not answer.

    systemctl prints a block for each unit in the requested order, also for one that does not exist. For an alias, its
    ``Id`` is another name. A unit without a block, or with a block that was cut off, is missing.
    """
    if not answer.fine or "LoadState=" not in answer.text:
        return None
    blocks = [dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
              for block in answer.text.split("\n\n")]  # fmt: skip
    whole = len(blocks) == len(_UNITS)
    named = zip(_UNITS, blocks, strict=True) if whole else ((block.get("Id", ""), block) for block in blocks)
    return {name: block for name, block in named if "LoadState" in block}


def _timer(name: str, units: Units, reported: Answers) -> Schedule | None:
    if units is None or name not in units:
        return _timer_of_files(name, reported)
    unit = units[name]
    if unit["LoadState"] == "not-found":
        return None
    active, state = unit.get("ActiveState", ""), unit.get("UnitFileState", "")
    calendar = [match[1] for match in CALENDAR.finditer(unit.get("TimersCalendar", ""))]
    on = {"active": True, "inactive": False, "failed": False}.get(active)
    return Schedule(
        name=name,
        kind="timer",
        enabled=on,
        why=_why(active, state, on=on),
        calendar=", ".join(calendar) or None,
        next_at=unit.get("NextElapseUSecRealtime") or None,
        files=(unit["FragmentPath"], *unit.get("DropInPaths", "").split()) if unit.get("FragmentPath") else (),
    )


def _why(active: str, state: str, *, on: bool | None) -> str | None:
    if on is None:
        return f"systemd reports it as {active or 'unknown'}."
    if state == "masked":
        return "It is masked."
    if on:
        return None if state in ("enabled", "static", "enabled-runtime") else "It is not enabled: off after a reboot."
    return "It is enabled, but not running." if state == "enabled" else "It is not enabled."


def _timer_of_files(name: str, reported: Answers) -> Schedule | None:
    """A timer by its files, if systemctl does not work."""
    units = [reported[one] for one in _UNIT_FILES if one.pattern.endswith(f"/{name}")]
    links = [reported[one] for one in _LINKS if one.pattern.endswith(f"/{name}")]
    files = tuple(path for answer in units for path in answer.paths)
    linked = any(answer.paths for answer in links)
    if not files and not linked:
        return None
    if linked:
        return Schedule(name=name, kind="timer", why="It is enabled; systemctl does not report whether it runs.",
                        files=files)  # fmt: skip
    off = all(answer.trouble is None for answer in links)
    return Schedule(
        name=name,
        kind="timer",
        enabled=False if off else None,
        why="It is not enabled." if off else "Its links could not be listed.",
        files=files,
    )


def _cron(job: Job, units: Units, reported: Answers) -> Schedule | None:
    answer: ReadAnswer = reported[Read(job.path)]
    if answer.text is None:
        denied = answer.trouble is Failure.DENIED
        return Schedule(name=job.path, kind="cron", why="It could not be read.", files=(job.path,)) if denied else None
    lines = [line for line in answer.text.splitlines() if job.program in line and not line.lstrip().startswith("#")]
    if not lines:
        return Schedule(
            name=job.path, kind="cron", enabled=False, why="It contains no job: all lines are comments.",
            files=(job.path,),
        )  # fmt: skip
    on, why = switched(job, reported)
    if on:
        on, why = _running(units, reported[_DAEMON])
    words = lines[0].split()
    calendar = "weekly"
    if job.path.startswith("/etc/cron.d/"):
        calendar = " ".join(words[:_FIELDS]) + (", days 1 to 7 only" if "-le 7" in lines[0] else "")
    return Schedule(
        name=job.path,
        kind="cron",
        enabled=on,
        why=why,
        calendar=calendar,
        files=(job.path, job.switch_file),
    )


def switched(job: Job, reported: Answers) -> tuple[bool | None, str | None]:
    """Whether the program does anything: ``AUTOCHECK=true`` of Debian, ``ENABLED=yes`` of Red Hat."""
    answer: ReadAnswer = reported[Read(job.switch_file)]
    if answer.text is None and answer.trouble is not Failure.MISSING:
        return None, f"{job.switch_file} could not be read."
    name, value = switch_of(answer.text or "", job)
    if value == job.on:
        return True, None
    return False, f"{name} is {value or 'not set'} in {job.switch_file}."


def switch_of(text: str, job: Job) -> tuple[str, str]:
    """The variable that switches a job, and its last value. The value is empty if it is not set."""
    name = "AUTOCHECK" if job.program == "checkarray" else "ENABLED"
    values = [value for found, value in _SWITCH.findall(text) if found == name]
    return name, values[-1] if values else ""


def _running(units: Units, daemon: GlobAnswer) -> tuple[bool | None, str | None]:
    """Whether the cron daemon runs."""
    active = units is not None and any(units.get(name, {}).get("ActiveState") == "active" for name in _CRON_UNITS)
    if active or daemon.paths:
        return True, None
    if (
        units is None
        or daemon.trouble is not None
        or not all("ActiveState" in units.get(one, {}) for one in _CRON_UNITS)
    ):
        return None, "It is unknown whether cron is running."
    return False, "cron is not running."


def _unread(reported: Answers) -> Sequence[Problem]:
    """What could not be read. A schedule may therefore be missing from the list."""
    asked = [request for request in reported if isinstance(request, (Glob, Read))]
    failed = [request for request in asked if reported[request].trouble not in (None, Failure.MISSING)]
    if not failed:
        return []
    names = [request.path if isinstance(request, Read) else request.pattern for request in failed]
    denied = any(reported[request].trouble is Failure.DENIED for request in failed)
    others = f" and {counted(len(names) - 1, 'other file')}" if len(names) > 1 else ""
    return [
        Problem(
            severity="warning",
            where="schedules of checks",
            message=f"{names[0]}{others} could not be read: a schedule may be missing here.",
            remedy="Run raidctl as root." if denied else None,
            kind="no_right" if denied else "unread",
        )
    ]
