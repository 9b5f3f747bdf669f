"""``raidctl replace DRIVE`` and its words ``list``, ``resume`` and ``abandon``: the story on the command line."""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone

import msgspec
from msgspec.structs import replace

from raidctl.change.engine import Change
from raidctl.change.expectations import serials_of
from raidctl.change.journal import Begin, End, Journal, StepEvent, Story, now
from raidctl.change.state_directory import Holder, held_name, hold
from raidctl.cli.shared.apply_change import Report
from raidctl.cli.shared.apply_deeds import confirm_serial, refuse_container
from raidctl.cli.shared.machine import Machine, machine
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.plan_change import Consent, Interrupted, Work, about, agreed, state_directory, tell
from raidctl.cli.shared.snapshot_places import kept_place
from raidctl.cli.shared.terminal import emit, emit_json
from raidctl.errors import EXIT_FINE, EXIT_STANDS, CannotTell, UsageError
from raidctl.model import Drive
from raidctl.operate.begin_story import facts_of
from raidctl.operate.removal import check
from raidctl.operate.replacing import Replacing
from raidctl.operate.story import Facts, facts_from, facts_text, next_stage, parts
from raidctl.output.plan import printable_lines
from raidctl.select import find_drive
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Plan


@dataclass(frozen=True)
class Wanted:
    """What the options of ``replace`` say."""

    successor: str | None = None
    now: bool = False
    wait: bool = True
    confirm: str | None = None
    wipe: str | None = None


def begin_replacement(settings: Settings, consent: Consent, word: str, wanted: Wanted) -> int:
    """Plan the replacement of a drive, ask for its serial number, and carry it out; return the exit code."""
    if settings.replay is not None and not consent.dry_run:
        raise UsageError("A recorded machine cannot be changed; --check answers whether the drive may be pulled.")
    place = None if consent.dry_run else state_directory(settings)
    with machine(settings) as named:
        if place is not None:
            refuse_container(named.runner)
        seen = named.survey()
        facts = _facts(seen, word, wanted)
        story = Replacing(named.runner, named.vendors, facts, tell, consent.unsafe is not None, wanted.wipe)

        def planner(read: Survey) -> Plan:
            return story.plan(next_stage(read, facts), read)

        # --yes never answers for a drive: its serial number does
        asked = Consent(dry_run=consent.dry_run, yes=True, unsafe=consent.unsafe)
        work = Work(named, seen, planner(seen), place, asked, planner=planner, notes=tuple(_notes(seen, facts)))
        report = Report(work.plan)
        tell(f"Replace: serial number {facts.old}, {facts.bay}.")
        try:
            code = agreed(work, settings)
            if code in (None, EXIT_FINE):
                tell(_outlook(facts))
            if code is not None:
                report.result = "refused" if work.plan.denials else "planned"
                return code
            confirm_serial(work, facts.old, wanted.confirm, f"This takes the drive {facts.old} out of its arrays")
            first = work.begin("operation", about(), resume=_resume(named, "ID"), facts=facts_text(facts))
            first = msgspec.structs.replace(first, touches=(*first.touches, facts.old, *filter(None, (facts.new,))))
            report.change = first.change
            with work.hold(first):
                change = _waiting(work.change(msgspec.structs.replace(first, steps=())), wanted)
                change.apply()
                _run(story, change)
            report.result = "done"
            return _done(change, settings, story.facts)
        except BaseException as error:
            report.failed(error)
            raise
        finally:
            if settings.as_json:
                emit_json(report.outcome())


def _run(story: Replacing, change: Change) -> None:
    """Carry the stages out; Ctrl-C in a command undoes its stage, in a wait it leaves everything as it is."""
    try:
        story.run(change)
    except KeyboardInterrupt:
        way = f' Continue with "{change.begin.resume}".' if change.resumed else ""
        raise Interrupted(f"Interrupted: what had been begun was undone.{way}") from None


def _waiting(change: Change, wanted: Wanted) -> Change:
    change.at_most = None if wanted.wait else 0.0
    return change


def _resume(named: Machine, change: str) -> str:
    kind, _, name = named.source.partition(":")
    option = {"ssh": f"--host {shlex.quote(name)} ", "demo": f"--demo {shlex.quote(name)} "}.get(kind, "")
    return f"raidctl {option}replace resume {change}"


