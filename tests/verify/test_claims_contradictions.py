"""Cases that no recorded machine has.

Tool, kernel and arithmetic contradict each other, or flushes are never sent.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
import pytest
from msgspec.structs import replace

from raidctl.model import (
    Array,
    Battery,
    Capability,
    Controller,
    Drive,
    Mode,
    Mount,
    Problem,
    Volume,
    VolumeCache,
    VolumeStatus,
)
from raidctl.request import converse
from raidctl.verify.capacity import check_size, usable
from raidctl.verify.facts import facts
from raidctl.verify.judge import exit_code, verify
from raidctl.verify.kernel import Kernel, read_kernel
from raidctl.verify.measured import Measured, combined
from raidctl.verify.subjects import CheckedMachine, whole
from raidctl.verify.wanted import claims
from tests.discovery.machines import Scripted
from tests.verify.checked_machines import TB, checked_machine, judged, plain_drive, raid_controller


@pytest.mark.parametrize(
    ("level", "size", "finding"),
    [
        ("raid6", 8 * TB, "fits"),
        ("raid6", 7.9 * TB, "fits"),
        ("raid6", 10 * TB, "contradicts"),
        ("raid6", 6 * TB, "contradicts"),
        ("raid5", 10 * TB, "fits"),
        ("raid5", 12 * TB, "contradicts"),
        ("raid0", 12 * TB, "fits"),
        ("raid10", 6 * TB, "fits"),
        ("raid10", 8 * TB, "contradicts"),
        ("raid50", 8 * TB, "fits"),
        ("raid50", 10 * TB, "contradicts"),
        ("raid60", 4 * TB, "fits"),
    ],
)
def test_the_capacity_is_compared_with_the_level(level: str, size: float, finding: str) -> None:
    """The capacity is compared with the level.

    Six drives of 2 TB make 8 TB of RAID-6 and 10 TB of RAID-5, whatever the tool prints.
    """
    known = checked_machine(raid_controller(level=level, size=int(size)))
    found = check_size(known, whole(known, drives=False)[0][0], level)
    assert found is not None
    assert found.finding == finding


def test_a_level_that_the_capacity_refutes_is_suspect() -> None:
    """A volume of RAID-5 size that claims RAID-6 does not pass."""
    answer = judged(checked_machine(raid_controller(level="raid6", size=10 * TB)), raid_level="raid6")
    assert answer.verdict == "suspect"
    assert "as raid5 would" in " ".join(answer.reasons)


def test_other_levels_are_ruled_out_by_the_capacity() -> None:
    """A pass names the levels that the capacity refutes, with their sizes."""
    answer = judged(checked_machine(raid_controller()), raid_level="raid6")
    assert answer.verdict == "pass"
    assert "raid5 would give 10 TB" in answer.ruled_out


@pytest.mark.parametrize(
    ("text", "shown"), [("Interim Recovery", "status Interim Recovery"), (None, "status critical")]
)
def test_an_ok_volume_on_an_array_that_lacks_a_drive_is_suspect(text: str | None, shown: str) -> None:
    """The array's status is the evidence, in the tool's words if there are any."""
    controller = raid_controller()
    array = replace(controller.arrays[0], status="critical", status_text=text)
    drives = (replace(controller.drives[0], status="critical", role="failed"), *controller.drives[1:])
    answer = judged(checked_machine(replace(controller, arrays=(array,), drives=drives)), volume_status="ok")
    assert answer.verdict == "suspect"
    assert [one.statement for one in answer.evidence if one.object == array.id] == [shown]


@pytest.mark.parametrize(
    ("spare", "mode", "verdict"),
    [
        ({}, "raid", "pass"), ({}, "software", "fail"), ({"spare_for": ("acme:0/a9",)}, "raid", "fail"),
        ({"status": "unknown"}, "raid", "inconclusive"), ({"status": "critical"}, "raid", "fail"),
        ({"role": "unassigned"}, "raid", "fail"),
    ],
)  # fmt: skip
def test_a_spare_serves_what_it_is_for(spare: dict[str, Any], mode: Mode, verdict: str) -> None:
    """A spare of no array serves every array of its controller, but no other of software. Its state counts."""
    controller = raid_controller()
    extra = replace(controller.drives[0], **{"id": "acme:0/99", "role": "spare", "array": None, **spare})
    known = checked_machine(replace(controller, mode=mode, drives=(*controller.drives, extra)))
    assert judged(known, spares=1).verdict == verdict


@pytest.mark.parametrize(("size", "verdict"), [(2 * TB, "pass"), (1.99 * TB, "pass"), (1.9 * TB, "fail")])
def test_a_spare_that_is_smaller_than_the_members_does_not_count(size: float, verdict: str) -> None:
    """A spare that is smaller than the members does not count.

    A member of 2 TB needs a drive of that size, of which makers print one per cent more or less.
    """
    controller = raid_controller()
    spare = Drive(id="acme:0/9", role="spare", size_bytes=int(size), status="ok")
    known = checked_machine(msgspec.structs.replace(controller, drives=(*controller.drives, spare)))
    assert judged(known, spares=1).verdict == verdict


@pytest.mark.parametrize(("mode", "verdict"), [("raid", "fail"), ("software", "pass")])
def test_a_spare_with_another_interface_counts_for_the_kernel_alone(
    mode: Literal["raid", "software"], verdict: str
) -> None:
    """A controller ignores a SAS spare of SATA drives. The kernel's arrays take any drive that is large enough."""
    controller = raid_controller()
    disks = tuple(msgspec.structs.replace(drive, interface="sata") for drive in controller.drives)
    spare = Drive(id="acme:0/9", role="spare", size_bytes=2 * TB, status="ok", interface="sas")
    arrays = tuple(msgspec.structs.replace(array, spares=(spare.id,)) for array in controller.arrays)
    made = msgspec.structs.replace(controller, mode=mode, arrays=arrays, drives=(*disks, spare))
    assert judged(checked_machine(made), spares=1).verdict == verdict


