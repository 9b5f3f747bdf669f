"""Executables in place of vendors' tools. Each prints an output after a delay, and logs the call.

They are POSIX shell scripts. Their start takes a few milliseconds, the same for every caller.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import adaptec
import megaraid
from machines import controller, smart_array

DRIVES = 16
"""Drives per controller."""
_HEAD = """#!/bin/sh
printf '%s %s\\n' {name} "$*" >> {calls}
sleep {delay}
case "$*" in
"""
_UNKNOWN = """*) echo "this player does not know: $*" >&2; exit 1 ;;
esac
"""


@dataclass(frozen=True)
class Player:
    """A tool and its outputs by arguments. The arguments are shell patterns in lower case: the first match counts."""

    name: str
    answers: Mapping[str, str]


@dataclass(frozen=True)
class Stage:
    """A directory with the executables of some players."""

    folder: Path

    @property
    def tools(self) -> Path:
        """The folder to put first on PATH."""
        return self.folder / "bin"

    def calls(self) -> list[str]:
        """The command lines of the calls since the last time."""
        log = self.folder / "calls"
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return lines


def stage(folder: Path, players: Sequence[Player], delay: float) -> Stage:
    """Write executables into a folder; each call takes ``delay`` seconds."""
    (folder / "bin").mkdir()
    for player in players:
        branches = []
        for number, (pattern, text) in enumerate(player.answers.items()):
            answer = folder / f"{player.name}.{number}"
            answer.write_text(text, encoding="utf-8")
            branches.append(f"{_any_case(pattern)}) cat {shlex.quote(str(answer))} ;;\n")
        head = _HEAD.format(name=player.name, calls=shlex.quote(str(folder / "calls")), delay=delay)
        program = folder / "bin" / player.name
        program.write_text(head + "".join(branches) + _UNKNOWN, encoding="utf-8")
        program.chmod(0o755)
    return Stage(folder)


def _any_case(pattern: str) -> str:
    """A shell pattern for either case of each letter, with quoted blanks."""
    return "".join(f"[{c}{c.upper()}]" if c.isalpha() else '" "' if c == " " else c for c in pattern)


def _volume_line(line: str) -> str:
    # logicaldrive 1 (3.3 TB, RAID 6, OK)
    return f"   array {line[0]}\n\n      logicaldrive {line[1]} (3.3 TB, RAID 6, OK)\n\n"


def smart_array_player() -> Player:
    """A player of hpacucli with one controller."""
    title = controller(1).strip().splitlines()[0]
    arrays = "".join(_volume_line(f"{chr(64 + n)}{n}") for n in range(1, -(-DRIVES // 6) + 1))
    health = "   Controller Status: OK\n   Cache Status: OK\n   Battery/Capacitor Status: OK\n"
    return Player(
        "hpacucli",
        {
            "version": "HP Array Configuration Utility CLI 9.40.12.0\nDetecting Controllers...Done.\n",
            "ctrl all show config detail": smart_array(range(1, 2), DRIVES) + "\n",
            "ctrl all show": f"\n{title}         (sn: RCTL0BENCH0001)\n\n",
            "ctrl slot=1 show config detail": smart_array(range(1, 2), DRIVES) + "\n",
            "controller all show status": f"\n{title}\n{health}\n",
            "controller slot=1 logicaldrive all show": f"\n{title}\n\n{arrays}",
        },
    )


def megaraid_player() -> Player:
    """A player of MegaCli with one controller."""
    return Player(
        "MegaCli",
        {
            "-adpcount*": "\nController Count: 1.\n\nExit Code: 0x01\n",
            "-adpallinfo*": megaraid.controller(DRIVES),
            "-ldpdinfo*": megaraid.volumes_and_drives(DRIVES),
            "-ldinfo*": megaraid.volumes(DRIVES),
            "-pdlist*": megaraid.drives(DRIVES),
            "-adpbbucmd*": megaraid.battery(),
            "-getpreservedcachelist*": f"\nAdapter #0\n\nNo Virtual Drive has Preserved Cache Data.\n{megaraid.END}",
            "-encinfo*": f"\n    Number of enclosures on adapter 0 -- 0\n{megaraid.END}",
            "-v": "\n      MegaCLI SAS RAID Management Tool  Ver 8.07.14 Dec 16, 2013\n\n" + megaraid.END,
        },
    )


def adaptec_player() -> Player:
    """A player of arcconf with one controller."""
    return Player(
        "arcconf",
        {
            "getstatus*": adaptec.status(),
            "getversion*": adaptec.version(),
            "list*": adaptec.listing(),
            "getconfig 1*": adaptec.config(DRIVES),
        },
    )
