"""Deeds on 3ware controllers: members, spares, and verifying units. Pure.

================  ========================================  =======================================  ================
deed              command                                   undone by                                next reading
================  ========================================  =======================================  ================
``take_out``      ``/c6/p3 remove quiet``                   ``/c6 rescan``, a rebuild                the drive is gone
``add_member``    ``/c6/u1 start rebuild disk=3``           nothing                                  in the unit
``add_spare``     ``/c6 add type=spare disk=7``             nothing: the unit's number is unknown    a spare
``remove_spare``  ``/c6/u2 del quiet``                      ``/c6 add type=spare disk=6``            free
``start_check``   ``/c6/u1 start verify``                   ``/c6/u1 stop verify``                   checking
``stop_check``    ``/c6/u1 stop verify``                    ``/c6/u1 start verify``                  not checking
``start_learn``   ``/c6/bbu test quiet``                    nothing                                  testing
================  ========================================  =======================================  ================

3ware SATA+SAS CLI Guide, version 10.2: ``remove`` is page 101, ``start rebuild`` 79, ``add type=spare`` 53, ``del`` 77,
``start verify`` 80, ``rescan`` 57, ``bbu test`` 108. ``quiet`` answers the tool's question; it is used only in commands
that name one object. ``ignoreECC`` is never used. A verify overwrites what differs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from posixpath import basename

from msgspec.structs import replace

from raidctl.host import HostView
from raidctl.model import Controller, Drive, Tool, Volume
from raidctl.request import Answer, RunAnswer
from raidctl.text import regex
from raidctl.vendor.checks import OVERWRITES_A_COPY
from raidctl.vendor.deed_steps import (
    CannotDo,
    array_of,
    deed_step,
    drive_of,
    expect,
    needs_member,
    only_battery,
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
from raidctl.vendor.plan import Action, Deed, Expectation, Plan, Step, Verb
from raidctl.vendor.shapes import Shape
from raidctl.vendor.tools import command_of, reporting_tool
from raidctl_threeware import change
from raidctl_threeware.dialogue import LOCK, TIMEOUT
from raidctl_threeware.vocabulary import PORT_ID

SHAPES: tuple[Shape, ...] = tuple(
    (tool, *words)
    for tool in ("tw_cli", "tw-cli")
    for words in (
        ("/c{}/p{}", "remove", "quiet"),
        ("/c{}", "rescan"),
        ("/c{}/u{}", "start", "rebuild", "disk={}"),
        ("/c{}", "add", "type=spare", "disk={}"),
        ("/c{}/u{}", "del", "quiet"),
        ("/c{}/u{}", "start", "verify"),
        ("/c{}/u{}", "stop", "verify"),
        ("/c{}/bbu", "test", "quiet"),
    )
)
_UNIT = regex(r"threeware:(\d{1,3})/u(\d{1,4})", re.ASCII)
# u2    SPARE     OK             -       -       -       931.505   -      ON
_SPARE_UNIT = regex(r"u(\d{1,4}) UnitType", re.ASCII)
_MIRRORS = ("raid1", "raid10")
_VERIFIES = "A verify writes what differs again: parity is computed again from the data."
_BY_ITSELF = Ability(can=False, why_not="tw_cli has no command that stops or pauses one rebuild.")
# CLI Guide, page 79: the disk must be a spare or unconfigured; a degraded drive must be removed first
_ONLY_ON_FREE = Ability(
    can=False, why_not="tw_cli starts a rebuild only on a spare or a drive outside the units.",
    alternative="By hand: `tw_cli /cX/pY remove`, `tw_cli /cX rescan`; then, if the drive is unassigned, "
    "`raidctl spare add DRIVE`",
)  # fmt: skip
_ABILITIES: Mapping[Verb, Ability] = {
    **dict.fromkeys(
        ("take_out", "add_member", "add_spare", "remove_spare", "start_check", "repair", "stop_check", "start_learn"),
        Ability(can=True, proof="manual"),
    ),
    "start_rebuild": _ONLY_ON_FREE,
    **dict.fromkeys(("stop_rebuild", "pause_rebuild", "resume_rebuild"), _BY_ITSELF),
    **dict.fromkeys(
        ("pause_check", "resume_check"),
        Ability(can=False, why_not="tw_cli has no command that pauses a verify; its schedule does."),
    ),
    "replace": Ability(
        can=False, why_not="tw_cli has no command that copies a member to another drive first.",
        alternative="raidctl replace DRIVE --now",
    ),
    "good": Ability(
        can=False, why_not="tw_cli clears the marks of drives only on the whole controller.",
        alternative="By hand: `tw_cli /cX rescan`",
    ),
    "offline": Ability(
        can=False, why_not="A member is taken out only when it is replaced.", alternative="raidctl replace DRIVE"
    ),
    "online": Ability(can=False, why_not="A former member can return only by a rebuild."),
    "jbod": Ability(can=False, why_not="raidctl makes no units of single drives."),
    "raid": Ability(can=False, why_not="raidctl does not delete units of single drives."),
    "erase": Ability(can=False, why_not="tw_cli has no command that erases a drive."),
}  # fmt: skip
_READING = frozenset({"show", "info", "help", "alarms"})


def plan_deeds(controller: Controller, deeds: Sequence[Deed], tools: Sequence[Tool], view: HostView) -> Plan:  # noqa: ARG001 - the signature of all families
    """Plan one call of tw_cli per deed, unless the controller does it."""
    return planned(deeds, lambda deed: _DeedPlanner(controller, tools).steps(deed))


def abilities(controller: Controller, tools: Sequence[Tool]) -> Mapping[Verb, Ability]:
    """The same for all controllers of the family."""
    if controller_number(controller) is None or not tools:
        return dict.fromkeys(_ABILITIES, Ability(can=False, why_not=change.NO_NUMBER))
    return _ABILITIES


def judge(action: Action, answer: Answer) -> str | None:
    """The tool's objection. None if it ends with ``Done``, with or without warnings."""
    if not isinstance(answer, RunAnswer):
        return None
    # WARNING: This Spare unit may replace failed drive of same interface type only.
    lines = [line for line in answer.text.splitlines() if not line.strip().lower().startswith("warning")]
    return change.judge(action, replace(answer, out="\n".join(lines).encode()))


