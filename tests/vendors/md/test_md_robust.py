"""Large and odd outputs. ``tests/test_any_input.py`` has what holds of any input of any family."""

from __future__ import annotations

import raidctl_md as md
from raidctl.evidence import Output
from raidctl.vendor.protocol import Document
from tests.support.work import work
from tests.vendors.md.md_outputs import DETAIL, read, volume


def test_md_robust_escapes() -> None:
    """Markup and escape codes in a name are kept as text."""
    assert volume(DETAIL.replace("plum:seven", "[red]\x1b[31mplum")).name == "[red]\x1b[31mplum"


def test_md_robust_growth_is_linear() -> None:
    """Ten times the members take ten times the work, counted in calls."""

    def calls_for(count: int) -> int:
        rows = "".join(f"   {n:5}     8   {n:5}    {n:5}      active sync   /dev/sd{n}\n" for n in range(count))
        text = DETAIL + rows
        found, calls = work(lambda: md.read([Document("x", "md", text)]))
        assert len(found.controllers[0].drives) == count + 5
        return calls

    assert calls_for(2000) < 11 * calls_for(200)


def test_md_robust_a_thousand_arrays() -> None:
    """A thousand arrays in one listing are read with separate ids."""
    text = "".join(f"md{n} : active raid1 sda{n}[0] sdb{n}[1]\n      99 blocks [2/2] [UU]\n\n" for n in range(1000))
    found = md.read([Document("x", "md", text)])
    assert len({volume.id for volume in found.controllers[0].volumes}) == 1000
    assert isinstance(found.outputs[0], Output)


def test_md_robust_many_descriptions_of_one_array_are_a_contradiction() -> None:
    """Too many different descriptions to compare each pair are reported, not ignored."""
    one = "/dev/md0:\n     Raid Devices : {0}\n          UUID : {0:032x}\n"
    text = "".join(map(one.format, range(150)))
    assert any("more than 100 descriptions" in problem.message for problem in read(text).problems)
