"""Ask every vendor package, put the answers together; one failure never hides the rest.

The order: what the kernel knows (:mod:`raidctl.discovery`), then all families that do not depend on each other side by
side, then which of their controllers are the same card (:mod:`raidctl.survey.duplicates`) and which of their volumes is
which block device (:mod:`raidctl.survey.block_devices`), then the families that take what is left (plain drives), and
last the cards that nobody has listed (:mod:`raidctl.survey.pci_cards`), and what members of software arrays have from
their disks (:mod:`raidctl.survey.md_members`), what the kernel knows of each device that is shown
(:mod:`raidctl.survey.kernel_facts`), and how many more failures each volume survives
(:mod:`raidctl.health.redundancy`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timezone
from functools import partial

from msgspec import Struct, field
from msgspec.structs import replace

from raidctl.discovery import Look, look
from raidctl.evidence import Output
from raidctl.health.redundancy import with_redundancy
from raidctl.host import HostView
from raidctl.model import Controller, Host, Inventory, Problem, Tool, write_protection
from raidctl.order import in_order
from raidctl.request import Runner, converse
from raidctl.survey import block_devices, duplicates, incomplete, kernel_facts, md_members, pci_cards
from raidctl.survey.unanswered import Watched
from raidctl.vendor.protocol import Document, Observation, Vendor

_ENDS = ("#", "$", "%", ">", ".", "!")
"""What a session ends with when nothing more was typed, and what a sentence ends with."""


class Survey(Struct, frozen=True):
    """An inventory, and all that is needed to explain it."""

    inventory: Inventory
    sheets: tuple[Output, ...] = ()
    view: HostView = field(default_factory=HostView)
    tracebacks: tuple[str, ...] = ()
    """Of vendor packages that failed; shown with ``-v``."""


class _Results(Struct):
    """What came together so far."""

    controllers: list[Controller] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    tools: list[Tool] = field(default_factory=list)
    sheets: list[Output] = field(default_factory=list)
    tracebacks: list[str] = field(default_factory=list)

    def add(self, found: Observation) -> None:
        self.controllers += found.controllers
        self.problems += found.problems
        self.tools += found.tools
        self.sheets += found.sheets

    def cut(self, found: Observation) -> None:
        """Report the outputs that are not whole, each once."""
        known = {problem.where for problem in found.problems if problem.kind == "unread"}
        for sheet in found.sheets:
            why = sheet.cut_off
            if why is not None and sheet.command not in known:
                message = f"The output is cut off, {why}: what follows there is unknown."
                remedy = "Run the command again and keep all that it prints."
                self.problems.append(Problem("error", sheet.command, message, remedy, "unread"))

    def failed(self, vendor: Vendor, error: Exception, what: str) -> None:
        import traceback  # noqa: PLC0415 - rarely needed

        self.tracebacks.append("".join(traceback.format_exception(error)))
        message = f"The vendor package {vendor.FAMILY} failed {what}: {type(error).__name__}: {error}."
        remedy = "Everything else is shown; run again with -v for the details and report it with a recording."
        self.problems.append(Problem("error", vendor.FAMILY, message, remedy, "unread"))


def survey(
    runner: Runner,
    vendors: Sequence[Vendor],
    *,
    source: str = "local",
    collected_at: str | None = None,
    problems: Sequence[Problem] = (),
) -> Survey:
    """Everything on the machine that ``runner`` reaches.

    ``collected_at`` is RFC 3339 text, now when None; ``problems`` are those of loading the vendor packages.
    """
    runner = watched = Watched(runner)
    seen: Look = converse(look(), runner)
    harvest = _Results(problems=[*problems, *seen.problems], sheets=list(seen.sheets))
    last = [vendor for vendor in vendors if vendor.LAST]
    _ask([vendor for vendor in vendors if not vendor.LAST], seen.view, runner, harvest, partial(_warm, last))
    _once(vendors, harvest)
    _link(seen.view, vendors, harvest)
    _once(vendors, harvest)  # what the kernel knows of their places has shown more of them to be the same
    view = replace(seen.view, claimed=block_devices.claimed(harvest.controllers, seen.view))
    _ask(last, view, runner, harvest)
    bare, missing = pci_cards.unanswered(view, harvest.controllers, vendors, [tool.name for tool in harvest.tools])
    harvest.controllers += bare
    harvest.problems += missing
    harvest.sheets += pci_cards.evidence(bare, view)
    _keep(block_devices.mounted(harvest.controllers, view), harvest)
    harvest.problems += watched.problems(harvest.problems)
    harvest.controllers = md_members.described(harvest.controllers, view, harvest.sheets)
    _keep(kernel_facts.described(harvest.controllers, view), harvest)
    host = Host(
        hostname=view.hostname,
        kernel=view.kernel,
        collected_at=collected_at or datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        source=source,
    )
    return _survey(host, harvest, view)


def survey_documents(
    texts: Sequence[tuple[Vendor, Sequence[Document]]],
    *,
    source: str,
    problems: Sequence[Problem] = (),
) -> Survey:
    """The inventory that loose outputs of tools tell of; the kernel's side of it is not known."""
    harvest = _Results(problems=list(problems))
    for vendor, documents in texts:
        found = _guarded(vendor, "while reading its tools' output", partial(vendor.read, documents), harvest)
        harvest.problems += [] if found is None else _cut_off(documents, found)
    _once([vendor for vendor, _ in texts], harvest)
    harvest.controllers = md_members.described(harvest.controllers, HostView(), harvest.sheets)
    return _survey(Host(source=source), harvest, HostView())


