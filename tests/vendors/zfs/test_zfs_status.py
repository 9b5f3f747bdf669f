"""Pools as zpool reports them: vdevs, redundancy, scrubs, errors, and truncated outputs."""

from __future__ import annotations

import json
import re
from datetime import datetime, timezone
from typing import Any

import msgspec
import pytest

from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import diagnose, exit_code
from raidctl.evidence import Output
from raidctl.model import Volume
from raidctl.operate.removal import check
from raidctl.request import (
    Answer,
    Failure,
    Glob,
    GlobAnswer,
    ReadAnswer,
    Request,
    Run,
    RunAnswer,
    UdevDatabase,
    Which,
    WhichAnswer,
)
from raidctl.runners.replay import ReplayRunner
from raidctl.survey.survey import Survey, survey
from raidctl.vendor.registry import vendors
from raidctl_zfs.draft import ControllerDraft
from raidctl_zfs.status_text import read_status
from tests.support.conclusions import read_text
from tests.support.machines import recording, replayed

_HEAD = "  pool: tank\n state: {state}\n{more}config:\n\n\tNAME        STATE     READ WRITE CKSUM\n"
_END = "\nerrors: No known data errors\n"


def _status(*rows: str, state: str = "ONLINE", more: str = "", end: str = _END) -> str:
    """Return an output with rows of name, state and remark. Two blanks indent each level."""
    lines = []
    for row in (f"tank {state}", *rows):
        name, _, rest = row.strip().partition(" ")
        word, _, note = rest.partition(" ")
        counts = "     0     0     0" if word not in ("", "AVAIL", "INUSE") else ""
        lines.append(
            f"\t{row[: len(row) - len(row.lstrip())]}{name}  {word:8}{counts}{'  ' * bool(note)}{note}".rstrip()
        )
    return _HEAD.format(state=state, more=more) + "\n".join(lines) + "\n" + end


def _pool(text: str) -> Volume:
    [pool] = read_text(text).inventory.controllers[0].volumes
    return pool


def _code(seen: Survey) -> int:
    return exit_code(diagnose(seen.inventory, rules()))


_FOUR = ("    sda ONLINE", "    sdb ONLINE", "    sdc ONLINE", "    sdd ONLINE")


@pytest.mark.parametrize(
    ("rows", "level", "left"),
    [
        (("  sda ONLINE", "  sdb ONLINE"), "raid0", 0),
        (("  mirror-0 ONLINE", *_FOUR[:2]), "raid1", 1),
        (("  mirror-0 ONLINE", *_FOUR[:3]), "raid1", 2),
        (("  mirror-0 ONLINE", *_FOUR[:2], "  mirror-1 ONLINE", *_FOUR[2:]), "raid10", 1),
        (("  raidz2-0 ONLINE", *_FOUR), "raidz2", 2),
        (("  raidz-0 ONLINE", *_FOUR), "raidz1", 1),
        (("  draid2:2d:4c:0s-0 ONLINE", *_FOUR), "draid2", 2),
        # the worst vdev decides: if a special one without redundancy fails, so does the pool
        (("  raidz2-0 ONLINE", *_FOUR, "special", "  sde ONLINE"), "raidz2", 0),
        (("  raidz2-0 ONLINE", *_FOUR, "special", "  mirror-1 ONLINE", "    sde ONLINE", "    sdf ONLINE"),
         "raidz2", 1),
        (("  raidz2-0 ONLINE", *_FOUR, "logs", "  sde ONLINE", "cache", "  sdf ONLINE"), "raidz2", 2),
        # one device is missing in each of two vdevs
        (
            ("  raidz2-0 DEGRADED", "    sda FAULTED", *_FOUR[1:], "  raidz2-1 DEGRADED", "    sde OFFLINE",
             "    sdf ONLINE", "    sdg ONLINE", "    sdh ONLINE"),
            "raidz2", 1,
        ),
        # a spare that is being filled does not count, a filled one does
        (("  raidz1-0 DEGRADED", "    spare-0 DEGRADED", "      sda FAULTED", "      sde ONLINE (resilvering)",
          *_FOUR[1:]), "raidz1", 0),
        (("  raidz1-0 DEGRADED", "    spare-0 DEGRADED", "      sda FAULTED", "      sde ONLINE", *_FOUR[1:]),
         "raidz1", 1),
        # an unknown state is not a good state
        (("  raidz1-0 ONLINE", "    sda BEWILDERED", *_FOUR[1:]), "raidz1", None),
    ],
)  # fmt: skip
def test_the_worst_vdev_decides_how_many_failures_a_pool_survives(
    rows: tuple[str, ...], level: str, left: int | None
) -> None:
    """Level and redundancy follow from the vdev tree with spares and replacements."""
    worst = "DEGRADED" if "DEGRADED" in "".join(rows) else "ONLINE"
    pool = _pool(_status(*rows, state=worst))
    assert (pool.raid_level, pool.failures_tolerated) == (level, left)


