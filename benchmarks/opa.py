"""Open Policy Agent on the inventories of ``audit_scale.py``. It runs an equivalent policy (``opa_policy/``)."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from peers import Cost, run

POLICY = Path(__file__).with_name("opa_policy")
FEW, MANY = 100, 500


def seconds_each(lines: Sequence[bytes], failing: int, folder: Path) -> float | None:
    """Processor seconds for one inventory, without the start. None if opa is not installed.

    ``failing``: one inventory in this number fails, which is checked.
    """
    program = shutil.which("opa")
    if program is None:
        return None
    costs = []
    for count in (FEW, MANY):
        place = folder / str(count)
        place.mkdir()
        for number in range(count):
            (place / f"{number}.json").write_bytes(lines[number % len(lines)])
        argv = [program, "exec", "--decision", "site/deny", "--bundle", str(POLICY), str(place)]
        cost = run(argv, os.environ)
        _check(cost, count, -(-count // failing))
        shutil.rmtree(place)
        costs.append(cost.cpu)
    return (costs[1] - costs[0]) / (MANY - FEW)


def _check(cost: Cost, count: int, failing: int) -> None:
    results = json.loads(cost.out)["result"] if cost.out else []
    found = sum(bool(one.get("result")) for one in results)
    if len(results) != count or found != failing:
        sys.exit(f"opa found {found} of {len(results)} inventories failing, not {failing} of {count}.")
