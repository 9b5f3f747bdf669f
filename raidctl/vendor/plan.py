"""Desired settings and the steps that reach them. Values only: for printing, journal and engine.

A vendor package's ``plan`` makes the steps. A step sets one setting of the vendor's tool (``arrayaccelerator`` of a
volume, ``wrcache``, ``cacheratio`` of a controller) from the current value to the desired one. The package's
``current_settings`` reads all of them from an inventory, so that the engine sees whether a step has been carried out,
and whether somebody else has changed the setting since.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec

from raidctl.described import doc
from raidctl.request import Run, Write

Setting = Literal[
    "write_policy", "read_policy", "io_policy", "drive_write_cache", "cache_split", "no_battery_write_cache",
    "flush_interval", "bypass_threshold", "write_cache", "read_ahead", "stripe_cache_size", "journal_mode",
    "dirty_limit", "dirty_background_limit", "dirty_expire", "dirty_writeback", "writeback_percent", "cache_mode",
    "high_watermark", "low_watermark", "locate", "sync_speed_min", "sync_speed_max", "rebuild_rate",
    "check_rate", "patrol_read_rate", "initialize_rate", "expand_rate", "schedule_enabled", "schedule_times",
    "schedule_drop_in", "alarm",
]  # fmt: skip
RefusalKind = Literal["unsupported", "unsafe", "unknown", "not_in_force", "no_tool"]

StepKind = Literal["setting", "deed", "hand", "wait"]
WayBack = Literal["same", "other", "none"]
Verb = Literal[
    "fail", "remove", "add_spare", "remove_spare", "replace", "copy_table", "wipe", "start_check", "stop_check",
    "pause_check", "resume_check", "repair", "pull", "push", "copying", "rebuilding", "verifying",
    "take_out", "add_member", "start_rebuild", "stop_rebuild", "pause_rebuild", "resume_rebuild",
    "start_patrol", "stop_patrol", "pause_patrol", "resume_patrol",
    "good", "offline", "online", "jbod", "raid", "erase",
    "import_foreign", "clear_foreign", "discard_preserved", "start_learn", "schedule_learn",
    "create_volume", "delete_volume",
]  # fmt: skip
"""The verb of a deed. ``take_out`` is what a family's controller needs before a drive is pulled, and ``add_member``
after a new one is in its bay: several commands of its tool, or none. :class:`raidctl.vendor.operations.Operations` has
all verbs of drives behind a controller, with what a family's steps have to carry."""

_SHELL_LIMIT = 120.0


