"""Judgement of the tools' replies to a change. The text decides, never the exit code alone."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidctl.request import RunAnswer, WriteAnswer
from raidctl.vendor.plan import Action
from raidctl_megaraid.change import judge

STORCLI = Action(argv=("storcli64", "/c0/v0", "set", "wrcache=WB", "nolog", "J"))
MEGACLI = Action(argv=("/opt/MegaRAID/CmdTool2/CmdTool2_64", "-LDSetProp", "WB", "-L0", "-a0", "-NoLog"))
GOOD = {"VD": 0, "Property": "wrCache", "Value": "WB", "Status": "Success", "ErrCd": 0, "ErrMsg": "-"}
WAITS = "Battery is not present or is bad. So policy Change to WB will not come into effect immediately"
BAD = {"VD": 0, "Property": "PdCac", "Value": "On", "Status": "Failed", "ErrCd": 255, "ErrMsg": "SSD Pd is present"}


def envelope(*rows: dict[str, Any], status: str = "Success", description: str = "None") -> str:
    """A reply of storcli."""
    head = {"Controller": 0, "Status": status, "Description": description, "Detailed Status": list(rows)}
    return json.dumps({"Controllers": [{"Command Status": head}]})


def verdict(action: Action, text: str, code: int = 0) -> str | None:
    """The problem of a reply, or None."""
    return judge(action, RunAnswer(code=code, out=text.encode()))


@pytest.mark.parametrize("code", [0, 46, 84])
def test_only_successful_rows_are_a_success(code: int) -> None:
    """A reply without a failed row is a success. Its exit code may be a drive's error."""
    assert verdict(STORCLI, envelope(GOOD, GOOD), code) is None


def test_a_dash_in_place_of_the_error_is_a_success() -> None:
    """Rows of version 8 have a dash in place of error 0."""
    assert verdict(STORCLI, envelope(GOOD | {"ErrType": "-", "ErrCd": "-"})) is None


def test_a_success_may_have_no_rows() -> None:
    """A setting of the controller has no rows in its reply."""
    assert verdict(STORCLI, envelope()) is None


def test_text_before_the_json_is_skipped() -> None:
    """Text before the JSON, as some versions print it, is skipped."""
    assert verdict(STORCLI, f"It may take a while to complete.\n\n{envelope(GOOD)}\n") is None


@pytest.mark.parametrize("status", ["Success", "Failure"])
def test_one_failed_row_is_a_failure(status: str) -> None:
    """A failed row is reported with the tool's message. The overall status does not matter."""
    assert verdict(STORCLI, envelope(GOOD, BAD, status=status)) == "SSD Pd is present (error 255)"


def test_a_number_beside_success_is_a_failure() -> None:
    """A row with success and an error number contradicts itself."""
    assert verdict(STORCLI, envelope(GOOD | {"ErrCd": 84, "ErrMsg": "LD cache pinned"})) is not None


def test_a_failure_without_rows_is_reported_by_its_description() -> None:
    """A failure without rows is its description."""
    assert (
        verdict(STORCLI, envelope(status="Failure", description="Controller 5 not found")) == "Controller 5 not found"
    )


def test_a_syntax_error_comes_in_plain_text() -> None:
    """A syntax error is plain text even if JSON was requested."""
    text = "CLI Version = 008.0005.0000.0010 Feb 22, 2023\nStatus = Failure\nDescription = syntax error, unexpected X\n"
    assert verdict(STORCLI, text) == "syntax error, unexpected X"


@pytest.mark.parametrize(
    "text", ["", "\nDone.\n", "{", "[]", '{"Controllers": []}', '{"Controllers": [3]}', "{}", "\0{{{"]
)
def test_other_output_of_storcli_is_no_success(text: str) -> None:
    """Any other output is not a success."""
    assert verdict(STORCLI, text)


@pytest.mark.parametrize(
    "text",
    [
        "Set Write Policy to WriteBack on Adapter 0, VD 0 (target id: 0) success",
        "Set Disk Cache Policy to Disabled on Adapter 0, VD 0 (target id: 0) success\n",
        f"Set Write Policy to WriteBack on Adapter 0, VD 0 (target id: 0) success\n{WAITS}",
        "Cache Flush is successfully done on adapter 0.",
    ],
)
def test_megacli_names_the_success_and_ends_with_zero(text: str) -> None:
    """A success needs its sentence and exit code 0x00 in the output."""
    assert verdict(MEGACLI, f"\n      \n{text}\n\nExit Code: 0x00\n") is None
    assert verdict(MEGACLI, f"{text}\n\nExit Code: 0x1b\n")
    assert verdict(MEGACLI, text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\nExit Code: 0x00\n",
        "\nDone.\n\n",
        "Adapter 0: Failed to Set Adapter Properties.\n\nExit Code: 0x00",
        "Adapter 0: Virtual Drive 5 Does not Exist.\n\nExit Code: 0x00",
        "Set Write Cache OK if bad BBU on Adapter 0, VD 0 (target id: 0) failed\n\nExit Code: 0x00",
        f"{WAITS}\n\nExit Code: 0x00",
        "Set A success\nFailed to set B\n\nExit Code: 0x00",
        "unsuccessful\n\nExit Code: 0x00",
    ],
)
def test_other_output_of_megacli_is_no_success(text: str) -> None:
    """An exit code alone, as without root, is not a success. Neither is any failure in the text."""
    assert verdict(MEGACLI, text)


def test_the_firmwares_number_is_explained() -> None:
    """An exit code of the firmware is reported with its meaning."""
    assert "preserved data" in (verdict(MEGACLI, "\nExit Code: 0x54\n", 0x54) or "")


def test_the_error_of_a_tool_that_could_not_start_is_reported() -> None:
    """The reason is what the tool printed on standard error."""
    answer = RunAnswer(code=127, err=b"error while loading shared libraries: libstorelibir-2.so\n")
    assert "libstorelibir" in (judge(STORCLI, answer) or "")
    assert "libstorelibir" in (judge(MEGACLI, answer) or "")


def test_a_file_of_the_kernel_is_not_judged() -> None:
    """A write to a kernel file is judged by the runner."""
    assert judge(STORCLI, WriteAnswer()) is None


@given(st.one_of(st.text(), st.recursive(st.none() | st.text() | st.integers(), st.lists).map(json.dumps)))
def test_no_text_breaks_the_judge(text: str) -> None:
    """Random text is not a success and raises no exception."""
    assert verdict(STORCLI, text)
    assert verdict(MEGACLI, text)
