"""The contract of a vendor package, for the author of a plugin.

A vendor package is a module that satisfies :class:`Vendor`; it is registered as an entry point of the group
``raidctl.vendors``. It does no I/O: ``observe`` is a dialogue (:mod:`raidctl.request`), ``read`` takes text. From the
core it may import only ``raidctl.vendor``, ``raidctl.model`` and the basic modules (errors, units, text, order,
evidence, request, host, select, json_decode, described).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Protocol

from msgspec import Struct

from raidctl.evidence import Output
from raidctl.host import HostView
from raidctl.model import Capability, Controller, Problem, Progress, Tool
from raidctl.request import Dialogue

CAPABILITIES = (
    "controllers", "arrays", "volumes", "drives", "battery", "cache_size", "cache_split", "write_policy",
    "write_active", "read_policy", "io_policy", "drive_write_cache", "no_battery_write_cache", "flush",
    "flush_interval", "cache_statistics", "progress", "device",
)  # fmt: skip
"""The names that ``capabilities`` may use, in the support table's order."""


class ToolSpec(Struct, frozen=True):
    """A tool of the family."""

    name: str
    places: tuple[str, ...] = ()
    """Full paths of vendors' packages, outside of PATH."""
    package: str = ""
    """The source for users. It is a package name, or a description of the vendor's site."""
    version_argv: tuple[str, ...] = ("--version",)
    """Arguments that make it print its version; used by ``doctor``."""
    applet: bool = False
    """Whether it is a link to a multi-call program. It must be called by its name, on the PATH."""


class Document(Struct, frozen=True):
    """A tool's output, live or from a file, for a parser."""

    name: str
    """File name, or the command line that printed it."""
    kind: str
    """The family's word for the format: it selects the parser."""
    text: str


class Confidence(IntEnum):
    """The certainty that a text is a tool's output."""

    POSSIBLE = 1
    """A text that other tools print as well. It is read with a note."""
    LIKELY = 2
    SURE = 3
    """A line that no other tool prints."""


class Sniffed(Struct, frozen=True):
    """A vendor's claim that a text is output of its tools."""

    kind: str
    confidence: Confidence
    command: str
    """The command that prints such an output: ``ssacli ctrl all show config detail``."""


class Observation(Struct, frozen=True):
    """The result of reading one family."""

    controllers: tuple[Controller, ...] = ()
    problems: tuple[Problem, ...] = ()
    tools: tuple[Tool, ...] = ()
    outputs: tuple[Output, ...] = ()
    """Every output that was read, with the facts of each line."""


class Vendor(Protocol):
    """A tool family. Modules satisfy it; the names in capitals are constants of the module."""

    @property
    def FAMILY(self) -> str:  # noqa: N802 - a module constant
        """Short name and prefix of the ids: ``smartarray``."""

    @property
    def TITLE(self) -> str:  # noqa: N802 - a module constant
        """Title in messages: ``HP and HPE Smart Array``."""

    @property
    def TOOLS(self) -> tuple[ToolSpec, ...]:  # noqa: N802 - a module constant
        """The tools, the best one first."""

    @property
    def DRIVERS(self) -> tuple[str, ...]:  # noqa: N802 - a module constant
        """Kernel drivers whose PCI functions belong to this family: ``hpsa``, ``smartpqi``."""

    @property
    def LAST(self) -> bool:  # noqa: N802 - a module constant
        """Whether the family takes the drives that no other family lists."""

    @property
    def SUPPORT(self) -> Mapping[str, Capability]:  # noqa: N802 - a module constant
        """The most that the family can read and set. The keys are the names of CAPABILITIES."""

    def observe(self, host: HostView) -> Dialogue[Observation]:
        """Read everything of this family on a machine. No tool installed: an empty observation."""

    def sniff(self, name: str, text: str) -> Sniffed | None:
        """Recognise an output of this family by its content. The name is a hint."""

    def read(self, documents: Sequence[Document]) -> Observation:
        """Read complete or partial outputs, and combine those of one controller."""


class SharesDrives(Protocol):
    """A family whose volumes may share drives. Each volume has a part of some of them."""

    @property
    def SHARES_DRIVES(self) -> bool:  # noqa: N802 - a module constant
        """True: volumes may share drives.

        Without it, a layout must not name a drive in two arrays of one controller.
        """


class CountsRedundancy(Protocol):
    """A family whose reader counts the drive failures each volume still survives."""

    @property
    def COUNTS_REDUNDANCY(self) -> bool:  # noqa: N802 - a module constant
        """Whether ``failures_tolerated`` of its volumes is taken as it is. Otherwise, the core works it out."""


class ReportsProgress(Protocol):
    """A family that can read its operations from kernel files alone. No tool has to run."""

    def progress(self) -> Dialogue[Mapping[str, Progress | None]]:
        """The progress of each volume by its id, None without an operation. Empty if it could not be read."""
