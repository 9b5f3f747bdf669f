"""A session with a Redfish service: opened by POST, ended by DELETE. Without sessions, basic authentication is used."""

from __future__ import annotations

import base64
import json
from http import HTTPStatus

from raidctl import json_decode
from raidctl.runners.bmc_connection import Client, Reply

_USUAL = "/redfish/v1/SessionService/Sessions"
_NO_SESSIONS = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.NOT_IMPLEMENTED})
REFUSED = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})


class Session:
    """The authentication headers of each request."""

    def __init__(self, client: Client, user: str | None, password: str | None) -> None:
        """Prepare the session; without a password there is no login."""
        self._client, self._user, self._password = client, user, password
        self._place: str | None = None
        self.headers: dict[str, str] = {}

    def open(self, root: Reply) -> Reply | None:
        """Log in; ``root`` is the service root. Return the reply that refused it, None if it went well."""
        if self._user is None or self._password is None:
            return self._checked()
        words = {"UserName": self._user, "Password": self._password}
        body = json.dumps(words).encode()
        reply = self._client.send("POST", _sessions(self._client, root), {"Content-Type": "application/json"}, body)
        token = reply.headers.get("x-auth-token", "")
        if reply.status in (HTTPStatus.OK, HTTPStatus.CREATED) and token:
            self._place = self._client.path_here(reply.headers.get("location", "") or _id_of(reply.data))
            self.headers = {"X-Auth-Token": token}
            return None
        if reply.status not in _NO_SESSIONS and (reply.status or 0) // 100 != 2:
            return reply
        pair = base64.b64encode(f"{self._user}:{self._password}".encode()).decode()
        self.headers = {"Authorization": f"Basic {pair}"}
        return self._checked()

    def _checked(self) -> Reply | None:
        """The refusal if nothing can be read with these headers."""
        checked = self._client.get("/redfish/v1/Systems", self.headers)
        return checked if checked.status in REFUSED else None

    def close(self) -> None:
        """End the session, if one was opened. The service ends abandoned sessions after its own time limit."""
        if self._place is not None and self._place != "/":
            self._client.send("DELETE", self._place, self.headers)
        self._place = None
        self.headers = {}


def _sessions(client: Client, root: Reply) -> str:
    """The path at which sessions are opened. The service root's is used if it is on this host."""
    value = _decoded(root.data)
    for name in ("Links", "Sessions", "@odata.id"):
        value = value.get(name) if isinstance(value, dict) else None
    return (client.path_here(value) if isinstance(value, str) else None) or _USUAL


def _id_of(data: bytes) -> str:
    value = _decoded(data)
    found = value.get("@odata.id") if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def _decoded(data: bytes) -> object:
    try:
        found: object = json_decode.decode(data)
    except ValueError:
        return None
    return found
