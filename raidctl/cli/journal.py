"""``raidctl journal``: what was ever changed, by whom, from what to what, why."""

from __future__ import annotations

import os
from collections.abc import Iterator

import click

from raidctl.change.journal import Journal, Story
from raidctl.change.state_directory import restore_command
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import state_directory, tell
from raidctl.cli.shared.snapshot_places import kept_place
from raidctl.cli.shared.terminal import emit, emit_json
from raidctl.errors import EXIT_FINE, UsageError
from raidctl.output.plan import printable_lines


@click.command("journal", epilog=examples("raidctl journal --json", "sudo raidctl journal"))
@machine_options
@output_options
@click.pass_context
def command(context: click.Context) -> int:
    """Show what raidctl has ever changed.

    By whom, from what to what, and why.

    Each user has a journal: root's is in /var/lib/raidctl. What was changed on
    other machines with --host is in it as well.

    Exit codes: 0 shown; 3 the journal cannot be read; 4 nor its directory.
    """
    settings = settings_of(context)
    settings.check()
    if settings.replay is not None:
        raise UsageError("A recorded machine has no journal; that of this machine is shown without --replay.")
    stories = Journal(state_directory(settings) if settings.demo else kept_place(settings)).stories()
    if settings.as_json:
        emit_json(stories)
    else:
        emit(printable_lines(line for story in stories for line in _lines(story)) or "Nothing was ever changed.\n")
        if os.geteuid() and not settings.demo and not settings.state_dir:
            tell("This is the journal of your own changes; root's: sudo raidctl journal")
    return EXIT_FINE


def _lines(story: Story) -> Iterator[str]:
    begin = story.begin
    yield f"{begin.at}  {begin.change}  {begin.kind} by {begin.user}: {_result(story)}"
    if begin.source != "local" and not begin.source.startswith("demo:"):
        yield f"     on {begin.source}"
    yield f"     {begin.about}"
    if begin.reason:
        yield f"     unsafe, because: {begin.reason}"
    marks_of: dict[int, list[str]] = {}
    for turn in story.turns:
        marks_of.setdefault(turn.step, []).append(turn.mark)
    for number, step in enumerate(begin.steps):
        marks = marks_of.get(number, [])
        yield f"     {step.knob} of {step.object_id}: {step.before} -> {step.after} ({', '.join(marks) or 'not begun'})"
    for turn in story.turns:
        if turn.text:
            yield f"     {turn.mark}: {turn.text}"


def _result(story: Story) -> str:
    if story.end is None:
        if not story.open:
            return "no end, but nothing was begun"
        return f"no end: under way, or cut off; {restore_command(story.begin.source)} puts it back"
    said = {"done": "done", "undone": "failed and undone", "restored": "put back", "stands": "stands as it was changed"}
    text = f" ({story.end.text})" if story.end.text else ""
    return f"{said[story.end.result]} {story.end.at}{text}"
