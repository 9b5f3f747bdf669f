"""The deeds that arcconf can carry out, by generation of controllers. Each has how it was tested. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from raidctl.vendor.operations import Ability
from raidctl.vendor.plan import Verb

_BY_ITSELF = Ability(
    can=False,
    why_not="The controller starts its rebuilds automatically; arcconf has no command for it.",
    alternative="raidctl tasks --wait",
)
_NO_PAUSE = Ability(can=False, why_not="arcconf has no command that pauses a check.", alternative="raidctl check stop")
_PRINTED = "No manual that raidctl relies on shows the command, so raidctl does not run it."
_NEVER: Mapping[Verb, Ability] = {
    "replace": Ability(
        can=False, why_not="arcconf has no command that copies a member to another drive first.",
        alternative="raidctl replace DRIVE --now",
    ),
    "start_rebuild": _BY_ITSELF,
    "stop_rebuild": Ability(can=False, why_not="raidctl does not stop rebuilds of these controllers."),
    "pause_rebuild": Ability(can=False, why_not="arcconf has no command that pauses a rebuild."),
    "resume_rebuild": Ability(can=False, why_not="arcconf has no command that pauses a rebuild."),
    "pause_check": _NO_PAUSE,
    "resume_check": _NO_PAUSE,
    "offline": Ability(
        can=False, why_not="A member is marked as failed only when it is replaced.", alternative="raidctl replace DRIVE"
    ),
    "online": Ability(
        can=False, why_not="A failed member can return only by a rebuild.", alternative="raidctl drive good"
    ),
    "jbod": Ability(
        can=False, printed=True, why_not=_PRINTED, alternative="By hand: `arcconf UNINIT N C D`"
    ),
    "erase": Ability(
        can=False, printed=True, why_not=_PRINTED, alternative="By hand: `arcconf TASK START N DEVICE C D CLEAR`"
    ),
    "start_learn": Ability(can=False, why_not="The controller starts its learn cycles automatically."),
    "schedule_learn": Ability(can=False, why_not="The controller schedules its learn cycles automatically."),
}  # fmt: skip
_FROM_MANUAL = Ability(can=True, proof="manual")
"""An ability whose states before the command are those of recorded outputs. No controller's reply to these commands is
known."""
_AACRAID: Mapping[Verb, Ability] = dict.fromkeys(
    ("take_out", "add_member", "add_spare", "remove_spare", "good", "raid", "start_check", "repair", "stop_check"),
    _FROM_MANUAL,
)
_NO_TASKS = Ability(
    can=False,
    why_not="Controllers with the smartpqi driver check in the background; no manual has a command for one volume.",
)
_UNTRIED = Ability(can=True, proof="none")
_SMARTPQI: Mapping[Verb, Ability] = {
    **dict.fromkeys(("take_out", "add_member", "add_spare", "remove_spare"), _UNTRIED),
    "good": Ability(
        can=False, printed=True, alternative="By hand: `arcconf SETSTATE N DEVICE C D RDY`",
        why_not="The tool's help lists the command, but no known output shows its effect on these controllers.",
    ),
    "raid": Ability(can=False, why_not="raidctl does not change the use of HBA drives of these controllers."),
    **dict.fromkeys(("start_check", "repair", "stop_check"), _NO_TASKS),
}  # fmt: skip
NO_TOOL = "arcconf, or its number for the controller, is unknown."
NO_DRIVER = "The controller's driver is unknown: aacraid and smartpqi take other commands."


def abilities_of(newer: bool | None, *, known: bool) -> Mapping[Verb, Ability]:
    """What a generation can do.

    Args:
        newer: Whether it has the smartpqi driver; None: unknown.
        known: Whether the tool is installed and names the controller.
    """
    if not known:
        return dict.fromkeys((*_AACRAID, *_NEVER), Ability(can=False, why_not=NO_TOOL))
    if newer is None:
        return dict.fromkeys((*_AACRAID, *_NEVER), Ability(can=False, why_not=NO_DRIVER))
    return {**(_SMARTPQI if newer else _AACRAID), **_NEVER}
