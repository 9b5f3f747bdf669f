"""Outputs of tools in a file, directory or archive, recognised by content.

An unrecognised file is a problem if it was given alone; among many files (a support archive) it is only counted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import cast

from raidctl.json_decode import valid_text
from raidctl.model import Problem, ProblemKind
from raidctl.order import natural
from raidctl.recording.archive import Piece, Skipped, pieces
from raidctl.recording.manifest import FILE_LIMIT
from raidctl.recording.mixed_outputs import Look, rank, separated
from raidctl.recording.transcript import (  # fmt: skip
    Prompts,
    cleaned,
    document_in,
    documents_in,
    indented,
    is_binary,
    is_garbled,
    normalised,
    rejoined,
    text_of,
)
from raidctl.recording.unwrap_lines import Reading, reading, unwrapped
from raidctl.text import collapse, listing, printable
from raidctl.vendor.protocol import Confidence, Document, Sniffed, Vendor

TEXT_LIMIT = 512 * 1024 * 1024
"""Most bytes of recognised text."""
_LONG = 4 * 1024 * 1024
"""Characters that are tried of a file given alone. They are needed if its beginning was not recognised."""


@dataclass(frozen=True)
class LooseOutputs:
    """The recognised outputs by family, and the problems of the rest."""

    source: str
    """``replay:PATH``."""
    texts: tuple[tuple[Vendor, tuple[Document, ...]], ...] = ()
    """For :func:`raidctl.survey.survey.survey_documents`."""
    problems: tuple[Problem, ...] = ()
    files: int = 0
    """Files that were read."""
    unrecognised: int = 0
    """Unrecognised files of a directory or an archive. They are not output of a known tool."""


@dataclass(frozen=True)
class _Match:
    vendor: Vendor
    sniffed: Sniffed
    alternatives: tuple[str, ...]
    """Other families with the same confidence."""


@dataclass
class _Outputs:
    vendors: Sequence[Vendor]
    documents: dict[str, list[Document]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    files: int = 0
    unrecognised: int = 0
    size: int = 0
    broken: set[str] = field(default_factory=set)

    def problem(self, where: str, message: str, remedy: str, kind: ProblemKind = "unread") -> None:
        self.problems.append(Problem("info" if kind == "note" else "warning", where, message, remedy, kind))


def collect_outputs(path: str | os.PathLike[str], vendors: Sequence[Vendor]) -> LooseOutputs:
    """Collect known tools' outputs from a file, directory, archive or standard input.

    The path ``-`` is standard input. Check first that the path is not a recording
    (:func:`raidctl.recording.recording.is_recording`).

    Raises:
        RecordError: there is nothing at ``path``, or it may not be read.
    """
    outputs = _Outputs(vendors)
    prompts = Prompts({tool.name for vendor in vendors for tool in vendor.TOOLS})
    for item in pieces(path):
        if isinstance(item, Skipped):
            outputs.problem(item.name, f"{item.message}.", item.remedy, "no_right" if item.denied else "unread")
            continue
        outputs.files += 1
        if outputs.size > TEXT_LIMIT:
            more = f"Not read, nor the files after it: there are more than {TEXT_LIMIT >> 20} MiB of outputs."
            outputs.problem(item.name, more, "Give a part of it.")
            break
        if item.nested:
            _among_others(item, prompts, outputs)
        else:
            _alone(item, prompts, outputs)
    shown = os.fspath(path)
    if not outputs.documents and not outputs.problems:
        outputs.problem(shown, _no_output(outputs), "Give the outputs themselves, or a recording by `raidctl record`.")
    _separate(outputs)
    texts = tuple(
        (vendor, tuple(_sorted(outputs.documents[vendor.FAMILY])))
        for vendor in vendors
        if vendor.FAMILY in outputs.documents
    )
    source = "replay:standard input" if shown == "-" else f"replay:{shown}"
    return LooseOutputs(source, texts, tuple(valid_text(outputs.problems)), outputs.files, outputs.unrecognised)


def _separate(outputs: _Outputs) -> None:
    """Split texts with several outputs among the families, with wrapped lines joined.

    Lines are joined before or after the split, whichever makes more readable.
    """

    def claim(name: str, text: str, families: Sequence[Vendor]) -> tuple[Vendor, Sniffed] | None:
        found = _claim(name, text, replace(outputs, vendors=families))
        return (found.vendor, found.sniffed) if found else None

    parts: dict[str, list[Document]] = {}
    for owner in outputs.vendors:
        for document in outputs.documents.pop(owner.FAMILY, ()):
            look = cast("Look", cache(_read_as))  # each way begins with the same readings
            ways = [
                [
                    (vendor, unwrapped(part, partial(look, vendor)))
                    for vendor, part in separated(text, owner, outputs.vendors, claim, look)
                ]
                for text in dict.fromkeys((unwrapped(document, partial(look, owner)), document))
            ]
            found = min(ways, key=partial(rank, look=look)) if ways[1:] else ways[0]
            for vendor, one in found:
                parts.setdefault(vendor.FAMILY, []).append(one)
            if len(found) > 1:  # the owner was in doubt, and no longer is
                outputs.problems[:] = [p for p in outputs.problems if (p.where, p.kind) != (document.name, "note")]
    outputs.documents = parts


def _read_as(vendor: Vendor, document: Document) -> Reading:
    return reading(document, vendor.read)


def _sorted(documents: Iterable[Document]) -> list[Document]:
    return sorted(documents, key=lambda document: natural(document.name))


def _no_output(outputs: _Outputs) -> str:
    if not outputs.files:
        return "It contains no file."
    none = "Its only file is not" if outputs.files == 1 else f"None of its {outputs.files} files is"
    return f"{none} output of a supported tool; raidctl reads {_known(outputs.vendors)}."


def _known(vendors: Iterable[Vendor]) -> str:
    names = [tool.name for vendor in vendors for tool in vendor.TOOLS]
    return f"outputs of {listing(names)}" if names else "nothing, as no vendor package is installed"


def _among_others(item: Piece, prompts: Prompts, outputs: _Outputs) -> None:
    """Read a file of a directory or an archive. Its beginning decides whether the rest is read."""
    head = item.stream.head
    if not head.strip() or is_binary(head):
        outputs.unrecognised += 1
        return
    beginning = normalised(text_of(head), prompts)
    called = any(part.command for part in prompts.sections(beginning))
    known = called or _claim(item.name, beginning, outputs) is not None
    if not known or not _take(item.name, _whole(item, prompts, outputs), prompts, outputs, alone=False):
        outputs.unrecognised += 1


def _alone(item: Piece, prompts: Prompts, outputs: _Outputs) -> None:
    """Read a file that was given alone. If it is not recognised, report why."""
    head = item.stream.head
    known = _known(outputs.vendors)
    if not head.strip():
        outputs.problem(item.name, "It is empty.", "Run the tool again, as root, and keep its output.")
    elif is_binary(head) or (is_garbled(head) and _claim(item.name, normalised(text_of(head)), outputs) is None):
        outputs.problem(item.name, "It is a binary file, not the output of a tool.", f"raidctl reads {known}.")
    else:
        text = _whole(item, prompts, outputs)
        if not _take(item.name, text, prompts, outputs, alone=True):
            outputs.problem(
                item.name,
                f"No output of a supported tool. It looks like {_apparent_kind(text)}.",
                f"raidctl reads {known}.",
            )


def _whole(item: Piece, prompts: Prompts, outputs: _Outputs) -> str:
    data = item.stream.read(FILE_LIMIT)
    outputs.size += len(data)
    if len(data) == FILE_LIMIT and item.stream.read(1):
        message = f"It is larger than {FILE_LIMIT >> 20} MiB; only its beginning was read."
        outputs.problem(item.name, message, "Split it into single outputs.")
    return cleaned(text_of(data), prompts)


def _take(name: str, text: str, prompts: Prompts, outputs: _Outputs, *, alone: bool) -> bool:
    """Collect the outputs in a text; False if there are none."""
    parts = prompts.sections(text)
    if not any(part.command for part in parts) and _take_documents(name, text, outputs):
        return True
    text = document_in(text) or text
    if any(part.command for part in parts):
        found = [(part, _claim(part.command or name, document_in(part.text) or part.text, outputs)) for part in parts]
        if any(claim for _, claim in found):
            for part, claim in found:
                if _take_documents(part.command or name, part.text, outputs):
                    continue
                if claim is not None:
                    _keep(part.command or name, document_in(part.text) or part.text, claim, outputs)
                    continue
                missing = not part.text.strip()
                if part.command and (_is_call(part.command, outputs.vendors) or (missing and part is parts[-1])):
                    message, remedy = "The output of this command is not recognised.", "Read it in the file itself."
                    if missing:
                        message, remedy = "The output of this command is missing.", "Run it again and keep its output."
                    outputs.problem(
                        f"{name}: {printable(part.command)}", message, remedy, "unread" if alone else "note"
                    )
            return True
    for some, seen in ((text, text), (text, rejoined(text)), (indented(text),) * 2):
        claim = _claim(name, seen, outputs) if seen.strip() else None
        if claim is not None:
            _keep(name, some, claim, outputs)
            return True
    return False


def _take_documents(name: str, text: str, outputs: _Outputs) -> bool:
    """Collect several JSON documents, or JSON besides other outputs. Return False if there are none."""
    spans = documents_in(text)
    if not spans or (len(spans) == 1 and not text[: spans[0][0]].strip() and not text[spans[0][1] :].strip()):
        return False
    texts = [text[begin:end] for begin, end in spans]
    beside = text
    for begin, end in reversed(spans):
        beside = beside[:begin] + "\n" * text.count("\n", begin, end) + beside[end:]
    claims = [_claim(name, one, outputs) for one in texts]
    other = _claim(name, beside.strip(), outputs) if "\n" in beside.strip() else None
    families = {claim.vendor.FAMILY for claim in claims if claim}
    alone = other is None or other.sniffed.confidence < Confidence.LIKELY
    if not families or (len(families) == 1 and alone and (None in claims or beside.strip())):
        return False
    for one, claim in zip(texts, claims, strict=True):
        if claim is not None:
            _keep(name, one, claim, outputs)
        else:
            message = f"A JSON document in it is not output of a supported tool: {_apparent_kind(one)}."
            outputs.problem(name, message, f"raidctl reads {_known(outputs.vendors)}.")
    if other is not None:
        _keep(name, beside, other, outputs)
    return True


def _is_call(command: str, vendors: Iterable[Vendor]) -> bool:
    """Whether a typed line calls one of the vendors' tools. An ``ls`` in between does not."""
    words = {Path(word).name for word in command.split()[:4]}
    return any(tool.name in words for vendor in vendors for tool in vendor.TOOLS)


