"""Tests of many cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.over import over

SEEN: list[tuple[int, str]] = []


@over("number", range(3))
@over("word, size", [("a", 1), ("bc", 2)])
def test_each_case_is_tried(number: int, word: str, size: int, tmp_path: Path) -> None:
    """All combinations, with the fixtures that the test asks for."""
    assert tmp_path.is_dir()
    assert len(word) == size
    SEEN.append((number, word))


def test_every_case_was_tried() -> None:
    """This depends on the test above."""
    assert SEEN in ([], [(number, word) for number in range(3) for word in ("a", "bc")])


def test_the_cases_that_fail_are_listed() -> None:
    """All cases are tried, and those that fail are listed."""

    @over("number", range(4))
    def is_odd(number: int) -> None:
        assert number % 2

    with pytest.raises(AssertionError, match=r"^2 of 4 cases fail:\n\{'number': 0\}\n\{'number': 2\}$"):
        is_odd()
