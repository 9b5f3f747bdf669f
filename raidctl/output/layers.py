"""The screen of ``raidctl cache show``: caches with their capabilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace
from rich.console import RenderableType
from rich.style import Style
from rich.text import Text

from raidctl.layers.model import Answer, Layer, Share, Stack, Threshold
from raidctl.model import Inventory
from raidctl.output.console import BAD, DULL, GOOD, STRONG, WARN, Display, Piece, drawn, hanging, line
from raidctl.output.head import head
from raidctl.output.problems import problem_sections
from raidctl.output.table import facts
from raidctl.output.trouble import notes, troubles
from raidctl.units import format_binary, format_percent

KINDS = {
    "page_cache": "page cache",
    "dm_writecache": "dm-writecache",
    "dm_cache": "dm-cache",
    "bcache": "bcache",
    "md": "md",
    "controller": "controller",
    "volume": "volume",
    "drive": "drive",
}
_WORDS = {
    "supported": "yes",
    "nothing": "nothing to write",
    "unsupported": "no",
    "unknown": "?",
    "done": "done",
    "planned": "planned",
    "failed": "FAILED",
    "no_tool": "TOOL MISSING",
    "no_right": "NO PERMISSION",
}
_UNITS = {
    "percent": "%", "seconds": " s", "milliseconds": " ms", "KiB": " KiB", "sectors": " sectors",
    "entries": " entries", "count": "", "ratio": "",
}  # fmt: skip
_NAMED = 8
_LONG = 60
"""Characters; a tool's explanation that is longer is printed once."""
_VERBS = (("flush", "flush"), ("threshold", "thresholds"), ("stats", "statistics"), ("split", "split"))


@drawn
def stack_screen(stack: Stack, display: Display, *, more: bool = False) -> Iterator[RenderableType]:
    """The whole screen as text. ``more`` adds why a layer cannot do a verb, and the nearest alternative."""
    bare = Inventory(host=stack.host, problems=stack.problems)
    yield head(bare, display)
    below = f"Caches below {stack.target}" if stack.target else "Caches"
    yield line((display.clean(f"{below}, from the top to the bottom"), STRONG))
    shown: dict[object, str] = {}
    for group in folded(stack.layers):
        yield Text("")
        yield from _block(group, display, shown, more=more)
    yield from problem_sections(troubles(bare), notes(bare), display)


def folded(layers: Sequence[Layer]) -> list[list[Layer]]:
    """Groups of layers; drives that differ only in name are shown together."""
    groups: dict[object, list[Layer]] = {}
    for layer in layers:
        key: object = layer.id
        if layer.kind == "drive":
            # the same command on another node counts as the same
            how = (layer.flush.how or "").replace(layer.device or "\0", "")
            key = ("drive", layer.policy, layer.flush.result, layer.flush.why, how)
        groups.setdefault(key, []).append(layer)
    return list(groups.values())


def _block(
    group: Sequence[Layer], display: Display, shown: dict[object, str], *, more: bool
) -> Iterator[RenderableType]:
    layer = group[0]
    names: list[Piece] = [(display.clean(part), DULL) for part in _names(group)]
    long = len(layer.policy_in_force or "") > _LONG
    if long:
        shown[layer.policy_in_force] = layer.id
    title = f"{len(group)} drives" if len(group) > 1 else KINDS[layer.kind]
    first: Piece = (display.words(f"{title}  "), STRONG)
    yield hanging(first, names, display)
    rows = []
    for label, pieces in _rows(layer if len(group) == 1 else _for_all(layer), shown, more=more):
        once = pieces if label == "policy" and long else [_without(piece, shown, layer.id) for piece in pieces]
        rows += [(label, [display.piece(piece) for piece in once])] if once else []
    if rows:
        yield facts(rows, display)


def _without(piece: Piece, shown: dict[object, str], here: str) -> Piece:
    """In a reason, replace a long text that was already shown by a reference to it."""
    text = piece if isinstance(piece, str) else piece[0]
    for long, where in shown.items():
        if isinstance(long, str) and long in text:
            seen = "see its policy" if where == here else f"see {where}"
            text = text.replace(long, seen).removesuffix(".") + "."
    return text if isinstance(piece, str) else (text, piece[1])


def _for_all(layer: Layer) -> Layer:
    """A drive in place of several: its command has the word DEVICE."""
    how = (layer.flush.how or "").replace(layer.device or "\0", "DEVICE") or None
    return replace(layer, flush=replace(layer.flush, how=how))


def _names(group: Sequence[Layer]) -> list[str]:
    if len(group) > 1:
        ids = [layer.id for layer in group]
        return ids if len(ids) <= _NAMED else [*ids[:_NAMED], f"{len(ids) - _NAMED} more"]
    layer = group[0]
    return [text for text in (layer.id, layer.name, layer.device) if text]


