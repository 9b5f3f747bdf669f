"""The distribution's kernel, downloaded once and never installed. The ignored folder ``.lab`` has its files.

A later run needs no network. Two processes that fetch it at once wait for each other; an interrupted fetch leaves
nothing that a later one takes for complete.
"""

from __future__ import annotations

import fcntl
import lzma
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.lab.places import STORE, LabError, program

META = "linux-image-amd64"
FETCH = "python3 -m tests.lab --fetch"


@dataclass(frozen=True)
class Kernel:
    """An unpacked kernel package."""

    tree: Path

    @property
    def version(self) -> str:
        """Its release, as ``uname -r`` prints it."""
        return next((self.tree / "lib/modules").iterdir()).name

    @property
    def image(self) -> Path:
        """The image that QEMU boots, decompressed if possible.

        An emulated processor needs three seconds to decompress it.
        """
        bare = self.tree / "vmlinux"
        if bare.exists():
            return bare
        packed = self.tree / f"boot/vmlinuz-{self.version}"
        content = unpacked(packed.read_bytes())
        if content is None:
            return packed
        scratch = bare.with_name(f"vmlinux.{os.getpid()}")
        scratch.write_bytes(content)
        scratch.rename(bare)
        return bare

    @property
    def modules(self) -> Path:
        """The tree that modprobe expects at /lib/modules/VERSION."""
        return self.tree / "lib/modules" / self.version


def unpacked(image: bytes) -> bytes | None:
    """The ELF file in a bzImage compressed with xz. None for other compressions, which boot as they are."""
    start = image.find(b"\xfd7zXZ\0")
    if start < 0:
        return None
    try:
        content = lzma.LZMADecompressor().decompress(image[start:])
    except lzma.LZMAError:
        return None
    return content if content.startswith(b"\x7fELF") else None


def kernel(store: Path = STORE) -> Kernel:
    """The newest kernel in the store. One is fetched if there is none."""
    present = sorted(store.glob("linux-image-*"), key=lambda tree: tree.stat().st_mtime)
    return Kernel(present[-1]) if present else fetch(store)


def fetch(store: Path = STORE) -> Kernel:
    """Download and unpack the kernel of ``linux-image-amd64`` unless the store has it."""
    store.mkdir(exist_ok=True)
    with alone(store):
        try:
            tree = _whole(store)
        except LabError:
            if os.geteuid():
                raise
            run([program("apt-get", "apt"), "-q", "update"])  # lists that are missing, or name what is there no longer
            tree = _whole(store)
        tree.touch()
        return Kernel(tree)


def _whole(store: Path) -> Path:
    """The tree of the current kernel, downloaded if it is missing."""
    package = _current()
    if not (store / package).exists():
        _unpack(package, store)
    return store / package


@contextmanager
def alone(store: Path) -> Iterator[None]:
    """Hold the lock of the store, which ends with its process."""
    with (store / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for left in store.glob("tmp-*"):  # of an interrupted fetch, as its process held the lock
            shutil.rmtree(left, ignore_errors=True)
        yield


def _current() -> str:
    """The package that the meta package depends on: ``  Depends: linux-image-6.1.0-56-amd64``."""
    out = run([program("apt-cache", "apt"), "depends", META])
    names = [line.split(":", 1)[1].strip() for line in out.splitlines() if line.strip().startswith("Depends:")]
    for name in names:
        if name.startswith("linux-image-"):
            return name
    raise LabError(f"apt-cache knows no {META}: run apt-get update as root, then {FETCH}")


def _unpack(package: str, store: Path) -> None:
    """Download, unpack and index the modules. The tree gets its name when it is complete."""
    with tempfile.TemporaryDirectory(prefix="tmp-", dir=store) as name:
        scratch = Path(name)
        run([program("apt-get", "apt"), "-q", "download", package], cwd=scratch)
        archive = next(scratch.glob("*.deb"))
        tree = scratch / "tree"
        run([program("dpkg", "dpkg"), "-x", str(archive), str(tree)])
        run([program("depmod", "kmod"), "-b", str(tree), Kernel(tree).version])
        tree.rename(store / package)


def run(argv: list[str], cwd: Path | None = None) -> str:
    """The output of a command that must succeed."""
    done = subprocess.run(argv, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise LabError(
            f"{' '.join(argv)} failed: {done.stderr.strip()[-600:]}\n"
            f"The lab needs packages of the distribution, downloaded once: apt-get update (as root), then {FETCH}"
        )
    return done.stdout
