"""Whether an answer lists what it counts: ``Physical Drives = 8`` without a list of drives is an answer cut off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidctl.model import Problem
from raidctl.text import attempt
from raidctl_megaraid.storcli import numbers
from raidctl_megaraid.storcli.outline import Answer
from raidctl_megaraid.storcli.page_ends import unfinished
from raidctl_megaraid.vocabulary import normalized

_LISTS: dict[str, tuple[str, ...]] = {
    "drive groups": ("topology",),
    "virtual drives": ("vd list",),
    "physical drives": ("pd list",),
    "jbod drives": ("jbod list",),
}
"""Labels of counts, and the titles of the tables that they are about."""


def unlisted(answer: Answer, command: str) -> Iterator[Problem]:
    """A problem for each count whose table is not there, or has fewer rows."""
    tables = {normalized(section.title): len(section.rows) for section in answer.sections if section.rows}
    for section in answer.sections:
        if section.title:
            continue
        for pair in section.pairs:
            titles = _LISTS.get(normalized(pair.label))
            count = attempt(numbers.integer, pair.value)
            if titles is None or not count:
                continue
            rows = sum(tables.get(title, 0) for title in titles)
            if not rows or (rows < count and "topology" not in titles):
                listed = f"lists {rows}" if rows else "does not list them"
                yield Problem(
                    severity="error", kind="unread", where=command,
                    message=f"The output counts {min(count, 10**9)} {normalized(pair.label)} and {listed}.",
                    remedy="Provide the complete output of the command.",
                )  # fmt: skip


def gap(answers: Sequence[Answer]) -> str:
    """What is missing at the end of a text output: the lists of a controller always come last."""
    if not answers:
        return ""
    answer = answers[-1]
    if name := unfinished(answer.sections):
        return f"the page of {name} lacks its last parts"
    tables = {normalized(section.title) for section in answer.sections}
    pairs = {normalized(pair.label): normalized(pair.value) for section in answer.sections for pair in section.pairs}
    ended = answer.printed("Status") or answer.printed("Status Code") or not answer.printed("CLI Version")
    shown = (answer.printed("Description") or "").lower().startswith(("show ", "none"))
    if not ended or (shown and not answer.sections and not answer.details):
        return "nothing follows its first lines"
    controller = "basics" in tables or "product name" in pairs
    if not controller:
        return ""
    ends = {"topology", "vd list", "pd list", "jbod list", "physical device information"}
    power = any(title.endswith("_info") for title in tables)
    if tables.isdisjoint(ends) and not power and pairs.keys().isdisjoint(_LISTS):
        return "its lists of volumes and drives are missing"
    for before, after in (("topology", "vd list"), ("vd list", "pd list")):
        if before in tables and after not in tables:
            return f"the list {after.upper()} is missing"
    return "" if power or pairs.get("bbu") != "present" else "the state of its battery is missing"
