"""Text outputs of storcli, storcli2, perccli and perccli2 brought to an outline."""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.evidence import Line, Output, mark_read
from raidctl.text import collapse, counted, printable, regex
from raidctl.vendor.draft import Pair
from raidctl_megaraid.storcli import headless_rows, text_tables
from raidctl_megaraid.storcli.counts import gap
from raidctl_megaraid.storcli.outline import Answer, Outline, Section, plain
from raidctl_megaraid.storcli.text_blocks import PROMPT, Block, blocks

AGAIN = "Run the command by hand, as root, and check its output."
_SHOWN = 400
"""Characters of a line that are examined if nothing was understood."""
_HEADER = frozenset({"cli version", "operating system", "controller", "status code", "status", "description"})
_STATUS_WORDS = frozenset({"success", "failure", "failed", "partial success"})
_VERDICTS = regex(r"\b(?:ErrCd|ErrMsg|Status)\b")
# Enclosure /c0/e252    Drive /c0/e252/s0 - Detailed Information
_OBJECT = regex(r"/c\d+(?:/|\b)")
_DETAILED = " - detailed information"
_CHILDREN = frozenset(
    {
        "policies table", "port information", "path information", "connector information", "lu/ns properties",
        "lu/ns information",
    }
)  # fmt: skip
"""Titles of tables inside another section. What follows them belongs to that section again."""
_TOP = frozenset(
    {
        "number of controllers", "host name", "storelib it version", "storelib ir version", "storelib ir3 version",
        "sln library version", "drive groups", "arrays", "virtual drives", "physical drives", "enclosures", "safe id",
        "jbod drives", "total vd count", "total drive count", "unconfigured drive count", "total foreign drive groups",
        "total foreign pds", "total locked foreign pds", "requested boot drive", "lu/ns",
    }
)  # fmt: skip
"""Labels that are in no section. A section's pairs may come right before them."""
_EXPLAINED = ("topology", "vd list", "pd list")
"""Titles of tables that a legend always follows: ``DG=Disk Group Index|Arr=Array Index|…``."""
_LEGENDS = (
    ("EID-Enclosure Device ID|", ("Sp-Spun",)),
    ("UGUnsp-", ("CBShld-Copyback Shielded", "CFShld-Configured shielded")),
    ("DG=Disk Group Index|", ("FSpace=Free Space", "TR=Transport")),
    ("Cac=CacheCade|", ("Check Consistency",)),
    ("Rec=Recovery|OfLn=OffLine|", ("WT=WriteThrough",)),
)
"""Words of a legend, and the words that may follow. In every version one of these follows; a run of blanks counts as
one."""
_BANNER = regex(
    r"^Generating detailed summary of the adapter|^\s*(?:StorCli2?|PercCli2?)\b.*\bVer\b|Copyright \(c\)|"
    r"^\s*\(c\) ?Copyright|All [Rr]ights [Rr]eserved",
    re.IGNORECASE,
)
# seqNum: 0x000021b3     Event Description: VD 01/1 is now DEGRADED
_EVENT = regex(
    r"(?:seqNum|Time|Seconds since last reboot|Code|Class|Locale|Event (?:Description|Data)) ?:", re.IGNORECASE
)
# CLI Version = 007.1017.0000.0000    Controller = 0    -----…
_ANSWER = regex(r"^[ \t]*(?:CLI Version|Controller|Status) +=|^[ \t]*-{10,}[ \t\r]*$", re.MULTILINE)
_SYNTAX = regex(r"syntax error, unexpected [^\n]*|unexpected TOKEN_[^\n]*", re.IGNORECASE)
# Storage Command Line Tool  Ver 007.1017.0000.0000 May 10, 2019     storcli -v     storcli /cx show all
HELP = regex(
    r"Storage Command Line Tool|^\s*(?:storcli|perccli)\S* (?:-\S+\b|\[?/cx|show ctrlcount|help\b)",
    re.IGNORECASE | re.MULTILINE,
)
"""The tool's list of its commands."""


