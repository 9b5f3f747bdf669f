"""Enclosures as details of the controller. The model has no enclosures."""

from __future__ import annotations

from raidctl.text import collapse
from raidctl.vendor.draft import Pair
from raidctl_megaraid import vocabulary
from raidctl_megaraid.draft import ControllerDraft
from raidctl_megaraid.storcli.columns import Cells, keep_cells
from raidctl_megaraid.storcli.outline import Section

_GOOD = frozenset({"ok", "optimal", "good", "online", "normal"})
_UNREADABLE = frozenset({"unknown", "unkn", "unkwn", "not available"})
"""States of an enclosure that its controller cannot read."""
_BAD = frozenset({"failed", "fail", "failure", "fault", "critical", "unrecoverable", "noncritical", "non-critical"})
"""Bad values of a label or cell, whatever its name."""
# SES: Unsupported (0) is a part that reports no status
_ABSENT = frozenset(
    {"not installed", "not present", "absent", "off", "not monitored", "no device", "unsupported", "not supported"}
)
"""States of a part that is absent or not monitored."""
_OF_STATE = ("status", "state", "health")


def read_row(controller: ControllerDraft, row: Cells) -> None:
    """``252 OK        8  4  0    0   0    0   1 00 & 01 x8 SGPIO``."""
    name = f"Enclosure {row['eid'].value}"
    state = row["state"].value if "state" in row else ""
    if vocabulary.normalized(state) in _UNREADABLE:
        controller.add_problem(
            "warning", "unread", f"The state of {name.lower()} is unknown: {state!r}.", "Check the enclosure's cables."
        )
    elif vocabulary.has_value(state) and vocabulary.normalized(state) not in _GOOD:
        controller.add_problem(
            "warning", "state", f"{name} reports {state!r}.",
            "Check its power supplies, fans and temperature sensors (show all of the enclosure).",
        )  # fmt: skip
    keep_cells(controller, row, f"{name} ")


def read_section(controller: ControllerDraft, section: Section, name: str) -> None:
    """The sections of one enclosure (``/c0/e252 show all``)."""
    about = collapse(f"{name} {section.title}" if section.title not in name else name)
    for pair in section.pairs:
        controller.keep_detail(pair, f"{about} ")
        if _bad(pair):
            _report(controller, f"{about} reports: {collapse(f'{pair.label} {pair.value}')[:80]}.")
    for pair in section.texts:
        controller.keep_detail(pair, about)
    for number, row in enumerate(section.rows):
        for pair in row.values():
            controller.keep_detail(pair, f"{about} {number} ")
        if any(map(_bad, row.values())):
            printed = collapse(" ".join(pair.value for pair in row.values()))[:80]
            _report(controller, f"{about} reports: {printed}.")


def _bad(pair: Pair) -> bool:
    """Whether a value is bad. Of a status, so is each word that is neither good nor known to be harmless."""
    word = vocabulary.normalized(pair.value)
    if word in _BAD:
        return True
    is_state = vocabulary.normalized(pair.label).endswith(_OF_STATE)
    return is_state and vocabulary.has_value(word) and word not in _GOOD | _ABSENT


def _report(controller: ControllerDraft, message: str) -> None:
    controller.add_problem("warning", "state", message, "Check the enclosure's power supplies, fans and sensors.")
