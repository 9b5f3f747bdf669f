"""A service processor on loopback, over HTTPS. It has a certificate made for the test, resources, and misbehaviour."""

from __future__ import annotations

import datetime as dt
import hashlib
import ipaddress
import json
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from raidctl.request import Get, GetAnswer
from tests.support.machines import recording

USER, PASSWORD = "reader", "s3cret!"
SESSIONS = "/redfish/v1/SessionService/Sessions"


@dataclass
class Service:
    """A running service, and its requests."""

    port: int
    tree: dict[str, bytes]
    certificate: bytes
    """In DER."""
    pem: Path
    asked: list[tuple[str, str, str]] = field(default_factory=list)
    """Method, path, and how the client authenticated: ``token``, ``basic``, empty."""
    misbehave: Callable[[Handler], bool] = lambda _: False
    """Answers a request in its own way; False: the usual one."""
    sessions: bool = True
    busy: int = 0
    most_busy: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        """What ``--bmc`` takes."""
        return f"https://{USER}@127.0.0.1:{self.port}"

    @property
    def fingerprint(self) -> str:
        """Of its certificate."""
        return hashlib.sha256(self.certificate).hexdigest()


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    protocol_version = "HTTP/1.1"
    service: Service

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base class has it
        """Print nothing."""

    def send(self, status: int, data: bytes = b"", headers: Mapping[str, str] | None = None) -> None:
        """Send a whole answer."""
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _who(self) -> str:
        if self.headers.get("X-Auth-Token") == "token-1":
            return "token"
        return "basic" if (self.headers.get("Authorization") or "").startswith("Basic ") else ""

    def _begin(self) -> None:
        with self.service.lock:
            self.service.asked.append((self.command, self.path, self._who()))
            self.service.busy += 1
            self.service.most_busy = max(self.service.most_busy, self.service.busy)

    def _end(self) -> None:
        with self.service.lock:
            self.service.busy -= 1

    def do_GET(self) -> None:
        """Answer a reading."""
        self._begin()
        try:
            if self.service.misbehave(self):
                return
            found = self.service.tree.get(self.path) or self.service.tree.get(self.path.rstrip("/"))
            if self.path.rstrip("/") != "/redfish/v1" and not self._who():
                self.send(401)
            elif found is None:
                self.send(404, b'{"error": {}}')
            else:
                self.send(200, found)
        finally:
            self._end()

    def do_POST(self) -> None:
        """Open a session."""
        self._begin()
        self._end()
        given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self.service.sessions:
            self.send(404)
        elif given == {"UserName": USER, "Password": PASSWORD}:
            self.send(201, b"{}", {"X-Auth-Token": "token-1", "Location": f"{SESSIONS}/1"})
        else:
            self.send(401)

    def do_DELETE(self) -> None:
        """End a session."""
        self._begin()
        self._end()
        self.send(204)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Print nothing: askers may hang up."""


@cache
def _certificate() -> tuple[bytes, bytes]:
    """A certificate for 127.0.0.1 and its key, in PEM. It is its own authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a BMC for tests")])
    now = dt.datetime.now(dt.timezone.utc)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=2))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return made.public_bytes(serialization.Encoding.PEM), private


def tree_of(machine: str) -> dict[str, bytes]:
    """The resources of a recorded machine."""
    return {
        request.path: answer.data
        for request, answer in recording(machine).answers()
        if isinstance(request, Get) and isinstance(answer, GetAnswer) and answer.fine
    }


@contextmanager
def serving(machine: str, folder: Path) -> Iterator[Service]:
    """A service with the resources of a recorded machine."""
    certificate, key = _certificate()
    pem = folder / "authority.pem"
    pem.write_bytes(certificate)
    private = folder / "service.pem"
    private.write_bytes(key + certificate)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(private)
    service = Service(0, tree_of(machine), ssl.PEM_cert_to_DER_cert(certificate.decode()), pem)
    server = _Server(("127.0.0.1", 0), type("Own", (Handler,), {"service": service}))
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    service.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
