"""Convert a tool's word for a state to the model's status."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from msgspec import Struct

from raidctl.evidence import Line
from raidctl.model import Health, Operation, RaidLevel, TaskState, VolumeStatus
from raidctl.text import attempt, collapse, regex
from raidctl.vendor.draft import DETAIL, REPORT, ROW, Derived, Draft, GroupDraft, Pair
from raidctl.vendor.limits import wears_out_soon

_LONGEST = 80
"""Characters of a quoted word."""
_IN_NO_ARRAY = ("unassigned", "passthrough")
"""Roles of drives that no volume uses."""
ORDER: tuple[Health, ...] = ("critical", "warning", "unknown", "ok")
"""Worst first."""
HEALTH_OF_VOLUME: Mapping[VolumeStatus, Health] = {
    "ok": "ok", "checking": "ok", "initializing": "ok", "expanding": "ok", "migrating": "ok",
    "degraded": "warning", "rebuilding": "warning",
    "failed": "critical", "offline": "critical", "inactive": "critical", "unknown": "unknown",
}  # fmt: skip
# Online (Predictive Failure), Ready (S.M.A.R.T. error): a part of a word is enough, because the words are not a status
_TROUBLE = regex(
    r"(?<!no )(?:fail|degrad|error|warn|smart|predict|wear|temperat|heat|missing|critical|offline|not optimal)",
    re.IGNORECASE,
)
# State : Ready (RDY)      the abbreviation of a word; Optimal (OPT), Checking(12.3%), Optimal (firmware 4.1), Ok (25 C)
_NO_REMARK = regex(
    r"(?:[A-Z]{3}|[\d.% ]*|[\d.]+ ?(?:C|K|m?V|m?A|[MGT]i?B|[MG]b/s)|firmware [\d.]+|[Nn]o [Ee]rrors?)", re.ASCII
)
_BAD_STATUS = regex(
    r"(?<!no )(?<!not )\b(?:fail(?:ed|ure|ing)?|fault(?:y|ed)?|fatal|(?:non-?)?critical|degraded|error|offline|abnormal"
    r"|unrecoverable|dead|lost|missing|removed|over|warning|not (?:ok|optimal))\b",
    re.IGNORECASE,
)
_PAST = regex(r"\b(?:last|previous|self.?test|history)\b", re.IGNORECASE)


def report_bad_status(draft: Draft, pair: Pair) -> None:
    """Report a status or state without a field whose word is bad: ``NVRAM Status: Failed``."""
    label = collapse(pair.label)
    if label.lower().endswith(("status", "state")) and is_bad_status(pair.value) and not _PAST.search(label):
        value = collapse(pair.value)[:_LONGEST]
        draft.add_problem("warning", "state", f"The tool reports {label}: {value}.", "Look it up in the manual.")


def is_bad_status(text: str) -> bool:
    """Whether a status contains a bad word, for parts without a table of words: ``Failed``, ``Over temperature``."""
    return _BAD_STATUS.search(text) is not None


def health_of_volume(status: VolumeStatus | None) -> Health:
    """Health of an array whose tool prints only the state of its volume."""
    return HEALTH_OF_VOLUME[status or "unknown"]


def remark_on_ok(remark: str, look_up: Callable[[str], str | None]) -> Health:
    """What a remark beside a good word makes of it: ``predictive failure`` of ``Online (Predictive Failure)``.

    ``unknown`` if it is neither bad, nor an abbreviation, a number, or a good word for ``look_up``.
    """
    text = remark.strip(" )]")
    if _NO_REMARK.fullmatch(text) or look_up(text) == "ok":
        return "ok"
    return "warning" if _TROUBLE.search(text) or look_up(text) in ("warning", "critical") else "unknown"


def worst(healths: Collection[Health]) -> Health:
    """The worst of several; unknown if there is none."""
    return next((health for health in ORDER if health in healths), "unknown")


def put_status(
    draft: Draft,
    lines: Sequence[Line],
    what: str,
    status: str | None,
    *,
    text: str,
    word: str | None = None,
    weight: int = DETAIL,
    prefix: str = "",
    held_as: str | None = None,
) -> None:
    """Put a status and the tool's words for it. A word that is not in the family's table is a problem.

    If two sources disagree, the bad status is used, whatever their ranks: a drive that is failed only in the tool's
    list is not ok.

    Args:
        draft: The object.
        lines: The lines that print it.
        what: The object's kind, ``controller``.
        status: The model's word; None or ``unknown``: the family's table does not have the tool's word.
        text: The tool's words.
        word: The word that was looked up, if not all of them.
        weight: The rank of the source.
        prefix: ``cache.`` for the status of a part.
        held_as: The package's own field for it, if the status follows from several lines.
    """
    name = f"{prefix}status"
    weight = draft.status_weight(held_as or name, status or "unknown", weight)
    for line in lines or (None,):
        draft.put(line, held_as or name, status or "unknown", weight, name if held_as else None)
        draft.put(line, f"{name}_text", collapse(text), weight)
    if status in (None, "unknown"):
        shown = (text if word is None else word)[:_LONGEST]
        draft.add_problem("warning", "unread", f"The {what}'s status word {shown!r} is not recognised.", REPORT)


class VolumeWord(Struct, frozen=True):
    """What a tool's word for the state of a volume means."""

    status: VolumeStatus
    operation: Operation | None = None
    """The operation that is running."""
    queued: Operation | None = None
    """The operation that it waits for."""


