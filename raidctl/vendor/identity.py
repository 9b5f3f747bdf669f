"""Identify objects, so that a command reaches no other one (X1, X2). Pure.

A drive has a serial number, a volume a unique id. Where a tool prints no unique id of volumes, the controller's serial
number, the volume's number and its label stand for it: a volume that took over the number of a deleted one has another
label, or cannot be distinguished; a command for such a volume also names one of its drives by serial number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import cast

from raidctl.model import Controller, Drive, Volume
from raidctl.select import Item

UNIDENTIFIED = "has no serial number or unique id, so it cannot be identified"
"""The reason for an object without a unique identifier; it follows the id."""


def unique_of(controller: Controller, item: Item) -> str | None:
    """The unique identifier of an object of a controller. None: unknown, so no deed is allowed.

    >>> controller = Controller(id="x:0", serial="SV1", volumes=(Volume(id="x:0/v1", name="data"),))
    >>> unique_of(controller, controller.volumes[0]), unique_of(controller, controller)
    ('SV1/v1/data', 'SV1')
    """
    if isinstance(item, Drive):
        return item.serial or item.wwn or None
    if isinstance(item, Controller):
        return item.serial or None
    own = item.unique_id if isinstance(item, Volume) else None
    if own or not controller.serial or controller.mode == "software":
        return own or None
    label = cast("str | None", getattr(item, "name", None))
    return "/".join((controller.serial, item.id.removeprefix(f"{controller.id}/"), *([label] if label else [])))


def controller_number(controller: Controller) -> str | None:
    """The number that the tool gives a controller. None if it is unknown, as where two machines gave the same one.

    >>> controller_number(Controller(id="adaptec:1")), controller_number(Controller(id="adaptec:1-2"))
    ('1', None)
    """
    number = controller.id.partition(":")[2]
    return number if number.isdecimal() else None


def distinct(ids: Iterable[str]) -> list[str]:
    """Make ids unique. A second controller with the id of another becomes ``adaptec:1-2``."""
    numbers: Counter[str] = Counter()
    found: dict[str, None] = {}
    for name in ids:
        unique = name
        while unique in found:  # adaptec:1-2 may be the name of another
            numbers[name] += 1
            unique = f"{name}-{numbers[name] + 1}"
        found[unique] = None
    return list(found)