@pytest.mark.parametrize(
    ("state", "status"),
    [("ONLINE", "ok"), ("DEGRADED", "degraded"), ("FAULTED", "failed"), ("UNAVAIL", "failed"), ("REMOVED", "offline"),
     ("SUSPENDED", "failed"), ("SPLIT", "failed"), ("WEIRD", "unknown")],
)  # fmt: skip
def test_the_state_of_a_pool(state: str, status: str) -> None:
    """Each of zpool's states is known. Any other is unknown, and a problem."""
    seen = read_text(_status("  mirror-0 ONLINE", *_FOUR[:2], state=state))
    assert seen.inventory.controllers[0].volumes[0].status == status
    assert (_code(seen) == 0) == (state == "ONLINE")


@pytest.mark.parametrize(
    ("text", "check"),
    [
        ("scrub repaired 0B in 00:06:12 with 0 errors on Sun Mar  1 00:30:13 2026", ("2026-03-01T00:30:13", "ok")),
        ("scrub repaired 0 in 14h7m with 2 errors on Sun Feb 14 20:54:25 2016", ("2016-02-14T20:54:25", "failed")),
        ("scrub canceled on Sun Mar  1 00:30:13 2026", (None, "unfinished")),
        ("resilvered 126K in 00:00:00 with 0 errors on Tue Sep 27 17:57:17 2022", None),
        ("none requested", None),
    ],
)
def test_the_last_scrub(text: str, check: tuple[str | None, str] | None) -> None:
    """The end and the result of the last scrub are read. A resilver is not a scrub."""
    found = _pool(_status("  mirror-0 ONLINE", *_FOUR[:2], more=f"  scan: {text}\n")).consistency_check
    assert (found and (found.last_at, found.last_result)) == check


def test_a_running_scrub_and_a_resilver_are_operations() -> None:
    """Percent, speed and remaining time are read. A resilver of a degraded pool is a rebuild."""
    lines = (
        "\n\t704G / 1.66T scanned at 5.67G/s, 258G / 1.66T issued at 64M/s"
        "\n\t0B repaired, 52.05% done, 01:01:21 to go\n"
    )
    scrub = _pool(_status("  mirror-0 ONLINE", *_FOUR[:2],
                          more=f"  scan: scrub in progress since Sun Feb 11 11:54:20 2024{lines}"))  # fmt: skip
    assert scrub.status == "checking"
    assert scrub.progress is not None
    progress = scrub.progress
    assert (progress.operation, progress.percent, progress.remaining_seconds, progress.rate_bytes) == (
        "check",
        52.05,
        3681,
        64 << 20,
    )
    more = f"  scan: resilver in progress since Sun Feb 11 11:54:20 2024{lines}"
    rows = ("  mirror-0 DEGRADED", "    sda ONLINE", "    sdb ONLINE (resilvering)")
    assert _pool(_status(*rows, state="DEGRADED", more=more)).status == "rebuilding"


