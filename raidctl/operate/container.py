"""Detect containers, in which the use of drives is invisible."""

from __future__ import annotations

from raidctl.request import Dialogue, Failure, Read, ask_all

_MARKS = ("/run/systemd/container", "/run/.containerenv", "/.dockerenv")
"""Files of systemd-nspawn and others, Podman, Docker."""
ABSENT = (Failure.MISSING, Failure.UNRECORDED)
"""Answers that show that a file is not there. Others leave it unknown."""
UNREAD = "could not be read"


def read_container() -> Dialogue[str | None]:
    """Return the file that shows that this is a container. None: it is not one.

    A file that may be there counts as well, with the remark :data:`UNREAD`.
    """
    found = yield from ask_all(Read(path) for path in _MARKS)
    marks = zip(_MARKS, found, strict=True)
    names = (path if answer.trouble is None else f"{path} {UNREAD}" for path, answer in marks
             if answer.trouble not in ABSENT)  # fmt: skip
    return next(names, None)
