"""Numbers as options have them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import click


class AliasedChoice(click.Choice):  # type: ignore[type-arg]  # it takes no argument before click 8.2
    """A choice that also accepts other words for its values."""

    def __init__(self, choices: Sequence[str], also: Mapping[str, str]) -> None:
        super().__init__(choices, case_sensitive=False)
        self._also = also

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value that a word stands for."""
        return super().convert(self._also.get(str(value).lower(), value), param, ctx)


WEEK = 7 * 86400.0
"""Seconds; nobody measures for longer."""


class Number(click.FloatRange):
    """A number within a range; nan, which no comparison finds outside of any, and infinity are none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number. Raise click.BadParameter where it is none, or outside."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is no number.", param, ctx)
        return number
