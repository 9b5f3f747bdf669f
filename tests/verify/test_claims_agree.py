"""The same evidence gives the same verdict.

What ``verify`` answers is compared with what is judged wrong with the machine.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import diagnose
from raidctl.errors import UsageError
from raidctl.model import Volume, VolumeCache
from raidctl.recording.recording import load
from raidctl.runners.replay import ReplayRunner
from raidctl.survey.survey import Survey, survey
from raidctl.vendor.registry import vendors
from raidctl.verify.judge import verify
from raidctl.verify.kernel import Kernel
from raidctl.verify.report import Answer
from raidctl.verify.subjects import CheckedMachine, whole
from raidctl.verify.wanted import Claim
from tests.fuzz.samples import DEMOS
from tests.support.machines import FIXTURES

PLACES = sorted(place.parent for place in (*FIXTURES.glob("*/record.json"), *DEMOS.glob("*/demos/*/record.json")))
NOT_WITH = {
    "volume_status": {"volume_failed", "volume_degraded", "volume_rebuilding"},
    "battery": {"battery_failed", "battery_learning"},
    "policy_active": {"write_policy_not_in_force"},
    "power_safe": {"write_back_unprotected", "drive_cache_volatile", "write_hole"},
    "write_cache protected": {"write_back_unprotected", "drive_cache_volatile", "write_policy_not_in_force"},
    "write_cache write-through": {"write_back_unprotected"},
    "drive_cache disabled": {"drive_cache_volatile"},
    "no_write_hole": {"write_hole"},
}
"""Findings beside which a claim about a volume does not pass. They are about the volume, or a battery of its
controller."""
LATER = {"write_back_unprotected", "write_hole"}
"""Findings that deny a claim if they are critical. Otherwise they concern what happens once something else has
failed."""


@cache
def seen(place: Path) -> Survey:
    """A recorded machine, or a demo before anything is changed."""
    kept = load(place)
    found, problems = vendors()
    return survey(ReplayRunner(kept), found, collected_at=kept.manifest.collected_at, problems=problems)


def answers(place: Path, claim: Claim) -> dict[str, Answer]:
    """The answers to a claim by volume."""
    machine = CheckedMachine(seen(place), Kernel())
    subjects, left = whole(machine, drives=False)
    try:
        found = verify(machine, [claim], subjects, (), left).answers
    except UsageError:  # it fits no volume
        return {}
    return {one.object: one for one in found if one.object}


def volumes(place: Path) -> dict[str, Volume]:
    """The volumes by their ids."""
    return {volume.id: volume for controller in seen(place).inventory.controllers for volume in controller.volumes}


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_a_volume_survives_what_is_computed_for_it(place: Path) -> None:
    """``--survives`` passes up to ``failures_tolerated`` and fails above it.

    An unknown figure makes it inconclusive.
    """
    for count in range(4):
        found = answers(place, Claim("survives", number=count))
        for name, volume in volumes(place).items():
            left = volume.failures_tolerated
            expected = "inconclusive" if left is None else "pass" if count <= left else "fail"
            assert name not in found or found[name].verdict == expected


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_no_claim_passes_beside_a_finding_that_denies_it(place: Path) -> None:
    """No claim passes beside a finding that denies it.

    What ``diagnose`` finds wrong with a volume or its battery gets no PASS from ``verify``.
    """
    inventory = seen(place).inventory
    findings = diagnose(inventory, rules()).findings
    passed = []
    for about, denying in NOT_WITH.items():
        name, _, word = about.partition(" ")
        words = (word,) if word else ("ok",) if name == "volume_status" else ()
        now = name == "no_write_hole"
        wrong = [one for one in findings if one.rule in denying]
        denied = {one.where for one in wrong if now or one.severity == "critical" or one.rule not in LATER}
        found = answers(place, Claim(name, words))  # type: ignore[arg-type]  # a name of the table
        for controller in inventory.controllers:
            bad = name == "battery" and any(battery.id in denied for battery in controller.batteries)
            claimed = [
                volume.id for volume in controller.volumes if volume.id in found and (bad or volume.id in denied)
            ]
            passed += [(about, volume) for volume in claimed if found[volume].verdict == "pass"]
    assert passed == []


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_caches_are_verified_as_they_are_shown(place: Path) -> None:
    """A PASS about caches agrees with the column ``safe`` of ``show``. It agrees with the column's two parts, too."""
    for name, volume in volumes(place).items():
        cached = volume.cache or VolumeCache()
        passed = {
            claim.words or (claim.name,): found[name].verdict == "pass"
            for claim in (
                Claim("power_safe"),
                Claim("write_cache", ("protected",)),
                Claim("drive_cache", ("disabled",)),
                Claim("drive_cache", ("enabled",)),
            )
            if name in (found := answers(place, claim))
        }
        assert not (passed.get(("power_safe",)) and cached.write_protected is False)
        assert not (passed.get(("protected",)) and cached.controller_cache != "protected")
        assert not (passed.get(("protected",)) and cached.write_protected is False)
        assert not (passed.get(("disabled",)) and cached.drive_caches == "on")
        assert not (passed.get(("enabled",)) and cached.drive_caches == "off")
