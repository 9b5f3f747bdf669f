"""Every question of ``docs/fleet_sql.md`` is answered over 10,000 made-up machines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pytest

from raidctl.rows.parquet import columns

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "fleet_sql.md").read_text(encoding="utf-8")
QUESTIONS = dict(re.findall(r"^## ([^\n]+)\n(?:(?!^## ).)*?```sql\n(.*?)```", PAGE, flags=re.MULTILINE | re.DOTALL))
MADE = dict(re.findall(r"^-- (\w+)\n(.*?)(?=^-- |\Z)", (Path(__file__).parent / "made_up_fleet.sql").read_text("utf-8"),
                       flags=re.MULTILINE | re.DOTALL))  # fmt: skip
"""Statements that make the rows, by table."""


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """The made-up rows, and the views that the page begins with.

    The rows are in Parquet files as raidctl names them.
    """
    place = tmp_path_factory.mktemp("fleet")
    with duckdb.connect() as found:
        for table, rows in MADE.items():
            shape = ", ".join(f"{name} {kind}" for name, kind in columns(table).items() if name != "day")
            found.execute(f"CREATE TABLE made ({shape})")
            found.execute(f"INSERT INTO made BY NAME {rows}")
            for day in (1, 2, 3, 4):
                path = place / "rows" / table / f"day=2026-11-{day:02}" / f"{table}.parquet"
                path.parent.mkdir(parents=True, exist_ok=True)
                found.execute(f"COPY (FROM made WHERE day(collected_at) = {day}) TO '{path}'")
            found.execute("DROP TABLE made")
        found.execute(QUESTIONS["Begin"].replace("'rows/", f"'{place}/rows/"))
        yield found


def serials(*hosts: int) -> list[str]:
    """Serial numbers of the first drives of machines."""
    return [f"S{host}-0" for host in hosts]


ANSWERS: dict[str, tuple[list[str], list[tuple[Any, ...]]]] = {
    "Which drives of one model and firmware have media errors?": (
        ["serial", "media_errors"], [("S30-0", 90), ("S20-0", 60)]),
    "How often do drives of each model fail in a year?": (
        ["model", "drives", "drive_days", "failures", "percent_per_year"],
        [("EXAMPLE 8T", 20_000, 79_998, 10, 4.57), ("EXAMPLE 4T", 20_000, 79_998, 0, 0.0)]),
    "When did write-back switch off?": (
        ["host", "before", "after", "why_not_in_force"],
        [("host0", "write_back", "write_through", "The battery has failed.")]),
    "Which write policy did each volume have on a date?": (
        ["write_policy", "write_active", "volumes"],
        [("protected_write_back", "write_back", 9_999), ("protected_write_back", None, 1)]),
    "Which machines did not meet the policy on a date?": (
        ["policy", "rule", "failed", "waived", "unknown", "passed"], [("site.toml", "raid_level", 99, 1, 100, 9_800)]),
    "Which batteries are lost, or about to be?": (
        ["host", "status"], [("host0", "failed"), ("host4", "unknown")]),
    "Which machines were read incompletely, or not on the last day?": (
        ["host", "read"], [("host2", "not completely"), ("host1", "not since")]),
    "Which volumes survive no further drive failure?": (
        ["host", "failures_tolerated"], [("host8", 0), ("host9", None)]),
    "Which drives have moved?": (["drive_key", "hosts"], [("EXAMPLE 8T S7-0", ["host7", "spare-host"])]),
    "Which drives get worse?": (
        ["drive_key", "host", "bay", "more"],
        [("EXAMPLE 8T S30-0", "host30", "0", 90), ("EXAMPLE 8T S20-0", "host20", "0", 60)]),
    "When is the endurance of each SSD used up?": (
        ["drive_key", "host", "used", "used_up"], [("EXAMPLE 4T S5-3", "host5", 93, date(2026, 11, 11))]),
}  # fmt: skip


@pytest.mark.parametrize("question", [name for name in QUESTIONS if name != "Begin"])
def test_each_question_has_the_answer_that_was_put_in(database: duckdb.DuckDBPyConnection, question: str) -> None:
    """The statement of the page, as it is printed there."""
    wanted, expected = ANSWERS[question]
    found = database.execute(QUESTIONS[question])
    names = [one[0] for one in found.description or ()]
    rows = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
    assert [tuple(row[name] for name in wanted) for row in rows] == expected


def test_every_question_is_tested() -> None:
    """No statement of the page is without an answer here."""
    assert set(QUESTIONS) - {"Begin"} == set(ANSWERS)
