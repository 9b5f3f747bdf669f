"""The lab: command lines, error messages, and how it runs tests."""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path

import pytest

from tests.lab import clock
from tests.lab.__main__ import ENVIRONMENT, machines
from tests.lab.guest import Guest, shell_in
from tests.lab.initramfs import archive
from tests.lab.kernel import unpacked
from tests.lab.machine import Backing, Controller, Drive, Machine, Throttle
from tests.lab.places import CHECKOUT, COVERED, LabError, hidden, program
from tests.lab.qemu import Places, Software, command
from tests.lab.recording import RECORDED

PLACES = Places(Path("/scratch"))
SOFTWARE = Software("qemu", Path("/k"), Path("/i"), Path("/m"), "/python", Path("/agent"))


def devices(*drives: Drive, controllers: tuple[Controller, ...] = ()) -> list[str]:
    """The value of each -device on QEMU's command line. The lab's own are left out."""
    argv = command(Machine("m", "t", drives, controllers), PLACES, SOFTWARE)
    return [after for word, after in pairwise(argv) if word == "-device"][4:]


def test_a_seventh_sata_drive_gets_a_second_controller() -> None:
    """An AHCI controller has six ports."""
    words = devices(*(Drive(f"S{number}") for number in range(7)))
    assert [word.split(",")[:2] for word in words[:2]] == [["ich9-ahci", "id=sata0"], ["ich9-ahci", "id=sata1"]]
    assert "bus=sata0.5" in words[-2]
    assert "bus=sata1.0" in words[-1]


def test_a_drive_is_made_as_it_is_described() -> None:
    """Model, serial number, rpm and cache are passed to QEMU."""
    word = devices(Drive("S1", model="LAB DISK", rpm=7200, write_cache=False))[-1].split(",")
    assert {"ide-hd", "serial=S1", "model=LAB DISK", "rotation_rate=7200", "write-cache=off"} <= set(word)


def test_a_throttle_reaches_qemu() -> None:
    """A leaky bucket is three of QEMU's options."""
    throttle = Throttle(bps_write=20, bps_write_max=64, bps_write_max_length=1)
    argv = command(Machine("m", "t", (Drive("S1", throttle=throttle),)), PLACES, SOFTWARE)
    drive = argv[argv.index("-drive") + 1]
    assert drive.endswith(",throttling.bps-write=20,throttling.bps-write-max=64,throttling.bps-write-max-length=1")


def test_a_drive_on_a_missing_controller_is_refused() -> None:
    """A drive is never attached to another controller instead."""
    with pytest.raises(ValueError, match="no controller"):
        devices(Drive("S1", bus="scsi", controller="sas"), controllers=(Controller("other", "mptsas"),))


def test_two_drives_with_one_serial_number_are_refused() -> None:
    """Two drives with the same serial number are refused."""
    with pytest.raises(ValueError, match="same serial number"):
        Machine("m", "t", (Drive("S1"), Drive("S1")))


def test_every_machine_can_be_written_as_a_command() -> None:
    """Each machine has a unique name and a port for each drive."""
    for name, machine in machines().items():
        assert machine.name == name
        argv = command(machine, PLACES, SOFTWARE)
        assert argv.count("-drive") == len(machine.drives)


def test_every_recording_of_the_lab_can_be_repeated() -> None:
    """``python -m tests.lab --record`` has an entry for each folder ``lab-…`` of fixtures/."""
    fixtures = CHECKOUT / "fixtures"
    recorded = {name for name, one in RECORDED.items() if one.place == fixtures}
    assert recorded == {folder.name for folder in fixtures.glob("lab-*")}
    assert all((one.place / name / "record.json").exists() for name, one in RECORDED.items())
    assert {recorded.machine for recorded in RECORDED.values()} <= set(machines())


def test_paths_hidden_by_a_guests_file_systems_are_kept() -> None:
    """A checkout below /run or /tmp is listed once. A guest mounts other file systems there."""
    below = [f"{place}{name}" for place in COVERED for name in ("ci/.venvs/3.11", "ci")]
    assert hidden([*below, "/usr", "/runs/ci"]) == [f"{place}ci" for place in COVERED]


