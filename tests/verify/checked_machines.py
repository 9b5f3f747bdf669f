"""Machines written down as model objects, for what no recorded machine has."""

from __future__ import annotations

from typing import Any

from raidctl.discovery.mounts import mountinfo
from raidctl.evidence import Output
from raidctl.host import BlockDevice, HostView
from raidctl.model import (
    Array,
    Battery,
    Cache,
    Controller,
    Drive,
    Host,
    Inventory,
    Problem,
    Volume,
    VolumeCache,
)
from raidctl.model.write_protection import derived
from raidctl.survey.md_members import add_backing
from raidctl.survey.survey import Survey
from raidctl.verify.judge import verify
from raidctl.verify.kernel import Kernel
from raidctl.verify.report import Answer
from raidctl.verify.subjects import CheckedMachine, whole
from raidctl.verify.wanted import claims

TB = 10**12


def raid_controller(
    *,
    level: str = "raid6",
    count: int = 6,
    size: int = 8 * TB,
    volume_cache: VolumeCache | None = None,
    battery: Battery | None = None,
    drive_cache: str | None = "disabled",
    **of_volume: Any,
) -> Controller:
    """A controller with a volume of ``count`` drives of 2 TB."""
    names = tuple(f"acme:0/{bay}" for bay in range(count))
    drives = tuple(
        Drive(
            id=name,
            array="acme:0/a",
            role="member",
            size_bytes=2 * TB,
            status="ok",
            write_cache=drive_cache,  # type: ignore[arg-type]  # a parameter of the tests
        )
        for name in names
    )
    cache = volume_cache or VolumeCache(
        write_policy="protected_write_back",
        write_active="write_back",
        controller_cache="protected",
        drive_write_cache="disabled",
    )
    volume = Volume(
        id="acme:0/v0",
        array="acme:0/a",
        raid_level=level,  # type: ignore[arg-type]  # as above
        size_bytes=size,
        status="ok",
        device="/dev/sda",
        cache=cache,
        **of_volume,
    )
    whole = Controller(
        id="acme:0",
        mode="raid",
        cache=Cache(present=True, status="ok", size_bytes=512 << 20, read_percent=25, write_percent=75),
        batteries=(battery or Battery(id="acme:0/battery0", kind="battery", status="ok"),),
        arrays=(Array(id="acme:0/a", status="ok", drives=names, free_bytes=0, size_bytes=count * 2 * TB),),
        volumes=(volume,),
        drives=drives,
    )
    return derived([whole])[0]


def plain_drive(write_cache: str | None, **more: Any) -> Controller:
    """A drive on a port of the mainboard, mounted on /srv."""
    drive = Drive(
        id="drives:S1",
        device="/dev/sda",
        role="passthrough",
        status="ok",
        size_bytes=2 * TB,
        mountpoints=("/srv",),
        write_cache=write_cache,  # type: ignore[arg-type]  # as above
        **{"media": "hdd", "rpm": 7200, **more},
    )
    return Controller(id="drives:0000:00:17.0", mode="none", drives=(drive,))


def checked_machine(
    *controllers: Controller,
    virtual: str | None = None,
    queue: str = "write back",
    size: int | None = None,
    options: str = "rw",
    problems: tuple[Problem, ...] = (),
    **of_block: Any,
) -> CheckedMachine:
    """Return everything known of a machine with these controllers. Its first drive is mounted on /srv."""
    raw = f"36 25 8:0 / /srv rw,relatime shared:1 - ext4 /dev/sda {options}"
    block = BlockDevice(
        "sda", "/dev/sda", "disk", size_bytes=size, mountpoints=("/srv",), write_cache=queue, **of_block
    )
    view = HostView(virtual=virtual, blocks=(block,))
    found = tuple(add_backing(controllers, view, ()))
    return CheckedMachine(
        Survey(Inventory(host=Host(hostname="m"), controllers=found, problems=problems), view=view),
        Kernel(tuple((mount, Output.of_text("/proc/self/mountinfo", raw).lines[0]) for mount in mountinfo(raw).mounts)),
    )


def judged(known: CheckedMachine, **wanted: object) -> Answer:
    """The answer to one claim about the one volume or drive."""
    [answer] = verify(known, claims(wanted), whole(known, drives=True)[0], (), ()).answers
    return answer
