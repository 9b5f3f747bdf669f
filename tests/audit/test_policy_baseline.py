"""The policy that ``audit --init`` writes: settings as found, states healthy."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from raidctl.audit.baseline import baseline
from raidctl.cli import cli
from raidctl.model import Battery, Inventory, VolumeCache
from tests.audit.policies import audited, machine, recorded, volume

_GEN9, _LEARNING, _DISKS, _MD = (
    "smartarray-gen9-degraded", "megaraid-9271-learning", "drives-ahci", "md-healthy",
)  # fmt: skip
_CHANGES = {
    "a drive of no array": (_GEN9, "smartarray:0/2I:1:8", {"status": "critical"}),
    "another predictive failure": (_GEN9, "smartarray:0/1I:1:4", {"status": "warning"}),
    "a plain drive": (_DISKS, "drives:LM2204810077", {"status": "critical"}),
    "a drive's write cache": (_DISKS, "drives:LM2204810077", {"write_cache": "other"}),
    "the firmware of a drive": (_GEN9, "smartarray:0/1I:1:3", {"firmware": "HPD9"}),
    "the link of a drive": (_GEN9, "smartarray:0/1I:1:3", {"link_gbps": 3.0}),
    "the only model": (_MD, "md:md0/sda1", {"model": "another"}),
    "the state of the cache": (_GEN9, "smartarray:0", {"cache.status": "warning"}),
    "a cache that is gone": (_LEARNING, "megaraid:0", {"cache.present": False}),
    "preserved cache data": (_LEARNING, "megaraid:0", {"cache.preserved_data": True}),
    "a battery to be replaced": (_GEN9, "smartarray:0/battery0", {"replace": True}),
    "the patrol read": (_LEARNING, "megaraid:0", {"patrol_read.mode": "disabled"}),
    "the consistency check": (_LEARNING, "megaraid:0", {"consistency_check.mode": "disabled"}),
    "lanes": (_LEARNING, "megaraid:0", {"pci_link.width": 1}),
    "a member that does not work": (_MD, "md:md0", {"drives_active": 1}),
    "a bitmap": (_MD, "md:md1", {"bitmap": "somewhere"}),
}


_PARTS = ("batteries", "arrays", "volumes", "drives")


def _with(machine: str, name: str, change: Mapping[str, Any]) -> Inventory:
    """The recorded machine with fields of one object changed."""
    return _changed(recorded(machine), name, change)


def _changed(inventory: Inventory, name: str, change: Mapping[str, Any]) -> Inventory:
    document = msgspec.to_builtins(inventory)
    things = [
        each
        for controller in document["controllers"]
        for each in (controller, *(part for kind in _PARTS for part in controller[kind]))
    ]
    thing = next(one for one in things if one["id"] == name)
    for path, new in change.items():
        *way, last = path.split(".")
        for step in way:
            thing = thing[step]
        other = {"enabled": "disabled", "disabled": "enabled"}.get(thing[last]) if new == "other" else new
        assert thing[last] not in (None, other)
        thing[last] = other
    return msgspec.convert(document, Inventory)


def _fails(policy: Inventory, machine: Inventory) -> list[str]:
    """The failures of a machine under the baseline of another."""
    return [
        f"{one.where}: {one.message}" for one in audited(baseline(policy), machine).findings if one.outcome == "fail"
    ]


@pytest.mark.parametrize(("machine", "name", "change"), _CHANGES.values(), ids=_CHANGES)
def test_a_single_change_of_a_state_or_a_setting_fails(machine: str, name: str, change: Mapping[str, Any]) -> None:
    """Any single change against the baseline's machine is a new failure."""
    was = recorded(machine)
    assert set(_fails(was, _with(machine, name, change))) - set(_fails(was, was))


_BREAKS = {
    "a rebuild": ("md-healthy", {"md:md0": {"status": "rebuilding", "drives_active": 1}}),
    "a degraded array": (_GEN9, {"smartarray:0/A": {"status": "warning"}, "smartarray:0/v1": {"status": "degraded"}}),
    "a check under way": (_LEARNING, {"megaraid:0/v0": {"status": "checking"}}),
    "a failed drive": ("smartarray-p400", {"smartarray:1/2I:1:1": {"status": "critical"}}),
    "a failed battery": ("smartarray-p400", {
        "smartarray:1/battery0": {"status": "failed", "replace": True}, "smartarray:1": {"status": "critical"},
        "smartarray:1/v1": {"cache.write_active": "write_through"},
    }),
    "a missing battery": ("smartarray-p400", {"smartarray:1/battery0": {"status": "missing"}}),
    "preserved data": (_LEARNING, {"megaraid:0": {"cache.preserved_data": True}}),
}  # fmt: skip


