"""The drives of a controller, from the firmware's replies."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from raidctl_mfi.config import MISSING, SECTOR, Config, operations
from raidctl_mfi.dialogue import Answers
from raidctl_mfi.layout import Text, elements
from raidctl_mfi.problems import Json, Problems
from raidctl_mfi.structures import PD_ADDRESS, PD_INFO, PD_LIST_HEADER
from raidctl_mfi.vocabulary import DRIVE_STATES, INTERFACES

_DISK = 0
_OPERATIONS = ((0, "rebuild"), (1, "patrol"), (2, "clear"))
_FOREIGN, _WCE = 1 << 4, 1 << 6
_NOT_CONNECTED = 0x7F
"""First byte of inquiry data that is not filled in."""


def drives(found: Answers, known: Config, where: str, problems: Problems) -> list[Json] | None:
    """Describe all drives; None if the list could not be read."""
    answer = found.pd_list
    if answer is None or not answer.has_data:
        return None
    count = PD_LIST_HEADER.decode(answer.data)["count"]
    rows = list(elements(PD_ADDRESS, answer.data, PD_LIST_HEADER.size, min(count or 0, 256)))
    if count is None or len(rows) != count:
        problems.unread(where, f"The list of drives counts {count}, but contains {len(rows)}: some may not be shown.")
    wrong = {
        device: given for device in found.pd_info if (given := _device_of_reply(found, device)) not in (None, device)
    }
    if wrong:
        problems.unread(
            where,
            f"Requested {_named(wrong)}, the firmware returned {_named(set(wrong.values()))}; "
            f"the data of {_named(wrong)} is unknown.",
        )
    rows.sort(key=lambda row: row["device_id"])
    return [_drive(row, found, known, where, problems) for row in rows if row["scsi_type"] == _DISK]


def _named(devices: Collection[int]) -> str:
    """``drive 9``, ``drives 256 and 1280``."""
    *first, last = map(str, sorted(devices))
    return f"drives {', '.join(first)} and {last}" if first else f"drive {last}"


def _device_of_reply(found: Answers, device: int) -> int | None:
    """Return the device that a reply is about. QEMU's firmware uses only the low byte of the requested id."""
    info = _own(found, device)
    given: int | None = info["ref"]["device_id"] if info else None
    return given


def block_size(found: Answers, device: int) -> int | None:
    """Block size in bytes, 512 by default. None if the drive could not be read."""
    info = _own(found, device)
    return (info["block_size"] or SECTOR) if info and info["ref"]["device_id"] == device else None


def _drive(row: dict[str, Any], found: Answers, known: Config, controller: str, problems: Problems) -> Json:
    device = row["device_id"]
    where = f"{controller}, drive {device}"
    info = _own(found, device) if _device_of_reply(found, device) == device else None
    size = info["block_size"] or SECTOR if info else SECTOR
    state = problems.agree(
        where,
        "state",
        [("PD_GET_INFO", _state(info["fw_state"] if info else None)), ("CFG_READ", _configured(known, device))],
    )
    spare = next((one for one in known.spares if one["device_id"] == device), None)
    return {
        "device_id": device,
        "enclosure": None if row["enclosure_id"] == MISSING else row["enclosure_id"],
        "slot": row["slot"],
        "sas_address": f"0x{row['sas_addresses'][0]:016x}" if row["sas_addresses"][0] else None,
        "array": next((array["ref"] for array in known.arrays if _member(array, device)), None),
        "spare": spare is not None if known.complete else None,
        "dedicated_to": spare["dedicated_to"] if spare else [],
        "state": state,
        **_inquiry(info),
        "raw_bytes": _bytes(info, "raw_blocks", size),
        "size_bytes": _bytes(info, "coerced_blocks", size),
        "interface": _interface(info),
        "media_errors": info and info["media_errors"],
        "other_errors": info and info["other_errors"],
        "predicted_failures": info and info["predicted_failures"],
        # firmware that does not support the field leaves 0 in it
        "temperature_celsius": (info and info["temperature"]) or None,
        "write_cache": "enabled" if info and (info["properties"] or 0) & _WCE else None,
        "foreign": None if info is None or info["ddf_type"] is None else bool(info["ddf_type"] & _FOREIGN),
        "progress": operations(info["progress"], _OPERATIONS) if info and info["progress"]["active"] else [],
    }


def _own(found: Answers, device: int) -> dict[str, Any] | None:
    """Decode PD_GET_INFO as the firmware returned it for a device."""
    answer = found.pd_info.get(device)
    if answer is None or not answer.has_data or not any(answer.data):
        return None
    return PD_INFO.decode(answer.data) if len(answer.data) >= PD_INFO.offset("vpd_page83_ext") else None


def _state(code: int | None) -> str | None:
    return None if code is None else DRIVE_STATES.get(code, f"state 0x{code:02x}")


def _configured(known: Config, device: int) -> str | None:
    codes = [drive["state_code"] for array in known.arrays for drive in array["drives"] if drive["device_id"] == device]
    return _state(codes[0]) if codes else None


def _member(array: Json, device: int) -> bool:
    return any(drive["device_id"] == device for drive in array["drives"])


def _bytes(info: dict[str, Any] | None, name: str, size: int) -> int | None:
    """A size in bytes. None for 0 blocks, the size of a drive that does not respond."""
    return (info[name] or 0) * size or None if info else None


def _inquiry(info: dict[str, Any] | None) -> Json:
    """Vendor, product, revision and serial number from standard inquiry data. None if not filled in."""
    data: bytes | None = info["inquiry"] if info else None
    if data is None or data[0] == _NOT_CONNECTED or not any(data[8:36]):
        return {"vendor": None, "model": None, "firmware": None, "serial": None}
    vendor, model, revision = (Text(end - at).read(data[at:end]) for at, end in ((8, 16), (16, 32), (32, 36)))
    # SAS drives have their serial number behind the revision; what a SATA bridge puts there differs
    serial = Text(20).read(data[36:56]) if vendor != "ATA" else ""
    return {
        "vendor": vendor or None,
        "model": model or None,
        "firmware": revision or None,
        "serial": serial if serial.isascii() and serial.replace("-", "").isalnum() else None,
    }


def _interface(info: dict[str, Any] | None) -> str | None:
    """The interface from the kernel's field. If that is 0, from the type of SNIA DDF (bits 12 to 15)."""
    if info is None:
        return None
    return INTERFACES.get(info["interface_type"] or (info["ddf_type"] or 0) >> 12)
