"""The power-cut test with real power cuts. One drive honours flushes, the other ignores them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lab.guest import Guest
from tests.lab.machines_powercut import POWERCUT
from tests.lab.powercuts import Drill, Station

pytestmark = [pytest.mark.lab(minutes=1), pytest.mark.xdist_group("lab-powercut")]


def test_a_lying_drive_is_found_and_an_honest_one_passes(tmp_path: Path) -> None:
    """A lying drive is found, and an honest one passes.

    Both are cut at once, and recognised by their serial numbers in the next boot.
    """
    with (
        Station(tmp_path / "honest") as honest,
        Station(tmp_path / "liar") as liar,
        Guest(POWERCUT) as guest,
    ):
        drill = Drill(guest, honest, liar)
        drill.boot()
        drill.write("HONEST", honest)
        drill.write("LIAR", liar)
        drill.cut()
        drill.boot()
        code, kept = drill.check("HONEST", honest)
        [cut] = kept.cuts
        assert (cut.verdict, cut.how, kept.target.serial) == ("none", "plug", "HONEST")
        assert code == (0 if cut.counted else 3)  # a busy host may have paused the machine before the cut
        assert cut.lost + cut.torn == 0
        code, lost = drill.check("LIAR", liar)
        [cut] = lost.cuts
        assert (code, lost.verdict, lost.target.serial) == (1, "loss", "LIAR")
        assert cut.lost > 0
