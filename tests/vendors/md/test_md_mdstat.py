"""/proc/mdstat."""

from __future__ import annotations

import pytest

import raidctl_md as md
from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import diagnose
from raidctl.model import Progress
from raidctl.vendor.protocol import Document
from tests.support.conclusions import read_text
from tests.support.judged import wrong
from tests.support.scripted_tools import unparsed
from tests.vendors.md.md_outputs import array, controller, drives, lines_of, read, volume


def test_md_mdstat_a_mirror_is_read_whole() -> None:
    """Level, size, counts, bitmap and members of a mirror are read."""
    text = (
        "Personalities : [raid1] \nmd0 : active raid1 sdb1[1] sda1[0]\n      523264 blocks super 1.2 [2/2] [UU]\n"
        "      bitmap: 1/4 pages [4KB], 65536KB chunk\n\nunused devices: <none>\n"
    )
    found = volume(text)
    assert (found.id, found.device, found.array) == ("md:md0", "/dev/md0", "md:md0/array")
    assert (found.raid_level, found.size_bytes, found.status) == ("raid1", 523264 * 1024, "ok")
    assert (found.drives_expected, found.drives_active, found.metadata, found.bitmap) == (2, 2, "1.2", "internal")
    assert array(text).drives == ("md:md0/sda1", "md:md0/sdb1")
    assert drives(text)["sda1"].device == "/dev/sda1"
    assert unparsed(read(text)) == []
    assert lines_of(read(text), "md:md0", "size_bytes") == ["      523264 blocks super 1.2 [2/2] [UU]"]


@pytest.mark.parametrize(
    ("flags", "role", "status", "names"),
    [
        ("", "member", "ok", ()),
        ("(F)", "failed", "critical", ()),
        ("(W)(F)", "failed", "critical", ("write_mostly",)),
        ("(S)", "spare", "ok", ()),
        ("(J)", "journal", "ok", ()),
        ("(W)", "member", "ok", ("write_mostly",)),
        ("(R)", "member", "ok", ("replacement",)),
        ("(W)(R)", "member", "ok", ("write_mostly", "replacement")),
        ("(W)(S)", "spare", "ok", ("write_mostly",)),
        ("(E)", "member", "critical", ()),
    ],
)
def test_md_mdstat_flags_of_a_member(flags: str, role: str, status: str, names: tuple[str, ...]) -> None:
    """Each flag, alone or with others, gives role, health and flag names."""
    text = f"md1 : active raid1 cciss/c0d1p2[1]{flags} sdb[0]\n      1024 blocks [2/2] [UU]\n"
    found = drives(text)["c0d1p2"]
    assert found.id == "md:md1/cciss/c0d1p2"
    assert (found.role, found.status, found.flags, found.device) == (role, status, names, "/dev/cciss/c0d1p2")


