"""Whatever the hardware's text contains, the answer of ``verify`` stays a screen."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from raidctl.bench.result import TrialResult
from raidctl.model import Inventory
from raidctl.output.console import MIN_WIDTH, Display
from raidctl.output.verify import screen
from raidctl.survey.survey import Survey
from raidctl.verify.judge import verify
from raidctl.verify.kernel import Kernel
from raidctl.verify.report import Verification
from raidctl.verify.subjects import CheckedMachine, whole
from raidctl.verify.wanted import claims
from tests.bench.bench_runs import session
from tests.output.hostile_texts import DISPLAYS, HOSTILE_TEXT, replaced, steers
from tests.output.inventories import DEGRADED, SOFTWARE
from tests.support.machines import replayed

GIVEN = {"raid_level": "raid6", "battery": True, "firmware": "1", "drives": 4, "media": "hdd", "power_safe": True}
KEPT = {"verdict", "claim", "source"}


@pytest.mark.slow
@settings(deadline=None)
@given(st.data(), st.sampled_from([DEGRADED, SOFTWARE]), DISPLAYS, st.booleans())
def test_no_text_of_hardware_breaks_or_steers_the_answer(
    data: st.DataObject, base: Inventory, display: Display, more: bool
) -> None:
    """No control or invisible character is printed.

    No line is too wide, and nothing fails, in UTF-8 and in ASCII.
    """
    known = CheckedMachine(Survey(base), Kernel())
    report = verify(known, claims(GIVEN), whole(known, drives=True)[0], (), ("a",))
    built = msgspec.to_builtins(report)
    answers = [
        {
            name: value if name in KEPT else replaced(value, name, lambda: data.draw(HOSTILE_TEXT))
            for name, value in one.items()
        }
        for one in ({**answer, "evidence": []} for answer in built["answers"])
    ]
    for answer, of in zip(answers, built["answers"], strict=True):
        answer["evidence"] = [
            {
                name: data.draw(HOSTILE_TEXT) if name in ("statement", "raw", "command") else value
                for name, value in one.items()
            }
            for one in of["evidence"]
        ]
    hostile = msgspec.convert({**built, "answers": answers}, Verification)
    printed = screen(hostile, known.inventory, display, more=more)
    assert steers(printed) == []
    assert max(cell_len(row) for row in printed.split("\n")) <= max(display.width, MIN_WIDTH)


def test_the_same_reason_of_two_volumes_is_printed_once() -> None:
    """The volumes are listed above the reason. With -v, each volume has its own answer."""
    inventory = replayed("smartarray-gen9-degraded").inventory
    known = CheckedMachine(Survey(inventory), Kernel())
    report = verify(known, claims({"checked_within": "10d"}), whole(known, drives=False)[0], (), ())
    volumes = [volume.id for controller in inventory.controllers for volume in controller.volumes]
    for more, times in ((False, 1), (True, len(volumes))):
        shown = screen(report, inventory, Display(), more=more)
        assert shown.count("consistency check is not reported") == times
        assert all(name in shown for name in volumes)


def test_a_failed_measurement_is_reported() -> None:
    """A test without a result shows its reason instead of the figure."""
    known = CheckedMachine(Survey(DEGRADED), Kernel())
    report = verify(known, claims(GIVEN), whole(known, drives=True)[0], (), ())
    why = "2 of 67 operations on /dev/sdb failed: Input/output error."
    failed = TrialResult(trial="medium", figures={}, verdict="inconclusive", reasons=(why,))
    run = session()
    measured = msgspec.structs.replace(report, session=session(results=(failed, *run.results)))
    printed = " ".join(screen(measured, DEGRADED, Display(width=80), more=False).split())
    assert f"no figure medium: {why}" in printed
    assert "no figure commits" not in printed
