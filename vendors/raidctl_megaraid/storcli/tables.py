"""Tables about the controller whose rows become details."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from raidctl.evidence import Line, mark_read
from raidctl.vendor.draft import Draft, Pair
from raidctl_megaraid.storcli.outline import Row, Section


def unique_lines(*pairs: Pair) -> list[Line]:
    """Return the lines of some pairs, each once. The cells of a text row share their line."""
    return list({line.number: line for pair in pairs for line in pair.lines}.values())


def two_columns(row: Row) -> Pair | None:
    """``Property``/``Value``, ``Ctrl_Prop``/``Value``, ``Prop``/``Description`` as a pair; None for any other row."""
    if len(row) != 2:
        return None
    label, value = row.values()
    return Pair(label.value, value.value, unique_lines(label, value)) if label.value else None


def keep_rows(draft: Draft, section: Section, rows: list[Row], title: str) -> None:
    """Rows without fields: ``Advanced Software Option: MegaRAID RAID5`` is ``Time Remaining Unlimited, Mode -``."""
    name = _numbered()
    for row in rows:
        cells = list(row.values())
        if not cells:
            continue
        pair = two_columns(row)
        if pair is None:
            rest = cells[1:] if len(cells) > 1 else cells
            value = ", ".join(f"{cell.label.strip()} {cell.value}" for cell in rest if cell.value)
            head = cells[0].value if len(cells) > 1 else ""
            pair = Pair(head, value, unique_lines(*cells))
        label = name(f"{title}: {pair.label}" if title and pair.label else title or pair.label or section.title)
        keep(draft, Pair(label, pair.value, pair.lines))


def keep_texts(draft: Draft, section: Section) -> None:
    """Keep values without a label under the title of their section."""
    name = _numbered()
    for text in section.texts:
        keep(draft, Pair(name(section.title or "Text"), text.value, text.lines))


def keep(draft: Draft, pair: Pair) -> None:
    """A detail, or a note where label or value is missing."""
    if pair.label:
        draft.keep_detail(pair)
    else:
        mark_read(*pair.lines)


def _numbered() -> Callable[[str], str]:
    """Labels distinguished: ``Image``, ``Image (2)``."""
    seen: Counter[str] = Counter()

    def name(label: str) -> str:
        seen[label] += 1
        return label if seen[label] == 1 else f"{label} ({seen[label]})"

    return name