def test_damaged_files_are_reported() -> None:
    """Permanent errors are an error with the names of the files."""
    end = "\nerrors: Permanent errors have been detected in the following files:\n\n        /tank/ledger\n"
    seen = read_text(_status("  mirror-0 ONLINE", *_FOUR[:2], end=end))
    [problem] = [one for one in seen.inventory.problems if one.kind == "state"]
    assert problem.severity == "error"
    assert "/tank/ledger" in problem.message
    assert _code(seen) != 0


def test_an_output_without_its_last_line_is_cut_off() -> None:
    """Without "errors:" the table may be incomplete: the redundancy is unknown."""
    seen = read_text(_status("  mirror-0 ONLINE", *_FOUR[:2], end=""))
    assert any("cut off" in problem.message for problem in seen.inventory.problems)
    assert seen.inventory.controllers[0].volumes[0].failures_tolerated is None


def test_a_pool_that_is_not_imported_is_inactive() -> None:
    """A pool of ``zpool import`` is inactive."""
    text = (
        "   pool: tank\n     id: 1165955789558693437\n  state: ONLINE\n action: The pool can be imported.\n"
        " config:\n\n\ttank        ONLINE\n\t  mirror-0  ONLINE\n\t    sda     ONLINE\n\t    sdb     ONLINE\n"
    )
    assert _pool(text).status == "inactive"


def _leaf(name: str, state: str = "ONLINE") -> dict[str, Any]:
    return {"name": name, "vdev_type": "disk", "class": "normal", "state": state, "path": f"/dev/{name}1",
            "read_errors": "0", "write_errors": "0", "checksum_errors": "0"}  # fmt: skip


@pytest.mark.parametrize(("word", "status", "left"), [("ONLINE", "ok", 1), ("FAULTED", "degraded", 0)])
def test_json_gives_the_same_as_text(word: str, status: str, left: int) -> None:
    """``zpool status -j`` and the text agree, even with a failed device."""
    state = "ONLINE" if word == "ONLINE" else "DEGRADED"
    mirror = {"name": "mirror-0", "vdev_type": "mirror", "class": "normal", "state": state,
              "vdevs": {"sda": _leaf("sda"), "sdb": _leaf("sdb", word)}}  # fmt: skip
    root = {"name": "tank", "vdev_type": "root", "class": "normal", "state": state, "vdevs": {"mirror-0": mirror}}
    scan = {"function": "SCRUB", "state": "FINISHED", "end_time": "Sun Mar  1 00:30:13 2026", "errors": "0"}
    pool = {"name": "tank", "state": state, "scan_stats": scan, "vdevs": {"tank": root}, "error_count": "0"}
    document = {
        "output_version": {"command": "zpool status", "vers_major": 0, "vers_minor": 1},
        "pools": {"tank": pool},
    }
    read = _pool(json.dumps(document, indent=2))
    more = "  scan: scrub repaired 0B in 00:06:12 with 0 errors on Sun Mar  1 00:30:13 2026\n"
    text = _pool(_status(f"  mirror-0 {state}", "    sda ONLINE", f"    sdb {word}", state=state, more=more))
    assert (read.status, read.failures_tolerated, read.raid_level) == (status, left, "raid1")
    assert (text.status, text.failures_tolerated, text.consistency_check) == (status, left, read.consistency_check)


def test_the_list_gives_sizes() -> None:
    """The SIZE of ``zpool list`` is the array's size, not the volume's. It may include parity."""
    text = ("NAME   SIZE  ALLOC   FREE  CKPOINT  EXPANDSZ   FRAG    CAP  DEDUP    HEALTH  ALTROOT\n"
            "tank  1.50T   500G  1.01T        -         -     1%    32%  1.00x    ONLINE  -\n")  # fmt: skip
    [controller] = read_text(text).inventory.controllers
    assert controller.arrays[0].size_bytes == 3 << 39
    assert (controller.volumes[0].size_bytes, controller.volumes[0].raid_level) == (None, None)


