"""Loose outputs of vendors' tools: a file, a directory or an archive of them, recognised by their content.

What nobody recognises is a problem when it was given by itself; among many files (a support archive of a whole
machine) it is only counted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from raidctl.model import Problem, ProblemKind
from raidctl.order import natural
from raidctl.recording.archive import Piece, Snag, pieces
from raidctl.recording.manifest import FILE_LIMIT
from raidctl.recording.mixed_outputs import separated
from raidctl.recording.rewrap import unwrapped
from raidctl.recording.transcript import (  # fmt: skip
    Prompts,
    cleaned,
    document_in,
    documents_in,
    indented,
    is_binary,
    is_garbled,
    normalised,
    text_of,
)
from raidctl.text import collapse, listing, printable
from raidctl.vendor.protocol import Document, Sniffed, Vendor

TEXT_LIMIT = 512 * 1024 * 1024
"""Bytes of recognised text that are kept at most."""
_SURE = 50
"""Confidence below which a text is read, and the doubt is told."""
_LONG = 4 * 1024 * 1024
"""Characters of a file given by itself that are offered to the vendors when its beginning told nothing."""


@dataclass(frozen=True)
class Gathered:
    """What was found, family by family, and what became of the rest."""

    source: str
    """``replay:PATH``."""
    texts: tuple[tuple[Vendor, tuple[Document, ...]], ...] = ()
    """For :func:`raidctl.survey.survey.survey_documents`."""
    problems: tuple[Problem, ...] = ()
    files: int = 0
    """Files that were looked at."""
    unrecognised: int = 0
    """Files of a directory or an archive that are no output of a known tool."""


@dataclass(frozen=True)
class _Claim:
    vendor: Vendor
    sniffed: Sniffed
    rivals: tuple[str, ...]
    """Families that are as sure of it."""


@dataclass
class _Basket:
    vendors: Sequence[Vendor]
    documents: dict[str, list[Document]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    files: int = 0
    unrecognised: int = 0
    size: int = 0
    broken: set[str] = field(default_factory=set)

    def problem(self, where: str, message: str, remedy: str, kind: ProblemKind = "unread") -> None:
        self.problems.append(Problem("info" if kind == "note" else "warning", where, message, remedy, kind))


def gather(path: str | os.PathLike[str], vendors: Sequence[Vendor]) -> Gathered:
    """Every output of a known tool at ``path``: a file, a directory, an archive, or ``-`` for standard input.

    Whether it is a recording is asked before (:func:`raidctl.recording.recording.is_recording`).

    Raises:
        RecordError: there is nothing at ``path``, or it may not be read.
    """
    basket = _Basket(vendors)
    prompts = Prompts({tool.name for vendor in vendors for tool in vendor.TOOLS})
    for item in pieces(path):
        if isinstance(item, Snag):
            basket.problem(item.name, f"{item.message}.", item.remedy, "no_right" if item.denied else "unread")
            continue
        basket.files += 1
        if basket.size > TEXT_LIMIT:
            more = f"It and all after it was not read: there are more than {TEXT_LIMIT >> 20} MiB of outputs."
            basket.problem(item.name, more, "Give a part of it.")
            break
        if item.nested:
            _among_others(item, prompts, basket)
        else:
            _alone(item, prompts, basket)
    shown = os.fspath(path)
    if not basket.documents and not basket.problems:
        basket.problem(shown, _nothing(basket), "Give the outputs themselves, or what `raidctl record` wrote.")
    _separate(basket)
    texts = tuple(
        (vendor, tuple(unwrapped(one, vendor.read) for one in _sorted(basket.documents[vendor.FAMILY])))
        for vendor in vendors
        if vendor.FAMILY in basket.documents
    )
    source = "replay:standard input" if shown == "-" else f"replay:{shown}"
    return Gathered(source, texts, tuple(basket.problems), basket.files, basket.unrecognised)


def _separate(basket: _Basket) -> None:
    """Give each family its part of the texts in which outputs of several families follow each other."""

    def claim(name: str, text: str, families: Sequence[Vendor]) -> tuple[Vendor, Sniffed] | None:
        found = _claim(name, text, replace(basket, vendors=families))
        return (found.vendor, found.sniffed) if found else None

    parts: dict[str, list[Document]] = {}
    for owner in basket.vendors:
        for document in basket.documents.pop(owner.FAMILY, ()):
            found = list(separated(document, owner, basket.vendors, claim))
            for vendor, one in found:
                parts.setdefault(vendor.FAMILY, []).append(one)
            if len(found) > 1:  # whose it is was in doubt, and no longer is
                basket.problems[:] = [p for p in basket.problems if (p.where, p.kind) != (document.name, "note")]
    basket.documents = parts


def _sorted(documents: Iterable[Document]) -> list[Document]:
    return sorted(documents, key=lambda document: natural(document.name))


def _nothing(basket: _Basket) -> str:
    if not basket.files:
        return "There is no file in it."
    none = "The only file in it is" if basket.files == 1 else f"None of the {basket.files} files in it is"
    return f"{none} an output that raidctl knows; it reads {_known(basket.vendors)}."


def _known(vendors: Iterable[Vendor]) -> str:
    names = [tool.name for vendor in vendors for tool in vendor.TOOLS]
    return f"outputs of {listing(names)}" if names else "nothing, for no vendor package is installed"


def _among_others(item: Piece, prompts: Prompts, basket: _Basket) -> None:
    """A file of a directory or an archive: its beginning decides whether the rest is read at all."""
    head = item.stream.head
    if not head.strip() or is_binary(head):
        basket.unrecognised += 1
        return
    beginning = normalised(text_of(head), prompts)
    called = any(part.command for part in prompts.sections(beginning))
    known = called or _claim(item.name, beginning, basket) is not None
    if not known or not _take(item.name, _whole(item, prompts, basket), prompts, basket, alone=False):
        basket.unrecognised += 1


def _alone(item: Piece, prompts: Prompts, basket: _Basket) -> None:
    """A file that was given by itself: what is wrong with it is said."""
    head = item.stream.head
    known = _known(basket.vendors)
    if not head.strip():
        basket.problem(item.name, "It is empty.", "Run the tool again, as root, and keep what it prints.")
    elif is_binary(head) or (is_garbled(head) and _claim(item.name, normalised(text_of(head)), basket) is None):
        basket.problem(item.name, "It is a binary file, not the text that a tool prints.", f"raidctl reads {known}.")
    else:
        text = _whole(item, prompts, basket)
        if not _take(item.name, text, prompts, basket, alone=True):
            basket.problem(item.name, f"Nobody recognises it: it looks like {_looks(text)}.", f"raidctl reads {known}.")


def _whole(item: Piece, prompts: Prompts, basket: _Basket) -> str:
    data = item.stream.read(FILE_LIMIT)
    basket.size += len(data)
    if len(data) == FILE_LIMIT and item.stream.read(1):
        message = f"It is bigger than {FILE_LIMIT >> 20} MiB; only its beginning was read."
        basket.problem(item.name, message, "Cut it into single outputs.")
    return cleaned(text_of(data), prompts)


def _take(name: str, text: str, prompts: Prompts, basket: _Basket, *, alone: bool) -> bool:
    """Put the outputs that a text consists of into the basket; False when it holds none."""
    if _take_documents(name, text, basket):
        return True
    text = document_in(text) or text
    parts = prompts.sections(text)
    if any(part.command for part in parts):
        found = [(part, _claim(part.command or name, part.text, basket)) for part in parts]
        if any(claim for _, claim in found):
            for part, claim in found:
                if claim is not None:
                    _keep(part.command or name, part.text, claim, basket)
                    continue
                missing = not part.text.strip()
                if part.command and (_is_call(part.command, basket.vendors) or (missing and part is parts[-1])):
                    message, remedy = "The output of this command is not recognised.", "Look at it in the file itself."
                    if missing:
                        message, remedy = "The output of this command is missing.", "Run it again and keep its output."
                    basket.problem(f"{name}: {printable(part.command)}", message, remedy, "unread" if alone else "note")
            return True
    for some in (text, indented(text)):
        claim = _claim(name, some, basket) if some.strip() else None
        if claim is not None:
            _keep(name, some, claim, basket)
            return True
    return False


def _take_documents(name: str, text: str, basket: _Basket) -> bool:
    """Put JSON documents of several families, or JSON beside other outputs, into the basket; False: there is none."""
    spans = documents_in(text)
    if not spans or (len(spans) == 1 and not text[: spans[0][0]].strip() and not text[spans[0][1] :].strip()):
        return False
    texts = [text[begin:end] for begin, end in spans]
    beside = "".join(
        text[a:b] + "\n" * text.count("\n", b, c)
        for a, b, c in zip(
            [0, *(end for _, end in spans)],
            [*(s for s, _ in spans), len(text)],
            [*(end for _, end in spans), len(text)],
            strict=True,
        )
    )
    claims = [_claim(name, one, basket) for one in texts]
    other = _claim(name, beside.strip(), basket) if "\n" in beside.strip() else None
    families = {claim.vendor.FAMILY for claim in claims if claim}
    if not families or (len(families) == 1 and (other is None or other.sniffed.confidence < _SURE)):
        return False
    for one, claim in (*zip(texts, claims, strict=True), (beside, other)):
        if claim is not None:
            _keep(name, one, claim, basket)
    return True


def _is_call(command: str, vendors: Iterable[Vendor]) -> bool:
    """Whether a typed line calls one of the vendors' tools, as opposed to ``ls`` in between."""
    words = {Path(word).name for word in command.split()[:4]}
    return any(tool.name in words for vendor in vendors for tool in vendor.TOOLS)


