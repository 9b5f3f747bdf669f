"""A model served over NBD in real time. Results depend on the host as well."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from raidctl.bench.targets.nbd import NbdTarget
from tests.bench.served_model import Model, prompt, serving


@contextmanager
def modelled(*words: str) -> Iterator[tuple[Model, NbdTarget]]:
    """Serve a model with these arguments. Yield it with its export as a writable target."""
    # a socket's path has 108 bytes, so pytest's own folders are too long
    with tempfile.TemporaryDirectory(prefix="trial-", dir="/tmp") as name, prompt():
        place = Path(name)
        with (
            serving(place, *words) as model,
            NbdTarget(f"nbd+unix:///?socket={os.fspath(model.socket)}", write=True) as target,
        ):
            yield model, target
