"""A machine that boots, runs commands, loses power, and boots again."""

from __future__ import annotations

import base64
import contextlib
import os
import queue
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.lab import bytecode, initramfs
from tests.lab.agent_connection import GuestDied, Link
from tests.lab.emulator import renamed
from tests.lab.kernel import kernel
from tests.lab.machine import Drive, Machine
from tests.lab.places import CHECKOUT, LabError, program
from tests.lab.qemu import Places, Software, command
from tests.lab.qmp import Qmp

BOOT_LIMIT = 900.0  # seconds from power on to the agent's word; two to ten are usual
GRACE = float(
    os.environ.get("RAIDCTL_LAB_GRACE", "180")
)  # seconds a guest may be silent after the time that its command was given


@dataclass(frozen=True)
class Done:
    """The result of a command in the guest."""

    argv: tuple[str, ...]
    rc: int
    out: bytes
    err: bytes
    late: bool  # it was killed at its time limit

    @property
    def text(self) -> str:
        """Its stdout."""
        return self.out.decode("utf-8", "replace")


# Programs that are started with this die with their parent process, so that no machine is left behind.
TIED = ("setpriv", "--pdeathsig", "KILL")
URGENT = ("nice", "-n", "-10")  # without the permission, nice prints a message and still runs the command


class Guest:
    """A machine with its drives. They last as long as the scratch folder, whatever happens to the machine's power."""

    def __init__(self, machine: Machine, scratch: Path | None = None) -> None:
        """Put drives and sockets in ``scratch``, or in a temporary folder. ``close`` removes the latter."""
        self.machine = machine
        self._own = scratch is None
        self.places = Places(Path(tempfile.mkdtemp(prefix="lab-")) if scratch is None else scratch)
        self._process: subprocess.Popen[bytes] | None = None
        self._backends: list[subprocess.Popen[bytes]] = []
        self._link: Link | None = None
        self._make_disks()

    def __enter__(self) -> Guest:  # noqa: PYI034  typing has Self from 3.11 on
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def running(self) -> bool:
        """Whether QEMU runs."""
        return self._process is not None and self._process.poll() is None

    # -- power ---------------------------------------------------------------------------------------------------

    def boot(self, *, terminal: bool = False) -> Guest:
        """Power on and wait for the agent. Then load the modules, let udev settle, run the machine's scripts."""
        if self.running:
            raise LabError(f"the machine {self.machine.name} is running already")
        for left in (self.places.port, self.places.qmp):
            left.unlink(missing_ok=True)
        argv = command(self.machine, self.places, software(self.machine.nvme_model), terminal=terminal)
        self._backends = [self._backend(drive) for drive in self.machine.drives if drive.backing != "file"]
        log = (self.places.scratch / "qemu").open("wb")
        with log:
            own = None if terminal else log
            self._process = subprocess.Popen(
                [*(URGENT if self.machine.urgent else ()), *TIED, *argv],
                stdin=None if terminal else subprocess.DEVNULL,
                stdout=own,
                stderr=own,
            )
        self._link = Link(self.places.port, self._process)
        self._up()
        return self

    def kill(self) -> None:
        """Cut the power. QEMU and the caches of volatile drives end at once, without writing."""
        for process in (self._process, *self._backends):
            if process is not None and process.poll() is None:
                process.kill()
        for process in (self._process, *self._backends):
            if process is not None:
                process.wait()
        if self._link:
            self._link.close()
        self._process, self._backends, self._link = None, [], None

    def reset(self) -> None:
        """Press the reset button and wait for the boot. Memory is lost, drives keep their caches."""
        link = self._linked()
        link.expect_hello()
        self.qmp("system_reset")
        self._up()

    def close(self) -> None:
        """Power off, and remove the temporary folder with the drives."""
        self.kill()
        if self._own:
            shutil.rmtree(self.places.scratch, ignore_errors=True)

    # -- commands ------------------------------------------------------------------------------------------------

    def run(
        self,
        argv: Sequence[str | Path],
        *,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        timeout: float = 600,
        check: bool = True,
        cwd: str = "/",
        **more: object,
    ) -> Done:
        """Run a command to its end. With ``check``, an exit code other than 0 raises with its output."""
        words = [str(word) for word in argv]
        answer = self.ask(
            "run", timeout, argv=words, env=dict(env or {}), stdin=_coded(stdin), timeout=timeout, cwd=cwd, **more
        )
        done = Done(tuple(words), answer["rc"], _bytes(answer["out"]), _bytes(answer["err"]), answer["late"])
        if check and done.rc:
            output = (done.out + done.err).decode("utf-8", "replace").strip()[-3000:]
            why = "took too long" if done.late else f"ended with {done.rc}"
            raise LabError(f"in {self.machine.name}: {' '.join(words)[:300]} {why}: {output}")
        return done

    def sh(self, script: str, *, timeout: float = 600, check: bool = True) -> str:
        """The stdout of a shell script (``sh -e``)."""
        return self.run(["/bin/sh", "-ec", script], timeout=timeout, check=check).text

    def raidctl(
        self, *words: str, timeout: float = 600, check: bool = False, stdin: bytes = b"", imports: Sequence[str] = ()
    ) -> Done:
        """Run this checkout's raidctl in the guest. ``check`` raises on an exit code other than 0.

        It is a fork of an interpreter that has imported it before (``tests/lab/forked.py``).
        """
        own = [*imports]
        return self.run(words, env=PYTHONPATH, timeout=timeout, check=check, stdin=stdin, modules=MODULES, imports=own)

    def shell(self, env: Mapping[str, str], cwd: str) -> int:
        """Run an interactive shell on the serial console; returns its exit code."""
        size = shutil.get_terminal_size()
        argv = ["/bin/sh", "-c", f"stty rows {size.lines} cols {size.columns}; {shell_in(cwd)}"]
        answer = self.ask("shell", 1e6, argv=argv, env=dict(env))
        return int(answer["rc"])

    def start(
        self, argv: Sequence[str | Path], *, env: Mapping[str, str] | None = None, cwd: str = "/", **more: object
    ) -> Background:
        """Start a command in the background."""
        answer = self.ask("start", GRACE, argv=[str(word) for word in argv], env=dict(env or {}), cwd=cwd, **more)
        return Background(self, answer["pid"])

    def start_raidctl(self, *words: str, imports: Sequence[str] = ()) -> Background:
        """Start raidctl in the background, as `raidctl` does, with empty stdin."""
        return self.start(words, env=PYTHONPATH, modules=MODULES, imports=list(imports))

    def read_file(self, path: str) -> bytes:
        """The content of a file."""
        return _bytes(self.ask("read", GRACE, path=path)["data"])

    def write_file(self, path: str, data: bytes, mode: int = 0o644) -> None:
        """Write a file, and create its folders."""
        self.ask("put", GRACE, path=path, data=_coded(data), mode=mode)

    def qmp(self, execute: str, **arguments: Any) -> Any:
        """Send a command to QEMU, e.g. ``qmp("device_del", id="drive-S1")``."""
        with Qmp(self.places.qmp) as qmp:
            return qmp(execute, **arguments)

    def device(self, serial: str) -> str:
        """The device node of a drive, by its serial number, e.g. ``/dev/sdb``."""
        for line in self.sh("lsblk --nodeps --noheadings --output PATH,SERIAL").splitlines():
            words = line.split()
            if words[1:] == [serial]:
                return words[0]
        raise LabError(f"in {self.machine.name}: no device has the serial number {serial}")

    def console(self) -> str:
        """The output of the serial console."""
        with contextlib.suppress(FileNotFoundError):
            return self.places.console.read_text(errors="replace")
        return ""

    def ask(self, op: str, limit: float, **words: Any) -> dict[str, Any]:
        """Send a request to the agent. A machine without a reply after ``limit`` and the grace time is killed."""
        link = self._linked()
        try:
            answer = link.ask(op, limit + GRACE, words)
        except queue.Empty:
            tail = self.console()[-2000:]
            self.kill()
            raise GuestDied(
                f"the machine {self.machine.name} said nothing for {limit + GRACE:.0f} s; console:\n{tail}"
            ) from None
        except GuestDied as gone:
            raise GuestDied(f"the machine {self.machine.name}: {gone}; console:\n{self.console()[-2000:]}") from None
        if "error" in answer:
            raise LabError(
                f"in {self.machine.name}: {op} {words.get('argv', words.get('path', ''))}: {answer['error']}"
            )
        return answer

    # -- inside --------------------------------------------------------------------------------------------------

    def _linked(self) -> Link:
        if self._link is None:
            raise GuestDied(f"the machine {self.machine.name} is off")
        return self._link

    def _make_disks(self) -> None:
        """Create sparse files, all zeros; existing ones are kept."""
        for drive in self.machine.drives:
            path = self.places.disk(drive)
            if not path.exists():
                with path.open("wb") as disk:
                    disk.truncate(drive.size)

    def _backend(self, drive: Drive) -> subprocess.Popen[bytes]:
        """Start the process that emulates a drive with a cache. Killing it loses what was not flushed."""
        path = self.places.nbd(drive)
        path.unlink(missing_ok=True)
        argv = [program("nbdkit", "nbdkit"), "--foreground", "--unix", str(path), "--filter=cache"]
        mode = "writeback" if drive.backing == "volatile" else "unsafe"
        # the cache comes first, so only data that leaves it takes time
        slow, delay = (("--filter=delay",), (f"delay-write={drive.flush_ms}ms",)) if drive.flush_ms else ((), ())
        process = subprocess.Popen([*TIED, *argv, *slow, "file", str(self.places.disk(drive)), f"cache={mode}", *delay])
        until = time.monotonic() + GRACE
        while not path.exists():
            if process.poll() is not None or time.monotonic() > until:
                raise LabError(f"nbdkit does not serve the drive {drive.serial}: exit code {process.poll()}")
            time.sleep(0.02)
        return process

    def _up(self) -> None:
        """Wait for the agent, then run the setup of the machine."""
        link = self._linked()
        try:
            link.wait_hello(BOOT_LIMIT)
        except (queue.Empty, GuestDied):
            output = self.console()[-3000:] + (self.places.scratch / "qemu").read_text(errors="replace")[-2000:]
            self.kill()
            raise GuestDied(f"the machine {self.machine.name} did not start:\n{output}") from None
        self.sh(_setup(self.machine), timeout=BOOT_LIMIT)
        for script in self.machine.prepare:
            self.sh(script, timeout=BOOT_LIMIT)


