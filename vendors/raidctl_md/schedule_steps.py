"""Steps that switch a schedule of checks, or change its times. Pure.

A timer's times are set in a drop-in of raidctl's own, as systemd.timer(5) describes: an empty ``OnCalendar=`` first,
which removes those of the distribution. systemd reads unit files with ``daemon-reload``; it is before and after the
step of the file, so it is also the last step when the steps are undone in reverse order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from raidctl.model import Controller, Volume
from raidctl.text import regex
from raidctl.vendor.plan import Action, Desired, Plan, Refusal, RefusalKind, Step, ToolSetting
from raidctl_md.schedules import JOBS, Job, switch_of

FAMILY = "schedule"
DROP_IN = "/etc/systemd/system/{}.d/raidctl.conf"
ABSENT = "absent"
DROPPED = "schedule_drop_in"
"""Setting: the times in raidctl's own drop-in."""
_HEAD = "# Written by raidctl check schedule set.\n[Timer]\nOnCalendar=\n"
# OnCalendar=Sun *-*-01..07 01:00:00
_CALENDAR = regex(r"OnCalendar=([^\n=]{1,200})")
_RANGES = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
_PART = regex(r"(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:/(\d{1,2}))?", re.ASCII)


def calendars_of(text: str) -> list[str]:
    """The times in a drop-in of raidctl. Empty if anything else has written it."""
    rest = text.removeprefix(_HEAD)
    lines = rest.splitlines()
    found = [match[1] for line in lines if (match := _CALENDAR.fullmatch(line))]
    return found if text.startswith(_HEAD) and len(found) == len(lines) else []


def drop_in(calendars: Sequence[str]) -> str:
    """The text of a drop-in."""
    return _HEAD + "".join(f"OnCalendar={one}\n" for one in calendars)


def job_line(text: str, program: str) -> str | None:
    """The line of a cron file that starts a program."""
    lines = (line for line in text.splitlines() if program in line and not line.lstrip().startswith("#"))
    return next(lines, None)


def cron_times(text: str) -> str | None:
    """The five fields of cron, checked; None if they are invalid.

    >>> cron_times("57 0 * * 0"), cron_times("61 0 * * 0"), cron_times("@weekly")
    ('57 0 * * 0', None, None)
    """
    fields = text.split()
    if len(fields) != len(_RANGES):
        return None
    good = all(_fits(part, least, most) for field, (least, most) in zip(fields, _RANGES, strict=True)
               for part in field.split(","))  # fmt: skip
    return " ".join(fields) if good else None


def _fits(part: str, least: int, most: int) -> bool:
    match = _PART.fullmatch(part)
    if match is None or match[3] == "0":
        return False
    numbers = [int(one) for one in match.groups()[:2] if one is not None]
    return all(least <= one <= most for one in numbers) and numbers == sorted(numbers)


def switched_to(text: str, job: Job) -> str:
    """Whether a job is switched on in its file."""
    return "enabled" if switch_of(text, job)[1] == job.on else "disabled"


def current(volume: Volume) -> dict[ToolSetting, str]:
    """The settings of a schedule that can be read."""
    details = volume.details
    names = ["schedule_enabled", DROPPED] + ([] if _is_timer(volume) else ["schedule_times"])
    return {(volume.id, name): details[name] for name in names if name in details}


def _is_timer(volume: Volume) -> bool:
    return volume.details.get("name", "").endswith(".timer")


class _CannotError(Exception):
    """A desired value that is impossible."""

    def __init__(self, reason: str, kind: RefusalKind = "unsupported", alternative: str | None = None) -> None:
        super().__init__(reason)
        self.reason, self.kind, self.alternative = reason, kind, alternative


def plan_of(controller: Controller, requests: Sequence[Desired]) -> Plan:
    """The steps for desired settings."""
    objects = {volume.id: volume for volume in controller.volumes}
    steps: list[Step] = []
    already: list[Desired] = []
    refusals: list[Refusal] = []
    for desired in requests:
        try:
            fresh = list(_steps(objects.get(desired.object_id), desired))
        except _CannotError as why:
            refusals.append(Refusal(desired, why.kind, why.reason, why.alternative))
            continue
        steps += fresh
        already += [] if fresh else [desired]
    return Plan(desired=tuple(requests), steps=tuple(steps), already=tuple(already), refusals=tuple(refusals))


def _steps(volume: Volume | None, desired: Desired) -> Iterator[Step]:
    """The steps to a desired setting; none if it has that value already."""
    if volume is None:
        raise _CannotError("There is no such schedule.")
    if volume.details.get(desired.setting) == desired.value:
        return iter(())
    if desired.setting == "schedule_enabled":
        return _switch_timer(volume, desired.value) if _is_timer(volume) else _switch_job(volume, desired.value)
    if desired.setting == DROPPED and _is_timer(volume):
        return _timer_times(volume, ABSENT)
    if desired.setting == DROPPED:
        why = "The times of the distribution's job are not kept in another file."
        raise _CannotError(why, alternative="--times 'MINUTE HOUR DAY MONTH WEEKDAY'")
    if desired.setting == "schedule_times":
        return _timer_times(volume, desired.value) if _is_timer(volume) else _job_times(volume, desired.value)
    raise _CannotError("A schedule has no such setting.")


