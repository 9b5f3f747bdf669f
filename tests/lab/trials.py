"""Trials on arrays, a mapping and a file system. Runs in the machine slow-drives.

One process measures all of them, since an emulated processor needs longer to start raidctl than for some of them. Each
line that it prints is a JSON object: what was measured, and the result of the trial.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec

from raidctl.bench.engines.choose import choose
from raidctl.bench.mapping import ranges
from raidctl.bench.result import TrialResult
from raidctl.bench.targets.device import DeviceTarget
from raidctl.bench.targets.file import FileTarget
from raidctl.bench.trials.commits import Commits
from raidctl.bench.trials.layer_tax import LayerTax
from raidctl.bench.trials.raid_level import RaidLevel
from raidctl.bench.trials.trial import KIB, MIB, Below, Bench, Trial, whole
from raidctl.bench.work import Target
from tests.lab.machines_bench import SLOW_DRIVES

CHUNK = 64 * KIB
ARRAYS = ("raid0x4", "raid1x2", "raid5x4", "raid6x6")
SHORT = RaidLevel(seconds=0.1, most=20, strided=48, striped=32, rounds=1)
THOROUGH = RaidLevel(seconds=0.3, most=20, strided=96, striped=96, rounds=2)
FILE = 4 * MIB
BEFORE = 4096
"""Sectors of the drive before a mapping."""


class Found(msgspec.Struct):
    """One line of the output."""

    what: str
    """The name as requested, ``raid5x4`` or ``linear``."""
    result: TrialResult


def sh(script: str) -> str:
    """The output of a shell script."""
    done = subprocess.run(["/bin/sh", "-ec", script], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{script}: {done.stderr}")
    return done.stdout


def nodes(serial: str) -> list[str]:
    """The devices with the size of this drive. The size differs between kinds of drives."""
    size = SLOW_DRIVES.drive(serial).size // 512
    return [f"/dev/{place.parent.name}" for place in sorted(Path("/sys/block").glob("*d*/size"))
            if int(place.read_text()) == size and place.parent.name[:2] in ("sd", "vd")]  # fmt: skip


def measured(trial: Trial, target: Target, below: Below) -> TrialResult:
    """The result of one trial on an open target."""
    return whole(trial, Bench(target, choose(target).engine, below=below))


@contextmanager
def array(level: str, count: int) -> Iterator[Below]:
    """Create a clean array; yields its known facts."""
    drives = nodes("R0")[:count]
    chunk = "" if level == "raid1" else f"--chunk={CHUNK // KIB}"
    clean = "" if level == "raid0" else "--assume-clean"
    sh(f"mdadm --create /dev/md0 --quiet --run --level={level} -n{count} {clean} {chunk} {' '.join(drives)}")
    try:
        size = int(Path("/sys/block/md0/size").read_text()) * 512
        yield Below(
            level=level, drives=count, strip=CHUNK if chunk else None, volume_bytes=size,
            drive_bytes=SLOW_DRIVES.drive("R0").size,
        )  # fmt: skip
    finally:
        sh("mdadm --stop --quiet /dev/md0")


def level_of(name: str, trial: RaidLevel) -> TrialResult:
    """The level trial on an array named `raid5x4`."""
    level, _, count = name.partition("x")
    with array(level, int(count)) as below, DeviceTarget("/dev/md0", write=(0, below.volume_bytes or 0)) as target:
        return measured(trial, target, below)


def tax(table: str, seconds: float) -> TrialResult:
    """The layer trial on a mapping of the device mapper. Its UUID is LVM's."""
    [drive] = nodes("MAPPED")
    sectors = SLOW_DRIVES.drive("MAPPED").size // 512 - BEFORE
    sh(f'dmsetup create vg-lv --uuid LVM-lab --table "0 {sectors} {table.format(drive)}"; dmsetup mknodes')
    try:
        node = str(Path("/dev/mapper/vg-lv").resolve())
        below = Below(ranges=ranges(node, sh("dmsetup table vg-lv"), lambda _: drive))
        with DeviceTarget(node) as target:
            return measured(LayerTax(seconds=seconds), target, below)
    finally:
        sh("dmsetup remove vg-lv")


def raw() -> TrialResult:
    """Commits to an honest drive on a file system without flushes. They go through the file system, and past it."""
    [drive] = nodes("HONEST")
    sh(f"mkfs.ext4 -q -F {drive}; mkdir -p /srv/honest; mount -o barrier=0 {drive} /srv/honest")
    try:
        with FileTarget("/srv/honest", FILE) as target:
            return measured(Commits(seconds=1.0), target, Below(disk=drive))
    finally:
        sh("umount /srv/honest")


OTHERS: Mapping[str, Callable[[], TrialResult]] = {
    "linear": lambda: tax(f"linear {{}} {BEFORE}", 1.0),
    # an emulated processor encrypts some 30 MiB/s
    "crypt": lambda: tax(f"crypt aes-xts-plain64 {'0123456789abcdef' * 8} 0 {{}} {BEFORE}", 2.0),
    "raw": raw,
}


def main(words: list[str]) -> None:
    """Run the named trials, one after the other."""
    parser = argparse.ArgumentParser(prog="python -m tests.lab.trials", description=__doc__)
    parser.add_argument(
        "what", nargs="*", default=[*ARRAYS, *OTHERS], help=f"raid10x4 (level, drives), {', '.join(OTHERS)}"
    )
    parser.add_argument("--thorough", action="store_true", help="as long as verify takes for a level")
    parser.add_argument("--times", type=int, default=1)
    arguments = parser.parse_args(words)
    trial = THOROUGH if arguments.thorough else SHORT
    for what in arguments.what * arguments.times:
        result = OTHERS[what]() if what in OTHERS else level_of(what, trial)
        sys.stdout.buffer.write(msgspec.json.encode(Found(what, result)) + b"\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
