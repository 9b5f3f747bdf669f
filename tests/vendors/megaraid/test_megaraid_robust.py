"""Any output gives an observation, never an exception."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidctl.request import Failure, RunAnswer
from raidctl.vendor.protocol import Document, Observation
from raidctl_megaraid import read
from tests.support.consistency import inconsistencies
from tests.vendors.megaraid.megaraid_scripted_tools import Script, answer, basics, bus, drive_row, printed, seen

words = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=30))
leaves = st.recursive(
    words,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=12), inner, max_size=4)),
)


def check(found: Observation) -> None:
    """Ids, references and facts fit together."""
    assert not list(inconsistencies(found.controllers, found.outputs))


@given(st.dictionaries(st.text(max_size=12), leaves, max_size=5), leaves)
@settings(max_examples=60, deadline=None)
def test_any_json_is_read(data: dict[str, Any], status: Any) -> None:
    """Random JSON as response data and command status is read."""
    controllers = [{"Command Status": {"Controller": 0, "Status": status}, "Response Data": data}, status]
    check(read([Document("x", "storcli", json.dumps({"Controllers": controllers}))]))


@pytest.mark.parametrize("value", ["9" * 400, "9" * 400 + " GB", "-1", "1e400", "\x1b[2J", "[bold]", "NaN", "{}"])
def test_absurd_values_are_reported_or_kept(value: str) -> None:
    """Absurd values in place of numbers are read."""
    data = basics()
    data["Status"]["BBU Status"] = data["HwCfg"]["On Board Memory Size"] = value
    data["PD LIST"] = [drive_row("252:0") | {"Size": value, "DID": value}, drive_row(value)]
    data["VD LIST"][0] |= {"DG/VD": f"{value}/{value}", "Size": value}
    check(read([Document("x", "storcli", printed(answer(data)))]))


@pytest.mark.parametrize("trouble", list(Failure))
@pytest.mark.parametrize("tool", ["storcli64", "storcli2", "MegaCli64"])
def test_every_failure_of_a_call_is_a_problem(trouble: Failure, tool: str) -> None:
    """Every failure of a call is a problem, for each tool."""

    class Failing(Script):
        """Replies to every call with the failure."""

        def carry_out(self, requests: Any) -> Any:
            found = super().carry_out(requests)
            return [RunAnswer(trouble=trouble) if isinstance(item, RunAnswer) else item for item in found]

    found = seen(Failing([tool]), bus("mpi3mr 1000:00a5" if tool == "storcli2" else "megaraid_sas 1000:005b"))
    assert found.controllers == ()
    assert found.problems != ()
