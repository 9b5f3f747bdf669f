"""A layout file as a policy rule: one finding per difference."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from raidctl.audit.finding import Finding, Outcome
from raidctl.audit.policy.rules import PolicyRule
from raidctl.audit.policy.scope import Machine
from raidctl.layout.compare import Compared, Comparison, Difference, compare
from raidctl.layout.specification import Layout
from raidctl.toml_files.mistakes import Place

_WORDS = {"missing": "is missing", "unwanted": "still exists, and must not", "unlisted": "is not listed"}
_REMEDY = "raidctl layout plan {}"


def is_layout(value: object) -> bool:
    """Whether the key ``layout`` of a file has a layout's version. The ``layout`` of a volume is a text."""
    return isinstance(value, int) and not isinstance(value, bool)


@dataclass(frozen=True)
class LayoutRule(PolicyRule):
    """A rule that a machine meets if it matches a layout."""

    layout: Layout = field(default_factory=Layout)
    file: str = ""

    def run(self, machine: Machine, findings: list[Finding], *, keep: bool) -> tuple[int, int]:
        """Compare a machine. A machine whose name differs from the layout's is skipped."""
        found = compare(self.layout, machine.inventory)
        if _another_machine(found):
            return 0, 0
        mine = [finding for one in found.compared for finding in self._of(one, found)]
        other = [one for one in mine if one.outcome != "pass"]
        findings += mine if keep else other
        return len(mine), len(mine) - len(other)

    def unmatched(self, *, hidden: bool) -> Finding:
        """It is for another machine, or empty."""
        message = f"The layout {self.file} is for another machine, or lists nothing."
        remedy = "Not everything could be read." if hidden else None
        return Finding(
            rule=self.name, severity=self.severity, outcome="unmatched", where="host", message=message, remedy=remedy
        )

    def _of(self, one: Compared, found: Comparison) -> Iterator[Finding]:
        if one.verdict == "unlisted" and not found.only_listed:
            return
        for each in one.differences:
            yield self._finding_of("unknown" if each.found is None else "fail", one, each)
        if not one.differences:
            outcome: Outcome = "pass" if one.verdict == "same" else "unknown" if one.verdict == "unknown" else "fail"
            yield self._finding_of(outcome, one, None)

    def _finding_of(self, outcome: Outcome, one: Compared, each: Difference | None) -> Finding:
        if each is not None:
            text = f"{one.label}: {each.key} is {each.found or 'unknown'}, and {each.wanted} in the layout"
        elif outcome == "pass":
            text = f"{one.label} is as in the layout"
        else:
            text = f"{one.label} {_WORDS.get(one.verdict, 'is unknown')}"
        why = f": {one.why}" if one.why and outcome != "pass" else "."
        line = f" ({self.file}, line {one.line})" if one.line is not None and outcome != "pass" else ""
        remedy = self.remedy or (_REMEDY.format(self.file) if outcome == "fail" else None)
        return Finding(
            rule=self.name, severity=self.severity, outcome=outcome, where=one.object_id or "host",
            field=each.key if each else None, wanted=each.wanted if each else None,
            actual=each.found if each else None, message=f"{text}{line}{why}", remedy=remedy,
            evidence=(f"{each.key} = {each.found or 'unknown'}",) if each else (),
        )  # fmt: skip


def _another_machine(found: Comparison) -> bool:
    return any(one.label == "machine" and one.verdict == "different" for one in found.compared)


def layout_rule(path: str, data: bytes, place: Place, known: Mapping[str, PolicyRule]) -> LayoutRule | None:
    """The rule of a layout file. Its mistakes are added to those of the policy.

    It is named after the file; if another file's rule in ``known`` has that name, after the whole path.
    """
    from raidctl.layout.document import read_layout  # noqa: PLC0415 - only where a layout is read
    from raidctl.toml_files.mistakes import MistakesError  # noqa: PLC0415 - as above

    try:
        layout = read_layout(path, data)
    except MistakesError as error:
        place.faults += error.faults
        return None
    name = f"layout {posixpath.basename(path).removesuffix('.toml')}"
    other = known.get(name)
    if other is not None and not (isinstance(other, LayoutRule) and other.file == path):
        name = f"layout {path.removesuffix('.toml')}"
    return LayoutRule(name=name, label=name, kind="volume", layout=layout, file=path)
