"""What a demo's tools printed, and the settings read from it.

It was printed at the recording; a family's simulator reads the settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from raidctl.recording.recording import load
from raidctl.request import Run, RunAnswer
from raidctl.simulation.demo import path_of
from raidctl.vendor.registry import vendors
from raidctl.vendor.simulator import Simulator, State

Texts = Mapping[tuple[str, ...], str]
"""Commands, and what they print."""


@cache
def texts(demo: str) -> Texts:
    """The recorded answers of a demo's tools."""
    return {
        request.argv: answer.text
        for request, answer in load(path_of(demo, vendors()[0])).answers()
        if isinstance(request, Run) and isinstance(answer, RunAnswer)
    }


def settings_of(simulator: Simulator, answers: Texts) -> State:
    """The settings that outputs contain."""
    found: State = {}
    for argv, text in answers.items():
        found |= simulator.initial(argv, text)
    return found


def rendered(simulator: Simulator, demo: str, state: Mapping[str, str]) -> Texts:
    """What the tools of a demo print with other settings."""
    return {argv: simulator.render(argv, text, state) for argv, text in texts(demo).items()}
