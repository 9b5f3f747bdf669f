"""``raidctl layout apply``: print the plan, ask for its code and carry it out. It resumes after an interruption."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from raidctl.change.engine import Change
from raidctl.change.journal import Journal, JournaledChange
from raidctl.change.state_directory import command_on
from raidctl.cli.layout._read import layout_of, read_file, refuse_empty
from raidctl.cli.shared.apply_change import Report, reported, result_words
from raidctl.cli.shared.apply_deeds import refuse_container
from raidctl.cli.shared.exit_codes import exit_code, print_problems
from raidctl.cli.shared.lazy_group import columns
from raidctl.cli.shared.machine import Machine, machine
from raidctl.cli.shared.open_operations import abandon, held, note_resumed, open_operations
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.plan_change import (
    Consent,
    Declined,
    Interrupted,
    Work,
    about,
    typed_answer,
)
from raidctl.cli.shared.state_directories import state_directory
from raidctl.cli.shared.terminal import emit, emit_found, emit_json, emit_message, named_machine
from raidctl.errors import EXIT_FINE, EXIT_NO, EXIT_NOT_UNDONE, EXIT_USAGE, CannotTell, UsageError
from raidctl.layout.applying import Applying, usable
from raidctl.layout.applying_facts import ApplyFacts, facts_of
from raidctl.layout.document import read_layout
from raidctl.layout.plan import Compiled
from raidctl.layout.plan_code import DIGITS, code_of
from raidctl.layout.stages import Stages
from raidctl.model import Inventory, Volume, failed_readings
from raidctl.output.plan import plan_text, printable_lines
from raidctl.output.terminal import is_terminal
from raidctl.survey.survey import Survey
from raidctl.text import listing
from raidctl.vendor.plan import Deed, Denial, Plan, point_of_no_return


class Wanted(Struct, frozen=True):
    """The options besides the file."""

    wipe: tuple[str, ...] = ()
    confirm: str | None = None
    controller: str | None = None


def begin_apply(settings: Settings, consent: Consent, file: str, wanted: Wanted) -> int:
    """Carry out a layout file; return the exit code."""
    layout = layout_of(file, settings, wanted.controller)
    if layout is None:
        return EXIT_USAGE
    refuse_empty(layout, file)
    if not consent.dry_run:
        settings.refuse_recording('"raidctl layout plan" prints what would be done')
    place = None if consent.dry_run else state_directory(settings)
    if place is not None and (unfinished := next((one.begin for one, _ in _all_open(settings)), None)) is not None:
        raise CannotTell(
            f'The layout operation {unfinished.change} is not complete. Continue it first: "{unfinished.resume}".'
        )
    with machine(settings) as named:
        if place is not None:
            refuse_container(named.runner)
        facts = ApplyFacts(
            file=file,
            text=read_file(file).decode(),
            wipe=wanted.wipe,
            controller=wanted.controller or "",
        )
        applying = Applying(named.runner, named.vendors, layout, emit_message, facts, consent.unsafe is not None)
        length, looked = Journal(place).length() if place is not None else None, time.time()
        seen = named.survey()
        _check_wipes(applying, seen)
        made, found, read = applying.look_at(seen)
        work = Work(named, seen, found.whole, place, consent, length, looked, notes=tuple(_notes(made)))
        work.planner = lambda again: applying.look_at(again)[1].whole
        code = code_of(found, seen.inventory, read)
        end = _shown(work, settings, made, found, code)
        if end is not None:
            return end
        with reported(Report(work.plan), settings) as report:
            _confirmed(work, code, wanted.confirm)
            applying.pin(seen, made)
            return _begun(work, settings, applying, report)


def _check_wipes(applying: Applying, seen: Survey) -> None:
    """Refuse ``--wipe`` of drives that the layout does not use.

    Raises:
        UsageError: It names something else.
    """
    for word in applying.unused_wipes(seen):
        raise UsageError(f"--wipe {word}: neither a drive that the layout names nor a volume that it deletes.")


_THEN = "Then the configuration of the machine is written again, and its boot image if there is one.\n"


def _notes(made: Compiled) -> Iterator[str]:
    """Yield notes to read before the plan is carried out."""
    for step in made.plan.steps:
        yield from step.warnings


def _shown(work: Work, settings: Settings, made: Compiled, found: Stages, code: str) -> int | None:
    """Print the plan. Return the exit code if there is nothing to carry out, or None to go on."""
    inventory = work.seen.inventory
    if found.refused or found.printed:
        return _refused(work, settings, made, found)
    if not work.plan.steps:
        return _nothing_to_apply(settings, made, inventory)
    text = plan_text(work.plan, work.notes, columns(), named_machine())
    if not settings.as_json:
        then = _THEN if any(name in ("create", "delete") for name, _ in found.plans) else ""
        emit(f"{text}{then}Code of this plan: {code}\n")
    elif work.consent.dry_run:
        report = Report(work.plan, "planned", warnings=work.notes, message=f"Code of this plan: {code}")
        emit_json(report.outcome())
    return EXIT_FINE if work.consent.dry_run else None


def _refused(work: Work, settings: Settings, made: Compiled, found: Stages) -> int:
    """Print all refusals, or the commands of hardware controllers for a person. Nothing is run."""
    extra = [one for one in found.refused if one not in made.plan.not_planned]
    plan = replace(made.plan, not_planned=(*made.plan.not_planned, *extra))
    if settings.as_json:
        emit_json(Report(Plan(denials=tuple(_denials(found))), "refused").outcome())
    else:
        emit_found(plan, settings, "layout_plan.plan_screen")
    if found.printed:
        names = listing(found.printed)
        emit_message(f"{names}: raidctl does not create volumes on hardware controllers. Run the commands yourself.")
    emit_message("Nothing was done.")
    problems = failed_readings(work.seen.inventory.problems)
    if not settings.as_json:
        print_problems(problems)
    return exit_code(problems) or EXIT_NO


def _denials(found: Stages) -> Iterator[Denial]:
    """Yield the refusals as denials of deeds. For hardware controllers, they name the commands of ``layout plan``."""
    for one in found.refused:
        yield Denial(deed=Deed(object_id=one.label, verb="create_volume"), reason=" ".join(one.why))
    for label in found.printed:
        why = "raidctl does not create volumes on hardware controllers."
        deed = Deed(object_id=label, verb="create_volume")
        yield Denial(deed=deed, reason=why, alternative='Its command: "raidctl layout plan".')


def _nothing_to_apply(settings: Settings, made: Compiled, inventory: Inventory) -> int:
    if settings.as_json:
        emit_json(Report(Plan(), "already").outcome())
    else:
        emit(printable_lines([f"{made.plan.host or 'host unknown'}: as in the layout, nothing to do."]))
    problems = failed_readings(inventory.problems)
    return exit_code(problems)


def _confirmed(work: Work, code: str, typed: str | None) -> None:
    """Ask for the plan's code if a step cannot be undone. Otherwise ask for "yes".

    Raises:
        UsageError: There is no terminal to ask on, or ``--confirm`` has another code.
        Declined: Something else was typed.
    """
    lasting = point_of_no_return(work.plan.steps) is not None
    if typed is not None:
        if typed.strip().lower() != code:
            raise UsageError(f"Nothing was done: the plan or the machine has changed; the code is now {code}.")
        return
    if not lasting and work.consent.yes:
        return
    if not is_terminal(sys.stdin):
        raise UsageError(f"Nothing was done: confirm this plan with --confirm {code}.")
    lost = "What is on these drives is lost. "
    answer = typed_answer(f"{lost if lasting else ''}Type the code of the plan ({DIGITS} digits)")
    work.asked = True
    if answer.strip().lower() != code:
        raise Declined("Nothing was done: that is not the code.")


def _begun(work: Work, settings: Settings, applying: Applying, report: Report) -> int:
    resume = command_on(work.named.source, "layout apply resume ID", work.state)
    first = work.begin("operation", about(), resume=resume, facts=applying.facts.texts())
    report.change = first.change
    with work.hold(first):
        change = work.change(msgspec.structs.replace(first, steps=()))
        change.apply()
        done = _run(applying, change)
        change.finish()
    report.result, report.warnings = "done", (*work.notes, *change.warnings)
    return _ended(change, settings, done)


def _run(applying: Applying, change: Change) -> list[Volume]:
    try:
        return applying.run(change)
    except KeyboardInterrupt:
        way = f' Continue with "{change.begin.resume}".' if change.resumed or change.passed else ""
        raise Interrupted(f"Interrupted: what had been begun of this step was undone.{way}") from None


def _ended(change: Change, settings: Settings, made: Sequence[Volume]) -> int:
    for text in change.warnings:
        emit_message(f"Warning: {text}.")
    if not settings.as_json:
        for volume in filter(usable, made):
            going = f"; {volume.progress.operation} continues in the background" if volume.progress else ""
            emit_message(f"{volume.id} ({volume.name}) is {volume.device}, and can be used now{going}.")
        emit_message(f"{result_words(change)}; in the journal as change {change.begin.change}.")
    return EXIT_NOT_UNDONE if change.doubtful else EXIT_FINE


# --- resume and abandon


def _all_open(settings: Settings) -> list[tuple[JournaledChange, ApplyFacts]]:
    """Return the incomplete operations on layouts of this machine."""
    return [
        (journaled, facts)
        for journaled in open_operations(settings)
        if journaled.events and (facts := facts_of(journaled.begin.facts)) is not None
    ]


def _open(settings: Settings, change: str | None) -> tuple[JournaledChange, ApplyFacts]:
    found = [pair for pair in _all_open(settings) if change in (None, pair[0].begin.change)]
    if len(found) != 1:
        names = f": {', '.join(journaled.begin.change for journaled, _ in found)}. Name one" if found else ""
        raise UsageError(f"{len(found) or 'No'} open {'layouts' if found else 'layout'}{names}.")
    return found[0]


def resume_apply(settings: Settings, consent: Consent, change: str | None, wanted: Wanted) -> int:
    """Continue an operation from the machine's current state; return the exit code."""
    journaled, facts = _open(settings, change)
    layout = read_layout(facts.file, facts.text.encode(), facts.controller or None)
    facts = replace(facts, wipe=(*facts.wipe, *wanted.wipe))
    with machine(settings) as named:
        refuse_container(named.runner)
        applying = Applying(named.runner, named.vendors, layout, emit_message, facts, consent.unsafe is not None)
        if consent.dry_run:
            made, found, _ = applying.look_at(named.survey())
            emit_found(made.plan, settings, "layout_plan.plan_screen")
            return EXIT_NO if found.refused else EXIT_FINE
        _check_wipes(applying, named.survey())
        running = _resumed(named, settings, journaled)
        report = Report(Plan(steps=journaled.begin.steps), change=journaled.begin.change)
        with reported(report, settings), held(journaled, settings):
            note_resumed(running.journal, journaled.begin)
            done = _run(applying, running)
            running.finish()
            report.result, report.warnings = "done", tuple(running.warnings)
        return _ended(running, settings, done)


def _resumed(named: Machine, settings: Settings, journaled: JournaledChange) -> Change:
    journal = Journal(state_directory(settings))
    return Change(journaled.begin, journal, named.runner, named.survey, named.vendors, emit_message)


def abandon_apply(settings: Settings, consent: Consent, change: str) -> int:
    """Give up an operation without undoing anything; return the exit code."""
    journaled, facts = _open(settings, change)
    with reported(Report(Plan(), change=journaled.begin.change), settings) as report:
        begun = abandon(journaled, settings, dry_run=consent.dry_run)
        report.result = "planned" if consent.dry_run else "abandoned"
    emit_message(f"{begun} the layout {facts.file}. Nothing is done or undone; what was created stays.")
    return EXIT_FINE
