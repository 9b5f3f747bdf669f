"""The machine whose power is cut while it writes. One drive honours flushes, the other only acknowledges them."""

from __future__ import annotations

from tests.lab.machine import MIB, Drive, Machine
from tests.lab.machines import WITHOUT_OUR_TOOL

HOST = "10.0.2.2"
"""The host's address in QEMU's network. Its port leads to the host's loopback."""

POWERCUT = Machine(
    "powercut",
    "a drive with an honest volatile cache, one that lies about flushes, and a network to the host",
    # the sizes distinguish the drives
    drives=(
        Drive("HONEST", bus="virtio", size=8 * MIB, backing="volatile"),
        Drive("LIAR", bus="virtio", size=12 * MIB, backing="lying"),
    ),
    memory=512,
    modules=("virtio_blk", "virtio_net"),
    prepare=(
        f"rm -f /usr/sbin/smartctl; {WITHOUT_OUR_TOOL}",
        "busybox ip link set lo up; busybox ip link set eth0 up; busybox ip addr add 10.0.2.15/24 dev eth0",
    ),
    udev=False,
    qemu=("-netdev", "user,id=net0", "-device", "virtio-net-pci,netdev=net0,addr=0x7"),
)

MACHINES = (POWERCUT,)
