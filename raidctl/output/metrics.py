"""What ``raidctl export`` tells of an inventory: how a metric is made. Pure; the text is another module's matter.

Names and units follow the conventions of Prometheus: base units in the names, shares as ratios from 0 to 1,
descriptions as labels of ``_info`` metrics, states as one series for each state, of which the one that holds is 1.
What was not told has no series; a label that was not told is left out. All are gauges: error counters of drives are
set back by firmware.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, TypeVar, get_args

import msgspec
from msgspec import Meta

from raidctl import model
from raidctl.drives_below import physical_drives
from raidctl.model import Controller, Inventory
from raidctl.text import printable

T = TypeVar("T")
Value = int | float
Row = tuple[tuple[str | None, ...], Value]


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """One series."""

    labels: Annotated[dict[str, str], Meta(description="Those that were told.")]
    value: Annotated[Value, Meta(description="In the unit of the metric's name.")]


class Family(msgspec.Struct, frozen=True, kw_only=True):
    """A metric with all its series."""

    name: Annotated[str, Meta(description="`raidctl_drive_temperature_celsius`.")]
    help: Annotated[str, Meta(description="What it says, one sentence.")]
    samples: Annotated[tuple[Sample, ...], Meta(description="Never empty, and no two with the same labels.")]


class Export(msgspec.Struct, frozen=True, kw_only=True):
    """What `raidctl export --json` prints."""

    schema_version: Annotated[Literal["1"], Meta(description="Version of this contract.")] = "1"
    metrics: Annotated[tuple[Family, ...], Meta(description="Those that have something to say.")]


@dataclass(frozen=True)
class Metric:
    """One line of the table."""

    name: str
    help: str
    labels: tuple[str, ...]
    rows: Callable[[Inventory], Iterable[Row]]


@dataclass(frozen=True)
class Kind(Generic[T]):
    """A kind of object: the prefix of its metrics is its name, which is also the label that holds its id."""

    name: str
    label: str
    every: Callable[[Inventory], Iterator[tuple[str, Controller, T]]]
    """Id, the controller that it belongs to, the object."""

    def metric(self, name: str, text: str, get: Callable[[T], Value | None]) -> Metric:
        """A number, or yes (1) and no (0)."""

        def rows(inventory: Inventory) -> Iterator[Row]:
            for key, _, item in self.every(inventory):
                value = get(item)
                if value is not None:
                    yield (key,), value

        return Metric(f"raidctl_{self.name}_{name}", text, (self.label,), rows)

    def states(self, name: str, text: str, label: str, words: Any, get: Callable[[T], str | None]) -> Metric:
        """One series for each word of a ``Literal``."""

        def rows(inventory: Inventory) -> Iterator[Row]:
            for key, _, item in self.every(inventory):
                held = get(item)
                if held is not None:
                    for word in get_args(words):
                        yield (key, word), int(word == held)

        return Metric(f"raidctl_{self.name}_{name}", text, (self.label, label), rows)

    def info(self, text: str, *fields: str) -> Metric:
        """A description: labels out of the object's fields."""
        extra = () if self.label == "controller" else ("controller",)

        def rows(inventory: Inventory) -> Iterator[Row]:
            for key, card, item in self.every(inventory):
                told = [_word(getattr(item, field)) for field in fields]
                yield (key, *([card.id] if extra else []), *told), 1

        return Metric(f"raidctl_{self.name}_info", text, (self.label, *extra, *fields), rows)

    def listed(
        self, name: str, text: str, label: str, get: Callable[[T], Iterable[tuple[str, Value | None]]]
    ) -> Metric:
        """One series for each entry of a list that the object has."""

        def rows(inventory: Inventory) -> Iterator[Row]:
            for key, _, item in self.every(inventory):
                for word, value in get(item):
                    if value is not None:
                        yield (key, word), value

        return Metric(f"raidctl_{self.name}_{name}", text, (self.label, label), rows)


def _word(value: object) -> str | None:
    return None if value is None else str(value)


def ratio(percent: float | None) -> float | None:
    """A share from 0 to 1."""
    return None if percent is None else round(percent / 100, 6)


def times(value: float | None, factor: int) -> Value | None:
    """A figure in its base unit."""
    if value is None:
        return None
    product = round(value * factor, 6)
    return int(product) if product == int(product) else product


def _cards(inventory: Inventory) -> Iterator[tuple[str, Controller, Controller]]:
    for card in inventory.controllers:
        yield card.id, card, card


def _caches(inventory: Inventory) -> Iterator[tuple[str, Controller, model.Cache]]:
    for card in inventory.controllers:
        if card.cache is not None:
            yield card.id, card, card.cache


def _batteries(inventory: Inventory) -> Iterator[tuple[str, Controller, model.Battery]]:
    for card in inventory.controllers:
        for item in card.batteries:
            yield item.id, card, item


def _arrays(inventory: Inventory) -> Iterator[tuple[str, Controller, model.Array]]:
    for card in inventory.controllers:
        for item in card.arrays:
            yield item.id, card, item


def _volumes(inventory: Inventory) -> Iterator[tuple[str, Controller, model.Volume]]:
    for card in inventory.controllers:
        for item in card.volumes:
            yield item.id, card, item


def _volume_caches(inventory: Inventory) -> Iterator[tuple[str, Controller, model.VolumeCache]]:
    for key, card, item in _volumes(inventory):
        if item.cache is not None:
            yield key, card, item.cache


def _drives(inventory: Inventory) -> Iterator[tuple[str, Controller, model.Drive]]:
    for card, item in physical_drives(inventory.controllers):
        yield item.id, card, item


def _members(inventory: Inventory) -> Iterator[tuple[str, Controller, model.Drive]]:
    for card in inventory.controllers:
        for item in card.drives:
            if item.backing:
                yield item.id, card, item


CONTROLLER = Kind("controller", "controller", _cards)
CACHE = Kind("cache", "controller", _caches)
BATTERY = Kind("battery", "battery", _batteries)
ARRAY = Kind("array", "array", _arrays)
VOLUME = Kind("volume", "volume", _volumes)
VOLUME_CACHE = Kind("volume", "volume", _volume_caches)
DRIVE = Kind("drive", "drive", _drives)
MEMBER = Kind("member", "member", _members)


def families(metrics: Iterable[Metric], inventory: Inventory) -> tuple[Family, ...]:
    """What the metrics say of an inventory; those with nothing to say are left out.

    Two series with the same labels would make the whole text invalid, and nothing would be told: the first counts.
    """
    found = []
    for metric in metrics:
        series: dict[tuple[tuple[str, str], ...], Value] = {}
        for labels, value in metric.rows(inventory):
            named = zip(metric.labels, labels, strict=True)
            told = tuple((key, printable(text)) for key, text in named if text)
            series.setdefault(told, int(value) if isinstance(value, bool) else value)
        samples = tuple(Sample(labels=dict(told), value=value) for told, value in series.items())
        if samples:
            found.append(Family(name=metric.name, help=metric.help, samples=samples))
    return tuple(found)
