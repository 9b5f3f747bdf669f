"""Large and odd outputs. ``tests/test_any_input.py`` has what holds of any input of any family."""

from __future__ import annotations

import raidctl_areca
from raidctl.vendor.protocol import Document, Observation
from tests.support.work import work
from tests.vendors.areca.areca_outputs import DISKS, END, RULE


def read(*texts: str) -> Observation:
    """The observation of some outputs."""
    return raidctl_areca.read([Document(f"text {n}", "info", text) for n, text in enumerate(texts)])


def test_areca_robust_growth_is_linear() -> None:
    """Work, counted in calls, grows about tenfold with ten times the drives."""

    def calls_for(count: int) -> int:
        head, _, _ = DISKS.partition("\n")
        rows = "".join(f"{n:>4} {n:>4}  ST3750330NS                     750.2GB  set {n % 9}\n" for n in range(count))
        text = f"{head}\n{RULE}{rows}{RULE}{END}"
        found, calls = work(lambda: read(text))
        assert len(found.controllers[0].drives) == count
        return calls

    assert calls_for(2000) < 11 * calls_for(200)
