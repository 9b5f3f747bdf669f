"""The driver's device node is found, opened and removed, whatever fails."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from raidctl_mfi import commands as c
from raidctl_mfi import node
from raidctl_mfi.dialogue import read_controller
from raidctl_mfi.frame import Question
from raidctl_mfi.node import Channel, DriverUnavailable, Host, ask, channel, hosts, major, open_node


@pytest.fixture
def null() -> Iterator[int]:
    """A descriptor of a device without the ioctl."""
    descriptor = os.open(os.devnull, os.O_RDWR)
    yield descriptor
    os.close(descriptor)


def _host(sysfs: Path, number: int, driver: str, device: str | None) -> None:
    """A SCSI host in a tree like sysfs."""
    function = sysfs / f"devices/pci0000:00/0000:00:0{number}.0"
    place = function / f"host{number}/scsi_host/host{number}"
    place.mkdir(parents=True)
    (place / "proc_name").write_text(f"{driver}\n")
    if device is not None:
        for name, value in (("vendor", "0x1000"), ("device", device), ("subsystem_vendor", "0x1028")):
            (function / name).write_text(f"{value}\n")
        (function / "subsystem_device").write_text("0x1f42\n")
    links = sysfs / "class/scsi_host"
    links.mkdir(parents=True, exist_ok=True)
    (links / f"host{number}").symlink_to(place)


def test_the_hosts_of_the_driver_are_found_with_their_pci_functions(tmp_path: Path) -> None:
    """Only this driver's hosts are found; unreadable PCI ids are left out."""
    _host(tmp_path, 5, "megaraid_sas", "0x005b")
    _host(tmp_path, 3, "megaraid_sas", None)
    _host(tmp_path, 4, "ahci", "0x2922")
    assert hosts(str(tmp_path)) == [Host(3), Host(5, "0000:00:05.0", (0x1000, 0x5B, 0x1028, 0x1F42))]


def test_a_machine_without_scsi_hosts_has_none(tmp_path: Path) -> None:
    """Without the folder in sysfs there are no hosts."""
    assert hosts(str(tmp_path)) == []


def test_the_major_number_is_that_of_the_drivers_line() -> None:
    """The major number comes from the line `249 megaraid_sas_ioctl` and from no other."""
    text = "Character devices:\n  1 mem\n249 megaraid_sas_ioctl\n\nBlock devices:\n  8 sd\n"
    assert (major(text), major("249 megaraid_sas_ioctl_x\n"), major("")) == (249, None, None)


def test_a_driver_that_is_not_loaded_is_reported(tmp_path: Path) -> None:
    """An unloaded driver is reported as such, not as a missing permission."""
    with pytest.raises(DriverUnavailable, match="no entry in /proc/devices") as caught:
        open_node(devices=str(tmp_path / "devices"))
    assert not caught.value.right


def test_a_node_with_the_number_of_the_driver_is_opened_and_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file is made instead of the node, which only root can make."""
    made: list[int] = []

    def mknod(path: str, _mode: int, device: int) -> None:
        made.append(device)
        Path(path).touch()

    monkeypatch.setattr(os, "mknod", mknod)
    monkeypatch.setattr(node, "_PLACES", (str(tmp_path / "missing"), str(tmp_path)))
    (tmp_path / "devices").write_text("17 megaraid_sas_ioctl\n")
    os.close(open_node(str(tmp_path / "node"), str(tmp_path / "devices")))
    assert made == [os.makedev(17, 0)]
    assert [path.name for path in tmp_path.iterdir()] == ["devices"]


def test_a_node_that_cannot_be_opened_is_removed(tmp_path: Path) -> None:
    """Neither the node nor its directory is left behind."""
    (tmp_path / "devices").write_text("1 megaraid_sas_ioctl\n")
    before = set(Path("/dev").iterdir())
    if os.geteuid() == 0:
        # no device has the number 1, 0: ENXIO; in a container mknod fails with EPERM
        with pytest.raises(DriverUnavailable, match=r"ENXIO|EPERM"):
            open_node(str(tmp_path / "node"), str(tmp_path / "devices"))
    else:
        with pytest.raises(DriverUnavailable, match="EPERM") as caught:
            open_node(str(tmp_path / "node"), str(tmp_path / "devices"))
        assert caught.value.right
    assert {path for path in set(Path("/dev").iterdir()) - before if "raidctl" in path.name} == set()


def test_a_refused_ioctl_is_an_answer_with_a_fault(null: int) -> None:
    """A refused ioctl is an answer with the error's name and text."""
    answer = ask(null, 0, Question(c.CTRL_GET_INFO))
    assert (answer.status, answer.has_data, (answer.fault or "")[:7]) == (None, False, "ENOTTY:")


def test_the_child_process_passes_the_answers_on(null: int) -> None:
    """The child process passes the answers on. It sends nothing after the first refusal."""
    with channel(null, 0) as one:
        found = one.run(read_controller())
    assert [(answer.fault or "")[:7] for answer in found.answers] == ["ENOTTY:"]


def test_a_question_without_an_answer_is_given_up(null: int) -> None:
    """A child that hangs is abandoned after the time limit. No other query is sent."""
    one = Channel(null, 0, timeout=0.2)
    os.kill(one._pid, signal.SIGSTOP)
    found = one.run(read_controller())
    one.close()
    assert [answer.fault for answer in found.answers] == ["no answer within 0.2 seconds"]


def test_a_child_that_dies_is_no_crash(null: int) -> None:
    """A child that is killed gives an answer with a fault."""
    one = Channel(null, 0)
    os.kill(one._pid, signal.SIGKILL)
    os.waitid(os.P_PID, one._pid, os.WEXITED | os.WNOWAIT)
    found = one.run(read_controller())
    one.close()
    assert [answer.fault for answer in found.answers] == ["the process that asks has died"]
