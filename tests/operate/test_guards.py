"""Each guard of ``replace --check``. One inventory passes, one fails, and what is unknown never passes."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from raidctl.host import BlockDevice, HostView
from raidctl.model import Array, Block, Cache, Controller, Drive, Errors, Host, Problem, Progress, Scrub, Volume
from raidctl.operate.boot_loader import Surroundings
from raidctl.operate.contents import SECTOR, Contents, exclusive, first_sector, probe, read_contents
from raidctl.operate.removal import check
from raidctl.operate.removal_report import Removal
from raidctl.request import Answer, Failure, Request, RunAnswer, converse
from raidctl.runners.replay import ReplayRunner
from raidctl.vendor.registry import vendors
from raidctl.vendor.unreported import Unreported, unreported
from tests.operate.machines import (
    FAILED,
    HOST,
    NOW,
    OK,
    REBUILDING,
    asked,
    disk,
    inventory,
    joined,
    mirror,
    of,
    part,
    plain,
    raid,
    reasons,
    software,
    with_blocks,
)
from tests.support.machines import recording

GOOD: dict[str, Any] = {"controller": {"cache": Cache(preserved_data=False)}}


def test_guard_R1_no_volume_loses_its_data() -> None:
    """A volume that survives a failure may lose a member.

    One that does not, or whose redundancy is unknown, may not.
    """
    assert asked(inventory(raid("raid6", OK, OK, OK, OK, **GOOD))).verdict == "yes"
    assert of("R1", asked(inventory(raid("raid5", OK, OK, OK)))) == {"yes"}
    for level, members, volume, wanted in (
        ("raid0", [OK, OK], {}, "no"), ("jbod", [OK], {}, "no"),
        ("raid5", [OK, OK, FAILED], {"status": "degraded"}, "no"),
        ("raid6", [OK] * 4, {"progress": Progress(operation="reshape")}, "unknown"),
        ("unknown", [OK, OK], {}, "unknown"), ("raid60", [OK] * 8, {"status": "unknown"}, "unknown"),
    ):  # fmt: skip
        answer = asked(inventory(raid(level, *members, **volume)))
        assert of("R1", answer) == {wanted}, level
    for bare in (
        raid("raid5", OK, OK, OK, controller={"volumes": ()}),
        raid("raid5", OK, OK, OK, controller={"arrays": ()}),
    ):
        assert of("R1", asked(inventory(bare))) == {"unknown"}


def test_guard_R1_a_raid_0_names_the_loss_of_its_data() -> None:
    """A RAID-0's refusal names the loss of its data. The figures show that nothing is left."""
    answer = asked(inventory(raid("raid0", OK, OK)))
    assert "its data is lost with the drive" in reasons("R1", answer)[0].text
    assert [(one.data_lost, one.failures_tolerated_after) for one in answer.volumes] == [(True, None)]


def test_guard_R1_a_failed_drive_is_gone_already() -> None:
    """Pulling it loses nothing. If more members are reported as gone than may be, one of them is needed."""
    degraded: dict[str, Any] = {"status": "degraded", **GOOD}
    answer = asked(inventory(raid("raid5", FAILED, OK, OK, **degraded)))
    assert answer.verdict == "yes"
    assert answer.volumes[0].gone_already
    assert asked(inventory(raid("raid5", FAILED, OK, OK, **degraded)), "x:0/1").verdict == "no"
    for level, others in (("raid1", [FAILED]), ("raid5", [FAILED, OK]), ("raid10", [OK, FAILED, OK])):
        assert of("R1", asked(inventory(raid(level, FAILED, *others, **degraded)))) == {"unknown"}, level
    lost = asked(inventory(raid("raid5", {**FAILED, "role": "failed", "array": None}, OK, OK, **degraded)))
    assert lost.verdict == "yes"
    assert "it may have been a member of x:0/v0 (degraded)" in reasons("R1", lost)[0].text


@pytest.mark.parametrize(("role", "wanted"), [("failed", "yes"), ("member", "unknown")])
def test_guard_R1_a_member_that_the_kernel_has_not_dropped_may_be_needed(role: str, wanted: str) -> None:
    """A mirror works although both members are reported as bad: only one that the kernel has dropped is not needed."""
    mirrored = software("raid1", "sda1", "sdb1", status="degraded", drives_active=1)
    bad = tuple(
        replace(drive, status="critical", role=role if drive.id.endswith("sda1") else "member")
        for drive in mirrored.drives
    )
    answer = asked(inventory(plain("sda", "sdb"), replace(mirrored, drives=bad)), "drives:S-sda")
    assert of("R1", answer) == {wanted}


