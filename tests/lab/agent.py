"""The agent in a machine, which serves requests from the host.

They come over a virtio-serial port, one JSON object per line.

Each request has a separate thread, so a long one does not delay the others. The agent needs only the standard library,
and the initramfs starts it with ``python -I -S``. The host's side is ``tests/lab/agent_connection.py``.
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
    """Bytes encoded for JSON."""
    return base64.b64encode(data).decode("ascii")


def environment(request: Request) -> dict[str, str]:
    """The agent's environment with the request's additions."""
    return {**os.environ, **request.get("env", {})}


def run(request: Request) -> Answer:
    """Run a command to its end. At its time limit it is killed with all its children."""
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
    """Fork a run of raidctl without starting an interpreter."""
    # the agent itself runs with nothing but the standard library
    sys.dont_write_bytecode = True
    sys.path[:] = [*dict.fromkeys((*request["modules"], *sys.path))]
    from tests.lab.forked import Forked  # noqa: PLC0415 - only where it is asked for

    return Forked(request["argv"], request["imports"], environment(request), request.get("cwd", "/"), files)


def run_forked(request: Request) -> Answer:
    """Run raidctl like `run`, with its words as argv."""
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
        """Start a command; its stderr is kept in a file."""
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
        """Start raidctl with its words as argv; its stdin is empty."""
        (taken, given), nothing = os.pipe(), os.open(os.devnull, os.O_RDONLY)
        process = fork(request, (nothing, given, errors))
        process.stdout = os.fdopen(taken, "rb")
        os.close(given)
        os.close(nothing)
        self.processes[process.pid] = process
        self.errors[process.pid] = errors
        return {"pid": process.pid}

    def write(self, request: Request) -> Answer:
        """Send data to its stdin."""
        stdin = self.processes[request["pid"]].stdin
        assert stdin is not None
        stdin.write(base64.b64decode(request["data"]))
        stdin.flush()
        return {}

    def readline(self, request: Request) -> Answer:
        """The next line of its stdout; empty if it is closed."""
        stdout = self.processes[request["pid"]].stdout
        assert stdout is not None
        return {"data": coded(stdout.readline())}

    def read(self, request: Request) -> Answer:
        """The rest of its stdout, until it is closed."""
        stdout = self.processes[request["pid"]].stdout
        assert stdout is not None
        return {"data": coded(stdout.read())}

    def wait(self, request: Request) -> Answer:
        """Its exit code, or null if it still runs after the timeout."""
        try:
            return {"rc": self.processes[request["pid"]].wait(request.get("timeout"))}
        except subprocess.TimeoutExpired:
            return {"rc": None}

    def signal(self, request: Request) -> Answer:
        """Send a signal to it, or with ``group`` to its children too."""
        if self.processes[request["pid"]].poll() is None:
            (os.killpg if request.get("group") else os.kill)(request["pid"], request["signal"])
        return {}

    def stderr(self, request: Request) -> Answer:
        """Its stderr so far."""
        errors = self.errors[request["pid"]]
        return {"data": coded(os.pread(errors, os.fstat(errors).st_size, 0))}


def read(request: Request) -> Answer:
    """The content of a file."""
    with open(request["path"], "rb") as file:
        return {"data": coded(file.read())}


def put(request: Request) -> Answer:
    """Write a file, and create its folders."""
    os.makedirs(os.path.dirname(request["path"]), exist_ok=True)
    with open(request["path"], "wb") as file:
        file.write(base64.b64decode(request["data"]))
    os.chmod(request["path"], request.get("mode", 0o644))
    return {}


def shell(request: Request) -> Answer:
    """Run a shell on the serial console."""
    line = os.open("/dev/ttyS0", os.O_RDWR | os.O_NOCTTY)
    argv = ["/usr/bin/setsid", "--ctty", "--wait", *request["argv"]]
    return {"rc": subprocess.call(argv, env=environment(request), stdin=line, stdout=line, stderr=line)}


def off(_request: Request) -> Answer:
    """Power off at once, without a sync: unwritten data is lost."""
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
    """The virtio-serial port; replies of several threads are not mixed."""

    def __init__(self, path: str) -> None:
        self.file = os.open(path, os.O_RDWR)
        self.lock = threading.Lock()

    def send(self, answer: Answer) -> None:
        """Send one reply as one line."""
        data = json.dumps(answer).encode("ascii") + b"\n"
        with self.lock:
            while data:
                data = data[os.write(self.file, data) :]

    def serve(self) -> None:
        """Serve requests for ever."""
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
        """Run a request; an exception is sent to the host as text."""
        try:
            answer = HANDLERS[request["op"]](request)
        except Exception as error:  # noqa: BLE001  whatever it is, the host has to hear of it
            answer = {"error": f"{type(error).__name__}: {error}"}
        self.send({**answer, "id": request["id"]})


def port_path() -> str:
    """The device of the port named "lab", before udev has named it."""
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
