"""Whether the help text of a tool lists a command's form. Pure.

A line of the help is a command with places and options, as storcli 7 prints them::

    storcli /cx[/ex]/sx set good [force]
    storcli /cx[/ex]/sx show|stop|pause|resume rebuild
    storcli /cx[/ex]/sx add hotsparedrive [DGs=<N|0,1,2...>] [enclaffinity][nonrevertible]
    storcli /cx/ex/sx insert dg=A array=B row=C

Words in ``[…]`` may be left out, ``a|b`` and ``{a|b}`` are one of them, and ``key=…`` is the key with any value.
The words of the command must be all that the line requires: a line with another word, a placeholder that stands alone
or brackets that do not match lists no command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from raidctl.text import regex
from raidctl.vendor.plan import Action
from raidctl_megaraid.tools import OUTPUT_WORDS

_PATHS = {
    "ces": frozenset({"/cx/ex/sx", "/cx[/ex]/sx"}),
    "cs": frozenset({"/cx/sx", "/cx[/ex]/sx"}),
}
"""Objects as the help names them. They are a drive in an enclosure, and one without."""
_LINE = regex(r"\s*(?:\S*/)?(?:stor|perc)cli\d*(?:\.exe)?\s+(/c\S+)\s+(\S.*?)\s*", re.IGNORECASE)
# [DGs=<N|0,1,2...>]   target=e:s   start|stop   [   ]   {   }   |
_TOKEN = regex(r"[A-Za-z]\w*=(?:<[^<>]*>|[^\s\[\]{}()|]*)|[\[\]{}()|]|[^\s\[\]{}()|]+")
_WORD = regex(r"[a-z][a-z0-9]*")
_CLOSING = {"[": "]", "{": "}", "(": ")"}


def listed(text: str, action: Action) -> bool:
    """Whether a help line lists a command's form on one drive."""
    # the help names these once, for all commands
    words = [word for word in action.argv[2:] if word not in OUTPUT_WORDS]
    kind = "".join(re.findall(r"/([a-z])\d+", action.argv[1])) if len(action.argv) > 1 else ""
    return any(_fits(form, words) for path, form in _forms(text) if path in _PATHS.get(kind, ()))


def _forms(text: str) -> Iterator[tuple[str, str]]:
    """Object and rest of each line that begins with the tool's name."""
    for line in text.splitlines():
        match = _LINE.fullmatch(line)
        if match is not None:
            yield match[1].lower(), match[2]


def _fits(form: str, words: Sequence[str]) -> bool:
    try:
        ends = _alternatives(_TOKEN.findall(form), words)
    except ValueError:
        return False
    return len(words) in ends


def _alternatives(tokens: Sequence[str], words: Sequence[str]) -> set[int]:
    """How many of the words ``a b|c [d]`` matches. ``|`` binds its two neighbours only, as in ``start|stop rebuild``.

    Raises:
        ValueError: A bracket is not closed.
    """
    ends = {0}
    for choice in _choices(tokens):
        ends = {at + more for at in ends for part in choice for more in _taken(part, words[at:])}
    return ends


def _choices(tokens: Sequence[str]) -> Iterator[list[list[str]]]:
    """The parts of a form in their order, each with its alternatives."""
    at, choice = 0, list[list[str]]()
    while at < len(tokens):
        end = _end(tokens, at)
        choice.append(list(tokens[at:end]))
        at = end
        if at < len(tokens) and tokens[at] == "|":
            at += 1
            continue
        yield choice
        choice = []
    if choice:
        raise ValueError("nothing behind |")


def _end(tokens: Sequence[str], at: int) -> int:
    """Where the word, or the group in brackets, that begins there ends."""
    if tokens[at] in ("|", *_CLOSING.values()):
        raise ValueError("no word")
    if tokens[at] not in _CLOSING:
        return at + 1
    open_ = [_CLOSING[tokens[at]]]
    for place in range(at + 1, len(tokens)):
        token = tokens[place]
        if token == open_[-1]:
            open_.pop()
            if not open_:
                return place + 1
        elif token in _CLOSING:
            open_.append(_CLOSING[token])
    raise ValueError("not closed")


def _taken(part: Sequence[str], words: Sequence[str]) -> set[int]:
    """How many of the words a single part can match."""
    first = part[0]
    if first in _CLOSING:
        inner = _alternatives(part[1:-1], words)
        return {0, *inner} if first == "[" else inner
    key, equals, _ = first.lower().partition("=")
    if not words:
        return set()
    if equals:
        return {1} if words[0].lower().startswith(f"{key}=") else set()
    return {1} if _WORD.fullmatch(key) and words[0].lower() == key else set()
