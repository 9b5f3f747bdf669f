"""Every built-in rule over every file of a collection of real outputs: what is found, to be judged by a person.

    python tests/rules_on_captures.py DIRECTORY [--rule NAME] [--unknown] [--count] [--recordings]

Each finding that did not pass is printed with its file; at the end, how often each rule met an object, and how often
it said what. ``--recordings`` takes the folders below DIRECTORY that hold a ``record.json`` as whole machines.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "vendors")]

from raidctl.audit.builtin import rules  # noqa: E402 - the checkout comes first on the path
from raidctl.audit.finding import Finding  # noqa: E402 - as above
from raidctl.loose import gather  # noqa: E402 - as above
from raidctl.model import Inventory  # noqa: E402 - as above
from raidctl.observe import survey, survey_documents  # noqa: E402 - as above
from raidctl.record import load  # noqa: E402 - as above
from raidctl.registry import vendors  # noqa: E402 - as above
from raidctl.runners.replay import ReplayRunner  # noqa: E402 - as above


def of_file(path: Path) -> Inventory:
    """What raidctl makes of one loose file."""
    found = vendors()[0]
    gathered = gather(str(path), found)
    return survey_documents(gathered.texts, source=gathered.source, problems=gathered.problems).inventory


def of_recording(path: Path) -> Inventory:
    """What raidctl makes of one recorded machine."""
    return survey(ReplayRunner(load(path)), vendors()[0], source=f"replay:{path}", problems=()).inventory


def inventories(place: Path, *, recordings: bool) -> Iterator[tuple[str, Inventory]]:
    """Name and inventory of every file, or recorded machine, in a stable order."""
    if recordings:
        for path in sorted(place.rglob("record.json")):
            yield str(path.parent.relative_to(place)), of_recording(path.parent)
        return
    for path in sorted(place.rglob("*")):
        if path.is_file():
            yield str(path.relative_to(place)), of_file(path)


def findings(inventory: Inventory, only: str | None) -> Iterator[Finding]:
    """What the rules say."""
    for rule in rules():
        if only in (None, rule.name):
            yield from rule.check(inventory)


def main() -> int:
    """Run the rules and print what they say."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--rule", help="only this one")
    parser.add_argument("--unknown", action="store_true", help="print what could not be told as well")
    parser.add_argument("--count", action="store_true", help="print only the figures")
    parser.add_argument("--recordings", action="store_true", help="recorded machines instead of loose files")
    options = parser.parse_args()
    counted: Counter[tuple[str, str]] = Counter()
    machines = 0
    for name, inventory in inventories(options.directory, recordings=options.recordings):
        machines += 1
        for one in findings(inventory, options.rule):
            counted[one.rule, one.outcome if one.outcome != "fail" else one.severity] += 1
            if not options.count and (one.outcome == "fail" or (options.unknown and one.outcome == "unknown")):
                sys.stdout.write(f"{name}\t{one.outcome}\t{one.severity}\t{one.rule}\t{one.where}\t{one.message}\n")
    kinds = ("pass", "unknown", "info", "warning", "critical")
    sys.stdout.write(f"\n{machines} files or machines\n{'rule':28}{''.join(f'{kind:>10}' for kind in kinds)}\n")
    for rule in rules():
        sys.stdout.write(f"{rule.name:28}{''.join(f'{counted[rule.name, kind]:10}' for kind in kinds)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
