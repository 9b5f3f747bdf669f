"""Any output gives an observation, never an exception."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidctl.request import Failure, Run, RunAnswer
from raidctl.vendor.protocol import Document, Observation
from raidctl_megaraid import read, sniff
from tests.support.machines import MACHINES, recording
from tests.vendors.megaraid.megaraid_scripted_tools import Script, answer, basics, bus, drive_row, printed, seen

TEXTS = [
    (reply.out.decode(), "megacli" if "mega" in request.argv[0].lower().rsplit("/", 1)[-1] else "storcli")
    for machine in MACHINES
    if machine.startswith("megaraid-")
    for request, reply in recording(machine).answers()
    if isinstance(request, Run) and isinstance(reply, RunAnswer) and reply.out
]
kinds = st.sampled_from(["storcli", "megacli"])
words = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=30))
leaves = st.recursive(
    words,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=12), inner, max_size=4)),
)


def check(found: Observation) -> None:
    """Ids are unique, and every fact belongs to an existing object."""
    objects = [
        item.id
        for controller in found.controllers
        for group in ((controller,), controller.batteries, controller.arrays, controller.volumes, controller.drives)
        for item in group
    ]
    assert len(objects) == len(set(objects))
    assert {fact.object_id for output in found.outputs for fact in output.facts} <= set(objects)


@given(st.text(max_size=400), kinds)
@settings(max_examples=60, deadline=None)
def test_any_text_is_read_and_sniffed(text: str, kind: str) -> None:
    """Random text is read as either dialect."""
    sniff("x", text)
    check(read([Document("x", kind, text)]))


@given(st.dictionaries(st.text(max_size=12), leaves, max_size=5), leaves)
@settings(max_examples=60, deadline=None)
def test_any_json_is_read(data: dict[str, Any], status: Any) -> None:
    """Random JSON as response data and command status is read."""
    controllers = [{"Command Status": {"Controller": 0, "Status": status}, "Response Data": data}, status]
    check(read([Document("x", "storcli", json.dumps({"Controllers": controllers}))]))


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_damaged_outputs_are_read(data: st.DataObject) -> None:
    """Recorded outputs are read when cut off, doubled or mixed. Even the dialect may be the wrong one."""
    text, kind = data.draw(st.sampled_from(TEXTS))
    other, _ = data.draw(st.sampled_from(TEXTS))
    start, end = sorted(data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
    broken = data.draw(
        st.sampled_from([text[:end], text[start:], text + text, text[:start] + other[:end] + text[end:]])
    )
    check(read([Document("x", data.draw(st.sampled_from([kind, kind, "megacli", "storcli"])), broken)]))


@given(st.lists(st.sampled_from(TEXTS), min_size=2, max_size=4))
@settings(max_examples=30, deadline=None)
def test_any_mixture_of_outputs_is_read_together(texts: list[tuple[str, str]]) -> None:
    """Outputs of several machines and dialects are read together."""
    check(read([Document(f"{number}.txt", kind, text) for number, (text, kind) in enumerate(texts)]))


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