def _rows(layer: Layer, shown: dict[object, str], *, more: bool) -> Iterator[tuple[str, list[Piece]]]:
    """Label and pieces of each row. ``shown`` has the layer for which each reason was shown already."""
    yield "policy", _policy(layer)
    yield "size", _size(layer)
    yield "split", split_words(layer.share) or _no_split(layer)
    yield "limits", [limit for threshold in layer.thresholds if (limit := _limit(threshold, more=more))]
    answers = [(verb, name, answer_of(layer, verb)) for verb, name in _VERBS]
    yield "can", [(f"{name} {word_of(answer)}", style_of(answer)) for _, name, answer in answers]
    for verb, name, answer in answers:
        if verb == "flush" or (more and not (verb == "split" and _no_split(layer))):
            first = shown.setdefault((name, answer), layer.id) if reasons(answer) else layer.id
            yield name, reasons(answer) if first == layer.id else [(f"as for {first}", DULL)]


def answer_of(layer: Layer, verb: str) -> Answer:
    """A layer's answer to a verb."""
    answer: Answer = getattr(layer, verb)
    return answer


def word_of(answer: Answer) -> str:
    """An answer in one or two words."""
    return "by estimate" if answer.how == "estimate" else _WORDS[answer.result]


def style_of(answer: Answer) -> Style:
    """Green for what is possible or done, red for what failed."""
    if answer.result in ("supported", "done", "nothing"):
        return GOOD
    return BAD if answer.result in ("failed", "no_tool", "no_right") else WARN if answer.result == "unknown" else DULL


def reasons(answer: Answer) -> list[Piece]:
    """The command, or why there is none, with the nearest alternative."""
    pieces: list[Piece] = []
    if answer.how and answer.how != "estimate":
        pieces.append(answer.how)
    if answer.why:
        pieces.append(answer.why)
    if answer.alternative:
        pieces.append(f"instead: {answer.alternative}")
    return pieces


def _policy(layer: Layer) -> list[Piece]:
    configured, active = _spelt(layer.policy), _spelt(layer.policy_in_force)
    if configured is None and active is None:
        return []
    if layer.why_not_in_force:
        return [(f"{configured or '?'} → {active or '?'}", WARN), (layer.why_not_in_force, WARN)]
    if active in (configured, None) or configured is None:
        return [configured or active or ""]
    return [configured, "active" if configured.endswith(active) else f"active: {active}"]


def _spelt(policy: str | None) -> str | None:
    return policy.replace("_", "-") if policy else None


def _size(layer: Layer) -> list[Piece]:
    pieces: list[Piece] = []
    if layer.size_bytes is not None:
        pieces.append(f"{format_binary(layer.size_bytes)} of memory" if layer.kind == "page_cache" else _of(layer))
    if layer.unwritten_bytes is not None:
        pieces.append(f"{format_binary(layer.unwritten_bytes)} unwritten")
    elif layer.unwritten is not None:
        pieces.append("unwritten data" if layer.unwritten else "nothing unwritten")
    if layer.preserved is not None:
        pieces.append(("PRESERVED DATA of offline volumes", BAD) if layer.preserved else "no preserved data")
    return pieces


def _of(layer: Layer) -> str:
    size = format_binary(layer.size_bytes or 0)
    return size if layer.used_bytes is None else f"{format_binary(layer.used_bytes)} of {size} in use"


def split_words(share: Share | None) -> list[Piece]:
    """``25% read (128 MiB) / 75% write (384 MiB)``."""
    if share is None:
        return []
    parts = (share.read_percent, "read", share.read_bytes), (share.write_percent, "write", share.write_bytes)
    return [
        " / ".join(
            f"{'?%' if percent is None else format_percent(percent)} {name}{_in_bytes(size)}"
            for percent, name, size in parts
        )
    ]


def _in_bytes(size: int | None) -> str:
    return "" if size is None else f" ({format_binary(size)})"


def _no_split(layer: Layer) -> list[Piece]:
    """Why a controller's cache has no reported share in bytes. Empty for other layers."""
    if layer.kind != "controller" or layer.share is not None or layer.size_bytes is None:
        return []
    text = "none" if layer.split.result == "unsupported" else "unknown"
    return [f"{text}{f': {layer.split.why}' if layer.split.why else ''}"]


def _limit(threshold: Threshold, *, more: bool) -> Piece | None:
    if threshold.in_force is False and not more:
        return None
    if threshold.value is None and not more:
        return None
    text = f"{threshold.name} {figure(threshold.value, threshold.unit)}"
    if threshold.effective_bytes is not None and threshold.unit != "bytes":
        text += f" = {format_binary(threshold.effective_bytes)}"
    return (f"{text} (not active: set in the other unit)", DULL) if threshold.in_force is False else text


def figure(value: int | None, unit: str) -> str:
    """A figure with its unit: ``3000 cs (30 s)``, ``256 MiB``."""
    if value is None:
        return "?"
    if unit == "bytes":
        return format_binary(value)
    if unit == "centiseconds":
        return f"{value} cs ({value / 100:g} s)"
    return f"{value}{_UNITS[unit]}"
