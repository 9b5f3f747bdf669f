"""Types of option values: numbers, lengths of time, choices with aliases."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import click

from raidctl.text import attempt, regex
from raidctl.units import format_duration, parse_seconds


class AliasedChoice(click.Choice):  # type: ignore[type-arg]  # it takes no argument before click 8.2
    """A choice that also accepts other words for its values."""

    def __init__(self, choices: Sequence[str], also: Mapping[str, str]) -> None:
        super().__init__(choices, case_sensitive=False)
        self._also = also

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value that a word means."""
        return super().convert(self._also.get(str(value).lower(), value), param, ctx)


WEEK = 7 * 86400.0
"""Seconds; the longest measurement."""


def or_standard_output(_context: click.Context, _param: click.Parameter, value: str | None) -> str | None:
    """Return the FILE to write. None for ``-``: standard output."""
    return None if value == "-" else value


class Number(click.FloatRange):
    """A number within a range. It rejects infinity, and nan, which fails no range comparison."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number. Raise click.BadParameter if it is not a number, or outside the range."""
        if attempt(float, value) is None:
            self.fail(f"{value!r} is not a number.", param, ctx)
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a number.", param, ctx)
        return number

    def _describe_range(self) -> str:
        """Return the limits for the help, without a fraction of zero: ``10<=x<=604800``."""
        return super()._describe_range().replace(".0", "")


class Length(click.ParamType):  # type: ignore[type-arg]  # as above
    """A length of time: ``90s``, ``10m``, ``1h``; a bare number is seconds."""

    name = "time"

    def __init__(self, least: float, most: float) -> None:
        self._least, self._most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the seconds. Raise click.BadParameter if it is not a length, or outside of the limits."""
        match = _LENGTH.fullmatch(str(value).strip())
        if match is None:
            self.fail(f"{value!r} is not a time: write 90s, 10m or 1h.", param, ctx)
        seconds = float(match[1]) * _UNITS[match[2].lower()]
        if not self._least <= seconds <= self._most:
            self.fail(f"{value} is not between {self._least:g} s and {format_duration(int(self._most))}.", param, ctx)
        return seconds


class Period(click.ParamType):  # type: ignore[type-arg]  # as above
    """A period in days or hours: ``7d``, ``12h``, ``30 min``; optionally also ``never``."""

    name = "time"

    def __init__(self, *, never: bool = False) -> None:
        self._never = never

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the seconds, infinity for ``never``. Raise click.BadParameter if it is not a period."""
        if isinstance(value, float):
            return value
        if self._never and value == "never":
            return math.inf
        seconds = attempt(parse_seconds, str(value))
        if not seconds:
            self.fail(
                f"{value!r} is not a time: write 30min, 12h or 7d{', or never' if self._never else ''}.", param, ctx
            )
        return float(seconds)


_LENGTH = regex(r"(\d{1,7}(?:\.\d{1,3})?)\s*(s|m|h|)", re.ASCII | re.IGNORECASE)
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}
