"""Inputs of many inventories, cut into pieces."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidctl.fleet import sources
from raidctl.fleet.audit_piece import documents
from raidctl.fleet.rereadable_input import keep
from raidctl.fleet.sources import Piece, cut

_LINES = st.lists(
    st.sampled_from([b'{"a": 1}', b"{", b"}", b" ", b"", b'  "b": 2', b'[{"a": 1}]', b"x" * 90, b"\t{}", b"rubbish"]),
    max_size=40,
)
_ENDS = st.sampled_from([b"\n", b"\r\n"])


@pytest.fixture(autouse=True, scope="module")
def _small_pieces() -> Iterator[None]:
    """Pieces of few bytes, so that short inputs have several, and lines that are too long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "BLOCK", 24)
        patch.setattr(sources, "LONGEST", 80)
        yield


def _documents(pieces: list[Piece]) -> list[tuple[str, int, bytes | str]]:
    found: list[tuple[str, int, bytes | str]] = []
    for piece in pieces:
        memory, start, stop = piece.buffer()
        if piece.kind == "lines":
            found += [(piece.kind, number, text) for number, text in documents(memory, start, stop, piece.first)]
        else:
            found.append((piece.kind, piece.first, piece.message or memory[start:stop]))
    return found


@given(_LINES, _ENDS, st.booleans())
def test_a_pipe_that_is_kept_gives_the_documents_of_a_file(lines: list[bytes], end: bytes, ended: bool) -> None:
    """In the same order, with the same numbers of lines, and the same faults."""
    data = end.join(lines) + end * ended
    assert _documents([*cut(keep(io.BytesIO(data)), "x")]) == _documents([*cut(io.BytesIO(data), "x")])


@given(_LINES, _ENDS, st.booleans())
def test_each_document_begins_at_its_line_number(lines: list[bytes], end: bytes, ended: bool) -> None:
    """The text at the line that a document is reported with is its text."""
    data = end.join(lines) + end * ended
    whole = data.split(b"\n")
    for piece in cut(io.BytesIO(data), "x"):
        if piece.kind == "lines":
            for number, text in documents(*piece.buffer(), piece.first):
                assert b"\n".join(whole[number - 1 :]).startswith(text.removesuffix(b"\n"))


@given(_LINES, _ENDS)
def test_no_byte_is_lost_between_pieces(lines: list[bytes], end: bytes) -> None:
    """The pieces are the input, apart from lines that are too long and blank ends."""
    data = end.join(line for line in lines if len(line) < 80)
    pieces = [*cut(keep(io.BytesIO(data)), "x")]
    if any(piece.kind == "fault" for piece in pieces):
        return
    parts = [memory[start:stop] for memory, start, stop in (piece.buffer() for piece in pieces)]
    assert b"".join(parts).rstrip() == data.rstrip()
