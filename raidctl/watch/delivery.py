"""Delivery of the events of ``raidctl watch``: by mail, or to a program.

A delivery either succeeds or raises, and is marked as done only after success. If the process is killed in between, the
same message is delivered again, with the same Message-ID.
"""

from __future__ import annotations

import hashlib
import os
import re
import smtplib
import socket
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from email.message import EmailMessage
from email.utils import formatdate

import msgspec

from raidctl.errors import UsageError
from raidctl.json_decode import valid_text
from raidctl.request import CHANGEABLE, Failure, RunAnswer
from raidctl.runners.process import Bounds, run
from raidctl.runners.programs import changeable, search_path
from raidctl.text import collapse, printable, regex

SMTP = ("127.0.0.1", 25)
PATIENCE = 60.0
"""Seconds for a program, and for each reply of a mail server."""
LIMIT = 300.0
"""Seconds for a mail server: one that sends a line now and then would keep all other messages waiting."""
_ADDRESS = regex(r"[A-Za-z0-9_.+][A-Za-z0-9_.+=/-]*(@[A-Za-z0-9_.\[\]:-]+)?", re.ASCII)
_SENDMAIL = "sendmail"
_THREADS = 10
"""The most findings that a mail refers to."""
_READY = 220
"""The code with which a mail server greets."""
_MORE = 400
"""Characters of a program's error output."""


class UndeliveredError(Exception):
    """A failed delivery, or one whose result is unknown. The text is the reason."""


class Letter(msgspec.Struct, frozen=True, kw_only=True):
    """A report in all forms of delivery."""

    host: str
    seconds: float
    subject: str
    body: str
    document: bytes
    """The report as JSON."""
    variables: Mapping[str, str]
    """The worst event, for a program's environment."""
    key: str
    """Its identity: the same events have the same Message-ID."""
    threads: tuple[str, ...] = ()
    """A thread id for each finding in it. It is the same in all letters about that finding."""


class Mail(msgspec.Struct, frozen=True, kw_only=True):
    """A mail address. Mail is sent by sendmail, or by SMTP if sendmail is not installed or a server is named."""

    address: str
    sender: str | None = None
    server: tuple[str, int] | None = None

    @property
    def name(self) -> str:
        """The name of the channel."""
        return f"mail:{self.address}"

    def fault(self) -> str | None:
        """Return why nothing can be sent. None: that is known only once it is tried."""
        return None

    def deliver(self, letter: Letter) -> None:
        """Send a letter.

        Raises:
            UndeliveredError: No server or program accepted it.
        """
        text = self._message(letter)
        if self.server is None:
            done = _run(
                [_SENDMAIL, "-i", "--", self.address], text.as_bytes(), {"PATH": ":".join((*search_path(), "/usr/lib"))}
            )
            if done.code == 0:
                return
            if done.trouble is not Failure.MISSING:
                raise UndeliveredError(_why(done, _SENDMAIL))
        host, port = self.server or SMTP
        try:
            self._send(text, host, port)
        except (OSError, smtplib.SMTPException, ValueError) as error:
            hint = (
                "" if self.server else "; there is no program sendmail either: install one, or name a server (--smtp)"
            )
            raise UndeliveredError(f"{host} port {port}: {_reason(error)}{hint}") from None

    def _send(self, text: EmailMessage, host: str, port: int) -> None:
        server = smtplib.SMTP(timeout=PATIENCE)
        end = threading.Timer(LIMIT, _cut, [server])
        end.daemon = True
        began = time.monotonic()
        end.start()
        try:
            code, reply = server.connect(host, port)
            if code != _READY:
                raise smtplib.SMTPConnectError(code, reply)
            server.send_message(text, text["From"], [self.address])
            # the server has accepted the message: an error on closing changes nothing
            with suppress(OSError, smtplib.SMTPException):
                server.quit()
        except (OSError, smtplib.SMTPException):
            if time.monotonic() - began >= LIMIT:
                raise TimeoutError(f"not done after {LIMIT:g} s") from None
            raise
        finally:
            end.cancel()
            server.close()

    def _message(self, letter: Letter) -> EmailMessage:
        domain = re.sub(r"[^A-Za-z0-9.-]", "-", socket.getfqdn()) or "localhost"

        def name(*what: str) -> str:
            once = hashlib.sha256(repr((letter.host, self.name, *what)).encode()).hexdigest()[:24]
            return f"<raidctl.{once}@{domain}>"

        found = EmailMessage()
        found["From"] = self.sender or f"root@{domain}"
        found["To"] = self.address
        found["Subject"] = collapse(printable(letter.subject))
        found["Date"] = formatdate(letter.seconds)
        found["Message-ID"] = name(letter.key)
        if letter.threads:  # no mail has these ids; mail programs group messages that refer to the same id
            found["References"] = " ".join(name("finding", one) for one in letter.threads[:_THREADS])
        found["Auto-Submitted"] = "auto-generated"
        found.set_content(letter.body, cte="quoted-printable")  # for servers that accept only seven bits
        return found


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """A program that reads the report as JSON on standard input."""

    path: str

    @property
    def name(self) -> str:
        """The name of the channel."""
        return f"run:{valid_text(self.path)}"

    def fault(self) -> str | None:
        """Return why it is not run: it is missing, or others than root could change what root would run."""
        name = printable(self.path)
        if not os.access(self.path, os.F_OK):
            return f"there is no file {name}."
        if not os.access(self.path, os.X_OK):
            return f"{name} is not executable: chmod +x it."
        unsafe = changeable(self.path)
        return f"{printable(unsafe)} {CHANGEABLE}, so it is not run as root." if unsafe else None

    def deliver(self, letter: Letter) -> None:
        """Run the program.

        Raises:
            UndeliveredError: It is not run, or did not end with 0.
        """
        fault = self.fault()
        if fault is not None:
            raise UndeliveredError(fault)
        environment = {**os.environ, **letter.variables, "PATH": ":".join(search_path())}
        done = _run([self.path], letter.document, environment)
        if done.code != 0:
            raise UndeliveredError(_why(done, self.path))


