"""JSON outputs of storcli, storcli2, perccli and perccli2 brought to an outline."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from raidctl.evidence import Line, Output, mark_read
from raidctl.text import printable, regex
from raidctl.vendor.draft import Pair
from raidctl_megaraid.storcli.from_text import AGAIN, from_text, judge
from raidctl_megaraid.storcli.json_recovery import Document, Fields, Number, Value, documents, torn, whole_characters
from raidctl_megaraid.storcli.json_surroundings import between, broken, loose
from raidctl_megaraid.storcli.outline import Answer, Outline, Row, Section, plain

# storcli64 /call show all J    storcli64 /c0 show all nolog J
_ASKED = regex(r"\sJ(?:\s|$)", re.IGNORECASE)
_DEEPEST = 40
"""Levels of nesting; the tools print at most eight."""

# "VD0 Properties" : {…, "PDs for VD 0" : […
_WITH_MEMBERS = regex(
    r"Command Status|Response Data|/c\d.*|Drive /c\d.*|PDs for VD \d+|VD\d+ Properties|VD Properties|VD Info|"
    r"VD LIST|PD LIST|System Overview|Virtual Drives|PDs"
)
_COUNTED = ("Virtual Drives", "PDs")
"""Names whose value is an object or a list; that of two is a number elsewhere."""
_MOST_NAMED = 5
_ENCODER = json.JSONEncoder(ensure_ascii=False)


def from_json(command: str, text: str) -> Outline:
    """Read a JSON output, the text around it, and text printed instead. Never raises."""
    text = whole_characters(text)
    found = documents(text)
    if not found and not torn(text):
        outline = from_text(command, text)
        if outline.answers and _ASKED.search(command):
            outline.complain("info", "note", "The tool printed text although JSON was requested; the text was read.")
        return outline
    outline = Outline(Output(command))
    walk = _Walk(outline.output)
    end = 0
    for document in found:
        _gap(outline, text[end : document.start])
        outline.answers.extend(walk.document(document))
        broken(outline, document, text)
        end = document.end
    _gap(outline, text[end:])
    mark_read(*walk.empty)
    _report_lost(outline, walk.lost)
    judge(outline)
    return outline


def _report_lost(outline: Outline, places: Sequence[str]) -> None:
    """Report values that are in place of what the tool prints there. It never prints null."""
    if places:
        named = ", ".join(f"“{printable(place)[-80:]}”" for place in places[:_MOST_NAMED])
        more = f" and {len(places) - _MOST_NAMED} more" if len(places) > _MOST_NAMED else ""
        outline.complain(
            "error", "unread", f"The JSON does not have what the tool prints at {named}{more}: that is unknown.", AGAIN
        )


def _gap(outline: Outline, text: str) -> None:
    """Read the text before, between and after the documents. It can be a document whose beginning is missing."""
    if not torn(text):
        between(outline, text)
        return
    loose(outline.output, text)
    outline.complain(
        "error", "unread",
        "The beginning of the JSON is missing: what came before, and the number of the controller, were not read.",
        AGAIN,
    )  # fmt: skip


class _Walk:
    """The maker of answers from documents. Each leaf becomes a line ``path: value``, as in ``Output.of_json``.

    Here, the lines are available while the pairs are made: a name may repeat, and may contain dots and brackets.
    """

    def __init__(self, output: Output) -> None:
        self.output = output
        self.empty: list[Line] = []
        self.lost: list[str] = []
        """Places of nulls, and of values that are no object or list where the tool prints one."""
        self.answer = Answer()

    def document(self, document: Document) -> list[Answer]:
        answers: list[Answer] = []
        self._controllers(document.value, "", answers)
        return answers

    def _controllers(self, value: Value, place: str, answers: list[Answer]) -> None:
        """``{"Controllers":[…]}``, a list of these, or one controller taken out of it."""
        if isinstance(value, Fields):
            names = {name for name, _ in value.items}
            if "Command Status" in names or "Response Data" in names:
                answers.append(self._controller(value, place))
                return
            for name, inner in value.items:
                if name == "Controllers":
                    self._controllers(inner, _join(place, name), answers)
                else:
                    self._leaves(inner, _join(place, name), 1)
        elif isinstance(value, list):
            for index, inner in enumerate(value):
                self._controllers(inner, f"{place}[{index}]", answers)
        else:
            self._line(place, value)

    def _controller(self, fields: Fields, place: str) -> Answer:
        self.answer = Answer()
        for name, value in fields.items:
            inner = _join(place, name)
            if name == "Command Status":
                self._status(value, inner)
            elif name == "Response Data":
                self._response(value, inner)
            else:
                self._other(Section(""), name, value, (), inner)
        return self.answer

    def _status(self, value: Value, place: str) -> None:
        if not isinstance(value, Fields):
            self._other(Section(""), "Command Status", value, (), place)
            return
        for name, inner in value.items:
            at = _join(place, name)
            if isinstance(inner, (Fields, list)) and name.strip().lower() == "detailed status":
                section = Section(name.strip(), ("Command Status",))
                self._rows(section, inner if isinstance(inner, list) else [inner], at)
                self.answer.details.extend(section.rows)
                if section.texts:
                    self.answer.sections.append(section)
            elif isinstance(inner, (Fields, list)):
                self._section(name, inner, ("Command Status",), at)
            else:
                self.answer.status.append(self._pair(name, inner, at))

    def _response(self, value: Value, place: str) -> None:
        """The values directly in the response data form the untitled section."""
        section = Section("")
        if isinstance(value, list):
            self._section("", value, (), place)
        elif isinstance(value, Fields):
            for name, inner in value.items:
                self._other(section, name, inner, (), _join(place, name))
        else:
            self._other(section, "Response Data", value, (), place)

    def _other(self, section: Section, name: str, value: Value, path: tuple[str, ...], place: str) -> None:
        """Add an object's member: a pair of its section, or a section."""
        if isinstance(value, (Fields, list)):
            self._section(name, value, path, place)
        else:
            if not section.title and not section.pairs:
                self.answer.sections.append(section)
            section.pairs.append(self._pair(name, value, place))

    def _section(self, name: str, value: Value, path: tuple[str, ...], place: str) -> None:
        section = Section(plain(name).strip(), path)
        self.answer.sections.append(section)
        if len(path) > _DEEPEST:
            self._line(place, "(nested deeper than any output of these tools)")
        elif isinstance(value, Fields) and value.items:
            for inner_name, inner in value.items:
                self._other(section, inner_name, inner, (*path, section.title), _join(place, inner_name))
        elif isinstance(value, list) and value:
            self._rows(section, value, place)
        elif isinstance(value, (Fields, list)):
            self.empty.append(self._line(place, value))
        else:
            section.texts.append(self._pair("", value, place))

    def _rows(self, section: Section, values: Sequence[Value], place: str) -> None:
        """``[{"EID:Slt" : "252:0", …}, …]``: rows. ``[{"VD Info" : {…}, "PDs" : […]}, …]``: sections of each item."""
        for index, value in enumerate(values):
            at = f"{place}[{index}]"
            around = (*section.path, f"{section.title}[{index}]")
            if isinstance(value, Fields) and value.items:
                row: Row = {}
                seen: dict[str, int] = {}
                for name, inner in value.items:
                    if isinstance(inner, (Fields, list)):
                        self._section(name, inner, around, _join(at, name))
                    else:
                        pair = self._pair(name, inner, _join(at, name))
                        row[_free(row, pair.label, seen)] = pair
                if row:
                    section.rows.append(row)
            elif isinstance(value, list) and value:
                self._section("", value, around, at)
            elif isinstance(value, (Fields, list)):
                self.empty.append(self._line(at, value))
            else:
                if any(isinstance(other, Fields) for other in values):
                    self.lost.append(at)
                section.texts.append(self._pair("", value, at))

    def _pair(self, name: str, value: Value, place: str) -> Pair:
        counted = isinstance(value, Number) and name.strip() in _COUNTED
        if value is None or (_WITH_MEMBERS.fullmatch(name.strip()) and not counted):
            self.lost.append(place)
        return Pair(plain(name).strip(), _plain(value), [self._line(place, value)])

    def _line(self, place: str, value: Value) -> Line:
        return self.output.add(f"{place}: {_printed(value)}")

    def _leaves(self, value: Value, place: str, depth: int) -> None:
        """Lines that are not an answer: they stay unparsed."""
        inner: list[tuple[str, Value]] = []
        if isinstance(value, Fields) and depth < _DEEPEST:
            inner = [(_join(place, name), item) for name, item in value.items]
        elif isinstance(value, list) and depth < _DEEPEST:
            inner = [(f"{place}[{index}]", item) for index, item in enumerate(value)]
        for at, item in inner:
            self._leaves(item, at, depth + 1)
        if not inner:
            self._line(place, value)


def _free(row: Row, label: str, seen: dict[str, int]) -> str:
    """``Status``, ``Status (2)``: two columns of one title are both kept. ``seen`` counts titles that repeat."""
    title = label
    while title in row:
        seen[label] = seen.get(label, 1) + 1
        title = f"{label} ({seen[label]})"
    return title


def _join(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def _plain(value: Value) -> str:
    """The text of a scalar: numbers as printed, nothing for null."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return plain(value).strip() if isinstance(value, str) else ""


def _printed(value: Value) -> str:
    if isinstance(value, str):
        return str(value) if isinstance(value, Number) else _ENCODER.encode(value)
    if isinstance(value, Fields):
        return "{}" if not value.items else "{…}"
    if isinstance(value, list):
        return "[]" if not value else "[…]"
    return _ENCODER.encode(value)
