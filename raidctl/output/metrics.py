"""How the metrics of ``raidctl export`` are built from an inventory. Pure; `prometheus` writes the text.

Names and units follow the conventions of Prometheus: base units in the names, shares as ratios from 0 to 1,
descriptions as labels of ``_info`` metrics, states as one series per state, with 1 for the current one. Unknown values
have no series; unknown labels are omitted. All are gauges: firmware resets error counters of drives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, TypeVar, get_args

import msgspec

from raidctl import model
from raidctl.described import doc
from raidctl.model import Controller, Inventory
from raidctl.model.drives_below import physical_drives
from raidctl.text import printable

T = TypeVar("T")
Value = int | float
Row = tuple[tuple[str | None, ...], Value]


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """One series."""

    labels: Annotated[dict[str, str], doc("Known labels.")]
    value: Annotated[Value, doc("In the unit of the metric's name.")]


class Family(msgspec.Struct, frozen=True, kw_only=True):
    """A metric with all its series."""

    name: Annotated[str, doc("`raidctl_drive_temperature_celsius`.")]
    help: Annotated[str, doc("Meaning, one sentence.")]
    samples: Annotated[tuple[Sample, ...], doc("Never empty, and no two with the same labels.")]


class Export(msgspec.Struct, frozen=True, kw_only=True):
    """What `raidctl export --json` prints."""

    schema_version: Annotated[Literal["1"], doc("Version of this contract.")] = "1"
    metrics: Annotated[tuple[Family, ...], doc("The metrics that have a value.")]


@dataclass(frozen=True)
class Metric:
    """The definition of a metric."""

    name: str
    help: str
    labels: tuple[str, ...]
    rows: Callable[[Inventory], Iterable[Row]]


@dataclass(frozen=True)
class Kind(Generic[T]):
    """A kind of object that has metrics. Its name is their prefix and the label with its id."""

    name: str
    label: str
    each: Callable[[Controller], Iterable[tuple[str, T]]]
    """The objects of a controller, with their ids."""

    def every(self, inventory: Inventory) -> Iterator[tuple[str, Controller, T]]:
        """Id, controller and object, for each."""
        return ((key, controller, item) for controller in inventory.controllers for key, item in self.each(controller))

    def metric(self, name: str, text: str, get: Callable[[T], Value | None] | None = None) -> Metric:
        """Define a number, or yes (1) and no (0). Without ``get``, it is the field of this name."""

        def rows(inventory: Inventory) -> Iterator[Row]:
            for key, _, item in self.every(inventory):
                value = get(item) if get else getattr(item, name)
                if value is not None:
                    yield (key,), value

        return Metric(f"raidctl_{self.name}_{name}", text, (self.label,), rows)

    def states(self, name: str, text: str, label: str, words: Any) -> Metric:
        """Define a field's metric with one series per word of its ``Literal``."""

        def rows(inventory: Inventory) -> Iterator[Row]:
            for key, _, item in self.every(inventory):
                held = getattr(item, name)
                if held is not None:
                    for word in get_args(words):
                        yield (key, word), int(word == held)

        return Metric(f"raidctl_{self.name}_{name}", text, (self.label, label), rows)

    def info(self, text: str, *fields: str) -> Metric:
        """Define a description, with fields of the object as labels."""
        extra = () if self.label == "controller" else ("controller",)

        def rows(inventory: Inventory) -> Iterator[Row]:
            for key, controller, item in self.every(inventory):
                known = [_word(getattr(item, field)) for field in fields]
                yield (key, *([controller.id] if extra else []), *known), 1

        return Metric(f"raidctl_{self.name}_info", text, (self.label, *extra, *fields), rows)

    def listed(
        self, name: str, text: str, label: str, get: Callable[[T], Iterable[tuple[str, Value | None]]]
    ) -> Metric:
        """Define one series per entry of a list of the object."""

        def rows(inventory: Inventory) -> Iterator[Row]:
            for key, _, item in self.every(inventory):
                for word, value in get(item):
                    if value is not None:
                        yield (key, word), value

        return Metric(f"raidctl_{self.name}_{name}", text, (self.label, label), rows)


def _word(value: object) -> str | None:
    return None if value is None else str(value)


def ratio(percent: float | None) -> float | None:
    """A ratio from 0 to 1."""
    return None if percent is None else round(percent / 100, 6)


def times(value: float | None, factor: int) -> Value | None:
    """A figure in its base unit."""
    if value is None:
        return None
    product = round(value * factor, 6)
    return int(product) if product == int(product) else product


CONTROLLER: Kind[Controller] = Kind("controller", "controller", lambda controller: [(controller.id, controller)])
CACHE: Kind[model.Cache] = Kind(
    "cache", "controller", lambda controller: [(controller.id, controller.cache)] if controller.cache else []
)
BATTERY: Kind[model.Battery] = Kind(
    "battery", "battery", lambda controller: [(one.id, one) for one in controller.batteries]
)
ARRAY: Kind[model.Array] = Kind("array", "array", lambda controller: [(one.id, one) for one in controller.arrays])
VOLUME: Kind[model.Volume] = Kind("volume", "volume", lambda controller: [(one.id, one) for one in controller.volumes])
VOLUME_CACHE: Kind[model.VolumeCache] = Kind(
    "volume", "volume", lambda controller: [(one.id, one.cache) for one in controller.volumes if one.cache]
)
DRIVE: Kind[model.Drive] = Kind(
    "drive", "drive", lambda controller: [(one.id, one) for _, one in physical_drives([controller])]
)
MEMBER: Kind[model.Drive] = Kind(
    "member", "member", lambda controller: [(one.id, one) for one in controller.drives if one.backing]
)


def families(
    metrics: Iterable[Metric], inventory: Inventory, added: Mapping[str, str] | None = None
) -> tuple[Family, ...]:
    """The metrics of an inventory, without those that have no series.

    Labels that are ``added`` are in each series. Of two series with the same labels, which would make the whole text
    invalid, the first is used.
    """
    found = []
    more = {name: printable(value) for name, value in (added or {}).items() if value}
    for metric in metrics:
        series: dict[tuple[tuple[str, str], ...], Value] = {}
        for labels, value in metric.rows(inventory):
            named = zip(metric.labels, labels, strict=True)
            known = tuple((key, printable(text)) for key, text in named if text)
            series.setdefault(known, int(value) if isinstance(value, bool) else value)
        samples = tuple(Sample(labels={**more, **dict(known)}, value=value) for known, value in series.items())
        if samples:
            found.append(Family(name=metric.name, help=metric.help, samples=samples))
    return tuple(found)
