"""Problems on the screen: object, message, remedy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.console import RenderableType
from rich.style import Style
from rich.text import Text

from raidctl.model import Problem, hiding_problems
from raidctl.output.console import BAD, DULL, STRONG, WARN, Display, indented, line
from raidctl.output.trouble import LOOK, NOTE, Trouble


def problem_sections(found: Sequence[Trouble], notes: Sequence[Trouble], display: Display) -> Iterator[RenderableType]:
    """All problems, the worst first, then notes; nothing if there are neither."""
    for title, troubles in (("Problems", found), ("Notes", notes)):
        if troubles:
            yield Text("")
            yield line((title, STRONG))
            for trouble in troubles:
                yield indented(line((display.clean(trouble.where), style_of(trouble))), display, 2)
                yield indented(line(display.clean(trouble.message)), display, 6)
                for folded in trouble.folded:
                    yield indented(line((display.words("· "), DULL), display.clean(folded)), display, 6)
                if trouble.remedy:
                    yield indented(line((display.words("→ "), DULL), display.clean(trouble.remedy)), display, 6)


def no_controller(problems: Iterable[Problem], lacking: str) -> Text:
    """The line for a machine without a RAID controller. If something could not be read, there may be one."""
    if hiding_problems(problems):
        return line(("No RAID controller was found, but not everything could be read.", WARN))
    return line(f"No RAID controller: there is no {lacking}.")


def style_of(trouble: Trouble) -> Style:
    """Red for failures, yellow for warnings."""
    return DULL if trouble.rank == NOTE else WARN if trouble.rank >= LOOK else BAD
