"""The battery, CacheVault or energy pack in storcli's outputs."""

from __future__ import annotations

import re

from raidctl.text import attempt, collapse, regex
from raidctl.vendor.draft import DETAIL, ROW, WEAK, Draft, Pair
from raidctl.vendor.fields import read_field
from raidctl.vendor.limits import WORN_PERCENT
from raidctl.vendor.statuses import put_status, read_status
from raidctl_megaraid import bbu_mask, vocabulary
from raidctl_megaraid.draft import ControllerDraft
from raidctl_megaraid.storcli import battery_labels as labels
from raidctl_megaraid.storcli import controller_words as words
from raidctl_megaraid.storcli.outline import Answer, Row, Section
from raidctl_megaraid.storcli.tables import keep, keep_rows, keep_texts, two_columns

_FLAGGED, _DEAD = DETAIL + 1, DETAIL + 2
"""Weights of the facts about a pack. A learn cycle under way counts more than the state word, a failed or missing pack
more than that."""

_NAMES = {"bbu": "bbu", "battery": "bbu", "cachevault": "cachevault", "cache": "cachevault", "cv": "cachevault"}
_PACKS = ("energy", "energypack", "ep")


_COMMAND = regex(r"/c\w+\s?/(bbu|cv|ep)\b", re.IGNORECASE)


def kind_of_answer(answer: Answer, command: str) -> str | None:
    """The kind of battery an answer is about, by title or command."""
    for section in answer.sections:
        name = _name_of_title(section.title)
        if name is not None:
            return name
    asked = _COMMAND.search(command)
    return _name_of_title(asked[1]) if asked else None


def _name_of_title(title: str) -> str | None:
    plain = words.word(title)
    if not labels.TITLES.fullmatch(plain):
        return None
    first = plain.replace("_", " ").split(" ", 1)[0]
    return "energypack" if first in _PACKS else _NAMES.get(first)


def is_battery(section: Section, kind: str | None) -> bool:
    """Whether a section is about the pack. ``Properties`` and ``Status`` are the controller's in other answers."""
    title = words.word(section.title)
    if labels.TITLES.fullmatch(title):
        return True
    if kind is None or title not in labels.SHARED_TITLES or not section.rows:
        return False
    # Properties: rows of Property and Value below Cachevault_Info
    return [words.word(label) for label in section.rows[0]] == ["property", "value"]


def read_battery(controller: ControllerDraft, section: Section, kind: str | None) -> None:
    """Read a section of the pack into its draft."""
    name = _name_of_title(section.title) or kind or next(iter(controller.batteries), "bbu")
    battery = _pack(controller, name)
    title = section.title if labels.FIRMWARE_TITLES.fullmatch(words.word(section.title)) else ""
    for pair in section.pairs:
        _read_pair(battery, pair, title)
    rest: list[Row] = []
    count = 0
    for row in section.rows:
        pair_of_row = two_columns(row)
        if _is_pack(row):
            count += 1
            _read_wide(battery if count == 1 else _pack(controller, f"{name}{count}"), row)
        elif pair_of_row is not None:
            _read_pair(battery, pair_of_row, title)
        else:
            rest.append(row)
            _report_nameless(battery, section, row)
    keep_rows(battery, section, rest, section.title)
    keep_texts(battery, section)
    if name == "cachevault":
        battery.put(None, "kind", "capacitor", WEAK)


def _report_nameless(battery: Draft, section: Section, row: Row) -> None:
    """Report a row that lacks its label: its value may be a failed state, or the ``Yes`` of an alarm."""
    values = [cell.value for title, cell in row.items() if words.word(title) == "value" and cell.value]
    if values:
        battery.add_problem(
            "warning", "unread", f"A row of {section.title or 'a table'} lacks its label; its value is "
            f"{collapse(values[0])[:40]!r}.", "See the tool's own report.",
        )  # fmt: skip


def read_column(controller: ControllerDraft, cell: Pair) -> None:
    """Read the column ``BBU`` or ``EPack`` of the overview.

    The column has the state of the controller's pack, whatever kind it is.
    """
    if words.word(cell.value) in words.NO_VALUE or len(controller.batteries) > 1:
        return
    _read_state(controller.battery(next(iter(controller.batteries), _UNNAMED)), cell, ROW)


