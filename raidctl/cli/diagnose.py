"""``raidctl diagnose``: find what makes storage slow or unsafe. It applies the built-in rules, without a policy."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import click
from msgspec import structs

from raidctl.audit.builtin import HEALTH, manual, named, rules
from raidctl.audit.diagnosis import LACKING, Diagnosis, alarms, around, diagnosed, exit_code, findings_of
from raidctl.audit.finding import Finding
from raidctl.audit.ignored import Entry, as_file, waivers_of, with_new
from raidctl.audit.policy.waivers import Waiver
from raidctl.audit.rule import Rule
from raidctl.audit.waiving import EXPIRED, expired
from raidctl.cli.shared import waivers
from raidctl.cli.shared.machine import Machine, look, with_own_records
from raidctl.cli.shared.options import (
    Settings,
    bmc_options,
    examples,
    hosts_options,
    machine_options,
    output_options,
    settings_of,
)
from raidctl.cli.shared.terminal import display, emit, emit_found, emit_json
from raidctl.errors import UsageError
from raidctl.health.narrowed import members_on, named_objects, with_unlisted
from raidctl.health.unknown_states import doubt
from raidctl.model import Inventory, hides
from raidctl.select import find, items, narrow
from raidctl.survey.survey import Survey
from raidctl.text import listing, printable


@click.command(
    "diagnose",
    epilog=examples(
        "raidctl diagnose", "raidctl diagnose /srv/db", "raidctl diagnose --rule battery_failed --json",
        "raidctl diagnose --explain write_policy_not_in_force",
    ),
)  # fmt: skip
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option(
    "--rule",
    "wanted",
    metavar="RULE",
    multiple=True,
    help="Check only this rule; may be repeated. What could not be read is still reported.",
)
@click.option("--list", "listed", is_flag=True, help="List the rules.")
@click.option("--explain", metavar="RULE", help="Print the manual page of a rule.")
@click.option("--format", "form", type=click.Choice(["table", "json", "nagios"]), help="Output format (table).")
@click.option("--health-only", is_flag=True, help="Check only the state of the hardware, not settings and design.")
@click.option(
    "--ignore", metavar="RULE[=OBJECT]", multiple=True, help="Suppress a finding; needs --until and --because."
)
@click.option("--until", metavar="DATE", help="Last day of --ignore: 2027-01-31.")
@click.option("--because", metavar="TEXT", help="Reason for --ignore, shown with the finding.")
@click.option("--ignore-file", metavar="FILE", help="File of ignored findings (ignored.json in --state-dir).")
@waivers.waivers_option
@machine_options
@bmc_options
@hosts_options
@output_options
@click.pass_context
def command(
    context: click.Context, /, *, ids: tuple[str, ...], wanted: tuple[str, ...], listed: bool, explain: str | None,
    form: str | None, health_only: bool, **ignoring: Any,
) -> int:  # fmt: skip
    """Find what makes storage slow or unsafe, with evidence and remedy.

    Needs no policy: checks the machine against raidctl's built-in rules and
    lists the findings, the worst first, then what could not be checked. An ID,
    a device or a mount point limits this to that object and what it depends on
    (its controller, battery and drives). With --hosts, one line per host, the
    worst first.

    --ignore RULE[=OBJECT] --until DATE --because TEXT suppresses a current
    finding up to and including that day. It is still listed, but does not count,
    unless it gets worse. Findings of the rule on other objects count. --waivers
    FILE is for several machines and objects at once. An expired waiver or
    --ignore is a finding (waiver_expired), as for audit and watch.

    Exit codes: 0 no problem, or only information; 1 a critical finding or a
    warning; 2 wrong usage; 3 no finding, but something important is unknown;
    4 the same, because a tool or a permission is missing. With --format nagios:
    0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN.
    """
    settings = settings_of(context)
    settings.refuse_second_format(form)
    settings.as_json = settings.as_json or form == "json"
    if form == "nagios" and (listed or explain is not None):
        raise click.UsageError("--list and --explain have no --format nagios.")
    if sum((bool(wanted or ids), listed, explain is not None)) > 1:
        raise click.UsageError("--list and --explain read no machine: use them alone.")
    if listed or explain is not None:
        settings.refuse_machine("diagnose --list" if listed else "diagnose --explain")
        pages = [(rule, manual(rule)) for rule in rules()] if explain is None else [_explained(explain)]
        _manual(pages, settings, whole=explain is not None)
        return 0
    if len({bool(ignoring[name]) for name in ("ignore", "until", "because")}) > 1:
        raise click.UsageError("--ignore, --until and --because go together: what, how long, and why.")
    ignoring["written"] = waivers.written(ignoring.pop("waivers"))
    chosen = [_rule(name) for name in wanted] or rules()
    if health_only:
        chosen = [rule for rule in chosen if rule.name in HEALTH]
    if settings.several():
        if form == "nagios" or ignoring["ignore"]:
            raise click.UsageError("--ignore and --format nagios are about one machine: use --host.")
        return _many(settings, ids, chosen, ignoring)
    return _diagnose(settings, ids, chosen, form, ignoring)


def _many(settings: Settings, ids: Sequence[str], chosen: Sequence[Rule], ignoring: dict[str, Any]) -> int:
    """Print one line per host."""
    from raidctl.cli.shared import many_hosts  # noqa: PLC0415 - only where there are many
    from raidctl.fleet.report import Rank  # noqa: PLC0415 - as above

    reported: set[Finding] = set()
    answered = False

    def line(_: object, seen: Survey) -> many_hosts.Line:
        nonlocal answered
        found = _found(settings, seen, ids, chosen, ignoring)
        answered = True
        reported.update(one for one in found.findings if one.rule == EXPIRED)
        texts = alarms(found)
        unknown = tuple(f"{one.where}: {one.message}" for one in found.unknown if one.severity != "info")
        every = (*texts, *unknown)
        rank = {"critical": Rank.CRITICAL, "warning": Rank.WARNING}.get(str(found.worst) if texts else "", Rank.FINE)
        rank = Rank.UNKNOWN if rank == Rank.FINE and found.verdict != "fine" else rank
        state = {Rank.CRITICAL: "critical", Rank.WARNING: "warning", Rank.UNKNOWN: "unknown"}.get(rank, "ok")
        count = f"{found.passed} of {found.checked} checks passed{_doubt_clause(_shown(seen, ids))}"
        return many_hosts.Line(
            exit_code(found), rank, state, every[0] if every else count, found.host, every[1:], found
        )

    def left() -> list[Finding]:
        """Return the expired waivers that cover nothing on any host. Of one host alone, ``_found`` has them."""
        if ids or len(chosen) < len(rules()) or not answered:
            return []
        over = [expired(one) for one in ignoring["written"] if one.until < waivers.today()]
        return [one for one in over if one not in reported]

    return many_hosts.run(settings, "diagnose", Machine.survey, line, findings=left)


def _shown(seen: Survey, ids: Sequence[str]) -> Inventory:
    """Return the objects diagnosed: all, or those with these ids and carriers."""
    return named_objects(seen.inventory, seen.view, ids) if ids else seen.inventory


def _doubt_clause(inventory: Inventory) -> str:
    return f", but {unknown}" if (unknown := doubt(inventory)) else ""


def _found(
    settings: Settings, seen: Survey, ids: Sequence[str], chosen: Sequence[Rule], ignoring: dict[str, Any]
) -> Diagnosis:
    """Return the diagnosis of a machine, without what is ignored."""
    inventory = with_unlisted(seen.inventory, seen.view, ids)
    ignored: tuple[Waiver, ...] = ()
    if not (ignoring["ignore"] or ignoring["ignore_file"]):
        inventory, ignored = waivers.with_saved_waivers(settings, inventory)
    scope = None
    if ids:
        kept = narrow(inventory, find(inventory, seen.view, ids))
        own = {item.id for controller in kept.controllers for item in items(controller)}
        # a member of a software array is the drive or volume that it is on, under another name
        scope = around(inventory, own) | members_on(inventory, own)
    every = [*findings_of(inventory, chosen, scope), *_hiding(inventory, chosen, scope)]
    aside = (*_waivers(settings, every, inventory.host.hostname, **ignoring), *ignored)
    alone = scope is None and settings.hosts is None and len(chosen) == len(rules())
    return diagnosed(inventory, every, aside, waivers.today(), alone=alone)


def _hiding(inventory: Inventory, chosen: Sequence[Rule], scope: Collection[str] | None) -> list[Finding]:
    """Return the findings about what may hide objects from the chosen rules. Of all rules, these are part."""
    left = [rule for rule in rules() if rule.name in ("not_read", *LACKING) and rule not in chosen]
    hidden = structs.replace(inventory, problems=tuple(filter(hides, inventory.problems)))
    return [one for one in findings_of(hidden, left, scope) if one.outcome != "pass"]


def _diagnose(
    settings: Settings, ids: Sequence[str], chosen: Sequence[Rule], form: str | None, ignoring: dict[str, Any]
) -> int:
    seen = with_own_records(look(settings), settings)
    found = _found(settings, seen, ids, chosen, ignoring)
    if form == "nagios":
        from raidctl.output.nagios import of_diagnosis  # noqa: PLC0415 - only where it is asked for

        text, status = of_diagnosis(found, doubt(_shown(seen, ids)))
        emit(text)
        return status
    emit_found(found, settings, "diagnose.screen", _shown(seen, ids), more=settings.verbose)
    return exit_code(found)


def _waivers(
    settings: Settings, found: Sequence[Finding], host: str | None, *, written: tuple[Waiver, ...],
    ignore: Sequence[str], until: str | None, because: str | None, ignore_file: str | None,
) -> tuple[Waiver, ...]:  # fmt: skip
    """Return the waivers of ``--waivers``, and of the ignore file if an option names it or adds to it."""
    from raidctl.cli.shared import files  # noqa: PLC0415 - rarely needed
    from raidctl.cli.shared.state_directories import state_directory  # noqa: PLC0415 - as above

    if not (ignore or ignore_file):
        return written
    if host is None and not ignore_file:
        # in the common file, an entry without a host name would cover the same id on every such machine
        raise click.UsageError("The machine's name is unknown: keep what is ignored in a file (--ignore-file FILE).")
    path = Path(ignore_file) if ignore_file else waivers.ignore_file(settings)
    entries: Sequence[Entry] = ()
    if path.exists() or (ignore_file and not ignore):
        entries = waivers.entries(path, own=not ignore_file)
    if ignore:
        entries = with_new(
            entries, ignore, found, host=host, until=until or "", reason=because or "", today=waivers.today()
        )
        if not ignore_file:
            state_directory(settings)
        files.write(str(path), as_file(entries))
    return (*written, *waivers_of(entries, host, str(path)))


def _explained(name: str) -> tuple[Rule, str]:
    """Return a rule, or another possible result of diagnose, and its page.

    Raises:
        UsageError: There is none; the message names the nearest.
    """
    from raidctl.cli._diagnose_results import names, other_result  # noqa: PLC0415 - only where it is asked for

    if (found := other_result(name)) is not None:
        return found
    rule = _rule(name, names())
    return rule, manual(rule)


def _rule(name: str, others: Sequence[str] = ()) -> Rule:
    """Return the rule of this name; ``others``: further names to suggest.

    Raises:
        UsageError: There is none; the message names the nearest.
    """
    rule = named(name)
    if rule is None:
        known = [*(one.name for one in rules()), *others]
        near = difflib.get_close_matches(name.replace("-", "_").lower(), known, 3, 0.4)
        hint = f"; did you mean {listing(near, 'or')}?" if near else "."
        raise UsageError(f'There is no rule "{printable(name)}"{hint} "raidctl diagnose --list" lists them.')
    return rule


def _manual(pages: Sequence[tuple[Rule, str]], settings: Settings, *, whole: bool) -> None:
    if settings.as_json:
        emit_json(
            [
                {"rule": rule.name, "severity": rule.severity, "title": rule.title, "manual": page}
                for rule, page in pages
            ]
        )
        return
    from raidctl.output.diagnose import page as page_of  # noqa: PLC0415 - as above
    from raidctl.output.diagnose import table_of_rules  # noqa: PLC0415 - as above

    emit(page_of(*pages[0], display()) if whole else table_of_rules([rule for rule, _ in pages], display()))
