"""Join lines that a mailer has wrapped. The vendor's reader decides whether that is right. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from msgspec.structs import replace

from raidctl.recording.transcript import TERMINALS, USUAL_TERMINALS
from raidctl.text import regex
from raidctl.vendor.protocol import Document, Observation

_WIDEST = 86
"""Longest wrapped line in characters. Mailers wrap at 72 to 78, and a tab that they count as one has become eight."""


class _Way(NamedTuple):
    """A way of joining lines."""

    narrow: int
    """The least length of a wrapped line."""
    ruled: bool = False
    """The rules of a table show the length of its lines."""
    indented: bool = False
    """The rest of a line may be indented below a line without a blank at its end. It is then joined if a line was not
    understood."""
    once: bool = False
    """Each line was broken once at most."""


_WAYS = (
    _Way(72, ruled=True),
    _Way(60, ruled=True),
    _Way(72),
    _Way(72, indented=True),
    _Way(72, indented=True, once=True),
    _Way(60, ruled=True, indented=True),
)
_WORTH = 20
"""Facts that outweigh one more problem. A table that becomes readable may turn out to be cut off."""
_NARROWEST = 60
"""Least length of the longest line of a wrapped text. Of 72 characters, marks of quotes take some."""
_LONGEST = 20_000
"""Most lines of a text that is tried. Longer texts are not mailed."""
_MANY = 4
"""Least number of lines per longer line in a wrapped text. A text was not wrapped if more than one in this many is
longer."""

_NO_RULE = regex(r"[^\W_]|[\[\]]")
_PROMPT = regex(r"[\[(]?\S{1,64}@\S|[#$] |[A-Z]:\\")

Read = Callable[[Sequence[Document]], Observation]
Look = Callable[[Document], "Reading"]
"""A function that reads a document as :func:`reading` does. Callers that read one several times cache the result."""


class Reading(NamedTuple):
    """How well a document is read."""

    unread: int
    """Problems of kind ``unread``."""
    strange: int
    """Number of unparsed lines."""
    facts: int
    left: frozenset[str]
    """The unparsed lines."""

    @property
    def cost(self) -> int:
        """Return one number, where less is better. A problem weighs as much as the facts of a drive."""
        return self.unread * _WORTH + self.strange - self.facts


def unwrapped(document: Document, look: Look) -> Document:
    """Join the lines that are only understood together. Return the same document if there are none."""
    lines = document.text.split("\n")
    if len(lines) > _LONGEST:
        return document
    blocks = _short_blocks(lines)
    guesses = _guesses(list(map(_measured, lines)), blocks) if blocks else []
    folded = _folded(lines)
    if not guesses and not folded:
        return document
    before = _try_reading(document, look)
    if before is None:
        return document
    best, cost = document, before.cost
    left = {number for number, line in enumerate(lines) if line.strip() in before.left}
    near = [tuple(number for number in guess if {number, number + 1} & left) for guess, _ in guesses]
    every = [() if indented else guess for guess, indented in guesses]
    words = [(chosen, " ") for chosen in chain.from_iterable(zip(near, every, strict=True))]
    hard = [(tuple(number for number in folded if {number, number + 1} & left), ""), (folded, "")]
    # a mailer's lines differ in length; of two equally good ways, the first is used
    choices = [*hard, *words] if len(folded) > 1 and set(folded).issuperset(chain(*near)) else [*words, *hard]
    for chosen, blank in (one for one in dict.fromkeys(choices) if one[0]):
        joined = _joined(lines, chosen, blank)
        tried = replace(document, text="\n".join(joined))
        found = _try_reading(tried, look)
        if found is None:
            return document
        # joining two lines that no reader understands does not help
        strange = sum(joined[number - place].strip() in found.left for place, number in enumerate(chosen))
        more = found.facts - before.facts
        torn = bool(lines[-1].strip()) and len(lines) - 2 in chosen  # the end is missing: it may be another line
        better = found.cost + strange < cost
        if better and (more > 0 or (more == 0 and found.unread == before.unread and not torn)):
            best, cost = tried, found.cost + strange
    return best


def _try_reading(document: Document, look: Look) -> Reading | None:
    """How well a document is read. None if its reader fails, which the final reading reports."""
    try:
        return look(document)
    except Exception:  # noqa: BLE001 - whatever a vendor package raises
        return None


def _folded(lines: Sequence[str]) -> tuple[int, ...]:
    """Return the numbers of lines that a terminal may have broken.

    It breaks at its width, in the middle of a word, too.

    The rest of such a line is shorter; below a row of a table there is another row of its length.
    """
    width = max(map(len, lines))
    if width not in TERMINALS:
        return ()
    found = [
        number
        for number, line in enumerate(lines[:-1])
        if len(line) == width
        and lines[number + 1].strip()
        and not _is_rule(line)
        and not _PROMPT.match(lines[number + 1])
    ]
    rests = sum(len(lines[number + 1]) < width for number in found)
    if len(found) == 1 and width not in USUAL_TERMINALS:
        return ()  # the longest line of any text is as wide as the text
    return tuple(found) if rests * 2 > len(found) else ()


def _short_blocks(lines: Sequence[str]) -> Sequence[tuple[int, int, int]]:
    """Return the blocks of a text, with their rules. Empty if too many long lines show that it was not wrapped."""
    words = [len(line) for line in lines if " " in line]
    return () if sum(length > _WIDEST for length in words) * _MANY > len(words) else tuple(_blocks(lines))


class _Measured(NamedTuple):
    """A line with its lengths and words, which each way of joining lines compares."""

    text: str
    length: int
    """Without the blanks at its end."""
    room: int
    """Where a word after it would begin."""
    word_end: int
    """Where its first word ends; 0 without one."""
    first: str
    """Its first word; empty without one."""
    several: bool
    """It has more than one word."""


def _measured(line: str) -> _Measured:
    length = len(line.rstrip())
    words = line.split(maxsplit=1)
    first = words[0] if words else ""
    word_end = len(line) - len(line.lstrip()) + len(first) if length else 0
    return _Measured(line, length, max(length + 1, len(line)), word_end, first, len(words) > 1)


def _guesses(lines: Sequence[_Measured], blocks: Sequence[tuple[int, int, int]]) -> list[tuple[tuple[int, ...], bool]]:
    """What each way of joining lines finds, with whether the rest of a line may be indented."""
    widest = max((line.length for line in lines if len(line.text) <= _WIDEST and " " in line.text.strip()), default=0)
    found = [(tuple(_continued(lines, blocks, way, max(widest, _NARROWEST))), way.indented) for way in _WAYS]
    return [guess for guess in found if guess[0]]


def _continued(
    lines: Sequence[_Measured], blocks: Iterable[tuple[int, int, int]], way: _Way, widest: int
) -> Iterator[int]:
    """Yield the numbers of lines that the next line could continue. Its first word did not fit.

    If the break is in the blanks that fill a column, the line is shorter: ``way`` has its least length.
    """
    narrow = min(way.narrow, widest)
    for begin, end, rule in blocks:
        length = 0
        for number in range(begin, end - 1):
            line, following = lines[number], lines[number + 1]
            length = length or line.length
            if way.ruled and rule > narrow:
                fits = length + 1 + following.length <= rule < 2 * length
            else:
                fits = line.room + following.word_end > narrow
            again = way.once and length > line.length
            if (
                fits
                and not again
                and len(line.text) <= _WIDEST
                and _may_continue(line, following, indented=way.indented)
            ):
                length += 1 + following.length
                yield number
            else:
                length = 0


def _may_continue(line: _Measured, following: _Measured, *, indented: bool) -> bool:
    soft = indented or line.text.endswith(" ") or following.text[:1].strip()
    if not (soft and line.several and following.first) or _PROMPT.match(following.text):
        return False
    return following.first != line.first and not following.first.endswith(":")


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Yield blocks between empty lines and rules: start, end, longer rule's length."""
    begin = rule = 0
    for number, line in enumerate([*lines, ""]):
        if not line.strip() or _is_rule(line):
            length = 0 if " " in line.strip() else len(line.strip())
            if number > begin:
                yield begin, number, max(rule, length)
            begin, rule = number + 1, length


def _is_rule(line: str) -> bool:
    return len(line.strip()) > 2 and _NO_RULE.search(line) is None


def _joined(lines: Sequence[str], numbers: Collection[int], blank: str) -> list[str]:
    found: list[str] = []
    glue = False
    for number, line in enumerate(lines):
        if glue:
            found[-1] += line if found[-1].endswith(" ") else f"{blank}{line}"
        else:
            found.append(line)
        glue = number in numbers
    return found


@lru_cache(maxsize=8)
def reading(document: Document, read: Read) -> Reading:
    """Read one document and count what was understood.

    Unwrapping and splitting both need it, so the result is cached.
    """
    seen = read([document])
    left = [line.stripped for output in seen.outputs for line in output.unparsed()]
    facts = sum(len(output.facts) for output in seen.outputs)
    return Reading(sum(one.kind == "unread" for one in seen.problems), len(left), facts, frozenset(left))
