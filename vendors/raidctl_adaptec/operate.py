"""Deeds on Adaptec controllers: members, spares, states of drives, checks of volumes. Pure.

================  ========================================================  ===========================  ============
deed              command                                                   undone by                    next reading
================  ========================================================  ===========================  ============
``take_out``      ``SETSTATE 1 DEVICE 0 3 DDD noprompt``                    ``… RDY``, a rebuild         failed
``add_member``    ``SETSTATE 1 DEVICE 0 3 HSP LOGICALDRIVE 0 noprompt``     ``… RDY``                    not free
``add_spare``     ``… HSP noprompt``, ``… HSP LOGICALDRIVE 0 noprompt``     ``… RDY``                    a spare
``remove_spare``  ``… RDY noprompt``                                        ``… HSP``                    free
``good``          ``… RDY noprompt``                                        nothing                      free
``raid``          ``TASK START 1 DEVICE 0 3 INITIALIZE noprompt``: erases   nothing                      free
``start_check``   ``TASK START 1 LOGICALDRIVE 0 VERIFY noprompt``           ``TASK STOP``                checking
``repair``        ``TASK START 1 LOGICALDRIVE 0 VERIFY_FIX noprompt``       ``TASK STOP``                checking
``stop_check``    ``TASK STOP 1 LOGICALDRIVE 0``                            ``TASK START``               not checking
================  ========================================================  ===========================  ============

Controllers with the smartpqi driver have arrays, and spares of arrays only: ``HSP ARRAY 0``. No manual shows whether
``DDD`` and the tasks of logical drives work there: a drive is pulled as it is, and there is no check. ``noprompt`` is
used only in commands that name one object.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from posixpath import basename

from raidctl.host import HostView
from raidctl.model import Controller, Drive, Tool, Volume, has_failed
from raidctl.vendor.checks import COMPUTES_PARITY, OVERWRITES_A_COPY
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
from raidctl.vendor.identity import controller_number
from raidctl.vendor.operations import Ability
from raidctl.vendor.plan import Action, Deed, Plan, Step, Verb
from raidctl.vendor.shapes import Shape
from raidctl.vendor.tools import command_of, reporting_tool
from raidctl_adaptec.abilities import NO_DRIVER, NO_TOOL, abilities_of
from raidctl_adaptec.change import judge
from raidctl_adaptec.dialogue import LOCK, TIMEOUT
from raidctl_adaptec.drive import state_word
from raidctl_adaptec.settings import address, smartpqi, volume_number

__all__ = ["SHAPES", "abilities", "back", "judge", "may_interfere", "plan_deeds"]

_DEVICE = ("arcconf", "SETSTATE", "{}", "DEVICE", "{}", "{}")
_LOGICAL = ("{}", "LOGICALDRIVE", "{}")
SHAPES: tuple[Shape, ...] = (
    *((*_DEVICE, word, "noprompt") for word in ("DDD", "RDY", "HSP")),
    (*_DEVICE, "HSP", "LOGICALDRIVE", "{}", "noprompt"),
    (*_DEVICE, "HSP", "ARRAY", "{}", "noprompt"),
    ("arcconf", "TASK", "START", "{}", "DEVICE", "{}", "{}", "INITIALIZE", "noprompt"),
    *(("arcconf", "TASK", "START", *_LOGICAL, word, "noprompt") for word in ("VERIFY", "VERIFY_FIX")),
    ("arcconf", "TASK", "STOP", *_LOGICAL),
)
_READING = frozenset({
    "getconfig", "getconfigjson", "getstatus", "getlogs", "getversion", "getsmartstats", "getperform", "list",
    "phyerrorlog", "expanderlist", "identify", "help",
})  # fmt: skip
"""Commands that change no array."""
_RAW = ("raw", "raw (pass through)", "online (raw)")


def plan_deeds(controller: Controller, deeds: Sequence[Deed], tools: Sequence[Tool], view: HostView) -> Plan:  # noqa: ARG001 - the signature of all families
    """One arcconf call for each deed. There is none if the controller does it automatically."""
    return planned(deeds, lambda deed: _DeedPlanner(controller, tools).steps(deed))


def abilities(controller: Controller, tools: Sequence[Tool]) -> Mapping[Verb, Ability]:
    """What this generation of controllers can do."""
    known = reporting_tool(controller, tools) is not None and controller_number(controller) is not None
    return abilities_of(smartpqi(controller), known=known)


def may_interfere(words: Sequence[str]) -> bool:
    """Whether a process is an arcconf that may change something."""
    return len(words) > 1 and basename(words[0]) == "arcconf" and words[1].lower() not in _READING


def back(volume: Volume, node: str) -> Action:  # noqa: ARG001 - no drive behind the controller has a node
    """``RESCAN``: the controller looks for drives again. A former member is then rebuilt."""
    number = volume.id.partition(":")[2].partition("/")[0]
    return Action(argv=("arcconf", "RESCAN", number), timeout=TIMEOUT, lock=LOCK)


def moves_back(controller: Controller) -> bool | None:
    """By the line of ``GETCONFIG``."""
    #   Copyback                                 : Disabled
    return {"Enabled": True, "Disabled": False}.get(controller.details.get("Copyback", ""))


class _DeedPlanner:
    """The steps of one deed on a controller."""

    def __init__(self, controller: Controller, tools: Sequence[Tool]) -> None:
        self.controller = controller
        self.smartpqi_driver = smartpqi(controller)
        tool = reporting_tool(controller, tools)
        self.command = command_of(tool) if tool is not None else None
        self.number = controller_number(controller)

    def steps(self, deed: Deed) -> Iterator[Step]:
        """The steps of a deed; CannotDo where there are none."""
        if self.command is None or self.number is None:
            raise CannotDo(NO_TOOL, unknown=True)
        if self.smartpqi_driver is None:
            raise CannotDo(NO_DRIVER, unknown=True)
        ability = abilities_of(self.smartpqi_driver, known=True).get(deed.verb)
        if ability is None or not ability.can:
            why = f"arcconf has no command for {deed.verb}."
            raise refusal(ability, why, lambda command: self.numbered(command, deed))
        verbs = {
            "take_out": self.take_out, "add_member": self.add_member, "add_spare": self.add_spare,
            "remove_spare": self.remove_spare, "good": self.good, "raid": self.raid, "start_check": self.check,
            "repair": self.check, "stop_check": self.stop,
        }  # fmt: skip
        yield from verbs[deed.verb](deed)

    def numbered(self, command: str, deed: Deed) -> str:
        """A command that is only printed, with controller and drive numbers."""
        place = address(drive_of(self.controller, deed)) or ("C", "D")
        numbers = {"N": self.number or "N", "C": place[0], "D": place[1]}
        return re.sub(r"\b[NCD]\b", lambda match: numbers[match[0]], command)

    def call(self, *words: str) -> Action:
        """A command of arcconf."""
        return Action(argv=(self.command or "", *words), timeout=TIMEOUT, lock=LOCK)

    def set_state(self, drive: Drive, *words: str) -> Action:
        """``SETSTATE 1 DEVICE 0 3 RDY noprompt``."""
        place = address(drive)
        if place is None:
            raise CannotDo(f"arcconf does not report the channel and device number of {drive.id}.", unknown=True)
        return self.call("SETSTATE", self.number or "", "DEVICE", *place, *words, "noprompt")

    def take_out(self, deed: Deed) -> Iterator[Step]:
        """A member that still works is marked as failed.

        A failed or free one, or one on a smartpqi controller, is pulled as it is.
        """
        drive = drive_of(self.controller, deed)
        if self.smartpqi_driver or has_failed(drive) or drive.role == "unassigned":
            return
        if drive.role != "member":
            raise CannotDo(f"{drive.id} is not a member of an array.")
        yield deed_step(
            drive.id, deed.verb, ("member", "failed"), self.set_state(drive, "DDD"),
            who=subjects(self.controller, deed),
            expects=[expect(drive.id, "role", "failed")],
            undo=self.set_state(drive, "RDY"),
            undo_expects=[expect(drive.id, "role", "failed", "is_not")],
            affects=[
                f"{drive.id} leaves {self.volumes_of(drive)}. A hot spare that fits is used at once.",
                "Undoing it makes the drive free; the controller rebuilds it.",
            ],
        )  # fmt: skip

    def volumes_of(self, drive: Drive) -> str:
        """The volumes that a drive is a member of."""
        found = [volume.id for volume in volumes_on(self.controller, drive.array)] if drive.array else []
        return ", ".join(found) or "its volumes"

    def add_member(self, deed: Deed) -> Iterator[Step]:
        """Nothing where the controller rebuilds it without a command. Otherwise a spare, which is used at once."""
        drive = drive_of(self.controller, deed)
        array = array_of(self.controller, deed)
        if drive.role == "member":
            return
        short = short_volumes(volumes_on(self.controller, array.id if array is not None else None))
        if not short:
            return
        self.require_free(drive)
        # Automatic Failover                       : Enabled
        failover = self.controller.details.get("Automatic Failover", "").lower() == "enabled"
        if drive.id != deed.replaces or not (failover or self.smartpqi_driver):
            yield self.spare(deed, drive, short)

    def require_free(self, drive: Drive) -> None:
        """Raise CannotDo unless a drive is free and initialised."""
        if drive.role == "passthrough" and state_word(drive) in _RAW and not self.smartpqi_driver:
            raise CannotDo(
                f"{drive.id} is Raw: the controller must initialise it first, which erases it.",
                f"raidctl drive raid {drive.id}",
            )
        if drive.role != "unassigned":
            raise CannotDo(f"{drive.id} is not free: {drive.status_text or drive.role or 'its role is unknown'}.")

    def add_spare(self, deed: Deed) -> Iterator[Step]:
        """Global, or of one volume (aacraid) or array (smartpqi)."""
        drive = drive_of(self.controller, deed)
        self.require_free(drive)
        array = array_of(self.controller, deed)
        yield self.spare(deed, drive, needs_member(volumes_on(self.controller, array.id if array else None)))

    def spare(self, deed: Deed, drive: Drive, short: Sequence[str]) -> Step:
        """The step that makes a drive a spare. ``short``: the volumes that use it at once."""
        words, named = self.spare_target(deed)
        array = array_of(self.controller, deed)
        used = used_at_once(drive, array.id if array else None)
        return deed_step(
            drive.id, deed.verb, ("free", f"spare of {named}"), self.set_state(drive, "HSP", *words),
            who=subjects(self.controller, deed),
            expects=used if short else (expect(drive.id, "role", "spare"),),
            undo=self.set_state(drive, "RDY"),
            undo_expects=[expect(drive.id, "role", "unassigned")],
            same=not short,
            affects=[f"The rebuild of {one} begins." for one in short],
        )  # fmt: skip

    def spare_target(self, deed: Deed) -> tuple[tuple[str, ...], str]:
        """The words after ``HSP``, and the name of the spare's target."""
        array = array_of(self.controller, deed)
        if array is None and self.smartpqi_driver:
            raise CannotDo("A spare of a controller with the smartpqi driver belongs to an array: name one.")
        if array is None:
            return (), "all arrays"
        if self.smartpqi_driver:
            return ("ARRAY", array.id.rpartition("/a")[2]), array.id
        volumes = volumes_on(self.controller, array.id)
        if len(volumes) != 1:
            reason = f"{array.id} has {len(volumes)} volumes, and a spare is dedicated to one volume."
            raise CannotDo(reason, f"raidctl spare add {deed.drive}")
        return ("LOGICALDRIVE", volume_number(volumes[0].id)), volumes[0].id

    def remove_spare(self, deed: Deed) -> Iterator[Step]:
        """A spare becomes free."""
        drive = drive_of(self.controller, deed)
        if drive.role != "spare":
            raise CannotDo(f"{drive.id} is not a spare.")
        if len(drive.spare_for) > 1:
            raise CannotDo(
                f"{drive.id} is dedicated to several arrays: removing it could not be undone by one command."
            )
        home = Deed(object_id=next(iter(drive.spare_for), self.controller.id), verb="add_spare", drive=drive.id)
        words, named = self.spare_target(home)
        yield deed_step(
            drive.id, deed.verb, (f"spare of {named}", "free"), self.set_state(drive, "RDY"),
            who=subjects(self.controller, deed),
            expects=[expect(drive.id, "role", "unassigned")],
            undo=self.set_state(drive, "HSP", *words),
            undo_expects=[expect(drive.id, "role", "spare")],
            same=True,
        )  # fmt: skip

    def good(self, deed: Deed) -> Iterator[Step]:
        """A failed drive becomes free. An array that lacks a member may take it."""
        drive = drive_of(self.controller, deed)
        if drive.role != "failed":
            raise CannotDo(f"{drive.id} has not failed: {drive.status_text or drive.role or 'its state is unknown'}.")
        yield deed_step(
            drive.id, deed.verb, ("failed", "free"), self.set_state(drive, "RDY"),
            who=subjects(self.controller, deed),
            expects=[expect(drive.id, "role", "failed", "is_not")],
            affects=[f"{one} may be rebuilt on it at once." for one in needs_member(self.controller.volumes)],
            no_way_back=f"{drive.id} has failed before; that mark is gone, and its content may be overwritten.",
        )  # fmt: skip

    def raid(self, deed: Deed) -> Iterator[Step]:
        """Initialise a raw drive. The controller's metadata is written, and the content is lost."""
        drive = drive_of(self.controller, deed)
        if state_word(drive) not in _RAW:
            raise CannotDo(f"{drive.id} is not Raw: {drive.status_text or 'its state is unknown'}.")
        place = address(drive)
        if place is None:
            raise CannotDo(f"arcconf does not report the channel and device number of {drive.id}.", unknown=True)
        yield deed_step(
            drive.id, deed.verb, ("raw", "ready"),
            self.call("TASK", "START", self.number or "", "DEVICE", *place, "INITIALIZE", "noprompt"),
            who=subjects(self.controller, deed),
            expects=[expect(drive.id, "role", "unassigned")],
            affects=["The system no longer sees the drive."],
            no_way_back=f"Everything on {drive.id} is erased.",
        )  # fmt: skip

    def check(self, deed: Deed) -> Iterator[Step]:
        """Compare copies or parity; with VERIFY_FIX what differs is written again."""
        volume = volume_of(self.controller, deed)
        word = "VERIFY_FIX" if deed.verb == "repair" else "VERIFY"
        yield deed_step(
            volume.id, deed.verb, (volume.status, "checking"), self.task("START", volume, word, "noprompt"),
            who=subjects(self.controller, deed),
            expects=[expect(volume.id, "status", "checking")],
            undo=self.task("STOP", volume),
            undo_expects=[expect(volume.id, "status", "checking", "is_not")],
            affects=["The volume is slower until the check ends.", *_repairs(volume, word)],
        )  # fmt: skip

    def stop(self, deed: Deed) -> Iterator[Step]:
        """End a check."""
        volume = volume_of(self.controller, deed)
        fixing = volume.progress is not None and volume.progress.operation == "repair"
        yield deed_step(
            volume.id, deed.verb, (volume.status, "idle"), self.task("STOP", volume),
            who=subjects(self.controller, deed),
            expects=[expect(volume.id, "status", "checking", "is_not")],
            undo=self.task("START", volume, "VERIFY_FIX" if fixing else "VERIFY", "noprompt"),
            undo_expects=[expect(volume.id, "status", "checking")],
        )  # fmt: skip

    def task(self, verb: str, volume: Volume, *words: str) -> Action:
        """``TASK START 1 LOGICALDRIVE 0 VERIFY noprompt``."""
        return self.call("TASK", verb, self.number or "", "LOGICALDRIVE", volume_number(volume.id), *words)


def _repairs(volume: Volume, word: str) -> list[str]:
    if word == "VERIFY":
        return []
    if volume.raid_level in ("raid1", "raid1e", "raid10"):
        return [OVERWRITES_A_COPY]
    return [COMPUTES_PARITY]
