"""RAID volumes of LVM. The tests cover levels, missing devices, recoveries, and what is not a RAID."""

from __future__ import annotations

import json
from time import process_time

import pytest

import raidctl_lvm
from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import diagnose, exit_code
from raidctl.health.redundancy import with_redundancy
from raidctl.model import Controller
from raidctl.survey.survey import Survey
from raidctl.vendor.protocol import Document
from tests.support.conclusions import anything_unread, read_text

_HEAD = "  LV              VG  Attr       LSize Pool Origin Data%  Meta%  Move Log Cpy%Sync Convert Devices\n"


def _json(*, segtype: str = "raid1", attr: str = "rwi-aor---", sync: str = "100.00", action: str = "idle",
          images: tuple[str, ...] = ("iwi-aor---", "iwi-aor---"), mismatches: str = "0") -> str:  # fmt: skip
    """The output of lvs for one volume. Each image is on a physical volume."""
    names = ",".join(f"data_rimage_{number}(0)" for number in range(len(images)))
    rows = [{"vg_name": "vg", "lv_name": "data", "lv_attr": attr, "lv_size": "1073741824", "segtype": segtype,
             "stripe_size": "65536", "sync_percent": sync, "raid_sync_action": action,
             "raid_mismatch_count": mismatches, "devices": names}]  # fmt: skip
    for number, word in enumerate(images):
        place = "[unknown](1)" if word.endswith("p-") else f"/dev/sd{'abcdef'[number]}2(1)"
        rows.append({"vg_name": "vg", "lv_name": f"[data_rimage_{number}]", "lv_attr": word, "lv_size": "1073741824",
                     "segtype": "linear", "devices": place})  # fmt: skip
    return json.dumps({"report": [{"lv": rows}]}, indent=2)


def _controller(text: str) -> Controller:
    [controller] = read_text(text).inventory.controllers
    return controller


def _code(seen: Survey) -> int:
    return exit_code(diagnose(seen.inventory, rules()))


_OK, _GONE, _STALE = "iwi-aor---", "iwi-aor-p-", "Iwi-aor---"


@pytest.mark.parametrize(
    ("segtype", "attr", "images", "expected"),
    [
        ("raid1", "rwi-aor---", (_OK, _OK), ("raid1", "ok", 1)),
        ("raid1", "rwi-aor-p-", (_OK, _GONE), ("raid1", "degraded", 0)),
        ("raid1", "rwi-aor-p-", (_OK, _OK, _GONE), ("raid1", "degraded", 1)),
        ("raid1", "rwi-aor-p-", (_OK, _STALE, _GONE), ("raid1", "degraded", 0)),
        ("raid5_ls", "rwi-aor---", (_OK, _OK, _OK), ("raid5", "ok", 1)),
        ("raid5_ls", "rwi-aor-p-", (_OK, _GONE, _GONE), ("raid5", "failed", 0)),
        ("raid6_zr", "rwi-aor-p-", (_OK, _OK, _OK, _OK, _GONE), ("raid6", "degraded", 1)),
        ("raid10", "rwi-aor---", (_OK, _OK, _OK, _OK), ("raid10", "ok", 1)),
        ("raid5_ls", "rwi-aor-r-", (_OK, _OK, _OK), ("raid5", "degraded", 0)),
        ("raid5_ls", "rwi---r---", (_OK, _OK, _OK), ("raid5", "inactive", None)),
    ],
)
def test_level_state_and_redundancy(
    segtype: str, attr: str, images: tuple[str, ...], expected: tuple[str, str, int | None]
) -> None:
    """A missing image is gone. A volume that lacks more than its level tolerates has failed."""
    [volume] = _controller(_json(segtype=segtype, attr=attr, images=images)).volumes
    assert (volume.raid_level, volume.status, volume.failures_tolerated) == expected


@pytest.mark.parametrize(
    ("action", "sync", "images", "status", "operation"),
    [
        ("idle", "100.00", (_OK, _OK), "ok", None),
        ("check", "40.00", (_OK, _OK), "checking", "check"),
        ("recover", "41.20", (_OK, _STALE), "rebuilding", "recovery"),
        ("resync", "12.00", (_OK, _OK), "initializing", "resync"),
        ("juggle", "100.00", (_OK, _OK), "unknown", "unknown"),
    ],
)
def test_what_is_going_on(action: str, sync: str, images: tuple[str, ...], status: str, operation: str | None) -> None:
    """``raid_sync_action`` is the operation; an unknown word is unknown."""
    [volume] = _controller(_json(action=action, sync=sync, images=images)).volumes
    assert (volume.status, volume.progress and volume.progress.operation) == (status, operation)


