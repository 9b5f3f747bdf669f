"""The witness's token: a secret in a file on both machines."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from raidctl.bench.powercut.journal import refused
from raidctl.errors import UsageError
from raidctl.text import printable

_MIN_CHARACTERS = 16


def token_in(path: Path) -> bytes:
    """Return the token in a file.

    Raises:
        CannotTell, AccessMissing: It cannot be read.
        UsageError: It has none.
    """
    try:
        with path.open("rb") as file:
            token = file.read(4096).strip()
    except OSError as error:
        raise refused(path, error) from None
    if len(token) < _MIN_CHARACTERS:
        raise UsageError(f"{printable(str(path))} has no token: at least {_MIN_CHARACTERS} characters are needed.")
    return token


def make_token(path: Path) -> bool:
    """Create the file with a new token unless it exists. Return whether it was created.

    Raises:
        CannotTell, AccessMissing: It cannot be made.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return False
    except OSError as error:
        raise refused(path, error) from None
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(secrets.token_hex(32) + "\n")
    return True


def address_of(text: str) -> tuple[str, int]:
    """Return host and port of ``192.0.2.7:7707`` or ``[2001:db8::7]:7707``.

    Raises:
        UsageError: It is not an address with a port.
    """
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") if host.startswith("[") and host.endswith("]") else host
    number = int(port) if port.isascii() and port.isdigit() and len(port) < 6 else -1
    if not colon or not host or not 0 <= number < 65536 or (":" in host and not text.startswith("[")):
        raise UsageError(f'"{printable(text)}" is not an address with a port: 192.0.2.7:7707 or [2001:db8::7]:7707.')
    return host, number
