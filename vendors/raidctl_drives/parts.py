"""One output's facts about one drive, as the readers of this family return them.

Several outputs describe the same drive; :mod:`raidctl_drives.to_model` combines their parts to one
:class:`raidctl.model.Drive`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from raidctl.evidence import Output
from raidctl.model import Health, Interface, Media, Problem


class DrivePart(Struct, frozen=True, kw_only=True):
    """One output's facts about one drive; None is "not reported".

    The names and units are those of :class:`raidctl.model.Drive`; ``errors_media`` is ``errors.media`` and so on.
    """

    key: str
    """The object id of this drive's facts on the output; :func:`readdress` changes it."""
    device: str | None = None
    """The node as printed (``/dev/sda``, ``/dev/nvme0``); None where the output does not name it, and where the node
    is not the drive but the controller that it lies behind."""
    address: str | None = None
    """How a drive behind a controller is reached, ``/dev/bus/0 megaraid,8``: two addresses are two drives."""
    model: str | None = None
    serial: str | None = None
    firmware: str | None = None
    size_bytes: int | None = None
    media: Media | None = None
    interface: Interface | None = None
    rpm: int | None = None
    status: Health | None = None
    """None if the output has nothing on the drive's health."""
    status_text: str | None = None
    temperature_celsius: int | None = None
    link_gbps: float | None = None
    max_link_gbps: float | None = None
    write_cache: Literal["enabled", "disabled"] | None = None
    errors_media: int | None = None
    errors_other: int | None = None
    errors_predictive: int | None = None
    errors_reallocated: int | None = None
    errors_pending: int | None = None
    errors_uncorrectable: int | None = None
    errors_link: int | None = None
    life_used_percent: int | None = None
    firmware_update: str | None = None
    wwn: str | None = None
    power_on_hours: int | None = None
    details: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether a drive has no facts except its location and problems."""
        known = {name for name in self.__struct_fields__ if getattr(self, name) not in (None, {}, ())}
        return known <= {"key", "device", "address", "problems"}


def readdress(output: Output, ids: Mapping[str, str]) -> None:
    """Give the facts of an output other object ids, ``{key of a part: id of the drive}``.

    A drive's id is its serial number, which is known only when its output has been read.
    """
    output.facts[:] = [
        fact._replace(object_id=ids[fact.object_id]) if fact.object_id in ids else fact for fact in output.facts
    ]


def is_blank_name(text: object) -> bool:
    """Whether a world wide name is all zeros, and thus none."""
    bare = str(text).strip().lower().removeprefix("0x").removeprefix("naa.").removeprefix("eui.")
    return not bare.strip("0 :.-")
