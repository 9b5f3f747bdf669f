"""Lines of the kernel log about drives and arrays. The journal or dmesg prints them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from msgspec import Struct

from raidctl.events.reading import read_kernel
from raidctl.events.report import Filter, report, unseen
from raidctl.request import Answer, Failure, ReadAnswer, Request, Run, RunAnswer, converse
from raidctl.vendor.events import Event
from raidctl.vendor.kernel_log import BOOT, DMESG, JOURNAL, NEWEST_LINES, KernelLog, chosen, kernel_log
from raidctl.vendor.registry import vendors
from raidctl_drives.events import KERNEL as DRIVES
from raidctl_md.events import KERNEL as ARRAYS
from raidctl_zfs.events import KERNEL as POOLS
from tests.support.machines import replayed

NOW = datetime(2026, 5, 6, 12, 0, tzinfo=timezone.utc)
ID = "1f0c2a7e-5d3b-4c8a-9e6f-0b1d2c3e4f5a"
RAW = """\
<5>[    0.000000] Linux version 6.1.0
<5>[    2.400000] sd 4:0:0:0: [sdc] Attached SCSI disk
<3>[  100.500000] I/O error, dev sdc, sector 2048 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2
<6>[  101.000000] md: md0: data-check done.
<6>[  102.000000] usb 1-1: new high-speed USB device
"""


def row(text: object, *, priority: str = "6", boot: str = ID.replace("-", ""), at: str = "1778068800000000") -> str:
    """A line of the journal."""
    return json.dumps({"MESSAGE": text, "PRIORITY": priority, "_BOOT_ID": boot, "__REALTIME_TIMESTAMP": at})


class Kernel(Struct):
    """A machine that is up for 1000 seconds."""

    journal: RunAnswer
    raw: RunAnswer
    uptime: float = 1000.0

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer each request."""
        return [self._answer(request) for request in requests]

    def _answer(self, request: Request[Any]) -> Answer:
        if isinstance(request, Run):
            return {JOURNAL: self.journal, DMESG: self.raw}[request]
        return ReadAnswer(data=ID.encode() if request == BOOT else f"{self.uptime:.2f} 2000.00\n".encode())


def read(journal: RunAnswer, raw: RunAnswer | None = None, now: datetime | None = NOW) -> KernelLog:
    """The kernel log of a machine that is up for 1000 seconds."""
    return converse(kernel_log(now), Kernel(journal, raw or RunAnswer(trouble=Failure.MISSING)))


def printed(*rows: str) -> RunAnswer:
    """What journalctl prints."""
    return RunAnswer(code=0, out="\n".join(rows).encode())


def devices(log: KernelLog) -> list[tuple[str | None, str]]:
    """The chosen lines with the devices that they mean."""
    return [
        (one.device if one.certain else None, one.line.text.split(":")[0]) for one in chosen(log, [*DRIVES, *ARRAYS])
    ]


def test_the_journal_has_time_level_and_boot() -> None:
    """Times are microseconds since 1970, levels the kernel's priorities. A line of another boot is marked."""
    found = read(printed(row("a", priority="3"), row("b", boot="0" * 32), row([104, 105])))
    assert [(line.at, line.level, line.text, line.boot) for line in found.lines] == [
        ("2026-05-06T12:00:00Z", "critical", "a", True),
        ("2026-05-06T12:00:00Z", "info", "b", False),
        ("2026-05-06T12:00:00Z", "info", "hi", True),
    ]
    assert found.booted == "2026-05-06T11:43:20Z"


def test_a_line_of_the_journal_that_is_damaged_is_kept() -> None:
    """The line is counted as unparsed. A damaged number is unknown, not a different number."""
    found = read(printed(row("a"), '{"MESSAGE": "b', row("c", priority="77", at="99999999999999999999")))
    assert found.unparsed == ('{"MESSAGE": "b',)
    assert [(line.text, line.level, line.at) for line in found.lines][1] == ("c", None, None)


