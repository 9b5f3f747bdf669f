"""The generated parts of ``docs/export.md``, as text.

They are the table of metrics out of the code, and a plugin's line.
"""

from __future__ import annotations

from collections.abc import Sequence

from click.testing import CliRunner

from raidctl.audit.diagnosis import diagnose
from raidctl.cli import cli
from raidctl.output.metrics import Metric
from raidctl.output.metrics_table import INVENTORY, of_rules, of_scan
from tests.output.inventories import HEALTHY
from tests.support.machines import FIXTURES
from tests.support.pages import between

SHOWN = "areca-arc1210"


def export_page(page: str) -> str:
    """The page with what is generated between its marks."""
    return between(between(page, "the line", _line()), "the metrics", _tables())


def _line() -> str:
    words = ["diagnose", "--format", "nagios"]
    done = CliRunner().invoke(cli, ["--replay", str(FIXTURES / SHOWN), *words])
    return f"```\n$ raidctl --replay fixtures/{SHOWN} {' '.join(words)}\n{done.stdout.rstrip()}\n```"


def _tables() -> str:
    always, rules = _table([*INVENTORY, of_scan(0.0)]), _table(of_rules(diagnose(HEALTHY, ())))
    return f"{always}\n\nWith `--rules`, also:\n\n{rules}"


def _table(metrics: Sequence[Metric]) -> str:
    rows = [
        f"| `{one.name}` | {', '.join(f'`{name}`' for name in one.labels) or '-'} | {one.help} |" for one in metrics
    ]
    return "\n".join(["| metric | labels | meaning |", "|---|---|---|", *rows])
