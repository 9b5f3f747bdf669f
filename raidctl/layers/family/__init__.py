"""The kernel's caches as a vendor package for the change engine. Pure.

``observe`` gives one pseudo controller, ``kernel``, in the mode ``software``; each object with settings is a volume
on it (``kernel:vm``, ``kernel:bcache0``, ``kernel:dm-3``), with its settings by name in the details. The commands that
change it pass it to the engine; it is never shown as a controller.

==========================  =====================  =====================================================================
setting                     object                 file
==========================  =====================  =====================================================================
``dirty_limit``             ``kernel:vm``          ``/proc/sys/vm/dirty_ratio`` or ``dirty_bytes``
``dirty_background_limit``  ``kernel:vm``          ``/proc/sys/vm/dirty_background_ratio`` or ``dirty_background_bytes``
``dirty_expire``            ``kernel:vm``          ``/proc/sys/vm/dirty_expire_centisecs``
``dirty_writeback``         ``kernel:vm``          ``/proc/sys/vm/dirty_writeback_centisecs``
``writeback_percent``       ``kernel:bcache0``     ``/sys/class/block/bcache0/bcache/writeback_percent``
``cache_mode``              ``kernel:bcache0``     ``/sys/class/block/bcache0/bcache/cache_mode``
``read_ahead``              ``kernel:queue:sda``   ``/sys/class/block/sda/queue/read_ahead_kb``
==========================  =====================  =====================================================================

Bytes and percent are one setting: writing one makes the other 0, so writing the other undoes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raidctl.discovery.sysfs import path_of
from raidctl.host import HostView
from raidctl.layers.dm import lvm_name
from raidctl.layers.family.change import AHEAD, LIMITS, TIMES, queue_of
from raidctl.layers.kernel import Kernel
from raidctl.layers.probe import probe_caches
from raidctl.layers.scope import KERNEL, VM
from raidctl.layers.sysfs_values import number
from raidctl.model import Capability, Controller, Volume
from raidctl.request import Dialogue, Read, ask_all
from raidctl.text import attempt, chosen
from raidctl.vendor.protocol import Document, Observation, Sniffed, ToolSpec

FAMILY = KERNEL
TITLE = "The kernel's own caches"
TOOLS: tuple[ToolSpec, ...] = ()
DRIVERS: tuple[str, ...] = ()
LAST = False
SUPPORT: Mapping[str, Capability] = {}


def observe(view: HostView) -> Dialogue[Observation]:
    """Read the settings of the kernel's caches."""
    kernel = yield from probe_caches(view)
    volumes = [Volume(id=VM, device=None, details=_of_memory(kernel))]
    for name, files in kernel.bcaches.items():
        percent, mode = files.value("writeback_percent", number), files.value("cache_mode", chosen)
        details = {"writeback_percent": None if percent is None else str(percent), "cache_mode": mode}
        volumes.append(Volume(id=f"{KERNEL}:{name}", details={key: word for key, word in details.items() if word}))
    for name, target in kernel.targets.items():
        block = view.block(name)
        lvm = kernel.uuids.get(name, "").startswith("LVM-")
        title = block.dm_name if block is not None and block.dm_name else name
        details_of = {"target": target.target, "name": lvm_name(title) if lvm else title}
        volumes.append(Volume(id=f"{KERNEL}:{name}", details=details_of))
    volumes += yield from _queues(view, kernel.page_size)
    return Observation((Controller(id=KERNEL, model="Linux", mode="software", status="ok", volumes=tuple(volumes)),))


def _queues(view: HostView, page_size: int | None) -> Dialogue[list[Volume]]:
    """Read the read-ahead of each block device, in KiB. A partition has that of its drive."""
    names = [block.name for block in view.blocks if block.parent is None]
    answers = yield from ask_all([Read(path_of(name, AHEAD)) for name in names])
    found = []
    for name, answer in zip(names, answers, strict=True):
        figures = {"read_ahead": attempt(number, answer.text), "page size": page_size}
        details = {key: str(figure) for key, figure in figures.items() if figure is not None}
        found.append(Volume(id=queue_of(name), details=details))
    return found


def _of_memory(kernel: Kernel) -> dict[str, str]:
    """Return the limits, the times and the page size.

    Limits are ``20 percent`` or ``1048576 bytes``, times are in centiseconds.
    """
    found: dict[str, str] = {}
    for setting, stem in LIMITS.items():
        size, ratio = kernel.vm.value(f"{stem}_bytes", number), kernel.vm.value(f"{stem}_ratio", number)
        if size:
            found[setting] = f"{size} bytes"
        elif ratio is not None and size is not None:
            found[setting] = f"{ratio} percent"
    for setting, name in TIMES.items():
        figure = kernel.vm.value(name, number)
        if figure is not None:
            found[setting] = str(figure)
    figures = {"page size": kernel.page_size, "available": _available(kernel)}
    return found | {label: str(figure) for label, figure in figures.items() if figure is not None}


def _available(kernel: Kernel) -> int | None:
    """Return the bytes that a limit's percentage refers to.

    The kernel reports the resulting limit, from which they are calculated.
    """
    for stem, name in (("dirty", "nr_dirty_threshold"), ("dirty_background", "nr_dirty_background_threshold")):
        ratio, limit = kernel.vm.value(f"{stem}_ratio", number), kernel.page_bytes(name)
        if ratio and limit is not None:
            return limit * 100 // ratio
    return kernel.memory.get("MemAvailable")


def sniff(name: str, text: str) -> Sniffed | None:  # noqa: ARG001 - the signature of all families
    """Recognise nothing: no loose output is the kernel's."""
    return None


def read(documents: Sequence[Document]) -> Observation:  # noqa: ARG001 - as above
    """Read nothing from loose outputs."""
    return Observation()
