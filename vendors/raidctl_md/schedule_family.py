"""Schedules of checks in vendor package form, for the change engine. Pure.

``observe`` gives one pseudo controller, ``schedule``; each timer and cron job is a volume on it, with its settings in
the details. Only the commands that change it pass it to the engine; it is never shown as a controller.

=====================  ============================  ==============================================================
setting                object                        how it is set
=====================  ============================  ==============================================================
``schedule_enabled``   ``schedule:raid-check.timer`` ``systemctl enable --now``, ``systemctl disable --now``
``schedule_times``     a timer                       ``OnCalendar`` in a drop-in below ``/etc/systemd/system``
``schedule_enabled``   ``schedule:cron.d!mdadm``     ``AUTOCHECK`` in ``/etc/default/mdadm``, ``ENABLED`` of Red Hat
``schedule_times``     a cron job                    the five fields in its line
=====================  ============================  ==============================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from raidctl.host import HostView
from raidctl.model import Capability, Controller, Tool, Volume
from raidctl.request import Answer, Dialogue, Failure, Read, ReadAnswer, Request, Run, RunAnswer, ask_all
from raidctl.text import collapse
from raidctl.vendor.plan import Action, Desired, Flush, Plan, ToolSetting
from raidctl.vendor.protocol import Document, Observation, Sniffed, ToolSpec
from raidctl_md.schedule_steps import (
    ABSENT,
    DROP_IN,
    DROPPED,
    FAMILY,
    calendars_of,
    current,
    job_line,
    plan_of,
    switched_to,
)
from raidctl_md.schedules import CALENDAR, JOBS, REQUESTS, SHOW, TIMERS, Job, Units, silent, units_of

DROP_INS = tuple(Read(DROP_IN.format(timer)) for timer in TIMERS)


class ScheduleFamily:
    """The schedules of a machine, as the engine sees a vendor package."""

    FAMILY = FAMILY
    TITLE = "Schedules of checks"
    TOOLS: tuple[ToolSpec, ...] = ()
    DRIVERS: tuple[str, ...] = ()
    LAST = False
    SUPPORT: Mapping[str, Capability] = {}

    def __init__(self, calendars: Sequence[str] = ()) -> None:
        """Take ``calendars``, times of timers as a user wrote them. The family queries how systemd writes them."""
        self._calendars = tuple(calendars)

    def observe(self, view: HostView) -> Dialogue[Observation]:  # noqa: ARG002 - the signature of all families
        """Every timer and cron job that is there. The details have the calendars as systemd writes them."""
        requests: tuple[Request[Any], ...] = (*REQUESTS, *DROP_INS)
        answers = yield from ask_all(requests)
        reported = dict(zip(requests, answers, strict=True))
        units = units_of(reported[SHOW])
        found = [_timer(name, units, reported) for name in TIMERS] + [_job(job, reported) for job in JOBS]
        volumes = tuple(volume for volume in found if volume is not None)
        forms = yield from ask_all([Run(("systemd-analyze", "calendar", text)) for text in self._calendars])
        details = dict(zip(self._calendars, map(_normalised, self._calendars, forms), strict=True))
        known = {text: form for text, form in details.items() if form is not None}
        shown = Controller(id=FAMILY, model="schedules", mode="none", volumes=volumes, details=known)
        return Observation((shown,), problems=silent(reported[SHOW], FAMILY))

    def sniff(self, name: str, text: str) -> Sniffed | None:  # noqa: ARG002 - as above
        """Recognise nothing."""
        return None

    def read(self, documents: Sequence[Document]) -> Observation:  # noqa: ARG002 - as above
        """Read nothing from loose outputs."""
        return Observation()

    def current_settings(self, controller: Controller) -> dict[ToolSetting, str]:
        """The values that can be read."""
        return {pair: value for volume in controller.volumes for pair, value in current(volume).items()}

    def plan(self, controller: Controller, requests: Sequence[Desired], tools: Sequence[Tool]) -> Plan:  # noqa: ARG002
        """The commands that lead from the current to the desired schedules."""
        return plan_of(controller, requests)

    def flushes(self, controller: Controller, tools: Sequence[Tool]) -> list[Flush]:  # noqa: ARG002 - as above
        """Nothing to flush."""
        return []

    def judge(self, action: Action, answer: Answer) -> str | None:
        """The objection of systemctl, install, tee or rm. They end with 0 only if it is done."""
        if not isinstance(answer, RunAnswer) or answer.code == 0:
            return None
        printed = collapse(answer.error_text or answer.text)[:200]
        return printed or f"{action.argv[0]} ended with exit code {answer.code}"


def _timer(name: str, units: Units, reported: Mapping[Request[Any], Any]) -> Volume | None:
    """A timer with its settings; what systemd does not report is missing."""
    unit = (units or {}).get(name, {})
    if unit.get("LoadState") in (None, "not-found"):
        return None
    details = {"name": name, "unit state": f"{unit.get('UnitFileState') or '?'}, {unit.get('ActiveState') or '?'}"}
    on = {("enabled", "active"): "enabled", ("disabled", "inactive"): "disabled"}
    state = on.get((unit.get("UnitFileState", ""), unit.get("ActiveState", "")))
    if state is not None:
        details["schedule_enabled"] = state
    calendar = [match[1] for match in CALENDAR.finditer(unit.get("TimersCalendar", ""))]
    if calendar:
        details["schedule_times"] = ", ".join(calendar)
    answer: ReadAnswer = reported[Read(DROP_IN.format(name))]
    if answer.trouble is Failure.MISSING:
        details[DROPPED] = ABSENT
    elif answer.text is not None and (own := calendars_of(answer.text)):
        details[DROPPED] = ", ".join(own)
    return Volume(id=f"{FAMILY}:{name}", details=details)


def _job(job: Job, reported: Mapping[Request[Any], Any]) -> Volume | None:
    """A cron job with its switch and its line."""
    file: ReadAnswer = reported[Read(job.path)]
    if file.trouble is Failure.MISSING or (file.text is not None and job_line(file.text, job.program) is None):
        return None
    details = {"name": job.path, "switch file": job.switch_file, "program": job.program}
    if file.text is not None:
        line = job_line(file.text, job.program) or ""
        details |= {"file": file.text}
        if job.path.startswith("/etc/cron.d/"):
            details["schedule_times"] = " ".join(line.split()[:5])
            details["condition"] = "days 1 to 7 only" if "-le 7" in line else ""
    switch: ReadAnswer = reported[Read(job.switch_file)]
    if switch.text is not None:
        details |= {"switch": switch.text, "schedule_enabled": switched_to(switch.text, job)}
    place = job.path.removeprefix("/etc/").replace("/", "!")
    return Volume(id=f"{FAMILY}:{place}", details=details)


def _normalised(calendar: str, answer: RunAnswer) -> str | None:
    """``Sun *-*-01..07 01:00:00``, a calendar as systemd writes it.

    None if it is not one, or systemd cannot be queried.
    """
    # Normalized form: Sun *-*-01..07 01:00:00
    lines = [line.partition(":") for line in answer.text.splitlines()]
    forms = [rest.strip() for label, _, rest in lines if label.strip() == "Normalized form"]
    if answer.code != 0 or len(forms) > 1:
        return None
    return forms[0] if forms else calendar
