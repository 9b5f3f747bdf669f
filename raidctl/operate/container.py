"""Whether raidctl runs in a container, from which the use of a host's drives cannot be seen."""

from __future__ import annotations

from raidctl.request import Dialogue, Read, ask_all

_MARKS = ("/run/systemd/container", "/run/.containerenv", "/.dockerenv")
"""Files of systemd-nspawn and others, Podman, Docker."""


def read_container() -> Dialogue[str | None]:
    """Return the file that shows that this is a container; None: none does."""
    found = yield from ask_all(Read(path) for path in _MARKS)
    return next((path for path, answer in zip(_MARKS, found, strict=True) if answer.trouble is None), None)