class Background:
    """A process in the guest."""

    def __init__(self, guest: Guest, pid: int) -> None:
        self.guest = guest
        self.pid = pid

    def write(self, data: bytes) -> None:
        """Send data to its stdin."""
        self.guest.ask("write", GRACE, pid=self.pid, data=_coded(data))

    def readline(self, timeout: float = 600) -> bytes:
        """The next line of its stdout, empty at its end."""
        return _bytes(self.guest.ask("readline", timeout, pid=self.pid)["data"])

    def read(self, timeout: float = 600) -> bytes:
        """The rest of its stdout."""
        return _bytes(self.guest.ask("rest", timeout, pid=self.pid)["data"])

    def wait(self, timeout: float = 600) -> int | None:
        """Its exit code; None if it still runs after the timeout."""
        code: int | None = self.guest.ask("wait", timeout, pid=self.pid, timeout=timeout)["rc"]
        return code

    def signal(self, number: int = signal.SIGKILL, *, group: bool = False) -> None:
        """Send a signal to it; with ``group`` to its children too. A process that has ended is ignored."""
        self.guest.ask("signal", GRACE, pid=self.pid, signal=int(number), group=group)

    def stderr(self) -> bytes:
        """Its stderr so far."""
        return _bytes(self.guest.ask("stderr", GRACE, pid=self.pid)["data"])