@pytest.mark.parametrize(
    ("action", "images", "status", "state"),
    [
        ("recover", (_OK, _STALE), "rebuilding", "running"),
        ("idle", (_OK, _STALE), "degraded", "queued"),
        ("frozen", (_OK, _STALE), "degraded", "paused"),
        ("frozen", (_OK, _OK), "initializing", "paused"),
        ("idle", (_OK, _OK), "initializing", "queued"),
    ],
)
def test_an_incomplete_copy_does_not_run_while_the_kernel_is_idle(
    action: str, images: tuple[str, ...], status: str, state: str
) -> None:
    """A recovery runs only if the kernel's action is one; ``idle`` and ``frozen`` copy nothing."""
    [volume] = _controller(_json(action=action, sync="41.20", images=images)).volumes
    assert volume.progress is not None
    assert (volume.status, volume.progress.percent, volume.progress.state) == (status, 41.2, state)


@pytest.mark.parametrize(
    ("segtype", "images", "doubted"),
    [
        ("raid1", (_STALE, _GONE), True),
        ("raid1", (_OK, _STALE, _GONE), False),
        ("raid1", (_STALE, _STALE), False),
        ("raid5_ls", (_OK, _STALE, _GONE), True),
        ("raid6_zr", (_OK, _OK, _OK, _STALE, _GONE), False),
    ],
)
def test_no_recovery_is_claimed_where_perhaps_no_whole_copy_is_left(
    segtype: str, images: tuple[str, ...], *, doubted: bool
) -> None:
    """No recovery is shown where a whole copy may be gone. An image is missing, and too few others are in sync."""
    health = "p" if _GONE in images else "-"
    text = _json(segtype=segtype, attr=f"rwi-aor-{health}-", sync="15.20", action="", images=images)
    seen = read_text(text)
    [volume] = seen.inventory.controllers[0].volumes
    severities = [one.severity for one in seen.inventory.problems if "complete copy" in one.message]
    assert (severities, volume.progress is None) == (["error"] * doubted, doubted)
    assert _code(seen) != 0


def test_a_missing_device_is_a_failed_member() -> None:
    """Only the image without a device has failed."""
    controller = _controller(_json(attr="rwi-aor-p-", images=(_OK, _GONE)))
    assert [(drive.device, drive.role, drive.status) for drive in controller.drives] == [
        ("/dev/sda2", "member", "ok"), (None, "failed", "critical"),
    ]  # fmt: skip


def test_integrity_lies_between_an_image_and_its_device() -> None:
    """With dm-integrity, the drive is the one below the image's further volumes."""
    document = json.loads(_json())
    rows = document["report"][0]["lv"]
    rows[1] |= {"segtype": "integrity", "devices": "data_rimage_0_iorig(0)"}
    rows.append({"vg_name": "vg", "lv_name": "[data_rimage_0_iorig]", "lv_attr": "-wi-ao----", "lv_size": "1073741824",
                 "segtype": "linear", "devices": "/dev/sda2(1)"})  # fmt: skip
    controller = _controller(json.dumps(document))
    assert [drive.device for drive in controller.drives] == ["/dev/sda2", "/dev/sdb2"]
    assert [volume.name for volume in controller.volumes] == ["data"]


@pytest.mark.parametrize(
    ("segtype", "places", "wanted"),
    [
        ("raid1", ("sda2", "sda2"), 0), ("raid1", ("sda2", "sda3"), 0), ("raid1", ("sda2,sdb2", "sdb2,sdc2"), 0),
        ("raid1", ("sda2,sdb2", "sdc2,sdd2"), 1), ("raid1", ("sda2", "sda2", "sdb2"), 1),
        ("raid5_ls", ("sda2", "sdb2", "sda2"), 0), ("raid6_zr", ("sda2", "sdb2", "sdc2", "sdd2", "sda2"), 1),
        ("raid10", ("sda2", "sda2", "sdb2", "sdc2"), 0),
    ],
)  # fmt: skip
def test_images_on_one_physical_volume_fail_together(segtype: str, places: tuple[str, ...], wanted: int) -> None:
    """Images that share a device are lost with it, and the mirror without redundancy is a finding."""
    document = json.loads(_json(segtype=segtype, images=(_OK,) * len(places)))
    for row, names in zip(document["report"][0]["lv"][1:], places, strict=True):
        row["devices"] = ",".join(f"/dev/{name}({at})" for at, name in enumerate(names.split(",")))
    seen = read_text(json.dumps(document))
    [controller] = seen.inventory.controllers
    assert [volume.failures_tolerated for volume in controller.volumes] == [wanted]
    assert len(controller.drives) == sum(len(names.split(",")) for names in places)
    shared = [
        one for one in diagnose(seen.inventory, rules()).findings if "several members on one drive" in one.message
    ]
    assert bool(shared) is (wanted == 0)


@pytest.mark.parametrize("place", ["unknown device(1)", "[unknown](1)"])
def test_the_table_of_a_volume_with_a_missing_device(place: str) -> None:
    """A volume whose images each have its size is a mirror. The output of lvs has no column for the level."""
    text = _HEAD + (
        "  data            vg  rwi-a-r-p- 9.00g                                    100.00           "
        "data_rimage_0(0),data_rimage_1(0)\n"
        "  [data_rimage_0] vg  iwi-aor--- 9.00g                                                     /dev/sda2(1)\n"
        f"  [data_rimage_1] vg  iwi-aor-p- 9.00g                                                     {place}\n"
    )
    controller = _controller(text)
    [volume] = controller.volumes
    assert (volume.raid_level, volume.status, volume.failures_tolerated) == ("raid1", "degraded", 0)
    assert [drive.status for drive in controller.drives] == ["ok", "critical"]