def test_a_spare_of_another_medium_does_not_count() -> None:
    """An SSD is not a spare of hard drives, as its rule states."""
    controller = raid_controller()
    disks = tuple(msgspec.structs.replace(drive, media="hdd") for drive in controller.drives)
    spare = Drive(id="acme:0/9", role="spare", size_bytes=2 * TB, status="ok", media="ssd")
    answer = judged(checked_machine(msgspec.structs.replace(controller, drives=(*disks, spare))), spares=1)
    assert answer.verdict == "fail"


def test_a_read_policy_that_is_not_reported_is_inconclusive() -> None:
    """No claim about a volume's unknown read policy passes or fails."""
    assert judged(checked_machine(raid_controller()), read_policy="read-ahead").verdict == "inconclusive"


def test_the_kernels_size_counts_before_the_tools() -> None:
    """The kernel's size is exact. If it contradicts the level, the size that the tool prints does not help."""
    assert judged(checked_machine(raid_controller(size=8 * TB), size=10 * TB), raid_level="raid6").verdict == "suspect"
    assert judged(checked_machine(raid_controller(size=8 * TB), size=10 * TB), min_size="1TB").verdict == "suspect"


def test_a_volume_that_shares_its_array_confirms_nothing() -> None:
    """A volume that shares its array confirms nothing.

    Where other volumes are on the same drives, a smaller size is not a contradiction, and no proof.
    """
    one = raid_controller(size=3 * TB)
    both = (*one.volumes, type(one.volumes[0])(id="acme:0/v1", array="acme:0/a", raid_level="raid6", size_bytes=5 * TB))
    known = checked_machine(
        type(one)(**{name: getattr(one, name) for name in one.__struct_fields__} | {"volumes": both})
    )
    found = check_size(known, whole(known, drives=False)[0][0], "raid6")
    assert found is not None
    assert found.finding == "silent"


def test_mirrors_and_stripes_have_their_sizes() -> None:
    """The arithmetic of the levels, on drives of one unit."""
    assert usable("raid1", [1, 1], 2) == (1.0,)
    assert usable("raid10", [1] * 4, 4, copies=2) == (2.0,)
    assert usable("raid10t", [1] * 6, 6) == (2.0,)
    assert usable("raid6", [1, 1], 2) == ()
    assert usable("unknown", [1, 1], 2) == ()


