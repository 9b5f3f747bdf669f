"""Conclusions from all rows of lvs and lines of dmsetup together."""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.evidence import Line
from raidctl.model import Progress
from raidctl.model.raid_levels import PARITY_DRIVES
from raidctl.model.task import Operation
from raidctl.text import attempt
from raidctl.units import parse_size, whole_number
from raidctl.vendor.draft import GroupDraft
from raidctl.vendor.statuses import put_status
from raidctl_lvm.agreement import settle_rows
from raidctl_lvm.draft import ControllerDraft, Row, Status
from raidctl_lvm.images import PART, SHORT, health_of, images_of, put_members, whole
from raidctl_lvm.lists import DEVICE, device_of, snapshot_trouble
from raidctl_lvm.vocabulary import (
    FULL,
    HALTED,
    NO_RAID,
    OPERATIONS,
    POOL_REMEDY,
    POOL_TROUBLE,
    RAID_TYPES,
    STATE_TROUBLE,
    STATES,
    level_of,
)

_LIVE = "Aa"


def infer(controller: ControllerDraft) -> None:
    """Make the drafts of all RAID volumes; plain logical volumes have none."""
    settle_rows(controller)
    for name, rows in controller.rows.items():
        part = PART.fullmatch(rows[0].lv)
        if part is None and _is_raid(rows[0]):
            _volume(controller, name, rows[0])
        elif part is None:
            _plain(controller, name, rows[0])
    for name in controller.statuses:
        if name not in controller.volumes:
            volume = controller.volume(name)
            controller.array(name)
            volume.put(controller.statuses[name].line, "name", name.rpartition("/")[2])
    for name, status in controller.statuses.items():
        _target(controller.volume(name), status)
    for volume in controller.volumes.values():
        _status(controller, volume)
    for rows in controller.rows.values():
        for row in rows:
            for line in row.lines.values():
                line.used = True


def _plain(controller: ControllerDraft, name: str, row: Row) -> None:
    """Report what is wrong with a volume that is not RAID."""
    health = [word for word in (row.letter(9), row.cells.get("lv_health_status", "")) if word not in ("", "-")]
    partial = "p" in health or "partial" in health
    if partial and not _on_volume(row):
        plain = ", and it has no redundancy" if row.attr or row.cells.get("segtype") else ""
        message = f"The logical volume {name} is partial: a physical volume is missing{plain}."
        controller.add_problem("error", "state", message, "Connect the missing device, or restore a backup.")
    trouble = next((POOL_TROUBLE[word] for word in health if word in POOL_TROUBLE), STATE_TROUBLE.get(row.letter(5)))
    trouble = trouble or next((FULL[label] for label in FULL if row.letter(1) == "t" and _is_full(row, label)), None)
    if trouble is not None:
        controller.add_problem("error", "state", f"The logical volume {name} {trouble}.", POOL_REMEDY)
    snapshot_trouble(controller, name, row.letter(5))
    if row.letter(5) not in STATES or any(word not in ("p", "partial", *POOL_TROUBLE) for word in health):
        words = ", ".join(f"“{word}”" for word in (row.attr, row.cells.get("lv_health_status", "")) if word)
        message = f"The state of the logical volume {name} is unknown: lvs reports {words}."
        controller.add_problem(
            "warning", "unread", message, f"Run lvs again as root: `lvs -a -o +lv_health_status {name}`."
        )


def _is_full(row: Row, label: str) -> bool:
    """Whether a percentage of a thin pool has reached 100."""
    return (attempt(float, row.cells.get(label) or None) or 0.0) >= 100


def _is_raid(row: Row) -> bool:
    """Whether a volume is RAID itself. Its segment type, its own letter, or the letter of its target shows it."""
    if NO_RAID.fullmatch(row.lv) or row.letter(1) == "p":
        return False
    if row.cells.get("segtype"):
        return level_of(row.cells["segtype"]) is not None
    # a hidden volume for a pool: [tp_ssd_tmeta]  x22v0  ewi-aor---
    target = row.letter(7) in ("r", "m") and row.letter(1) != "l"
    named = any(PART.fullmatch(one[1] or one[2]) for one in DEVICE.finditer(row.cells.get("devices", "")))
    return target or named or row.letter(1) in tuple(RAID_TYPES)


