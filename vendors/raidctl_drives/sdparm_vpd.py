"""VPD pages as ``sdparm --inquiry`` prints them: below ``… VPD page:``, indented labels and designators."""

from __future__ import annotations

from dataclasses import dataclass

from raidctl.evidence import Line, mark_read
from raidctl.text import regex
from raidctl.vendor.draft import DETAIL, ROW, Pair
from raidctl.vendor.fields import Field, Fields, read_pair
from raidctl_drives.draft import DriveDraft

# 0x5000c50a0d1000c3
_NAA = regex(r"\[?(0x(?:[0-9a-f]{16}|[0-9a-f]{32}))\]?")
_EUI = regex(r"\[?(0x(?:[0-9a-f]{16}|[0-9a-f]{24}|[0-9a-f]{32}))\]?")
_HEX = regex(r"(?:[0-9a-f]{2}\s+){1,15}[0-9a-f]{2}\b.*|[0-9a-f]{2,4}\s+(?:[0-9a-f]{3,4}\s+){2,}.*|[0-9a-f]{2}")
# designator type: NAA,  code set: Binary
_DESIGNATOR = regex(r"designator type: (.*?),\s+code set: (.*)")
_EQUATIONS = regex(r"\[?[\w .-]+=.*")
# Non-rotating medium (e.g. solid state)
_BARE = regex(
    r"Non-rotating medium \(e\.g\. solid state\)|Medium rotation rate is not reported|Nominal form factor not reported"
    r"|Provisioning group descriptor|0x[0-9a-f]+|<empty>|\[or device number: .*|\[?PQ indicates.*|.*descriptor.*"
    # Supported VPD pages:   [0x80] Unit serial number [sn]
    r"|(?:\[0x[0-9a-f]+\] )?\S.* \[[a-z_]+\]|Reserved \[0x[0-9a-f]+\]|.* recovery time \(ms\)\s+\d+"
    # SCSI Feature sets:     SBC Base 2010
    r"|(?:[A-Z]{3} )?(?:Reserved|Base \d+|Discovery \d+)|Device signature indicates .*"
)
_RATE = regex(r"(?:0x[0-9a-f]+, )?(\d{4,5})\b")
_IDENTIFY = "ATA command IDENTIFY"
_ASSOCIATIONS = ("Addressed logical unit", "Target port", "Target device that contains addressed lu")


@dataclass
class Page:
    """Where in a VPD page the reader is."""

    name: str
    association: str = ""
    designator: str = ""
    expects: str = ""
    """The label whose value is on the next line."""


def read_line(draft: DriveDraft, page: Page, line: Line) -> bool:
    """Read one line below the title of a VPD page. False if it does not belong there."""
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
        draft.put(line, "serial", words.removeprefix("Product serial number:"))
    elif page.designator == "NAA" and (naa := _NAA.fullmatch(words)):
        _read_naa(draft, page, line, naa[1])
    elif page.designator == "EUI-64 based" and (eui := _EUI.fullmatch(words)):
        _read_eui(draft, page, line, eui[1])
    else:
        return _read_labelled(draft, page, line, words)
    return True


def _read_naa(draft: DriveDraft, page: Page, line: Line, value: str) -> None:
    if page.association == _ASSOCIATIONS[0] and draft.values.get("wwn", (ROW, None))[0] < DETAIL:
        draft.put(line, "wwn", value)
    else:
        draft.detail(line, f"{page.association or page.name} NAA", value)


def _read_eui(draft: DriveDraft, page: Page, line: Line, value: str) -> None:
    """Read the name of a drive that has no NAA name. NVMe drives are such drives."""
    if page.association == _ASSOCIATIONS[0] and "wwn" not in draft.values:
        draft.put(line, "wwn", value, ROW)
    else:
        draft.detail(line, f"{page.association or page.name} EUI-64", value)


def _read_value(draft: DriveDraft, page: Page, line: Line, words: str) -> bool:
    """Read a hex dump or SCSI name string on a separate line."""
    label, page.expects = page.expects or page.designator or page.name, ""
    draft.detail(line, label, words)
    return True


def _read_labelled(draft: DriveDraft, page: Page, line: Line, words: str) -> bool:
    """Read a line by its label. What a label means depends on the designator above it, so one table is not enough."""
    label, colon, value = words.partition(":")
    label, value = label.strip(), value.strip()
    pair = Pair(label, value, [line])
    if words.startswith(_IDENTIFY):
        #   ATA command IDENTIFY DEVICE response summary:
        page.designator = words.partition(" response")[0]
        mark_read(line)
    elif words in _SENTENCES:
        draft.put(line, *_SENTENCES[words])
    elif colon and not value:
        #       SCSI name string:
        page.expects = f"{page.association} {label}".strip()
        mark_read(line)
    elif page.designator.startswith(_IDENTIFY) and read_pair(draft, pair, label, _ATA_FIELDS):
        pass
    elif label == "transport":
        _read_transport(draft, page, pair)
    elif label == "vendor specific" and page.designator.startswith("T10") and draft.details.get("vendor id") == "ATA":
        _read_ata_identity(draft, page, line)
    elif read_pair(draft, pair, label, _FIELDS):
        pass
    elif colon or _EQUATIONS.fullmatch(words) or _BARE.fullmatch(words):
        draft.detail(line, label if colon else page.name, value if colon else words)
    else:
        return False
    return True


def _read_transport(draft: DriveDraft, page: Page, pair: Pair) -> None:
    #     transport: Serial Attached SCSI Protocol (SPL-4)
    draft.detail(pair.lines[0], f"{page.association} transport".strip(), pair.value)
    if pair.value.startswith("Serial Attached SCSI") and draft.details.get("vendor") != "ATA":
        draft.put(pair.lines[0], "interface", "sas", ROW)


def _read_rotation(draft: DriveDraft, pair: Pair) -> None:
    if rpm := _RATE.match(pair.value):
        draft.put(pair.lines[0], "rpm", int(rpm[1]))
        draft.put(pair.lines[0], "media", "hdd")
    else:
        draft.detail(pair.lines[0], pair.label, pair.value)


_SENTENCES = {
    "Device signature indicates SATA transport": ("interface", "sata"),
    "Device signature [SATA] (in hex):": ("interface", "sata"),
    "Non-rotating medium (e.g. solid state)": ("media", "ssd"),
}
"""Lines without a value, and the field and value that each gives."""
_ATA_FIELDS: Fields[DriveDraft] = {
    #     model: EXAMPLE HD1000
    "model": Field("model", str),
    "serial number": Field("serial", str),
    "firmware revision": Field("firmware", str),
}
"""Labels below ``ATA command IDENTIFY DEVICE response summary:``."""
_FIELDS: Fields[DriveDraft] = {
    #   Medium rotation rate: 7200 rpm
    **dict.fromkeys(("Medium rotation rate", "Nominal rotation rate"), _read_rotation),
    #   Product_identification: HD1000
    "Product_identification": Field("model", str, ROW),
    "Product_revision_level": Field("firmware", str, ROW),
}


def _read_ata_identity(draft: DriveDraft, page: Page, line: Line) -> None:
    #       vendor specific: EXAMPLE SSD 240GB                       ABC123
    # of an ATA drive: 40 characters of model, 20 of serial number
    value = line.text.partition("vendor specific: ")[2]
    model, serial = value[:40].strip(), value[40:60].strip()
    draft.detail(line, page.designator, value)
    if serial:
        draft.put(line, "model", model)
        draft.put(line, "serial", serial)
