"""``mdadm --examine``."""

from __future__ import annotations

import re

import pytest

from tests.support.scripted_tools import unparsed
from tests.vendors.md.md_outputs import DETAIL, EXAMINE, controller, drives, read, volume

OLD = """\
/dev/sdb1:
          Magic : a92b4efc
        Version : 0.90.00
           UUID : 1a2b3c4d:5e6f7081:92a3b4c5:d6e7f809 (local to host plum)
  Creation Time : Thu Apr  4 10:20:30 2013
     Raid Level : raid5
  Used Dev Size : 10476544 (9.99 GiB 10.73 GB)
     Array Size : 20953088 (19.98 GiB 21.46 GB)
   Raid Devices : 3
  Total Devices : 3
Preferred Minor : 4

    Update Time : Fri Apr  5 11:21:31 2013
          State : clean
 Active Devices : 2
Working Devices : 2
 Failed Devices : 1
  Spare Devices : 0
       Checksum : 5a5a0f0f - correct
         Events : 0.123

         Layout : left-symmetric
     Chunk Size : 64K

      Number   Major   Minor   RaidDevice State
this     1       8        1        1      active sync   /dev/sda1

   0     0       8       17        0      active sync   /dev/sdb1
   1     1       8        1        1      active sync   /dev/sda1
   2     2       0        0        2      faulty removed
"""

IMSM = """\
/dev/sdb:
          Magic : Intel Raid ISM Cfg Sig.
        Version : 1.3.00
    Orig Family : 0badcafe
         Family : 0badcafe
     Generation : 00000042
  Creation Time : Unknown
     Attributes : All supported
           UUID : 99aa99aa:88bb88bb:77cc77cc:66dd66dd
       Checksum : 12345678 correct
    MPB Sectors : 2
          Disks : 2
   RAID Devices : 1

  Disk01 Serial : PLUM-0002
          State : active
             Id : 00000001
    Usable Size : 41943040 (20.00 GiB 21.47 GB)

[System]:
       Subarray : 0
           UUID : 99aa99aa:88bb88bb:77cc77cc:66dd66de
     RAID Level : 1 <-- 1
        Members : 2 <-- 2
          Slots : [U_] <-- [U_]
    Failed disk : none
      This Slot : 1 (out-of-sync)
    Sector Size : 512
     Array Size : 20971520 (10.00 GiB 10.74 GB)
   Per Dev Size : 20971784 (10.00 GiB 10.74 GB)
  Sector Offset : 0
    Num Stripes : 81920
     Chunk Size : 64 KiB <-- 64 KiB
       Reserved : 0
  Migrate State : rebuild
      Map State : normal <-- degraded
     Checkpoint : 12 (512)
    Dirty State : clean
     RWH Policy : off
      Volume ID : 1

  Disk00 Serial : PLUM-0001
          State : active
             Id : 00000000
    Usable Size : 41943040 (20.00 GiB 21.47 GB)
"""

DDF = """\
/dev/sdc:
          Magic : de11de11
        Version : 01.02.00
Controller GUID : 4C696E75:782D4D44:20202020:20202020:20706C75:6D202020
                  (Linux-MD        plum)
 Container GUID : 4C696E75:782D4D44:DEADBEEF:00000000:41414141:42424242
                  (Linux-MD 04/05/24 11:21:31)
            Seq : 00000003
  Redundant hdr : yes
  Virtual Disks : 1

      VD GUID[0] : 4C696E75:782D4D44:DEADBEEF:00000000:43434343:44444444
                  (Linux-MD 04/05/24 11:22:32)
         unit[0] : 0
        state[0] : Degraded, Not Consistent
   init state[0] : Fully Initialised
       access[0] : Read/Write
         Name[0] : pears
 Raid Devices[0] : 2 (0@0K --@0K)
   Chunk Size[0] : 128 sectors
   Raid Level[0] : RAID1
  Device Size[0] : 524288
   Array Size[0] : 524288

 Physical Disks : 1023
      Number    RefNo      Size       Device      Type/State
         0    0a0b0c0d    524288K /dev/sdc        active/Online
         1    0a0b0c0e    524288K                 active/Offline, Failed
         2    0a0b0c0f    524288K /dev/sdd        Global-Spare/Online
"""


