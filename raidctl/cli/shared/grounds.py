"""The machine that claims are checked on: its survey, and what its kernel reports."""

from __future__ import annotations

from raidctl.cli.shared.machine import look, machine, tell_tracebacks, with_open_ends
from raidctl.cli.shared.options import Settings
from raidctl.verify import subjects
from raidctl.verify.kernel import Kernel
from raidctl.verify.subjects import Ground


def ground_of(settings: Settings) -> Ground:
    """The machine with what its kernel reports; for loose files, only what is in them."""
    settings.check()
    if settings.replay is not None:
        from raidctl.recording.recording import is_recording  # noqa: PLC0415 - only where it is asked for

        if not is_recording(settings.replay):
            return Ground(look(settings), Kernel())
    with machine(settings) as asked:
        seen = asked.survey()
        ground = subjects.asked(with_open_ends(seen, settings), asked.runner)
    if settings.verbose:
        tell_tracebacks(seen)
    return ground
