"""Problems on the screen: where, what happened, what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.style import Style
from rich.text import Text

from raidctl.model import Problem
from raidctl.output.paper import BAD, DULL, STRONG, WARN, Paper, line
from raidctl.output.trouble import LOOK, NOTE, Trouble


def problem_sections(found: Sequence[Trouble], told: Sequence[Problem], paper: Paper) -> Iterator[RenderableType]:
    """All troubles, worst first, then what is good to know; nothing where there is neither."""
    notes = [Trouble(NOTE, problem.where, "", [problem]) for problem in told]
    for title, troubles in (("Problems", found), ("Notes", notes)):
        if troubles:
            yield Text("")
            yield line((title, STRONG))
            for trouble in troubles:
                yield from _told(trouble, paper)
            if not all(trouble.problems for trouble in troubles):  # a state that no tool advises on; the rules do
                advice = "raidctl diagnose tells why it matters, and what to do."
                yield Padding(line((paper.words("→ "), DULL), advice), (0, 0, 0, 2))


def style_of(trouble: Trouble) -> Style:
    """Red for what is broken, yellow for what is worth a look."""
    return DULL if trouble.rank == NOTE else WARN if trouble.rank >= LOOK else BAD


def _told(trouble: Trouble, paper: Paper) -> Iterator[RenderableType]:
    words = f"  {paper.clean(trouble.words)}" if trouble.words else ""
    yield Padding(line((paper.clean(trouble.where), style_of(trouble)), words), (0, 0, 0, 2))
    for problem in trouble.problems:
        yield Padding(line(paper.clean(problem.message)), (0, 0, 0, 6))
        if problem.remedy:
            yield Padding(line((paper.words("→ "), DULL), paper.clean(problem.remedy)), (0, 0, 0, 6))