def _keep(name: str, text: str, claim: _Match, outputs: _Outputs) -> None:
    outputs.documents.setdefault(claim.vendor.FAMILY, []).append(Document(name, claim.sniffed.kind, text))
    command = printable(claim.sniffed.command)
    if claim.alternatives:
        alternatives = listing(claim.alternatives)
        message = f"It is read as {claim.vendor.FAMILY} ({command}), but could also be {alternatives}."
        outputs.problem(name, message, "Give a longer part of the output.", "note")
    elif claim.sniffed.confidence < Confidence.LIKELY:
        remedy = "Give a longer part of the output."
        outputs.problem(name, f"It is read as the output of `{command}`, which is uncertain.", remedy, "note")


def _claim(name: str, text: str, outputs: _Outputs) -> _Match | None:
    """Return the family with the highest confidence. The text's beginning decides, else more of it."""
    claims: list[tuple[Vendor, Sniffed]] = []
    for length in (64 * 1024, _LONG):
        claims = [
            (vendor, found) for vendor in outputs.vendors if (found := _sniff(vendor, name, text[:length], outputs))
        ]
        if claims or len(text) <= length:
            break
    if not claims:
        return None
    best = max(claims, key=lambda claim: claim[1].confidence)
    alternatives = [v.FAMILY for v, found in claims if found.confidence == best[1].confidence and v is not best[0]]
    return _Match(*best, tuple(alternatives))


