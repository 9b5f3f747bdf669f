"""Results of raidctl for every recorded machine and file of a collection. They are compared before and after a change.

    python -m tests.golden write FILE [--from DIRECTORY]      # before
    python -m tests.golden compare FILE [--from DIRECTORY]    # after: lists what differs, exit code 1 if anything does
    python -m tests.golden show NAME                          # all of one machine or file, for diff

For each one it keeps a digest of five things: the inventory, the facts with their lines, the lines that no parser
understood, the screen of ``show``, and the findings of the built-in rules. The machines are those of ``fixtures/``; the
directory holds outputs of tools, a file each. Two sessions of one commit write the same file.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import findings_of
from raidctl.output.console import Display
from raidctl.output.json import to_json
from raidctl.output.show import screen
from raidctl.recording.loose_files import collect_outputs
from raidctl.survey.survey import Survey, survey_documents
from raidctl.vendor.registry import vendors
from tests.support.machines import MACHINES, replayed

KINDS = ("inventory", "facts", "unparsed", "show", "findings")


def of_file(path: str) -> Survey:
    """What raidctl makes of a loose file."""
    found = collect_outputs(path, vendors()[0])
    return survey_documents(found.texts, source="golden", problems=found.problems)


def texts(name: str) -> Iterator[str]:
    """The five things, as texts, of a machine or of a file."""
    seen = replayed(name) if name in MACHINES else of_file(name)
    yield to_json(seen.inventory)
    facts = [f"{fact.command} {fact.line.number} {fact[:3]}" for output in seen.outputs for fact in output.facts]
    yield "\n".join(sorted(facts))
    yield "\n".join(f"{output.command}: {line}" for output in seen.outputs for line in output.unparsed())
    yield screen(seen.inventory, Display(80))
    yield "\n".join(map(str, findings_of(seen.inventory, rules())))


def digests(name: str) -> list[str]:
    """A digest of each of the five; of what fails, the exception."""
    try:
        return [hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16] for text in texts(name)]
    except Exception as error:  # noqa: BLE001 - a file that breaks raidctl is a result as well
        return [f"{type(error).__name__}: {error}"] * len(KINDS)


def everything(directory: Path | None) -> dict[str, list[str]]:
    """The digests of all machines and files. A file is named by its path below the directory."""
    paths = sorted(path for path in directory.rglob("*") if path.is_file()) if directory else []
    with ProcessPoolExecutor() as pool:
        found = list(pool.map(digests, [*MACHINES, *map(str, paths)], chunksize=8))
    names = [*MACHINES, *(str(path.relative_to(directory)) for path in paths if directory)]
    return dict(zip(names, found, strict=True))


def differing(before: dict[str, list[str]], after: dict[str, list[str]]) -> Iterator[str]:
    """A line for each machine or file that differs. It names the things that do."""
    for name in sorted({*before, *after}):
        old, new = before.get(name), after.get(name)
        if old is None or new is None:
            yield f"{name}: only {'after' if old is None else 'before'}"
        elif old != new:
            yield f"{name}: {', '.join(kind for kind, one, other in zip(KINDS, old, new, strict=True) if one != other)}"


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("what", choices=("write", "compare", "show"))
    parser.add_argument("name", help="the file of digests; for show, a machine or the path of an output")
    parser.add_argument("--from", dest="directory", type=Path)
    given = parser.parse_args()
    if given.what == "show":
        for kind, text in zip(KINDS, texts(given.name), strict=True):
            sys.stdout.write(f"== {kind}\n{text}\n")
        return 0
    found = everything(given.directory)
    if given.what == "write":
        Path(given.name).write_text(json.dumps(found, indent=1, sort_keys=True), encoding="utf-8")
        return 0
    different = list(differing(json.loads(Path(given.name).read_text(encoding="utf-8")), found))
    sys.stdout.write("".join(f"{line}\n" for line in different))
    sys.stdout.write(f"{len(different)} of {len(found)} differ.\n")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
