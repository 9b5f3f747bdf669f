"""The tables of words for states, of all families: no word for trouble is good by mistake."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from typing import get_args

import pytest

from raidctl.model import Health, VolumeStatus
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.registry import vendors

STATES = {*get_args(Health), *get_args(VolumeStatus)}
GOOD = {
    # a word of the tool for "good"
    "ok", "okay", "good", "opt", "optl", "optimal", "normal", "healthy", "online", "onln", "ready", "enabled", "active",
    "working", "idle", "present", "created", "quick initialized", "initialized", "avail", "inuse",
    # what a drive is for, or that nothing uses it
    "available", "free", "unused", "assigned", "unassigned", "configured", "unconfigured", "unconfiguredgood",
    "unconfigured(good)", "uninitialized", "none", "spare", "hot spare", "hotspare", "global spare", "global hot spare",
    "globalspare", "globalhotspare", "dedicated spare", "dedicated hot spare", "dedicatedspare", "dedicatedhotspare",
    "pooled hot spare", "pool hot spare", "standby hot spare", "auto replace hot spare", "active hot spare", "standby",
    "sleep", "jbod", "raw", "hba", "system", "nonraid", "non-raid", "raw (pass through)", "pass through", "passthrough",
    "online (jbod)", "online (raw)", "exposed", "exposed to os",
    # work on a volume that keeps its redundancy
    "verifying", "verify-paused", "verify-pause", "checking", "initializing", "init-paused", "init-pause", "migrating",
    "migrate-paused", "migrate-pause", "dcb-data-check", "expanding", "transforming", "copyback",
    "parity initialization in progress", "queued for expansion", "queued for transformation",
    "has initializing logical device", "has transforming logical device", "has logical device undergoing expansion",
    "predictive spare rebuild ready", "predictivesparerebuildready", "unencryptedtoencryptedinprogress",
    "unencryptedtoencryptednotstarted", "newkeyrekeyinprogress", "newlogdrvkeyrekeyrequestreceived",
    # a cache without a use, an array in several parts, a drive without an alert
    "not configured", "logical devices not contiguous", "smartalertabsent",
}  # fmt: skip


def tables(vendor: Vendor) -> Iterator[tuple[str, Mapping[str, str | None]]]:
    """The family's tables from words to states, with their names."""
    package = importlib.import_module(f"raidctl_{vendor.FAMILY}")
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if found.name.endswith("__main__") or ".demos" in found.name:
            continue
        for name, table in vars(importlib.import_module(found.name)).items():
            if isinstance(table, dict) and all(isinstance(word, str) for word in table):
                states = {word: getattr(state, "status", state) for word, state in table.items()}
                if states and all(isinstance(one, str | None) and one in {*STATES, None} for one in states.values()):
                    yield f"{found.name}.{name}", states


@pytest.mark.parametrize("vendor", vendors()[0], ids=lambda vendor: vendor.FAMILY)
def test_only_words_that_were_looked_at_are_good(vendor: Vendor) -> None:
    """No table makes a word good that is not in the list above: a slip there would be a false OK."""
    for name, states in tables(vendor):
        words = {word for word, state in states.items() if state == "ok" and word.lower() not in GOOD}
        assert not words, f"{name}: if the tool means that these are good, add them to GOOD: {words}"


def test_the_list_has_no_word_that_no_table_has() -> None:
    """Each good word is in a table, so the tables are found, and the list stays short."""
    good = {
        word.lower()
        for vendor in vendors()[0]
        for _, states in tables(vendor)
        for word, state in states.items()
        if state == "ok"
    }
    assert good == GOOD
