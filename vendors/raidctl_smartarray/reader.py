"""Read complete or partial outputs of the tools into an observation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from raidctl.evidence import Output
from raidctl.model import Problem, Severity, Tool
from raidctl.text import collapse, regex
from raidctl.vendor import draft
from raidctl.vendor.protocol import Document, Observation
from raidctl_smartarray.collect import Collection, collect
from raidctl_smartarray.grammar import heading, slot_of_command, tool_of_command
from raidctl_smartarray.messages import meaning, problem
from raidctl_smartarray.outline import Outline, Paragraph, Section, outline
from raidctl_smartarray.to_model import build, controller_ids

# Warning: Unrecoverable Media Errors Detected on Drives during previous Rebuild or Background Surface Analysis …
_OF_A_VOLUME = "Unrecoverable Media Errors"
"""Warnings printed above the logical drive that they are about."""
# Warning: One of the drives on this array have failed or has been removed.
_OF_AN_ARRAY = "this array"

# array A    logicaldrive 1    physicaldrive 1I:1:4    Mirror Group 1:    unassigned
_HEADING = regex(
    r"array [A-Z]{1,2}|(?:logical|physical) ?drive:? [\w:]{1,12}|mirror group \d{1,2}:|(?:unassigned|HBA)(?: drives)?",
    re.IGNORECASE,
)

# physicaldrive 1I:1:3 (port 1I:box 1:bay 3, SAS, 300 GB, OK), but not: Logical Drive Label: DATA (old)
_ROW = regex(r"(physical|logical) ?drive(?![a-z]|(?: [a-z/-]{1,20})+: ).*[(\[].*", re.IGNORECASE)
# array B (Failed), logicaldrive 1 (136.7 GB, RAID 5, OK): the heading of an array, or a row, with another first word
_OTHER_ROW = regex(r"array\s+\S.*|[^(]{1,60}\([^(]{0,120}\b(?:RAID [\w+]{1,9}|[MGT]B), .*", re.IGNORECASE)
_LISTS = {"physical": "drives", "logical": "volumes"}
_MAX_ROWS = 20

_LISTED = {"drive": "drive", "logical drive": "volume"}


def outlines(documents: Sequence[Document]) -> list[Outline]:
    """Each document's outline. If the document's name is a command line with a slot, it gives the slot."""
    found = []
    for document in documents:
        made = outline(Output.of_text(document.name, document.text))
        made.output.framed = True
        made.output.gap = unfinished(made)
        made.slot = made.slot or slot_of_command(document.name)
        made.tool = made.tool or tool_of_command(document.name)
        found.append(made)
    return found


def unfinished(item: Outline) -> str:
    """What is missing at the end of the output, as a clause. Empty: nothing."""
    return _short_page(item) or _short_array(item) or _without_page(item)


_STATUS = regex(r"Status: ")
"""A line about a drive or volume, whose object is unknown without its heading."""


def _short_page(item: Outline) -> str:
    """Return what the last page lacks. Its status may be missing, or the line that ends all other pages."""
    last = next(_leaves(item.controllers[-1:], backwards=True), None)
    if last is None or last.kind not in _LISTED.values():
        return ""
    labels = {pair.label for pair in last.pairs}
    if "status" not in {label.lower() for label in labels}:
        return f"the status of the last {last.kind} is missing"
    others = [one for one in _leaves(item.controllers) if one.kind == last.kind and one is not last]
    if interface := _interface(last):  # pages of SSDs lack some lines of a hard drive's
        others = [one for one in others if _interface(one) == interface]
    ends = {one.pairs[-1].label for one in others if one.pairs}
    ended = not any(line.stripped for line in item.output.lines[-2:])  # the tools end with a blank line
    if len(ends) != 1 or ends & labels or ended:
        return ""
    return f"the page of the last {last.kind} has no {ends.pop()}, the last line of the others"


def _interface(page: Section) -> str:
    return next((pair.value for pair in page.pairs if pair.label == "Interface Type"), "")


def _leaves(parts: Sequence[Section], *, backwards: bool = False) -> Iterator[Section]:
    """The sections that have none below them, in their order."""
    for part in reversed(parts) if backwards else parts:
        yield from _leaves(part.children, backwards=backwards) if part.children else (part,)


def _short_array(item: Outline) -> str:
    """The part that the last array lacks and every array above it has."""
    rows = [row for one in item.controllers if one.line is None for part in one.children for row in part.children]
    if any(row.kind.endswith("_row") and "status" not in row.heading.parts for row in rows):
        return "its controller is missing"  # only "show status" prints none: logicaldrive 1 (1.6 TB, RAID 5): OK
    arrays = [(one, part) for one in item.controllers for part in one.children if part.kind == "array"]
    if not arrays:
        return ""
    *before, (controller, last) = arrays
    shared = set.intersection(*(_listed(part) for _, part in before)) if before else set()
    if "(sn:" in controller.heading.parts.get("rest", ""):
        shared.add("drive")  # only "show config" prints the serial number, and all parts of an array
    lacking = sorted(shared - _listed(last, alone=True))
    return f"array {last.heading.name} lists no {lacking[0]}" if lacking else ""


def _without_page(item: Outline) -> str:
    """A drive of an enclosure's list that has no page, although other drives have one."""
    #    Physical Drives
    #       physicaldrive 1I:1:3 (port 1I:box 1:bay 3, SAS, 1.2 TB, OK)
    for one in item.controllers:
        pages = {page.heading.name for page in _leaves([one]) if page.kind == "drive"}
        lists = [part for part in one.children if part.kind == "listing"]
        rows = [row.heading.name for part in lists for row in part.children if row.kind == "drive_row"]
        lacking = [name for name in rows if name not in pages]
        if pages and lacking:
            return f"drive {lacking[0]} is listed without its details"
    return ""


