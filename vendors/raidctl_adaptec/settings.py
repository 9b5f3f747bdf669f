"""The settings of arcconf's ``setcache`` and their current values, in its words. Pure.

===========================  ==========  =============================================================  ========
setting                      object      command                                                        controllers
===========================  ==========  =============================================================  ========
``writecache``               volume      ``setcache 1 logicaldrive 0 wt|wb|wbb noprompt``               aacraid
``readcache``                volume      ``setcache 1 logicaldrive 0 ron|roff noprompt``                aacraid
``writecache``               drive       ``setcache 1 device 0 3 wb|wt noprompt``                       aacraid
``deviceall``                controller  ``setcache 1 deviceall enable|disable noprompt``               aacraid
``caching``                  volume      ``setcache 1 logicaldrive 0 con|coff noprompt``                smartpqi
``cacheratio``               controller  ``setcache 1 cacheratio 25 75``                                smartpqi
``nobatterywritecache``      controller  ``setcache 1 nobatterywritecache enable|disable``              smartpqi
``writecachebypassthreshold``  controller  ``setcache 1 writecachebypassthreshold 1040``                smartpqi
===========================  ==========  =============================================================  ========

``wb`` is write-back always, even without protection; ``wbb`` only while the battery, ZMM or capacitor is good.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from raidctl.model import Controller, Drive, Volume
from raidctl.text import attempt
from raidctl.vendor.plan import ToolSetting
from raidctl_adaptec.numbers import size
from raidctl_adaptec.vocabulary import normalized

WRITE: Mapping[str, str] = {
    "write_through": "wt",
    "protected_write_back": "wbb",
    "unprotected_write_back": "wb",
}
"""Write policies of an aacraid volume."""
READ: Mapping[str, str] = {"read_ahead": "ron", "off": "roff"}
"""Read policies of an aacraid volume. With its read cache on, the controller reads ahead where it sees a pattern."""
SWITCH = {"enabled": "enable", "disabled": "disable"}
OF_DRIVE = {"enabled": "wb", "disabled": "wt"}
_THRESHOLD = "write cache bypass threshold size"


def smartpqi(controller: Controller) -> bool | None:
    """Whether a controller is of the newer generation, which has other commands.

    None if no output reports it. The driver shows it, or the readable settings: one generation has no split of the
    cache, the other no read-ahead setting.
    """
    if controller.driver is not None:
        return controller.driver == "smartpqi"
    lacks = {name for name, reported in controller.capabilities.items() if not reported.read}
    if ("cache_split" in lacks) == ("read_policy" in lacks):
        return None
    return "read_policy" in lacks


def current_settings(controller: Controller) -> dict[ToolSetting, str]:
    """The settings that the commands can change, as far as reported."""
    newer = smartpqi(controller)
    if newer is None:
        return {}
    return dict(_of_smartpqi(controller) if newer else _of_aacraid(controller))


def _of_smartpqi(controller: Controller) -> Iterator[tuple[ToolSetting, str]]:
    cache = controller.cache
    if cache is not None and cache.read_percent is not None and cache.write_percent is not None:
        yield (controller.id, "cacheratio"), f"{cache.read_percent}/{cache.write_percent}"
    if cache is not None and cache.no_battery_write_cache is not None:
        yield (controller.id, "nobatterywritecache"), "enable" if cache.no_battery_write_cache else "disable"
    threshold = bypass_threshold(controller)
    if threshold is not None:
        yield (controller.id, "writecachebypassthreshold"), str(threshold)
    for volume in controller.volumes:
        policy = volume.cache.write_policy if volume.cache is not None else None
        if policy in WRITE:
            yield (volume.id, "caching"), "coff" if policy == "write_through" else "con"


def _of_aacraid(controller: Controller) -> Iterator[tuple[ToolSetting, str]]:
    switch = all_drives(controller)
    if switch is not None:
        yield (controller.id, "deviceall"), SWITCH[switch]
    for volume in controller.volumes:
        yield from _of_volume(volume)
    for drive in controller.drives:
        if drive.write_cache is not None and address(drive) is not None:
            yield (drive.id, "writecache"), OF_DRIVE[drive.write_cache]


def _of_volume(volume: Volume) -> Iterator[tuple[ToolSetting, str]]:
    if volume.cache is None:
        return
    write, read = WRITE.get(volume.cache.write_policy or ""), READ.get(volume.cache.read_policy or "")
    if write is not None:
        yield (volume.id, "writecache"), write
    if read is not None:
        yield (volume.id, "readcache"), read


def all_drives(controller: Controller) -> str | None:
    """``enabled`` or ``disabled`` where the controller's policy and all its drives agree. None if they do not.

    ``deviceall`` sets every drive. It can be undone with one word only if all drives had the same setting before.
    """
    policies = {volume.cache.drive_write_cache for volume in controller.volumes if volume.cache is not None}
    reported = policies | {drive.write_cache for drive in controller.drives if drive.write_cache is not None}
    [first, *others] = reported or {None}
    return None if others or first not in SWITCH else first


def bypass_threshold(controller: Controller) -> int | None:
    """KiB of ``Write Cache Bypass Threshold Size : 1040 KB``."""
    for label, text in controller.details.items():
        if normalized(label) == _THRESHOLD:
            reported = attempt(size, text)
            return None if reported is None else reported // 1024
    return None


def volume_number(volume_id: str) -> str:
    """``0`` of ``adaptec:1/v0``."""
    return volume_id.rpartition("/v")[2]


def address(drive: Drive) -> tuple[str, str] | None:
    """Channel and device of ``adaptec:1/0,3``."""
    channel, _, device = drive.id.rpartition("/")[2].partition(",")
    return (channel, device) if channel.isdecimal() and device.isdecimal() else None