@pytest.mark.parametrize(
    ("word", "reported"),
    [
        ("FAULTeD", "status word 'FAULTeD' is not recognised"),
        ("DEGRADED?", "status word 'DEGRADED?' is not recognised"),
        ("Xyzzy", "status word 'Xyzzy' is not recognised"), ("", "was not understood: “mirror-0 0 0 0”"),
    ],
)  # fmt: skip
def test_a_device_whose_state_is_damaged_is_not_lost(word: str, reported: str) -> None:
    """A row with a damaged state is a problem. The exit code is 3."""
    text = _status("  mirror-0 ONLINE", "    sda ONLINE", "    sdb ONLINE")
    row = next(line for line in text.splitlines() if "mirror-0" in line)
    new = row.replace("ONLINE", word) if word else "\t  mirror-0 0 0 0"
    seen = read_text(text.replace(row, new))
    assert any(reported in problem.message and problem.kind == "unread" for problem in seen.inventory.problems)
    assert _code(seen) == 3


@pytest.mark.parametrize(("end", "cut"), [("    ONLINE\n", False), ("    ", True), ("", True), ("\n", True)])
def test_the_last_row_of_a_list_of_devices_is_as_long_as_the_others(end: str, cut: bool) -> None:
    """A shorter last row of ``zpool list -v`` was cut off. The tool prints a dash for an absent value."""
    row = "  nvme{}n1p3    500G      -      -        -         -      -      -      -  "
    text = (
        "NAME   SIZE  ALLOC   FREE  CKPOINT  EXPANDSZ   FRAG    CAP  DEDUP    HEALTH  ALTROOT\n"
        "tank  1.50T   500G  1.01T        -         -     1%    32%  1.00x    ONLINE  -\n"
        f"{row.format(0)}  ONLINE\n{row.format(1)}{end}"
    )
    assert [bool(output.cut_off) for output in read_text(text).outputs] == [cut]


@pytest.mark.parametrize("row", ["dozer      -      -\n", "dozer      -", "dozer   500G   100G   400G     -\n"])
def test_a_row_of_the_list_without_its_state_is_cut_off(row: str) -> None:
    """A row without the pool's state means a cut-off output."""
    head = "NAME   SIZE  ALLOC   FREE  CKPOINT  EXPANDSZ   FRAG    CAP  DEDUP    HEALTH  ALTROOT\n"
    seen = read_text(head + "tank  1.50T   500G  1.01T        -         -     1%    32%  1.00x    ONLINE  -\n" + row)
    assert [output.cut_off for output in seen.outputs] == ["the row of dozer has no state"]


@pytest.mark.parametrize("words", ["List of errors unavailable (insufficient privileges)", "List of erro", "Li"])
def test_damaged_files_that_zpool_did_not_list_are_not_read(words: str) -> None:
    """An unavailable or cut-off list of errors is a missing permission."""
    problems = read_text(_status(*_FOUR, end=f"\nerrors: {words}\n")).inventory.problems
    assert "no_right" in [problem.kind for problem in problems]


def test_a_sequential_resilver_is_a_rebuild() -> None:
    """``zpool attach -s``: a resilver with the name of its vdev is a rebuild."""
    scan = "  scan: resilver (mirror-0) in progress since Sun Feb 11 11:54:20 2024\n\t1.2G scanned, 12.05% done\n"
    seen = read_text(_status("  mirror-0 ONLINE", *_FOUR[:2], more=scan))
    progress = seen.inventory.controllers[0].volumes[0].progress
    assert progress is not None
    assert (progress.operation, progress.percent) == ("rebuild", 12.05)
    assert not [problem for problem in seen.inventory.problems if problem.kind == "unread"]


_COUNTED = {
    "no status text": ((), ""),
    "errors": ((), "status: One or more devices has experienced an unrecoverable error.\naction: Clear them.\n"),
    "cache failed": (("cache", "  sde UNAVAIL"), "status: One or more devices could not be opened.\n"),
}