def test_guard_R2_a_drive_called_failed_in_a_complete_volume_still_counts() -> None:
    """A volume that is reported complete still uses the drive: then errors of the others forbid to pull it."""
    failing: dict[str, Any] = {"errors": Errors(predictive=1)}
    for level, others in (("raid1", [OK]), ("raid5", [OK, OK])):
        answer = asked(inventory(raid(level, FAILED, *others, **GOOD)))
        assert (answer.verdict, answer.volumes[0].gone_already) == ("yes", False)
        assert of("R2", asked(inventory(raid(level, FAILED, failing, *others[1:], **GOOD)))) == {"no"}
        short = inventory(raid(level, FAILED, failing, *others[1:], status="degraded", **GOOD))
        assert of("R2", asked(short)) == {"yes"}, "it is gone: nothing is lost with it"


def test_guard_R2_the_last_redundancy_stays_while_others_have_errors() -> None:
    """The last redundancy stays if other members have errors.

    Errors, a predictive failure or a missing member elsewhere forbid it, and so does unknown health.
    """
    assert of("R2", asked(inventory(raid("raid5", OK, OK, OK)))) == {"yes"}
    for other in (
        {"errors": Errors(media=1)}, {"errors": Errors(pending=2)}, {"errors": Errors(uncorrectable=1)},
        {"errors": Errors(predictive=1)}, {"status": "warning", "status_text": "Predictive Failure"},
    ):  # fmt: skip
        assert of("R2", asked(inventory(raid("raid5", OK, other, OK)))) == {"no"}, other
        assert of("R2", asked(inventory(raid("raid6", OK, other, OK, OK)))) == {"yes"}, other
    short = inventory(raid("raid6", OK, OK, OK, FAILED, status="degraded"))
    assert of("R2", asked(short)) == {"no"}
    assert of("R2", asked(short, "x:0/3")) == {"yes"}
    assert of("R2", asked(inventory(raid("raid1", OK, {"status": "unknown"})))) == {"unknown"}
    described = raid("raid5", OK, OK, OK, drives_active=3)
    assert of("R2", asked(inventory(replace(described, drives=described.drives[:2])))) == {"unknown"}


def test_guard_R2_a_problem_of_another_member_that_no_counter_shows_counts() -> None:
    """Failed self-tests, SMART attributes and wear of the other drives count like errors. Information does not."""
    failed = Problem("warning", "x:0/1", "The drive's last self-test failed.", kind="state")
    for problem, wanted in (
        (failed, "no"), (replace(failed, severity="error"), "no"), (replace(failed, severity="info"), "yes"),
        (replace(failed, kind="note"), "yes"), (replace(failed, where="x:0/0"), "yes"),
        (replace(failed, where="x:0"), "yes"),
    ):  # fmt: skip
        answer = asked(inventory(raid("raid5", OK, OK, OK), problems=(problem,)))
        assert of("R2", answer) == {wanted}, problem
        assert bool(answer.errors_elsewhere) == (wanted == "no")
    for used, wanted in ((99, "yes"), (100, "no"), (143, "no")):
        assert of("R2", asked(inventory(raid("raid5", OK, {"life_used_percent": used}, OK)))) == {wanted}
    found, view = mirror()
    for where in ("drives:S-sdb", "md:md0/sdb1"):
        known = replace(found, problems=(replace(failed, where=where),))
        assert of("R2", asked(known, "drives:S-sda", view)) == {"no"}


def test_guard_R1_a_spare_that_may_hold_data_stays() -> None:
    """A volume may use a spare as a member if it is whole although one has failed or is missing."""
    spare: dict[str, Any] = {"role": "spare", "array": None}
    for level, others, expected in (("raid5", [OK, OK, FAILED], 3), ("raid6", [OK] * 3, 4), ("raid1", [OK, FAILED], 2)):
        answer = asked(inventory(raid(level, spare, *others, **GOOD, drives_expected=expected)))
        assert of("R1", answer) == {"unknown"}, level
        assert answer.verdict != "yes"
        assert answer.spares == (), "it is not free"
    for level, others in (("raid5", [OK, OK, OK]), ("raid1", [OK, OK])):
        assert of("R1", asked(inventory(raid(level, spare, *others, **GOOD)))) == {"yes"}, level


