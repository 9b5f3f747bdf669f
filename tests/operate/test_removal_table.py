"""Expected answers over the recorded machines, the demos, and a collection of outputs where there is one."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from datetime import datetime, timezone
from functools import cache
from pathlib import Path

import pytest

from raidctl.operate.boot_loader import Around
from raidctl.operate.removal import check
from raidctl.operate.removal_report import Removal
from raidctl.recording.recording import load
from raidctl.runners.replay import ReplayRunner
from raidctl.select import physical
from raidctl.simulation.demo import demos
from raidctl.survey.survey import Survey, survey
from raidctl.vendor.registry import vendors
from raidctl.vendor.unreported import unreported
from tests.golden import of_file
from tests.support.machines import MACHINES, replayed

NOW = datetime(2026, 11, 23, tzinfo=timezone.utc)
AROUND = Around(unreported=unreported(vendors()[0]))
TABLE = Path(__file__).with_name("verdicts.tsv")
COLLECTION = Path(os.environ.get("RAIDCTL_CAPTURES") or Path(__file__).resolve().parents[3] / "shared" / "captures")


@cache
def demo(name: str) -> Survey:
    """What raidctl makes of a simulated machine's recording."""
    found, _ = vendors()
    kept = load(next(one.path for one in demos(found) if one.name == name))
    return survey(ReplayRunner(kept), found, source=f"replay:{name}", collected_at=kept.manifest.collected_at)


def machines() -> Iterator[tuple[str, Survey]]:
    """Every recorded machine and every demo, by the name that the table has."""
    yield from ((f"fixture:{name}", replayed(name)) for name in MACHINES)
    yield from ((f"demo:{one.name}", demo(one.name)) for one in demos(vendors()[0]))


def answers(seen: Survey) -> Iterator[Removal]:
    """The answer about each physical drive."""
    inventory = seen.inventory
    for name in physical(inventory, [card.id for card in inventory.controllers]):
        yield check(inventory, seen.view, name, NOW, AROUND)


def row(source: str, answer: Removal) -> tuple[str, ...]:
    """A row of the table: the guards are those that decide."""
    guards = {reason.guard for reason in answer.reasons if reason.verdict == answer.verdict != "yes"}
    return source, answer.drive, answer.verdict, " ".join(sorted(guards))


def expected(kind: str) -> set[tuple[str, ...]]:
    """The rows of the table of this kind."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    rows = [tuple(f"{line}\t\t".split("\t")[:4]) for line in lines if not line.startswith("#")]
    return {one for one in rows if one[0].startswith(f"{kind}:")}


def test_the_table_has_rows_of_all_families() -> None:
    """At least sixty rows, and each family has one."""
    rows = expected("fixture") | expected("demo")
    assert len(rows) >= 60
    families = {drive.partition(":")[0] for _, drive, _, _ in rows | expected("capture")}
    assert families >= {vendor.FAMILY for vendor in vendors()[0]}
    assert {verdict for _, _, verdict, _ in rows} == {"yes", "no", "unknown"}


@pytest.mark.parametrize("kind", ["fixture", "demo"])
def test_each_drive_of_a_recorded_machine_gets_the_reviewed_answer(kind: str) -> None:
    """Verdict and deciding guards of every physical drive, none more and none less."""
    found = {row(name, answer) for name, seen in machines() if name.startswith(kind) for answer in answers(seen)}
    assert sorted(found ^ expected(kind)) == []


@pytest.mark.skipif(not COLLECTION.is_dir(), reason="there is no collection of outputs")
def test_outputs_of_a_collection_get_the_reviewed_answer() -> None:
    """The rows are found by the digest of their file; files that the collection no longer has are passed over."""
    rows = expected("capture")
    wanted = {source.rpartition("/")[2]: source for source, *_ in rows}
    tools = {source.partition(":")[2].partition("/")[0] for source in wanted.values()}
    found: set[tuple[str, ...]] = set()
    for path in (path for tool in sorted(tools) for path in sorted((COLLECTION / tool).glob("*")) if path.is_file()):
        source = wanted.get(hashlib.sha256(path.read_bytes()).hexdigest()[:16])
        if source is not None:
            found |= {row(source, answer) for answer in answers(of_file(str(path)))}
    seen = {source for source, *_ in found}
    assert seen
    assert sorted(one for one in rows if one[0] in seen and one not in found) == []
