"""cciss_vol_status and /proc/driver/cciss. The tests cover all words of the source, and outputs that end too early."""

from __future__ import annotations

from pathlib import Path

import pytest

import raidctl_smartarray
from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import diagnose, exit_code
from raidctl.model import Controller, Volume
from raidctl.survey.survey import Survey
from raidctl.vendor.protocol import Document
from tests.support.conclusions import conclusions, cut_worse, read_text
from tests.support.consistency import inconsistencies

_MACHINE = Path(__file__).parents[3] / "fixtures" / "smartarray-cciss-vol-status"
_FULL = (_MACHINE / "cciss_vol_status.out").read_text(encoding="utf-8")
_PROC = (_MACHINE / "cciss0").read_text(encoding="utf-8")
_GOOD = "/dev/cciss/c0d0: (Smart Array P800) RAID 5 Volume 0 status: OK. \n"
_HEAD = (
    "Controller: Smart Array P420i\n  Logical drives: 1\n/dev/sda: (Smart Array P420i) RAID 0 Volume 0 status: OK. \n"
)
_CACHE = (
    "  Physical drives: 0\n/dev/sg0(Smart Array P420i:0): Non-Volatile Cache status:\n"
    "                   Cache configured: Yes\n                Write cache enabled: Yes\n"
)


def _code(seen: Survey) -> int:
    return exit_code(diagnose(seen.inventory, rules()))


def _controller(text: str) -> Controller:
    [controller] = read_text(text).inventory.controllers
    return controller


def _volume(words: str, level: str = "RAID 5") -> Volume:
    return _controller(f"/dev/cciss/c0d0: (Smart Array P800) {level} Volume 3 status: {words}\n").volumes[0]


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("OK. ", "ok"),
        ("FAILED. ", "failed"),
        ("Using interim recovery mode. ", "degraded"),
        ("Ready for recovery operation. ", "degraded"),
        ("Currently recovering. ", "rebuilding"),
        ("Wrong physical drive was replaced. ", "failed"),
        ("A physical drive is not properly connected. ", "failed"),
        ("Hardware is overheating. ", "degraded"),
        ("Hardware was overheated. ", "offline"),
        ("Currently expannding. ", "expanding"),
        ("Not yet available. ", "offline"),
        ("Queued for expansion. ", "expanding"),
        ("OK.   At least one spare drive activated and currently rebuilding.", "rebuilding"),
        ("Unknown status 14.", "unknown"),
        ("", "unknown"),
    ],
)
def test_each_state_of_a_volume(words: str, status: str) -> None:
    """Each of the tool's states maps to a neutral one. An undocumented number is unknown."""
    volume = _volume(words)
    assert (volume.id, volume.status) == ("smartarray:c0/v3", status)
    assert volume.raid_level == "raid5"


def test_an_unknown_state_ends_with_exit_code_3() -> None:
    """An unknown state of a volume gives exit code 3."""
    assert _code(read_text(_GOOD.replace("OK. ", "Unknown status 14."))) == 3


@pytest.mark.parametrize(
    ("level", "expected"),
    [("RAID 0", "raid0"), ("RAID 4", "raid4"), ("RAID 6", "raid6"), ("RAID 1(1+0)", None), ("RAID 1", None),
     ("RAID 1 ADM", None), ("(Unknown RAID level (tolerance_type = 9)", None)],
)  # fmt: skip
def test_a_word_for_several_levels_gives_none(level: str, expected: str | None) -> None:
    """A word for two levels leaves level and redundancy unknown."""
    volume = _volume("OK. ", level)
    assert (volume.raid_level, volume.failures_tolerated) == (expected, 0 if expected == "raid0" else None)


