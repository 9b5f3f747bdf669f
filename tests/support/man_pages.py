"""Manual pages in roff, one for each command. They come from the same help as ``docs/commands.md``."""

from __future__ import annotations

import argparse
import inspect
import re
import textwrap
from collections.abc import Iterator, Sequence

import click

from raidctl import __version__
from raidctl_mfi.cli import _parser
from tests.support.pages import commands

DATE = "2026-11-24"
"""Of all pages; moves with the version."""
_EXIT = "Exit codes:"
_ENVIRONMENT = (
    ("COLUMNS", "Width of the output; in a pipe 80."),
    ("NO_COLOR", "If it is set, nothing is coloured; output to a pipe never is."),
    ("XDG_STATE_HOME", "For other users than root, the parent of the state directory."),
)
_FILES = (
    ("/var/lib/raidctl", "State directory of root: journal, snapshots, saved runs of the benchmark."),
    ("~/.local/state/raidctl", "The same of other users."),
)


def man_pages() -> dict[str, str]:
    """Return the pages by their file names: ``raidctl-cache-set.1``."""
    return {**{f"{name_of(context)}.1": man_page(context) for context in commands()}, "raidctl-mfi.1": mfi_page()}


def name_of(context: click.Context) -> str:
    """Return the name of a command's page: ``raidctl-cache-set``."""
    return context.command_path.replace(" ", "-")


def man_page(context: click.Context) -> str:
    """Return the page of a command."""
    command = context.command
    paragraphs = list(_paragraphs(command.help or ""))
    description = [paragraph for paragraph in paragraphs if not paragraph[0].startswith(_EXIT)]
    codes = [paragraph for paragraph in paragraphs if paragraph[0].startswith(_EXIT)]
    name = name_of(context)
    lines = [
        *_head(name, _short(paragraphs)),
        f".B {escaped(context.command_path)}",
        *text_lines(" ".join(command.collect_usage_pieces(context))),
        ".SH DESCRIPTION",
        *_filled(description),
        *_options(context),
        *_subcommands(context),
        *_section("EXIT STATUS", _exit_codes(codes)),
        *_examples(command),
    ]
    if context.parent is None:
        lines += [".SH ENVIRONMENT", *_list(_ENVIRONMENT), ".SH FILES", *_list(_FILES)]
    return "\n".join([*lines, *_see_also(context)]) + "\n"


def mfi_page() -> str:
    """Return the page of ``raidctl-mfi``, whose command line is argparse's."""
    parser = _parser()
    (commands_,) = [one for one in parser._actions if isinstance(one, argparse._SubParsersAction)]
    helps = {one.dest: one.help or "" for one in commands_._choices_actions}
    lines = [
        *_head("raidctl-mfi", "read MegaRAID controllers through the kernel driver"),
        ".B raidctl\\-mfi",
        *text_lines("COMMAND [OPTIONS]"),
        ".SH DESCRIPTION",
        *text_lines(parser.description or ""),
    ]
    for name, one in commands_.choices.items():
        rows = [
            (" ".join(filter(None, (", ".join(option.option_strings), _values(option)))), option.help or "")
            for option in one._actions
            if "--help" not in option.option_strings
        ]
        lines += [f".SS {escaped(name)}: {escaped(helps[name])}", *_list(rows)]
    epilog = (parser.epilog or "").removeprefix("Exit codes: ").rstrip(".")
    codes = "; ".join(re.split(r", (?=\d)", epilog))
    lines += _section("EXIT STATUS", _exit_codes([[f"{_EXIT} {codes}"]]))
    return "\n".join([*lines, ".SH SEE ALSO", ".BR raidctl (1)"]) + "\n"


def _values(option: argparse.Action) -> str:
    if option.choices:
        return "{" + "|".join(map(str, option.choices)) + "}"
    return option.metavar if isinstance(option.metavar, str) else ""


def _head(name: str, short: str) -> list[str]:
    """Return the lines up to the heading of the synopsis."""
    return [
        '.\\" Written by docs/generate.py from the help of the command.',
        f'.TH "{escaped(name.upper())}" "1" "{DATE}" "raidctl {__version__}" "raidctl"',
        ".ad l",  # choices are long words: no line of them can be adjusted
        ".nh",
        ".SH NAME",
        f"{escaped(name)} \\- {escaped(short)}",
        ".SH SYNOPSIS",
    ]


