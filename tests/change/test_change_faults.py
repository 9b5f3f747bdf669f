"""raidctl killed, and its tools failing, at every point of a change."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CHANGES = [
    ("p400", ("smartarray:1/v1=drive_write_cache=enabled", "smartarray:1=cache_split=50/50")),
    ("p400", ("smartarray:1/v1=write_policy=unprotected_write_back", "smartarray:1/v1=drive_write_cache=enabled")),
    ("p440", ("smartarray:0/v2=write_policy=write_through", "smartarray:0=cache_split=50/50")),
    ("workstation", ("drives:HBN1K7Q2=write_cache=disabled", "drives:LM2204810077=write_cache=disabled")),
    ("nvme", ("drives:QZ98A1004417=write_cache=disabled",)),
    ("6805", ("adaptec:1/v0=write_policy=write_through", "adaptec:1/v0=read_policy=off")),
    ("6805", ("adaptec:1/v1=write_policy=unprotected_write_back", "adaptec:1/v1=drive_write_cache=enabled")),
    ("6805", ("adaptec:1/0,3=write_cache=enabled",)),
    ("3154", ("adaptec:1/v1=write_policy=write_through", "adaptec:1=cache_split=10/90")),
    ("3154", ("adaptec:1/v1=write_policy=unprotected_write_back",)),
    ("journal", ("md:md126=stripe_cache_size=512", "md:md126=journal_mode=write-back")),
    ("9271", ("megaraid:0/v0=write_policy=write_through", "megaraid:0/v0=read_policy=none")),
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
    ("sas", ("drives:TGK00B2Y=write_cache=disabled", "drives:TGK00A1X=write_cache=enabled")),
]
EACH, ALL = 100, 1000
"""Points at which each change is killed, and those of all changes together: at least."""
changes = pytest.mark.parametrize(("demo", "wishes"), CHANGES, ids=[f"{d}-{len(w)}-{w[0]}" for d, w in CHANGES])


def trials(demo: str, wishes: tuple[str, ...], way: str) -> tuple[int, list[str]]:
    """Run the harness in a process of its own: it forks, so it must have no threads."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.change.harness", demo, *wishes, way],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    told = json.loads(done.stdout)
    return told["points"], told["wrong"]


def test_there_are_points_enough() -> None:
    """A thousand and more, when each change has those that its test asks for."""
    assert EACH * len(CHANGES) >= ALL


@pytest.mark.slow
@changes
def test_a_killed_raidctl_leaves_nothing_that_restore_does_not_put_back(demo: str, wishes: tuple[str, ...]) -> None:
    """Killed at every request, and in and after each that changes: after restore, the state equals the state before."""
    points, wrong = trials(demo, wishes, "--kill")
    assert points >= EACH
    assert wrong == []


@changes
def test_a_tool_that_fails_leaves_nothing_half_done(demo: str, wishes: tuple[str, ...]) -> None:
    """Hanging, refusing, lying, garbage, dying after the change, late: all is done, or all is as before."""
    points, wrong = trials(demo, wishes, "--fail")
    assert points >= 7
    assert wrong == []


@pytest.mark.parametrize(("demo", "wishes"), [CHANGES[0], CHANGES[3]], ids=["cards", "drives"])
def test_a_journal_that_ends_anywhere_is_enough_to_put_back(demo: str, wishes: tuple[str, ...]) -> None:
    """Killed before, in and after every line, or with a full disk from there on: after restore, all is as before."""
    points, wrong = trials(demo, wishes, "--journal")
    assert points >= 24
    assert wrong == []


@pytest.mark.slow
@pytest.mark.parametrize(("demo", "wishes"), [CHANGES[0], CHANGES[3]], ids=["cards", "drives"])
def test_a_restore_that_is_cut_off_is_finished_by_the_next(demo: str, wishes: tuple[str, ...]) -> None:
    """Killed at every request and line, with failing tools, with a full disk: the next one leaves all as before."""
    points, wrong = trials(demo, wishes, "--restore")
    assert points >= EACH
    assert wrong == []
