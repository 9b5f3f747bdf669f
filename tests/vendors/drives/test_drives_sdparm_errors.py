"""Errors of sdparm: a value that is not reported is a problem."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from raidctl.host import BlockDevice, HostView
from raidctl.model import Problem
from raidctl.request import Answer, Failure, Request, Run, RunAnswer, Which, WhichAnswer, converse
from raidctl_drives import observe

SAS = BlockDevice(
    "sdc", "/dev/sdc", kind="disk", size_bytes=1800360124416, model="TG1800-SAS15", serial="TGK00C3Z",
    scsi_address="0:0:2:0", write_cache="write back", transport="sas",
)  # fmt: skip
HEADER = "    /dev/sdc: TAIGA     TG1800-SAS15      0101\n"
VALUES = "WCE           1  [cha: y, def:  1]\nRCD           0  [cha: n, def:  0]\n"


class Machine:
    """A runner with sdparm only. The tool prints this output and ends with this code."""

    def __init__(self, text: str, code: int) -> None:
        self.answer = RunAnswer(code=code, out=text.encode())

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """A runner's one method."""
        return [self._of(request) for request in requests]

    def _of(self, request: Request[Any]) -> Answer:
        if isinstance(request, Which):
            return WhichAnswer(path=f"/usr/bin/{request.name}" if request.name == "sdparm" else None)
        return self.answer if isinstance(request, Run) else RunAnswer(trouble=Failure.MISSING)


def problems(text: str, code: int) -> list[Problem]:
    """The problems of sdparm's output."""
    found = converse(observe(HostView(root=True, blocks=(SAS,))), Machine(text, code))
    return [problem for problem in found.problems if "sdparm" in problem.where]


@pytest.mark.parametrize("code", [2, 3, 11, 33, 99])
def test_a_drive_that_refuses_to_report_its_cache_is_a_problem(code: int) -> None:
    """A drive that refuses to report its cache is a problem.

    Sdparm prints the drive's name alone and ends with the kind of error.
    """
    [problem] = problems(HEADER, code)
    assert (problem.kind, f"exit code {code}" in problem.message, "/dev/sdc" in problem.where) == ("unread", True, True)


@pytest.mark.parametrize(("text", "code"), [(HEADER + VALUES, 0), (HEADER + VALUES, 5), (HEADER, 5), (HEADER, 9)])
def test_a_drive_without_the_page_is_no_problem(text: str, code: int) -> None:
    """A drive without the page is not a problem.

    Exit codes 5 (illegal request) and 9 (unsupported) are valid replies of the drive.
    """
    assert problems(text, code) == []
