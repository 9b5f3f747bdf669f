"""``raidctl check schedule set``: switch a schedule of checks, or change its times."""

from __future__ import annotations

from collections.abc import Sequence

import click

from raidctl.cli.shared.apply_change import perform
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options
from raidctl.errors import CannotTell, UsageError
from raidctl.model import Controller, Problem, Volume
from raidctl.survey.survey import Survey
from raidctl.text import listing, printable
from raidctl.vendor.checks import checks_of, schedule_families
from raidctl.vendor.plan import Desired
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.registry import vendors

_DISTRIBUTION = "distribution"


@click.command(
    "set",
    epilog=examples(
        "raidctl check schedule set --on", "raidctl check schedule set mdcheck_start.timer --times 'Sun *-*-1..7 02:00'"
    ),
)
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--on/--off", "on", default=None, help="Switch it on or off.")
@click.option("--times", metavar="TIMES", help="When it starts, in the syntax of systemd or cron; or: distribution.")
@changing_options
@machine_options
@output_options
@click.pass_context
def command(
    context: click.Context, *, names: tuple[str, ...], on: bool | None, times: str | None, consent: Consent
) -> int:
    """Switch a schedule of checks on or off, or change its times.

    NAME is the name of a timer, or the file of a cron job, as "check schedule
    show" lists it; if there is only one, it can be omitted. raidctl edits the
    schedule of the distribution and never adds another one. A timer is switched
    with systemctl; its times are set in a drop-in below /etc/systemd/system,
    which "--times distribution" removes. A cron job is switched with its
    variable, AUTOCHECK in /etc/default/mdadm or ENABLED in
    /etc/sysconfig/raid-check; its times are the five fields of its line.

    Exit codes: as for "cache set".
    """
    settings = settings_of(context)
    if on is None and times is None:
        raise click.UsageError("Give --on, --off or --times.")
    found, _ = vendors()
    calendars = [times] if times is not None and times != _DISTRIBUTION else []
    return perform(
        settings, consent, lambda seen: _desired(seen, found, names, on=on, times=times),
        schedule_families(found, calendars),
    )  # fmt: skip


def _desired(
    seen: Survey, found: Sequence[Vendor], names: Sequence[str], *, on: bool | None, times: str | None
) -> list[Desired]:
    """Return the desired settings of the named schedules."""
    families = {family.FAMILY for family in schedule_families(found)}
    pseudo = [one for one in seen.inventory.controllers if one.id in families]
    wanted: list[Desired] = []
    unread = [one for one in seen.inventory.problems if one.where in families]
    for volume in _schedules_named(
        pseudo, names, unread
    ):  # times first: a schedule is never enabled with unwanted times
        if times == _DISTRIBUTION:
            wanted.append(Desired(object_id=volume.id, setting="schedule_drop_in", value="absent"))
        elif times is not None:
            value = _times(volume, times, pseudo, found)
            wanted.append(Desired(object_id=volume.id, setting="schedule_times", value=value))
        if on is not None:
            value = "enabled" if on else "disabled"
            wanted.append(Desired(object_id=volume.id, setting="schedule_enabled", value=value))
    return wanted


def _schedules_named(pseudo: Sequence[Controller], names: Sequence[str], unread: Sequence[Problem]) -> list[Volume]:
    """Return the schedules with these names; without names, the only one.

    Raises:
        UsageError: There is none, or several and no name.
        CannotTell: It may be one of those that could not be read.
    """
    known = {volume.details["name"]: volume for controller in pseudo for volume in controller.volumes}
    wrong = [name for name in names if name not in known]
    if unread and (wrong or not names):
        raise CannotTell(f"Nothing was changed. {unread[0].message}")
    listed = listing(sorted(known), "or")
    if wrong or not known:
        none = f'There is no schedule "{printable(wrong[0])}"' if wrong else "No schedule of checks was found"
        raise UsageError(f"{none}; there is {listed}." if known else f"{none}.")
    if not names and len(known) > 1:
        raise UsageError(f"There are several schedules; name one: {listed}.")
    return [known[name] for name in dict.fromkeys(names or known)]


def _times(volume: Volume, times: str, pseudo: Sequence[Controller], found: Sequence[Vendor]) -> str:
    """Return the times in the syntax of systemd or cron.

    Raises:
        UsageError: They are invalid.
    """
    name = volume.details["name"]
    if name.endswith(".timer"):
        form = next((one.details[times] for one in pseudo if times in one.details), None)
        hint = "see man systemd.time, or systemd-analyze calendar"
    else:
        offered = [checks_of(vendor) for vendor in found if hasattr(vendor, "__path__")]
        form = next((text for one in offered if one is not None and (text := one.cron_times(times))), None)
        hint = "write the five fields of cron: minute, hour, day of the month, month, day of the week"
    if form is None:
        raise UsageError(f'"{printable(times)}" are not times for {name}; {hint}.')
    return form
