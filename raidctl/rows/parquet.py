"""Rows as Parquet files, partitioned by day, through DuckDB (the extra ``parquet``).

``DIRECTORY/drives/day=2026-11-24/drives.parquet``: a directory for each table, as Spark and Trino need it, with one
file for each day, replaced in one step. A machine that is exported again for the same moment replaces its rows; the
rows of other machines stay.
"""

from __future__ import annotations

import os
import secrets
import types
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from raidctl.errors import AccessMissing, CannotTell
from raidctl.rows.tables import TABLES

EXTRA = "raidctl[parquet]"
_TYPES: Mapping[Any, str] = {str: "VARCHAR", int: "BIGINT", float: "DOUBLE", bool: "BOOLEAN"}
_TIMES = frozenset({"collected_at"})
"""Columns that are times in Parquet, and RFC 3339 in JSON."""
NO_DAY = "__HIVE_DEFAULT_PARTITION__"
"""The day in the path of rows without a time. Readers of partitions take it as null."""


def columns(table: str) -> dict[str, str]:
    """The columns of a table with their SQL types, in order."""
    hints = get_type_hints(TABLES[table], include_extras=True)
    named = {name: hints[name] for name in TABLES[table].__struct_fields__}
    return {name: "TIMESTAMP" if name in _TIMES else _sql(kind) for name, kind in named.items()}


def _sql(kind: Any) -> str:
    """The SQL type of an annotation."""
    origin = get_origin(kind)
    if origin is Annotated:
        return _sql(get_args(kind)[0])
    if origin in (Union, types.UnionType):
        return _sql(next(one for one in get_args(kind) if one is not type(None)))
    return "VARCHAR" if origin is Literal else _TYPES[kind]


def engine() -> Any:
    """DuckDB.

    Raises:
        AccessMissing: It is not installed.
    """
    try:
        import duckdb  # noqa: PLC0415 - an extra
    except ImportError:
        raise AccessMissing(f'Parquet needs DuckDB, which is not installed: pip install "{EXTRA}".') from None
    return duckdb


def write(table: str, chunks: Iterable[bytes], directory: Path) -> list[Path]:
    """Write rows into the files of their days; return these.

    Args:
        table: Its name.
        chunks: Lines of JSON.
        directory: Where the partitions are, created if missing.

    Raises:
        AccessMissing: DuckDB is not installed.
        CannotTell: Something cannot be written or read; each file is the old one or the new one.
    """
    duckdb = engine()
    lines = directory / f".{table}.{secrets.token_hex(4)}.jsonl"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with lines.open("xb") as opened:
            opened.writelines(chunks)
        with duckdb.connect() as database:
            # a column without a null would be declared as not null, and ClickHouse would read a null in another file as
            # 0
            database.execute("SET disabled_optimizers = 'statistics_propagation'")
            return _written(database, table, lines, directory / table)
    except OSError as error:
        raise CannotTell(f"{error.filename or directory} cannot be written: {error.strerror}.") from None
    except duckdb.Error as error:
        raise CannotTell(f"The rows cannot be written to {directory}: {error}") from None
    finally:
        lines.unlink(missing_ok=True)


def _written(database: Any, table: str, lines: Path, directory: Path) -> list[Path]:
    shape = ", ".join(f"'{name}': '{kind}'" for name, kind in columns(table).items())
    database.execute(
        f"CREATE TABLE fresh AS SELECT * FROM read_json(?, format = 'newline_delimited', columns = {{{shape}}})",  # noqa: S608 - our own names
        [str(lines)],
    )
    days = [day for (day,) in database.execute("SELECT DISTINCT day FROM fresh ORDER BY day").fetchall()]
    return [_day(database, table, directory / f"day={day or NO_DAY}" / f"{table}.parquet", day) for day in days]


def _day(database: Any, table: str, path: Path, day: str | None) -> Path:
    """Merge the rows of a day into its file."""
    names = [name for name in columns(table) if name != "day"]
    listed = ", ".join(names)
    query = f"SELECT {listed} FROM fresh WHERE day IS NOT DISTINCT FROM $day"  # noqa: S608 - as above
    values: dict[str, str | None] = {"day": day}
    if path.exists():
        there = {row[0] for row in database.execute("DESCRIBE SELECT * FROM read_parquet(?)", [str(path)]).fetchall()}
        old = ", ".join(name if name in there else f"NULL AS {name}" for name in names)
        query += (
            f" UNION ALL SELECT {old} FROM read_parquet($path, hive_partitioning = false) AS kept WHERE NOT EXISTS "  # noqa: S608 - as above
            "(SELECT 1 FROM fresh WHERE fresh.day IS NOT DISTINCT FROM $day AND fresh.host = kept.host "
            "AND fresh.collected_at IS NOT DISTINCT FROM kept.collected_at)"
        )
        values["path"] = str(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.new")
    try:
        database.execute(f"CREATE OR REPLACE TEMP TABLE merged AS {query}", values)
        target = str(beside).replace("'", "''")
        database.execute(f"COPY (FROM merged ORDER BY host) TO '{target}' (FORMAT parquet, COMPRESSION zstd)")
        with beside.open("rb") as written:
            os.fsync(written.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    return path
