"""The packets to the driver are laid out as it reads them."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidctl_mfi import commands as c
from raidctl_mfi.frame import IOC_FIRMWARE, Question, packet, pattern, read_answer, transferred


def test_the_packet_is_laid_out_as_the_driver_reads_it() -> None:
    """Packet and frame have every field at its offset in struct megasas_iocpacket."""
    made = packet(2, Question(c.LD_GET_INFO, b"\x05"), 0x7F12345678AB)
    assert len(made) == 404
    assert struct.unpack_from("<HHIIII", made, 0) == (2, 0, 40, 1, 0, 0)
    frame = bytes(made[20:148])
    assert (frame[0], frame[2], frame[7]) == (5, 0xFF, 1)
    assert struct.unpack_from("<HHII12s", frame, 16) == (0x10, 0, 384, 0x03020000, b"\x05" + b"\0" * 11)
    assert struct.unpack_from("<QQ", made, 148) == (0x7F12345678AB, 384)


def test_the_ioctl_number_carries_the_size_of_the_packet() -> None:
    """The ioctl is _IOWR('M', 1, 404 bytes)."""
    assert (3 << 30) | (404 << 16) | (ord("M") << 8) | 1 == IOC_FIRMWARE


def test_a_command_without_data_has_no_buffer() -> None:
    """A flush has no element in its scatter list."""
    made = packet(0, Question(c.CTRL_CACHE_FLUSH, b"\x03"), 0x1000)
    assert struct.unpack_from("<I", made, 8) == (0,)
    assert (made[20 + 7], struct.unpack_from("<H", made, 36), struct.unpack_from("<QQ", made, 148)) == (0, (0,), (0, 0))


def test_a_write_goes_out_with_the_write_flag() -> None:
    """Data is written to the controller only in its structure's size."""
    made = packet(0, Question(c.LD_SET_PROP, b"\1\2\3\4", data=bytes(32)), 0x1000)
    assert struct.unpack_from("<H", made, 36) == (0x08,)
    with pytest.raises(ValueError, match="writes 32 bytes"):
        packet(0, Question(c.LD_SET_PROP, data=bytes(31)), 0x1000)


@pytest.mark.parametrize(
    ("host", "question"),
    [
        (0, Question(c.LD_GET_INFO, bytes(13))),
        (70000, Question(c.LD_GET_INFO)),
        (0, Question(c.LD_GET_INFO, data=bytes(384))),
    ],
)
def test_an_invalid_packet_is_not_built(host: int, question: Question) -> None:
    """An unknown host, too long a mailbox, or data for a read is an error."""
    with pytest.raises(ValueError, match=r"bytes|range|nothing"):
        packet(host, question, 0)


def test_nothing_that_stops_or_destroys_can_be_sent() -> None:
    """No command in the table shuts the controller down, creates or deletes."""
    writing = {one.name for one in c.COMMANDS if one.direction != "read"}
    assert writing == {
        "CTRL_SET_PROPERTIES", "CTRL_CACHE_FLUSH", "LD_SET_PROP", "PD_LOCATE_START", "PD_LOCATE_STOP",
    }  # fmt: skip
    assert 0x01050000 not in {one.opcode for one in c.COMMANDS}


def test_an_untouched_buffer_is_no_data() -> None:
    """A buffer that firmware left as it was sent contains no data."""
    question = Question(c.LD_GET_PROP, b"\0")
    made = packet(0, question, 0)
    made[22] = 0
    answer = read_answer(question, made, pattern(32))
    assert (answer.ok, answer.has_data, answer.data) == (True, False, b"")


def test_what_a_refused_question_left_in_the_buffer_is_not_read() -> None:
    """With a status other than ok, the buffer is not an answer."""
    question = Question(c.LD_GET_PROP, b"\0")
    made = packet(0, question, 0)
    made[22] = 0x0C
    assert read_answer(question, made, bytes(32)).data == b""


@given(st.binary(max_size=300), st.integers(0, 300))
def test_an_answer_gains_no_bytes_and_loses_only_those_like_the_pattern(data: bytes, more: int) -> None:
    """The bytes read are a prefix of the data. What is lost at its end equals the pattern that filled the buffer."""
    buffer = data + pattern(len(data) + more)[len(data) :]
    found = transferred(buffer)
    assert data.startswith(found)
    assert data[len(found) :] == pattern(len(data))[len(found) :]
    assert found == data or data[-1] != 0