def test_guard_R2_members_of_software_arrays_are_judged_by_their_drives() -> None:
    """A member in sync does not prove a good drive. A drive without health is unknown."""
    found, view = mirror()
    assert of("R2", asked(found, "drives:S-sda", view)) == {"yes"}
    for changes, wanted in (
        ({"status": "unknown"}, "unknown"), ({"status": "warning", "status_text": "IMPENDING FAILURE"}, "no"),
        ({"errors": Errors(pending=8)}, "no"),
    ):  # fmt: skip
        first, second = plain("sda").drives[0], replace(plain("sdb").drives[0], **changes)
        controllers = (replace(plain(), drives=(first, second)), software("raid1", "sda1", "sdb1"))
        assert of("R2", asked(inventory(*controllers), "drives:S-sda", view)) == {wanted}, changes


def test_guard_R3_nothing_is_pulled_during_a_rebuild() -> None:
    """During rebuild, copy, reshape, expansion or initialization, even a failed drive must not be pulled.

    A check does not matter.
    """
    assert of("R3", asked(inventory(raid("raid6", *[OK] * 4)))) == {"yes"}
    assert of("R3", asked(inventory(raid("raid6", *[OK] * 4, status="checking")))) == {"yes"}
    busy = raid("raid6", OK, OK, REBUILDING, FAILED, status="degraded")
    for drive in range(4):
        assert of("R3", asked(inventory(busy), f"x:0/{drive}")) == {"no"}
    assert "loses nothing" in reasons("R3", asked(inventory(busy), "x:0/3"))[0].text
    for status in ("rebuilding", "expanding", "migrating", "initializing"):
        assert of("R3", asked(inventory(raid("raid6", *[OK] * 4, status=status)))) == {"no"}
    for operation in ("rebuild", "recovery", "resync", "reshape", "expand", "migrate", "initialize", "parity"):
        running: Any = Progress(operation=operation)
        assert of("R3", asked(inventory(raid("raid6", *[OK] * 4, progress=running)))) == {"no"}
    for operation, wanted in (
        ("copyback", "no"),
        ("rebuild", "no"),
        ("resync", "no"),
        ("unknown", "unknown"),
        ("self_test", "yes"),
    ):
        member: dict[str, Any] = {"progress": Progress(operation=operation)}  # type: ignore[arg-type]
        assert of("R3", asked(inventory(raid("raid6", OK, member, OK, OK)))) == {wanted}, operation
    alone: dict[str, Any] = {"role": "unassigned", "array": None, "progress": Progress(operation="copyback")}
    assert of("R3", asked(inventory(raid("raid6", alone, *[OK] * 4)))) == {"no"}
    queued = raid("raid6", *[OK] * 4, progress=Progress(operation="parity", state="queued"))
    assert of("R3", asked(inventory(queued))) == {"no"}
    assert of("R3", asked(inventory(raid("raid6", *[OK] * 4, progress=Progress())))) == {"unknown"}


def test_guard_R3_a_drive_that_left_its_array_waits_for_its_rebuild() -> None:
    """A drive that left its array waits for any rebuild.

    Controllers drop a failed drive, so any volume that is rebuilt may be the one it was in.
    """
    out: dict[str, Any] = {**FAILED, "role": "failed", "array": None}
    assert of("R3", asked(inventory(raid("raid5", out, OK, OK, OK, status="degraded")))) == {"yes"}
    assert of("R3", asked(inventory(raid("raid5", out, OK, OK, REBUILDING, status="rebuilding")))) == {"no"}


def test_guard_R3_a_spare_that_is_needed_stays() -> None:
    """It must stay while a volume that it covers is incomplete. Afterwards it may be pulled."""
    spare: dict[str, Any] = {"role": "spare", "array": None}
    assert asked(inventory(raid("raid5", spare, OK, OK, OK, **GOOD))).verdict == "yes"
    assert of("R3", asked(inventory(raid("raid5", spare, OK, OK, FAILED, status="degraded")))) == {"no"}
    assert of("R3", asked(inventory(raid("raid5", spare, OK, OK, OK, status="unknown")))) == {"unknown"}
    whole = raid("raid5", spare, OK, OK, OK, **GOOD)
    short = replace(whole.arrays[0], status="warning", status_text="Missing physical drive")
    assert of("R3", asked(inventory(replace(whole, arrays=(short,))))) == {"unknown"}


