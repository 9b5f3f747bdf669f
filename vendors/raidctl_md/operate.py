"""Deeds with members of an array.

A member is marked as failed, removed, added as a spare, or copied to another drive. Pure.

===============  ==================================  ==================================  =========================
deed             command                             undone by                           next reading
===============  ==================================  ==================================  =========================
``fail``         ``mdadm MD --fail D``               ``--remove D --add D``, a rebuild   role of D is failed
``remove``       ``mdadm MD --remove D``             ``--add D``, a rebuild              D is not a member
``add_spare``    ``mdadm MD --add-spare D``          ``--remove D`` while it is a spare  D is in the array
``remove_spare`` ``mdadm MD --remove D``             ``--add-spare D``                   D is not a spare
``replace``      ``mdadm MD --replace D --with E``   the kernel's file ``state`` of D    E is a replacement
===============  ==================================  ==================================  =========================

``--add-spare`` and not ``--add`` for a drive that joins: ``--add`` takes a drive that looks like an earlier member for
that member. To bring the same drive back, ``--add`` is right. ``--force`` and ``--run`` are never used. The reply of
mdadm proves nothing: ``--fail`` of a member of a rebuilding RAID-5 ended with "Device or resource busy" and exit code
2, and had stopped the array.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from raidctl.host import HostView
from raidctl.model import Controller, Tool, Volume
from raidctl.request import Answer, RunAnswer
from raidctl.text import collapse
from raidctl.vendor.deed_steps import planned
from raidctl.vendor.operations import Ability
from raidctl.vendor.plan import Action, Deed, Denial, Expectation, Identity, Plan, Saved, Step, Verb
from raidctl.vendor.shapes import Shape
from raidctl_md import make, operate_checks
from raidctl_md.state import is_auto_read_only, is_read_only

SHAPES: tuple[Shape, ...] = (
    ("mdadm", "{}", "--fail", "{}"),
    ("mdadm", "{}", "--remove", "{}"),
    ("mdadm", "{}", "--add", "{}"),
    ("mdadm", "{}", "--remove", "{}", "--add", "{}"),
    ("mdadm", "{}", "--add-spare", "{}"),
    ("mdadm", "{}", "--replace", "{}", "--with", "{}"),
    (">", "/sys/block/{}/md/dev-{}/state", "-want_replacement"),
    *operate_checks.SHAPES,
    *make.SHAPES,
)

_SECONDS = 60.0
_READING = frozenset({
    "--monitor", "--follow", "-F", "--detail", "-D", "--detail-platform", "--examine", "-E", "--examine-bitmap", "-X",
    "--query", "-Q", "--wait", "-W", "--wait-clean", "--help", "--version", "-V",
})  # fmt: skip
"""Modes of mdadm(8) that change nothing; the monitor runs all the time."""
_CONTAINERS = ("imsm", "ddf")


def plan_deeds(controller: Controller, deeds: Sequence[Deed], tools: Sequence[Tool], view: HostView) -> Plan:
    """One mdadm call for each deed."""
    volumes = {volume.id: volume for volume in controller.volumes}

    def steps_of(deed: Deed) -> list[Step] | Denial:
        volume = volumes.get(deed.object_id)
        if deed.verb in operate_checks.VERBS:
            return operate_checks.steps_of(deed, volume)
        return _steps(deed, volume, controller, tools, view)

    return planned(deeds, steps_of)


def abilities(controller: Controller, tools: Sequence[Tool]) -> Mapping[Verb, Ability]:  # noqa: ARG001 - the signature of all families
    """What mdadm and the kernel's files can do. It is tested with a real kernel."""
    there = any(tool.name == "mdadm" and tool.path for tool in tools)
    able = Ability(can=True, proof="kernel")
    members = able if there else Ability(can=False, why_not="mdadm is not installed.")
    return {
        **dict.fromkeys(("fail", "remove", "add_spare", "remove_spare", "replace"), members),
        **dict.fromkeys(("start_check", "stop_check", "pause_check", "resume_check", "repair"), able),
    }  # fmt: skip


def judge(action: Action, answer: Answer) -> str | None:  # noqa: ARG001 - the signature of all families
    """Return mdadm's words if its exit code is not 0. The next reading decides what is true."""
    # mdadm: hot remove failed for /dev/sdc: Device or resource busy
    if not isinstance(answer, RunAnswer) or not answer.code:
        return None
    words = collapse((answer.error_text or answer.text).replace("mdadm: ", ""))[:400]
    return words or f"no message; exit code {answer.code}"


