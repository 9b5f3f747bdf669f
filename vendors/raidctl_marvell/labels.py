"""The labels of the tools' sections, in lower case. Each label leads to its field, or to the function that reads it.

Labels in none of these tables are details.
"""

from __future__ import annotations

from raidctl.model import Health
from raidctl.text import collapse
from raidctl.vendor.draft import DETAIL, ROW, Draft, GroupDraft, Pair
from raidctl.vendor.fields import Field, Fields, leading_interface
from raidctl.vendor.statuses import put_raid_level, put_status
from raidctl_marvell import vocabulary
from raidctl_marvell.draft import ControllerDraft

IDLE = "idle"
"""The activity of an idle volume. Its background work is not running, or has ended early."""
_IMAGE: dict[str, Health] = {"healthy": "ok", "error": "warning"}


def _image(controller: ControllerDraft, pair: Pair) -> None:
    # Image health:                        Healthy
    if vocabulary.has_value(pair.value):
        put_status(controller, pair.lines, "controller", _IMAGE.get(pair.value.lower()), text=f"Image: {pair.value}")
    else:
        controller.keep_detail(pair)


def _part_of_image(controller: ControllerDraft, pair: Pair) -> None:
    # Autoload image health:               Error
    controller.keep_detail(pair)
    if vocabulary.has_value(pair.value) and _IMAGE.get(pair.value.lower()) != "ok":
        controller.add_problem("warning", "state", f"The tool reports {pair.label}: {pair.value}.")


def _volume_state(volume: GroupDraft, pair: Pair) -> None:
    if vocabulary.has_value(pair.value):
        put_status(volume, pair.lines, "volume", vocabulary.volume_state(pair.value), text=pair.value)
    else:
        volume.keep_detail(pair)


def _importable(volume: GroupDraft, pair: Pair) -> None:
    # Importable:          No
    volume.keep_detail(pair)
    if pair.value.lower() == "yes":
        put_status(volume, pair.lines, "volume", "inactive", text="Importable: Yes")


def _level(volume: GroupDraft, pair: Pair) -> None:
    put_raid_level(volume, pair, vocabulary.raid_level(pair.value), empty=not vocabulary.has_value(pair.value))


def _activity(volume: GroupDraft, pair: Pair) -> None:
    # BGA status:          not running
    volume.keep_detail(pair)
    word = collapse(pair.value.lower())
    if not vocabulary.has_value(word):
        return
    if word not in vocabulary.ACTIVITIES:
        volume.unread(pair.label, pair.value)
    volume.conclude("activity", vocabulary.ACTIVITIES.get(word, "running") or IDLE, DETAIL)


def _progress(volume: GroupDraft, pair: Pair) -> None:
    # BGA progress:    rebuilding is 15% done
    volume.keep_detail(pair)
    if not vocabulary.has_value(pair.value):
        return
    found = vocabulary.operation(pair.value)
    volume.conclude("operation", found, DETAIL)
    percent = vocabulary.percent(pair.value)
    if percent is not None:
        volume.put(pair.lines[0], "progress.percent", percent)
    if found == "unknown":
        volume.unread(pair.label, pair.value)


def _drive_state(drive: Draft, pair: Pair) -> None:
    if vocabulary.has_value(pair.value):
        put_status(drive, pair.lines, "drive", vocabulary.drive_state(pair.value), text=pair.value)
        if not vocabulary.is_member(pair.value):
            drive.conclude("apart", pair.value)
    else:
        drive.keep_detail(pair)


def _type(drive: Draft, pair: Pair) -> None:
    # Type:                SATA PD
    interface = leading_interface(pair.value)
    if interface is not None:
        drive.put(pair.lines[0], "interface", interface)
    drive.keep_detail(pair)


def _media(drive: Draft, pair: Pair) -> None:
    media = {"ssd": "ssd", "hdd": "hdd"}.get(pair.value.lower())
    if media is not None:
        drive.put(pair.lines[0], "media", media)
    else:
        drive.keep_detail(pair)


def _role(drive: Draft, pair: Pair) -> None:
    # associated VDs:      0          Assigned:                     Yes
    drive.put(pair.lines[0], "role", "member" if pair.value and pair.value.lower() != "no" else "unassigned", ROW)
    drive.keep_detail(pair)