@pytest.mark.parametrize("beside", _COUNTED)
def test_errors_of_a_working_device_are_its_problem_whatever_else_the_pool_reports(beside: str) -> None:
    """Write and checksum errors are reported of their device, and its partner may not be pulled."""
    rows, more = _COUNTED[beside]
    row, state = "    sdb  ONLINE       0     0     0", "DEGRADED" if rows else "ONLINE"
    for counts, message in (("812     0", "Write errors: 812."), ("0 1.21K", "Checksum errors: 1.21K.")):
        text = _status("  mirror-0 ONLINE", *_FOUR[:2], *rows, state=state, more=more)
        assert row in text
        seen = read_text(text.replace(row, row[:-7] + counts))
        assert [one.message for one in seen.inventory.problems if one.where == "zfs:tank/sdb"] == [message]
        assert _code(seen) == 1
        answer = check(seen.inventory, seen.view, "zfs:tank/sda", datetime(2026, 3, 4, tzinfo=timezone.utc))
        [found] = [one for one in answer.reasons if one.guard == "R2" and one.verdict != "yes"]
        assert (found.verdict, message.rstrip(".") in found.text) == ("no", True)


def test_errors_of_a_drive_beside_a_resilver_are_reported() -> None:
    """Errors during a resilver are reported from zpool's counts alone. From 1024 on, counts read like ``1.2K``."""
    row, more = "    sda  ONLINE       0     0     0", "status: One or more devices is currently being resilvered.\n"
    text = _status("  mirror-0 ONLINE", *_FOUR[:3], more=more)
    for counts, media, problems in (
        ("1.2K     0     0", 1229, []),
        ("0    12     0", 0, ["Write errors: 12."]),
        ("0     0  3.4K", 0, ["Checksum errors: 3.4K."]),
    ):
        assert row in text
        inventory = read_text(text.replace(row, row[:-13] + counts)).inventory
        assert inventory.controllers[0].drives[0].errors.media == media
        assert [one.message for one in inventory.problems if one.where == "zfs:tank/sda"] == problems


def test_a_member_that_zpool_calls_degraded_is_the_cause_of_the_degraded_pool() -> None:
    """A degraded member is the one finding. No other drive is missing."""
    rows = ("  mirror-0 DEGRADED", "    sda ONLINE", "    sdb DEGRADED too many errors")
    [worst, *rest] = diagnose(read_text(_status(*rows, state="DEGRADED")).inventory, rules()).findings
    assert worst.rule == "volume_degraded"
    assert "replace zfs:tank/sdb" in (worst.remedy or "")
    assert [one.rule for one in rest if one.because is None] == []


def test_a_scrub_with_errors_counts_without_a_readable_date() -> None:
    """A scrub with errors counts even if ``end_time`` has another format."""
    disk = {"name": "sda", "vdev_type": "disk", "class": "normal", "state": "ONLINE"}
    root = {"name": "tank", "vdev_type": "root", "state": "ONLINE", "vdevs": {"sda": disk}}
    scan = {"function": "SCRUB", "state": "FINISHED", "errors": "4", "end_time": "09.06.2024 05:36"}
    pool = {"name": "tank", "state": "ONLINE", "error_count": "0", "vdevs": {"tank": root}, "scan_stats": scan}
    document = {"output_version": {"command": "zpool status"}, "pools": {"tank": pool}}
    [volume] = read_text(json.dumps(document)).inventory.controllers[0].volumes
    assert volume.consistency_check is not None
    assert volume.consistency_check.last_result == "failed"


