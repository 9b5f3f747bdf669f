"""Requests of a vendor package to the machine, and their answers.

A vendor package does no I/O. Its ``observe()`` is a generator that yields requests and is sent
the answers; a runner (:mod:`raidctl.runners`) carries them out: on this machine, over ssh, out of
a recording. :func:`converse` brings the two together.

Inside a dialogue, use the typed helpers::

    answer = yield from ask(Run(("mdadm", "--detail", "/dev/md0")))          # -> RunAnswer
    details = yield from ask_all([Run(...), Run(...)])                       # side by side
    halves = yield from together([half(a), half(b)])                         # whole dialogues side by side
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from enum import Enum
from typing import Any, Generic, Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from raidctl.text import collapse, printable, regex

T = TypeVar("T")
A = TypeVar("A", bound="Answer")

DEFAULT_TIMEOUT = 60.0
"""Seconds that a reading command may take."""
DEFAULT_LIMIT = 16 * 1024 * 1024
"""Largest answer in bytes; a tool that prints more is ended."""
GET_LIMIT = 4 * 1024 * 1024
"""Largest resource of a service processor in bytes."""
CHANGEABLE = "can be changed by others than root"
"""The reason why root does not run a program. Others can change its file or a directory above.

Part of the detail of a DENIED answer.
"""


class Failure(str, Enum):
    """Why a request failed. A non-zero exit code is an answer, not a failure."""

    MISSING = "missing"
    """No such tool on this machine; no such file."""
    DENIED = "denied"
    """No permission to run or to read it."""
    TIMEOUT = "timeout"
    """Did not end in time and was ended with its children."""
    FLOOD = "flood"
    """Printed more than the limit; the output up to it is kept."""
    UNRECORDED = "unrecorded"
    """The recording has no answer to this request."""
    FAILED = "failed"
    """The operating system or the connection (ssh) failed; ``detail`` has the reason."""


MORE_TIME = "The machine or the connection was too slow: allow more time (`--timeout SECONDS`)."
"""The remedy of a reading that timed out."""


class Request(Struct, Generic[A], frozen=True):
    """Base class of requests. The type parameter is the class of the answer."""


class Answer(Struct, frozen=True, kw_only=True):
    """Base class of answers."""

    trouble: Failure | None = None
    detail: str = ""

    @property
    def fine(self) -> bool:
        """Whether the request was carried out (whatever the exit code)."""
        return self.trouble is None


def decode(data: bytes) -> str:
    """Decode a tool's output. Invalid UTF-8 becomes U+FFFD, never an exception."""
    return data.decode("utf-8", errors="replace")


class RunAnswer(Answer, frozen=True):
    """Output and exit code of a program. ``code`` is None if it never started or was ended."""

    code: int | None = None
    out: bytes = b""
    err: bytes = b""

    @property
    def text(self) -> str:
        """Standard output as text."""
        return decode(self.out)

    @property
    def error_text(self) -> str:
        """Standard error as text."""
        return decode(self.err)


NO_START = "does not start"
"""The beginning of ``detail`` if a program was found but could not be started."""
_NOT_STARTED = frozenset({126, 127})
"""Exit codes of a shell, of `env` and of the loader for a program that cannot be run."""
# smartctl: error while loading shared libraries: libcap-ng.so.0: cannot open shared object file
# /usr/sbin/nvme: /lib/libc.so.6: version `GLIBC_2.34' not found (required by /usr/sbin/nvme)
_LOADER = regex(
    r"error while loading shared librar|symbol lookup error|: version [`'][^'\n]{1,80}' not found \(required"
)


def started(answer: A) -> A:
    """The answer; a failed one if the loader or a shell could not start the program.

    Such a program has printed nothing, and its exit code or the message shows the reason.
    """
    if not isinstance(answer, RunAnswer) or answer.trouble is not None or not answer.code or answer.out.strip():
        return answer
    if answer.code not in _NOT_STARTED and not _LOADER.search(answer.error_text):
        return answer
    why = next(filter(None, map(collapse, answer.error_text.splitlines())), f"exit code {answer.code}")
    return replace(answer, trouble=Failure.FAILED, detail=f"{NO_START}: {printable(why)[:200]}", err=b"")


class ReadAnswer(Answer, frozen=True):
    """The bytes of a file; None when it could not be read."""

    data: bytes | None = None

    @property
    def text(self) -> str | None:
        """The file as text, None when it could not be read."""
        return None if self.data is None else decode(self.data)


class GlobAnswer(Answer, frozen=True):
    """The paths that match, sorted."""

    paths: tuple[str, ...] = ()


class WhichAnswer(Answer, frozen=True):
    """Where a program is, with links resolved. ``trouble`` is MISSING when it is not installed."""

    path: str | None = None


class WriteAnswer(Answer, frozen=True):
    """Whether a file was written. ``trouble`` and ``detail`` give the reason if it was not."""


NOT_ASKED = "not asked"
"""The beginning of ``detail`` if the service processor was not asked."""


class GetAnswer(Answer, frozen=True):
    """The body of a resource of a service processor. ``trouble`` is set unless the status is 200.

    ``status`` is None if there was no reply. ``data`` is kept as far as it came.
    """

    status: int | None = None
    data: bytes = b""

    @property
    def text(self) -> str:
        """The body as text."""
        return decode(self.data)


