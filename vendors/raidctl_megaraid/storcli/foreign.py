"""Foreign configurations. Another controller made these groups of drives, or this one before it lost them."""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.model import ForeignGroup, RaidLevel
from raidctl.order import natural
from raidctl.text import attempt, collapse, counted
from raidctl.vendor.draft import Draft, Pair
from raidctl_megaraid.draft import ControllerDraft
from raidctl_megaraid.storcli import numbers
from raidctl_megaraid.storcli.outline import Row, Section
from raidctl_megaraid.vocabulary import normalized, raid_level

COUNTS = frozenset(
    {
        "total foreign drive groups", "total foreign pds", "total locked foreign pds", "total foreign vds",
        "total foreign drives", "foreign drive groups", "foreign pds",
    }
)  # fmt: skip
FOREIGN = frozenset({"f", "frgn", "foreign"})
"""Contents of the column ``DG`` for a drive of a foreign configuration."""
_LOCKED = "total locked foreign pds"


def is_foreign(section: Section, description: str) -> bool:
    """Whether a section lists a foreign configuration (``/c0/fall show``, and its preview)."""
    return any("foreign" in normalized(text) for text in (section.title, *section.path, description))


def read_section(controller: ControllerDraft, section: Section) -> None:
    """``FOREIGN CONFIGURATION``: its rows are details of the controller, never arrays or volumes."""
    read_counts(controller, section.pairs)
    for pair in section.texts:
        controller.keep_detail(pair, section.title)
    for number, row in enumerate(section.rows):
        _row(controller, section.title, number, row)


def _row(controller: ControllerDraft, title: str, number: int, row: Row) -> None:
    """``0 -   RAID60 Frgn  0 KB  1``."""
    _group(controller, row)
    what = "Foreign" if "foreign" in normalized(title) or not title else f"Foreign {title}"
    for pair in row.values():
        controller.keep_detail(pair, f"{collapse(what)} {number} ")
    controller.override("foreign", value=True)


def _group(controller: ControllerDraft, row: Row) -> None:
    """The columns ``DG``, ``Type``, ``State``, ``Size``, ``NoVDs`` of ``FOREIGN CONFIGURATION``."""
    found = {normalized(label): pair.value.strip() for label, pair in row.items()}
    if not found.keys() >= {"dg", "novds"}:
        return  # a table of the preview of an import
    group = ForeignGroup(
        number=found["dg"], raid_level=level_of(found.get("type", "")),
        size_bytes=attempt(numbers.size, found.get("size", "")) or None,
        volumes=attempt(numbers.integer, found["novds"]), status_text=found.get("state") or None,
    )  # fmt: skip
    others = (one for one in controller.get("foreign_groups") or () if one.number != group.number)
    controller.override("foreign_groups", value=tuple(sorted((*others, group), key=lambda one: natural(one.number))))


def level_of(text: str) -> RaidLevel | None:
    """Return the RAID level.

    None for ``Nytro1`` and other words that are not a known level. The tool's words are among the details.
    """
    try:
        return raid_level(text)
    except ValueError:
        return None


def read_counts(controller: ControllerDraft, pairs: Sequence[Pair]) -> None:
    """``Total foreign Drive Groups = 1``."""
    for pair in pairs:
        controller.keep_detail(pair)
        count = attempt(numbers.integer, pair.value)
        if normalized(pair.label) not in COUNTS or not count:
            continue
        if normalized(pair.label) == _LOCKED:
            controller.add_problem(
                "warning", "state", f"{counted(count, 'foreign drive')} locked.", "Enter the key that unlocks them."
            )
        else:
            controller.override("foreign", value=True)


def read_mark(drive: Draft, pair: Pair) -> None:
    """Whether the ``DG`` of a drive is ``F``."""
    drive.put(pair.lines[0] if pair.lines else None, "foreign", normalized(pair.value) in FOREIGN)
