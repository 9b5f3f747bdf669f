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
"""Points at which each change is killed, and those of all changes together: at least."""
changes = pytest.mark.parametrize(("demo", "wishes"), CHANGES, ids=[f"{d}-{len(w)}-{w[0]}" for d, w in CHANGES])


def trials(demo: str, wishes: tuple[str, ...], *ways: str) -> dict[str, tuple[int, list[str]]]:
    """Run the harness in a process of its own (it forks, so it must have no threads): points, and what was wrong."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.change.harness", demo, *wishes, *ways],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    told: dict[str, tuple[int, list[str]]] = json.loads(done.stdout)
    return told


def test_there_are_points_enough() -> None:
    """A thousand and more, when each change has those that its test asks for."""
    assert EACH * len(CHANGES) >= ALL


@changes
def test_whatever_fails_leaves_nothing_that_restore_does_not_put_back(demo: str, wishes: tuple[str, ...]) -> None:
    """After restore, the state equals the state before, or all is done.

    raidctl is killed at every request, and after each that changes; its tools hang, refuse, lie, print garbage, die
    after the change, take effect late.
    """
    found = trials(demo, wishes, "--kill", "--fail")
    (cuts, wrong), (failures, unfinished) = found["--kill"], found["--fail"]
    assert (wrong, unfinished) == ([], [])
    assert cuts >= EACH
    assert failures >= 7


@pytest.mark.parametrize(("demo", "wishes"), [CHANGES[0], CHANGES[3]], ids=["cards", "drives"])
def test_a_journal_and_a_restore_that_end_anywhere_are_enough_to_put_back(demo: str, wishes: tuple[str, ...]) -> None:
    """Killed before, in and after every line, at every request of restore, with a full disk: all is as before."""
    found = trials(demo, wishes, "--journal", "--restore")
    (lines, torn), (points, wrong) = found["--journal"], found["--restore"]
    assert (torn, wrong) == ([], [])
    assert lines >= 24
    assert points >= EACH
