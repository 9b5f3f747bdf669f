"""Whether an answer lists what it counts: ``Physical Drives = 8`` without a list of drives is an answer cut off."""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.model import Problem
from raidctl.text import attempt
from raidctl_megaraid.storcli import figures
from raidctl_megaraid.storcli.outline import Answer
from raidctl_megaraid.words import word

_LISTS: dict[str, tuple[str, ...]] = {
    "drive groups": ("topology",),
    "virtual drives": ("vd list",),
    "physical drives": ("pd list",),
    "jbod drives": ("jbod list",),
}
"""Labels of counts, and the titles of the tables that they are about."""


def unlisted(answer: Answer, command: str) -> Iterator[Problem]:
    """A problem for each count whose table is not there at all."""
    tables = {word(section.title) for section in answer.sections if section.rows}
    for section in answer.sections:
        if section.title:
            continue
        for pair in section.pairs:
            titles = _LISTS.get(word(pair.label))
            count = attempt(figures.integer, pair.value)
            if titles is not None and count and tables.isdisjoint(titles):
                yield Problem(
                    severity="error", kind="unread", where=command,
                    message=f"The output counts {min(count, 10**9)} {word(pair.label)} and does not list them.",
                    remedy="Give the whole output of the command.",
                )  # fmt: skip
