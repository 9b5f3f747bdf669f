"""raidctl killed, and its tools failing, at every point of a change."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
CHANGES = [
    ("p400", ("smartarray:1/v1=drive_write_cache=enabled", "smartarray:1=cache_split=50/50")),
    ("p400", ("smartarray:1/v1=write_policy=unprotected_write_back", "smartarray:1/v1=drive_write_cache=enabled")),
    ("p440", ("smartarray:0=rebuild_rate=low", "smartarray:0=expand_rate=high")),
    ("p440", ("smartarray:0/v2=write_policy=write_through", "smartarray:0=cache_split=50/50")),
    ("workstation", ("drives:HBN1K7Q2=write_cache=disabled", "drives:LM2204810077=write_cache=disabled")),
    ("nvme", ("drives:QZ98A1004417=write_cache=disabled",)),
    ("6805", ("adaptec:1/v0=write_policy=write_through", "adaptec:1/v0=read_policy=off")),
    ("6805", ("adaptec:1/v1=write_policy=unprotected_write_back", "adaptec:1/v1=drive_write_cache=enabled")),
    ("6805", ("adaptec:1/0,3=write_cache=enabled",)),
    ("3154", ("adaptec:1/v1=write_policy=write_through", "adaptec:1=cache_split=10/90")),
    ("3154", ("adaptec:1/v1=write_policy=unprotected_write_back",)),
    ("journal", ("md:md126=stripe_cache_size=512", "md:md126=journal_mode=write-back")),
    ("journal", ("md:md126=sync_speed_min=50000", "md:md126=sync_speed_max=100000")),
    ("9271", ("megaraid:0/v0=write_policy=write_through", "megaraid:0/v0=read_policy=none")),
    ("9271", ("megaraid:0=rebuild_rate=60%", "megaraid:0=check_rate=20%")),
    (
        "h730",
        (
            "megaraid:0/v0=write_policy=unprotected_write_back",
            "megaraid:0/v1=drive_write_cache=disabled",
            "megaraid:0=flush_interval=2",
        ),
    ),
    ("9660", ("megaraid:0/v1=write_policy=protected_write_back", "megaraid:0/v2=write_policy=write_through")),
    ("perc5i", ("megaraid:0/v0=write_policy=write_through", "megaraid:0/v0=io_policy=cached")),
    ("perc5i", ("megaraid:0/v0=write_policy=unprotected_write_back", "megaraid:0=flush_interval=2")),
    ("perc5i", ("megaraid:0=rebuild_rate=60%", "megaraid:0=patrol_read_rate=0%")),
    ("sas", ("drives:TGK00B2Y=write_cache=disabled", "drives:TGK00A1X=write_cache=enabled")),
]
EACH, ALL = 100, 1000
"""Minimum kill points of each change, and of all changes together."""
changes = pytest.mark.parametrize(("demo", "settings"), CHANGES, ids=[f"{d}-{len(w)}-{w[0]}" for d, w in CHANGES])


def trials(demo: str, settings: tuple[str, ...], *ways: str) -> dict[str, tuple[int, list[str]]]:
    """Run the harness in a separate process, which forks. Return the number of points, and what was wrong."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.change.harness", demo, *settings, *ways],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found: dict[str, tuple[int, list[str]]] = json.loads(done.stdout)
    return found


def test_there_are_enough_kill_points() -> None:
    """If each change has its minimum, there are a thousand points."""
    assert EACH * len(CHANGES) >= ALL


@changes
def test_restore_recovers_from_every_failure(demo: str, settings: tuple[str, ...]) -> None:
    """After restore, the settings are the previous or the new ones.

    raidctl is killed at every request, and after each that changes; its tools hang, refuse, lie, print garbage, die
    after the change, take effect late.
    """
    found = trials(demo, settings, "--kill", "--fail")
    (cuts, wrong), (failures, unfinished) = found["--kill"], found["--fail"]
    assert (wrong, unfinished) == ([], [])
    assert cuts >= EACH
    assert failures >= 7


@pytest.mark.parametrize(("demo", "settings"), [CHANGES[0], CHANGES[3]], ids=["p400", "p440"])
def test_restore_recovers_from_kills_in_the_journal_and_in_restore(demo: str, settings: tuple[str, ...]) -> None:
    """A kill at any line or restore request leaves the change restorable. So does a full file system."""
    found = trials(demo, settings, "--journal", "--restore")
    (lines, torn), (points, wrong) = found["--journal"], found["--restore"]
    assert (torn, wrong) == ([], [])
    assert lines >= 24
    assert points >= EACH
