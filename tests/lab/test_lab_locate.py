"""LEDs of a real enclosure driver and of PCIe slots. Each goes on, and off after its time or a kill.

That they are off after a power failure, too, is tested in `test_lab_survives_power_cuts.py`.
"""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable

import pytest

from tests.lab.bays import Bays

pytestmark = [pytest.mark.lab(minutes=5), pytest.mark.xdist_group("lab-bays")]

BAY = "enclosure:0x3000000000001a2b/Slot 02"
EMPTY = "pci_slot:0000:04:00"
"""The fourth slot, by its address. The kernel's name may change at the next boot."""
PATIENCE = 600.0


def until(true: Callable[[], bool], what: str) -> None:
    """Wait until a condition is true."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, what
        time.sleep(0.05)


def test_an_enclosure_led_is_switched_on_and_off(bays: Bays) -> None:
    """The enclosure sees only the LED of bay 2 go on. It goes off in every case.

    ``locate off`` and an LED that does not obey are tested without a machine.
    """
    bays.enclosure.history.clear()
    listed = json.loads(bays.raidctl("locate", "list", "--json").text)["targets"]
    assert [(one["object_id"], one["on"], one["readable"]) for one in listed] == [
        *((f"enclosure:0x3000000000001a2b/Slot 0{number}", False, True) for number in range(1, 5)),
        *((f"pci_slot:0000:0{number}:00", False, True) for number in range(1, 5)),
    ]
    done = bays.raidctl("locate", BAY, "--for", "1s")
    assert (done.rc, bays.enclosure.history) == (0, [(2, True), (2, False)]), done
    killed = bays.guest.start_raidctl("locate", BAY, "--for", "1h")
    assert BAY in killed.readline().decode()
    assert bays.enclosure.lit == {2}
    killed.signal(signal.SIGKILL)
    until(lambda: not bays.enclosure.lit, "the second process has not switched it off")
    assert {number for number, _ in bays.enclosure.history} == {2}


def attention(bays: Bays) -> dict[str, str]:
    """LEDs of PCIe slots by slot address, as the kernel reads them."""
    values = bays.guest.sh("cd /sys/bus/pci/slots; for slot in *; do cat $slot/address $slot/attention; done").split()
    return dict(zip(values[::2], values[1::2], strict=True))


@pytest.mark.parametrize(("word", "address"), [("LABNVME2", "0000:02:00"), (EMPTY, "0000:04:00")])
def test_the_led_of_a_pcie_slot_is_that_of_the_drive_in_it(bays: Bays, word: str, address: str) -> None:
    """A slot is found by its drive's serial number or its address. The drive is NVMe; other LEDs stay off."""
    dark = dict.fromkeys((f"0000:0{number}:00" for number in range(1, 5)), "0")
    assert attention(bays) == dark
    blinking = bays.guest.start_raidctl("locate", word, "--for", "1h")
    assert blinking.readline()
    assert attention(bays) == {**dark, address: "1"}
    blinking.signal(signal.SIGINT)
    blinking.wait()
    assert attention(bays) == dark
