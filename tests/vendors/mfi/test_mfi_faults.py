"""Missing, cut, refused and contradicting replies give null and a problem."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidctl_mfi.problems import exit_code
from tests.support.over import over
from tests.vendors.mfi.mfi_firmware import (
    BBU,
    CFG_READ,
    CTRL_GET_INFO,
    GET_PROP,
    GET_PROPERTIES,
    LD_INFO,
    LD_LIST,
    NONE,
    PD_INFO,
    PD_LIST,
    Firmware,
    battery,
    configuration,
    configured,
    controller,
    drive_info,
    drive_list,
    healthy,
    mbox,
    messages,
    policies,
    properties,
    shown,
    volume_info,
    volume_list,
)


def test_a_firmware_that_returns_no_data_is_not_an_empty_controller() -> None:
    """Firmware returning ok without data is not shown as an empty controller."""
    found, problems = shown(Firmware())
    known = {name: value for name, value in found.items() if name not in ("answers", "memory_errors")}
    assert set(known.values()) == {None}
    assert "without data" in messages(problems)
    assert exit_code(problems) == 3


def test_a_command_without_data_leaves_the_rest() -> None:
    """Without LD_GET_PROP the policies come from CFG_READ. Without BBU_STATUS the battery comes from CTRL_GET_INFO."""
    firmware = healthy()
    del firmware.answers[GET_PROP, mbox(0)], firmware.answers[GET_PROP, mbox(3)], firmware.answers[BBU, NONE]
    found, problems = shown(firmware)
    assert list(found["volumes"][0]["cache"]["told"]) == ["CFG_READ", "LD_GET_INFO"]
    assert found["volumes"][0]["cache"]["current"]["write"] == "write-back"
    assert (found["battery"]["present"], found["battery"]["status"]) == (True, None)
    assert [problem["kind"] for problem in problems] == ["note"]
    assert "LD_GET_PROP, BBU_STATUS" in problems[0]["message"]


@pytest.mark.parametrize("zeros", [GET_PROP, BBU, CTRL_GET_INFO, GET_PROPERTIES])
def test_an_answer_of_zeros_is_no_answer(zeros: int) -> None:
    """A buffer of zeros is not read as values. The firmware cleared the buffer and filled nothing in."""
    firmware = healthy()
    for key in [key for key in firmware.answers if key[0] == zeros]:
        firmware.answers[key] = bytes(2048)
    whole, found = shown(healthy())[0], shown(firmware)[0]
    for name in ("volumes", "drives"):
        assert _claims(found[name]) <= _claims(whole[name])
    assert found["product_name"] in (None, whole["product_name"])
    assert found["properties"] == whole["properties"]
    assert found["battery"]["status"] in (None, [])


def _claims(value: Any, path: str = "") -> set[tuple[str, str]]:
    """Every known value, with its place."""
    if isinstance(value, dict):
        return {claim for key, inner in value.items() for claim in _claims(inner, f"{path}.{key}")}
    if isinstance(value, list):
        return {claim for number, inner in enumerate(value) for claim in _claims(inner, f"{path}[{number}]")}
    return set() if value is None else {(path, str(value))}


@pytest.mark.slow
@over("opcode", sorted({opcode for opcode, _ in healthy().answers}))
@over("length", [1, 4, 20, 33, 180, 300, 1400])
def test_a_truncated_answer_gives_no_wrong_value(opcode: int, length: int) -> None:
    """Bytes that arrived are shown, and the others are null. No value differs from the complete answer's."""
    firmware = healthy()
    for key, complete in firmware.answers.items():
        if key[0] == opcode and not isinstance(complete, int) and len(complete) > length:
            firmware.answers[key] = complete[:length]
    found, problems = shown(firmware)
    whole = shown(healthy())[0]
    for one in (found, whole):
        del one["answers"]
    extra = _claims(found) - _claims(whole)
    # a drive that the truncated configuration lacks is in no array; a truncated list has fewer entries
    assert {claim for claim in extra if not claim[0].startswith((".arrays", ".drives[2].state"))} == set()
    if _claims(found) != _claims(whole):
        assert problems


def test_a_refused_question_is_named_with_the_firmwares_word() -> None:
    """An MFI status becomes a problem that gives its meaning. An unknown status keeps its number."""
    firmware = healthy()
    firmware.answers[LD_INFO, mbox(3)] = 0x0C
    firmware.answers[CFG_READ, NONE] = 0xEE
    found, problems = shown(firmware)
    assert "The firmware refused LD_GET_INFO of 3: 0x0c, no such device." in messages(problems)
    assert "CFG_READ: 0xee, unknown status" in messages(problems)
    assert (found["arrays"], found["volumes"][1]["state"]) == (None, "Optimal")
    assert exit_code(problems) == 3


def test_an_answer_about_another_drive_is_dropped() -> None:
    """Data of another drive is dropped. QEMU's firmware uses one byte of a drive's id, and may return another drive."""
    firmware = healthy()
    firmware.answers[PD_INFO, mbox(9)] = drive_info(8)
    found, problems = shown(firmware)
    assert (found["drives"][1]["serial"], found["drives"][1]["raw_bytes"]) == (None, None)
    assert "Requested drive 9, the firmware returned drive 8" in messages(problems)


