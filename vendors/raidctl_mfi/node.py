"""The device node of the driver: the only module that does I/O.

``/dev/megaraid_sas_ioctl_node`` is not created by the driver. Its major number is in ``/proc/devices``; if udev has
created no node, a temporary one is created in a private directory, opened, and removed at once.

The driver sets no time limit on these commands, and a hung firmware blocks the caller so that no signal reaches it.
So a child process sends them; if it does not reply in time, it is abandoned.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import signal
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NoReturn, TypeVar

from raidctl_mfi.dialogue import Dialogue, run_dialogue
from raidctl_mfi.frame import IOC_FIRMWARE, Answer, Question, packet, pattern, read_answer

T = TypeVar("T")

DRIVER = "megaraid_sas"
NODE = "/dev/megaraid_sas_ioctl_node"
TIMEOUT = 90.0
"""Time limit of a command in seconds. The driver has the same limit for its own commands."""
_PLACES = ("/dev", "/run", "/tmp")  # noqa: S108 - a private directory is made in it; /dev is never mounted nodev
_NO_DRIVER = "the driver megaraid_sas has no entry in /proc/devices"


class DriverUnavailable(Exception):
    """The driver's device cannot be opened; ``right``: for lack of permission."""

    def __init__(self, message: str, *, right: bool) -> None:
        super().__init__(message)
        self.right = right


@dataclass(frozen=True)
class Host:
    """A SCSI host of the driver."""

    number: int
    pci_address: str | None = None
    """``0000:03:00.0``."""
    pci_ids: tuple[int, int, int, int] | None = None
    """Vendor, device, subsystem vendor, subsystem device."""


def hosts(sysfs: str = "/sys") -> list[Host]:
    """The SCSI hosts of the driver, in the order of their numbers."""
    found = []
    for place in Path(sysfs, "class/scsi_host").glob("host*"):
        number = place.name.removeprefix("host")
        if number.isdecimal() and _word(place / "proc_name") == DRIVER:
            found.append(_host(int(number), place))
    return sorted(found, key=lambda host: host.number)


def _host(number: int, place: Path) -> Host:
    # …/0000:00:05.0/host2/scsi_host/host2
    function = Path(os.path.realpath(place)).parents[2]
    names = ("vendor", "device", "subsystem_vendor", "subsystem_device")
    try:
        vendor, device, subvendor, subdevice = (int(_word(function / name) or "", 16) for name in names)
    except ValueError:
        return Host(number)
    return Host(number, function.name, (vendor, device, subvendor, subdevice))


def _word(path: Path) -> str | None:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return None


def major(text: str) -> int | None:
    """The driver's major number in the text of ``/proc/devices``: ``250 megaraid_sas_ioctl``."""
    for line in text.splitlines():
        words = line.split()
        if len(words) == 2 and words[1] == "megaraid_sas_ioctl" and words[0].isdecimal():
            return int(words[0])
    return None


def open_node(node: str = NODE, devices: str = "/proc/devices") -> int:
    """Open the driver's device and return the descriptor.

    Raises:
        DriverUnavailable: The driver is not loaded, or permission is denied.
    """
    number = major(_word(Path(devices)) or "")
    if number is None:
        raise DriverUnavailable(_NO_DRIVER, right=False)
    wanted = os.makedev(number, 0)
    try:
        state = Path(node).stat()
        if stat.S_ISCHR(state.st_mode) and state.st_rdev == wanted:
            return os.open(node, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise DriverUnavailable(_error_text(error), right=error.errno in (errno.EACCES, errno.EPERM)) from error
    return _temporary(wanted)


def _temporary(device: int) -> int:
    """Open a temporary node. Try further directories if one is mounted without devices."""
    last: OSError | None = None
    for place in _PLACES:
        try:
            with tempfile.TemporaryDirectory(prefix=".raidctl-mfi-", dir=place) as private:
                made = f"{private}/node"
                os.mknod(made, stat.S_IFCHR | 0o600, device)
                return os.open(made, os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            last = error
    right = last is not None and last.errno in (errno.EACCES, errno.EPERM)
    raise DriverUnavailable(_error_text(last) if last is not None else NODE, right=right)


def _error_text(error: OSError) -> str:
    return f"{errno.errorcode.get(error.errno or 0, 'error')}: {error.strerror or error}"


def ask(descriptor: int, host: int, question: Question) -> Answer:
    """Send one command to a controller. If the driver refuses it, the answer has a fault."""
    sent = question.data or pattern(question.length)
    buffer = ctypes.create_string_buffer(sent, max(question.length, 1))
    made = packet(host, question, ctypes.addressof(buffer))
    try:
        fcntl.ioctl(descriptor, IOC_FIRMWARE, made, True)  # the packet is changed in place
    except OSError as error:
        return Answer(question, fault=_error_text(error))
    return read_answer(question, made, buffer.raw[: question.length])


class Channel:
    """A connection to one controller, through a child process that may hang."""

    def __init__(self, descriptor: int, host: int, timeout: float = TIMEOUT) -> None:
        """``timeout`` is the time limit of a command in seconds."""
        self._timeout = timeout
        self._fault: str | None = None
        self._ours, theirs = Pipe()
        self._pid = os.fork()
        if not self._pid:
            self._ours.close()
            _serve(theirs, descriptor, host)
        theirs.close()

    def run(self, dialogue: Dialogue[T]) -> T:
        """Run a dialogue with the controller."""
        return run_dialogue(dialogue, self._query)

    def _query(self, question: Question) -> Answer:
        """Send a command, unless an earlier one timed out. It would wait behind that one."""
        if self._fault is None:
            try:
                self._ours.send(question)
                if self._ours.poll(self._timeout):
                    answer: Answer = self._ours.recv()
                    return answer
                self._fault = f"no answer within {self._timeout:g} seconds"
            except (OSError, EOFError):
                self._fault = "the process that asks has died"
        return Answer(question, fault=self._fault)

    def close(self) -> None:
        """End the child. One that hangs in the driver is abandoned, and ends when the driver returns."""
        self._ours.close()
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        for _ in range(20):
            with suppress(ChildProcessError):
                if os.waitpid(self._pid, os.WNOHANG)[0]:
                    return
            time.sleep(0.01)


def _serve(theirs: Connection[Answer, Question], descriptor: int, host: int) -> NoReturn:
    """Serve commands in the child. It closes the parent's outputs, so that no reader waits for it."""
    try:
        null = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(null, standard)
        while True:
            theirs.send(ask(descriptor, host, theirs.recv()))
    finally:
        os._exit(0)


@contextmanager
def channel(descriptor: int, host: int, timeout: float = TIMEOUT) -> Iterator[Channel]:
    """Open a connection to a controller, and close it at the end."""
    opened = Channel(descriptor, host, timeout)
    try:
        yield opened
    finally:
        opened.close()


def close(descriptor: int) -> None:
    """Close what :func:`open_node` has opened."""
    os.close(descriptor)


def is_root() -> bool:
    """Whether this process has root's rights, which the driver requires."""
    return os.geteuid() == 0
