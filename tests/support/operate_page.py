"""The generated part of ``docs/operate.md``.

It has operations of each family, what they were tried on, and their commands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from raidctl.vendor.abilities import Kind, kinds_of
from raidctl.vendor.operations import operations_of
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.registry import vendors
from raidctl.vendor.shapes import Shape
from tests.support.pages import between

PROOFS = {
    "kernel": "a real kernel",
    "captures": "a simulator from captures",
    "manual": "a simulator from a manual",
    "programs": "a simulator from other programs",
    "none": "nothing",
}


_PULLED = (("areca", ()), ("smartarray", ()), ("adaptec", ("smartpqi",)))
"""Controllers whose drives are pulled without a command before."""
_FORM = re.compile(r"(?P<before>(?:--(?P<option>[a-z-]+)=)?[\w/-]*?)(?P<place>[\[(]\S*|\\d\{[\d,]+\})?(?P<after>K?)")


def operate_page(page: str) -> str:
    """The page with the families between its marks."""
    parts = [line for vendor in vendors()[0] if operations_of(vendor) is not None for line in _family(vendor)]
    return between(page, "the families", "\n".join(parts).rstrip())


def _family(vendor: Vendor) -> Iterator[str]:
    yield f"### {vendor.TITLE}"
    yield ""
    kinds = kinds_of(vendor)
    for kind in kinds:
        yield from _kind(kind, vendor)
    offered = operations_of(vendor)
    yield from _commands(offered.SHAPES if offered is not None else ())


def _kind(kind: Kind, vendor: Vendor) -> Iterator[str]:
    names = kind.drivers or (kind.tools if len(kind.tools) < len(vendor.TOOLS) else ())
    if names:
        yield f"With {', '.join(f'`{name}`' for name in names)}:"
        yield ""
    yield "| operation | raidctl | tried on |"
    yield "|---|---|---|"
    rows: dict[tuple[str, str], list[str]] = {}
    for verb, one in kind.abilities.items():
        if verb == "take_out" and one.can and (vendor.FAMILY, kind.drivers) in _PULLED:
            rows["needs no command: the drive is pulled as it is", PROOFS[one.proof]] = ["take out"]
            continue
        done = "runs it" if one.can else "prints it" if one.printed else "refuses it"
        texts = (one.why_not, one.alternative if one.printed else None)
        if one.by_help:
            done, texts = "runs it if the tool's help lists the command; otherwise prints it", (None, None)
        words = [done, *(text.rstrip(".") for text in texts if text)]
        rows.setdefault((". ".join(words), PROOFS[one.proof] if one.can else "-"), []).append(verb.replace("_", " "))
    yield from (f"| {', '.join(verbs)} | {done} | {proof} |" for (done, proof), verbs in rows.items())
    yield ""


def _commands(shapes: Sequence[Shape]) -> Iterator[str]:
    """The commands of a family. Those of tools with the same commands are listed once, with the tools' names."""
    forms: dict[str, tuple[Shape, ...]] = {}
    for shape in shapes:
        forms[shape[0]] = (*forms.get(shape[0], ()), shape[1:])
    parts: dict[str, list[str]] = {}
    for shape in shapes:
        first, *others = [name for name, form in forms.items() if form == forms[shape[0]]]
        if shape[0] == first:
            also = f" (`{first}`; also {', '.join(f'`{name}`' for name in others)})" if others else ""
            parts.setdefault(also, []).append(f"    {_shown(shape)}")
    for also, lines in parts.items():
        yield from (f"Commands{also}:", "", *dict.fromkeys(lines), "")


def _shown(shape: Shape) -> str:
    """A command with a letter for each place. Writing to a file is shown as in a shell."""
    words = [_word(word) for word in shape]
    return f"echo {words[2]} > {words[1]}" if words[0] == ">" else " ".join(words)


def _word(word: str) -> str:
    r"""A word of a shape. A form is shown by its meaning, an optional one in brackets.

    >>> _word("/c{}"), _word(r"~--name=[a-z]{1,9}"), _word(r"?~--chunk=\d{1,8}K"), _word("~/dev/md/[a-z]+")
    ('/cN', '--name=NAME', '[--chunk=NK]', '/dev/md/NAME')
    """
    mark, form, pattern = word.partition("~")
    found = _FORM.fullmatch(pattern) if form else None
    if found is None:
        return word.replace("{}", "N")
    number = (found["place"] or "").startswith("\\d")
    place = "N" if number else (found["option"] or "name").upper()
    text = f"{found['before']}{place if found['place'] else ''}{found['after']}"
    return f"[{text}]" if mark else text
