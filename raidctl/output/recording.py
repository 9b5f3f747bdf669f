"""The screen and the JSON of ``raidctl record``."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType

from raidctl.output.console import DULL, STRONG, WARN, Display, indented, line
from raidctl.recording.recording import Recording
from raidctl.text import counted
from raidctl.units import format_binary

_WARNING = "It contains serial numbers, WWNs and host names; --redact masks them."
_MASKED = "Serial numbers, WWNs and host names are masked; look through it before you publish it."


def recording_data(recording: Recording, destination: str) -> dict[str, Any]:
    """The answer of ``raidctl record --json``; sizes in bytes."""
    answers = recording.manifest.answers
    return {
        "destination": destination,
        "redacted": recording.manifest.redacted,
        "commands": [list(entry.run) for entry in answers if entry.run is not None],
        "answers": len(answers),
        "bytes": _size(recording),
    }


def recording_screen(recording: Recording, destination: str, display: Display) -> str:
    """Each command with its exit code. A note on what it contains follows."""
    runs = [entry for entry in recording.manifest.answers if entry.run is not None]
    others = len(recording.manifest.answers) - len(runs)
    sums = f"{counted(len(runs), 'command')}, {counted(others, 'other reply')}, {format_binary(_size(recording))}"
    parts: list[RenderableType] = [line((display.clean(destination), STRONG), display.dot, sums)]
    for entry in runs:
        state = f"exit code {entry.code}" if entry.trouble is None else entry.trouble.value
        words = display.clean(" ".join(entry.run or ()))
        parts.append(indented(line(words, (f"  {state}", DULL if entry.code == 0 else WARN)), display, 2))
    parts.append(line(_MASKED) if recording.manifest.redacted else line((_WARNING, WARN)))
    return display.render(parts)


def size(recording: Recording) -> str:
    """The size of the recording, in words."""
    return format_binary(_size(recording))


def _size(recording: Recording) -> int:
    return sum(len(data) for data in recording.files.values())
