"""What ``raidctl verify`` answers: one entry for each claim and volume, with the evidence. The names are a contract."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from raidctl.bench.result import Session, Spread
from raidctl.described import doc
from raidctl.model import Host, Problem

Verdict = Literal["pass", "fail", "suspect", "inconclusive"]
Source = Literal["controller", "drive", "kernel", "arithmetic", "measurement"]
ClaimName = Literal[
    "raid_level", "battery", "write_cache", "cache_size", "cache_split", "drive_cache", "drives", "spares",
    "read_policy", "strip_size", "min_size", "media", "drive_rpm", "volume_status", "firmware", "policy_active",
    "power_safe", "no_write_hole", "survives", "checked_within",
]  # fmt: skip


class Evidence(msgspec.Struct, frozen=True):
    """Who says what, and where it was read."""

    source: Annotated[
        Source,
        doc(
            "`controller`: the controller's or the software array's tool; `drive`: the drive itself; "
            "`kernel`: its files; `arithmetic`: concluded from sizes; `measurement`: the clock, with `figure`."
        ),
    ]
    object: Annotated[str, doc("Id of the object, or device, that it is about.")]
    says: Annotated[str, doc("What it says, in the words of the inventory.")]
    command: Annotated[str | None, doc("Command or file that it was read from; null: concluded.")] = None
    line: Annotated[int | None, doc("Number of the line there; null: not of one line.")] = None
    raw: Annotated[str | None, doc("The line as it was printed.")] = None
    figure: Annotated[Spread | None, doc("What was measured; null: it was read, not measured.")] = None
    engine: Annotated[str | None, doc("Which engine measured it; null: it was not measured.")] = None


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to one claim about one volume, or about a drive that the system sees itself."""

    claim: Annotated[ClaimName, doc("Which claim.")]
    wanted: Annotated[str | None, doc("What is claimed; null: the claim has no value.")] = None
    object: Annotated[str | None, doc("Id of the volume or drive; null: there is none.")] = None
    device: Annotated[str | None, doc("`/dev/sdb`; null: not known.")] = None
    verdict: Annotated[
        Verdict,
        doc(
            "`pass`: it is so; `fail`: it is not; `suspect`: what is told contradicts itself, or does not "
            "hold in the way that is claimed; `inconclusive`: it cannot be known from here."
        ),
    ]
    reasons: Annotated[tuple[str, ...], doc("Why, one sentence each.")]
    ruled_out: Annotated[tuple[str, ...], doc("Other explanations, and what rules them out.")] = ()
    next_test: Annotated[str | None, doc("The one test that would decide; null: nothing to decide.")] = None
    access: Annotated[bool, doc("A tool or a right is missing, and that is why it is inconclusive.")] = False
    evidence: Annotated[tuple[Evidence, ...], doc("What the verdict rests on.")] = ()


class Skipped(msgspec.Struct, frozen=True, kw_only=True):
    """A claim that does not fit one of several volumes."""

    claim: Annotated[ClaimName, doc("Which claim.")]
    object: Annotated[str, doc("Id of the volume or drive.")]
    why: Annotated[str, doc("Why it has no meaning there.")]


class Verification(msgspec.Struct, frozen=True, kw_only=True):
    """The answers to all claims."""

    schema_version: Annotated[Literal["1"], doc("Version of this contract.")] = "1"
    host: Annotated[Host, doc("Which machine.")]
    targets: Annotated[tuple[str, ...], doc("What was named; empty: the whole machine.")] = ()
    verdict: Annotated[
        Verdict,
        doc("Of all claims together: the worst of `fail`, `suspect`, `inconclusive`, `pass`."),
    ]
    answers: Annotated[tuple[Answer, ...], doc("Volume by volume, claim by claim.")] = ()
    skipped: Annotated[tuple[Skipped, ...], doc("Claims that do not fit a volume.")] = ()
    left_out: Annotated[
        tuple[str, ...], doc("Ids of drives in use outside any volume, not judged as nobody named them.")
    ] = ()
    problems: Annotated[tuple[Problem, ...], doc("What could not be read on the machine.")] = ()
    session: Annotated[Session | None, doc("All that `--measure` has measured; null: nothing was measured.")] = None
    run: Annotated[
        int | None, doc("Number under which `bench list` and `bench show` have it; null: it is not kept.")
    ] = None


def overall(answers: tuple[Answer, ...]) -> Verdict:
    """The verdict of all answers together: the worst of them; nothing judged is inconclusive."""
    found = {answer.verdict for answer in answers}
    worst: tuple[Verdict, ...] = ("fail", "suspect", "inconclusive")
    for verdict in worst:
        if verdict in found:
            return verdict
    return "pass" if found else "inconclusive"
