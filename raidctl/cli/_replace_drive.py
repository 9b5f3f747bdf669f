"""``raidctl replace DRIVE`` and its words ``list``, ``resume`` and ``abandon``."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping

import msgspec
from msgspec.structs import replace

from raidctl.change.engine import Change
from raidctl.change.expectations import serials_of
from raidctl.change.journal import Begin, Journal, JournaledChange
from raidctl.change.state_directory import command_on
from raidctl.cli._replace_demo import demo_hints
from raidctl.cli._replace_facts import Wanted, boot_notes, facts_for, next_steps, notes, prospect
from raidctl.cli._replace_led import ReplacementLed, blinking_bays
from raidctl.cli._replace_rate import at_rate, rate_plan
from raidctl.cli.shared.apply_change import Report, reported
from raidctl.cli.shared.apply_deeds import confirm_serial, refuse_container
from raidctl.cli.shared.lazy_group import columns
from raidctl.cli.shared.machine import Machine, machine, machine_for_deeds
from raidctl.cli.shared.open_operations import abandon, held, note_resumed, open_operations
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.plan_change import AGREED, Consent, Interrupted, Work, about, agreed
from raidctl.cli.shared.state_directories import readable_journal, state_directory
from raidctl.cli.shared.terminal import emit, emit_json, emit_message
from raidctl.errors import EXIT_FINE, EXIT_NOT_UNDONE, RaidctlError, UnderWay, UsageError
from raidctl.model.objects import drives_by_id
from raidctl.operate.replacement_facts import (
    Facts,
    drive_of,
    facts_from,
    facts_text,
    new_drives,
    outside,
    parts,
    redundancy_now,
    with_successor,
)
from raidctl.operate.replacing import Replacing
from raidctl.operate.stages import next_stage
from raidctl.output.sentences import Line, Sentence, Verbatim, entry, fitted
from raidctl.select import family_in, find_drive
from raidctl.survey.survey import Survey
from raidctl.vendor.operations import operations_of
from raidctl.vendor.plan import Plan


def _replacing(named: Machine, settings: Settings, facts: Facts, consent: Consent, wanted: Wanted) -> Replacing:
    made = Replacing(named.runner, named.vendors, facts, emit_message, consent.unsafe is not None, wanted.wipe)
    made.hint = demo_hints(settings, facts)
    return made


def begin_replacement(settings: Settings, consent: Consent, word: str, wanted: Wanted) -> int:
    """Plan a replacement, ask for the serial number, carry it out. Return the exit code."""
    if not consent.dry_run:
        settings.refuse_recording("--check answers whether the drive may be pulled")
    place = None if consent.dry_run else state_directory(settings)
    with machine_for_deeds(settings) as named:
        if place is not None:
            refuse_container(named.runner)
        seen = named.survey()
        with _open_ones_named(settings):
            facts, around = facts_for(named, seen, word, wanted, settings)
        replacement = _replacing(named, settings, facts, consent, wanted)
        speed = [f"While raidctl waits: {step.action}" for step in rate_plan(named, seen, facts, wanted.rate).steps]

        def planner(read: Survey) -> Plan:
            return replacement.plan(next_stage(read, facts), read)

        # --yes is not enough for a drive: its serial number is required
        asked = Consent(dry_run=consent.dry_run, yes=consent.yes or not facts.gone, unsafe=consent.unsafe)
        noted = (*notes(seen, facts, around, wanted), *speed)
        work = Work(named, seen, planner(seen), place, asked, planner=planner, notes=noted)
        emit_message(_title(facts))
        emit_message(prospect(seen, facts))
        with reported(Report(work.plan), settings) as report:
            code = agreed(work, settings)
            if code in (None, EXIT_FINE):
                emit_message(next_steps(facts))
            if code is not None:
                report.result = "refused" if work.plan.denials else "planned"
                return code
            if not facts.gone:
                confirm_serial(work, facts.old, wanted.confirm, f"This takes the drive {facts.old} out of its arrays")
            first = _first(work, facts)
            report.change = first.change
            with work.hold(first):
                change = _waiting(work.change(msgspec.structs.replace(first, steps=())), wanted)
                change.apply()
                with (
                    at_rate(named, work.state, settings, facts, wanted.rate),
                    blinking_bays(named, work.state, settings, first.change, waits=wanted.wait) as replacement.led,
                ):
                    if wanted.rate is not None:
                        change.look()  # the command that sets the rate was another change's
                    _run(replacement, change)
            report.result = "done"
            return _done(change, settings, replacement.facts)


@contextlib.contextmanager
def _open_ones_named(settings: Settings) -> Iterator[None]:
    """Add the open replacements to a refusal. One of them may have taken the drive out already."""
    try:
        yield
    except UsageError as refusal:
        ways = "".join(f' A replacement is open: "{one.begin.resume}".' for one in open_replacements(settings))
        raise UsageError(f"{refusal}{ways}") from None


def _first(work: Work, facts: Facts) -> Begin:
    """Return the first entry of the replacement. It names the drives that nothing else may touch meanwhile."""
    first = work.begin(
        "operation",
        about(),
        resume=command_on(work.named.source, "replace resume ID", work.state),
        facts=facts_text(facts),
    )
    return msgspec.structs.replace(first, touches=(*first.touches, facts.old, *filter(None, (facts.new,))))


def _title(facts: Facts) -> str:
    if not facts.gone:
        return f"Replace: serial number {facts.old}, {facts.bay}."
    known = f"serial number {facts.old}, {facts.bay}, which is gone" if facts.old else facts.name
    return f"Replace: {known}."


def _run(replacement: Replacing, change: Change) -> None:
    """Carry out the stages. Ctrl-C during a command undoes its stage, but during a wait leaves everything as it is."""
    try:
        replacement.run(change)
    except KeyboardInterrupt:
        way = f' Continue with "{change.begin.resume}".' if change.resumed else ""
        raise Interrupted(f"Interrupted: what had been begun was undone.{way}") from None
    except RaidctlError as error:
        with contextlib.suppress(RaidctlError):
            # a wait ends with a reading; after any other stage, a command may have changed something
            now_there = (
                replacement.seen if isinstance(error, UnderWay) and replacement.seen is not None else change.look()
            )
            emit_message(redundancy_now(now_there, replacement.facts))
            _report_outside(now_there, replacement)
        raise


def _report_outside(seen: Survey, replacement: Replacing) -> None:
    """Print former members that are back, with the command to re-add them. One may have been pulled by mistake."""
    families = {vendor.FAMILY: operations_of(vendor) for vendor in replacement.vendors}
    for volume, node in outside(seen, replacement.facts):
        operations = families.get(family_in(volume.id))
        if operations is not None:
            command = operations.back(volume, node)
            emit_message(f"{node} is a former member of an array. If it was pulled by mistake: `{command}`.")


def _waiting(change: Change, wanted: Wanted) -> Change:
    change.at_most = None if wanted.wait else 0.0
    return change


def _done(change: Change, settings: Settings, facts: Facts) -> int:
    new = drive_of(change.fresh(), facts.new) if facts.boot and not facts.boot_run else None
    for text in (
        boot_notes(facts, (new.device if new is not None else None) or "the new drive") if not facts.boot_run else ()
    ):
        emit_message(text)
    for text in change.warnings:
        emit_message(f"Warning: {text}.")
    if not settings.as_json:
        what = f"{facts.new} is a spare now" if facts.gone == "spare" else f"{facts.name} was replaced by {facts.new}"
        emit_message(f"Done: {what}; in the journal as change {change.begin.change}.")
    return EXIT_NOT_UNDONE if change.doubtful else EXIT_FINE


# --- list, resume, abandon


def open_replacements(settings: Settings) -> list[JournaledChange]:
    """Return the incomplete replacements of this machine, the newest first."""
    return [journaled for journaled in open_operations(settings) if "old" in journaled.begin.facts]


def list_replacements(settings: Settings) -> int:
    """Print the incomplete replacements."""
    found = open_replacements(settings)
    if settings.as_json:
        emit_json(found)
    else:
        lines = (line for journaled in found for line in _lines(journaled))
        emit(fitted(lines, columns()) or fitted([Sentence("No replacement is open.", hang=0)], columns()))
    return EXIT_FINE


def _lines(journaled: JournaledChange) -> Iterator[Line]:
    facts = facts_from(journaled.begin.facts)
    head = f"{journaled.begin.change}  {journaled.begin.at}  {facts.name} -> {facts.new or 'a new drive'}"
    yield from entry(head, [journaled.waiting or journaled.begin.about], columns())
    yield Verbatim(journaled.begin.resume or "", indent=5)


def _chosen(settings: Settings, change: str | None) -> JournaledChange:
    found = open_replacements(settings)
    mine = [journaled for journaled in found if change in (None, journaled.begin.change)]
    if not mine:
        raise UsageError(f"No open replacement {change}." if change else "No replacement is open.")
    if len(mine) > 1:
        names = "; ".join(f'of {facts_from(one.begin.facts).name}, "{one.begin.resume}"' for one in mine)
        raise UsageError(f"Several replacements are open: {names}.")
    return mine[0]


def resume_replacement(settings: Settings, consent: Consent, change: str | None, wanted: Wanted) -> int:
    """Continue a replacement from the machine's current state; return the exit code."""
    journaled = _chosen(settings, change)
    place = state_directory(settings)
    with machine_for_deeds(settings) as named:
        refuse_container(named.runner)
        others = _other_replacements(journaled, settings)
        facts = facts_from(journaled.begin.facts)
        facts = replace(
            facts,
            leaving=" ".join([facts.leaving, *(one["old"] for one in others)]),
            joining=" ".join(one["new"] for one in others if one.get("new")),
        )
        if wanted.successor is not None:
            facts = with_successor(facts, _named_successor(named.survey(), wanted.successor, facts))
        if wanted.boot:
            facts = _with_boot(facts)
        going = _replacing(named, settings, facts, consent, wanted)
        with reported(Report(Plan(), change=journaled.begin.change), settings) as report:
            if consent.dry_run:
                code = _next_step(going, named.survey())
                report.result = "planned" if code == EXIT_FINE else "waiting"
                return code
            with held(journaled, settings):
                journal = Journal(place)
                note_resumed(journal, journaled.begin)
                running = Change(journaled.begin, journal, named.runner, named.survey, named.vendors, emit_message)
                with (
                    at_rate(named, place, settings, facts, wanted.rate),
                    blinking_bays(named, place, settings, journaled.begin.change, waits=wanted.wait) as going.led,
                ):
                    _run(going, _waiting(running, wanted))
            report.result, report.warnings = "done", tuple(running.warnings)
            return _done(running, settings, going.facts)