def test_plain_volumes_are_no_raid_and_a_partial_one_is_lost() -> None:
    """A linear volume is not shown. Its missing device is an error."""
    seen = read_text(_HEAD + "  root            vg  -wi-ao---- 9.00g\n")
    assert (seen.inventory.controllers, seen.inventory.problems) == ((), ())
    seen = read_text(_HEAD + "  root            vg  -wi-ao--p- 9.00g\n")
    [problem] = seen.inventory.problems
    assert (problem.severity, problem.kind) == ("error", "state")
    assert _code(seen) != 0


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("raid raid1 2 AA 4423680/4423680 idle 0 0 -", ("raid1", "ok", 1)),
        ("raid raid1 2 AD 4423680/4423680 idle 0 0 -", ("raid1", "degraded", 0)),
        ("raid raid5_ls 3 AAa 1000/4000 recover 0 0 -", ("raid5", "rebuilding", 0)),
        ("raid raid6_zr 4 AADD 4000/4000 idle 0 0 -", ("raid6", "degraded", 0)),
        ("raid raid5_ls 3 ADD 4000/4000 idle 0 0 -", ("raid5", "failed", 0)),
        ("raid raid1 2 aD 1000/4000 idle 0 0 -", ("raid1", "degraded", 0)),
        ("mirror 2 253:1 253:2 12/12 1 AA 3 disk 253:0 A", ("raid1", "ok", 1)),
    ],
)
def test_the_kernel_reports_the_health_of_each_device(target: str, expected: tuple[str, str, int]) -> None:
    """The kernel reports the health of each device. In ``dmsetup status``, A is in sync, a is not, and D has failed."""
    [volume] = _controller(f"vg--a-data: 0 4423680 {target}\n").volumes
    assert volume.id == "lvm:vg-a/data"
    assert (volume.raid_level, volume.status, volume.failures_tolerated) == expected


def test_a_status_cut_off_inside_a_line_is_reported() -> None:
    """A cut line is reported. Nothing in it is a volume or a part of the line above."""
    text = (
        "vg-a: 0 2097 mirror 2 254:57 254:58 2048/2048 1 AA 1 core\nvg-b: 0 2097152 mirror 2 254:61 254:62 7/9 1 AA\n"
    )
    at = text.index("vg-b")
    silent = [end for end in range(at + 2, at + 24) if not anything_unread(read_text(text[:end]))]
    assert silent == []


