"""The benchmark on arrays of slow drives, whose level it finds. It also runs on a drive whose cache it switches."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

import msgspec
import pytest

from raidctl.bench.result import Session, TrialResult
from raidctl.bench.trials.evidence import evidence
from raidctl.bench.verdict.early_acknowledgement import weigh
from raidctl.bench.verdict.evidence import Evidence
from tests.lab.guest import PYTHONPATH, Guest
from tests.lab.machine import Drive
from tests.lab.machines_bench import SLOW_DRIVES, SPINS
from tests.lab.machines_caches import STATE
from tests.lab.places import CHECKOUT
from tests.lab.trials import Found

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab-slow-drives")]

ARRAYS = ("raid1x2", "raid5x4")
"""A mirror and an array with parity. More are tried by hand, and all of them on a virtual clock."""
IMPORTS = ("raidctl.cli._verify_measurement", "raidctl.cli.shared.measuring")
SWITCHES = (
    "verify", "--measure", "--media", "hdd", "--switch-drive-caches", "--switch-seconds", "1", "--seconds", "10",
    "--overwrite", "all", "--yes", "--no-save",
)  # fmt: skip
ASKED = "hdparm -W {node} | sed -n 's/.*write-caching = *//p'"


@pytest.fixture(scope="module")
def guest() -> Iterator[Guest]:
    """The machine."""
    with Guest(SLOW_DRIVES) as guest:
        yield guest.boot()


@pytest.fixture(scope="module")
def levels(guest: Guest) -> dict[str, TrialResult]:
    """The result of each array."""
    argv = [sys.executable, "-m", "tests.lab.trials", *ARRAYS]
    done = guest.run(argv, env=PYTHONPATH, cwd=str(CHECKOUT), timeout=600)
    found = [msgspec.json.decode(line, type=Found) for line in done.out.splitlines()]
    return {one.what: one.result for one in found}


@pytest.mark.parametrize("array", ARRAYS)
def test_no_other_level_of_a_real_array_is_named(levels: dict[str, TrialResult], array: str) -> None:
    """The sizes allow the true level. A busy host may give no level, but never another one."""
    level, result = array.partition("x")[0], levels[array]
    assert level in result.series["by_layer"]["capacity"], result.reasons
    assert set(result.series["levels"]) <= {level}, result.reasons
    assert result.figures


def switched() -> Drive:
    """The drive whose cache is switched."""
    return SLOW_DRIVES.drive("SWITCH")


@pytest.fixture(scope="module")
def node(guest: Guest) -> str:
    """Its device, the only one of its kind."""
    return f"/dev/{guest.sh('cd /sys/block; ls -d sd*').strip()}"


def ends(guest: Guest) -> list[str]:
    """The result of each change in the journal."""
    lines = map(json.loads, guest.read_file(f"{STATE}/journal.jsonl").decode().splitlines())
    return [line["result"] for line in lines if line["event"] == "end"]


def test_commits_are_counted_without_the_drives_cache_which_is_restored(guest: Guest, node: str) -> None:
    """The cache is disabled for two of four phases and then restored.

    Commits are counted in each phase. How many there may be is tested on a virtual clock: QEMU catches up on time in
    which a busy host did not run it, so that some seconds have more commits than the drive can do.
    """
    before = guest.sh(ASKED.format(node=node))
    done = guest.raidctl("--json", *SWITCHES, node, timeout=900, imports=IMPORTS)
    assert (before.split(), guest.sh(ASKED.format(node=node))) == (["1", "(on)"], before)
    assert ends(guest) == ["restored"]
    assert json.loads(guest.raidctl("--json", "restore").out) == []
    session = msgspec.convert(json.loads(done.out)["session"], Session)
    results = {one.trial: msgspec.structs.replace(one, confounders=()) for one in session.results}
    figures = results["policy_switch"].figures
    assert all(figures[name].n > 0 for name in ("commits_before", "commits_drive_off"))
    known = Evidence(medium="rotating", rpm=SPINS, controller=False, drive_cache="enabled", flush_sent=True)
    assert weigh(evidence({"policy_switch": results["policy_switch"]}, known)).verdict != "pass"