def test_an_answer_about_another_volume_is_dropped() -> None:
    """An answer about another volume is dropped, with a problem."""
    firmware = healthy()
    firmware.answers[LD_INFO, mbox(3)] = volume_info(0)
    found, problems = shown(firmware)
    assert (found["volumes"][1]["wwn"], found["volumes"][1]["progress"]) == (None, None)
    assert "Requested volume 3, the firmware returned volume 0" in messages(problems)


def test_contradicting_answers_give_null_and_a_problem() -> None:
    """Two answers that differ give null and a problem with both values."""
    firmware = healthy()
    firmware.answers[PD_INFO, mbox(8)] = drive_info(8, state=0x10)
    firmware.answers[GET_PROP, mbox(0)] = policies(0, 0x04, 0x04)
    found, problems = shown(firmware)
    assert found["drives"][0]["state"] is None
    assert found["volumes"][0]["cache"]["default"]["write"] is None
    assert found["volumes"][0]["cache"]["default"]["read"] == "read-ahead"
    assert "PD_GET_INFO reports Offline, CFG_READ reports Online" in messages(problems)


def test_unfilled_policies_are_no_contradiction() -> None:
    """QEMU's LD_GET_INFO leaves name and policies at zero: those of CFG_READ count."""
    firmware = healthy()
    for target in (0, 3):
        del firmware.answers[GET_PROP, mbox(target)]
        info = volume_info(target)
        info[4:32] = bytes(28)
        firmware.answers[LD_INFO, mbox(target)] = info
    found, problems = shown(firmware)
    assert found["volumes"][0]["cache"]["default"]["write"] == "write-back"
    assert [problem["kind"] for problem in problems] == ["note"]


def test_a_policy_with_an_unknown_bit_is_not_put_into_words() -> None:
    """The byte is kept; its meaning is unknown."""
    firmware = healthy()
    firmware.answers[GET_PROP, mbox(0)] = policies(0, 0x85, 0x85)
    firmware.answers[LD_INFO, mbox(0)] = volume_info(0, default=0x85, current=0x85)
    firmware.answers[CFG_READ, NONE] = configuration(
        configured(0, default=0x85, current=0x85), configured(3, default=0x11, current=0x11)
    )
    cache = shown(firmware)[0]["volumes"][0]["cache"]
    assert (cache["current"]["write"], cache["told"]["LD_GET_PROP"]["current"]) == (None, "0x85")


def test_a_count_larger_than_the_list_is_a_problem() -> None:
    """A list with fewer entries than it counts is not complete."""
    firmware = healthy()
    firmware.answers[LD_LIST, NONE] = volume_list(0, 3, count=200)
    assert "counts 200" in messages(shown(firmware)[1])


def test_a_list_shorter_than_the_controllers_count_is_a_problem() -> None:
    """CTRL_GET_INFO counts volumes and drives: a shorter list is incomplete."""
    firmware = healthy()
    firmware.answers[LD_LIST, NONE] = volume_list()
    firmware.answers[PD_LIST, NONE] = drive_list(8)
    reported = messages(shown(firmware)[1])
    assert "The controller counts 2 volumes, but lists 0." in reported
    assert "The controller counts 3 drives, but lists 1." in reported


def test_a_configuration_that_contradicts_its_header_is_not_read() -> None:
    """A configuration whose header does not fit its length is not read. Neither meaning of the header fits it."""
    firmware = healthy()
    broken = bytearray(configuration(configured(0)))
    broken[6:8] = (1000).to_bytes(2, "little")
    firmware.answers[CFG_READ, NONE] = broken
    found, problems = shown(firmware)
    assert found["arrays"] is None
    assert "contradicts its header" in messages(problems)


def test_a_battery_that_the_hardware_lacks_is_unknown() -> None:
    """A battery status from hardware without a battery is a problem. Whether there is a battery is unknown."""
    firmware = healthy()
    firmware.answers[CTRL_GET_INFO, NONE] = controller(hardware=0x34)
    firmware.answers[BBU, NONE] = battery()
    found, problems = shown(firmware)
    assert found["battery"]["present"] is None
    assert "contradicts itself on the battery" in messages(problems)


@pytest.mark.parametrize("after", range(14))
def test_a_controller_that_disappears_is_a_problem_at_any_question(after: int) -> None:
    """After ENODEV earlier values stay, and nothing else is queried. A problem is reported."""
    firmware = healthy()
    firmware.fault_after = after
    found, problems = shown(firmware)
    assert len(firmware.sent) == after
    assert found["answers"][-1]["fault"] == "ENODEV: No such device"
    assert "got no reply (ENODEV: No such device)" in messages(problems)
    assert exit_code(problems) == 3


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_random_answers_raise_no_exception(data: st.DataObject) -> None:
    """Random bytes in place of any answer give an output, no exception."""
    firmware = healthy()
    for key in data.draw(st.sets(st.sampled_from(sorted(firmware.answers)), min_size=1)):
        size = len(bytes(firmware.answers[key])) if not isinstance(firmware.answers[key], int) else 64
        firmware.answers[key] = data.draw(st.binary(max_size=size) | st.integers(0, 255))
    found, _ = shown(firmware)
    assert "volumes" in found


def test_properties_on_which_two_answers_differ_are_not_shown() -> None:
    """If CTRL_GET_PROPERTIES and CTRL_GET_INFO differ, their common structure is unknown. Both contain it."""
    firmware = healthy()
    firmware.answers[GET_PROPERTIES, NONE] = properties(9)
    assert shown(firmware)[0]["properties"]["cache_flush_interval_seconds"] is None
