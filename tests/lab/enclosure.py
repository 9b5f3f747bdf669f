"""An SES enclosure, served to a machine over iSCSI by the host. QEMU attaches it as a SCSI device of type 0x0D.

A test checks the LEDs in the server instead of the file in the guest. Like a real enclosure, it keeps its LEDs when
the machine loses power. It implements what the kernel's ``ses`` driver needs: INQUIRY and the diagnostic pages 0, 1
(configuration), 2 (status and control), 7 (names).
"""

from __future__ import annotations

import socket
import socketserver
import struct
import threading
from dataclasses import dataclass, field
from pathlib import Path

from tests.lab.places import LabError

IQN = "iqn.2026-01.example:enclosure"
_MODULE = "*/qemu/block-iscsi.so"
_ARRAY_DEVICE = 0x17
_IDENT = 0x02
_SELECT = 0x80
_BHS = 48
_OFFERED = {
    "AuthMethod": "None", "HeaderDigest": "None", "DataDigest": "None", "InitialR2T": "Yes", "ImmediateData": "Yes",
    "MaxRecvDataSegmentLength": "262144", "MaxBurstLength": "262144", "FirstBurstLength": "65536",
    "DefaultTime2Wait": "0", "DefaultTime2Retain": "0", "MaxConnections": "1", "MaxOutstandingR2T": "1",
    "ErrorRecoveryLevel": "0", "DataPDUInOrder": "Yes", "DataSequenceInOrder": "Yes", "IFMarker": "No",
    "OFMarker": "No",
}  # fmt: skip


@dataclass
class Enclosure:
    """Bays with an LED each. ``lit`` has the numbers of the blinking ones, from 1."""

    slots: int = 4
    logical: int = 0x3000000000001A2B
    lit: set[int] = field(default_factory=set)
    history: list[tuple[int, bool]] = field(default_factory=list)
    """Each change of an LED."""
    _server: socketserver.ThreadingTCPServer | None = None

    def __enter__(self) -> Enclosure:  # noqa: PYI034  typing has Self from 3.11 on
        enclosure = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                _Session(enclosure, self.request).serve()

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    def arguments(self, bus: str) -> tuple[str, ...]:
        """QEMU's arguments that attach it to a SCSI bus."""
        assert self._server is not None
        if not any(Path("/usr/lib").glob(_MODULE)):
            raise LabError(
                "QEMU cannot speak iSCSI: install the Debian package qemu-block-extra (tests/run as root does)"
            )
        port = self._server.server_address[1]
        file = f"iscsi://127.0.0.1:{port}/{IQN}/0"
        return (
            *("-drive", f"if=none,id=ses,format=raw,file={file}"),
            *("-device", f"scsi-generic,drive=ses,bus={bus},scsi-id=20"),
        )

    # --- SCSI

    def command(self, cdb: bytes, data: bytes) -> bytes | None:
        """The reply to a command; None if it is unknown."""
        if cdb[0] == 0x12:
            return self._inquiry(cdb)
        if cdb[0] == 0x1C:
            return {0: self._supported, 1: self._configuration, 2: self._status, 7: self._names}.get(
                cdb[2], lambda: None
            )()
        if cdb[0] == 0x1D:
            self._control(data)
            return b""
        if cdb[0] == 0xA0:
            return struct.pack(">II8x", 8, 0)
        return b"" if cdb[0] == 0x00 else None

    def _inquiry(self, cdb: bytes) -> bytes | None:
        if not cdb[1] & 1:
            return struct.pack(">8B8s16s4s", 0x0D, 0, 6, 2, 31, 0, 0x40, 2, b"LAB     ", b"ENCLOSURE 4     ", b"0001")
        if cdb[2] == 0x00:
            return struct.pack(">BBH2B", 0x0D, 0, 2, 0x00, 0x83)
        if cdb[2] == 0x83:
            return struct.pack(">BBH4BQ", 0x0D, 0x83, 12, 1, 3, 0, 8, self.logical)
        return None

    @staticmethod
    def _page(code: int, body: bytes) -> bytes:
        return struct.pack(">BBHI", code, 0, len(body) + 4, 1) + body

    @staticmethod
    def _supported() -> bytes:
        return struct.pack(">BBH4B", 0, 0, 4, 0, 1, 2, 7)

    def _configuration(self) -> bytes:
        about = struct.pack(">4BQ8s16s4s", 0x11, 0, 1, 36, self.logical, b"LAB     ", b"ENCLOSURE 4     ", b"0001")
        return self._page(1, about + struct.pack(">4B", _ARRAY_DEVICE, self.slots, 0, 0))

    def _status(self) -> bytes:
        slots = [struct.pack(">4B", 1, 0, _IDENT if number in self.lit else 0, 0) for number in self._numbers()]
        return self._page(2, bytes(4) + b"".join(slots))

    def _names(self) -> bytes:
        names = ["Slots", *(f"Slot {number:02}" for number in self._numbers())]
        return self._page(7, b"".join(struct.pack(">HH", 0, len(name)) + name.encode() for name in names))

    def _numbers(self) -> range:
        return range(1, self.slots + 1)

    def _control(self, data: bytes) -> None:
        """Switch the LEDs of the elements whose select bit is set."""
        if data[:1] != b"\x02":
            return
        for number in self._numbers():
            element = data[8 + 4 * number : 12 + 4 * number]
            if len(element) == 4 and element[0] & _SELECT:
                on = bool(element[2] & _IDENT)
                if on != (number in self.lit):
                    self.history.append((number, on))
                (self.lit.add if on else self.lit.discard)(number)


