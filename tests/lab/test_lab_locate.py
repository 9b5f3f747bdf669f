"""An LED of a real enclosure driver: on, off after its time, off after a kill, off after a power failure."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.lab.enclosure import Enclosure
from tests.lab.guest import Guest
from tests.lab.machine import Machine
from tests.lab.machines_locate import BAYS

BAY = "enclosure:0x3000000000001a2b/Slot 02"
PATIENCE = 600.0


def until(true: Callable[[], bool], what: str) -> None:
    """Wait for something to become so."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, what
        time.sleep(0.05)


@pytest.mark.lab
def test_the_enclosure_is_the_witness(lab_machine: Callable[[Machine], Guest]) -> None:
    """The server behind the kernel's driver sees the LED of bay 2, and of no other, go on, and off in every case.

    ``locate off`` and an LED that does not obey are tested without a machine.
    """
    with Enclosure() as enclosure:
        guest = lab_machine(replace(BAYS, qemu=enclosure.arguments("bays.0")))
        listed = json.loads(guest.raidctl("locate", "list", "--json").text)["targets"]
        assert [(one["object_id"], one["on"], one["readable"]) for one in listed] == [
            (f"enclosure:0x3000000000001a2b/Slot 0{number}", False, True) for number in range(1, 5)
        ]

        done = guest.raidctl("locate", BAY, "--for", "1s")
        assert (done.rc, enclosure.history) == (0, [(2, True), (2, False)]), done

        killed = guest.start_raidctl("locate", BAY, "--for", "1h")
        assert BAY in killed.readline().decode()
        assert enclosure.lit == {2}
        killed.signal(signal.SIGKILL)
        until(lambda: not enclosure.lit, "the second process has not switched it off")

        cut = guest.start_raidctl("locate", BAY, "--for", "1h")
        assert BAY in cut.readline().decode()
        guest.kill()
        assert enclosure.lit == {2}
        guest.boot()
        done = guest.raidctl("restore")  # what the unit runs at boot
        assert (done.rc, enclosure.lit) == (0, set()), done

        assert {number for number, _ in enclosure.history} == {2}
