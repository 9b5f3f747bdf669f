"""Read Ansible inventories in INI, YAML and JSON. Pure.

Hosts with ranges (``db[01:50]``), groups, ``children`` and ``vars`` are read; variables of a host take precedence over
those of its groups, those of a child over those of its parent. ``group_vars`` and ``host_vars`` directories, templates,
plugins and scripts are not: ``ansible-inventory --list`` evaluates all of these and prints JSON, which can
be read here.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import msgspec

from raidctl.errors import AccessMissing, UsageError
from raidctl.text import printable, regex

_SECTION = regex(r"\[([^\]\[:]+)(?::(children|vars|hosts))?\]\s*(?:#.*)?")
_BRACKETS = regex(r"\[[^\[\]]+\]")
"""How a host may begin: ``[a:c].example.org`` or ``[::1]``."""
_RANGE = regex(r"\[(\w+):(\w+)(?::(\d+))?\]")
_MAX_HOSTS = 100_000
"""Maximum number of hosts in a range."""


class Group(msgspec.Struct):
    """A group of an inventory."""

    hosts: list[str] = []
    children: list[str] = []
    variables: dict[str, Any] = {}


class Groups:
    """The groups of an inventory; ``all`` contains every host."""

    def __init__(self) -> None:
        self.groups: dict[str, Group] = {"all": Group()}
        self.own: dict[str, dict[str, Any]] = {}
        """The variables of each host, in the order of the file."""

    def group(self, name: str) -> Group:
        """Return a group, created if missing."""
        return self.groups.setdefault(name, Group())

    def add(self, pattern: str, group: str, variables: Mapping[str, Any]) -> None:
        """Add the hosts of a pattern to a group."""
        for name in expanded(pattern):
            self.own.setdefault(name, {}).update(variables)
            self.group(group).hosts.append(name)

    def names(self) -> list[str]:
        """Return all hosts, each once."""
        return list(self.own)

    def members(self, group: str) -> frozenset[str]:
        """Return the hosts of a group and its subgroups. ``ungrouped``: the hosts in no group but ``all``."""
        if group == "all":
            return frozenset(self.own)
        if group == "ungrouped":
            return frozenset(self.own).difference(*map(self.members, set(self.groups) - {"all", "ungrouped"}))
        found, waiting, seen = set[str](), [group], {group}
        while waiting:
            one = self.groups.get(waiting.pop(), Group())
            found.update(one.hosts)
            waiting += [child for child in one.children if child not in seen]
            seen.update(one.children)
        return frozenset(found)

    def variables(self, host: str) -> dict[str, Any]:
        """Return the variables of a host. Those of its groups come first, from the outermost on, then its own."""
        found: dict[str, Any] = {}
        containing = [name for name, group in self.groups.items() if host in group.hosts]
        depths = {"all": 0}
        for name in containing:
            self._above(name, depths, ())
        for name in sorted(depths, key=lambda one: (depths[one], one)):
            found |= self.groups[name].variables
        return found | self.own.get(host, {})

    def _above(self, name: str, depths: dict[str, int], below: tuple[str, ...]) -> int:
        """Record the depths of a group and its parents; return its own."""
        if name in below:
            raise UsageError(f"The group {printable(name)} of the inventory contains itself.")
        parents = [one for one, group in self.groups.items() if name in group.children]
        depth = 0 if name == "all" else 1
        for parent in parents:
            depth = max(depth, 1 + self._above(parent, depths, (*below, name)))
        depths[name] = max(depth, depths.get(name, 0))
        return depths[name]


def of_lines(text: str, name: str = "") -> Groups:
    """Read an INI inventory, or a plain list of hosts, one per line.

    Raises:
        UsageError: A line cannot be understood.
    """
    found, group, kind = Groups(), "ungrouped", "hosts"
    for number, raw in enumerate(text.lstrip("\ufeff").splitlines(), 1):
        line = raw.strip()
        if not line or line[0] in "#;":
            continue
        section = _SECTION.fullmatch(line)
        if section:
            group, kind = section[1].strip(), section[2] or "hosts"
            found.group(group)
            continue
        try:
            words = shlex.split(line, comments=True)
        except ValueError as error:
            raise UsageError(f"{printable(name)}:{number}: {error}.") from None
        if line[0] == "[" and not _BRACKETS.match(line):
            raise UsageError(f"{printable(name)}:{number}: this is not a group; write [GROUP] or [GROUP:children].")
        if kind == "children":
            found.group(group).children.append(words[0])
            found.group(words[0])
        elif kind == "vars":
            key, _, value = line.partition("=")
            found.group(group).variables[key.strip()] = _unquoted(value)
        elif not {"=", ","}.isdisjoint(words[0]):
            raise UsageError(f'{printable(name)}:{number}: "{printable(words[0])}" is not a host; one host per line.')
        else:
            found.add(words[0], group, dict(_assigned(words[1:], name, number)))
    return found


def _unquoted(value: str) -> str:
    words = value.strip()
    return words[1:-1] if len(words) > 1 and words[0] == words[-1] and words[0] in "'\"" else words


def _assigned(words: list[str], name: str, number: int) -> Iterator[tuple[str, str]]:
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            message = (
                f'{printable(name)}:{number}: "{printable(word)}" is not a variable (key=value); one host per line.'
            )
            raise UsageError(message)
        yield key, value


def of_document(text: str, name: str) -> Groups:
    """Read a YAML inventory, or the JSON of ``ansible-inventory --list``.

    Raises:
        UsageError: It is not an inventory.
        AccessMissing: It is YAML, and PyYAML is missing.
    """
    try:
        document = msgspec.json.decode(text)
    except msgspec.DecodeError:
        document = _yaml(text, name)
    if not isinstance(document, dict):
        raise UsageError(f"{printable(name)} is not an inventory: groups with hosts, children and vars were expected.")
    found = Groups()
    kept = document.pop("_meta", None)
    for group, content in document.items():
        _group(found, str(group), content, name)
    hosts = kept.get("hostvars") if isinstance(kept, dict) else None
    for host, variables in _variables(hosts, "hostvars", name).items():
        found.own.setdefault(str(host), {}).update(_variables(variables, str(host), name))
    return found


def _yaml(text: str, name: str) -> Any:
    try:
        yaml = import_module("yaml")
    except ImportError:
        raise AccessMissing(
            f'To read {printable(name)}, install PyYAML (pip install "raidctl[hosts]"), or give raidctl JSON: '
            f"ansible-inventory -i {shlex.quote(printable(name))} --list | raidctl --hosts - show"
        ) from None

    class Loader(yaml.SafeLoader):  # type: ignore[misc, name-defined] # no type information
        """Reads a value with a tag of Ansible (a vault) as unknown."""

    Loader.add_multi_constructor("!", lambda *_: None)
    try:
        return yaml.load(text, Loader)
    except (yaml.YAMLError, RecursionError) as error:
        where = getattr(error, "problem_mark", None)
        line = f":{where.line + 1}" if where is not None else ""
        raise UsageError(f"{printable(name)}{line}: {getattr(error, 'problem', None) or error}.") from None


def _group(found: Groups, name: str, content: Any, source: str) -> None:
    if isinstance(content, list):  # the short form of JSON
        content = {"hosts": content}
    if content is None:
        content = {}
    if not isinstance(content, dict) or not set(content) <= {"hosts", "children", "vars"}:
        raise UsageError(
            f"{printable(source)}: the group {printable(name)} is not understood: hosts, children and vars were "
            "expected."
        )
    group = found.group(name)
    group.variables.update(_variables(content.get("vars"), name, source))
    for host, variables in _entries(content.get("hosts"), name, source).items():
        found.add(host, name, _variables(variables, host, source))
    for child, inner in _entries(content.get("children"), name, source).items():
        group.children.append(child)
        _group(found, child, inner, source)


def _entries(value: Any, owner: str, source: str) -> dict[str, Any]:
    """Return hosts or children with their content: of a mapping, a list, or a single name (``hosts: db1``)."""
    if isinstance(value, str) and value:
        return {value: None}
    if isinstance(value, list):
        return {str(name): None for name in value}
    if value and not isinstance(value, dict):
        raise UsageError(f"{printable(source)}: {printable(owner)} has hosts or children that are not names.")
    return {str(name): content for name, content in (value or {}).items()}


def _variables(value: Any, owner: str, source: str) -> dict[str, Any]:
    if value and not isinstance(value, dict):
        raise UsageError(f"{printable(source)}: the variables of {printable(owner)} are not a mapping (key: value).")
    return value or {}


def expanded(pattern: str) -> list[str]:
    """Return the hosts of a pattern: ``db[01:03]`` are db01, db02 and db03. ``[a:c]`` counts letters.

    Raises:
        UsageError: The range is invalid, or too long.
    """
    found = _RANGE.search(pattern)
    if not found:
        return [pattern]
    first, last, step = found[1], found[2], int(found[3] or 1)
    if first.isdecimal() and last.isdecimal() and step:
        width = len(first) if len(first) > 1 else 0
        numbers = range(int(first), int(last) + 1, step)
        if numbers[_MAX_HOSTS:]:
            raise UsageError(f'"{printable(pattern)}" is a range of more than {_MAX_HOSTS:,} hosts.')
        steps = [str(number).zfill(width) for number in numbers]
    elif len(first) == len(last) == 1 and first.isalpha() and last.isalpha() and step:
        steps = [chr(number) for number in range(ord(first), ord(last) + 1, step)]
    else:
        steps = []
    if not steps:
        raise UsageError(f'"{printable(pattern)}" is not a range of hosts; write db[01:50].')
    return [pattern[: found.start()] + step + rest for step in steps for rest in expanded(pattern[found.end() :])]
