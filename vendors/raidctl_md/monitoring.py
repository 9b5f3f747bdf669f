"""How a machine monitors and checks its arrays.

Read from the configuration file, the units and cron jobs of the monitor and the check, and the records of mdcheck.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from raidctl.evidence import Line, Output, mark_read
from raidctl.model import Array, Controller, Scrub, Volume
from raidctl.model.raid_levels import PARITY
from raidctl.request import Answer, Dialogue, Failure, Glob, GlobAnswer, Read, ReadAnswer, Request, Run, ask
from raidctl.text import regex
from raidctl.vendor.protocol import Observation
from raidctl_md.schedules import JOBS, switched

_CONFIG: tuple[Request[Any], ...] = (Read("/etc/mdadm/mdadm.conf"), Read("/etc/mdadm.conf"))
_PIECES: tuple[Request[Any], ...] = (Glob("/etc/mdadm/mdadm.conf.d/*.conf"), Glob("/etc/mdadm.conf.d/*.conf"))
_SYSTEMD = Glob("/run/systemd/system")
_MONITOR = tuple(
    map(
        Glob,
        (
            # a unit that runs has a control group; older systems, and those without systemd, have a file with its id
            "/sys/fs/cgroup/system.slice/mdmonitor.service",
            "/sys/fs/cgroup/systemd/system.slice/mdmonitor.service",
            "/etc/systemd/system/*.wants/mdmonitor-oneshot.timer",
            "/run/mdadm/*.pid",
        ),
    )
)
# of mdmon, which serves a container and reports nothing: /run/mdadm/md127.pid
_MDMON = regex(r"/run/mdadm/md(?:\d+|_.*)\.pid", re.ASCII)
_UNITS = ("/etc/systemd/system", "/lib/systemd/system", "/usr/lib/systemd/system")
_CHECK = tuple(
    Glob(pattern)
    for pattern in (
        *(f"{place}/*.wants/{unit}.timer" for place in _UNITS for unit in ("mdcheck_start", "raid-check")),
        "/etc/cron.d/mdadm",
        "/etc/cron.d/raid-check",
        "/etc/cron.*/raid-check",
    )
)
_SWITCHES = tuple(dict.fromkeys(Read(job.switch_file) for job in JOBS))
_CHECKED = Glob("/var/lib/mdcheck/*")
SPARE_GROUP = "spare-group"
"""Label of an array's spare group in its details."""
REQUESTS: tuple[Request[Any], ...] = (*_CONFIG, *_PIECES, _SYSTEMD, *_MONITOR, *_CHECK, *_SWITCHES, _CHECKED)


class Monitoring(Struct):
    """What was read about the monitoring of all arrays."""

    listed: dict[str, Line] = field(default_factory=dict)
    """The words of the ARRAY lines in lower case, and their lines."""
    groups: dict[str, tuple[Line, str]] = field(default_factory=dict)
    """The spare group of an ARRAY entry, by each of its words."""
    config: bool | None = None
    """Whether all configuration files could be read; None: not all."""
    monitored: bool | None = None
    checked: bool | None = None
    last: Mapping[str, Scrub] = field(default_factory=dict)
    """By UUID."""
    outputs: list[Output] = field(default_factory=list)


def read(answers: Sequence[Answer]) -> Dialogue[Monitoring]:
    """Interpret the answers to :data:`REQUESTS`."""
    reported = dict(zip(REQUESTS, answers, strict=True))
    monitoring = Monitoring()
    pieces = [reported[one] for one in _PIECES]
    more = [path for answer in pieces if isinstance(answer, GlobAnswer) for path in answer.paths]
    files = list(zip(("/etc/mdadm/mdadm.conf", "/etc/mdadm.conf"), (reported[one] for one in _CONFIG), strict=True))
    if more:
        files += list(zip(more, (yield tuple(map(Read, more))), strict=True))
    for path, answer in files:
        if isinstance(answer, ReadAnswer) and answer.text is not None:
            _config(path, answer.text, monitoring)
    if all(answer.trouble in (None, Failure.MISSING) for answer in (*pieces, *(answer for _, answer in files))):
        monitoring.config = True
    monitoring.monitored = _there(_MONITOR, reported, monitoring)
    monitoring.checked = _there(_CHECK, reported, monitoring)
    yield from _last(reported[_CHECKED], monitoring)
    return monitoring


def _config(path: str, text: str, monitoring: Monitoring) -> None:
    """``ARRAY /dev/md0 metadata=1.2 UUID=…``; a line that begins with a blank continues the one above."""
    output = Output.of_text(path, text)
    monitoring.outputs.append(output)
    array = False
    entry: list[str] = []
    for line in output.lines:
        mark_read(line)
        exact = line.text.split("#")[0].split()
        words = [word.lower() for word in exact]
        if words and not line.text[:1].isspace():
            array = words[0].startswith("array")
            entry = []
        if array:
            monitoring.listed.update(dict.fromkeys(words, line))
            entry += exact
            _group(entry, line, monitoring)


def _group(entry: Sequence[str], line: Line, monitoring: Monitoring) -> None:
    """``spare-group=main``: the running monitor moves spares between the arrays of a group."""
    name = next((word.partition("=")[2] for word in entry if word.lower().startswith("spare-group=")), None)
    if name:
        monitoring.groups.update({word.lower(): (line, name) for word in entry})