def _done(change: Change, settings: Settings, facts: Facts) -> int:
    for text in change.warnings:
        tell(f"Warning: {text}.")
    if not settings.as_json:
        tell(f"Done: {facts.old} was replaced by {facts.new}; in the journal as change {change.begin.change}.")
    return EXIT_STANDS if change.doubtful else EXIT_FINE


def _facts(seen: Survey, word: str, wanted: Wanted) -> Facts:
    """What the replacement is about: which drive leaves, which one joins, and whether it is copied first."""
    old = find_drive(seen.inventory, seen.view, word)
    drives = {drive.id: drive for controller in seen.inventory.controllers for drive in controller.drives}
    new = drives[find_drive(seen.inventory, seen.view, wanted.successor)] if wanted.successor else None
    if new is not None and not new.serial:
        raise CannotTell(f"{new.id} has no serial number.")
    if new is not None and new.id == old:
        raise UsageError("A drive cannot take its own place.")
    facts = facts_of(seen, old, way="out", new=(new.serial or "") if new is not None else "")
    if wanted.now or not _works(seen, facts, drives[old]):
        return facts
    spare = new or _spare(seen, facts)
    return replace(facts, way="copy", new=spare.serial or "") if spare is not None else facts


def _works(seen: Survey, facts: Facts, old: Drive) -> bool:
    """Whether the drive can be copied: it is a working member of all of its arrays."""
    arrays = parts(seen, facts)
    if isinstance(arrays, str) or old.status == "critical":
        return False
    members = [part.member(old.device or "") for part in arrays]
    return all(member is not None and member.role == "member" and member.status == "ok" for member in members)


def _spare(seen: Survey, facts: Facts) -> Drive | None:
    """The drive that is a spare of all the arrays, so that no drive has to be named."""
    arrays = parts(seen, facts)
    if isinstance(arrays, str) or facts.partitions:
        return None
    drives = {drive.id: drive for controller in seen.inventory.controllers for drive in controller.drives}
    names = [{name for one in part.members if one.role == "spare" for name in one.backing} for part in arrays]
    common = sorted(set.intersection(*names)) if names else []
    return next((drives[name] for name in common if name in drives and drives[name].serial), None)


def _outlook(facts: Facts) -> str:
    """What follows after the first steps."""
    if facts.way == "copy":
        return f"The drive is copied to {facts.new}; its arrays stay complete. Then raidctl names the drive to pull."
    if facts.new:
        return f"Then raidctl names the drive to pull; {facts.new} joins and is rebuilt."
    return "Then raidctl names the drive to pull; the new one is checked, joins and is rebuilt."


def _notes(seen: Survey, facts: Facts) -> Iterator[str]:
    """What the guards note about the drive that leaves."""
    old = next((drive.id for controller in seen.inventory.controllers for drive in controller.drives
                if drive.id == facts.old_id), None)  # fmt: skip
    if old is not None:
        report = check(seen.inventory, seen.view, old, datetime.now(timezone.utc))
        yield from (one.text for one in report.reasons if one.verdict == "note" and one.guard in ("R13", "R14"))
        yield from (
            f"{text}: raidctl does not install a boot loader; do it after the rebuild, on the new drive."
            for text in report.boot
        )


# --- list, resume, abandon


def open_stories(settings: Settings) -> list[Story]:
    """The replacements of this machine that are not complete, the newest first."""
    place = state_directory(settings) if settings.demo else kept_place(settings)
    source = _source(settings)
    return [
        story
        for story in Journal(place).pending()
        if story.begin.kind == "operation" and "old" in story.begin.facts and story.begin.source == source
    ]


def _source(settings: Settings) -> str:
    if settings.demo:
        return f"demo:{settings.demo}"
    return f"ssh:{settings.host}" if settings.host else "local"


def list_replacements(settings: Settings) -> int:
    """Print the replacements that are not complete."""
    found = open_stories(settings)
    if settings.as_json:
        emit_json(found)
    else:
        emit(printable_lines(line for story in found for line in _lines(story)) or "No replacement is open.\n")
    return EXIT_FINE


