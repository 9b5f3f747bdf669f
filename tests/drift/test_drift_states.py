"""Snapshots are kept whole, found again, and never lost by an error."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import datetime, timedelta, timezone
from pathlib import Path

import msgspec
import pytest

from raidctl.drift.canonical import ordered
from raidctl.errors import AccessMissing, CannotTell, UsageError
from raidctl.model import Inventory
from raidctl.snapshots.store import FILE, MIGRATIONS, SavedSnapshot, SnapshotStore, chosen
from tests.drift.states import CONTROLLER, MACHINES, changed, controller, item, state
from tests.support.processes import killed_on_error


def _at(inventory: Inventory, when: str, host: str | None = None) -> Inventory:
    about = msgspec.structs.replace(inventory.host, collected_at=when, hostname=host or inventory.host.hostname)
    return msgspec.structs.replace(inventory, host=about)


@pytest.mark.parametrize("machine", MACHINES)
def test_a_state_comes_back_as_it_was_kept(tmp_path: Path, machine: str) -> None:
    """A snapshot is read back with its noise, in canonical order."""
    store = SnapshotStore(tmp_path)
    kept = store.add(state(machine))
    assert ordered(store.get(kept.id)) == ordered(state(machine))


def test_equal_states_share_one_document(tmp_path: Path) -> None:
    """Each has its own temperatures. A hundred of them are hardly larger than one."""
    store = SnapshotStore(tmp_path)
    for hour in range(24):

        def warmer(document: dict[str, object], hour: int = hour) -> None:
            item(document, f"{CONTROLLER}/1I:1:1")["temperature_celsius"] = 20 + hour

        store.add(_at(changed(state(), warmer), f"2026-03-04T{hour:02}:00:00Z"))
    with closing(sqlite3.connect(store.path)) as database, database:
        assert database.execute("SELECT count(*) FROM document").fetchone() == (1,)
    assert [item_of(store.get(number)) for number in (1, 24)] == [20, 43]
    assert [one.changed for one in store.list()] == [True] + [False] * 23


def item_of(inventory: Inventory) -> int | None:
    """The temperature of the first drive."""
    return inventory.controllers[0].drives[0].temperature_celsius


def test_two_hosts_in_one_store_have_histories_of_their_own(tmp_path: Path) -> None:
    """The second host's state is its first. No change of the other host is reported."""
    store = SnapshotStore(tmp_path)
    store.add(_at(state(), "2026-03-04T05:00:00Z", "db1"))
    store.add(_at(state("smartarray-p400"), "2026-03-04T05:00:01Z", "db2"))
    again = store.add(_at(state(), "2026-03-04T05:00:02Z", "db1"))
    assert not again.changed
    assert [kept.id for kept, _ in store.each("db1")] == [1, 3]


def _kept(*dates: str) -> list[SavedSnapshot]:
    return [
        SavedSnapshot(id=number, at=f"{when}T12:00:00Z", host="db1", source="local", unread=0, changed=True)
        for number, when in enumerate(dates, 1)
    ]


@pytest.mark.parametrize(
    ("word", "number"),
    [("last", 4), ("-1", 4), ("-2", 3), ("-4", 1), ("2026-11-01", 1), ("2026-11-02", 2), ("2026-12-24", 4)],
)
def test_a_snapshot_is_found_by_number_or_date(word: str, number: int) -> None:
    """A snapshot is found by number or date. A day means the last one up to its end."""
    kept = _kept("2026-11-01", "2026-11-02", "2026-11-05", "2026-11-09")
    assert chosen(kept, word, "db1").id == number


@pytest.mark.parametrize("word", ["-5", "2026-10-31"])
def test_a_time_before_the_first_snapshot_is_reported(word: str) -> None:
    """No other snapshot is used instead."""
    with pytest.raises(UsageError):
        chosen(_kept("2026-11-01", "2026-11-02", "2026-11-05", "2026-11-09"), word, "db1")


def test_an_empty_store_is_reported_with_a_remedy(tmp_path: Path) -> None:
    """Reading an empty store creates nothing."""
    store = SnapshotStore(tmp_path)
    assert store.list() == []
    with pytest.raises(UsageError, match="raidctl snapshot"):
        chosen(store.list(), "last", "db1")
    assert list(tmp_path.iterdir()) == []


def test_pruning_removes_what_is_old_and_keeps_the_last_of_each_host(tmp_path: Path) -> None:
    """A machine that was switched off keeps its last snapshot. The other old ones are deleted."""
    store = SnapshotStore(tmp_path)
    store.add(_at(state(), "2025-01-01T00:00:00Z", "gone"))
    store.add(_at(state(), "2026-01-01T00:00:00Z", "db1"))
    store.add(_at(state("smartarray-p400"), "2026-01-02T00:00:00Z", "db1"))
    store.add(_at(state(), "2026-06-01T00:00:00Z", "db1"))
    removed = store.prune(timedelta(days=90), today=datetime(2026, 6, 2, tzinfo=timezone.utc))
    assert [one.id for one in removed] == [2, 3]
    assert [one.id for one in store.list()] == [1, 4]
    assert store.get(4).controllers == _at(state(), "2026-06-01T00:00:00Z").controllers
    with closing(sqlite3.connect(store.path)) as database, database:
        assert database.execute("SELECT count(*) FROM document").fetchone()[0] == 2


