"""Compare two runs: the ratio of each figure, and other differences. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal

import msgspec

from raidctl.bench.estimators.spread import overlap
from raidctl.bench.record import Run, noisy
from raidctl.bench.result import Session, Spread
from raidctl.described import doc
from raidctl.model import Cache, Inventory, VolumeCache
from raidctl.text import capitalised
from raidctl.units import format_binary

Change = Literal["more", "less", "same", "unknown"]
_KINDS = {"file": "a file", "device": "a device", "nbd": "an NBD export"}
_RATES = ("ops/s", "MiB/s")
_TIMES = ("ms", "ms/MiB", "s")
_DECIDED = frozenset({"pass", "fail", "suspect"})
"""Verdicts on a claim."""
_LISTED = {True: "listed", False: "not listed"}
_CACHE = ("write_policy", "write_active", "read_policy", "io_policy", "drive_write_cache")
_CONTROLLER = ("serial", "model", "firmware")
_VOLUME = ("unique_id", "raid_level", "strip_bytes", "size_bytes", "status")
_DRIVE = ("serial", "model", "firmware", "write_cache")


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """One figure in both runs."""

    trial: Annotated[str, doc("Name of the test.")]
    figure: Annotated[str, doc("Name of the figure.")]
    first: Annotated[Spread | None, doc("In the first run; null: not measured there.")]
    second: Annotated[Spread | None, doc("In the second run; null: not measured there.")]
    ratio: Annotated[float | None, doc("Second over first; null: one is unknown.")] = None
    low: Annotated[float | None, doc("Lower end of the 95% interval of the ratio.")] = None
    high: Annotated[float | None, doc("Upper end of the 95% interval of the ratio.")] = None
    change: Annotated[
        Change,
        doc("`more`, `less`: the whole interval is above or below 1; `same`: it includes 1; `unknown`: no interval."),
    ] = "unknown"
    agree: Annotated[bool | None, doc("Whether the two intervals overlap; null: one of them is unknown.")] = None


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """The differences between two runs."""

    schema_version: Annotated[Literal["1"], doc("Version of this contract.")] = "1"
    first: Annotated[Run, doc("One run.")]
    second: Annotated[Run, doc("The other.")]
    pairs: Annotated[tuple[Pair, ...], doc("Figure by figure.")]
    comparable: Annotated[bool, doc("Whether the figures may be compared: false if the engines differ.")]
    warnings: Annotated[tuple[str, ...], doc("Reasons not to compare them, one sentence each.")]
    differences: Annotated[tuple[str, ...], doc("What else differs: hardware, layout, caches, kernel.")]


def pace(pair: Pair) -> Literal["faster", "slower", "even", "unknown"] | None:
    """Whether the second run is faster. ``unknown``: no interval; None: not in both runs, or not a speed."""
    unit = next((one.unit for one in (pair.first, pair.second) if one is not None), "")
    if pair.ratio is None or unit not in (*_RATES, *_TIMES):
        return None
    if pair.change in ("same", "unknown"):
        return "even" if pair.change == "same" else "unknown"
    return "faster" if (pair.change == "more") == (unit in _RATES) else "slower"


def compare(first: Run, second: Run) -> Comparison:
    """Compare two runs."""
    return Comparison(
        first=first,
        second=second,
        pairs=tuple(pairs(first.session, second.session)),
        comparable=_engines(first.session) == _engines(second.session),
        warnings=tuple(_warnings(first, second)),
        differences=tuple(_differences(first, second)),
    )


def pairs(first: Session, second: Session) -> Iterator[Pair]:
    """Every figure of both runs, in the order of the first. Figures that only the second has come last."""
    before, after = _figures(first), _figures(second)
    for key in dict.fromkeys((*before, *after)):
        yield _pair(*key, before.get(key), after.get(key))


def _engines(session: Session) -> frozenset[str]:
    """The engines used, without their order: that of the tests is random."""
    return frozenset((session.engine or "").split(", "))


def _figures(session: Session) -> dict[tuple[str, str], Spread]:
    return {(one.trial, name): spread for one in session.results for name, spread in one.figures.items()}


def _pair(trial: str, figure: str, first: Spread | None, second: Spread | None) -> Pair:
    plain = Pair(trial=trial, figure=figure, first=first, second=second)
    if first is None or second is None or first.unit != second.unit:
        return plain
    known = _positive(first.measured) and _positive(second.measured)
    if not known or first.measured is None or second.measured is None:
        return plain
    ratio = second.measured / first.measured
    interval = ratio_interval(first, second)
    if interval is None:
        return msgspec.structs.replace(plain, ratio=ratio)
    low, high = interval
    change: Change = "more" if low > 1 else "less" if high < 1 else "same"
    return msgspec.structs.replace(plain, ratio=ratio, low=low, high=high, change=change, agree=overlap(first, second))


def ratio_interval(first: Spread, second: Spread) -> tuple[float, float] | None:
    """The 95% interval of second over first. None if either has no interval of positive numbers.

    From the two intervals alone (the method of variance estimates recovery, on logarithms): the distances of both
    medians from their near ends are added like independent errors, so an interval may be asymmetric.
    """
    ends = [first.low, first.measured, first.high, second.low, second.measured, second.high]
    logs = [math.log(value) for value in ends if value is not None and _positive(value)]
    if len(logs) < len(ends):
        return None
    low1, middle1, high1, low2, middle2, high2 = logs
    middle = middle2 - middle1
    down = math.hypot(middle2 - low2, high1 - middle1)
    up = math.hypot(high2 - middle2, middle1 - low1)
    return math.exp(middle - down), math.exp(middle + up)


def _positive(value: float | None) -> bool:
    return value is not None and 0 < value < math.inf


def _warnings(first: Run, second: Run) -> Iterator[str]:
    if first == second:
        yield f"{capitalised(first.name)} is compared with itself: name two runs to see what differs."
        yield from _doubts(first)
        return
    one, other = first.session, second.session
    if _engines(one) != _engines(other):
        yield (
            f"Different engines measured ({one.engine or 'none'} and {other.engine or 'none'}): the difference "
            "may come from the engines."
        )
    if not (first.host and second.host):
        yield f"Whether they are of one machine is unknown ({first.host or 'unknown'} and {second.host or 'unknown'})."
    elif first.host != second.host:
        yield f"They are of different machines ({first.host} and {second.host})."
    if one.kind != other.kind:
        yield f"One measured {_KINDS.get(one.kind, one.kind)}, the other {_KINDS.get(other.kind, other.kind)}."
    if one.size != other.size:
        yield (
            f"The spans differ ({format_binary(one.size)} and {format_binary(other.size)}): seeks and caches depend "
            "on them."
        )
    if first.raidctl != second.raidctl:
        yield f"They were made with raidctl {first.raidctl} and {second.raidctl}."
    for run, beside in ((first, second), (second, first)):
        yield from _doubts(run)
        also = {confounder.name for confounder in beside.session.confounders}
        for confounder in run.session.confounders:
            if confounder.name not in also:
                yield f"{capitalised(run.name)} only: {confounder.text}"


def _doubts(run: Run) -> Iterator[str]:
    if run.session.interrupted:
        yield f"{capitalised(run.name)} was ended early."
    drift = run.session.drift
    if drift is not None and drift.unstable:
        yield f"{capitalised(run.name)} was unstable: its first test gave another figure at the end."
    for text in noisy(run.noise):
        yield f"{capitalised(run.name)}: {text}"


def _differences(first: Run, second: Run) -> Iterator[str]:
    judged = {one.trial: one.verdict for one in second.session.results}
    for one in first.session.results:
        now = judged.get(one.trial, one.verdict)
        if now != one.verdict and not _DECIDED.isdisjoint((now, one.verdict)):
            yield f"{one.trial}: {one.verdict} → {now}"
    if first.place != second.place:
        yield f"target: {first.place} → {second.place}"
    if first.session.profile != second.session.profile:
        yield f"profile: {first.session.profile} → {second.session.profile}"
    if first.kernel != second.kernel:
        yield f"kernel: {first.kernel or 'unknown'} → {second.kernel or 'unknown'}"
    if first.inventory is None or second.inventory is None:
        if first.inventory is not second.inventory:
            blind = first if first.inventory is None else second
            yield f"hardware and caches: not compared, as {blind.name} has no inventory"
        return
    before, after = _settings(first.inventory), _settings(second.inventory)
    for name in dict.fromkeys((*before, *after)):
        if name not in before or name not in after:
            yield f"{name}: {_LISTED[name in before]} → {_LISTED[name in after]}"
            continue
        for setting, value in before[name].items():
            if value != (later := after[name][setting]):
                yield f"{name} {setting}: {value or 'unknown'} → {later or 'unknown'}"


def _settings(inventory: Inventory) -> dict[str, dict[str, Any]]:
    """What the figures depend on, by the object's id: caches, layout, and which hardware it is.

    An id names a place, such as a bay, in which there may be another drive now.
    """
    found: dict[str, dict[str, Any]] = {}
    for controller in inventory.controllers:
        shares = controller.cache or Cache()
        found[controller.id] = _values(controller, _CONTROLLER) | _values(shares, ("read_percent", "write_percent"))
        found |= {battery.id: {"status": battery.status} for battery in controller.batteries}
        for volume in controller.volumes:
            found[volume.id] = _values(volume.cache or VolumeCache(), _CACHE) | _values(volume, _VOLUME)
        found |= {drive.id: _values(drive, _DRIVE) for drive in controller.drives}
    return found


def _values(item: object, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(item, name) for name in names}
