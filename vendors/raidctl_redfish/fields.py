"""Read the leaves of a resource into a draft, by tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from raidctl.evidence import Line
from raidctl.model import ASK_OWN_TOOL
from raidctl.text import collapse, printable, regex
from raidctl.vendor import fields as vendor_fields
from raidctl.vendor.draft import DETAIL, REPORT, Draft
from raidctl.vendor.statuses import put_status
from raidctl_redfish.resource import Resource
from raidctl_redfish.vocabulary import HEALTH, bare

_MIB = 1024 * 1024


class Field(NamedTuple):
    """A leaf, the model's field that it gives, and its reader. The reader raises ``ValueError`` for another form."""

    leaf: str
    name: str
    read: Callable[[object], object]


def read_fields(draft: Draft, resource: Resource, fields: Sequence[Field], weight: int = DETAIL) -> None:
    """Read leaves. Null means no value; a value of another form is a problem."""
    for field in fields:
        value = resource.get(field.leaf)
        if value is None or value == "":
            continue
        try:
            found = field.read(value)
        except ValueError:
            draft.unread(field.leaf, str(value)[:80])
            continue
        if found is not None:
            draft.put(resource.line(field.leaf), field.name, found, weight)


def report_other_form(draft: Draft, resource: Resource, name: str) -> None:
    """Report a list of objects that has another form: what it would contain is unknown."""
    found = resource.get(name)
    if found is not None and (not isinstance(found, list) or len(resource.parts(name)) < len(found)):
        draft.unread(name, str(found)[:80])


def text(value: object) -> str | None:
    """A text, with its blanks collapsed."""
    if isinstance(value, str):
        return collapse(printable(value)) or None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    raise ValueError("no text")


def whole(value: object) -> int:
    """A number of 0 or more, rounded to a whole one."""
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 2**63:
        raise ValueError("no number")
    return round(value)


def size(value: object) -> int | None:
    """A size in bytes; 0: unknown."""
    return whole(value) or None


def mebibytes(value: object) -> int:
    """A size in MiB, as bytes."""
    return whole(value) * _MIB


def percent(value: object) -> int:
    """A percentage."""
    found = whole(value)
    if found > 100:
        raise ValueError("no percentage")
    return found


def number(value: object) -> float:
    """Any number of 0 or more."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 10**12:
        raise ValueError("no number")
    return round(float(value), 3)


def flag(value: object) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise ValueError("no flag")  # noqa: TRY004 - as the other readers
    return value


def look_up(table: Mapping[str, object]) -> Callable[[object], object]:
    """A reader of a word that is in a table."""
    return vendor_fields.look_up(table, bare)


def state_of(resource: Resource) -> str:
    """``enabled`` of ``"Status": {"State": "Enabled"}``; empty if it is not reported."""
    return bare(resource.text("Status.State"))


class Mark(NamedTuple):
    """A further word for an object's state: model status, word and line."""

    status: str
    word: str
    line: Line | None


_ORDER = ("critical", "failed", "offline", "rebuilding", "warning", "degraded", "unknown", "ok")


# "Oem": {"Lenovo": {"DriveStatus": "UnconfiguredBad"}}
_MAIN_STATE = regex(r".*\.(?:Physical|Logical|Virtual)?(?:Drive|Disk|Volume|P[Dd]|[LV][Dd]|Raid)(?:Status|State)")
"""Leaves with the state of the object itself. An unknown word in another one may be about anything."""
_OWN_STATE = regex(r"Oem\.(?:\w+\.)+(?!\w*(?:Secur|Encrypt|Lock|Power|Link|Predict|Patrol|Eras))\w*(?:Status|State)")


def own_states(resource: Resource, words: Mapping[str, str]) -> Iterator[Mark]:
    """Bad and unknown states that a maker's extension reports, whatever it calls the leaf."""
    for line in resource.output.lines:
        leaf, _, value = line.text.partition(": ")
        word = value.strip('"')
        if not _OWN_STATE.fullmatch(leaf) or bare(word) in ("", "null", "unknown"):
            continue
        status = words.get(bare(word), "unknown" if _MAIN_STATE.fullmatch(leaf) else "ok")
        if status != "ok":
            yield Mark(status, word, line)


def put_health(
    draft: Draft,
    resource: Resource,
    what: str,
    status: str | None,
    marks: Sequence[Mark] = (),
    *,
    weight: int = DETAIL,
) -> None:
    """Put the worst of what ``Status`` and other words report. A health that is not reported is a problem."""
    words = [resource.text(f"Status.{name}") for name in ("Health", "State")]
    lines = [resource.line(f"Status.{name}") for name in ("Health", "State")] + [mark.line for mark in marks]
    shown = ", ".join(dict.fromkeys(printable(word) for word in (*words, *(mark.word for mark in marks)) if word))
    reported = [mark.status for mark in marks]
    if bare(words[0]) in HEALTH:
        found = min((status or "unknown", *reported), key=_ORDER.index)
        strange = [mark.word for mark in marks if mark.status == "unknown"]
        put_status(draft, [line for line in lines if line is not None], what, found, text=shown, weight=weight)
        if found != "unknown" and strange:
            message = f"The {what}'s status word {printable(strange[0])[:40]!r} is not recognised."
            draft.add_problem("warning", "unread", message, REPORT)
        return
    bad = [one for one in (status or "unknown", *reported) if one not in ("unknown", "ok")]
    for line in lines:
        draft.put(line, "status", min(bad, key=_ORDER.index, default="unknown"), weight)
        draft.put(line, "status_text", shown or None, weight)
    if status in ("critical", "offline") and not words[0]:
        return  # "State": "Absent" without a health
    message = f"The BMC does not report the health of the {what}."
    if words[0]:
        message = f"The {what}'s health {printable(words[0])[:40]!r} is not recognised."
    draft.add_problem("warning", "unread", message, REPORT if words[0] else ASK_OWN_TOOL)
