"""``raidctl replace``: replace a member, or check whether it may be pulled."""

from __future__ import annotations

from datetime import datetime, timezone

import click
from msgspec.structs import replace

from raidctl.cli._replace_drive import (
    abandon_replacement,
    begin_replacement,
    list_replacements,
    resume_replacement,
)
from raidctl.cli._replace_facts import Wanted
from raidctl.cli.shared.machine import look, machine, print_tracebacks
from raidctl.cli.shared.options import Settings, examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options
from raidctl.cli.shared.terminal import emit_found
from raidctl.errors import EXIT_CANNOT_TELL, EXIT_FINE, EXIT_NO, UsageError
from raidctl.operate.boot_loader import Surroundings, nodes_of, read_surroundings
from raidctl.operate.contents import read_contents
from raidctl.operate.removal import check as judge
from raidctl.operate.removal_report import Removal
from raidctl.operate.removal_subject import Subject
from raidctl.request import converse
from raidctl.select import find_drive
from raidctl.vendor.registry import vendors
from raidctl.vendor.unreported import unreported

_CODES = {"yes": EXIT_FINE, "no": EXIT_NO, "unknown": EXIT_CANNOT_TELL}


@click.command(
    "replace",
    epilog=examples(
        "raidctl replace /dev/sdc --check", "raidctl --demo h730 replace 32:5 --check",
        "raidctl --host root@db7 replace bay:4 --check --json",
        "raidctl replace serial:ZC1A2B3C --with /dev/sdf", "raidctl --demo p440 replace 1I:1:2",
        "raidctl replace resume",
    ),
)  # fmt: skip
@click.argument("words", metavar="DRIVE | list | resume [ID] | abandon ID", nargs=-1, required=True)
@click.option("--check", is_flag=True, help="Answer whether the drive may be pulled; changes nothing.")
@click.option("--with", "successor", metavar="DRIVE", help="The drive that takes its place.")
@click.option("--now", is_flag=True, help="Take a good drive out without copying it first.")
@click.option("--no-wait", is_flag=True, help="Stop where a person or the hardware has to act; exit code 7.")
@click.option(
    "--confirm", metavar="SERIAL", help="Serial number of the drive that leaves, at least its last 6 characters."
)
@click.option("--wipe", metavar="SERIAL", help="Remove what is on the new drive with this serial number.")
@click.option("--boot", is_flag=True, help="At the end, install GRUB on the new drive, if the right tool is certain.")
@click.option("--rate", metavar="RATE", help="Rate of the rebuild while raidctl waits: 50M for md, 60 for controllers.")
@changing_options
@machine_options
@output_options
@click.pass_context
def command(
    context: click.Context, *, words: tuple[str, ...], check: bool, successor: str | None, now: bool, no_wait: bool,
    confirm: str | None, wipe: str | None, boot: bool, rate: str | None, consent: Consent,
) -> int:  # fmt: skip
    """Replace an array's drive, or check whether any drive may be pulled.

    With --check: YES, NO or UNKNOWN, for a drive of any controller. Shows bay and
    serial number of DRIVE, every reason, and what its volumes survive before and
    after. Changes nothing. DRIVE is an id as shown (megaraid:0/32:5, or 32:5 if
    that is unique), a device (/dev/sdc), a serial number, world wide name or bay
    (serial:ZC1A2B3C, wwn:5000c500a1b2c3d4, bay:4). For a member of a software
    array, the whole drive below it counts. A recording can be checked as well;
    its age is shown.

    YES means: no volume loses data, no rebuild is disturbed, and nothing else
    uses the drive. If a value needed to decide is not reported, the answer is
    UNKNOWN.

    Without --check, a drive of md arrays or behind a controller is replaced. With
    md, a good drive is copied to the one named by --with, or to a spare, while
    the arrays stay complete; otherwise it is taken out. Behind a controller, its
    tool takes the drive out, if it has to. Then raidctl names the drive to pull,
    checks the new one, lets it join (with md, with the same partitions) and waits
    for the rebuild. Every step is verified by reading the machine again. "replace
    list" shows what is open, "replace resume" continues it, also after a reboot,
    "replace abandon" gives it up. With --rate, the arrays rebuild at that rate
    while raidctl waits; the previous rate is restored at the end, however it
    ends.

    --yes is not enough: the serial number is asked for, or given by --confirm.

    Exit codes: 0 YES, or replaced; 1 NO, or refused; 2 wrong usage, or DRIVE
    matches none or several; 3 UNKNOWN; 4 DRIVE was not found and a tool or
    permission is missing; 5 failed and undone; 6 failed, and not undone or not
    confirmed; 7 under way: waits for a person or the hardware; 130 interrupted.
    """
    settings = settings_of(context)
    if rate is not None and no_wait:
        raise UsageError("--rate lasts while raidctl waits: leave out --no-wait.")
    wanted = Wanted(successor=successor, now=now, wait=not no_wait, confirm=confirm, wipe=wipe, boot=boot, rate=rate)
    return _dispatched(settings, words, wanted, consent, check=check)


def _dispatched(settings: Settings, words: tuple[str, ...], wanted: Wanted, consent: Consent, *, check: bool) -> int:
    """Dispatch on the words; return the exit code."""
    verb, rest = words[0], words[1:]
    if check and (verb in _VERBS or rest or wanted != Wanted()):
        raise UsageError("--check takes one DRIVE, and no option of a replacement.")
    if verb == "list" and not rest:
        return list_replacements(settings)
    if verb == "resume" and len(rest) < 2:
        return resume_replacement(settings, consent, rest[0] if rest else None, wanted)
    if verb == "abandon" and len(rest) == 1:
        return abandon_replacement(settings, consent, rest[0], wanted.confirm)
    if verb in _VERBS or rest:
        raise UsageError("Name one DRIVE, or: list, resume [ID], abandon ID.")
    if not check:
        return begin_replacement(settings, consent, verb, wanted)
    found = _judged(settings, verb)
    emit_found(found, settings, "replace.screen", more=settings.verbose)
    return _CODES[found.verdict]


def _judged(settings: Settings, word: str) -> Removal:
    """Judge the removal. On a live machine, also check the drive's first sector and the bays of its enclosures."""
    around = Surroundings(unreported=unreported(vendors()[0]))
    if settings.replay is not None:
        seen = look(settings)
        name = find_drive(seen.inventory, seen.view, word)
    else:
        with machine(settings) as named:
            seen = named.survey()
            name = find_drive(seen.inventory, seen.view, word)
            around = converse(read_surroundings(seen, nodes_of(seen, [name]), named.vendors), named.runner)
            subject = Subject(seen.inventory, seen.view, name, datetime.now(timezone.utc))
            around = replace(around, contents=converse(read_contents(subject.unproven), named.runner))
        if settings.verbose:
            print_tracebacks(seen)
    return judge(seen.inventory, seen.view, name, datetime.now(timezone.utc), around)


_VERBS = ("list", "resume", "abandon")
