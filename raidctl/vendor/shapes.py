"""The commands that deeds may run, compared right before a command runs. Pure.

A shape is a command line with placeholders: ``{}`` matches a word that was read from the machine, a device node or an
id. A placeholder may be a part of a word: ``slot={}``, ``/c{}/e{}/s{}``, ``-PhysDrv[{}:{}]``. ``{}+``, at the end only,
matches one or more words that were read; ``~FORM`` a word that matches a regular expression, such as the name of a new
array; ``?~FORM`` an optional one. Any other word is literal. The program is compared without its folder. So no text
typed by a user reaches a command line in another form, and no command is run that its family does not list. A shape of
a file begins with ``>``: the path, then the word that is written, or ``~FORM``. Every command may be run under the
locks of drives that were read (:func:`locked`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from posixpath import basename

from raidctl.text import regex
from raidctl.vendor.plan import Action

Shape = tuple[str, ...]

FORCING = regex(r"-{0,2}force[d]?|-Force|override|--run|-f|all|ALL|quiet", re.ASCII)
"""Words that make a tool skip its checks, or act on everything."""
MISSING_PLACES = "Places of missing drives"
"""Detail of an array: ``0:3, 1:2``, as the tool's commands name the places. It is a controller's if its tool names no
array."""
_PLACE = "{}"
_PLACES = "{}+"
_FORM = "~"
_LOCK = ("flock", "--close", "--timeout", "60")
"""The flock(1) prefix of a command. The lock is released when the command ends, and its children do not inherit it."""
_KERNEL_NAME = regex(r"[A-Za-z0-9][\w.:-]{0,80}", re.ASCII)


def locked(argv: tuple[str, ...], nodes: Iterable[str]) -> tuple[str, ...]:
    """Return a command that holds the locks of whole drives. Until it has ended, udev leaves them alone.

    https://systemd.io/BLOCK_DEVICE_LOCKING
    """
    return (*(word for node in nodes for word in (*_LOCK, node)), *argv)


def unlocked(argv: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the command without the lock prefix, and the drives it locks."""
    nodes: list[str] = []
    while argv[: len(_LOCK)] == _LOCK and len(argv) > len(_LOCK):
        nodes.append(argv[len(_LOCK)])
        argv = argv[len(_LOCK) + 1 :]
    return argv, tuple(nodes)


def outside(action: Action, shapes: Iterable[Shape], known: Collection[str]) -> str | None:
    """Explain why a command is not run. None if it has one of these shapes.

    Args:
        action: The command, or the write to a file.
        shapes: The table of the family.
        known: All words that were read from the machine: ids, device nodes, kernel names.
    """
    words, nodes = unlocked(action.argv)
    if action.path is not None:
        words, nodes = (">", action.path, action.data or ""), ()
    if not all(node in known for node in nodes):
        return "it locks a drive that was not read"
    forced = [word for word in words if FORCING.fullmatch(word)]
    if any(_fits(words, shape, known) and set(forced) <= set(shape) for shape in shapes):
        return None  # a shape with a forcing word has dedicated guards
    forcing = next(iter(forced), None)
    if forcing is not None:
        return f"it contains the word {forcing}"
    return "it is not in the table of commands that raidctl runs"


def _fits(words: tuple[str, ...], shape: Shape, known: Collection[str]) -> bool:
    if shape[:1] == (">",):
        return len(words) == len(shape) and _fits_word(words[2], shape[2], ()) and _fits_path(words[1], shape[1], known)
    if not words or basename(words[0]) != shape[0]:
        return False
    rest = list(words[1:])
    for place in shape[1:]:
        if place == _PLACES:
            return bool(rest) and all(word in known for word in rest)
        if rest and _fits_word(rest[0], place, known):
            rest.pop(0)
        elif not place.startswith(f"?{_FORM}"):
            return False
    return not rest


def _fits_word(word: str, place: str, known: Collection[str]) -> bool:
    """Whether a word fits its place.

    Each placeholder has a value that was read, and the rest is literal, or of the form.
    """
    if place == _PLACE:
        return word in known
    if place.startswith((_FORM, f"?{_FORM}")):
        return re.fullmatch(place.partition(_FORM)[2], word, re.ASCII) is not None
    if _PLACE not in place:
        return word == place
    form = "(.+?)".join(re.escape(part) for part in place.split(_PLACE))
    match = re.fullmatch(form, word)
    return match is not None and all(found in known for found in match.groups())


def _fits_path(path: str, shape: str, known: Collection[str]) -> bool:
    """Whether a path fits a shape such as ``/sys/block/{}/md/sync_action``.

    Each placeholder has a kernel name that was read.
    """
    pieces, places = path.split("/"), shape.split("/")
    return len(pieces) == len(places) and all(
        piece == place or (_PLACE in place and _named(piece, place, known))
        for piece, place in zip(pieces, places, strict=True)
    )


def _named(piece: str, place: str, known: Collection[str]) -> bool:
    head, _, tail = place.partition(_PLACE)
    if not (piece.startswith(head) and piece.endswith(tail)):
        return False
    name = piece[len(head) : len(piece) - len(tail)]
    return bool(_KERNEL_NAME.fullmatch(name)) and name in known