VOLATILE = VolumeCache(write_policy="unprotected_write_back", write_active="write_back", controller_cache="unprotected")
ONLY_CONFIGURED = VolumeCache(write_policy="protected_write_back")
DRIVES_ON = VolumeCache(
    write_policy="protected_write_back",
    write_active="write_back",
    controller_cache="protected",
    drive_write_cache="enabled",
)


@pytest.mark.parametrize("claim", [{"write_cache": "protected"}, {"power_safe": True}])
def test_an_unknown_policy_never_passes(claim: dict[str, object]) -> None:
    """A policy whose active state is unknown is inconclusive."""
    assert (
        judged(checked_machine(raid_controller(volume_cache=ONLY_CONFIGURED, drive_cache=None)), **claim).verdict
        == "inconclusive"
    )


@pytest.mark.parametrize("claim", [{"write_cache": "protected"}, {"power_safe": True}])
def test_unprotected_write_back_fails(claim: dict[str, object]) -> None:
    """Write-back that nothing keeps fails, even where a battery is called good."""
    assert judged(checked_machine(raid_controller(volume_cache=VOLATILE)), **claim).verdict == "fail"


@pytest.mark.parametrize("claim", [{"write_cache": "protected"}, {"power_safe": True}])
def test_drive_caches_behind_a_good_battery_are_suspect(claim: dict[str, object]) -> None:
    """The battery keeps the controller's cache, not those of the drives."""
    answer = judged(checked_machine(raid_controller(volume_cache=DRIVES_ON, drive_cache="enabled")), **claim)
    assert answer.verdict == "suspect"


def test_a_next_test_names_only_commands_that_the_controller_accepts() -> None:
    """Settings that raidctl cannot change are to be set by hand.

    The reason is given, and no policy is switched for a measurement.
    """
    found = raid_controller(volume_cache=DRIVES_ON, drive_cache="enabled")
    able = Capability(read=True, set=True)
    barred = Capability(read=True, set=False, why="Use the web interface.")
    texts = {
        (drives, policy): judged(
            checked_machine(replace(found, capabilities={"drive_write_cache": drives, "write_policy": policy})),
            power_safe=True,
        ).next_test
        for drives in (able, barred)
        for policy in (able, barred)
    }
    measure = "raidctl verify --measure --switch-policy --power-safe /srv"
    disable = "Disable them (`raidctl cache set acme:0/v0 --drive-cache off`)"
    by_hand = "Disable them. raidctl cannot do this here. Use the web interface."
    assert texts == {
        (able, able): f"{disable}, or measure in write-through: {measure}",
        (able, barred): f"{disable}.",
        (barred, able): f"{by_hand} Or measure in write-through: {measure}",
        (barred, barred): by_hand,
    }


def test_drives_that_ignore_the_controllers_setting_are_not_to_be_switched_off_by_it() -> None:
    """The setting is off already, so the command for it would be refused."""
    able = {"drive_write_cache": Capability(read=True, set=True)}
    off = VolumeCache(write_policy="write_through", write_active="write_through", drive_write_cache="disabled")
    found = replace(raid_controller(volume_cache=off, drive_cache="enabled"), capabilities=able)
    answer = judged(checked_machine(found), power_safe=True)
    assert answer.verdict == "suspect"
    assert answer.next_test is not None
    assert "Check the drives" in answer.next_test
    assert "raidctl cache" not in answer.next_test


def test_a_cache_that_is_called_protected_over_a_bad_battery_is_suspect() -> None:
    """A cache reported as protected with a bad battery is suspect. The same tool reports both."""
    bad = Battery(id="acme:0/battery0", kind="battery", status="failed")
    for claim in ({"write_cache": "protected"}, {"power_safe": True}):
        assert judged(checked_machine(raid_controller(battery=bad)), **claim).verdict == "suspect"


@pytest.mark.parametrize("status", ["unknown", "learning", "charging"])
def test_a_battery_of_unknown_state_is_inconclusive(status: str) -> None:
    """Only `ok` is healthy, and only what is broken is broken."""
    battery = Battery(id="acme:0/battery0", status=status)  # type: ignore[arg-type]  # a parameter
    assert judged(checked_machine(raid_controller(battery=battery)), battery=True).verdict == "inconclusive"