@pytest.mark.parametrize(
    "loose", [{"role": "spare", "array": None}, {**FAILED, "role": "failed", "array": None}], ids=["spare", "failed"]
)
def test_guard_R3_an_array_without_listed_volumes_may_need_the_drive(loose: dict[str, Any]) -> None:
    """A volume that is not listed may be rebuilt, or need its spare: that is unknown, and a reason not to pull."""
    whole = raid("raid5", loose, OK, OK, OK, **GOOD)
    other = replace(whole.arrays[0], id="x:0/a1", drives=())
    assert of("R3", asked(inventory(whole))) == {"yes"}
    for bare in (replace(whole, arrays=(*whole.arrays, other)), replace(whole, volumes=())):
        assert of("R3", asked(inventory(bare))) == {"unknown"}, bare.arrays
    member = replace(raid("raid5", OK, OK, OK, OK, **GOOD), arrays=(*whole.arrays, other))
    assert of("R3", asked(inventory(member))) == {"yes"}, "a member leaves only its own array"


def test_guard_R4_an_array_that_does_not_run_keeps_its_drives() -> None:
    """A failed, offline or not started array keeps its drives.

    Even a failed drive may be needed to recover the data. Unknown is unknown.
    """
    assert of("R4", asked(inventory(raid("raid5", OK, OK, OK)))) == {"yes"}
    out: dict[str, Any] = {**FAILED, "role": "failed", "array": None}
    for status in ("failed", "offline", "inactive"):
        assert of("R4", asked(inventory(raid("raid5", OK, OK, OK, status=status)))) == {"no"}
        assert of("R4", asked(inventory(raid("raid5", FAILED, OK, OK, status=status)))) == {"no"}
        assert of("R4", asked(inventory(raid("raid5", out, OK, OK, status=status)))) == {"no"}
    for members in ((OK, OK, OK), (FAILED, OK, OK), (out, OK, OK)):
        assert of("R4", asked(inventory(raid("raid5", *members, status="unknown")))) == {"unknown"}
    assert of("R4", asked(inventory(raid("raid5", OK, OK, OK, controller={"volumes": ()})))) == {"unknown"}


def test_guard_R5_preserved_cache_goes_first() -> None:
    """Data of lost volumes in the cache forbids pulling. If a tool could report it and does not, it is unknown."""
    lost = Volume(id="x:0/v1", status="offline")
    for cache, silent, could in (
        (Cache(preserved_data=False), "yes", "yes"), (Cache(status="ok"), "yes", "unknown"),
        (Cache(present=False), "yes", "yes"), (Cache(preserved_data=True, status="ok"), "no", "no"),
        (Cache(status="critical"), "yes", "unknown"), (None, "yes", "unknown"),
    ):  # fmt: skip
        found = inventory(raid("raid5", OK, OK, OK, controller={"cache": cache}))
        assert of("R5", asked(found)) == {silent}, cache
        assert of("R5", check(found, HostView(), "x:0/0", NOW)) == {could}, cache
        if could == "unknown":
            [controller] = found.controllers
            assert of("R5", asked(inventory(replace(controller, volumes=(*controller.volumes, lost))))) == {"unknown"}


def test_guard_R5_a_cache_whose_state_would_name_it_has_a_known_state() -> None:
    """A good state proves that there is no preserved data only where it would name it. One not read is unknown."""
    row = Unreported(fact="preserved_data", why="the status would name it", in_status=True)
    around = Surroundings(unreported={("x", "preserved_data"): row})
    for cache, wanted in (
        (Cache(status="ok"), "yes"), (Cache(status="critical"), "yes"), (Cache(status="unknown"), "unknown"),
        (Cache(), "unknown"), (None, "unknown"),
    ):  # fmt: skip
        found = inventory(raid("raid5", OK, OK, OK, controller={"cache": cache}))
        assert of("R5", check(found, HostView(), "x:0/0", NOW, around)) == {wanted}, cache


def test_guard_R5_R6_a_family_passes_for_its_own_reason() -> None:
    """What a family declares opens that guard for that family alone. The rows are in docs/replace.md, for review."""
    rows = unreported(vendors()[0])
    assert {fact for _, fact in rows} == {"preserved_data", "differences"}
    for (family, fact), row in rows.items():
        mirror = inventory(raid("raid1", OK, OK, OK, controller={"cache": Cache(status="critical")}))
        guard, other = ("R5", "R6") if fact == "preserved_data" else ("R6", "R5")
        answer = check(mirror, HostView(), "x:0/0", NOW, Surroundings(unreported={("x", fact): row}))
        assert (of(guard, answer), of(other, answer)) == ({"yes"}, {"unknown"}), family
        answer = check(mirror, HostView(), "x:0/0", NOW, Surroundings(unreported={(f"not {family}", fact): row}))
        assert of(guard, answer) == {"unknown"}, family


