"""Hosts that occur more than once, and inventories that are too old."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from raidctl.audit.engine import Auditor
from raidctl.cli import cli
from raidctl.model import Inventory
from tests.audit.policies import machine, mistakes, policy, recorded, volume
from tests.support.machines import FIXTURES

NOW = datetime(2026, 11, 23, 12, tzinfo=timezone.utc)


def _of(at: str | None, hostname: str | None = "db1", level: str = "raid6", unique_id: str | None = None) -> Inventory:
    made = machine(volume(raid_level=level, unique_id=unique_id), hostname=hostname)
    return msgspec.structs.replace(made, host=msgspec.structs.replace(made.host, collected_at=at))


def _audit(*words: str | Path, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(cli, ["audit", *map(str, words)], input=stdin)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A policy that only RAID-6 passes."""
    path = tmp_path / "site.toml"
    path.write_text('raid_level = "raid6"\n')
    return path


def test_the_newest_of_two_inventories_of_a_host_counts(site: Path, tmp_path: Path) -> None:
    """Of two inventories of a host, the newest counts.

    In a directory, a stream or a list, in any order, the older one is reported as left out.
    """
    new, old = _of("2026-11-22T01:00:00Z"), _of("2026-11-22T01:30:00+02:00", level="raid5")
    place = tmp_path / "fleet"
    place.mkdir()
    for first, second in ((old, new), (new, old)):
        (place / "a.json").write_bytes(msgspec.json.encode(first))
        (place / "b.json").write_bytes(msgspec.json.encode(second))
        lines = msgspec.json.encode(first) + b"\n" + msgspec.json.encode(second)
        several = msgspec.json.encode([first, second])
        for done in (_audit(site, place), _audit(site, "-", stdin=lines), _audit(site, "-", stdin=several)):
            assert (done.exit_code, "1 host" in done.stdout) == (0, True)
            assert "db1 occurs more than once" in done.stderr


def test_an_unreadable_newer_inventory_outdates_an_older_one(site: Path) -> None:
    """The older one must not pass for the host: its present state is unknown."""
    new = msgspec.json.encode(_of("2026-11-22T01:00:00Z")).replace(b'"raid_level":"raid6"', b'"raid_level":6')
    done = _audit(site, "-", stdin=new + b"\n" + msgspec.json.encode(_of("2026-11-21T01:00:00Z")))
    assert (done.exit_code, "1 host" in done.stdout) == (3, True)
    assert "db1 occurs more than once" in done.stderr


@pytest.mark.parametrize("lines", [1, 300], ids=["one piece", "several pieces"])
def test_a_pipe_is_read_again_from_its_start(site: Path, lines: int) -> None:
    """All hosts of a pipe are counted once, also if one of them is there twice."""
    some = [_of("2026-11-22T01:00:00Z", f"db{number}") for number in range(lines)]
    some[0] = msgspec.structs.replace(some[0], controllers=some[0].controllers * (5000 if lines > 1 else 1))
    text = b"".join(msgspec.json.encode(one) + b"\n" for one in (*some, _of("2026-11-23T01:00:00Z", "db0")))
    argv = [sys.executable, "-m", "raidctl", "audit", str(site), "-"]
    done = subprocess.run(argv, input=text, capture_output=True, check=False)
    assert b"1 host" in done.stdout if lines == 1 else b"300 hosts" in done.stdout
    assert b"db0 occurs more than once" in done.stderr


def test_a_recording_is_left_out_for_a_newer_inventory(site: Path, tmp_path: Path) -> None:
    """Recordings have host name and time, so a newer inventory replaces them."""
    path = tmp_path / "new.json"
    path.write_bytes(msgspec.json.encode(_later(recorded("smartarray-p400"))))
    done = _audit(site, path, FIXTURES / "smartarray-p400")
    assert ("1 host" in done.stdout, "smartarray-p400 is left out" in done.stderr) == (True, True)


