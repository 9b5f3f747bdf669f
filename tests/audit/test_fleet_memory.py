"""Memory that an audit of many machines retains."""

from __future__ import annotations

import gc

import pytest

from raidctl.audit import builtin
from raidctl.audit.engine import Auditor
from tests.audit.policies import policy, recorded

RULES = """
raid_level = "raid6"
battery = "ok"

[[rule]]
for = "host"
require = { drives = { all = { status = "ok" } }, "volumes.drive_cache" = "disabled" }

[[rule]]
for = "array"
require = { "drives.model" = { same = true } }
"""


@pytest.mark.parametrize("every", [False, True], ids=["policy", "builtin"])
@pytest.mark.usefixtures("uncollected")
def test_an_inventory_is_freed_as_soon_as_it_is_audited(every: bool) -> None:
    """An audited inventory is in no cycle, and freed without garbage collection."""
    text = 'builtin = "all"\n' if every else RULES
    auditor = Auditor(policy(text, builtin=builtin.rules()))
    machine = recorded("smartarray-gen9-degraded")
    auditor.audit(machine, "first")  # imports and caches of the first run stay
    gc.collect()
    for _ in range(5):
        assert auditor.audit(machine, "again").checked
    assert gc.collect() == 0
