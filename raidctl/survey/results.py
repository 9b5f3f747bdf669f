"""What the vendor packages of a machine have found so far."""

from __future__ import annotations

from msgspec import Struct, field

from raidctl.evidence import NO_LAST_BLANK, Output
from raidctl.model import Controller, Problem, SecondView, Tool
from raidctl.vendor.protocol import Observation, Vendor


class Results(Struct):
    """What the vendor packages of a machine have found so far."""

    controllers: list[Controller] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    of_kernel: list[Problem] = field(default_factory=list)
    """Those of the kernel's view."""
    tools: list[Tool] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    tracebacks: list[str] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)
    """Families whose vendor package failed."""
    views: tuple[SecondView, ...] = ()

    def add(self, found: Observation) -> None:
        """Add what a vendor package found."""
        self.controllers += found.controllers
        self.problems += found.problems
        self.tools += found.tools
        self.outputs += found.outputs

    def cut(self, found: Observation) -> None:
        """Report the truncated outputs, each once."""
        known = {problem.where for problem in found.problems if problem.kind == "unread"}
        for output in found.outputs:
            why = output.cut_off
            if why is not None and output.command not in known:
                message = f"The output is cut off, {why}: the rest is unknown."
                if why == NO_LAST_BLANK:
                    message = f"The output may be cut off: {why}. More volumes or drives may follow."
                remedy = "Run the command again and keep its whole output."
                self.problems.append(Problem("error", output.command, message, remedy, "unread"))

    def failed(self, vendor: Vendor, error: Exception, what: str) -> None:
        """Report that a vendor package failed; ``what`` is when: while asking its tools."""
        import traceback  # noqa: PLC0415 - rarely needed

        self.broken.add(vendor.FAMILY)
        self.tracebacks.append("".join(traceback.format_exception(error)))
        message = f"The vendor package {vendor.FAMILY} failed {what}: {type(error).__name__}: {error}."
        remedy = "Everything else is shown. Run again with -v for the traceback, and report it with a recording."
        self.problems.append(Problem("error", vendor.FAMILY, message, remedy, "unread"))
