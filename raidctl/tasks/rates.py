"""The speed limits of background operations, for every controller and md array. Pure."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Struct

from raidctl.described import doc
from raidctl.model import Host, Inventory, Problem, Rates, Volume, unread_problems
from raidctl.vendor.setting_values import SPEEDS


class ArraySpeed(Struct, frozen=True, kw_only=True):
    """The limits of an md array. The kernel guarantees the minimum even if others need the drives."""

    object_id: Annotated[str, doc("Id of the volume.")]
    device: Annotated[str | None, doc("Its device.")]
    minimum_bytes: Annotated[int | None, doc("Minimum under load, bytes per second and drive.")]
    maximum_bytes: Annotated[int | None, doc("Maximum, bytes per second and drive.")]
    minimum_own: Annotated[bool | None, doc("Whether the array has its own minimum; false: that of the machine.")]
    maximum_own: Annotated[bool | None, doc("As above, for the maximum.")]


class ControllerRates(Struct, frozen=True, kw_only=True):
    """The rates of a controller."""

    object_id: Annotated[str, doc("Id of the controller.")]
    rates: Annotated[Rates, doc("Its rates.")]


class RateReport(Struct, frozen=True, kw_only=True):
    """The rates of all controllers and md arrays that report some."""

    schema_version: Annotated[Literal["1"], doc("Version of this contract.")] = "1"
    host: Annotated[Host, doc("The machine.")]
    controllers: Annotated[tuple[ControllerRates, ...], doc("Controllers that report rates.")]
    arrays: Annotated[tuple[ArraySpeed, ...], doc("md arrays that report limits.")]
    problems: Annotated[tuple[Problem, ...], doc("What could not be read.")] = ()


def rates(inventory: Inventory) -> RateReport:
    """The rates of an inventory."""
    controllers = inventory.controllers
    return RateReport(
        host=inventory.host,
        controllers=tuple(
            ControllerRates(object_id=controller.id, rates=controller.rates)
            for controller in controllers
            if controller.rates
        ),
        arrays=tuple(_speed(volume) for controller in controllers for volume in controller.volumes if _limited(volume)),
        problems=unread_problems(inventory.problems),
    )


def _limited(volume: Volume) -> bool:
    return volume.sync_speed_min_bytes is not None or volume.sync_speed_max_bytes is not None


def _speed(volume: Volume) -> ArraySpeed:
    own = [None if (text := volume.details.get(name)) is None else not text.endswith("(system)") for name in SPEEDS]
    return ArraySpeed(
        object_id=volume.id, device=volume.device, minimum_bytes=volume.sync_speed_min_bytes,
        maximum_bytes=volume.sync_speed_max_bytes, minimum_own=own[0], maximum_own=own[1],
    )  # fmt: skip