def _on_volume(row: Row) -> bool:
    """Whether a volume is on another one, which is to be reported."""
    places = [one[1] or one[2] for one in DEVICE.finditer(row.cells.get("devices", ""))]
    return row.letter(1) in ("V", "v", "s") or any(place[:1] not in ("/", "u", "[") for place in places)


def _volume(controller: ControllerDraft, name: str, row: Row) -> None:
    volume = controller.volume(name)
    controller.array(name)
    cells = row.cells
    volume.put(row.line("lv_name"), "name", row.lv)
    size = attempt(_size, cells.get("lv_size"))
    if size:
        volume.put(row.line("lv_size"), "size_bytes", size)
    if cells.get("lv_uuid"):
        volume.put(row.line("lv_uuid"), "unique_id", cells["lv_uuid"])
    level = level_of(cells.get("segtype", "")) or ("raid1" if row.letter(1) in ("m", "M") else None)
    images = [one for one in images_of(controller, row) if one.cells]
    if level is None and images and all(attempt(_size, one.cells.get("lv_size")) == size for one in images) and size:
        level = "raid1"  # each image has the size of the volume
    if level is not None:
        volume.put(row.line("segtype", "lv_attr", "lv_name"), "raid_level", level)
        if "segtype" in cells:
            volume.keep_words("segtype", cells["segtype"])
    strip = attempt(_size, cells.get("stripe_size"))
    if strip and level not in (None, "raid1"):
        volume.put(row.line("stripe_size"), "strip_bytes", strip)
    for label in ("raid_mismatch_count", "raidintegritymode", "integritymismatches", "lv_attr", "raid_sync_action",
                  "lv_health_status"):  # fmt: skip
        if cells.get(label):
            volume.detail(row.line(label), label, cells[label])
    if mismatches := cells.get("raid_mismatch_count"):
        if (count := whole_number(mismatches)) is None:
            volume.unread("raid_mismatch_count", mismatches)
        else:
            volume.put(row.line("raid_mismatch_count"), "mismatch_count", count)
    volume.detail(row.line("lv_attr", "lv_name"), "Attr", row.attr)
    put_members(controller, name, row, volume)


def _size(text: str) -> int:
    """``<931.51g``; bytes with ``--units b``, where lvs prints a bare number or ``…B``."""
    text = text.strip().lstrip("<>").replace(",", ".").removesuffix("B")
    number = whole_number(text)
    return parse_size(text if text.lower().endswith("b") else f"{text}B", binary=True) if number is None else number


def _target(volume: GroupDraft, status: Status) -> None:
    """``raid1 2 AA 4423680/4423680 idle 0 0 -`` of status; ``raid5_ls 3 128 region_size …`` of table."""
    words, line = status.words, status.line
    volume.detail(line, status.target, " ".join(words))
    health, level = status.health, "raid1" if status.target == "mirror" else level_of(words[0]) or ""
    if level:
        volume.put(line, "raid_level", level)
    if not health:
        sectors = whole_number(words[2]) if status.target == "raid" and len(words) > 2 else None
        if sectors is not None and level not in ("", "raid1"):
            volume.put(line, "strip_bytes", sectors * 512)
        return
    volume.put(line, "kernel_health", health, shown_as="details[raid]")
    count = words[0] if status.target == "mirror" else words[1]
    volume.put(line, "drives_expected", len(health))
    listed = volume.get("drives_active")  # by lvs, at another moment: the lower count is taken
    volume.override("drives_active", min(health.count("A"), listed if isinstance(listed, int) else len(health)))
    if count != str(len(health)):  # raid1 3 AA: a letter is missing
        volume.unread("health of its images", f"{count} {health}")
        volume.discard("drives_active")
    ratio = next((word for word in words if re.fullmatch(r"\d{1,18}/\d{1,18}", word)), "")
    done, _, whole = ratio.partition("/")
    if ratio and int(whole):
        volume.put(line, "kernel_percent", round(100 * int(done) / int(whole), 2), shown_as="progress.percent")
    _log(volume, status)
    if status.target == "raid" and len(words) > 5:
        volume.put(line, "kernel_action", words[4], shown_as="details[raid]")
        if (mismatches := whole_number(words[5])) is not None:
            volume.put(line, "mismatch_count", mismatches)


