"""Search a recording for serial numbers, unique ids, addresses and names.

By common labels (``Serial Number:``, ``ID_WWN=``, ``"uuid": ``) and by unmistakable formats (a UUID, a world wide
name). A value found by its label in one place is masked everywhere, see :mod:`raidctl.recording.redact`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from raidctl.recording.manifest import Entry
from raidctl.text import regex


class Kind(IntEnum):
    """The kind of an identity, which decides how it is replaced. If several fit a string, the lowest wins."""

    HEX = 0
    """Hexadecimal digits, perhaps with separators. They are a WWN, NAA id, EUI-64, UUID, MAC or IPv6 address."""
    ADDRESS = 1
    """IPv4 address."""
    SERIAL = 2
    HOST = 3
    USER = 4


@dataclass(frozen=True)
class Identity:
    """A string that identifies something, as found."""

    kind: Kind
    text: str
    start: int
    """Its position in the searched text."""


_NONE = frozenset((
    "none", "null", "nil", "n/a", "na", "unknown", "unavailable", "available", "not", "absent", "empty", "undefined",
    "unspecified", "unsupported", "specified", "default", "string", "to", "be", "filled", "by", "o.e.m.", "oem",
    "invalid", "no", "yes", "true", "false", "disabled", "enabled", "reserved", "ok", "failed", "error", "missing",
    "-", "--", "---", "localhost", "localdomain", "localhost.localdomain", "(none)", "system", "number", "serial",
    "supported", "set", "root",
))  # fmt: skip
"""Words that a tool prints for an unknown value."""
_PADDING = set(":-. _")

# Serial Number: AB12    "serial_number": "AB12"    (sn: AB12)    sn        : AB12    Disk00 Serial : AB12
_SERIAL = regex(
    r"(?:serial(?!(?<=ID_SERIAL)=)(?:[ _-]?(?:numbers?|num|no\.?|nr\.?|short|id))?|(?<![A-Za-z])s/?n)"
    r"(?:[ \t]*\([^)\n]{0,20}\)|[ \t]*#)?[\"']?[ \t]*[:=][ \t]*[\"']?(?P<value>[^\n\"',;()]{1,80})",
    re.IGNORECASE,
)
# "Property" : "tmmSerialNo", "Value" : "0x54b1"        tmmSerialNo      0x54b1
_PROPERTY = regex(
    r"serial ?(?:no|number)(?:\"\s{0,40},\s{0,40}\"Value\"\s{0,9}:\s{0,9}\"(?P<value>[^\"\n]{1,80})\"|"
    r"[ \t]{2,40}(?P<cell>[^\s:=]{1,40})[ \t\r]*$)",
    re.IGNORECASE | re.MULTILINE,
)
# Service Tag : 7ABC123    Express Service Code : 15634872561
_TAG = regex(r"\b(?:(?:service|asset)[ _]tag|service code)[ \t]*[:=][ \t]*(?P<value>\S{1,40})", re.IGNORECASE)
# ata-RC4000NM0035-1V4107_ZC1A2B3C-part1    nvme-RIVER_MZ512HAJQ-00000_S3W8NX0M123456_1
_LINK = regex(
    r"(?<![\w-])(?:ata|nvme|usb|mmc)-(?!nvme\.)[\w.+-]{1,80}_(?P<value>(?=[A-Za-z-]*\d)(?:(?!-part\d)[A-Za-z0-9-]){5,40})"
    r"(?:_\d{1,3})?(?:-part\d{1,3})?(?=[\s\"',]|$)",
    re.ASCII | re.MULTILINE,
)
# E: ID_SERIAL=MODEL_AB12: model and serial number in one where there is an ID_SERIAL_SHORT as well
_UDEV_SERIAL = regex(r"^E: ?ID_SERIAL=(?P<value>[^\n]+)$", re.MULTILINE)
_UDEV_MODEL = regex(r"^E: ?ID_MODEL=([^\n]+)$", re.MULTILINE)
# E: ID_WWN=0x…    MD_UUID=…    ID_FS_UUID=1A2B-3C4D
_VARIABLE = regex(r"^(?:E: ?)?[A-Z0-9_]*(?:WWN|WWID|UUID|GUID|NAA|EUI64)[A-Z0-9_]*=(?P<value>[^\n]+)$", re.MULTILINE)
_HEX = r"(?:0[xX])?[0-9A-Fa-f](?:[0-9A-Fa-f]|[:-](?=[0-9A-Fa-f]))+"
# WWID: 5000…    "wwid": "naa.…"    Array UUID : …    Unique Identifier: 600…    SAS address = 0x5…    Family : 1a2b3c4d
_UNIQUE = regex(
    r"(?:ww(?:n|id|nn|pn)|world wide name|(?<![a-z])uuid|guid|eui-?64|unique[ _]id(?:entifier)?|sas[ _]address|"
    r"logical[ _]unit[ _]id|machine[ _]id|family)(?:[ _-](?:device|identifier|id|with|extension|name)){0,3}"
    r"(?:[ \t]*\([^)\n]{0,20}\))?(?P<key>\"?)[ \t]*[:=][ \t]*(?P<quote>\"?)"
    rf"(?P<value>{_HEX})(?=$|[\s,;)\"'\]])",
    re.IGNORECASE | re.MULTILINE,
)
# type GUIDs of partitions are the same on every machine
_UUID = regex(r"(?<![0-9A-Za-z])(?<!TYPE=)[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![0-9A-Za-z])")
_GROUPS = regex(r"(?<![0-9A-Za-z:])[0-9A-Fa-f]{8}(?::[0-9A-Fa-f]{8}){3,5}(?![0-9A-Za-z:])")
# Logical ID : 500605b0:0a1b2c30
_HALVES = regex(r"(?<![0-9A-Za-z:])5[0-9A-Fa-f]{7}:[0-9A-Fa-f]{8}(?![0-9A-Za-z:])")
_NAMED = regex(r"(?:naa\.|eui\.|wwn-0x|scsi-3|nguid\.|LUKS\d-)(?P<value>[0-9a-f]{16,32})(?![0-9a-z])", re.IGNORECASE)
# a small number with leading zeros is not a name
_NAA = regex(
    r"(?<![0-9A-Za-z])(?:0x|3)?(?P<value>5[0-9a-f]{15}|6[0-9a-f]{31}|"
    r"(?<=0x)(?!000)[0-9a-f]{16}(?:[0-9a-f]{8}){0,2})(?![0-9A-Za-z])",
    re.IGNORECASE,
)
# LU WWN Device Id: 5 000c50 0a1b2c3d4        IEEE EUI-64: 002538 5b71b00d64
_SPACED = regex(r":[ \t]+(?P<value>[0-9a-f] [0-9a-f]{6} [0-9a-f]{9}|[0-9a-f]{6} [0-9a-f]{10})\s*$", re.MULTILINE)
# "wwn": {"naa": 5, "oui": 3152, "id": 169552852}        "eui64": {"oui": 9528, "ext_id": 392782351716}
NUMBERS = regex(
    r"\{\s*(?:\"naa\"\s*:\s*(?P<naa>\d{1,2})\s*,\s*)?\"oui\"\s*:\s*(?P<oui>\d{1,8})\s*,\s*"
    r"\"(?:ext_)?id\"\s*:\s*(?P<id>\d{1,13})\s*\}"
)
"""A world wide name or EUI-64 in JSON. Its parts are decimal numbers."""
IR_VOLUME = regex(r"600508e0{9}(?P<id>(?!0{16})[0-9a-f]{16})(?![0-9a-z])", re.IGNORECASE)
"""The kernel's name of an IR volume of LSI. The tool prints its last 16 digits with their bytes reversed."""
_VOLUME = regex(r"LVM-(?P<group>[A-Za-z0-9]{32})(?P<volume>[A-Za-z0-9]{32})?|lvm-pv-uuid-(?P<disk>[A-Za-z0-9-]{38})")
LVM = regex(r"(?<![A-Za-z0-9-])[A-Za-z0-9]{6}(?:-[A-Za-z0-9]{4}){5}-[A-Za-z0-9]{6}(?![A-Za-z0-9-])")
"""A name of LVM as its tools print it. The kernel has it without dashes."""
_MAC = regex(r"(?<![0-9A-Fa-f:])(?P<value>[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5})(?![0-9A-Fa-f:])")
# E: SCSI_IDENT_LUN_T10=ATA_____RC4000NM0035-1V4107_____ZC1A2B3C: vendor, model and serial number
_IDENT = regex(
    r"^(?:E: ?)?SCSI_IDENT_LUN_(?:T10|ATA|VENDOR)=(?:[^\n]{0,80}_)?(?P<value>(?=[A-Za-z-]*\d)[A-Za-z0-9-]{6,40})$",
    re.MULTILINE | re.ASCII,
)
# 192.0.2.7:/export    192.0.2.7:6789,192.0.2.8:6789:/ addr=192.0.2.7    ip-192.0.2.7:3260-iscsi-…    //192.0.2.7/share;
# a firmware 6.30.8.0 is not an address
_IP = regex(
    r"(?:addr=|//|ip-|@|inet6? )(?P<after>\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{1,4}(?::{1,2}[0-9a-f]{1,4}){2,7})(?![\w.])|"
    r"(?<![\w.])(?P<before>\d{1,3}(?:\.\d{1,3}){3})(?=:/|:\d{2,5}[,:/]|,\d{1,3}(?:\.\d{1,3}){3}[,:])"
)
# "Address": "192.0.2.7"    "Gateway": "fe80::1"    Current IP Address : 192.0.2.7; a PCI address 00:04:00:00 is not an
# IP address
_LABELLED_IP = regex(
    r"(?:address|gateway)[\"']?[ \t]*[:=][ \t]*[\"']?"
    r"(?P<value>\d{1,3}(?:\.\d{1,3}){3}|(?=[0-9a-f:]{0,40}::)[0-9a-f]{0,4}(?::{1,2}[0-9a-f]{1,4}){1,7})(?![\w.:])",
    re.IGNORECASE,
)
_LABELS = r"[A-Za-z0-9][\w-]{0,62}(?:\.[A-Za-z0-9][\w-]{0,62})*"
# Name : db7:0  (local to host db7)    MD_NAME=db7:0    name=db7:0    md-name-db7:0    - nfs4 nas1:/export    ssh:me@db7
# - cifs //nas1/home rw,vers=3.0,username=me,domain=ACME
_HOST = regex(
    rf"(?:to host|resolve hostname) (?P<local>{_LABELS})|"
    rf"(?:^\s*Name : |\bMD_NAME=|\bname=|md-name-|/dev/md/)(?P<name>{_LABELS}):|"
    rf"(?:host[ _]?name|lv_host|vg_systemid|(?<=,)domain)[\"']?[ \t]*[:=][ \t]*[\"']?(?P<labelled>{_LABELS})|"
    rf" - (?:nfs4?|cifs|smb3|glusterfs|ceph) (?://)?(?P<server>{_LABELS})[:/]|"
    rf"\A(?:ssh|bmc):(?:[\w.-]+@)?(?P<far>{_LABELS})\Z",
    re.MULTILINE | re.IGNORECASE,
)
# "DurableName": "6001…"    "SKU": "7ABC123", on some makers' machines the service tag
_RESOURCE = regex(
    r"\"(?P<label>SKU|AssetTag|(?:Chassis)?ServiceTag|DurableName)\"[ \t]*:[ \t]*\"(?P<value>[^\"\n]{1,80})\""
)
_TARGET = regex(r"iqn\.\d{4}-\d\d\.(?P<value>[\w.:-]+?)(?=-lun-|[\s\"',]|$)", re.MULTILINE)
# subnqn : nqn.1994-11.com.example:nvme:Q9:AB12    nqn.2014-08.org.nvmexpress:144d144dAB12
_NQN = regex(
    r"nqn\.\d{4}[-.]\d\d\.(?!org\.nvmexpress[.:](?:discovery|uuid:))(?:org\.nvmexpress:)?(?P<value>[^\s\"',]+)"
)
_USER = regex(r"(?:/home/|/run/media/|\busername=|\Assh:(?=[^@\n]+@))(?P<value>[A-Za-z_][\w.-]{0,31})")
# Segment 1 : Present (Controller:1,Enclosure:0,Slot:3)      AB12CD    Segment 1 : Missing (0,3) AB12CD
_PLACED = regex(
    r"\((?:[^()\n]{0,80}[A-Za-z]:[ \t]?\d{1,5}|\d{1,3},\d{1,3})\)[ \t]+"
    r"(?P<value>(?=\S{0,40}\d)[A-Za-z0-9][A-Za-z0-9_-]{5,39})[ \t\r]*$",
    re.MULTILINE | re.ASCII,
)
# Node   SN   Model …, over a line of rules
_TABLE = regex(r"^(?=[^\n]*\bSN\b)(?P<heads>[^\n]*\bModel\b[^\n]*)\n(?P<rule>-+(?: +-+)+)[^\n]*\n", re.MULTILINE)