def test_guard_R6_copies_that_differ_are_not_reduced_to_one() -> None:
    """Known differences of copies, or of parity and data, forbid it.

    A mirror whose count a tool could have reported, but did not, is unknown.
    """
    assert of("R6", asked(inventory(raid("raid1", OK, OK, mismatch_count=0)))) == {"yes"}
    for level in ("raid1", "raid10"):
        assert of("R6", asked(inventory(raid(level, *[OK] * 4, mismatch_count=128)))) == {"no"}
    for level in ("raid5", "raid6", "raid60"):
        assert of("R6", asked(inventory(raid(level, *[OK] * 6, mismatch_count=128)))) == {"no"}
        assert of("R6", asked(inventory(raid(level, *[OK] * 6, mismatch_count=0)))) == {"yes"}
        assert of("R6", asked(inventory(raid(level, *[OK] * 6)))) == {"yes"}, "most tools cannot report it"
    failed = Scrub(last_result="failed")
    assert of("R6", asked(inventory(raid("raid1", OK, OK, consistency_check=failed)))) == {"no"}
    mirror_of_two = inventory(raid("raid1", OK, OK))
    assert of("R6", asked(mirror_of_two)) == {"yes"}
    assert of("R6", check(mirror_of_two, HostView(), "x:0/0", NOW)) == {"unknown"}
    assert of("R6", asked(inventory(raid("raid1", FAILED, OK, status="degraded", mismatch_count=8)))) == {"yes"}
    found, view = mirror(mismatch_count=None)
    assert of("R6", asked(found, "drives:S-sda", view)) == {"unknown"}


@pytest.mark.parametrize("where", ["x:0/v0", "x:0/A"])
def test_guard_R6_a_volume_with_damaged_data_may_need_each_copy(where: str) -> None:
    """A tool reports damaged data, and the drive may have the only good copy. A failed drive has none."""
    message = "Unrecoverable Media Errors: Detected."
    damaged = Problem("error", where, message, kind="state")
    answer = asked(inventory(raid("raid1", OK, OK), problems=(damaged,)))
    assert of("R6", answer) == {"unknown", "yes"}
    assert any("Unrecoverable Media Errors: Detected: the drive may" in one.text for one in reasons("R6", answer))
    assert of("R6", asked(inventory(raid("raid1", OK, OK), problems=(replace(damaged, severity="warning"),)))) == {
        "yes"
    }
    gone = inventory(raid("raid1", FAILED, OK, status="degraded"), problems=(damaged,))
    assert of("R6", asked(gone)) == {"yes"}


def test_guard_R7_nothing_else_uses_the_drive() -> None:
    """Any use of the drive forbids pulling it.

    A mounted partition, swap, LVM, ZFS or an open mapping counts, an empty partition does not.
    """
    found, view = mirror()
    assert of("R7", asked(found, "drives:S-sda", view)) == {"yes"}
    assert of("R7", asked(found, "drives:S-sda", with_blocks(view, part("sda2")))) == {"yes"}
    for use in (
        {"mountpoints": ("/boot/efi",)}, {"mountpoints": ("[swap]",)}, {"filesystem": "LVM2_member"},
        {"filesystem": "zfs_member"}, {"filesystem": "btrfs"}, {"filesystem": "bcache"},
    ):  # fmt: skip
        used = with_blocks(view, part("sda2", **use))
        assert of("R7", asked(found, "drives:S-sda", used)) == {"no"}, use
        assert of("R7", asked(found, "drives:S-sdb", used)) == {"yes"}, use
    open_ = BlockDevice("dm-0", "/dev/dm-0", "dm", slaves=("sda2",), dm_name="vault", dm_uuid="CRYPT-LUKS2-x")
    assert of("R7", asked(found, "drives:S-sda", with_blocks(view, part("sda2"), open_))) == {"no"}


def test_guard_R7_what_may_be_used_is_unknown() -> None:
    """A drive that may be in use counts as unknown.

    It has an unmounted file system, or an array that no tool lists; or the kernel's view or the udev database is
    missing.
    """
    found, view = mirror()
    for more in (
        [part("sda2", filesystem="ext4")], [part("sda2", filesystem="linux_raid_member")],
        [part("sda2"), BlockDevice("md7", "/dev/md7", "md", slaves=("sda2",))], [part("sda2", links=())],
    ):  # fmt: skip
        assert of("R7", asked(found, "drives:S-sda", with_blocks(view, *more))) == {"unknown"}
    bare = inventory(plain("sdc"))
    assert of("R7", asked(bare, "drives:S-sdc", HostView(blocks=(disk("sdc", links=()),)))) == {"unknown"}
    assert of("R7", asked(bare, "drives:S-sdc")) == {"unknown"}
    assert of("R7", asked(inventory(plain("sdc", mountpoints=("/srv",))), "drives:S-sdc")) == {"no"}