def put_volume_word(
    volume: Draft, line: Line, word: VolumeWord | None, *, text: str, percent: float | None, weight: int = DETAIL
) -> None:  # fmt: skip
    """Put a volume's status and the progress that its line reports.

    Args:
        volume: The draft.
        line: The line that prints them.
        word: What the tool's word means; None: it is not in the family's table.
        text: The tool's words.
        percent: How far the operation is; None: not printed.
        weight: The rank of the source.
    """
    put_status(volume, [line], "volume", word.status if word else None, text=text, weight=weight)
    operation = word.operation if word else None
    going = operation or (word.queued if word else None)
    if volume.get("progress.operation") == "parity" and going not in (None, "parity"):
        volume.discard("progress.operation", "progress.state", "progress.percent")
    if operation is not None or percent is not None:
        volume.put(line, "progress.operation", operation or "unknown", weight)
    elif word and word.queued:
        volume.put(line, "progress.operation", word.queued, weight)
        volume.put(None, "progress.state", "queued", weight)
    if percent is not None:
        volume.put(line, "progress.percent", percent, weight)


_PARITY_DONE = frozenset(
    {"completed", "complete", "initialization completed", "initialization complete", "initialized", "done", "ok"}
)
_NO_PARITY = frozenset({"", "-", "--", "---", "none", "n/a", "na", "not applicable", "not supported"})
"""What a tool prints for a volume without parity."""
_PARITY_STATES: dict[str, TaskState] = {
    "in progress": "running", "initialization in progress": "running", "initializing": "running", "running": "running",
    "queued": "queued", "pending": "queued", "initialization pending": "queued", "initialization queued": "queued",
    "not started": "paused", "initialization not started": "paused", "not initialized": "paused",
    "paused": "paused", "suspended": "paused", "stopped": "paused", "aborted": "paused",
}  # fmt: skip