_HOST_FILES = ("/hostname", "/nodename")
_HOST_CALLS = {("uname", "-n"), ("hostname",), ("hostname", "-f")}
_SERIAL_FILES = ("/serial", "_serial", "/vpd_pg80")
_HEX_FILES = ("/wwid", "/uuid", "_uuid", "/nguid", "/eui", "/sas_address", "/machine-id")


def identities(text: str) -> Iterator[Identity]:
    """Yield everything in a text that identifies a machine or its parts. Repetitions are possible."""
    for match in _UNIQUE.finditer(text):
        if match["key"] and not match["quote"]:  # a number in JSON must stay one
            yield Identity(Kind.SERIAL, match["value"], match.start("value"))
        else:
            yield from _unique(match["value"], match.start("value"))
    for match in NUMBERS.finditer(text):
        yield Identity(Kind.SERIAL, match["id"], match.start("id"))
    for pattern in (_VARIABLE, _UUID, _GROUPS, _HALVES, _NAMED, _NAA, _SPACED, LVM):
        for match in pattern.finditer(text):
            group = "value" if "value" in pattern.groupindex else 0
            yield from _unique(match[group], match.start(group))
    for pattern in (_SERIAL, _PLACED, _PROPERTY, _TAG, _LINK, _IDENT):
        for match in pattern.finditer(text):
            group = match.lastgroup or 0
            yield from serial_parts(match[group], match.start(group))
    for match in _RESOURCE.finditer(text):
        kind = _unique if match["label"] == "DurableName" else serial_parts
        yield from kind(match["value"], match.start("value"))
    for match in _UDEV_SERIAL.finditer(text):
        yield from _udev_serial(text, match)
    for match in _VOLUME.finditer(text):
        yield from (Identity(Kind.SERIAL, match[n], match.start(n)) for n in ("group", "volume", "disk") if match[n])
    for match in _TABLE.finditer(text):
        yield from _column(text, match)
    yield from _people(text)


