"""The screen of ``raidctl cache flush``: result, duration and unwritten data of each layer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.style import Style
from rich.text import Text

from raidctl.layers.model import Flushed, FlushReport
from raidctl.model import Inventory
from raidctl.output.console import BAD, DULL, GOOD, PLAIN, STRONG, WARN, Display, Piece, drawn, indented, line, pack
from raidctl.output.head import head
from raidctl.output.layers import KINDS, reasons, style_of, word_of
from raidctl.output.phrases import UNKNOWN
from raidctl.output.problems import problem_sections
from raidctl.output.table import Cell, Column, cells, table
from raidctl.output.trouble import notes, troubles
from raidctl.text import counted, listing
from raidctl.units import format_binary

_FINE = frozenset({"done", "nothing", "planned"})


@drawn
def flush_screen(report: FlushReport, display: Display) -> Iterator[RenderableType]:
    """The whole screen as text."""
    bare = Inventory(host=report.host, problems=report.problems)
    yield head(bare, display)
    if report.dry_run:
        yield from _plan(report, display)
    else:
        yield _verdict(report, display)
        yield Text("")
        yield _table(report.layers, display)
        shown = [one for one in report.layers if one.answer.result not in ("done", "nothing") or one.preserved]
        yield from _why(shown, display)
        yield from _memory(report, display)
    yield from problem_sections(troubles(bare), notes(bare), display)


def _plan(report: FlushReport, display: Display) -> Iterator[RenderableType]:
    yield line(("Nothing was run. A flush would run, in this order:", STRONG))
    shown: dict[tuple[Piece, ...], str] = {}
    for layer in report.layers:
        yield line(f"{KINDS[layer.kind]} {display.clean(layer.layer)}", (f"  {word_of(layer.answer)}", DULL))
        for command in layer.commands if layer.answer.result == "planned" else ():
            yield indented(line(display.clean(command)), display, 2)
        why = () if layer.commands and layer.answer.result == "planned" else tuple(reasons(layer.answer))
        first = shown.setdefault(why, layer.layer)
        if why and first != layer.layer:
            why = ((f"as for {first}", DULL),)
        for piece in why:
            yield indented(line(display.piece(piece)), display, 2)
        if layer.preserved:
            text = "It keeps preserved data of offline volumes, which a flush does not write."
            yield indented(line((text, WARN)), display, 2)


def _verdict(report: FlushReport, display: Display) -> Text:
    kept = [layer.layer for layer in report.layers if layer.preserved]
    if kept:
        words = f"Not everything was written: preserved data of offline volumes is left in {listing(kept)}."
        return line((display.clean(words), BAD))
    failed = [layer for layer in report.layers if layer.answer.result not in _FINE]
    took = f" in {report.seconds:.1f} s" if report.seconds is not None else ""
    if not failed:
        if report.problems:
            return line((f"All known caches were flushed{took}; not everything could be read.", WARN))
        done = [layer for layer in report.layers if layer.answer.result == "done"]
        contradicted = [layer.layer for layer in done if layer.contradicted]
        if contradicted:
            words = f"Every layer was flushed{took}, but unwritten data is reported by {listing(contradicted)}."
            return line((display.clean(words), WARN))
        silent = [layer.layer for layer in done if layer.unwritten_bytes is None and layer.unwritten is None]
        if not silent:
            return line((f"All unwritten data was written{took}.", GOOD))
        left = f"what is left unwritten is not reported by {listing(silent)}"
        return line((f"Every layer was flushed{took}; {display.clean(left)}.", PLAIN))
    layers = counted(len(report.layers), "layer")
    if all(layer.answer.result == "unknown" for layer in failed):
        verb = "is" if len(failed) == 1 else "are"
        return line((f"Whether {len(failed)} of {layers} {verb} flushed is unknown.", WARN))
    worst = any(layer.answer.result != "unsupported" for layer in failed)
    many = f"{len(failed)} of {layers} could not be flushed{took}."
    return line((display.clean(many), BAD if worst else WARN))


def _table(layers: Sequence[Flushed], display: Display) -> Group:
    kinds = [KINDS[layer.kind] for layer in layers]
    named = [display.clean(" ".join(text for text in (layer.layer, layer.name) if text)) for layer in layers]
    results: list[Cell] = [(word_of(layer.answer), style_of(layer.answer)) for layer in layers]
    return table(
        [
            Column("cache", cells(kinds)),
            Column("layer", cells(named, STRONG), 16),
            Column("flush", results),
            Column("took", cells([_seconds(layer) for layer in layers]), right=True),
            Column("left unwritten", [_left(layer) for layer in layers]),
        ],
        display,
        indent=0,
    )


def _seconds(layer: Flushed) -> str:
    return "" if layer.seconds is None else f"{layer.seconds:.2f} s"


def _left(layer: Flushed) -> Cell:
    if layer.preserved:
        return "PRESERVED DATA", BAD
    if layer.unwritten_bytes is not None:
        return format_binary(layer.unwritten_bytes), PLAIN
    if layer.unwritten is None:
        return UNKNOWN, DULL
    return ("some", WARN) if layer.unwritten else ("none", GOOD)


def _why(layers: Sequence[Flushed], display: Display) -> Iterator[RenderableType]:
    """The reasons, each once, below the layers that have them."""
    if layers:
        yield Text("")
    groups: dict[tuple[Style, tuple[Piece, ...]], list[Piece]] = {}
    for layer in layers:
        style = style_of(layer.answer)
        names = groups.setdefault((style, tuple(reasons(layer.answer))), [])
        names.append((display.clean(layer.layer), style))
    for (_, why), names in groups.items():
        yield pack(names, display.columns, display.dot)
        for piece in why:
            yield indented(line(display.piece(piece)), display, 2)


def _memory(report: FlushReport, display: Display) -> Iterator[RenderableType]:
    before, after = report.dirty_before_bytes, report.dirty_after_bytes
    if before is not None and after is not None:
        yield Text("")
        text = f"Unwritten data in memory: {format_binary(before)} before, {format_binary(after)} now"
        more = "; other programs continue to write" if after else ""
        yield line(display.words(f"{text}{more}."))