def _listed(array: Section, *, alone: bool = False) -> set[str]:
    """Which of drives and logical drives an array lists. Drives in mirror groups do not count, unless ``alone``."""
    parts = [*array.children, *(inner for part in array.children for inner in part.children)]
    kinds = {part.kind.removesuffix("_row") for part in parts}
    grouped = "group" in kinds and not alone
    return {name for name, kind in _LISTED.items() if kind in kinds and not (grouped and kind == "drive")}


def read(documents: Sequence[Document]) -> Observation:
    """Read outputs and combine those of one controller. Never raises for their contents."""
    collection = collect(outlines(documents))
    ids = controller_ids(collection.controllers)
    controllers = []
    problems = problems_of_messages(collection, dict(zip(map(id, collection.controllers), ids, strict=True)))
    for one, object_id in zip(collection.controllers, ids, strict=True):
        controller, found = build(one, object_id)
        controllers.append(controller)
        problems += found
    for item in collection.outlines:
        problems += unreadable(item)
    return Observation(
        controllers=tuple(controllers),
        problems=tuple(dict.fromkeys(problems)),
        tools=tuple(_tools(collection.outlines)),
        outputs=tuple(item.output for item in collection.outlines),
    )


def problems_of_messages(collection: Collection, ids: dict[int, str]) -> list[Problem]:
    """The warnings, notes and errors in the outputs."""
    found = []
    for item, paragraph, controller in collection.paragraphs:
        where = item.output.command if controller is None else ids.get(id(controller), item.output.command)
        if controller is not None and paragraph.volume in controller.volumes and _OF_A_VOLUME in paragraph.text:
            where = f"{where}/v{paragraph.volume}"
        elif controller is not None and paragraph.array in controller.arrays and _OF_AN_ARRAY in paragraph.text:
            where = f"{where}/{paragraph.array}"
        found.append(problem_of(paragraph, where))
    return found


def problem_of(paragraph: Paragraph, where: str) -> Problem:
    """A banner or an error as a problem."""
    text = paragraph.text
    if paragraph.kind in ("error", "missing_tool"):
        return problem(meaning(text, wrapper=paragraph.kind == "missing_tool"), text, where)
    if paragraph.kind == "note":
        return Problem(severity="info", kind="note", where=where, message=text[:800])
    severity: Severity = "error" if _OF_A_VOLUME in text else "warning"  # the volume has lost data
    return Problem(
        severity=severity, kind="state", where=where, message=text[:800], remedy="Follow the tool's instruction."
    )


def unreadable(item: Outline) -> Iterable[Problem]:
    """A problem if an output contained nothing usable."""
    last = next((line.stripped for line in reversed(item.output.lines) if line.text.strip()), "")
    where = item.output.command
    if item.options:
        yield Problem(
            severity="info", kind="note", where=where,
            message="The output lists the possible values of a setting, not the configuration.",
        )  # fmt: skip
    elif _HEADING.fullmatch(last):
        yield Problem(
            severity="error", kind="unread", where=where,
            message=f"The output is incomplete: nothing follows “{last}”.",
            remedy="Run the command again and keep its complete output.",
        )  # fmt: skip
    else:
        remedy = "Give the output of `ssacli ctrl all show config detail` as printed."
        known = item.controllers or item.paragraphs or item.version
        yield from draft.unreadable(item.output, remedy, _lost_rows(item.output), known=known)


def _lost_rows(output: Output) -> Iterator[str]:
    """Lines that begin like the row of a drive or volume, and have another form."""
    rows = [(line, _ROW.fullmatch(line.stripped)) for line in output.lines if "(" in line.text or "[" in line.text]
    lost = [(line, row) for line, row in rows if row is not None and heading(line.stripped) is None]
    for line, row in lost[:_MAX_ROWS]:
        yield f"Line not recognised in the list of {_LISTS[row[1].lower()]}: {collapse(line.stripped)[:120]}"
    strange = [line.stripped for line in output.unparsed()]
    for text in [text for text in strange if _OTHER_ROW.fullmatch(text) and not _ROW.fullmatch(text)][:_MAX_ROWS]:
        yield f"Line not recognised: {collapse(text)[:120]}"
    for text in [text for text in strange if _STATUS.match(text)][:_MAX_ROWS]:
        yield f"The heading above a line is missing: {collapse(text)[:120]}"


def _tools(items: Sequence[Outline]) -> Iterable[Tool]:
    """The tools whose version is in an output."""
    seen = set()
    for item in items:
        if item.version and (item.tool, item.version) not in seen:
            seen.add((item.tool, item.version))
            yield Tool(name=item.tool or "ssacli", version=item.version)