def test_md_examine_every_field_of_a_superblock() -> None:
    """A 1.2 superblock gives array and member. The id is the UUID, as it names no device."""
    found = volume(EXAMINE)
    assert found.id == "md:0a1b2c3d:4e5f6071:8293a4b5:c6d7e8f9"
    assert (found.device, found.name, found.raid_level) == (None, "plum:seven", "raid6")
    assert (found.size_bytes, found.strip_bytes, found.bitmap) == (20953088 * 1024, 256 * 1024, "internal")
    assert (found.status, found.drives_expected, found.drives_active) == ("degraded", 4, 3)
    drive = drives(EXAMINE)["sdd1"]
    assert (drive.role, drive.flags, drive.status_text) == ("member", ("write_mostly", "failfast"), "Active device 3")
    assert drive.details["Device UUID"] == "11223344:55667788:99aabbcc:ddeeff00"
    assert unparsed(read(EXAMINE)) == []
    assert any("bad block log" in problem.message for problem in read(EXAMINE).problems)


@pytest.mark.parametrize(
    ("role", "expected", "flags"),
    [
        ("Active device 0", "member", ()),
        ("spare", "spare", ()),
        ("Journal", "journal", ()),
        ("Replacement device 1", "member", ("replacement",)),
    ],
)
def test_md_examine_roles(role: str, expected: str, flags: tuple[str, ...]) -> None:
    """Each role that a superblock can name is read."""
    text = EXAMINE.replace("Active device 3", role).replace("          Flags : write-mostly failfast\n", "")
    assert (drives(text)["sdd1"].role, drives(text)["sdd1"].flags) == (expected, flags)


@pytest.mark.parametrize(
    ("slots", "status"),
    [("AAAA", "ok"), ("AA..", "degraded"), ("A...", "failed"), ("ARAA", "rebuilding"), ("....", "unknown")],
)
def test_md_examine_state_of_the_array(slots: str, status: str) -> None:
    """The map of slots gives the state at the last write. A map without members is unknown."""
    assert volume(EXAMINE.replace("AA.A (", f"{slots} (")).status == status


def test_md_examine_sizes_of_older_releases() -> None:
    """Without a unit, the number in brackets decides between KiB and sectors."""
    text = EXAMINE.replace("20953088 KiB (19.98", "41906176 (19.98")
    assert volume(text).size_bytes == 20953088 * 1024


def test_md_examine_array_slot_of_mdadm_2() -> None:
    """The list of slots gives the device's role. The letters u and U give the active members."""
    text = EXAMINE.replace("   Device Role : Active device 3\n", "").replace(
        "AA.A ('A' == active, '.' == missing, 'R' == replacing)", "uu_U 1 failed"
    )
    text = text.replace("     Chunk Size", "    Array Slot : 5 (0, 1, failed, empty, failed, 3)\n     Chunk Size")
    assert (volume(text).drives_active, drives(text)["sdd1"].role) == (3, "member")
    assert drives(text)["sdd1"].details["RaidDevice"] == "3"
    assert unparsed(read(text)) == []


def test_md_examine_a_090_superblock_names_all_members() -> None:
    """The examined device is the row "this". Another row with its old name is another device."""
    found = drives(OLD)
    assert (found["sdb1"].details["Number"], found["sdb1"].role) == ("1", "member")
    assert found["8:17"].device is None
    assert set(found) == {"sdb1", "8:17"}
    assert (volume(OLD).metadata, volume(OLD).status, volume(OLD).unique_id) == (
        "0.90",
        "degraded",
        "1a2b3c4d:5e6f7081:92a3b4c5:d6e7f809",
    )
    assert unparsed(read(OLD)) == []


def test_md_examine_the_newest_superblock_counts() -> None:
    """The superblock with the higher event count gives the state."""
    stale = EXAMINE.replace("sdd1", "sdc1").replace("Events : 77", "Events : 12").replace("AA.A (", "AAAA (")
    assert volume(stale, EXAMINE).status == "degraded"
    assert volume(EXAMINE, stale).status == "degraded"
    assert set(drives(stale, EXAMINE)) == {"sdc1", "sdd1"}


def _superblock(node: str, slot: int, events: int, uuid: str = "") -> str:
    """A superblock of a member that reports the whole array as working."""
    changed = EXAMINE.replace("sdd1", node).replace("AA.A (", "AAAA (").replace("device 3", f"device {slot}")
    return changed.replace("Events : 77", f"Events : {events}").replace("11223344", uuid or f"1122334{slot}")


_FRESH = [_superblock(f"sd{letter}1", slot, 77) for slot, letter in enumerate("abc")]