def read_next_learn(controller: ControllerDraft, pair: Pair) -> None:
    """``Next Battery Learn = 06/18/2031, 20:00:00`` among the controller's scheduled tasks."""
    when = words.moment(pair.value)
    if when is None:
        return
    reported = (pair.lines[0] if pair.lines else None, when)
    controller.put(None, "next_learn", reported)
    if len(controller.batteries) == 1:
        next(iter(controller.batteries.values())).put(reported[0], "next_learn_at", when, WEAK)


def merge_batteries(controller: ControllerDraft) -> None:
    """Merge what several outputs report of the controller's battery.

    An output that reports no state (the column of the overview, figures alone) is about the only pack that has one; the
    scheduled tasks and the bit mask ``BBU Status`` fill in what no output of the pack itself reported.
    """
    named = [name for name in controller.batteries if name != _UNNAMED]
    states = [name for name in named if controller.batteries[name].get("status") is not None]
    if len(states) == 1 or len(named) == 1:
        home = controller.batteries[(states or named)[0]]
        for name in [name for name in controller.batteries if name not in states and name != home.name]:
            home.absorb(controller.batteries.pop(name))
    for each in controller.batteries.values():
        _doubt(each)
    _worst_mask(controller)
    if len(controller.batteries) != 1:
        return
    battery = next(iter(controller.batteries.values()))
    _give_next_learn(controller, battery)
    mask = controller.get("bbu_status")
    if mask is None:
        return
    if battery.get("status") is None:
        printed = ", ".join(bbu_mask.words(mask))
        battery.override("status", bbu_mask.status(mask), WEAK)
        battery.override("status_text", f"BBU Status {mask}: {printed}" if printed else f"BBU Status {mask}", WEAK)
    by_mask = bbu_mask.status(mask)
    if battery.get("status") in ("ok", "unknown") and by_mask in ("missing", "failed", "learning", "degraded"):
        # State Optimal beside BBU Status 1024: the firmware's own bits count, as in MegaCli's answers
        text = f"{battery.get('status_text')}; BBU Status {mask}: {', '.join(bbu_mask.words(mask))}"
        battery.override("status", by_mask, _DEAD)
        battery.override("status_text", text, _DEAD)
    if bbu_mask.replace(mask):
        battery.override("replace", value=True)


def _worst_mask(controller: ControllerDraft) -> None:
    """Let the bits that report a fault count, if outputs disagree on ``BBU Status``."""
    masks = [value for _, name, value in controller.evidence if name == "bbu_status" and isinstance(value, int)]
    bad = next((mask for mask in masks if bbu_mask.status(mask) not in ("ok", "charging")), None)
    if bad is not None:
        controller.override("bbu_status", bad)


def _doubt(battery: Draft) -> None:
    """``Battery State  Optimal`` beside ``Remaining Capacity Low  Yes`` is degraded, as with MegaCli.

    A capacitor has no gauge, and firmware prints ``Relative State of Charge  0%``: its charge is unknown.
    """
    if battery.get("kind") == "capacitor" and battery.get("charge_percent") == 0:
        battery.discard("charge_percent")
    flaws: tuple[str, ...] | None = battery.get("flaws")
    if flaws and battery.get("status") in ("ok", "unknown", None):
        printed = battery.get("status_text")
        battery.override("status", "degraded")
        battery.override("status_text", "; ".join((printed, *flaws) if printed else flaws))


def _give_next_learn(controller: ControllerDraft, battery: Draft) -> None:
    if controller.get("next_learn") is not None and battery.get("next_learn_at") is None:
        line, when = controller.get("next_learn")
        battery.put(line, "next_learn_at", when, WEAK)


_UNNAMED = "unnamed"
"""Name of the pack that only the overview has reported. It is a battery, CacheVault or energy pack."""


def _pack(controller: ControllerDraft, name: str) -> Draft:
    """The draft of a pack. What was reported of a pack without a name belongs to this one."""
    if name not in controller.batteries:
        early = controller.batteries.pop(_UNNAMED, None)
        if early is not None:
            controller.battery(name).absorb(early)
        _give_next_learn(controller, controller.battery(name))
    return controller.battery(name)


def _is_pack(row: Row) -> bool:
    """``Model State RetentionTime Temp Mode MfgDate``; v8 ``Type SubType Voltage(mV) Temperature(C) Status``."""
    return any(words.word(label) in labels.STATES for label in row)


