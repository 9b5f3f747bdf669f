"""The images of a RAID volume: which there are, on which devices, and in which state."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import basename

from msgspec import Struct

from raidctl.order import natural
from raidctl.text import regex
from raidctl.vendor.draft import Draft, GroupDraft
from raidctl.vendor.statuses import put_status
from raidctl_lvm.draft import ControllerDraft, Row
from raidctl_lvm.lists import DEVICE, UNKNOWN
from raidctl_lvm.vocabulary import HEALTH, IMAGE_TYPES, STATES, WORDS

# data_rimage_0   data_mimage_1   data_rmeta_0   data_rimage_0_iorig
PART = regex(r"(?P<lv>.+)_(?P<kind>rimage|mimage|rmeta)_(?P<number>\d+)(?P<more>_\w+)?", re.ASCII)
SHORT = ("partial", "refresh needed", "repair needed", "refresh or repair needed")
"""The health of a volume that lacks an image."""


def images_of(controller: ControllerDraft, row: Row) -> Iterator[Row]:
    """The images of a volume: those listed, and those its row names."""
    listed = {name: rows[0] for name, rows in controller.rows.items()
              if (part := PART.fullmatch(rows[0].lv)) and part["lv"] == row.lv and rows[0].vg == row.vg
              and part["kind"] != "rmeta" and not part["more"]}  # fmt: skip
    named = [one[1] or one[2] for one in DEVICE.finditer(row.cells.get("devices", ""))]
    for lv in named:
        key = f"{row.vg}/{lv}"
        if key not in listed and PART.fullmatch(lv):
            listed[key] = Row(row.vg, lv, "", row.lines, {})
    yield from (listed[key] for key in sorted(listed, key=natural))


def _places(controller: ControllerDraft, image: Row, depth: int = 0) -> list[str]:
    """The physical volumes below an image. An image with integrity is on further volumes."""
    rows = controller.rows.get(f"{image.vg}/{image.lv}", [image])
    found = [one[1] or one[2] for row in rows for one in DEVICE.finditer(row.cells.get("devices", ""))]
    places = []
    for name in dict.fromkeys(found):  # a row may be there many times
        below = controller.rows.get(f"{image.vg}/{name}")
        if below and depth < 3:
            places += _places(controller, below[0], depth + 1) if not name.endswith("_imeta") else []
        else:
            places.append(name)
    return list(dict.fromkeys(places))


def put_members(controller: ControllerDraft, name: str, row: Row, volume: GroupDraft) -> None:
    """Make a member of each device of each image, and count those that work."""
    images = [_image(controller, one) for one in images_of(controller, row)]
    array = controller.array(name)
    if any(image.refresh for image in images):
        volume.conclude("refresh", value=True)
    for number, image in enumerate(images):
        for place in image.places or [""]:
            known = place.startswith("/")
            key = f"{name}/{basename(place) if known else image.row.lv.rpartition(f'{row.lv}_')[2] or number}"
            if known or not image.row.cells or image.gone or image.row.attr:
                key = _other_key(array, key) if known else key
                array.members[key] = None
                lost = place in UNKNOWN or (image.gone and (not known or len(image.places) == 1))
                _member(controller.drive(key), image, place if known else "", gone=lost)
    named = [one for one in DEVICE.finditer(row.cells.get("devices", "")) if PART.fullmatch(one[1] or one[2])]
    if named:
        volume.put(row.line("devices", "lv_name"), "drives_expected", len(named))
        working = sum(image.works for image in images)
        if (working or row.letter(5) != "-") and all(whole(image.row) and not image.unread for image in images):
            volume.put(row.line("devices", "lv_name"), "drives_active", working)


class _Image(Struct):
    """An image with what its rows report."""

    row: Row
    places: list[str]
    active: bool
    """Whether an image of an inactive volume is in sync is unknown: lvs prints I."""
    gone: bool
    refresh: bool
    unread: bool
    """Whether a letter or word about its state is unknown."""

    @property
    def stale(self) -> str:
        """Why it lacks data; empty if nothing shows that."""
        if self.refresh:
            return "refresh needed: writing to it has failed"
        return "out of sync, to be recovered" if self.active and self.row.letter(1) == "I" else ""

    @property
    def works(self) -> bool:
        """Whether it holds its part of the data."""
        return bool(self.row.cells) and not self.gone and not self.stale and self.row.letter(1) != "I"


def _image(controller: ControllerDraft, row: Row) -> _Image:
    """An image with its metadata, without which the kernel does not use it."""
    metadata = controller.rows.get(f"{row.vg}/{row.lv.replace('_rimage_', '_rmeta_')}", [])
    rows = [row, *(one for one in metadata[:1] if one.lv != row.lv)]
    places = _places(controller, row)
    words = [health_of(one) for one in rows]
    # vgreduce --removemissing --force puts segments of type error in the place of a lost device
    gone = "partial" in words or any(one.cells.get("segtype") == "error" for one in rows)
    lost = any(place in UNKNOWN for one in rows for place in _places(controller, one))
    return _Image(
        row,
        places,
        active=row.letter(5) != "-",
        gone=gone or lost,
        refresh=any(word in SHORT and word != "partial" for word in words),
        unread="unknown" in words or any(one.letter(5) not in STATES for one in rows),
    )


def health_of(row: Row) -> str:
    """The health in the words of lvs.

    They come from the ninth letter of Attr, or from the field where Attr has none or reports nothing.
    """
    word = row.cells.get("lv_health_status", "")
    if row.letter(9) not in ("", "-"):
        return HEALTH.get(row.letter(9), "unknown")
    return word if word in WORDS else "unknown"


def _other_key(array: GroupDraft, key: str) -> str:
    """The key of a member, with a number if another image is on its physical volume.

    ``--alloc anywhere`` and pvmove can put two images on one.
    """
    other, number = key, 2
    while other in array.members:
        other, number = f"{key}-{number}", number + 1
    return other


def _member(drive: Draft, image: _Image, place: str, *, gone: bool) -> None:
    row = image.row
    line = row.line("lv_attr", "lv_name")
    if place:
        drive.put(row.line("devices", "lv_name"), "device", place)
    drive.detail(line, "image", row.lv)
    drive.put(line, "role", "failed" if gone else "member")
    if not row.cells:
        return
    if gone:
        put_status(drive, [line], "image", "critical", text=f"{row.attr} (partial: the device is missing)")
    elif image.stale:
        put_status(drive, [line], "image", "warning", text=f"{row.attr} ({image.stale})")
    elif image.unread:
        put_status(drive, [line], "image", "unknown", text=row.attr or row.cells.get("lv_health_status", ""))
    elif image.active and whole(row) and row.letter(1) in tuple(IMAGE_TYPES):
        put_status(drive, [line], "image", "ok", text=row.attr)


def whole(image: Row) -> bool:
    """Whether a row shows that an image is there.

    Its health shows it, with the short Attr of old versions its device. A device alone may need a refresh.
    """
    if image.letter(9) or "lv_health_status" in image.cells:
        return True
    return bool(image.attr and image.cells.get("devices"))
