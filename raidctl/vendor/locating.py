"""Locate LEDs switched by a vendor's tool: a module ``locate`` in the package.

Its functions are pure. Without it, other methods are tried.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol, cast

from msgspec import Struct

from raidctl.model import Controller, Drive, Tool
from raidctl.request import Answer, Dialogue, Run
from raidctl.vendor.parts import part_of
from raidctl.vendor.plan import Action
from raidctl.vendor.protocol import Vendor

Shape = tuple[str, ...]
"""The words of a command after its program, each as a regular expression for the whole word."""


class Light(Struct, frozen=True, kw_only=True):
    """The locate LED of a drive, switched by the vendor's tool."""

    object_id: str
    """The drive."""
    on: Action
    off: Action
    look: Run | None = None
    """The command that reads the LED; None if the tool has none."""
    limit_seconds: float | None = None
    """The controller switches the LED off after this time in any case; None: it does not."""


class NoLight(Struct, frozen=True):
    """A drive whose LED the vendor's tool cannot switch."""

    object_id: str
    why: str
    """One sentence."""


class Locating(Protocol):
    """A vendor package that can locate drives."""

    @property
    def SHAPES(self) -> Sequence[Shape]:  # noqa: N802 - a module constant
        """Every command that switches an LED or reads one. A command of another form is never run."""

    def lights(
        self, controller: Controller, drives: Sequence[Drive], tools: Sequence[Tool], seconds: float
    ) -> Dialogue[list[Light | NoLight]]:
        """How the LED of each drive is switched, in their order.

        ``tools`` are the family's installed tools; ``seconds`` is the time to blink, for tools with a time limit. Runs
        the tool if only its help text shows the accepted words.
        """

    def judge(self, action: Action, answer: Answer) -> str | None:
        """The tool's objection, in its own words; None if it accepted. Never by the exit code alone."""

    def lit(self, answer: Answer) -> bool | None:
        """Whether the LED is on, from the answer to ``look``; None: unknown."""


def locating_of(vendor: Vendor) -> Locating | None:
    """Return how a family's drives are located; None if its tools cannot. Imported here, for that only."""
    return cast("Locating | None", part_of(vendor, "locate"))


def fits(words: Sequence[str], shapes: Sequence[Shape]) -> bool:
    """Whether the words of a command have one of these forms, word by word.

    >>> fits(("set", "identify=on"), [("set", "identify=(on|off)")]), fits(("set", "identify=on", "force"), [("set",)])
    (True, False)
    """
    return any(
        len(words) == len(shape) and all(re.fullmatch(form, word) for form, word in zip(shape, words, strict=True))
        for shape in shapes
    )
