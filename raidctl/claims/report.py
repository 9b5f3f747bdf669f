"""What ``raidctl verify`` answers: one entry for each claim and volume, with the evidence. The names are a contract."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from raidctl.bench.result import Session, Spread
from raidctl.model import Host, Problem

Verdict = Literal["pass", "fail", "suspect", "inconclusive"]
Source = Literal["controller", "drive", "kernel", "arithmetic", "measurement"]
ClaimName = Literal[
    "raid_level", "battery", "write_cache", "cache_size", "cache_split", "drive_cache", "drives", "spares",
    "read_policy", "strip_size", "min_size", "media", "drive_rpm", "volume_status", "firmware", "in_force",
    "power_safe", "no_write_hole", "survives", "checked_within",
]  # fmt: skip


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """Who says what, and where it was read."""

    source: Annotated[
        Source,
        Meta(
            description="`controller`: the controller's or the software array's tool; `drive`: the drive itself; "
            "`kernel`: its files; `arithmetic`: concluded from sizes; `measurement`: the clock, with `figure`."
        ),
    ]
    object: Annotated[str, Meta(description="Id of the object, or device, that it is about.")]
    says: Annotated[str, Meta(description="What it says, in the words of the inventory.")]
    command: Annotated[str | None, Meta(description="Command or file that it was read from; null: concluded.")] = None
    line: Annotated[int | None, Meta(description="Number of the line there; null: not of one line.")] = None
    raw: Annotated[str | None, Meta(description="The line as it was printed.")] = None
    figure: Annotated[Spread | None, Meta(description="What was measured; null: it was read, not measured.")] = None
    engine: Annotated[str | None, Meta(description="Which engine measured it; null: it was not measured.")] = None


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to one claim about one volume, or about a drive that the system sees itself."""

    claim: Annotated[ClaimName, Meta(description="Which claim.")]
    wanted: Annotated[str | None, Meta(description="What is claimed; null: the claim has no value.")] = None
    object: Annotated[str | None, Meta(description="Id of the volume or drive; null: there is none.")] = None
    device: Annotated[str | None, Meta(description="`/dev/sdb`; null: not known.")] = None
    verdict: Annotated[
        Verdict,
        Meta(
            description="`pass`: it is so; `fail`: it is not; `suspect`: what is told contradicts itself, or does not "
            "hold in the way that is claimed; `inconclusive`: it cannot be known from here."
        ),
    ]
    reasons: Annotated[tuple[str, ...], Meta(description="Why, one sentence each.")]
    ruled_out: Annotated[tuple[str, ...], Meta(description="Other explanations, and what rules them out.")] = ()
    next_test: Annotated[str | None, Meta(description="The one test that would decide; null: nothing to decide.")] = (
        None
    )
    access: Annotated[bool, Meta(description="A tool or a right is missing, and that is why it is inconclusive.")] = (
        False
    )
    evidence: Annotated[tuple[Evidence, ...], Meta(description="What the verdict rests on.")] = ()


class Skipped(msgspec.Struct, frozen=True, kw_only=True):
    """A claim that does not fit one of several volumes."""

    claim: Annotated[ClaimName, Meta(description="Which claim.")]
    object: Annotated[str, Meta(description="Id of the volume or drive.")]
    why: Annotated[str, Meta(description="Why it has no meaning there.")]


class Verification(msgspec.Struct, frozen=True, kw_only=True):
    """The answers to all claims."""

    schema_version: Annotated[Literal["1"], Meta(description="Version of this contract.")] = "1"
    host: Annotated[Host, Meta(description="Which machine.")]
    targets: Annotated[tuple[str, ...], Meta(description="What was named; empty: the whole machine.")] = ()
    verdict: Annotated[
        Verdict,
        Meta(description="Of all claims together: the worst of `fail`, `suspect`, `inconclusive`, `pass`."),
    ]
    answers: Annotated[tuple[Answer, ...], Meta(description="Volume by volume, claim by claim.")] = ()
    skipped: Annotated[tuple[Skipped, ...], Meta(description="Claims that do not fit a volume.")] = ()
    left_out: Annotated[
        tuple[str, ...], Meta(description="Ids of drives in use outside any volume, not judged as nobody named them.")
    ] = ()
    problems: Annotated[tuple[Problem, ...], Meta(description="What could not be read on the machine.")] = ()
    session: Annotated[
        Session | None, Meta(description="All that `--measure` has measured; null: nothing was measured.")
    ] = None
    run: Annotated[
        int | None, Meta(description="Number under which `bench list` and `bench show` have it; null: it is not kept.")
    ] = None


def overall(answers: tuple[Answer, ...]) -> Verdict:
    """The verdict of all answers together: the worst of them; nothing judged is inconclusive."""
    found = {answer.verdict for answer in answers}
    worst: tuple[Verdict, ...] = ("fail", "suspect", "inconclusive")
    for verdict in worst:
        if verdict in found:
            return verdict
    return "pass" if found else "inconclusive"
