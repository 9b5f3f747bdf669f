"""All claims about all subjects: the answers, and what they come to. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from raidctl.errors import EXIT_ACCESS, EXIT_CANNOT_TELL, EXIT_FINE, EXIT_NO, UsageError
from raidctl.model import HIDING, Problem
from raidctl.text import listing
from raidctl.verify import caches, layout, safety
from raidctl.verify.case import Case
from raidctl.verify.report import Answer, ClaimName, Skipped, Verification, overall
from raidctl.verify.subjects import Ground, Subject
from raidctl.verify.wanted import Claim

JUDGES: Mapping[ClaimName, Callable[[Case], Answer]] = {
    "raid_level": layout.raid_level,
    "battery": caches.battery,
    "write_cache": caches.write_cache,
    "cache_size": caches.cache_size,
    "cache_split": caches.cache_split,
    "drive_cache": caches.drive_cache,
    "drives": layout.drives,
    "spares": layout.spares,
    "read_policy": caches.read_policy,
    "strip_size": layout.strip_size,
    "min_size": layout.min_size,
    "media": layout.media,
    "drive_rpm": layout.drive_rpm,
    "volume_status": layout.volume_status,
    "firmware": layout.firmware,
    "policy_active": safety.policy_active,
    "power_safe": safety.power_safe,
    "no_write_hole": safety.no_write_hole,
    "survives": layout.survives,
    "checked_within": layout.checked_within,
}


def misfit(claim: Claim, subject: Subject) -> str | None:
    """Why a claim has no meaning for a subject; None: it has one. What is merely not so is no misfit."""
    volume = subject.volume
    if claim.name == "strip_size":
        if volume is None:
            return "a single drive has no strips"
        if volume.raid_level in layout.NOT_STRIPED and volume.strip_bytes is None:
            return f"{volume.raid_level} has no strips"
    if claim.name == "checked_within" and (volume is None or volume.raid_level in ("raid0", "jbod", "linear")):
        return "it has no copies or parity that could be compared"
    if claim.name == "read_policy" and (volume is None or subject.software):
        return "only a controller's volume has a read policy"
    return None


_OF_THE_HOST = frozenset(JUDGES) - {"volume_status", "min_size", "policy_active", "power_safe", "no_write_hole"}
"""Claims about hardware: of a disk that a hypervisor shows, only the host can answer them."""


_OF_THE_CARD = frozenset(
    {
        "battery",
        "write_cache",
        "cache_size",
        "cache_split",
        "drive_cache",
        "firmware",
        "power_safe",
        "media",
        "drive_rpm",
    }
)
"""Claims that a software array on volumes of RAID cards leaves to these."""


def _answer(case: Case) -> Answer:
    if case.ground.view.virtual and case.subject.volume is None and case.claim.name in _OF_THE_HOST:
        case.read(case.subject.id, "role", "a disk that the hypervisor shows", "drive")
        return case.of_host("Which hardware carries this disk is not known here.")
    cards = case.subject.on_cards
    if cards and case.claim.name in _OF_THE_CARD:
        names = listing(one.id for one in cards)
        test = f"raidctl verify {case.claim.option}{f' {case.claim.wanted}' if case.claim.wanted else ''} {cards[0].id}"
        return case.untold(f"It lies on {names}, which have answers of their own.", next_test=test, access=False)
    return JUDGES[case.claim.name](case)


def verify(
    ground: Ground,
    claims: Sequence[Claim],
    subjects: Sequence[Subject],
    targets: Sequence[str],
    left_out: Sequence[str],
) -> Verification:
    """The answers, subject by subject, claim by claim.

    Raises:
        UsageError: A claim fits none of the subjects.
    """
    skipped: list[Skipped] = []
    answers: list[Answer] = []
    for claim in claims:
        reasons = [(subject.id, why) for subject in subjects if (why := misfit(claim, subject))]
        if subjects and len(reasons) == len(subjects):
            told = listing(dict.fromkeys(f"{name}: {why}" for name, why in reasons[:3]))
            raise UsageError(f"{claim.option} fits none of the volumes that are meant ({told}); leave it out.")
        skipped += [Skipped(claim=claim.name, object=name, why=why) for name, why in reasons]
    for subject in subjects:
        answers += [_answer(Case(claim, subject, ground)) for claim in claims if not misfit(claim, subject)]
    answers += _nothing(ground, claims) if not subjects else []
    answers += _unshown(ground, claims, subjects) if subjects and not targets else []
    found = tuple(answers)
    return Verification(
        host=ground.inventory.host,
        targets=tuple(targets),
        verdict=overall(found),
        answers=found,
        skipped=tuple(skipped),
        left_out=tuple(left_out),
        problems=ground.inventory.problems,
    )


def _nothing(ground: Ground, claims: Sequence[Claim]) -> list[Answer]:
    """Where nothing was found, nothing can be told."""
    missing = [p for p in ground.inventory.problems if p.kind in ("no_tool", "no_right")]
    virtual = ground.view.virtual
    reasons = ["No volume and no drive in use was found on this machine."]
    reasons += [f"It is a virtual machine ({virtual}): its host has the drives."] if virtual else []
    reasons += [missing[0].message] if missing else []
    test = (
        missing[0].remedy if missing else None
    ) or '"raidctl doctor" tells what was looked for, and what is missing.'
    return [
        Answer(
            claim=claim.name, wanted=claim.wanted, verdict="inconclusive", reasons=tuple(reasons), next_test=test,
            access=bool(missing),
        )
        for claim in claims
    ]  # fmt: skip


def _unshown(ground: Ground, claims: Sequence[Claim], subjects: Sequence[Subject]) -> list[Answer]:
    """Where something of the machine is not shown, a claim about all of it is not answered by the rest."""
    told = {name for one in subjects for name in (one.controller.id, one.controller.pci_address)}
    hidden = [p for p in ground.inventory.problems if p.severity == "error" and p.kind in HIDING]
    return [
        Answer(
            claim=claim.name,
            wanted=claim.wanted,
            object=problem.where,
            verdict="inconclusive",
            reasons=("Not everything on this machine could be read.", problem.message),
            next_test=problem.remedy or "Name the volumes that are meant, to have only these judged.",
            access=problem.kind != "unread",
        )
        for problem in hidden
        if problem.where not in told and not _same_cause(problem, hidden, told)
        for claim in claims
    ]


def _same_cause(problem: Problem, hidden: Sequence[Problem], told: set[str | None]) -> bool:
    """Whether a program that was not run is all that keeps a card from being known which has its own answers."""
    return problem.kind == "no_tool" and any(other.where in told for other in hidden)


def exit_code(report: Verification) -> int:
    """1: a claim fails or is suspect; 3: something cannot be told; 4: that is only for lack of a tool or a right; 0."""
    if report.verdict in ("fail", "suspect"):
        return EXIT_NO
    if report.verdict == "pass":
        return EXIT_FINE
    unknown = [answer for answer in report.answers if answer.verdict == "inconclusive"]
    return EXIT_ACCESS if unknown and all(answer.access for answer in unknown) else EXIT_CANNOT_TELL
