"""Trials on a served model: a bench over NBD, and measuring again where the host was too slow for a clock."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from raidctl.bench.engines.portable import PortableEngine
from raidctl.bench.targets.nbd import NbdTarget
from raidctl.bench.trials.trial import Bench
from tests.bench.modelled import Model, prompt, serving

T = TypeVar("T")
TRIES = 4


@contextmanager
def modelled(*words: str) -> Iterator[tuple[Model, NbdTarget]]:
    """A model with these words of its command line, and its export as a target that may be written."""
    # a socket's path has 108 bytes, so pytest's own folders are too long
    with tempfile.TemporaryDirectory(prefix="trial-", dir="/tmp") as name, prompt():
        place = Path(name)
        with (
            serving(place, *words) as model,
            NbdTarget(f"nbd+unix:///?socket={os.fspath(model.socket)}", write=True) as target,
        ):
            yield model, target


def in_time(model: Model, measure: Callable[[], T], complete: Callable[[T], bool] = lambda _: True) -> T:
    """Measure until the host was in time, and what is to be measured is; else the host is what would be judged."""
    for _ in range(TRIES):
        model.say("reset")
        result = measure()
        if complete(result) and not model.too_slow():
            return result
    return pytest.skip(f"the host is too slow: {model.say('status')['lateness']}")


def bench(target: NbdTarget, **given: Any) -> Bench:
    """A bench with the same places in every run."""
    return Bench(target=target, engine=PortableEngine(), **{"seed": 7, "run_id": 7, **given})
