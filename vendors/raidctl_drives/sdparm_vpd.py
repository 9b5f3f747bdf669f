"""VPD pages as ``sdparm --inquiry`` prints them: below ``… VPD page:``, indented labels and designators."""

from __future__ import annotations

import re
from dataclasses import dataclass

from raidctl.evidence import Line, mark_read
from raidctl_drives.draft import Draft

_NAA = re.compile(r"\[?(0x(?:[0-9a-f]{16}|[0-9a-f]{32}))\]?")
_EUI = re.compile(r"\[?(0x(?:[0-9a-f]{16}|[0-9a-f]{24}|[0-9a-f]{32}))\]?")
_ATA = {"model": "model", "serial number": "serial", "firmware revision": "firmware"}
"""Labels below ``ATA command IDENTIFY DEVICE response summary:``."""
_HEX = re.compile(r"(?:[0-9a-f]{2}\s+){1,15}[0-9a-f]{2}\b.*|[0-9a-f]{2,4}\s+(?:[0-9a-f]{3,4}\s+){2,}.*|[0-9a-f]{2}")
_DESIGNATOR = re.compile(r"designator type: (.*?),\s+code set: (.*)")
_EQUATIONS = re.compile(r"\[?[\w .-]+=.*")
_BARE = re.compile(
    r"Non-rotating medium \(e\.g\. solid state\)|Medium rotation rate is not reported|Nominal form factor not reported"
    r"|Provisioning group descriptor|0x[0-9a-f]+|<empty>|\[or device number: .*|\[?PQ indicates.*|.*descriptor.*"
    # Supported VPD pages:   [0x80] Unit serial number [sn]
    r"|(?:\[0x[0-9a-f]+\] )?\S.* \[[a-z_]+\]|Reserved \[0x[0-9a-f]+\]|.* recovery time \(ms\)\s+\d+"
    # SCSI Feature sets:     SBC Base 2010
    r"|(?:[A-Z]{3} )?(?:Reserved|Base \d+|Discovery \d+)|Device signature indicates .*"
)
_ASSOCIATIONS = ("Addressed logical unit", "Target port", "Target device that contains addressed lu")


@dataclass
class Page:
    """Where in a VPD page the reader is."""

    name: str
    association: str = ""
    designator: str = ""
    expects: str = ""
    """The label whose value is on the next line."""


def read_line(draft: Draft, page: Page, line: Line) -> bool:
    """Read one line below the title of a VPD page; False when it does not belong there."""
    words = line.stripped
    if page.expects or _HEX.fullmatch(words):
        return _read_value(draft, page, line, words)
    if not line.text[:1].isspace() and not _EQUATIONS.fullmatch(words):
        return False
    #   Addressed logical unit:
    if words.endswith(":") and words[:-1] in _ASSOCIATIONS:
        page.association = words[:-1]
        mark_read(line)
    #     designator type: NAA,  code set: Binary
    elif found := _DESIGNATOR.fullmatch(words):
        page.designator = found[1]
        mark_read(line)
    elif page.name.startswith("Unit serial number"):
        draft.fact(line, "serial", words.removeprefix("Product serial number:"))
    elif page.designator == "NAA" and (naa := _NAA.fullmatch(words)):
        _read_naa(draft, page, line, naa[1])
    elif page.designator == "EUI-64 based" and (eui := _EUI.fullmatch(words)):
        _read_eui(draft, page, line, eui[1])
    else:
        return _read_labelled(draft, page, line, words)
    return True


def _read_naa(draft: Draft, page: Page, line: Line, value: str) -> None:
    if page.association == _ASSOCIATIONS[0] and ("wwn" not in draft.values or "eui" in draft.marks):
        draft.marks.pop("eui", None)
        draft.fact(line, "wwn", value)
    else:
        draft.detail(line, f"{page.association or page.name} NAA", value)


def _read_eui(draft: Draft, page: Page, line: Line, value: str) -> None:
    """Read the name of a drive without an NAA one, such as NVMe."""
    if page.association == _ASSOCIATIONS[0] and "wwn" not in draft.values:
        draft.mark(line, "eui")
        draft.fact(line, "wwn", value)
    else:
        draft.detail(line, f"{page.association or page.name} EUI-64", value)


def _read_value(draft: Draft, page: Page, line: Line, words: str) -> bool:
    """Read a value on a separate line: a hex dump, a SCSI name string."""
    label, page.expects = page.expects or page.designator or page.name, ""
    draft.detail(line, label, words)
    return True


def _read_labelled(draft: Draft, page: Page, line: Line, words: str) -> bool:
    label, colon, value = words.partition(":")
    label, value = label.strip(), value.strip()
    if words.startswith("ATA command IDENTIFY"):
        #   ATA command IDENTIFY DEVICE response summary:
        page.designator = words.partition(" response")[0]
        mark_read(line)
    elif page.designator.startswith("ATA command IDENTIFY") and (field := _ATA.get(label)):
        draft.fact(line, field, value)
    #   Device signature indicates SATA transport
    elif words in ("Device signature indicates SATA transport", "Device signature [SATA] (in hex):"):
        draft.fact(line, "interface", "sata")
    elif colon and not value:
        #       SCSI name string:
        page.expects = f"{page.association} {label}".strip()
        mark_read(line)
    elif label == "transport":
        draft.detail(line, f"{page.association} transport".strip(), value)
        if value.startswith("Serial Attached SCSI") and draft.details.get("vendor") != "ATA":
            draft.fact(line, "interface", "sas")
    elif words.startswith("Non-rotating medium"):
        draft.fact(line, "media", "ssd")
    #   Medium rotation rate: 7200 (or: Nominal rotation rate: 7200 rpm)
    elif "rotation rate" in label and (rpm := re.match(r"(?:0x[0-9a-f]+, )?(\d{4,5})\b", value)):
        draft.fact(line, "rpm", int(rpm[1]))
        draft.fact(line, "media", "hdd")
    elif label == "vendor specific" and page.designator.startswith("T10") and draft.details.get("vendor id") == "ATA":
        _read_ata_identity(draft, page, line)
    elif label in ("Product_identification", "Product_revision_level"):
        draft.fact(line, "model" if "ident" in label else "firmware", value)
    elif colon or _EQUATIONS.fullmatch(words) or _BARE.fullmatch(words):
        draft.detail(line, label if colon else page.name, value if colon else words)
    else:
        return False
    return True


def _read_ata_identity(draft: Draft, page: Page, line: Line) -> None:
    #       vendor specific: EXAMPLE SSD 240GB                       ABC123
    # of an ATA drive: 40 characters of model, 20 of serial number
    value = line.text.partition("vendor specific: ")[2]
    model, serial = value[:40].strip(), value[40:60].strip()
    draft.detail(line, page.designator, value)
    if serial:
        draft.fact(line, "model", model)
        draft.fact(line, "serial", serial)
