"""The screen of ``raidctl layout plan``."""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.layout.plan import LayoutPlan, Step
from raidctl.output.console import BAD, DULL, STRONG, WARN, Paper, hanging, line
from raidctl.text import counted, listing


def plan_screen(found: LayoutPlan, paper: Paper) -> str:
    """The steps with their commands. A line separates those that overwrite data. Differences without a step follow."""
    return "".join(_parts(found, paper))


def _parts(found: LayoutPlan, paper: Paper) -> Iterator[str]:
    host = paper.clean(found.host or "host unknown")
    if not found.steps and not found.not_planned:
        yield paper.render([line((f"{host}{paper.words(' · ')}as in the layout: nothing to do", STRONG))])
        return
    steps = f"{counted(len(found.steps), 'step')}, not run" if found.steps else "no step"
    left = f"{paper.words(' · ')}{counted(len(found.not_planned), 'difference')} without a step"
    yield paper.render([line((f"{host}{paper.words(' · ')}{steps}{left if found.not_planned else ''}", STRONG))])
    for number, step in enumerate(found.steps):
        if number == found.point_of_no_return:
            text = "— from here on, the contents of the drives are overwritten —"
            yield paper.render([line((paper.words(text), BAD))])
        yield from _step(number + 1, step, paper)
    for one in found.not_planned:
        unnamed = one.label.endswith(f"line {one.line}")
        where = "" if one.line is None or unnamed else f"{paper.words(' · ')}line {one.line}"
        yield paper.render([
            line((f"not planned  {paper.clean(one.label)}", WARN), (where, DULL)),
            *(hanging("  ", [paper.clean(text)], paper) for text in one.why),
        ])  # fmt: skip


def _step(number: int, step: Step, paper: Paper) -> Iterator[str]:
    what = {"setting": "set", "config": "list", "create": "create", "spare": "add spares to", "delete": "delete"}[
        step.kind
    ]
    yield paper.render([line((f"{number}. {what} {paper.clean(step.label)}", STRONG))])
    for command in step.commands:
        yield f"   {paper.clean(command)}\n"  # never wrapped, for copying
    if step.kind == "config":
        text = '"raidctl layout apply" writes its ARRAY line into the configuration'
        yield paper.render([hanging("   ", [text], paper)])
    if step.kind == "delete":
        text = '"raidctl layout apply" deletes it, if nothing uses it and nothing is on it'
        yield paper.render([hanging("   ", [text], paper)])
    if step.overwrites:
        yield paper.render([hanging("   ", [paper.clean(f"overwrites {listing(step.overwrites)}")], paper)])
    for text in step.warnings:
        yield paper.render([hanging("   ", [paper.clean(f"Warning: {text}")], paper)])