def test_a_store_locked_by_another_process_is_waited_for_and_then_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store is unharmed, and the next attempt succeeds."""
    monkeypatch.setattr(SnapshotStore, "patience", 0.05)
    store = SnapshotStore(tmp_path)
    store.add(state())
    script = (
        "import sqlite3, sys\n"
        "database = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "database.execute('BEGIN EXCLUSIVE')\nprint('held', flush=True)\nsys.stdin.read()\n"
    )
    with killed_on_error(
        subprocess.Popen(
            [sys.executable, "-c", script, store.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(CannotTell, match="locked by another program"):
            store.add(state())
        with pytest.raises(CannotTell, match="locked by another program"):
            store.list()
        other.communicate("")
    assert store.add(state()).id == 2


@pytest.mark.parametrize("damage", ["text", "page", "cut"])
def test_a_damaged_store_is_reported_and_left_alone(tmp_path: Path, damage: str) -> None:
    """A damaged store is reported, and no byte of it is changed."""
    store = SnapshotStore(tmp_path)
    store.add(state())
    data = store.path.read_bytes()
    broken = {"text": b"not a database" * 1000, "page": data[:100] + bytes(4000) + data[4100:], "cut": data[:5000]}
    store.path.write_bytes(broken[damage])
    for attempt in (store.list, lambda: store.add(state()), lambda: store.prune(timedelta(0))):
        with pytest.raises(CannotTell, match=r"is damaged .* Move it out of the way; the next snapshot"):
            attempt()
    assert store.path.read_bytes() == broken[damage]


_BREAKS = {
    "document": "UPDATE document SET body = X'00' WHERE hash = (SELECT hash FROM state WHERE id = 1)",
    "noise": "UPDATE state SET noise = X'789c' WHERE id = 1",
    "gone": "DELETE FROM document WHERE hash = (SELECT hash FROM state WHERE id = 1)",
}


@pytest.mark.parametrize("what", list(_BREAKS))
def test_one_unreadable_state_hides_no_other(tmp_path: Path, what: str) -> None:
    """The message names the unreadable one; the others are read."""
    store = SnapshotStore(tmp_path)
    store.add(state())
    store.add(changed(state(), lambda document: controller(document).update(firmware="7.00")))
    with closing(sqlite3.connect(store.path)) as database, database:
        database.execute(_BREAKS[what])
    with pytest.raises(CannotTell, match=r"Snapshot 1 of .* is invalid"):
        store.get(1)
    assert store.get(2).controllers[0].firmware == "7.00"
    host = state().host.hostname or ""
    assert [type(one) for _, one in store.each(host)] == [CannotTell, Inventory]


def test_a_new_state_does_not_share_a_damaged_document(tmp_path: Path) -> None:
    """What is saved can be read: the document is written again, also for the earlier snapshots that share it."""
    store = SnapshotStore(tmp_path)
    first = store.add(state())
    with closing(sqlite3.connect(store.path)) as database, database:
        database.execute(_BREAKS["document"])
    second = store.add(state())
    assert not second.changed
    assert ordered(store.get(second.id)) == ordered(store.get(first.id)) == ordered(state())


def test_a_read_only_store_is_read_and_not_written(tmp_path: Path) -> None:
    """An ordinary user sees the list of a read-only store. A new state is refused."""
    place = tmp_path / "kept"
    place.mkdir()
    SnapshotStore(place).add(state())
    (place / FILE).chmod(0o444)
    place.chmod(0o555)
    for path in (tmp_path, *tmp_path.parents):
        if path.stat().st_uid == os.geteuid() and path != Path("/"):
            path.chmod(path.stat().st_mode | 0o055)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        store = SnapshotStore(place)
        assert len(store.list()) == 1
        with pytest.raises(AccessMissing, match="read-only"):
            store.add(state())
    finally:
        if root:
            os.seteuid(0)
        place.chmod(0o700)
    assert len(SnapshotStore(place).list()) == 1


def test_a_store_of_a_newer_raidctl_is_not_touched(tmp_path: Path) -> None:
    """The newer version is reported for reading and for writing."""
    newer = SnapshotStore(tmp_path, (*MIGRATIONS, "ALTER TABLE state ADD COLUMN more TEXT"))
    newer.add(state())
    before = newer.path.read_bytes()
    for attempt in (SnapshotStore(tmp_path).list, lambda: SnapshotStore(tmp_path).add(state())):
        with pytest.raises(CannotTell, match="newer raidctl"):
            attempt()
    assert newer.path.read_bytes() == before


def test_what_others_can_write_is_not_trusted(tmp_path: Path) -> None:
    """A store that others can write is neither read nor written."""
    store = SnapshotStore(tmp_path)
    store.add(state())
    store.path.chmod(0o666)
    for attempt in (store.list, lambda: store.add(state())):
        with pytest.raises(CannotTell, match="not trusted"):
            attempt()