@pytest.mark.parametrize(
    ("more", "active", "old"),
    [
        ([_superblock("sdd1", 3, 76)], 4, False),  # md accepts a difference of one
        ([_superblock("sdd1", 3, 75)], 3, True),
        ([_superblock("sdd1", 3, 12), _superblock("sde1", 3, 77, "55667788")], 4, True),  # replaced by sde1
        ([_superblock("sdd1", 3, 12), _superblock("sdd1", 3, 77)], 4, False),  # examined twice
        ([_superblock("sdd1", 3, 12), DETAIL], 4, False),  # it runs
    ],
)
def test_md_examine_a_member_with_an_old_superblock_does_not_count(more: list[str], active: int, *, old: bool) -> None:
    """A member whose event count lags is refused by md; the kernel's view of a running array outweighs that."""
    found = read(*_FRESH, *more)
    [item] = found.controllers[0].volumes
    assert (item.drives_active, item.status) == (active, "ok" if active == 4 else "degraded")
    bad = [drive.device for drive in found.controllers[0].drives if drive.status != "ok"]
    assert bad == ["/dev/sdd1"] * old
    where = [problem.where for problem in found.problems if "out of date" in problem.message]
    assert where == [f"{item.id}/sdd1"] * old


def test_md_examine_a_member_with_an_old_superblock_of_0_90_does_not_count() -> None:
    """The format 0.90 lists all members in each superblock."""
    stale = OLD.replace("/dev/sdb1:", "/dev/sdx1:").replace("Events : 0.123", "Events : 0.99").replace(
        "this     1       8        1        1      active sync   /dev/sda1",
        "this     0       8       17        0      active sync   /dev/sdb1",
    )  # fmt: skip
    assert (volume(OLD).drives_active, volume(OLD).status) == (2, "degraded")
    assert (volume(OLD, stale).drives_active, volume(OLD, stale).status) == (1, "failed")


def test_md_examine_the_running_array_outweighs_the_superblock() -> None:
    """Detail and examine are merged by UUID. Detail gives the current state."""
    found = volume(DETAIL, EXAMINE)
    assert (found.id, found.status, found.drives_active) == ("md:md7", "ok", 4)
    assert len(controller(DETAIL, EXAMINE).drives) == 5


def test_md_examine_imsm() -> None:
    """Level, size, rebuild and serial numbers are read. The first drive is the examined one."""
    found = controller(IMSM)
    (item,) = found.volumes
    assert (item.name, item.raid_level, item.size_bytes, item.metadata) == ("System", "raid1", 10 * 1024**3, "imsm")
    assert (item.status, item.drives_expected, item.drives_active) == ("rebuilding", 2, 1)
    assert item.progress is not None
    assert item.progress.operation == "recovery"
    assert item.array == found.arrays[0].id == "md:99aa99aa:88bb88bb:77cc77cc:66dd66dd/array"
    assert [(d.device, d.serial, d.role) for d in found.drives] == [
        (None, "PLUM-0001", "member"),
        ("/dev/sdb", "PLUM-0002", "member"),
    ]
    assert [d.status for d in found.drives] == ["ok", "warning"]
    assert {d.size_bytes for d in found.drives} == {41943040 * 512}
    assert unparsed(read(IMSM)) == []


def test_md_examine_imsm_with_a_wrong_checksum_is_a_finding() -> None:
    """An incorrect checksum is a problem."""
    assert "checksum" not in str(read(IMSM).problems)
    wrong = re.sub(r"(Checksum : \w+) correct", r"\1 incorrect", IMSM)
    assert [one.kind for one in read(wrong).problems if "checksum is wrong" in one.message] == ["state"]


def test_md_examine_imsm_with_a_missing_drive_has_a_failed_member() -> None:
    """The metadata marks a drive that is missing with an id, whatever state they list for it."""
    found = read(IMSM.replace("Id : 00000000", "Id : ffffffff"))
    [missing] = [drive for drive in found.controllers[0].drives if drive.serial == "PLUM-0001"]
    assert (missing.role, missing.status) == ("failed", "critical")
    assert [(one.kind, one.where) for one in found.problems if "ffffffff" in one.message] == [("state", missing.id)]


def test_md_examine_imsm_with_an_empty_slot_is_degraded() -> None:
    """``Slots : [U_]`` is degraded even if the map is normal."""
    whole = re.sub(r" <-- \S+(?: KiB)?", "", IMSM).replace("Migrate State : rebuild", "Migrate State : idle")
    for slots, status in (("[UU]", "ok"), ("[U_]", "degraded")):
        [item] = controller(re.sub(r"Slots : \S+", f"Slots : {slots}", whole)).volumes
        assert item.status == status


