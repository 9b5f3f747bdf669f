"""The commands that deeds may run: a table of shapes, compared right before a command runs. Pure.

A shape is a command line with places: ``{}`` stands for a word that was read from the machine, a device node or an id.
Any other word is literal. A place may be a part of a word: ``slot={}``, ``/c{}/e{}/s{}``, ``-PhysDrv[{}:{}]``. The
program is compared without its folder. So nothing that a user types reaches a command line, and no command is run that
its family does not list. A shape of a file begins with ``>``: the path, then the word that is written.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from posixpath import basename

from raidctl.vendor.plan import Action

Shape = tuple[str, ...]

FORCING = re.compile(r"-{0,2}force[d]?|-Force|override|--run|-f|all|ALL|quiet", re.ASCII)
"""Words that make a tool skip its own checks, or act on everything."""
MISSING_PLACES = "Places of missing drives"
"""Detail of an array, or of a controller whose tool names no array: ``0:3, 1:2``, as its commands name them."""
_PLACE = "{}"
_KERNEL_NAME = re.compile(r"[A-Za-z0-9][\w.:-]{0,80}", re.ASCII)


def outside(action: Action, shapes: Iterable[Shape], known: Collection[str]) -> str | None:
    """Explain why a command is not run; None if it has one of these shapes.

    Args:
        action: The command, or the write to a file.
        shapes: The table of the family.
        known: All words that were read from the machine: ids, device nodes, kernel names.
    """
    shapes = list(shapes)
    words = (">", action.path, action.data or "") if action.path is not None else action.argv
    forcing = next((word for word in words if FORCING.fullmatch(word)), None)
    if forcing is not None and not any(forcing in shape for shape in shapes):
        return f"it contains the word {forcing}"
    if not any(_fits(words, shape, known) for shape in shapes):
        return "it is not in the table of commands that raidctl runs"
    return None


def _fits(words: tuple[str, ...], shape: Shape, known: Collection[str]) -> bool:
    if len(words) != len(shape):
        return False
    if shape[:1] == (">",):
        return words[2] == shape[2] and _fits_path(words[1], shape[1], known)
    if not words or basename(words[0]) != shape[0]:
        return False
    return all(_fits_word(word, place, known) for word, place in zip(words[1:], shape[1:], strict=True))


def _fits_word(word: str, place: str, known: Collection[str]) -> bool:
    """Whether each place of a word has something that was read, and the rest is literal."""
    if place == _PLACE:
        return word in known
    if _PLACE not in place:
        return word == place
    form = "(.+?)".join(re.escape(part) for part in place.split(_PLACE))
    match = re.fullmatch(form, word)
    return match is not None and all(found in known for found in match.groups())


def _fits_path(path: str, shape: str, known: Collection[str]) -> bool:
    """Whether each place of a path, ``/sys/block/{}/md/sync_action``, has a kernel name that was read."""
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
