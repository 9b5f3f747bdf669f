"""Battery conditions, unlisted units and tool errors as problems with a remedy."""

from __future__ import annotations

import re
from collections.abc import Iterable

from raidctl.model import Battery, Controller, Problem
from raidctl.text import counted, regex
from raidctl.vendor.identity import controller_number
from raidctl.vendor.tools import NO_CONTROLLER
from raidctl_threeware import vocabulary

_CONDITIONS = {
    "Volt": "voltage", "Battery Voltage": "voltage", "Temp": "temperature", "Battery Temperature": "temperature"
}  # fmt: skip
_COUNT = regex(r"\d{1,5}", re.ASCII)


def reports(controller: Controller, listed: int) -> Iterable[Problem]:
    """Report a battery's readiness, voltage and temperature, and units not listed.

    ``listed``: the units that are listed in another state than ``OK`` and ``VERIFYING``.
    """
    for battery in controller.batteries:
        if battery.status == "ok" and not vocabulary.ready(battery):
            yield _state(
                battery.id, "The battery is OK, but not ready.", "Wait until it is ready: `tw_cli /cX/bbu show all`."
            )
        yield from _conditions(battery)
    # NotOpt: units in any status but OK and VERIFYING
    counts = [controller.details.get(label, "") for label in ("NotOpt", "Not Optimal Units")]
    not_optimal = max((int(count) for count in counts if _COUNT.fullmatch(count)), default=0)
    if not_optimal > listed:
        shown = f"only {listed} {'is' if listed == 1 else 'are'}" if listed else "none is"
        yield _state(
            controller.id,
            f"{counted(not_optimal, 'unit')} not optimal, but {shown} listed.",
            f"List the units: `tw_cli /c{controller_number(controller) or 'X'} show`.",
        )


def _conditions(battery: Battery) -> Iterable[Problem]:
    """Report a battery's voltage and temperature unless they are OK.

    The word is HIGH, LOW, TOO-HIGH, TOO-LOW, or one that no manual has.
    """
    for label, what in _CONDITIONS.items():
        state = battery.details.get(label, "")
        if state.upper() in vocabulary.UNREADABLE and battery.status != "missing":
            message = f"The battery's {what} is unknown: {state}."
            yield Problem("warning", battery.id, message, "Check the battery.", "unread")
        elif vocabulary.has_value(state) and not state[:1].isdigit() and state.upper() not in vocabulary.QUIET:
            yield _state(battery.id, f"Battery {what}: {state}.", "Check the battery and the airflow.")


def error_problem(text: str, where: str, *, root: bool | None = None) -> Problem:
    """An error of the tool: ``Error: (CLI:003) Specified controller does not exist.``."""
    if re.match(r"no (?:3ware )?controller", text, re.IGNORECASE):
        if root is False:
            return Problem(
                severity="error", kind="no_right", where=where, message="The tool sees no controller without root.",
                remedy="Run raidctl as root (sudo).",
            )  # fmt: skip
        return Problem(
            severity="info", kind="note", where=where, message=NO_CONTROLLER,
            remedy="If there is one: run as root, and load its driver (3w-xxxx, 3w-9xxx, 3w-sas).",
        )  # fmt: skip
    if re.search(r"permission|root|privilege|administrator", text, re.IGNORECASE):
        return Problem(
            severity="error", kind="no_right", where=where, message=f"The tool requires root: {text[:400]}",
            remedy="Run raidctl as root (sudo).",
        )  # fmt: skip
    return Problem(
        severity="error", kind="unread", where=where, message=f"The tool reports: {text[:400]}",
        remedy="Run the command by hand.",
    )  # fmt: skip


def _state(where: str, message: str, remedy: str) -> Problem:
    return Problem(severity="warning", kind="state", where=where, message=message, remedy=remedy)
