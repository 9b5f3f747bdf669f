"""The benchmark on real drivers and file systems.

Checks that it measures, what it leaves open, and what it never writes to.

How right its figures are does not depend on a kernel: it is tested on a virtual clock (`tests/bench`), and by hand.
"""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from raidctl.bench.record import Run
from raidctl.bench.result import Spread
from raidctl.bench.store import decoded
from raidctl.bench.trials.evidence import evidence
from raidctl.bench.verdict.early_acknowledgement import weigh
from raidctl.bench.verdict.evidence import Evidence
from tests.lab.guest import Background, Done, Guest
from tests.lab.machine import MIB
from tests.lab.machines_bench import BUCKET

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab-bench")]

FILE = 12 * MIB
IMPORTS = ("tests.lab.profiles", "raidctl.cli.shared.measuring")
PREPARE = """
mkfs.ext4 -q {EXT4}
mdadm --create /dev/md0 --quiet --run --level=1 -n2 --assume-clean {MEMBER} missing
dmsetup create files --table "0 $(blockdev --getsz {FILES}) linear {FILES} 0"; dmsetup mknodes
mkfs.ext4 -q /dev/mapper/files; mkdir -p /srv/files; mount /dev/mapper/files /srv/files
"""
GROWN = "until [ $(stat -c %s /srv/files/raidctl-bench-* 2>/dev/null || echo 0) -ge {size} ]; do sleep 0.2; done"
LOADED = "dmsetup load files --table '{table}'; dmsetup suspend --noflush --nolockfs files; dmsetup resume files"


@dataclass
class Lab:
    """The machine."""

    guest: Guest
    nodes: dict[str, str]

    def run(self, *words: str) -> Done:
        """Run ``raidctl bench run``, with the lab's short profiles as well."""
        return self.guest.raidctl("--json", "bench", "run", *words, "--no-save", timeout=900, imports=IMPORTS)

    def measured(self, serial: str, profile: str) -> Run:
        """A run on a drive that may be overwritten completely."""
        done = self.run(self.nodes[serial], "--profile", profile, "--overwrite", "all", "--yes")
        assert done.rc == 0, done
        return decoded(done.out, serial)

    def begun(self) -> Background:
        """Start a run in a directory, and wait for its complete file."""
        words = ("/srv/files", "--size", f"{FILE // MIB}MiB", "--profile", "lab-short", "--no-save")
        run = self.guest.start_raidctl("--json", "bench", "run", *words, imports=IMPORTS)
        self.guest.sh(GROWN.format(size=FILE))
        return run

    def files(self) -> list[str]:
        """The files of the directory."""
        return self.guest.sh("ls /srv/files").split()

    def content(self, node: str) -> str:
        """The checksum of a drive's content."""
        return self.guest.sh(f"md5sum < {node}")


def nodes_of(guest: Guest) -> dict[str, str]:
    """The device of each drive, by its size, which is unique."""
    listing = guest.sh("cd /sys/block; for disk in sd* vd*; do echo /dev/$disk $(cat $disk/size); done")
    sizes = {int(size) * 512: node for node, size in (line.split() for line in listing.splitlines())}
    return {drive.serial: sizes[drive.size] for drive in BUCKET.drives}


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """The machine, with drives that must not be written to. Each has a file system, an array or a mount."""
    with Guest(BUCKET) as guest:
        guest.boot()
        nodes = nodes_of(guest)
        guest.sh(PREPARE.format(**nodes))
        yield Lab(guest, nodes)


@pytest.fixture(scope="module")
def slow(lab: Lab) -> Run:
    """The drive that commits 120 times a second."""
    return lab.measured("SLOW", "lab-commits")


@pytest.fixture(scope="module")
def cached(lab: Lab) -> Run:
    """The drive behind a write-back cache of 64 MB."""
    return lab.measured("BUCKET", "lab-short")


def figure(run: Run, trial: str, name: str) -> Spread:
    """A figure of a trial."""
    [result] = [one for one in run.session.results if one.trial == trial]
    return result.figures[name]


ROTATING = Evidence(medium="rotating", rpm=7200, flush_sent=True)
"""Evidence of a rotating medium, as the machine's drives report it."""


def test_every_commit_that_is_counted_has_reached_the_drive(lab: Lab, slow: Run) -> None:
    """QEMU counts at least the commits that the benchmark counts."""
    [commits] = [one for one in slow.session.results if one.trial == "commits"]
    [drive] = [one["stats"] for one in lab.guest.qmp("query-blockstats") if one["device"] == "SLOW"]
    assert 0 < sum(latency.n for latency in commits.latency.values()) <= drive["wr_operations"]
    assert figure(slow, "commits", "commits").n > 0
    assert slow.session.engine is not None


