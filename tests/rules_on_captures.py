"""Every built-in rule over every file in a collection of outputs.

The outputs are real; a person judges the findings.

    python tests/rules_on_captures.py DIRECTORY [--rule NAME] [--unknown] [--count] [--machines FILE] [--recordings]

Each finding that did not pass is printed with its file. At the end comes a table: how often each rule met an object,
its outcomes, how many of its findings share an object with another rule's, and the rules that do so most.

``--recordings`` takes the folders below DIRECTORY that hold a ``record.json`` as whole machines. ``--machines`` takes
several files as one machine, as a real one gives all of them: each line of FILE is a name and the paths below
DIRECTORY, with tabs between them.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "vendors")]

from raidctl.audit.builtin import rules  # noqa: E402 - the checkout comes first on the path
from raidctl.audit.finding import Finding  # noqa: E402 - as above
from raidctl.model import Inventory  # noqa: E402 - as above
from raidctl.recording.loose_files import collect_outputs  # noqa: E402 - as above
from raidctl.recording.recording import load  # noqa: E402 - as above
from raidctl.runners.replay import ReplayRunner  # noqa: E402 - as above
from raidctl.survey.survey import survey, survey_documents  # noqa: E402 - as above
from raidctl.vendor.registry import vendors  # noqa: E402 - as above

KINDS = ("pass", "unknown", "info", "warning", "critical")


def of_files(paths: Sequence[Path]) -> Inventory:
    """What raidctl makes of one machine's loose file or files."""
    found = vendors()[0]
    gathered = [collect_outputs(str(path), found) for path in paths]
    texts = [
        (
            vendor,
            tuple(
                document
                for one in gathered
                for reader, documents in one.texts
                if reader is vendor
                for document in documents
            ),
        )
        for vendor in found
    ]
    problems = [problem for one in gathered for problem in one.problems]
    return survey_documents([text for text in texts if text[1]], source=gathered[0].source, problems=problems).inventory


def of_recording(path: Path) -> Inventory:
    """What raidctl makes of one recorded machine."""
    return survey(ReplayRunner(load(path)), vendors()[0], source=f"replay:{path}", problems=()).inventory


def inventories(
    place: Path, *, recordings: bool = False, machines: Path | None = None
) -> Iterator[tuple[str, Inventory]]:
    """Names and inventories of every file, machine or group, in stable order."""
    if machines is not None:
        for line in machines.read_text(encoding="utf-8").splitlines():
            name, *paths = line.split("\t")
            yield name, of_files([place / path for path in paths])
        return
    if recordings:
        for path in sorted(place.rglob("record.json")):
            yield str(path.parent.relative_to(place)), of_recording(path.parent)
        return
    for path in sorted(place.rglob("*")):
        if path.is_file():
            yield str(path.relative_to(place)), of_files([path])


def findings(inventory: Inventory, only: str | None) -> Iterator[Finding]:
    """The findings of the rules."""
    for rule in rules():
        if only in (None, rule.name):
            yield from rule.check(inventory)


class Counts:
    """Counts of each rule's outcomes. They also show which rules have findings on the same object of a machine."""

    def __init__(self) -> None:
        self.outcomes: Counter[tuple[str, str]] = Counter()
        self.files: Counter[str] = Counter()
        self.shared: Counter[str] = Counter()
        self.besides: Counter[tuple[str, str]] = Counter()

    def add(self, found: Sequence[Finding]) -> None:
        """Count what was found on one machine."""
        self.outcomes.update((one.rule, one.severity if one.outcome == "fail" else one.outcome) for one in found)
        failed = [one for one in found if one.outcome == "fail"]
        self.files.update({one.rule for one in failed})
        for one in failed:
            others = {other.rule for other in failed if other.where == one.where} - {one.rule}
            self.shared[one.rule] += bool(others)
            self.besides.update((one.rule, other) for other in others)

    def table(self) -> Iterator[str]:
        """A line for each rule, and one for all."""
        head = "".join(f"{kind:>9}" for kind in KINDS)
        yield f"{'rule':26}{head}{'findings':>9}{'files':>7}{'shared':>7}  with"
        total: Counter[str] = Counter()
        for rule in rules():
            row = {kind: self.outcomes[rule.name, kind] for kind in KINDS}
            row["findings"] = sum(row[kind] for kind in KINDS[2:])
            total.update(row)
            names = [(count, other) for (name, other), count in self.besides.items() if name == rule.name]
            best = ", ".join(f"{other} {count}" for count, other in sorted(names, reverse=True)[:2])
            cells = "".join(f"{number:>9}" for number in row.values())
            yield f"{rule.name:26}{cells}{self.files[rule.name]:>7}{self.shared[rule.name]:>7}  {best}".rstrip()
        yield f"{'all':26}" + "".join(f"{total[kind]:>9}" for kind in (*KINDS, "findings"))


def main() -> int:
    """Run the rules and print their findings."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--rule", help="only this one")
    parser.add_argument("--unknown", action="store_true", help="print what could not be told as well")
    parser.add_argument("--count", action="store_true", help="print only the figures")
    parser.add_argument("--recordings", action="store_true", help="recorded machines instead of loose files")
    parser.add_argument(
        "--machines", type=Path, help="which files are of one machine: its name and paths, tab-separated"
    )
    options = parser.parse_args()
    counts, number = Counts(), 0
    for name, inventory in inventories(options.directory, recordings=options.recordings, machines=options.machines):
        number += 1
        found = list(findings(inventory, options.rule))
        counts.add(found)
        for one in found:
            if not options.count and (one.outcome == "fail" or (options.unknown and one.outcome == "unknown")):
                sys.stdout.write(f"{name}\t{one.outcome}\t{one.severity}\t{one.rule}\t{one.where}\t{one.message}\n")
    sys.stdout.write(f"\n{number} files or machines\n")
    sys.stdout.write("".join(f"{line}\n" for line in counts.table()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
