"""Recorded machines with one key of one resource missing or null."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from raidctl.request import Answer, Get, GetAnswer, Request
from raidctl.runners.replay import ReplayRunner
from raidctl.survey.survey import Survey, survey
from raidctl.vendor.registry import vendors
from tests.support.machines import MACHINES, recording

ALONE = [name for name in MACHINES if name.startswith("redfish-")]
Path = tuple[str | int, ...]


class Damage(NamedTuple):
    """A key of a resource that is dropped, or null."""

    resource: str
    key: Path
    null: bool


def resources(machine: str) -> dict[str, Any]:
    """The resources of a recorded machine, decoded."""
    return {
        request.path: json.loads(answer.data)
        for request, answer in recording(machine).answers()
        if isinstance(request, Get) and isinstance(answer, GetAnswer) and answer.fine
    }


def damages(machine: str) -> list[Damage]:
    """Every key of every resource, dropped and null."""
    return [
        Damage(path, key, null)
        for path, value in resources(machine).items()
        for key in _keys(value)
        for null in (False, True)
    ]


def _keys(value: Any, at: Path = ()) -> Iterator[Path]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield (*at, name)
            yield from _keys(inner, (*at, name))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _keys(inner, (*at, place))


def damaged(value: Any, key: Path, put: Any = None, *, null: bool) -> Any:
    """A copy without a key, or with another value there."""
    name, rest = key[0], key[1:]
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    if rest:
        copy[name] = damaged(value[name], rest, put, null=null)
    elif null:
        copy[name] = put
    else:
        del copy[name]
    return copy


def seen_with(machine: str, changes: dict[str, Any]) -> Survey:
    """The survey of the machine with other resources."""
    found, problems = vendors()
    kept = recording(machine)
    answers: dict[Request[Any], Answer] = {
        Get(path): GetAnswer(200, json.dumps(value).encode()) for path, value in changes.items()
    }
    runner = ReplayRunner(kept).with_answers(answers)
    when = kept.manifest.collected_at
    return survey(runner, found, source=f"replay:{machine}", collected_at=when, problems=problems)


def seen_damaged(machine: str, damage: Damage, put: Any = None) -> Survey:
    """The survey of the machine with the damage."""
    value = damaged(resources(machine)[damage.resource], damage.key, put, null=damage.null)
    return seen_with(machine, {damage.resource: value})
