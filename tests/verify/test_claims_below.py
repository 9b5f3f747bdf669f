"""Claims about a software array on a controller's volume."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from raidctl.model import Array, Controller, Drive, Problem, Volume, VolumeCache, VolumeStatus
from raidctl.verify.judge import verify
from raidctl.verify.report import Verdict
from raidctl.verify.subjects import named
from raidctl.verify.wanted import claims
from tests.verify.checked_machines import checked_machine, raid_controller

_MEMBERS = (
    Drive(id="md:md0/sda", array="md:md0/array", role="member", device="/dev/sda", status="ok", backing=("acme:0/v0",)),
    Drive(id="md:md0/sdz", array="md:md0/array", role="member", device="/dev/sdz", status="ok"),
)
_MIRROR = Controller(
    id="md",
    mode="software",
    arrays=(Array(id="md:md0/array", status="ok", drives=("md:md0/sda", "md:md0/sdz")),),
    volumes=(Volume(id="md:md0", array="md:md0/array", raid_level="raid1", status="ok", drives_expected=2),),
    drives=_MEMBERS,
)


@pytest.mark.parametrize(
    ("below", "wanted", "verdict"),
    [
        ("ok", "ok", "pass"),
        ("checking", "ok", "pass"),
        ("degraded", "ok", "fail"),
        ("rebuilding", "ok", "fail"),
        ("offline", "ok", "fail"),
        ("failed", "ok", "fail"),
        ("initializing", "ok", "inconclusive"),
        ("unknown", "ok", "inconclusive"),
        ("failed", "degraded", "fail"),
    ],
)
def test_a_volume_is_ok_only_if_the_volumes_below_it_are(below: VolumeStatus, wanted: str, verdict: Verdict) -> None:
    """The claim that a volume is ok does not pass while a volume that it is built on is bad or its state unknown."""
    owner = raid_controller()
    machine = checked_machine(_with_status(owner, below), _MIRROR)
    [answer] = verify(machine, claims({"volume_status": wanted}), named(machine, ["md:md0"]), ("md:md0",), ()).answers
    assert answer.verdict == verdict
    if verdict != "pass" and wanted == "ok":
        assert f"acme:0/v0 (state {below})" in answer.reasons[0]
        assert any(one.object == "acme:0/v0" for one in answer.evidence)


@pytest.mark.parametrize("fault", ["volume", "array", "member"])
def test_a_volume_is_not_ok_on_one_whose_status_is_contradicted(fault: str) -> None:
    """A tool calls the volume below ok, but reports damage of it or of its array, or a failed member."""
    owner = raid_controller()
    damaged = Problem("error", owner.volumes[0].id if fault == "volume" else owner.arrays[0].id, "12 blocks are lost.",
                      kind="state")  # fmt: skip
    failed = replace(owner, drives=(replace(owner.drives[0], status="critical"), *owner.drives[1:]))
    machine = (
        checked_machine(failed, _MIRROR)
        if fault == "member"
        else checked_machine(owner, _MIRROR, problems=(damaged,))
    )  # fmt: skip
    for name in ("acme:0/v0", "md:md0"):
        [answer] = verify(machine, claims({"volume_status": "ok"}), named(machine, [name]), (name,), ()).answers
        assert answer.verdict == "suspect", name
        assert ("12 blocks are lost" in answer.reasons[0]) == (fault != "member")


def _with_status(owner: Controller, status: VolumeStatus) -> Controller:
    return replace(owner, volumes=(replace(owner.volumes[0], status=status),))


def test_the_active_policy_of_an_array_is_that_of_the_volumes_below() -> None:
    """A software array on a volume that has fallen back to write-through does not pass: the volume itself decides."""
    fallen = VolumeCache(write_policy="protected_write_back", write_active="write_through")
    for cache, verdict in ((None, "pass"), (fallen, "fail")):
        machine = checked_machine(raid_controller(volume_cache=cache), _MIRROR)
        for name, expected in (("acme:0/v0", verdict), ("md:md0", "inconclusive")):
            [answer] = verify(machine, claims({"policy_active": True}), named(machine, [name]), (name,), ()).answers
            assert answer.verdict == expected, name
    assert "verify --policy-active acme:0/v0" in (answer.next_test or "")