def put_parity_word(volume: Draft, pair: Pair, word: str, percent: float | None) -> None:
    """Put how far the initialization of a volume's parity is. Parity is complete only by a word for that.

    Args:
        volume: The draft.
        pair: The pair that prints it.
        word: The tool's word, without a percentage.
        percent: How far it is; None: not printed.
    """
    text = collapse(word).lower().strip(". ")
    if text in _PARITY_DONE or (percent is None and text in _NO_PARITY):
        return
    state = _PARITY_STATES.get(text)
    if state is None and percent is None:
        state = "paused"  # the parity is not complete, and nothing is known to complete it
        if "fail" not in text:
            volume.unread(pair.label, pair.value)
    if volume.get("progress.operation") not in (None, "unknown", "parity"):
        return  # it waits for that, or runs in parallel
    volume.put(pair.lines[0], "progress.operation", "parity", ROW)
    if state is not None and state != "running":
        volume.put(None, "progress.state", state, ROW)
    if percent is not None:
        volume.put(pair.lines[0], "progress.percent", percent, ROW)


def doubt_ok(volume: Draft | None, drives: Mapping[str, str]) -> None:
    """Make the status of an ok volume unknown if drives contradict it.

    ``drives``: the drives that it lists, and whose own state is that of no member, with the tool's word for it.
    """
    if volume is None or volume.get("status") not in ("ok", "checking") or not drives:
        return
    but = ", ".join(f"drive {name} is {word}" for name, word in drives.items())
    volume.restate("status_text", f"{volume.get('status_text')}, but {but}", ("status_text",))
    volume.restate("status", "unknown", ("status",))


def in_no_array(drives: Iterable[Draft]) -> dict[str, str]:
    """The drives that a line reports to be in no array, with its word for their state.

    Another output may report them as members: the outputs then contradict each other.
    """
    found: dict[str, str] = {}
    for drive in drives:
        lines = [line for line, name, role in drive.evidence if name == "role" and role in _IN_NO_ARRAY]
        if lines or drive.get("role") in _IN_NO_ARRAY:
            words = [str(word) for line, name, word in drive.evidence if name == "status_text" and line in lines[:1]]
            found[drive.name] = next(iter(words), drive.get("status_text") or "in no array")
    return found


def read_status(
    draft: Draft,
    pair: Pair,
    what: str,
    look_up: Callable[[str], str | None],
    has_value: Callable[[str], bool],
    *,
    weight: int = DETAIL,
) -> str | None:
    """Read a pair into the status. A pair without a value becomes a detail, and the result is None.

    ``look_up`` returns None or raises ``ValueError`` for an unknown word.
    """
    if not has_value(pair.value):
        draft.keep_detail(pair)
        return None
    status = attempt(look_up, pair.value) or "unknown"
    put_status(draft, pair.lines, what, status, text=pair.value, weight=weight)
    return status


def report_unknown_modes(draft: Draft, table: Derived, has_state: Callable[[str], bool]) -> None:
    """Report details that print a mode or state of a task by another word than their readers know.

    ``table``: the one that the fields were derived by. ``has_state``: whether a value prints a state.
    """
    for label, value in draft.details.items():
        for name, parse in table.get(label.lower(), ()):
            if name.endswith((".mode", ".state")) and attempt(parse, value) is None and has_state(value):
                draft.unread(label, value)


def report_life_left(drive: Draft, pair: Pair) -> None:
    """Report an SSD that is worn out soon, by ``Estimated Life Remaining: 40 days``."""
    if wears_out_soon(pair.value):
        message = f"At its workload to date, the SSD will be worn out in {collapse(pair.value)}."
        drive.add_problem("warning", "state", message, "Plan the replacement.")


def put_raid_level(volume: GroupDraft, pair: Pair, level: RaidLevel | None, *, empty: bool) -> None:
    """Put the level of a label. Without a name for it, the tool's word is a detail; ``empty``: it prints none."""
    if level is not None:
        volume.put(pair.lines[0], "raid_level", level)
        return
    volume.keep_detail(pair)
    if not empty:
        note_nameless_level(volume, pair.value)


def note_nameless_level(draft: Draft, value: str) -> None:
    """Note a RAID level that the model has no name for."""
    draft.add_problem("info", "note", f"RAID level {value} has no vendor-neutral name.")
