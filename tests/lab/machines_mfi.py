"""Machines with an emulated MegaRAID controller and without the vendor's tool."""

from __future__ import annotations

from dataclasses import replace

from tests.lab.machine import MIB, Controller, Drive, Machine


def drive(serial: str, target: int, **more: object) -> Drive:
    """A drive on the controller. ``target`` is the number that the driver shows."""
    return Drive(serial, bus="megasas", vendor="LAB", model=f"DISK {serial}", rpm=7200, scsi_id=target, **more)  # type: ignore[arg-type] # a drive's own options


MEGASAS = Machine(
    "megasas",
    "an emulated LSI MegaRAID SAS 8708EM2 with three drives, each a volume",
    controllers=(Controller("raid", "megasas", options="hba_serial=LAB0000001"),),
    drives=(drive("MFI0", 0), drive("MFI1", 1, size=96 * MIB), drive("MFI5", 5, size=128 * MIB)),
)
FOUR_CONTROLLERS = Machine(
    "megasas-cards",
    "that controller and three more: a 9260-8i, one with more drives than it can list, one without volumes",
    controllers=(
        *MEGASAS.controllers,
        Controller("gen2", "megasas-gen2", options="hba_serial=LAB0000002"),
        Controller("many", "megasas", options="hba_serial=LAB0000003"),
        Controller("jbod", "megasas", options="hba_serial=LAB0000004,use_jbod=on"),
    ),
    drives=(
        *(replace(one, controller="raid") for one in MEGASAS.drives),
        drive("GEN0", 0, controller="gen2"),
        # CFG_READ of QEMU's firmware has room for seven
        *(drive(f"MANY{number}", number, controller="many") for number in range(9)),
        drive("JBOD0", 0, controller="jbod"),
        drive("JBOD1", 1, controller="jbod"),
    ),
    hidden=1,  # of the controller without volumes, the driver shows one drive
)

MACHINES = (MEGASAS, FOUR_CONTROLLERS)
