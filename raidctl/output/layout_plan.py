"""The screen of ``raidctl layout plan``."""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.layout.plan import LayoutPlan, Step
from raidctl.output.console import BAD, DULL, STRONG, WARN, Display, hanging, line
from raidctl.text import counted, listing


def plan_screen(found: LayoutPlan, display: Display) -> str:
    """The steps with their commands. A line separates those that overwrite data. Differences without a step follow."""
    return "".join(_parts(found, display))


def _parts(found: LayoutPlan, display: Display) -> Iterator[str]:
    host = display.clean(found.host or "host unknown")
    if not found.steps and not found.not_planned:
        yield display.render([line((f"{host}{display.words(' · ')}as in the layout: nothing to do", STRONG))])
        return
    steps = f"{counted(len(found.steps), 'step')}, not run" if found.steps else "no step"
    left = f"{display.words(' · ')}{counted(len(found.not_planned), 'difference')} without a step"
    yield display.render([line((f"{host}{display.words(' · ')}{steps}{left if found.not_planned else ''}", STRONG))])
    for number, step in enumerate(found.steps):
        if number == found.point_of_no_return:
            text = "— from here on, the contents of the drives are overwritten —"
            yield display.render([line((display.words(text), BAD))])
        yield from _step(number + 1, step, display)
    for one in found.not_planned:
        unnamed = one.label.endswith(f"line {one.line}")
        where = "" if one.line is None or unnamed else f"{display.words(' · ')}line {one.line}"
        yield display.render([
            line((f"not planned  {display.clean(one.label)}", WARN), (where, DULL)),
            *(hanging("  ", [display.clean(text)], display) for text in one.why),
        ])  # fmt: skip


def _step(number: int, step: Step, display: Display) -> Iterator[str]:
    what = {"setting": "set", "config": "list", "create": "create", "spare": "add spares to", "delete": "delete"}[
        step.kind
    ]
    yield display.render([line((f"{number}. {what} {display.clean(step.label)}", STRONG))])
    for command in step.commands:
        yield f"   {display.clean(command)}\n"  # never wrapped, for copying
    if step.kind == "config":
        text = '"raidctl layout apply" writes its ARRAY line into the configuration'
        yield display.render([hanging("   ", [display.words(text)], display)])
    if step.kind == "delete":
        text = '"raidctl layout apply" deletes it, if nothing uses it and nothing is on it'
        yield display.render([hanging("   ", [display.words(text)], display)])
    if step.overwrites:
        yield display.render([hanging("   ", [display.clean(f"overwrites {listing(step.overwrites)}")], display)])
    for text in step.warnings:
        yield display.render([hanging("   ", [display.clean(f"Warning: {text}")], display)])