class Run(Request[RunAnswer], frozen=True):
    """Run a program: argv only, no shell, C locale, private working directory.

    ``lock`` names what only one process may use at a time (a tool family whose tools cannot run twice at once).
    ``changes`` marks a command that changes the machine: skipped by a dry run, never repeated. ``environment`` adds
    variables. ``feed`` is its whole standard input; without it there is none. Recordings do not contain it.
    """

    argv: tuple[str, ...]
    timeout: float = DEFAULT_TIMEOUT
    changes: bool = False
    lock: str | None = None
    limit: int = DEFAULT_LIMIT
    environment: tuple[tuple[str, str], ...] = ()
    feed: bytes = b""


class Read(Request[ReadAnswer], frozen=True):
    """Read a file (of /proc, /sys, /etc …), up to ``limit`` bytes."""

    path: str
    limit: int = DEFAULT_LIMIT


class Write(Request[WriteAnswer], frozen=True):
    """Write a word into an existing file of /proc or /sys. The single call always changes something."""

    path: str
    data: str
    timeout: float = DEFAULT_TIMEOUT


class Glob(Request[GlobAnswer], frozen=True):
    """List the paths that match a shell pattern. Patterns may have ``*``, ``?`` and ``[…]``, but no ``**``."""

    pattern: str


class Which(Request[WhichAnswer], frozen=True):
    """Find a program on the administrator's PATH and then at ``places``.

    PATH includes sbin; ``places`` are full paths. One that only others may execute is found last.
    """

    name: str
    places: tuple[str, ...] = ()


class Get(Request[GetAnswer], frozen=True):
    """Read a resource of the machine's service processor (BMC). Its path is absolute, such as ``/redfish/v1/Systems``.

    Where no service processor was named, the answer is MISSING.
    """

    path: str
    limit: int = GET_LIMIT


class UdevDatabase(Request[ReadAnswer], frozen=True):
    """The udev database in the form of ``udevadm info --export-db``. Its lines begin with P:, N:, S: or E:."""


def key(request: Request[Any]) -> tuple[str, ...]:
    """Return what identifies a request, without limits, locks and variables."""
    if isinstance(request, Run):
        return ("run", *request.argv)
    if isinstance(request, Read):
        return ("read", request.path)
    if isinstance(request, Write):
        return ("write", request.data, "to", request.path)
    if isinstance(request, Glob):
        return ("glob", request.pattern)
    if isinstance(request, Which):
        return ("which", request.name)
    if isinstance(request, Get):
        return ("get", request.path)
    return ("udev",)


def describe(request: Request[Any]) -> str:
    """Describe a request: ``run cat /proc/version``, ``read /proc/mdstat``."""
    return " ".join(key(request)) if key(request) != ("udev",) else "read the udev database"


Asked = Request[Any] | tuple[Request[Any], ...]
Dialogue = Generator[Asked, Any, T]
"""A generator that yields requests and returns a ``T``. It yields one, or a tuple of requests that may be carried out
side by side, and is sent the answer (or the tuple of answers)."""


def requests_of(asked: Asked) -> tuple[Request[Any], ...]:
    """The requests of a question, which is one request or a tuple."""
    return asked if isinstance(asked, tuple) else (asked,)


class Runner(Protocol):
    """Carries requests out: locally, over ssh, from a recording. Callers do not depend on which."""

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer each request, in order; may work in parallel. Never raises for what the machine does."""
        ...


def answers_at_once(runner: Runner) -> bool:
    """Whether a runner never waits, so that threads gain nothing. Its attribute ``AT_ONCE`` decides, if it has one."""
    return bool(getattr(runner, "AT_ONCE", False))


def shares_rounds(runner: Runner) -> bool:
    """Whether dialogues share rounds, as each costs a session.

    The runner's attribute ``IN_STEP`` decides, if it has one.
    """
    return bool(getattr(runner, "IN_STEP", False))


def converse(dialogue: Dialogue[T], runner: Runner) -> T:
    """Run a dialogue until it returns. Send it the runner's answer to each request, as :func:`started` judges it."""
    try:
        asked = next(dialogue)
        while True:
            if isinstance(asked, tuple):
                asked = dialogue.send(tuple(map(started, runner.carry_out(asked))))
            else:
                asked = dialogue.send(started(runner.carry_out((asked,))[0]))
    except StopIteration as end:
        result: T = end.value
        return result


def ask(request: Request[A]) -> Dialogue[A]:
    """Make one request; for ``yield from`` in a dialogue."""
    answer: A = yield request
    return answer


def ask_all(requests: Iterable[Request[A]]) -> Dialogue[tuple[A, ...]]:
    """Make several requests that may run in parallel. The answers are in the same order."""
    batch = tuple(requests)
    if not batch:
        return ()
    answers: tuple[A, ...] = yield batch
    return answers


def together(dialogues: Iterable[Dialogue[T]]) -> Dialogue[list[T]]:
    """Run several dialogues in step, so that their requests run in parallel."""
    running: dict[int, Dialogue[T]] = dict(enumerate(dialogues))
    results: dict[int, T] = {}
    replies: dict[int, Any] = dict.fromkeys(running)
    while running:
        asked: dict[int, Asked] = {}
        for key, dialogue in list(running.items()):
            try:
                asked[key] = dialogue.send(replies[key])
            except StopIteration as end:
                results[key] = end.value
                del running[key]
        batch = tuple(request for question in asked.values() for request in requests_of(question))
        if batch:
            answers = iter((yield batch))
            for key, question in asked.items():
                if isinstance(question, tuple):
                    replies[key] = tuple(next(answers) for _ in question)
                else:
                    replies[key] = next(answers)
    return [results[key] for key in sorted(results)]