Channel = Mail | Program


def mail(address: str, sender: str | None, server: str | None) -> Mail:
    """Return the channel of a mail address.

    Raises:
        UsageError: One of them is invalid.
    """
    for one, option in ((address, "--mail"), (sender, "--mail-from")):
        if one is not None and not _ADDRESS.fullmatch(one):
            raise UsageError(f'{option}: "{printable(one)}" is not a mail address: write root, or admin@example.org.')
    return Mail(address=address, sender=sender, server=_server(server) if server is not None else None)


def program(path: str) -> Program:
    """Return the channel of a program.

    Raises:
        UsageError: It has no full path.
    """
    if not path.startswith("/"):
        raise UsageError(f'--run: "{printable(path)}" has to be the full path of a program; a shell is not involved.')
    return Program(path=path)


def _server(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":") if text.count(":") == 1 or text.startswith("[") else (text, "", "25")
    if not host or not port.isascii() or not port.isdecimal() or not 0 < int(port) < 65536:
        raise UsageError(f'--smtp: "{printable(text)}" is not a server: write mail.example.org or 127.0.0.1:2525.')
    return host.strip("[]"), int(port)


def _run(argv: list[str], data: bytes, environment: Mapping[str, str]) -> RunAnswer:
    bounds = Bounds(seconds=PATIENCE, feed=data, fed_whole=True, leave_children=True)
    return run(argv, environment=environment, bounds=bounds)


def _cut(server: smtplib.SMTP) -> None:
    """End a connection; whatever waits for the server raises an error."""
    if server.sock is not None:
        with suppress(OSError):
            server.sock.shutdown(socket.SHUT_RDWR)


def _why(done: RunAnswer, name: str) -> str:
    detail = done.detail or f"exit code {done.code}"
    more = collapse(printable(done.error_text or done.text))[:_MORE]
    return f"{name}: {detail.removeprefix(f'{name}: ')}{f': {more}' if more else ''}"


def _reason(error: Exception) -> str:
    """An SMTP error in one line: the server's code and text."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        code, text = next(iter(error.recipients.values()))
    elif isinstance(error, smtplib.SMTPResponseException):
        code, text = error.smtp_code, _bytes(error.smtp_error)
    else:
        return collapse(printable(getattr(error, "strerror", None) or str(error) or type(error).__name__))
    return f"{code} {collapse(printable(text.decode('utf-8', 'replace')))}"


def _bytes(text: bytes | str) -> bytes:
    return text.encode("utf-8", "replace") if isinstance(text, str) else text