def test_json_that_is_cut_off_is_reported() -> None:
    """Half a document gives no volume and a problem."""
    text = _json()
    seen = read_text(text[: len(text) // 2])
    assert anything_unread(seen)
    assert _code(seen) != 0


@pytest.mark.parametrize(
    ("letter", "word", "status"),
    [
        ("", "", "ok"), ("", "partial", "degraded"), ("", "refresh needed", "degraded"),
        ("", "repair needed", "degraded"),
        ("", "refresh or repair needed", "degraded"), ("", "mismatches exist", "ok"), ("", "unknown", "unknown"),
        ("", "bewildered", "unknown"), ("-", "", "ok"), ("p", "", "degraded"), ("r", "", "degraded"), ("m", "", "ok"),
        ("s", "", "migrating"), ("R", "", "ok"), ("X", "", "unknown"), ("Z", "", "unknown"),
    ],
)  # fmt: skip
def test_each_word_for_the_health_of_a_volume(letter: str, word: str, status: str) -> None:
    """The ninth letter of Attr or the health field gives the status. An unknown one is not ok."""
    document = json.loads(_json(attr=f"rwi-aor-{letter}-" if letter else ""))
    row = document["report"][0]["lv"][0]
    row["lv_health_status"] = word
    if not letter:
        del row["lv_attr"]
    [volume] = _controller(json.dumps(document)).volumes
    assert volume.status == status


@pytest.mark.parametrize(
    ("name", "attr"), [("pvmove0", "p-C-aom---"), ("data_mlog", "mwi-aom---"), ("data_mlog", "lwi-aom---")]
)
def test_a_mirror_that_protects_no_data_is_no_volume(name: str, attr: str) -> None:
    """A move in progress is not shown as a volume. Neither is a mirror's mirrored log."""
    row = {"vg_name": "vg", "lv_name": f"[{name}]", "lv_attr": attr, "lv_size": "1024", "segtype": "mirror",
           "devices": "/dev/sda2(0),/dev/sdb2(0)"}  # fmt: skip
    assert read_text(json.dumps({"report": [{"lv": [row]}]})).inventory.controllers == ()
    assert read_text(_HEAD + f"  [{name}] vg {attr} 1.00g   41.00  /dev/sda2(0)\n").inventory.controllers == ()


def test_what_integrity_finds_and_a_failed_journal_are_reported() -> None:
    """Wrong checksums and a failed journal are problems."""
    document = json.loads(_json())
    document["report"][0]["lv"][0]["integritymismatches"] = "3"
    found = read_text(json.dumps(document)).inventory.problems
    assert any("3 mismatches" in problem.message for problem in found)
    document["report"][0]["lv"][0]["integritymismatches"] = "0"
    document["report"][0]["lv"][1]["integritymismatches"] = "5"
    found = read_text(json.dumps(document)).inventory.problems
    assert any("5 mismatches" in problem.message for problem in found)
    found = read_text("vg-data: 0 4423680 raid raid5_ls 3 AAA 4000/4000 idle 0 0 D\n").inventory.problems
    assert any("journal" in problem.message for problem in found)


def test_mismatches_are_reported() -> None:
    """Mismatches are reported by Attr's ninth letter or the last check's count."""
    seen = read_text(_json(attr="rwi-aor-m-", mismatches="128"))
    [volume] = seen.inventory.controllers[0].volumes
    assert volume.mismatch_count == 128
    assert _code(seen) != 0


def test_mismatches_are_reported_where_attr_is_not_listed() -> None:
    """Without the column Attr, the mismatch count is enough for a problem."""
    document = json.loads(_json(mismatches="128"))
    for row in document["report"][0]["lv"]:
        del row["lv_attr"]
    assert any("Mismatches exist" in one.message for one in read_text(json.dumps(document)).inventory.problems)


@pytest.mark.parametrize("attr", ["rwi-aor-p-", "rwi-aor-r-", "rwi-aor-m-", "rwi-aor---", "rwi-ao"])
def test_a_mismatch_count_is_reported_once_whatever_attr_shows(attr: str) -> None:
    """The letter of a missing image takes the place of the one for mismatches."""
    found = read_text(_json(attr=attr, mismatches="128")).inventory.problems
    assert sum("Mismatches exist" in one.message for one in found) == 1


@pytest.mark.parametrize(("attr", "words"), [("twi-aotzF-", "has failed"), ("twi-aotzD-", "out of data space"),
                                             ("twi-aotzM-", "read-only"), ("twi-aotz--", ""),
                                             ("Cwi-aoC-E-", "reports an error"), ("twi-cotz--", "must be checked"),
                                             ("swi-I-s---", "invalid snapshot"), ("swi-S-s---", "invalid snapshot"),
                                             ("Swi-m-s---", "could not be merged"), ("swi-a-s---", ""),
                                             ("-wi-ao----", ""), ("-wi-s-----", "")])  # fmt: skip
def test_a_pool_that_has_failed_is_a_finding(attr: str, words: str) -> None:
    """The fifth and ninth letters report the failure of a volume that is not RAID. A good RAID volume is beside it."""
    text = f"{_HEAD}  pool vg {attr} 1.00g 34.11 12.00\n  data vg rwi-aor--- 1.00g 100.00\n"
    found = [one.message for one in read_text(text).inventory.problems if one.kind == "state"]
    assert (words in found[0]) if words else not found


@pytest.mark.parametrize("attr", ["-wi-XX----", "-wi-ao--X-", "twi-XXtzX-"])
def test_a_state_that_lvs_could_not_read_is_not_good(attr: str) -> None:
    """A volume whose state lvs reports as unknown is reported as unread. A good RAID volume is beside it."""
    seen = read_text(f"{_HEAD}  plain vg {attr} 1.00g\n  data vg rwi-aor--- 1.00g 100.00\n")
    assert [
        one.message for one in seen.inventory.problems if one.kind == "unread" and "vg/plain is unknown" in one.message
    ]
    assert _code(seen) != 0


def test_the_health_of_a_volume_that_is_not_raid_is_read_from_its_own_column_too() -> None:
    """``lv_health_status`` counts, with or without the letters of Attr."""
    document = json.loads(_json())
    plain = {"vg_name": "vg", "lv_name": "wc", "lv_attr": "Cwi-aoC---", "lv_health_status": "error"}
    document["report"][0]["lv"].append(plain)
    assert _code(read_text(json.dumps(document))) != 0
    plain["lv_health_status"] = "unknown"
    assert _code(read_text(json.dumps(document))) != 0
    plain["lv_health_status"] = ""
    assert _code(read_text(json.dumps(document))) == 0


@pytest.mark.parametrize(
    ("line", "bad"),
    [
        ("vg-snap: 0 8388608 snapshot Invalid", True),
        ("vg-snap: 0 8388608 snapshot Overflow", True),
        ("vg-root: 0 8388608 snapshot-merge Merge failed", True),
        ("vg-snap: 0 8388608 snapshot 16/8388608 16", False),
        ("vg-root: 0 8388608 snapshot-origin", False),
        ("vg-data_rimage_0: 0 209715200 integrity 17 207618048 -", True),
        ("vg-data_rimage_0: 0 209715200 integrity 0 207618048 -", False),
        ("vg-pool-tpool: 0 209715200 thin-pool Fail", True),
        (
            "vg-pool-tpool: 0 409600 thin-pool 1 20/1024 100/3200 - ro no_discard_passdown queue_if_no_space - 1024",
            True,
        ),
        ("vg-vpool0-vpool: 0 41943040 vdo /dev/dm-3 normal - online online 1039 2097152", False),
        ("vg-vpool0-vpool: 0 41943040 vdo /dev/dm-3 read-only - online online 1039 2097152", True),
        ("vg-vpool0-vpool: 0 41943040 vdo /dev/dm-3 normal - online online 2097152 2097152", True),
        ("vg-home: 0 ? raid raid1 2 DA 4000/4000 idle 0 0 -", True),
        ("vg-data: 0 204800 writecache 5 4096 4000 0", True),
        ("vg-data: 0 204800 writecache 0 4096 4000 0", False),
        ("vg-data: 0 204800 writecache s 253:1 253:2 4096 0", False),
        ("vg-old: 0 204800 mirror 2 253:1 253:2 200/200 1 AA 3 disk 253:0 A", False),
        ("vg-old: 0 204800 mirror 2 253:1 253:2 200/200 1 AA 3 disk 253:0 D", True),
        ("vg-old: 0 204800 mirror 2 253:1 253:2 200/200 1 AA 3 disk 253:0 F", True),
        (
            "vg-pool-tpool: 0 209715200 thin-pool 1 12/4096 5/1000 - out_of_data_space no_discard_passdown queue_if",
            True,
        ),
        ("vg-pool-tpool: 0 209715200 thin-pool 1 12/4096 5/1000 - rw no_discard_passdown queue_if_no_space -", False),
        (
            "vg-home: 0 209715200 cache 8 1/9 128 1/9 1 2 3 4 5 6 0 1 writeback 2 threshold 2048 smq 0 ro needs_check",
            True,
        ),
    ],
)
def test_what_the_kernel_reports_of_layers_beside_raid(line: str, bad: bool) -> None:
    """Wrong checksums and failed pools are findings, beside a good RAID volume."""
    seen = read_text(f"vg-data: 0 4423680 raid raid1 2 AA 4000/4000 idle 0 0 -\n{line}\n")
    assert (_code(seen) != 0) is bad


def test_mismatches_in_the_kernels_status_are_a_finding() -> None:
    """The sixth number of dm-raid's line is the mismatch count. The seventh is an offset."""
    line = "vg-data: 0 4423680 raid raid1 2 AA 4000/4000 idle {} 2048 -\n"
    assert _code(read_text(line.format(0))) == 0
    assert _code(read_text(line.format(128))) != 0


def test_an_image_that_was_away_is_refreshed_and_not_replaced() -> None:
    """The remedy of ``refresh needed`` is a refresh. No device is missing."""
    findings = diagnose(read_text(_json(attr="rwi-aor-r-")).inventory, rules()).findings
    assert "lvchange --refresh vg/" in (findings[0].remedy or "")


def test_the_level_in_a_column_of_the_text_is_read() -> None:
    """The column of ``lvs -a -o +devices,segtype`` gives the level and so the redundancy left."""
    rows = "".join(
        f"  [big_rimage_{number}]  vg  iwi-aor-{'p' if number == 1 else '-'}- 1.00g  linear           "
        f"{'[unknown]' if number == 1 else f'/dev/sd{number}'}(1)\n"
        for number in range(5)
    )
    names = ",".join(f"big_rimage_{number}(0)" for number in range(5))
    head = "  LV              VG  Attr       LSize  Type    Cpy%Sync Devices\n"
    [volume] = _controller(f"{head}  big             vg  rwi-aor-p- 3.00g  raid6_zr  100.00  {names}\n{rows}").volumes
    assert (volume.raid_level, volume.status, volume.failures_tolerated) == ("raid6", "degraded", 1)


def test_numbers_and_lists_of_newer_json_are_read() -> None:
    """``--reportformat json_std`` has lists of devices, and numbers instead of strings."""
    document = json.loads(_json(sync="0.00", images=(_OK, _STALE)))
    for row in document["report"][0]["lv"]:
        row["lv_size"] = int(row["lv_size"])
        row["devices"] = row["devices"].split(",")
    document["report"][0]["lv"][0]["sync_percent"] = 0.0
    seen = read_text(json.dumps(document))
    [controller] = seen.inventory.controllers
    assert {drive.device for drive in controller.drives} == {"/dev/sda2", "/dev/sdb2"}
    assert controller.volumes[0].progress is not None
    assert controller.volumes[0].progress.percent == 0
    assert not any(output.unparsed() for output in seen.outputs)


def test_an_image_that_needs_a_refresh_is_no_good_drive() -> None:
    """A failed write leaves the volume without redundancy. Its drive has a warning."""
    controller = _controller(_json(attr="rwi-aor-r-", images=(_OK, "iwi-aor-r-")))
    [volume] = controller.volumes
    assert (volume.status, volume.drives_active, volume.failures_tolerated) == ("degraded", 1, 0)
    assert [drive.status for drive in controller.drives] == ["ok", "warning"]


def test_images_of_an_inactive_volume_are_not_called_out_of_sync() -> None:
    """``I`` of an inactive volume's images does not mean out of sync."""
    controller = _controller(_json(attr="rwi---r---", sync="", action="", images=("Iwi---r---", "Iwi---r---")))
    [volume] = controller.volumes
    assert (volume.status, volume.drives_active) == ("inactive", None)
    assert [drive.status for drive in controller.drives] == ["unknown", "unknown"]


def test_a_reshape_is_no_first_synchronisation() -> None:
    """The percentage of a reshape is not rebuild progress."""
    [volume] = _controller("vg-data: 0 41943040 raid raid5_ls 4 AAAA 1048576/20971520 reshape 0 4096 -\n").volumes
    assert (volume.status, volume.progress and volume.progress.percent) == ("migrating", 5)


def test_warnings_around_the_json_are_read() -> None:
    """A missing physical volume in a warning is a problem. An unknown line is left unread."""
    warning = "  WARNING: VG vg is missing PV weDidc-1111 (last written to /dev/sdb2).\n"
    seen = read_text(f"{warning}{_json()}\n  Something else happened.\n")
    assert [volume.status for volume in seen.inventory.controllers[0].volumes] == ["ok"]
    assert any("physical volume of LVM is missing" in problem.message for problem in seen.inventory.problems)
    assert [line.stripped for output in seen.outputs for line in output.unparsed()] == ["Something else happened."]


_PVS = "  PV         VG Fmt  Attr PSize   PFree\n  /dev/sda1  vg lvm2 a--  931.50g    0\n"
_VGS = "  VG  #PV #LV #SN Attr   VSize    VFree\n  vg    2   3   0 wz--n- 931.50g    0\n"
_LVS = "  LV   VG Attr       LSize  Pool Origin Data%  Meta%  Move Log Cpy%Sync Convert\n  data vg rwi-aor--- 10.00g"
_LVS += " " * 37 + "100.00\n"


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        (
            f"{_PVS}  /dev/sdb1  vg lvm2 a--  931.50g    0\n  /dev/sdc1     lvm2 ---  931.50g 931.50g\n{_VGS}{_LVS}",
            False,
        ),
        (f"{_PVS}  [unknown]  vg lvm2 a-m  931.50g    0\n{_VGS}{_LVS}", True),
        (f"{_PVS}  unknown device vg lvm2 a-   931.50g    0\n{_LVS}", True),
        (_PVS + _VGS.replace("wz--n-", "wz-pn-") + _LVS, True),
        (_LVS + _VGS.replace("wz--n-", "wz-pn-"), True),
        (_VGS.replace("wz--n-", "wz-pn-"), True),
        ('{"report": [{"pv": [{"pv_name": "[unknown]", "vg_name": "vg", "pv_attr": "a-m"}]}]}', True),
        ('{"report": [{"vg": [{"vg_name": "vg", "pv_count": "2", "vg_attr": "wz-pn-"}]}]}', True),
        ('{"report": [{"vg": [{"vg_name": "vg", "pv_count": "2", "vg_attr": "wz--n-"}]}]}', False),
    ],
)
def test_the_lists_of_pvs_and_vgs_show_a_missing_physical_volume(text: str, missing: bool) -> None:
    """A missing physical volume or a partial group is a problem, also beside a list of good volumes."""
    seen = read_text(text)
    assert [line.stripped for output in seen.outputs for line in output.unparsed()] == []
    assert [problem.message for problem in seen.inventory.problems] == [
        "A physical volume of LVM is missing."
    ] * missing


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"lv_attr": "rwi-aor---"', '"lv_attr": "rwi-sor---"'),
        ('"lv_attr": "rwi-aor---"', '"lv_attr": "rwi-aor---", "lv_health_status": "partial"'),
        ('"raid_mismatch_count": "0"', '"raid_mismatch_count": "128"'),
        ('"segtype": "linear", "devices": "/dev/sda2(1)"', '"segtype": "error", "devices": ""'),
    ],
)
def test_one_column_that_reports_trouble_counts(old: str, new: str) -> None:
    """A suspended volume, a health or a count that Attr lacks, and an image without a device are findings."""
    whole = json.dumps(json.loads(_json()))
    assert old in whole
    assert (_code(read_text(whole)), _code(read_text(whole.replace(old, new, 1)))) == (0, 1)


