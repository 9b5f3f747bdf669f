"""Combine the answers about power safety with a power-cut run. Pure.

A loss refutes any report. Cuts without a loss confirm only the tested case: the same hardware, with the same cache
settings, by a real power cut, on real hardware, and often enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from raidctl.bench.powercut.identity import same_hardware, target_of, with_caches
from raidctl.bench.powercut.report import PowerCutRun, Target
from raidctl.errors import CannotTell
from raidctl.text import listing, printable
from raidctl.verify.kernel import without_barriers
from raidctl.verify.measured import Measured, combined
from raidctl.verify.report import Answer, Evidence, Verification, overall
from raidctl.verify.safety import SYNC_TEST, SYNC_UNREAD
from raidctl.verify.subjects import CheckedMachine, Subject

MIN_CUTS = 5
"""Counted cuts without a loss that are needed for a pass. They mean a probability of a loss of at most 45% per cut."""
PHYSICAL = frozenset({"plug", "pdu", "bmc", "enclosure"})
"""Ways to cut the power that are real cuts. An unknown way may have been a reset."""


def joined(
    report: Verification, run: PowerCutRun, machine: CheckedMachine, subjects: Sequence[Subject]
) -> Verification:
    """All answers, with the one on power safety combined with the run.

    Raises:
        CannotTell: The run is of none of the volumes and drives, or power safety is not claimed.
    """
    run = run.with_cuts(run.cuts)
    mine = {one.id: (one, target) for one in subjects if same_hardware(run.target, target := _target(machine, one))}
    answers = tuple(
        _with_run(answer, run, *mine[answer.object], machine)
        if answer.claim == "power_safe" and answer.object in mine
        else answer
        for answer in report.answers
    )
    if not mine:
        serial = run.target.serial or run.target.wwn
        what = f"a target with serial number {printable(serial)}" if serial else "a target without a serial number"
        raise CannotTell(f"Run {run.run} was made on {what}: none of the volumes and drives here is known to be it.")
    if not any(answer.claim == "power_safe" and answer.object in mine for answer in report.answers):
        raise CannotTell("A power-cut run is evidence for --power-safe, which is not claimed of its target.")
    return msgspec.structs.replace(report, answers=answers, verdict=overall(answers))


def _with_run(answer: Answer, run: PowerCutRun, subject: Subject, now: Target, machine: CheckedMachine) -> Answer:
    return combined(answer, _of_mounts(_weighed(run, now, answer, machine), subject, machine), subject)


def _target(machine: CheckedMachine, subject: Subject) -> Target:
    """The identity of a volume or drive, with its present cache settings."""
    device = subject.item.device
    target = target_of("device", device or "", machine.view, machine.view.block(device))
    if target.serial is None and not subject.software:
        target = msgspec.structs.replace(target, serial=getattr(subject.item, "serial", None))
    return with_caches(target, subject.item, [drive for _, drive in subject.drives])


def _weighed(run: PowerCutRun, now: Target, answer: Answer, machine: CheckedMachine) -> Measured:
    """The verdict of the run on a volume or drive."""
    lines = tuple(_evidence(run, answer))
    changed = [
        f"The {name} was {before} during the power cuts, and is {now.caches.get(name, 'unknown')} now."
        for name, before in run.target.caches.items()
        if now.caches.get(name) != before
    ]
    again = "Repeat the power cuts with the current settings: raidctl bench powercut."
    if changed:
        return Measured("inconclusive", tuple(changed), next_test=again, evidence=lines)
    if run.verdict == "loss":
        worst = next(cut for cut in run.cuts if cut.shows_loss)
        blocks = worst.lost + worst.torn + worst.misdirected
        why = f"Power cut {worst.number} of run {run.run} lost acknowledged data: {blocks:,} blocks ({worst.verdict})."
        return Measured("fail", (why,), next_test="Disable the write caches of the drives, and repeat the power cuts.",
                        evidence=lines)  # fmt: skip
    unknown = tuple(
        f"The {name} during the power cuts is unknown; it is {word} now."
        for name, word in now.caches.items()
        if name not in run.target.caches
    )
    if unknown:
        return Measured("inconclusive", unknown, next_test=again, evidence=lines)
    return _clean(run, machine, lines)


def _of_mounts(measured: Measured, subject: Subject, machine: CheckedMachine) -> Measured:
    """A pass of the run only if the file systems send flushes, as the run did."""
    if measured.verdict != "pass":
        return measured
    if subject.volume is not None and subject.volume.sync_disabled is None:
        return Measured("inconclusive", (SYNC_UNREAD,), next_test=SYNC_TEST, evidence=measured.evidence)
    unsent = without_barriers(machine.kernel, subject.item.mountpoints)
    if not unsent:
        return measured
    causes = listing(one.statement for one in unsent)
    why = f"The power cuts do not show what happens to writes without flushes, but {causes}."
    test = "Mount it with barriers, and verify again."
    return Measured("inconclusive", (why,), next_test=test, evidence=(*measured.evidence, *unsent))


def _clean(run: PowerCutRun, machine: CheckedMachine, lines: tuple[Evidence, ...]) -> Measured:
    """The verdict on cuts without a loss."""
    if run.unread is not None:
        blocks = f"{run.unread.unreadable:,} blocks"
        why = f"After power cut {run.unread.number}, {blocks} could not be read: they may be lost."
        test = "Look for unreadable sectors, and repeat the power cuts in a new run: raidctl bench powercut."
        return Measured("inconclusive", (why,), next_test=test, evidence=lines)
    real = sum(cut.counted and cut.verdict == "none" and cut.how in PHYSICAL for cut in run.cuts)
    if run.virtual or machine.view.virtual:
        why = "The power cuts were made in a virtual machine: they do not show what a power failure of its host does."
        return Measured("inconclusive", (why,), next_test="Cut the power of the host.", evidence=lines)
    if real < MIN_CUTS:
        why = f"{real} power cuts without a loss count, and {MIN_CUTS} are needed (cuts by unknown means do not count)."
        test = f"Continue the run with --cut-by: raidctl bench powercut --resume {run.run}."
        return Measured("inconclusive", (why,), next_test=test, evidence=lines)
    bounded = msgspec.structs.replace(run, cuts=tuple(cut for cut in run.cuts if cut.how in PHYSICAL))
    limit = bounded.with_cuts(bounded.cuts).loss_probability
    why = f"{real} power cuts lost nothing: at most {limit or 1.0:.0%} of the cuts lose data (95% confidence)."
    return Measured("pass", (why,), ruled_out=("flushes that are confirmed and not carried out",), lifts=True,
                    evidence=lines)  # fmt: skip


def _evidence(run: PowerCutRun, answer: Answer) -> Iterator[Evidence]:
    for cut in run.cuts:
        if cut.counted:
            text = (
                f"power cut {cut.number} ({cut.how}, {cut.at}): {cut.verdict}, {cut.acknowledged:,} writes acknowledged"
            )
            yield Evidence("measurement", answer.object or "", text)
