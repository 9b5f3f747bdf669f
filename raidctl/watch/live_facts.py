"""The values that ``raidctl watch`` follows: health, tasks, temperatures, use of caches. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from raidctl.audit.builtin import health_rules, rule
from raidctl.audit.diagnosis import LACKING, Diagnosis, causes, diagnose, doubts
from raidctl.health.judge import judge
from raidctl.health.severity import WEIGHT, Severity
from raidctl.health.unknown_states import doubt
from raidctl.layers.model import Layer
from raidctl.layers.scope import VM
from raidctl.model import Inventory, Task, hiding_problems
from raidctl.model.drives_below import physical_drives
from raidctl.tasks.outcome import word
from raidctl.text import counted, listing, regex
from raidctl.units import format_binary, format_percent
from raidctl.watch.live_report import Section, Value

HOST = ""
"""The object of facts about the whole machine."""
PERCENT_STEP, CELSIUS_STEP = 5.0, 2.0
"""Least change of a percentage or temperature for a new log line."""
_CACHES = ("page_cache", "dm_writecache", "dm_cache", "bcache", "controller")
"""Layers that hold data; the others are settings."""
_PERCENT = regex(r"(?<!only) \d+(?:\.\d+)?%")
"""``rebuilding 37.25%``: the percentage is removed, as the task has a newer one. ``charged to only 4%`` has no task."""
_UNREAD = (*LACKING, "not_read")
"""Rules about what could not be read. The verdict names it."""
_LACKS = {"no_tool": "a tool is missing", "no_right": "a permission is missing"}
_YES = {True: "yes", False: "no", None: "unknown"}


class Fact(Struct, frozen=True, kw_only=True):
    """One value of a reading."""

    section: Section
    object_id: str
    name: str
    value: Value
    unit: Literal["percent", "celsius", "bytes"] | None = None
    text: str
    """The value in words, without the object."""
    severity: Severity | None = None
    label: str = ""
    """The object's name in messages, if not its id."""
    step: float = 0.0
    """A smaller change of the figure gets no line in the log."""
    task: Task | None = None
    lost: bool = False
    """Whether the value could not be read this time. If so, the other fields are from before."""

    @property
    def words(self) -> str:
        """The value in words."""
        return f"unknown now, it was: {self.text}" if self.lost else self.text

    @property
    def named(self) -> str:
        """``md:md0``, ``page cache``; empty for facts about the machine."""
        return self.label if self.object_id == VM else self.object_id

    @property
    def key(self) -> tuple[str, str, str]:
        """The identity of the value, the same in all readings."""
        return self.section, self.object_id, self.name


def facts_of(inventory: Inventory, tasks: Sequence[Task], layers: Sequence[Layer]) -> list[Fact]:
    """Every value of a reading, in the order of the screen."""
    return [*_health(inventory), *_tasks(tasks), *_temperatures(inventory), *_caches(layers)]


def _health(inventory: Inventory) -> Iterator[Fact]:
    """The verdict of ``diagnose --health-only``, and the conditions behind it."""
    verdict = diagnose(inventory, health_rules())
    conditions = list(_conditions(inventory, verdict))
    worst: Severity = min((one.severity or "info" for one in conditions), key=WEIGHT.__getitem__, default="info")
    numbers = {"critical": "critical condition", "warning": "warning"}
    found = [
        counted(sum(one.severity == severity for one in conditions), noun)
        for severity, noun in numbers.items()
        if any(one.severity == severity for one in conditions)
    ]
    unread = [problem.where for problem in hiding_problems(inventory.problems)]
    fine = verdict.verdict == "fine" and inventory.controllers
    gap = f"not everything could be read ({listing(dict.fromkeys(unread))})" if unread else ""
    text = ", ".join([*found, *([gap] if gap else [])])
    severity: Severity | None = worst if worst != "info" else "warning" if unread else None
    open_ = [text for text in (*_lacking(verdict), _without_result(verdict), doubt(inventory)) if text]
    but = f", but {listing(open_)}" if open_ else ""
    empty = f"no problems found{but}" if inventory.controllers else "no controller, array or drive was found"
    state = worst if worst != "info" else "ok" if fine else "unknown"
    yield Fact(section="health", object_id=HOST, name="health", value=state, text=text or empty, severity=severity)
    yield from _merged(conditions)


