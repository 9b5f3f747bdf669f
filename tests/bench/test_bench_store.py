"""Runs are stored completely, found again, and never lost by a failure."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import jsonschema
import msgspec
import pytest

from raidctl.bench import store as module
from raidctl.bench.record import Listener, Noise, Run, noisy
from raidctl.bench.store import MIGRATIONS, Store
from raidctl.errors import AccessMissing, CannotTell, UsageError
from raidctl.output.json import schema
from tests.bench import bench_runs

ROOT = Path(__file__).resolve().parents[2]


def test_a_stored_run_is_read_back(tmp_path: Path) -> None:
    """Every field is equal, and the run has a number."""
    store = Store(tmp_path)
    kept = store.add(bench_runs.run(label="before"))
    assert kept.id == 1
    assert store.get(1) == kept
    assert store.latest() == kept
    [listed] = store.list()
    assert (listed.id, listed.label, listed.target, listed.engine) == (1, "before", "/srv/db", "uring")


def test_a_stored_document_follows_the_schema() -> None:
    """The stored document follows ``raidctl schema bench``."""
    promised = schema("Benchmark run", Run)
    jsonschema.Draft202012Validator.check_schema(promised)
    jsonschema.validate(json.loads(msgspec.json.encode(bench_runs.run())), promised)


def test_reading_creates_nothing(tmp_path: Path) -> None:
    """Without a stored run, the list is empty. No file is created."""
    assert Store(tmp_path).list() == []
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(UsageError, match="There is no run 3"):
        Store(tmp_path).get(3)
    with pytest.raises(UsageError, match="No run is saved"):
        Store(tmp_path).latest()


def test_only_the_owner_can_read_the_store(tmp_path: Path) -> None:
    """Only the owner has access, since an inventory has serial numbers."""
    store = Store(tmp_path)
    store.add(bench_runs.run())
    assert store.path.stat().st_mode & 0o777 == 0o600


def test_numbers_are_never_reused(tmp_path: Path) -> None:
    """The number of a deleted run is not used again."""
    store = Store(tmp_path)
    store.add(bench_runs.run())
    with closing(sqlite3.connect(store.path)) as database, database:
        database.execute("DELETE FROM run")
    assert store.add(bench_runs.run()).id == 2


def test_a_locked_database_is_an_error_after_a_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The database is unchanged, and the next attempt succeeds."""
    monkeypatch.setattr(Store, "patience", 0.05)
    store = Store(tmp_path)
    store.add(bench_runs.run())
    other = sqlite3.connect(store.path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(CannotTell, match="locked by another program"):
        store.add(bench_runs.run())
    with pytest.raises(CannotTell, match="locked by another program"):
        store.list()
    other.close()
    assert store.add(bench_runs.run()).id == 2


@pytest.mark.parametrize("damage", ["text", "page", "cut"])
def test_a_damaged_database_is_reported_and_unchanged(tmp_path: Path, damage: str) -> None:
    """No byte is changed, so that data can still be recovered."""
    store = Store(tmp_path)
    store.add(bench_runs.run())
    data = store.path.read_bytes()
    broken = {"text": b"not a database" * 1000, "page": data[:100] + bytes(4000) + data[4100:], "cut": data[:5000]}
    store.path.write_bytes(broken[damage])
    with pytest.raises(CannotTell, match=r"is damaged .* Move it out of the way"):
        store.list()
    with pytest.raises(CannotTell, match="is damaged"):
        store.add(bench_runs.run())
    assert store.path.read_bytes() == broken[damage]


def test_a_full_file_system_loses_nothing(tmp_path: Path) -> None:
    """A run that does not fit is not stored. Previous ones are kept."""
    store = Store(tmp_path)
    store.add(bench_runs.run())
    # as many bytes as are there are all that a process with this limit may have in a file
    script = (
        "import resource, signal, sys; from pathlib import Path\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "from raidctl.bench.store import Store; from tests.bench import bench_runs\n"
        "store = Store(Path(sys.argv[1])); size = store.path.stat().st_size\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))\n"
        "try:\n    store.add(bench_runs.run(label='x' * (1 << 20)))\n"
        "except Exception as error:\n    print(type(error).__name__, error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, tmp_path], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("CannotTell"), done.stdout + done.stderr
    assert str(store.path) in done.stdout
    assert [one.id for one in store.list()] == [1]
    assert store.get(1).session == bench_runs.session()


def test_the_full_error_of_sqlite_is_explained(tmp_path: Path) -> None:
    """SQLite's page limit error is reported as a full file system."""
    store = Store(tmp_path)
    store.add(bench_runs.run())
    with closing(sqlite3.connect(store.path)) as database, database:
        database.execute("PRAGMA max_page_count = 1")
        with pytest.raises(sqlite3.OperationalError) as caught:
            database.execute("CREATE TABLE more AS SELECT zeroblob(1000000)")
    assert "the file system is full" in str(store.sentence(caught.value))


@pytest.fixture
def somebody() -> Iterator[Path]:
    """A directory of an unprivileged user. The test has that user's rights."""
    place = Path(tempfile.mkdtemp())
    root = os.geteuid() == 0
    if root:
        os.chown(place, 65534, 65534)
        os.seteuid(65534)
    try:
        yield place
    finally:
        if root:
            os.seteuid(0)
        place.chmod(0o700)
        shutil.rmtree(place)


def test_a_read_only_place_is_read_and_not_written(somebody: Path) -> None:
    """Stored runs are listed. A new run is refused before the measurement."""
    store = Store(somebody)
    store.add(bench_runs.run())
    store.path.chmod(0o400)
    somebody.chmod(0o500)
    assert len(store.list()) == 1
    with pytest.raises(AccessMissing, match="read-only"):
        store.ready()


def test_a_directory_without_write_access_is_an_error(somebody: Path) -> None:
    """The error is raised before the measurement."""
    somebody.chmod(0o500)
    with pytest.raises(AccessMissing, match="cannot be created"):
        Store(somebody).ready()


def test_a_store_that_others_can_write_is_not_trusted(tmp_path: Path) -> None:
    """It is neither read nor written."""
    store = Store(tmp_path)
    store.add(bench_runs.run())
    store.path.chmod(0o666)
    for attempt in (store.list, store.ready):
        with pytest.raises(CannotTell, match="not trusted"):
            attempt()


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    """A symlink is an error, and its target is unchanged."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(b"precious")
    (tmp_path / module.FILE).symlink_to(elsewhere)
    with pytest.raises(CannotTell, match="not trusted"):
        Store(tmp_path).add(bench_runs.run())
    assert elsewhere.read_bytes() == b"precious"


def test_a_database_of_a_newer_raidctl_is_unchanged(tmp_path: Path) -> None:
    """It is an error for reading and for writing."""
    newer = Store(tmp_path, (*MIGRATIONS, "ALTER TABLE run ADD COLUMN more TEXT"))
    newer.add(bench_runs.run())
    before = newer.path.read_bytes()
    for attempt in (Store(tmp_path).list, Store(tmp_path).ready):
        with pytest.raises(CannotTell, match="newer raidctl"):
            attempt()
    assert newer.path.read_bytes() == before


@pytest.mark.parametrize("writes", [True, False])
def test_a_database_of_an_older_raidctl_is_migrated(tmp_path: Path, writes: bool) -> None:
    """The migration keeps all runs, whether the first access writes or reads."""
    kept = Store(tmp_path).add(bench_runs.run())
    newer = Store(tmp_path, (*MIGRATIONS, "ALTER TABLE run ADD COLUMN more TEXT"))
    if writes:
        newer.ready()
    assert newer.get(1) == kept
    with closing(sqlite3.connect(newer.path)) as database, database:
        assert database.execute("PRAGMA user_version").fetchone() == (2,)


def test_a_migration_that_fails_leaves_the_old_version(tmp_path: Path) -> None:
    """A migration is applied completely or not."""
    kept = Store(tmp_path).add(bench_runs.run())
    broken = Store(tmp_path, (*MIGRATIONS, "ALTER TABLE run ADD COLUMN more TEXT", "ALTER TABLE nothing ADD x"))
    with pytest.raises(CannotTell):
        broken.ready()
    assert Store(tmp_path).get(1) == kept


def test_a_value_of_another_type_is_damage(tmp_path: Path) -> None:
    """SQLite keeps any value in any column: a list that cannot be read is reported as damaged."""
    store = Store(tmp_path)
    store.add(bench_runs.run())
    with closing(sqlite3.connect(store.path)) as database, database:
        database.execute("UPDATE run SET seconds = 'long'")
    with pytest.raises(CannotTell, match=r"is damaged \(Expected `float`.* Move it out of the way"):
        store.list()


def test_one_unreadable_document_hides_no_other(tmp_path: Path) -> None:
    """All runs are listed, and the others are shown."""
    store = Store(tmp_path)
    store.add(bench_runs.run())
    store.add(bench_runs.run())
    with closing(sqlite3.connect(store.path)) as database, database:
        database.execute("UPDATE run SET document = '{}' WHERE id = 1")
    assert len(store.list()) == 2
    assert store.get(2).id == 2
    with pytest.raises(CannotTell, match=r"Run 1 of .* cannot be understood"):
        store.get(1)


def test_a_killed_write_is_rolled_back(tmp_path: Path) -> None:
    """The next reader rolls back the transaction, and previous runs are kept."""
    store = Store(tmp_path)
    store.add(bench_runs.run())
    script = """import os, sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("PRAGMA cache_size = 1")
database.execute("BEGIN IMMEDIATE")
for _ in range(50):
    database.execute(
        "INSERT INTO run (at, target, profile, seconds, interrupted, schema_version, document)"
        " VALUES (1, 1, 1, 1, 1, 1, hex(randomblob(20000)))"
    )
os.kill(os.getpid(), 9)
"""
    subprocess.run([sys.executable, "-c", script, store.path], check=False)
    assert (tmp_path / f"{module.FILE}-journal").exists()
    assert [one.id for one in store.list()] == [1]
    assert store.get(1).session == bench_runs.session()


def test_noise_is_what_the_kernel_reports(tmp_path: Path) -> None:
    """Load and I/O pressure are from before the run. Stolen time is from during it."""
    (tmp_path / "pressure").mkdir()
    (tmp_path / "loadavg").write_text("3.52 0.58 0.59 1/467 12345\n")
    (tmp_path / "pressure/io").write_text("some avg10=0.00 avg60=21.50 avg300=0.71 total=91\nfull avg10=0.00\n")
    (tmp_path / "stat").write_text("cpu  100 0 100 1000 0 0 0 50 0 0\ncpu0 1 1 1 1\n")
    listener = Listener(tmp_path)
    (tmp_path / "loadavg").write_text("9.99 0.58 0.59 1/467 12345\n")
    (tmp_path / "stat").write_text("cpu  140 0 140 1010 0 0 0 60 0 0\n")
    heard = listener.noise()
    assert (heard.load, heard.io_waiting, heard.stolen) == (3.52, 21.5, 0.1)
    assert len(noisy(msgspec.structs.replace(heard, processors=2))) == 3


def test_unknown_noise_is_null(tmp_path: Path) -> None:
    """Without the kernel's files, the noise is unknown."""
    heard = Listener(tmp_path).noise()
    assert (heard.load, heard.io_waiting, heard.stolen) == (None, None, None)
    assert noisy(heard) == noisy(None) == []
    assert noisy(Noise(processors=4, load=1.9)) == []
