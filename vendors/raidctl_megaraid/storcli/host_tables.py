"""The whole-host tables of ``show`` and ``show all``: a row for each controller."""

from __future__ import annotations

from raidctl.vendor import statuses
from raidctl.vendor.draft import DETAIL, ROW, WEAK, Draft, Pair
from raidctl.vendor.fields import Field, Fields, read_pair
from raidctl_megaraid import vocabulary
from raidctl_megaraid.draft import ControllerDraft, Controllers
from raidctl_megaraid.messages import keep_count
from raidctl_megaraid.storcli import battery
from raidctl_megaraid.storcli import controller_words as words
from raidctl_megaraid.storcli.controller_labels import BRANDS, VENDORS
from raidctl_megaraid.storcli.outline import Row, Section

_NUMBER = ("ctl", "ctrl", "controller")


def is_overview(section: Section) -> bool:
    """``System Overview``, ``IT System Overview``, ``HBA System Overview``. Its columns show it without its title."""
    return words.word(section.title).endswith("system overview") or any(map(_is_whole, section.rows))


def _is_whole(row: Row) -> bool:
    """Whether a row is of a controller, though its number may be missing: no other table has these columns."""
    return not row.keys().isdisjoint(("Hlth", "EPack"))


def row_number(row: Row) -> Pair | None:
    """The cell that holds the controller's number: ``Ctl``, v8 ``Ctrl``."""
    for label, cell in row.items():
        if words.word(label) in _NUMBER and cell.value.strip().isdecimal() and len(cell.value) < 8:
            return cell
    return None


def read_overview(controllers: Controllers, section: Section) -> None:
    """Read ``Ctl Model Ports PDs DGs DNOpt VDs VNOpt BBU sPR DS EHS ASOs Hlth`` and the columns of v8 and of HBAs."""
    for row in section.rows:
        cell = row_number(row)
        if cell is None and not _is_whole(row):
            continue
        controller = controllers.controller(cell.value.strip() if cell else None)
        if cell is not None:
            for line in cell.lines:
                controller.put(line, "number", int(cell.value))
        if words.word(section.title).startswith(("it ", "hba ")):
            controller.put(cell.lines[0] if cell and cell.lines else None, "mode", "hba", ROW)
        for other in row.values():
            if other is not cell:
                _cell(controller, section, other)


def _cell(controller: ControllerDraft, section: Section, cell: Pair) -> None:
    label = words.word(cell.label)
    if read_pair(controller, cell, label, _COLUMNS):
        return
    controller.keep_detail(cell, f"{section.title}: ")
    read_pair(controller, cell, label, _KEPT_COLUMNS)
    keep_count(controller, cell, label, ROW)


def read_brand(controller: Draft, pair: Pair, model: str | None) -> None:
    """``PERC H730 Mini``, ``PERCH730Mini``: a name that shows the maker."""
    plain = words.word(model or "")
    maker = next((maker for brand, maker in BRANDS.items() if plain.startswith(brand)), None)
    if maker is not None:
        controller.put(pair.lines[0] if pair.lines else None, "vendor", maker, WEAK)


def read_subvendor(controller: Draft, pair: Pair) -> None:
    """``SubVendor Id = 0x1028``: the seller. The OEM's name counts more than that of the chip's maker."""
    try:
        number = words.number(pair.value)
    except ValueError:
        controller.unread(pair.label, pair.value)
        return
    name = VENDORS.get(number) if number is not None else None
    if name is not None:
        controller.put(pair.lines[0] if pair.lines else None, "vendor", name, WEAK - 1 if number == 0x1000 else DETAIL)


def read_status(controller: Draft, pair: Pair, weight: int = DETAIL) -> None:
    """``Controller Status = Needs Attention``, ``Hlth`` ``NdAtn``."""
    if vocabulary.has_state(pair.value) and not vocabulary.has_value(pair.value):
        statuses.put_status(controller, pair.lines, "controller", "unknown", text=pair.value, weight=weight)
    else:
        statuses.read_status(controller, pair, "controller", words.health, words.has_status, weight=weight)


_COLUMNS: Fields[ControllerDraft] = {
    # PERCH730Mini: the blanks are left out here, other commands print them
    **dict.fromkeys(("model", "product name"), Field("model", words.plain_text, ROW, then=read_brand)),
    # Hlth        Opt
    **dict.fromkeys(("hlth", "health", "status"), lambda controller, cell: read_status(controller, cell, ROW)),
    "personality": Field("mode", words.mode, ROW),
    # PCI Address    00:03:00:00
    "pci address": Field(
        "pci_address",
        words.pci_address,
        ROW,
        then=lambda controller, _, address: controller.put(None, "bus", address, ROW),
    ),
}
_KEPT_COLUMNS: Fields[ControllerDraft] = {
    # BBU         Opt
    **dict.fromkeys(("bbu", "epack", "energy pack"), battery.read_column),
    # SubVendId   0x1028
    "subvendid": read_subvendor,
}
"""Columns that are kept as details, too."""
