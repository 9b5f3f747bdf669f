"""Three-valued logic. Additional facts never turn a pass into a failure or a failure into a pass."""

from __future__ import annotations

from itertools import product
from typing import Any

import hypothesis.strategies as st
import msgspec
import pytest
from hypothesis import assume, given
from msgspec.structs import replace

from raidctl.audit.policy.logic import Truth, conjunction, disjunction, negation, within
from raidctl.model import Drive, Inventory, Volume, VolumeCache
from tests.audit.policies import audited, machine

TRUTHS = st.sampled_from([True, False, None])
LISTS = st.lists(TRUTHS, max_size=5)


def completions(values: list[Truth]) -> list[list[bool]]:
    """Every combination of values for the unknown ones."""
    found: list[list[bool]] = [[]]
    for value in values:
        found = [[*one, known] for one in found for known in ([value] if value is not None else [True, False])]
    return found


@given(LISTS)
def test_a_conjunction_is_known_if_every_completion_agrees(values: list[Truth]) -> None:
    """A conjunction is known if no value of unknown parts changes it."""
    answers = {all(one) for one in completions(values)}
    assert conjunction(values) is (answers.pop() if len(answers) == 1 else None)


@given(LISTS)
def test_a_disjunction_is_known_if_every_completion_agrees(values: list[Truth]) -> None:
    """A disjunction is known if no value of unknown parts changes it."""
    answers = {any(one) for one in completions(values)}
    assert disjunction(values) is (answers.pop() if len(answers) == 1 else None)


@given(LISTS)
def test_de_morgan_holds(values: list[Truth]) -> None:
    """The negation of a conjunction is the disjunction of the negations."""
    assert negation(conjunction(values)) is disjunction([negation(value) for value in values])


@given(st.integers(0, 6), st.integers(0, 6), st.integers(0, 6), st.none() | st.integers(0, 6))
def test_a_count_is_known_if_every_possible_number_agrees(least: int, more: int, low: int, high: int | None) -> None:
    """Three to five is at least three, perhaps four, and not six."""
    assume(high is None or low <= high)  # a policy with such bounds is refused
    possible = range(least, least + more + 1)
    answers = {low <= number and (high is None or number <= high) for number in possible}
    assert within(least, least + more, low, high) is (answers.pop() if len(answers) == 1 else None)


@given(st.integers(0, 6), st.integers(0, 6), st.none() | st.integers(0, 6))
def test_a_count_without_an_upper_end_never_passes_for_at_most(least: int, low: int, high: int | None) -> None:
    """A count without an upper bound never passes "at most"."""
    assume(high is None or low <= high)
    answers = {low <= number and (high is None or number <= high) for number in range(least, 20)}
    assert within(least, None, low, high) is (answers.pop() if len(answers) == 1 else None)


CONDITIONS = (
    'raid_level="raid1"', 'raid_level={not="raid1"}', 'raid_level=["raid1","raid6"]', "strip_bytes={min=1000}",
    "strip_bytes={not={max=1000}}", 'cache.write_active="write_back"', "cache.write_protected=true",
    'write_cache="protected"', 'drive_cache="disabled"', 'name="a*"', 'drives.media="hdd"', 'battery="ok"',
    'drives={any={media="ssd"}}', 'drives={none={media="ssd"}}', "drives.media={same=true}",
    'drives={where={media="ssd"},count={min=1}}', 'drives={where={media="ssd"},count=1}',
    'drives={where={media="ssd"},all={rpm=10000}}', "drives.rpm={min=7200}",
    'drives_active={field="drives_expected"}',
)  # fmt: skip


@st.composite
def values_of_a_volume(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any], list[dict[str, Any]]]:
    """Values of a volume, its cache and two drives without a contradiction."""
    drives = [
        {"media": draw(st.sampled_from(["hdd", "ssd"])), "rpm": draw(st.sampled_from([5400, 10000])),
         "write_cache": draw(st.sampled_from(["enabled", "disabled"]))}
        for _ in range(2)
    ]  # fmt: skip
    volume = {
        "raid_level": draw(st.sampled_from(["raid0", "raid1", "raid6"])),
        "strip_bytes": draw(st.sampled_from([512, 4096])),
        "name": draw(st.sampled_from(["a1", "b1"])),
        "drives_active": draw(st.sampled_from([1, 2])),
        "drives_expected": 2,
    }
    cache = {
        "write_active": draw(st.sampled_from(["write_back", "write_through"])),
        "write_protected": draw(st.booleans()),
        "drive_write_cache": "enabled" if any(one["write_cache"] == "enabled" for one in drives) else "disabled",
    }
    return volume, cache, drives


def built(volume: dict[str, Any], cache: dict[str, Any], drives: list[dict[str, Any]]) -> Inventory:
    """A machine with these values."""
    listed = tuple(Drive(id=f"c:1/{bay}", **one) for bay, one in zip("ab", drives, strict=True))
    one = Volume(id="c:1/v1", array="c:1/A", device="/dev/sda", cache=VolumeCache(**cache), **volume)
    return msgspec.json.decode(msgspec.json.encode(machine(one, drives=(*listed, Drive(id="c:1/s")))), type=Inventory)


@given(values_of_a_volume(), st.sampled_from(CONDITIONS), st.booleans(), st.data())
def test_hiding_values_never_reverses_a_result(
    truth: tuple[dict[str, Any], dict[str, Any], list[dict[str, Any]]],
    condition: str,
    negated: bool,
    data: st.DataObject,
) -> None:
    """With values hidden, a condition has the same result or is UNKNOWN."""
    body = f"not={{{condition}}}" if negated else condition
    text = f'[[rule]]\nfor="volume"\nrequire={{{body}}}'
    volume, cache, drives = truth
    whole = audited(text, built(*truth), keep=True).findings[0].outcome
    parts = [volume, cache, *drives]
    hidden = [
        {key: None if data.draw(st.booleans(), label=f"hide {key}") else value for key, value in part.items()}
        for part in parts
    ]
    partial = audited(text, built(hidden[0], hidden[1], hidden[2:]), keep=True).findings[0].outcome
    assert partial in (whole, "unknown")


@pytest.mark.parametrize("condition", [one for one in CONDITIONS if "drives." in one or "drives=" in one])
def test_a_member_that_is_not_listed_never_reverses_a_result(condition: str) -> None:
    """With one of two members missing from the drives, a condition has the same result or is UNKNOWN."""
    kinds = [Drive(id="", media=media, rpm=rpm) for media in ("hdd", "ssd") for rpm in (5400, 10000)]
    for item, (first, second), body in product(
        ("volume", "array"), product(kinds, kinds), (condition, f"not={{{condition}}}")
    ):
        text = f'[[rule]]\nfor="{item}"\nrequire={{{body}}}'
        both = [replace(first, id="c:1/a"), replace(second, id="c:1/b")]
        whole = audited(text, machine(drives=tuple(both)), keep=True).findings[0].outcome
        for one in both:
            partial = audited(text, machine(drives=(one,)), keep=True).findings[0].outcome
            assert partial in (whole, "unknown"), (item, body, both, one.id)
