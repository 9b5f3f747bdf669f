"""Inquiry data of a drive: vendor, model, firmware, serial number without separators.

Two layouts, both of fixed columns (SPC for SCSI, ATA IDENTIFY for SATA drives behind newer firmware)::

    Inquiry Data: SEAGATE ST600MM0006     LS08S0M3ABCD            vendor 8, model 16, firmware 4, serial number
    Inquiry Data:      WD-WMAY02123456WDC WD2003FYYS-02W0B1                01.01D02   serial 20, model 40, firmware 8

Mails and web pages collapse the blanks that hold the columns. Fields that are then ambiguous are not reported.
"""

from __future__ import annotations

from msgspec import Struct

from raidctl.text import collapse, regex

ATA_SERIAL, ATA_MODEL, ATA_END = 20, 60, 68
SCSI_VENDOR, SCSI_MODEL, SCSI_FIRMWARE, SCSI_END = 8, 24, 28, 48
_IBM, _LENOVO = "IBM-ESXS", "LENOVO-X"
_OEM_SERIAL, _OEM_TAIL = 8, 16
"""Lengths in the inquiry data of IBM's drives. Eight characters of serial number are followed by IBM's own marks
(``6XM1AAAA0611B62D``), later by Lenovo's."""
_VENDOR = regex(r"[A-Za-z][A-Za-z&./ -]{1,7}")
"""A vendor in SCSI's column: a name without digits. A word with digits is the beginning of a serial number."""
_TOKEN = regex(r"[!-~]+")
_GAP = regex(r"\S {2,}\S")
_LONGEST = 200
# Makers' names that start an ATA model; behind a serial number without a blank they show where it ends.
_MAKERS = regex(
    r"(?:WDC {1,2}|Hitachi |HGST |INTEL |SAMSUNG |Samsung |TOSHIBA |KIOXIA |SanDisk |KINGSTON |MICRON |Micron[_ ]|"
    r"Crucial|M4-CT|C300-CT|MAXTOR |FUJITSU |ADATA |Corsair |PLEXTOR |SK ?hynix |LITEON |Patriot |Transcend |APPLE |"
    r"OCZ[- ](?=[A-Z]{4}))"
)
# 9XH1AAAAST9250610NS, WD-WMAY02123456WD1003FBYX-01Y7B1: makers whose serial numbers are of one length
_FIXED = regex(r"(?P<serial>[0-9A-Z]{8}(?=ST\d{3})|WD-[0-9A-Z]{12}(?=WD\d{3}))(?P<model>[!-~].*)")


class Inquiry(Struct, frozen=True):
    """The fields of the inquiry data; None: ambiguous."""

    vendor: str | None = None
    model: str | None = None
    firmware: str | None = None
    serial: str | None = None


def split_inquiry(raw: str, interface: str | None, level: str | None) -> Inquiry:
    """Split the inquiry data, its blanks as printed.

    ``interface`` is the drive's ``PD Type`` (``sas``, ``sata``), ``level`` its ``Device Firmware Level``,
    which proves a split: the firmware is that text or (of eight characters) ends with it.
    """
    if not raw.strip() or len(raw) > _LONGEST:
        return Inquiry()
    text = raw.rstrip()
    found = None
    if _scsi_columns(raw, interface, level):
        found = _scsi(text)
    elif len(text) > ATA_MODEL and interface != "sas" and not _lost_blanks(text):
        found = _ata(text, level)
    return found or _collapsed(text, interface, level) or Inquiry()


def _scsi_columns(raw: str, interface: str | None, level: str | None) -> bool:
    """Whether the text has the columns of SCSI inquiry data."""
    text = raw.rstrip()
    if not SCSI_FIRMWARE <= len(text) <= ATA_MODEL or text[0] == " " or text[SCSI_VENDOR] == " ":
        return False
    if interface == "sata" and text[:4] != "ATA ":
        return False
    firmware = text[SCSI_MODEL:SCSI_FIRMWARE]
    if " " in firmware.strip() or firmware[0] == " ":
        return False
    if level is not None:
        return firmware.strip() == level
    maker = _MAKERS.search(text)
    if not _VENDOR.fullmatch(text[:SCSI_VENDOR].strip()) or (maker and maker.start() not in (0, SCSI_VENDOR)):
        return False
    if "  " in text or len(raw) >= SCSI_END:
        return True
    if text.startswith(_IBM) and len(text) == SCSI_FIRMWARE + _OEM_TAIL:
        return True
    # Full columns need no two blanks; then the words must end where the columns end.
    return len(text[:SCSI_MODEL].split()) + 1 == len(text.split()) or " " not in text[:SCSI_MODEL]


def _scsi(text: str) -> Inquiry:
    """``SEAGATE ST600MM0006 LS08S0M3ABCD``; behind ``ATA`` the serial number is right-aligned in 20 columns."""
    vendor = text[:SCSI_VENDOR].strip()
    firmware = text[SCSI_MODEL:SCSI_FIRMWARE].strip()
    serial = _scsi_serial(vendor, firmware, text[SCSI_FIRMWARE:].strip()) or ""
    return Inquiry(
        vendor=vendor or None,
        model=collapse(text[SCSI_VENDOR:SCSI_MODEL]) or None,
        firmware=firmware or None,
        serial=serial if serial and " " not in serial else None,
    )


