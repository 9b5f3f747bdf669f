"""Outputs that the fuzzer damages: recorded machines, or files of a directory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from raidctl.recording.recording import load
from raidctl.request import Read, ReadAnswer, Run, RunAnswer, decode
from tests.support.conclusions import form_of
from tests.support.machines import FIXTURES

DEMOS = FIXTURES.parent / "vendors"
LARGEST = 200_000
"""Bytes of a file; larger ones take too long to read often."""
_FILES = ("/proc/mdstat",)
_IMPOSSIBLE = frozenset({"telegraf-smartctlNVMeInfoData.txt"})
"""Files of a collection that no tool prints. They have smartctl's PASSED above a critical warning, from which it
follows there. A cut between the two has one of them, and nothing is missing."""


@dataclass(frozen=True)
class Sample:
    """One output as a tool printed it."""

    name: str
    text: str

    @property
    def tool(self) -> str:
        """The program that printed it. Only a recorded one is known."""
        return self.name.partition(": ")[2].split()[0].rpartition("/")[2]


def samples(directory: Path | None = None) -> list[Sample]:
    """The outputs, sorted by name. For a directory, these are all files that are not too large.

    Raises:
        ValueError: There is none.
    """
    found = sorted(_files(directory) if directory else _recorded(), key=lambda sample: sample.name)
    if not found:
        raise ValueError(f"{directory} holds no file of at most {LARGEST} bytes")
    return found


def of_other_forms(outputs: Iterable[Sample]) -> list[Sample]:
    """The outputs that differ in form, the longest first.

    Those whose lines, without their values, are all in another one's are left out.
    """
    kept: list[frozenset[str]] = []
    found = []
    for sample in sorted(outputs, key=lambda one: -len(one.text)):
        form = frozenset(filter(None, map(form_of, sample.text.splitlines())))
        if not any(form <= other for other in kept):
            kept.append(form)
            found.append(sample)
    return found


def _files(directory: Path) -> Iterator[Sample]:
    for path in directory.rglob("*"):
        if path.is_file() and path.name not in _IMPOSSIBLE and 0 < path.stat().st_size <= LARGEST:
            text = path.read_bytes().decode("utf-8", "surrogateescape")
            yield Sample(str(path.relative_to(directory)), text)


def _recorded() -> Iterator[Sample]:
    for place in sorted({*FIXTURES.glob("*/record.json"), *DEMOS.glob("*/demos/*/record.json")}):
        for request, answer in load(place.parent).answers():
            text = ""
            if isinstance(request, Run) and isinstance(answer, RunAnswer):
                name, text = " ".join(request.argv), decode(answer.out)
            elif isinstance(request, Read) and isinstance(answer, ReadAnswer) and request.path in _FILES:
                name, text = request.path, decode(answer.data or b"")
            if text.strip() and len(text) <= LARGEST:
                yield Sample(f"{place.parent.name}: {name}", text)
