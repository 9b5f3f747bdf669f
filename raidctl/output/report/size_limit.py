"""A report of limited size: lines behind facts are left out if it would be too large. Pure."""

from __future__ import annotations

from collections.abc import Callable

from raidctl.audit.diagnosis import Diagnosis
from raidctl.output.report.contents import Material, page
from raidctl.output.report.hardware import lines_of
from raidctl.output.report.page import Page

LARGEST = 1_500_000
"""Bytes of a report."""
_SOME = (
    "Lines of output are shown only for objects with a finding, as the page would be too large; "
    "raidctl show --explain ID has the others."
)
_NONE = "Lines of output are left out, as the page would be too large; raidctl show --explain ID has them."


def limited_report(material: Material, write: Callable[[Page], bytes], *, draw: bool) -> bytes:
    """The report, with all lines behind its facts if they fit.

    Fewer lines are included if the report would be larger than :data:`LARGEST`.
    """
    named = _named(material.diagnosis)
    ways: tuple[tuple[Callable[[str], bool], tuple[str, ...]], ...] = (
        (lambda _: True, ()),
        (lambda name: name in named, (_SOME,)),
        (lambda _: False, (_NONE,)),
    )
    data = b""
    for wanted, notes in ways:
        data = write(page(material, lines_of(material.seen.outputs, wanted), notes, draw=draw))
        if len(data) <= LARGEST:
            break
    return data


def _named(found: Diagnosis) -> frozenset[str]:
    return frozenset(one.where for one in found.findings)
