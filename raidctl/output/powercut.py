"""The screen of a power-cut run: each cut and the overall verdict."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.style import Style
from rich.text import Text

from raidctl.bench.powercut.report import Cut, PowerCutRun
from raidctl.output.console import BAD, DULL, GOOD, PLAIN, WARN, Display, drawn, line
from raidctl.output.table import Column, cells, facts, table
from raidctl.text import counted
from raidctl.units import format_binary

_TEXTS = {
    "none": "no loss",
    "lost": "LOST",
    "torn": "TORN",
    "reordered": "REORDERED",
    "misdirected": "MISDIRECTED",
    "unknown": "unknown",
}
_KILLED = "In a virtual machine, a writer that was killed before the cut cannot be distinguished from a cut."


@drawn
def screen(run: PowerCutRun, display: Display) -> Iterator[RenderableType]:
    """The run, its cuts, and the verdict."""
    clean, target, plan = display.clean, run.target, run.plan
    yield line((f"Power-cut run {run.run}", PLAIN), (f"  {clean(run.at)}  {clean(run.host or '')}", DULL))
    what = ", ".join(filter(None, (target.model, target.serial and f"serial number {target.serial}")))
    rows = [("target", [(clean(f"{target.name}{f' ({what})' if what else ''}"), PLAIN)])]
    size = format_binary(plan.blocks * plan.block_bytes)
    rows.append(("writes", [(f"{size} in blocks of {format_binary(plan.block_bytes)}, {plan.group} per flush", PLAIN)]))
    yield facts(rows, display, indent=0)
    if run.cuts:
        yield Text("")
        yield _table(run, display)
        for cut in run.cuts:
            for reason in cut.reasons:
                yield line((clean(f"  cut {cut.number}: {reason}"), WARN))
    yield Text("")
    yield from _verdict(run)
    if run.virtual is not None and any(cut.ended == "closed" and cut.counted for cut in run.cuts):
        yield line((_KILLED, WARN))


def _table(run: PowerCutRun, display: Display) -> RenderableType:
    cuts = run.cuts
    return table(
        [
            Column("cut", cells([str(cut.number) for cut in cuts]), right=True),
            Column("by", cells([cut.how for cut in cuts])),
            Column("verdict", [(_word(cut), _style(cut)) for cut in cuts], least=12),
            Column("acknowledged", cells([f"{cut.acknowledged:,}" for cut in cuts]), right=True),
            Column("flushes", cells([f"{cut.flushes:,}" for cut in cuts]), right=True),
            Column("ok", cells([f"{cut.ok:,}" for cut in cuts]), right=True),
            Column("in flight", cells([f"{cut.ahead + cut.torn_in_flight:,}" for cut in cuts]), right=True),
            Column("lost", cells([f"{cut.lost:,}" for cut in cuts]), right=True),
            Column("torn", cells([f"{cut.torn:,}" for cut in cuts]), right=True),
            Column("age of loss", cells([_age(cut) for cut in cuts]), right=True),
        ],
        display,
        indent=0,
    )


def _word(cut: Cut) -> str:
    return _TEXTS[cut.verdict] + ("" if cut.counted or cut.verdict == "unknown" else ", not counted")


def _style(cut: Cut) -> Style:
    if cut.shows_loss:
        return BAD
    return GOOD if cut.counted else WARN


def _age(cut: Cut) -> str:
    return "" if cut.loss_seconds is None else f"{cut.loss_seconds:.1f} s"


def _verdict(run: PowerCutRun) -> Iterator[RenderableType]:
    if run.verdict == "loss":
        yield line(("Acknowledged data was lost: this storage does not keep what it has confirmed.", BAD))
        return
    if run.unread is not None:
        count = run.unread.unreadable
        blocks = f"{count:,} block{'s' * (count != 1)}"
        yield line((f"After cut {run.unread.number}, {blocks} could not be read: they may be lost.", WARN))
    elif run.loss_probability is None:
        yield line(("No cut has counted yet.", WARN))
    else:
        cuts = counted(run.clean, "counted cut")
        yield line(
            (
                f"{cuts} without a loss: at most {run.loss_probability:.0%} of the cuts lose data (95% confidence).",
                GOOD,
            )
        )
    more = [f"{need.cuts} for {need.loss_probability:.0%}" for need in run.needed if need.cuts > run.clean]
    if more:
        yield line((f"Cuts without a loss needed to show a lower rate: {', '.join(more)}.", DULL))
