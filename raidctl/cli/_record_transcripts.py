"""Transcripts of commands that the user runs: read before, read after, join. raidctl never runs the command."""

from __future__ import annotations

import shlex
from pathlib import Path
from posixpath import basename

from raidctl import __version__
from raidctl.change.expectations import known_words
from raidctl.cli.shared.machine import Machine
from raidctl.errors import UsageError
from raidctl.recording import deed_transcript
from raidctl.recording.deed_transcript import Printed, Reading
from raidctl.recording.recording import Recording
from raidctl.recording.redact import serials
from raidctl.select import family_of
from raidctl.survey.survey import Survey
from raidctl.text import listing, printable
from raidctl.vendor.operations import operations_of
from raidctl.vendor.plan import Action
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.registry import vendors
from raidctl.vendor.shapes import outside

_NAMES = {"local": "this machine"}


def command_of(text: str) -> tuple[str, ...]:
    """Split a command line of a vendor's tool or mdadm into words.

    Raises:
        UsageError: It is not such a command.
    """
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"The command cannot be split into words: {error}.") from None
    if not words or not text.isprintable():
        raise UsageError("Give the command in one line: raidctl record --transcript 'COMMAND' DEST")
    family_of_command(words)
    return words


def family_of_command(words: tuple[str, ...]) -> Vendor:
    """Return the family whose tool a command runs.

    Raises:
        UsageError: No family has a tool of this name.
    """
    found = vendors()[0]
    family = next((one for one in found if basename(words[0]) in {tool.name for tool in one.TOOLS}), None)
    if family is None:
        names = [tool.name for one in found if operations_of(one) is not None for tool in one.TOOLS]
        raise UsageError(f"{printable(words[0])} is not a tool that raidctl can operate: name {listing(names, 'or')}.")
    return family


def reading_of(recording: Recording, seen: Survey, words: tuple[str, ...]) -> Reading:
    """Return what the tool printed for the commands that raidctl reads with."""
    family = family_of_command(words)
    names = {tool.name for tool in family.TOOLS}
    runs = [
        Printed(argv=entry.run, code=entry.code, out=_text(recording, entry.out) + _text(recording, entry.err))
        for entry in recording.manifest.answers
        if entry.run is not None and basename(entry.run[0]) in names
    ]
    if not runs:
        raise UsageError(f"raidctl does not run a reading command of {basename(words[0])} on this machine.")
    controllers = [one for one in seen.inventory.controllers if family_of(one) == family.FAMILY]
    about = [f"raidctl: {__version__}"]
    about += [
        f"tool: {tool.name} {tool.version or '(version unknown)'}"
        for tool in seen.inventory.tools
        if tool.name in names
    ]
    about += [
        f"controller: {one.id}, {one.model or 'model unknown'}, firmware {one.firmware or 'unknown'}, "
        f"driver {one.driver or 'unknown'}"
        for one in controllers
    ]
    return Reading(
        command=words, at=recording.manifest.collected_at or "", about=tuple(about), known=_known(family, seen, words),
        serials=serials(seen.inventory), runs=tuple(runs),
    )  # fmt: skip


def _text(recording: Recording, name: str | None) -> str:
    return recording.files[name].decode("utf-8", errors="surrogateescape") if name is not None else ""


def _known(family: Vendor, seen: Survey, words: tuple[str, ...]) -> str:
    """Return whether raidctl itself would run such a command, as a sentence."""
    offered = operations_of(family)
    shapes = offered.SHAPES if offered is not None else ()
    why = outside(Action(argv=words), shapes, known_words(seen.inventory, seen.view))
    return "raidctl has this command in its table." if why is None else f"raidctl would not run this command: {why}."


def write_transcript(
    named: Machine, recording: Recording, seen: Survey, words: tuple[str, ...], place: Path, *, masked: bool
) -> str:
    """Begin a transcript, or complete it. Return the next instruction, or where the transcript is."""
    before = deed_transcript.begun(place, words)
    reading = reading_of(recording, seen, words)
    if before is None:
        deed_transcript.first(place, reading)
        name = _NAMES.get(named.source, named.source)
        return (
            f"{place / deed_transcript.BEFORE}: what {name} shows before the command.\n{reading.known}\n"
            "Run the command yourself, when you would run it anyway; raidctl does not run it.\n"
            f"Write its exit code and what it printed into {place / deed_transcript.ANSWER}, then run this again.\n"
        )
    done = deed_transcript.complete(place, before, reading, masked=masked)
    remark = "Serial numbers are masked" if masked else "It has serial numbers; --redact masks them"
    return f"{done}: the command with what was shown before and after. {remark}; read it before you pass it on.\n"
