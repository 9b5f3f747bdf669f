"""Problems as ``show`` prints them: :mod:`raidctl.health.judge` in the words of the rules."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from raidctl.audit import builtin
from raidctl.health.judge import Condition, judge
from raidctl.health.narrowed import left_out
from raidctl.model import UNREAD_KINDS, Inventory, Problem
from raidctl.output.phrases import brief
from raidctl.text import listing

BROKEN, UNREAD, LOOK, NOTE = range(4)
"""Severity: critical, not shown, a warning, information."""
_RANKS = {"critical": BROKEN, "warning": LOOK, "info": NOTE}
_FEW = 3
_MORE = ("nvme_health",)
"""Rules whose findings are problems as well. The judge has no condition for them."""


class Trouble(Struct, frozen=True):
    """One problem."""

    rank: int
    where: str
    brief: str
    """One line for the top of the screen."""
    message: str
    remedy: str | None = None
    folded: tuple[str, ...] = ()
    """The consequences of the problem."""


def troubles(inventory: Inventory, whole: Inventory | None = None) -> list[Trouble]:
    """Everything that needs a look, worst first; ``whole``: the machine that the inventory is a part of."""
    return sorted((one for one in _all(inventory, whole) if one.rank != NOTE), key=lambda one: one.rank)


def notes(inventory: Inventory, whole: Inventory | None = None) -> list[Trouble]:
    """Information without a problem; ``whole``: as above."""
    return [one for one in _all(inventory, whole) if one.rank == NOTE]


def _all(inventory: Inventory, whole: Inventory | None) -> Iterator[Trouble]:
    judged = inventory if whole is None else whole
    others = left_out(inventory, judged)
    yield from _conditions(judged, others)
    for name in _MORE:
        for one in builtin.rule(name).check(judged):
            if one.outcome == "fail" and one.because is None and one.where not in others:
                parts = f"{one.where}: {brief(one.message)}"
                yield Trouble(_RANKS[one.severity], one.where, parts, one.message, one.remedy)
    for problem in inventory.problems:
        if problem.kind != "state":
            parts = f"{problem.where}: {brief(problem.message)}"
            yield Trouble(_rank(problem), problem.where, parts, problem.message, problem.remedy)


def _rank(problem: Problem) -> int:
    if problem.severity == "info" and problem.kind not in UNREAD_KINDS:
        return NOTE
    return UNREAD if problem.kind in UNREAD_KINDS and problem.severity == "error" else LOOK


def _conditions(inventory: Inventory, others: Collection[str]) -> Iterator[Trouble]:
    """One problem per cause; causes with the same words are combined. Those of other objects are left out."""
    found = [one for one in judge(inventory) if one.where not in others]
    causes = {one.key for one in found}
    words = {
        (one.rule, one.where, one.message if rule == "reported_trouble" else ""): one
        for rule in dict.fromkeys(one.rule for one in found)
        for one in builtin.rule(rule).check(inventory)
        if one.outcome == "fail"
    }
    groups: dict[tuple[str, ...], list[Condition]] = {}
    for one in found:
        if one.under is None or one.under not in causes:
            finding = words.get((one.rule, one.where, one.cause if one.rule == "reported_trouble" else ""))
            message, remedy = (finding.message, finding.remedy or "") if finding else (one.cause, "")
            groups.setdefault((one.rule, one.severity, message, remedy.replace(one.where, "{}")), []).append(one)
    for (_, severity, message, remedy), group in groups.items():
        under = [other for one in group for other in found if other.under == one.key]
        ids = [one.where for one in group]
        where = listing(ids if len(ids) <= _FEW else [*ids[: _FEW - 1], f"{len(ids) - _FEW + 1} more"])
        yield Trouble(
            _RANKS[severity],
            where,
            f"{where}: {_brief(group[0], under)}",
            message,
            remedy.format(*[" ".join(ids)] * remedy.count("{}")) if "{}" in remedy else remedy or None,
            tuple(dict.fromkeys(f"{other.where}: {_words(other, whole=True)}" for other in under)),
        )


def _brief(one: Condition, under: Sequence[Condition]) -> str:
    """The cause, with the drives behind it and their bays."""
    ordered = sorted(under, key=lambda other: other.rule == "drive_failed")
    drives = {other.serial or other.where: other for other in ordered if other.bay or other.serial}
    parts = [f"{other.where.rpartition('/')[2]} {_words(other)}" for other in list(drives.values())[:2]]
    return "; ".join([_words(one), *parts])


def _words(one: Condition, *, whole: bool = False) -> str:
    """``predictive failure (SMART), 41 media errors, bay 5, serial RCX15W0K7``."""
    parts = (
        one.cause if whole else brief(one.cause),
        one.bay and f"bay {one.bay}",
        one.serial and f"serial {one.serial}",
    )
    return ", ".join(text for text in parts if text)
