"""Every file of a collection of real outputs through the vendor packages. It is recognised, broken, or left over.

    python tests/captures.py [DIRECTORY] [--tool NAME] [--show-unparsed N] [--json]

The directory holds one folder for each tool; by default it is $RAIDCTL_CAPTURES, or ``../shared/captures`` beside the
checkout. It is not part of the project. Exit code 1 if a vendor package raised an exception, or an array and its drives
contradict each other.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, cast

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "vendors")]

from raidctl.recording.loose_files import LooseOutputs, collect_outputs  # noqa: E402 - the checkout comes first on the path
from raidctl.vendor.protocol import Vendor  # noqa: E402 - as above
from tests.support.membership import membership_faults  # noqa: E402 - as above

TOOLS = (
    "hpacucli", "storcli_json", "storcli_text", "megacli", "arcconf", "areca", "tw_cli",
    "mdadm", "mdstat", "hdparm", "smartctl", "nvme", "sdparm", "sas2ircu", "sas3ircu", "mvcli", "mnv_cli",
)  # fmt: skip
MEMBERS = ("FAMILY", "TOOLS", "sniff", "read")
SLOW = 2.0


@dataclass
class Result:
    """What became of one file."""

    tool: str
    path: str
    recognised: bool = False
    family: str = ""
    kinds: list[str] = field(default_factory=list)
    crashes: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    unread: int = 0
    lines: int = 0
    left: list[str] = field(default_factory=list)
    seconds: float = 0.0


@cache
def packages() -> tuple[Vendor, ...]:
    """The vendor packages of the checkout. One that cannot be imported yet is reported and left out."""
    found: list[Vendor] = []
    for place in sorted((ROOT / "vendors").glob("raidctl_*/__init__.py")):
        name = place.parent.name
        try:
            module: Any = importlib.import_module(name)
        except Exception as error:  # noqa: BLE001 - half-written packages are what this script is for
            sys.stderr.write(f"{name} cannot be imported: {type(error).__name__}: {error}\n")
            continue
        if all(hasattr(module, member) for member in MEMBERS):
            found.append(cast("Vendor", module))
        else:
            sys.stderr.write(f"{name} is no vendor package yet\n")
    return tuple(found)


def examine(task: tuple[str, str]) -> Result:
    """Recognise and read one file."""
    tool, path = task
    result = Result(tool, path)
    begun = time.perf_counter()
    try:
        gathered = collect_outputs(path, packages())
    except Exception:  # noqa: BLE001 - a crash is a result here
        result.crashes.append(traceback.format_exc())
        return result
    result.problems = [f"{problem.kind}: {problem.message}" for problem in gathered.problems]
    result.unread = sum(problem.kind == "unread" for problem in gathered.problems)
    result.crashes += [problem.message for problem in gathered.problems if "failed while looking" in problem.message]
    if not gathered.texts:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
        result.left = [line for line in text.splitlines() if line.strip()]
        result.lines = len(result.left)
    read(gathered, result)
    result.seconds = time.perf_counter() - begun
    return result


def read(gathered: LooseOutputs, result: Result) -> None:
    """Have each family read its part, and count the lines."""
    for vendor, documents in gathered.texts:
        result.recognised = True
        result.family = f"{result.family} {vendor.FAMILY}".strip()
        result.kinds += sorted({document.kind for document in documents})
        try:
            found = vendor.read(documents)
        except Exception:  # noqa: BLE001 - a crash is a result here
            result.crashes.append(traceback.format_exc())
            continue
        result.faults += [fault for controller in found.controllers for fault in membership_faults(controller)]
        result.problems += [f"{problem.kind}: {problem.message}" for problem in found.problems]
        result.unread += sum(problem.kind == "unread" for problem in found.problems)
        for output in found.outputs:
            result.lines += sum(1 for line in output.lines if line.text.strip())
            result.left += [line.text for line in output.unparsed()]
        if not found.outputs:
            texts = [line for document in documents for line in document.text.splitlines() if line.strip()]
            result.lines += len(texts)
            result.left += texts


def collection(given: str | None) -> Path:
    """The directory with the captures."""
    place = Path(given or os.environ.get("RAIDCTL_CAPTURES") or ROOT.parent / "shared" / "captures")
    if not place.is_dir():
        sys.exit(f"{place}: there is no such directory; name it, or set RAIDCTL_CAPTURES")
    return place


def tasks(place: Path, tools: Sequence[str]) -> list[tuple[str, str]]:
    """Tool and path of every file, in a stable order."""
    return [(tool, str(path)) for tool in tools for path in sorted((place / tool).rglob("*")) if path.is_file()]


def table(results: Sequence[Result]) -> str:
    """The figures of each tool."""
    rows: list[tuple[str, ...]] = [
        ("tool", "files", "recognised", "crashes", "problems", "unread", "lines", "left", "share")
    ]
    for tool in [*dict.fromkeys(result.tool for result in results), "all"]:
        mine = [result for result in results if tool in {result.tool, "all"}]
        lines, left = sum(r.lines for r in mine), sum(len(r.left) for r in mine)
        figures = (
            len(mine),
            sum(r.recognised for r in mine),
            sum(bool(r.crashes) for r in mine),
            sum(len(r.problems) for r in mine),
            sum(r.unread for r in mine),
            lines,
            left,
        )
        rows.append((tool, *map(str, figures), f"{100 * (lines - left) / lines:.2f}%" if lines else "-"))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(w) if n else cell.ljust(w) for n, (cell, w) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    )


def details(results: Sequence[Result], place: Path, unparsed: int) -> str:
    """Broken, unrecognised and slow files, and the lines left most often."""
    out: list[str] = []
    for result in results:
        name = Path(result.path).relative_to(place)
        out += [f"\nCRASH {name}\n{crash}" for crash in result.crashes]
        out += [f"wrong: {name}: {fault}" for fault in result.faults]
        if not result.recognised:
            out.append(f"nobody recognises {name}: {' '.join(result.problems)}")
        if result.seconds > SLOW:
            out.append(f"slow: {name} took {result.seconds:.1f} s")
    if unparsed:
        for tool in dict.fromkeys(result.tool for result in results):
            counted = Counter(line.strip() for result in results if result.tool == tool for line in result.left)
            places = {line.strip(): Path(r.path).name for r in results if r.tool == tool for line in r.left}
            out += [f"\n{tool}: lines that no parser used"] if counted else []
            out += [f"{count:6}  {line}    [{places[line]}]" for line, count in counted.most_common(unparsed)]
    return "\n".join(out)


def main() -> int:
    """Examine the collection and print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("directory", nargs="?")
    parser.add_argument("--tool", action="append", help="only this folder; may be given several times")
    parser.add_argument("--show-unparsed", type=int, default=0, metavar="N", help="the N most frequent lines per tool")
    parser.add_argument("--json", action="store_true", help="one JSON object for each file instead of the table")
    options = parser.parse_args()
    place = collection(options.directory)
    packages()
    found = tasks(place, options.tool or TOOLS)
    with ProcessPoolExecutor() as pool:
        results = list(pool.map(examine, found, chunksize=8))
    if options.json:
        sys.stdout.write("".join(json.dumps(asdict(result)) + "\n" for result in results))
    else:
        more = details(results, place, options.show_unparsed)
        sys.stdout.write(f"{table(results)}\n{more}\n" if more else f"{table(results)}\n")
    return 1 if any(result.crashes or result.faults for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
