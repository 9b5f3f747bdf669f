"""``raidctl schema``: the JSON Schema of the --json output."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from raidctl.cli.shared.options import examples, output_options, settings_of
from raidctl.cli.shared.terminal import emit_json
from raidctl.output.json import schema

DOCUMENTS = (
    "inventory",
    "change",
    "journal",
    "cache",
    "flush",
    "stats",
    "verify",
    "bench",
    "powercut",
    "compare",
    "audit",
    "diagnose",
    "export",
    "diff",
    "snapshot",
    "history",
    "doctor",
    "tasks",
    "rates",
    "events",
    "alarms",
    "silence",
    "replace",
    "checks",
    "schedules",
    "spares",
    "foreign",
    "preserved",
    "battery",
    "patrol",
    "self-tests",
    "locate",
    "layout",
    "layout-plan",
    "hosts",
    "watch",
    "watch-live",
    "rows-drives",
    "rows-volumes",
    "rows-batteries",
    "rows-caches",
    "rows-findings",
    "rows-bench",
)
"""Documents that --json prints and that have a schema."""


_KINDS = {
    "inventory": ("Inventory", "raidctl.model", "Inventory", False),
    "change": ("Change", "raidctl.vendor.plan", "Outcome", False),
    "journal": ("Journal", "raidctl.change.journal", "JournaledChange", True),
    "cache": ("Caches", "raidctl.layers.model", "Stack", False),
    "flush": ("Flush of the caches", "raidctl.layers.model", "FlushReport", False),
    "stats": ("Statistics of the caches", "raidctl.layers.model", "Statistics", False),
    "verify": ("Verification", "raidctl.verify.report", "Verification", False),
    "bench": ("Benchmark run", "raidctl.bench.record", "Run", False),
    "powercut": ("Power-cut run", "raidctl.bench.powercut.report", "PowerCutRun", False),
    "compare": ("Comparison of two runs", "raidctl.bench.compare", "Comparison", False),
    "audit": ("Audit", "raidctl.audit.report", "Report", False),
    "diagnose": ("Diagnosis", "raidctl.audit.diagnosis", "Diagnosis", False),
    "export": ("Export", "raidctl.output.metrics", "Export", False),
    "diff": ("Drift", "raidctl.drift.report", "Drift", False),
    "snapshot": ("Snapshot", "raidctl.snapshots.store", "SavedSnapshot", False),
    "history": ("History of a value", "raidctl.drift.value", "History", False),
    "doctor": ("Checkup", "raidctl.survey.doctor", "DoctorReport", False),
    "tasks": ("Tasks", "raidctl.tasks.report", "TaskReport", False),
    "rates": ("Rates", "raidctl.tasks.rates", "RateReport", False),
    "events": ("Events", "raidctl.events.report", "EventReport", False),
    "alarms": ("Alarms", "raidctl.operate.alarms", "AlarmReport", False),
    "silence": ("Silencing of an alarm", "raidctl.operate.alarms", "Silenced", False),
    "checks": ("Checks of volumes", "raidctl.operate.checks", "VolumeCheck", True),
    "schedules": ("Schedules of checks", "raidctl.vendor.checks", "Schedules", False),
    "replace": ("Check of a drive's removal", "raidctl.operate.removal_report", "Removal", False),
    "spares": ("Spares of arrays", "raidctl.operate.spares", "ArraySpares", True),
    "foreign": ("Foreign configurations", "raidctl.operate.hardware_reports", "ForeignReport", False),
    "preserved": ("Preserved cache", "raidctl.operate.hardware_reports", "PreservedReport", False),
    "battery": ("Batteries", "raidctl.operate.hardware_reports", "BatteryReport", False),
    "patrol": ("Patrol reads", "raidctl.operate.hardware_reports", "PatrolReport", False),
    "self-tests": ("Self-tests of drives", "raidctl.vendor.self_tests", "SelfTest", True),
    "locate": ("Locate LEDs", "raidctl.locate.report", "LocateReport", False),
    "layout": ("Comparison with a layout", "raidctl.layout.compare", "Comparison", False),
    "layout-plan": ("Steps to a layout", "raidctl.layout.plan", "LayoutPlan", False),
    "hosts": ("Results of many hosts", "raidctl.fleet.report", "HostsReport", False),
    "rows-drives": ("Row of a drive", "raidctl.rows.tables", "DriveRow", False),
    "rows-volumes": ("Row of a volume", "raidctl.rows.tables", "VolumeRow", False),
    "rows-batteries": ("Row of a battery", "raidctl.rows.tables", "BatteryRow", False),
    "rows-caches": ("Row of a cache", "raidctl.rows.tables", "CacheRow", False),
    "rows-findings": ("Row of a finding", "raidctl.rows.tables", "FindingRow", False),
    "rows-bench": ("Row of a benchmark figure", "raidctl.rows.tables", "BenchRow", False),
    "watch": ("Run of watch", "raidctl.watch.report", "WatchReport", False),
    "watch-live": ("Change that watch has seen", "raidctl.watch.live_report", "LiveChange", False),
}
"""Title, module and type of each document. The last value is whether it is a list of these."""


@click.command("schema", epilog=examples("raidctl schema", "raidctl schema change"))
@click.argument("name", type=click.Choice(DOCUMENTS), default="inventory", metavar="[NAME]")
@output_options
@click.pass_context
def command(context: click.Context, *, name: str) -> int:
    """Print the JSON Schema of the --json output.

    NAME is the output whose schema is printed (JSON Schema 2020-12). Fields may
    be added; none changes its meaning without a new schema_version.

    \b
    inventory    show (default)
    change       every command that changes something: cache set, split, drive
                 and threshold, rate, batch, spare, replace, check, check
                 schedule set, layout apply, alarm on and off, drive, rebuild,
                 foreign, preserved discard, battery learn, patrol
    cache        cache show; cache threshold without an option
    flush        cache flush
    stats        cache stats
    rates        rate without an option
    replace      replace --check
    checks       check show
    schedules    check schedule show
    self-tests   check media
    spares       spare show
    foreign      foreign show, foreign preview
    preserved    preserved show
    battery      battery show, battery schedule
    patrol       patrol show
    alarms       alarm show
    silence      alarm silence
    layout       layout check
    layout-plan  layout plan
    bench        bench run, bench show
    compare      bench compare
    powercut     bench powercut
    hosts        --hosts with show, diagnose, snapshot, diff, record, doctor
    watch        watch --once
    watch-live   one line of watch without --once
    rows-TABLE   one line of export --rows TABLE

    For the others, NAME is the command: journal, verify, audit, diagnose, export,
    diff, snapshot, history, doctor, tasks, events, locate.
    """  # noqa: D301 - \b is click's: the paragraph is not wrapped
    settings_of(context).refuse_machine("schema")
    title, kind = _kind(name)
    emit_json(schema(title, kind))
    return 0


def _kind(document: str) -> tuple[str, Any]:
    """Return title and type; the type's module is imported only if requested."""
    title, module, name, several = _KINDS[document]
    kind: Any = getattr(import_module(module), name)
    return title, list.__class_getitem__(kind) if several else kind