def may_interfere(words: Sequence[str]) -> bool:
    """Whether a process is a tw_cli that may change something. This includes one that is used interactively."""
    return bool(words) and basename(words[0]) in ("tw_cli", "tw-cli") and not _READING & set(words[1:3])


def back(volume: Volume, node: str) -> Action:  # noqa: ARG001 - no drive behind the controller has a node
    """Return the command ``rescan``. The controller then takes a drive that comes back for its former unit."""
    number = volume.id.partition(":")[2].partition("/")[0]
    return Action(argv=("tw_cli", f"/c{number}", "rescan"), timeout=TIMEOUT, lock=LOCK)


class _DeedPlanner:
    """The steps of one deed on a controller."""

    def __init__(self, controller: Controller, tools: Sequence[Tool]) -> None:
        self.controller = controller
        tool = reporting_tool(controller, tools)
        self.command = command_of(tool) if tool is not None else None
        self.number = controller_number(controller)

    def steps(self, deed: Deed) -> Iterator[Step]:
        """The steps of a deed; CannotDo where there are none."""
        if self.command is None or self.number is None:
            raise CannotDo(change.NO_NUMBER, unknown=True)
        ability = _ABILITIES.get(deed.verb)
        if ability is None or not ability.can:
            raise refusal(ability, f"tw_cli has no command for {deed.verb}.")
        verbs = {
            "take_out": self.take_out, "add_member": self.add_member,
            "add_spare": self.add_spare, "remove_spare": self.remove_spare, "start_check": self.check,
            "repair": self.check, "stop_check": self.stop, "start_learn": self.learn,
        }  # fmt: skip
        yield from verbs[deed.verb](deed)

    def call(self, path: str, *words: str) -> Action:
        """``tw_cli /c6/p3 remove quiet``; an empty path is the controller."""
        return Action(argv=(self.command or "", f"/c{self.number}{path}", *words), timeout=TIMEOUT, lock=LOCK)

    def port(self, drive: Drive) -> str:
        """``3`` of ``threeware:6/p3``."""
        match = PORT_ID.fullmatch(drive.id)
        if match is None:
            raise CannotDo(f"The port of {drive.id} is unknown.", unknown=True)
        return match[2]

    def unit(self, array: str | None) -> str:
        """``1`` of ``threeware:6/u1``."""
        match = _UNIT.fullmatch(array or "")
        if match is None:
            raise CannotDo("The number of the unit is unknown.", unknown=True)
        return match[2]

    def takes_any(self) -> list[str]:
        """S6: with Auto-Rebuild on, any drive outside the units is used."""
        # /c6 Auto-Rebuild Policy = on
        policy = self.controller.details.get("Auto-Rebuild Policy", "").lower()
        if policy == "off":
            return []
        head = "Auto-Rebuild is on" if policy == "on" else "Whether Auto-Rebuild is on is unknown; if it is"
        first = f"{head}: the controller rebuilds at once, on a spare, else on any drive outside the units."
        return [first, "At last it takes one that has failed."]

    def waits(self, task: str) -> str:
        """Return the note that a task waits for its schedule.

        By the tool's help, it begins at once if schedules are disabled, otherwise it pauses until the next one.
        """
        return f"With a schedule it waits for its next window: {self.command} /c{self.number} show {task} lists them."

    def take_out(self, deed: Deed) -> Iterator[Step]:
        """Make the controller release a member. It then no longer lists the drive."""
        drive = drive_of(self.controller, deed)
        if drive.role != "member":
            if drive.role in ("unassigned", "failed"):
                return  # it is in no unit: a person may pull it
            raise CannotDo(f"{drive.id} is not a member of a unit.")
        volumes = volumes_on(self.controller, drive.array)
        level = next(iter(volumes)).raid_level if volumes else None
        if level in (None, "raid0", "jbod", "linear", "unknown"):
            raise CannotDo(
                f"The unit of {drive.id} is {level or 'of unknown level'}: the tool does not remove drives from it."
            )
        names = ", ".join(volume.id for volume in volumes)
        gone = Expectation(object_id=f"serial:{drive.serial}", field="present", value="no", within_seconds=60.0)
        there = Expectation(object_id=f"serial:{drive.serial}", field="present", value="yes", within_seconds=60.0)
        yield deed_step(
            drive.id, deed.verb, ("member", "removed"), self.call(f"/p{self.port(drive)}", "remove", "quiet"),
            who=subjects(self.controller, deed),
            expects=[gone],
            undo=self.call("", "rescan"),
            undo_expects=[there],
            affects=[
                f"{names} is degraded, and the tool no longer lists the drive.",
                "Undoing it looks for drives on the whole controller, and rebuilds this one.",
                *self.takes_any(),
            ],
        )  # fmt: skip

    def add_member(self, deed: Deed) -> Iterator[Step]:
        """Begin the rebuild, unless the controller has begun one."""
        drive = drive_of(self.controller, deed)
        array = array_of(self.controller, deed)
        if array is None:
            raise CannotDo("The unit that is rebuilt must be named.")
        volumes = volumes_on(self.controller, array.id)
        if drive.array == array.id or any(volume.status == "rebuilding" for volume in volumes):
            return
        if not short_volumes(volumes):
            return
        if drive.role not in ("unassigned", "spare"):
            raise CannotDo(f"{drive.id} is neither free nor a spare: {drive.status_text or 'its state is unknown'}.")
        yield deed_step(
            drive.id, deed.verb, (drive.role or "", f"member of {array.id}"),
            self.call(f"/u{self.unit(array.id)}", "start", "rebuild", f"disk={self.port(drive)}"),
            who=subjects(self.controller, deed),
            expects=[expect(drive.id, "array", array.id)],
            affects=[
                f"The rebuild of {', '.join(volume.id for volume in volumes)} begins.",
                self.waits("rebuild"), *self.takes_any(),
            ],
            no_way_back=f"{drive.id} is overwritten.",
        )  # fmt: skip

    def add_spare(self, deed: Deed) -> Iterator[Step]:
        """A global spare, which the tool lists as a unit."""
        drive = drive_of(self.controller, deed)
        if array_of(self.controller, deed) is not None:
            raise CannotDo(
                "3ware controllers have no spares of one unit.",
                f"raidctl spare add {drive.id}",
            )
        if drive.role != "unassigned":
            raise CannotDo(f"{drive.id} is not free: {drive.role or drive.status_text or 'its role is unknown'}.")
        short = needs_member(self.controller.volumes)
        yield deed_step(
            drive.id, deed.verb, ("free", "spare"), self.call("", "add", "type=spare", f"disk={self.port(drive)}"),
            who=subjects(self.controller, deed),
            expects=used_at_once(drive, None) if short else (expect(drive.id, "role", "spare"),),
            affects=[f"The rebuild of {one} begins." for one in short],
            no_way_back=f"The number of the new unit is not known yet. To undo it: `raidctl spare remove {drive.id}`.",
        )  # fmt: skip

    def remove_spare(self, deed: Deed) -> Iterator[Step]:
        """Delete the unit of a spare. The unit is looked up by its drive, and again right before."""
        drive = drive_of(self.controller, deed)
        if drive.role != "spare":
            raise CannotDo(f"{drive.id} is not a spare.")
        units = [
            match[1] for label, value in drive.details.items()
            if (match := _SPARE_UNIT.fullmatch(label)) and value.upper() == "SPARE"
        ]  # fmt: skip
        if len(units) != 1:
            raise CannotDo(f"The number of the unit of {drive.id} is unknown.", unknown=True)
        yield deed_step(
            drive.id, deed.verb, (f"spare, unit u{units[0]}", "free"), self.call(f"/u{units[0]}", "del", "quiet"),
            who=subjects(self.controller, deed),
            requires=[expect(drive.id, f"details.u{units[0]} UnitType", "SPARE"), expect(drive.id, "role", "spare")],
            expects=[expect(drive.id, "role", "unassigned")],
            undo=self.call("", "add", "type=spare", f"disk={self.port(drive)}"),
            undo_expects=[expect(drive.id, "role", "spare")],
            same=True,
        )  # fmt: skip

    def check(self, deed: Deed) -> Iterator[Step]:
        """The steps of a verify. On mirrors it overwrites one copy where they differ, so it is a repair."""
        volume = volume_of(self.controller, deed)
        mirror = volume.raid_level in _MIRRORS
        if deed.verb == "start_check" and mirror:
            raise CannotDo(
                f"A verify of {volume.id} would overwrite one copy where they differ: it is a repair.",
                f"raidctl check start {volume.id} --repair",
            )
        text = OVERWRITES_A_COPY if mirror else _VERIFIES
        yield deed_step(
            volume.id, deed.verb, (volume.status, "checking"),
            self.call(f"/u{self.unit(volume.array)}", "start", "verify"),
            who=subjects(self.controller, deed),
            expects=[expect(volume.id, "status", "checking")],
            undo=self.call(f"/u{self.unit(volume.array)}", "stop", "verify"),
            undo_expects=[expect(volume.id, "status", "checking", "is_not")],
            affects=[text, "A unit that was never initialised is initialised instead.", self.waits("verify")],
        )  # fmt: skip

    def learn(self, deed: Deed) -> Iterator[Step]:
        """Test the capacity of the only battery. The test is a discharge and a charge, and cannot be stopped."""
        battery = only_battery(self.controller)
        yield deed_step(
            self.controller.id, deed.verb, (battery.status, "learning"), self.call("/bbu", "test", "quiet"),
            who=subjects(self.controller, deed),
            expects=[expect(battery.id, "status", "learning")],
            affects=["The write cache of the units is off until the battery is charged again, up to 24 hours."],
            no_way_back="The test cannot be ended; it ends when the battery is charged again.",
        )  # fmt: skip

    def stop(self, deed: Deed) -> Iterator[Step]:
        """End a verify."""
        volume = volume_of(self.controller, deed)
        yield deed_step(
            volume.id, deed.verb, (volume.status, "idle"), self.call(f"/u{self.unit(volume.array)}", "stop", "verify"),
            who=subjects(self.controller, deed),
            expects=[expect(volume.id, "status", "checking", "is_not")],
            undo=self.call(f"/u{self.unit(volume.array)}", "start", "verify"),
            undo_expects=[expect(volume.id, "status", "checking")],
        )  # fmt: skip