@pytest.mark.parametrize(
    ("answer", "held", "signatures"),
    [
        (RunAnswer(code=0), False, ()),
        # wipefs: error: /dev/sdc: probing initialization failed: Device or resource busy
        (RunAnswer(code=1, err=b"wipefs: error: /dev/sdc: Device or resource busy"), True, ()),
        (RunAnswer(trouble=Failure.TIMEOUT), False, None),
    ],
)
def test_guard_R7_opening_that_did_not_end_is_not_read(
    answer: RunAnswer, held: bool, signatures: tuple[str, ...] | None
) -> None:
    """Only a refusal shows that a program holds a drive. A time-out shows nothing."""
    blank = RunAnswer(code=0, out=bytes(SECTOR))
    answers: dict[Request[Any], Answer] = {
        probe("/dev/sdc"): RunAnswer(code=0), first_sector("/dev/sdc"): blank, exclusive("/dev/sdc"): answer,
    }  # fmt: skip
    runner = ReplayRunner(recording("md-healthy")).with_answers(answers)
    found = converse(read_contents(["/dev/sdc"]), runner)["/dev/sdc"]
    assert (found.held, found.signatures) == (held, signatures)


def test_guard_R7_a_drive_of_no_array_is_known_to_be_empty() -> None:
    """A drive in no array has to be read as empty.

    The kernel showing nothing on it is no proof, and a process that holds it forbids it.
    """
    bare, view = inventory(plain("sdc")), HostView(blocks=(disk("sdc"),))

    def answer(contents: Contents | None, shown: HostView = view, node: str = "/dev/sdc") -> Removal:
        return asked(bare, "drives:S-sdc", shown, Surroundings(contents={node: contents} if contents else {}))

    empty = Contents(signatures=(), blank=True)
    assert answer(empty).verdict == "yes"
    assert of("R7", answer(replace(empty, held=True))) == {"no"}
    for unknown in (
        None, Contents(), Contents(signatures=()), Contents(signatures=(), blank=False),
        Contents(signatures=("gpt",), blank=True), Contents(signatures=None, blank=True),
    ):  # fmt: skip
        assert of("R7", answer(unknown)) == {"unknown"}, unknown
    # what is on a partition counts; the sector with the partition table is not empty, and need not be
    parted = with_blocks(view, part("sdc1"))
    assert of("R7", answer(empty, parted, "/dev/sdc1")) == {"yes"}
    assert of("R7", answer(empty, parted, "/dev/sdc")) == {"unknown"}
    # of two paths the device that joins them is read
    paths = HostView(blocks=(disk("sdc"), disk("sdd", serial="S-sdc"), joined("sdc", "sdd")))
    assert of("R7", answer(empty, paths, "/dev/dm-1")) == {"yes"}
    assert of("R7", answer(empty, paths, "/dev/sdc")) == {"unknown"}


def test_guard_R7_drives_of_a_controller_that_no_array_uses() -> None:
    """An unassigned drive may leave. One with a foreign configuration, or without a reported use, is unknown."""
    unassigned: dict[str, Any] = {"role": "unassigned", "array": None}
    assert asked(inventory(raid("raid5", unassigned, OK, OK, OK, **GOOD))).verdict == "yes"
    for changes in ({"foreign": True}, {"role": None}, {"role": "passthrough"}):
        answer = asked(inventory(raid("raid5", {**unassigned, **changes}, OK, OK, OK)))
        assert of("R7", answer) == {"unknown"}, changes
    mixed = raid("raid5", unassigned, {"foreign": False}, OK, OK)
    assert of("R7", asked(inventory(mixed))) == {"unknown"}


def test_guard_R8_a_good_member_is_copied_first() -> None:
    """For a drive that works, the answer names the way. For a spare, a failed drive or one with errors, it does not."""
    found, view = mirror()
    (advice,) = reasons("R8", asked(found, "drives:S-sda", view))
    assert (advice.verdict, advice.remedy) == (
        "note", "`raidctl replace S-sda --with DRIVE` copies it to another one first.",
    )  # fmt: skip
    for member in ({"errors": Errors(media=3)}, FAILED, {"role": "spare", "array": None}):
        assert of("R8", asked(inventory(raid("raid6", member, *[OK] * 4)))) == {"yes"}


