"""The reader of dmsetup's output."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidctl.layers import dm
from raidctl.layers.estimate import parse
from raidctl.layers.sysfs_values import human, number
from raidctl.text import chosen


def one(table: str, status: str) -> dm.CacheState:
    """The only caching mapping of two outputs."""
    found, strange = dm.mappings(table, status)
    assert strange == 0
    [target] = found.values()
    return dm.read(target)


def test_a_writecache_has_its_blocks_in_bytes() -> None:
    """The status counts blocks of the size that the table names. Blocks that are not free are not written yet."""
    read = one(
        "fast: 0 204800 writecache s 253:1 253:2 4096 4 high_watermark 70 low_watermark 30\n",
        "fast: 0 204800 writecache 0 1000 600 0 50 20 300 10 90 5 200 0 7 0\n",
    )
    assert (read.size_bytes, read.used_bytes, read.unwritten_bytes) == (4096000, 1638400, 1638400)
    assert read.options == {"high_watermark": 70, "low_watermark": 30}
    assert read.counters["read hits"] == 20


def test_a_writecache_of_an_old_kernel_has_four_figures() -> None:
    """The sizes are read even without statistics."""
    read = one("w: 0 8 writecache p 8:1 8:2 512 0\n", "w: 0 8 writecache 0 10 10 0\n")
    assert (read.size_bytes, read.unwritten_bytes, dict(read.counters)) == (5120, 0, {})


def test_a_cache_has_mode_policy_and_dirty_blocks() -> None:
    """Counting the features finds the core arguments and policy behind them."""
    read = one(
        "m: 0 99 cache 253:4 253:3 253:5 128 2 metadata2 writeback smq 0\n",
        "m: 0 99 cache 8 27/8192 128 191/1600 139 1 352 15 0 191 3 2 metadata2 writeback "
        "2 migration_threshold 2048 smq 0 rw - \n",
    )
    assert (read.mode, read.policy, read.unwritten_bytes) == ("writeback", "smq", 3 * 65536)
    assert read.size_bytes == 1600 * 65536
    assert read.options == {"migration_threshold": 2048}
    assert read.fault is None


@pytest.mark.parametrize(
    ("status", "fault"),
    [
        ("m: 0 99 cache Fail\n", "Fail"),
        ("m: 0 99 cache 8 1/2 128 1/2 0 0 0 0 0 0 0 1 writeback 0 smq 0 ro needs_check\n", "check"),
        ("m: 0 99 cache 8 1/2 128 1/2 0 0 0 0 0 0 0 1 writeback 0 smq 0 ro -\n", "read-only"),
    ],
)
def test_a_failed_cache_is_a_fault(status: str, fault: str) -> None:
    """A failed target is a fault, never an empty cache."""
    assert fault in (one("m: 0 99 cache 8:1 8:2 8:3 128 1 writeback smq 0\n", status).fault or "")


def test_mappings_that_are_no_caches_are_left_out() -> None:
    """Linear, crypt and empty devices are not layers. A line in no known form is counted."""
    text = "vg0-a: 0 8 linear 8:1 0\nluks: 0 8 crypt aes :32:logon:x 0 8:2 0\nempty:\nwhat is this\n"
    assert dm.mappings(text, "No devices found\n") == ({}, 1)


@given(st.text(max_size=300), st.text(max_size=300))
def test_no_text_of_dmsetup_is_a_crash(table: str, status: str) -> None:
    """Any output is read, counted, or refused."""
    for kind in ("writecache", "cache"):
        found, _ = dm.mappings(f"x: 0 8 {kind} {table}\n{table}", f"x: 0 8 {kind} {status}\n{status}")
        for target in found.values():
            with contextlib.suppress(ValueError):
                dm.read(target)


@given(st.lists(st.one_of(st.integers(0, 10**25).map(str), st.sampled_from(["-1", "x", "1/2", "smq"])), max_size=30))
def test_no_figures_of_a_status_are_a_crash(words: list[str]) -> None:
    """Figures in any number, of any size."""
    for kind in ("writecache", "cache"):
        target = dm.Target(kind, tuple(words), tuple(words))
        with contextlib.suppress(ValueError):
            dm.read(target)


@given(st.text())
def test_rubbish_in_sysfs_is_a_value_error(text: str) -> None:
    """Every reader of a file gives a value or a ValueError."""
    for reader in (number, human, chosen, parse):
        with contextlib.suppress(ValueError):
            reader(text)


def test_sizes_of_bcache_are_binary() -> None:
    """1.2M are 1.2 MiB, 0 has no unit."""
    assert (human("1.2M\n"), human("512.0k"), human("0\n")) == (1258291, 524288, 0)


def test_a_name_of_lvm_is_decoded() -> None:
    """Doubled hyphens are those within a name."""
    assert dm.lvm_name("vg--one-srv--db") == "vg-one/srv-db"