@pytest.mark.parametrize("letters", ["xA", "A-", "DA"])
def test_a_letter_of_the_kernel_that_is_not_good_counts_as_a_lost_image(letters: str) -> None:
    """Only A and a are images that are there: with any other letter, the volume is degraded."""
    [volume] = _controller(f"vg-data: 0 204800 raid raid1 2 {letters} 204800/204800 idle 0 0 -\n").volumes
    assert volume.status == "degraded"


@pytest.mark.parametrize(("row", "place"), [(1, 5), (1, 9), (3, 5), (3, 9), (5, 5), (5, 9)])
@pytest.mark.parametrize("letter", ["X", "Z", "q"])
def test_a_letter_for_a_state_that_no_manual_explains_is_not_good(row: int, place: int, letter: str) -> None:
    """An unknown letter for the state or health of an image, its metadata or a plain volume is unknown."""
    document = json.loads(_json())
    rows = document["report"][0]["lv"]
    for number in (0, 1):
        rows.append({"lv_name": f"[data_rmeta_{number}]", "vg_name": "vg", "lv_attr": "ewi-aor---"})
    rows.append({"lv_name": "plain", "vg_name": "vg", "lv_attr": "-wi-ao----"})
    assert _code(read_text(json.dumps(document))) == 0
    attr = rows[row]["lv_attr"]
    rows[row]["lv_attr"] = attr[: place - 1] + letter + attr[place:]
    seen = read_text(json.dumps(document))
    [volume] = seen.inventory.controllers[0].volumes
    assert (_code(seen), anything_unread(seen), volume.status) == (3, True, "ok" if row == 5 else "unknown")


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"lv_attr": "ewi-aor-p-"}, "degraded"),
        ({"lv_attr": "ewi-aor-r-"}, "degraded"),
        ({"lv_health_status": "partial"}, "degraded"),
        ({"segtype": "error"}, "degraded"),
        ({"devices": "[unknown](0)"}, "degraded"),
        ({}, "ok"),
    ],
)
def test_an_image_without_its_metadata_is_gone(change: dict[str, str], status: str) -> None:
    """The kernel does not use an image whose metadata is missing, although its data is there."""
    document = json.loads(_json())
    meta = {"lv_name": "[data_rmeta_0]", "vg_name": "vg", "lv_attr": "ewi-aor---", "devices": "/dev/sda2(0)"}
    document["report"][0]["lv"].append(meta | change)
    [volume] = _controller(json.dumps(document)).volumes
    assert (volume.status, volume.failures_tolerated) == (status, 1 if status == "ok" else 0)