def test_guard_R13_a_drive_that_boots_the_machine_is_named() -> None:
    """A boot partition or a boot loader is named. A first sector that was not read leaves it open."""
    found, view = mirror()
    assert "was not read" in reasons("R13", asked(found, "drives:S-sda", view))[0].text
    for code, wanted in (("none", "yes"), ("grub", "note"), ("other", "note")):
        around = Surroundings(sectors={"/dev/sda": code})  # type: ignore[dict-item]  # of a list of codes
        answer = check(found, view, "drives:S-sda", NOW, around)
        assert of("R13", answer) == {wanted}, code
        assert ("GRUB in the first sector of /dev/sda" in answer.boot) == (code == "grub")
    unread = check(found, view, "drives:S-sda", NOW, Surroundings(firmware="uefi"))
    assert of("R13", unread) == {"yes"}
    assert "no boot loader" not in reasons("R13", unread)[0].text, "its first sector was not read"
    esp = part("sda2", partition_type="C12A7328-F81F-11D2-BA4B-00A0C93EC93B", filesystem="vfat")
    bios = part("sda2", partition_type="21686148-6449-6e6f-744e-656564454649")
    for block, name in ((esp, "EFI system partition /dev/sda2"), (bios, "BIOS boot partition /dev/sda2")):
        answer = asked(found, "drives:S-sda", with_blocks(view, block))
        assert (answer.verdict, answer.boot) == ("yes", (name,))
        assert of("R13", answer) == {"note"}
    assert of("R13", asked(inventory(raid("raid5", OK, OK, OK)))) == {"yes"}


def test_guard_R14_timeouts_of_the_other_drives() -> None:
    """A drive that retries longer than the kernel waits, or whose limits are unknown, is named."""
    _, view = mirror()
    for limit, timeout, wanted in ((7.0, 30, "yes"), (None, 180, "yes"), (0.0, 30, "note"), (None, 30, "note")):
        kept: dict[str, Any] = {"error_recovery_seconds": limit, "block": Block(command_timeout_seconds=timeout)}
        found = inventory(plain("sda", "sdb", **kept), software("raid1", "sda1", "sdb1"))
        assert of("R14", asked(found, "drives:S-sda", view)) == {wanted}
    assert of("R14", asked(inventory(raid("raid5", OK, OK, OK)))) == {"yes"}
    arrays = software("raid1", "sda1", "nbd0")
    unseen = replace(arrays, drives=(arrays.drives[0], replace(arrays.drives[1], backing=())))
    answer = asked(inventory(plain("sda"), unseen), "drives:S-sda", view)
    assert of("R14", answer) == {"note"}
    assert "the drive below md:md0/nbd0" in reasons("R14", answer)[0].text


def test_guard_R16_a_journal_is_no_redundant_member() -> None:
    """A drive with an array's journal is not redundant. The journal may be the only copy of the newest data."""
    found, view = mirror()
    assert of("R16", asked(found, "drives:S-sda", view)) == {"yes"}
    journal = Drive(
        id="md:md1/sda3", device="/dev/sda3", role="journal", status="ok", array="md:md1/array",
        backing=("drives:S-sda",),
    )  # fmt: skip
    controller = found.controllers[1]
    with_journal = replace(
        controller, drives=(*controller.drives, journal), arrays=(*controller.arrays, Array(id="md:md1/array"))
    )
    assert of("R16", asked(inventory(found.controllers[0], with_journal), "drives:S-sda", view)) == {"no"}
    for kind, wanted in (("log", "no"), ("cache", "note")):
        pool = replace(
            with_journal,
            id="zfs",
            drives=(*controller.drives, replace(journal, details={"class": kind, "name": "sda3"})),
        )
        answer = asked(inventory(found.controllers[0], pool), "drives:S-sda", view)
        assert of("R16", answer) == {wanted}, kind
        assert all("zpool remove" in (one.remedy or "") for one in reasons("R16", answer))
    silent = replace(with_journal, drives=(*controller.drives, replace(journal, role=None)))
    assert of("R16", asked(inventory(found.controllers[0], silent), "drives:S-sda", view)) == {"unknown"}


