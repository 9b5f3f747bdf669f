"""The first journal entry of a change: plan, who, where, when, why."""

from __future__ import annotations

import getpass
import os
import uuid
from collections.abc import Mapping
from pathlib import Path

from raidctl.change.journal import Begin, Kind, Subject
from raidctl.change.lookup import before, names, subjects
from raidctl.model import Inventory
from raidctl.select import items
from raidctl.units import timestamp
from raidctl.vendor.plan import Plan


def begin(
    kind: Kind,
    plan: Plan,
    inventory: Inventory,
    *,
    about: str,
    source: str,
    reason: str | None = None,
    unsafe: bool = False,
    resume: str | None = None,
    facts: Mapping[str, str] | None = None,
) -> Begin:
    """Return the first journal entry of a change.

    Args:
        kind: ``operation`` if the plan has deeds.
        plan: The whole plan.
        inventory: The machine that it was made from.
        about: The command line.
        source: The machine, as ``local``.
        reason: Why ``--unsafe`` was given.
        unsafe: Whether it was.
        resume: The command that continues an operation; ``ID`` at its end becomes the change's name.
        facts: What an operation needs to continue.
    """
    name = uuid.uuid4().hex[:12]
    return Begin(
        change=name,
        at=timestamp(),
        kind=kind,
        about=about,
        user=_user(),
        pid=os.getpid(),
        boot=boot_id(),
        source=source,
        subjects=_subjects(inventory, plan),
        desired=plan.desired,
        steps=plan.steps,
        was=tuple(before(inventory, plan)),
        reason=reason,
        unsafe=unsafe,
        deeds=plan.deeds,
        resume=f"{resume.removesuffix('ID')}{name}" if resume is not None else None,
        touches=touched_by(plan),
        facts=dict(facts or {}),
    )


def _subjects(inventory: Inventory, plan: Plan) -> tuple[Subject, ...]:
    ways = names(inventory, plan)
    touched = {step.object_id for step in plan.steps} | {desired.object_id for desired in plan.desired}
    return tuple(
        Subject(
            id=item.id,
            model=item.model,
            serial=item.serial,
            objects={part.id: ways.get(part.id, "") for part in items(item) if part.id in touched},
        )
        for item in subjects(inventory, plan)
    )


def touched_by(plan: Plan) -> tuple[str, ...]:
    """Return the ids and serial numbers that a plan's deeds touch."""
    found: dict[str, None] = {}
    for deed in plan.deeds:
        found |= dict.fromkeys(name for name in (deed.object_id, deed.drive) if name)
    for step in plan.steps:
        if step.kind != "setting":
            found |= dict.fromkeys((step.object_id, *(subject.unique for subject in step.subjects)))
    return tuple(found)


def boot_id() -> str:
    """Return the kernel's id of this boot; empty if it has none."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _user() -> str:
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = str(os.getuid())
    caller = os.environ.get("SUDO_USER")
    return f"{caller} as {name}" if caller and caller != name else name
