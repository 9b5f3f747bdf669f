"""Passwords of controllers, entered in the tool's own session.

A password is never in a command line, where every user could see it, nor in the journal: an action only names it. It is
in ``RAIDCTL_NAME_PASSWORD`` (the session's name in capitals), in the file that ``RAIDCTL_NAME_PASSWORD_FILE`` names, or
in ``/etc/raidctl/NAME-password``, so that ``restore`` has it at boot. Only its owner may be able to read the file.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from msgspec.structs import replace

from raidctl.errors import AccessMissing
from raidctl.request import Answer, Failure, Run, RunAnswer, Runner, Write
from raidctl.text import regex
from raidctl.vendor.plan import Action

FOLDER = Path("/etc/raidctl")
_WORD = regex(r"[!-~]{1,64}", re.ASCII)
"""Printable, without blanks, as a line of the tool requires."""
_OTHERS = 0o077


def carried_out(runner: Runner, action: Action) -> tuple[Run | Write, Answer]:
    """Carry out an action. Return its request and the answer without the password.

    If the password cannot be used, the tool is not started: the answer is that the permission is missing.
    """
    try:
        request = request_of(action)
    except AccessMissing as failure:
        return action.request(), RunAnswer(trouble=Failure.DENIED, detail=str(failure).rstrip("."))
    [answer] = runner.carry_out([request])
    return request, without_password(action, answer) if isinstance(answer, RunAnswer) else answer


def request_of(action: Action) -> Run | Write:
    """Return the request of an action. If its password is known, return the session that enters the password first.

    Raises:
        AccessMissing: The password cannot be used: others can read its file, or it does not fit into a line.
    """
    request = action.request()
    session = action.session
    if session is None or not isinstance(request, Run):
        return request
    word = password(session.name)
    if word is None:
        return request
    lines = (session.enter.replace("{}", word), " ".join(action.argv[1:]), session.leave)
    return replace(request, argv=action.argv[:1], feed="".join(f"{line}\n" for line in lines).encode())


def without_password(action: Action, answer: RunAnswer) -> RunAnswer:
    """Return output without the password that the tool has echoed."""
    word = password(action.session.name) if action.session is not None else None
    if word is None or action.session is None:
        return answer
    line, hidden = action.session.enter.replace("{}", word).encode(), action.session.enter.replace("{}", "...").encode()
    return replace(answer, out=answer.out.replace(line, hidden), err=answer.err.replace(line, hidden))


def password(name: str) -> str | None:
    """Return a password; None if none is configured.

    Raises:
        AccessMissing: As :func:`request_of`.
    """
    variable = f"RAIDCTL_{name.upper()}_PASSWORD"
    word = os.environ.get(variable)
    source = variable
    if word is None:
        path = Path(os.environ.get(f"{variable}_FILE") or FOLDER / f"{name}-password")
        source = str(path)
        word = _content(path, named=f"{variable}_FILE" in os.environ)
    if word is None:
        return None
    if not _WORD.fullmatch(word):
        raise AccessMissing(f"The password in {source} is empty, longer than 64 characters, or has blanks.")
    return word


def _content(path: Path, *, named: bool) -> str | None:
    """The first line of a file that only its owner can read."""
    try:
        state = path.stat()
        if not stat.S_ISREG(state.st_mode) or state.st_mode & _OTHERS or state.st_uid not in (0, os.geteuid()):
            raise AccessMissing(f"{path} is not used: others than its owner can read or write it. chmod 600 {path}")
        return path.read_text(encoding="ascii", errors="replace").partition("\n")[0].rstrip("\r")
    except FileNotFoundError:
        if named:
            raise AccessMissing(f"{path} does not exist: the password cannot be read.") from None
        return None
    except OSError as error:
        raise AccessMissing(f"{path} cannot be read: {error.strerror}.") from None
