"""The generated part of ``docs/operate.md``.

It has operations of each family, what they were tried on, and their commands.
"""

from __future__ import annotations

from collections.abc import Iterator

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
    yield "Commands:"
    yield ""
    yield from dict.fromkeys(f"    {_shown(shape)}" for shape in (offered.SHAPES if offered is not None else ()))
    yield ""


def _kind(kind: Kind, vendor: Vendor) -> Iterator[str]:
    names = kind.drivers or (kind.tools if len(kind.tools) < len(vendor.TOOLS) else ())
    if names:
        yield f"With {', '.join(f'`{name}`' for name in names)}:"
        yield ""
    yield "| operation | raidctl | tried on |"
    yield "|---|---|---|"
    rows: dict[tuple[str, str], list[str]] = {}
    for verb, one in kind.abilities.items():
        done = "runs it" if one.can else "prints it" if one.printed else "refuses it"
        texts = (one.why_not, one.alternative if one.printed else None)
        if one.by_help:
            done, texts = "runs it where the tool's help lists the command, and prints it elsewhere", (None, None)
        words = [done, *(text.rstrip(".") for text in texts if text)]
        rows.setdefault((". ".join(words), PROOFS[one.proof] if one.can else "-"), []).append(verb.replace("_", " "))
    yield from (f"| {', '.join(verbs)} | {done} | {proof} |" for (done, proof), verbs in rows.items())
    yield ""


def _shown(shape: Shape) -> str:
    """A command with a letter for each place. Writing to a file is shown as in a shell."""
    words = [word.replace("{}", "N") for word in shape]
    return f"echo {words[2]} > {words[1]}" if words[0] == ">" else " ".join(words)
