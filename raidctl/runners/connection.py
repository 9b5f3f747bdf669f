"""One connection of the system's OpenSSH client. All sessions to a machine share it."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import threading
import time
from collections.abc import Sequence
from typing import Protocol

from raidctl.errors import UsageError
from raidctl.request import Answer, Failure, RunAnswer, decode
from raidctl.runners.directory import private_directory
from raidctl.runners.process import Bounds, Companion, run
from raidctl.text import regex

CONNECT_PATIENCE = 45.0
"""Time limit in seconds for the connection. It includes authentication and the start of a shell."""
PAUSE = 0.5
"""Seconds before the second try."""
GREETING_LIMIT = 8 << 20
"""Most bytes that a login may print before its shell begins."""
SETTLED = 1.0
"""Seconds after a broken session until its connection counts as intact."""
_POLL = 0.003
"""Seconds between checks for the shell's answer."""

FORBIDDEN = regex(r"[\x00-\x20\x7f'\"`$;&|<>(){}*?!#]")
"""Characters that no host name has. They are dangerous in commands of the user's ssh configuration."""

_PASSING = regex(
    r"Connection (refused|reset|closed|timed out)|timed out|banner|kex_exchange_identification|Broken pipe|"
    r"Temporary failure in name resolution|No route to host|Network is unreachable"
)
"""Messages of ssh about temporary failures. Such failures are a reboot, or a server with too many logins at once."""

OPTIONS = {
    "BatchMode": "yes",  # no password prompt can be answered
    "ConnectTimeout": "10",
    "ServerAliveInterval": "5",
    "ServerAliveCountMax": "3",
    "ClearAllForwardings": "yes",
    "ForwardAgent": "no",
    "ForwardX11": "no",
    "PermitLocalCommand": "no",
    "RemoteCommand": "none",
    "RequestTTY": "no",
    "LogLevel": "ERROR",
}


def checked(destination: str) -> str:
    """Return a destination for ssh: ``host``, ``user@host``, ``ssh://user@host:port``.

    Raises:
        UsageError: It is invalid: ssh could take it for an option, or a shell for a command.
    """
    host = destination.removeprefix("ssh://").rpartition("@")[2]
    if destination.startswith("-") or host.startswith("-") or not host or FORBIDDEN.search(destination):
        raise UsageError(f"{destination!r} is not a host name; use --host [user@]HOST.")
    return destination


class Sessions(Protocol):
    """Transport of scripts to another machine: ssh, or another program's connection."""

    passing: bool
    """Whether the failure is temporary."""

    def begin(self) -> Answer:
        """Start to connect, without waiting for it; return the failure, if any."""
        ...

    def ready(self) -> Answer:
        """Return the failure, if any; a failed connection stays failed."""
        ...

    def run(self, bounds: Bounds) -> RunAnswer:
        """Run the script of ``bounds.feed`` by ``/bin/sh``. The shell's input ends no earlier than the script."""
        ...

    def settle(self) -> None:
        """Wait after a broken session until the connection's state is known. The connection may have ended as well."""
        ...

    def close(self) -> None:
        """End the connection."""
        ...


