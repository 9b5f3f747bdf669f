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
from msgspec.structs import replace

from raidctl.discovery import Probe, probe_machine
from raidctl.evidence import NO_LAST_BLANK, Output
from raidctl.health.redundancy import with_redundancy
from raidctl.host import HostView
from raidctl.json_decode import valid_text
from raidctl.model import Controller, Host, Inventory, Problem, SecondView, Tool, write_protection
from raidctl.order import in_order
from raidctl.request import Runner, converse
from raidctl.select import family_of
from raidctl.survey import (
    block_devices,
    kernel_facts,
    md_members,
    merge_controllers,
    pci_controllers,
    second_view,
    truncated_outputs,
)
from raidctl.survey.ask_vendors import Outcome, ask_vendors, warm
from raidctl.survey.failed_requests import FailureWatch
from raidctl.survey.same_objects import drop_objects
from raidctl.survey.undescribed_members import undescribed
from raidctl.survey.unmatched_drives import unmatched
from raidctl.tasks.derive import tasks_of
from raidctl.units import timestamp
from raidctl.vendor.protocol import Document, Observation, Vendor
from raidctl.vendor.registry import families_that_count_redundancy

_ENDS = ("#", "$", "%", ">", ".", "!")
"""Ends of a complete session or sentence: a prompt or full stop."""


class Survey(Struct, frozen=True):
    """An inventory, and the evidence that explains it."""

    inventory: Inventory
    outputs: tuple[Output, ...] = ()
    view: HostView = field(default_factory=HostView)
    tracebacks: tuple[str, ...] = ()
    """Of vendor packages that failed; shown with ``-v``."""


class _Results(Struct):
    """The results so far."""

    controllers: list[Controller] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    tools: list[Tool] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    tracebacks: list[str] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)
    """Families whose vendor package failed."""
    views: tuple[SecondView, ...] = ()
    counting: frozenset[str] = frozenset()
    """The families that report themselves how many more drives each volume survives."""

    def add(self, found: Observation) -> None:
        self.controllers += found.controllers
        self.problems += found.problems
        self.tools += found.tools
        self.outputs += found.outputs

    def cut(self, found: Observation) -> None:
        """Report the truncated outputs, each once."""
        known = {problem.where for problem in found.problems if problem.kind == "unread"}
        for output in found.outputs:
            why = output.cut_off
            if why is not None and output.command not in known:
                message = f"The output is cut off, {why}: the rest is unknown."
                if why == NO_LAST_BLANK:
                    message = f"The output may be cut off: {why}. More volumes or drives may follow."
                remedy = "Run the command again and keep its whole output."
                self.problems.append(Problem("error", output.command, message, remedy, "unread"))

    def failed(self, vendor: Vendor, error: Exception, what: str) -> None:
        import traceback  # noqa: PLC0415 - rarely needed

        self.broken.add(vendor.FAMILY)
        self.tracebacks.append("".join(traceback.format_exception(error)))
        message = f"The vendor package {vendor.FAMILY} failed {what}: {type(error).__name__}: {error}."
        remedy = "Everything else is shown. Run again with -v for the traceback, and report it with a recording."
        self.problems.append(Problem("error", vendor.FAMILY, message, remedy, "unread"))


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
    results = _Results(problems=[*problems, *seen.problems], outputs=list(seen.outputs))
    results.counting = families_that_count_redundancy(vendors)
    last = [vendor for vendor in vendors if vendor.LAST]
    _query_vendors([vendor for vendor in vendors if not vendor.LAST], seen.view, runner, results, partial(warm, last))
    outside = _outside(vendors, results)
    _once(vendors, results)
    _link(seen.view, vendors, results)
    _once(vendors, results)  # with the kernel's PCI addresses more of them prove to be the same
    outside = _linked_outside(outside, seen.view, results)
    volumes = [replace(controller, drives=()) for controller in outside]  # its plain drives are the kernel's as well
    claimed = block_devices.claimed_nodes([*results.controllers, *volumes], seen.view)
    view = replace(seen.view, claimed=claimed)
    _query_vendors(last, view, runner, results)
    _join(outside, results)
    installed = [tool.name for tool in results.tools]
    bare, missing = pci_controllers.unlisted(
        view, results.controllers, vendors, installed, results.broken, known=results.problems
    )
    results.controllers += bare
    results.problems += [*missing, *unmatched(view, results.controllers)]
    results.outputs += pci_controllers.evidence(bare, view)
    _keep(block_devices.add_mountpoints(results.controllers, view), results)
    results.problems += watched.problems(results.problems)
    if not watched.machine_failed and second_view.alone(view, results.tools, vendors):
        results.problems = [problem for problem in results.problems if problem not in seen.problems]
    results.controllers = md_members.add_backing(results.controllers, view, results.outputs)
    _keep(kernel_facts.add_facts(results.controllers, view), results)
    host = Host(
        hostname=view.hostname,
        kernel=view.kernel,
        collected_at=collected_at or timestamp(),
        source=source,
    )
    return _survey(host, results, view)


