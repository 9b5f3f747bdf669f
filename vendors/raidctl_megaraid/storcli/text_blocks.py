"""Text outputs as titles, pairs, tables, legends and the rest, uninterpreted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from raidctl.evidence import Line
from raidctl.text import regex
from raidctl_megaraid.storcli.headless_rows import HEAD
from raidctl_megaraid.storcli.outline import plain

BlockKind = Literal["blank", "title", "pair", "table", "legend", "rule", "prompt", "crash", "text"]

CRASH = regex(
    r"illegal instruction|segmentation fault|bus error|core dumped|floating point exception|terminate called|"
    r"stack smashing|double free|corrupted size|"
    r"(?:^|line \d+:)[\W\d]*(?:Aborted|Killed|Terminated|Hangup)\b|trace/breakpoint trap|"
    r"bad_alloc|out of memory",
    re.IGNORECASE,
)
"""Messages of a shell or run time library about a tool that crashed."""
_DIED = regex(r"illegal instruction|segmentation fault|bus error|core dumped", re.IGNORECASE)
# root@far:~# storcli64 /c0 show     [root@far ~]# ls     $ perccli show     C:\> storcli64 show
PROMPT = regex(
    r"^\s*(?:\[?[\w.-]{1,64}@[\w.-]{1,64}[^#$%>\n]{0,80}[#$%>](?:\s|$)|[#$%>] ?\S|[A-Z]:\\[^>\n]{0,80}>|"
    r"(?:ba)?sh-\d[\d.]*[#$]|\S{0,80}[#$>] ?(?:sudo )?\S{0,80}(?:storcli|perccli))"
)
# HwCfg :
_TITLE = regex(r"^\s*(\S.*?)\s*:$")
_TITLE_ALONE = regex(r"^\s?\S.{0,120}? :$")
_DOUBLE_RULE = regex(r"^\s*={2,}$")
_CUT_RULE = regex(r"^\s*=$")
"""A rule that is cut off after its first character."""
_RULE = regex(r"^\s*-{5,}$")
# Firmware Version = 4.680.00-8563    Inquiry Data =    BGI Rate  = Yes
_PAIR = regex(r"^\s*(\S[^=|]{0,160}?)\s+=(?:\s+(.*))?$")
# EID=Enclosure Device ID|Slt=Slot No.|DID=Device ID     EID-Enclosure Device ID|Slt-Slot No.
_LEGEND = regex(r"^\s*[\w/+%.() -]{1,40}[=-][^|]*\|")
_LAST_LEGEND = regex(r"^\s*[\w/]{1,12}=\S")
# Mode 5: 48+ Hrs retention with a non-transparent learn cycle
_MODE = regex(r"^\s*Mode \d+\s*:")
_HEX_ROW = regex(r"^\s*(?:[0-9a-fA-F]{2}\s+){3,}[0-9a-fA-F]{2}$|^\s*(?:[0-9a-fA-F]{2}\s*){1,4}$")
_WRAP = 60
"""Characters of a line that a mailer or terminal may have broken."""
_LONGEST = 20_000
"""The most characters of a line. A longer one is not of these tools, and is not read."""
# Where an answer begins, also in the middle of a table that breaks off
_ANSWER = regex(r"^\s*(?:CLI Version|Operating system|Controller|Status Code|Status) +=", re.IGNORECASE)


class Block(Struct):
    """A piece of a text."""

    kind: BlockKind
    lines: list[Line]
    label: str = ""
    """A title's words, a pair's label."""
    value: str = ""
    head: str = ""
    """Of a table: the line with the titles."""
    body: list[tuple[str, list[Line]]] = []
    """Of a table: its rows."""
    closed: bool = True
    """Of a table: its last rule is there."""


def blocks(lines: Sequence[Line]) -> list[Block]:
    """Cut a text into blocks. Each line is in exactly one of them."""
    return _Cutter(lines).cut()


class _Cutter:
    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = lines
        self.texts = [plain(line.text).rstrip() if len(line.text) <= _LONGEST else "(…)" for line in lines]
        self.at = 0
        self.found: list[Block] = []

    def cut(self) -> list[Block]:
        while self.at < len(self.lines):
            self._next()
        return self.found

    def _text(self, at: int) -> str:
        return self.texts[at] if at < len(self.texts) else ""

    def _keep(self, kind: BlockKind, count: int = 1, label: str = "", value: str = "") -> Block:
        block = Block(kind, list(self.lines[self.at : self.at + count]), label, value)
        self.found.append(block)
        self.at += count
        return block

    def _next(self) -> None:
        text = self._text(self.at)
        if not text:
            self._keep("blank")
        elif _RULE.match(text):
            self._table()
        elif _DOUBLE_RULE.match(text):
            self._keep("rule")
        elif PROMPT.match(text):
            self._keep("prompt")
        elif self._is_title(self.at):
            match = _TITLE.match(text)
            below = self._text(self.at + 1)
            cut = self.at + 2 == len(self.lines) and _CUT_RULE.match(below) is not None
            ruled = _DOUBLE_RULE.match(below) is not None or cut
            self._keep("title", 2 if ruled else 1, match[1].strip() if match else text.strip())
        elif self._is_legend(text):
            self._legend()
        elif _DIED.search(text):
            self._keep("crash")  # Firmware Version = 4.6Segmentation fault
        elif pair := _PAIR.match(text):
            self._pair(pair[1].strip(), (pair[2] or "").strip())
        elif HEAD.match(text) and _RULE.match(self._text(self.at + 1)):
            self._take_table(self.at, self.at + 2)  # its first rule was cut off
        else:
            self._keep("crash" if CRASH.search(text) else "text")

    def _is_title(self, at: int) -> bool:
        """Whether a line is ``PD LIST :`` with its rule. Without the rule, there must be a blank before the colon."""
        text = self._text(at)
        if not text or _RULE.match(text) or _DOUBLE_RULE.match(text):
            return False
        return _DOUBLE_RULE.match(self._text(at + 1)) is not None or _TITLE_ALONE.match(text) is not None

    def _is_legend(self, text: str) -> bool:
        if _LEGEND.match(text) and not re.match(r"[^|]* = ", text):
            return True
        previous = next((block for block in reversed(self.found[-3:]) if block.kind != "blank"), None)
        after_table = previous is not None and previous.kind == "table"
        return after_table and (_MODE.match(text) is not None or _LAST_LEGEND.match(text) is not None)

    def _legend(self) -> None:
        """Up to the next blank line; its last line may be ``Check Consistency``."""
        count = 1
        while self._text(self.at + count) and not self._begins(self.at + count):
            count += 1
        self._keep("legend", count)

    def _begins(self, at: int) -> bool:
        """Whether something of a form begins at a line."""
        text = self._text(at)
        return bool(
            self._is_title(at) or _RULE.match(text) or _DOUBLE_RULE.match(text) or PROMPT.match(text)
            or CRASH.search(text) or _PAIR.match(text)
        )  # fmt: skip

    def _pair(self, label: str, value: str) -> None:
        count = 1
        values = [value] if value else []
        hexadecimal = not value or _HEX_ROW.match(value) is not None
        while (text := self._text(self.at + count)) and not self._begins(self.at + count):
            if hexadecimal and _HEX_ROW.match(text):
                pass
            elif not self._runs_on(self._text(self.at + count - 1), text) or (not value and count > 1):
                break
            values.append(text.strip())
            count += 1
        self._keep("pair", count, label, " ".join(values))

    @staticmethod
    def _runs_on(before: str, text: str) -> bool:
        """``RAID Level Supported = RAID0, RAID1,`` continues in the next line. So does a line that a mailer wrapped."""
        return before.endswith((",", ", ")) or text.lstrip().startswith(",") or len(before) >= _WRAP

    def _table(self) -> None:
        """``-----``, head, ``-----``, rows, ``-----``."""
        at = self._after_blanks(self.at + 1)
        first = self._below_head(at, self._text(at))
        if first is None or self._begins(at):
            self._keep("rule")
            return
        self._take_table(at, first)

    def _take_table(self, head: int, first: int) -> None:
        """Take a table that begins with this head and first row."""
        block = Block("table", [], head=self._text(head), closed=False)
        end = self._rows(block, first)
        rows = {line.number for _, lines in block.body for line in lines}
        block.lines = [line for line in self.lines[self.at : end] if line.number not in rows]
        self.found.append(block)
        self.at = end

    def _below_head(self, at: int, head: str) -> int | None:
        """The line below a head and its rule. None if there is no such head."""
        under = self._after_blanks(at + 1)
        same = bool(head) and self._text(at).strip() == head.strip()
        return under + 1 if same and _RULE.match(self._text(under)) else None

    def _rows(self, block: Block, at: int) -> int:
        """Take the rows up to the last rule. Return the line after the table."""
        end = at
        while at < len(self.texts):
            text = self._text(at)
            if _RULE.match(text):
                again = self._below_head(self._after_blanks(at + 1), block.head)
                if again is None:
                    block.closed = True
                    return at + 1
                at = end = again  # the head is repeated
                continue
            if text and self._ends_table(at):
                break
            if text and text.strip() != block.head.strip():
                block.body.append((text, [self.lines[at]]))
            at += 1
            end = at if text else end
        return end

    def _ends_table(self, at: int) -> bool:
        """Whether a line among the rows is not a row. The table then has no last rule."""
        text = self._text(at)
        legend = _LEGEND.match(text) is not None and text.count("|") > 1
        # A volume may be called "a = b": only after a blank line is that no row
        pair = _PAIR.match(text) is not None and (not self._text(at - 1) or _ANSWER.match(text) is not None)
        return bool(self._is_title(at) or legend or PROMPT.match(text) or CRASH.search(text) or pair)

    def _after_blanks(self, at: int) -> int:
        while at < len(self.texts) and not self.texts[at]:
            at += 1
        return at