def test_a_battery_with_little_charge_is_not_healthy() -> None:
    """Below half of its charge a battery is not counted on. The gate of the changes does the same."""
    battery = Battery(id="acme:0/battery0", status="ok", charge_percent=20)
    assert judged(checked_machine(raid_controller(battery=battery)), battery=True).verdict == "fail"


@pytest.mark.parametrize("claim", [{"battery": True}, {"write_cache": "protected"}, {"power_safe": True},
                                   {"drive_cache": "disabled"}, {"write_cache": "write-through"}])  # fmt: skip
def test_no_controller_in_a_virtual_machine_proves_safety(claim: dict[str, object]) -> None:
    """A pass becomes inconclusive in a virtual machine, and if it is unknown whether it is one.

    Its controller may be emulated.
    """
    assert judged(checked_machine(raid_controller(), virtual="kvm"), **claim).verdict in ("inconclusive", "fail")
    known = checked_machine(raid_controller())
    perhaps = replace(known.seen, view=replace(known.seen.view, maybe_virtual=True))
    assert judged(CheckedMachine(perhaps, known.kernel), **claim).verdict in ("inconclusive", "fail")


@pytest.mark.parametrize("option", ["nobarrier", "barrier=0", "barrier=none", "barrier=off", "fsync_mode=nobarrier"])
def test_a_file_system_that_sends_no_flush_fails_over_volatile_caches(option: str) -> None:
    """A file system without flushes fails over volatile caches.

    With the drive's cache on and barriers off, acknowledged data is lost without power.
    """
    answer = judged(checked_machine(plain_drive("enabled"), options=f"rw,{option}"), power_safe=True)
    assert answer.verdict == "fail"
    assert any(option in (one.raw or "") for one in answer.evidence)


def test_an_option_that_is_a_default_of_the_file_system_fails_as_well() -> None:
    """The table of mounts does not list it; the evidence is the file that does."""
    mount = Mount(point="/srv", device="/dev/sda", filesystem="ext4", options=("rw", "nobarrier"))
    known = checked_machine(plain_drive("enabled"), mounts=(mount,))
    table = {"/proc/self/mountinfo": known.kernel.mounts[0][1].text.encode()}
    known = CheckedMachine(known.seen, converse(read_kernel(known.view), Scripted(files=table)))
    answer = judged(known, power_safe=True)
    assert answer.verdict == "fail"
    assert ("/proc/fs/ext4/sda/options", "nobarrier") in [(one.command, one.raw) for one in answer.evidence]


def test_mounts_that_could_not_be_read_rule_out_no_option() -> None:
    """Without the list of mounts it is unknown whether flushes are sent."""
    known = checked_machine(plain_drive("enabled"))
    blind = CheckedMachine(known.seen, Kernel())
    assert [bool(judged(one, power_safe=True).ruled_out) for one in (known, blind)] == [True, False]
    subjects = [whole(one, drives=True)[0][0] for one in (known, blind)]
    assert [facts(known, subjects[0]).flush_sent, facts(blind, subjects[1]).flush_sent] == [True, None]


def test_a_kernel_that_takes_a_volatile_cache_for_write_through_fails() -> None:
    """Acknowledged data is lost if the kernel sends no flush. The drive reports its cache on."""
    assert judged(checked_machine(plain_drive("enabled"), queue="write through"), power_safe=True).verdict == "fail"


def test_barriers_do_not_matter_where_no_cache_is_volatile() -> None:
    """A file system without barriers is safe where no cache is volatile. The caches are off, or protected."""
    assert judged(checked_machine(plain_drive("disabled"), options="rw,nobarrier"), power_safe=True).verdict == "pass"
    protected = raid_controller(mountpoints=("/srv",))
    assert judged(checked_machine(protected, options="rw,nobarrier"), power_safe=True).verdict == "pass"


_MANY = tuple(f"tank/db{number:03}" for number in range(200))