def _ask(
    vendors: Sequence[Vendor],
    view: HostView,
    runner: Runner,
    harvest: _Results,
    meanwhile: Callable[[], None] = lambda: None,
) -> None:
    """Lead the dialogues of several vendors at the same time; the harvest stays in the order of the vendors."""
    if not vendors:
        return
    # when this thread is interrupted, whoever owns the runner closes it, and that ends the others
    dialogues = [(vendor, _Dialogue(vendor, view, runner)) for vendor in vendors]
    meanwhile()
    for vendor, dialogue in dialogues:
        _guarded(vendor, "while asking its tools", dialogue.result, harvest)


def _warm(vendors: Sequence[Vendor]) -> None:
    """Have vendor packages import what they need for their dialogues, which are not begun; faults show themselves then.

    The tools of the others take their time; it costs none when the parsers are imported meanwhile.
    """
    for vendor in vendors:
        with suppress(Exception):
            vendor.observe(HostView()).close()


class _Dialogue(threading.Thread):
    """The dialogue of a vendor package in a thread, begun at once; ``concurrent.futures`` takes long to be imported."""

    def __init__(self, vendor: Vendor, view: HostView, runner: Runner) -> None:
        super().__init__(name=f"vendor {vendor.FAMILY}")
        self._parts = vendor, view, runner
        self._found: Observation | BaseException = Observation()
        self._ended = threading.Event()
        self.start()

    def run(self) -> None:
        """Converse; what is raised is kept for `result`."""
        vendor, view, runner = self._parts
        try:
            self._found = converse(vendor.observe(view), runner)
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that asks for the result
            self._found = error
        self._ended.set()

    def result(self) -> Observation:
        """Wait for the end; return what was found, or raise what was raised."""
        self._ended.wait()  # an interrupted join() takes the thread for ended (Python 3.11), and none waits at the exit
        if isinstance(self._found, BaseException):
            raise self._found
        return self._found


def _cut_off(documents: Sequence[Document], found: Observation) -> list[Problem]:
    """Outputs that end in the middle of a line which nobody understood, or of one before anything was told.

    That alone is no sign: shells take the last newline of an output away. JSON tells itself whether it is whole.
    """
    unread = {line.text.strip() for sheet in found.sheets for line in sheet.unparsed()[-1:]}
    empty = not found.controllers and not found.problems
    message = "It ends in the middle of a line: what came behind that was cut off, and is not known."
    remedy = "Run the tool again and keep all that it prints."
    return [
        Problem("warning", document.name, message, remedy, "unread")
        for document in documents
        if (last := _open_end(document.text)) and (last in unread or (empty and ":" not in last))
    ]


def _open_end(text: str) -> str:
    """The last line of an output that has no end, and could have been longer; empty: there is none."""
    if text.lstrip().startswith(("{", "[")):
        return ""
    last = text.rpartition("\n")[2].strip()
    return "" if last.endswith(_ENDS) else last


def _guarded(vendor: Vendor, what: str, call: Callable[[], Observation], harvest: _Results) -> Observation | None:
    try:
        found = call()
        harvest.add(found)
        harvest.cut(found)
    except Exception as error:  # noqa: BLE001 - whatever one vendor package does, the others are shown
        harvest.failed(vendor, error, what)
        return None
    return found


def _link(view: HostView, vendors: Sequence[Vendor], harvest: _Results) -> None:
    _keep(block_devices.link(harvest.controllers, view, {vendor.FAMILY: vendor.DRIVERS for vendor in vendors}), harvest)


def _once(vendors: Sequence[Vendor], harvest: _Results) -> None:
    tools = {vendor.FAMILY: [tool.name for tool in vendor.TOOLS] for vendor in vendors}
    kept = duplicates.once(harvest.controllers, harvest.sheets, tools)
    harvest.controllers = list(kept.controllers)
    harvest.problems = [*duplicates.forget(harvest.sheets, harvest.problems, kept.dropped), *kept.problems]


def _keep(linked: block_devices.Linked, harvest: _Results) -> None:
    harvest.controllers = list(linked.controllers)
    harvest.problems += linked.problems
    harvest.sheets += linked.sheets


def _survey(host: Host, harvest: _Results, view: HostView) -> Survey:
    concluded = write_protection.derived(with_redundancy(harvest.controllers))
    controllers = incomplete.weakened(concluded, harvest.sheets, harvest.problems)
    inventory = Inventory(
        host=host,
        controllers=tuple(in_order(controllers, key=lambda controller: controller.id)),
        problems=tuple(harvest.problems),
        tools=tuple(harvest.tools),
    )
    return Survey(inventory, tuple(harvest.sheets), view, tuple(harvest.tracebacks))
