"""What runs inside a machine: takes requests from the host over a virtio-serial port, one JSON object a line.

Every request has a thread of its own, so a request that takes long does not hold up the others. It needs nothing but
the standard library, and is started by the initramfs with ``python -I -S``. The host's side is ``tests/lab/link.py``.
"""
# importing pathlib would cost every boot a second:
# ruff: noqa: PTH101, PTH103, PTH112, PTH120, PTH123, PTH208

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
import threading
import time

# Every import costs a second in a guest, so what only type checkers read is left to them.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tests.lab.forked import Forked

    Request = dict[str, Any]
    Answer = dict[str, Any]


def coded(data: bytes) -> str:
    """Bytes as JSON bears them."""
    return base64.b64encode(data).decode("ascii")


def environment(request: Request) -> dict[str, str]:
    """The agent's own, with what the request adds."""
    return {**os.environ, **request.get("env", {})}


def run(request: Request) -> Answer:
    """A command from start to end, or to its time limit, when it is killed with all its children."""
    if "modules" in request:
        return run_forked(request)
    with subprocess.Popen(
        request["argv"],
        env=environment(request),
        cwd=request.get("cwd", "/"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        stdin = base64.b64decode(request.get("stdin", ""))
        late = False
        try:
            out, err = process.communicate(stdin, timeout=request.get("timeout"))
        except subprocess.TimeoutExpired:
            late = True
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
    return {"rc": process.returncode, "out": coded(out), "err": coded(err), "late": late}


def fork(request: Request, files: tuple[int, int, int]) -> Forked:
    """A run of raidctl without the start of an interpreter."""
    # the agent itself runs with nothing but the standard library
    sys.dont_write_bytecode = True
    sys.path[:] = [*dict.fromkeys((*request["modules"], *sys.path))]
    from tests.lab.forked import Forked  # noqa: PLC0415 - only where it is asked for

    return Forked(request["argv"], request["imports"], environment(request), request.get("cwd", "/"), files)


def run_forked(request: Request) -> Answer:
    """The same as `run`, of raidctl, with its words as argv."""
    files = (os.memfd_create("in"), os.memfd_create("out"), os.memfd_create("err"))
    os.pwrite(files[0], base64.b64decode(request.get("stdin", "")), 0)
    process = fork(request, files)
    late = False
    try:
        rc = process.wait(request.get("timeout"))
    except subprocess.TimeoutExpired:
        late = True
        os.killpg(process.pid, signal.SIGKILL)
        rc = process.wait()
    out, err = (os.pread(file, os.fstat(file).st_size, 0) for file in files[1:])
    for file in files:
        os.close(file)
    return {"rc": rc, "out": coded(out), "err": coded(err), "late": late}


class Background:
    """Processes that the host starts, talks to and ends."""

    def __init__(self) -> None:
        self.processes: dict[int, subprocess.Popen[bytes] | Forked] = {}
        self.errors: dict[int, int] = {}

    def start(self, request: Request) -> Answer:
        """Start a command; what it writes to stderr is kept in a file."""
        errors = os.memfd_create("stderr")
        if "modules" in request:
            return self.start_forked(request, errors)
        process = subprocess.Popen(
            request["argv"],
            env=environment(request),
            cwd=request.get("cwd", "/"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
        self.processes[process.pid] = process
        self.errors[process.pid] = errors
        return {"pid": process.pid}

    def start_forked(self, request: Request, errors: int) -> Answer:
        """The same, of raidctl, with its words as argv; it reads nothing."""
        (taken, given), nothing = os.pipe(), os.open(os.devnull, os.O_RDONLY)
        process = fork(request, (nothing, given, errors))
        process.stdout = os.fdopen(taken, "rb")
        os.close(given)
        os.close(nothing)
        self.processes[process.pid] = process
        self.errors[process.pid] = errors
        return {"pid": process.pid}

    def write(self, request: Request) -> Answer:
        """Send something to its stdin."""
        stdin = self.processes[request["pid"]].stdin
        assert stdin is not None
        stdin.write(base64.b64decode(request["data"]))
        stdin.flush()
        return {}

    def readline(self, request: Request) -> Answer:
        """The next line that it writes to stdout; empty when it has closed that."""
        stdout = self.processes[request["pid"]].stdout
        assert stdout is not None
        return {"data": coded(stdout.readline())}

    def read(self, request: Request) -> Answer:
        """All that it still writes to stdout, when it has closed that."""
        stdout = self.processes[request["pid"]].stdout
        assert stdout is not None
        return {"data": coded(stdout.read())}

    def wait(self, request: Request) -> Answer:
        """Its exit code, or null when it has none after the time given."""
        try:
            return {"rc": self.processes[request["pid"]].wait(request.get("timeout"))}
        except subprocess.TimeoutExpired:
            return {"rc": None}

    def signal(self, request: Request) -> Answer:
        """Send a signal to it, or with ``group`` to all its children too."""
        if self.processes[request["pid"]].poll() is None:
            (os.killpg if request.get("group") else os.kill)(request["pid"], request["signal"])
        return {}

    def stderr(self, request: Request) -> Answer:
        """What it has written to stderr so far."""
        errors = self.errors[request["pid"]]
        return {"data": coded(os.pread(errors, os.fstat(errors).st_size, 0))}


def read(request: Request) -> Answer:
    """A file's content."""
    with open(request["path"], "rb") as file:
        return {"data": coded(file.read())}


def put(request: Request) -> Answer:
    """Write a file, and its folders."""
    os.makedirs(os.path.dirname(request["path"]), exist_ok=True)
    with open(request["path"], "wb") as file:
        file.write(base64.b64decode(request["data"]))
    os.chmod(request["path"], request.get("mode", 0o644))
    return {}


def shell(request: Request) -> Answer:
    """A shell for the person at the serial console."""
    line = os.open("/dev/ttyS0", os.O_RDWR | os.O_NOCTTY)
    argv = ["/usr/bin/setsid", "--ctty", "--wait", *request["argv"]]
    return {"rc": subprocess.call(argv, env=environment(request), stdin=line, stdout=line, stderr=line)}


def off(_request: Request) -> Answer:
    """Power off without ceremony: what is not on the disks now never will be, as `sync` was not asked for."""
    os.kill(os.getpid(), signal.SIGTERM)
    return {}


PORTS = "/sys/class/virtio-ports"
BACKGROUND = Background()
HANDLERS: dict[str, Callable[[Request], Answer]] = {
    "run": run,
    "start": BACKGROUND.start,
    "write": BACKGROUND.write,
    "readline": BACKGROUND.readline,
    "rest": BACKGROUND.read,
    "wait": BACKGROUND.wait,
    "signal": BACKGROUND.signal,
    "stderr": BACKGROUND.stderr,
    "read": read,
    "put": put,
    "shell": shell,
    "off": off,
}


class Port:
    """The virtio-serial port; answers of several threads do not mix."""

    def __init__(self, path: str) -> None:
        self.file = os.open(path, os.O_RDWR)
        self.lock = threading.Lock()

    def send(self, answer: Answer) -> None:
        """One answer, one line."""
        data = json.dumps(answer).encode("ascii") + b"\n"
        with self.lock:
            while data:
                data = data[os.write(self.file, data) :]

    def serve(self) -> None:
        """Take requests for ever."""
        rest = b""
        while True:
            got = os.read(self.file, 1 << 16)
            if not got:  # the host has not connected yet
                time.sleep(0.05)
                continue
            *lines, rest = (rest + got).split(b"\n")
            for line in lines:
                threading.Thread(target=self.answer, args=(json.loads(line),), daemon=True).start()

    def answer(self, request: Request) -> None:
        """Carry out a request; an exception goes to the host as text."""
        try:
            answer = HANDLERS[request["op"]](request)
        except Exception as error:  # noqa: BLE001  whatever it is, the host has to hear of it
            answer = {"error": f"{type(error).__name__}: {error}"}
        self.send({**answer, "id": request["id"]})


def port_path() -> str:
    """The device of the port named "lab", which udev has not yet named."""
    for _ in range(200):
        for port in os.listdir(PORTS) if os.path.isdir(PORTS) else ():
            with open(f"{PORTS}/{port}/name", encoding="ascii") as name:
                if name.read().strip() == "lab":
                    return f"/dev/{port}"
        time.sleep(0.05)
    sys.exit("this machine has no virtio-serial port named lab")


if __name__ == "__main__":
    PORT = Port(port_path())
    PORT.send({"id": 0, "hello": time.clock_gettime(time.CLOCK_BOOTTIME)})
    PORT.serve()