def test_the_remedy_of_errors_that_were_not_repaired() -> None:
    """The remedy of a scrub with errors is `zpool status -v`. That of a suspended pool is `zpool clear`."""
    when = "in 02:11:33 with 4 errors on Sun Feb  9 02:35:34 2025\n"
    for more, words in (
        (f"  scan: scrub repaired 128K {when}", "zpool status -v"),
        (f"  scan: resilvered 128K {when}", "zpool status -v"),
    ):
        found = diagnose(read_text(_status("  mirror-0 ONLINE", *_FOUR[:2], more=more)).inventory, rules()).findings
        assert words in (found[0].remedy or "")
        assert found[0].severity == "warning"
    gone = ("  mirror-0 UNAVAIL", "    sda FAULTED", "    sdb FAULTED")
    found = diagnose(read_text(_status(*gone, state="SUSPENDED")).inventory, rules()).findings
    assert "zpool clear" in (found[0].remedy or "")


_MIRROR = ("  mirror-0 ONLINE", "    sda ONLINE", "    sdb ONLINE")
_BESIDE = {
    "log": ("logs", "  sdc UNAVAIL cannot open"),
    "log, mirrored": ("logs", "  mirror-1 DEGRADED", "    sdc ONLINE", "    sdd FAULTED too many errors"),
    "cache": ("cache", "  sde UNAVAIL"),
    "spare": ("spares", "  sdf FAULTED corrupted data"),
}


@pytest.mark.parametrize("part", _BESIDE)
def test_a_failed_log_cache_or_spare_takes_no_redundancy(part: str) -> None:
    """A failed log, cache or spare takes no redundancy.

    The pool's data still survives a failure, and the finding is a warning.
    """
    seen = read_text(_status(*_MIRROR, *_BESIDE[part], state="DEGRADED"))
    pool = _pool(_status(*_MIRROR, *_BESIDE[part], state="DEGRADED"))
    assert (pool.status, pool.status_text, pool.failures_tolerated) == ("ok", "DEGRADED", 1)
    found = [one for one in diagnose(seen.inventory, rules()).findings if one.severity != "info"]
    assert {(one.rule, one.severity) for one in found} == {("drive_failed", "warning"), ("reported_trouble", "warning")}


def test_errors_that_no_device_accounts_for_are_reported_beside_a_failed_cache() -> None:
    """The reported state of a pool is kept if a row above its devices counts errors."""
    row, words = "  mirror-0  ONLINE       0     0     0", "One or more devices could not be opened."
    text = _status(*_MIRROR, *_BESIDE["cache"], state="DEGRADED", more=f"status: {words}\n")
    assert row in text
    for count, kept in (("0", False), ("12", True)):
        problems = read_text(text.replace(row, row[:-1] + count)).inventory.problems
        assert any(words in one.message for one in problems) is kept


@pytest.mark.parametrize(
    ("rows", "left"),
    [
        (("  mirror-0 DEGRADED", "    sda ONLINE", "    sdb UNAVAIL", *_BESIDE["log"]), 0),
        (("  mirror-0 DEGRADED", "    sda ONLINE", "    sdb DEGRADED too many errors"), 0),
        (("  raidz2-0 DEGRADED", *(f"    sd{x} ONLINE" for x in "abc"), "    sdd DEGRADED too many errors"), 1),
        (("  mirror-0 DEGRADED", "    sda ONLINE", "    spare-1 DEGRADED", "      sdb FAULTED", "      sdf ONLINE",
          "spares", "  sdf INUSE currently in use"), 1),
    ],
)  # fmt: skip
def test_the_redundancy_of_a_degraded_pool(rows: tuple[str, ...], left: int) -> None:
    """A degraded device counts as failed. A spare that is filled counts as the device it replaces."""
    pool = _pool(_status(*rows, state="DEGRADED"))
    assert (pool.status, pool.failures_tolerated) == ("degraded", left)


