"""Read a policy file with its includes; report all mistakes at once."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from raidctl.audit.policy.conditions import misplaced
from raidctl.audit.policy.layouts import is_layout, layout_rule
from raidctl.audit.policy.rules import PolicyRule, beside, compile_rule, severity, short_rule, text
from raidctl.audit.policy.schema import kinds
from raidctl.audit.policy.waivers import KEY as WAIVERS
from raidctl.audit.policy.waivers import Waiver, check_rules, read_waivers
from raidctl.health.severity import Severity
from raidctl.text import attempt
from raidctl.toml_files.mistakes import Fault, MistakesError, Place, hint, suggestion
from raidctl.toml_files.read import read_toml
from raidctl.units import parse_seconds

UNREAD = "unread"
"""The implicit rule about what could not be read on a machine."""
MAX_AGE = "max_age"
"""Name of the rule about an inventory's age. Its line in a policy has the same name."""
PARTS = ("builtin", "ignore", "max_age", "override", "rule")
"""Keys of a policy and of a group."""
WHOLE = ("include", "group", WAIVERS, *PARTS)
_OVERRIDE = ("severity", "reason", "remedy")
_OTHER = "choose another name."
_DEEPEST = 16

Read = Callable[[str], bytes]
"""Returns the bytes of a file, or raises ``OSError``."""


@dataclass(frozen=True)
class Override:
    """Changes to a rule."""

    severity: Severity | None = None
    reason: str | None = None
    remedy: str | None = None


@dataclass
class Part:
    """Rules and changes to rules: a policy, or one of its groups."""

    rules: dict[str, PolicyRule] = field(default_factory=dict)
    builtin: list[str] = field(default_factory=list)
    ignore: list[str] = field(default_factory=list)
    max_age: int | None = None
    """Seconds; None: any age."""
    overrides: dict[str, Override] = field(default_factory=dict)
    named: list[tuple[str, Place]] = field(default_factory=list)
    """References to rules, and their places."""
    titles: list[tuple[str, Place]] = field(default_factory=list)
    """Names given to rules, and their places."""

    def add(self, other: Part) -> None:
        """Merge another part, which takes precedence."""
        self.rules |= {name: beside(self.rules.get(name), rule) for name, rule in other.rules.items()}
        self.builtin += other.builtin
        self.ignore = [name for name in self.ignore if name not in other.rules] + other.ignore
        self.max_age = self.max_age if other.max_age is None else other.max_age
        self.overrides |= other.overrides
        self.named += other.named
        self.titles += other.titles


@dataclass
class Group:
    """Hosts by name patterns, and their rules."""

    name: str
    hosts: list[str] = field(default_factory=list)
    part: Part = field(default_factory=Part)


@dataclass
class Document:
    """A policy with all its includes."""

    part: Part = field(default_factory=Part)
    groups: dict[str, Group] = field(default_factory=dict)
    waivers: list[tuple[Waiver, Place]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)


@dataclass(frozen=True)
class _Reader:
    """Reader of files into one document."""

    read: Read
    builtin: Sequence[str]
    found: Document = field(default_factory=Document)

    def take(self, path: str, data: bytes, chain: tuple[str, ...]) -> None:
        """Add the contents of a file. ``chain``: the files that include it, itself last."""
        read = read_toml(path, data, self.found.faults)
        if read is None:
            return
        table, place = read
        if is_layout(table.get("layout")):
            rules = self.found.part.rules
            rule = layout_rule(path, data, place, rules)
            rules |= {rule.name: rule} if rule is not None else {}
            return
        for number, name in enumerate(_files(table.get("include", []), place.at("include"))):
            self._include(path, name, chain, place.at("include", number))
        owner = path if len(chain) > 1 else ""
        self.found.part.add(_part(table, place, WHOLE, self.builtin, owner))
        self.found.waivers += read_waivers(table.get(WAIVERS, []), place.at(WAIVERS))
        groups = table.get("group", {})
        if not isinstance(groups, Mapping):
            place.at("group").wrong("a group needs a name: [group.NAME].")
            groups = {}
        for name, content in groups.items():
            _group(name, content, place.at("group", name), self, owner)

    def _include(self, path: str, name: str, chain: tuple[str, ...], place: Place) -> None:
        other = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
        if other in chain:
            place.wrong(f'"{name}" includes itself: {" includes ".join([*chain[chain.index(other) :], other])}.')
        elif len(chain) >= _DEEPEST:
            place.wrong(f"includes are nested more than {_DEEPEST} deep.")
        else:
            try:
                data = self.read(other)
            except OSError as error:
                place.wrong(f'"{name}" cannot be read: {error.strerror or error}.')
                return
            self.take(other, data, (*chain, other))


def _files(spec: Any, place: Place) -> list[str]:
    names = [spec] if isinstance(spec, str) else spec
    if isinstance(names, list) and all(isinstance(name, str) for name in names):
        return names
    place.wrong('"include" has to be a list of files.')
    return []


def read_document(path: str, read: Read, builtin: Sequence[str], *, every: bool = False) -> Document:
    """The policy of a file. ``builtin``: names of the built-in rules; ``every``: enable all of them.

    Raises:
        MistakesError: The policy has mistakes; the error lists all of them.
        OSError: The file itself cannot be read; an unreadable include is a mistake of the policy.
    """
    reader = _Reader(read, builtin)
    reader.take(path, read(path), (posixpath.normpath(path),))
    found = reader.found
    if every:
        found.part.builtin = list(builtin)
    known = [*_names(found), *builtin, UNREAD, MAX_AGE]
    for part in (found.part, *(group.part for group in found.groups.values())):
        for name, place in part.named:
            if name not in known:
                place.wrong(f'no rule is called "{name}"; {hint(name, known)}')
    check_rules(found.waivers, [*_names(found), *builtin, UNREAD])
    _note_same_names(found)
    if found.faults:
        raise MistakesError(found.faults)
    return found


