"""``raidctl audit``: check machines against a policy; the exit code is the result."""

from __future__ import annotations

import os
import sys
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

import click

from raidctl.audit.engine import Tally, finish
from raidctl.audit.finding import Audited
from raidctl.audit.policy.sets import Policy, load
from raidctl.cli.shared.exit_codes import exit_code, print_problems
from raidctl.cli.shared.files import create
from raidctl.cli.shared.machine import look, with_own_records
from raidctl.cli.shared.options import (
    Settings,
    bmc_options,
    examples,
    hosts_option,
    machine_options,
    output_options,
    settings_of,
)
from raidctl.cli.shared.policies import policy_of
from raidctl.cli.shared.terminal import display, emit
from raidctl.cli.shared.waivers import waivers_option
from raidctl.errors import EXIT_USAGE, UsageError
from raidctl.json_decode import valid_text
from raidctl.model import Inventory, hiding_problems
from raidctl.output.audit_formats import FORMATS, Options, Writer, writer
from raidctl.text import counted, printable
from raidctl.toml_files.mistakes import MistakesError

_MAX_LEFT_OUT = 20
"""Inventories left out that are listed by name on standard error."""


@click.command(
    "audit",
    epilog=examples(
        "raidctl audit --init site.toml", "raidctl audit site.toml", "raidctl --host db1 audit site.toml",
        "raidctl audit site.toml inventories/", "cat *.jsonl | raidctl audit site.toml -",
        "raidctl audit --builtin --json",
    ),
)  # fmt: skip
@click.argument("policy", required=False)
@click.argument("path", nargs=-1)
@click.option("--builtin", "all_builtin", is_flag=True, help="Check all built-in rules, too.")
@click.option("--init", is_flag=True, help="Write a policy that describes this machine.")
@click.option("--format", "form", type=click.Choice(list(FORMATS)), help="Output format (table).")
@click.option("--details", is_flag=True, help="With many machines: list the problems of each (also -v).")
@click.option("--passed", is_flag=True, help="List passed checks, too.")
@click.option(
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    help="Number of processes (one per core); with --hosts: hosts at a time (16).",
)
@waivers_option
@machine_options
@bmc_options
@hosts_option
@output_options
@click.pass_context
def command(
    context: click.Context, *, policy: str | None, path: tuple[str, ...], all_builtin: bool, init: bool,
    form: str | None, details: bool, passed: bool, waivers: str | None, jobs: int | None,
) -> int:  # fmt: skip
    """Check machines against a policy.

    POLICY is a TOML file (docs/policy.md); --init writes an initial policy to
    POLICY or standard output, with the healthy value of each state, and lists on
    standard error what this machine does not meet. Without a PATH, checks this
    machine, those of --hosts, or that of --host, --replay, --demo. PATH is what
    was collected: inventories of "raidctl --json show", one in a .json file or
    one per line in a .jsonl file; recordings; a directory of these; - for lines
    on standard input. With --builtin, POLICY is optional: a first argument that
    does not end in .toml is a PATH.

    A value that no tool reports is UNKNOWN, never a PASS. A rule that selects
    nothing is reported.

    Exit codes: 0 all checks pass; 1 one fails; 2 an invalid policy, or wrong
    usage; 3 none fails, but one is unknown, or a rule selects nothing; 4 the
    same, because a tool or a permission is missing. With --format nagios: 0 OK,
    1 WARNING, 2 CRITICAL, 3 UNKNOWN. With --init: 0 written; 3 something could
    not be read; 4 a tool or a permission is missing (what could be read is
    written).
    """
    settings = settings_of(context)
    if all_builtin and policy and not policy.endswith(".toml"):
        path, policy = (policy, *path), None
    if init:
        _refuse_beside_init(settings, builtin=all_builtin, format=form, details=details, passed=passed, jobs=jobs,
                             waivers=waivers)  # fmt: skip
        return _init(None if policy == "-" else policy, path, settings)
    settings.refuse_second_format(form)
    if policy is None and not all_builtin:
        raise click.UsageError('Missing argument "POLICY": "raidctl audit --init site.toml" writes an initial one.')
    try:
        rules = policy_of(policy, waivers, every=all_builtin)
    except MistakesError as error:
        return _print_mistakes(error, form)
    form = form or ("json" if settings.as_json else "table")
    passed = passed or form == "junit"  # one result per rule and object, including those that pass
    return _audit(rules, path, settings, form, details=details, passed=passed, jobs=jobs)


def _audit(
    rules: Policy, paths: Sequence[str], settings: Settings, form: str, *, details: bool, passed: bool,
    jobs: int | None,
) -> int:  # fmt: skip
    """Audit what the options name and print the results. Return the exit code."""
    alone, far = False, None
    jobs, settings.jobs = jobs or settings.jobs, None
    found: Found
    if settings.hosts is not None:
        from raidctl.cli._audit_hosts import RemoteAudit  # noqa: PLC0415 - only where there are many

        if paths:
            raise click.UsageError("--hosts and a PATH cannot be used together: give one of them.")
        far = RemoteAudit(settings, jobs)
        found = far.audited(rules, keep=passed)
    elif settings.limit is not None:
        raise click.UsageError("--limit needs --hosts.")
    else:
        alone, found = _found(rules, paths, settings, passed=passed, everything=form != "table", jobs=jobs)
    options = Options(
        valid_text(rules.name), display(), alone, details=details or settings.verbose, passed=passed,
        builtin=frozenset(rules.every()[1]),
    )  # fmt: skip
    code = _write(writer(form, options), rules, found, alone=alone)
    return code if far is None or form == "nagios" else far.exit_code(code)