@pytest.mark.parametrize(
    ("tail", "status", "progress"),
    [
        ("[3/3] [UUU]", "ok", None),
        ("[3/2] [UU_]", "degraded", None),
        ("[3/1] [U__]", "failed", None),
        ("[3/2] [UU_]\n      [=>.......]  recovery =  7.5% (75/1000) finish=3.0min speed=9K/sec", "rebuilding",
         Progress(operation="recovery", percent=7.5, remaining_seconds=180, rate_bytes=9216, state="running")),
        ("[3/3] [UUU]\n      [>........]  resync = 0.1% (1/1000) finish=3.0min speed=9K/sec", "checking",
         Progress(operation="resync", percent=0.1, remaining_seconds=180, rate_bytes=9216, state="running")),
        ("[3/3] [UUU]\n      [====>....]  check = 55.0% (550/1000) finish=3.0min speed=9K/sec", "checking",
         Progress(operation="check", percent=55.0, remaining_seconds=180, rate_bytes=9216, state="running")),
        ("[3/3] [UUU]\n      [====>....]  reshape = 55.0% (550/1000) finish=3.0min speed=9K/sec", "migrating",
         Progress(operation="reshape", percent=55.0, remaining_seconds=180, rate_bytes=9216, state="running")),
        ("[3/3] [UUU]\n        resync=DELAYED", "checking",
         Progress(operation="resync", state="queued", reason="another array on the same drives is first")),
        ("[3/3] [UUU]\n        resync=PENDING", "checking",
         Progress(operation="resync", state="queued", reason="not started yet")),
        ("[3/3] [UUU]\n        resync=REMOTE", "checking",
         Progress(operation="resync", state="queued", reason="another node of the cluster does it")),
        ("[3/2] [UU_]\n        resync=DELAYED", "degraded",
         Progress(operation="resync", state="queued", reason="another array on the same drives is first")),
    ],
)  # fmt: skip
def test_md_mdstat_states_of_a_raid5(tail: str, status: str, progress: Progress | None) -> None:
    """Counts, slots and the running operation give the state. A lost drive takes precedence over a check."""
    text = (
        f"md5 : active raid5 sdc[3] sdb[1] sda[0]\n      2048 blocks super 1.2 level 5, 64k chunk, algorithm 2 {tail}\n"
    )
    found = volume(text)
    assert (found.status, found.progress) == (status, progress)
    assert (found.strip_bytes, found.layout) == (65536, "left-symmetric")
    assert unparsed(read(text)) == []


def test_md_mdstat_the_member_that_is_rebuilt_is_found() -> None:
    """The device that fills the empty slot is a warning. The others are ok."""
    text = (
        "md5 : active raid5 sdc[3] sdb[1] sda[0]\n      2048 blocks level 5, 64k chunk, algorithm 2 [3/2] [UU_]\n"
        "      [=>...]  recovery = 7.5% (75/1000) finish=3.0min speed=9K/sec\n"
    )
    assert {name: drive.status for name, drive in drives(text).items()} == {"sdc": "warning", "sdb": "ok", "sda": "ok"}


def test_md_mdstat_the_kernels_estimate_and_speed_are_kept() -> None:
    """The estimate is in minutes with a fraction. A negative speed is unknown."""
    text = (
        "md5 : active raid5 sdc[3] sdb[1] sda[0]\n      2048 blocks level 5, 64k chunk, algorithm 2 [3/2] [UU_]\n"
        "      [=>...]  recovery = 7.5% (75/1000) finish=12.3min speed={}K/sec\n"
    )
    progress = volume(text.format(12345)).progress
    assert progress == Progress(
        operation="recovery", state="running", percent=7.5, remaining_seconds=738, rate_bytes=12345 * 1024
    )
    unknown = volume(text.format(-1)).progress
    assert unknown is not None
    assert unknown.rate_bytes is None


@pytest.mark.parametrize(
    ("word", "reason"),
    [("auto-read-only", "starts with the first write to the array"), ("read-only", "the array is read-only")],
)
def test_md_mdstat_a_read_only_array_reports_why_it_waits(word: str, reason: str) -> None:
    """An auto-read-only array starts its resync with the first write. A read-only one takes none."""
    text = f"md5 : active ({word}) raid1 sdb[1] sda[0]\n      2048 blocks [2/2] [UU]\n        resync=PENDING\n"
    assert volume(text).progress == Progress(operation="resync", state="queued", reason=reason)


def test_md_mdstat_which_member_is_rebuilt_is_not_guessed() -> None:
    """If one of two late devices is in sync, both are unknown."""
    text = (
        "md5 : active raid5 sdc[3] sdb[4] sda[0]\n      2048 blocks level 5, 64k chunk, algorithm 2 [3/2] [UU_]\n"
        "      [=>...]  recovery = 7.5% (75/1000) finish=3.0min speed=9K/sec\n"
    )
    assert {name: drive.status for name, drive in drives(text).items()} == {
        "sdc": "unknown",
        "sdb": "unknown",
        "sda": "ok",
    }