def _there(
    wanted: Sequence[Request[Any]], reported: Mapping[Request[Any], Answer], monitoring: Monitoring
) -> bool | None:
    """Whether one of the wanted files exists, and no other file switches it off.

    False only where systemd runs and each could be looked for.
    """
    answers = [reported[one] for one in (*wanted, _SYSTEMD)]
    *found, systemd = [one.paths if isinstance(one, GlobAnswer) else () for one in answers]
    states = {path: _is_on(path, reported) for one in found for path in one if not _MDMON.fullmatch(path)}
    paths = [path for path, on in states.items() if on]
    if paths:
        output = Output.of_text("files", paths[0])
        name, value = ("monitored", "True") if wanted is _MONITOR else ("consistency_check.mode", "automatic")
        output.lines[0].fact("md", name, value)
        monitoring.outputs.append(output)
        return True
    return False if systemd and all(one.trouble is None for one in answers) and None not in states.values() else None


def _is_on(path: str, reported: Mapping[Request[Any], Answer]) -> bool | None:
    """Whether a file has an effect. For a cron job, another file decides: ``AUTOCHECK=false``."""
    job = next((job for job in JOBS if path.endswith(job.path[job.path.rindex("/") :])), None)
    return True if job is None else switched(job, reported)[0]


def _last(answer: Answer, monitoring: Monitoring) -> Dialogue[None]:
    """Read where a check stopped (``MD_UUID_x``), and when one ended (``Checked_x``)."""
    paths = answer.paths if isinstance(answer, GlobAnswer) else ()
    done = tuple(path for path in paths if "/Checked_" in path)
    last = {path.partition("/MD_UUID_")[2]: Scrub(last_result="unfinished") for path in paths if "/MD_UUID_" in path}
    if done:
        reported = yield from ask(Run(("stat", "--format=%Y %n", *done)))
        for line in reported.text.splitlines():
            seconds, _, path = line.partition(" ")
            if seconds.isdecimal() and path in done:
                at = datetime.fromtimestamp(int(seconds), timezone.utc).isoformat()
                uuid = path.partition("/Checked_")[2]
                last[uuid] = Scrub(last_at=at, last_result="unfinished" if uuid in last else "ok")
    monitoring.last = last


def applied(found: Observation, monitoring: Monitoring) -> Observation:
    """Add checks and monitoring of the arrays to the observation."""
    controllers = tuple(_controller(controller, monitoring) for controller in found.controllers)
    return replace(found, controllers=controllers, outputs=(*found.outputs, *monitoring.outputs))


def _controller(controller: Controller, monitoring: Monitoring) -> Controller:
    check = None if monitoring.checked is None else Scrub(mode="automatic" if monitoring.checked else "disabled")
    volumes = tuple(_volume(volume, monitoring) for volume in controller.volumes)
    arrays = tuple(_array(array, volumes, monitoring) for array in controller.arrays)
    return replace(controller, monitored=monitoring.monitored, consistency_check=check, volumes=volumes, arrays=arrays)


def _array(array: Array, volumes: Sequence[Volume], monitoring: Monitoring) -> Array:
    """The array with its spare group."""
    names = [name for volume in volumes if volume.array == array.id for name in _names(volume)]
    found = next((monitoring.groups[name] for name in names if name in monitoring.groups), None)
    if found is None:
        return array
    line, group = found
    line.detail(array.id, SPARE_GROUP, group)
    return replace(array, details={**array.details, SPARE_GROUP: group})


def _volume(volume: Volume, monitoring: Monitoring) -> Volume:
    line = next((monitoring.listed[name] for name in _names(volume) if name in monitoring.listed), None)
    if line is not None:
        line.fact(volume.id, "in_config_file", value=True)
    last = monitoring.last.get(volume.unique_id or "", volume.consistency_check)
    if stopped(volume.details):
        last = replace(last or Scrub(), last_result="unfinished")
    elif last is not None and last.last_result == "ok":
        last = replace(last, last_result=_result(volume))
    return replace(
        volume,
        in_config_file=True if line else None if monitoring.config is None or not volume.unique_id else False,
        consistency_check=last,
    )


def _result(volume: Volume) -> Literal["ok", "failed"] | None:
    """What the last check found. Copies of a mirror that is in use may differ; md(4).

    The kernel counts from 0 when the array is started and when a check, resync or rebuild begins. None: the count is
    not that of a complete check.
    """
    action, last = (volume.details.get(name) for name in ("sync_action", "last_sync_action"))
    if last in ("check", None) and volume.raid_level in PARITY and volume.mismatch_count:
        return "failed"
    return "ok" if (action, last) == ("idle", "check") and volume.mismatch_count is not None else None


def stopped(details: Mapping[str, str]) -> int | None:
    """The sector at which the last check was stopped. None: it was not, or that is unknown.

    The next check begins there (``sync_min``); it is 0 after a complete one, and in the first sixteenth of a check.
    """
    place = details.get("sync_min", "")
    idle = details.get("sync_action") == "idle" and details.get("last_sync_action") in ("check", "repair")
    return (int(place) or None) if idle and place.isascii() and place.isdecimal() else None


def _names(volume: Volume) -> Iterator[str]:
    """How an ARRAY line can name the array."""
    uuid, name = (volume.unique_id or "").lower(), (volume.name or "").lower()
    yield from (f"uuid={uuid}", f"uuid={uuid.replace(':', '')}") if uuid else ()
    yield from (f"name={name}", f"/dev/md/{name.rpartition(':')[2]}") if name else ()
    yield (volume.device or "").lower()
