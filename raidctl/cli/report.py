"""``raidctl report``: a report about a machine, on one page."""

from __future__ import annotations

import shlex
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import diagnose
from raidctl.cli.shared import files
from raidctl.cli.shared.checked_machine import checked_machine, redacted_machine
from raidctl.cli.shared.exit_codes import exit_code
from raidctl.cli.shared.option_types import or_standard_output
from raidctl.cli.shared.options import Settings, examples, machine_options, settings_of
from raidctl.cli.shared.snapshot_sources import NOW, Source, store_of
from raidctl.cli.shared.terminal import emit_bytes
from raidctl.drift.diff import diff
from raidctl.drift.report import Drift
from raidctl.errors import AccessMissing, UsageError
from raidctl.model import Inventory
from raidctl.output.report.contents import Material
from raidctl.output.report.size_limit import limited_report
from raidctl.verify import judge, wanted
from raidctl.verify.contract import Contract
from raidctl.verify.report import Verification
from raidctl.verify.subjects import CheckedMachine, whole

if TYPE_CHECKING:
    from raidctl.bench.record import Run

_EXTRA = (
    "HTML needs Jinja2 (Debian, Fedora: python3-jinja2): "
    f"{shlex.quote(sys.executable)} -m pip install 'raidctl[report]', or choose --format markdown, which needs nothing."
)


@click.command(
    "report",
    epilog=examples(
        "raidctl report --output db7.html", "raidctl report --contract offer.toml --output answer.html",
        "raidctl report --run 3 --run 4 --since last --output db7.html", "raidctl report --redact --format markdown",
    ),
)  # fmt: skip
@click.option(
    "--output",
    metavar="FILE",
    callback=or_standard_output,
    help="Write to FILE, atomically, instead of standard output.",
)
@click.option("--format", "form", type=click.Choice(["html", "markdown"]), default="html", help="HTML (default), or "
              "Markdown for tickets.")  # fmt: skip
@click.option("--contract", metavar="FILE", help="Answer all claims of a contract, and what to ask the provider for.")
@click.option("--since", metavar="SNAPSHOT", help='What has changed: a snapshot as for "raidctl diff", or a file.')
@click.option("--run", "words", metavar="RUN", multiple=True, help="A run of the benchmark; two: side by side.")
@click.option("--redact", is_flag=True, help="Mask serial numbers, WWNs and host names consistently.")
@machine_options
@click.pass_context
def command(
    context: click.Context, *, output: str | None, form: str, contract: str | None, since: str | None,
    words: tuple[str, ...], redact: bool,
) -> int:  # fmt: skip
    """Write a report about a machine, as HTML or Markdown.

    One file without scripts that loads nothing from elsewhere: whether the
    machine is what was promised and what is wrong with it first, then claims and
    findings with evidence, changes, measurements, the hardware, and the line of
    the tool's output behind each fact. With --contract FILE, it is the answer to
    the provider: what was promised, what is there, and what to ask for. If the
    machine could be read only in part, a note in the first line shows that.

    Exit codes: 0 written, everything could be read; 2 wrong usage; 3 written, but
    something could not be read; 4 written, but a tool or a permission is missing,
    or not written, because the extra for HTML is missing. With --contract, as for
    "raidctl verify": 1 if a claim fails or is suspect.
    """
    settings = settings_of(context)
    _refuse(settings, words, since, redact=redact)
    if form == "html" and find_spec("jinja2") is None:
        raise AccessMissing(_EXTRA)
    promise = _contract(contract)
    inputs = {} if contract is None else {contract: files.read(contract, contract, "a contract")}
    runs = _runs(settings, words)
    machine = redacted_machine(settings) if redact else checked_machine(settings, promise.targets if promise else ())
    material = Material(
        seen=machine.seen,
        diagnosis=diagnose(machine.inventory, rules()),
        verification=_verified(machine, promise),
        contract=promise,
        runs=runs,
        drift=None if since is None else _drift(settings, since, machine.inventory, inputs),
        files=inputs | _documents(runs),
        redacted=redact,
    )
    writer = import_module(f"raidctl.output.report.{form}")
    data = limited_report(material, writer.write, draw=form == "html" and find_spec("svg") is not None)
    if output is None:
        emit_bytes(data)
    else:
        files.write(output, data)
    return exit_code(machine.inventory.problems) if promise is None else judge.exit_code(material.verification)


def _refuse(settings: Settings, words: tuple[str, ...], since: str | None, *, redact: bool) -> None:
    """Refuse options that do not go together.

    Raises:
        UsageError: They are given.
    """
    settings.check()
    if settings.as_json:
        raise UsageError('A report is HTML or Markdown; its facts as JSON: "raidctl --json show", diagnose and verify.')
    if len(words) > 2:
        raise UsageError("At most two runs fit side by side: give --run once or twice.")
    if redact and (words or since):
        raise UsageError("--redact masks what the tools print now; leave out --run and --since, which would name it.")
    if since == NOW:
        raise UsageError("--since now compares the machine with itself; name a snapshot or a file.")


def _contract(file: str | None) -> Contract | None:
    if file is None:
        return None
    from raidctl.cli.shared.contracts import contract_of  # noqa: PLC0415 - only where there is one

    return contract_of(file)


def _verified(machine: CheckedMachine, contract: Contract | None) -> Verification:
    """Check the claims of the contract. Without one, check the standard claims of all volumes and drives."""
    if contract is not None:
        from raidctl.cli.shared.contracts import judged_by  # noqa: PLC0415 - only where there is one

        return judged_by(machine, contract)
    subjects, left_out = whole(machine, drives=True)
    return judge.verify(machine, wanted.DEFAULT, subjects, (), left_out)


def _runs(settings: Settings, words: tuple[str, ...]) -> tuple[Run, ...]:
    if not words:
        return ()
    from raidctl.cli import bench  # noqa: PLC0415 - only if runs are requested

    store = bench.store_of(settings)
    return tuple(bench.named(word, store) for word in words)


def _documents(runs: tuple[Run, ...]) -> dict[str, bytes]:
    from raidctl.output.json import to_json  # noqa: PLC0415 - only where there are runs

    return {run.name: to_json(run).encode() for run in runs}


def _drift(settings: Settings, word: str, inventory: Inventory, inputs: dict[str, bytes]) -> Drift:
    """Compare with a snapshot, whose checksum is added to the inputs."""
    from raidctl.output.json import to_json  # noqa: PLC0415 - only where it is asked for

    source = Source(settings, store_of(settings), inventory)
    name, before = source.take(word)
    inputs[name] = to_json(before).encode()
    return diff(before, inventory, names=(name, NOW))
