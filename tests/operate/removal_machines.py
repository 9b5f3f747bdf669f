"""The machines on which every drive is removed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import datetime, timezone
from functools import cache
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from raidctl.operate.boot_loader import Surroundings
from raidctl.operate.removal import check
from raidctl.operate.removal_report import Removal
from raidctl.recording.recording import load
from raidctl.request import Answer, Request, Run, RunAnswer, decode
from raidctl.runners.replay import ReplayRunner
from raidctl.select import physical
from raidctl.simulation.demo import demos
from raidctl.survey.survey import Survey, survey
from raidctl.vendor.registry import vendors
from raidctl.vendor.unreported import unreported
from tests.support.machines import FIXTURES, MACHINES, replayed

NOW = datetime(2026, 11, 23, tzinfo=timezone.utc)

AROUND = Surroundings(unreported=unreported(vendors()[0]))

COLLECTION = Path(os.environ.get("RAIDCTL_CAPTURES") or Path(__file__).resolve().parents[3] / "shared" / "captures")


@cache
def demo(name: str) -> Survey:
    """What raidctl makes of a simulated machine's recording."""
    found, _ = vendors()
    kept = load(next(one.path for one in demos(found) if one.name == name))
    return survey(ReplayRunner(kept), found, source=f"replay:{name}", collected_at=kept.manifest.collected_at)


def machines() -> Iterator[tuple[str, Survey]]:
    """Every recorded machine and every demo, by name."""
    yield from ((f"fixture:{name}", replayed(name)) for name in MACHINES)
    yield from ((f"demo:{one.name}", demo(one.name)) for one in demos(vendors()[0]))


def answers(seen: Survey) -> Iterator[Removal]:
    """The answer about each physical drive."""
    inventory = seen.inventory
    for name in physical(inventory, [controller.id for controller in inventory.controllers]):
        yield check(inventory, seen.view, name, NOW, AROUND)


def altered(name: str, pattern: str, new: str, of: str = "") -> Survey:
    """A demo or recorded machine with other words in its tools' outputs.

    Args:
        name: Its name; demos come first.
        pattern: A regular expression for the words. It must occur.
        new: The words instead.
        of: Part of the commands whose outputs are changed. Empty: all commands.
    """
    found, _ = vendors()
    kept = load(next((one.path for one in demos(found) if one.name == name), FIXTURES / name))
    more: dict[Request[Any], Answer] = {}
    for request, answer in kept.answers():
        if isinstance(request, Run) and isinstance(answer, RunAnswer) and of in " ".join(request.argv):
            text = re.sub(pattern, new, decode(answer.out), flags=re.MULTILINE)
            if text != decode(answer.out):
                more[request] = replace(answer, out=text.encode("utf-8", "surrogateescape"))
    assert more, f"{name} has no {pattern}"
    runner = ReplayRunner(kept).with_answers(more)
    return survey(runner, found, source=f"replay:{name}", collected_at=kept.manifest.collected_at)
