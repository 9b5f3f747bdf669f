"""Simulated machines: a recorded one whose cache settings can be changed, for ``--demo`` and for the tests.

A family's simulator is three pure functions on the texts of its tools: which settings a recorded answer holds, what a
changing command makes of them, and the answer as the tool would print it with other settings. So a simulated machine
prints what the recorded one printed, with the settings as they are now.

A simulator of whole machines, with drives that come and go, also has ``generated(state)``, the answers that replace
recorded ones, and ``advance(state, seconds)``, the state after some time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

State = dict[str, str]
"""The settings by a name of the simulator's own (``slot=1/ld 1/arrayaccelerator``), as the tool's words."""


class Reply(NamedTuple):
    """What a tool prints on a changing command, and the settings after it."""

    code: int
    out: str
    state: Mapping[str, str]
    """Equal to what it was when the tool refuses."""


class Simulator(Protocol):
    """A family's simulator: a module with these functions."""

    def initial(self, argv: tuple[str, ...], text: str) -> State:
        """The settings that a recorded answer holds; empty for the answer of another tool."""

    def change(self, argv: tuple[str, ...], state: Mapping[str, str]) -> Reply | None:
        """What a changing command does; None when it is not one of this family's."""

    def render(self, argv: tuple[str, ...], text: str, state: Mapping[str, str]) -> str:
        """A recorded answer with the settings as they are now; unchanged for the answer of another tool."""


class Leds(Protocol):
    """What a simulator offers besides if its tools switch locate LEDs."""

    def leds(self, argv: tuple[str, ...], text: str) -> State:
        """The locate LEDs of the drives that a recorded answer lists, off: no answer shows them as settings."""
