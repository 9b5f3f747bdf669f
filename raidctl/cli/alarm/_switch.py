"""Switch an alarm through the change engine."""

from __future__ import annotations

from raidctl.cli.shared.apply_change import perform
from raidctl.cli.shared.change_targets import controllers, desired_settings
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.plan_change import Consent
from raidctl.errors import UsageError
from raidctl.model import Controller
from raidctl.survey.survey import Survey
from raidctl.text import printable


def switch(settings: Settings, consent: Consent, word: str, *, on: bool) -> int:
    """Plan, ask, switch and verify; return the exit code."""
    value = "enabled" if on else "disabled"
    return perform(settings, consent, lambda seen: desired_settings(controllers_for(seen, word), {"alarm": value}))


def controllers_for(seen: Survey, word: str) -> list[Controller]:
    """Return the RAID controllers that a word names.

    Raises:
        UsageError: It means none.
    """
    found = [one for one in controllers(seen, [word]) if one.mode not in ("software", "none")]
    if not found:
        raise UsageError(f'"{printable(word)}" is on no RAID controller: there is no alarm.')
    return found
