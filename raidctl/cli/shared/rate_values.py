"""Types of background rates: speeds of md, percentages or levels of controllers."""

from __future__ import annotations

import re
from typing import Any

import click

from raidctl.model import Controller
from raidctl.text import regex
from raidctl.vendor.plan import Setting
from raidctl.vendor.setting_values import RATES

_SIZE = regex(r"(\d{1,9})([KMG]?)(?:i?B)?(?:/s)?", re.ASCII | re.IGNORECASE)
_KIB = {"": 1, "K": 1, "M": 1024, "G": 1024**2}
_PERCENT = regex(r"(\d{1,3}) ?%?", re.ASCII)


class Speed(click.ParamType):  # type: ignore[type-arg]  # it takes no argument before click 8.2
    """``50M``, ``2000K``, or ``system``; a bare number is KiB per second."""

    name = "speed"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return KiB per second as in md's files, or the word system."""
        text = str(value).strip()
        if text.lower() == "system":
            return "system"
        match = _SIZE.fullmatch(text)
        if match is None:
            self.fail(f"{text!r} is not a speed: write 50M, 2000K or system.", param, ctx)
        return str(int(match[1]) * _KIB[match[2].upper()])


class Rate(click.ParamType):  # type: ignore[type-arg]  # as above
    """Percent, or a level in the tool's words."""

    name = "rate"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return ``30%``, or the level in lower case."""
        match = _PERCENT.fullmatch(str(value).strip())
        if match is None:
            return str(value).strip().lower()
        if int(match[1]) > 100:
            self.fail(f"{value} is more than 100%.", param, ctx)
        return f"{int(match[1])}%"


def in_words_of(controller: Controller, shares: dict[Setting, str | None]) -> dict[Setting, str | None]:
    """Return rates in the controller's form. A bare number is a level if its rates are levels."""
    shown = [getattr(controller.rates, field) for field in RATES.values()] if controller.rates is not None else []
    levels = any(rate is not None and rate.isdecimal() for rate in shown)
    return {setting: rate.removesuffix("%") if rate and levels else rate for setting, rate in shares.items()}
