"""Whether an output lists what it counts. An output with ``Physical Drives = 8`` and no list of drives is cut off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidctl.model import Problem
from raidctl.text import attempt
from raidctl_megaraid.storcli import numbers
from raidctl_megaraid.storcli.outline import Answer
from raidctl_megaraid.storcli.page_ends import unfinished
from raidctl_megaraid.vocabulary import normalized

_LISTS = {
    "drive groups": "topology", "virtual drives": "vd list", "physical drives": "pd list", "jbod drives": "jbod list",
}  # fmt: skip
"""Labels of counts, and the titles of the tables that they count."""


def unlisted(answer: Answer, command: str) -> Iterator[Problem]:
    """Yield a problem for each count whose table is missing or shorter."""
    tables = {normalized(section.title): len(section.rows) for section in answer.sections if section.rows}
    for section in answer.sections:
        if section.title:
            continue
        for pair in section.pairs:
            title = _LISTS.get(normalized(pair.label))
            count = attempt(numbers.integer, pair.value)
            if title is None or not count:
                continue
            rows = tables.get(title, 0)
            if not rows or (rows < count and title != "topology"):
                listed = f"lists {rows}" if rows else "does not list them"
                yield Problem(
                    severity="error", kind="unread", where=command,
                    message=f"The output counts {min(count, 10**9)} {normalized(pair.label)} and {listed}.",
                    remedy="Provide the complete output of the command.",
                )  # fmt: skip


def gap(answers: Sequence[Answer]) -> str:
    """Return what is missing at the end of a text output. The lists of a controller always come last."""
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