@pytest.mark.parametrize(
    ("disabled", "verdict"), [((), "pass"), (("tank/db",), "fail"), (_MANY, "fail"), (None, "inconclusive")]
)
def test_a_pool_that_acknowledges_commits_early_fails(disabled: tuple[str, ...] | None, verdict: str) -> None:
    """ZFS with ``sync=disabled`` loses acknowledged data however safe its drives are; not read is unknown.

    The first of many names are enough: the rest is counted.
    """
    member = Drive(id="zfs:tank/sda", array="zfs:tank/array", role="member", device="/dev/sda", status="ok")
    array = Array(id="zfs:tank/array", drives=(member.id,))
    pool = Volume(id="zfs:tank", array=array.id, raid_level="raid0", status="ok", sync_disabled=disabled)
    owner = Controller(id="zfs", mode="software", arrays=(array,), volumes=(pool,), drives=(member,))
    known = checked_machine(owner, plain_drive("disabled"))
    subjects = whole(known, drives=False)[0]
    [answer] = verify(known, claims({"power_safe": True}), subjects, (), ()).answers
    assert answer.verdict == verdict
    if disabled == _MANY:
        texts = [*answer.reasons, *(one.statement for one in answer.evidence)]
        assert [text for text in texts if "tank/db002 and 197 more" in text and "db003" not in text] == texts[:2]
        assert max(map(len, texts)) < 200


def test_a_drive_cache_that_is_on_is_inconclusive_until_it_is_measured() -> None:
    """Sending flushes does not prove that the drive honours them. The test that would prove it is named."""
    answer = judged(checked_machine(plain_drive("enabled")), power_safe=True)
    assert answer.verdict == "inconclusive"
    assert "120 times a second" in (answer.next_test or "")


@pytest.mark.parametrize("filesystem", ["btrfs", "zfs_member"])
def test_a_drive_under_a_file_system_that_copies_is_not_called_unmirrored(filesystem: str) -> None:
    """A file system that copies makes one drive's RAID level unknown. Its copies may be on several drives."""
    assert (
        judged(checked_machine(plain_drive(None), filesystem=filesystem), raid_level="raid1").verdict == "inconclusive"
    )
    assert judged(checked_machine(plain_drive(None), filesystem="ext4"), raid_level="raid1").verdict == "fail"


def test_a_medium_that_the_kernel_takes_for_the_opposite_is_suspect() -> None:
    """The drive reports a rotation speed, the kernel reports none."""
    assert judged(checked_machine(plain_drive(None), rotational=False), media="hdd").verdict == "suspect"
    assert judged(checked_machine(plain_drive(None), rotational=True), media="hdd").verdict == "pass"


def test_firmware_is_compared_as_printed() -> None:
    """The version has to be the same text. A software array has none."""
    one = raid_controller()
    known = type(one)(**{name: getattr(one, name) for name in one.__struct_fields__} | {"firmware": "4.68 B"})
    assert judged(checked_machine(known), firmware="4.68 B").verdict == "pass"
    assert judged(checked_machine(known), firmware="4.68").verdict == "fail"
    assert judged(checked_machine(one), firmware="4.68").verdict == "inconclusive"


def test_nothing_found_is_inconclusive_and_a_missing_tool_is_named() -> None:
    """A machine on which nothing is found has no answer. If a tool is missing, that is the reason."""
    missing = Problem(severity="error", where="0000:03:00.0", message="No tool.", remedy="Install it.", kind="no_tool")
    for problems, code in (((), 3), ((missing,), 4)):
        known = checked_machine(problems=problems)
        answers = verify(known, claims({"raid_level": "raid6"}), [], (), ())
        assert [answer.verdict for answer in answers.answers] == ["inconclusive"]
        assert exit_code(answers) == code


