"""Generated machines of known truth. Pulling the drives that YES names never loses an array."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from raidctl.health.redundancy import WHOLE, with_redundancy
from raidctl.host import BlockDevice, HostView
from raidctl.model import Array, Cache, Controller, Drive, Host, Inventory, Volume
from raidctl.operate.removal import check
from tests.operate.machines import NOW

State = Literal["good", "failed", "pulled", "filling"]
LEVELS = {"raid0": 2, "raid1": 2, "raid5": 3, "raid6": 4, "raid10": 4, "raid50": 6, "raid60": 8}
"""Levels with their minimum number of members. Spans and mirror sets are of equal size."""
MACHINES, STEPS = 40, 25


@dataclass
class Truth:
    """The true level of an array, and each member's drive and state."""

    name: str
    level: str
    drives: list[int]
    states: list[State] = field(default_factory=list)

    @property
    def sets(self) -> list[list[State]]:
        """The states of each mirror set or span."""
        if self.level == "raid10":
            return [self.states[at : at + 2] for at in range(0, len(self.states), 2)]
        half = len(self.states) // 2
        return [self.states[:half], self.states[half:]] if self.level in ("raid50", "raid60") else [self.states]

    def has_data(self) -> bool:
        """Whether every piece of data is on a good member. Data that can be calculated counts as well."""
        for states in self.sets:
            spare = {"raid0": 0, "raid5": 1, "raid50": 1, "raid6": 2, "raid60": 2}.get(self.level, len(states) - 1)
            if sum(state != "good" for state in states) > spare:
                return False
        return True

    @property
    def status(self) -> str:
        """What the controller reports."""
        if not self.has_data():
            return "failed"
        if "filling" in self.states:
            return "rebuilding"
        return "ok" if all(state == "good" for state in self.states) else "degraded"


@dataclass
class Machine:
    """Arrays on drives: of a controller, each drive in one. Those of software are on partitions of the same drives."""

    luck: random.Random
    software: bool
    arrays: list[Truth]

    def inventory(self) -> tuple[Inventory, HostView]:
        """What the tools report. Some leave out counts, states or members that are gone."""
        controllers = [_controller(self.luck, array, software=self.software) for array in self.arrays]
        if not self.software:
            return _inventory(controllers), HostView()
        used = sorted({drive for array in self.arrays for drive in array.drives})
        plain = tuple(
            Drive(id=f"drives:S{at}", device=f"/dev/sd{_letter(at)}", serial=f"S{at}", role="passthrough", status="ok")
            for at in used
            if any(state != "pulled" for array in self.arrays for state in _on(array, at))
        )
        blocks = [BlockDevice(f"sd{_letter(at)}", f"/dev/sd{_letter(at)}", "disk", links=(f"/dev/disk/by-id/{at}",),
                              serial=f"S{at}") for at in used]  # fmt: skip
        for array in self.arrays:
            names = [f"sd{_letter(at)}{array.name}" for at, state in zip(array.drives, array.states, strict=True)
                     if state in ("good", "filling")]  # fmt: skip
            blocks += [BlockDevice(name, f"/dev/{name}", "partition", parent=name[:3]) for name in names]
            blocks.append(BlockDevice(f"md{array.name}", f"/dev/md{array.name}", "md", slaves=tuple(names)))
        lower = Controller(id="drives:0000:00:17.0", mode="none", drives=plain)
        return _inventory([lower, *controllers]), HostView(blocks=tuple(blocks))

    def pull(self, drive: int) -> None:
        """Take a drive out: all its members are gone."""
        for array in self.arrays:
            array.states = [
                "pulled" if at == drive else state for at, state in zip(array.drives, array.states, strict=True)
            ]

    def step(self) -> None:
        """Change the machine as may happen between two looks. A drive fails, a new one is put in, a rebuild ends."""
        for array in self.arrays:
            for at, state in enumerate(array.states):
                if state == "filling" and self.luck.random() < 0.5:
                    array.states[at] = "good"
                elif state in ("pulled", "failed") and array.has_data() and self.luck.random() < 0.4:
                    array.states[at] = "filling"
                elif state == "good" and self.luck.random() < 0.02:
                    array.states[at] = "failed"
                    if not array.has_data():  # only the pull is judged
                        array.states[at] = "good"


def _on(array: Truth, drive: int) -> list[State]:
    return [state for at, state in zip(array.drives, array.states, strict=True) if at == drive]


def _letter(number: int) -> str:
    return chr(ord("a") + number)


def _inventory(controllers: list[Controller]) -> Inventory:
    host = Host(hostname="db7", collected_at="2026-11-02T00:00:00Z")
    return Inventory(host=host, controllers=tuple(with_redundancy(controllers)))


