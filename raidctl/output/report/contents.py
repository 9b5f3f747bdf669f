"""The inputs of a report, and the page made from them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from raidctl import __version__
from raidctl.audit.diagnosis import Diagnosis
from raidctl.bench.compare import compare
from raidctl.bench.record import Run
from raidctl.drift.report import Drift
from raidctl.model import UNREAD_KINDS, Inventory
from raidctl.output.phrases import short_moment
from raidctl.output.report import changes, findings, hardware, inputs, measurements, promises
from raidctl.output.report.page import Cell, Page, Section
from raidctl.survey.survey import Survey
from raidctl.text import listing
from raidctl.verify.contract import Contract
from raidctl.verify.report import Verification

_NAMED = 4
"""The most sources named in the first line."""


@dataclass(frozen=True, kw_only=True)
class Material:
    """The inputs of a report."""

    seen: Survey
    diagnosis: Diagnosis
    verification: Verification
    contract: Contract | None = None
    runs: Sequence[Run] = ()
    """Up to two runs of the benchmark."""
    drift: Drift | None = None
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Other inputs, for their checksums."""
    redacted: bool = False


def page(material: Material, lines: hardware.Lines, notes: Sequence[str] = (), *, draw: bool = False) -> Page:
    """The page. ``lines`` returns the lines behind the facts of an object. ``draw``: with plots."""
    inventory = material.seen.inventory
    sums = inputs.checksums(material.seen.outputs, material.files)
    answers = [promises.summary(material.verification), findings.summary(material.diagnosis, inventory)]
    if material.contract is None:
        answers.reverse()
    sections = [
        promises.section(material.verification, material.contract),
        findings.section(material.diagnosis, lines),
    ]
    if material.contract is None:
        sections.reverse()
    if material.drift is not None:
        answers.append(changes.summary(material.drift))
        sections.append(changes.section(material.drift))
    if material.runs:
        if len(material.runs) == 2:
            answers.append(measurements.comparison(compare(*material.runs)))
        answers += [measurements.summary(run, inventory.host.hostname) for run in material.runs]
        sections.append(measurements.section(material.runs, draw=draw))
    sections += [hardware.section(inventory, lines), inputs.section(inventory, sums, notes)]
    return _page(inventory, material, answers, sections, inputs.overall(sums))


def _page(
    inventory: Inventory, material: Material, answers: Sequence[Cell], sections: Sequence[Section], digest: str
) -> Page:
    host = inventory.host
    name = host.hostname or "unknown host"
    when = short_moment(host.collected_at or "unknown")
    about = [
        ("Host", name), ("Read", when), ("Kernel", host.kernel or ""), ("Source", host.source),
        ("Made by", f"raidctl {__version__}"),
        ("Redacted", "serial numbers and names are replaced" if material.redacted else ""),
        ("SHA-256 of all inputs", digest),
    ]  # fmt: skip
    partial = _partial(inventory)
    # nothing is green if the machine was read only in part
    shown = [replace(one, level="plain") if partial and one.level == "good" else one for one in answers]
    return Page(
        title=f"Storage report: {name}",
        partial=partial,
        about=tuple((label, text) for label, text in about if text),
        summary=tuple(shown),
        sections=tuple(sections),
    )


def _partial(inventory: Inventory) -> str | None:
    """A sentence if something could not be read."""
    lacking = [one for one in inventory.problems if one.kind in UNREAD_KINDS]
    if not lacking:
        return None
    names = list(dict.fromkeys(one.where for one in lacking))
    shown = [*names[:_NAMED], *([f"{len(names) - _NAMED} more"] if len(names) > _NAMED else [])]
    return f"This machine could be read only in part. Not read, or not completely: {listing(shown)}."