class Connection:
    """The connection to one machine. Its own shell proves that later sessions can be opened."""

    def __init__(self, destination: str, options: Sequence[str], *, sudo: bool, patience: float) -> None:
        """Prepare the connection; the first call of `begin` or `ready` connects.

        Raises:
            UsageError: The destination is invalid.
        """
        self.destination = checked(destination)
        self._options = tuple(options)
        self._shell = "exec sudo -n -- /bin/sh -s" if sudo else "exec /bin/sh -s"
        self._sudo = sudo
        self._patience = patience
        self._guard = threading.Lock()
        self._closing = threading.Event()
        self._kept = contextlib.ExitStack()
        self._client: Companion | None = None
        self._mark = b""
        self._open = False
        self._failure = Answer()
        self.socket = ""
        self.passing = False
        """Whether the failure is temporary."""

    def session(self) -> list[str]:
        """Return the command of a session. Its shell reads the standard input."""
        return [*self._ssh("ControlMaster=no"), self._shell]

    def run(self, bounds: Bounds) -> RunAnswer:
        """Run the script of ``bounds.feed`` by a shell in a session. Return its exit code and outputs.

        Raises:
            Interrupted: ``bounds.stop`` was set.
        """
        return run(self.session(), environment=environment(), bounds=bounds)

    def begin(self) -> Answer:
        """Start to connect, without waiting for it; return the failure, if any."""
        with self._guard:
            if not self._failure.trouble and self._client is None:
                self._failure = self._start()
            return self._failure

    def ready(self) -> Answer:
        """Connect if needed, and wait for it; return the failure, if any. A failed connection stays failed."""
        with self._guard:
            if not self._failure.trouble and self._client is None:
                self._failure = self._start()
            if not self._failure.trouble and not self._open:
                self._failure = self._wait()
                self._open = not self._failure.trouble
            if not self._failure.trouble and self._client is not None and not self._client.running:
                self._failure = self._lost(self._client.errors())
            return self._failure

    def settle(self) -> None:
        """Wait for the end of the connection after a broken session. The connection may prove intact instead.

        A session ends when the sockets of a killed client close, a moment before the system reports the client's end.
        """
        deadline = time.monotonic() + SETTLED
        client = self._client
        while client is not None and client.running and time.monotonic() < deadline:
            time.sleep(_POLL)

    def close(self) -> None:
        """End the connection, even if another thread waits for it. A later call connects again."""
        self._closing.set()
        with self._guard:
            self._closing.clear()
            self._kept.close()
            self._client, self._failure, self._open = None, Answer(), False

    def _ssh(self, *more: str) -> list[str]:
        words = [f"{name}={value}" for name, value in OPTIONS.items()]
        options = [part for word in (*words, f"ControlPath={self.socket}", *more) for part in ("-o", word)]
        return ["ssh", *self._options, "-T", *options, "--", self.destination]

    def _start(self) -> Answer:
        """Start the client."""
        try:
            # a socket's name may have 107 bytes, and ssh first appends 17
            directory = self._kept.enter_context(private_directory(80))
        except OSError as error:
            why = f"Cannot create a directory for the connection's socket: {error.strerror or error}"
            return Answer(trouble=Failure.FAILED, detail=why)
        self.socket = f"{directory}/ssh"
        mark = f"raidctl-{secrets.token_hex(16)}"
        self._mark = f"{mark}!".encode()
        # a shell that ends with its input, so the connection ends with this process
        feed = f"printf '%s!' {mark}\nexec cat >/dev/null\n".encode()
        argv = [*self._ssh("ControlMaster=yes", "ControlPersist=no"), self._shell]
        try:
            self._client = Companion(argv, environment(), feed)
        except FileNotFoundError:
            why = "ssh is not installed on this machine; install the OpenSSH client."
            return Answer(trouble=Failure.FAILED, detail=why)
        except OSError as error:
            return Answer(trouble=Failure.FAILED, detail=f"ssh cannot be started: {error.strerror}")
        self._kept.callback(self._client.end)
        return Answer()

    def _wait(self) -> Answer:
        """Wait for the shell; connect again after a temporary failure."""
        deadline = time.monotonic() + self._patience
        answer, self.passing = self._shell_began(deadline)
        if self.passing and time.monotonic() + PAUSE < deadline:
            time.sleep(PAUSE)
            self._kept.close()
            self._client = None
            answer = self._start()
            if not answer.trouble:
                answer, self.passing = self._shell_began(deadline)
        return answer

    def _shell_began(self, deadline: float) -> tuple[Answer, bool]:
        """Wait for the shell of the connection. Return its failure, and whether that is temporary."""
        client = self._client
        while client is not None and self._mark not in client.output():
            if not client.running:
                return self._ended(client)
            if self._closing.is_set():
                return Answer(trouble=Failure.FAILED, detail="interrupted"), False
            if client.printed > GREETING_LIMIT:
                why = f"No shell on {self.destination}: its login prints more than {GREETING_LIMIT >> 20} MiB"
                return Answer(trouble=Failure.FLOOD, detail=why), False
            if time.monotonic() >= deadline:
                printed = client.errors() or decode(client.output()).strip()[-400:]
                connected = os.path.exists(self.socket)  # noqa: PTH110 - ssh creates it after the login
                what = f"No shell on {self.destination}" if connected else f"No connection to {self.destination}"
                why = f"{what}: {printed or f'nothing after {self._patience:g} s'}"
                return Answer(trouble=Failure.TIMEOUT, detail=why), True
            time.sleep(_POLL)
        return Answer(), False

    def _ended(self, client: Companion) -> tuple[Answer, bool]:
        """Return the failure of a client that ended before a shell started."""
        errors = client.errors()
        if client.code in {None, 255}:
            return self._lost(errors), bool(_PASSING.search(errors)) or not errors
        printed = errors or decode(client.output()).strip()[-400:]
        if self._sudo:
            return Answer(trouble=Failure.DENIED, detail=f"sudo on {self.destination}: {printed}"), False
        why = f"No shell on {self.destination}: {printed or f'ended with exit code {client.code}'}"
        return Answer(trouble=Failure.FAILED, detail=why), True

    def _lost(self, errors: str) -> Answer:
        errors = _host_key(errors, self.destination) or errors or "closed by the remote side"
        return Answer(trouble=Failure.FAILED, detail=f"No connection to {self.destination}: {errors}")


def _host_key(errors: str, destination: str) -> str | None:
    """Summarize ssh's banner on a changed host key. None if there is none."""
    if "IDENTIFICATION HAS CHANGED" not in errors:
        return None
    kind = re.search(r"fingerprint for the (\w+) key", errors)
    sent = re.search(r"SHA256:[\w+/=]+", errors)
    known = re.search(r"Offending .* in (\S+):(\d+)", errors)
    remove = re.search(r"ssh-keygen -f .+", errors)
    host = destination.removeprefix("ssh://").rpartition("@")[2]
    return (
        f"its host key has changed (now {sent[0] if sent else 'unknown'}; known from "
        f"{f'line {known[2]} of {known[1]}' if known else 'an earlier connection'}). Unless the host was reinstalled, "
        "this may be an attack. Compare with the output on the host itself: ssh-keygen -lf /etc/ssh/ssh_host_"
        f"{kind[1].lower() if kind else 'ed25519'}_key.pub; if it is the same: "
        f"{remove[0].strip() if remove else f'ssh-keygen -R {host}'}"
    )


def environment() -> dict[str, str]:
    """Return ssh's environment: the user's, with messages in the C locale."""
    return dict(os.environ) | {"LC_ALL": "C"}
