"""The tools' objections to a deed, by word and firmware code. Also the processes that interfere. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from posixpath import basename

from raidctl.request import Answer, RunAnswer
from raidctl.text import collapse, regex
from raidctl.vendor.plan import Action
from raidctl_megaraid.change import storcli
from raidctl_megaraid.change.megacli import EXIT_CODE
from raidctl_megaraid.megacli.failure import CODES, in_words
from raidctl_megaraid.tools import KINDS

# {"Drive": "/c0/e251/s6", "Status": "Failure", "ErrCd": 50, "ErrMsg": "device state doesn't support requested command"}
_CODE = regex(r"\(error (\d{1,5})\)$", re.ASCII)
_REFUSED = regex(
    r"\bfail|\berror\b|\bnot supported\b|\binvalid\b|\bwrong\b|does ?n.t|\bnot exist|\bnot present|\bnot found|cannot"
)
_READING = regex(
    r"show|-?v|-?version|-?h|-?help|-?(?:pdlist|pdinfo|ldinfo|ldpdinfo|ldgetnum|pdgetnum|adpallinfo|adpgetprop|adpcount"
    r"|adpgetpciinfo|adpeventlog|cfgdsply|cfgfreespaceinfo|encinfo|encstatus|showsummary|showprog|progdsply|info"
    r"|pdgetmissing|getpreservedcachelist|getbbustatus|fwtermlog)"
)


def judge(action: Action, answer: Answer) -> str | None:
    """The tool's objection; None if it accepted. Its output decides, not its exit code."""
    if not isinstance(answer, RunAnswer):
        return None
    if KINDS.get(basename(action.argv[0])) != "megacli":
        fault = storcli.judge(answer.text)
        match = _CODE.search(fault or "")
        meaning = CODES.get(int(match[1])) if match is not None and fault is not None else None
        return f"{fault}: {meaning}" if meaning and fault and meaning not in fault else _or_error(fault, answer)
    return _or_error(_megacli(answer.text), answer)


def _or_error(fault: str | None, answer: RunAnswer) -> str | None:
    """The words on standard error where standard output has none."""
    if fault is not None and not answer.text.strip() and answer.error_text.strip():
        return collapse(answer.error_text)[:200]
    return fault


def _megacli(text: str) -> str | None:
    """``Adapter: 0: EnclId-6 SlotId-1 state changed to OffLine.`` and ``Exit Code: 0x00``."""
    ends = EXIT_CODE.findall(text)
    lines = [collapse(line) for line in text.splitlines() if line.strip() and not EXIT_CODE.match(line)]
    shown = " ".join(lines)[:200]
    if not ends:
        return f"It ended without an exit code: {shown}" if shown else "It printed nothing."
    code = int(ends[-1], 16)
    if code:
        return in_words(code, shown)
    bad = next((line for line in lines if _REFUSED.search(line.lower())), None)
    if bad is not None:
        return bad[:200]
    # without the right to, it prints its exit code alone
    return None if lines else "It printed nothing but its exit code."


def may_interfere(words: Sequence[str]) -> bool:
    """Whether a process of the family's tools may be changing something. Such a process does more than read."""
    if not words or basename(words[0]) not in KINDS:
        return False
    return not any(_READING.fullmatch(word.lower().removeprefix("-")) for word in words[1:])