@pytest.mark.parametrize("mark", ["(f)", "(?)", "()", "( )", "(F", "(FF)", "(X)"])
def test_a_member_with_a_damaged_flag_is_no_good_one(mark: str) -> None:
    """A member with a damaged flag is unknown. A problem reports it."""
    text = (
        "Personalities : [raid1]\nmd1 : active raid1 sdd1[2]{} sdc1[1] sdb1[0]\n"
        "      1953382400 blocks super 1.2 [2/2] [UU]\n\nunused devices: <none>\n"
    )
    for flag, status, doubted in (("(F)", "critical", False), (mark, "unknown", True)):
        found = read(text.format(flag))
        drives = {drive.device: drive.status for drive in found.controllers[0].drives}
        assert drives == {"/dev/sdd1": status, "/dev/sdc1": "ok", "/dev/sdb1": "ok"}
        assert any("Unknown member flag" in problem.message for problem in found.problems) is doubted


def test_md_mdstat_an_array_that_is_not_started_has_no_spares() -> None:
    """In an inactive array (S) is not a spare. The blocks are those of the members."""
    text = "md9 : inactive sdb[1](S) sda[0](S)\n      4096 blocks super 1.2\n"
    found = volume(text)
    assert (found.status, found.size_bytes, found.raid_level) == ("inactive", None, None)
    assert array(text).size_bytes == 4096 * 1024
    assert array(text).spares == ()
    assert wrong(read(text)) == {"md:md9"}


def test_md_mdstat_roles_in_an_inactive_array_are_unknown() -> None:
    """In an inactive array, only a failed device has a role. The array marks every device with (S)."""
    text = "md9 : inactive sdc[2](S)(F) sdb[1](S) sda[0](S)\n      4096 blocks super 1.2\n"
    assert {drive.device: drive.role for drive in controller(text).drives} == {
        "/dev/sda": None, "/dev/sdb": None, "/dev/sdc": "failed",
    }  # fmt: skip
    claimed = {fact.object_id for output in read(text).outputs for fact in output.facts if fact.field == "role"}
    assert claimed == {"md:md9/sdc"}
    assert "md:md9/sda" in array(text).drives


def test_md_mdstat_the_superblock_gives_the_role_in_an_inactive_array() -> None:
    """The role of mdadm --examine counts where mdstat has none."""
    examine = (
        "/dev/sda:\n          Magic : a92b4efc\n        Version : 1.2\n"
        "     Array UUID : 2f3a4b5c:6d7e8f90:a1b2c3d4:e5f60718\n     Raid Level : raid1\n   Raid Devices : 2\n"
        "   Device Role : spare\n   Array State : AA ('A' == active, '.' == missing, 'R' == replacing)\n"
    )
    mdstat = "md9 : inactive sda[0](S)\n      4096 blocks super 1.2\n"
    found = md.read([Document("/proc/mdstat", "md", mdstat), Document("mdadm --examine /dev/sda", "md", examine)])
    assert [drive.role for drive in found.controllers[0].drives if drive.device == "/dev/sda"] == ["spare"]


def test_md_mdstat_a_container_has_no_volume_and_its_arrays_refer_to_it() -> None:
    """A container lists its drives once. A drive without an array is a spare."""
    text = (
        "md126 : active raid1 sdb[1] sda[0]\n      9000 blocks super external:/md127/0 [2/2] [UU]\n\n"
        "md127 : inactive sdc[2](S) sdb[1](S) sda[0](S)\n      9459 blocks super external:imsm\n"
    )
    found = controller(text)
    assert [(v.id, v.array, v.metadata) for v in found.volumes] == [("md:md126", "md:md127/array", "imsm")]
    assert [a.id for a in found.arrays] == ["md:md127/array"]
    assert found.arrays[0].drives == ("md:md127/sda", "md:md127/sdb")
    assert found.arrays[0].spares == ("md:md127/sdc",)
    assert found.arrays[0].status == "ok"