def test_two_machines_of_one_name_both_count(site: Path) -> None:
    """If all serial numbers differ, both count. If one drive was exchanged, only the newest counts."""
    old, other = recorded("smartarray-p400"), recorded("md-degraded-rebuilding")
    assert old.host.hostname == other.host.hostname
    later = _later(old)
    assert "2 hosts" in _audit(site, "-", stdin=_lines(old, _later(other))).stdout
    assert "2 hosts" in _audit(site, "-", stdin=_lines(old, _later(other), later)).stdout
    [controller, *_] = [one for one in later.controllers if one.drives]
    fewer = msgspec.structs.replace(
        later, controllers=(msgspec.structs.replace(controller, drives=controller.drives[1:]),)
    )
    assert "1 host" in _audit(site, "-", stdin=_lines(old, fewer)).stdout


def _later(inventory: Inventory) -> Inventory:
    host = msgspec.structs.replace(inventory.host, collected_at="2026-11-22T01:00:00Z")
    return msgspec.structs.replace(inventory, host=host)


def _lines(*inventories: Inventory) -> bytes:
    return b"\n".join(map(msgspec.json.encode, inventories))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (_of("2026-11-22T01:00:00Z"), _of("2026-11-23T01:00:00Z", "db2")),
        (_of("2026-11-22T01:00:00Z"), _of(None)),
        (_of("2026-11-22T01:00:00Z", None), _of("2026-11-23T01:00:00Z", None)),
        (_of("2026-11-22T01:00:00Z"), _of("2026-11-22T01:00:00Z")),
        (_of("2026-11-22T01:00:00Z"), _of("2999-11-22T01:00:00Z")),
        (_of("2026-11-22T01:00:00Z", unique_id="3a8e6d0f"), _of("2026-11-23T01:00:00Z", unique_id="77e0d1c4")),
        (_of("2026-11-22T01:00:00Z", unique_id="3a8e6d0f"), _of("2026-11-23T01:00:00Z")),
    ],
    ids=["two hosts", "no time", "no name", "one time", "in the future", "other volumes", "no numbers"],
)
def test_what_is_not_known_to_be_older_counts(site: Path, one: Inventory, other: Inventory) -> None:
    """With different hosts, no name, or no time that can be right, none is left out."""
    done = _audit(site, "-", stdin=msgspec.json.encode(one) + b"\n" + msgspec.json.encode(other))
    assert (done.stderr, "2 hosts" in done.stdout) == ("", True)


@pytest.mark.parametrize("limit", ["36h", "2d", "1w", "90min"])
def test_an_inventory_that_is_too_old_passes_nothing(limit: str) -> None:
    """Up to the limit it is audited. If it is older, in the future or without a time, it is UNKNOWN."""
    hours = {"36h": 36.0, "2d": 48.0, "1w": 168.0, "90min": 1.5}[limit]
    auditor = Auditor(policy(f'max_age = "{limit}"\nraid_level = "raid6"'), alone=True, now=NOW)

    def outcomes(age: float | None, level: str = "raid6") -> list[tuple[str, str]]:
        at = None if age is None else (NOW - timedelta(hours=age)).isoformat()
        return [(one.rule, one.outcome) for one in auditor.audit(_of(at, level=level), "here").findings]

    assert outcomes(hours - 0.01) == []
    assert outcomes(hours - 0.01, "raid5") == [("raid_level", "fail")]
    assert {str(outcomes(age)) for age in (hours + 0.01, -48, None)} == {"[('max_age', 'unknown')]"}


def test_a_group_may_set_max_age_and_ignore_disables_it() -> None:
    """A group can set its own ``max_age``, and ``ignore`` disables it."""
    text = 'max_age = "1h"\nraid_level = "raid6"\n[group.db]\nhosts = ["db*"]\nmax_age = "7d"\n'
    yesterday = (NOW - timedelta(days=1)).isoformat()
    auditor = Auditor(policy(text), now=NOW)
    assert not auditor.audit(_of(yesterday), "here").findings
    assert auditor.audit(_of(yesterday, "web1"), "here").findings
    assert not Auditor(policy(f'ignore = ["max_age"]\n{text}'), now=NOW).audit(_of(yesterday, "web1"), "here").findings


@pytest.mark.parametrize("value", ["7", '"7"', '"7x"', '"0d"', "true", '["7d"]'])
def test_a_max_age_that_is_no_duration_is_a_mistake(value: str) -> None:
    """The message lists the units."""
    [mistake] = mistakes(f"max_age = {value}")
    assert "h, d and w" in mistake