def test_commits_to_a_drive_pass_no_layer(slow: Run) -> None:
    """Without file system or mapping, only the drive can drop a flush."""
    found = evidence({one.trial: one for one in slow.session.results})
    assert found.commits_raw is not None
    assert found.commits_raw == found.commits


def test_a_drive_behind_a_controller_is_measured(cached: Run) -> None:
    """Every trial of the profile has figures through the kernel's MegaRAID driver."""
    assert {one.trial for one in cached.session.results} == {"medium", "commits", "sequential"}
    assert all(figure.n > 0 for one in cached.session.results for figure in one.figures.values())


def test_in_a_virtual_machine_nothing_is_concluded_about_durability(slow: Run, cached: Run) -> None:
    """In a virtual machine, each verdict on durability is INCONCLUSIVE.

    The reason is given, and the result is INCONCLUSIVE too.
    """
    for run in (slow, cached):
        [commits] = [one for one in run.session.results if one.trial == "commits"]
        assert commits.verdict == "inconclusive"
        assert "This is a virtual machine" in commits.reasons[0]
        found = weigh(evidence({one.trial: one for one in run.session.results}, ROTATING))
        assert (found.verdict, found.case) == ("inconclusive", "barred")


@pytest.mark.parametrize(
    ("serial", "why"),
    [("EXT4", "ext4 file system"), ("MEMBER", "is in use by md0"), ("mounted", "mounted at /srv/files")],
)
def test_a_drive_in_use_is_not_written_to(lab: Lab, serial: str, why: str) -> None:
    """A drive in use is refused with the reason.

    Nothing is written to a drive with a file system, in an array, or below a mount.
    """
    node = "/dev/mapper/files" if serial == "mounted" else lab.nodes[serial]
    before = lab.content(node)
    done = lab.run(node, "--overwrite", "all", "--yes")
    errors = " ".join(done.err.decode().split())
    assert (done.rc, json.loads(done.out)["exit_code"]) == (3, 3), done
    assert f"{node} is not written to: " in errors
    assert why in errors
    assert lab.content(node) == before


def test_an_empty_drive_is_overwritten_within_the_range_that_was_named(lab: Lab) -> None:
    """The range is measured, and no byte outside it is changed."""
    node, begin, length = lab.nodes["FAST"], 4 * MIB, 12 * MIB
    words = (
        "--overwrite",
        f"{begin // MIB}MiB+{length // MIB}MiB",
        "--yes",
        "--profile",
        "lab-short",
        "--engine",
        "portable",
    )
    done = lab.run(node, *words)
    assert done.rc == 0, done
    session = decoded(done.out, "FAST").session
    assert (session.engine, session.size) == ("portable", length)
    assert session.written > 0
    outside = f"{{ head -c {begin} {node}; tail -c +{begin + length + 1} {node}; }} | tr -d '\\0' | wc -c"
    assert lab.guest.sh(outside).strip() == "0"
    assert lab.guest.sh(f"tail -c +{begin + 1} {node} | head -c {length} | tr -d '\\0' | wc -c").strip() != "0"


def test_ctrl_c_removes_the_file(lab: Lab) -> None:
    """The exit code is 130, and the directory is as before."""
    before = lab.files()
    run = lab.begun()
    assert lab.files() != before
    run.signal(signal.SIGINT)
    assert run.wait(180) == 130, run.stderr()
    assert lab.files() == before
    assert b"Traceback" not in run.stderr()


def test_bad_sectors_are_reported_and_the_file_is_removed(lab: Lab) -> None:
    """Each trial that reads the failing file reports an error. The middle of the file is failed by dm-flakey."""
    before = lab.files()
    run = lab.begun()
    run.signal(signal.SIGSTOP, group=True)
    break_middle(lab)
    run.signal(signal.SIGCONT, group=True)
    printed = decoded(run.read(240), "broken")
    assert run.wait(60) == 3, run.stderr()
    assert lab.files() == before
    assert not any(one.figures for one in printed.session.results)
    reasons = {one.trial: " ".join(one.reasons) for one in printed.session.results}
    assert all("Input/output error." in text for text in reasons.values()), reasons


def break_middle(lab: Lab) -> None:
    """Let dm-flakey fail the middle third of raidctl's file."""
    listing = lab.guest.sh("filefrag -e -b512 /srv/files/raidctl-bench-*")
    #    0:        0..   49151:      69632..    118783:  49152:             last,eof
    [first] = [re.findall(r"\d+", line) for line in listing.splitlines() if line.lstrip().startswith("0:")]
    begin, length = int(first[3]), int(first[5])
    node, end = lab.nodes["FILES"], BUCKET.drive("FILES").size // 512
    start, some = begin + length // 3, length // 3
    table = (
        f"0 {start} linear {node} 0\n{start} {some} flakey {node} {start} 0 86400\n"
        f"{start + some} {end - start - some} linear {node} {start + some}"
    )
    lab.guest.sh(LOADED.format(table=table))
