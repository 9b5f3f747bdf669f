"""Settings of the kernel's caches, and the files that set them. Pure; see :mod:`raidctl.layers.family`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raidctl.discovery.sysfs import path_of
from raidctl.layers.build import reload_answer
from raidctl.layers.kernel import VM as VM_FILES
from raidctl.layers.scope import KERNEL, VM
from raidctl.model import Controller, Tool, Volume
from raidctl.request import Answer
from raidctl.vendor.plan import Action, Desired, Flush, Plan, Refusal, RefusalKind, Setting, Step, ToolSetting

LIMITS: Mapping[str, str] = {"dirty_limit": "dirty", "dirty_background_limit": "dirty_background"}
TIMES: Mapping[str, str] = {"dirty_expire": "dirty_expire_centisecs", "dirty_writeback": "dirty_writeback_centisecs"}
AHEAD = "queue/read_ahead_kb"
QUEUE = f"{KERNEL}:queue:"
"""Prefix of a device's name in sysfs: the object of its read-ahead."""
_BCACHE = ("writeback_percent", "cache_mode")
_AHEAD = ("read_ahead",)
_MIN_PAGES = 2
"""Pages: the kernel silently ignores a limit below."""
_LARGEST_PAGE = 65536
_CUTOFF = 70
"""Percent above which bcache always writes through. The driver's limit is 40 unless it is loaded with another one."""
_EVERYWHERE = "It affects every file system of the machine."
_NEVER = "The kernel no longer writes back old data periodically, only at its limits and on sync."


def queue_of(name: str) -> str:
    """Return the object of a block device's read-ahead, without a slash. Ids are split at the last one.

    >>> queue_of("cciss/c0d0")
    'kernel:queue:cciss!c0d0'
    """
    return f"{QUEUE}{name.replace('/', '!')}"


def current_settings(controller: Controller) -> dict[ToolSetting, str]:
    """Return every setting that can be read."""
    names = (*LIMITS, *TIMES, *_BCACHE, *_AHEAD)
    return {(v.id, name): v.details[name] for v in controller.volumes for name in names if name in v.details}


def flushes(controller: Controller, tools: Sequence[Tool]) -> list[Flush]:  # noqa: ARG001 - the signature of all
    """Return none: :mod:`raidctl.layers.flushing` flushes the kernel's caches."""
    return []


def judge(action: Action, answer: Answer) -> str | None:  # noqa: ARG001 - as above
    """Return None. The kernel refuses a value when the file is written, which the engine reports."""
    return None


def plan(controller: Controller, requests: Sequence[Desired], tools: Sequence[Tool]) -> Plan:  # noqa: ARG001 - as above
    """Plan to write one file for each desired setting without its value."""
    objects = {volume.id: volume for volume in controller.volumes}
    steps: list[Step] = []
    already: list[Desired] = []
    refusals: list[Refusal] = []
    for desired in requests:
        volume = objects.get(desired.object_id)
        refusal = (
            _refused(desired, volume, requests) if volume is not None else _refusal(desired, "It has no such setting.")
        )
        if refusal is not None:
            refusals.append(refusal)
        elif volume is not None and volume.details[desired.setting] == desired.value:
            already.append(desired)
        elif volume is not None:
            steps.append(_step(volume, desired))
    return Plan(desired=tuple(requests), steps=_sorted(steps), already=tuple(already), refusals=tuple(refusals))