@pytest.mark.parametrize(
    ("column", "value", "code"),
    [
        ("sync_percent", "50,00", 0), ("sync_percent", "nan", 3), ("sync_percent", "busy", 3),
        ("raid_mismatch_count", "many", 3), ("integritymismatches", "0", 0),
    ],
)  # fmt: skip
def test_a_figure_that_is_not_understood_is_unread(column: str, value: str, code: int) -> None:
    """A percentage or count in another form is not a complete copy and no count of zero."""
    document = json.loads(_json())
    document["report"][0]["lv"][0][column] = value
    seen = read_text(json.dumps(document))
    [volume] = seen.inventory.controllers[0].volumes
    assert (_code(seen), anything_unread(seen)) == (code, code == 3)
    assert (volume.progress is not None) == (value == "50,00")


_HEADINGS = "  LV              VG Attr       LSize  Pool Origin Data%  Meta%  Move Log Cpy%Sync Convert\n"
_BLANK = f"{_HEADINGS}  data            vg rwi-aor--- 10.00g\n"
_STRIPES = "".join(f"  [data_rimage_{n}] vg iwi-aor---  5.00g\n" for n in range(2))
_METADATA = _STRIPES.replace("_rimage_", "_rmeta_").replace("iwi", "ewi")


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (_json(sync=""), "unknown"), (_json(sync="", segtype="raid0"), "ok"), (_BLANK, "unknown"),
        (_BLANK.replace("rwi-a", "mwi-a"), "unknown"), (_BLANK + _STRIPES, "ok"),
        (_BLANK + _STRIPES + _METADATA, "unknown"),
        ("  LV   VG Attr       LSize\n  data vg rwi-aor--- 10.00g\n", "ok"),
        ("  LV   VG Attr       LSize  Type  Cpy%Sync\n  data vg rwi-aor--- 10.00g raid1\n", "unknown"),
        ("  LV   VG Attr       Type  Cpy%Sync Devices\n  data vg rwi-aor--- raid1          d_rimage_0(0)\n", "unknown"),
    ],
)  # fmt: skip
def test_a_blank_percentage_is_good_only_for_raid_0(text: str, status: str) -> None:
    """An active volume whose Cpy%Sync is blank is known to be ok only if it is RAID-0, for which lvs prints none."""
    seen = read_text(text)
    [volume] = seen.inventory.controllers[0].volumes
    assert (volume.status, anything_unread(seen)) == (status, status == "unknown")