def _controller(luck: random.Random, array: Truth, *, software: bool) -> Controller:
    family = f"md:md{array.name}" if software else f"x:{array.name}"
    words: dict[str, dict[str, Any]] = {
        "good": {"status": "ok", "role": "member"},
        "failed": {"status": "critical", "status_text": "Failed", "role": "failed" if software else "member"},
        "filling": {"status": "warning", "status_text": "Rebuilding", "role": "member"},
    }
    listed = [(at, state) for at, state in zip(array.drives, array.states, strict=True) if state != "pulled"]
    quiet = luck.random() < 0.2  # a tool that leaves failed members out
    drives = tuple(
        Drive(id=f"{family}/{at}.{number}", serial=f"S{at}", bay=str(at), array=f"{family}/array",
              device=f"/dev/sd{_letter(at)}{array.name}" if software else None,
              backing=(f"drives:S{at}",) if software else (), **words[state])
        for number, (at, state) in enumerate(listed) if not (quiet and state == "failed")
    )  # fmt: skip
    active = sum(state == "good" for state in array.states)
    fields: dict[str, Any] = {
        "status": array.status if luck.random() < 0.95 else "unknown",
        "raid_level": array.level if luck.random() < 0.95 else "unknown",
        "drives_expected": len(array.states) if luck.random() < 0.7 or software else None,
        "drives_active": active if luck.random() < 0.5 else None,
        "mismatch_count": 0,
        "spans": 2 if array.level in ("raid50", "raid60") and luck.random() < 0.5 else None,
    }
    return Controller(
        id="md" if software else f"x:{array.name}", mode="software" if software else "raid", drives=drives,
        cache=None if software else Cache(preserved_data=False),
        arrays=(Array(id=f"{family}/array", drives=tuple(drive.id for drive in drives)),),
        volumes=(Volume(id=family, array=f"{family}/array", device=f"/dev/md{array.name}", **fields),),
    )  # fmt: skip


def generated(seed: int) -> Machine:
    """A machine of one to three arrays."""
    luck = random.Random(seed)  # noqa: S311 - no secret
    software = luck.random() < 0.5
    arrays: list[Truth] = []
    for number in range(luck.randint(1, 3)):
        level = luck.choice(list(LEVELS))
        count = LEVELS[level] + luck.choice((0, 2))
        if software:
            level, count = ("raid6", 4) if level in ("raid50", "raid60") else (level, count)
            drives = luck.sample(range(8), count) if count <= 8 else list(range(count))
            if luck.random() < 0.1:
                drives[-1] = drives[0]  # two members on one drive
        else:
            drives = [number * 10 + at for at in range(count)]
        arrays.append(Truth(str(number + 1), level, drives, ["good"] * count))
    return Machine(luck, software, arrays)


def drive_of(name: str) -> int:
    """The number of the physical drive with this id."""
    return int(name.rpartition("/")[2].partition(".")[0]) if "/" in name else int(name.removeprefix("drives:S"))


@pytest.mark.slow
def test_pulling_what_yes_names_never_loses_an_array() -> None:
    """Every array that had its data keeps it.

    Drives are pulled one after another, with failures and rebuilds between.
    """
    pulled = refused = 0
    for seed in range(MACHINES):
        machine = generated(seed)
        for _ in range(STEPS):
            inventory, view = machine.inventory()
            names = [
                drive.id for controller in inventory.controllers for drive in controller.drives if not drive.backing
            ]
            allowed = [name for name in names if check(inventory, view, name, NOW).verdict == "yes"]
            refused += len(names) - len(allowed)
            if allowed:
                before = [array.name for array in machine.arrays if array.has_data()]
                chosen = machine.luck.choice(allowed)
                machine.pull(drive_of(chosen))
                lost = [array for array in machine.arrays if array.name in before and not array.has_data()]
                assert not lost, f"seed {seed}: {chosen} was allowed, {lost} {inventory}"
                pulled += 1
            machine.step()
    assert pulled > MACHINES
    assert refused > MACHINES


def test_after_a_yes_only_a_failed_drive_may_follow_without_a_rebuild() -> None:
    """One YES after another never takes the last copy either. There is no rebuild between them."""
    for seed in range(MACHINES):
        machine = generated(seed)
        for _ in range(STEPS):
            inventory, view = machine.inventory()
            names = [
                drive.id for controller in inventory.controllers for drive in controller.drives if not drive.backing
            ]
            allowed = [name for name in names if check(inventory, view, name, NOW).verdict == "yes"]
            if not allowed:
                break
            machine.pull(drive_of(machine.luck.choice(allowed)))
            assert all(array.has_data() for array in machine.arrays), f"seed {seed}"
            assert all(array.status in (*WHOLE, "degraded") for array in machine.arrays)
