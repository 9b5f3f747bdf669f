"""The hosts of ``--hosts``: from names, a file, or an Ansible inventory. Pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from msgspec import Struct, field

from raidctl.errors import UsageError
from raidctl.fleet.ansible_inventory import Groups, of_document, of_lines
from raidctl.text import attempt, printable, regex
from raidctl.toml_files.mistakes import suggestion

_SSH = frozenset({"ssh", "smart", "paramiko", "paramiko_ssh", "ansible.builtin.ssh", "ansible.builtin.paramiko_ssh"})
"""Connections of Ansible that are ssh."""
_TRUE = frozenset({"true", "yes", "on", "1", "y", "t"})
_SIGNS = ("", "&", "!")
_BETWEEN = regex(r",|:(?=[&!])")
"""What separates the words of ``--limit``."""
_UNFIT = regex(r"[^A-Za-z0-9._@+-]+")


class Host(Struct, frozen=True):
    """A host to read."""

    name: str
    """The name as given. It is used in messages and to distinguish hosts with the same host name."""
    destination: str
    """Destination for ssh."""
    options: tuple[str, ...] = ()
    """More arguments for ssh."""
    sudo: bool | None = None
    """Whether the inventory demands or excludes sudo; None: as with ``--sudo``."""
    refused: str | None = None
    """Why it is not read."""

    def with_sudo(self, usual: bool) -> bool:
        """Whether to use sudo: as the inventory demands, else the default."""
        return usual if self.sudo is None else self.sudo


class HostList(Struct, frozen=True):
    """The hosts, each once, in their order."""

    hosts: tuple[Host, ...] = ()
    notes: tuple[str, ...] = field(default_factory=tuple)
    """Entries of the inventory that raidctl does not use, one sentence each."""


def of_words(words: str, limit: str | None = None) -> HostList:
    """Return the hosts of a list: ``a,b,user@c``; ``limit``: as in :func:`limited`."""
    groups = of_lines("\n".join(words.split(",")))
    return _hosts(groups, limited(groups, limit))


def of_text(text: str, name: str, limit: str | None = None) -> HostList:
    """Return the hosts of a file. Its name or first character shows JSON and YAML; otherwise it has lines.

    Raises:
        UsageError: It cannot be understood, names no host, or ``limit`` (see :func:`limited`) selects none.
    """
    structured = name.endswith((".yml", ".yaml", ".json")) or text.lstrip()[:1] == "{" or text.startswith("---")
    groups = of_document(text, name) if structured else of_lines(text, name)
    if not groups.names():
        raise UsageError(f"{printable(name)} names no host.")
    return _hosts(groups, limited(groups, limit))


def limited(groups: Groups, limit: str | None) -> list[str]:
    """Return the hosts that ``--limit`` selects, in their order.

    A value such as ``web,db1,!web3`` has Ansible's meaning.

    A word is a group, a host, or a pattern of either (``db*``); ``!`` excludes, ``&`` intersects. Before these signs, a
    colon may replace the comma (``all:!db``); elsewhere, it may be part of a name (``db1:2222``).

    Raises:
        UsageError: A word matches nothing, or no host is left.
    """
    if limit is None:
        return groups.names()
    words = [word.strip() for word in _BETWEEN.split(limit) if word.strip()]
    found = {sign: [_matching(groups, word[len(sign) :]) for word in words if _sign(word) == sign] for sign in _SIGNS}
    chosen = frozenset(groups.names()) if not found[""] else frozenset().union(*found[""])
    chosen = chosen.intersection(*found["&"]).difference(*found["!"])
    if not words or not chosen:
        raise UsageError(f'--limit "{printable(limit)}" selects no host.')
    return [name for name in groups.names() if name in chosen]


def _sign(word: str) -> str:
    return word[0] if word[0] in _SIGNS else ""


def _matching(groups: Groups, word: str) -> frozenset[str]:
    """Return the hosts that a word of ``--limit`` names."""
    hosts = {name for name in groups.names() if fnmatchcase(name, word)}
    known = {*groups.groups, "ungrouped"}
    names = {name for name in known if fnmatchcase(name, word)}
    if not hosts and not names:
        hint = suggestion(word, [*sorted(known), *groups.names()])
        raise UsageError(f'--limit: the list has no group and no host "{printable(word)}"{hint and f"; {hint}"}')
    return frozenset(hosts).union(*map(groups.members, names))


def file_names(hosts: Iterable[Host]) -> dict[str, str]:
    """Return a file name without ending for each host's name.

    Raises:
        UsageError: Two hosts would have the same.
    """
    names: dict[str, str] = {}
    for host in hosts:
        name = _UNFIT.sub("_", host.name).lstrip(".-") or "_"
        if name in names.values():
            raise UsageError(f"{printable(host.name)} and another host would have the same file name, {name}.")
        names[host.name] = name
    return names


def _hosts(groups: Groups, names: Iterable[str]) -> HostList:
    notes: dict[str, None] = {}
    hosts: dict[str, Host] = {}
    for name in names:
        variables = groups.variables(name)
        hosts[name] = _host(name, variables)
        if any(key in variables for key in ("ansible_password", "ansible_ssh_pass", "ansible_ssh_password")):
            notes["Passwords of the inventory are not used: raidctl logs in with keys."] = None
        if any(key in variables for key in ("ansible_become_password", "ansible_become_pass", "ansible_sudo_pass")):
            notes["Passwords for sudo of the inventory are not used: raidctl needs sudo without one."] = None
    return HostList(tuple(hosts.values()), tuple(notes))


def _host(name: str, variables: Mapping[str, Any]) -> Host:
    """Return a host with the connection options from its variables."""

    def value(*keys: str) -> str:
        found = next((variables[key] for key in keys if variables.get(key) not in (None, "")), "")
        if "{{" in str(found):
            raise _Template(keys[0])
        return str(found)

    try:
        host, port = _split_port(name)
        host = value("ansible_host", "ansible_ssh_host") or host
        port = value("ansible_port", "ansible_ssh_port") or port
        user = value("ansible_user", "ansible_ssh_user")
        options = [*shlex.split(value("ansible_ssh_common_args")), *shlex.split(value("ansible_ssh_extra_args"))]
        key = value("ansible_ssh_private_key_file", "ansible_private_key_file")
        become, way = value("ansible_become"), value("ansible_become_method")
        other = value("ansible_become_user")
        connection = value("ansible_connection")
    except (_Template, ValueError) as error:
        return Host(name, name, refused=f"{error}: raidctl cannot use this variable of the inventory.")
    if connection and connection not in _SSH:
        return Host(name, name, refused=f"Its ansible_connection is {connection}, and raidctl uses ssh only.")
    if port and (attempt(int, port) or 0) not in range(1, 65536):
        return Host(name, name, refused=f"Its port is {port}, which is not a port number.")
    sudo = become.lower() in _TRUE if become else None
    if sudo and (way not in ("", "sudo", "ansible.builtin.sudo") or other not in ("", "root")):
        return Host(name, name, refused="It needs another way to become root than sudo, which raidctl does not have.")
    return Host(name, _destination(user, host, port), (*options, *(("-i", key) if key else ())), sudo)


class _Template(Exception):
    """Raised for a variable whose value is a template."""

    def __init__(self, key: str) -> None:
        super().__init__(f"{key} is a template")


def _split_port(name: str) -> tuple[str, str]:
    """``host:22`` and ``[::1]:22`` as host and port. An IPv6 address alone has none, ``ssh://`` has its own form."""
    found = re.fullmatch(r"\[([^][]+:[^][]+)\]:(\d{1,5})|([^:/]+):(\d{1,5})", name)
    return (found[1] or found[3], found[2] or found[4]) if found else (name, "")


def _destination(user: str, host: str, port: str) -> str:
    whole = f"{user}@{host}" if user and "@" not in host else host
    if not port or whole.startswith("ssh://"):
        return whole
    front, at, last = whole.rpartition("@")
    return f"ssh://{front}{at}{f'[{last}]' if ':' in last else last}:{port}"


def described(hosts: Sequence[Host], limit: int = 3) -> str:
    """``a, b, c and 7 more``."""
    names = [printable(host.name) for host in hosts[:limit]]
    more = len(hosts) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")