def _people(text: str) -> Iterator[Identity]:
    """Addresses, and the names of machines and users."""
    for pattern in (_MAC, _IP, _LABELLED_IP):
        for match in pattern.finditer(text):
            group = match.lastgroup or 0
            if not match[group].startswith(("127.", "0.0.0.")):
                kind = Kind.HEX if ":" in match[group] else Kind.ADDRESS
                yield Identity(kind, match[group], match.start(group))
    for match in _HOST.finditer(text):
        group = match.lastgroup or 0
        yield from _host(match[group], match.start(group))
    for match in (*_TARGET.finditer(text), *_NQN.finditer(text)):
        yield Identity(Kind.SERIAL, match["value"], match.start("value"))
    for match in _USER.finditer(text):
        if match["value"] not in _NONE:
            yield Identity(Kind.USER, match["value"], match.start("value"))


def identities_of_answer(entry: Entry, text: str) -> Iterator[Identity]:
    """Yield identities by their file: the content of ``…/hostname`` or ``…/serial``."""
    path = entry.read or ""
    if path.endswith(_HOST_FILES) or entry.run in _HOST_CALLS:
        yield from _host(text.strip(), len(text) - len(text.lstrip()))
    elif path.endswith(_SERIAL_FILES):
        yield from serial_parts("".join(char if " " < char <= "~" else " " for char in text), 0)
    elif path.endswith(_HEX_FILES):
        # naa.5000c5…, or t10.ATA     MODEL            AB12
        for word in re.finditer(r"[^\s.]+(?=\s*\Z)", text):
            yield from _unique(word[0], word.start())
            if text.startswith("t10."):
                yield from serial_parts(word[0], word.start())