def test_md_mdstat_an_array_that_is_no_container_holds_no_other() -> None:
    """A contradictory output loses no array."""
    text = (
        "md1 : active raid0 sdb[1] sda[0]\n      9000 blocks super external:/md2/0 64k chunks\n\n"
        "md2 : active raid1 sdd[1] sdc[0]\n      100 blocks [2/2] [UU]\n"
    )
    assert [v.id for v in controller(text).volumes] == ["md:md1", "md:md2"]


@pytest.mark.parametrize(
    ("line", "layout", "strip"),
    [
        ("512K chunks 2 near-copies [4/4] [UUUU]", "near=2", 524288),
        ("64K chunks 2 far-copies [4/4] [UUUU]", "far=2", 65536),
        ("64K chunks 2 near-copies 2 offset-copies [4/4] [UUUU]", "near=2, offset=2", 65536),
        ("64K chunks 2 far-copies 2 devices per set [4/4] [UUUU]", "far=2", 65536),
    ],
)
def test_md_mdstat_layouts_of_raid10(line: str, layout: str, strip: int) -> None:
    """Near, far and offset copies become the layout as mdadm spells it."""
    text = f"md3 : active raid10 sdd[3] sdc[2] sdb[1] sda[0]\n      9000 blocks super 1.2 {line}\n"
    assert (volume(text).layout, volume(text).strip_bytes, volume(text).status) == (layout, strip, "ok")
    assert unparsed(read(text)) == []


@pytest.mark.parametrize(("slots", "status"), [("U_U_", "degraded"), ("__UU", "failed")])
def test_md_mdstat_raid10_fails_when_both_copies_are_gone(slots: str, status: str) -> None:
    """Two lost drives are tolerated in different pairs, but not in one."""
    text = f"md3 : active raid10 sdb[1] sda[0]\n      9000 blocks 64K chunks 2 near-copies [4/2] [{slots}]\n"
    assert volume(text).status == status


def test_md_mdstat_striping_does_not_survive_a_faulty_drive() -> None:
    """raid0 with a faulty member, and a broken one, have failed."""
    assert volume("md0 : active raid0 sdb[1](F) sda[0]\n      90 blocks 64k chunks\n").status == "failed"
    assert volume("md0 : broken raid0 sdb[1] sda[0]\n      90 blocks super 1.2 64k chunks\n").status == "failed"


def test_md_mdstat_levels_that_are_no_raid() -> None:
    """Multipath has an unknown level with its word, linear its rounding."""
    found = volume("md0 : active multipath sdb[1] sda[0]\n      90 blocks [2/2] [UU]\n")
    assert (found.raid_level, found.details["level"]) == ("unknown", "multipath")
    assert (found.status, volume("md0 : active multipath sdb[1] sda[0]\n").status) == ("ok", "unknown")
    assert volume("md0 : active linear sdb[1] sda[0]\n      90 blocks super 1.2 0k rounding\n").raid_level == "linear"


def test_md_mdstat_of_linux_2_4() -> None:
    """Old header lines, devices by number and another bar are read."""
    text = (
        "Personalities : [raid1]\nread_ahead 1024 sectors\nEvent: 3\n"
        "md0 : active raid1 [dev 08:11][1] [dev 08:01][0]\n      8000 blocks [2/2] [UU]\n"
        "      [=====>..............]  resync = 28.0% (2240/8000) finish=1.2min speed=80K/sec\nunused devices: <none>\n"
    )
    assert set(drives(text)) == {"08:11", "08:01"}
    assert drives(text)["08:01"].device is None
    assert unparsed(read(text)) == []


def test_md_mdstat_wrapped_lines_and_strange_words() -> None:
    """A wrapped line is read; an unknown word leaves its line unparsed."""
    text = (
        "Personalities : [raid1]\n[raid6]\nmd0 : active raid1 sdb1[1]\nsda1[0]\n   8000 blocks [2/2] [UU]\n"
        "   [==>..]  check = 28.0% (2240/8000)\nfinish=1.2min speed=80K/sec\n      8001 blobs\n"
    )
    assert set(drives(text)) == {"sda1", "sdb1"}
    assert unparsed(read(text)) == ["      8001 blobs"]