def _log(volume: GroupDraft, status: Status) -> None:
    """Report the log of a mirror, or the journal of a RAID volume, if it is not good."""
    words, remedy = status.words, "Replace its device."
    # mirror 2 253:1 253:2 200/200 1 AA 3 disk 253:0 D: the device of its log has failed, or writing to it has (F)
    if status.target == "mirror" and any(word.endswith("disk") for word in words) and words[-1] != "A":
        what = "has failed" if words[-1] in ("D", "F") else f"has the unknown state “{words[-1]}”"
        volume.add_problem("warning", "state", f"The log of {volume.name} {what}.", remedy)
    if status.target == "raid" and len(words) > 7 and words[7] not in ("-", "A", "a"):
        what = "has failed" if words[7] == "D" else f"has the unknown state “{words[7]}”"
        volume.add_problem("warning", "state", f"The journal of {volume.name} {what}.", remedy)


def _status(controller: ControllerDraft, volume: GroupDraft) -> None:
    row = next(iter(controller.rows.get(volume.name, ())), None)
    cells = row.cells if row else {}
    action = volume.get("kernel_action") or cells.get("raid_sync_action") or ""
    printed = cells.get("sync_percent") or cells.get("copy_percent") or ""
    percent = volume.get("kernel_percent")
    percent = attempt(_percent, printed or None) if percent is None else percent
    lines = [row.line("lv_attr", "lv_name")] if row else [controller.statuses[volume.name].line]
    health = health_of(row) if row else ""
    kernel = volume.get("kernel_health") or ""
    gone = health in SHORT or any(letter not in _LIVE for letter in kernel)
    images = [controller.drives[key].get("status") for key in controller.array(volume.name).members]
    gone = gone or "critical" in images or bool(volume.get("refresh"))
    words = ", ".join(part for part in (row.attr if row else "", health, kernel, action) if part)
    operation: Operation | None = OPERATIONS.get(action, "unknown") if action else None
    unsynced = percent is None and row is not None and _lacks_percent(controller, volume, row)
    behind, lost = percent is not None and percent < 100, False
    reported = (health, operation, *([] if kernel else images))
    if row and row.letter(5) not in ("a", "") and not kernel:
        word = "inactive" if row.letter(5) == "-" else "unknown"
    elif gone:
        word, lost = _short(volume, images, kernel)
    elif operation == "recovery" or "warning" in images or "a" in kernel:
        word = "degraded" if action in HALTED else "rebuilding"
        if "warning" not in images and "a" not in kernel:  # an image lacks data, and it is unknown which
            volume.discard("drives_active")
    elif (
        "unknown" in reported or (printed and percent is None) or unsynced or (row and not _described(controller, row))
    ):
        word = "unknown"
    elif operation in ("check", "repair"):  # the percentage is that of the check
        word = "checking"
    elif operation == "reshape" or health == "reshaping":  # the percentage is that of the reshape
        word = "migrating"
    elif behind or operation == "resync":
        word = "initializing"
    elif not row and not kernel:  # "dmsetup table" alone reports no state
        return
    else:
        word = "ok"
    if word == "unknown" and unsynced:
        _report_no_percent(volume, lines[0], words)
    else:
        put_status(volume, lines, "volume", word, text=words)
    _report(controller, volume, row, health)
    if lost:
        _end_recovery(controller, volume)
    if operation is not None or (behind and word in ("rebuilding", "degraded", "initializing") and not lost):
        guess: Operation = "recovery" if word in ("rebuilding", "degraded") else "resync"
        volume.override("progress", _progress(operation or guess, percent, action))


def _end_recovery(controller: ControllerDraft, volume: GroupDraft) -> None:
    """Call images that are not in sync so: no data is left to recover them from."""
    for key in controller.array(volume.name).members:
        drive = controller.drives[key]
        if drive.get("status") == "warning":
            drive.override("status_text", "out of sync")