_REV = "unknown firmware rev"
_BOX = "/dev/cciss/c0d0: (Smart Array P800) Enclosure MSA60 (S/N: U1) on Bus 2, Physical Port 1E"
_BAD = (
    *(
        _GOOD.replace("OK. ", f"OK.   {spare}.")
        for spare in (
            "At least one spare drive activated and currently rebuilding",
            "At least one activated on-line spare drive is completely rebuilt on this logical drive",
            "At least one spare drive has failed",
            "At least one spare drive activated",
        )
    ),
    *(
        f"{_GOOD}{_BOX} status: {one}.\n"
        for one in (
            "Fan failed", "Temperature problem", "Door alert", "Power Supply Unit failed", "Fan failed, Door alert",
            "Unknown problem (alarm value: 0x10, allowed: 0x1F)", "Gone fishing",
        )
    ),
    *(
        f"{_HEAD}{_CACHE}   {one}\n"
        for one in (
            "Write cache temporarily disabled", "Write Cache permanently disabled", "Possible data loss on last reset",
            "Cache contains unflushed data:", "Cache dirty limit reached", "Excessive ECC errors detected:",
            "Non power related data loss", "HW problem with battery enable",
            "CPLD battery backed write cache incompatibility", "Permanent disable condition detected",
        )
    ),
    _HEAD + _CACHE.replace("enabled: Yes", "enabled: No"),
    f"{_GOOD}    Total of 1 failed physical drives detected on this logical drive.\n",
    f"{_GOOD}  Failed drives:\n         connector ?? box ?? bay ??  unknown-model  unknown-serial-no  {_REV}\n",
    f"{_GOOD}  connector 2E box 1 bay 8   HP      DF300BB6C3      3LM08AP7     HPD3 S.M.A.R.T. predictive failure.\n",
    f"{_GOOD}  connector 2E box ? bay 8   HP      DF300BB6C3      3LM08AP7     HPD3 OK\n",
    f"{_GOOD}    Total of ? failed physical drives detected on this logical drive.\n",
    f"{_GOOD}Error getting status for /dev/cciss/c0d0 volume 1: Commandstatus is 4\n",
    f"{_GOOD}cciss_vol_status:/dev/cciss/c0d0(0): cannot get non-volatile cache configuration\n",
    f"{_GOOD}/dev/cciss/c0d0: Don't know how to decode drive map data for Smart Array P9 controllers.\n",
    f"{_GOOD}CHK: BMIC identify: CommandStatus=4\n",
    f"{_GOOD}sgio ioctl: 1, cdb[0]=0x26, status host/driver/scsi/sensekey = 1/0/0/0x00\n",
    *(
        f"{_GOOD}{line}\n"
        for line in (
            "/dev/cciss/c1d0:", "/dev/cciss/c1d0: ?", "/dev/cciss/c1d0: (Smart Arr",
            f"{_BOX} status: Fan failed.".upper(),
            f"{_BOX} status: Fan failed.".replace("dev", "d?v"), f"{_BOX} status: OK.".replace("Encl", "Enc?"),
        )
    ),
    f"{_GOOD}cciss_vol_status: open /dev/cciss/c1d0: Permission denied\n",
)  # fmt: skip


@pytest.mark.parametrize("text", _BAD)
def test_each_bad_line_reaches_diagnose(text: str) -> None:
    """Beside a good volume, each bad line gives a non-zero exit code."""
    seen = read_text(text)
    assert seen.inventory.controllers[0].volumes[0].id.endswith("/v0")
    assert _code(seen) != 0


@pytest.mark.parametrize(
    ("configured", "enabled", "status"),
    [("Yes", "Yes", "ok"), ("Yes", "No", "warning"), ("No", None, "ok"), ("Yes", "Maybe", "unknown")],
)
def test_the_status_of_the_cache_comes_from_its_flags(configured: str, enabled: str | None, status: str) -> None:
    """A cache that is off is no good one; one that is not configured is."""
    text = _CACHE.replace("configured: Yes", f"configured: {configured}")
    text = (
        text.replace("enabled: Yes", f"enabled: {enabled}")
        if enabled
        else text.rpartition("      Write")[0].rstrip(" ")
    )
    cache = _controller(_HEAD + text).cache
    assert cache is not None
    assert cache.status == status