def test_md_examine_imsm_with_an_unknown_letter_of_a_slot_is_unread() -> None:
    """Slots in another form than ``[UU_]`` do not count the members."""
    problems = read(re.sub(r"Slots : \S+", "Slots : [U?]", IMSM)).problems
    assert [one.kind for one in problems if "[U?]" in one.message] == ["unread"]


def test_md_examine_imsm_with_a_failed_disk_is_degraded() -> None:
    """``Failed disk : 1`` is degraded even if the map is normal and no slot is empty."""
    whole = re.sub(r" <-- \S+(?: KiB)?", "", IMSM).replace("Migrate State : rebuild", "Migrate State : idle")
    whole = whole.replace("[U_]", "[UU]")
    for failed, status in (("none", "ok"), ("1", "degraded")):
        [item] = controller(whole.replace("Failed disk : none", f"Failed disk : {failed}")).volumes
        assert item.status == status


@pytest.mark.parametrize("word", ["transmute", "idle"])
def test_md_examine_imsm_with_an_unknown_migration_is_not_ok(word: str) -> None:
    """Between two maps, a volume without a known migration is not in the state of the newer map."""
    text = IMSM.replace("Migrate State : rebuild", f"Migrate State : {word}")
    for slots, status in (("[UU]", "unknown"), ("[U_]", "degraded")):
        [item] = controller(re.sub(r"Slots : \S+", f"Slots : {slots}", text)).volumes
        assert item.status == status


def test_md_examine_imsm_without_the_title_of_a_volume_is_cut_off() -> None:
    """The container counts its volumes: one whose title is missing is not lost without a problem."""
    text = IMSM.replace("[System]:\n", "")
    assert [bool(output.gap) for output in read(IMSM).outputs] == [False]
    assert [output.gap for output in read(text).outputs] == ["it lists 0 of 1 volumes"]


def test_md_examine_imsm_with_attributes_that_mdadm_lacks_is_a_finding() -> None:
    """Such a container is not assembled."""
    found = read(IMSM.replace("All supported", "not supported")).problems
    assert [one.kind for one in found if "attributes" in one.message] == ["state"]


@pytest.mark.parametrize(("bits", "policy"), [("0x200", "journal"), ("0x40", "ppl"), ("0x400", "ppl"), ("0x1", None)])
def test_md_examine_the_feature_map_names_a_journal_or_a_parity_log(bits: str, policy: str | None) -> None:
    """Only a member's feature map shows a journal on another device."""
    assert volume(re.sub(r"Feature Map : \S+", f"Feature Map : {bits}", EXAMINE)).consistency_policy == policy


def test_md_examine_imsm_of_both_drives_lists_each_once() -> None:
    """A drive known by serial number is merged with the examined one."""
    other = (
        IMSM.replace("/dev/sdb", "/dev/sda")
        .replace("PLUM-0001", "x")
        .replace("PLUM-0002", "PLUM-0001")
        .replace(": x", ": PLUM-0002")
    )
    assert [(d.device, d.serial) for d in controller(IMSM, other).drives] == [
        ("/dev/sdb", "PLUM-0002"),
        ("/dev/sda", "PLUM-0001"),
    ]


def test_md_examine_ddf() -> None:
    """Virtual and physical disks of a DDF container are read. This includes their states and GUIDs."""
    found = controller(DDF)
    (item,) = found.volumes
    assert (item.name, item.raid_level, item.size_bytes, item.strip_bytes) == ("pears", "raid1", 524288 * 1024, 65536)
    assert (item.status, item.status_text, item.metadata) == ("degraded", "Degraded, Not Consistent", "ddf")
    assert [(d.device, d.role, d.status) for d in found.drives] == [
        ("/dev/sdc", "member", "ok"),
        ("/dev/sdd", "spare", "ok"),
        (None, "failed", "critical"),
    ]
    assert found.arrays[0].spares == (found.drives[1].id,)
    assert unparsed(read(DDF)) == []


def test_md_examine_ddf_without_its_drives_is_cut_off() -> None:
    """An output that ends above the drives' first row is cut off."""
    lines = DDF.splitlines(keepends=True)
    [*_, first] = [at for at, line in enumerate(lines) if "RefNo" in line]
    for at in range(5, len(lines)):
        cut = [output.cut_off for output in read("".join(lines[:at])).outputs]
        assert cut == [("its drives are missing" if at <= first + 1 else None)], lines[at - 1]


