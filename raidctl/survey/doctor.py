"""Which programs of the vendor packages are installed, and whether they start: the dialogue of ``raidctl doctor``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec

from raidctl.described import doc
from raidctl.model import Host, Problem, Tool
from raidctl.request import Dialogue, Failure, Run, RunAnswer, Which, ask, together
from raidctl.survey.pci_cards import CardRow
from raidctl.text import collapse, printable
from raidctl.vendor.protocol import ToolSpec, Vendor

_VERSION = re.compile(r"\d+\.\d+")
_PATIENCE = 20.0
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class ToolCheck:
    """A program of a family, and what became of the attempt to start it."""

    family: Annotated[str, doc("The vendor package that uses it.")]
    name: Annotated[str, doc("Name of the program.")]
    package: Annotated[str, doc("Where one gets it: a package, or its maker; empty: not told.")]
    path: Annotated[str | None, doc("Where it is; null: it is not installed.")] = None
    version: Annotated[str | None, doc("The line in which it tells its version; null: not told.")] = None
    fault: Annotated[
        str | None,
        doc(
            "Why it could not be started, or why it is not known whether it is installed; null: nothing "
            "is wrong with it."
        ),
    ] = None


class CheckupReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a machine needs to be read, and what is missing: the answer of ``raidctl doctor``."""

    schema_version: Annotated[Literal["1"], doc("Version of this contract.")] = "1"
    host: Annotated[Host, doc("Which machine it is.")]
    root: Annotated[bool | None, doc("Whether the programs are run as root there; null: not known.")]
    cards: Annotated[tuple[CardRow, ...], doc("The storage controllers on the PCI bus.")]
    tools: Annotated[tuple[ToolCheck, ...], doc("The programs of all families.")]
    libraries: Annotated[
        dict[str, str | None],
        doc("Version of each library that raidctl uses, null: it is missing; empty for another machine."),
    ]
    problems: Annotated[tuple[Problem, ...], doc("What is missing or could not be told, and what to do.")]


def check_tools(vendors: Sequence[Vendor], known: Sequence[Tool] = ()) -> Dialogue[list[ToolCheck]]:
    """Look for every program of every family and ask those that are there for their version.

    Families are asked side by side, the programs of one family one after the other: some cannot run twice at once.
    ``known`` are the programs that have told their version already.
    """
    versions = {tool.name: tool.version for tool in known if tool.version}
    checks = yield from together(_family(vendor, versions) for vendor in vendors)
    return [check for family in checks for check in family]


def _family(vendor: Vendor, versions: Mapping[str, str]) -> Dialogue[list[ToolCheck]]:
    checks = []
    for spec in vendor.TOOLS:
        check = yield from _tool(vendor.FAMILY, spec, versions.get(spec.name))
        checks.append(check)
    return checks


def _tool(family: str, spec: ToolSpec, version: str | None) -> Dialogue[ToolCheck]:
    found = yield from ask(Which(spec.name, spec.places))
    if found.path is None:
        fault = None if found.trouble in {Failure.MISSING, None} else found.detail or str(found.trouble)
        return ToolCheck(family, spec.name, spec.package, fault=fault)
    if version is not None or not spec.version_argv:
        return ToolCheck(family, spec.name, spec.package, found.path, version)
    answer = yield from ask(Run((found.path, *spec.version_argv), timeout=_PATIENCE))
    return ToolCheck(family, spec.name, spec.package, found.path, _version(answer), _fault(answer))


def _version(answer: RunAnswer) -> str | None:
    """The first line that holds something like a version."""
    for line in (*answer.text.splitlines(), *answer.error_text.splitlines()):
        if _VERSION.search(line):
            return collapse(printable(line))[:_LONGEST]
    return None


def _fault(answer: RunAnswer) -> str | None:
    if answer.trouble is Failure.UNRECORDED:
        return None
    return None if answer.fine else f"does not start: {answer.detail or answer.trouble}"
