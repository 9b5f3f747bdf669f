"""Compare the problems and tools of two snapshots, which have no ids."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from typing import Any

from raidctl.drift.fields import Difference, differences
from raidctl.drift.judge import judged
from raidctl.drift.report import Change
from raidctl.drift.severities import Candidate
from raidctl.text import regex

Doc = Mapping[str, Any]
Key = Callable[[Doc], Hashable]
_FIGURES = regex(r"\d+")
_PROBLEM: Sequence[Key] = (
    lambda one: (one["where"], one["kind"], one["severity"], one["message"], one["remedy"]),
    lambda one: (one["where"], one["kind"], _FIGURES.sub("#", one["message"])),
    lambda one: (one["where"], one["message"]),
    lambda one: (one["kind"], one["message"]),
    lambda one: (one["where"], one["kind"], one["remedy"] or object()),
    lambda one: (one["where"], one["kind"], one["severity"], one["remedy"]),
)
"""Keys by which two problems are the same, the most certain first."""
_TOOL: Sequence[Key] = (
    lambda one: (one["name"], one["path"], one["version"]), lambda one: (one["name"], one["path"]),
    lambda one: one["name"], lambda one: (one["path"], one["version"]) if one["path"] else object(),
)  # fmt: skip


def problem_changes(
    before: Sequence[Doc], after: Sequence[Doc], ids: Mapping[str, str], known: Collection[str]
) -> Iterator[Change]:
    """Problems that are new, gone, or have another message.

    ``ids`` and ``known`` as in :func:`raidctl.drift.fields.linked`.
    """
    earlier = [{**one, "where": ids.get(one["where"], one["where"])} for one in before]
    later = [one if one["where"] in known else {**one, "where": ids.get(one["where"], one["where"])} for one in after]
    for old, new in _paired(earlier, later, _PROBLEM):
        yield from _change("problem", (new or old or {})["where"], old, new)


def tool_changes(before: Sequence[Doc], after: Sequence[Doc]) -> Iterator[Change]:
    """Tools that are new, gone, or have another version."""
    for old, new in _paired(before, after, _TOOL):
        yield from _change("tool", (new or old or {})["name"], old, new)


def _change(kind: str, name: str, old: Doc | None, new: Doc | None) -> Iterator[Change]:
    if old is None or new is None:
        what = "added" if old is None else "removed"
        yield judged(Candidate(what, kind, name, old or {}, new or {}, Difference("", old, new), None))
        return
    for one in differences(old, new):
        yield judged(Candidate("changed", kind, name, old, new, one, None))


def _paired(
    before: Sequence[Doc], after: Sequence[Doc], keys: Sequence[Key]
) -> Iterator[tuple[Doc | None, Doc | None]]:
    """Pairs by each key in turn; then those without a counterpart."""
    left, right = list(before), list(after)
    for key in keys:
        waiting: dict[Hashable, list[Doc]] = {}
        for one in right:
            waiting.setdefault(key(one), []).append(one)
        rest = []
        for one in left:
            if waiting.get(key(one)):
                other = waiting[key(one)].pop(0)
                right = [each for each in right if each is not other]
                yield one, other
            else:
                rest.append(one)
        left = rest
    yield from ((one, None) for one in left)
    yield from ((None, one) for one in right)
