"""Command lines of `layout apply` on a simulated machine."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from raidctl.request import Request, Run
from tests.support.failing import answer_instead

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"

MIRROR = str(EXAMPLES / "mirror.toml")

WIPE = ("--wipe", "ZC1B10Q9")

Raidctl = Callable[..., Result]


def code_of(raidctl: Raidctl) -> str:
    """The code that a dry run prints."""
    found = re.search(
        r"Code of this plan: ([0-9a-f]{8})", raidctl("layout", "apply", MIRROR, *WIPE, "--dry-run").stdout
    )
    assert found is not None
    return found[1]


def cut_off(raidctl: Raidctl, words: tuple[str, ...], at: int) -> None:
    """Run a command in a process that ends without a trace. It ends right before one of its changes of the machine."""
    child = os.fork()
    if child == 0:
        counts = iter(range(1000))

        def killed(request: Request[Any]) -> None:
            if isinstance(request, Run) and request.changes and next(counts) == at:
                os._exit(1)

        answer_instead(pytest.MonkeyPatch(), killed)  # of this process, which ends
        try:
            raidctl(*words)
        finally:
            os._exit(0)
    os.waitpid(child, 0)