def _keep(name: str, text: str, claim: _Claim, basket: _Basket) -> None:
    basket.documents.setdefault(claim.vendor.FAMILY, []).append(Document(name, claim.sniffed.kind, text))
    told = printable(claim.sniffed.command)
    if claim.rivals:
        rivals = listing(claim.rivals)
        message = f"It is read as {claim.vendor.FAMILY} ({told}), but {rivals} would claim it as well."
        basket.problem(name, message, "Give a longer part of the output.", "note")
    elif claim.sniffed.confidence < _SURE:
        remedy = "Give a longer part of the output."
        basket.problem(name, f"It is read as the output of `{told}`, which is a guess.", remedy, "note")


def _claim(name: str, text: str, basket: _Basket) -> _Claim | None:
    """Who claims a text most surely: by its beginning, else by more of it."""
    claims: list[tuple[Vendor, Sniffed]] = []
    for length in (64 * 1024, _LONG):
        claims = [
            (vendor, found) for vendor in basket.vendors if (found := _sniff(vendor, name, text[:length], basket))
        ]
        if claims or len(text) <= length:
            break
    if not claims:
        return None
    best = max(claims, key=lambda claim: claim[1].confidence)
    rivals = [v.FAMILY for v, found in claims if found.confidence == best[1].confidence and v is not best[0]]
    return _Claim(*best, tuple(rivals))


def _sniff(vendor: Vendor, name: str, text: str, basket: _Basket) -> Sniffed | None:
    try:
        return vendor.sniff(name, text)
    except Exception as error:  # noqa: BLE001 - whatever one vendor package does, the others are asked
        if vendor.FAMILY not in basket.broken:
            basket.broken.add(vendor.FAMILY)
            failed = f"The vendor package {vendor.FAMILY} failed while looking at it: {type(error).__name__}: {error}."
            basket.problem(name, failed, "Report it with the file.")
        return None


def _looks(text: str) -> str:
    """What an unknown text is like, in words."""
    first = next((line for line in text.split("\n") if line.strip()), "")
    start = first.lstrip()
    if re.match(r'\s*\{\s*"schema_version"', text):
        return 'raidctl\'s own JSON: "raidctl diff" and "raidctl audit" read that'
    if re.match(r"\{|\[\s*([{\[]|\Z)", start):
        return "JSON of another program"
    if re.match(r"<(\?xml|!doctype|html)", start, re.IGNORECASE):
        return "a web page or XML"
    shown = printable(collapse(start[:400]))
    return f"a text that begins with \N{LEFT DOUBLE QUOTATION MARK}{shown[:60]}\N{RIGHT DOUBLE QUOTATION MARK}"
