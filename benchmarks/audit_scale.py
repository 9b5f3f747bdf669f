"""An audit of up to 100,000 inventories. Each inventory has 12 drives, and the policy 20 rules.

    python benchmarks/audit_scale.py [--quick]

``raidctl audit POLICY -`` as a separate process reads the inventories from a pipe, one per line, as ``raidctl --json
show`` prints them; one machine in 20 fails a rule. ``--quick`` uses fewer inventories.

``decode_ratio``: processor time for one inventory (the difference between the largest and the smallest run, which
excludes the start) divided by the time in which msgspec decodes the same bytes into the same types, measured in the
same round and in as many processes. ``inventories_per_second_per_core``: inventories divided by the processor time of
all its processes, start and end included. Unlike wall time, it excludes other work on the machine. ``peak_memory_mib``:
the peak of all its processes together; shared pages count once. ``growth_exponent``: the slope of processor time over
the number of inventories, both as logarithms: 1 is proportional. ``speedup``: wall time with one process divided by
wall time with one process per core, measured in turn. ``opa_ratio``, if ``opa`` is on PATH: processor time for one
inventory divided by that of Open Policy Agent with the same rules (``opa exec`` with the policy in ``opa_policy``),
both without their start.
"""

from __future__ import annotations

import math
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import msgspec
import opa
from report import Case, options, report

from raidctl.model import (
    Array,
    Battery,
    Cache,
    Controller,
    Drive,
    Errors,
    Host,
    Inventory,
    Volume,
    VolumeCache,
)  # fmt: skip

COUNTS, ROUNDS = (12_500, 25_000, 50_000, 100_000), 3
QUICK_COUNTS, QUICK_ROUNDS = (2_000, 4_000, 8_000, 16_000), 2
DIFFERENT = 200
"""The number of different inventories, which are repeated."""
DECODINGS = 20
FAULTY = 20
EXPECTED_EXIT = 1
DRIVES = 12
POLICY = """
raid_level = ["raid1", "raid6"]
battery = "ok"
write_cache = "protected"
drive_cache = "disabled"
cache_split = "25/75"
status = "ok"
strip_bytes = { min = "64KiB", max = "1MiB" }

[[rule]]
name = "database volumes"
for = "volume"
where = { mountpoints = "/srv/*", size_bytes = { min = "1TB" } }
require = { raid_level = "raid6", "cache.write_protected" = true, "cache.read_policy" = { not = "off" } }
severity = "critical"

[[rule]]
name = "firmware"
for = "controller"
require = { firmware = { min = "8.00" }, status = "ok" }

[[rule]]
name = "cache"
for = "cache"
require = { size_bytes = { min = "1GiB" }, no_battery_write_cache = false, unwritten_data = false }

[[rule]]
name = "battery of its own controller"
for = "volume"
require = { "controller.batteries" = { any = { status = "ok", charge_percent = { min = 50 } } } }

[[rule]]
name = "one spare for each large array"
for = "array"
where = { size_bytes = { min = "1TB" } }
require = { spares = { count = { min = 1 } } }

[[rule]]
name = "one model in an array"
for = "array"
require = { "drives.model" = { same = true } }

[[rule]]
name = "twelve drives"
for = "drive"
count = 12

[[rule]]
name = "drives are well"
for = "drive"
require = { status = "ok" }

[[rule]]
name = "no predicted failures"
for = "drive"
require = { "errors.predictive" = 0, "errors.media" = { max = 10 } }

[[rule]]
name = "not too hot"
for = "drive"
require = { temperature_celsius = { max = 55 } }

[[rule]]
name = "fast disks"
for = "drive"
where = { media = "hdd" }
require = { rpm = { min = 10000 }, link_gbps = { min = 6 } }

[[rule]]
name = "drive write caches"
for = "drive"
where = { role = "member" }
require = { write_cache = "disabled" }

[[rule]]
name = "known models"
for = "drive"
require = { model = ["HARBOR *", "TALUS *"], firmware = { not = "HB01" } }
"""


@dataclass(frozen=True)
class Run:
    """The cost of one audit."""

    cpu: float
    wall: float
    mebibytes: float


