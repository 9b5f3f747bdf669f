"""pySMART as a reader: it asks its questions of what was collected, and starts no process of its own.

pySMART changes its process when it is imported (``LANG``, the class of all loggers) and logs and warns while it
reads; :func:`_quiet` puts everything back. It is imported only when a drive is read.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from raidctl.evidence import Sheet
from raidctl.model import Problem
from raidctl.request import RunAnswer
from raidctl.text import collapse, printable
from raidctl_drives.parts import DrivePart

_LONGEST = 1_000_000
"""Characters that pySMART is given; no drive's table comes near it."""
_SECTIONS = {
    "sataphy": re.compile(r"SATA Phy Event Counters \(GP Log 0x11\)"),
    "sasphy": re.compile(r"Protocol Specific port log page for SAS SSP"),
    "background": re.compile(r"Background scan results log"),
}
"""The parts of ``-x`` that pySMART asks for one by one, by the word after ``-l``."""
_MISREAD = re.compile(r"Add\. Product Id:|recommended polling time:\s+Not Supported")
_DATA = "=== START OF READ SMART DATA SECTION ==="


class NeededError(BaseException):
    """pySMART needs the output of a command that was not collected.

    No ``Exception``: pySMART catches those around some of its calls.
    """

    def __init__(self, argv: tuple[str, ...]) -> None:
        super().__init__(" ".join(argv))
        self.argv = argv


@dataclass(frozen=True)
class Opinion:
    """What pySMART read; None where it has nothing."""

    model: str | None = None
    serial: str | None = None
    firmware: str | None = None
    size_bytes: int | None = None
    media: Literal["hdd", "ssd"] | None = None
    rpm: int | None = None
    temperature_celsius: int | None = None
    healthy: bool | None = None
    failure: str | None = None
    """Why pySMART could not read the drive."""


class Collected:
    """Stands in for pySMART's ``Smartctl``: answers from outputs that were collected.

    Args:
        command: the command that was run.
        text: what it printed.
        code: its exit status.
    """

    def __init__(self, command: Sequence[str], text: str, code: int | None) -> None:
        self.lines = [*text.splitlines(), ""]  # pySMART wants a blank line after the last table
        self.code = code or 0
        self.whole = "-x" in command
        self.added: dict[tuple[str, ...], tuple[list[str], int]] = {}

    def add(self, argv: tuple[str, ...], answer: RunAnswer) -> None:
        """Keep the output of a command that pySMART asked for; no answer is an empty output."""
        self.added[argv] = (answer.text.splitlines(), 1 if answer.code is None else answer.code)

    def all(self, disk: str, interface: str | None = None) -> list[str]:
        """``smartctl --all``: the output that was collected.

        Two lines are left out: pySMART takes ``Add. Product Id`` for the drive's model, and fails on a polling
        time that is ``Not Supported``.
        """
        del disk, interface
        return [line for line in self.lines if not _MISREAD.match(line)]

    def info(self, disk: str, interface: str | None = None) -> list[str]:
        """``smartctl --info`` is a part of what was collected."""
        return self.all(disk, interface)

    def generic_call(self, params: list[str], pass_options: bool = False) -> tuple[list[str], int]:
        """Any other call: from the sections of ``-x``, or from what was added; else it is needed."""
        del pass_options
        argv = ("smartctl", *params)
        if argv in self.added:
            return self.added[argv]
        page = params[params.index("-l") + 1] if "-l" in params[:-1] else ""
        if self.whole and page in _SECTIONS:
            return self._section(page)
        raise NeededError(argv)

    try_generic_call = generic_call

    def _section(self, page: str) -> tuple[list[str], int]:
        """A part of the output in the form in which smartctl prints it alone, after three or four lines of title."""
        start = next((n for n, line in enumerate(self.lines) if _SECTIONS[page].match(line)), None)
        if start is None:
            return [], 4
        end = next((n for n in range(start, len(self.lines)) if not self.lines[n].strip()), len(self.lines))
        title = self.lines[:2] + [""] + ([] if page == "sataphy" else [_DATA])
        return title + self.lines[start:end] + [""], 0


