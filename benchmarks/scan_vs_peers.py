"""One reading of a machine's RAID by raidctl and other programs.

All use the same tools, and are compared by calls, wall time and CPU time.

    python benchmarks/scan_vs_peers.py [--quick]

Executables on PATH stand for hpacucli, MegaCli and arcconf (see :mod:`players`); each call takes 200 ms. raidctl runs
as users run it, ``raidctl show --json``, and its start counts. check_raid runs with ``-p``, and loads and calls only
the installed tools; ``megacli_battery`` is the same with ``--bbu-monitoring``, because raidctl reports the battery,
too. Both get the same environment; byte code of Python is kept, as in an installation.

Needs the Debian package monitoring-plugins-contrib (exit code 4 without it) and raidctl in the environment of the
Python that runs this, installed as users install it: ``pip install .``. At each start, an editable install imports a
finder of setuptools, which raidctl pays for and the peer does not; that is noted on standard error.

``own_wall_ratio``: the time beyond the tools' own (wall time minus 200 ms per call), divided by that of the peer.
``own_cpu_ratio``: processor time minus that of the same calls without the program, measured in the same round. It
varies least with other work on the machine.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

from peers import Cost, Peer, check_raid, others, run
from players import Player, Stage, adaptec_player, megaraid_player, smart_array_player, stage
from report import Case, options, report

DELAY = 0.2
TOOL_MISSING = 4
Make = Callable[[], Player]


@dataclass(frozen=True)
class Scenario:
    """The tools of the machine, and additional arguments of the peer."""

    name: str
    players: tuple[Make, ...]
    families: tuple[str, ...]
    more: tuple[str, ...] = ()


SCENARIOS = (
    Scenario("hpacucli", (smart_array_player,), ("smartarray",)),
    Scenario("megacli", (megaraid_player,), ("megaraid",)),
    Scenario("megacli_battery", (megaraid_player,), ("megaraid",), ("--bbu-monitoring",)),
    Scenario("arcconf", (adaptec_player,), ("adaptec",)),
    Scenario(
        "all", (smart_array_player, megaraid_player, adaptec_player), ("smartarray", "megaraid", "adaptec"),
    ),
)  # fmt: skip


@dataclass
class Tally:
    """The costs of the runs of one program."""

    costs: list[Cost]
    own: list[Cost] = field(default_factory=list)
    """The same without the tools' share."""
    calls: int = 0

    def add(self, cost: Cost, calls: Sequence[str], scene: Stage) -> None:
        """Add a run. Its calls are repeated without the program, to subtract their cost."""
        tools = [run([str(scene.tools / name), *words], os.environ).cpu for name, *words in map(str.split, calls)]
        scene.calls()
        self.costs.append(cost)
        self.own.append(Cost(cost.wall - DELAY * len(calls), cost.cpu - sum(tools), "", 0))
        self.calls = len(calls)

    def of(self, name: str) -> list[float]:
        """``wall`` or ``cpu`` of each run; ``own_wall``, ``own_cpu`` without the tools."""
        own, _, last = name.rpartition("_")
        return [getattr(cost, last) for cost in (self.own if own else self.costs)]

    def median(self, name: str) -> float:
        """The median of one of them."""
        return statistics.median(self.of(name))


def measure(scenario: Scenario, raidctl: str, peer: Peer, rounds: int, folder: Path) -> tuple[Tally, Tally]:
    """Measure both programs in turn. A first run of each is not counted."""
    folder.mkdir()
    players = [make() for make in scenario.players]
    scene = stage(folder, players, DELAY)
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment |= {
        "PATH": f"{scene.tools}:{os.environ.get('PATH', os.defpath)}",
        "PYTHONPYCACHEPREFIX": str(folder.parent / "bytecode"),
    }
    theirs = [*peer.argv[",".join(player.name for player in players)], *scenario.more]
    ours, other = Tally([]), Tally([])
    for number in range(rounds + 1):
        mine = run([raidctl, "show", "--json"], environment), scene.calls()
        peers = run(theirs, environment), scene.calls()
        _check(scenario, mine[0], scene)
        if not peer.healthy.match(peers[0].out):
            sys.exit(f"{peer.title} does not understand {scenario.name}: {peers[0].out[:300]}")
        if number:
            ours.add(*mine, scene)
            other.add(*peers, scene)
    return ours, other


def _check(scenario: Scenario, cost: Cost, scene: Stage) -> None:
    """Check that the inventory is complete."""
    inventory = json.loads(cost.out)
    for family in scenario.families:
        found = [one for one in inventory["controllers"] if one["id"].startswith(f"{family}:")]
        if len(found) != 1 or not found[0]["volumes"] or not found[0]["drives"]:
            sys.exit(f"raidctl does not see the controller of {scenario.name}: {inventory['problems']} {scene.folder}")


def cases(scenario: Scenario, ours: Tally, other: Tally, title: str, *, goal: bool) -> list[Case]:
    """Wall time, processor time and calls. Both times are medians of the ratios of each round."""

    def ratio(name: str) -> float:
        return statistics.median(one / two for one, two in zip(ours.of(name), other.of(name), strict=True))

    def against(name: str) -> str:
        return f"{title}: {ours.median(name) * 1000:.0f} ms to {other.median(name) * 1000:.0f} ms"

    single = len(scenario.players) == 1  # several tools run side by side: their times do not add up
    name = scenario.name if goal else f"{scenario.name}/{title.split(maxsplit=1)[0]}"
    return [
        *(
            Case(f"{name}/{what}_ratio", ratio(what), "ratio", against(what), "<=2.0" if goal else "")
            for what in ("own_wall", "own_cpu")
            if single
        ),
        Case(f"{name}/wall_ratio", ratio("wall"), "ratio", against("wall"), ""),
        Case(f"{name}/cpu_ratio", ratio("cpu"), "ratio", against("cpu"), ""),
        Case(f"{name}/calls", ours.calls, "calls", f"{title}: {other.calls} calls", ""),
    ]


def compare(raidctl: str, peer: Peer, rounds: int, folder: Path) -> list[Case]:
    """All scenarios with check_raid, and with other peers that support them."""
    found = []
    further = others()
    for scenario in SCENARIOS:
        ours, other = measure(scenario, raidctl, peer, rounds, folder / scenario.name)
        found += cases(scenario, ours, other, peer.title, goal=True)
        key = ",".join(make().name for make in scenario.players)
        for one in further:
            if key in one.argv and not scenario.more:
                ours, other = measure(scenario, raidctl, one, rounds, folder / f"{scenario.name}-{one.title}")
                found += cases(scenario, ours, other, one.title, goal=False)
    return found


def _raidctl() -> str:
    path = shutil.which("raidctl", path=sysconfig.get_path("scripts"))
    if path is None:
        sys.exit("raidctl is not installed in this environment: pip install . first")
    return path


def main() -> None:
    """Measure and print."""
    rounds = 3 if options(__doc__).parse_args().quick else 11
    peer = check_raid()
    if peer is None:
        print("check_raid is missing: apt-get install monitoring-plugins-contrib", file=sys.stderr)
        sys.exit(TOOL_MISSING)
    raidctl = _raidctl()
    if '"editable": true' in (metadata.distribution("raidctl").read_text("direct_url.json") or ""):
        print("raidctl is an editable install here, so each of its starts takes longer than a user's", file=sys.stderr)
    with tempfile.TemporaryDirectory() as name:
        report("scan_vs_peers", compare(raidctl, peer, rounds, Path(name)))


if __name__ == "__main__":
    main()