def escaped(text: str) -> str:
    """Return text as roff prints it.

    Signs that it would replace and what is not ASCII are escaped; choices break after a bar.
    """
    named = {"\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti", "|": "|\\:", '"': "\\(dq"}
    return "".join(named.get(sign, sign) if sign.isascii() else f"\\[u{ord(sign):04X}]" for sign in text)


def text_lines(text: str) -> Iterator[str]:
    """Yield text to be filled. No line is read as a request, which begins with a dot (a quote is escaped)."""
    for line in textwrap.wrap(text, 60, break_long_words=False, break_on_hyphens=False):
        yield f"\\&{escaped(line)}" if line.startswith(".") else escaped(line)


def _paragraphs(text: str) -> Iterator[list[str]]:
    """Yield the paragraphs of a help text as lines. The first line is a backspace if they are not to be filled."""
    for part in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        lines = [line.rstrip() for line in part.split("\n") if line.strip()]
        if lines:
            yield lines


def _short(paragraphs: Sequence[Sequence[str]]) -> str:
    """Return the first sentence without its full stop, as whatis prints it."""
    return re.split(r"\.(?:\s|$)", " ".join(paragraphs[0]), maxsplit=1)[0]


def _filled(paragraphs: Sequence[Sequence[str]]) -> Iterator[str]:
    for number, lines in enumerate(paragraphs):
        if number:
            yield ".PP"
        if lines[0] == "\b":
            yield from (".nf", *map(_kept, lines[1:]), ".fi")
        else:
            yield from text_lines(" ".join(lines))


def _kept(line: str) -> str:
    """Return a line with its blanks, in an unfilled block."""
    return f"\\&{escaped(line)}"


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return [f".SH {title}", *lines] if lines else []


def _list(rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    for term, text in rows:
        yield from (".TP", f".B {escaped(term)}", *text_lines(text))


def _options(context: click.Context) -> list[str]:
    options = [one for one in context.command.get_params(context) if isinstance(one, click.Option)]
    records = [record for one in options if (record := one.get_help_record(context))]
    return _section("OPTIONS", list(_list(records)))


def _subcommands(context: click.Context) -> list[str]:
    command = context.command
    if not isinstance(command, click.Group):
        return []
    found = [(name, command.get_command(context, name)) for name in command.list_commands(context)]
    rows = [(f"{name_of(context)}-{name}(1)", _short(list(_paragraphs(one.help or "")))) for name, one in found if one]
    return _section("COMMANDS", list(_list([(name, f"{text}.") for name, text in rows])))


def _exit_codes(paragraphs: Sequence[Sequence[str]]) -> list[str]:
    """Return ``Exit codes: 0 done; 1 refused`` as a list. Text without this form is returned as it is."""
    lines: list[str] = []
    for paragraph in paragraphs:
        text = " ".join(paragraph).removeprefix(_EXIT).strip()
        codes, _, rest = text.partition(". ")
        found = [re.fullmatch(r"(\d+(?: or \d+)?) (.+)", part.strip()) for part in codes.rstrip(".").split(";")]
        if all(found):
            lines += _list([(code[1], f"{code[2]}.") for code in found if code])
        else:
            rest = text[:1].upper() + text[1:]
        lines += [".PP", *text_lines(rest)] if rest else []
    return lines[1:] if lines[:1] == [".PP"] else lines


def _examples(command: click.Command) -> list[str]:
    lines = [line.strip() for line in (command.epilog or "").split("\n") if line.strip(" \b")]
    shown = [line for line in lines if line != "Examples:"]
    return _section("EXAMPLES", [".nf", *map(_kept, shown), ".fi"] if shown else [])


def _see_also(context: click.Context) -> list[str]:
    above: list[str] = []
    parent = context.parent
    while parent is not None:
        above.insert(0, name_of(parent))
        parent = parent.parent
    others = above or ["mdadm(8)", "smartctl(8)"]
    references = [re.fullmatch(r"([^(]+)(?:\((\d)\))?", one) for one in others]
    rows = [f".BR {escaped(one[1])} ({one[2] or 1})" for one in references if one]
    return [".SH SEE ALSO", *(f"{row} ," for row in rows[:-1]), rows[-1]]
