"""The order of a change on many volumes. The journal comes first, and undo is in reverse."""

from __future__ import annotations

import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from raidctl.change.engine import READ_DELAYS, Change, begin, plan
from raidctl.change.journal import Journal
from raidctl.errors import ChangeNotUndone, ChangeUndone
from raidctl.model import Controller, Host, Inventory, Tool, Volume, VolumeCache, WritePolicy
from raidctl.request import Answer, Request, Run, RunAnswer
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Action, Desired, Flush, Plan, Step, ToolSetting
from raidctl.vendor.protocol import Vendor

POLICIES: tuple[WritePolicy, WritePolicy] = ("protected_write_back", "write_through")


class Acme:
    """A controller with 24 volumes and its tool, ``acme set VOLUME POLICY``.

    It is both a vendor package and a runner.
    """

    FAMILY = "acme"
    TOOLS = ()

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.policies: dict[str, WritePolicy] = {f"acme:0/v{n}": POLICIES[n < 3] for n in range(24)}
        self.failing: dict[str, int] = {}
        """The number of calls after which a volume refuses."""
        self.calls: list[str] = []
        self.late: list[tuple[str, WritePolicy]] = []
        self.delay = False
        self.on_call: dict[int, int] = {}
        """Signals that arrive during the call of this number."""

    def look(self) -> Survey:
        """Read the controller; delayed changes take effect afterwards."""
        volumes = tuple(
            Volume(id=name, cache=VolumeCache(write_policy=policy)) for name, policy in self.policies.items()
        )
        for name, policy in self.late:
            self.policies[name] = policy
        self.late.clear()
        return Survey(Inventory(host=Host(source="local"), controllers=(Controller(id="acme:0", volumes=volumes),)))

    def plan(self, controller: Controller, desired: Sequence[Desired], tools: Sequence[Tool]) -> Plan:  # noqa: ARG002 - the protocol's
        """One command for each volume with another policy."""
        current = self.current_settings(controller)
        already = tuple(one for one in desired if current[one.object_id, "policy"] == one.value)
        steps = tuple(
            Step(
                object_id=one.object_id, setting="policy", before=current[one.object_id, "policy"], after=one.value,
                action=Action(argv=("acme", "set", one.object_id, one.value)),
                undo=Action(argv=("acme", "set", one.object_id, current[one.object_id, "policy"])),
            )
            for one in desired if one not in already
        )  # fmt: skip
        return Plan(desired=tuple(desired), steps=steps, already=already)

    def current_settings(self, controller: Controller) -> Mapping[ToolSetting, str]:
        """The policy of each volume."""
        return {(v.id, "policy"): str(v.cache.write_policy) for v in controller.volumes if v.cache is not None}

    def flushes(self, controller: Controller, tools: Sequence[Tool]) -> Sequence[Flush]:  # noqa: ARG002 - the protocol's
        """Return no caches to flush."""
        return []

    def judge(self, action: Action, answer: Answer) -> str | None:  # noqa: ARG002 - the protocol's
        """Judge by the exit code."""
        return "refused" if isinstance(answer, RunAnswer) and answer.code else None

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Run the tool; the journal must already have the step."""
        [request] = requests
        assert isinstance(request, Run)
        _, _, name, policy = request.argv
        if len(self.calls) in self.on_call:
            signal.raise_signal(signal.Signals(self.on_call.pop(len(self.calls))))
        self.calls.append(f"{name} {policy}")
        [journaled] = self.journal.pending()
        assert any(
            journaled.begin.steps[event.step].object_id == name and event.mark in ("start", "undo")
            for event in journaled.events
        )
        if sum(call.startswith(f"{name} ") for call in self.calls) > self.failing.get(name, 99):
            return (RunAnswer(code=1),)
        if self.delay:
            self.late.append((name, cast("WritePolicy", policy)))
        else:
            self.policies[name] = cast("WritePolicy", policy)
        return (RunAnswer(code=0),)


@pytest.fixture
def acme(tmp_path: Path) -> Acme:
    """The controller."""
    return Acme(Journal(tmp_path))


def change(acme: Acme, waits: list[float] | None = None) -> Change:
    """Write-through for all volumes, three of which have it already."""
    vendors = [cast("Vendor", acme)]
    seen = acme.look().inventory
    desired = [Desired(object_id=name, setting="write_policy", value="write_through") for name in acme.policies]
    made = plan(seen, vendors, desired, unsafe=False)
    assert (len(made.steps), len(made.already), made.refusals) == (21, 3, ())
    entry = begin("set", made, seen, about="trial", source="local")
    pauses = [] if waits is None else waits
    return Change(entry, acme.journal, acme, acme.look, vendors, lambda _: None, sleep=pauses.append)


def test_volumes_with_the_desired_value_are_unchanged(acme: Acme) -> None:
    """Each other volume has one command, after its line in the journal."""
    done = change(acme)
    done.apply()
    done.finish()
    assert len(acme.calls) == 21
    assert set(acme.policies.values()) == {"write_through"}
    assert not acme.journal.pending()


def test_a_failed_change_is_undone_in_reverse(acme: Acme) -> None:
    """If volume 13 fails, the previous ones are undone, the last first. Later ones are not changed."""
    before = dict(acme.policies)
    acme.failing = {"acme:0/v13": 0}
    with pytest.raises(ChangeUndone, match="restored and read again"):
        change(acme).apply()
    assert acme.policies == before
    assert acme.calls[:11] == [f"acme:0/v{n} write_through" for n in range(3, 14)]
    assert acme.calls[11:] == [f"acme:0/v{n} protected_write_back" for n in range(12, 2, -1)]
    assert acme.journal.changes()[0].end is not None


def test_a_failed_undo_does_not_block_the_others(acme: Acme) -> None:
    """If one volume's undo fails, the others are still undone.

    The message names the volume, and the change stays open.
    """
    acme.failing = {"acme:0/v13": 0, "acme:0/v7": 1}
    with pytest.raises(ChangeNotUndone, match="acme:0/v7") as failure:
        change(acme).apply()
    assert "v8" not in str(failure.value)
    assert [name for name, policy in acme.policies.items() if policy == "write_through"][3:] == ["acme:0/v7"]
    assert acme.journal.changes()[0].open


def test_delayed_changes_are_awaited_in_both_directions(acme: Acme) -> None:
    """Settings are read more than once for change and undo."""
    acme.delay = True
    waits: list[float] = []
    change(acme, waits).apply()
    assert waits[:2] == list(READ_DELAYS[:2])
    acme.policies["acme:0/v20"] = "protected_write_back"
    acme.failing = {"acme:0/v20": 0}
    acme.journal.path.unlink()
    back = dict(acme.policies) | {f"acme:0/v{n}": POLICIES[0] for n in range(3, 24)}
    acme.policies = dict(back)
    with pytest.raises(ChangeUndone):
        change(acme).apply()
    assert acme.policies == back


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_an_undo_is_not_interrupted(acme: Acme, number: signal.Signals) -> None:
    """Signals during an undo do not stop it."""
    before = dict(acme.policies)
    acme.failing = {"acme:0/v13": 0}
    acme.on_call = {15: number}
    old = signal.signal(number, signal.default_int_handler)
    try:
        with pytest.raises(ChangeUndone):
            change(acme).apply()
    finally:
        signal.signal(number, old)
    assert acme.policies == before


def test_an_interrupted_change_is_undone(acme: Acme) -> None:
    """Ctrl-C between two volumes undoes the change and is raised again."""
    before = dict(acme.policies)
    acme.on_call = {5: signal.SIGINT}
    with pytest.raises(KeyboardInterrupt):
        change(acme).apply()
    assert acme.policies == before
    assert acme.journal.changes()[0].end is not None
