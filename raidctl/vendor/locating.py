"""Locate LEDs of a family: a module ``locate`` in the package.

Its functions are pure. Without it, other ways to locate drives are tried.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Protocol, cast

from msgspec import Struct

from raidctl.model import Controller, Drive, Tool
from raidctl.request import Answer, Dialogue, Run, RunAnswer, ask_all
from raidctl.text import collapse
from raidctl.vendor.parts import part_of
from raidctl.vendor.plan import Action
from raidctl.vendor.protocol import Vendor

Shape = tuple[str, ...]
"""The words of a command after the tool's name. Each is a regular expression that the whole word has to match."""


class Light(Struct, frozen=True, kw_only=True):
    """The locate LED of a drive, switched by the vendor's tool."""

    object_id: str
    """The drive."""
    on: Action
    off: Action
    look: Run | None = None
    """The command that reads the LED; None if the tool has none."""
    limit_seconds: float | None = None
    """Seconds until the controller switches it off, even if raidctl has ended. None: it does not."""


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

        ``tools`` are the family's tools on this machine; ``seconds`` is the time to blink, for tools that have such a
        limit. Queries the tool if only its help text shows the words that it accepts.
        """

    def judge(self, action: Action, answer: Answer) -> str | None:
        """The tool's objection, in its own words; None if it accepted. Never by the exit code alone."""

    def lit(self, answer: Answer) -> bool | None:
        """Whether the LED is on, from the answer to ``look``; None: unknown."""


def locating_of(vendor: Vendor) -> Locating | None:
    """Return how a family's drives are located; None if its tools cannot. Imports the module."""
    return cast("Locating | None", part_of(vendor, "locate"))


def fits(words: Sequence[str], shapes: Sequence[Shape]) -> bool:
    """Whether a command's words have one of these forms, word by word.

    >>> fits(("set", "identify=on"), [("set", "identify=(on|off)")]), fits(("set", "identify=on", "force"), [("set",)])
    (True, False)
    """
    return any(
        len(words) == len(shape) and all(re.fullmatch(form, word) for form, word in zip(shape, words, strict=True))
        for shape in shapes
    )


def lights_without_query(
    drives: Sequence[Drive], light: Callable[[Drive], Light | NoLight]
) -> Dialogue[list[Light | NoLight]]:
    """How each drive's LED is switched, without a query of the tool."""
    yield from ask_all([])
    return [light(drive) for drive in drives]


def message_of(answer: RunAnswer) -> str:
    """What a tool printed, standard error included, in one line."""
    return collapse(f"{answer.text} {answer.error_text}")


def lit_by(answer: Answer, state: re.Pattern[str]) -> bool | None:
    """Whether the LED is on. The group ``state`` (``on``, ``off``) of an expression shows it. None: not printed."""
    if not isinstance(answer, RunAnswer) or not answer.fine:
        return None
    found = state.search(answer.text)
    return None if found is None else found["state"].lower() == "on"


def never_shown(answer: Answer) -> bool | None:  # noqa: ARG001 - the signature of :meth:`Locating.lit`
    """``lit`` of a family that cannot read LEDs. Its tools have no command that shows whether an LED is on."""
    return None
