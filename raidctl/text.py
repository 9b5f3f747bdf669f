"""Helpers for text: pairs, lists, plurals, safety in terminals and JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar, cast

if TYPE_CHECKING:
    from typing import Any

T = TypeVar("T")
_METHODS = ("match", "fullmatch", "search", "finditer", "findall", "sub", "split", "flags", "groups", "groupindex")


class _Regex:
    """A regular expression that is compiled at its first use."""

    def __init__(self, form: str, flags: int) -> None:
        self.pattern = form
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        # Python calls this for a missing attribute: from now on, the methods are those of the compiled expression
        compiled = re.compile(self.pattern, self._flags)
        self.__dict__.update({method: getattr(compiled, method) for method in _METHODS})
        return getattr(compiled, name)


def regex(form: str, flags: int = 0) -> re.Pattern[str]:
    """Prepare a regular expression as ``re.compile`` does. It is compiled at its first use.

    The formats of all tools are a thousand expressions, and one machine needs a few dozen of them. To compile all
    takes longer than to read a tool's output. A bad expression raises ``re.error`` at its first use.
    """
    return cast("re.Pattern[str]", _Regex(form, flags))


_ESCAPES = regex(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
INVISIBLE = (
    r"\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Invisible and zero-width characters, and those that change the writing direction. They are for a character class."""
_FIRST_UNSEEN = "\u0300"
"""All characters of `INVISIBLE` before this one are not printable for Python either."""
_CONTROL = regex(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f{INVISIBLE}]")
_CONTROL_IN_JSON = regex(rf"[\x7f-\x9f{INVISIBLE}]")
_TYPOGRAPHY = str.maketrans(
    {
        **dict.fromkeys("\u2018\u201a\u2032", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u2033", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"),
        "\u2014": "--",
        "\u2026": "...",
        "\u00a9": "(C)",
        "\u00ae": "(R)",
    }
)
"""What mail programs put in place of typed characters. These are quotation marks, dashes, dots and ``(R)``."""
_APOSTROPHE = regex(r"(?<!\d)\u2019|\u2019(?!\d)")
"""Between digits it is the separator of thousands in some languages."""
_CHOSEN = regex(r"\[([^\[\]\s]+)\]")


def pair(text: str) -> tuple[str, str] | None:
    """Split a line `` Cache Ratio: 25% Read / 75% Write`` into label and value. None if it is not a pair.

    The label ends at the first colon before a blank or the end of the line: ``physicaldrive 1I:1:1`` is not a pair,
    ``Disk Name: /dev/sda`` is one.
    """
    cut = text.find(":")
    while cut != -1 and text[cut + 1 : cut + 2].strip():
        cut = text.find(":", cut + 1)
    key = text[:cut].strip() if cut != -1 else ""
    return (key, text[cut + 1 :].strip()) if key else None


def indent_of(text: str) -> int:
    """Number of leading blanks; a tab counts as eight."""
    expanded = text.expandtabs(8) if "\t" in text else text
    return len(expanded) - len(expanded.lstrip(" "))


def collapse(text: str) -> str:
    """Replace each run of white space by one blank, strip both ends."""
    return " ".join(text.split())


def capitalised(text: str) -> str:
    """Return the text with a capital first letter. The rest stays as it is."""
    return text[:1].upper() + text[1:]


def uncapitalised(text: str) -> str:
    """Return the text with a small first letter, to continue a sentence. The rest stays as it is."""
    return text[:1].lower() + text[1:]


def typed(text: str) -> str:
    """Replace typographic quotation marks, dashes and dots by typed ones."""
    return text if text.isascii() else _APOSTROPHE.sub("'", text.translate(_TYPOGRAPHY))


def without_escapes(text: str) -> str:
    """Remove a terminal's escape sequences: colours, titles, movements."""
    return _ESCAPES.sub("", text) if "\x1b" in text else text


def printable(text: str) -> str:
    """Remove escape sequences, control and invisible characters, which could manipulate a terminal."""
    if text.isprintable() and (text.isascii() or max(text) < _FIRST_UNSEEN):
        return text
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", without_escapes(text))


def attempt(parse: Callable[[str], T], text: str | None) -> T | None:
    """Return ``parse(text)``; None if it raises ``ValueError`` or the text is None."""
    if text is None:
        return None
    try:
        return parse(text)
    except ValueError:
        return None


def figure(form: re.Pattern[str], text: str) -> re.Match[str]:
    """Match a whole text; ``ValueError`` if it has another format."""
    match = form.fullmatch(text)
    if match is None:
        raise ValueError(f"not in a known format: {text[:64]!r}")
    return match


def listing(words: Iterable[str], last: str = "and") -> str:
    """Join words: ``a, b and c``."""
    items = list(words)
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"


def few(names: Sequence[str], longest: int = 4) -> str:
    """Join names, the rest counted: ``sda1, sda2, sda3 and 2 more``."""
    return listing(names if len(names) <= longest else [*names[: longest - 1], f"{len(names) - longest + 1} more"])


def plural(kind: str) -> str:
    """Return the plural: ``batteries``; ``errors`` is one already."""
    if kind.endswith("y") and kind[-2:-1] not in set("aeiou"):
        return f"{kind[:-1]}ies"
    if kind.endswith("ss"):
        return f"{kind}es"
    return kind if kind.endswith("s") else f"{kind}s"


def counted(number: int, noun: str) -> str:
    """Number with noun: ``1 drive``, ``2 drives``, ``2 batteries``."""
    return f"{number} {noun if number == 1 else plural(noun)}"


def all_of(number: int, noun: str) -> str:
    """All of several things: ``both drives``, ``all 4 drives``."""
    return f"{'both' if number == 2 else f'all {number}'} {plural(noun)}"


def json_safe(text: str) -> str:
    """Escape control and invisible characters in JSON."""
    if text.isascii() and "\x7f" not in text:  # the encoder has escaped the other ASCII ones
        return text
    return _CONTROL_IN_JSON.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    r"""Return a character as JSON escapes: ``\u202e``; two for one beyond U+FFFF."""
    data = match[0].encode("utf-16-be")
    return "".join(f"\\u{data[at : at + 2].hex()}" for at in range(0, len(data), 2))


def chosen(text: str) -> str:
    """Return the word in brackets: ``writethrough [writeback] writearound none``."""
    match = _CHOSEN.search(text)
    if match is None:
        raise ValueError(f"no word in brackets: {text.strip()[:40]!r}")
    return match[1]