def test_md_mdstat_without_arrays_is_empty() -> None:
    """A kernel without arrays gives no controller and no problem."""
    found = read("Personalities : [raid1] \nunused devices: <none>\n")
    assert (found.controllers, found.problems, unparsed(found)) == ((), (), [])
    found = read("Personalities : [raid1] \nunused devices: sdb\n")
    assert (found.controllers, unparsed(found), [output.facts for output in found.outputs]) == ((), [], [[]])


def test_md_mdstat_read_only_and_bitmap_file() -> None:
    """Read-only marks are kept in the status text. A bitmap file is given by its path."""
    text = (
        "md0 : active (auto-read-only) raid1 sdb1[1] sda1[0]\n      8000 blocks [2/2] [UU]\n"
        "      bitmap: 0/1 pages [0KB], 4096B chunk, file: /boot/md0.map\n"
    )
    assert (volume(text).status, volume(text).bitmap) == ("ok", "/boot/md0.map")
    assert volume(text).status_text == "active (auto-read-only) [2/2] [UU]"


@pytest.mark.parametrize(
    "text",
    [
        "md0 : active raid1 sdb1[1] sda1[0]\n",
        "md0 : active raid1 sdb1[1] sda1[0]\n      523264 blocks super 1.2\n\nunused devices: <none>\n",
        "md0 : active raid1 sdb1[1] sda1[0]\n      523264 blocks super 1.2 [2/",
        "md0 : active\n",
    ],
)
def test_md_mdstat_an_array_without_its_count_is_not_called_ok(text: str) -> None:
    """Without the count of active members the status is unknown. A problem reports it."""
    found = read(text)
    assert volume(text).status == "unknown"
    assert {drive.status for drive in found.controllers[0].drives} <= {"unknown"}
    assert [problem.kind for problem in found.problems] == ["unread"]


def test_md_mdstat_levels_without_redundancy_need_no_count() -> None:
    """A stripe is ok without a count. The kernel does not print it."""
    text = "md0 : active raid0 sdb1[1] sda1[0]\n      1046528 blocks super 1.2 512k chunks\n"
    assert volume(text).status == "ok"
    assert read(text).problems == ()


def test_md_mdstat_an_unknown_operation_is_no_quiet_array() -> None:
    """An unknown operation makes the status unknown, and a problem reports it."""
    text = (
        "md0 : active raid1 sdb1[1] sda1[0]\n      523264 blocks super 1.2 [2/2] [UU]\n"
        "      [=>.......]  remelting = 7.5% (75/1000) finish=3.0min speed=9K/sec\n"
    )
    assert volume(text).status == "unknown"
    assert [problem.kind for problem in read(text).problems] == ["unread"]


def test_md_mdstat_digits_of_other_scripts_are_no_figures() -> None:
    """Only ASCII digits make a number."""
    text = "md0 : active raid1 sdb1[1] sda1[0]\n      \u0661\u0662\u0663 blocks super 1.2 [2/2] [UU]\n"
    assert volume(text).size_bytes is None


@pytest.mark.parametrize("heading", ["", "md1 : reclining raid1 sdd1[1] sdc1[0]\n"])
def test_md_mdstat_lines_of_an_array_without_its_heading_are_not_those_of_the_one_above(heading: str) -> None:
    """A lost or unknown heading is reported. The array above it stays degraded."""
    text = (
        "Personalities : [raid1]\nmd0 : active raid1 sdb1[1]\n      523264 blocks super 1.2 [2/1] [_U]\n\n"
        f"{heading}      1046528 blocks super 1.2 [2/2] [UU]\n\nunused devices: <none>\n"
    )
    found = volume(text)
    assert (found.device, found.status, found.size_bytes) == ("/dev/md0", "degraded", 523264 * 1024)
    assert "unread" in {problem.kind for problem in read(text).problems}


