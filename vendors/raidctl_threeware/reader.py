"""Reader of one tw_cli output, line by line into controller drafts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.evidence import Line, Output, mark_read
from raidctl.text import collapse, regex
from raidctl.vendor.draft import ROW, Draft, Pair
from raidctl.vendor.fields import D, Fields, read_pair
from raidctl_threeware import controller_of_table, grammar, old_info, tables, vocabulary
from raidctl_threeware.draft import ControllerDraft, Controllers
from raidctl_threeware.grammar import Attribute, Sentence, Table
from raidctl_threeware.labels import BATTERY, CONTROLLER, DRIVE, UNIT

# CLI Version = 2.00.11.020
_VERSION = regex(r"\s*(CLI|API) Version\s*=\s*(\S+)\s*")
_TITLE = regex(
    r"\s*(?:(?:Rebuild|Verify|Selftest) Schedule for Controller /?c?\d+|/c\d+/p\d+ .{0,40}:|"
    r"Drive Performance Monitor Configuration.*|(?:Performance Monitor|Version|Requested data|Max .*):.*)\s*"
)
_UNIT = regex(r"u\d{1,4}")
# /c6/u0 is not verifying, its current state is OK
_STATE = regex(r"current state is ([\w*-]+)")
_PERCENT = regex(r"(\d{1,3}(?:\.\d{1,3})?)%")
# 00 00 06 32 9f 01 10 02
_HEX = regex(r"\s*(?:[0-9A-Fa-f]{2}\s+){7,}[0-9A-Fa-f]{2}\s*")
_LISTS = {"controllers": "controllers", "units": "units", "ports": "drives", "batteries": "batteries"}
# a line that begins like those of the lists: a name with a number, then at least three cells
_ROW = regex(r"\s*[a-z]{1,4}\d{1,4}\S*(?:\s+\S+){3}", re.ASCII | re.IGNORECASE)
# /c0/e0      OK
# fan0        OK              ON      1      2670    Off
# c0    9750-4i      14        14       3       0       1       1      OK
_HEADLESS = regex(r"(?:/c\d{1,3}/e\d{1,3}|(?:[cup]|u\d{1,3}-|fan|temp|pwrs|slot|alm)\d{1,4}) +[\w-]+(?: .*)?", re.ASCII)
# Unit  0: RAID 5 698.67 GB (1465184768 blocks): DEGRADED      of old releases
_OLD_ROW = regex(r"\s*(Unit|Port) +\d{1,4}: .*", re.ASCII)
_DOING = {word.lower(): word for word in ("REBUILDING", "VERIFYING", "INITIALIZING", "MIGRATING")}
# No controller found.
_NO_CONTROLLER = regex(r"\s*No (?:3ware )?controllers? .*|\s*There (?:is|are) no .*", re.IGNORECASE)

_ROWS = {"units": tables.unit_row, "ports": tables.port_row, "batteries": tables.battery_row}
_NAMED = {"units": frozenset({"Unit"}), "ports": frozenset({"VPort", "Port"})}
"""The columns with the object of a row, by kind of table."""

# u1-0     DISK      OK             -       -       p2    -       931.32
_PART = regex(r"\s*u\d{1,4}-\d{1,4}\s")
# /c6/u1 is not verifying, its current state is REBUILDING    /c6 Driver Version = 2.26.02.014
_ABOUT = regex(r"\s*/c\d{1,4}(/u\d{1,4})? [A-Za-z]")
# tw_cli /c0 show all
_ALL = regex(r"/c\d{1,4} show all\s*$")
# /c0/e0 Vendor = LSI CORP     only "show all" prints it; the table of slots comes last
_ENCLOSURE = regex(r"\s*/c\d{1,4}/e\d{1,4} Vendor\s*=")


class Reader:
    """A reader of one output, line by line. It keeps the current controller, enclosure and table."""

    tool = "tw_cli"

    def __init__(self, output: Output, controllers: Controllers) -> None:
        """``output.command`` may name the controller: ``tw_cli info c0 unitstatus``."""
        self.output = output
        self.output.framed = True
        self.controllers = controllers
        self.number = grammar.number_of(output.command) or ""
        self.table: Table | None = None
        self.tables: set[str] = set()
        """The kinds of tables that the output has."""
        self.plan: dict[int, str] = {}
        self.enclosure = ""
        self.drive: Draft | None = None
        self.errors: list[str] = []
        self.version: str | None = None
        self.lost: list[str] = []
        self.left: dict[str, int] = {}
        """The number of units and ports that must follow, by ``# of units: 2`` of old releases."""
        self.asked_all = _ALL.search(output.command) is not None
        """Whether the last command prints all attributes and tables of a controller."""

    def read(self) -> None:
        """Go through all lines."""
        self.plan = controller_of_table.plan(self.output.lines, self.number or self.controllers.only)
        for line in self.output.lines:
            if line.text and len(line.text) <= grammar.LONGEST_LINE:
                self.line(line)
        self.output.gap = self._gap([line for line in self.output.lines if line.text.strip()])

    def _gap(self, lines: Sequence[Line]) -> str:
        """What is missing: the tool always prints it after the last lines of this output."""
        missing_rows = [what for what, count in self.left.items() if count > 0]
        if missing_rows:
            return f"its list of {missing_rows[0]} is not whole"
        last = lines[-1].text.rstrip() if lines else ""
        ended = not any(line.text.strip() for line in self.output.lines[-2:])
        if grammar.is_rule(last) or grammar.heading(last) is not None:
            return "nothing follows the head of its last table"
        if _PART.match(last) and not ended:
            return "its table of units has no end"
        if self.table is not None and self.output.lines[-1].text and len(last.split()) < len(self.table.columns):
            return "its last row is not whole"
        tables = self.tables
        attributes = [line.text for line in lines if line.text.lstrip().startswith("/")]
        if "slots" not in tables and any(map(_ENCLOSURE.match, attributes)):
            return "its table of slots is missing"
        about = [found[1] for found in map(_ABOUT.match, attributes) if found]
        missing = (
            (len(about) > 1 or self.asked_all) and about and "ports" not in tables and (not tables or None in about)
        )
        return "its tables are missing" if missing else ""

    @property
    def controller(self) -> ControllerDraft:
        """The current controller."""
        return self.controllers.controller(self.number)

    def line(self, line: Line) -> None:
        """Read a line by its form."""
        text = line.text.rstrip()
        # the rows of a long table first: nothing else begins like one, except lines that begin with a path
        if not text or (self.table is not None and text.lstrip()[0] != "/" and self._row(line, self.table)):
            return
        typed = grammar.command_of(text)
        if typed is not None:
            self._typed(line, typed)
        elif grammar.is_rule(text):
            mark_read(line)
        elif (found_sentence := grammar.sentence(text)) is not None:
            self._sentence(line, found_sentence)
        elif (found := grammar.attribute(text)) is not None:
            self._attribute(line, found)
        elif (table := grammar.heading(text)) is not None:
            self._heading(line, table)
        elif self.table is None or not self._row(line, self.table):
            self._other(line, text)

    def _typed(self, line: Line, typed: str) -> None:
        # //localhost> /c2 show
        self.number = grammar.number_of(typed) or self.number
        self.asked_all = _ALL.search(typed) is not None
        self.table = None
        mark_read(line)

    def _heading(self, line: Line, table: Table) -> None:
        self.table = table
        self.tables.add(table.kind)
        self.number = self.plan.get(line.number, self.number)
        if self.number.startswith("unknown-"):
            self.controller.add_problem(
                "warning", "unread", "The output covers several controllers, and the owner of this table is unclear.",
                "Use one file per controller, named after it (info.c0.txt), or include the commands in the output.",
            )  # fmt: skip
        if table.kind == "units":
            self.controller.lists_units = True
        mark_read(line)

    def _other(self, line: Line, text: str) -> None:
        version, old = _VERSION.fullmatch(text), old_info.parse(text)
        if old is not None:
            self._old(line, *old)
        elif version is not None:
            self.version = version[2] if version[1] == "CLI" else self.version
            mark_read(line)
        elif (error := grammar.error(text)) is not None or _NO_CONTROLLER.fullmatch(text):
            self.errors.append(error or text.strip())
            mark_read(line)
        elif _HEX.fullmatch(text) and self.drive is not None:
            self.drive.add_evidence(line, "details[SMART]", "data as the drive sent it")
        elif _TITLE.fullmatch(text) or grammar.wants_driver(text):
            mark_read(line)
        elif self.table is not None and self.table.kind in _LISTS and _ROW.match(text):
            what = f"Line not recognised in the list of {_LISTS[self.table.kind]}: {text.strip()[:120]}"
            self.lost.append(what)
        elif (row := _OLD_ROW.fullmatch(text)) is not None:
            kind = "units" if row[1] == "Unit" else "drives"
            self.lost.append(f"Line not recognised in the list of {kind}: {text.strip()[:120]}")
        elif _HEADLESS.fullmatch(text):
            self.lost.append(f"Line not recognised, as the head of its table is missing: {collapse(text)[:120]}")

    def _old(self, line: Line, kind: old_info.Kind, parts: dict[str, str]) -> None:
        """Read a line of ``info cN`` of old releases."""
        if kind in _ROWS:
            self.left[kind] = self.left.get(kind, 0) - 1
        if kind == "units":
            unit = self.controller.array(parts["number"])
            tables.unit_row(self.controller, line, old_info.unit(parts))
            if not unit.spare:
                unit.put(line, "size_bytes", int(parts["blocks"]) * 512, ROW)
        elif kind == "ports":
            tables.port_row(self.controller, line, old_info.port(parts))
        elif kind == "setting":
            label = old_info.LABELS.get(parts["label"], parts["label"])
            _read(self.controller, Pair(label, parts["value"], [line]), CONTROLLER)
        else:
            self.number = parts.get("number", self.number)
            self.left |= {parts["what"]: int(parts["count"])} if kind == "count" else {}
            mark_read(line)

    # --- tables

    def _row(self, line: Line, table: Table) -> bool:
        row = grammar.row(line.text, table)
        # the objects of the rows are unknown if the first title of the table is damaged
        if row is None or _NAMED.get(table.kind, row.keys()).isdisjoint(row):
            return False
        first = next(iter(row.values()))
        if table.kind in {"controllers", "events"}:
            controller = self.controllers.controller(first[1:])
            if table.kind == "controllers":
                tables.controller_row(controller, line, row)
            else:
                # c0   [Fri Mar 21 2008 14:19:00]  WARNING   Drive removed: port=1
                controller.add_evidence(line, "events", line.stripped)
        elif table.kind in _ROWS:
            _ROWS[table.kind](self.controller, line, row)
        elif table.kind in {"home", "enclosure", "enclosures", "part", "slots"}:
            self._enclosure(line, table, row)
        else:
            # phy0    500050e000030232     ENCL     N/A        1.5-3.0    3.0      Auto
            cells = ", ".join(
                f"{column} {value}" for column, value in list(row.items())[1:] if vocabulary.has_value(value)
            )
            self.controller.detail(line, f"{table.columns[0]} {first}", cells or "-")
        return True

    def _enclosure(self, line: Line, table: Table, row: dict[str, str]) -> None:
        first = next(iter(row.values()))
        if table.kind in {"home", "enclosure", "enclosures"}:
            self.enclosure = first.rsplit("/", 1)[-1]
            # Encl        Controllers
            # e0          /c0
            named = grammar.controllers_named(first) or grammar.controllers_named(row.get("Controllers", ""))
            self.number = named.pop() if len(named) == 1 else self.number
            tables.enclosure_row(self.controller, line, row, self.enclosure)
        elif table.kind == "part":
            tables.part_row(self.controller, line, row, self.enclosure)
        else:
            tables.slot_row(self.controller, line, row, self.enclosure)

    # --- attributes

    def _attribute(self, line: Line, found: Attribute) -> None:
        if found.controller is not None:
            self.number = found.controller
        self.table = None
        top, _, below = found.path.partition("/")
        pair = Pair(found.label, found.value, [line])
        if top.startswith("e") and top[1:].isdigit():
            self.enclosure = top
            self.controller.keep_detail(pair, f"{top} {below} " if below else f"{top} ")
        elif top.startswith("u") and not below:
            _read(self.controller.array(top[1:]), pair, UNIT)
        elif top.startswith("p") and top[1:].isdigit():
            self._drive(self.controller.drive(top[1:]), pair)
        elif top.startswith("bbu"):
            _read(self.controller.battery(top), pair, BATTERY)
        elif not top:
            _read(self.controller, pair, CONTROLLER)
        else:
            self.controller.keep_detail(pair, f"{found.path} ")

    def _drive(self, drive: Draft, pair: Pair) -> None:
        self.drive = drive
        # /c0/p3 Belongs to Unit = u0
        if pair.label.lower() in {"belongs to unit", "unit"} and _UNIT.fullmatch(pair.value):
            self.controller.assign(drive, pair.value[1:], pair.lines[0])
            self.controller.array(pair.value[1:]).ports.setdefault(drive.name)
        else:
            _read(drive, pair, DRIVE)

    def _sentence(self, line: Line, found: Sentence) -> None:
        self.number = found.controller
        unit = self.controller.array(found.unit)
        state = _STATE.search(found.text)
        if state is not None:
            tables.unit_status(unit, line, state[1])
        percent = _PERCENT.search(found.text)
        if percent is not None and not found.negated:
            name = "rebuilt" if found.operation == "rebuilding" else "done"
            unit.put(None, name, float(percent[1]))
            unit.add_evidence(line, "progress.percent", float(percent[1]))
        if state is None and not found.negated and (word := _DOING.get(found.operation)) is not None:
            tables.unit_status(unit, line, word, ROW)
        elif state is None or not found.negated:
            unit.detail(line, f"is {found.operation}", found.text or ("no" if found.negated else "yes"))


def _read(draft: D, pair: Pair, fields: Fields[D]) -> None:
    if not read_pair(draft, pair, pair.label.lower(), fields):
        draft.keep_detail(pair)