# A shell script for each drive that appears: it applies /etc/hdparm.conf, of which a machine has the host's, and takes
# an emulated processor twice as long as all the other rules together.
UNUSED_RULES = "/lib/udev/rules.d/85-hdparm.rules"

# Some controllers need seconds to report their drives.
DISKS = "ls -d /sys/block/sd* /sys/block/vd* /sys/block/nvme*n* 2>/dev/null"

MODULES = [
    str(CHECKOUT),
    str(CHECKOUT / "vendors"),
    *(path for path in sys.path if Path(path).is_absolute() and Path(path).is_dir()),
]
PYTHONPATH = {"PYTHONPATH": f"{CHECKOUT}:{CHECKOUT / 'vendors'}", "PYTHONDONTWRITEBYTECODE": "1"}


def shell_in(folder: str) -> str:
    """The command of a person's shell. It omits the host's profile, which may set another PATH."""
    prompt = "'\\h:\\w# '"
    return f"cd {shlex.quote(folder)}; PS1={prompt} exec /bin/bash --noprofile --norc -i || exec /bin/sh"


def software(nvme_model: str = "") -> Software:
    """QEMU, the kernel and the initramfs. A missing program is an error that names its package."""
    booted = kernel()
    bytecode.compiled()
    qemu = program("qemu-system-x86_64", "qemu-system-x86")
    return Software(
        renamed(qemu, nvme_model) if nvme_model else qemu,
        booted.image,
        initramfs.build(booted),
        booted.modules,
        sys.executable,
        Path(__file__).with_name("agent.py"),
    )


def _setup(machine: Machine) -> str:
    """The script that every machine runs first."""
    lines = []
    if machine.udev:
        lines += [
            f"rm -f {UNUSED_RULES}; mkdir -p /run/udev /run/lock",
            "/lib/systemd/systemd-udevd --daemon --resolve-names=never",
        ]
    if machine.modules:
        lines.append(f"modprobe -a {' '.join(machine.modules)}")
    if machine.udev:  # storage cards and what is there already; all others announce themselves
        shown = len(machine.drives) - machine.hidden
        lines += [
            "udevadm trigger --action=add --subsystem-match=pci --attr-match=class=0x01*",
            "udevadm trigger --action=add --subsystem-match=virtio",
            f"for _ in $(seq 100); do [ $({DISKS} | wc -l) -ge {shown} ] && break; sleep 0.2; done",
            "udevadm settle --timeout=600",
        ]
    return "\n".join(lines) or "true"


def _coded(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _bytes(text: str) -> bytes:
    return base64.b64decode(text)