def test_a_volume_without_its_name_is_unread() -> None:
    """A row of JSON that lacks ``lv_name`` may be that of a volume that has failed."""
    document = json.loads(_json())
    document["report"][0]["lv"].append({"vg_name": "vg", "lv_attr": "rwi-a-r-p-", "segtype": "raid1"})
    assert anything_unread(read_text(json.dumps(document)))


@pytest.mark.parametrize("segtype", ["raid1", "raid5_ls", "raid6_zr"])
def test_a_recovery_without_its_image_is_no_full_redundancy(segtype: str) -> None:
    """While the kernel recovers, an image lacks data, also if no row shows yet which one."""
    images = (_OK,) * (4 if segtype == "raid6_zr" else 3)
    seen = read_text(_json(segtype=segtype, action="recover", sync="41.20", images=images))
    [volume] = seen.inventory.controllers[0].volumes
    assert volume.status == "rebuilding"
    assert volume.failures_tolerated == (1 if segtype != "raid5_ls" else 0)
    assert _code(seen) == 1


@pytest.mark.parametrize(
    ("columns", "words"), [({"data_percent": "100.00"}, "data space"), ({"metadata_percent": "100.00"}, "metadata"),
                           ({"data_percent": "99.99", "metadata_percent": "8.20"}, "")],
)  # fmt: skip
def test_a_full_pool_is_a_finding_before_its_letter_is(columns: dict[str, str], words: str) -> None:
    """A thin pool without space is reported, in JSON and in text; a full thin volume is not."""
    document = json.loads(_json())
    document["report"][0]["lv"] += [
        {"vg_name": "vg", "lv_name": "pool", "lv_attr": "twi-aotz--"} | columns,
        {"vg_name": "vg", "lv_name": "thin", "lv_attr": "Vwi-aotz--"} | columns,
    ]
    percents = f"{columns.get('data_percent', '10.00')} {columns.get('metadata_percent', '3.00')}"
    text = f"{_HEAD}  pool vg twi-aotz-- 1.00g {percents}\n  thin vg Vwi-aotz-- 1.00g pool {percents}\n"
    for printed in (json.dumps(document), f"{text}  data vg rwi-aor--- 1.00g 100.00\n"):
        found = [one.message for one in read_text(printed).inventory.problems if one.kind == "state"]
        assert len(found) == bool(words)
        assert all("vg/pool is out of" in one and words in one for one in found)


