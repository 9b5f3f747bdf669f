"""Rubbish in every file and output is reported and crashes nothing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidctl.host import BlockDevice, HostView
from raidctl.layers import family
from raidctl.layers.build import stack
from raidctl.layers.model import Statistics
from raidctl.layers.probe import ARRAY, BCACHE, PAGE, STATUS, TABLE, probe_caches
from raidctl.layers.scope import scope
from raidctl.layers.stats import sample, statistics
from raidctl.model import Controller, Drive, Host, Inventory
from raidctl.output.console import Display
from raidctl.output.layers import stack_screen
from raidctl.output.layers_limits import limits_screen
from raidctl.output.layers_stats import stats_screen
from raidctl.request import Failure, converse
from tests.layers.written import VM, runner

VIEW = HostView(
    blocks=(
        BlockDevice("dm-0", "/dev/dm-0", "dm", dm_name="w", slaves=("bcache0",)),
        BlockDevice("bcache0", "/dev/bcache0", "other", slaves=("md0",)),
        BlockDevice("md0", "/dev/md0", "md", slaves=("sda",)),
        BlockDevice("sda", "/dev/sda", "disk"),
    )
)
PLAIN = Controller(id="plain", mode="none", drives=(Drive(id="plain:1", device="/dev/sda", media="hdd"),))
INVENTORY = Inventory(host=Host(), controllers=(PLAIN,))
BLOCK = "/sys/class/block"
PATHS = (
    *VM,
    *(f"{BLOCK}/bcache0/bcache/{name}" for name in BCACHE),
    *(f"{BLOCK}/md0/md/{name}" for name in ARRAY),
    f"{BLOCK}/sda/stat",
    f"{BLOCK}/sda/device/raid_bypass_cnt",
)
WORDS = st.one_of(
    st.text(max_size=40),
    st.sampled_from(["0", "17", "9" * 30, "-1", "1.2M", "[writeback]", "dirty", "[\x1b[31m]", "1 " * 17, "\x00"]),
)
ANSWERS = st.dictionaries(
    st.sampled_from(PATHS), st.one_of(WORDS, st.sampled_from(list(Failure))), min_size=len(PATHS) // 2
)
LINES = st.one_of(
    st.text(max_size=80),
    st.lists(WORDS, max_size=20).map(lambda words: f"w: 0 8 writecache {' '.join(words)}\n"),
    st.lists(WORDS, max_size=20).map(lambda words: f"w: 0 8 cache {' '.join(words)}\n"),
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(ANSWERS, LINES, LINES, WORDS)
def test_rubbish_from_the_kernel_is_no_crash(
    files: dict[str, str | Failure], table: str, status: str, page: str
) -> None:
    """Layers, figures, screens and plans are made from any input, without control characters."""
    there = {**files, f"{BLOCK}/bcache0/bcache/state": files.get(f"{BLOCK}/bcache0/bcache/state", "dirty\n")}
    machine = runner(there, {TABLE.argv: (0, table, ""), STATUS.argv: (0, status, ""), PAGE.argv: (0, page, "")})
    below = scope(VIEW, INVENTORY, None)
    kernel = converse(probe_caches(VIEW), machine)
    shown = stack(below, VIEW, kernel, INVENTORY, ())
    taken = converse(sample(VIEW, below, kernel), machine)
    figures = Statistics(
        host=Host(), at="now", layers=tuple(statistics(below, VIEW, taken, taken, 1.0)), problems=tuple(taken.problems)
    )
    for screen in (
        stack_screen(shown, Display(), more=True),
        limits_screen(shown, Display()),
        stats_screen(figures, Display(), more=True),
    ):
        assert "\x1b" not in screen
        assert "\x00" not in screen
    assert converse(family.observe(VIEW), machine).controllers