def test_a_mounted_pool_without_devices_is_read() -> None:
    """A mount point of zfs is enough for zpool to be run."""
    machine = recording("zfs-raidz2-resilvering")
    text = _status("  sdx REMOVED", state="UNAVAIL").replace(
        "pool: tank\n state: UNAVAIL", "pool: tank\n state: SUSPENDED"
    )
    answers: dict[Request[Any], Answer] = {}
    for request, _ in machine.answers():
        if isinstance(request, UdevDatabase):
            answers[request] = ReadAnswer()
        if isinstance(request, Glob):
            answers[request] = GlobAnswer()
        if isinstance(request, Run) and "status" in request.argv:
            answers[request] = RunAnswer(code=0, out=text.encode())
    found, problems = vendors()
    seen = survey(ReplayRunner(machine).with_answers(answers), found, problems=problems)
    assert [
        volume.status
        for controller in seen.inventory.controllers
        for volume in controller.volumes
        if volume.name == "tank"
    ] == ["failed"]


def _with_status(text: str) -> Survey:
    """A recorded machine with pools, with another output of zpool."""
    machine = recording("zfs-raidz2-resilvering")
    answers: dict[Request[Any], Answer] = {
        request: RunAnswer(code=0, out=text.encode()) for request, _ in machine.answers() if isinstance(request, Run)
    }
    found, problems = vendors()
    return survey(ReplayRunner(machine).with_answers(answers), found, problems=problems)


def test_a_pool_that_was_not_imported_is_a_problem() -> None:
    """Drives of a pool that zpool does not list are a problem."""
    [problem] = [one for one in _with_status("no pools available\n").inventory.problems if one.kind == "state"]
    assert (problem.where, "is not imported" in problem.message) == ("/dev/sda1", True)
    assert "zpool import" in (problem.remedy or "")


def test_a_pool_that_was_not_imported_is_a_problem_without_zfs() -> None:
    """That ``zfs`` is not installed does not hide it: zpool has listed the pools."""
    machine = recording("zfs-raidz2-resilvering")
    pool = RunAnswer(code=0, out=_status(*_FOUR).encode())
    answers: dict[Request[Any], Answer] = {
        request: WhichAnswer(trouble=Failure.MISSING) if isinstance(request, Which) else pool
        for request, _ in machine.answers()
        if (isinstance(request, Which) and request.name == "zfs")
        or (isinstance(request, Run) and "status" in request.argv)
    }
    found, problems = vendors()
    seen = survey(ReplayRunner(machine).with_answers(answers), found, problems=problems)
    messages = [problem.message for problem in seen.inventory.problems]
    assert any("zfs is not installed" in message for message in messages)
    assert any("is not imported" in message for message in messages)


@pytest.mark.parametrize("tool", ["zpool", "zfs"])
def test_an_error_on_standard_error_beside_an_output_is_read(tool: str) -> None:
    """A pool or file system that a tool cannot open is in no list. What zfs does not list may have sync=disabled."""
    machine = recording("zfs-raidz2-resilvering")
    answers: dict[Request[Any], Answer] = {
        request: msgspec.structs.replace(answer, code=1, err=b"cannot open 'tank/x': I/O error\n")
        for request, answer in machine.answers()
        if isinstance(request, Run) and isinstance(answer, RunAnswer) and request.argv[0].endswith(tool)
    }
    found, problems = vendors()
    seen = survey(ReplayRunner(machine).with_answers(answers), found, problems=problems).inventory
    assert any("'tank/x': I/O error" in problem.message for problem in seen.problems if problem.kind == "unread")
    early = {pool.name: pool.sync_disabled for one in seen.controllers for pool in one.volumes}
    assert early == {"archive": ("archive/incoming",), "system": None if tool == "zfs" else ()}


def test_members_of_the_pools_that_zpool_lists_are_no_problem() -> None:
    """Members are recognised by their links, whole drives and partitions."""
    problems = replayed("zfs-raidz2-resilvering").inventory.problems
    assert not [problem for problem in problems if "is not imported" in problem.message]


def test_the_lines_of_one_long_text_share_one_string() -> None:
    """The lines of one long text share one string. Joining them for each line took 7 seconds for 260 KB."""
    text = _status(*_FOUR, more="action: The pool cannot\n" + "be imported with this version of ZFS\n" * 3000)
    controller = ControllerDraft()
    assert read_status(Output.of_text("zpool status", text), controller)
    shared = [words for _, field, words in controller.volumes["tank"].evidence if field == "details[action]"]
    assert (len(shared), len({id(words) for words in shared})) == (3001, 1)


