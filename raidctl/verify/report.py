"""The report of ``raidctl verify``, for each claim and volume, with evidence. Field names are stable for programs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

import msgspec

from raidctl.bench.result import Session, Spread
from raidctl.described import doc
from raidctl.model import Host, Problem

Verdict = Literal["pass", "fail", "suspect", "inconclusive"]
VERDICTS: tuple[Verdict, ...] = ("fail", "suspect", "inconclusive", "pass")
"""The worst first."""
Source = Literal["controller", "drive", "kernel", "arithmetic", "measurement"]
ClaimName = Literal[
    "raid_level", "battery", "write_cache", "cache_size", "cache_split", "drive_cache", "drives", "spares",
    "read_policy", "strip_size", "min_size", "media", "drive_rpm", "volume_status", "firmware", "policy_active",
    "power_safe", "no_write_hole", "survives", "checked_within", "drive_size", "drive_age",
]  # fmt: skip


class Evidence(msgspec.Struct, frozen=True):
    """One piece of evidence, with its source."""

    source: Annotated[
        Source,
        doc(
            "`controller`: the controller's or the software array's tool; `drive`: the drive itself; "
            "`kernel`: its files; `arithmetic`: calculated from sizes; `measurement`: measured, with `figure`."
        ),
    ]
    object: Annotated[str, doc("Id of the object or device concerned.")]
    statement: Annotated[str, doc("The statement, in terms of the inventory.")]
    command: Annotated[str | None, doc("Command or file that it was read from; null: derived.")] = None
    line: Annotated[int | None, doc("Number of the line there; null: not a single line.")] = None
    raw: Annotated[str | None, doc("The line of output.")] = None
    figure: Annotated[Spread | None, doc("Measured value; null: read, not measured.")] = None
    engine: Annotated[str | None, doc("Engine of the measurement; null: not measured.")] = None


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to one claim about one volume or plain drive."""

    claim: Annotated[ClaimName, doc("The claim.")]
    wanted: Annotated[str | None, doc("Claimed value; null: the claim has none.")] = None
    object: Annotated[str | None, doc("Id of the volume or drive; null: none.")] = None
    device: Annotated[str | None, doc("`/dev/sdb`; null: unknown.")] = None
    verdict: Annotated[
        Verdict,
        doc(
            "`pass`: true; `fail`: false; `suspect`: reported values contradict each other or depend on "
            "something doubtful; `inconclusive`: unknown, more data is needed."
        ),
    ]
    reasons: Annotated[tuple[str, ...], doc("Reasons, one sentence each.")]
    ruled_out: Annotated[tuple[str, ...], doc("Other explanations that are ruled out, and by what.")] = ()
    next_test: Annotated[str | None, doc("The test that would decide; null: none needed.")] = None
    access: Annotated[bool, doc("It is inconclusive because a tool or permission is missing.")] = False
    evidence: Annotated[tuple[Evidence, ...], doc("Evidence for the verdict.")] = ()


class Skipped(msgspec.Struct, frozen=True, kw_only=True):
    """A claim that is not applicable to one of several volumes."""

    claim: Annotated[ClaimName, doc("The claim.")]
    object: Annotated[str, doc("Id of the volume or drive.")]
    why: Annotated[str, doc("Why it is not applicable.")]


class Verification(msgspec.Struct, frozen=True, kw_only=True):
    """The answers to all claims."""

    schema_version: Annotated[Literal["1"], doc("Version of this contract.")] = "1"
    host: Annotated[Host, doc("The machine.")]
    targets: Annotated[tuple[str, ...], doc("Targets as named; empty: the whole machine.")] = ()
    verdict: Annotated[
        Verdict,
        doc("Overall verdict: the worst of `fail`, `suspect`, `inconclusive`, `pass`."),
    ]
    answers: Annotated[tuple[Answer, ...], doc("Answers by volume and claim.")] = ()
    skipped: Annotated[tuple[Skipped, ...], doc("Claims that are not applicable to a volume.")] = ()
    left_out: Annotated[
        tuple[str, ...], doc("Ids of drives in use outside any volume, not verified because not named.")
    ] = ()
    problems: Annotated[tuple[Problem, ...], doc("What could not be read on the machine.")] = ()
    session: Annotated[Session | None, doc("Measurements of `--measure`; null: none.")] = None
    contract: Annotated[str | None, doc("File of `--contract`; null: none.")] = None
    run: Annotated[int | None, doc("Number in `bench list` and `bench show`; null: not saved.")] = None


def overall(answers: tuple[Answer, ...]) -> Verdict:
    """The worst verdict of all answers; inconclusive without answers."""
    return worst_first(answers)[0].verdict if answers else "inconclusive"


def worst_first(answers: Iterable[Answer]) -> list[Answer]:
    """Sort results for a reader: failures before passes."""
    return sorted(answers, key=lambda one: VERDICTS.index(one.verdict))
