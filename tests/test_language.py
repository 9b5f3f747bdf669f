"""raidctl's own text avoids the words that ``tests/language.py`` lists."""

from __future__ import annotations

import ast

import pytest

from tests.language import (
    better_names,
    comments,
    counts_in_comments,
    docstrings,
    documentation,
    found,
    given_names,
    messages,
    names,
    rooms,
    walked,
)

pytestmark = pytest.mark.xdist_group("language")  # they share what is parsed

CEILINGS: dict[str, int] = {}
"""Rooms that still have such words, and how many at most. The words are in what users read. A number is lowered with
its text."""

NAMES: dict[str, int] = {
    "raidctl/model": 1,
}
"""A key of the JSON (`told_by`), which stays. Nothing else that is written has such a name."""

EXAMPLE = '''
"""What a disk is told."""
ANSWER = f"The {disk} tells nothing of {'its card' if card else 'the disk'}."
WORDS = {"disk told": "not told"}
PATTERN = "disk told \\\\d"
'''


@pytest.mark.slow
def test_no_room_has_more_avoided_words() -> None:
    """What users read keeps to the language rules, or comes nearer. README, manual, help and messages are counted."""
    counted = rooms()
    over = [one for room, places in counted.items() if len(places) > CEILINGS.get(room, 0) for one in places]
    assert not over, "\n".join(f"{one.where}: {one.word} -> {one.instead}" for one in over)
    assert not CEILINGS.keys() - counted.keys()


@pytest.mark.slow
def test_no_package_has_more_avoided_names() -> None:
    """A package that is not listed has no such name. The listed ones get no more."""
    over = [one for room, given in names().items() if len(given) > NAMES.get(room, 0) for one in given]
    assert not over, "\n".join([f"Names with a word to avoid ({better_names()}):", *over])


@pytest.mark.slow
def test_docstrings_and_comments_have_no_avoided_word() -> None:
    """What developers read keeps to the rules, like what users read."""
    found_there = [one for places in documentation().values() for one in places]
    assert not found_there, "\n".join(f"{one.where}: {one.word} -> {one.instead}" for one in found_there)


def test_code_in_docstrings_and_lines_of_tools_in_comments_do_not_count() -> None:
    """A tool's own lines stay beside the code that reads them. What raidctl's developers write counts."""
    lines = [
        '"""What the card says: ``says no``.',
        "",
        "    a disk",
        "",
        "More.",
        '"""',
        "# Adapter 0: 2 disks",
        "# what it says of `disks told`",
    ]
    text = "\n".join([*lines, ""])
    shown = [line for _, line in docstrings(ast.walk(ast.parse(text)))]
    assert sorted(place.word for line in shown for place in found("page", line)) == ["card", "says"]
    string, strings = 'A = "# it tells"  # as ü wishes\n', 'B = """\n# it tells\n"""  # as ü wishes\n'
    for more, words in (("", []), (string, ["wishes"]), (strings, ["wishes"]), (string + strings, ["wishes"] * 2)):
        shown = [line for _, line in comments(text + more, walked(ast.parse(text + more)))]
        places = [place for line in shown for place in found("page", line) if counts_in_comments(place)]
        assert [place.word for place in places] == ["says", *words]


def test_names_are_found_where_they_are_given() -> None:
    """Functions, classes, parameters, variables and fields give names.

    Neither a use nor a word that only contains a name counts.
    """
    text = "class OldCard:\n  def f(self, told_by, discarded):\n    self.said = said = f(wish)\n"
    assert sorted(given_names(ast.walk(ast.parse(text)))) == [(1, "OldCard"), (2, "told_by"), (3, "said"), (3, "said")]


def test_strings_that_a_user_reads_are_messages() -> None:
    """The text of a module counts, also within a template. Docstrings, keys and patterns do not."""
    shown = [text for _, text in messages(ast.parse(EXAMPLE))]
    assert shown == ["The … tells nothing of ….", "its card", "the disk", "not told"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Disks, and\nthe drive of its\nown", ["disks", "of its own"]),
        ("/dev/disk/by-id is on disk", []),
        ("hold this machine against it", ["hold this machine against"]),
        ("The drive lies on md0, and is no\nspare; there is no drive", ["is no spare", "lies on"]),
        ('Exit codes: as of "cache set"', ["as of"]),
    ],
)
def test_words_are_found_whole_and_over_line_ends(text: str, words: list[str]) -> None:
    """Capitals and line ends make no difference. What is allowed does not count."""
    assert sorted(place.word for place in found("page", text)) == sorted(words)