@pytest.mark.parametrize(("where", "code"), [("0000:04:00.0", 3), ("acme:0/7", 0)])
def test_a_controller_without_a_driver_keeps_the_whole_machine_from_passing(where: str, code: int) -> None:
    """Its drives are invisible. A warning about an object that is shown hides no other; named volumes can pass."""
    warning = Problem("warning", where, "No kernel driver is bound to it: drives attached to it are invisible.",
                      kind="unread")  # fmt: skip
    one = raid_controller()
    idle = Drive(id="acme:0/7", role="unassigned")
    known = checked_machine(msgspec.structs.replace(one, drives=(*one.drives, idle)), problems=(warning,))
    for targets, wanted in (((), code), (("acme:0/v0",), 0)):
        found = verify(known, claims({"volume_status": "ok"}), whole(known, drives=False)[0], targets, ())
        assert exit_code(found) == wanted


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        (Problem("warning", "0000:04:00.0", "No kernel driver is bound to it.", kind="unread"), 3),
        (Problem("error", "0000:04:00.0", "No tool that can read it is installed.", kind="no_tool"), 4),
        (Problem("error", "acmecli", "The tool of acme:1 is missing.", kind="no_tool"), 0),
    ],
)
def test_a_controller_that_is_only_a_place_on_the_bus_keeps_the_whole_machine_from_passing(
    problem: Problem, code: int
) -> None:
    """Another controller that was read, or that also has no tool, proves nothing about its volumes."""
    bare = Controller(id="pci:0000:04:00.0", pci_address="0000:04:00.0")
    blind = Controller(id="acme:1", mode="raid", volumes=(Volume(id="acme:1/sdb", size_bytes=8 * TB),))
    own = Problem("error", "acme:1", "No tool lists its volumes.", kind="no_tool")
    known = checked_machine(raid_controller(), blind, bare, problems=(own, problem))
    subjects = [known.subject(one, one.volumes[0]) for one in known.inventory.controllers if one.volumes]
    found = verify(known, claims({"min_size": "4TB"}), subjects, (), ())
    assert exit_code(found) == code
    assert exit_code(verify(known, claims({"min_size": "4TB"}), subjects, ("acme:0",), ())) == 0


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/etc/mdadm/mdadm.conf", 0), ("/sys/class/block/sda/queue/scheduler", 0), ("/sys/class/block/sdb/size", 3),
        ("/proc/mdstat", 3), ("/proc/self/mountinfo", 3),
    ],
)  # fmt: skip
def test_an_unread_file_that_lists_no_drives_does_not_keep_a_machine_from_passing(path: str, code: int) -> None:
    """A setting, or one value of a device that is shown, hides no other drive or volume."""
    warning = Problem("warning", path, f"Not read (Input/output error): {path}.", kind="unread")
    known = checked_machine(raid_controller(), problems=(warning,))
    found = verify(known, claims({"volume_status": "ok"}), whole(known, drives=False)[0], (), ())
    assert exit_code(found) == code


def test_a_software_array_on_controllers_leaves_battery_claims_to_them() -> None:
    """Software RAID-0 over controllers' volumes has no battery. The answer refers to the controllers."""
    member = Drive(id="md:md0/sda", array="md:md0/array", role="member", device="/dev/sda", size_bytes=8 * TB)
    array = Array(id="md:md0/array", drives=(member.id,))
    volume = Volume(id="md:md0", array=array.id, raid_level="raid0", device="/dev/md0", status="ok")
    md = Controller(id="md", mode="software", arrays=(array,), volumes=(volume,), drives=(member,))
    known = checked_machine(raid_controller(), md)
    answers = verify(known, claims({"battery": True, "power_safe": True}), whole(known, drives=False)[0], (), ())
    found = {(answer.object, answer.claim): answer for answer in answers.answers}
    assert found["acme:0/v0", "battery"].verdict == "pass"
    assert found["md:md0", "battery"].verdict == "inconclusive"
    assert found["md:md0", "battery"].next_test == "`raidctl verify --battery acme:0/v0`"
    assert found["md:md0", "power_safe"].verdict == "inconclusive"


@pytest.mark.parametrize(
    "claim",
    [{"power_safe": True}, {"drive_cache": "disabled"}, {"media": "hdd"}, {"drive_rpm": 7200}, {"drive_size": "1TB"}],
)
def test_a_member_below_which_nothing_is_known_proves_nothing(claim: dict[str, object]) -> None:
    """A mirror of a drive and an NBD device does not pass by the facts of the drive."""
    disk, other = (
        Drive(id=f"md:md0/{name}", array="md:md0/array", role="member", device=f"/dev/{name}", status="ok")
        for name in ("sda", "nbd0")
    )
    array = Array(id="md:md0/array", drives=(disk.id, other.id))
    volume = Volume(id="md:md0", array=array.id, raid_level="raid1", status="ok", drives_expected=2, drives_active=2)
    md = Controller(id="md", mode="software", arrays=(array,), volumes=(volume,), drives=(disk, other))
    below = plain_drive("disabled")
    assert judged(checked_machine(below, md), **claim).verdict == "inconclusive"
    alone = msgspec.structs.replace(md, arrays=(Array(id=array.id, drives=(disk.id,)),), drives=(disk,), volumes=(
        msgspec.structs.replace(volume, drives_expected=1, drives_active=1),))  # fmt: skip
    assert judged(checked_machine(below, alone), **claim).verdict == "pass"


