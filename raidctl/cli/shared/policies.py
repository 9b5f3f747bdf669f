"""Policies and waivers from files, for the commands that check machines."""

from __future__ import annotations

from pathlib import Path

from raidctl.audit import builtin
from raidctl.audit.policy.sets import Policy, load, only_builtin
from raidctl.errors import UsageError
from raidctl.text import printable


def policy_of(path: str | None, waivers: str | None = None, *, every: bool = False) -> Policy:
    """Return a policy, with the waivers of a separate file.

    Args:
        path: The policy; None: the built-in rules.
        waivers: The file of waivers; None: those of the policy alone.
        every: Also all built-in rules.

    Raises:
        MistakesError: One of the files has mistakes.
        UsageError: One cannot be read.
    """
    rules = builtin.rules()
    if path is None:
        found = only_builtin(rules)
    else:
        try:
            found = load(path, lambda name: Path(name).read_bytes(), rules, every=every)
        except OSError as error:
            hint = ' "raidctl audit --init" writes one.' if isinstance(error, FileNotFoundError) else ""
            raise UsageError(f"The policy {printable(path)} cannot be read: {error.strerror}.{hint}") from error
    if waivers is not None:
        from raidctl.audit.policy.waivers import waivers_of_file  # noqa: PLC0415 - only where there are some

        try:
            found.add_waivers(waivers_of_file(waivers, lambda name: Path(name).read_bytes(), found.known()))
        except OSError as error:
            raise UsageError(f"The waivers {printable(waivers)} cannot be read: {error.strerror}.") from error
    return found