def _switch_timer(volume: Volume, value: str) -> Iterator[Step]:
    name, before = volume.details["name"], volume.details.get("schedule_enabled")
    if before is None:
        state = volume.details["unit state"]
        hint = f"systemctl unmask {name}" if state.startswith("masked") else f"systemctl enable --now {name}"
        raise _CannotError(f"systemd reports {name} as {state}: that could not be restored.", "unknown", hint)
    yield Step(
        object_id=volume.id, setting="schedule_enabled", before=before, after=value, persistent=True,
        action=_systemctl(value, name), undo=_systemctl(before, name),
    )  # fmt: skip


def _systemctl(value: str, name: str) -> Action:
    return Action(argv=("systemctl", "enable" if value == "enabled" else "disable", "--now", name))


def _timer_times(volume: Volume, value: str) -> Iterator[Step]:
    """The drop-in, between two readings of the unit files."""
    name, before = volume.details["name"], volume.details.get(DROPPED)
    path = DROP_IN.format(name)
    if before is None:
        why = f"{path} could not be read, or was not written by raidctl."
        raise _CannotError(why, "unknown", f"systemctl edit {name}")
    if value == before:
        why = "raidctl's drop-in has these times already, and something else changes them."
        raise _CannotError(why, "not_in_force", f"systemctl cat {name}")
    yield _reload(volume, "before")
    yield Step(
        object_id=volume.id, setting=DROPPED, before=before, after=value, persistent=True,
        action=_file(path, value), undo=_file(path, before),
        affects=(f"File: {path}",),
    )  # fmt: skip
    yield _reload(volume, "after")


def _reload(volume: Volume, when: str) -> Step:
    """Have systemd read its unit files. Its success shows only in the times."""
    action = Action(argv=("systemctl", "daemon-reload"))
    return Step(
        object_id=volume.id, setting=f"unit files {when} the change", before="read", after="read again", action=action,
        undo=action, readable=False, persistent=True,
    )  # fmt: skip


def _file(path: str, calendars: str) -> Action:
    if calendars == ABSENT:
        return Action(argv=("rm", "--", path))
    return Action(argv=("install", "-D", "-m", "644", "/dev/stdin", path), feed=drop_in(calendars.split(", ")))


def _switch_job(volume: Volume, value: str) -> Iterator[Step]:
    """The variable in the file that switches a cron job."""
    job, text = _job_of(volume), volume.details.get("switch")
    if text is None:
        raise _CannotError(f"{job.switch_file} is missing or cannot be read.", "unknown")
    name, _ = switch_of(text, job)
    word = job.on if value == "enabled" else job.off
    lines = text.splitlines(keepends=True)
    own = [number for number, line in enumerate(lines) if re.match(rf"\s*(?:export\s+)?{name}=", line)]
    if own:
        last = own[-1]
        lines[last] = re.sub(rf"({name}=)[\"']?\w*[\"']?", rf"\g<1>{word}", lines[last], count=1)
    else:
        lines += ["" if not lines or lines[-1].endswith("\n") else "\n", f"{name}={word}\n"]
    yield Step(
        object_id=volume.id, setting="schedule_enabled", before=volume.details["schedule_enabled"], after=value,
        persistent=True, action=_tee(job.switch_file, "".join(lines)), undo=_tee(job.switch_file, text),
        affects=(f"{name}={word} in {job.switch_file}; all else in the file stays.",),
    )  # fmt: skip


def _job_times(volume: Volume, value: str) -> Iterator[Step]:
    """The five fields in the line of a cron job."""
    job, text, before = _job_of(volume), volume.details.get("file"), volume.details.get("schedule_times")
    if text is None or before is None:
        raise _CannotError(f"The times of {job.path} are those of /etc/crontab, or it cannot be read.", "unknown")
    line = job_line(text, job.program) or ""
    parts = re.match(r"(\s*)((?:\S+\s+){4}\S+)(\s.*)", line)
    if parts is None:
        raise _CannotError(f"The line of {job.program} in {job.path} has another form.", "unknown")
    lines = text.splitlines(keepends=True)
    number = text.splitlines().index(line)  # a comment above it may contain the same text
    lines[number] = lines[number].replace(line, f"{parts[1]}{value}{parts[3]}")
    kept = volume.details.get("condition")
    yield Step(
        object_id=volume.id, setting="schedule_times", before=before, after=value, persistent=True,
        action=_tee(job.path, "".join(lines)), undo=_tee(job.path, text),
        affects=(f"The job's own condition stays: {kept}.",) if kept else (),
    )  # fmt: skip


def _tee(path: str, text: str) -> Action:
    return Action(argv=("tee", "--", path), feed=text)


def _job_of(volume: Volume) -> Job:
    return next(job for job in JOBS if job.path == volume.details["name"])
