"""The protocol of the served model, without sockets."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidctl.bench.model import nbd

SIZE = 1 << 20


def lead(sent: bytes) -> tuple[bytes, list[nbd.Request], bool]:
    """Send bytes to the server. Return its replies, the requests, and whether it ended the connection."""
    talk, replies, requests = nbd.dialogue(SIZE), b"", []
    part: bytes | None = None
    try:
        while True:
            step = talk.send(part)
            part = None
            if isinstance(step, bytes):
                replies += step
            elif isinstance(step, nbd.Request):
                requests.append(step)
            elif len(sent) < step:
                return replies, requests, False
            else:
                part, sent = sent[:step], sent[step:]
    except StopIteration:
        return replies, requests, True


def option(number: int, payload: bytes = b"") -> bytes:
    """An option of the negotiation."""
    return struct.pack(">8sII", b"IHAVEOPT", number, len(payload)) + payload


def request(kind: int, offset: int, size: int, data: bytes = b"", flags: int = 0) -> bytes:
    """A request of the transmission."""
    return struct.pack(">IHHQQI", nbd.REQUEST_MAGIC, flags, kind, 5, offset, size) + data


FLAGS = struct.pack(">I", 3)
GO = option(nbd.OPT_GO, struct.pack(">I4sH", 4, b"name", 0))


def test_go_reports_size_and_flags() -> None:
    """The reply to GO has size, flags, block sizes and the acknowledgement.

    The flags are flush and force unit access.
    """
    replies, _, ended = lead(FLAGS + GO)
    assert not ended
    assert struct.pack(">HQH", nbd.INFO_EXPORT, SIZE, nbd.TRANSMISSION) in replies
    assert replies.endswith(struct.pack(">QIII", nbd.REPLY_MAGIC, nbd.OPT_GO, nbd.REP_ACK, 0))


@pytest.mark.parametrize("number", [5, 8, 10, 99])
def test_unknown_options_are_refused_and_the_negotiation_goes_on(number: int) -> None:
    """TLS, structured replies and unknown options are unsupported. GO still works afterwards."""
    replies, requests, _ = lead(FLAGS + option(number, b"xyz") + GO + request(nbd.Command.READ, 0, 512))
    assert struct.pack(">QIII", nbd.REPLY_MAGIC, number, nbd.REP_UNSUPPORTED, 0) in replies
    assert len(requests) == 1


def test_the_list_has_one_export() -> None:
    """LIST has one export without a name. With a payload, the request is invalid."""
    assert struct.pack(">QIIII", nbd.REPLY_MAGIC, nbd.OPT_LIST, nbd.REP_SERVER, 4, 0) in lead(FLAGS + option(3))[0]
    assert struct.pack(">QIII", nbd.REPLY_MAGIC, nbd.OPT_LIST, nbd.REP_INVALID, 0) in lead(FLAGS + option(3, b"x"))[0]


@pytest.mark.parametrize(("flags", "zeroes"), [(3, 0), (1, 124)])
def test_export_name_is_padded_unless_refused(flags: int, zeroes: int) -> None:
    """The reply to EXPORT_NAME has size and flags. Unless the client refused them, 124 zeroes follow."""
    replies, _, _ = lead(struct.pack(">I", flags) + option(nbd.OPT_EXPORT_NAME, b"any"))
    assert replies.endswith(struct.pack(">QH", SIZE, nbd.TRANSMISSION) + bytes(zeroes))


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        (request(nbd.Command.READ, SIZE - 511, 512), nbd.EINVAL),
        (request(nbd.Command.WRITE, SIZE, 1, b"x"), nbd.ENOSPC),
        (request(nbd.Command.READ, 0, 0), nbd.EINVAL),
        (request(nbd.Command.READ, 2**64 - 1, 512), nbd.EINVAL),
        (request(nbd.Command.READ, 0, nbd.LARGEST + 1), nbd.EINVAL),
        (request(nbd.Command.FLUSH, 1, 0), nbd.EINVAL),
        (request(6, 0, 512), nbd.EINVAL),
        (request(nbd.Command.READ, 0, 512, flags=2), nbd.EINVAL),
    ],
)
def test_invalid_requests_are_refused(sent: bytes, error: int) -> None:
    """An invalid request has an error, and the next one is accepted."""
    replies, requests, _ = lead(FLAGS + GO + sent + request(nbd.Command.FLUSH, 0, 0))
    assert replies.endswith(nbd.reply(5, error))
    assert [each.command for each in requests] == [nbd.Command.FLUSH]


def test_a_write_carries_its_data_and_its_flag() -> None:
    """Offset, data and force unit access are received. A disconnect ends the connection."""
    sent = request(nbd.Command.WRITE, 512, 3, b"abc", flags=nbd.FUA) + request(nbd.Command.DISCONNECT, 0, 0)
    _, requests, ended = lead(FLAGS + GO + sent)
    assert requests == [nbd.Request(nbd.Command.WRITE, 5, 512, 3, durable=True, data=b"abc")]
    assert ended


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200), st.sampled_from([b"", FLAGS, FLAGS + GO]))
def test_no_bytes_break_the_server(garbage: bytes, before: bytes) -> None:
    """Any bytes are replied to, awaited or end the connection. No partial request is run."""
    replies, requests, _ = lead(before + garbage)
    assert replies.startswith(nbd.GREETING)
    assert all(each.offset + each.size <= SIZE for each in requests)
