"""Claims about a named volume or drive on a machine of which one command gave no output."""

from __future__ import annotations

from typing import Any

import pytest

from raidctl.request import Failure, Read, Request, Run, key
from raidctl.runners.replay import ReplayRunner
from raidctl.survey.survey import survey
from raidctl.vendor.registry import vendors
from raidctl.verify.judge import verify
from raidctl.verify.subjects import CheckedMachine, named, with_kernel
from raidctl.verify.wanted import claims
from tests.support.failing import Failing
from tests.support.machines import recording


def without(machine: str, lost: Request[Any], trouble: Failure = Failure.TIMEOUT) -> CheckedMachine:
    """A recorded machine on which one request fails."""
    kept = recording(machine)
    replay = ReplayRunner(kept)
    found = survey(Failing(replay, {key(lost)}, trouble), vendors()[0], collected_at=kept.manifest.collected_at)
    return with_kernel(found, replay)


@pytest.mark.parametrize(
    ("machine", "target", "lost", "wanted"),
    [
        # what is lost could refute the claim: a worn capacitor, a weak battery, a second volume of the array
        ("drives-nvme", "/dev/nvme1n1", "nvme smart-log /dev/nvme1n1", {"power_safe": "inconclusive"}),
        ("drives-nvme", "/dev/nvme1n1", "nvme smart-log /dev/nvme0n1", {"power_safe": "pass"}),
        ("megaraid-h730p-predictive", "/dev/sdb", "/opt/MegaRAID/perccli/perccli64 /call/bbu show all nolog J",
         {"battery": "inconclusive", "power_safe": "inconclusive", "no_write_hole": "inconclusive",
          "min_size": "pass"}),
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
    """The lost output of another drive or controller does not matter; one about the object makes it inconclusive."""
    known = without(machine, Run(tuple(lost.split())))
    given = {"min_size": "1GB", "survives": 1, "volume_status": "ok"}
    asked = claims({name: given.get(name, True) for name in wanted})
    answers = verify(known, asked, named(known, [target]), (target,), ()).answers
    assert {answer.claim: answer.verdict for answer in answers} == wanted


@pytest.mark.parametrize("trouble", [Failure.FAILED, Failure.DENIED, Failure.MISSING])
@pytest.mark.parametrize(("within", "verdict"), [("60d", "inconclusive"), ("1d", "fail")])
def test_a_check_whose_differences_could_not_be_read_does_not_count(
    trouble: Failure, within: str, verdict: str
) -> None:
    """A record has the end of a check, and only mismatch_cnt what it found. One that is too old fails."""
    known = without("md-healthy", Read("/sys/block/md1/md/mismatch_cnt"), trouble)
    for name, wanted in (("md:md1", verdict), ("md:md0", "pass" if within == "60d" else "fail")):
        [answer] = verify(known, claims({"checked_within": within}), named(known, [name]), (name,), ()).answers
        assert answer.verdict == wanted