def test_dmesg_is_read_where_the_journal_has_nothing() -> None:
    """Its times are seconds since the boot. Without the present time they are unknown."""
    found = read(printed(), RunAnswer(code=0, out=RAW.encode()))
    assert found.lines[2].at == "2026-05-06T11:45:00Z"
    assert found.lines[2].level == "critical"
    assert found.limited, "earlier boots are not in it"
    assert read(printed(), RunAnswer(code=0, out=RAW.encode()), None).lines[2].at is None


def test_a_message_of_several_lines_is_one() -> None:
    """Only its first line has a time."""
    found = read(printed(), RunAnswer(code=0, out=b"<4>[ 1.000000] _CPC not supported.\nPlease enable it.\n"))
    assert [line.text for line in found.lines] == ["_CPC not supported. Please enable it."]


def test_a_log_that_cannot_be_read_is_a_problem() -> None:
    """Missing permission, missing tool and unrecorded log are three reasons. None of them is an empty log."""
    refused = RunAnswer(code=1, err=b"dmesg: read kernel buffer failed: Operation not permitted")
    recorded = RunAnswer(trouble=Failure.MISSING, detail="dmesg is not installed on the recorded machine")
    missing = RunAnswer(trouble=Failure.MISSING)
    kinds = [read(one, one).problems[0].kind for one in (refused, missing, recorded)]
    assert kinds == ["no_right", "no_tool", "unread"]


def test_a_full_or_flooded_journal_is_not_whole() -> None:
    """Older lines may be missing. Where the reading was stopped, newer ones are missing."""
    assert read(printed(*[row("a")] * NEWEST_LINES)).limited
    flood = read(RunAnswer(trouble=Failure.FLOOD, out=row("a").encode()))
    assert [problem.kind for problem in flood.problems] == ["unread"]


@pytest.mark.parametrize(
    ("words", "kinds"),
    [
        ("Journal file /var/log/journal/1f0c/system@0006.journal is truncated, ignoring file.", ["unread"]),
        ("Failed to open journal file /var/log/journal/1f0c/system.journal: Bad message", ["unread"]),
        ("Journal file /var/log/journal/1f0c/user-1000.journal corrupted, ignoring file.", []),
        ("Warning: some other sentence", []),
    ],
)
def test_a_journal_with_a_damaged_file_is_not_whole(words: str, kinds: list[str]) -> None:
    """Journalctl ends with 0 although it leaves out a damaged file: what the kernel logged may be missing."""
    answer = RunAnswer(code=0, out=row("a").encode(), err=f"{words}\n".encode())
    assert [problem.kind for problem in read(answer).problems] == kinds


def test_lines_about_drives_and_arrays_are_chosen() -> None:
    """Others are not."""
    found = read(printed(), RunAnswer(code=0, out=RAW.encode()))
    assert devices(found) == [("sdc", "sd 4"), ("sdc", "I/O error, dev sdc, sector 2048 op 0x0"), ("md0", "md")]


def test_a_name_means_a_device_only_after_it_was_given_to_it() -> None:
    """A line before another drive got the name names no object. A line of an earlier boot names none either."""
    error = "I/O error, dev sdc, sector 2048 op 0x0:(READ)"
    attached = "sd 4:0:0:0: [sdc] Attached SCSI disk"
    found = read(printed(row(error, boot="0" * 32), row(error), row(attached), row(error)))
    assert [device for device, _ in devices(found)] == [None, None, "sdc", "sdc"]


def events_of(lines: Sequence[str], now: datetime | None, uptime: float) -> tuple[Event, ...]:
    """The events that `raidctl events` lists of these lines of dmesg."""
    kernel = Kernel(printed(), RunAnswer(code=0, out="\n".join(lines).encode()), uptime)
    seen = replayed("drives-ahci")
    return report(seen.inventory, converse(read_kernel(seen, vendors()[0], now), kernel).logs, now, Filter()).events


