"""Write caches of drives, switched by raidctl in a running machine. The real tools check them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.lab.guest import Done, Guest
from tests.lab.machines_caches import CACHES, STATE

pytestmark = [pytest.mark.lab(minutes=1), pytest.mark.xdist_group("lab-caches")]

ALL = {"CS1": True, "CS2": False, "CA1": True, "CN1": True}
"""Whether each drive's write cache is enabled before and after each test."""
SMARTCTL = "/usr/sbin/smartctl"


@dataclass
class Caches:
    """The machine, and the state of its drive caches. The real tools report it."""

    guest: Guest
    nodes: dict[str, str]

    def asked(self) -> dict[str, bool]:
        """Whether each write cache is enabled, according to hdparm, sdparm and nvme."""
        # sdparm ends with 5 where a drive has no saved values
        text = self.guest.sh(
            f"hdparm -W {self.nodes['CS1']}; hdparm -W {self.nodes['CS2']};"
            f"sdparm -q --get=WCE {self.nodes['CA1']} || true; nvme get-feature {self.nodes['CN1']} -f 6"
        )
        found = re.findall(r"write-caching = +(\d)|^WCE +(\d)|value:(?:0x)?0*(\d)$", text, re.MULTILINE)
        assert len(found) == len(ALL), text
        return dict(zip(ALL, ("1" in figures for figures in found), strict=True))

    def flushed_by_kernel(self) -> dict[str, bool]:
        """Whether the kernel flushes each cache."""
        names = " ".join(f"/sys/block/{node.rpartition('/')[2]}/queue/write_cache" for node in self.nodes.values())
        words = self.guest.sh(f"cat {names}").splitlines()
        return dict(zip(self.nodes, (word == "write back" for word in words), strict=True))

    def raidctl(self, *words: str) -> Done:
        """Run raidctl."""
        return self.guest.raidctl(*words, timeout=900)

    def changes(self) -> list[list[str]]:
        """The events of each change in the journal."""
        found: dict[str, list[str]] = {}
        for line in self.guest.read_file(f"{STATE}/journal.jsonl").decode().splitlines():
            event = json.loads(line)
            word = event.get("mark") or event.get("result") or event["kind"]
            found.setdefault(event["change"], []).append(word)
        return list(found.values())


@pytest.fixture(scope="module")
def caches() -> Iterator[Caches]:
    """The machine with a file system on CS2, whose cache is disabled."""
    with Guest(CACHES) as guest:
        guest.boot()
        nodes = {serial: guest.device(serial) for serial in ALL}
        guest.sh(
            f"mkfs.ext4 -q {nodes['CS2']}; mkdir -p /srv/db; mount {nodes['CS2']} /srv/db; hdparm -W0 {nodes['CS2']}"
        )
        guest.sh(f"mv {SMARTCTL} /run/smartctl")  # its commands take a third of the time of every reading
        yield Caches(guest, nodes)


def test_every_field_of_every_kind_of_drive_is_that_of_the_tools(caches: Caches) -> None:
    """Fields of all drives equal those of lsblk and the cache tools. The drives are SATA, SAS and NVMe."""
    names = "NAME,SIZE,MODEL,SERIAL,REV,ROTA,TRAN,WWN,MOUNTPOINTS"
    blocks = {
        block["serial"]: block
        for block in json.loads(caches.guest.sh(f"lsblk -J -b -d -o {names}"))["blockdevices"]
        if block["serial"] in ALL
    }
    caches.guest.sh(f"cp /run/smartctl {SMARTCTL}")
    shown = json.loads(caches.guest.raidctl("--json", "show", check=False, timeout=900).out)
    drives = {drive["serial"]: drive for controller in shown["controllers"] for drive in controller["drives"]}
    on = caches.asked()
    assert set(blocks) == set(ALL) <= set(drives)
    for serial, block in blocks.items():
        drive, made = drives[serial], CACHES.drive(serial)
        assert drive["device"] == caches.nodes[serial] == f"/dev/{block['name']}"
        # lsblk does not show the firmware of NVMe drives; sysfs does
        firmware = block["rev"] or caches.guest.sh(f"cat /sys/block/{block['name']}/device/firmware_rev").strip()
        assert (drive["size_bytes"], drive["model"], drive["firmware"]) == (block["size"], block["model"], firmware)
        assert (drive["media"], drive["interface"]) == ("hdd" if block["rota"] else "ssd", block["tran"])
        assert drive["rpm"] == (made.rpm or None)
        assert drive["mountpoints"] == [point for point in block["mountpoints"] if point]
        assert drive["write_cache"] == ("enabled" if on[serial] else "disabled")
        assert (drive["role"], drive["enclosure"]) == ("passthrough", None)
        # SMART support is:     Unavailable - device lacks SMART capability.
        report = caches.guest.sh(f"smartctl -i {caches.nodes[serial]} || true")
        assert drive["status"] == ("unknown" if "lacks SMART capability" in report else "ok"), report
    caches.guest.sh(f"rm {SMARTCTL}")