def from_text(command: str, text: str) -> Outline:
    """Read a text output, or several one after the other. Never raises."""
    outline = Outline(Output.of_text(command, text.removeprefix("\ufeff")))
    read_lines(outline, outline.output.lines, complete=text.endswith("\n"))
    judge(outline)
    if missing := gap(outline.answers):
        outline.lists_missing = True
        outline.complain("error", "unread", f"The output is cut off: {missing}.", AGAIN)
    return outline


def is_answer(text: str) -> bool:
    """Whether a text contains an answer in text form or a table."""
    return _ANSWER.search(text) is not None


def is_prompt(text: str) -> bool:
    """Whether a line is a shell prompt, with the typed command."""
    return PROMPT.match(text) is not None


def read_lines(outline: Outline, lines: Sequence[Line], *, complete: bool = True) -> None:
    """Add the answers in some lines of the outline's output.

    ``complete``: the last line has its end; without it, it may be a part of a line.
    """
    reader = _Reader(outline, blocks(lines), complete=complete)
    reader.read()


def judge(outline: Outline) -> None:
    """Report an output without an answer: nothing, the tool's help, something else."""
    if outline.answers:
        return
    texts = [text for line in outline.output.lines if (text := plain(line.text).strip()[:_SHOWN])]
    whole = "\n".join(texts[:400])
    first = printable(collapse(texts[0]))[:120] if texts else ""
    if not texts:
        outline.complain("error", "unread", "The tool printed nothing.", AGAIN)
    elif wrong := _SYNTAX.search(whole):
        outline.complain("error", "unread", f"The tool did not accept the command: {wrong[0][:200]}", AGAIN)
        mark_read(*[line for line in outline.output.lines if _SYNTAX.search(line.text)])
    elif HELP.search(whole):
        outline.complain("error", "unread", "The tool printed its help instead of the requested output.", AGAIN)
        mark_read(*outline.output.lines)
    elif not outline.problems:
        outline.complain("error", "unread", f"Not recognised as output of the tool; it begins with “{first}”.", AGAIN)


def _legend(block: Block) -> str:
    return collapse(" ".join(plain(line.text) for line in block.lines))


