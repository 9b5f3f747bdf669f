"""The lines of the tools' outputs that no parser used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from raidctl.evidence import Output
from raidctl.output.console import DULL, STRONG, Paper, drawn, line
from raidctl.output.table import Column, cells, table
from raidctl.text import counted


def unparsed(sheets: Sequence[Output]) -> list[dict[str, Any]]:
    """For programs: each output with what is left of it, and how much it said."""
    return [
        {
            "command": sheet.command,
            "lines": sum(bool(one.text.strip()) for one in sheet.lines),
            "unparsed": [{"line": one.number, "text": one.text} for one in sheet.unparsed()],
        }
        for sheet in sheets
    ]


@drawn
def unparsed_screen(sheets: Sequence[Output], paper: Paper) -> Iterator[RenderableType]:
    """The screen of ``raidctl show --unparsed``: a sum, then each output that has lines left."""
    total = sum(bool(one.text.strip()) for sheet in sheets for one in sheet.lines)
    left = [(sheet, sheet.unparsed()) for sheet in sheets]
    missing = sum(len(lines) for _, lines in left)
    if not sheets:
        yield line("No output was read.")
    elif not missing:
        yield line(f"Every line was used: {total} in {counted(len(sheets), 'output')}.")
    else:
        places = sum(bool(lines) for _, lines in left)
        yield line(f"Not used: {missing} of {counted(total, 'line')}, in {places} of {counted(len(sheets), 'output')}.")
    for sheet, lines in left:
        if lines:
            yield Text("")
            yield line((paper.clean(sheet.command), STRONG))
            yield table(
                [
                    Column("", [(str(one.number), DULL) for one in lines], right=True),
                    Column("", cells([paper.clean(one.text) for one in lines]), 20),
                ],
                paper,
            )
