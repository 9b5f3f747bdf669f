"""Which programs are installed and start."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from click.testing import Result

from raidctl.model import Tool
from raidctl.request import Answer, Failure, Request, Run, RunAnswer, Which, WhichAnswer, converse
from raidctl.survey.doctor import ToolCheck, check_tools
from raidctl.vendor.protocol import ToolSpec, Vendor
from tests.support.machines import FIXTURES


class Scripted:
    """A machine that replies from a table, and records the requests."""

    def __init__(self, answers: dict[str, Answer]) -> None:
        self.answers = answers
        self.ran: list[tuple[str, ...]] = []

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer each request."""
        return [self.answer(request) for request in requests]

    def answer(self, request: Request[Any]) -> Answer:
        """The entry of the table; without one, that the program is missing."""
        if isinstance(request, Which):
            return self.answers.get(request.name, WhichAnswer(trouble=Failure.MISSING))
        assert isinstance(request, Run)
        self.ran.append(request.argv)
        return self.answers[request.argv[0]]


def family(name: str, *tools: ToolSpec) -> Vendor:
    """A vendor package's constants."""
    return cast("Vendor", SimpleNamespace(FAMILY=name, TOOLS=tools))


def checked(answers: dict[str, Answer], known: Sequence[Tool] = (), spec: ToolSpec | None = None) -> ToolCheck:
    """The check of a single program."""
    (check,) = converse(
        check_tools([family("acme", spec or ToolSpec("acmecli", package="acme"))], known), Scripted(answers)
    )
    return check


HERE: dict[str, Answer] = {"acmecli": WhichAnswer(path="/opt/acmecli")}


def test_what_is_not_installed_is_not_a_fault() -> None:
    """Most machines need few of the programs."""
    check = checked({})
    assert (check.path, check.version, check.fault) == (None, None, None)
    assert check.package == "acme"


def test_the_version_is_the_line_that_holds_one() -> None:
    """The banner above it does not count. Standard error does, and escape codes are removed."""
    out = RunAnswer(0, b"Acme tools\n\x1b[1mVersion 12.5.1 (build 7)\x1b[0m\nCopyright\n")
    assert checked({**HERE, "/opt/acmecli": out}).version == "Version 12.5.1 (build 7)"
    assert checked({**HERE, "/opt/acmecli": RunAnswer(1, b"", b"acmecli 3.4\n")}).version == "acmecli 3.4"
    assert checked({**HERE, "/opt/acmecli": RunAnswer(0, b"no figure\n")}).version is None


def test_a_program_that_does_not_start_is_reported_with_the_reason() -> None:
    """It still counts as installed."""
    check = checked({**HERE, "/opt/acmecli": RunAnswer(trouble=Failure.DENIED, detail="permission denied")})
    assert check.path == "/opt/acmecli"
    assert check.fault == "does not start: permission denied"


def test_a_program_that_others_can_change_is_not_to_be_run_by_hand(
    raidctl: Callable[..., Result], tmp_path: Path
) -> None:
    """The remedy is to take the right to change it from others, and the path is printed once."""
    kept = tmp_path / "perc5i"
    shutil.copytree(FIXTURES / "megaraid-perc5i-failed-battery", kept)
    record = json.loads((kept / "record.json").read_text())
    answers = [one for one in record["answers"] if one.get("which") != "storcli64"]
    detail = "/opt/storcli64 can be changed by others than root"
    answers.append({"which": "storcli64", "path": "/opt/storcli64"})
    answers.append({"run": ["/opt/storcli64", "v"], "trouble": "denied", "detail": detail})
    (kept / "record.json").write_text(json.dumps({**record, "answers": answers}))
    done = raidctl("--json", "--replay", kept, "doctor")
    [problem] = [one for one in json.loads(done.stdout)["problems"] if one["where"] == "storcli64"]
    assert (problem["message"], problem["kind"]) == (f"storcli64 is not run as root: {detail}.", "no_right")
    assert "chown root" in problem["remedy"]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (127, "acmecli: error while loading shared libraries: liba.so.1: cannot open shared object file"),
        (127, "Error loading shared library liba.so.1: No such file or directory (needed by /opt/acmecli)"),
        (127, "/opt/acmecli: 3: exec: /opt/acme/bin/cli: not found"),
        (126, "/opt/acmecli: line 2: /opt/acme/bin/cli: cannot execute binary file: Exec format error"),
        (1, "/opt/acmecli: /lib/libc.so.6: version `GLIBC_2.34' not found (required by /opt/acmecli)"),
    ],
)
def test_a_program_whose_start_the_loader_or_a_shell_gave_up_is_reported(code: int, message: str) -> None:
    """Its message has no version, and is the reason."""
    check = checked({**HERE, "/opt/acmecli": RunAnswer(code, b"", f"{message}\n".encode())})
    assert (check.version, check.fault) == (None, f"does not start: {message}")


def test_a_recording_without_the_request_shows_no_version() -> None:
    """It shows no fault either."""
    check = checked({**HERE, "/opt/acmecli": RunAnswer(trouble=Failure.UNRECORDED, detail="not in the recording")})
    assert (check.version, check.fault) == (None, None)


def test_a_failed_search_for_a_program_is_reported() -> None:
    """A broken connection to the machine is not a missing program."""
    assert (
        checked({"acmecli": WhichAnswer(trouble=Failure.FAILED, detail="connection lost")}).fault == "connection lost"
    )


def test_a_program_that_has_printed_its_version_is_not_asked_again() -> None:
    """Some tools take seconds to reply."""
    machine = Scripted(dict(HERE))
    (check,) = converse(
        check_tools([family("acme", ToolSpec("acmecli"))], [Tool(name="acmecli", version="9.1")]), machine
    )
    assert check.version == "9.1"
    assert machine.ran == []


def test_every_family_is_checked_in_order() -> None:
    """Families are checked in parallel; the results keep their order."""
    vendors = [family("a", ToolSpec("one"), ToolSpec("two")), family("b", ToolSpec("three"))]
    assert [check.name for check in converse(check_tools(vendors), Scripted({}))] == ["one", "two", "three"]


@pytest.mark.parametrize("trouble", ["denied", "missing"])
def test_unknown_rights_are_not_success(raidctl: Callable[..., Result], tmp_path: Path, trouble: str) -> None:
    """Without /proc/self/status, the tools may run without rights, and then report nothing."""
    kept = tmp_path / "md-healthy"
    shutil.copytree(FIXTURES / "md-healthy", kept)
    record = json.loads((kept / "record.json").read_text())
    [status] = [one for one in record["answers"] if one.get("read") == "/proc/self/status"]
    status |= {"text": None, "trouble": trouble}
    (kept / "record.json").write_text(json.dumps(record))
    assert raidctl("--replay", kept, "doctor").exit_code == 3
    assert raidctl("--replay", FIXTURES / "md-healthy", "doctor").exit_code == 0


def test_a_controller_that_only_the_kernel_shows_is_reported_by_no_tool(raidctl: Callable[..., Result]) -> None:
    """An installed tool that does not list the controller is not named as the source of what is shown."""
    done = raidctl("--replay", FIXTURES / "mpt-hba-and-no-tool", "doctor")
    assert "not reported by sas3ircu" in " ".join(done.stdout.split())
