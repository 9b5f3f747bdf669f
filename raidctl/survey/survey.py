"""Run every vendor package and merge the results. One failure never hides the rest.

The order: the kernel's view (:mod:`raidctl.discovery`); all independent families in parallel; controllers listed twice
(:mod:`raidctl.survey.merge_controllers`); block devices of volumes (:mod:`raidctl.survey.block_devices`); the families
that take the remaining plain drives; controllers that no tool lists (:mod:`raidctl.survey.pci_controllers`); members of
software arrays (:mod:`raidctl.survey.md_members`); the kernel's facts on each device that is shown
(:mod:`raidctl.survey.kernel_facts`); the failures that each volume survives (:mod:`raidctl.health.redundancy`);
background operations (:mod:`raidctl.tasks.derive`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from msgspec import Struct, field

from raidctl.discovery import Probe, probe_machine
from raidctl.evidence import Output
from raidctl.host import HostView
from raidctl.model import Host, Inventory, Problem
from raidctl.request import Runner, converse
from raidctl.survey.ask_vendors import Outcome, ask_vendors, warm
from raidctl.survey.failed_requests import FailureWatch
from raidctl.survey.results import Results
from raidctl.units import timestamp
from raidctl.vendor.protocol import Document, Observation, Vendor

_ENDS = ("#", "$", "%", ">", ".", "!")
"""Ends of a complete session or sentence: a prompt or full stop."""


class Survey(Struct, frozen=True):
    """An inventory, and the evidence that explains it."""

    inventory: Inventory
    outputs: tuple[Output, ...] = ()
    view: HostView = field(default_factory=HostView)
    tracebacks: tuple[str, ...] = ()
    """Of vendor packages that failed; shown with ``-v``."""


def survey(
    runner: Runner,
    vendors: Sequence[Vendor],
    *,
    source: str = "local",
    collected_at: str | None = None,
    problems: Sequence[Problem] = (),
) -> Survey:
    """Survey the machine that ``runner`` reaches.

    ``collected_at`` is RFC 3339 text, now when None; ``problems`` are those of loading the vendor packages.
    """
    runner = watched = FailureWatch(runner)
    seen: Probe = converse(probe_machine(), runner)
    results = Results(problems=[*problems, *seen.problems], of_kernel=seen.problems, outputs=list(seen.outputs))
    last = [vendor for vendor in vendors if vendor.LAST]
    others = [vendor for vendor in vendors if not vendor.LAST]
    _query_vendors(others, seen.view, runner, results, partial(_prepare, last))
    from raidctl.survey import conclude  # noqa: PLC0415 - imported while the tools run

    view, outside = conclude.merge(results, vendors, seen.view)
    _query_vendors(last, view, runner, results)
    conclude.complete(results, vendors, view, outside, watched)
    host = Host(
        hostname=view.hostname,
        kernel=view.kernel,
        collected_at=collected_at or timestamp(),
        source=source,
    )
    return _survey(conclude.inventory_of(host, results, vendors), results, view)


def _prepare(last: Sequence[Vendor]) -> None:
    """Import what follows the tools."""
    from raidctl.survey import conclude  # noqa: F401, PLC0415 - as above

    warm(last)


def survey_documents(
    texts: Sequence[tuple[Vendor, Sequence[Document]]],
    *,
    source: str,
    problems: Sequence[Problem] = (),
) -> Survey:
    """Build the inventory of loose tool outputs, without the kernel's view."""
    from raidctl.survey import conclude  # noqa: PLC0415 - as above

    results = Results(problems=list(problems))
    for vendor, documents in texts:
        found = _guarded(vendor, "while reading its tools' output", partial(vendor.read, documents), results)
        results.problems += [] if found is None else _cut_off(documents, found)
    vendors = [vendor for vendor, _ in texts]
    conclude.complete_documents(results, vendors)
    return _survey(conclude.inventory_of(Host(source=source), results, vendors), results, HostView())


def _query_vendors(
    vendors: Sequence[Vendor],
    view: HostView,
    runner: Runner,
    results: Results,
    meanwhile: Callable[[], None] = lambda: None,
) -> None:
    """Run the dialogues of several vendors. The results stay in the order of the vendors."""
    for vendor, outcome in zip(vendors, ask_vendors(vendors, view, runner, meanwhile), strict=True):
        _guarded(vendor, "while asking its tools", partial(_raised, outcome), results)


def _raised(outcome: Outcome) -> Observation:
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def _cut_off(documents: Sequence[Document], found: Observation) -> list[Problem]:
    """Report outputs that are cut off. They end in the middle of an unparsed line, or before any fact.

    A missing newline alone is not a sign: shells strip the last one of an output. JSON itself shows whether it is
    complete.
    """
    unread = {line.text.strip() for output in found.outputs for line in output.unparsed()[-1:]}
    empty = not found.controllers and not found.problems
    message = "It ends in the middle of a line: the rest was cut off and is unknown."
    remedy = "Run the tool again and keep its whole output."
    return [
        Problem("error", document.name, message, remedy, "unread")
        for document in documents
        if (last := _open_end(document.text)) and (last in unread or (empty and ":" not in last))
    ]


def _open_end(text: str) -> str:
    """Return the unterminated last line of an output; empty: none."""
    if text.lstrip().startswith(("{", "[")):
        return ""
    last = text.rpartition("\n")[2].strip()
    return "" if last.endswith(_ENDS) else last


def _guarded(vendor: Vendor, what: str, call: Callable[[], Observation], results: Results) -> Observation | None:
    try:
        found = call()
        results.add(found)
        results.cut(found)
    except Exception as error:  # noqa: BLE001 - a failing vendor package must not hide the others
        results.failed(vendor, error, what)
        return None
    return found


def _survey(inventory: Inventory, results: Results, view: HostView) -> Survey:
    return Survey(inventory, tuple(results.outputs), view, tuple(results.tracebacks))
