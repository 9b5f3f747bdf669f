"""The runner of a service processor (BMC): its Redfish service, over HTTPS.

Resources are only read: the sole requests other than GET are the POST that opens a session and the DELETE that ends it.
At most four requests run in parallel, each for at most 30 seconds, and at most 60 requests for a machine, as service
processors are slow. No redirect to another host is followed. Nothing is sent before the certificate was checked.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from raidctl.errors import AccessMissing, UnreachableError
from raidctl.request import NOT_ASKED, Answer, Failure, Get, GetAnswer, Glob, GlobAnswer, Request, Runner
from raidctl.runners.answers import answer_of, chains_of, invalid
from raidctl.runners.bmc_connection import REQUEST_SECONDS, Address, Client, Reply, Trust
from raidctl.runners.bmc_session import REFUSED, Session
from raidctl.runners.parallel import Switch, Task, WorkerPool

WIDTH = 4
"""Requests in parallel."""
MAX_REQUESTS = 60
"""Requests for one machine, without those of the session."""
ROOT = "/redfish/v1/"
_BUSY = HTTPStatus.SERVICE_UNAVAILABLE
_GONE = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.GONE})
_WRONG_USER = frozenset({HTTPStatus.BAD_REQUEST, *REFUSED})
_RETRY = 'If this persists, check the service processor: its web page, or "ipmitool mc info".'


class BmcRunner:
    """Runner that answers ``Get`` from a service processor, other requests as missing. Close it at the end."""

    def __init__(self, address: Address, trust: Trust, password: str | None, *, timeout: float | None = None) -> None:
        """Prepare a runner; :meth:`connect` connects.

        Args:
            address: The service processor, with the user.
            trust: How its certificate is checked.
            password: Of the user; None: no authentication.
            timeout: Seconds for each request, instead of 30.
        """
        self.address = address
        self._client = Client(address, trust, min(timeout or REQUEST_SECONDS, REQUEST_SECONDS))
        self._session = Session(self._client, address.user, password)
        self._switch = Switch()
        self._lock = threading.Lock()
        self._count = 0
        self._root = GetAnswer(trouble=Failure.FAILED, detail="not connected")

    def connect(self) -> None:
        """Check the certificate, read the service root, and open a session.

        After a failure, the service root is answered with it, and nothing is asked.

        Raises:
            UnreachableError: There is no Redfish service, or its certificate is not trusted.
            AccessMissing: User and password are refused.
        """
        reply = self._client.get(ROOT, {})
        host = self.address.host
        if reply.status is None or reply.failure is not None:
            self._refused(reply.detail, Failure.FAILED)
            hint = "" if reply.detail.endswith(".") else f". {_RETRY}"
            raise UnreachableError(f"The service processor {host}: {reply.detail}{hint}", passing=reply.passing)
        if reply.status not in (HTTPStatus.OK, *REFUSED):
            self._refused(_reason(reply), Failure.FAILED)
            raise UnreachableError(f"The service processor {host} {_reason(reply)}. {_RETRY}", passing=False)
        refused = self._session.open(reply)
        if refused is not None and refused.status not in _WRONG_USER:
            self._refused(f"opens no session: {_reason(refused)}", Failure.FAILED)
            raise UnreachableError(f"The service processor {host} opens no session: {_reason(refused)}. {_RETRY}")
        if refused is not None:
            user = self.address.user or "(none)"
            self._refused(f"refuses the user {user}: {_reason(refused)}", Failure.DENIED)
            raise AccessMissing(
                f"The service processor {host} refuses the user {user} ({_reason(refused)}). Name the user in --bmc "
                "https://USER@HOST, and give the password by --bmc-password-file or RAIDCTL_BMC_PASSWORD."
            )
        root = reply if reply.status == HTTPStatus.OK else self._client.get(ROOT, self._session.headers)
        self._root = _answer(Get(ROOT), root)

    def _refused(self, detail: str, trouble: Failure) -> None:
        self._root = GetAnswer(trouble=trouble, detail=detail.rstrip("."))

    def close(self) -> None:
        """End the session, also from another thread; later requests are refused."""
        self._switch.close()
        self._session.close()
        self._client.close()

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer each request, in order, at most four in parallel."""
        with self._switch.event() as stop:
            tasks = [self._task(request) for request in requests]
            WorkerPool([[tasks[index] for index in chain] for chain in chains_of(requests)], stop, WIDTH).work()
        return tuple(task.answer or Answer(trouble=Failure.FAILED) for task in tasks)

    def _task(self, request: Request[Any]) -> Task:
        if isinstance(request, Get):
            reason = invalid(request) or ("" if request.path.startswith("/") else f"{request.path} is not a path")
            if reason:
                return Task(functools.partial(answer_of, request, Failure.FAILED, reason), REQUEST_SECONDS)
            late = answer_of(request, Failure.TIMEOUT, f"no answer after {REQUEST_SECONDS:g} s")
            return Task(functools.partial(self._get, request), 2 * REQUEST_SECONDS, late)
        if isinstance(request, Glob):
            return Task(GlobAnswer, REQUEST_SECONDS)
        detail = "only the service processor of the machine is asked"
        return Task(functools.partial(answer_of, request, Failure.MISSING, detail), REQUEST_SECONDS)

    def _get(self, request: Get) -> Answer:
        if request.path.rstrip("/") == ROOT.rstrip("/"):
            return self._root
        with self._lock:
            self._count += 1
            if self._count > MAX_REQUESTS:
                detail = f"{NOT_ASKED}: more than {MAX_REQUESTS} requests for one machine"
                return GetAnswer(trouble=Failure.FAILED, detail=detail)
        return _answer(request, self._client.get(request.path, self._session.headers, request.limit))


class BmcAndHostRunner:
    """Answers ``Get`` from a service processor, everything else from the machine itself."""

    def __init__(self, inner: Runner, bmc: BmcRunner) -> None:
        self._inner, self._bmc = inner, bmc

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer each request, in order."""
        far = {index: request for index, request in enumerate(requests) if isinstance(request, Get)}
        near = {index: request for index, request in enumerate(requests) if index not in far}
        found = dict(zip(near, self._inner.carry_out(tuple(near.values())), strict=True)) if near else {}
        found |= dict(zip(far, self._bmc.carry_out(tuple(far.values())), strict=True)) if far else {}
        return tuple(found[index] for index in range(len(requests)))


def _answer(request: Get, reply: Reply) -> GetAnswer:
    if reply.failure is not None:
        return GetAnswer(reply.status, reply.data, trouble=reply.failure, detail=reply.detail)
    if reply.status == HTTPStatus.OK:
        return GetAnswer(reply.status, reply.data)
    trouble = Failure.MISSING if reply.status in _GONE else Failure.FAILED
    trouble = Failure.DENIED if reply.status in REFUSED else trouble
    return GetAnswer(reply.status, reply.data[: request.limit], trouble=trouble, detail=_reason(reply))


def _reason(reply: Reply) -> str:
    """``answered 503 Service Unavailable, try again after 30 s``."""
    if reply.status is None or reply.failure is not None:
        return reply.detail
    phrases = {status.value: status.phrase for status in HTTPStatus}
    text = f"answered {reply.status} {phrases.get(reply.status, '')}".rstrip()
    return f"{text}, try again after {reply.retry_after}" if reply.status == _BUSY and reply.retry_after else text
