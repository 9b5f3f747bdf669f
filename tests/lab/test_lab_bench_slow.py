"""The benchmark on arrays of slow drives, whose level it has to find; and a drive whose cache it switches meanwhile."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from raidctl.bench.estimators.geometry import agree
from raidctl.bench.result import Session, TrialResult
from raidctl.bench.trials.evidence import evidence
from raidctl.bench.verdict.early import weigh
from raidctl.bench.verdict.evidence import Evidence
from tests.lab.guest import PYTHONPATH, Guest
from tests.lab.machine import Drive
from tests.lab.machines_bench import SLOW_DRIVES, SPINS, SWITCHED
from tests.lab.machines_caches import STATE
from tests.lab.outside import ARRAYS, Found
from tests.lab.places import CHECKOUT

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab-slow-drives")]

TRIES, BUSY = 2, 0.3
IMPORTS = ("raidctl.cli.verify_measure", "raidctl.cli.bench_measure")
SWITCHES = (
    "verify", "--measure", "--media", "hdd", "--switch-drive-caches", "--switch-seconds", "1", "--seconds", "10",
    "--overwrite", "all", "--yes", "--no-keep",
)  # fmt: skip
ASKED = "hdparm -W {node} | sed -n 's/.*write-caching = *//p'"


@pytest.fixture(scope="module")
def guest() -> Iterator[Guest]:
    """The machine."""
    with Guest(SLOW_DRIVES) as guest:
        yield guest.boot()


@pytest.fixture(scope="module")
def levels(guest: Guest) -> dict[str, TrialResult]:
    """What was told of each array; again, where the host had no time for it: drives are throttled by its clock."""
    for _ in range(TRIES):
        waited, began = guest.waited(), time.monotonic()
        argv = [sys.executable, "-m", "tests.lab.outside", *ARRAYS]
        done = guest.run(argv, env=PYTHONPATH, cwd=str(CHECKOUT), timeout=300)
        if guest.waited() - waited < BUSY * (time.monotonic() - began):
            break
    else:
        pytest.skip(f"the machine waited for a processor for more than {BUSY:.0%} of the time, {TRIES} times")
    found = [msgspec.json.decode(line, type=Found) for line in done.out.splitlines()]
    return {one.what: one.result for one in found}


@pytest.mark.parametrize("array", ARRAYS)
def test_the_level_of_a_real_array_is_named(levels: dict[str, TrialResult], array: str) -> None:
    """RAID-0, 1, 5 and 6 of the kernel: by size, cost and layout together it is the true one, and no other."""
    level = array.partition("x")[0]
    result = levels[array]
    assert (result.series["levels"], result.verdict) == ([level], "pass"), result.reasons


CHEAP, DEAR = {"raid0", "raid1", "raid10"}, {"raid1", "raid10", "raid5", "raid6"}
OUTSIDE = {"raid0x4": CHEAP, "raid1x2": CHEAP, "raid5x4": DEAR, "raid6x6": DEAR}
"""What may be named where no size is known: levels whose writes cost about as much, more of them on a busy host."""


@pytest.mark.parametrize("array", ARRAYS)
def test_no_way_of_looking_rules_the_true_level_out(levels: dict[str, TrialResult], array: str) -> None:
    """Neither cost nor layout alone names another level; without the sizes, those are named that cannot be told apart.

    Writes that never became steady have no cost: then the layout is all that is known without the sizes.
    """
    level = array.partition("x")[0]
    layers: dict[str, Any] = levels[array].series["by_layer"]
    for layer in ("capacity", "cost", "layout"):
        assert not layers[layer] or level in layers[layer], levels[array].reasons
    named = set(agree([layers["cost"], layers["layout"]]))
    assert not layers["cost"] or {level} <= named <= OUTSIDE[array]


def switched() -> Drive:
    """The drive whose cache is switched."""
    return SLOW_DRIVES.drive("SWITCH")


@pytest.fixture(scope="module")
def node(guest: Guest) -> str:
    """Its device: the only one of its kind."""
    return f"/dev/{guest.sh('cd /sys/block; ls -d sd*').strip()}"


def ends(guest: Guest) -> list[str]:
    """How each change in the journal ended."""
    lines = map(json.loads, guest.read_file(f"{STATE}/journal.jsonl").decode().splitlines())
    return [line["result"] for line in lines if line["event"] == "end"]


def test_commits_are_counted_without_the_drives_cache_and_it_is_put_back(guest: Guest, node: str) -> None:
    """The cache was on, is off for two of four phases, and is on again; nothing is left to be put back.

    This drive waits for its medium either way, and its commits say so.
    """
    before = guest.sh(ASKED.format(node=node))
    done = guest.raidctl("--json", *SWITCHES, node, timeout=200, imports=IMPORTS)
    assert (before.split(), guest.sh(ASKED.format(node=node))) == (["1", "(on)"], before)
    assert ends(guest) == ["restored"]
    assert json.loads(guest.raidctl("--json", "restore").out) == []
    session = msgspec.convert(json.loads(done.out)["session"], Session)
    results = {one.trial: msgspec.structs.replace(one, confounders=()) for one in session.results}
    told = Evidence(medium="rotating", rpm=SPINS, controller=False, drive_cache="enabled", flush_sent=True)
    found = evidence({"policy_switch": results["policy_switch"]}, told)
    off = found.commits_drive_off
    assert off is not None
    assert found.commits is not None
    assert off.low <= SWITCHED * 1.1
    assert off.high >= SWITCHED * 0.5
    assert weigh(found).verdict != "pass"
