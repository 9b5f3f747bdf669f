"""``--by activity``: read from a drive in bursts to flash its activity LED. Nothing is written."""

from __future__ import annotations

import time
from collections.abc import Sequence

from msgspec.structs import replace

from raidctl.change.indicator import Passed, Unlit
from raidctl.cli.shared.lazy_group import columns
from raidctl.cli.shared.locate_leds import kernel_leds
from raidctl.cli.shared.machine import Machine
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.plan_change import Interrupted
from raidctl.cli.shared.terminal import emit, emit_json, emit_message, named_machine
from raidctl.errors import EXIT_FINE, EXIT_NO, CannotTell, UsageError
from raidctl.locate import activity
from raidctl.locate.report import Located, LocateReport, located, of_bay
from raidctl.locate.targets import Wanted, resolve
from raidctl.output.locate import listed
from raidctl.request import Run, RunAnswer
from raidctl.select import Ambiguous, unseen

sleep, clock = time.sleep, time.monotonic


def blink(named: Machine, words: Sequence[str], length: float, settings: Settings, *, dry_run: bool) -> int:
    """Read from the drives in bursts, for ``length`` seconds."""
    seen = named.survey()
    try:
        wanted = resolve(seen.inventory, seen.view, kernel_leds(named), words)
    except Ambiguous:
        raise
    except UsageError as error:
        raise unseen(error, seen.inventory.problems) from None
    reads = {one.bay.object_id: activity.burst(one) for one in wanted}
    bursts = [read for read in reads.values() if isinstance(read, Run)]
    targets = tuple(_target(one, reads[one.bay.object_id], on=None if dry_run else True) for one in wanted)
    report = LocateReport(targets=targets, commands=tuple(" ".join(read.argv) for read in bursts) if dry_run else ())
    end = clock() + length
    if not dry_run:
        _burst(named, bursts)  # a drive is reported to flash only after it was read
    if settings.as_json:
        emit_json(report)
    else:
        emit(listed(report, columns(), named_machine(), verbose=settings.verbose))
    if bursts and not dry_run:
        _blink_bursts(named, bursts, end)
    return EXIT_NO if len(bursts) < len(wanted) else EXIT_FINE


def _target(wanted: Wanted, read: Run | str, *, on: bool | None) -> Located:
    if isinstance(read, str):
        return located(Unlit(bay=wanted.bay, passed=(Passed("activity", read),)))
    return replace(of_bay(wanted.bay), led="activity", way="activity", on=on)


def _blink_bursts(named: Machine, bursts: Sequence[Run], end: float) -> None:
    """Alternate one second of rest and one of reading, until the time is over.

    Raises:
        CannotTell: A drive does not answer: its LED would not flash.
        Interrupted: Ctrl-C.
    """
    emit_message("The activity LED flashes once in two seconds; Ctrl-C ends it.")
    try:
        while True:
            sleep(activity.REST)
            if clock() >= end:
                return
            _burst(named, bursts)
    except KeyboardInterrupt:
        raise Interrupted("Interrupted: reading has stopped.") from None


def _burst(named: Machine, bursts: Sequence[Run]) -> None:
    """Read for one second.

    Raises:
        CannotTell: A drive does not answer.
    """
    for read, answer in zip(bursts, named.runner.carry_out(bursts) if bursts else (), strict=True):
        why = activity.failed(answer) if isinstance(answer, RunAnswer) else "no answer"
        if why is not None:
            node = read.argv[1].removeprefix("if=")
            raise CannotTell(f"{node} cannot be read from, so its activity LED does not flash: {why}.")
