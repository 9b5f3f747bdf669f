"""The lines of outputs that no parser used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from raidctl.evidence import Output
from raidctl.output.console import DULL, STRONG, Display, drawn, line
from raidctl.output.table import Column, cells, table
from raidctl.text import counted


def unparsed(outputs: Sequence[Output]) -> list[dict[str, Any]]:
    """Return, for programs, each output with its unused lines and line count."""
    return [
        {
            "command": output.command,
            "lines": sum(bool(one.text.strip()) for one in output.lines),
            "unparsed": [{"line": one.number, "text": one.text} for one in output.unparsed()],
        }
        for output in outputs
    ]


@drawn
def unparsed_screen(outputs: Sequence[Output], display: Display) -> Iterator[RenderableType]:
    """The screen of ``raidctl show --unparsed``: totals, then each output with unused lines."""
    total = sum(bool(one.text.strip()) for output in outputs for one in output.lines)
    left = [(output, output.unparsed()) for output in outputs]
    missing = sum(len(lines) for _, lines in left)
    if not outputs:
        yield line("No output was read.")
    elif not missing:
        yield line(f"Every line was used: {total} in {counted(len(outputs), 'output')}.")
    else:
        places = sum(bool(lines) for _, lines in left)
        yield line(
            f"Not used: {missing} of {counted(total, 'line')}, in {places} of {counted(len(outputs), 'output')}."
        )
    for output, lines in left:
        if lines:
            yield Text("")
            yield line((display.clean(output.command), STRONG))
            yield table(
                [
                    Column("", [(str(one.number), DULL) for one in lines], right=True),
                    Column("", cells([display.clean(one.text) for one in lines]), 20),
                ],
                display,
            )
