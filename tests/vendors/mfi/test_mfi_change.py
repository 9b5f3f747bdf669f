"""A change through the driver is confirmed only by a later reading."""

from __future__ import annotations

import pytest

from raidctl_mfi.change import EXIT_CODES, Policies, flush, locate, set_flush_interval, set_policies, wanted
from raidctl_mfi.frame import Answer, Question
from tests.vendors.mfi.mfi_firmware import (
    FLUSH,
    GET_PROP,
    GET_PROPERTIES,
    LOCATE_START,
    LOCATE_STOP,
    NONE,
    PD_INFO,
    SET_PROP,
    SET_PROPERTIES,
    Firmware,
    converse,
    drive_info,
    healthy,
    mbox,
    policies,
    properties,
)


def sent(firmware: Firmware, opcode: int) -> list[tuple[bytes, bytes]]:
    """Mailbox and buffer of each packet with an opcode."""
    return [(mail, buffer) for code, mail, buffer in firmware.sent if code == opcode]


def test_a_policy_is_set_and_read_again() -> None:
    """The 32 bytes are written with the requested bits and read again. The mailbox addresses them."""
    firmware = healthy()
    result = converse(set_policies(0, Policies(write="write-through", read="adaptive")), firmware)
    [(mail, buffer)] = sent(firmware, SET_PROP)
    assert mail == mbox(0, 0, 1, 0)
    assert (buffer[20], buffer[22], buffer[23]) == (0x0C, 2, 0x05)
    assert buffer[:20] == policies(0, 5, 5)[:20]
    assert (result["outcome"], len(sent(firmware, GET_PROP))) == ("done", 2)


class WithoutBattery(Firmware):
    """The active policy stays write-through whatever is configured."""

    def take(self, question: Question) -> Answer:
        """Answer as the firmware does, with the active policy of a bad battery."""
        kept = self.answers.get((GET_PROP, mbox(0)))
        if isinstance(kept, bytearray):
            kept[23] = 0x04
        return super().take(question)


def test_a_configured_policy_is_not_called_active() -> None:
    """Write-back that is set and waits for its battery is read back, and not called active."""
    firmware = WithoutBattery({**healthy().answers, (GET_PROP, mbox(0)): policies(0, 0x04, 0x04)})
    result = converse(set_policies(0, Policies(write="write-back")), firmware)
    assert bytes.fromhex(result["after"])[20:24] == bytes([0x05, 0, 2, 0x04])
    assert (result["outcome"], result["message"]) == ("done", "The setting was read back.")


def test_only_the_requested_policies_change() -> None:
    """Only the bits of the requested policies change."""
    before = bytes(policies(0, 0x65, 0x65))
    assert wanted(before, Policies(bad_bbu="on"))[20] == 0x75
    assert wanted(before, Policies(disk="enabled"))[20:24] == bytes([0x65, 0, 1, 0x65])
    assert wanted(before, Policies(read="none", write="write-through"))[20] == 0x60


def test_a_policy_that_is_already_set_is_not_sent() -> None:
    """A policy that is already set is not written."""
    firmware = healthy()
    assert converse(set_policies(0, Policies(write="write-back")), firmware)["outcome"] == "already so"
    assert sent(firmware, SET_PROP) == []


def test_a_firmware_that_returns_ok_and_stores_nothing_is_detected() -> None:
    """The outcome depends on what is read again. QEMU's firmware returns ok and stores nothing."""
    firmware = healthy()
    firmware.stores = False
    result = converse(set_policies(0, Policies(write="write-through")), firmware)
    assert (result["outcome"], EXIT_CODES[result["outcome"]]) == ("not confirmed", 6)


def test_without_the_current_properties_nothing_is_sent() -> None:
    """Nothing is sent if LD_GET_PROP returns nothing or too few bytes.

    The same holds for the bytes of another volume.
    """
    for properties_read in (b"", bytes(policies(0, 5, 5))[:24], bytes(32), policies(1, 5, 5)):
        firmware = healthy()
        firmware.answers[GET_PROP, mbox(0)] = properties_read
        result = converse(set_policies(0, Policies(write="write-through")), firmware)
        assert (result["outcome"], EXIT_CODES[result["outcome"]]) == ("not sent", 3)
        assert sent(firmware, SET_PROP) == []


