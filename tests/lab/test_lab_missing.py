"""The lab with missing programs, interruptions and kills."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lab.places import CHECKOUT
from tests.support.processes import killed_on_error

# Stand-ins for Debian's programs: the meta package depends on a kernel 9.9, the archive is a file, unpacked a tree
APT_CACHE = "printf 'linux-image-amd64\n  Depends: linux-image-9.9-amd64\n'"
DPKG = 'mkdir -p "$3/lib/modules/9.9" "$3/boot"; echo kernel > "$3/boot/vmlinuz-9.9"'
DOWNLOAD = 'echo "$@" >> "$LOG"; [ "$2" = download ] || exit 0; echo archive > "$3.deb"'
OFFLINE = 'echo "E: Temporary failure resolving" >&2; exit 100'
FETCH = "from pathlib import Path; from tests.lab.kernel import fetch; fetch(Path('{}'))"
DRIVE_WITH_CACHE = """
import time
from tests.lab.guest import Guest
from tests.lab.machine import Drive, Machine
drive = Drive("CACHE1", bus="virtio", backing="volatile")
Guest(Machine("killed", "its owner is killed", (drive,), modules=("virtio_blk",), udev=False)).boot()
print("up", flush=True)
time.sleep(600)
"""
WITHOUT_QEMU = """
import sys, pytest
from tests.lab import places
places.SBIN = sys.argv[1]
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "tests/lab/samples.py::test_passes_inside"]))
"""


def until(holds: Callable[[], object], seconds: float = 60) -> bool:
    """Wait until a condition is true; False after the time limit."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


class Debian:
    """Replacements of Debian's tools, first on PATH, and a store for kernels."""

    def __init__(self, place: Path) -> None:
        self.store, self.log, self.bin = place / "store", place / "log", place / "bin"
        self.bin.mkdir()
        self.log.touch()
        for name, script in (("apt-cache", APT_CACHE), ("apt-get", DOWNLOAD), ("dpkg", DPKG), ("depmod", "true")):
            self.program(name, script)

    def program(self, name: str, script: str) -> None:
        """Write a program."""
        path = self.bin / name
        path.write_text(f"#!/bin/sh -e\n{script}\n")
        path.chmod(0o755)

    def fetch(self) -> subprocess.Popen[str]:
        """Start to fetch a kernel."""
        environment = {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}", "LOG": str(self.log)}
        argv = [sys.executable, "-c", FETCH.format(self.store)]
        return subprocess.Popen(argv, cwd=CHECKOUT, env=environment, stderr=subprocess.PIPE, text=True)

    def downloads(self) -> int:
        """The number of downloads."""
        return self.log.read_text().count(" download ")

    def kept(self) -> list[str]:
        """The content of the store."""
        return sorted(path.name for path in self.store.iterdir() if path.name != "lock")


@pytest.fixture
def debian(tmp_path: Path) -> Debian:
    """A distribution with replaced tools."""
    return Debian(tmp_path)


def test_an_interrupted_fetch_is_repeated(debian: Debian) -> None:
    """After a kill in mid-download, the next fetch downloads again. It removes the rest."""
    half = debian.store.parent / "half"
    debian.program("apt-get", f'echo half > "$3.deb"; echo $$ > {half}; exec sleep 60')
    broken = debian.fetch()
    assert until(lambda: half.exists() and half.read_text().strip())
    broken.kill()
    broken.communicate()
    os.kill(int(half.read_text()), signal.SIGKILL)
    assert [name.partition("-")[0] for name in debian.kept()] == ["tmp"]
    debian.program("apt-get", DOWNLOAD)
    again = debian.fetch()
    assert again.communicate()[1] == ""
    assert debian.kept() == ["linux-image-9.9-amd64"]


def test_two_fetches_at_once_download_once(debian: Debian) -> None:
    """The second one waits for the first and uses its result."""
    debian.program("apt-get", f"sleep 1; {DOWNLOAD}")
    both = [debian.fetch(), debian.fetch()]
    assert [process.communicate()[1] for process in both] == ["", ""]
    assert debian.downloads() == 1
    assert debian.kept() == ["linux-image-9.9-amd64"]


@pytest.mark.parametrize("lists", [APT_CACHE, "true", "exit 100"], ids=["known", "no lists", "no answer"])
def test_without_a_network_the_message_names_the_command_that_fetches(debian: Debian, lists: str) -> None:
    """The last line has the command, and no partial file is left."""
    debian.program("apt-cache", lists)
    debian.program("apt-get", OFFLINE)
    process = debian.fetch()
    errors = process.communicate()[1]
    assert process.returncode != 0
    assert "python3 -m tests.lab --fetch" in errors.splitlines()[-1]
    assert debian.kept() == []


def everything_but(place: Path, *left_out: str) -> Path:
    """A folder with links to the programs of this system, except some."""
    place.mkdir()
    for folder in ("/usr/sbin", "/sbin", "/usr/bin", "/bin"):
        for program in Path(folder).iterdir():
            link = place / program.name
            if program.name not in left_out and not link.is_symlink():
                link.symlink_to(program)
    return place


@pytest.mark.lab
def test_a_missing_qemu_is_a_failure_that_names_its_package(tmp_path: Path) -> None:
    """The test fails with the package to install; it is not skipped."""
    found = everything_but(tmp_path / "bin", "qemu-system-x86_64")
    environment = {**os.environ, "PYTEST_ADDOPTS": ""}
    argv = [sys.executable, "-c", WITHOUT_QEMU, str(found)]
    done = subprocess.run(argv, cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "qemu-system-x86_64 is missing: install the Debian package qemu-system-x86" in done.stdout
    assert "1 failed" in done.stdout


def test_without_root_the_packages_that_are_missing_are_named(tmp_path: Path) -> None:
    """``tests/run`` prints them and ends with 4 before it does anything."""
    found = everything_but(tmp_path / "bin", "qemu-system-x86_64", "nbdkit", "id")
    (found / "id").write_text("#!/bin/sh\necho 1000\n")
    (found / "id").chmod(0o755)
    argv = [found / "bash", CHECKOUT / "tests/run"]
    environment = {"PATH": str(found), "HOME": str(tmp_path)}
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (4, "")
    assert "these packages are missing: qemu-system-x86 nbdkit; install them" in done.stderr


def owned(place: Path) -> set[str]:
    """Names of the running programs that use this folder. A path of it is among their arguments."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().split(b"\0")
        except OSError:
            continue
        if any(str(place).encode() in word for word in words):
            found.add(Path(words[0].decode()).name)
    return found


@pytest.mark.lab
def test_a_killed_owner_leaves_no_machine_behind(tmp_path: Path) -> None:
    """Signal 9 to a machine's owner ends QEMU and the drive's nbdkit."""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    argv = [sys.executable, "-c", DRIVE_WITH_CACHE]
    with killed_on_error(
        subprocess.Popen(argv, cwd=CHECKOUT, env=environment, stdout=subprocess.PIPE, text=True)
    ) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "up\n"
        running = owned(tmp_path)
        owner.kill()
    assert running == {"qemu-system-x86_64", "nbdkit"}
    assert until(lambda: not owned(tmp_path), 20), owned(tmp_path)