@pytest.mark.parametrize("columns", [{"pv_attr": "a-m"}, {"pv_missing": "missing"}, {"pv_missing": "1"}])
def test_a_missing_physical_volume_of_a_full_report_is_a_problem(columns: dict[str, str]) -> None:
    """``lvm fullreport`` lists physical volumes beside the logical ones."""
    document = json.loads(_json())
    document["report"][0]["pv"] = [{"pv_name": "/dev/sda2", "pv_attr": "a--", "pv_missing": ""}]
    assert _code(read_text(json.dumps(document))) == 0
    document["report"][0]["pv"] += [{"pv_name": "[unknown]", "pv_uuid": "Fq-96", "pv_attr": "a--"} | columns]
    assert _code(read_text(json.dumps(document))) == 1
    seen = read_text(json.dumps(document))
    assert "A physical volume of LVM is missing." in [one.message for one in seen.inventory.problems]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("raid raid1 3 AA 4000/4000 idle 0 0 -", 3),
        ("raid raid1 2 AA 4000/4000 idle 0 0 A", 0),
        ("raid raid1 2 AA 4000/4000 idle 0 0 X", 1),
        ("mirror 2 253:1 253:2 200/200 1 AA 3 clustered-disk 253:0 D", 1),
        ("mirror 2 253:1 253:2 200/200 1 AA 3 disk 253:0 X", 1),
        ("mirror 2 253:1 253:2 200/200 1 AA 1 core", 0),
    ],
)
def test_each_letter_of_the_kernels_line_counts(line: str, code: int) -> None:
    """A letter that is missing, and any but the good one for a log or journal, is not ok."""
    assert _code(read_text(f"vg-data: 0 4000 {line}\n")) == code


@pytest.mark.parametrize(("segtype", "letters"), [("raid1", "AAA"), ("raid6_zr", "AAAA")])
def test_of_lvs_and_the_kernel_the_worse_counts(segtype: str, letters: str) -> None:
    """Images that lvs reports as in need of a refresh do not work because the kernel's line is of another moment."""
    images = ("iwi-aor-r-", "iwi-aor-r-", *[_OK] * (len(letters) - 2))
    kernel = f"vg-data: 0 4000 raid {segtype} {len(letters)} {letters} 4000/4000 idle 0 0 -\n"
    text = _json(segtype=segtype, attr="rwi-aor-r-", images=images)
    documents = [Document("lvs", "lvm", text), Document("dmsetup status", "lvm", kernel)]
    [controller] = with_redundancy(raidctl_lvm.read(documents).controllers)
    [volume] = controller.volumes
    assert (volume.status, volume.failures_tolerated) == ("degraded", 0)


def test_images_that_are_listed_many_times_on_each_other_are_read_in_time() -> None:
    """The places below an image are looked up once for each name: 200 rows take milliseconds, not minutes."""
    rows = "".join(
        f"  [data_rimage_{one}] vg iwi-aor---  1.00g   data_rimage_{1 - one}(0),data_rimage_{one}(0)\n"
        for one in (0, 1) * 100
    )
    begun = process_time()
    controller = _controller(f"{_HEAD}  data vg rwi-aor---  1.00g  100.00  data_rimage_0(0),data_rimage_1(0)\n{rows}")
    assert [volume.name for volume in controller.volumes] == ["data"]
    assert process_time() - begun < 5