def test_a_refused_change_is_read_again_and_reported() -> None:
    """A refused change is read again, and the firmware's status is reported."""
    firmware = healthy()
    firmware.answers[SET_PROP, mbox(0, 0, 1)] = 0x32
    result = converse(set_policies(0, Policies(write="write-through")), firmware)
    assert (result["outcome"], EXIT_CODES[result["outcome"]]) == ("refused", 5)
    assert "0x32, wrong state for this command" in result["message"]
    assert len(sent(firmware, GET_PROP)) == 2


@pytest.mark.parametrize("after", [1, 2])
def test_a_controller_that_disappears_during_a_change_leaves_it_unconfirmed(after: int) -> None:
    """Without a reply to write or second read, the value is unknown."""
    firmware = healthy()
    firmware.fault_after = after
    result = converse(set_policies(0, Policies(write="write-through")), firmware)
    assert (result["outcome"], EXIT_CODES[result["outcome"]]) == ("not confirmed", 6)


def test_the_flush_interval_is_one_byte_of_the_properties() -> None:
    """All other property bytes are written back as they were read."""
    firmware = healthy()
    result = converse(set_flush_interval(9), firmware)
    [(_, buffer)] = sent(firmware, SET_PROPERTIES)
    assert buffer == properties(9)
    assert (result["outcome"], firmware.answers[GET_PROPERTIES, NONE]) == ("done", properties(9))


def test_a_flush_names_what_is_written_out() -> None:
    """A flush writes out the controller's cache alone, or the drives' too."""
    firmware = healthy()
    assert converse(flush(disks=True), firmware)["outcome"] == "done"
    converse(flush(disks=False), firmware)
    assert [mail for mail, _ in sent(firmware, FLUSH)] == [mbox(3), mbox(1)]


def test_a_flush_that_fails_is_reported() -> None:
    """Status 0x15 is reported as a failed flush."""
    firmware = healthy()
    firmware.answers[FLUSH, mbox(3)] = 0x15
    result = converse(flush(disks=True), firmware)
    assert (result["outcome"], result["message"]) == (
        "refused", "The firmware refused CTRL_CACHE_FLUSH: 0x15, flush failed.",
    )  # fmt: skip


def test_a_flush_without_a_reply_is_not_confirmed() -> None:
    """A flush that timed out was sent, and may have flushed the cache or not."""
    firmware = healthy()
    firmware.fault_after = 0
    result = converse(flush(disks=True), firmware)
    assert (result["outcome"], EXIT_CODES[result["outcome"]]) == ("not confirmed", 6)
    assert "whether the cache is flushed is unknown" in result["message"]


@pytest.mark.parametrize(("on", "opcode"), [(True, LOCATE_START), (False, LOCATE_STOP)])
def test_the_led_of_a_drive_is_switched_and_never_confirmed(on: bool, opcode: int) -> None:
    """The mailbox contains the drive. No reply shows an LED, so "ok" confirms nothing."""
    firmware = healthy()
    result = converse(locate(9, on=on), firmware)
    assert sent(firmware, opcode) == [(mbox(9, 0), b"")]
    assert (result["outcome"], EXIT_CODES[result["outcome"]]) == ("not confirmed", 6)


def test_no_led_is_switched_unless_the_reply_is_about_the_drive() -> None:
    """Nothing is sent after another drive's data, or after no data. The same holds for an unknown drive."""
    for properties_read in (bytes(drive_info(8)), b"", 0x0C):
        firmware = healthy()
        firmware.answers[PD_INFO, mbox(9)] = properties_read
        assert converse(locate(9, on=True), firmware)["outcome"] == (
            "refused" if properties_read == 0x0C else "not sent"
        )
        assert sent(firmware, LOCATE_START) == []
    firmware = healthy()
    firmware.answers[LOCATE_START, mbox(9)] = 0x32
    assert converse(locate(9, on=True), firmware)["outcome"] == "refused"
    firmware = healthy()
    firmware.fault_after = 1
    assert converse(locate(9, on=True), firmware)["outcome"] == "not confirmed"
