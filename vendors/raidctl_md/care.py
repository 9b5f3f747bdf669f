"""How the machine takes care of its arrays: configuration file, monitor, scheduled check, end of the last check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

from msgspec.structs import replace

from raidctl.evidence import Line, Output
from raidctl.model import Controller, Scrub, Volume
from raidctl.request import Answer, Dialogue, Failure, Glob, GlobAnswer, Read, ReadAnswer, Request, Run, ask
from raidctl.vendor.protocol import Observation

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
_CHECKED = Glob("/var/lib/mdcheck/*")
REQUESTS: tuple[Request[Any], ...] = (*_CONFIG, *_PIECES, _SYSTEMD, *_MONITOR, *_CHECK, _CHECKED)


@dataclass
class Care:
    """What the machine answered."""

    listed: dict[str, tuple[Output, Line]] = field(default_factory=dict)
    """The words of the ARRAY lines in lower case, and their lines."""
    config: bool | None = None
    """Whether all configuration files could be read; None: not all."""
    monitored: bool | None = None
    checked: bool | None = None
    last: Mapping[str, Scrub] = field(default_factory=dict)
    """By UUID."""
    outputs: list[Output] = field(default_factory=list)


def read(answers: Sequence[Answer]) -> Dialogue[Care]:
    """Make sense of the answers to :data:`REQUESTS`."""
    told = dict(zip(REQUESTS, answers, strict=True))
    care = Care()
    pieces = [told[one] for one in _PIECES]
    more = [path for answer in pieces if isinstance(answer, GlobAnswer) for path in answer.paths]
    files = list(zip(("/etc/mdadm/mdadm.conf", "/etc/mdadm.conf"), (told[one] for one in _CONFIG), strict=True))
    if more:
        files += list(zip(more, (yield tuple(map(Read, more))), strict=True))
    for path, answer in files:
        if isinstance(answer, ReadAnswer) and answer.text is not None:
            _config(path, answer.text, care)
    if all(answer.trouble in (None, Failure.MISSING) for answer in (*pieces, *(answer for _, answer in files))):
        care.config = True
    care.monitored = _there(_MONITOR, told, care)
    care.checked = _there(_CHECK, told, care)
    yield from _last(told[_CHECKED], care)
    return care


def _config(path: str, text: str, care: Care) -> None:
    """``ARRAY /dev/md0 metadata=1.2 UUID=…``; a line that begins with a blank goes on with the one above."""
    sheet = Output.of_text(path, text)
    care.outputs.append(sheet)
    array = False
    for line in sheet.lines:
        sheet.mark_read(line)
        words = line.text.split("#")[0].lower().split()
        if words and not line.text[:1].isspace():
            array = words[0].startswith("array")
        if array:
            care.listed.update(dict.fromkeys(words, (sheet, line)))


def _there(wanted: Sequence[Request[Any]], told: Mapping[Request[Any], Answer], care: Care) -> bool | None:
    """Whether one of these is there; False only where systemd runs and each could be looked for."""
    answers = [told[one] for one in (*wanted, _SYSTEMD)]
    *found, systemd = [one.paths if isinstance(one, GlobAnswer) else () for one in answers]
    paths = [path for one in found for path in one]
    if paths:
        sheet = Output("files", (Line(1, paths[0]),))
        name, value = ("monitored", "True") if wanted is _MONITOR else ("consistency_check.mode", "automatic")
        sheet.fact(sheet.lines[0], "md", name, value)
        care.outputs.append(sheet)
        return True
    return False if systemd and all(one.trouble is None for one in answers) else None


def _last(answer: Answer, care: Care) -> Dialogue[None]:
    """``MD_UUID_x`` holds the place of a check that was not finished, ``Checked_x`` is written at its end."""
    paths = answer.paths if isinstance(answer, GlobAnswer) else ()
    done = tuple(path for path in paths if "/Checked_" in path)
    last = {path.partition("/MD_UUID_")[2]: Scrub(last_result="unfinished") for path in paths if "/MD_UUID_" in path}
    if done:
        told = yield from ask(Run(("stat", "--format=%Y %n", *done)))
        for line in told.text.splitlines():
            seconds, _, path = line.partition(" ")
            if seconds.isdecimal() and path in done:
                at = datetime.fromtimestamp(int(seconds), timezone.utc).isoformat()
                uuid = path.partition("/Checked_")[2]
                last[uuid] = Scrub(last_at=at, last_result="unfinished" if uuid in last else "ok")
    care.last = last


def applied(found: Observation, care: Care) -> Observation:
    """The observation with what is known of the care for its arrays."""
    cards = tuple(_card(card, care) for card in found.controllers)
    return replace(found, controllers=cards, outputs=(*found.outputs, *care.outputs))


def _card(card: Controller, care: Care) -> Controller:
    check = None if care.checked is None else Scrub(mode="automatic" if care.checked else "disabled")
    volumes = tuple(_volume(volume, care) for volume in card.volumes)
    return replace(card, monitored=care.monitored, consistency_check=check, volumes=volumes)


def _volume(volume: Volume, care: Care) -> Volume:
    line = next((care.listed[name] for name in _names(volume) if name in care.listed), None)
    if line is not None:
        line[0].fact(line[1], volume.id, "in_config_file", value=True)
    return replace(
        volume,
        in_config_file=True if line else None if care.config is None or not volume.unique_id else False,
        consistency_check=care.last.get(volume.unique_id or "", volume.consistency_check),
    )


def _names(volume: Volume) -> Iterator[str]:
    """How an ARRAY line can name the array."""
    uuid, name = (volume.unique_id or "").lower(), (volume.name or "").lower()
    yield from (f"uuid={uuid}", f"uuid={uuid.replace(':', '')}") if uuid else ()
    yield from (f"name={name}", f"/dev/md/{name.rpartition(':')[2]}") if name else ()
    yield (volume.device or "").lower()