class _Session:
    """One connection of an initiator."""

    def __init__(self, enclosure: Enclosure, link: socket.socket) -> None:
        self._enclosure, self._link = enclosure, link
        self._status, self._expected = 1, 1

    def serve(self) -> None:
        """Reply until the initiator disconnects."""
        while (header := self._read(_BHS)) is not None:
            length = int.from_bytes(header[5:8], "big")
            data = self._read(-(-length // 4) * 4 + header[4] * 4)
            if data is None or not self._answer(header, data[header[4] * 4 :][:length]):
                return

    def _read(self, size: int) -> bytes | None:
        data = b""
        while len(data) < size:
            try:
                more = self._link.recv(size - len(data))
            except OSError:
                return None
            if not more:
                return None
            data += more
        return data

    def _send(self, head: bytes, tail: bytes, tag: bytes, data: bytes = b"") -> None:
        """Send a PDU.

        The header has 4 bytes, length, LUN, tag, 4 bytes of the opcode, the counters and the rest.
        """
        body = head + len(data).to_bytes(4, "big") + bytes(8) + tag + tail[:4]
        body += struct.pack(">III", self._status, self._expected, self._expected + 16) + tail[4:]
        self._link.sendall(body.ljust(_BHS, b"\0") + data + bytes(-len(data) % 4))

    def _answer(self, header: bytes, data: bytes) -> bool:
        """Reply to one request; returns whether the session continues."""
        opcode, tag = header[0] & 0x3F, header[16:20]
        number = int.from_bytes(header[24:28], "big")
        if opcode == 0x03:
            self._login(header, data, number)
            return True
        if not header[0] & 0x40:
            self._expected = number + 1
        if opcode == 0x01:
            self._scsi(header, data, tag)
        elif opcode == 0x00:
            self._send(b"\x20\x80\0\0", b"\xff" * 4, tag, data)
        elif opcode == 0x02:
            self._send(b"\x22\x80\0\0", bytes(4), tag)
        else:
            self._send(b"\x26\x80\0\0", bytes(4), tag)
        self._status += 1
        return opcode in (0x00, 0x01, 0x02)

    def _login(self, header: bytes, data: bytes, number: int) -> None:
        """Reply to both stages of a login. Each key gets its simplest value."""
        self._expected = number
        asked = dict(pair.split("=", 1) for pair in data.decode().split("\0") if "=" in pair)
        words = [f"{key}={_OFFERED[key]}" for key in asked if key in _OFFERED]
        words += ["TargetPortalGroupTag=1"] if "TargetName" in asked else []
        text = "".join(f"{word}\0" for word in words).encode()
        flags = header[1] & 0x8F
        body = bytes([0x23, flags, 0, 0]) + len(text).to_bytes(4, "big") + header[8:14] + b"\0\1" + header[16:20]
        body += bytes(4) + struct.pack(">III", self._status, self._expected, self._expected + 16)
        self._link.sendall(body.ljust(_BHS, b"\0") + text + bytes(-len(text) % 4))
        self._status += 1

    def _scsi(self, header: bytes, data: bytes, tag: bytes) -> None:
        cdb, wanted = header[32:48], int.from_bytes(header[20:24], "big")
        answer = self._enclosure.command(cdb, data)
        if answer is None:
            sense = struct.pack(">HBBBIBIBB4x", 18, 0x70, 0, 5, 0, 10, 0, 0x20, 0)  # ILLEGAL REQUEST, invalid opcode
            self._send(b"\x21\x80\0\x02", bytes(16), tag, sense)
        elif header[1] & 0x40 and answer:
            allocated = int.from_bytes(cdb[6:10] if cdb[0] == 0xA0 else cdb[3:5], "big")
            part = answer[: min(allocated, wanted)]
            short = wanted - len(part)
            tail = b"\xff" * 4 + struct.pack(">III", 0, 0, short)
            self._send(bytes([0x25, 0x81 | (0x02 if short else 0), 0, 0]), tail, tag, part)
        else:
            left = wanted - len(data) if header[1] & 0x20 else wanted
            self._send(bytes([0x21, 0x80 | (0x02 if left else 0), 0, 0]), bytes(12) + struct.pack(">I", left), tag)
