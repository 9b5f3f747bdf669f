"""A machine and the caches below a target. The commands that read the stack share them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from raidctl.cli.shared.machine import Machine, machine, print_tracebacks
from raidctl.cli.shared.options import Settings
from raidctl.layers.kernel import Kernel
from raidctl.layers.probe import probe_caches
from raidctl.layers.scope import Scope, scope
from raidctl.request import converse
from raidctl.survey.survey import Survey


@dataclass
class Caches:
    """A machine, the layers below a target, and what the kernel reports."""

    named: Machine
    seen: Survey
    scope: Scope
    kernel: Kernel

    def probe_caches(self) -> Kernel:
        """Read the kernel's state again."""
        return converse(probe_caches(self.seen.view, self.scope.names), self.named.runner)


@contextmanager
def caches(settings: Settings, target: str | None) -> Iterator[Caches]:
    """Yield the stack below a target. The options name the machine."""
    with machine(settings) as named:
        seen = named.survey()
        if settings.verbose:
            print_tracebacks(seen)
        found = scope(seen.view, seen.inventory, target)
        kernel = converse(probe_caches(seen.view, found.names), named.runner)
        yield Caches(named, seen, found, kernel)
