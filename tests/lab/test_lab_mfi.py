"""raidctl-mfi on emulated MegaRAID cards with the kernel's own driver; no program of the cards' maker is there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.lab.machines_mfi import CARDS

pytestmark = pytest.mark.lab(CARDS, timeout=900)

Json = dict[str, Any]
BIN = Path(sys.executable).parent


def _run(*argv: str | Path) -> tuple[int, str]:
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=900)
    return done.returncode, done.stdout


def mfi(*words: str) -> tuple[int, Json]:
    """Exit code and output of raidctl-mfi."""
    code, text = _run(BIN / "raidctl-mfi", *words)
    return code, json.loads(text)


@cache
def cards() -> dict[str, Json]:
    """The cards as raidctl-mfi shows them, by their serial numbers; asked once in a boot."""
    _, output = mfi("show")
    found = {one["serial_number"]: one for one in output["controllers"]}
    for one in found.values():
        own = (problem for problem in output["problems"] if problem["where"].startswith(f"controller {one['number']}"))
        one["messages"] = "\n".join(problem["message"] for problem in own)
    return found


def shown() -> Json:
    """The 8708EM2 with three drives, each a volume."""
    return cards()["LAB0000001"]


def number() -> str:
    """Its number for ``--controller``."""
    return str(shown()["number"])


@cache
def inventory() -> Json:
    """What `raidctl show --json` says, as root, with the interpreter's folder off the PATH."""
    environment = {**os.environ, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    argv = [sys.executable, "-m", "raidctl", "show", "--json"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=900, env=environment)
    found: Json = json.loads(done.stdout)
    return found


def card() -> Json:
    """The same card in the inventory."""
    [found] = [one for one in inventory()["controllers"] if one["pci_address"] == shown()["pci_address"]]
    return dict(found)


def disks() -> dict[str, dict[int, tuple[str, int]]]:
    """The kernel's disks by PCI function and target number: node and size, from sysfs alone."""
    found: dict[str, dict[int, tuple[str, int]]] = {}
    for place in Path("/sys/block").glob("sd*"):
        device = (place / "device").resolve()
        _, channel, target, _ = device.name.split(":")
        if channel == "2":
            size = int((place / "size").read_text()) * 512
            found.setdefault(device.parents[2].name, {})[int(target)] = (f"/dev/{place.name}", size)
    return found


def test_the_card_says_what_it_is() -> None:
    """Product name, serial number, firmware and memory of QEMU's 8708EM2; its place on the bus as sysfs has it."""
    found = shown()
    assert (found["product_name"], found["serial_number"]) == ("LSI MegaRAID SAS 8708EM2", "LAB0000001")
    assert [(one["name"], one["version"]) for one in found["firmware"]] == [("APP", "1.70-QEMU")]
    assert (found["memory_bytes"], found["battery"]["present"]) == (512 << 20, False)
    assert found["properties"]["cache_flush_interval_seconds"] == 4
    assert Path("/sys/bus/pci/drivers/megaraid_sas", found["pci_address"]).exists()


def test_volumes_and_drives_are_those_of_the_kernel() -> None:
    """Each target that sysfs shows on the volumes' channel is a volume of the same size; a drive lies behind each."""
    kernel = {target: size for target, (_, size) in disks()[shown()["pci_address"]].items()}
    assert kernel
    assert {one["target"]: one["size_bytes"] for one in shown()["volumes"]} == kernel
    assert {one["slot"] for one in shown()["drives"]} == set(kernel)
    assert {one["state"] for one in shown()["volumes"]} == {"Optimal"}


def test_dummies_and_answers_about_another_drive_are_recognised() -> None:
    """LD_GET_PROP and BBU_STATUS say ok and tell nothing; PD_GET_INFO tells of drive 0 whoever is asked for."""
    assert "reported success for LD_GET_PROP, BBU_STATUS without data" in shown()["messages"]
    assert "Requested drives 256 and 1280, the firmware returned drive 0" in shown()["messages"]
    assert {one["device_id"]: one["raw_bytes"] for one in shown()["drives"]} == {
        0: 64 << 20, 256: None, 1280: None,
    }  # fmt: skip
    assert all("LD_GET_PROP" not in one["cache"]["told"] for one in shown()["volumes"])


def test_no_node_is_left_behind() -> None:
    """Udev makes no node for the driver; the program's own is gone when it has ended."""
    shown()
    assert [path.name for path in Path("/dev").iterdir() if "raidctl" in path.name or "megaraid" in path.name] == []


def test_raidctl_shows_the_card_without_its_makers_program() -> None:
    """Name, firmware and every volume with the device that sysfs and lsblk have for it; raidctl-mfi is off the PATH."""
    found = card()
    assert (found["model"], found["firmware"], found["told_by"]) == (
        "LSI MegaRAID SAS 8708EM2", "1.70-QEMU", "raidctl-mfi",
    )  # fmt: skip
    volumes = {one["id"]: (one["device"], one["size_bytes"]) for one in found["volumes"]}
    kernel = disks()[found["pci_address"]]
    assert volumes == {f"{found['id']}/v{target}": disk for target, disk in kernel.items()}
    _, listed = _run("lsblk", "--nodeps", "--noheadings", "--bytes", "--output", "HCTL,PATH,SIZE", "--scsi")
    rows = [line.split() for line in listed.splitlines()]
    listed_by_lsblk = {(path, int(size)) for address, path, size in rows if ":2:" in address}
    assert listed_by_lsblk == {disk for each in disks().values() for disk in each.values()}
    assert [tool["path"] for tool in inventory()["tools"] if tool["name"] == "raidctl-mfi"] == [
        str(BIN / "raidctl-mfi")
    ]


def test_the_cache_is_written_out() -> None:
    """The firmware says so."""
    code, output = mfi("flush", "--controller", number())
    assert (code, output["controllers"][0]["result"]["outcome"], output["problems"]) == (0, "done", [])


def test_raidctl_flushes_the_card_through_it() -> None:
    """`raidctl cache flush` of the card's id runs the command, and believes what the firmware says."""
    code, text = _run(sys.executable, "-m", "raidctl", "cache", "flush", card()["id"])
    assert code == 0, text
    assert re.search(rf"^controller +{card()['id']} .* done ", text, re.MULTILINE), text


def test_nothing_is_set_without_leave() -> None:
    """Exit code 2, and no card was touched."""
    code, output = mfi("set", "--controller", number(), "--flush-interval", "9")
    assert (code, output["controllers"]) == (2, [])


def test_a_setting_that_the_firmware_does_not_keep_is_not_confirmed() -> None:
    """QEMU's says ok to CTRL_SET_PROPERTIES and keeps nothing: it is read again, and that decides."""
    code, output = mfi("set", "--controller", number(), "--flush-interval", "9", "--allow-write")
    result = output["controllers"][0]["result"]
    assert (code, result["outcome"]) == (6, "not confirmed")
    assert (result["sent"][26:28], result["after"][26:28]) == ("09", "04")


def test_a_deed_that_the_firmware_accepts_and_does_not_do_is_not_confirmed() -> None:
    """QEMU's says ok to PD_LOCATE_START and has no LED; for drive 256 it tells of drive 0, so nothing is sent."""
    for switch in ("on", "off"):
        code, output = mfi("locate", "--controller", number(), "--drive", "0", "--allow-write", switch)
        assert (code, output["controllers"][0]["result"]["outcome"]) == (6, "not confirmed")
    code, output = mfi("locate", "--controller", number(), "--drive", "256", "--allow-write", "on")
    assert (code, output["controllers"][0]["result"]["outcome"]) == (3, "not sent")
    assert mfi("locate", "--controller", number(), "--drive", "0", "on")[0] == 2


def test_a_policy_whose_present_value_is_not_told_is_not_sent() -> None:
    """LD_GET_PROP is a dummy there: there are no 32 bytes that could be sent back changed."""
    code, output = mfi("set", "--controller", number(), "--volume", "1", "--write", "write-back", "--allow-write")
    assert (code, output["controllers"][0]["result"]["outcome"]) == (3, "not sent")


def test_a_user_without_rights_is_told_so() -> None:
    """Exit code 4, with what to do; the cards themselves are listed by the kernel."""
    argv = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", sys.executable, "-m", "raidctl_mfi", "show"]
    code, text = _run(*argv)
    output = json.loads(text)
    assert (code, output["problems"][0]["kind"], output["problems"][0]["remedy"]) == (
        4, "no_right", "Run it as root (sudo).",
    )  # fmt: skip


@pytest.mark.lab(CARDS, last=True, timeout=900)
def test_a_card_that_is_taken_away_is_not_there() -> None:
    """The driver is unbound: the other cards answer as before; bound again, it answers, too."""
    address, others = shown()["pci_address"], set(cards()) - {"LAB0000001"}
    driver = Path("/sys/bus/pci/drivers/megaraid_sas")
    (driver / "unbind").write_text(address)
    try:
        _, output = mfi("show")
    finally:
        (driver / "bind").write_text(address)
    assert {one["serial_number"] for one in output["controllers"]} == others
    [again] = [one for one in mfi("show")[1]["controllers"] if one["pci_address"] == address]
    assert again["product_name"] == shown()["product_name"]


def test_the_second_generation_answers_too() -> None:
    """QEMU's 9260-8i: name, firmware, its volume."""
    found = cards()["LAB0000002"]
    assert (found["product_name"], found["firmware"][0]["version"]) == ("LSI MegaRAID SAS 9260-8i", "1.80-QEMU")
    assert [one["size_bytes"] for one in found["volumes"]] == [64 << 20]


def test_volumes_are_shown_where_the_configuration_is_refused() -> None:
    """QEMU's CFG_READ has room for seven drives: with nine it is refused, and the lists tell what they can."""
    found = cards()["LAB0000003"]
    assert "The firmware refused CFG_READ: 0x03" in found["messages"]
    assert found["arrays"] is None
    assert [(one["target"], one["size_bytes"]) for one in found["volumes"]] == [
        (number, 64 << 20) for number in range(9)
    ]
    assert len(found["drives"]) == 9


def test_a_card_without_volumes_has_an_empty_list() -> None:
    """Its drives are there; that there is no volume is known, not unknown."""
    found = cards()["LAB0000004"]
    assert (found["volumes"], len(found["drives"])) == ([], 2)


def test_one_of_several_cards_is_asked_by_its_number() -> None:
    """The number that `show` gives it; the others are left alone."""
    number = cards()["LAB0000003"]["number"]
    code, output = mfi("flush", "--controller", str(number))
    assert (code, [one["pci_address"] for one in output["controllers"]]) == (0, [cards()["LAB0000003"]["pci_address"]])
    assert mfi("show", "--controller", "4")[0] == 3


def test_raidctl_tells_the_cards_apart() -> None:
    """Each volume has the device that sysfs shows at its target on its card's own PCI function."""
    found = [one for one in inventory()["controllers"] if one["driver"] == "megaraid_sas"]
    volumes = {
        one["pci_address"]: {int(volume["id"].rpartition("/v")[2]): volume["device"] for volume in one["volumes"]}
        for one in found
    }
    kernel = {address: {target: node for target, (node, _) in each.items()} for address, each in disks().items()}
    assert len(volumes) == 4
    assert {address: each for address, each in volumes.items() if each} == kernel