@pytest.mark.parametrize("levels", ["", "Personalities : [raid1]\n", "Hello,\n$ cat /proc/mdstat\n"])
def test_md_mdstat_lines_above_the_first_heading_are_of_an_array_without_one(levels: str) -> None:
    """If the heading of the first array was not copied, the other arrays are not all that there is."""
    text = (
        f"{levels}      976630464 blocks super 1.2 [2/1] [U_]\n\nmd0 : active raid1 sdb1[1] sda1[0]\n"
        "      523264 blocks super 1.2 [2/2] [UU]\n\nunused devices: <none>\n"
    )
    assert [volume.id for volume in controller(text).volumes] == ["md:md0"]
    assert [problem.kind for problem in read(text).problems] == ["unread"]


def test_md_mdstat_a_bar_that_is_cut_off_is_an_operation_under_way() -> None:
    """A cut progress bar makes the status unknown."""
    text = "md0 : active raid1 sdb1[1] sda1[0]\n      523264 blocks super 1.2 [2/2] [UU]\n      [====="
    assert volume(text).status == "unknown"


def test_md_mdstat_a_member_that_is_not_in_sync_is_not_ok() -> None:
    """Without a rebuild, an empty slot's device is not in sync."""
    text = (
        "md0 : active raid5 sdc1[2] sdb1[1] sda1[0]\n      1046528 blocks level 5, 64k chunk, algorithm 2 [3/2] [UU_]\n"
    )
    found = drives(text)
    assert {name: drive.status for name, drive in found.items()} == {"sda1": "ok", "sdb1": "ok", "sdc1": "warning"}
    assert found["sdc1"].status_text == "not in sync"


def test_md_mdstat_members_on_a_line_that_is_cut_off_are_not_good() -> None:
    """Members on a cut line are unknown. A missing line may contradict them."""
    text = "Personalities : [raid1]\nmd127 : inactive sdc[1](S) sdb[0](S) sd"
    assert {name: drive.status for name, drive in drives(text).items()} == {"sdb": "unknown", "sdc": "unknown"}


def test_an_array_without_its_journal_takes_no_writes() -> None:
    """A failed journal is critical. A failed spare of a complete array is a warning."""
    head = "Personalities : [raid6] [raid5] [raid4] \nmd5 : active raid5 sdd1[3]{}(F) sdc1[2] sdb1[1] sda1[0]\n"
    tail = "      1953260544 blocks super 1.2 level 5, 512k chunk, algorithm 2 [3/3] [UUU]\n\nunused devices: <none>\n"
    for flag, wanted in (("(J)", "critical"), ("(S)", "warning")):
        found = diagnose(read_text(head.format(flag) + tail).inventory, rules()).findings
        assert [(one.rule, one.severity) for one in found if one.severity != "info"] == [("drive_failed", wanted)]
        assert ("takes no writes" in found[0].message) == (flag == "(J)")


def test_an_array_that_waits_for_its_first_write_has_a_remedy() -> None:
    """An auto-read-only array waits for ever unless it is written to."""
    text = (
        "Personalities : [raid1] \nmd0 : active (auto-read-only) raid1 sdb1[1] sda1[0]\n"
        "      976630464 blocks super 1.2 [2/2] [UU]\n      \tresync=PENDING\n      \nunused devices: <none>\n"
    )
    [found] = diagnose(read_text(text).inventory, rules()).findings
    assert (found.severity, "mdadm --readwrite /dev/md0" in (found.remedy or "")) == ("info", True)


def test_md_mdstat_an_array_with_a_damaged_container_is_no_container() -> None:
    """An array whose container's name is damaged is still an array."""
    text = (
        "Personalities : [raid4]\nmd126 : active raid4 sdb[2] sda[0]\n"
        "      500102144 blocks super external:{} level 4, 64k chunk, algorithm 5 [2/1] [U_]\n\n"
        "unused devices: <none>\n"
    )
    for name in ("-md127/0", "nmd127n0", "imsm"):
        assert volume(text.format(name)).status == "degraded"
