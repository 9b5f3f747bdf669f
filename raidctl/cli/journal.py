"""``raidctl journal``: every change, with user, values and reason."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from raidctl.change.journal import Journal, JournaledChange
from raidctl.change.state_directory import restore_command
from raidctl.cli.shared.lazy_group import columns
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import note_own_journal
from raidctl.cli.shared.state_directories import readable_journal
from raidctl.cli.shared.terminal import emit, emit_json
from raidctl.errors import EXIT_FINE, UsageError
from raidctl.output.plan import step_text
from raidctl.output.sentences import Line, Sentence, entry, fitted


@click.command("journal", epilog=examples("raidctl journal --json", "sudo raidctl journal"))
@machine_options
@output_options
@click.pass_context
def command(context: click.Context) -> int:
    """Show every change that raidctl has made.

    With the user, the values before and after, and the reason.

    Each user has a journal; root's is in /var/lib/raidctl. Changes on other
    machines (--host) are in it, too.

    Exit codes: 0 shown; 3 the journal cannot be read; 4 its directory cannot be
    read.
    """
    settings = settings_of(context)
    settings.check()
    if settings.replay is not None:
        raise UsageError("A recorded machine has no journal; that of this machine is shown without --replay.")
    place = readable_journal(settings)
    changes = Journal(place).changes()
    if settings.as_json:
        emit_json(changes)
    else:
        lines = (line for journaled in changes for line in _lines(journaled, place))
        emit(fitted(lines, columns()) or fitted([Sentence("The journal is empty.", hang=0)], columns()))
    note_own_journal(settings, "journal")
    return EXIT_FINE


def _lines(journaled: JournaledChange, place: Path) -> Iterator[Line]:
    begin = journaled.begin
    head = f"{begin.at}  {begin.change}  {begin.kind} by {begin.user}: {_result(journaled, place)}"
    return entry(head, _below(journaled), columns(), begin.about)


def _below(journaled: JournaledChange) -> Iterator[str]:
    begin = journaled.begin
    if begin.source != "local" and not begin.source.startswith("demo:"):
        yield f"on {begin.source}"
    if begin.reason:
        yield f"unsafe, because: {begin.reason}"
    marks_of: dict[int, list[str]] = {}
    for event in journaled.events:
        marks_of.setdefault(event.step, []).append(event.mark)
    for number, step in enumerate(begin.steps):
        marks = marks_of.get(number, [])
        yield f"{step_text(step)} ({', '.join(marks) or 'not begun'})"
    for event in journaled.events:
        if event.text:
            yield f"{event.mark}: {event.text}"


def _result(journaled: JournaledChange, place: Path) -> str:
    if journaled.end is None:
        if not journaled.open:
            return "no end, but nothing was begun"
        if journaled.begin.resume is not None:
            return f"open: {journaled.begin.resume}"
        if journaled.unconfirmed:
            return f"not confirmed; {restore_command(journaled.begin.source, place)} reads what it has done"
        return f"not closed: running or interrupted; {restore_command(journaled.begin.source, place)} restores it"
    words = {
        "done": "done", "undone": "failed and undone", "restored": "restored", "stands": "left as it was changed",
        "stopped": "stopped, nothing was undone", "abandoned": "abandoned",
    }  # fmt: skip
    text = f" ({journaled.end.text})" if journaled.end.text else ""
    return f"{words[journaled.end.result]} {journaled.end.at}{text}"