def back(volume: Volume, node: str) -> Action:
    """``--re-add``: quick with a bitmap, else a rebuild. mdadm refuses a drive that was never a member."""
    return Action(argv=("mdadm", volume.device or volume.id, "--re-add", node))


def held(volume: Volume) -> str | None:
    """Explain that the array is (auto-)read-only, as after a reboot (md.4). None if it is not."""
    # md0 : active (auto-read-only) raid5 sdd1[4] sdb1[1] sda1[0]
    text = f"{volume.details.get('array_state', '')} {volume.status_text or ''}"
    command = Action(argv=("mdadm", "--readwrite", volume.device or volume.id))
    if is_auto_read_only(text):
        return (
            f"{volume.id} is auto-read-only since it was assembled: nothing is rebuilt on it until something is "
            f"written to it. To start now: `{command}`."
        )
    if is_read_only(text):
        return f"{volume.id} is read-only: nothing is rebuilt on it. If it may be written to: `{command}`."
    return None


def may_interfere(words: Sequence[str]) -> bool:
    """Whether a process is an mdadm that changes something. The monitor does not, nor does one that only reads."""
    return bool(words) and words[0].rpartition("/")[2] == "mdadm" and not _READING & set(words[1:])


def _steps(
    deed: Deed, volume: Volume | None, controller: Controller, tools: Sequence[Tool], view: HostView
) -> list[Step] | Denial:
    match = operate_checks.NODE.fullmatch(volume.device or "") if volume is not None else None
    if volume is None or match is None:
        return Denial(deed=deed, reason=f"The device node of {deed.object_id} is unknown.", unknown=True)
    if not any(tool.name == "mdadm" and tool.path for tool in tools):
        return Denial(deed=deed, reason="mdadm is not installed.", alternative="Install the package mdadm.")
    if (volume.metadata or "").startswith(_CONTAINERS) or "container" in volume.details:
        reason = f"{volume.id} is in a container ({volume.metadata}): raidctl does not manage the members of those."
        return Denial(deed=deed, reason=reason)
    if not volume.unique_id:
        return Denial(deed=deed, guard="X1", reason=f"The UUID of {volume.id} is unknown.", unknown=True)
    block = view.block(deed.device)
    if deed.device is None or block is None or block.node != deed.device:
        return Denial(deed=deed, reason=f"{deed.device or 'The drive'} has no device node here.", unknown=True)
    verbs = {"fail": _fail, "remove": _remove, "add_spare": _add_spare, "remove_spare": _remove_spare,
             "replace": _replace}  # fmt: skip
    if deed.verb in verbs:
        return [verbs[deed.verb](deed, volume, controller, _subjects(deed, volume, view))]
    return Denial(deed=deed, reason=f"md has no command for {deed.verb}.")


def _subjects(deed: Deed, volume: Volume, view: HostView) -> tuple[Identity, ...]:
    """The array by its UUID, and the drive by its serial number.

    Both have their device nodes.
    """
    found = [Identity(object_id=volume.id, unique=volume.unique_id or "", device=volume.device)]
    if deed.drive is None or deed.device is None:
        return tuple(found)
    block = view.block(deed.device)
    whole = view.block(block.parent) if block is not None and block.parent else block
    if whole is not None and whole.serial:
        found.append(Identity(object_id=deed.drive, unique=whole.serial, device=whole.node))
    return tuple(found)


def _mdadm(volume: Volume, *words: str) -> Action:
    return Action(argv=("mdadm", volume.device or "", *words), timeout=60.0, lock="mdadm")


def _member(volume: Volume, node: str) -> str:
    """Id of a member in the model: ``md:md0/sdf``."""
    return f"{volume.id}/{node.removeprefix('/dev/')}"


def _expect(object_id: str, name: str, value: str, *, op: str = "is") -> Expectation:
    return Expectation(
        object_id=object_id, field=name, op="contains" if op == "contains" else "is_not" if op == "is_not" else "is",
        value=value, within_seconds=_SECONDS,
    )  # fmt: skip


