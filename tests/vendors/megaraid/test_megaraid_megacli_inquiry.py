"""Inquiry data of many vendors' drives. Some has lost its blanks, and some comes with the firmware level."""

from __future__ import annotations

import re

import pytest

from raidctl_megaraid.megacli.inquiry import split_inquiry
from tests.support.over import over

_SATA = [
    # serial number, model, firmware
    ("S1AANSAF912345K     ", "Samsung SSD 860 PRO 512GB", "RVM02B6Q"),
    ("19151A2BAAAA        ", "Micron_5200_MTFDDAK480TDN", "D1MU020 "),
    ("        17250C2AAAAA", "Crucial_CT512M550SSD1", "MU02    "),
    ("50026B7234AAAAAA    ", "KINGSTON SV300S37A240G", "580ABBF0"),
    ("OCZ-0A1B2C3D4E5F6G7H", "OCZ-VERTEX4", "1.5     "),
    ("            Y2G0AAAA", "TOSHIBA MG03ACA300", "FL1A    "),
    ("      PK1334AAAAAAAA", "HGST HUS724030ALA640", "MF8OAA70"),
    ("            Z1Y0AAAA", "ST3000NM0033-9ZM178", "SN04    "),
    ("     WD-WCC3F0AAAAAA", "WDC WD2000FYYZ-01UL1B1", "01.01K03"),
    ("     WD-WCC3F0AAAAAA", "WD1005FBYZ-01YCBB2", "RR07    "),
    ("BTWA123400AA480FGN  ", "INTEL SSDSC2BB480G4", "D2010355"),
    ("      GTF002PAAAAAAA", "Hitachi HUA722010CLA330", "JP4OA3EA"),
    ("        DAS02220AAAA", "M4-CT256M4SSD2", "000F    "),
]
_SCSI = [
    # vendor, model, firmware, the rest, serial number
    ("SEAGATE ", "ST600MM0006     ", "LS0A", "S0M3AAAA", "S0M3AAAA"),
    ("WD      ", "WD4001FYYG-01SL3", "VR08", "WMC1F0AAAAAA", "WMC1F0AAAAAA"),
    ("HITACHI ", "HUS156060VLS600 ", "A5D0", "JVVAAAAA", "JVVAAAAA"),
    ("FUJITSU ", "MBA3147RC       ", "D305", "BJ11P9200AAA", "BJ11P9200AAA"),
    ("LENOVO-X", "ST900MM0006     ", "L557", "S0N0AAAA0608L557", "S0N0AAAA"),
    ("IBM-ESXS", "ST9146853SS     ", "B62D", "6XM1AAAA0611B62D", "6XM1AAAA"),
    ("IBM-ESXS", "CBRCA300C3ETS0 N", "C610", "PFVEAAAAECCXSA61", "PFVEAAAA"),
    ("NETAPP  ", "X422_HCOBD600A10", "NA02", "S0N0AAAA", "S0N0AAAA"),
    ("HP      ", "EG0600FBLSH     ", "HPD7", "6XR6AAAA", "6XR6AAAA"),
]


def _collapsed(text: str) -> str:
    return re.sub(" +", " ", text).strip()


@over("attached", ["sata", None])
@over("with_level", [True, False])
@over("serial, model, firmware", _SATA)
def test_the_columns_of_sata_drives(
    serial: str, model: str, firmware: str, *, with_level: bool, attached: str | None
) -> None:
    """Serial number, model and firmware of any vendor have fixed columns. The widths are 20, 40 and 8."""
    level = firmware.strip()[-4:] if with_level else None
    found = split_inquiry(f"{serial}{model:40}{firmware}", attached, level)
    assert (found.serial, found.model, found.firmware) == (serial.strip(), model, firmware.strip())


@pytest.mark.parametrize(("serial", "model", "firmware"), _SATA)
def test_sata_drives_whose_blanks_were_lost(serial: str, model: str, firmware: str) -> None:
    """With single blanks, vendor name or serial number length gives the columns."""
    found = split_inquiry(_collapsed(f"{serial} {model:40}{firmware}"), "sata", firmware.strip()[-4:])
    assert (found.serial, found.model, found.firmware) == (serial.strip(), model, firmware.strip())


@over("attached", ["sata", None])
@over("level", [True, False])
@over("serial, model, firmware", _SATA)
@over("leading", [False, True])
def test_nothing_is_guessed_of_lost_blanks(
    serial: str, model: str, firmware: str, attached: str | None, *, level: bool, leading: bool
) -> None:
    """What is read from mangled text is right; the rest is unknown."""
    text = f"{serial}{model:40}{firmware}"
    mangled = text.lstrip() if leading else _collapsed(text)
    found = split_inquiry(mangled, attached, firmware.strip()[-4:] if level else None)
    assert found.serial in (None, serial.strip())
    assert found.model in (None, model)
    assert found.firmware in (None, firmware.strip())


@over("attached", ["sas", None])
@over("with_level", [True, False])
@over("cut", [True, False])
@over("vendor, model, firmware, tail, serial", _SCSI)
def test_the_columns_of_sas_drives(
    vendor: str, model: str, firmware: str, tail: str, serial: str, *, cut: bool, with_level: bool, attached: str | None
) -> None:
    """Vendor, model and firmware are in 8, 16 and 4 columns. IBM's and Lenovo's suffixes are cut off."""
    text = f"{vendor}{model}{firmware}{tail:20}"
    found = split_inquiry(text.rstrip() if cut else text, attached, firmware if with_level else None)
    assert (found.vendor, found.model, found.firmware, found.serial) == (
        vendor.strip(),
        model.strip(),
        firmware,
        serial,
    )


@pytest.mark.parametrize(("vendor", "model", "firmware", "tail", "serial"), _SCSI)
def test_sas_drives_whose_blanks_were_lost(vendor: str, model: str, firmware: str, tail: str, serial: str) -> None:
    """With single blanks, the firmware level gives the columns."""
    found = split_inquiry(_collapsed(f"{vendor}{model}{firmware}{tail}"), "sas", firmware)
    assert (found.vendor, found.model, found.firmware, found.serial) == (
        vendor.strip(),
        model.strip(),
        firmware,
        serial,
    )


def test_a_model_with_blanks_behind_the_vendor_ata() -> None:
    """Older firmware cuts the model of a SATA drive at 16 columns."""
    found = split_inquiry("ATA WDC WD5003ABYX-0 1S02 WD-WMAYP0AAAAAA", "sata", None)
    assert (found.model, found.firmware, found.serial) == ("WDC WD5003ABYX-0", "1S02", "WD-WMAYP0AAAAAA")


def test_a_tab_behind_the_label_is_no_column() -> None:
    """Leading blanks are skipped. The vendor's form of serial numbers shows where one ends."""
    found = split_inquiry("  9XF1AAAAST9500620NS     AA09", "sata", "AA09")
    assert (found.serial, found.model, found.firmware) == ("9XF1AAAA", "ST9500620NS", "AA09")
