"""Evidence of the kernel's view: one line per fact, from udev, sysfs and mountinfo."""

from __future__ import annotations

from msgspec import Struct, field

from raidctl.evidence import Line, Output

SOURCE = "kernel (udev, sysfs, mountinfo)"
"""Used as the command: these lines come from several requests."""


class KernelEvidence(Struct):
    """Lines of the kernel's view, each with its fact."""

    rows: list[tuple[str, str, str, object]] = field(default_factory=list)

    def fact(self, text: str, object_id: str, field: str, value: object) -> None:
        """Add a line: by ``text``, ``field`` of an object is ``value``."""
        self.rows.append((text, object_id, field, value))

    def outputs(self) -> tuple[Output, ...]:
        """Return one output with all lines; empty if there are none."""
        lines = tuple(Line(number, row[0]) for number, row in enumerate(self.rows, 1))
        output = Output(SOURCE, lines)
        for line, (_, object_id, name, value) in zip(lines, self.rows, strict=True):
            output.fact(line, object_id, name, value)
        return (output,) if lines else ()
