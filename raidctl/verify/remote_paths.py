"""Paths on another machine as targets. That machine resolves their links. Does no I/O."""

from __future__ import annotations

import os
from collections.abc import Sequence

from raidctl.request import Dialogue, Run, ask_all


def resolve_paths(words: Sequence[str]) -> Dialogue[dict[str, str | None]]:
    """Return the real path of each path among some targets.

    None: there is no such file or directory, or it cannot be accessed. A path about which nothing is known is left
    out. Devices are left out, too: the inventory has their links.
    """
    paths = [word for word in dict.fromkeys(words) if word.startswith("/") and not word.startswith("/dev/")]
    there = yield from ask_all([Run(("test", "-e", path)) for path in paths])
    real = yield from ask_all([Run(("readlink", "-f", path)) for path in paths])
    found: dict[str, str | None] = {}
    for path, exists, place in zip(paths, there, real, strict=True):
        text = place.text.removesuffix("\n")
        if exists.trouble is None and exists.code == 1:
            found[path] = None
        elif exists.fine and place.fine and text.startswith("/"):
            found[path] = os.path.normpath(text)
    return found