def test_a_missing_program_is_named_with_its_package() -> None:
    """A missing program is an error, never a skipped test."""
    with pytest.raises(LabError, match="no-such-program is missing: install the Debian package some-package"):
        program("no-such-program", "some-package")


def test_a_person_at_the_console_finds_this_checkout_s_raidctl() -> None:
    """The shell has the given PATH and folder. The host's /etc/profile does not change them."""
    script = ["/bin/sh", "-c", shell_in("/usr")]
    typed = b"type -P raidctl; pwd; exit\n"
    output = subprocess.run(script, env=ENVIRONMENT, input=typed, capture_output=True, check=True).stdout.decode()
    assert output.split() == [str(Path(sys.executable).with_name("raidctl")), "/usr"]


@pytest.mark.slow
def test_the_initramfs_is_what_cpio_reads() -> None:
    """An archive of three entries lists as three, with their sizes."""
    packed = archive([("bin", 0o40755, b""), ("bin/a", 0o100644, b"odd"), ("b", 0o100755, b"four")])
    argv = [program("busybox", "busybox-static"), "cpio", "-t", "-v"]
    listed = subprocess.run(argv, input=packed, capture_output=True, check=True).stdout.decode().splitlines()
    assert [(line.split()[0], line.split()[2], line.split()[-1]) for line in listed] == [
        ("drwxr-xr-x", "0", "bin"),
        ("-rw-r--r--", "3", "bin/a"),
        ("-rwxr-xr-x", "4", "b"),
    ]


def test_a_kernel_with_another_compression_is_not_unpacked() -> None:
    """Without a valid xz stream, QEMU gets the packed image."""
    assert unpacked(b"MZ" + b"\0" * 100) is None
    assert unpacked(b"MZ\xfd7zXZ\0 and then nothing of the kind") is None


TWICE = """
import os, sys
from tests.lab.forked import Forked
for number in range(2):
    files = [os.open(os.devnull, os.O_RDONLY), os.memfd_create("out"), os.memfd_create("err")]
    run = Forked(["--demo", "perc5i", "show"], [], dict(os.environ), "/", files)
    assert run.wait() == 0, os.pread(files[2], 9999, 0)
    assert b"perc" in os.pread(files[1], 99999, 0).lower()
    print(*sorted(run.missed), sep=",")
    print(run.compiled)
"""


def test_what_a_run_imports_and_compiles_is_ready_for_the_next_one() -> None:
    """The modules of a command are imported once per boot, and its regular expressions compiled."""
    done = subprocess.run([sys.executable, "-c", TWICE], cwd=CHECKOUT, capture_output=True, text=True, check=True)
    first, compiled, second, again = done.stdout.splitlines()
    assert "raidctl_threeware.simulator" in first.split(",")
    assert "raidctl.cli.show" not in first.split(",")  # the command has been imported before
    assert int(compiled) > 50
    assert (second, again) == ("", "0")


GROUPED = """
import os, pytest
@pytest.mark.xdist_group("one")
@pytest.mark.parametrize("number", range(6))
def test_of_a_group(number):
    with open("workers", "a") as file:
        file.write(os.environ["PYTEST_XDIST_WORKER"] + chr(10))
"""


@pytest.mark.slow
def test_tests_of_one_machine_go_to_one_worker(tmp_path: Path) -> None:
    """pytest-xdist keeps groups together, so that only one worker boots a machine."""
    (tmp_path / "test_grouped.py").write_text(GROUPED)
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2", "--dist", "loadgroup"]
    subprocess.run(argv, cwd=tmp_path, env={**os.environ, "PYTEST_ADDOPTS": ""}, capture_output=True, check=True)
    workers = (tmp_path / "workers").read_text().split()
    assert (len(workers), len(set(workers))) == (6, 1)


