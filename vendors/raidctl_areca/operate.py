"""Deeds on Areca controllers: hot spares, and checks of volume sets. Pure.

================  =========================  =====================  ============
deed              command                    undone by              next reading
================  =========================  =====================  ============
``take_out``      none: the drive is pulled
``add_member``    none, or as ``add_spare``  ``rsf deletehs drv=N``  in the array
``add_spare``     ``rsf createhs drv=9``     ``rsf deletehs drv=9``  a spare
``remove_spare``  ``rsf deletehs drv=9``     ``rsf createhs drv=9``  free
``start_check``   ``vsf check vol=2``        ``vsf stopcheck``      checking
``stop_check``    ``vsf stopcheck``          ``vsf check vol=2``    not checking
================  =========================  =====================  ============

These commands are undocumented: they are those of two programs that use the tool, einarc and the library
Mtf.Hardware.Raid, which agree.

A number of a drive is its place in the tool's list: it is read from there, and must be the same right before the
command. The commands need the controller's password, which is entered in the same session. ``vsf stopcheck`` names no
volume set and ends every check of the controller.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from posixpath import basename

from raidctl.host import HostView
from raidctl.model import Controller, Drive, Tool, Volume
from raidctl.text import regex
from raidctl.vendor.deed_steps import (
    CannotDo,
    array_of,
    deed_step,
    drive_of,
    expect,
    needs_member,
    planned,
    refusal,
    short_volumes,
    subjects,
    used_at_once,
    volume_of,
    volumes_on,
)
from raidctl.vendor.operations import Ability
from raidctl.vendor.plan import Action, Deed, Plan, Step, Verb
from raidctl.vendor.shapes import Shape
from raidctl.vendor.tools import command_of, reporting_tool
from raidctl_areca import NAMES
from raidctl_areca.dialogue import LOCK, TIMEOUT
from raidctl_areca.locate import SESSION, judge

__all__ = ["SHAPES", "abilities", "back", "judge", "may_interfere", "plan_deeds"]

SHAPES: tuple[Shape, ...] = tuple(
    (tool, *words)
    for tool in NAMES
    for words in (
        ("rsf", "createhs", "drv={}"),
        ("rsf", "deletehs", "drv={}"),
        ("vsf", "check", "vol={}"),
        ("vsf", "stopcheck"),
    )
)
_VOLUME = regex(r"areca:1/v(\d{1,3})", re.ASCII)
_MIRRORS = ("raid1", "raid1e", "raid10")
_SPARE_OF_ALL = regex(r"hot ?spare(?:\s*\[global\])?", re.IGNORECASE)
_FROM_PROGRAMS = Ability(can=True, proof="programs")
_NO_COMMAND = "The tool has no command for it."
_PRINTED = "No manual shows the command, and what it prints is unknown, so raidctl does not run it."
_ABILITIES: Mapping[Verb, Ability] = {
    **dict.fromkeys(
        ("take_out", "add_member", "add_spare", "remove_spare", "start_check", "stop_check"), _FROM_PROGRAMS
    ),
    "repair": Ability(can=False, why_not="What a check repairs can be chosen only in the controller's web interface."),
    **dict.fromkeys(
        (
            "replace", "start_rebuild", "stop_rebuild", "pause_rebuild", "resume_rebuild", "pause_check",
            "resume_check", "good", "offline", "online", "erase",
        ),
        Ability(can=False, why_not=_NO_COMMAND),
    ),
    "jbod": Ability(can=False, printed=True, why_not=_PRINTED, alternative="By hand: `cli64 disk create drv=N`"),
    "raid": Ability(can=False, printed=True, why_not=_PRINTED, alternative="By hand: `cli64 disk delete drv=N`"),
    "start_learn": Ability(can=False, why_not="The tool reports no learn cycle."),
}  # fmt: skip


def plan_deeds(controller: Controller, deeds: Sequence[Deed], tools: Sequence[Tool], view: HostView) -> Plan:  # noqa: ARG001 - the signature of all families
    """One command for each deed, or none if the controller does it. One command stops all checks."""
    planner = _DeedPlanner(controller, tools, [deed.object_id for deed in deeds if deed.verb == "stop_check"])
    return planned(deeds, planner.steps)


def abilities(controller: Controller, tools: Sequence[Tool]) -> Mapping[Verb, Ability]:
    """The same for all controllers of the tool."""
    why = _unreachable(controller, tools)
    return dict.fromkeys(_ABILITIES, Ability(can=False, why_not=why)) if why is not None else _ABILITIES


def may_interfere(words: Sequence[str]) -> bool:
    """Whether a process is the tool, and may be changing something. One that is used interactively counts, too."""
    return bool(words) and basename(words[0]) in NAMES and "info" not in words[1:] and "main" not in words[1:]


def back(volume: Volume, node: str) -> Action:  # noqa: ARG001 - no drive behind the controller has a node
    """Return a command that changes nothing. The controller takes its own drive again when it is put back."""
    return Action(argv=("cli64", "rsf", "info"), timeout=TIMEOUT, lock=LOCK)


def _unreachable(controller: Controller, tools: Sequence[Tool]) -> str | None:
    if controller.id != "areca:1":
        return "The tool reaches only its default controller."
    return None if tools else "The tool is unknown."


class _DeedPlanner:
    """The steps of deeds on a controller."""

    def __init__(self, controller: Controller, tools: Sequence[Tool], stopped: Sequence[str]) -> None:
        """``stopped``: the volumes whose checks are to end."""
        self.controller, self.tools, self.stopped = controller, tools, stopped

    def steps(self, deed: Deed) -> Iterator[Step]:
        """The steps of a deed; CannotDo where there are none."""
        why = _unreachable(self.controller, self.tools)
        if why is not None:
            raise CannotDo(why, unknown=True)
        ability = _ABILITIES.get(deed.verb)
        if ability is None or not ability.can:
            raise refusal(
                ability,
                _NO_COMMAND,
                lambda command: command.replace("=N", f"={self.number(drive_of(self.controller, deed))}"),
            )
        verbs = {
            "take_out": self.take_out, "add_member": self.add_member, "add_spare": self.add_spare,
            "remove_spare": self.remove_spare, "start_check": self.check, "stop_check": self.stop,
        }  # fmt: skip
        yield from verbs[deed.verb](deed)

    def call(self, *words: str) -> Action:
        """A command, after the password."""
        command = command_of(reporting_tool(self.controller, self.tools) or self.tools[0])
        return Action(argv=(command, *words), timeout=TIMEOUT, lock=LOCK, session=SESSION)

    def number(self, drive: Drive) -> str:
        """The place of a drive in the tool's list."""
        found = drive.details.get("#", "")
        if not found.isdecimal() or found == "0":
            raise CannotDo(f"The tool's number for {drive.id} is unknown.", unknown=True)
        return found

    def take_out(self, deed: Deed) -> Iterator[Step]:
        """Nothing: the tool has no command. The drive is pulled as it is."""
        drive = drive_of(self.controller, deed)
        if drive.role == "spare":
            raise CannotDo(f"{drive.id} is a spare.", f"raidctl spare remove {drive.id}")
        yield from ()

    def add_member(self, deed: Deed) -> Iterator[Step]:
        """Nothing in the old bay, if the controller rebuilds there. Otherwise a spare, which is used at once."""
        drive = drive_of(self.controller, deed)
        array = array_of(self.controller, deed)
        if drive.role == "member":
            return
        short = short_volumes(volumes_on(self.controller, array.id if array is not None else None))
        if not short:
            return
        # Hot Plugged Disk For Rebuilding : Blank Disk Only
        plugged = self.controller.details.get("Hot Plugged Disk For Rebuilding", "").lower()
        if drive.id != deed.replaces or not plugged.startswith(("blank", "always")):
            yield self.spare(deed, drive, short, array.id if array is not None else None)

    def add_spare(self, deed: Deed) -> Iterator[Step]:
        """A spare of all arrays. The tool has no command for another one."""
        drive = drive_of(self.controller, deed)
        if array_of(self.controller, deed) is not None:
            raise CannotDo("The tool makes spares of all arrays only.", f"raidctl spare add {drive.id}")
        yield self.spare(deed, drive, needs_member(self.controller.volumes), None)

    def spare(self, deed: Deed, drive: Drive, short: Sequence[str], array: str | None) -> Step:
        """The step that makes a free drive a spare. ``short``: the volumes that use it at once."""
        if drive.role != "unassigned":
            raise CannotDo(f"{drive.id} is not free: {drive.details.get('Usage') or 'its use is unknown'}.")
        number = self.number(drive)
        return deed_step(
            drive.id, deed.verb, ("free", "spare"), self.call("rsf", "createhs", f"drv={number}"),
            who=subjects(self.controller, deed),
            requires=[expect(drive.id, "details.#", number)],
            expects=used_at_once(drive, array) if short else (expect(drive.id, "role", "spare"),),
            undo=self.call("rsf", "deletehs", f"drv={number}"),
            undo_expects=[expect(drive.id, "role", "unassigned")],
            same=not short,
            affects=[f"The rebuild of {one} begins." for one in short],
        )  # fmt: skip

    def remove_spare(self, deed: Deed) -> Iterator[Step]:
        """A spare of all arrays becomes free."""
        drive = drive_of(self.controller, deed)
        if drive.role != "spare":
            raise CannotDo(f"{drive.id} is not a spare.")
        if not _SPARE_OF_ALL.fullmatch(drive.details.get("Usage", "").strip()):
            usage = drive.details.get("Usage") or "of unknown use"
            raise CannotDo(f"{drive.id} is {usage}: the tool has no command that restores that state.")
        number = self.number(drive)
        yield deed_step(
            drive.id, deed.verb, ("spare", "free"), self.call("rsf", "deletehs", f"drv={number}"),
            who=subjects(self.controller, deed),
            requires=[expect(drive.id, "details.#", number), expect(drive.id, "role", "spare")],
            expects=[expect(drive.id, "role", "unassigned")],
            undo=self.call("rsf", "createhs", f"drv={number}"),
            undo_expects=[expect(drive.id, "role", "spare")],
            same=True,
        )  # fmt: skip

    def check(self, deed: Deed) -> Iterator[Step]:
        """Check a volume set with parity. Whether a check of a mirror overwrites one copy is unknown."""
        volume = volume_of(self.controller, deed)
        if volume.raid_level in (*_MIRRORS, None, "unknown"):
            raise CannotDo(
                f"Whether a check of {volume.id} ({volume.raid_level or 'level unknown'}) overwrites one copy where "
                "they differ is not documented.",
                "Start it in the controller's web interface, which asks.",
                unknown=True,
            )
        yield deed_step(
            volume.id, deed.verb, (volume.status, "checking"), self.call("vsf", "check", f"vol={_volume(volume)}"),
            who=subjects(self.controller, deed),
            expects=[expect(volume.id, "status", "checking")],
            undo=self.call("vsf", "stopcheck"),
            undo_expects=[expect(volume.id, "status", "checking", "is_not")],
            affects=[
                "Whether parity that differs is written again is not documented.",
                "Undoing it ends every check of the controller.",
            ],
        )  # fmt: skip

    def stop(self, deed: Deed) -> Iterator[Step]:
        """End all checks with one command. All that run must have been named."""
        volume = volume_of(self.controller, deed)
        running = [one for one in self.controller.volumes if one.status == "checking"]
        others = [one.id for one in running if one.id not in self.stopped]
        if others:
            raise CannotDo(
                f"The tool ends all checks at once, also of {', '.join(others)}.",
                f"raidctl check stop {' '.join(one.id for one in running)}",
            )
        if self.stopped[0] != volume.id:
            return  # with the first one
        ended = [one for one in self.controller.volumes if one.id in self.stopped]
        again = self.call("vsf", "check", f"vol={_volume(volume)}") if len(ended) == 1 else None
        yield deed_step(
            volume.id, deed.verb, (volume.status, "idle"), self.call("vsf", "stopcheck"),
            who=subjects(self.controller, deed),
            requires=[
                expect(one.id, "status", "checking", "is_not") for one in self.controller.volumes if one not in ended
            ],
            expects=[expect(one.id, "status", "checking", "is_not") for one in ended],
            undo=again,
            undo_expects=[expect(volume.id, "status", "checking")] if again is not None else (),
            affects=["It ends every check of the controller."],
            no_way_back="The checks would have to begin again, one by one.",
        )  # fmt: skip


def _volume(volume: Volume) -> str:
    match = _VOLUME.fullmatch(volume.id)
    if match is None:
        raise CannotDo(f"The tool's number for {volume.id} is unknown.", unknown=True)
    return match[1]