class Value(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of the values of this module."""


class Desired(Value, frozen=True, kw_only=True, omit_defaults=True):
    """A desired value of one setting of one object."""

    object_id: Annotated[str, doc("`smartarray:1/v1`.")]
    setting: Annotated[Setting, doc("Name of the setting.")]
    value: Annotated[str, doc("In the words of the model: `protected_write_back`, `25/75`, `enabled`.")]


class Session(Value, frozen=True, kw_only=True):
    """The input of a tool that asks for a password. The password is entered before the command, in one session."""

    name: Annotated[str, doc("Name of the password: `areca`; it is kept elsewhere.")]
    enter: Annotated[str, doc("The line that enters it, with `{}` in its place.")]
    leave: Annotated[str, doc("The line that ends the session.")]


class Action(Value, frozen=True, kw_only=True, omit_defaults=True):
    """One change of the machine. A tool is run, or a kernel file is written."""

    argv: Annotated[tuple[str, ...], doc("The program and its arguments; empty for a file.")] = ()
    path: Annotated[str | None, doc("The file that is written.")] = None
    data: Annotated[str | None, doc("What is written into it.")] = None
    timeout: Annotated[float, doc("Seconds that it may take.")] = _SHELL_LIMIT
    lock: Annotated[str | None, doc("What may be used by one process at a time.")] = None
    environment: Annotated[
        tuple[tuple[str, str], ...], doc("Names and values that are set for the program besides.")
    ] = ()
    feed: Annotated[str | None, doc("What the program reads from its standard input; null: nothing.")] = None
    session: Annotated[
        Session | None, doc("How the command is entered after a password, if that is known; null: there is none.")
    ] = None

    @property
    def empty(self) -> bool:
        """Whether there is nothing to run. Manual steps are empty, as is the undo of a deed that no command undoes."""
        return not self.argv and self.path is None

    def request(self, *, reading: bool = False) -> Run | Write:
        """The request that carries it out; ``reading``: it changes nothing."""
        if self.path is not None:
            return Write(self.path, self.data or "", timeout=self.timeout)
        feed = self.feed.encode() if self.feed is not None else b""
        return Run(
            self.argv,
            timeout=self.timeout,
            changes=not reading,
            lock=self.lock,
            environment=self.environment,
            feed=feed,
        )

    def __str__(self) -> str:
        """The command as typed into a shell."""
        if self.path is not None:
            return f"echo {shlex.quote(self.data or '')} > {shlex.quote(self.path)}"
        return shlex.join(self.argv)


class Expectation(Value, frozen=True, kw_only=True, omit_defaults=True):
    """What the next reading must show after a step."""

    object_id: Annotated[str, doc("Id of an object; `serial:NUMBER`: a drive, wherever it is; `node:/dev/sdf1`.")]
    field: Annotated[str, doc("Field of the model, `details.LABEL`, or `present`.")]
    op: Annotated[Literal["is", "is_not", "contains", "lacks"], doc("How the field is compared with the value.")] = "is"
    value: Annotated[str, doc("The value, as JSON would show it without quotes; `yes` or `no` of `present`.")]
    within_seconds: Annotated[float, doc("Time limit; 0: none, as for a person or a rebuild.")] = 30.0

    def __str__(self) -> str:
        """As part of a sentence: ``role of md:md0/sdf is spare``."""
        op = {"is": "is", "is_not": "is not", "contains": "contains", "lacks": "does not contain"}[self.op]
        if self.field == "present":
            return f"{self.object_id} is {'present' if self.value == 'yes' else 'gone'}"
        return f"{self.field} of {self.object_id} {op} {self.value}"


class Identity(Value, frozen=True, kw_only=True, omit_defaults=True):
    """The permanent identity of a deed's object. It is looked up again right before the step."""

    object_id: Annotated[str, doc("Its id when the plan was made.")]
    unique: Annotated[str, doc("Serial number of the drive, or unique id of the volume.")]
    device: Annotated[str | None, doc("Device node that the command names; null: none.")] = None


class Saved(Value, frozen=True, kw_only=True, omit_defaults=True):
    """Content that is saved before a step that cannot be undone. It goes into the state directory."""

    name: Annotated[str, doc("Name of the file.")]
    action: Annotated[Action, doc("The reading command; its output is kept.")]


class Deed(Value, frozen=True, kw_only=True, omit_defaults=True):
    """An operation on an object, other than a setting."""

    object_id: Annotated[
        str,
        doc("The object: a volume; a drive, if its state changes; a controller, if the operation acts on all of it."),
    ]
    verb: Annotated[Verb, doc("What is done.")]
    drive: Annotated[str | None, doc("Id of the drive that joins or leaves; null: none.")] = None
    device: Annotated[str | None, doc("Device node of that drive, or of its partition.")] = None
    successor: Annotated[str | None, doc("Device node that takes over from it, of `replace`.")] = None
    part: Annotated[
        str | None,
        doc(
            "What the deed is limited to on its controller: the number of one foreign configuration, or the id of the "
            "volume whose preserved cache is discarded; null: nothing."
        ),
    ] = None
    replaces: Annotated[
        str | None, doc("For `add_member`: id of the removed drive, whose place it takes; null: unknown, or none.")
    ] = None


class Denial(Value, frozen=True, kw_only=True, omit_defaults=True):
    """A deed that is refused, and why."""

    deed: Annotated[Deed, doc("What was asked for.")]
    guard: Annotated[str, doc("Name of the rule: `R1`; empty: not possible.")] = ""
    reason: Annotated[str, doc("Why, one sentence.")]
    alternative: Annotated[str | None, doc("What to do instead.")] = None
    overridable: Annotated[bool, doc("Whether `--unsafe REASON` lifts it.")] = False
    unknown: Annotated[bool, doc("Whether it is refused because something is unknown.")] = False
    printed: Annotated[
        bool, doc("Whether `alternative` has the command for a person; then no guard refuses the deed.")
    ] = False


class Step(Value, frozen=True, kw_only=True, omit_defaults=True):
    """A step of a plan: setting, deed, manual step, or wait."""

    object_id: Annotated[str, doc("The object that has the setting: a controller if it acts on all of it.")]
    setting: Annotated[str, doc("The setting in the tool's own word, or the verb of a deed.")]
    before: Annotated[str, doc("The value before, as read.")]
    after: Annotated[str, doc("The desired value.")]
    action: Annotated[Action, doc("The command; empty for a manual step and a wait.")] = Action()
    undo: Annotated[Action, doc("The command that restores the previous state; empty: there is none.")] = Action()
    kind: Annotated[
        StepKind,
        doc("`setting`: undone by its previous value; `deed`; `hand`: a person does it; `wait`: the hardware does it."),
    ] = "setting"
    way_back: Annotated[
        WayBack,
        doc("`same`: undoing restores the previous state; `other`: an equivalent one (a rebuild follows); `none`."),
    ] = "same"
    no_way_back: Annotated[str | None, doc("What cannot be undone, one sentence; null if it can be.")] = None
    expects: Annotated[tuple[Expectation, ...], doc("What the next reading must show.")] = ()
    undo_expects: Annotated[tuple[Expectation, ...], doc("What the next reading must show after undoing.")] = ()
    requires: Annotated[
        tuple[Expectation, ...],
        doc("What a reading right before the step must show: its command names a number that may move."),
    ] = ()
    subjects: Annotated[tuple[Identity, ...], doc("Objects that are looked up again right before the step.")] = ()
    saves: Annotated[tuple[Saved, ...], doc("What is saved before the step.")] = ()
    keeps: Annotated[tuple[str, ...], doc("Serial numbers that must stay while a person works.")] = ()
    hand: Annotated[str | None, doc("What a person has to do, one sentence; null: nothing.")] = None
    for_length: Annotated[bool, doc("Whether it lasts for the operation only: `restore` undoes it.")] = False
    affects: Annotated[tuple[str, ...], doc("What it changes beyond what was named, in sentences.")] = ()
    persistent: Annotated[bool | None, doc("Whether it survives a reboot; null when that depends on the hardware.")] = (
        None
    )
    readable: Annotated[
        bool, doc("False: nothing reports the setting, so only the tool's reply shows that it was set.")
    ] = True


class Refusal(Value, frozen=True, omit_defaults=True):
    """A desired setting that is refused, and why."""

    desired: Annotated[Desired, doc("What was asked for.")]
    kind: Annotated[
        RefusalKind,
        doc(
            "`unsupported`: the hardware or tool cannot; `unsafe`: needs `--unsafe`; `unknown`: not reported; "
            "`not_in_force`: set already, and the controller does otherwise; `no_tool`: a program is not installed."
        ),
    ]
    reason: Annotated[str, doc("Why, one sentence.")]
    alternative: Annotated[str | None, doc("The nearest alternative.")] = None


class Plan(Value, frozen=True, kw_only=True):
    """The steps from the current to the desired settings."""

    desired: Annotated[tuple[Desired, ...], doc("What was asked for.")] = ()
    steps: Annotated[tuple[Step, ...], doc("In the order in which they are carried out.")] = ()
    already: Annotated[tuple[Desired, ...], doc("Requested settings that need no change.")] = ()
    refusals: Annotated[tuple[Refusal, ...], doc("Requested settings that were refused, and why.")] = ()
    deeds: Annotated[tuple[Deed, ...], doc("Deeds that were asked for.")] = ()
    denials: Annotated[tuple[Denial, ...], doc("Deeds that were refused, and why.")] = ()

    def __add__(self, other: Plan) -> Plan:
        """Join two plans; a step of both is carried out once."""
        steps = self.steps + tuple(step for step in other.steps if step not in self.steps)
        return Plan(
            desired=self.desired + other.desired,
            steps=steps,
            already=self.already + other.already,
            refusals=self.refusals + other.refusals,
            deeds=self.deeds + other.deeds,
            denials=self.denials + other.denials,
        )


def point_of_no_return(steps: Sequence[Step]) -> int | None:
    """Return the number of the first step that cannot be undone. None if all can be undone."""
    return next((number for number, step in enumerate(steps) if step.way_back == "none"), None)


Result = Literal[
    "planned", "refused", "already", "done", "undone", "stands", "failed", "waiting", "stopped", "abandoned"
]


class Outcome(Plan, frozen=True, kw_only=True):
    """A plan and its outcome, as changing commands print it with ``--json``."""

    result: Annotated[
        Result,
        doc(
            "`planned`: a dry run; `refused`; `already`: no change was needed; `done`, and read again; "
            "`undone`: it failed, and the previous state was restored; `stands`: it failed and was not undone; "
            "`failed`: nothing was changed; `waiting`: for a person or the hardware; "
            "`stopped`: it failed where nothing is undone; `abandoned`: given up, nothing is done or undone."
        ),
    ]
    change: Annotated[str | None, doc("The change's name in the journal.")] = None
    warnings: Annotated[tuple[str, ...], doc("Facts to note although the change succeeded.")] = ()
    message: Annotated[str | None, doc("The message on standard error if it fails.")] = None


class Flush(Value, frozen=True, kw_only=True, omit_defaults=True):
    """How one object's unwritten data is flushed, or why it cannot be."""

    object_id: Annotated[str, doc("The controller, volume or drive whose cache it is.")]
    action: Annotated[Action | None, doc("The command that flushes and returns when it is done.")] = None
    why: Annotated[str | None, doc("Why there is no such command; null where there is one.")] = None
    alternative: Annotated[str | None, doc("The nearest alternative.")] = None
    lack: Annotated[
        Literal["cache", "tool"] | None,
        doc("What is missing: a cache that could hold data, or the tool that would flush it."),
    ] = None


ToolSetting = tuple[str, str]
"""Object id, and name of the setting in the tool's words."""
