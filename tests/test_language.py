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
)

CEILINGS: dict[str, int] = {}
"""Rooms that still have such words, and how many at most. A number is lowered with its text; the last one goes."""

NAMES: dict[str, int] = {
    "raidctl/model": 1,
    "raidctl/verify": 1,
    "benchmarks": 14,
    "tests/audit": 157,
    "tests/bench": 130,
    "tests/browser": 2,
    "tests": 94,
    "tests/change": 108,
    "tests/cli": 56,
    "tests/discovery": 65,
    "tests/drift": 48,
    "tests/events": 2,
    "tests/fleet": 1,
    "tests/lab": 83,
    "tests/layers": 57,
    "tests/layout": 8,
    "tests/locate": 7,
    "tests/operate": 84,
    "tests/output": 86,
    "tests/record": 23,
    "tests/runners": 12,
    "tests/support": 18,
    "tests/tasks": 3,
    "tests/vendors": 855,
    "tests/verify": 37,
    "tests/watch": 1,
}
"""Names with such words in each folder, and how many at most. Two keys of the JSON stay (`told_by`, `says`)."""

DOCUMENTATION: dict[str, int] = {
    "benchmarks/adaptec.py": 1,
    "benchmarks/ansible_hosts.py": 2,
    "benchmarks/audit_scale.py": 5,
    "benchmarks/change.py": 3,
    "benchmarks/engine_vs_fio.py": 4,
    "benchmarks/known_truths.py": 5,
    "benchmarks/machines.py": 4,
    "benchmarks/megaraid.py": 3,
    "benchmarks/opa.py": 1,
    "benchmarks/peers.py": 2,
    "benchmarks/players.py": 4,
    "benchmarks/remote.py": 1,
    "benchmarks/report.py": 2,
    "benchmarks/scan.py": 2,
    "benchmarks/scan_vs_peers.py": 3,
    "tests/audit": 171,
    "tests/bench": 170,
    "tests/browser": 7,
    "tests/captures.py": 1,
    "tests/change": 100,
    "tests/cli": 41,
    "tests/collection": 1,
    "tests/conftest.py": 2,
    "tests/discovery": 91,
    "tests/drift": 32,
    "tests/events": 1,
    "tests/fleet": 6,
    "tests/fuzz": 3,
    "tests/lab": 111,
    "tests/layers": 45,
    "tests/layout": 4,
    "tests/locate": 6,
    "tests/operate": 39,
    "tests/output": 30,
    "tests/record": 30,
    "tests/rules_on_captures.py": 2,
    "tests/runners": 24,
    "tests/support": 12,
    "tests/tasks": 1,
    "tests/test_bad_input.py": 7,
    "tests/test_bad_words.py": 1,
    "tests/test_conformance.py": 5,
    "tests/test_contradictions.py": 1,
    "tests/test_cuts.py": 4,
    "tests/test_docs.py": 2,
    "tests/test_draft.py": 13,
    "tests/test_health.py": 6,
    "tests/test_layers.py": 1,
    "tests/test_manual_commands.py": 1,
    "tests/test_manual_site.py": 7,
    "tests/test_observe.py": 7,
    "tests/test_order.py": 3,
    "tests/test_over.py": 1,
    "tests/test_packaging.py": 1,
    "tests/test_redundancy.py": 2,
    "tests/test_session.py": 1,
    "tests/test_simulate.py": 3,
    "tests/test_single_file.py": 1,
    "tests/test_text.py": 1,
    "tests/test_units.py": 1,
    "tests/test_write_protection.py": 3,
    "tests/vendors": 677,
    "tests/verify": 56,
    "tests/watch": 6,
    "vendors/raidctl_adaptec": 22,
    "vendors/raidctl_areca": 12,
    "vendors/raidctl_drives": 11,
    "vendors/raidctl_lvm": 2,
    "vendors/raidctl_marvell": 1,
    "vendors/raidctl_md": 12,
    "vendors/raidctl_megaraid": 126,
    "vendors/raidctl_mfi": 3,
    "vendors/raidctl_mpt": 1,
    "vendors/raidctl_redfish": 3,
    "vendors/raidctl_smartarray": 25,
    "vendors/raidctl_threeware": 7,
    "vendors/raidctl_zfs": 7,
}
"""Such words in docstrings and comments, likewise."""

EXAMPLE = '''
"""What a disk is told."""
ANSWER = f"The {disk} tells nothing of {'its card' if card else 'the disk'}."
WORDS = {"disk told": "not told"}
PATTERN = "disk told \\\\d"
'''


@pytest.mark.slow
def test_no_room_has_more_avoided_words() -> None:
    """README, manual, help and messages keep to the rules of language, or come nearer to them."""
    counted = rooms()
    over = [one for room, places in counted.items() if len(places) > CEILINGS.get(room, 0) for one in places]
    assert not over, "\n".join(f"{one.where}: {one.word} -> {one.instead}" for one in over)
    assert not CEILINGS.keys() - counted.keys()


@pytest.mark.slow
def test_no_package_has_more_avoided_names() -> None:
    """A package that is not listed has no such name; the others get none besides."""
    over = [one for room, given in names().items() if len(given) > NAMES.get(room, 0) for one in given]
    assert not over, "\n".join([f"Names with a word to avoid ({better_names()}):", *over])


@pytest.mark.slow
def test_no_folder_has_more_avoided_words_in_docstrings_and_comments() -> None:
    """What a developer reads keeps to the rules as what a user reads does."""
    counted = documentation()
    over = [one for room, places in counted.items() if len(places) > DOCUMENTATION.get(room, 0) for one in places]
    assert not over, "\n".join(f"{one.where}: {one.word} -> {one.instead}" for one in over)


def test_code_in_docstrings_and_lines_of_tools_in_comments_do_not_count() -> None:
    """A tool's own lines stay beside the code that reads them; what raidctl's developers write counts."""
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
    shown = [line for _, line in docstrings(ast.parse(text))]
    assert sorted(place.word for line in shown for place in found("page", line)) == ["card", "says"]
    assert [place.word for _, line in comments(text) for place in found("page", line) if counts_in_comments(place)] == [
        "says"
    ]


def test_names_are_found_where_they_are_given() -> None:
    """Functions, classes, parameters, variables and fields; a use is none, nor is a word that only contains one."""
    text = "class OldCard:\n  def f(self, told_by, discarded):\n    self.said = said = f(wish)\n"
    assert sorted(given_names(ast.parse(text))) == [(1, "OldCard"), (2, "told_by"), (3, "said"), (3, "said")]


def test_strings_that_a_user_reads_are_messages() -> None:
    """The text of a module counts, also within a template; docstrings, keys and patterns do not."""
    shown = [text for _, text in messages(ast.parse(EXAMPLE))]
    assert shown == ["The … tells nothing of ….", "its card", "the disk", "not told"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Disks, and\nthe drive of its\nown", ["disks", "of its own"]),
        ("/dev/disk/by-id is on disk", []),
        ("hold this machine against it", ["hold this machine against"]),
    ],
)
def test_words_are_found_whole_and_over_line_ends(text: str, words: list[str]) -> None:
    """Capitals and line ends make no difference; what is allowed does not count."""
    assert sorted(place.word for place in found("page", text)) == sorted(words)