def interface_of(part: DrivePart) -> str:
    """PySMART's word for the drive's protocol, which saves it the asking."""
    if part.interface == "nvme" or "NVMe Version" in part.details or "Critical Warning" in part.details:
        return "nvme"
    if part.interface == "sas":
        return "sas"
    if "Vendor" in part.details or "Device type" in part.details or "Compliance" in part.details:
        return "scsi"
    return "sat"


def read(device: str, interface: str, collected: Collected) -> Opinion:
    """Let pySMART read what was collected.

    Raises:
        NeededError: it needs another command first.
    """
    if sum(map(len, collected.lines)) > _LONGEST:
        return Opinion(failure="the output is too long")
    with _quiet():
        try:
            from pySMART import Device  # noqa: PLC0415 - it starts slowly and changes the process

            return _opinion(Device(device, interface=interface, smartctl=collected))
        except Exception as error:  # noqa: BLE001 - whatever breaks in there, our own reading stands
            return Opinion(failure=f"{type(error).__name__}: {error}")


def _opinion(device: Any) -> Opinion:
    size = device.size
    return Opinion(
        model=_text(device.model),
        serial=_text(device.serial),
        firmware=_text(device.firmware),
        size_bytes=size if isinstance(size, int) and size > 0 else None,
        media="ssd" if device.is_ssd else ("hdd" if device.rotation_rate else None),
        rpm=device.rotation_rate if isinstance(device.rotation_rate, int) else None,
        temperature_celsius=device.temperature if isinstance(device.temperature, int) else None,
        healthy={"PASS": True, "WARN": True, "FAIL": False}.get(device.assessment),
    )


def _text(value: object) -> str | None:
    text = collapse(printable(value)) if isinstance(value, str) else ""
    return text if text and not text.startswith("[No") else None


def compared(part: DrivePart, opinion: Opinion | None, sheet: Sheet) -> DrivePart:
    """The part, with what only pySMART could read; a problem for each fact on which the two disagree."""
    if opinion is None or opinion.failure:
        why = opinion.failure if opinion and opinion.failure else "it asks for more and more"
        return _troubled(
            part, f"pySMART could not read the drive's output ({printable(why)}); raidctl's own reader did."
        )
    for name in ("model", "serial", "firmware", "size_bytes", "media", "rpm", "temperature_celsius"):
        theirs, ours = getattr(opinion, name), getattr(part, name)
        # Its zero is "not told": so it reads the temperature of a drive that has no log of it
        if theirs is None or (ours is None and theirs == 0):
            continue
        if ours is None:
            part = _taken(part, sheet, name, theirs)
        elif name != "temperature_celsius" and not _agree(name, ours, theirs):
            part = _troubled(part, f"pySMART reads {theirs!r} where raidctl reads {ours!r} ({name}).")
    failed = (part.status_text or "").startswith("FAILED")
    if opinion.healthy is not None and (failed if opinion.healthy else part.status == "ok"):
        word = "healthy" if opinion.healthy else "failing"
        part = _troubled(part, f"pySMART takes the drive for {word}, raidctl reads {part.status_text!r}.")
    return part


def _agree(name: str, ours: object, theirs: object) -> bool:
    # pySMART keeps a serial number up to its first blank
    return ours == theirs or (name == "serial" and str(ours).split()[:1] == [theirs])


def _taken(part: DrivePart, sheet: Sheet, name: str, value: object) -> DrivePart:
    """A value that only pySMART found, with the line that holds it as its evidence; without one it is not taken."""
    line = next((line for line in sheet.lines if str(value) in line.text and not sheet.used(line)), None)
    if line is None:
        return part
    sheet.fact(line, part.key, name, value)
    changes: dict[str, Any] = {name: value}
    return replace(part, **changes)


def _troubled(part: DrivePart, message: str) -> DrivePart:
    problem = Problem(
        severity="info", where=part.key, message=message, kind="note",
        remedy="Look at smartctl -x of the drive, and report the difference.",
    )  # fmt: skip
    return replace(part, problems=(*part.problems, problem))


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """No log lines, no warnings, and the process as it was before."""
    language, loggers, level = os.environ.get("LANG"), logging.getLoggerClass(), logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)
        logging.setLoggerClass(loggers)
        if language is None:
            os.environ.pop("LANG", None)
        else:
            os.environ["LANG"] = language
