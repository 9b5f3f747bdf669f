"""The initramfs of all machines.

Its contents are busybox, a few modules, and an init that makes the host's root the guest's root.

The host's root is mounted over 9p, read-only, under an overlay whose upper side is in memory. So the guest has the
host's Python, checkout, virtual environment and tools, and can write anywhere without changing the host.
"""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterable
from pathlib import Path

from tests.lab.kernel import Kernel
from tests.lab.places import LabError, program

# What is needed before the host's root is there; the rest modprobe loads from it.
EARLY = ("virtio_pci", "9pnet_virtio", "9p", "overlay", "virtio_console", "virtio_rng")

INIT = """#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /dev /host /memory /new
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sysfs /sys
/bin/busybox mount -t devtmpfs devtmpfs /dev
word() { for w in $(/bin/busybox cat /proc/cmdline); do case $w in "$1"=*) echo "${w#*=}" ;; esac; done; }
for module in $(/bin/busybox cat /modules/order); do /bin/busybox insmod /modules/$module; done
/bin/busybox mount -t 9p -o trans=virtio,version=9p2000.L,msize=524288,cache=loose,ro root /host &&
/bin/busybox mount -t tmpfs -o size=75% tmpfs /memory &&
/bin/busybox mkdir /memory/upper /memory/work &&
/bin/busybox mount -t overlay -o lowerdir=/host,upperdir=/memory/upper,workdir=/memory/work overlay /new ||
/bin/busybox poweroff -f
/bin/busybox mount -t proc proc /new/proc
/bin/busybox mount -t sysfs sysfs /new/sys
/bin/busybox mount -t devtmpfs devtmpfs /new/dev
# What the guest needs of the host's /run and /tmp, a checkout there for one, is put back on top of its own.
kept=0
for path in $(word lab.kept | /bin/busybox tr : ' '); do
  kept=$((kept + 1)); /bin/busybox mkdir -p /kept/$kept; /bin/busybox mount --bind "/new$path" /kept/$kept
done
for place in run tmp; do /bin/busybox mount -t tmpfs -o mode=1777 tmpfs /new/$place; done
kept=0
for path in $(word lab.kept | /bin/busybox tr : ' '); do
  kept=$((kept + 1)); /bin/busybox mkdir -p "/new$path"; /bin/busybox mount --move /kept/$kept "/new$path"
done
/bin/busybox mkdir -p /new/dev/pts /new/dev/shm /new/lib/modules
/bin/busybox mount -t devpts devpts /new/dev/pts
/bin/busybox mount -t tmpfs tmpfs /new/dev/shm
/bin/busybox ln -sfn "$(word lab.modules)" "/new/lib/modules/$(/bin/busybox uname -r)"
# The guest's virtual environment is the host's, with the distribution's Python: see interpreter.py.
instead="$(word lab.instead)" venv="/new$(word lab.venv)"
if [ -n "$instead" ]; then
  for name in python python3 "${instead##*/}"; do /bin/busybox ln -sfn "$instead" "$venv/bin/$name"; done
  /bin/busybox sed -i "s#^home = .*#home = ${instead%/*}#" "$venv/pyvenv.cfg"
fi
/bin/busybox hostname "$(word lab.name)"
/bin/busybox ifconfig lo 127.0.0.1 up
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root
export AGENT="$(word lab.agent)" PYTHON="$(word lab.python)"
# A true new root and no chroot, in which udevadm would do nothing. The shell stays process 1: it reaps orphans, and
# powers off when the agent ends.
exec /bin/busybox switch_root /new BUSYBOX sh -c '"$PYTHON" -I -S "$AGENT"; BUSYBOX poweroff -f'
"""


def build(kernel: Kernel) -> Path:
    """The kernel's initramfs, rebuilt if this file or busybox is newer."""
    path = kernel.tree / "initramfs"
    busybox = _busybox()
    newest = max(Path(__file__).stat().st_mtime, Path(busybox).stat().st_mtime)
    if not path.exists() or path.stat().st_mtime < newest:
        scratch = path.with_name(f"initramfs.{os.getpid()}")
        scratch.write_bytes(archive(list(_entries(kernel, busybox))))
        scratch.rename(path)
    return path


def archive(entries: Iterable[tuple[str, int, bytes]]) -> bytes:
    """A cpio archive in the format of the kernel ("newc"). Each entry has a name, a mode and content."""
    out = bytearray()
    for number, (name, mode, content) in enumerate((*entries, ("TRAILER!!!", 0, b""))):
        fields = (number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0)
        out += b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
        out += b"\0" * (-len(out) % 4)
        out += content
        out += b"\0" * (-len(out) % 4)
    return bytes(out)


def _entries(kernel: Kernel, busybox: str) -> Iterable[tuple[str, int, bytes]]:
    """Folders, busybox, init, and the modules with their order."""
    folder, text, executable = stat.S_IFDIR | 0o755, stat.S_IFREG | 0o644, stat.S_IFREG | 0o755
    yield from ((name, folder, b"") for name in ("bin", "modules"))
    yield "bin/busybox", executable, Path(busybox).read_bytes()
    yield "init", executable, INIT.replace("BUSYBOX", busybox).encode()
    modules = _in_order(kernel)
    for module in modules:
        yield f"modules/{module.name}", text, module.read_bytes()
    yield "modules/order", text, "\n".join(module.name for module in modules).encode()


def _in_order(kernel: Kernel) -> list[Path]:
    """The early modules and their dependencies, each after those."""
    found: dict[Path, None] = {}
    for name in EARLY:
        argv = [program("modprobe", "kmod"), "-d", str(kernel.tree), "-S", kernel.version, "--show-depends", name]
        out = subprocess.run(argv, capture_output=True, text=True, check=False)
        if out.returncode:
            raise LabError(f"the kernel {kernel.version} has no module {name}: {out.stderr.strip()}")
        for line in out.stdout.splitlines():  # "insmod /…/9pnet.ko" or "builtin virtio"
            kind, _, rest = line.partition(" ")
            if kind == "insmod":
                found[Path(rest.split()[0])] = None
    return list(found)


def _busybox() -> str:
    """A busybox without shared libraries. The one in the package ``busybox`` needs them."""
    path = program("busybox", "busybox-static")
    with Path(path).open("rb") as program_file:
        interpreter_named = b"/ld-" in program_file.read(4096)  # an ELF file names its loader there
    if interpreter_named:
        raise LabError(
            f"{path} needs shared libraries: install the Debian package busybox-static (tests/run as root does)"
        )
    return path
