"""Whether a typed identifier names the one object of an operation. Pure."""

from __future__ import annotations

from collections.abc import Collection

MIN_CHARACTERS = 6
"""Minimum characters of a serial number to type. They are counted from its end."""


def mismatch(typed: str, serial: str, others: Collection[str]) -> str | None:
    """Explain why what was typed does not confirm an object. None if it does.

    Args:
        typed: What was typed, or given with ``--confirm``.
        serial: The serial number, or the unique id, of the object.
        others: Those of all other objects of the machine.
    """
    word = typed.strip().casefold()
    if not word:
        return "nothing was typed"
    if not serial.casefold().endswith(word):
        return f"{typed.strip()} is not the end of {serial}"
    if len(word) < min(MIN_CHARACTERS, len(serial)):
        return f"at least the last {MIN_CHARACTERS} characters of {serial} are needed"
    same = sorted(other for other in others if other != serial and other.casefold().endswith(word))
    return f"{typed.strip()} is the end of {', '.join(same)}, too" if same else None