def _saves(volume: Volume, controller: Controller) -> tuple[Saved, ...]:
    """The geometry of the array, and the superblock of each member."""
    name = volume.id.replace(":", "-")
    members = [drive for drive in controller.drives if drive.array == volume.array and drive.device]
    return (
        Saved(name=f"{name}-detail", action=Action(argv=("mdadm", "--detail", volume.device or ""))),
        *(
            Saved(
                name=f"{name}-examine-{(drive.device or '').removeprefix('/dev/')}",
                action=Action(argv=("mdadm", "--examine", drive.device or "")),
            )
            for drive in members
            if drive.role == "member"
        ),
    )


def _fail(deed: Deed, volume: Volume, controller: Controller, subjects: tuple[Identity, ...]) -> Step:
    node = deed.device or ""
    member = _member(volume, node)
    return Step(
        object_id=volume.id,
        setting="fail",
        before="member",
        after="failed",
        kind="deed",
        way_back="other",
        action=_mdadm(volume, "--fail", node),
        undo=_mdadm(volume, "--remove", node, "--add", node),
        affects=(f"{member} leaves {volume.id}; undoing it rebuilds {member}.",),
        expects=(_expect(member, "role", "failed"),),
        undo_expects=(_expect(member, "role", "failed", op="is_not"),),
        subjects=subjects,
        saves=_saves(volume, controller),
    )


def _remove(deed: Deed, volume: Volume, controller: Controller, subjects: tuple[Identity, ...]) -> Step:  # noqa: ARG001 - the signature of all verbs
    return _taken_out(deed, volume, subjects, ("failed", "no member"), way_back="other", undo="--add")


def _add_spare(deed: Deed, volume: Volume, controller: Controller, subjects: tuple[Identity, ...]) -> Step:
    node = deed.device or ""
    member = _member(volume, node)
    want, have = volume.drives_expected, volume.drives_active
    known = want is not None and have is not None
    short = want is None or have is None or have < want
    return Step(
        object_id=volume.id,
        setting="add_spare",
        before="unassigned",
        after="member" if short else "spare",
        kind="deed",
        # once the rebuild has begun, the drive cannot simply leave again
        way_back="other" if short else "same",
        action=_mdadm(volume, "--add-spare", node),
        undo=_mdadm(volume, "--remove", node),
        affects=(f"The rebuild of {volume.id} {'begins' if known else 'may begin'}.",) if short else (),
        expects=(_expect(member, "present", "yes"), _expect(member, "status", "critical", op="is_not")),
        undo_expects=(_expect(member, "present", "no"),),
        subjects=subjects,
        saves=_saves(volume, controller) if short else (),
    )


def _replace(deed: Deed, volume: Volume, controller: Controller, subjects: tuple[Identity, ...]) -> Step:
    node, new = deed.device or "", deed.successor or ""
    name = (volume.device or "").removeprefix("/dev/")
    return Step(
        object_id=volume.id,
        setting="replace",
        before=_member(volume, node),
        after=_member(volume, new),
        kind="deed",
        way_back="other",
        action=_mdadm(volume, "--replace", node, "--with", new),
        undo=Action(path=f"/sys/block/{name}/md/dev-{node.removeprefix('/dev/')}/state", data="-want_replacement"),
        affects=(f"{volume.id} stays complete while {_member(volume, node)} is copied.",),
        expects=(_expect(_member(volume, new), "role", "member"),),
        subjects=subjects,
        saves=_saves(volume, controller),
    )


def _remove_spare(deed: Deed, volume: Volume, controller: Controller, subjects: tuple[Identity, ...]) -> Step:  # noqa: ARG001 - the signature of all verbs
    return _taken_out(deed, volume, subjects, ("spare", "unassigned"), way_back="same", undo="--add-spare")


def _taken_out(
    deed: Deed, volume: Volume, subjects: tuple[Identity, ...], change: tuple[str, str], *,
    way_back: Literal["same", "other"], undo: str,
) -> Step:  # fmt: skip
    """``mdadm /dev/md0 --remove /dev/sdc1``."""
    node = deed.device or ""
    member = _member(volume, node)
    return Step(
        object_id=volume.id,
        setting=deed.verb,
        before=change[0],
        after=change[1],
        kind="deed",
        way_back=way_back,
        action=_mdadm(volume, "--remove", node),
        undo=_mdadm(volume, undo, node),
        expects=(_expect(member, "present", "no"),),
        undo_expects=(_expect(member, "present", "yes"),),
        subjects=subjects,
    )