def _next_step(going: Replacing, seen: Survey) -> int:
    """Print the next stage of a replacement, or what prevents it. Return the exit code."""
    stage = next_stage(seen, going.facts)
    if stage.problem is None and stage.name == "checking":
        going.facts = replace(going.facts, new=new_drives(seen, going.facts)[0].serial or "")
        stage = next_stage(seen, going.facts)
    going.begun = True
    reasons = [denial.reason for denial in going.plan(stage, seen).denials] if stage.problem is None else []
    why = stage.problem or " ".join(dict.fromkeys(reasons))
    emit_message(why or f"Next: {stage.name.replace('_', ' ')}.")
    going.report(seen)
    return UnderWay.exit_code if why else EXIT_FINE


def _with_boot(facts: Facts) -> Facts:
    """Return the facts with ``--boot``, if given now. It runs what was determined when the replacement began."""
    if not facts.boot_tool:
        emit_message(next(boot_notes(facts, "the new drive"), "Boot (R13): nothing to do."))
    return replace(facts, boot_run="yes" if facts.boot_tool else "")


def _other_replacements(journaled: JournaledChange, settings: Settings) -> list[Mapping[str, str]]:
    """Return the facts of other replacements of this machine. These replacements are, or were, carried out meanwhile.

    Their old drives may be gone and are not put back; their new drives do not belong to this replacement.
    """
    mine = journaled.begin
    return [
        other.begin.facts
        for other in Journal(state_directory(settings)).changes()
        if other.begin.change != mine.change and other.begin.source == mine.source and other.begin.facts.get("old")
        and (other.end is None or other.end.at >= mine.at)
    ]  # fmt: skip


