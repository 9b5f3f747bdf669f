"""Expected answers over the recorded machines and the demos. A collection of outputs is included where there is one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

import pytest

from raidctl.operate.removal_report import Removal
from raidctl.simulation.demo import demos
from raidctl.survey.survey import Survey
from raidctl.vendor.registry import vendors
from tests.golden import of_file
from tests.operate.removal_machines import COLLECTION, answers, demo
from tests.support.machines import FIXTURES, MACHINES, replayed

TABLE = Path(__file__).with_name("verdicts.tsv")
"""Rows of the demos and of the collection."""
UPDATE = "If each answer is right, run this test with --update-expected."

Row = tuple[str, str, str, str]
"""Machine, drive, verdict, the guards that decide."""


def row(source: str, answer: Removal) -> Row:
    """A row of a table: the guards are those that decide."""
    guards = {reason.guard for reason in answer.reasons if reason.verdict == answer.verdict != "yes"}
    return source, answer.drive, answer.verdict, " ".join(sorted(guards))


def rows_of(source: str, seen: Survey) -> list[Row]:
    """The rows of a machine, one for each physical drive."""
    return sorted(row(source, answer) for answer in answers(seen))


def split(line: str) -> Row:
    """The cells of a line; the guards may be missing."""
    source, drive, verdict, guards = f"{line}\t\t".split("\t")[:4]
    return source, drive, verdict, guards


def written(cells: Iterable[tuple[str, ...]]) -> str:
    """Rows as lines of a table."""
    return "".join("\t".join(one).rstrip("\t") + "\n" for one in cells)


def expected(kind: str) -> set[Row]:
    """The rows of the table of this kind."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return {split(line) for line in lines if line.startswith(f"{kind}:")}


def beside(machine: str) -> Path:
    """The table of a recorded machine: drive, verdict, guards. A machine without physical drives has none."""
    return FIXTURES / machine / "expected" / "removal.tsv"


def expected_of(machine: str) -> list[Row]:
    """The rows beside a recorded machine."""
    path = beside(machine)
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return sorted(split(f"{machine}\t{line}") for line in lines)


def test_each_family_has_a_reviewed_answer() -> None:
    """The reviewed answers have at least sixty rows and all three verdicts. There is a drive of each family."""
    rows = {one for machine in MACHINES for one in expected_of(machine)} | expected("demo")
    assert len(rows) >= 60
    families = {drive.partition(":")[0] for _, drive, _, _ in rows | expected("capture")}
    missing = {vendor.FAMILY for vendor in vendors()[0]} - families
    assert not missing, f"No recorded machine has an answer for a drive of {sorted(missing)}. {UPDATE}"
    assert {verdict for _, _, verdict, _ in rows} == {"yes", "no", "unknown"}


def test_the_answer_names_enclosure_and_bay_of_the_drive() -> None:
    """The answer has the drive's enclosure and bay in separate fields."""
    seen = replayed("smartarray-gen9-degraded")
    places = {
        one.id: (one.enclosure, one.bay) for controller in seen.inventory.controllers for one in controller.drives
    }
    found = {one.drive: (one.enclosure, one.bay) for one in answers(seen)}
    assert found == places
    assert any(bay and bay != enclosure for enclosure, bay in places.values())


@pytest.mark.parametrize("machine", MACHINES)
def test_each_drive_of_a_recorded_machine_gets_the_reviewed_answer(machine: str, update_expected: bool) -> None:
    """Every physical drive gets the reviewed verdict and deciding guards. There are no more and no less."""
    found = rows_of(machine, replayed(machine))
    path = beside(machine)
    if update_expected:
        path.unlink(missing_ok=True)
        if found:
            path.parent.mkdir(exist_ok=True)
            path.write_text(written(one[1:] for one in found), encoding="utf-8")
    compared(found, expected_of(machine), path)


def test_each_drive_of_a_demo_gets_the_reviewed_answer(update_expected: bool) -> None:
    """The same for the demos of the packages."""
    found = [one for shown in demos(vendors()[0]) for one in rows_of(f"demo:{shown.name}", demo(shown.name))]
    if update_expected:
        kept = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if not line.startswith("demo:")]
        head = [line for line in kept if line.startswith("#")]
        rest = [line for line in kept if not line.startswith("#")]
        text = "".join(f"{line}\n" for line in head) + written(sorted(found)) + "".join(f"{line}\n" for line in rest)
        TABLE.write_text(text, encoding="utf-8")
    compared(found, expected("demo"), TABLE)


def compared(found: Iterable[Row], wanted: Iterable[Row], path: Path) -> None:
    """Fail with the rows that differ, and what to do about them."""
    now, before = set(found), set(wanted)
    differs = [f"now: {' '.join(one)}" for one in sorted(now - before)]
    differs += [f"was: {' '.join(one)}" for one in sorted(before - now)]
    assert not differs, "\n".join([f"{path.relative_to(FIXTURES.parent)} differs. {UPDATE}", *differs])


@pytest.mark.slow
@pytest.mark.skipif(not COLLECTION.is_dir(), reason="there is no collection of outputs")
def test_outputs_of_a_collection_get_the_reviewed_answer() -> None:
    """The rows are found by the digest of their file. Files that the collection no longer has are passed over."""
    rows = expected("capture")
    wanted = {source.rpartition("/")[2]: source for source, *_ in rows}
    tools = {source.partition(":")[2].partition("/")[0] for source in wanted.values()}
    found: set[Row] = set()
    for path in (path for tool in sorted(tools) for path in sorted((COLLECTION / tool).glob("*")) if path.is_file()):
        source = wanted.get(hashlib.sha256(path.read_bytes()).hexdigest()[:16])
        if source is not None:
            found |= set(rows_of(source, of_file(str(path))))
    seen = {source for source, *_ in found}
    assert seen
    assert sorted(one for one in rows if one[0] in seen and one not in found) == []