def survey_documents(
    texts: Sequence[tuple[Vendor, Sequence[Document]]],
    *,
    source: str,
    problems: Sequence[Problem] = (),
) -> Survey:
    """Build the inventory of loose tool outputs, without the kernel's view."""
    results = _Results(problems=list(problems))
    results.counting = families_that_count_redundancy(vendor for vendor, _ in texts)
    for vendor, documents in texts:
        found = _guarded(vendor, "while reading its tools' output", partial(vendor.read, documents), results)
        results.problems += [] if found is None else _cut_off(documents, found)
    _once([vendor for vendor, _ in texts], results)
    results.controllers = md_members.add_backing(results.controllers, HostView(), results.outputs)
    return _survey(Host(source=source), results, HostView())


def _query_vendors(
    vendors: Sequence[Vendor],
    view: HostView,
    runner: Runner,
    results: _Results,
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


def _guarded(vendor: Vendor, what: str, call: Callable[[], Observation], results: _Results) -> Observation | None:
    try:
        found = call()
        results.add(found)
        results.cut(found)
    except Exception as error:  # noqa: BLE001 - a failing vendor package must not hide the others
        results.failed(vendor, error, what)
        return None
    return found


def _link(view: HostView, vendors: Sequence[Vendor], results: _Results) -> None:
    _keep(block_devices.link(results.controllers, view, {vendor.FAMILY: vendor.DRIVERS for vendor in vendors}), results)


def _outside(vendors: Sequence[Vendor], results: _Results) -> tuple[Controller, ...]:
    """Take out controllers of families that see the machine from outside. The survey joins them at its end."""
    families = second_view.families(vendors)
    found = tuple(one for one in results.controllers if family_of(one) in families)
    results.controllers = [one for one in results.controllers if family_of(one) not in families]
    return found


def _linked_outside(outside: Sequence[Controller], view: HostView, results: _Results) -> tuple[Controller, ...]:
    """Match a BMC's volumes with kernel devices if no tool reads them."""
    linked = block_devices.link(outside, view) if outside else block_devices.Linked(())
    results.outputs += linked.outputs
    return linked.controllers


def _join(outside: Sequence[Controller], results: _Results) -> None:
    unread = [problem.where for problem in results.problems if problem.kind in ("unread", "no_right")]
    joined = second_view.join(results.controllers, outside, unread)
    results.controllers += joined.left
    results.views = joined.views
    kept = drop_objects(results.outputs, results.problems, joined.dropped)
    results.problems = [*kept, *joined.problems]


def _once(vendors: Sequence[Vendor], results: _Results) -> None:
    tools = {vendor.FAMILY: [tool.name for tool in vendor.TOOLS] for vendor in vendors}
    kept = merge_controllers.merge(results.controllers, results.outputs, tools)
    results.controllers = list(kept.controllers)
    results.problems = [*drop_objects(results.outputs, results.problems, kept.dropped), *kept.problems]


def _keep(linked: block_devices.Linked, results: _Results) -> None:
    results.controllers = list(linked.controllers)
    results.problems += linked.problems
    results.outputs += linked.outputs


def _survey(host: Host, results: _Results, view: HostView) -> Survey:
    concluded = write_protection.derived(with_redundancy(results.controllers, results.counting))
    controllers = truncated_outputs.withdraw_unsupported(concluded, results.outputs, results.problems)
    ordered = tuple(in_order(controllers, key=lambda controller: controller.id))
    inventory = Inventory(
        host=valid_text(host),  # its source may be the path of a recording
        controllers=ordered,
        tasks=tasks_of(ordered),
        problems=(*results.problems, *undescribed(ordered)),
        tools=tuple(results.tools),
        second_views=results.views,
    )
    return Survey(inventory, tuple(results.outputs), view, tuple(results.tracebacks))
