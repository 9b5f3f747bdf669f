"""Numbers as options have them."""

from __future__ import annotations

import math
from typing import Any

import click

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