def _sorted(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Sort cache modes first: write-through needs no limit."""
    return tuple(sorted(steps, key=lambda step: step.setting != "cache_mode"))


def _refusal(desired: Desired, why: str, alternative: str | None = None, kind: RefusalKind = "unsupported") -> Refusal:
    return Refusal(desired=desired, kind=kind, reason=why, alternative=alternative)


def _refused(desired: Desired, volume: Volume, requests: Sequence[Desired]) -> Refusal | None:
    """Refuse a desired setting that the kernel does not support. Return None if it does."""
    if desired.setting in ("high_watermark", "low_watermark") and volume.details.get("target") == "writecache":
        answer = reload_answer(volume.details.get("name"))
        return _refusal(desired, answer.why or "", answer.alternative)
    if desired.setting not in _settings(volume):
        return _refusal(desired, "It has no such setting.")
    before = volume.details.get(desired.setting)
    if before is None:
        return _refusal(desired, "Its current value cannot be read, so it could not be restored.", kind="unknown")
    if desired.setting == "writeback_percent" and int(desired.value) > _CUTOFF:
        return _refusal(desired, f"bcache accepts at most {_CUTOFF}%, or 40% unless loaded with another limit.")
    if desired.setting in _AHEAD:
        return _ahead(desired, volume)
    return _limit(desired, volume, before, requests) if desired.setting in LIMITS else None


def _settings(volume: Volume) -> tuple[str, ...]:
    """Return the settings of an object."""
    if volume.id == VM:
        return (*LIMITS, *TIMES)
    if volume.id.startswith(QUEUE):
        return _AHEAD
    return _BCACHE if "cache_mode" in volume.details else ()


def _ahead(desired: Desired, volume: Volume) -> Refusal | None:
    """Refuse a read-ahead that is not in whole pages. The kernel silently rounds it down."""
    page = int(volume.details.get("page size", _LARGEST_PAGE)) // 1024
    if int(desired.value) % page:
        return _refusal(desired, f"Read-ahead must be a multiple of the page size, {page} KiB.")
    return None


def _limit(desired: Desired, volume: Volume, before: str, requests: Sequence[Desired]) -> Refusal | None:
    """Refuse a limit that the kernel would silently ignore or change."""
    value, _, unit = desired.value.partition(" ")
    page = int(volume.details.get("page size", _LARGEST_PAGE))
    if unit == "bytes" and int(value) < _MIN_PAGES * page:
        return _refusal(desired, f"The kernel silently ignores a limit below {_MIN_PAGES} pages of {page} bytes.")
    if before == "0 percent" and unit == "bytes":
        why = "Bytes and percent are both 0 now, which the kernel cannot restore once one of them is set."
        return _refusal(desired, why, "Set a percentage first.", kind="unknown")
    current = volume.details | {other.setting: other.value for other in requests if other.object_id == volume.id}
    limits = [current.get(name, "") for name in ("dirty_background_limit", "dirty_limit")]
    known = all(limit.endswith(" percent") for limit in limits) or "available" in current
    start, most = (_bytes(limit, current if known else {}) for limit in limits)
    if start is not None and most is not None and start >= most > 0:
        why = (
            f"The background limit of {current['dirty_background_limit']} is not below the limit of "
            f"{current['dirty_limit']}: the kernel would silently use half of the limit instead."
        )
        return _refusal(desired, why, "Set both: --dirty-background-… below --dirty-….")
    return None


def _bytes(limit: str, current: Mapping[str, str]) -> int | None:
    """Convert a limit to bytes. If only percentages are compared, it is a percentage of an arbitrary size."""
    figure, _, unit = limit.partition(" ")
    if unit != "percent":
        return int(figure) if figure else None
    return int(figure) * int(current.get("available", "1000000")) // 100 if current else None


def _step(volume: Volume, desired: Desired) -> Step:
    before = volume.details[desired.setting]
    affects = [_EVERYWHERE] if volume.id == VM else []
    if desired.setting in _AHEAD:
        affects.append(f"It affects all reads through {volume.id.removeprefix(QUEUE)}.")
    if desired.setting == "dirty_writeback" and desired.value == "0":
        affects.append(_NEVER)
    return Step(
        object_id=volume.id,
        setting=desired.setting,
        before=before,
        after=desired.value,
        action=_action(volume.id, desired.setting, desired.value),
        undo=_action(volume.id, desired.setting, before),
        affects=tuple(affects),
        persistent=desired.setting == "cache_mode",
    )


def _action(object_id: str, setting: Setting, value: str) -> Action:
    """Return the write to a file. For a limit, the file is that of its unit."""
    if setting in LIMITS:
        figure, _, unit = value.partition(" ")
        return Action(path=f"{VM_FILES}/{LIMITS[setting]}_{'bytes' if unit == 'bytes' else 'ratio'}", data=figure)
    if setting in TIMES:
        return Action(path=f"{VM_FILES}/{TIMES[setting]}", data=value)
    if setting in _AHEAD:
        return Action(path=path_of(object_id.removeprefix(QUEUE), AHEAD), data=value)
    return Action(path=path_of(object_id.partition(":")[2], f"bcache/{setting}"), data=value)