def _merged(conditions: Sequence[Fact]) -> Iterator[Fact]:
    """One fact for each object and rule, the worst; two under one key would replace each other at every reading."""
    found: dict[tuple[str, str, str], Fact] = {}
    for one in conditions:
        old = found.get(one.key)
        worst = one if old is None else min(old, one, key=lambda each: WEIGHT[each.severity or "info"])
        found[one.key] = one if old is None else replace(worst, text=f"{old.text.rstrip('.')}; {one.text}")
    yield from found.values()


def _conditions(inventory: Inventory, verdict: Diagnosis) -> Iterator[Fact]:
    """The causes, and the findings of rules that have no condition, in the words of their titles."""
    judged = judge(inventory)
    found = [(one.where, one.rule, one.severity, one.cause) for one in judged if one.under is None]
    keys = {one.key for one in judged}
    found += [
        (one.where, one.rule, one.severity, rule(one.rule).title)
        for one in causes(verdict.findings)
        if (one.rule, one.where) not in keys and one.severity != "info" and one.rule not in _UNREAD
    ]
    for where, name, severity, text in found:
        yield Fact(
            section="health", object_id=where, name=name, value=severity, text=_PERCENT.sub("", text),
            severity=severity,
        )  # fmt: skip


def _lacking(verdict: Diagnosis) -> Iterator[str]:
    """``a tool is missing``: why a machine without a problem is not known to be ok."""
    rules = {one.rule for one in (*verdict.findings, *verdict.unknown)}
    return (text for name, text in _LACKS.items() if name in rules)


def _without_result(verdict: Diagnosis) -> str:
    number = len(doubts(verdict))
    return f"{counted(number, 'check')} {'has' if number == 1 else 'have'} no result" if number else ""


def _tasks(tasks: Sequence[Task]) -> Iterator[Fact]:
    for task in tasks:
        name = word(task.operation)
        state = f"{task.state or 'unknown'}{f': {task.reason}' if task.reason else ''}"
        text = "" if task.percent is None else format_percent(task.percent)
        yield Fact(
            section="task", object_id=task.object_id, name=name, value=task.percent, unit="percent",
            text=text or "under way", step=PERCENT_STEP, task=task,
        )  # fmt: skip
        yield Fact(section="task", object_id=task.object_id, name=f"{name}, state", value=task.state, text=state)


def _temperatures(inventory: Inventory) -> Iterator[Fact]:
    """The temperatures of drives and batteries that report one."""
    found = [(drive.id, drive.temperature_celsius) for _, drive in physical_drives(inventory.controllers)]
    found += [(pack.id, pack.temperature_celsius) for one in inventory.controllers for pack in one.batteries]
    for name, value in found:
        if value is not None:
            yield Fact(
                section="temperature", object_id=name, name="temperature", value=float(value), unit="celsius",
                text=f"{value} °C", step=CELSIUS_STEP,
            )  # fmt: skip


def _caches(layers: Sequence[Layer]) -> Iterator[Fact]:
    for layer in layers:
        label = "page cache" if layer.kind == "page_cache" else layer.name or ""
        policy = layer.policy_in_force or layer.policy
        if policy is not None and (layer.kind in _CACHES[1:] or layer.kind == "volume"):
            yield _words(layer, label, "active policy", policy.replace("_", "-"))
        if layer.kind not in _CACHES:
            continue
        for name, size in (("used", layer.used_bytes), ("unwritten", layer.unwritten_bytes)):
            if size is not None:
                yield _size(layer, label, name, size)
        if layer.unwritten_bytes is None:
            yield _words(layer, label, "unwritten", _YES[layer.unwritten])
        if layer.preserved is not None:
            yield _words(layer, label, "preserved", _YES[layer.preserved])


def _words(layer: Layer, label: str, name: str, text: str) -> Fact:
    value = None if text == "unknown" else text
    return Fact(section="cache", object_id=layer.id, name=name, value=value, text=text, label=label)


def _size(layer: Layer, label: str, name: str, size: int) -> Fact:
    """The fact of a size.

    Changes by a twentieth of the cache, or of the limit for unwritten data in memory, are logged.
    """
    limits = [one.effective_bytes for one in layer.thresholds if one.name.startswith("dirty_") and one.effective_bytes]
    whole = max(limits, default=0) if layer.kind == "page_cache" else layer.size_bytes
    step = (whole or 0) * PERCENT_STEP / 100 or size / 2
    share = f" of {format_binary(layer.size_bytes)}" if layer.size_bytes and layer.kind != "page_cache" else ""
    return Fact(
        section="cache", object_id=layer.id, name=name, value=float(size), unit="bytes",
        text=f"{format_binary(size)}{share}", label=label, step=step,
    )  # fmt: skip
