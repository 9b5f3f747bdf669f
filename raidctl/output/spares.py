"""The screen of ``raidctl spare show``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import RenderableType
from rich.style import Style

from raidctl.health.redundancy import in_words
from raidctl.operate.spares import ArraySpares, Spare
from raidctl.output.console import BAD, DULL, GOOD, PLAIN, STRONG, WARN, Display, Piece, drawn, hanging, line
from raidctl.output.phrases import decimal, medium, status
from raidctl.output.table import Column, table

_FITS: Mapping[bool | None, tuple[str, Style]] = {True: ("yes", GOOD), False: ("NO", BAD), None: ("?", DULL)}


@drawn
def spares_screen(found: Sequence[ArraySpares], display: Display, *, unread: bool = False) -> Iterator[RenderableType]:
    """Each array with its spares; ``unread``: not everything could be read."""
    if not found:
        yield line(f"No arrays that could use a spare{', but not everything could be read' if unread else ''}.")
    for array in found:
        about = (array.raid_level or "", in_words(array.failures_tolerated), ", ".join(array.volumes))
        pieces: list[Piece] = [display.clean(text) for text in about if text]
        yield hanging((f"{display.clean(array.array)}  ", STRONG), pieces, display)
        if array.group:
            share = f", shared with {', '.join(array.shares_with)}" if array.shares_with else ""
            yield line(display.clean(f"  spare group {array.group}{share}"))
        if array.why:
            yield hanging("  ", [(display.clean(array.why), WARN)], display)
        if array.spares:
            yield _table(array.spares, display)
            for one in array.spares:
                if one.why:
                    yield hanging((f"  {display.clean(one.drive)}  ", DULL), [display.clean(one.why)], display)
        else:
            yield line("  no spare" if array.known else ("  spares unknown: no output lists the drives", DULL))


def _table(spares: Sequence[Spare], display: Display) -> RenderableType:
    return table(
        [
            Column("spare", [(display.clean(one.drive), PLAIN) for one in spares]),
            Column("serial", [(display.clean(one.serial or "?"), PLAIN) for one in spares]),
            Column("size", [(decimal(one.size_bytes), PLAIN) for one in spares], right=True),
            Column("kind", [(medium(one), PLAIN) for one in spares]),
            Column("status", [status(one.status) for one in spares]),
            Column("for", [("this array" if one.dedicated else "all arrays", PLAIN) for one in spares]),
            Column("fits", [_FITS[one.fits] for one in spares]),
        ],
        display,
    )
