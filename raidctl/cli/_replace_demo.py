"""Commands that pull and push drives on a simulated machine."""

from __future__ import annotations

import shlex
from collections.abc import Callable

from raidctl.cli.shared.machine import demo_directory
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.terminal import emit_message
from raidctl.operate.replacement_facts import Facts, Stage
from raidctl.simulation.demo import machine as simulated
from raidctl.vendor.registry import vendors

_LONG = "10h"
"""Longer than any simulated rebuild."""


def demo_hints(settings: Settings, facts: Facts) -> Callable[[Stage], None]:
    """Return a function that prints the hint for a waiting stage. It does nothing on a real machine."""
    name = settings.demo
    if not name:
        return lambda _: None
    place = demo_directory(settings, name)
    at = facts.place.rpartition("/")[2] if facts.volumes else ""  # md: the place on the bus is not a bay
    bay = simulated(name, vendors()[0], place).bay_of(facts.old) or at
    asked: set[str] = set()

    def shown(stage: Stage) -> None:
        words = {
            "waiting_pull": ("--pull", name, bay),
            "waiting_push": ("--push", name, bay),
            "rebuilding": ("--pass-time", name, _LONG),
            "copying": ("--pass-time", name, _LONG),
        }.get(stage.name)
        if words is None or not all(words) or stage.name in asked:
            return
        asked.add(stage.name)
        known = ("--state-dir", settings.state_dir) if settings.state_dir else ()
        lines = [words]
        if stage.name == "waiting_push" and simulated(name, vendors()[0], place).bay_of(facts.old) is not None:
            lines.insert(0, ("--pull", name, bay))  # the controller no longer lists the drive that is still in its bay
        for line in lines:
            emit_message(f"On this simulated machine: {shlex.join(['raidctl', *known, 'demo', *line])}")

    return shown