def test_caches_of_all_kinds_are_disabled_and_enabled(caches: Caches) -> None:
    """One command switches SATA, SAS and NVMe drives. Drives, kernel and journal show it.

    An NVMe drive resets it when it loses power; for the others that depends on the drive.
    """
    off = caches.raidctl("cache", "drive", "CS1", "CA1", "CN1", "off", "--yes", "--json")
    assert (off.rc, caches.asked()) == (0, dict.fromkeys(ALL, False)), off
    persistent = {step["object_id"]: step.get("persistent") for step in json.loads(off.text)["steps"]}
    assert persistent == {"drives:CS1": None, "drives:CA1": None, "drives:CN1": False}
    # the kernel reads NVMe drives once, when it finds them: it continues to send flushes, which cost little
    assert caches.flushed_by_kernel() == {"CS1": False, "CS2": False, "CA1": False, "CN1": True}
    on = caches.raidctl("cache", "drive", "CS1", "CA1", "CN1", "on", "--yes")
    assert (on.rc, caches.asked()) == (0, ALL), on
    assert caches.changes()[-2:] == [["set", *["start", "done"] * 3, "done"]] * 2


def test_the_cache_under_a_file_system_is_not_enabled(caches: Caches) -> None:
    """Without a reason, no volatile cache below a file system is enabled."""
    done = caches.raidctl("cache", "drive", "/srv/db", "on", "--yes")
    assert (done.rc, "volatile, and /srv/db is on the drive" in " ".join(done.text.split())) == (1, True), done
    assert caches.asked() == ALL


def test_a_batch_returns_its_exit_code_and_restores(caches: Caches) -> None:
    """The caches are disabled for the load, and then enabled again. The load fails."""
    look = "hdparm -W {CS1}; sdparm -q --get=WCE {CA1}; nvme get-feature {CN1} -f 6; exit 7".format(**caches.nodes)
    done = caches.raidctl("batch", "--drive-cache", "off", "CS1", "CA1", "CN1", "--yes", "--", "sh", "-c", look)
    assert re.findall(r"write-caching = +(\d)|^WCE +(\d)|value:(?:0x)?0*(\d)$", done.text, re.MULTILINE) == [
        ("0", "", ""), ("", "0", ""), ("", "", "0"),
    ], done  # fmt: skip
    assert (done.rc, caches.asked()) == (7, ALL), done


def test_restore_undoes_what_two_killed_processes_have_left(caches: Caches) -> None:
    """If the watchdog is killed as well, ``restore`` undoes the changes, once."""
    load = "kill -9 $(pgrep -P $PPID -f '[w]hen-gone') $PPID"
    caches.raidctl("batch", "--drive-cache", "off", "CS1", "CA1", "CN1", "--yes", "--", "sh", "-c", load)
    assert caches.asked() == dict.fromkeys(ALL, False)
    done = caches.raidctl("restore")
    assert (done.rc, caches.asked()) == (0, ALL), done
    again = caches.raidctl("restore")
    assert (again.rc, again.err.decode()) == (0, "Nothing to undo.\n")


def test_flush_writes_the_layers_from_the_top_to_the_bottom(caches: Caches) -> None:
    """Dirty memory reaches the drive of a mount point. Each drive with an enabled cache is flushed."""
    before = caches.guest.sh(
        "dd if=/dev/urandom of=/srv/db/file bs=64k count=64 2>/dev/null; grep ^Dirty: /proc/meminfo"
    )
    assert int(before.split()[1]) >= 2048
    point = json.loads(caches.raidctl("cache", "flush", "/srv/db", "--json").text)
    assert [(layer["kind"], layer["answer"]["result"]) for layer in point["layers"]] == [
        ("page_cache", "done"), ("drive", "nothing"),
    ]  # fmt: skip
    assert int(caches.guest.sh("grep ^Dirty: /proc/meminfo").split()[1]) < 1024
    done = caches.raidctl("cache", "flush", "--all", "--json")
    results = {layer["layer"]: layer["answer"]["result"] for layer in json.loads(done.text)["layers"]}
    wanted = {"kernel:vm": "done", "drives:CS1": "done", "drives:CS2": "nothing", "drives:CA1": "done"}
    assert (done.rc, results) == (0, wanted | {"drives:CN1": "done"})
