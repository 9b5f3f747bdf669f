"""``raidctl export --rows``: rows of the inventories' values in JSON and Parquet. Bad input is named."""

from __future__ import annotations

import json
import sys
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pytest
from click.testing import CliRunner, Result

from raidctl.bench.record import Run
from raidctl.bench.result import Latency, Session, Spread, TrialResult
from raidctl.cli import cli, export
from raidctl.model import Drive, Problem
from raidctl.model.drives_below import physical_drives
from raidctl.rows.build import BUILDERS, drive_key, drives
from raidctl.rows.tables import TABLES
from tests.support.machines import FIXTURES, MACHINES, replayed


def run(*words: str | Path, code: int = 0) -> Result:
    """``raidctl export …``; rows are on standard output."""
    done = CliRunner().invoke(cli, list(map(str, words)), catch_exceptions=False)
    assert done.exit_code == code, done.stderr
    return done


def rows(text: str) -> list[dict[str, Any]]:
    """The objects of JSON lines."""
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def inventories(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The inventories of all recorded machines, one a line."""
    path = tmp_path_factory.mktemp("fleet") / "all.jsonl"
    path.write_bytes(b"".join(msgspec.json.encode(replayed(name).inventory) + b"\n" for name in MACHINES))
    return path


def test_every_object_of_every_recorded_machine_is_one_row() -> None:
    """There are as many rows as objects, each with its machine. A column has the value of the model's field."""
    for name in MACHINES:
        inventory = replayed(name).inventory
        counts = {table: list(build(inventory, name)) for table, build in BUILDERS.items()}
        assert len(counts["drives"]) == len(list(physical_drives(inventory.controllers)))
        assert len(counts["volumes"]) == sum(len(one.volumes) for one in inventory.controllers)
        assert len(counts["batteries"]) == sum(len(one.batteries) for one in inventory.controllers)
        assert len(counts["caches"]) == sum(one.cache is not None for one in inventory.controllers)
        for _, drive in physical_drives(inventory.controllers):
            [row] = [one for one in drives(inventory, name) if getattr(one, "drive", None) == drive.id]
            for column in ("serial", "model", "status", "size_bytes", "temperature_celsius", "media", "bay"):
                assert getattr(row, column) == getattr(drive, column), (name, drive.id, column)
            assert getattr(row, "media_errors", 0) == drive.errors.media
            assert getattr(row, "drive_key", "") == drive_key(drive)


@pytest.mark.parametrize(
    ("wwn", "serial", "key"),
    [
        ("0x5000C500B426D2D0", "S1", "wwn:5000c500b426d2d0"), ("5 000c50 0b426d2d0", "S1", "wwn:5000c500b426d2d0"),
        ("eui.0025385b71b00f2a", "S1", "wwn:eui.0025385b71b00f2a"), ("xxx", "S1", "EXAMPLE S1"),
        ("0000000000000000", "S1", "EXAMPLE S1"), ("#####", "XXXXXXXX", None), ("500000", "S1***", None),
    ],
)  # fmt: skip
def test_a_drive_has_one_key_and_a_masked_number_is_none(wwn: str, serial: str, key: str | None) -> None:
    """Drives whose numbers are masked alike are not one drive. Tools group the digits of a name differently."""
    assert drive_key(Drive(id="drives:1", model="EXAMPLE", serial=serial, wwn=wwn)) == key


def test_rows_are_flat_and_have_no_word_that_sql_keeps() -> None:
    """Rows have only text, numbers and truth values. The command has the same tables as the package."""
    assert tuple(TABLES) == export.TABLES
    for kind in TABLES.values():
        for name, one in msgspec.json.schema(kind)["$defs"][kind.__name__]["properties"].items():
            types = {part.get("type", "string") for part in one.get("anyOf", [one])}
            assert types <= {"string", "integer", "number", "boolean", "null"}, name
            assert name not in {"array", "table", "column", "where", "order", "group", "user", "check", "when"}


@pytest.mark.parametrize("table", [name for name in TABLES if name != "bench"])
def test_parquet_has_the_rows_of_the_lines(table: str, inventories: Path, tmp_path: Path) -> None:
    """Parquet has each value of each row. If it is written twice, nothing is there twice."""
    words = ("export", "--rows", table, inventories, "--jobs", "1")
    code = 3 if table in ("drives", "batteries", "caches") else 0  # an incomplete machine has no row there
    lines = rows(run(*words, code=code).stdout)
    for _ in range(2):
        run(*words, "--format", "parquet", "--output", tmp_path, code=code)
    with duckdb.connect() as database:
        found = database.execute(
            f"SELECT * FROM read_parquet('{tmp_path}/{table}/*/*.parquet', hive_partitioning = true)"  # noqa: S608 - a path of ours
        )
        names = [one[0] for one in found.description or ()]
        there = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
    for row in there:
        row["collected_at"] = row["collected_at"] and row["collected_at"].strftime("%Y-%m-%dT%H:%M:%SZ")
        row["day"] = row["day"] and str(row["day"])
    assert sorted(map(repr, (sorted(row.items()) for row in there))) == sorted(
        map(repr, (sorted(row.items()) for row in lines))
    )
    assert not list(tmp_path.rglob(".*"))


def test_a_second_export_keeps_the_rows_of_other_machines(tmp_path: Path) -> None:
    """Rows of two machines exported on one day are kept. The exports run one after the other."""
    same_day = [name for name in MACHINES if replayed(name).inventory.host.collected_at == "2026-03-04T05:06:07Z"][:2]
    for name in same_day:
        run("export", "--rows", "volumes", FIXTURES / name, "--format", "parquet", "--output", tmp_path)
    with duckdb.connect() as database:
        path = f"{tmp_path}/volumes/day=2026-03-04/volumes.parquet"
        count = database.execute("SELECT count(DISTINCT host), count(*) FROM read_parquet(?)", [path]).fetchone()
    expected = [len(list(BUILDERS["volumes"](replayed(name).inventory, name))) for name in same_day]
    assert count == (2, sum(expected))


def test_every_file_of_a_table_has_the_same_columns_whatever_is_null(tmp_path: Path) -> None:
    """Every file has the same columns, each of which may be null.

    ClickHouse takes the columns of one file for all, and reads a null as 0 otherwise.
    """
    for number, name in enumerate(MACHINES[:6]):
        run("export", "--rows", "drives", FIXTURES / name, "--format", "parquet", "--output", tmp_path / str(number))
    with duckdb.connect() as database:
        shapes = {
            tuple(
                database.execute(
                    "SELECT name, type, repetition_type FROM parquet_schema(?) WHERE name <> 'duckdb_schema'",
                    [str(path)],
                ).fetchall()
            )
            for path in tmp_path.rglob("*.parquet")
        }
    [shape] = shapes
    assert {repetition for _, _, repetition in shape} == {"OPTIONAL"}


def test_rows_without_a_time_have_no_day(tmp_path: Path) -> None:
    """Their directory is the one that partition readers take for null. The other days are still dates."""
    machine = replayed("areca-arc1210").inventory
    undated = msgspec.structs.replace(machine, host=msgspec.structs.replace(machine.host, collected_at=None))
    for name, one in (("dated", machine), ("undated", undated)):
        (tmp_path / f"{name}.json").write_bytes(msgspec.json.encode(one))
    files = (tmp_path / "dated.json", tmp_path / "undated.json")
    assert {row["day"] for row in rows(run("export", "--rows", "drives", *files).stdout)} == {"2026-03-04", None}
    for _ in range(2):
        run("export", "--rows", "drives", *files, "--format", "parquet", "--output", tmp_path / "rows")
    with duckdb.connect() as database:
        found = database.execute(
            "SELECT day, typeof(day), count(*) FROM read_parquet(?, hive_partitioning = true) GROUP BY ALL ORDER BY 1",
            [f"{tmp_path}/rows/drives/*/*.parquet"],
        ).fetchall()
    number = len(list(BUILDERS["drives"](machine, "x")))
    assert found == [(date(2026, 3, 4), "DATE", number), (None, "DATE", number)]


def test_without_duckdb_the_extra_is_named(inventories: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 4 before anything is read; lines need nothing."""
    monkeypatch.setitem(sys.modules, "duckdb", None)
    words = ("export", "--rows", "volumes", inventories)
    done = run(*words, "--format", "parquet", "--output", tmp_path / "rows", code=4)
    assert 'pip install "raidctl[parquet]"' in done.stderr
    assert not (tmp_path / "rows").exists()
    assert run(*words, "--jobs", "1").stdout


def test_what_cannot_be_read_is_named_and_the_rest_is_there(tmp_path: Path) -> None:
    """Bad files are named, and the good one beside them is exported.

    The bad ones are rubbish, an empty file and half an inventory: exit code 3.
    """
    good = run("--replay", FIXTURES / "areca-arc1210", "--json", "show").stdout
    for name, text in (("a.json", "rubbish"), ("b.json", ""), ("c.json", good[:900]), ("d.json", good)):
        (tmp_path / name).write_text(text)
    done = run("export", "--rows", "drives", tmp_path, code=3)
    assert {row["source"] for row in rows(done.stdout)} == {str(tmp_path / "d.json")}
    assert [line.split(": ")[1] for line in done.stderr.splitlines()] == [
        str(tmp_path / name) for name in ("a.json", "b.json", "c.json")
    ]


def test_a_machine_that_was_not_read_completely_is_marked_in_each_row() -> None:
    """Each row shows that other rows of its machine may be missing."""
    for name in MACHINES:
        inventory = replayed(name).inventory
        found = {getattr(row, "complete", None) for row in drives(inventory, name)}
        hidden = any(one.kind == "unread" for one in inventory.problems)
        assert not hidden or found <= {False}


def test_an_incomplete_machine_without_a_row_is_named(tmp_path: Path) -> None:
    """No row shows that it was not read completely. An empty table alone would mean that it has no batteries."""
    inventory = replayed("areca-arc1210").inventory
    unread = Problem(severity="error", where="areca:0", message="The tool failed.", kind="unread")
    bare = msgspec.structs.replace(inventory, controllers=())
    for name, one in (("bare", bare), ("unread", msgspec.structs.replace(bare, problems=(unread,)))):
        (tmp_path / f"{name}.json").write_bytes(msgspec.json.encode(one))
    assert run("export", "--rows", "batteries", tmp_path / "bare.json").stderr == ""
    done = run("export", "--rows", "batteries", tmp_path, code=3)
    assert done.stdout == ""
    assert [line.split(": ")[1] for line in done.stderr.splitlines()] == [str(tmp_path / "unread.json")]


def test_the_rest_of_many_incomplete_machines_is_counted_as_what_it_is(tmp_path: Path) -> None:
    """A machine that was read, but not completely, is not an input that could not be read."""
    unread = Problem(severity="error", where="areca:0", message="The tool failed.", kind="unread")
    bare = msgspec.structs.replace(replayed("areca-arc1210").inventory, controllers=(), problems=(unread,))
    for number in range(22):
        (tmp_path / f"{number}.json").write_bytes(msgspec.json.encode(bare))
    errors = run("export", "--rows", "batteries", tmp_path, code=3).stderr.splitlines()
    assert (len(errors), errors[-1]) == (21, "raidctl: 2 more such messages.")


def test_snapshots_are_rows_with_their_own_times(tmp_path: Path) -> None:
    """Snapshots of the state directory are rows with their own times. With them, --host or a PATH is wrong usage."""
    state = ("--state-dir", tmp_path)
    for name in ("areca-arc1210", "adaptec-5405-failed-battery"):
        run("--replay", FIXTURES / name, *state, "snapshot")
    found = rows(run(*state, "export", "--rows", "batteries", "--snapshots").stdout)
    assert {(row["source"], row["status"]) for row in found} == {("snapshot:1", "missing"), ("snapshot:2", "failed")}
    assert {row["day"] for row in found} == {
        (replayed(name).inventory.host.collected_at or "")[:10]
        for name in ("areca-arc1210", "adaptec-5405-failed-battery")
    }
    run(*state, "export", "--rows", "batteries", "--snapshots", FIXTURES / "areca-arc1210", code=2)
    run("--host", "elsewhere.invalid", *state, "export", "--rows", "batteries", "--snapshots", code=2)


def test_a_file_is_replaced_as_a_whole_or_not(tmp_path: Path, inventories: Path) -> None:
    """Lines go into a file as they come. A file that cannot be written leaves the old one."""
    target = tmp_path / "volumes.jsonl"
    run("export", "--rows", "volumes", inventories, "--jobs", "1", "--output", target)
    assert target.read_text() == run("export", "--rows", "volumes", inventories, "--jobs", "1").stdout
    run("export", "--rows", "volumes", inventories, "--jobs", "1", "--output", tmp_path / "no" / "where", code=3)
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


def test_findings_are_those_of_a_policy(tmp_path: Path) -> None:
    """Passes are included, each with the policy's name. Without a policy, the built-in rules are used."""
    policy = tmp_path / "site.toml"
    policy.write_text('raid_level = "raid6"\n')
    words = ("--replay", FIXTURES / "adaptec-5405-failed-battery", "export", "--rows", "findings")
    found = rows(run(*words, "--policy", policy).stdout)
    assert [(row["policy"], row["rule"], row["outcome"], row["object"]) for row in found] == [
        (str(policy), "raid_level", "fail", "adaptec:1/v0")
    ]
    assert {row["outcome"] for row in rows(run(*words).stdout)} >= {"pass", "fail"}


def test_a_run_is_a_row_for_each_figure(tmp_path: Path) -> None:
    """Each figure of a run is a row. A file has one run, over several lines, or a run a line."""
    figure = Spread(measured=120.5, unit="MiB/s", n=8, low=119.0, high=None)
    late = Latency(n=1000, p50=0.5, p90=None, worst=9.0)
    result = TrialResult(trial="sequential", figures={"read": figure}, latency={"reads": late}, verdict="pass")
    session = Session(profile="quick", target="/srv/x", kind="device", size=1, results=(result,))
    one = Run(id=4, at="2026-11-01T10:00:00+02:00", raidctl="0.1.0", host="alder", session=session)
    (tmp_path / "one.json").write_bytes(msgspec.json.format(msgspec.json.encode(one)))
    (tmp_path / "two.jsonl").write_bytes(b"\n".join([msgspec.json.encode(one)] * 2))
    found = rows(run("export", "--rows", "bench", tmp_path / "one.json", tmp_path / "two.jsonl").stdout)
    assert len(found) == 3 * 6
    assert found[0] | {"source": ""} == {
        "host": "alder", "collected_at": "2026-11-01T08:00:00Z", "day": "2026-11-01", "source": "", "complete": False,
        "run": 4, "label": None, "raidctl": "0.1.0", "profile": "quick", "target": "/srv/x", "target_kind": "device",
        "engine": None, "test": "sequential", "figure": "read", "unit": "MiB/s", "measured": 120.5, "low": 119.0,
        "high": None, "samples": 8, "verdict": "pass",
    }  # fmt: skip
    assert [row["figure"] for row in found[1:6]] == [
        f"latency/reads/{p}" for p in ("p50", "p90", "p99", "p999", "worst")
    ]
    assert found[2]["measured"] is None


@pytest.mark.parametrize(
    "words",
    [
        ("--rows", "drives", "--rules"),
        ("--rows", "drives", "--format", "parquet"),
        ("--rows", "drives", "--policy", "x.toml"),
        ("--rows", "bench", "--snapshots"),
        ("--rows", "drives", "/nowhere"),
        ("--rows", "findings", "--policy", "/nowhere.toml"),
        ("--rows", "drives", "--demo", "p400", "fixtures"),
        ("fixtures",),
        ("--snapshots",),
        ("--format", "jsonl"),
    ],
)
def test_wrong_words(words: tuple[str, ...]) -> None:
    """Exit code 2, and no row."""
    assert not run("export", *words, code=2).stdout