def _lost_blanks(text: str) -> bool:
    """Whether ATA inquiry data lost the blanks before its serial number."""
    full = text[ATA_MODEL - 1] != " "
    return text[ATA_SERIAL] == " " or (full and _GAP.search(text[ATA_SERIAL:ATA_MODEL]) is not None)


def _ata(text: str, level: str | None) -> Inquiry | None:
    """``     WD-WMAY02123456WDC WD2003FYYS-02W0B1                   01.01D02``."""
    serial = text[:ATA_SERIAL].strip()
    model = collapse(text[ATA_SERIAL:ATA_MODEL])
    firmware = text[ATA_MODEL:ATA_END].strip()
    if not model or " " in serial or " " in firmware or len(text) > ATA_END:
        return None
    if level is not None and not firmware.endswith(level):
        return None
    return Inquiry(model=model, firmware=firmware or None, serial=serial or None)


def _collapsed(text: str, interface: str | None, level: str | None) -> Inquiry | None:
    """The certain fields of a text whose columns are lost."""
    words = _TOKEN.findall(text)
    if not words:
        return None
    if words[0] == "ATA" and interface != "sas":
        return _collapsed_sat(words, level)
    found = _collapsed_scsi(words, level) if interface != "sata" else None
    return found if found is not None or interface == "sas" else _collapsed_ata(text, words, level)


def _collapsed_sat(words: list[str], level: str | None) -> Inquiry | None:
    """``ATA ST9250610NS SN03 9XE1AAAA``; the model may have blanks: ``ATA WDC WD5003ABYX-0 1S02 WD-WMAYP0123456``."""
    if len(words) < 4 or len(words[-2]) > 4 or (level is not None and level != words[-2]):
        return None
    return Inquiry(vendor="ATA", model=" ".join(words[1:-2]), firmware=words[-2], serial=words[-1])


def _collapsed_scsi(words: list[str], level: str | None) -> Inquiry | None:
    """``SEAGATE ST600MM0006 LS08S0M3ABCD``: three words. If the firmware is known, the model can be glued to it."""
    vendor, rest = words[0], words[1:]
    for oem in (_IBM, _LENOVO):
        if vendor.startswith(oem) and len(vendor) > len(oem):
            vendor, rest = oem, [words[0][len(oem) :], *rest]
    if len(vendor) > SCSI_VENDOR or not _VENDOR.fullmatch(vendor) or not rest:
        return None
    tail = rest[-1]
    if level is not None and tail.count(level) >= 1 and not tail.startswith(level):
        # ATLAS15K2_147SASBL01J8EXAAAA: the model fills its column
        model, _, serial = tail.partition(level)
        model = " ".join([*rest[:-1], model])
        if len(model) != SCSI_MODEL - SCSI_VENDOR:
            return None
        return Inquiry(vendor=vendor, model=model, firmware=level, serial=_scsi_serial(vendor, level, serial))
    if len(rest) < 2 or len(tail) < 8 or (level is not None and not tail.startswith(level)):
        return None
    if level is None and (len(rest) != 2 or (vendor == _IBM and len(tail) > 4 + _OEM_TAIL)):
        return None
    cut = len(level) if level is not None else 4
    model = " ".join(rest[:-1])
    return Inquiry(vendor=vendor, model=model, firmware=tail[:cut], serial=_scsi_serial(vendor, tail[:cut], tail[cut:]))


def _scsi_serial(vendor: str, firmware: str, text: str) -> str | None:
    """The serial number without IBM's or Lenovo's marks. Lenovo's marks end with the firmware's level."""
    marked = vendor == _IBM or (vendor == _LENOVO and len(text) == _OEM_TAIL and text.endswith(firmware))
    return (text[:_OEM_SERIAL] if marked else text) or None


def _collapsed_ata(text: str, words: list[str], level: str | None) -> Inquiry | None:
    """Split a serial number and model with nothing between them.

    A maker's name or the kept first column shows where the model begins.
    """
    firmware = words[-1] if len(words) > 1 else None
    if firmware is not None and (len(firmware) > 8 or (level is not None and not firmware.endswith(level))):
        firmware = None
    body = (text[: text.rindex(firmware)] if firmware is not None else text).rstrip()
    match = _MAKERS.search(body)
    border = match.start() if match is not None else None
    # a tab behind the label is two blanks here, not a column
    if text.startswith("   ") and len(body) > ATA_SERIAL and border in (None, ATA_SERIAL):
        border = ATA_SERIAL
    fixed = _FIXED.fullmatch(body.strip())
    if border is None and fixed is not None and " " not in fixed["serial"]:
        return Inquiry(model=collapse(fixed["model"]), firmware=firmware, serial=fixed["serial"])
    serial = body[:border].strip() if border is not None else ""
    if serial and len(serial) <= ATA_SERIAL and " " not in serial:
        return Inquiry(model=collapse(body[border:]), firmware=firmware, serial=serial)
    if firmware is not None and len(words) == 3 and level is not None:
        return Inquiry(model=words[1], firmware=firmware, serial=words[0])
    return Inquiry(firmware=firmware) if firmware is not None and level is not None else None
