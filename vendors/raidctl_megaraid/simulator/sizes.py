"""Printed sizes of drives that are smaller than the recorded ones. Pure."""

from __future__ import annotations

from raidctl.text import regex

_SIZE = regex(r"([\d.]+) ([KMGT]i?B)(?: \[0x([0-9a-f]+) Sectors\])?")
_SMALLER = {"TB": "GB", "TiB": "GiB"}


def half(text: str) -> str:
    """``1.091 TB`` and ``1.091 TB [0x8ba80000 Sectors]`` of a drive half as large."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        return text
    sectors = f" [{int(match[3], 16) // 2:#x} Sectors]" if match[3] else ""
    figure, unit = float(match[1]) / 2, match[2]
    if figure < 1 and unit in _SMALLER:
        figure, unit = figure * 1024, _SMALLER[unit]
    return f"{figure:.3f} {unit}{sectors}"
