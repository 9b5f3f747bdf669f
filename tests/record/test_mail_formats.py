"""What mail programs, web pages and forums add to text is removed. Nothing that a tool prints is."""

from __future__ import annotations

import pytest

from raidctl.recording.mail_formats import decoded, without_frames, without_prefixes
from raidctl.recording.transcript import cleaned

_LONG = "Logical Volume Label: 01ABC  Drive Type: Data  Mount Points: /srv/backup"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("&lt;931.51g&gt;&nbsp;1 &amp; &quot;x&quot; &#39;y&#39;&#xA0;", "<931.51g> 1 & \"x\" 'y' "),
        # a tool may print an ampersand's reference; nothing else shows that the text is from a page
        ("AT&amp;T Array", "AT&amp;T Array"),
        # JSON has no character references
        ('x:\n{\n\t"Port#" : "00 &amp; 01"\n}\n', 'x:\n{\n\t"Port#" : "00 & 01"\n}\n'),
        ('{\n\t"A" : "1&2",\n\t"B" : "&amp;"\n}\nx\n', '{\n\t"A" : "1&2",\n\t"B" : "&amp;"\n}\nx\n'),
        (f"{_LONG}=\n/mirror\nSize =3D 20\n", f"{_LONG}/mirror\nSize = 20\n"),
        ("Gr=C3=B6=C3=9Fe =3D 20\n", "Größe = 20\n"),
        # a mail of another encoding than UTF-8
        ("Gr=F6=DFe =3D 20\n", "Gr\ufffd\ufffde = 20\n"),
        # short lines that end with an equals sign are a tool's
        ("State=\nclean\n", "State=\nclean\n"),
        ("wwn=3D\nx = 1\n", "wwn=3D\nx = 1\n"),
        ("\u2018a\u2019 \u201ab\u2032", "'a' 'b'"),
        ("\u201ca\u201d \u201eb\u2033", '"a" "b"'),
        ("1\u20102 3\u20114 5\u20126 \u2013 \u2212", "1-2 3-4 5-6 - -"),
        ("a \u2014 b", "a -- b"),
        ("and so on\u2026", "and so on..."),
        ("Copyright \u00a9 Intel\u00ae", "Copyright (C) Intel(R)"),
        ("don\u2019t; 5\u2019000\u2019000 bytes", "don't; 5\u2019000\u2019000 bytes"),
    ],
)
def test_encodings_and_typography(text: str, plain: str) -> None:
    """Each is replaced by the typed character. Characters that a tool could print stay."""
    assert decoded(text) == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Hi\n```\nA\n```\n", "Hi\nA\n"),
        ("```text\nA\n```\n", "A\n"),
        ("[code]\nA\n[/code]\n", "A\n"),
        ("[code]A\nB[/code]\n", "A\nB\n"),
        ('<pre class="x">\nA\n</pre>\n', "A\n"),
        ("<pre><code>A\nB</code></pre>\n", "A\nB\n"),
        ("[QUOTE=joe][CODE]A\nB[/CODE][/QUOTE]\n", "A\nB\n"),
        # the page dropped the blank lines at the end; without the closing mark, the end is missing
        ("[code]\n\nA\n B[/code]\nThanks\n", "A\n B\nThanks\n"),
        ("```\n\nA\n```\n", "\nA\n"),
        ("[code]\n\nA\n[/code]\n", "\nA\n"),
        ("[code]\n\nA\n", "\nA\n"),
        ("```\n\nA\n", "\nA\n"),
        ("A [code] B\n", "A [code] B\n"),
        ("A\n-- \nJoe\nExample Ltd.\n\nB\n", "A\n\nB\n"),
        # grep -A prints no blank behind its separator
        ("A\n--\nB\n", "A\n--\nB\n"),
        # more lines than a signature has are another output
        ("-- \n" + "line\n" * 12, "-- \n" + "line\n" * 12),
        ("a\n\nb\n\n\n\nc\n\n", "a\nb\n\nc\n"),
        ("\na\n\nb\n\n\n\nc\n", "a\nb\n\nc"),
        # of a tool that prints a blank line after each of its lines
        ("a\n\nb\n\nc\n", "a\n\nb\n\nc\n"),
    ],
)
def test_frames(text: str, plain: str) -> None:
    """Code block marks, signatures and blank lines are removed. The blank lines are those between all lines."""
    assert without_frames(text) == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (
            "Jun 12 10:11:12 db7 check.sh[123]: a\nJun  2 10:11:12 db7 check.sh[123]:   b\nJun 12 10:11:12 db7 cron:\n",
            "a\n  b\n\n",
        ),
        ("2024-06-12T10:11:12+02:00 db7 x: a\n" * 3, "a\n" * 3),
        ("<joe> a\n<joe>\n<joe>   b\n", "a\n\n  b\n"),
        ("[10:11] <@joe> a\n" * 3, "a\n" * 3),
        ("     1\ta\n     2\t  b\n     3\tc\n", "a\n  b\nc\n"),
        ("1:a\n2:\n3:  b\n", "a\n\n  b\n"),
        # the kernel's log is a separate output
        ("Jun 12 10:11:12 db7 kernel: md0: a\n" * 3, "Jun 12 10:11:12 db7 kernel: md0: a\n" * 3),
        # a table whose rows have other numbers, or one line of many
        ("1 a\n3 b\n4 c\n", "1 a\n3 b\n4 c\n"),
        ("<joe> a\nb\nc\n", "<joe> a\nb\nc\n"),
        ("1 a\n2 b\n", "1 a\n2 b\n"),
    ],
)
def test_prefixes_of_all_lines(text: str, plain: str) -> None:
    """Prefixes that all lines have are removed. Logs, chats and ``cat -n`` add them."""
    assert without_prefixes(text) == plain


def test_colours_of_a_terminal() -> None:
    """Escape sequences around and inside the words of an output."""
    assert cleaned("\x1b]0;db7\x07\x1b[1;32mmd0\x1b[0m : \x1b[31mactive\x1b[m raid1\n") == "md0 : active raid1\n"
