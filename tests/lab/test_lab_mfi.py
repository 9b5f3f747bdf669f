"""The tool raidctl-mfi on emulated MegaRAID controllers.

The driver is the kernel's, and the vendor's tool is absent.
"""

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

from tests.lab.machines_mfi import FOUR_CONTROLLERS

pytestmark = pytest.mark.lab(FOUR_CONTROLLERS, timeout=900)

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
def controllers() -> dict[str, Json]:
    """The controllers as raidctl-mfi shows them, by serial number. Read once per boot."""
    _, output = mfi("show")
    found = {one["serial_number"]: one for one in output["controllers"]}
    for one in found.values():
        own = (problem for problem in output["problems"] if problem["where"].startswith(f"controller {one['number']}"))
        one["messages"] = "\n".join(problem["message"] for problem in own)
    return found


def shown() -> Json:
    """The 8708EM2 with three drives, each a volume."""
    return controllers()["LAB0000001"]


def number() -> str:
    """Its number for ``--controller``."""
    return str(shown()["number"])


@cache
def inventory() -> Json:
    """The output of `raidctl show --json`, as root, without the interpreter's folder on PATH."""
    environment = {**os.environ, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    argv = [sys.executable, "-m", "raidctl", "show", "--json"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=900, env=environment)
    found: Json = json.loads(done.stdout)
    return found


def listed() -> Json:
    """The same controller in the inventory."""
    [found] = [one for one in inventory()["controllers"] if one["pci_address"] == shown()["pci_address"]]
    return dict(found)


def disks() -> dict[str, dict[int, tuple[str, int]]]:
    """Node and size of SCSI block devices, by PCI function and target. Only sysfs is read."""
    found: dict[str, dict[int, tuple[str, int]]] = {}
    for place in Path("/sys/block").glob("sd*"):
        device = (place / "device").resolve()
        _, channel, target, _ = device.name.split(":")
        if channel == "2":
            size = int((place / "size").read_text()) * 512
            found.setdefault(device.parents[2].name, {})[int(target)] = (f"/dev/{place.name}", size)
    return found


def test_the_controller_is_described() -> None:
    """Product name, serial number, firmware and memory are those of QEMU's 8708EM2.

    The PCI address is that of sysfs.
    """
    found = shown()
    assert (found["product_name"], found["serial_number"]) == ("LSI MegaRAID SAS 8708EM2", "LAB0000001")
    assert [(one["name"], one["version"]) for one in found["firmware"]] == [("APP", "1.70-QEMU")]
    assert (found["memory_bytes"], found["battery"]["present"]) == (512 << 20, False)
    assert found["properties"]["cache_flush_interval_seconds"] == 4
    assert Path("/sys/bus/pci/drivers/megaraid_sas", found["pci_address"]).exists()


def test_volumes_and_drives_are_those_of_the_kernel() -> None:
    """Volumes have the targets and sizes that sysfs shows. There is a drive behind each."""
    kernel = {target: size for target, (_, size) in disks()[shown()["pci_address"]].items()}
    assert kernel
    assert {one["target"]: one["size_bytes"] for one in shown()["volumes"]} == kernel
    assert {one["slot"] for one in shown()["drives"]} == set(kernel)
    assert {one["state"] for one in shown()["volumes"]} == {"Optimal"}


def test_empty_replies_and_replies_about_another_drive_are_recognised() -> None:
    """LD_GET_PROP and BBU_STATUS succeed without data, and PD_GET_INFO always returns drive 0."""
    assert "reported success for LD_GET_PROP, BBU_STATUS without data" in shown()["messages"]
    assert "Requested drives 256 and 1280, the firmware returned drive 0" in shown()["messages"]
    assert {one["device_id"]: one["raw_bytes"] for one in shown()["drives"]} == {
        0: 64 << 20, 256: None, 1280: None,
    }  # fmt: skip
    assert all("LD_GET_PROP" not in one["cache"]["told"] for one in shown()["volumes"])


def test_no_node_is_left_behind() -> None:
    """The device node that raidctl-mfi creates is removed."""
    shown()
    assert [path.name for path in Path("/dev").iterdir() if "raidctl" in path.name or "megaraid" in path.name] == []


def test_raidctl_shows_the_controller_without_the_vendors_tool() -> None:
    """Name, firmware and devices of volumes equal sysfs and lsblk. raidctl-mfi is off the PATH."""
    found = listed()
    assert (found["model"], found["firmware"], found["told_by"]) == (
        "LSI MegaRAID SAS 8708EM2", "1.70-QEMU", "raidctl-mfi",
    )  # fmt: skip
    volumes = {one["id"]: (one["device"], one["size_bytes"]) for one in found["volumes"]}
    kernel = disks()[found["pci_address"]]
    assert volumes == {f"{found['id']}/v{target}": disk for target, disk in kernel.items()}
    _, output = _run("lsblk", "--nodeps", "--noheadings", "--bytes", "--output", "HCTL,PATH,SIZE", "--scsi")
    rows = [line.split() for line in output.splitlines()]
    listed_by_lsblk = {(path, int(size)) for address, path, size in rows if ":2:" in address}
    assert listed_by_lsblk == {disk for each in disks().values() for disk in each.values()}
    assert [tool["path"] for tool in inventory()["tools"] if tool["name"] == "raidctl-mfi"] == [
        str(BIN / "raidctl-mfi")
    ]


def test_the_cache_is_flushed() -> None:
    """The firmware reports success."""
    code, output = mfi("flush", "--controller", number())
    assert (code, output["controllers"][0]["result"]["outcome"], output["problems"]) == (0, "done", [])


def test_raidctl_flushes_the_controller_with_raidctl_mfi() -> None:
    """`raidctl cache flush` of the controller runs raidctl-mfi and reports its result.

    The firmware does not report whether the drives have their write caches on: whether they are flushed is unknown.
    """
    code, text = _run(sys.executable, "-m", "raidctl", "cache", "flush", listed()["id"])
    assert code == 3, text
    assert "Whether 3 of 5 layers are flushed is unknown." in text
    assert re.search(rf"^controller +{listed()['id']} .* done ", text, re.MULTILINE), text


def test_nothing_is_set_without_allow_write() -> None:
    """The exit code is 2, and no controller is accessed."""
    code, output = mfi("set", "--controller", number(), "--flush-interval", "9")
    assert (code, output["controllers"]) == (2, [])


def test_a_setting_that_the_firmware_does_not_keep_is_not_confirmed() -> None:
    """QEMU accepts CTRL_SET_PROPERTIES without effect, which the second reading shows."""
    code, output = mfi("set", "--controller", number(), "--flush-interval", "9", "--allow-write")
    result = output["controllers"][0]["result"]
    assert (code, result["outcome"]) == (6, "not confirmed")
    assert (result["sent"][26:28], result["after"][26:28]) == ("09", "04")


def test_an_operation_without_effect_is_not_confirmed() -> None:
    """QEMU accepts PD_LOCATE_START but has no LED. For drive 256 it returns drive 0, so nothing is sent."""
    for switch in ("on", "off"):
        code, output = mfi("locate", "--controller", number(), "--drive", "0", "--allow-write", switch)
        assert (code, output["controllers"][0]["result"]["outcome"]) == (6, "not confirmed")
    code, output = mfi("locate", "--controller", number(), "--drive", "256", "--allow-write", "on")
    assert (code, output["controllers"][0]["result"]["outcome"]) == (3, "not sent")
    assert mfi("locate", "--controller", number(), "--drive", "0", "on")[0] == 2


def test_a_policy_with_an_unknown_current_value_is_not_sent() -> None:
    """A policy is not sent if LD_GET_PROP returns no data. There is nothing to change and send back."""
    code, output = mfi("set", "--controller", number(), "--volume", "1", "--write", "write-back", "--allow-write")
    assert (code, output["controllers"][0]["result"]["outcome"]) == (3, "not sent")


def test_a_user_without_rights_gets_exit_code_4() -> None:
    """The remedy is printed; the kernel still lists the controllers."""
    argv = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", sys.executable, "-m", "raidctl_mfi", "show"]
    code, text = _run(*argv)
    output = json.loads(text)
    assert (code, output["problems"][0]["kind"], output["problems"][0]["remedy"]) == (
        4, "no_right", "Run it as root (sudo).",
    )  # fmt: skip


@pytest.mark.lab(FOUR_CONTROLLERS, last=True, timeout=900)
def test_a_controller_without_a_driver_is_not_listed() -> None:
    """With its driver unbound, only the other controllers are listed. Once bound again, it is listed too."""
    address, others = shown()["pci_address"], set(controllers()) - {"LAB0000001"}
    driver = Path("/sys/bus/pci/drivers/megaraid_sas")
    (driver / "unbind").write_text(address)
    try:
        _, output = mfi("show")
    finally:
        (driver / "bind").write_text(address)
    assert {one["serial_number"] for one in output["controllers"]} == others
    [again] = [one for one in mfi("show")[1]["controllers"] if one["pci_address"] == address]
    assert again["product_name"] == shown()["product_name"]


def test_the_second_generation_is_read() -> None:
    """Name, firmware and volume are those of QEMU's 9260-8i."""
    found = controllers()["LAB0000002"]
    assert (found["product_name"], found["firmware"][0]["version"]) == ("LSI MegaRAID SAS 9260-8i", "1.80-QEMU")
    assert [one["size_bytes"] for one in found["volumes"]] == [64 << 20]


def test_volumes_are_shown_if_the_configuration_is_refused() -> None:
    """Volumes and drives come from the lists if CFG_READ is refused. QEMU refuses it with nine drives."""
    found = controllers()["LAB0000003"]
    assert "The firmware refused CFG_READ: 0x03" in found["messages"]
    assert found["arrays"] is None
    assert [(one["target"], one["size_bytes"]) for one in found["volumes"]] == [
        (number, 64 << 20) for number in range(9)
    ]
    assert len(found["drives"]) == 9


def test_a_controller_without_volumes_has_an_empty_list() -> None:
    """The list of volumes is empty, not unknown. The controller has drives."""
    found = controllers()["LAB0000004"]
    assert (found["volumes"], len(found["drives"])) == ([], 2)


def test_one_of_several_controllers_is_selected_by_its_number() -> None:
    """A number selects one controller: that of `show`. The other controllers are not accessed."""
    number = controllers()["LAB0000003"]["number"]
    code, output = mfi("flush", "--controller", str(number))
    assert (code, [one["pci_address"] for one in output["controllers"]]) == (
        0,
        [controllers()["LAB0000003"]["pci_address"]],
    )
    assert mfi("show", "--controller", "4")[0] == 3


def test_raidctl_distinguishes_the_controllers() -> None:
    """Each volume has the device that sysfs shows at its target. The target is on its controller's PCI function."""
    found = [one for one in inventory()["controllers"] if one["driver"] == "megaraid_sas"]
    volumes = {
        one["pci_address"]: {int(volume["id"].rpartition("/v")[2]): volume["device"] for volume in one["volumes"]}
        for one in found
    }
    kernel = {address: {target: node for target, (node, _) in each.items()} for address, each in disks().items()}
    assert len(volumes) == 4
    assert {address: each for address, each in volumes.items() if each} == kernel
