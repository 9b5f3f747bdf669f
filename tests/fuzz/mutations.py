"""Damage that outputs take. It happens in a mail, in a terminal, on a full file system, by a tool that died."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

Mutation = Callable[[Random, str, Sequence[str]], str]
"""Damages a text; the last argument holds other texts."""
_SPACES = "\u00a0\u2007\u202f\t"
_ODD = "\0\x1b\x7f\x85\u200b\u202e\ufeff\ufffd\U0001f4be0-:|=[]{}\"'%,/#"


def cut(rng: Random, text: str, _others: Sequence[str] = ()) -> str:
    """End after a line, or within one."""
    lines = text.splitlines(keepends=True)
    at = rng.randrange(len(lines))
    rest = lines[at] if rng.random() < 0.5 else ""
    return "".join(lines[:at]) + rest[: rng.randrange(len(rest))] if rest else "".join(lines[:at])


def head_lost(rng: Random, text: str, _others: Sequence[str]) -> str:
    """Begin later."""
    lines = text.splitlines(keepends=True)
    return "".join(lines[rng.randrange(len(lines)) :])


def flip(rng: Random, text: str, _others: Sequence[str]) -> str:
    """Flip bits of a few bytes."""
    data = bytearray(text.encode("utf-8", "surrogateescape"))
    for _ in range(rng.randint(1, 8)):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return data.decode("utf-8", "surrogateescape")


def characters(rng: Random, text: str, _others: Sequence[str]) -> str:
    """Replace, remove or insert a few characters."""
    parts = list(text)
    for _ in range(rng.randint(1, 6)):
        parts[rng.randrange(len(parts))] = rng.choice(("", rng.choice(_ODD), rng.choice(text) * 2))
    return "".join(parts)


def _lines(change: Callable[[Random, list[str], int], None]) -> Mutation:
    def mutate(rng: Random, text: str, _others: Sequence[str]) -> str:
        lines = text.splitlines(keepends=True)
        for _ in range(rng.randint(1, 4)):
            change(rng, lines, rng.randrange(len(lines)))
        return "".join(lines)

    return mutate


def _swap(rng: Random, lines: list[str], at: int) -> None:
    other = rng.randrange(len(lines))
    lines[at], lines[other] = lines[other], lines[at]


def _double(rng: Random, lines: list[str], at: int) -> None:
    lines[at : at + 1] = lines[at : at + 1 + rng.randrange(6)] * rng.choice((2, 2, 3, 40))


def _wrap(rng: Random, lines: list[str], at: int) -> None:
    width = rng.randint(20, 78)
    lines[at] = lines[at][:width] + "\n" + lines[at][width:]


def _lose(_rng: Random, lines: list[str], at: int) -> None:
    lines[at] = ""


def _lengthen(rng: Random, lines: list[str], at: int) -> None:
    words = lines[at].split() or ["-"]
    lines[at] = lines[at].rstrip("\n") + f" {rng.choice(words)}" * rng.choice((1, 50, 5000)) + "\n"


def _number(rng: Random, lines: list[str], at: int) -> None:
    digits = [index for index, letter in enumerate(lines[at]) if letter.isdigit()]
    if digits:
        place = rng.choice(digits)
        more = rng.choice(("", "-1", "9" * 30, "0x", "1e400", "\u0661"))
        lines[at] = lines[at][:place] + more + lines[at][place + 1 :]


def wrapped(rng: Random, text: str, _others: Sequence[str]) -> str:
    """Break each line at a width."""
    width = rng.randint(40, 78)
    lines = [line[at : at + width] for line in text.split("\n") for at in range(0, max(1, len(line)), width)]
    return "\n".join(lines)


def spaces(rng: Random, text: str, _others: Sequence[str]) -> str:
    """Blanks of another kind, some or all."""
    odd, share = rng.choice(_SPACES), rng.choice((0.1, 1.0))
    return "".join(odd if letter == " " and rng.random() < share else letter for letter in text)


def quoted(rng: Random, text: str, _others: Sequence[str]) -> str:
    """Quote or indent each line, or end it with CR LF."""
    before, after = rng.choice((("> ", ""), (">> ", ""), ("    ", ""), ("\t", ""), ("", "\r"), ("| ", "")))
    return "\n".join(f"{before}{line}{after}" for line in text.split("\n"))


def glued(rng: Random, text: str, others: Sequence[str]) -> str:
    """Another output before or behind it."""
    other = rng.choice(others)
    return text + other if rng.random() < 0.5 else other + text


def spliced(rng: Random, text: str, others: Sequence[str]) -> str:
    """A piece of another output within it."""
    lines, other = text.splitlines(keepends=True), rng.choice(others).splitlines(keepends=True) or [""]
    at, begin = rng.randrange(len(lines)), rng.randrange(len(other))
    lines[at:at] = other[begin : begin + rng.randint(1, 30)]
    return "".join(lines)


MUTATIONS: tuple[Mutation, ...] = (
    cut, head_lost, flip, characters, wrapped, spaces, quoted, glued, spliced,
    _lines(_swap), _lines(_double), _lines(_wrap), _lines(_lose), _lines(_lengthen), _lines(_number),
)  # fmt: skip


def mutated(rng: Random, text: str, others: Sequence[str]) -> str:
    """The text with one to three kinds of damage. Only an empty text becomes an empty one."""
    for _ in range(rng.randint(1, 3)):
        text = rng.choice(MUTATIONS)(rng, text, others) or text
    return text