_MIRROR = ("  mirror-0 ONLINE", "    sda ONLINE", "    sdb ONLINE")


@pytest.mark.parametrize("row", [0, 1, 2])
@pytest.mark.parametrize(
    ("remark", "code"),
    [
        ("too many errors", 3), ("corrupted data", 3), ("cannot open", 3), ("external device fault", 3),
        ("all children offline", 3), ("split into new pool", 3), ("zqx", 3),
        ("(repairing)  zqx", 3), ("(repairing)", 0), ("(untrimmed)", 0), ("(trimming)", 0), ("(non-allocating)", 0),
        ("(100% trimmed, completed at Sun Mar  1 00:30:13 2026)", 0),
        ("(12% initialized, started at Sun Mar  1 00:30:13 2026)", 0),
        ("block size: 512B configured, 4096B native", 0),
        ("block size: 512B configured, 4096B native  (trim unsupported)", 0),
    ],
)  # fmt: skip
def test_a_remark_beside_a_good_state_is_not_passed_over(row: int, remark: str, code: int) -> None:
    """A remark that is not known to be harmless leaves the state of a device or vdev unknown."""
    rows = list(_MIRROR)
    rows[row] += f" {remark}"
    seen = read_text(_status(*rows))
    assert _code(seen) == code
    if code:
        assert any("status word 'ONLINE (" in one.message for one in seen.inventory.problems)


@pytest.mark.parametrize("word", ["AVAIL", "INUSE"])
@pytest.mark.parametrize("name", ["mirror-0", "sda", "sdc", "sdd", "sde"])
def test_the_state_of_a_spare_is_good_for_spares_only(name: str, word: str) -> None:
    """A device of data, log or cache that has the state of a spare is not known to be good."""
    text = _status(*_MIRROR, "logs", "  sdc ONLINE", "cache", "  sdd ONLINE", "spares", "  sde AVAIL")
    changed = re.sub(rf"({name} +)(?:ONLINE|AVAIL)", rf"\1{word}", text)
    assert _code(read_text(changed)) == (0 if name == "sde" else 3)


@pytest.mark.parametrize("name", ["mirror-0", "sda", "sdb", "sdc", "sdd"])
def test_a_degraded_device_is_a_finding_in_a_pool_that_is_called_online(name: str) -> None:
    """Two outputs of one moment can differ: a device with too many errors is reported in any case."""
    text = _status(*_MIRROR, "logs", "  sdc ONLINE", "cache", "  sdd ONLINE")
    assert _code(read_text(text)) == 0
    assert _code(read_text(text.replace(f"{name}  ONLINE  ", f"{name}  DEGRADED"))) == 1


@pytest.mark.parametrize("name", ["tank", "mirror-0"])
@pytest.mark.parametrize("counts", ["1     0     0", "0     2     0", "0     0  1.2K"])
def test_errors_of_a_vdev_that_no_device_accounts_for_are_reported(name: str, counts: str) -> None:
    """A pool is called healthy while only a vdev counts errors: no copy of a block was good."""
    text = _status(*_MIRROR)
    row = next(line for line in text.splitlines() if line.strip().startswith(f"{name} "))
    seen = read_text(text.replace(row, row.replace("0     0     0", counts)))
    assert [one.severity for one in seen.inventory.problems if "counts errors" in one.message] == ["warning"]
    assert _code(seen) == 1


@pytest.mark.parametrize("label", ["remove", "expand"])
def test_an_unknown_text_about_a_vdev_that_moves_is_unread(label: str) -> None:
    """A removal or an expansion in words that are not known may have failed."""
    assert _code(read_text(_status(*_MIRROR, more=f"{label}: it stopped\n"))) == 3