class _Reader:
    """Assigns the blocks to sections."""

    def __init__(self, outline: Outline, found: Sequence[Block], *, complete: bool) -> None:
        self.outline = outline
        self.blocks = found
        self.complete = complete
        self.tight = all(block.kind != "blank" for block in found[:-1])
        self.answer: Answer | None = None
        self.untitled: Section | None = None
        self.stack: list[Section] = []
        self.in_header = self.in_details = self.died = False
        self.before = "blank"
        self.stray_rows_reported = False
        self.unexplained = ""
        """The title of the last table, if its legend has not come."""
        self.legends: set[str] = set()

    def read(self) -> None:
        for index, block in enumerate(self.blocks):
            if block.kind == "pair" and self._is_header(index):
                self._header(block)
            elif block.kind != "blank":
                self.in_header = False
                self._body(block, last=all(one.kind in ("blank", "prompt") for one in self.blocks[index + 1 :]))
            self.before = block.kind
        self._end()

    def _body(self, block: Block, *, last: bool) -> None:
        self.unexplained = ""
        if block.kind == "title":
            self._title(block)
        elif block.kind == "pair":
            if last and not self.complete and block.value:
                self.outline.complain(
                    "info", "note", f"The output ends without a newline: its last value, {block.label!r}, may be cut."
                )
            self._section_for(block).pairs.append(Pair(block.label, block.value, block.lines))
        elif block.kind == "table":
            self._table(block, last=last)
        elif block.kind in ("legend", "rule"):
            self._note(block.lines)
            short = last and block.kind == "legend" and self._is_short(block)
            if block.kind == "legend":
                self.legends.add(_legend(block))
            top = self.stack[-1] if self.stack else None
            dashes = block.kind == "rule" and block.lines[0].text.strip().startswith("-")
            if (last and dashes and top is not None and not top.rows) or short:
                self._broken(top.title if top is not None else "")
        elif block.kind == "crash":
            self.died = True
            printed = printable(collapse(block.lines[0].text))[:200]
            mark_read(*block.lines)
            where = f" in “{self.stack[-1].title}”" if self.stack else ""
            self.outline.complain(
                "error", "unread", f"The tool died{where} ({printed}): the output up to that point was read.", AGAIN
            )
        elif block.kind == "text":
            self._text(block, last=last)

    def _is_short(self, block: Block) -> bool:
        """Whether a legend lacks its end.

        The end is that of the same kind of legend above it, or what follows in every version.
        """
        text = _legend(block)
        if any(one != text and one.startswith(text) for one in self.legends):
            return True
        return any(first in text and not any(end in text for end in ends) for first, ends in _LEGENDS)

    # Header

    def _is_header(self, index: int) -> bool:
        """``CLI Version = …``, ``Operating system = …``, ``Controller = 0``, ``Status = Success``, ``Description = …``.

        ``Controller = 0`` and the like occur in sections too.
        """
        block = self.blocks[index]
        label = block.label.lower()
        if label not in _HEADER:
            return False
        if label == "cli version":
            return True
        if self.in_header and self.answer is not None and self.answer.printed(label) is None:
            return True
        following = self._following(index)
        if label == "operating system":
            return following in ("controller", "status", "status code") and self.before != "pair"
        if label == "controller":
            return following == "status"
        if label in ("status", "status code"):
            return following in ("status", "description") and block.value.lower() in (*_STATUS_WORDS, "0", "1")
        return False

    def _following(self, index: int) -> str:
        for block in self.blocks[index + 1 : index + 3]:
            if block.kind != "blank":
                return block.label.lower() if block.kind == "pair" else ""
        return ""

    def _header(self, block: Block) -> None:
        if not self.in_header or self.answer is None or self.answer.printed(block.label) is not None:
            self._begin()
        self.in_header = True
        if self.answer is not None:
            self.answer.status.append(Pair(block.label, block.value, block.lines))

    def _begin(self) -> Answer:
        self._end()
        self.answer = Answer()
        self.outline.answers.append(self.answer)
        self.untitled = None
        self.stack = []
        self.in_details = self.died = False
        return self.answer

    def _end(self) -> None:
        """Keep a title without content, unless it is the head of others."""
        top = self.stack[-1] if self.stack else None
        if self.unexplained:
            self._broken(self.unexplained)
        if top is None or top.pairs or top.rows or top.texts or self.before == "table":
            return
        if self.before in ("title", "blank") and not self.in_details and not self.died:
            self._broken(top.title)

    def _broken(self, title: str) -> None:
        where = f"in “{title}”" if title else "in a table"
        self.outline.complain(
            "error", "unread",
            f"The output breaks off {where}: the part before was read, the rest is unknown.", AGAIN,
        )  # fmt: skip

    # Sections

    def _title(self, block: Block) -> None:
        answer = self.answer or self._begin()
        title = block.label
        if title.lower() == "detailed status":
            self.in_details = True
            self.stack = []
            mark_read(*block.lines)
            return
        self.in_details = False
        self._leave_for(title)
        section = Section(title, tuple(around.title for around in self.stack), list(block.lines))
        mark_read(*block.lines)
        self.stack.append(section)
        answer.sections.append(section)

    def _leave_for(self, title: str) -> None:
        """Leave the sections that a title does not belong to.

        ``Policies Table`` is in ``Policies``, ``Drive /c0/e1/s2 State`` in ``Drive /c0/e1/s2 - Detailed
        Information``, ``Port Information`` in the section before it.
        """
        low = title.lower()
        if low in _CHILDREN:
            while self.stack and self.stack[-1].title.lower() in _CHILDREN:
                self.stack.pop()
            if low != "policies table" or (self.stack and self.stack[-1].title.lower() == "policies"):
                return
        root = self.stack[0].title.lower() if self.stack else ""
        if (
            root.endswith(_DETAILED)
            and low.startswith(f"{root.removesuffix(_DETAILED)} ")
            and not low.endswith(_DETAILED)
        ):
            del self.stack[1:]
            return
        top = self.stack[0] if self.stack else None
        around = top is not None and not (top.pairs or top.rows or top.texts) and _OBJECT.search(top.title)
        if around and not _OBJECT.search(title):
            del self.stack[1:]
            return
        self.stack = []

    def _section_for(self, block: Block) -> Section:
        """Where a pair belongs: to the section above. After a blank line or a table, to the section around that."""
        top = self.stack[-1] if self.stack else None
        if top is None:
            return self._untitled()
        filled = bool(top.pairs or top.rows or self.before in ("table", "legend"))
        apart = self.before in ("blank", "table", "legend") and not self.tight
        if self.tight:
            apart = bool(top.rows) or block.label.lower() in _TOP
        if not (filled and apart):
            return top
        if len(self.stack) > 1 and block.label.lower() not in _TOP:
            del self.stack[1:]
            return self.stack[0]
        if len(self.stack) == 1 and top.title.lower().endswith(_DETAILED):
            return top
        self.stack = []
        return self._untitled()

    def _untitled(self) -> Section:
        answer = self.answer or self._begin()
        if self.untitled is None:
            self.untitled = Section("")
            answer.sections.append(self.untitled)
        return self.untitled

    def _note(self, lines: Sequence[Line]) -> None:
        mark_read(*lines)
        if self.stack:
            self.stack[-1].lines.extend(lines)

    def _text(self, block: Block, *, last: bool) -> None:
        text = printable(block.lines[0].text).strip()
        top = self.stack[-1] if self.stack else None
        if last and (not text.strip("-") or self.before == "rule"):  # the rule above a table, or the head below it
            self._broken(top.title if top else "")
        elif headless_rows.of_table(text):
            self._report_stray_rows(text)
        elif _BANNER.search(text) or _EVENT.match(text):
            mark_read(*block.lines)
        elif top is not None and not top.pairs and not top.rows:
            top.texts.append(Pair("", text, block.lines))

    def _report_stray_rows(self, text: str) -> None:
        if not self.stray_rows_reported:
            self.stray_rows_reported = True
            self.outline.complain(
                "error", "unread",
                f"Table lines without a header or ruled lines were not read: “{collapse(text)[:100]}”.",
                "Provide the output as printed, neither cut nor wrapped, or as JSON.",
            )  # fmt: skip

    # Tables

    def _table(self, block: Block, *, last: bool) -> None:
        answer = self.answer or self._begin()
        self.in_details = self.in_details and _VERDICTS.search(block.head) is not None
        section = Section("", ()) if self.in_details else self.stack[-1] if self.stack else self._untitled()
        mark_read(*block.lines)
        section.lines.extend(block.lines)
        rows = block.body
        if not block.closed:
            if last and not self.complete and rows:
                rows = rows[:-1]  # a part of a row
            self._broken(section.title)
        elif section.title.lower() in _EXPLAINED:
            self.unexplained = section.title
        table = text_tables.split(block.head, [text for text, _ in rows])
        lost = [lines[0] for index, (_, lines) in enumerate(rows) if table is None or table.rows[index] is None]
        if lost:
            self._report_lost_rows(section, lost)
        for (_, lines), cells in zip(rows, table.rows if table else (), strict=False):
            if table is not None and cells is not None:
                row = {title: Pair(title, cell, lines) for title, cell in zip(table.titles, cells, strict=True)}
                (answer.details if self.in_details else section.rows).append(row)

    def _report_lost_rows(self, section: Section, lost: Sequence[Line]) -> None:
        what = f"of the table “{section.title}”" if section.title else "of a table"
        shown = printable(collapse(lost[0].text))[:100]
        self.outline.complain(
            "warning", "unread",
            f"{counted(len(lost), 'row')} {what} could not be split into columns: “{shown}”.",
            "Provide the output as printed, or as JSON (J at the end of the command).",
        )  # fmt: skip