def _print_mistakes(error: MistakesError, form: str | None) -> int:
    """Print all mistakes of the policy. Nagios has room for only one, and exit code 2 is CRITICAL there."""
    count = len(error.faults)
    mistakes = counted(count, "mistake")
    if form == "nagios":
        first = f"{mistakes}, the first:" if count > 1 else f"{mistakes}:"
        raise UsageError(f"The policy has {first} {error.faults[0]}") from error
    for fault in error.faults:
        click.echo(str(fault), err=True)
    click.echo(f"raidctl: {mistakes} in the policy; nothing was audited.", err=True)
    return EXIT_USAGE


Found = Iterable[tuple[Tally, Iterable[Audited]]]


def _found(
    rules: Policy, paths: Sequence[str], settings: Settings, *, passed: bool, everything: bool, jobs: int | None
) -> tuple[bool, Found]:
    """Return whether there is a single machine, and each machine's results."""
    if paths:
        from raidctl.cli.shared.inventory_paths import check_paths  # noqa: PLC0415 - as above
        from raidctl.fleet.audit_piece import PieceAuditor  # noqa: PLC0415 - as above
        from raidctl.fleet.newest import audit_newest  # noqa: PLC0415 - as above
        from raidctl.fleet.process_pool import cores, results  # noqa: PLC0415 - only where there are many
        from raidctl.fleet.rereadable_input import rewinding  # noqa: PLC0415 - only where standard input is read
        from raidctl.fleet.sources import Piece, is_single, pieces  # noqa: PLC0415 - as above

        for name in ("host", "bmc", "replay", "demo", "sudo"):
            if name in settings.given:
                raise click.UsageError(f"{settings.given[name]} and a PATH cannot be used together: give one of them.")
        check_paths(paths)
        alone = is_single(list(paths))
        stdin = rewinding(sys.stdin.buffer) if "-" in paths else lambda: sys.stdin.buffer

        def every() -> Iterator[Piece]:
            return pieces(paths, stdin())

        def work(older: Container[str]) -> PieceAuditor:
            return PieceAuditor(rules, keep=passed, alone=alone, everything=everything, older=older)

        if alone:
            return alone, ((result.tally, result.hosts) for result in results(every(), work(()), 1))
        return alone, audit_newest(every, work, jobs or cores(), _report_left_out)
    from raidctl.audit.engine import Auditor  # noqa: PLC0415 - only where there is one

    auditor = Auditor(rules, keep=passed, alone=True)
    inventory = _read_inventory(settings)
    audited = auditor.audit(inventory, inventory.host.source)
    return True, [(auditor.take(), [audited])]


def _report_left_out(older: Mapping[str, tuple[str, str]]) -> None:
    """List on standard error the inventories that were left out."""
    for number, (source, (host, newest)) in enumerate(older.items()):
        if number == _MAX_LEFT_OUT:
            click.echo(f"raidctl: {len(older) - number} more of other hosts, or of these.", err=True)
            return
        text = f"raidctl: {host} occurs more than once: {newest} is the newest and is used; {source} is left out."
        click.echo(printable(text), err=True)


def _read_inventory(settings: Settings) -> Inventory:
    return with_own_records(look(settings), settings).inventory


def _write(out: Writer, rules: Policy, found: Found, *, alone: bool) -> int:
    """Print results as they come. Spool to disk what is needed again."""
    from raidctl.fleet.spool import Spool  # noqa: PLC0415 - not needed for --init

    tally = Tally()
    with Spool() as spool:
        _emit(out.begin())
        for counted, hosts in found:
            tally.add(counted)
            for audited in hosts:
                if out.again:
                    spool.put(audited)
                _emit(out.host(audited))
        summary = finish(rules, tally, alone=alone)
        for text in out.end(summary, spool.again):
            _emit(text)
    return out.exit_code(summary)


def _emit(text: str) -> None:
    if text:
        emit(text)


def _refuse_beside_init(settings: Settings, **given: object) -> None:
    """Refuse options about findings: ``--init`` writes a policy and reports none.

    Raises:
        click.UsageError: Something is given.
    """
    if settings.as_json:
        raise click.UsageError("--init writes a policy, which is TOML: omit --json.")
    for name, value in given.items():
        if value:
            raise click.UsageError(f"--init writes a policy and audits nothing: --{name} cannot be used with it.")


def _init(target: str | None, paths: Sequence[str], settings: Settings) -> int:
    from raidctl.audit.baseline import baseline  # noqa: PLC0415 - only where it is asked for

    if paths or settings.hosts is not None:
        raise click.UsageError("--init reads one machine: this one, or that of --host, --replay, --demo.")
    if target is not None and os.path.lexists(target):
        raise UsageError(f"{printable(target)} already exists; --init does not overwrite it.")
    inventory = _read_inventory(settings)
    text = baseline(inventory)
    if target is None:
        emit(text)
    else:
        create(target, text)
        click.echo(f"{printable(target)} describes what this machine must be; review it.", err=True)
    _report_unmet(text, inventory)
    problems = hiding_problems(inventory.problems)
    print_problems(problems)
    return exit_code(problems)


def _report_unmet(text: str, inventory: Inventory) -> None:
    """Print on standard error where a machine misses its own policy. The policy was written from the machine."""
    from raidctl.audit.engine import Auditor  # noqa: PLC0415 - as above

    policy = load("baseline", lambda _: text.encode("utf-8"), ())
    audited = Auditor(policy, alone=True).audit(inventory, inventory.host.source)
    unmet = [one for one in audited.findings if one.outcome == "fail"]
    if unmet:
        click.echo("raidctl: The healthy values were written. This machine does not meet them now:", err=True)
    for one in unmet:
        click.echo(f"  {printable(one.where)}: {printable(one.message)}", err=True)
