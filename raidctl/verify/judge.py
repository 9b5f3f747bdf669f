"""Answers to all claims about all volumes and drives. The overall verdict follows from them. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from msgspec import structs

from raidctl.discovery.virtual import UNNAMED
from raidctl.errors import EXIT_ACCESS, EXIT_CANNOT_TELL, EXIT_FINE, EXIT_NO, UsageError
from raidctl.model import ACCESS_KINDS, Controller, Problem, hiding_problems
from raidctl.model.raid_levels import WITHOUT_REDUNDANCY
from raidctl.select import items
from raidctl.text import listing, regex
from raidctl.verify import caches, drive_claims, layout, redundancy, safety, status
from raidctl.verify.case import HOST, Case
from raidctl.verify.report import Answer, ClaimName, Skipped, Verification, overall
from raidctl.verify.subjects import CheckedMachine, Subject
from raidctl.verify.wanted import Claim

JUDGES: Mapping[ClaimName, Callable[[Case], Answer]] = {
    "raid_level": layout.raid_level,
    "battery": caches.battery,
    "write_cache": caches.write_cache,
    "cache_size": caches.cache_size,
    "cache_split": caches.cache_split,
    "drive_cache": caches.drive_cache,
    "drives": layout.drives,
    "spares": redundancy.spares,
    "read_policy": caches.read_policy,
    "strip_size": layout.strip_size,
    "min_size": layout.min_size,
    "media": layout.media,
    "drive_rpm": layout.drive_rpm,
    "volume_status": status.volume_status,
    "firmware": layout.firmware,
    "policy_active": safety.policy_active,
    "power_safe": safety.power_safe,
    "no_write_hole": safety.no_write_hole,
    "survives": redundancy.survives,
    "checked_within": redundancy.checked_within,
    "drive_size": drive_claims.drive_size,
    "drive_age": drive_claims.drive_age,
}


def why_not_applicable(claim: Claim, subject: Subject) -> str | None:
    """Why a claim is not applicable to a subject. None if it is applicable, even if it fails."""
    volume = subject.volume
    if claim.name == "strip_size":
        if volume is None:
            return "a single drive has no strips"
        if volume.raid_level in layout.NOT_STRIPED and volume.strip_bytes is None:
            return f"{volume.raid_level} has no strips"
    if claim.name == "checked_within" and (volume is None or volume.raid_level in WITHOUT_REDUNDANCY):
        return "it has no copies or parity to compare"
    if claim.name == "read_policy" and (volume is None or subject.software):
        return "only a controller's volume has a read policy"
    return None


_OF_THE_HOST = frozenset(JUDGES) - {"volume_status", "min_size", "policy_active", "power_safe", "no_write_hole"}
"""Claims about hardware. Only the host can decide them for a virtual drive."""


_OF_THE_CONTROLLER = frozenset(
    {
        "battery",
        "write_cache",
        "cache_size",
        "cache_split",
        "drive_cache",
        "firmware",
        "policy_active",
        "power_safe",
        "media",
        "drive_rpm",
        "drive_size",
        "drive_age",
    }
)
"""Claims that a software array leaves to the controller volumes below it."""


def _on_machine(case: Case) -> Answer:
    """The answer. On a machine that may be virtual, it passes only if it does so on a virtual one, too."""
    found, seen = _answer(case), case.machine.seen
    if found.verdict != "pass" or not seen.view.maybe_virtual:
        return found
    guest = replace(case.machine, seen=structs.replace(seen, view=structs.replace(seen.view, virtual=UNNAMED)))
    if _answer(Case(case.claim, case.subject, guest)).verdict == "pass":
        return found
    why = "Whether this is a virtual machine is unknown: /proc/cpuinfo could not be read."
    test = f"Run where /proc can be read. In a virtual machine: {HOST[0].lower()}{HOST[1:]}"
    return case.inconclusive(why, next_test=test, access=False)


def _answer(case: Case) -> Answer:
    if case.machine.view.virtual and case.subject.volume is None and case.claim.name in _OF_THE_HOST:
        case.cite(case.subject.id, "role", "a virtual drive", "drive")
        return case.of_host("The hardware behind this virtual drive is unknown here.")
    controllers = case.subject.on_controllers
    if controllers and case.claim.name in _OF_THE_CONTROLLER:
        names = listing(one.id for one in controllers)
        wanted = f" {case.claim.wanted}" if case.claim.wanted else ""
        test = f"`raidctl verify {case.claim.option}{wanted} {controllers[0].id}`"
        return case.inconclusive(f"It is built on {names}; verify these instead.", next_test=test, access=False)
    return JUDGES[case.claim.name](case)


def verify(
    machine: CheckedMachine,
    claims: Sequence[Claim],
    subjects: Sequence[Subject],
    targets: Sequence[str],
    left_out: Sequence[str],
) -> Verification:
    """The answers, subject by subject, claim by claim.

    Raises:
        UsageError: A claim is applicable to none of the subjects.
    """
    skipped: list[Skipped] = []
    answers: list[Answer] = []
    for claim in claims:
        reasons = [(subject.id, why) for subject in subjects if (why := why_not_applicable(claim, subject))]
        if subjects and len(reasons) == len(subjects):
            why_not = listing(dict.fromkeys(f"{name}: {why}" for name, why in reasons[:3]))
            raise UsageError(f"{claim.option} does not apply to any of the selected volumes ({why_not}); omit it.")
        skipped += [Skipped(claim=claim.name, object=name, why=why) for name, why in reasons]
    for subject in subjects:
        answers += [
            _on_machine(Case(claim, subject, machine)) for claim in claims if not why_not_applicable(claim, subject)
        ]
    answers += _no_subjects(machine, claims) if not subjects else []
    answers += _unshown(machine, claims, subjects) if subjects and not targets else []
    found = tuple(answers)
    return Verification(
        host=machine.inventory.host,
        targets=tuple(targets),
        verdict=overall(found),
        answers=found,
        skipped=tuple(skipped),
        left_out=tuple(left_out),
        problems=machine.inventory.problems,
    )


def _no_subjects(machine: CheckedMachine, claims: Sequence[Claim]) -> list[Answer]:
    """Answers if no volume or drive was found: all inconclusive."""
    missing = [p for p in machine.inventory.problems if p.kind in ACCESS_KINDS]
    virtual = machine.view.virtual
    reasons = ["No volume and no drive in use was found on this machine."]
    reasons += [f"This is a virtual machine ({virtual}): the drives belong to its host."] if virtual else []
    reasons += [missing[0].message] if missing else []
    test = (
        missing[0].remedy if missing else None
    ) or 'Run "raidctl doctor" to see what was searched and what is missing.'
    return [
        Answer(
            claim=claim.name, wanted=claim.wanted, verdict="inconclusive", reasons=tuple(reasons), next_test=test,
            access=bool(missing),
        )
        for claim in claims
    ]  # fmt: skip


def _unshown(machine: CheckedMachine, claims: Sequence[Claim], subjects: Sequence[Subject]) -> list[Answer]:
    """Inconclusive results for controllers that could not be read. Other controllers prove nothing about them.

    A warning counts if it is about nothing that is shown, such as a controller without a kernel driver.
    """
    known = {name for one in subjects for name in (one.controller.id, one.controller.pci_address)}
    hidden = [
        p for p in hiding_problems(machine.inventory.problems)
        if p.severity == "error" or (p.severity == "warning" and not _of_shown(machine, p))
    ]  # fmt: skip
    return [
        Answer(
            claim=claim.name,
            wanted=claim.wanted,
            object=problem.where,
            verdict="inconclusive",
            reasons=("Not everything on this machine could be read.", problem.message),
            next_test=problem.remedy or "Name the volumes to verify only these.",
            access=problem.kind != "unread",
        )
        for problem in hidden
        if problem.where not in known and not _same_cause(machine, problem, hidden, known)
        for claim in claims
    ]


_OF_DEVICE = regex(r"/sys/(?:class/)?block/([^/]+)/")
_SETTINGS = ("/etc/", "/proc/sys/kernel/")
"""Files that list no drives. Examples are mdadm.conf and the host name."""


def _of_shown(machine: CheckedMachine, problem: Problem) -> bool:
    """Whether a problem is about an object or an output that is shown, one file of a device, or a setting."""
    where = problem.where
    controllers = machine.inventory.controllers
    if any(where in (c.pci_address, *(one.id for one in items(c))) for c in controllers if _is_shown(c)):
        return True
    if any(output.command == where for output in machine.seen.outputs):
        return True
    if not problem.message.endswith(f": {where}."):  # several files are one problem
        return False
    # Not read (Input/output error): /sys/class/block/sda/queue/scheduler.
    device = _OF_DEVICE.match(where)
    return where.startswith(_SETTINGS) if device is None else machine.view.block(device[1]) is not None


def _is_shown(controller: Controller) -> bool:
    """Whether a controller is more than a place on the PCI bus at which nothing could be read."""
    return bool(controller.told_by or controller.volumes or controller.drives)


def _same_cause(machine: CheckedMachine, problem: Problem, hidden: Sequence[Problem], known: set[str | None]) -> bool:
    """Whether a missing tool only affects a controller with separate results. One about another controller does not."""
    if problem.kind != "no_tool" or any(problem.where in (c.id, c.pci_address) for c in machine.inventory.controllers):
        return False
    return any(other.where in known for other in hidden)


def join(machine: CheckedMachine, parts: Sequence[Verification], contract: str) -> Verification:
    """Join the sections of a contract to one report."""
    answers = tuple(answer for part in parts for answer in part.answers)
    return Verification(
        host=machine.inventory.host,
        targets=tuple(dict.fromkeys(target for part in parts for target in part.targets)),
        verdict=overall(answers),
        answers=answers,
        skipped=tuple(dict.fromkeys(one for part in parts for one in part.skipped)),
        left_out=tuple(dict.fromkeys(name for part in parts for name in part.left_out)),
        problems=machine.inventory.problems,
        contract=contract,
    )


def exit_code(report: Verification) -> int:
    """The exit code of a verification.

    A failed or suspect claim gives 1, and a pass 0. An inconclusive verification gives 3, or 4 for lack of a tool or
    permission.
    """
    if report.verdict in ("fail", "suspect"):
        return EXIT_NO
    if report.verdict == "pass":
        return EXIT_FINE
    unknown = [answer for answer in report.answers if answer.verdict == "inconclusive"]
    return EXIT_ACCESS if unknown and all(answer.access for answer in unknown) else EXIT_CANNOT_TELL