def inventory(number: int) -> bytes:
    """One line: a machine with a controller, two arrays and twelve drives.

    One machine in ``FAULTY`` has a failed battery.
    """
    name = "smartarray:1"
    faulty = number % FAULTY == 0
    drives = tuple(_drive(name, place) for place in range(1, DRIVES + 1))
    ids = [drive.id for drive in drives]
    kept = VolumeCache(
        write_policy="protected_write_back", write_active="write_back", write_protected=not faulty,
        controller_cache="unprotected" if faulty else "protected", drive_caches="off", read_policy="read_ahead",
        io_policy="direct", drive_write_cache="disabled",
    )  # fmt: skip
    controller = Controller(
        id=name, vendor="HP", model="Smart Array P420i", serial=f"RCTL{number:08d}", firmware="8.32", driver="hpsa",
        pci_address="0000:03:00.0", told_by="ssacli", slot="1", status="ok", status_text="OK", mode="raid",
        cache=Cache(present=True, status="ok", size_bytes=2 << 30, read_percent=25, write_percent=75,
                    no_battery_write_cache=False, unwritten_data=False),
        batteries=(Battery(id=f"{name}/battery0", kind="capacitor", status="failed" if faulty else "ok",
                           charge_percent=98, replace=faulty),),
        arrays=(
            Array(id=f"{name}/A", status="ok", drives=tuple(ids[:2]), size_bytes=600_000_000_000, free_bytes=0),
            Array(id=f"{name}/B", status="ok", drives=tuple(ids[2:11]), spares=(ids[11],),
                  size_bytes=5_400_000_000_000, free_bytes=0),
        ),
        volumes=(
            Volume(id=f"{name}/v1", name="system", array=f"{name}/A", raid_level="raid1", size_bytes=300_000_000_000,
                   strip_bytes=256 << 10, status="ok", device="/dev/sda", mountpoints=("/", "/boot"), cache=kept),
            Volume(id=f"{name}/v2", name="data", array=f"{name}/B", raid_level="raid6", size_bytes=4_200_000_000_000,
                   strip_bytes=256 << 10, status="ok", device="/dev/sdb", mountpoints=("/srv/db",), cache=kept),
        ),
        drives=drives,
    )  # fmt: skip
    host = Host(hostname=f"host{number:05d}", kernel="6.1.0", collected_at="2026-03-04T05:06:07Z")
    return msgspec.json.encode(Inventory(host=host, controllers=(controller,))) + b"\n"


def _drive(name: str, place: int) -> Drive:
    array = "A" if place <= 2 else "B"
    return Drive(
        id=f"{name}/1I:1:{place}", enclosure="1", bay=str(place), array=f"{name}/{array}",
        role="spare" if place == DRIVES else "member", model="HARBOR HB600MM0006", serial=f"HB{place:06d}",
        firmware="HB04", size_bytes=600_127_266_816, media="hdd", interface="sas", rpm=10000, status="ok",
        status_text="OK", temperature_celsius=30 + place, link_gbps=6.0, write_cache="disabled",
        errors=Errors(media=0, other=0, predictive=0), wwn=f"5000C500{place:08X}", power_on_hours=20000 + place,
        details={"PHY Count": "2", "PHY Transfer Rate": "6.0Gbps, Unknown", "Exposed to OS": "False"},
    )  # fmt: skip


def audit(policy: Path, lines: list[bytes], count: int, *arguments: str) -> Run:
    """Audit this number of inventories, which come through a pipe."""
    command = [sys.executable, "-m", "raidctl", "audit", str(policy), "-", *arguments]
    start = time.monotonic()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        feeder = threading.Thread(target=_feed, args=(process, lines, count))
        feeder.start()
        watcher = Watcher(process.pid)
        watcher.start()
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        screen = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - start
        watcher.stop()
        feeder.join()
    failing = f"{-(-count // FAULTY)} fail".encode()
    if process.returncode != EXPECTED_EXIT or f"{count} hosts".encode() not in screen or failing not in screen:
        sys.exit(f"the audit of {count} ended with {process.returncode}: {screen.decode()}")
    return Run(usage.ru_utime + usage.ru_stime, wall, watcher.most / 1024)


def decoding(lines: list[bytes], processes: int) -> float:
    """Processor seconds in which msgspec decodes one inventory, in this many processes at once, as an audit does.

    Processors that share a core are slower when both work.
    """
    with ProcessPoolExecutor(processes) as pool:
        return statistics.mean(pool.map(_decoding, [lines] * processes))