@pytest.mark.lab
def test_a_marked_test_reports_as_if_it_ran_on_the_host(tmp_path: Path) -> None:
    """The junit file reports marked tests as if run on the host.

    The samples pass, fail with traceback and output, share a boot, and hang.
    """
    environment = {**os.environ, "PYTEST_ADDOPTS": "", "RAIDCTL_LAB_GRACE": "20"}
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={tmp_path}/junit.xml"]
    done = subprocess.run(
        [*argv, "tests/lab/samples.py"], cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stdout + done.stderr
    cases = {case.get("name"): case for case in ET.parse(tmp_path / "junit.xml").iter("testcase")}  # noqa: S314  ours
    failed = {name: case.findtext("failure", "") for name, case in cases.items() if case.find("failure") is not None}
    assert set(cases) - set(failed) == {"test_passes_inside", "test_shares_the_boot"}
    assert "assert one == 2, platform.node()" in failed["test_fails_inside"]
    assert "AssertionError: sample" in failed["test_fails_inside"]
    assert "printed inside" in done.stdout
    assert "said nothing for" in failed["test_hangs"]


DRIVES: tuple[tuple[Backing, str], ...] = (("file", "synced"), ("volatile", "synced"), ("lying", "before"))
"""The effect of a power cut by kind of drive. It is what remains of synced data over older data."""
CACHED = Machine(
    "cached", "drives that lose data",
    tuple(Drive(backing.upper(), bus="virtio", size=1 << 20, backing=backing) for backing, _ in DRIVES),
    modules=("virtio_blk",), udev=False,
)  # fmt: skip


@pytest.mark.lab
def test_a_power_cut_loses_what_a_drive_is_described_to_lose() -> None:
    """An honest cache keeps flushed data; a lying one loses it. A reset loses only memory."""
    with Guest(CACHED) as guest:
        for drive in CACHED.drives:
            guest.places.disk(drive).write_bytes(b"before".ljust(drive.size, b"\0"))
        guest.boot()
        outlives(guest)


def outlives(guest: Guest) -> None:
    """Make a power cut, and then a reset."""
    synced = "; ".join(f"echo synced | dd of=/dev/{node} bs=512 conv=sync,fsync" for node in ("vda", "vdb", "vdc"))
    guest.sh(f"touch /run/in-memory; {synced}")
    guest.kill()
    kept = [guest.places.disk(drive).read_bytes()[:6].decode() for drive in CACHED.drives]
    assert kept == [left for _, left in DRIVES]
    guest.boot()
    assert guest.sh("head -c 6 /dev/vda; ls /run/in-memory || true", check=False) == "synced"
    guest.sh("echo again | dd of=/dev/vda bs=512 conv=sync,fsync; touch /run/in-memory")
    guest.reset()
    assert guest.sh("head -c 5 /dev/vda; ls /run/in-memory || true", check=False) == "again"
    with pytest.raises(LabError, match="ended with 3: to stderr"):
        guest.sh("echo to stderr >&2; exit 3")
    assert guest.run(["sleep", "60"], timeout=0.5, check=False).late


@pytest.mark.lab
@pytest.mark.xdist_group("lab-layers")
def test_a_guest_uses_the_clock_that_the_host_has_chosen(layers_machine: Guest) -> None:
    """The kernel has not replaced it as unreliable."""
    used = layers_machine.sh("cat /sys/devices/system/clocksource/clocksource0/current_clocksource").strip()
    assert f"clocksource={used}" in clock.kernel_words().split()


@pytest.mark.lab
@pytest.mark.xdist_group("lab-layers")
def test_a_guest_has_the_distribution_s_python_where_that_is_of_the_same_version(layers_machine: Guest) -> None:
    """It has the packages of the checkout's virtual environment."""
    arguments = dict(word.partition("=")[::2] for word in layers_machine.sh("cat /proc/cmdline").split())
    code = "import os, sys; print(sys.prefix, sys.base_prefix, os.path.realpath(sys.executable))"
    prefix, base, used = layers_machine.run([sys.executable, "-c", code]).text.split()
    assert prefix == arguments["lab.venv"]
    if arguments["lab.instead"]:
        assert used == os.path.realpath(arguments["lab.instead"])
        assert base == str(Path(arguments["lab.instead"]).parents[1])
