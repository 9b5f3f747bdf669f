"""Evidence of the kernel's side: what was put together from udev, sysfs and mountinfo, one line for each fact."""

from __future__ import annotations

from dataclasses import dataclass, field

from raidctl.evidence import Output

SOURCE = "kernel (udev, sysfs, mountinfo)"
"""Stands for the command: what these lines say comes from several answers."""


@dataclass
class KernelSheet:
    """Lines of the kernel's view in the making, each with the fact that it gave."""

    rows: list[tuple[str, str, str, object]] = field(default_factory=list)

    def fact(self, text: str, object_id: str, field: str, value: object) -> None:
        """``text`` says that ``field`` of an object is ``value``."""
        self.rows.append((text, object_id, field, value))

    def sheets(self) -> tuple[Output, ...]:
        """One output with all lines; none when there are none."""
        output = Output.of_lines(SOURCE, (row[0] for row in self.rows))
        for line, (_, object_id, name, value) in zip(output.lines, self.rows, strict=True):
            line.fact(object_id, name, value)
        return (output,) if output.lines else ()