def _note_same_names(found: Document) -> None:
    """Note rules with the name of another active rule. Both would be counted in one row."""
    parts = [found.part, *(group.part for group in found.groups.values())]
    asked = {name for part in parts for name in part.builtin}
    for name, place in (title for part in parts for title in part.titles):
        if name in (UNREAD, MAX_AGE):
            place.wrong(f'"{name}" is the name of a rule that is always active: {_OTHER}')
        elif name in asked:
            place.wrong(f'"{name}" is the name of a built-in rule that is also enabled: {_OTHER}')


def _names(found: Document) -> list[str]:
    parts = [found.part, *(group.part for group in found.groups.values())]
    return list(dict.fromkeys(name for part in parts for name in part.rules))


def _part(table: Mapping[str, Any], place: Place, reserved: Sequence[str], builtin: Sequence[str], owner: str) -> Part:
    """The contents of one file, or of one group in it. ``owner``: the group or included file; empty for the policy."""
    found = Part()
    fields = kinds()["volume"].fields
    for key, spec in table.items():
        if key in reserved:
            continue
        head = key.split(".")[0]
        if head not in fields and (message := misplaced(kinds()["volume"], key.split("."), spec)):
            place.at(key).wrong(message)
        elif head not in fields:
            meant = suggestion(head, [*reserved, *fields])
            place.at(key).wrong(f'"{key}" is neither a key of a policy nor a field of a volume; {meant}')
        elif (rule := short_rule(key, spec, place)) is not None:
            found.rules[key] = rule
    _rules(table.get("rule", []), place.at("rule"), found, owner)
    _builtin(table.get("builtin", []), place.at("builtin"), found, builtin)
    found.max_age = _max_age(table.get(MAX_AGE), place.at(MAX_AGE))
    found.ignore = _words(table.get("ignore", []), place.at("ignore"), found)
    overrides = table.get("override", {})
    if not isinstance(overrides, Mapping):
        place.at("override").wrong("an override needs the name of a rule: [override.NAME].")
        return found
    for name, content in overrides.items():
        there = place.at("override", name)
        found.named.append((name, there))
        found.overrides[name] = _override(content, there)
    return found


def _rules(tables: Any, place: Place, found: Part, owner: str) -> None:
    if not isinstance(tables, list):
        place.wrong("rules have to be a list: write [[rule]], with two brackets.")
        return
    for number, table in enumerate(tables):
        rule = compile_rule(table, number + 1, place.at(number), owner)
        if rule is None:
            continue
        if rule.name in found.rules:
            place.at(number, "name").wrong(f'there is another rule "{rule.name}" in this file.')
        found.rules[rule.name] = rule
        found.titles.append((rule.name, place.at(number, "name")))


def _builtin(spec: Any, place: Place, found: Part, known: Sequence[str]) -> None:
    if spec == "all":
        found.builtin = list(known)
        return
    for number, name in enumerate(spec if isinstance(spec, list) else [spec]):
        if name in known:
            found.builtin.append(name)
        else:
            meant = suggestion(str(name), [*known, "all"])
            place.at(number).wrong(f'there is no built-in rule "{name}"; {meant or "see raidctl diagnose --list."}')


def _max_age(spec: Any, place: Place) -> int | None:
    seconds = attempt(parse_seconds, spec) if isinstance(spec, str) else None
    if spec is not None and not seconds:
        place.wrong('"max_age" has to be a duration such as "7d"; h, d and w are hours, days and weeks.')
    return seconds


def _words(spec: Any, place: Place, found: Part) -> list[str]:
    names = [spec] if isinstance(spec, str) else spec
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        place.wrong("this has to be a list of rule names.")
        return []
    found.named += [(name, place.at(number)) for number, name in enumerate(names)]
    return names


def _override(content: Any, place: Place) -> Override:
    if not isinstance(content, Mapping) or not content:
        place.wrong("an override needs a severity, a reason or a remedy.")
        return Override()
    for key in content:
        if key not in _OVERRIDE:
            place.at(key).wrong(
                f'"{key}" cannot be overridden; {hint(key, _OVERRIDE)} '
                "To change what a rule requires, write a rule of the same name."
            )
    return Override(severity(content, place), text(content, "reason", place), text(content, "remedy", place))


def _group(name: str, content: Any, place: Place, reader: _Reader, file: str) -> None:
    """Add the contents of a group. ``file``: the included file that it is in; empty for the policy itself."""
    if not isinstance(content, Mapping):
        place.wrong(f"a group has to be a table: [group.{name}].")
        return
    hosts = content.get("hosts")
    if not isinstance(hosts, list) or not hosts or not all(isinstance(one, str) and one for one in hosts):
        (place.at("hosts") if "hosts" in content else place).wrong(
            f'the group "{name}" needs hosts: a list of host names or patterns, hosts = ["db*"].'
        )
        hosts = []
    group = reader.found.groups.setdefault(name, Group(name))
    group.hosts = list(dict.fromkeys([*group.hosts, *hosts]))
    lines = {key: value for key, value in content.items() if key != "hosts"}
    owner = f"group {name} of {file}" if file else f"group {name}"
    group.part.add(_part(lines, place, (*PARTS, "hosts"), reader.builtin, owner))
