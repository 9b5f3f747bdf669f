"""Undo changes to pasted text by mail programs, web pages and forums.

Encodings, typography, code blocks, double spacing. Pure functions, text in, text out. No tool prints the replaced
characters.
"""

from __future__ import annotations

import html
import quopri

from raidctl.text import regex, typed

_ENTITY = regex(r"&(?:nbsp|gt|lt|amp|quot|apos|#(?:39|34|160|32)|#[xX](?:27|22|[aA]0|20));")
_MARKUP = regex(r"&(?:nbsp|gt|lt|quot|#160|#[xX][aA]0);")
"""Character references that no tool prints. The text was copied from the source of a web page or an HTML mail."""
_AMPERSAND = regex(r"&(?!(?:[A-Za-z]{2,8}|#\d{1,5}|#[xX][0-9A-Fa-f]{1,5});)")
"""An ampersand that the source of a page does not have."""
_JSON_PAIR = regex(r'"[^"\n]+"[ \t]*:')
_EQUALS = regex(r"=(?![0-9A-F]{2}|[ \t]*\r?\n|[ \t]*\Z)")
"""An equals sign that quoted-printable text does not have."""
_ENCODED = regex(r"(?m)=(?:3D|09|C2=A0|E2=80|20[ \t]*$)|^[^\n]{60,75}=[ \t]*$")
"""An encoded equals sign or blank, or a line continued below."""
_TAG = r"(?:(?:\[/?(?:code|quote)(?:=[^\]\n]{0,80})?\]|</?(?:pre|code)\b[^<>\n]{0,80}>)[ \t]*){1,4}"
_FENCE = regex(rf"(?mi)^[ \t]*(?:{_TAG}|```\w*[ \t]*)(?:\n|\Z)|^{_TAG}(?=\S)|(?<=\S)[ \t]*{_TAG}$")
"""Marks of a code block. They fill a line, or are before the first or behind the last word of one."""
_CLOSED = regex(r"(?mi)\S[ \t]*(?:(?:\[/(?:code|quote)\]|</(?:pre|code)>)[ \t]*){1,4}$")
"""The end of a code block directly behind a word."""
_BLANK_START = regex(r"\A(?:[ \t]*\n)+")
_SIGNATURE = regex(r"(?m)^-- \n(?:[ \t]*\S[^\n]*(?:\n|\Z)){0,8}(?=[ \t]*\n|\Z)")
"""A signature: ``-- `` and the lines below it, 8 at most. It ends at a blank line. The separator of ``grep -A`` has no
blank."""


_PREFIX = regex(
    # Jun 12 10:11:12 host check.sh[123]:      2024-06-12T10:11:12+02:00 host check.sh[123]:
    r"(?:\w{3} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*) \S+ (?!kernel)[\w./-]+(?:\[\d+\])?:(?: |$)"
    # [10:11] <joe>        <joe>
    r"|(?:\[?\d\d:\d\d(?::\d\d)?\]? )?<[ @+%]?[^\s<>]{1,30}>(?: |$)"
)
"""A prefix of a system log or a chat on each line. The kernel log's prefix is a separate case."""
_NUMBERED = regex(r" *(\d+)(?:[:\t]|  ?|$)")
_MIN_LINES = 3


def without_prefixes(text: str) -> str:
    """Remove the prefixes of a log, chat or ``cat -n`` from lines."""
    lines = text.split("\n")
    full = [line for line in lines if line.strip()]
    if full and sum(_PREFIX.match(line) is not None for line in full) * 10 >= len(full) * 9:
        return "\n".join(_PREFIX.sub("", line, count=1) for line in lines)
    numbers = [match and int(match[1]) for match in map(_NUMBERED.match, full)]
    if len(full) >= _MIN_LINES and numbers in (list(range(1, len(full) + 1)), _counted(lines)):
        return "\n".join(_NUMBERED.sub("", line, count=1) for line in lines)
    return text


def _counted(lines: list[str]) -> list[int]:
    """Return the indices of the lines that are not blank."""
    return [number for number, line in enumerate(lines, 1) if line.strip()]


def decoded(text: str) -> str:
    """Decode quoted-printable text and character references. Replace typographic marks by typed ones."""
    text = typed(_printed(text))
    return without_references(text) if _MARKUP.search(text) or _is_escaped_json(text) else text


def _is_escaped_json(text: str) -> bool:
    """Whether the text has JSON whose only ampersands are ``&amp;``. No tool writes them so in JSON.

    JSON that is indented with tabs has no other sign of a page's source.
    """
    return "&amp;" in text and not _AMPERSAND.search(text) and _JSON_PAIR.search(text) is not None


def without_references(text: str) -> str:
    """Replace character references by their characters."""
    return _ENTITY.sub(lambda match: html.unescape(match[0]).replace("\u00a0", " "), text)


def without_frames(text: str) -> str:
    """Remove the marks of code blocks, a signature, and surplus blank lines.

    Blank lines are surplus if every second line is blank.

    A page that closes its code block behind the last word has dropped the blank lines there. Those at its beginning go
    with them: a blank line first and none last would show that the output is cut off.
    """
    dropped = _CLOSED.search(text) is not None
    text = _SIGNATURE.sub("", _single_spaced(_FENCE.sub("", text)))
    return _BLANK_START.sub("", text) if dropped else text


def _printed(text: str) -> str:
    """Decode quoted-printable text (``=3D``, lines that end with ``=``). Any other equals sign rules it out."""
    if not _ENCODED.search(text) or _EQUALS.search(text):
        return text
    return quopri.decodestring(text.encode()).decode(errors="replace")


def _single_spaced(text: str) -> str:
    """Remove the blank line after each line, in a double spaced text.

    A blank line of the original becomes three in a row. Without such a place nothing is removed: ``ssacli`` prints a
    blank line after each array and volume.
    """
    lines = text.split("\n")
    for kept, blank in ((lines[::2], lines[1::2]), (lines[1::2], lines[::2])):
        if not any(map(str.strip, blank)) and "\n\n" in "\n".join(map(str.strip, kept)).strip():
            return "\n".join(kept)
    return text
