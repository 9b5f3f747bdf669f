"""The kernel's caches as read, with problems. Data only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from raidctl.layers.dm import Target
from raidctl.model import Problem
from raidctl.request import Failure, ReadAnswer

T = TypeVar("T")

VM = "/proc/sys/vm"
DIRTY = (
    "dirty_background_bytes", "dirty_background_ratio", "dirty_bytes", "dirty_ratio", "dirty_expire_centisecs",
    "dirty_writeback_centisecs",
)  # fmt: skip


@dataclass
class Files:
    """The files of one directory of sysfs; each is parsed when needed."""

    place: str
    answers: Mapping[str, ReadAnswer]
    problems: list[Problem]

    def value(self, name: str, parse: Callable[[str], T]) -> T | None:
        """Return a file's value; None if it is missing, empty or unreadable."""
        answer = self.answers.get(name)
        if answer is None or answer.trouble is Failure.MISSING:
            return None
        path = f"{self.place}/{name}"
        if answer.text is None or answer.trouble is not None:
            self._trouble(path, answer)
            return None
        if not answer.text.strip():
            return None
        try:
            return parse(answer.text)
        except ValueError as error:
            message = f"{path} has an unknown format: {error}."
            self._add(Problem(severity="warning", where=path, message=message, kind="unread"))
            return None

    def unread(self, name: str) -> bool:
        """Whether a file may be there, but could not be read."""
        answer = self.answers.get(name)
        return answer is not None and answer.trouble not in (None, Failure.MISSING)

    def _trouble(self, path: str, answer: ReadAnswer) -> None:
        if answer.trouble is Failure.DENIED:  # other failures are reported once for the whole round
            why, remedy = answer.detail or "no answer", "Run raidctl as root (sudo)."
            message = f"{path} could not be read ({why})."
            self._add(Problem(severity="warning", where=path, message=message, remedy=remedy, kind="no_right"))

    def _add(self, problem: Problem) -> None:
        if problem not in self.problems:
            self.problems.append(problem)


@dataclass
class Kernel:
    """The kernel's caches as read."""

    vm: Files
    """The files of ``/proc/sys/vm``."""
    memory: Mapping[str, int] = field(default_factory=dict)
    """Of ``/proc/meminfo``, bytes: ``MemTotal``, ``Dirty``, ``Writeback``."""
    pages: Mapping[str, int] = field(default_factory=dict)
    """Of ``/proc/vmstat``, pages: ``nr_dirty``, ``nr_dirtied``."""
    page_size: int | None = None
    """Bytes."""
    targets: Mapping[str, Target] = field(default_factory=dict)
    """Caching mappings of the device mapper by their kernel name, ``dm-3``."""
    bcaches: Mapping[str, Files] = field(default_factory=dict)
    """By kernel name, ``bcache0``."""
    arrays: Mapping[str, Files] = field(default_factory=dict)
    """md arrays by kernel name."""
    uuids: Mapping[str, str] = field(default_factory=dict)
    """Of caching mappings, by kernel name; LVM's begin with ``LVM-``."""
    problems: list[Problem] = field(default_factory=list)

    @property
    def dirty(self) -> int | None:
        """Bytes in memory that are dirty or being written. None if one of the two was not read."""
        dirty, written = self.memory.get("Dirty"), self.memory.get("Writeback")
        return None if dirty is None or written is None else dirty + written

    def page_bytes(self, name: str) -> int | None:
        """Convert a number of pages to bytes."""
        pages = self.pages.get(name)
        return None if pages is None or self.page_size is None else pages * self.page_size
