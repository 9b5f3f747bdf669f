"""Evidence of the kernel's side: what was put together from udev, sysfs and mountinfo, one line for each fact."""

from __future__ import annotations

from msgspec import Struct, field

from raidctl.evidence import Line, Output

SOURCE = "kernel (udev, sysfs, mountinfo)"
"""Stands for the command: what these lines say comes from several answers."""


class KernelSheet(Struct):
    """Lines of the kernel's view in the making, each with the fact that it gave."""

    rows: list[tuple[str, str, str, object]] = field(default_factory=list)

    def fact(self, text: str, object_id: str, field: str, value: object) -> None:
        """``text`` says that ``field`` of an object is ``value``."""
        self.rows.append((text, object_id, field, value))

    def sheets(self) -> tuple[Output, ...]:
        """One sheet with all lines; none when there are none."""
        lines = tuple(Line(number, row[0]) for number, row in enumerate(self.rows, 1))
        sheet = Output(SOURCE, lines)
        for line, (_, object_id, name, value) in zip(lines, self.rows, strict=True):
            sheet.fact(line, object_id, name, value)
        return (sheet,) if lines else ()