def test_guard_R17_everything_on_the_drive_is_counted() -> None:
    """Two members of one mirror on one drive leave together. A list of partitions hides whether they share a drive."""
    one = inventory(plain("sda"), software("raid1", "sda1", "sda2"))
    answer = asked(one, "drives:S-sda")
    assert answer.leaves_with_it == ("md:md0/sda1", "md:md0/sda2")
    assert of("R1", answer) == {"no"}
    assert of("R17", answer) == {"yes"}
    assert [one.text for one in reasons("R17", answer)] == [
        "Removed with it: md:md0/sda1 and md:md0/sda2; each array is judged."
    ]
    assert ["Nothing else" in one.text for one in reasons("R17", asked(inventory(raid("raid6", *[OK] * 4))))] == [True]
    alone = software("raid1", "sda1", "sdb1")
    bare = replace(alone, drives=tuple(replace(drive, backing=()) for drive in alone.drives))
    assert of("R17", asked(inventory(bare), "md:md0/sda1")) == {"unknown"}


def test_guard_R17_all_namespaces_of_a_drive_are_looked_at() -> None:
    """A second namespace or path with the same serial number leaves too."""
    spaces = (disk("nvme0n1", serial="N1"), disk("nvme0n2", serial="N1", mountpoints=("/srv",)))
    drive = Drive(id="drives:N1", device="/dev/nvme0n1", serial="N1", role="passthrough", status="ok")
    found = inventory(Controller(id="drives:0000:01:00.0", mode="none", drives=(drive,)))
    assert asked(found, "drives:N1", HostView(blocks=spaces)).verdict == "no"
    alone = Surroundings(contents={"/dev/nvme0n1": Contents(signatures=(), blank=True)})
    assert asked(found, "drives:N1", HostView(blocks=spaces[:1]), alone).verdict == "yes"
    free = HostView(blocks=(spaces[0], replace(spaces[1], mountpoints=())))
    assert asked(found, "drives:N1", free, alone).verdict == "unknown"


def test_guard_X1_the_serial_number_identifies_the_drive() -> None:
    """A missing or repeated serial number does not identify a drive."""
    assert of("X1", asked(inventory(raid("raid6", *[OK] * 4)))) == {"yes"}
    assert of("X1", asked(inventory(raid("raid6", {"serial": None}, *[OK] * 3)))) == {"unknown"}
    assert of("X1", asked(inventory(raid("raid6", {"serial": "S1"}, *[OK] * 3)))) == {"unknown"}
    assert of("X1", asked(inventory(raid("raid6", {"serial": None, "wwn": "5000c5"}, *[OK] * 3)))) == {"note"}
    assert of("X1", asked(inventory(raid("raid6", {"bay": "1"}, *[OK] * 3)))) == {"yes", "note"}


def test_guard_X3_a_recording_answers_with_its_age() -> None:
    """The verdict is given, with a note on the recording's age."""
    controller = raid("raid6", *[OK] * 4, **GOOD)
    assert of("X3", asked(inventory(controller))) == {"yes"}
    for collected, words in (("2026-11-01T00:00:00Z", "1 d old"), (None, "of unknown age")):
        host = Host(source="replay:machine", collected_at=collected)
        answer = asked(inventory(controller, host=host))
        assert (answer.verdict, answer.recorded, of("X3", answer)) == ("yes", True, {"note"})
        assert words in reasons("X3", answer)[0].text


def test_guard_X8_what_could_not_be_read_is_unknown() -> None:
    """A container counts, and a problem that may concern the drive. A problem of another controller does not."""
    controller = raid("raid6", *[OK] * 4)
    assert of("X8", asked(inventory(controller))) == {"yes"}
    assert of("X8", asked(inventory(controller), view=HostView(sys_read_only=True))) == {"unknown"}
    assert of("X8", asked(inventory(controller), around=Surroundings(container="/.dockerenv"))) == {"unknown"}
    other = raid("raid6", OK, controller={"id": "y:0", "drives": (), "arrays": (), "volumes": ()})
    for where, wanted in (("x:0", "unknown"), ("tool show all", "unknown"), ("y:0", "yes"), ("y:0/3", "yes")):
        unread = Problem("error", where, "It could not be read.", None, "unread")
        found = inventory(controller, other, host=HOST, problems=(unread,))
        assert of("X8", asked(found)) == {wanted}, where


def test_guard_S6_a_controller_that_takes_any_drive_is_named() -> None:
    """If a controller rebuilds automatically, each drive it may use is named.

    The controller may use an unconfigured drive, even a failed one.
    """
    found = raid("raid6", *[OK] * 4, {"role": "unassigned", "array": None})
    assert of("S6", asked(inventory(found))) == {"yes"}
    for word, wanted in (("on", "note"), ("off", "yes"), ("?", "note")):
        answer = asked(inventory(replace(found, details={"Auto-Rebuild Policy": word})))
        assert of("S6", answer) == {wanted}, word
        assert ("(now x:0/4)" in reasons("S6", answer)[0].text) == (word == "on")