@pytest.mark.parametrize(("machine", "breaks"), _BREAKS.values(), ids=_BREAKS)
def test_a_baseline_of_a_broken_machine_fails_until_it_is_repaired(
    machine: str, breaks: Mapping[str, Mapping[str, Any]]
) -> None:
    """The baseline has the healthy values. The broken machine fails it, and the repaired one passes."""
    healthy = broken = recorded(machine)
    for name, change in breaks.items():
        broken = _changed(broken, name, change)
    assert set(_fails(broken, broken)) - set(_fails(healthy, healthy))
    assert _fails(broken, healthy) == _fails(healthy, healthy)
    assert "# now: " in baseline(broken)


@pytest.mark.parametrize(("policy", "required"), [("protected_write_back", True), ("write_through", False)])
def test_a_missing_battery_is_required_if_a_volume_is_set_to_write_back(policy: str, required: bool) -> None:
    """Without a volume that relies on it, a controller needs no battery."""
    text = baseline(machine(
        volume(cache=VolumeCache(write_policy=policy, write_active="write_through")),  # type: ignore[arg-type]
        batteries=(Battery(id="c:1/battery0", status="missing"),),
    ))  # fmt: skip
    assert ('batteries = { where = { status = "ok" }, count = 1 }  # now: missing' in text) is required
    assert ('batteries = { where = { status = "missing" }, count = 1 }' in text) is not required


def test_a_healthy_array_has_an_exact_count_without_the_number_of_active_members() -> None:
    """An array that lists all of its members lacks none, whether or not a tool reports how many are active."""
    inventory = recorded(_MD)
    without = msgspec.structs.replace(inventory, controllers=tuple(
        msgspec.structs.replace(one, volumes=tuple(
            msgspec.structs.replace(volume, drives_active=None) for volume in one.volumes
        )) for one in inventory.controllers
    ))  # fmt: skip
    lines = [line for line in baseline(inventory).splitlines() if not line.startswith("drives_active")]
    assert baseline(without).splitlines() == lines


def test_a_link_that_was_slow_may_become_faster() -> None:
    """A link is slow while idle, or narrow by a bad contact: its full speed and width are not a failure."""
    slow = _with(_LEARNING, "megaraid:0", {"pci_link.speed_gtps": 2.5})
    fast = _with(_LEARNING, "megaraid:0", {"pci_link.width": 8})
    assert _fails(slow, fast) == _fails(slow, slow)
    assert set(_fails(fast, slow)) - set(_fails(fast, fast))


def test_one_more_spare_is_no_failure() -> None:
    """The numbers of spares and drives in a baseline are minimums."""
    document = msgspec.json.decode(msgspec.json.encode(recorded("smartarray-p400")))
    [controller] = [one for one in document["controllers"] if one["id"] == "smartarray:1"]
    spare = {**controller["drives"][-1], "id": "smartarray:1/9", "serial": "SPARE", "role": "spare", "status": "ok"}
    controller["drives"].append(spare)
    controller["arrays"][0]["spares"].append(spare["id"])
    assert not _fails(recorded("smartarray-p400"), msgspec.convert(document, Inventory))
    fewer = _fails(msgspec.convert(document, Inventory), recorded("smartarray-p400"))
    assert any("spares" in one for one in fewer)


def test_unmet_and_risky_settings_are_marked() -> None:
    """A comment marks unmet and risky settings. Examples are a learning battery and enabled drive caches."""
    assert "# now: learning" in baseline(recorded(_LEARNING))
    assert "# now: 6 of 8" in baseline(recorded(_GEN9))
    assert 'drive_cache = "enabled"  # safer: "disabled"' in baseline(recorded("areca-arc1210"))


def test_what_the_machine_does_not_meet_is_listed(tmp_path: Path) -> None:
    """What fails now is listed on standard error. The policy is on standard output or in its file."""
    fixture = Path(__file__).resolve().parents[2] / "fixtures" / "md-degraded-rebuilding"
    for target in ([], [str(tmp_path / "site.toml")]):
        done = CliRunner().invoke(cli, ["--replay", str(fixture), "audit", "--init", *target])
        assert done.exit_code == 0
        assert "does not meet them now" in done.stderr
        assert "md:md10: drives_active: 3" in done.stderr
    healthy = CliRunner().invoke(cli, ["--replay", str(fixture.parent / "md-healthy"), "audit", "--init"])
    assert healthy.stderr == ""
