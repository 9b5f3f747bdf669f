"""Tests of many cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.over import over


@over("number", range(3))
@over("word, size", [("a", 1), ("bc", 2)])
def test_cases_share_the_fixtures(number: int, word: str, size: int, tmp_path: Path) -> None:
    """Each case gets the fixtures that the test asks for."""
    assert tmp_path.is_dir()
    assert number < 3
    assert len(word) == size


def test_every_combination_is_tried() -> None:
    """Two decorators try all combinations of their cases."""
    seen: list[tuple[int, str]] = []

    @over("number", range(3))
    @over("word", ["a", "bc"])
    def noted(number: int, word: str) -> None:
        seen.append((number, word))

    noted()
    assert seen == [(number, word) for number in range(3) for word in ("a", "bc")]


def test_a_table_without_a_case_is_refused() -> None:
    """A test without a case would pass and check nothing."""
    with pytest.raises(AssertionError, match="without a case"):
        over("number", [])


def test_the_cases_that_fail_are_listed() -> None:
    """All cases are tried, and those that fail are listed."""

    @over("number", range(4))
    def is_odd(number: int) -> None:
        assert number % 2

    with pytest.raises(AssertionError, match=r"^2 of 4 cases fail:\n\{'number': 0\}\n\{'number': 2\}$"):
        is_odd()