def _plain(text: str) -> bool:
    """Whether a value is not an identity: a word for "none", or one repeated character."""
    bare = text.lower()
    return bare in _NONE or len(set(bare.removeprefix("0x")) - _PADDING) < 2


def serial_parts(value: str, start: int) -> Iterator[Identity]:
    """Yield the parts of a value. It may be padded, in groups, or followed by another label."""
    words = list(re.finditer(r"\S+", value))
    if not words or words[0][0][0] in "[<" or all(word[0].lower() in _NONE for word in words):
        return
    if any(word[0].endswith((":", "=")) for word in words):
        words = words[:1]
    for word in words:
        bare = word[0].strip(".*")
        if len(bare) > 2 and not _plain(bare):
            place = start + word.start() + word[0].index(bare)
            number = re.fullmatch(r"0[xX]([0-9A-Fa-f]+)", bare)
            yield Identity(Kind.HEX, number[1], place + 2) if number else Identity(Kind.SERIAL, bare, place)


def _udev_serial(text: str, match: re.Match[str]) -> Iterator[Identity]:
    """Yield ``ID_SERIAL`` of a device without ``ID_SERIAL_SHORT``, without the model in it."""
    block = text[text.rfind("\n\n", 0, match.start()) + 1 : match.end()]
    rest = text[match.end() : match.end() + 8192].partition("\n\n")[0]
    if "ID_SERIAL_SHORT=" in block or "ID_SERIAL_SHORT=" in rest:
        return
    model = _UDEV_MODEL.search(block) or _UDEV_MODEL.search(rest)
    skip = len(model[1]) + 1 if model and match["value"].startswith(f"{model[1]}_") else 0
    yield from serial_parts(match["value"][skip:], match.start("value") + skip)