@pytest.mark.parametrize(("wanted", "verdict"), [(5, "fail"), (6, "inconclusive"), (7, "inconclusive")])
def test_a_degraded_volume_does_not_pass_with_the_drives_that_are_left(wanted: int, verdict: str) -> None:
    """A degraded volume does not pass with the drives left.

    If the expected number is unknown, a lost drive may be missing from the list.
    """
    one = raid_controller()
    lost = msgspec.structs.replace(one, volumes=(msgspec.structs.replace(one.volumes[0], status="degraded"),))
    assert judged(checked_machine(lost), drives=wanted).verdict == verdict
    assert judged(checked_machine(one), drives=6).verdict == "pass"


@pytest.mark.parametrize(
    ("status", "verdict"),
    [("ok", "pass"), ("degraded", "inconclusive"), ("rebuilding", "inconclusive"), ("unknown", "inconclusive")],
)
def test_drives_do_not_all_work_if_no_tool_reports_it(status: VolumeStatus, verdict: str) -> None:
    """The number is known, and no drive is reported as failed. The volume is not whole, or its state is unknown."""
    one = raid_controller(drives_expected=6)
    known = checked_machine(
        msgspec.structs.replace(one, volumes=(msgspec.structs.replace(one.volumes[0], status=status),))
    )
    assert judged(known, drives=6).verdict == verdict


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize(
    "claim", [{"media": "hdd"}, {"drive_rpm": 7200}, {"drive_size": "2TB"}, {"drive_age": "1 year"}, {"drives": 6}]
)
def test_no_claim_about_every_drive_passes_while_one_is_not_described(claim: dict[str, object], named: bool) -> None:
    """Five of six drives report it; the array names the sixth, or only its number is known, as after an error."""
    one = raid_controller(drives_expected=6)
    drives = tuple(replace(drive, media="hdd", rpm=7200, power_on_hours=10) for drive in one.drives)
    names = one.arrays[0].drives
    lost = replace(one, drives=drives[:5], arrays=(replace(one.arrays[0], drives=names if named else names[:5]),))
    assert judged(checked_machine(replace(one, drives=drives)), **claim).verdict == "pass"
    assert judged(checked_machine(lost), **claim).verdict == "inconclusive"


@pytest.mark.parametrize(
    ("member", "verdict"),
    [
        ({"status": "critical"}, "fail"), ({"role": "failed"}, "fail"),
        ({"status": "warning", "status_text": "Rebuilding"}, "fail"),
        ({"status": "warning", "status_text": "Copyback"}, "pass"),
    ],
)  # fmt: skip
def test_a_member_that_lacks_its_data_does_not_count_as_working(member: dict[str, str], verdict: str) -> None:
    """A member that has failed or is being rebuilt does not work: five of six do. One that is copied still works."""
    one = raid_controller()
    broken = replace(one, drives=(replace(one.drives[0], **member), *one.drives[1:]))
    assert [judged(checked_machine(broken), drives=count).verdict for count in (5, 6)] == ["fail", verdict]


@pytest.mark.parametrize("claim", [{"battery": True}, {"drives": 6}, {"volume_status": "ok"}, {"power_safe": True}])
def test_what_a_missing_line_could_refute_does_not_pass_on_an_incomplete_output(claim: dict[str, object]) -> None:
    """The claim passes on a complete output. With a part unread, another battery or drive may be the bad one."""
    assert judged(checked_machine(raid_controller()), **claim).verdict == "pass"
    torn = Problem(severity="error", where="acme:0", message="The output is cut off.", kind="unread")
    assert judged(checked_machine(raid_controller(), problems=(torn,)), **claim).verdict == "inconclusive"