@pytest.mark.parametrize(
    ("command", "missing"),
    [
        ("mdadm --examine /dev/sda1 /dev/sdb1 /dev/sdc1", None),
        ("mdadm --examine /dev/sda1 /dev/sdb1 /dev/sdc1 /dev/sdd1", "/dev/sdd1"),
        ("sudo mdadm -E /dev/sda1 /dev/sdb1 /dev/sdc1 /dev/sdd1 /dev/sde", "/dev/sdd1 and /dev/sde"),
        ("mdadm --examine /dev/sda1 /dev/sdb1 /dev/sdc1 /dev/sd[de]1", None),
        ("mdadm --examine /dev/sda1 /dev/sdb1 /dev/sdc1 2> /dev/null", None),
        ("mdadm --examine /dev/sda1 /dev/sdb1 /dev/sdc1 | tee /dev/stderr", None),
        ("mdadm --examine /dev/sda1 /dev/sdb1 /dev/sdc1 /dev/sdz1", None),  # mdadm has a message about it
    ],
)
def test_md_examine_a_device_without_an_answer_shows_a_cut(command: str, missing: str | None) -> None:
    """An output that ends after a whole superblock is cut off if more devices were asked for."""
    text = f"{command}\n{''.join(_FRESH)}mdadm: No md superblock detected on /dev/sdz1.\n"
    [output] = read(text).outputs
    assert output.cut_off == (missing and f"it has no answer for {missing}")


def test_md_examine_a_partition_table_is_no_member() -> None:
    """A drive with an MBR or GPT gives a note, no array."""
    text = (
        "/dev/sda:\n   MBR Magic : aa55\nPartition[0] :      4194304 sectors at         2048 (type fd)\n"
        "/dev/sdb:\n    GPT Magic : 5452415020494645\n GPT Revision : 65536\n"
        "  Partition[00] :      4194304 sectors at         2048\n"
    )
    found = read(text)
    assert found.controllers == ()
    assert [(p.where, p.severity, p.kind) for p in found.problems] == [
        ("/dev/sda", "info", "note"),
        ("/dev/sdb", "info", "note"),
    ]
    assert unparsed(found) == []


def test_md_examine_a_wrong_checksum_is_reported() -> None:
    """A wrong checksum is a problem of its member."""
    found = read(EXAMINE.replace("5a5a0f0f - correct", "5a5a0f0f - expected 11110000"))
    assert any("checksum" in p.message and p.where.endswith("/sdd1") for p in found.problems)


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (IMSM, r"RAID Level : \S+", "RAID Level : 7"),
        (IMSM, r"Failed disk : \S+", "Failed disk : some"),
        (IMSM, "State : active", "State : sleepy"),
        (DDF, r"Raid Level\[0\] : \S+", "Raid Level[0] : RAID9"),
        (DDF, r"state\[0\] : \S+,", "state[0] : Fine,"),
        (DDF, "active/Online", "active/Onlin"),
    ],
    ids=[
        "level of IMSM", "failed disk of IMSM", "state of a drive of IMSM", "level of DDF", "state of DDF",
        "state of a drive of DDF",
    ],
)  # fmt: skip
def test_md_examine_an_unknown_word_of_a_containers_volume_is_unread(text: str, old: str, new: str) -> None:
    """A level or a number of a failed disk in another form is a problem, not an array without any."""
    assert re.search(old, text)
    before, after = (
        sum(one.kind == "unread" for one in read(each).problems) for each in (text, re.sub(old, new, text, count=1))
    )
    assert after == before + 1


def test_md_examine_an_unknown_state_in_a_container_is_unknown() -> None:
    """The states of volumes and drives are known words; a word for trouble is never good."""
    [item] = controller(IMSM.replace("Map State : normal <-- degraded", "Map State : fine")).volumes
    assert item.status == "unknown"
    [first, _] = controller(IMSM.replace("State : active", "State : sleepy", 1)).drives[::-1]
    assert (first.role, first.status) == (None, "unknown")
    for word, status in (("Fine", "unknown"), ("Missing", "offline"), ("Partially Optimal", "degraded")):
        [item] = controller(DDF.replace("Degraded, Not", f"{word}, Not")).volumes
        assert item.status == status, word
    for word, health in (
        ("Onlin", "unknown"), ("Offline", "critical"), ("Online, Failed", "critical"), ("Missing", "critical"),
        ("Online, Rebuilding", "warning"), ("Online, SMART-errors", "warning"), ("in-transition", "warning"),
        ("Online, Unrecovered-Read-Errors", "warning"),
    ):  # fmt: skip
        found = {
            drive.device: drive.status for drive in controller(DDF.replace("active/Online", f"active/{word}")).drives
        }
        assert found["/dev/sdc"] == health, word