def _unique(value: str, start: int) -> Iterator[Identity]:
    bare = value.strip().strip("\"'")
    start += value.index(bare)
    if re.fullmatch(_HEX, bare.replace(" ", "")) and not _plain(bare) and len(bare) >= 8:
        prefix = 2 if bare[:2].lower() == "0x" else 0
        yield Identity(Kind.HEX, bare[prefix:], start + prefix)
    elif LVM.fullmatch(bare):
        yield Identity(Kind.SERIAL, bare, start)


def _host(value: str, start: int) -> Iterator[Identity]:
    if re.fullmatch(r"\d+(\.\d+){3}", value):
        yield Identity(Kind.ADDRESS, value, start)
    elif value and value.lower() not in _NONE and not value.isdigit():
        yield Identity(Kind.HOST, value, start)


def _column(text: str, match: re.Match[str]) -> Iterator[Identity]:
    """Yield the column ``SN`` of a table with ruled columns."""
    place = match["heads"].index("SN")
    rule = next((rule for rule in re.finditer(r"-+", match["rule"]) if rule.start() <= place < rule.end()), None)
    if rule is None:
        return
    end = text.find("\n\n", match.end())
    for row in re.finditer(r"[^\n]+", text[match.end() : end if end >= 0 else len(text)]):
        cell = row[0][rule.start() : rule.end()]
        yield from serial_parts(cell, match.end() + row.start() + rule.start())
