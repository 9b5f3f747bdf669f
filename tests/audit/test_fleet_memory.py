"""What an audit of very many machines holds on to."""

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
def test_an_inventory_is_let_go_as_soon_as_it_is_audited(every: bool) -> None:
    """No circle keeps it, with all that belongs to it, until Python looks for garbage, which costs more than rules."""
    text = 'builtin = "all"\n' if every else RULES
    auditor = Auditor(policy(text, builtin=builtin.rules()))
    machine = recorded("smartarray-gen9-degraded")
    auditor.audit(machine, "first")  # what is imported and remembered at the first time stays
    gc.collect()
    for _ in range(5):
        assert auditor.audit(machine, "again").checked
    assert gc.collect() == 0
