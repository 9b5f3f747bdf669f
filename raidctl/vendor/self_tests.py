"""Self-tests of drives: a module ``self_tests`` in the package."""

from __future__ import annotations

from typing import Annotated, Literal, Protocol, cast

from msgspec import Struct

from raidctl.described import doc
from raidctl.model import Drive
from raidctl.request import Answer, Dialogue
from raidctl.vendor.parts import part_of
from raidctl.vendor.plan import Action
from raidctl.vendor.protocol import Vendor

TestKind = Literal["short", "long", "other"]
TestState = Literal["running", "passed", "failed", "aborted", "none", "asleep", "not_supported", "unknown"]


class SelfTest(Struct, frozen=True, kw_only=True):
    """The running self-test of a drive, or its last one."""

    drive: Annotated[str, doc("Id of the drive.")]
    device: Annotated[str | None, doc("Its device.")] = None
    serial: Annotated[str | None, doc("Its serial number.")] = None
    state: Annotated[
        TestState,
        doc(
            "`running`; `passed`; `failed`; `aborted`: stopped or interrupted before its end; `none`: the drive's log "
            "is empty; `asleep`: the drive is in standby and was not woken; `not_supported`; `unknown`."
        ),
    ] = "unknown"
    kind: Annotated[TestKind | None, doc("Kind of test; null: unknown, or none.")] = None
    percent: Annotated[int | None, doc("Progress of a running one, percent; null: not reported.")] = None
    hours: Annotated[int | None, doc("Power-on hours of the drive when it ended; null: not reported.")] = None
    logged: Annotated[int | None, doc("Number of tests in the drive's log; null: not reported.")] = None
    short_minutes: Annotated[int | None, doc("Time that a short test takes, as reported by the drive, minutes.")] = None
    long_minutes: Annotated[int | None, doc("Time that a long test takes, as reported by the drive, minutes.")] = None
    text: Annotated[str | None, doc("The tool's words; null: none.")] = None
    why: Annotated[str | None, doc("Why it is unknown or not supported, one sentence.")] = None


class SelfTests(Protocol):
    """A vendor package that runs self-tests of drives."""

    def read(self, drive: Drive) -> Dialogue[SelfTest]:
        """The running or last test of a drive. A drive in standby is not woken."""

    def start(self, drive: Drive, kind: TestKind) -> Action | str:
        """The command that starts a test in the background. A text: why there is none."""

    def stop(self, drive: Drive) -> Action | str:
        """The command that aborts the running test. A text: why there is none."""

    def refused(self, action: Action, answer: Answer) -> str | None:
        """The tool's reason for refusing; None if it accepted. The next reading decides."""


def self_tests_of(vendor: Vendor) -> SelfTests | None:
    """How a family tests its drives; None if it does not."""
    return cast("SelfTests | None", part_of(vendor, "self_tests"))