@pytest.mark.parametrize("row", ["Cache Ratio: 25% Read / 75%", "Total cache memory: 51O MiB"])
def test_a_damaged_figure_of_the_cache_is_a_problem(row: str) -> None:
    """A damaged row is reported as unread."""
    seen = read_text(f"{_HEAD}{_CACHE}   {row}\n")
    assert [one.kind for one in seen.inventory.problems] == ["unread"]
    assert _code(seen) == 3


@pytest.mark.parametrize("text", [_GOOD, _HEAD + _CACHE, f"{_HEAD}{_CACHE}   Flash backed cache present\n"])
def test_a_good_machine_is_ok(text: str) -> None:
    """Without a bad line the exit code is 0."""
    assert _code(read_text(text)) == 0


def test_a_reason_for_a_disabled_cache_is_kept_once() -> None:
    """A reason with a colon is one value, not label and value."""
    line = "Temporary disable condition:  The posted write cache has been"
    details = _controller(f"{_HEAD}{_CACHE}   {line}\n").details
    assert [value for value in details.values() if "posted write cache" in value] == [" ".join(line.split())]


def test_drives_sizes_and_cache() -> None:
    """Drives, sizes and cache are read.

    The model is without vendor, the worse of two states counts, the cache's sizes are in MiB.
    """
    controller = _controller(_FULL)
    assert (controller.model, controller.firmware, controller.slot) == ("Smart Array P400", "7.24", None)
    states = {drive.id.rpartition("/")[2]: (drive.status, drive.serial) for drive in controller.drives}
    assert states["2I:1:5"] == ("critical", "3NM0Q5XK0000")
    assert states["2I:1:6"] == ("warning", "3NM0Q6XK0000")
    assert [drive.model for drive in controller.drives] == ["DG146BABCF"] * 6
    assert controller.cache is not None
    assert (controller.cache.size_bytes, controller.cache.write_bytes) == (512 << 20, 312 << 20)
    assert (controller.cache.read_percent, controller.cache.write_percent, controller.cache.status) == (
        25,
        75,
        "warning",
    )
    assert not [line for output in read_text(_FULL).outputs for line in output.unparsed()]


@pytest.mark.parametrize("text", [_FULL, _PROC, f"{_HEAD}{_CACHE}   Excessive ECC errors detected:\n"])
def test_a_cut_output_never_looks_better(text: str) -> None:
    """Cut at any line, an output never gives a better conclusion."""
    whole = read_text(text)
    known = conclusions(whole)
    lines = text.splitlines(keepends=True)
    for count in range(1, len(lines)):
        assert cut_worse(whole, known, "".join(lines[:count])) == [], count


def test_a_state_without_its_full_stop_is_cut_off() -> None:
    """A state without a full stop at its end is cut off."""
    good = f"{_GOOD}{_GOOD.replace('c0d0', 'c1d0')}"
    assert _code(read_text(good)) == 0
    assert _code(read_text(good.rstrip(" .\n"))) == 3


def test_two_controllers_in_one_output() -> None:
    """Another node or model, or a repeated volume number, is another controller."""
    text = _GOOD + _GOOD.replace("c0d0", "c1d0") + "/dev/sda: (Smart Array P410i) RAID 5 Volume 0 status: FAILED. \n"
    text += "/dev/sdb: (Smart Array P410i) RAID 5 Volume 0 status: OK. \n"
    controllers = read_text(text).inventory.controllers
    assert [controller.volumes[0].status for controller in controllers] == ["ok", "ok", "failed", "ok"]
    assert [controller.volumes[0].device for controller in controllers] == [None, None, "/dev/sda", "/dev/sdb"]