def _decoding(lines: list[bytes]) -> float:
    decoder = msgspec.json.Decoder(Inventory)
    start = time.process_time()
    for _ in range(DECODINGS):
        for line in lines:
            decoder.decode(line)
    return (time.process_time() - start) / (DECODINGS * len(lines))


def _feed(process: subprocess.Popen[bytes], lines: list[bytes], count: int) -> None:
    assert process.stdin is not None  # noqa: S101 - it is a pipe
    whole, rest = divmod(count, len(lines))
    try:
        for block in (*[b"".join(lines)] * whole, b"".join(lines[:rest])):
            process.stdin.write(block)
    finally:
        process.stdin.close()


class Watcher(threading.Thread):
    """Samples the memory of a process and its children. ``most`` is the maximum in KiB."""

    def __init__(self, pid: int) -> None:
        super().__init__()
        self._pid = pid
        self._over = threading.Event()
        self.most = 0

    def run(self) -> None:
        """Sample until :meth:`stop`."""
        while not self._over.wait(0.1):
            self.most = max(self.most, sum(map(_held, self._family())))

    def stop(self) -> None:
        """Stop sampling."""
        self._over.set()
        self.join()

    def _family(self) -> list[int]:
        try:
            children = Path(f"/proc/{self._pid}/task/{self._pid}/children").read_text(encoding="ascii").split()
        except OSError:
            return []
        return [self._pid, *map(int, children)]


def _held(pid: int) -> int:
    """The memory of a process in KiB; shared pages count proportionally."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")), 0)


def slope(points: dict[int, float]) -> float:
    """The slope of the line through the logarithms, by least squares."""
    fit = statistics.linear_regression([math.log(n) for n in points], [math.log(value) for value in points.values()])
    return fit.slope


def main() -> None:
    """Measure and print."""
    quick = options(__doc__).parse_args().quick
    counts, rounds = (QUICK_COUNTS, QUICK_ROUNDS) if quick else (COUNTS, ROUNDS)
    lines = [inventory(number) for number in range(DIFFERENT)]
    cores = len(os.sched_getaffinity(0))
    runs: dict[int, list[Run]] = {count: [] for count in counts}
    speedups, ratios, against_opa = [], [], []
    with tempfile.TemporaryDirectory() as name:
        policy = Path(name) / "site.toml"
        policy.write_text(POLICY, encoding="utf-8")
        for _ in range(rounds):
            for count in counts:
                runs[count].append(audit(policy, lines, count))
            least, most = counts[0], counts[-1]
            each = (runs[most][-1].cpu - runs[least][-1].cpu) / (most - least)
            ratios.append(each / decoding(lines, cores))
            if (theirs := opa.seconds_each(lines, FAULTY, Path(name))) is not None:
                against_opa.append(each / theirs)
            one = audit(policy, lines, counts[1], "--jobs", "1")
            speedups.append(one.wall / runs[counts[1]][-1].wall)
    times = {count: statistics.median(run.cpu for run in found) for count, found in runs.items()}
    rate, fastest = most / times[most], most / statistics.median(run.wall for run in runs[most])
    memory = max(run.mebibytes for found in runs.values() for run in found)
    little = max(run.mebibytes for run in runs[least])
    size = f"{most} of {statistics.mean(map(len, lines)) / 1024:.1f} KiB, 20 rules"
    peers = [Case("opa_ratio", statistics.median(against_opa), "ratio", "opa exec", "<=1")] if against_opa else []
    report(
        "audit_scale",
        [
            *peers,
            Case("decode_ratio", statistics.median(ratios), "ratio", "msgspec decoding the same inventories", "<=5"),
            Case("inventories_per_second_per_core", rate, "1/s", size, ">=4000"),
            Case("inventories_per_second", fastest, "1/s", f"{size}, wall time on {cores} cores", ""),
            Case("peak_memory_mib", memory, "MiB", f"{little:.0f} MiB with {least}", "<=150"),
            Case("growth_exponent", slope(times), "exponent", f"{least} to {most}", "<=1.05"),
            Case("speedup", statistics.median(speedups), "ratio", f"one process; {cores} cores", ""),
        ],
    )


if __name__ == "__main__":
    main()
