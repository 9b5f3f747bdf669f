"""``raidctl schema``."""

from __future__ import annotations

from typing import Any

import click

from raidctl.cli.shared.options import examples, output_options, settings_of
from raidctl.cli.shared.terminal import emit_json
from raidctl.output.json import schema

ANSWERS = (
    "inventory",
    "change",
    "journal",
    "cache",
    "flush",
    "stats",
    "verify",
    "bench",
    "compare",
    "audit",
    "diagnose",
    "export",
    "diff",
    "snapshot",
    "history",
    "doctor",
    "tasks",
    "replace",
    "checks",
    "schedules",
    "spares",
    "self-tests",
    "locate",
)
"""What can be printed with --json and has a schema."""


@click.command("schema", epilog=examples("raidctl schema", "raidctl schema change"))
@click.argument("answer", type=click.Choice(ANSWERS), default="inventory")
@output_options
@click.pass_context
def command(context: click.Context, *, answer: str) -> int:
    """Print the JSON Schema of the --json output.

    "inventory" is the output of "raidctl --json show" (JSON Schema 2020-12):
    names may be added; they do not change their meaning without a new
    schema_version. "change" is for cache set, split, drive, threshold, batch,
    spare add and remove, check start, stop, pause and resume; "cache" for cache
    show, and for threshold without an option; "flush" and "stats" for cache flush and cache stats; "checks" for
    check show, "schedules" for check schedule show, "self-tests" for check media,
    "spares" for spare show; "bench" for bench run and bench show, "compare" for
    bench compare; the others for the command of that name.
    """
    settings_of(context).refuse_machine("schema")
    title, kind = _kind(answer)
    emit_json(schema(title, kind))
    return 0


def _kind(answer: str) -> tuple[str, Any]:
    """A title and the type."""
    from raidctl.audit.diagnosis import Diagnosis  # noqa: PLC0415 - only what is asked for is imported
    from raidctl.audit.report import Report  # noqa: PLC0415 - as above
    from raidctl.bench.compare import Comparison  # noqa: PLC0415 - as above
    from raidctl.bench.record import Run  # noqa: PLC0415 - as above
    from raidctl.change.journal import Story  # noqa: PLC0415 - as above
    from raidctl.drift.report import Drift  # noqa: PLC0415 - as above
    from raidctl.drift.value import History  # noqa: PLC0415 - as above
    from raidctl.layers.model import FlushReport, Stack, Statistics  # noqa: PLC0415 - as above
    from raidctl.locate.report import LocateReport  # noqa: PLC0415 - as above
    from raidctl.model import Inventory  # noqa: PLC0415 - as above
    from raidctl.operate.checks import VolumeCheck  # noqa: PLC0415 - as above
    from raidctl.operate.removal_report import Removal  # noqa: PLC0415 - as above
    from raidctl.operate.spares import ArraySpares  # noqa: PLC0415 - as above
    from raidctl.output.metrics import Export  # noqa: PLC0415 - as above
    from raidctl.snapshots.store import Kept  # noqa: PLC0415 - as above
    from raidctl.survey.doctor import DoctorReport  # noqa: PLC0415 - as above
    from raidctl.tasks.report import TaskReport  # noqa: PLC0415 - as above
    from raidctl.vendor.checks import Schedules  # noqa: PLC0415 - as above
    from raidctl.vendor.plan import Outcome  # noqa: PLC0415 - as above
    from raidctl.vendor.self_tests import SelfTest  # noqa: PLC0415 - as above
    from raidctl.verify.report import Verification  # noqa: PLC0415 - as above

    kinds: dict[str, tuple[str, Any]] = {
        "inventory": ("Inventory", Inventory),
        "change": ("Change", Outcome),
        "journal": ("Journal", list[Story]),
        "cache": ("Caches", Stack),
        "flush": ("Flush of the caches", FlushReport),
        "stats": ("Statistics of the caches", Statistics),
        "verify": ("Verification", Verification),
        "bench": ("Benchmark run", Run),
        "compare": ("Comparison of two runs", Comparison),
        "audit": ("Audit", Report),
        "diagnose": ("Diagnosis", Diagnosis),
        "export": ("Export", Export),
        "diff": ("Drift", Drift),
        "snapshot": ("Snapshot", Kept),
        "history": ("History of a value", History),
        "doctor": ("Checkup", DoctorReport),
        "tasks": ("Tasks", TaskReport),
        "checks": ("Checks of volumes", list[VolumeCheck]),
        "schedules": ("Schedules of checks", Schedules),
        "replace": ("Check of a drive's removal", Removal),
        "spares": ("Spares of arrays", list[ArraySpares]),
        "self-tests": ("Self-tests of drives", list[SelfTest]),
        "locate": ("Locate LEDs", LocateReport),
    }
    return kinds[answer]
