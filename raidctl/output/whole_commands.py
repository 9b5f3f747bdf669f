"""Commands in text can be pasted: they stay on one line, and name the machine of the screen. Pure."""

from __future__ import annotations

import re

from raidctl.text import regex

_COMMAND = regex(r"`[^`]+`|\"raidctl [^\"]+\"")
"""A command within a text: in backquotes, or one of raidctl's own in quotation marks."""
_BLANK = "\ue000"
"""In place of a blank at which no line may end. Neither Python nor rich breaks lines at it."""


_LOCAL = "-|bench|demo|schema|vendors|diagnose --(?:explain|list)|verify --measure"
"""Commands for this machine only, or about no machine; and those that have options before their name already."""
_BEGIN = r"((?:[`\"]|^(?:instead|try): )raidctl )"
"""The beginning of a command in a text, or of a line that is one."""
_READS = regex(rf"{_BEGIN}(?!{_LOCAL})(?=[a-z])")
_READS_REMOTE = regex(rf"{_BEGIN}(?!{_LOCAL}|batch)(?=[a-z])")


def name_machine(text: str, options: str) -> str:
    """Add the options that select the machine to the commands in a text.

    >>> name_machine("Before you pull it: `raidctl replace v1 --check`.", "--host db7")
    'Before you pull it: `raidctl --host db7 replace v1 --check`.'
    """
    if not options or "raidctl " not in text:
        return text
    commands = _READS_REMOTE if options.startswith("--host") else _READS
    return commands.sub(lambda match: f"{match[1]}{options} ", text)


def join_commands(text: str, width: int) -> str:
    """Mark the blanks in commands that fit on a line, before the text is wrapped.

    >>> split_commands(join_commands("Run `raidctl show v1` now.", 40))
    'Run `raidctl show v1` now.'
    """

    def kept(match: re.Match[str]) -> str:
        command = match[0]
        return command.replace(" ", _BLANK) if command.isascii() and len(command) < width else command

    return _COMMAND.sub(kept, text) if "`" in text or '"' in text else text


def split_commands(line: str) -> str:
    """Put the blanks back into a wrapped line."""
    return line.replace(_BLANK, " ")
