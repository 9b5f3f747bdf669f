"""Claims about a named volume or drive on a machine of which one command gave no output."""

from __future__ import annotations

import pytest

from raidctl.request import Failure, Run, key
from raidctl.runners.replay import ReplayRunner
from raidctl.survey.survey import survey
from raidctl.vendor.registry import vendors
from raidctl.verify.judge import verify
from raidctl.verify.subjects import named, with_kernel
from raidctl.verify.wanted import claims
from tests.support.failing import Failing
from tests.support.machines import recording


@pytest.mark.parametrize(
    ("machine", "target", "lost", "wanted"),
    [
        # what is lost could refute the claim: a worn capacitor, a weak battery, a second volume of the array
        ("drives-nvme", "/dev/nvme1n1", "nvme smart-log /dev/nvme1n1", {"power_safe": "inconclusive"}),
        ("drives-nvme", "/dev/nvme1n1", "nvme smart-log /dev/nvme0n1", {"power_safe": "pass"}),
        ("megaraid-h730p-predictive", "/dev/sdb", "/opt/MegaRAID/perccli/perccli64 /call/bbu show all nolog J",
         {"battery": "inconclusive", "power_safe": "inconclusive", "min_size": "pass"}),
        ("megaraid-second-card-crashes", "megaraid:0/v239", "storcli64 /c1 show all nolog J",
         {"battery": "pass", "power_safe": "pass"}),
        ("megaraid-second-card-crashes", "megaraid:0/v239", "storcli64 /c0 show patrolread nolog J",
         {"battery": "inconclusive", "power_safe": "inconclusive"}),
        ("host-lvm-on-md", "md:md0", "hdparm -I -W /dev/sda", {"volume_status": "pass", "survives": "pass"}),
    ],
)  # fmt: skip
def test_a_claim_about_a_named_object_does_not_pass_without_the_output_that_could_refute_it(
    machine: str, target: str, lost: str, wanted: dict[str, str]
) -> None:
    """Another drive's or controller's lost output does not matter; one of its own makes the claim inconclusive."""
    replay = ReplayRunner(recording(machine))
    request = key(Run(tuple(lost.split())))
    found = survey(Failing(replay, {request}, Failure.TIMEOUT), vendors()[0], collected_at="2026-01-01T00:00:00Z")
    known = with_kernel(found, replay)
    given = {"min_size": "1GB", "survives": 1, "volume_status": "ok"}
    asked = claims({name: given.get(name, True) for name in wanted})
    answers = verify(known, asked, named(known, [target]), (target,), ()).answers
    assert {answer.claim: answer.verdict for answer in answers} == wanted