@pytest.mark.parametrize(
    ("status", "lifted"), [("ok", "pass"), ("degraded", "inconclusive"), ("rebuilding", "inconclusive")]
)
def test_no_measurement_rules_out_the_write_hole_of_a_degraded_volume(status: VolumeStatus, lifted: str) -> None:
    """No measurement rules out the write hole of a degraded volume.

    Power cuts that lose nothing decide what the settings leave open, but not for stripes with a missing member.
    """
    unknown = VolumeCache(write_active=None, controller_cache="unknown", drive_write_cache="disabled")
    one = raid_controller(volume_cache=unknown)
    known = checked_machine(
        msgspec.structs.replace(one, volumes=(msgspec.structs.replace(one.volumes[0], status=status),))
    )
    [subject] = whole(known, drives=False)[0]
    answer = judged(known, power_safe=True)
    assert answer.verdict == "inconclusive"
    measured = Measured("pass", ("Nothing was lost.",), lifts=True)
    assert combined(answer, measured, subject).verdict == lifted


def test_a_software_array_has_no_controller_cache_to_measure() -> None:
    """A measured cache is never that of a controller if the kernel makes the array, or for a single drive."""
    array = msgspec.structs.replace(raid_controller(), mode="software", cache=None, batteries=())
    for controller, behind in ((raid_controller(), True), (array, False), (plain_drive("disabled"), False)):
        known = checked_machine(controller)
        found = facts(known, whole(known, drives=True)[0][0])
        assert (found.controller, found.policy is not None, found.cache_mib is not None) == (behind, behind, behind)


@pytest.mark.parametrize(
    ("listed", "policy", "verdict"),
    [(6, None, "pass"), (5, None, "inconclusive"), (5, "default", "inconclusive"), (0, None, "inconclusive")],
)
def test_the_caches_of_all_drives_are_off_only_if_all_drives_are_listed(
    listed: int, policy: str | None, verdict: str
) -> None:
    """A member that no output describes may have its write cache on."""
    cache = VolumeCache(write_policy="write_through", write_active="write_through", controller_cache="not_caching",
                        drive_write_cache=policy)  # type: ignore[arg-type]  # fmt: skip
    controller = raid_controller(volume_cache=cache, drives_expected=6)
    drives = controller.drives[:listed]
    array = msgspec.structs.replace(controller.arrays[0], drives=tuple(drive.id for drive in drives))
    known = checked_machine(msgspec.structs.replace(controller, drives=drives, arrays=(array,)))
    assert judged(known, drive_cache="disabled").verdict == verdict
    assert judged(known, power_safe=True).verdict == verdict


@pytest.mark.parametrize(
    ("media", "rotational", "verdict"),
    [
        ("ssd", False, "pass"),
        ("ssd", None, "pass"),
        ("ssd", True, "suspect"),
        ("hdd", True, "pass"),
        ("hdd", False, "suspect"),
    ],
)
def test_a_medium_that_the_kernel_contradicts_does_not_pass(media: str, rotational: bool | None, verdict: str) -> None:
    """A drive that reports one kind of medium while the kernel treats it as the other is suspect."""
    drive = plain_drive("disabled", media=media, rpm=7200 if media == "hdd" else None)
    known = checked_machine(drive, rotational=rotational)
    assert judged(known, media=media).verdict == verdict
    if media == "hdd":
        assert judged(known, drive_rpm=7200).verdict == verdict


@pytest.mark.parametrize(
    ("policy", "active", "verdict"),
    [
        ("unprotected_write_back", "write_back", "pass"),
        ("unprotected_write_back", "write_through", "fail"),
        ("unprotected_write_back", None, "inconclusive"),
        ("protected_write_back", "write_back", "fail"),
        (None, "write_back", "inconclusive"),
    ],
)
def test_unprotected_write_back_is_configured_and_active(policy: str | None, active: str | None, verdict: str) -> None:
    """Unprotected write-back passes only if it is both configured and active."""
    cache = VolumeCache(write_policy=policy, write_active=active, controller_cache="unprotected")  # type: ignore[arg-type]
    assert judged(checked_machine(raid_controller(volume_cache=cache)), write_cache="unprotected").verdict == verdict


def test_the_battery_of_a_controller_protects_no_drive_that_is_passed_through() -> None:
    """A good battery proves nothing for a drive that does not use the controller's cache."""
    controller = raid_controller()
    drive = msgspec.structs.replace(controller.drives[0], role="passthrough", array=None, mountpoints=("/srv",))
    alone = msgspec.structs.replace(controller, drives=(drive,), arrays=(), volumes=())
    assert judged(checked_machine(alone), battery=True).verdict == "suspect"