@pytest.mark.parametrize("late", [0.0, 0.05, 0.2, 0.9, 7.0])
def test_a_line_of_dmesg_is_new_once(late: float) -> None:
    """However late the uptime is read; without a time as well, and although a line like it is already known."""
    error = "Buffer I/O error on dev sdb, logical block 0, async page read"
    lines = [f"<3>[{100 + number * 0.137:12.6f}] {error}" for number in range(200)]
    for now in (NOW, None):
        first = events_of(lines, now, 1000.0)
        assert len(first) == len(lines)
        again = events_of(lines, now and now + timedelta(seconds=5), 1005.0 + late)
        assert unseen(again, first) == []
        more = events_of([*lines, lines[-1]], now and now + timedelta(seconds=10), 1010.0 + late)
        assert [one.text for one in unseen(more, first)] == [error]


def test_forms_of_the_kernel_are_known() -> None:
    """One line of each form, with the device that it is about."""
    lines = {
        "blk_update_request: critical medium error, dev sdb, sector 1 op 0x0": "sdb",
        "Buffer I/O error on dev sdb1, logical block 0, async page read": "sdb",
        "nvme0n1: I/O Cmd(0x2) @ LBA 2048, 8 blocks, I/O Error (sct 0x2 / sc 0x81) DNR": "nvme0n1",
        "Buffer I/O error on dev md0, logical block 0, lost async page write": "md0",
        "critical space allocation error, dev dm-3, sector 8 op 0x9": "dm-3",
        "mpt2sas_cm0: fault_state(0x5854)!": None,
        "device-mapper: multipath: 253:0: Failing path 8:16.": None,
        "bcache: bch_count_backing_io_errors() sdb: IO error on backing device, unrecoverable": "sdb",
        "EXT4-fs error (device sda1): ext4_find_entry:1455: inode #2: comm ls: reading directory lblock 0": "sda",
        "EXT4-fs (md0): Remounting filesystem read-only": "md0",
        "EXT4-fs (dm-0): previous I/O error to superblock detected": "dm-0",
        "Aborting journal on device dm-0-8.": "dm-0",
        'XFS (md0): metadata I/O error in "xfs_buf_ioend" at daddr 0x1 len 8 error 5': "md0",
        "XFS (nvme0n1p2): Corruption of in-memory data detected.  Shutting down filesystem": "nvme0n1",
        "BTRFS error (device sdb1): bdev /dev/sdb1 errs: wr 1, rd 0, flush 0, corrupt 0, gen 0": "sdb",
        "nvme0c0n1: I/O Cmd(0x2) @ LBA 2048, 8 blocks, I/O Error (sct 0x3 / sc 0x70)": None,
        "nvme nvme0: I/O 12 QID 3 timeout, aborting": None,
        "ata3.00: exception Emask 0x0 SAct 0x8 SErr 0x0 action 0x0": None,
        "md/raid1:md127: Disk failure on sdb1, disabling device.": "md127",
        "md: kicking non-fresh sdb1 from array!": None,
        "md: recovery of RAID array md3": "md3",
        "WARNING: Pool 'tank' has encountered an uncorrectable I/O failure and has been suspended.": None,
        "zio pool=tank vdev=/dev/sdb1 error=5 type=1 offset=270336 size=8192 flags=b08c1": None,
    }
    found = read(printed(*map(row, lines)))
    assert [one.device for one in chosen(found, [*DRIVES, *ARRAYS, *POOLS])] == list(lines.values())


def test_mounts_of_file_systems_are_not_listed() -> None:
    """They are not events of the storage; errors of the same file systems are listed."""
    lines = (
        "EXT4-fs (sda1): mounted filesystem with ordered data mode. Quota mode: none.",
        "EXT4-fs (sda1): re-mounted. Opts: errors=remount-ro",
        "XFS (md0): Mounting V5 Filesystem",
        "XFS (md0): Ending clean mount",
        "BTRFS info (device sdb1): disk space caching is enabled",
    )
    assert list(chosen(read(printed(*map(row, lines))), [*DRIVES, *ARRAYS, *POOLS])) == []
