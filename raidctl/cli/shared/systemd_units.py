"""Install systemd units that run this raidctl."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path

import click

from raidctl.cli.shared.options import settings_of
from raidctl.cli.shared.own_program import installed_program
from raidctl.cli.shared.terminal import emit, emit_message
from raidctl.errors import EXIT_FINE, AccessMissing, UsageError
from raidctl.request import CHANGEABLE
from raidctl.runners.process import run
from raidctl.runners.programs import SYSTEM_PATH, changeable

PLACE = Path("/etc/systemd/system")
ENABLE = ("systemctl", "enable")
"""Command that enables a unit and has systemd reread its units."""


def filled(name: str, words: Sequence[str], **places: str) -> str:
    """Return a unit template with the command line of this program and these words.

    Args:
        name: Its file.
        words: Arguments.
        places: Other paths to fill in, outside of command lines: ``STATE`` for ``@STATE@``.

    Raises:
        UsageError: A word has characters that no unit can have.
    """
    text = (files("raidctl") / "data" / name).read_text(encoding="utf-8")
    text = text.replace("@COMMAND@", " ".join(map(quoted, (*installed_program(), *words))))
    for place, word in places.items():
        text = text.replace(f"@{place}@", quoted(word).replace("$$", "$"))  # $ is literal there
    return text


def install(units: Mapping[str, str], *, dry_run: bool, now: bool = False) -> int:
    """Write units and enable them.

    Args:
        units: Texts by file name; the last is enabled.
        dry_run: Only print them.
        now: Also start the last, which is a timer.

    Raises:
        AccessMissing: They cannot be written or enabled, or others than root could change the program that they start.
        click.UsageError: JSON is asked for.
    """
    if settings_of(click.get_current_context()).as_json:
        raise click.UsageError("--install-unit writes units of systemd, which are not JSON: omit --json.")
    if dry_run:
        for name, text in units.items():
            emit_message(f"{PLACE / name} would be:")
            emit(text)
        return EXIT_FINE
    program = [word for word in installed_program() if word.startswith("/")]
    ours = (*program, sys.executable, sys.prefix, str(files("raidctl")))
    unsafe = next(filter(None, map(changeable, ours)), None)
    if unsafe:
        raise AccessMissing(
            f"{unsafe} {CHANGEABLE}, so nothing is installed that starts it as root. Install raidctl where only root "
            "can write, and run that one."
        )
    for name, text in units.items():
        try:
            (PLACE / name).write_text(text, encoding="utf-8")
        except FileNotFoundError:
            raise AccessMissing(
                f"There is no {PLACE}: this machine has no systemd. Have raidctl started in another way."
            ) from None
        except OSError as error:
            raise AccessMissing(f"{PLACE / name} cannot be written: {error.strerror}.") from None
    enable = (*ENABLE, *(["--now"] if now else []), list(units)[-1])
    done = run(enable, environment={"PATH": ":".join(SYSTEM_PATH), "LC_ALL": "C"})
    shown = " and ".join(str(PLACE / name) for name in units)
    if done.code != 0:
        why = done.error_text.strip() or done.detail or f"exit code {done.code}"
        raise AccessMissing(f"Installed {shown}, but it is not enabled ({why}). Enable it with: {shlex.join(enable)}")
    emit_message(f"Installed and enabled {shown}.")
    return EXIT_FINE


def quoted(word: str) -> str:
    """Quote a word for ExecStart, where %, $, blanks, quotes and backslashes are special.

    Raises:
        UsageError: It has a line break or another character that a unit cannot have.
    """
    if not word.isprintable():
        raise UsageError(f"A systemd unit cannot name {word!r}: it has control characters. Use another path.")
    safe = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return safe if safe == word and not any(sign in word for sign in " \t;'") else f'"{safe}"'
