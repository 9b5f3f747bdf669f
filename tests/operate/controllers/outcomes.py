"""The outcomes of deeds on simulated controllers."""

from __future__ import annotations

from raidctl.change.engine import Change
from raidctl.errors import ChangeNotUndone, ChangeUndone
from tests.support.misbehaving_tools import Behaviour

OUTCOMES: dict[Behaviour, tuple[type[Exception] | None, bool]] = {
    "accepts": (None, False),
    "refuses": (ChangeUndone, False),
    "is not supported": (ChangeUndone, False),
    "refuses and changes": (None, True),
    "hangs after the change": (None, True),
    "accepts and does nothing": (ChangeNotUndone, True),
    "changes something else": (ChangeNotUndone, True),
    "hangs": (ChangeNotUndone, True),
    "another instance runs": (ChangeNotUndone, True),
    "another instance runs after the change": (ChangeNotUndone, True),
}


def applied(change: Change) -> Exception | None:
    """What a change ends with."""
    try:
        change.apply()
        change.finish()
    except (ChangeUndone, ChangeNotUndone) as error:
        return error
    return None