def _sniff(vendor: Vendor, name: str, text: str, outputs: _Outputs) -> Sniffed | None:
    try:
        return vendor.sniff(name, text)
    except Exception as error:  # noqa: BLE001 - a failing vendor package must not stop the others
        if vendor.FAMILY not in outputs.broken:
            outputs.broken.add(vendor.FAMILY)
            failed = f"The vendor package {vendor.FAMILY} failed to recognise it: {type(error).__name__}: {error}."
            outputs.problem(name, failed, "Report it with the file.")
        return None


def _apparent_kind(text: str) -> str:
    """Describe an unknown text."""
    first = next((line for line in text.split("\n") if line.strip()), "")
    start = first.lstrip()
    if re.match(r'\s*\{\s*"schema_version"', text):
        return 'raidctl\'s JSON, which "raidctl diff" and "raidctl audit" read'
    if re.match(r"\{|\[\s*([{\[]|\Z)", start):
        return "JSON of another program"
    if re.match(r"<(\?xml|!doctype|html)", start, re.IGNORECASE):
        return "a web page or XML"
    shown = printable(collapse(start[:400]))
    return f"text that begins with \N{LEFT DOUBLE QUOTATION MARK}{shown[:60]}\N{RIGHT DOUBLE QUOTATION MARK}"