def _critical(drive: Draft, pair: Pair) -> None:
    # SMART Critical                No
    drive.keep_detail(pair)
    if pair.value.lower() not in ("no", "0", "0x0", "0x00", ""):
        put_status(drive, pair.lines, "drive", "warning", text=f"SMART Critical: {pair.value}")


def _smart_status_of_some_drive(controller: ControllerDraft, pair: Pair) -> None:
    # SMART STATUS RETURN: OK.            without the command, which has the drive's number
    controller.keep_detail(pair)
    if pair.value.strip(" .").lower() != "ok":
        controller.add_problem("warning", "state", f"The tool reports {pair.label} of a drive: {pair.value}")


def _smart_status(drive: Draft, pair: Pair) -> None:
    # SMART STATUS RETURN: OK.
    drive.keep_detail(pair)
    if pair.value.strip(" .").lower() != "ok":
        put_status(drive, pair.lines, "drive", "warning", text=f"SMART STATUS RETURN: {pair.value}")


CONTROLLER: Fields[ControllerDraft] = {
    # ModelNumber:                         M.2 + Mirroring Kit
    **dict.fromkeys(("modelnumber", "model number", "model"), Field("model", vocabulary.text)),
    # Product:                             1b4b-9230
    "product": Field("model", vocabulary.text, ROW, keep=True),
    **dict.fromkeys(("serialno", "serial number", "serial"), Field("serial", vocabulary.text)),
    # Firmware version:                    2.3.10.1199
    "firmware version": Field("firmware", vocabulary.text),
    **dict.fromkeys(
        (
            "autoload image health", "boot loader image health", "firmware image health",
            "boot rom image health", "hba info image health",
        ),
        _part_of_image,
    ),
    "image health": _image,
    "smart status return": _smart_status_of_some_drive,
}  # fmt: skip
VOLUME: Fields[GroupDraft] = {
    "name": Field("name", vocabulary.text),
    # status:              functional
    # VD status:           optimal
    **dict.fromkeys(("status", "vd status"), _volume_state),
    "importable": _importable,
    # Stripe size:         64            Stripe Block Size:   128K
    **dict.fromkeys(("stripe size", "stripe block size"), Field("strip_bytes", vocabulary.strip)),
    "raid mode": _level,
    # size:                122040 M      size:                447 GB
    "size": Field("size_bytes", vocabulary.size),
    "bga status": _activity,
    "bga progress": _progress,
    # # of PDs:            2             PD Count:            2
    **dict.fromkeys(("# of pds", "pd count"), Field("drives_expected", vocabulary.count)),
    # PD RAID setup:       0 1           PDs:                 0 1
    **dict.fromkeys(
        ("pd raid setup", "pds"), Field("drives", vocabulary.numbers, shown_as="details[Drives]", keep=True)
    ),
}
DRIVE: Fields[Draft] = {
    "type": _type,
    # Linked at:           HBA port 0
    "linked at": Field("bay", vocabulary.port, ROW, keep=True),
    # SSD backend RC/Slot ID:       0
    "ssd backend rc/slot id": Field("bay", vocabulary.text),
    # Size:                125034840 K
    "size": Field("size_bytes", vocabulary.size, ROW),
    # LBA:                          500118192
    "lba": Field("sectors", vocabulary.count, shown_as="details[LBA]", keep=True),
    "sector size": Field("sector_bytes", vocabulary.sector),
    "model": Field("model", vocabulary.text),
    "serial": Field("serial", vocabulary.text),
    "firmware version": Field("firmware", vocabulary.text),
    "ssd type": _media,
    "wwn": Field("wwn", vocabulary.wwn),
    # PD status:           online        Status:                       Idle
    **dict.fromkeys(("pd status", "status"), _drive_state),
    # supported speed:     1.5 3 6 Gb/s
    "supported speed": Field("max_link_gbps", vocabulary.speed),
    "current speed": Field("link_gbps", vocabulary.speed),
    **dict.fromkeys(("associated vds", "assigned"), _role),
    "smart critical": _critical,
    "smart status return": _smart_status,
}
ATTRIBUTES: dict[int, str] = {
    0x05: "errors.reallocated", 0x09: "power_on_hours", 0xC5: "errors.pending", 0xC6: "errors.uncorrectable",
    0xC7: "errors.link",
}  # fmt: skip
"""The fields of SMART attributes, by their numbers."""
