"""Evidence of the kernel's view, from udev, sysfs and mountinfo. There is one line per fact."""

from __future__ import annotations

from msgspec import Struct, field

from raidctl.evidence import Output

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
        output = Output.of_lines(SOURCE, (row[0] for row in self.rows))
        for line, (_, object_id, name, value) in zip(output.lines, self.rows, strict=True):
            line.fact(object_id, name, value)
        return (output,) if output.lines else ()