def _read_wide(battery: Draft, row: Row) -> None:
    for cell in row.values():
        _read_pair(battery, cell, "")


def _read_pair(battery: Draft, pair: Pair, title: str) -> None:
    """Read one label. ``title`` is that of a section of flags, and empty for other sections."""
    label = words.word(pair.label)
    field = None if title and label != "relative state of charge" else labels.FIELDS.get(label)
    if label in labels.STATES and not title:
        _read_state(battery, pair)
    elif field is not None:
        value = read_field(battery, pair, field)
        if value == 0 or (value is not None and field.name == "next_learn_at"):
            battery.keep_words(pair.label, pair.value)
    elif label in labels.REPLACE:
        _read_replace(battery, pair)
    else:
        _read_type(battery, pair, label)
        _read_flag(battery, pair, label)
        keep(battery, Pair(f"{title}: {pair.label}" if title else pair.label, pair.value, pair.lines))


def _read_state(battery: Draft, pair: Pair, weight: int = DETAIL) -> None:
    """``Battery State  Optimal``, ``Degraded (need attention)``, ``Unknown``."""
    if vocabulary.is_unknown(pair.value):
        put_status(battery, pair.lines, "battery", "unknown", text=pair.value, weight=weight)
        return
    if weight == DETAIL and attempt(words.battery_status, pair.value) in ("failed", "missing"):
        weight = _DEAD
    read_status(battery, pair, "battery", words.battery_status, words.has_status, weight=weight)


def _read_replace(battery: Draft, pair: Pair) -> None:
    """``Replacement required  Yes``, ``Pack is about to fail & should be replaced  No``: one Yes is enough."""
    try:
        asked = words.flag(pair.value)
    except ValueError:
        asked = None
        battery.unread(pair.label, pair.value)
    if asked is not None:
        for line in pair.lines:
            battery.put(line, "replace", asked, DETAIL if asked else ROW)
    if asked:
        _note_contradiction(battery, pair)
    keep(battery, pair)


def _read_type(battery: Draft, pair: Pair, label: str) -> None:
    """``Type  CVPM02``."""
    kind = words.battery_kind(pair.value) if label in labels.TYPES else None
    if kind is not None:
        weight = ROW if label == "device name" else DETAIL
        battery.put(pair.lines[0] if pair.lines else None, "kind", kind, weight)


def _read_flag(battery: Draft, pair: Pair, label: str) -> None:
    value = words.word(pair.value)
    line = pair.lines[0] if pair.lines else None
    if label in labels.LEARNING and value in words.YES:
        # Learn Cycle Active  Yes
        battery.put(line, "status", "learning", _FLAGGED)
        battery.put(line, "status_text", f"{pair.label}: {pair.value}", _FLAGGED)
    elif label in labels.GONE and value in words.YES:
        battery.put(line, "status", "missing", _DEAD)
        battery.put(line, "status_text", f"{pair.label}: {pair.value}", _DEAD)
    elif label in labels.FLAGS and value not in words.YES | words.NO | words.NO_VALUE:
        battery.unread(pair.label, pair.value)
    capacitance = attempt(words.percent, pair.value) if label == "capacitance" else None
    if capacitance is not None and capacitance <= WORN_PERCENT:
        # Capacitance  92 %
        battery.add_problem("warning", "state", f"The capacitor has {capacitance}% of its capacitance.", labels.POWER)
        _note_contradiction(battery, pair)
    trouble = labels.TROUBLES.get(label)
    known = trouble is None or value in trouble[0] | labels.GOOD_WORDS | words.NO_VALUE or value[:1].isdigit()
    if label in labels.WORDS and not known:
        battery.unread(pair.label, pair.value)
    if trouble is not None and value in trouble[0]:
        battery.add_problem("warning", "state", trouble[1], trouble[2])
        if label not in labels.ADVICE and not (label == labels.OFFLOAD and battery.name.startswith("bbu")):
            _note_contradiction(battery, pair)


def _note_contradiction(battery: Draft, pair: Pair) -> None:
    """Remember a flag that contradicts a good state."""
    flaws: tuple[str, ...] = battery.get("flaws") or ()
    battery.override("flaws", tuple(dict.fromkeys((*flaws, f"{pair.label}: {pair.value}"))))
