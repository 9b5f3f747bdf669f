"""``diff`` reports a single change of a snapshot, and nothing else."""

from __future__ import annotations

import random

import pytest

from raidctl.drift.diff import diff
from raidctl.drift.report import Drift
from tests.drift import mutations
from tests.drift.mutations import Mutation
from tests.drift.states import MACHINES, state

_UNREAD = ("unread", "no_tool", "no_right")


def _is_unread_problem(what: Mutation) -> bool:
    value = what.new or what.old
    return what.kind == "problem" and what.field is None and value["kind"] in _UNREAD


def _check(drift: Drift, what: Mutation, machine: str) -> None:
    changes = [(one.object, one.field) for one in drift.changes]
    if _is_unread_problem(what):
        assert changes == [], (machine, what, changes)
        assert drift.verdict in ("cannot_tell", "access_missing", "same"), (machine, what)
        return
    assert changes == [(what.kind, what.field)], (machine, what[1:], changes)
    [change] = drift.changes
    assert drift.verdict == "drift"
    if what.what == "changed" and what.field not in ("array", "drives", "spares", "spare_for"):
        assert (change.new, change.old) == (what.new, what.old), (machine, what[1:])
    if what.what != "changed":
        assert change.kind == what.what
    assert change.id in (what.id, what.new)
    assert change.message


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_a_single_change_is_named_and_nothing_else(seed: int) -> None:
    """A single change is named, and nothing else, a hundred times.

    A field of any object of any machine gets another value, or an object comes or goes.
    """
    dice = random.Random(seed)  # noqa: S311 - the same changes in every run
    done = 0
    while done < 100:
        machine = dice.choice(MACHINES)
        how = dice.choices([mutations.change, mutations.remove, mutations.add], [8, 1, 1])[0]
        what = how(state(machine), dice)
        if what is not None:
            _check(diff(state(machine), what.inventory), what, machine)
            done += 1


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_a_single_change_of_noise_is_silent_and_shown_with_all(seed: int) -> None:
    """Twenty times: temperatures, hours, counters, progress, of any machine."""
    dice = random.Random(1000 + seed)  # noqa: S311 - as above
    done = 0
    while done < 20:
        machine = dice.choice(MACHINES)
        what = mutations.change(state(machine), dice, noise=True)
        # a null in the noise, and a label that then no longer looks like a measured one, are separate cases
        if what is None or what.kind == "host" or not mutations.is_noise(what.kind, what.field or "", what.new):
            continue
        quiet = diff(state(machine), what.inventory)
        assert (quiet.verdict, quiet.changes, quiet.noise) == ("same", (), 1), (machine, what[1:])
        [change] = diff(state(machine), what.inventory, everything=True).changes
        assert (change.object, change.field) == (what.kind, what.field)
        done += 1


@pytest.mark.parametrize("machine", MACHINES)
def test_a_state_is_the_same_as_itself(machine: str) -> None:
    """No recorded machine differs from itself, whatever could not be read."""
    drift = diff(state(machine), state(machine))
    assert (drift.verdict, drift.changes, drift.noise) == ("same", (), 0)
    assert all(one.side == "both" for one in drift.unread)