def _report(controller: ControllerDraft, volume: GroupDraft, row: Row | None, health: str) -> None:
    """Report what a volume with any status may have: a suspension, and wrong data."""
    if row and row.letter(5) in ("s", "S"):
        suspended = f"{volume.name} is suspended: reads and writes wait until it is resumed."
        remedy = f"`dmsetup resume {device_of(volume.name)}`, if no LVM command is running."
        volume.add_problem("warning", "state", suspended, remedy)
    # Attr has one letter: "p" for a missing image hides "m" for mismatches, the count does not
    differ = health == "mismatches exist" or bool(volume.get("mismatch_count"))
    rows = [row, *images_of(controller, row)] if row else []
    counts = [one.cells.get("integritymismatches", "") for one in rows]
    _mismatches(volume, next((count for count in counts if count.strip("0")), ""), differ=differ)


def _percent(text: str) -> float:
    """``41.20``; in some languages ``41,20``."""
    value = float(text.replace(",", "."))
    if not 0 <= value <= 100:
        raise ValueError(text)
    return value


def _progress(operation: Operation, percent: float | None, action: str) -> Progress:
    state, reason = HALTED.get(action) or (None, None)
    return Progress(operation=operation, percent=percent, state=state or "running", reason=reason)


def _mismatches(volume: GroupDraft, corrupt: str, *, differ: bool) -> None:
    """Report images that differ, and blocks whose checksum was wrong."""
    if differ:
        volume.add_problem("warning", "state", f"Mismatches exist in {volume.name}: its copies or its parity differ.",
                           f"`lvchange --syncaction repair {volume.name}`")  # fmt: skip
    if corrupt.isdecimal() and corrupt.strip("0"):
        volume.add_problem("warning", "state", f"dm-integrity has found {corrupt} mismatches in {volume.name}.",
                           "See which image they are on: `lvs -a -o +integritymismatches`.")  # fmt: skip


def _described(controller: ControllerDraft, row: Row) -> bool:
    """Whether the list has the health of a volume or its images. The short Attr of old versions has none.

    Health alone does not show whether the images are in sync.
    """
    if row.letter(9) or ("lv_health_status" in row.cells and (row.attr or row.cells.get("sync_percent"))):
        return True
    images = list(images_of(controller, row))
    return bool(images) and all(whole(image) for image in images)


def _lacks_percent(controller: ControllerDraft, volume: GroupDraft, row: Row) -> bool:
    """Whether the column for the synchronisation is blank. lvs prints it for each active volume except RAID-0.

    Without the segment type, RAID-0 is a volume whose images are in the list, but not their metadata.
    """
    if row.letter(5) != "a" or not any(row.cells.get(name) == "" for name in ("sync_percent", "copy_percent")):
        return False
    images = [image for image in images_of(controller, row) if image.cells]
    metadata = [image for image in images if f"{image.vg}/{image.lv.replace('_rimage_', '_rmeta_')}" in controller.rows]
    level = volume.get("raid_level") or ("raid0" if images and not metadata else None)
    return bool(level != "raid0")


def _report_no_percent(volume: GroupDraft, line: Line | None, words: str) -> None:
    volume.put(line, "status", "unknown")
    volume.put(line, "status_text", words)
    message = f"Whether {volume.name} is in sync is unknown: its Cpy%Sync is blank, as only RAID-0's is."
    volume.add_problem("warning", "unread", message, f"Run lvs again as root: `lvs -a -o +segtype {volume.name}`.")


def _short(volume: GroupDraft, images: Sequence[str | None], kernel: str) -> tuple[str, bool]:
    """Degraded, or failed if more images are gone than the level survives.

    The second value: whether perhaps no data is whole. That is so if too few images are both there and in sync. lvs
    (``I``) and the kernel (``a``) mark in the same way an image that lacks data and all images of a first
    synchronisation, in which the data is whole.
    """
    count = max(len(images), len(kernel))
    most = {"raid0": 0, "raid1": count - 1, **PARITY_DRIVES}.get(volume.get("raid_level") or "")
    gone = max(images.count("critical"), sum(letter not in _LIVE for letter in kernel))
    behind = max(images.count("warning"), kernel.count("a"))
    if most is None or not gone or gone + behind <= most:
        return "degraded", False
    if gone > most:
        return "failed", False
    volume.add_problem(
        "error",
        "state",
        f"Perhaps no complete copy of the data of {volume.name} is left: a device is missing, and what is left is not "
        "in sync.",
        "Connect the missing device again before anything else: it may hold the only one.",
    )
    return "degraded", True