def _lines(story: Story) -> Iterator[str]:
    facts = facts_from(story.begin.facts)
    yield f"{story.begin.change}  {story.begin.at}  {facts.old} -> {facts.new or 'a new drive'}"
    yield f"     {story.waiting or story.begin.about}"
    yield f"     {story.begin.resume}"


def _chosen(settings: Settings, change: str | None) -> Story:
    found = open_stories(settings)
    mine = [story for story in found if change in (None, story.begin.change)]
    if not mine:
        raise UsageError(f"No open replacement {change}." if change else "No replacement is open.")
    if len(mine) > 1:
        names = ", ".join(story.begin.change for story in mine)
        raise UsageError(f"Several replacements are open: {names}. Name one.")
    return mine[0]


def resume_replacement(settings: Settings, consent: Consent, change: str | None, wanted: Wanted) -> int:
    """Continue a replacement from what the machine shows now; return the exit code."""
    story = _chosen(settings, change)
    place = state_directory(settings)
    with machine(settings) as named:
        refuse_container(named.runner)
        facts = replace(facts_from(story.begin.facts), leaving=" ".join(_leaving(story, settings)))
        if wanted.successor is not None:
            facts = replace(facts, new=_named_successor(named.survey(), wanted.successor, facts))
        going = Replacing(named.runner, named.vendors, facts, tell, consent.unsafe is not None, wanted.wipe)
        if consent.dry_run:
            seen = named.survey()
            stage = next_stage(seen, facts)
            tell(stage.problem or f"Next: {stage.name.replace('_', ' ')}.")
            return EXIT_FINE
        with _held(story.begin, settings):
            journal = Journal(place)
            journal.append(StepEvent(
                change=story.begin.change, at=now(), step=max(0, len(story.begin.steps) - 1), mark="resumed",
            ))  # fmt: skip
            running = Change(story.begin, journal, named.runner, named.survey, named.vendors, tell)
            _run(going, _waiting(running, wanted))
        return _done(running, settings, going.facts)


def _leaving(story: Story, settings: Settings) -> list[str]:
    """The drives that other replacements of this machine take out meanwhile: they may be gone, and are not put back."""
    mine = story.begin
    return [
        other.begin.facts["old"]
        for other in Journal(state_directory(settings)).stories()
        if other.begin.change != mine.change and other.begin.source == mine.source and other.begin.facts.get("old")
        and (other.end is None or other.end.at >= mine.at)
    ]  # fmt: skip


def _named_successor(seen: Survey, word: str, facts: Facts) -> str:
    drives = {drive.id: drive for controller in seen.inventory.controllers for drive in controller.drives}
    serial = drives[find_drive(seen.inventory, seen.view, word)].serial
    if not serial or serial == facts.old:
        raise UsageError(f"{word} cannot take the place of {facts.old}.")
    return serial


@contextlib.contextmanager
def _held(begin: Begin, settings: Settings) -> Iterator[None]:
    holder = Holder(change=begin.change, pid=os.getpid(), since=now(), about=about())
    names = [held_name(begin.source, subject.id) for subject in begin.subjects]
    with hold(state_directory(settings), names, holder, source=begin.source):
        yield


def abandon_replacement(settings: Settings, change: str, confirm: str | None) -> int:
    """Give a replacement up: nothing is done or undone, what stands is named; return the exit code."""
    story = _chosen(settings, change)
    facts = facts_from(story.begin.facts)
    with machine(settings) as named:
        seen = named.survey()
        work = Work(named, seen, Plan(), state_directory(settings), Consent(dry_run=False, yes=True, unsafe=None))
        confirm_serial(work, facts.old, confirm, f"This gives up the replacement of {facts.old}")
        with _held(story.begin, settings):
            Journal(work.state).append(
                End(change=story.begin.change, at=now(), result="abandoned", text=f"abandoned by {about()}")
            )
    arrays = parts(seen, facts)
    tell(f"Abandoned: the replacement of {facts.old}. Nothing was done or undone.")
    for part in [] if isinstance(arrays, str) else arrays:
        tell(f"  {part.volume.id} is {part.volume.status}; {_where(serials_of(seen), facts)}.")
    return EXIT_FINE


def _where(serials: dict[str, set[str]], facts: Facts) -> str:
    places = serials.get(facts.old)
    return f"{facts.old} is {', '.join(sorted(places))}" if places else f"{facts.old} is not in the machine"
