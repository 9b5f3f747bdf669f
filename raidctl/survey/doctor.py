"""Check which vendor tools are installed and whether they start, for ``raidctl doctor``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec

from raidctl.described import doc
from raidctl.model import Host, Problem, Tool
from raidctl.request import CHANGEABLE, NO_START, Dialogue, Failure, Run, RunAnswer, Which, ask, together
from raidctl.survey.pci_controllers import PciControllerRow
from raidctl.survey.second_view import families
from raidctl.text import collapse, printable, regex
from raidctl.vendor.protocol import ToolSpec, Vendor

_VERSION = regex(r"\d+\.\d+")
_PATIENCE = 20.0
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class ToolCheck:
    """A tool of a family, and whether it could be started."""

    family: Annotated[str, doc("The vendor package that uses it.")]
    name: Annotated[str, doc("Name of the tool.")]
    package: Annotated[str, doc("Where to get it: a package or its vendor; empty: unknown.")]
    path: Annotated[str | None, doc("Its path; null: not installed.")] = None
    version: Annotated[str | None, doc("The line in which it prints its version; null: unknown.")] = None
    fault: Annotated[
        str | None,
        doc("Why it could not be started, or why it is unknown whether it is installed; null: no fault."),
    ] = None


class DoctorReport(msgspec.Struct, frozen=True, kw_only=True):
    """The report of ``raidctl doctor``.

    It lists what raidctl needs to read a machine, and what is missing.
    """

    schema_version: Annotated[Literal["1"], doc("Version of this contract.")] = "1"
    host: Annotated[Host, doc("The machine.")]
    root: Annotated[bool | None, doc("Whether the tools are run as root there; null: unknown.")]
    pci_controllers: Annotated[tuple[PciControllerRow, ...], doc("The storage controllers on the PCI bus.")]
    tools: Annotated[tuple[ToolCheck, ...], doc("The tools of all families.")]
    libraries: Annotated[
        dict[str, str | None],
        doc("Version of each library that raidctl uses, null: it is missing; empty for another machine."),
    ]
    problems: Annotated[tuple[Problem, ...], doc("What is missing or unknown, and what to do.")]


def check_tools(vendors: Sequence[Vendor], known: Sequence[Tool] = ()) -> Dialogue[list[ToolCheck]]:
    """Look for every tool of every family. Ask those that are installed for their version.

    Families are asked in parallel, the tools of one family in sequence: some tools cannot run twice at once.
    ``known`` are tools, of which some have reported their version already.
    """
    versions = {tool.name: tool.version for tool in known if tool.version}
    outside = families(vendors)  # the resources of a service processor are not programs
    checks = yield from together(_family(one, versions) for one in vendors if one.FAMILY not in outside)
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
    command = spec.name if spec.applet else found.path
    answer = yield from ask(Run((command, *spec.version_argv), timeout=_PATIENCE))
    return ToolCheck(family, spec.name, spec.package, found.path, _version(answer), _fault(answer))


def _version(answer: RunAnswer) -> str | None:
    """Return the first line that contains something like a version."""
    for line in (*answer.text.splitlines(), *answer.error_text.splitlines()):
        if _VERSION.search(line):
            return collapse(printable(line))[:_LONGEST]
    return None


def _fault(answer: RunAnswer) -> str | None:
    if answer.trouble is Failure.UNRECORDED:
        return None
    if CHANGEABLE in answer.detail:
        return f"is not run as root: {answer.detail}"
    why = answer.detail or answer.trouble
    return None if answer.fine else answer.detail if NO_START in answer.detail else f"{NO_START}: {why}"