def test_the_driver_lists_volumes_without_a_state() -> None:
    """Sizes are decimal, the status is unknown, and a tool is missing."""
    seen = read_text(_PROC)
    [controller] = seen.inventory.controllers
    assert [(one.device, one.size_bytes, one.status) for one in controller.volumes] == [
        ("/dev/cciss/c0d0", 146_770_000_000, "unknown"),
        ("/dev/cciss/c0d1", 293_560_000_000, "unknown"),
    ]
    assert _code(seen) == 4


def test_blocks_of_an_older_driver() -> None:
    """``blksz`` and ``nr_blocks`` give the exact size."""
    controller = _controller(
        "cciss0:  Compaq Smart Array 5300 Controller\n Logical drives: 1\ncciss/c0d0: blksz=512 nr_blocks=1000\n"
    )
    assert [(one.device, one.size_bytes) for one in controller.volumes] == [("/dev/cciss/c0d0", 512_000)]


def test_a_size_of_zero_is_none() -> None:
    """Drivers before Linux 2.6.8 print 0.00GB for any volume."""
    controller = _controller(
        "cciss0: HP Smart Array 5i Controller\nLogical drives: 1\ncciss/c0d0:        0.00GB       RAID 5\n"
    )
    assert [(volume.size_bytes, volume.raid_level) for volume in controller.volumes] == [(None, "raid5")]


@pytest.mark.parametrize("size", ["5\u06612 MiB", "99999999999999999999999999999912 MiB", "lots"])
def test_an_invalid_size_of_the_cache_is_unknown(size: str) -> None:
    """An invalid cache size is unknown and does not stop the reader."""
    cache = _controller(
        "/dev/cciss/c0d0: (Smart Array P400) RAID 5 Volume 0 status: OK.\n"
        "/dev/cciss/c0d0(Smart Array P400:0): Non-Volatile Cache status:\n"
        f"                  Cache configured: Yes\n                 Total cache memory: {size}\n"
    ).cache
    assert cache is not None
    assert (cache.present, cache.size_bytes) == (True, None)


def test_a_row_of_a_drive_is_read_from_its_end() -> None:
    """Blanks may be lost. A row with a missing column is a problem and has no serial number."""
    row = "  connector 2E box 1 bay 8   HP      DF300BB6C3{}3LM08AP7     HPD3 OK\n"
    for gap in ("                    ", " "):
        drive = _controller(_GOOD + row.format(gap)).drives[0]
        assert (drive.model, drive.serial, drive.firmware) == ("DF300BB6C3", "3LM08AP7", "HPD3")
    seen = read_text(f"{_GOOD}  connector 2E box 1 bay 8   HP      DF300BB6C3     HPD3 OK\n")
    assert [one.kind for one in seen.inventory.problems] == ["unread"]
    assert seen.inventory.controllers[0].drives[0].serial is None


@pytest.mark.parametrize(
    ("end", "cut"), [("\n", False), ("", False), ("   ", True), ("   At least one spare drive", True)]
)
def test_a_status_line_that_goes_on_is_cut_off(end: str, cut: bool) -> None:
    """Blanks behind the sentence mean a cut line. A failed spare may follow."""
    seen = read_text(f"/dev/sda: (Smart Array P410i) RAID 5 Volume 0 status: OK.{end}")
    assert any(problem.kind == "unread" for problem in seen.inventory.problems) is cut


def test_controllers_of_both_tools_have_different_ids() -> None:
    """Outputs of ssacli and cciss_vol_status, neither of which names its controller, are two controllers."""
    found = raidctl_smartarray.read(
        [
            Document("a.txt", "show", "   array A (SAS, Unused Space: 0  MB)\n"),
            Document("b.txt", "vol_status", "/dev/sda: (Smart Array P410) RAID 1 Volume 0 status: OK. \n"),
        ]
    )
    assert len(found.controllers) == 2
    assert not list(inconsistencies(found.controllers, found.outputs))
