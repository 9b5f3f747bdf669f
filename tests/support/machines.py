"""The recorded machines of ``fixtures/``: each folder is a machine."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import structs

from raidctl.recording.recording import Recording, load
from raidctl.request import Answer, Request, Run, RunAnswer, decode
from raidctl.runners.replay import ReplayRunner
from raidctl.survey.survey import Survey, survey
from raidctl.vendor.registry import families_that_count_redundancy, vendors

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
_VENDORS = FIXTURES.with_name("vendors")
MACHINES = sorted(path.parent.name for path in FIXTURES.glob("*/record.json"))
COUNTING = families_that_count_redundancy(vendors()[0])
"""Families whose number of further failures the core takes as it is."""


@cache
def recording(machine: str) -> Recording:
    """The recording of a machine by its folder's name."""
    return load(FIXTURES / machine)


@cache
def replayed(machine: str) -> Survey:
    """What raidctl makes of a recorded machine."""
    found, problems = vendors()
    kept = recording(machine)
    when = kept.manifest.collected_at
    return survey(ReplayRunner(kept), found, source=f"replay:{machine}", collected_at=when, problems=problems)


def altered(machine: str, before: str, after: str, only: str = "") -> Survey:
    """A recorded machine or a demo (``areca:1882``) with the outputs of its tools changed.

    Args:
        machine: A folder of ``fixtures/``, or family and name of a demo.
        before: The pattern to replace, in all lines of all outputs.
        after: The replacement.
        only: Words of the command lines whose outputs are changed.
    """
    family, _, demo = machine.partition(":")
    kept = load(_VENDORS / f"raidctl_{family}" / "demos" / demo) if demo else recording(machine)
    answers: dict[Request[Any], Answer] = {}
    for request, answer in kept.answers():
        if isinstance(request, Run) and isinstance(answer, RunAnswer) and only in " ".join(request.argv):
            text = decode(answer.out)
            changed = re.sub(before, after, text, flags=re.MULTILINE)
            if changed != text:
                answers[request] = structs.replace(answer, out=changed.encode("utf-8", "surrogateescape"))
    assert answers
    found, problems = vendors()
    runner = ReplayRunner(kept).with_answers(answers)
    return survey(runner, found, collected_at=kept.manifest.collected_at, problems=problems)