def _named_successor(seen: Survey, word: str, facts: Facts) -> str:
    drives = drives_by_id(seen.inventory)
    serial = drives[find_drive(seen.inventory, seen.view, word)].serial
    if not serial or serial == facts.old:
        raise UsageError(f"{word} cannot take the place of {facts.old}.")
    return serial


def abandon_replacement(settings: Settings, consent: Consent, change: str, confirm: str | None) -> int:
    """Give up a replacement without undoing anything, and print what remains. Return the exit code.

    A dry run needs no serial number. It prints what would be closed, and the LEDs that would be switched off.
    """
    journaled = _chosen(settings, change)
    facts = facts_from(journaled.begin.facts)
    report = Report(Plan(), change=journaled.begin.change)
    with machine(settings) as named, reported(report, settings):
        seen = named.survey()
        work = Work(named, seen, Plan(), readable_journal(settings), AGREED)
        if facts.old and not consent.dry_run:
            confirm_serial(work, facts.old, confirm, f"This gives up the replacement of {facts.old}")
        begun = abandon(journaled, settings, dry_run=consent.dry_run)
        led = ReplacementLed(named, work.state, settings, journaled.begin.change)
        if consent.dry_run:
            led.preview_off()
        else:
            led.off()
        report.result = "planned" if consent.dry_run else "abandoned"
    arrays = parts(seen, facts)
    emit_message(f"{begun} the replacement of {facts.name}. Nothing is done to its arrays, and nothing undone.")
    for part in [] if isinstance(arrays, str) else arrays:
        emit_message(f"  {part.volume.id} is {part.volume.status}; {_where(serials_of(seen), facts)}.")
    return EXIT_FINE


def _where(serials: dict[str, set[str]], facts: Facts) -> str:
    places = serials.get(facts.old)
    return f"{facts.old} is {', '.join(sorted(places))}" if places else f"{facts.name} is not in the machine"
