"""The first round of requests: whether the machine has any md array."""

from __future__ import annotations

from typing import Any, NamedTuple

from raidctl.request import Dialogue, Failure, Glob, GlobAnswer, Read, ReadAnswer, Request, Which, WhichAnswer

MDSTAT = "/proc/mdstat"
PLACES = ("/sbin/mdadm", "/usr/sbin/mdadm")


class First(NamedTuple):
    """What the first round of requests gave."""

    tool: WhichAnswer
    mdstat: ReadAnswer
    arrays: GlobAnswer
    members: GlobAnswer

    @property
    def nothing(self) -> bool:
        """True if /proc/mdstat is missing and sysfs has no array."""
        return self.mdstat.trouble is Failure.MISSING and not self.arrays.paths


def first_round() -> Dialogue[First]:
    """Read the table of arrays and their directories, and look for mdadm."""
    questions: tuple[Request[Any], ...] = (
        Which("mdadm", PLACES),
        Read(MDSTAT),
        Glob("/sys/block/md*/md/array_state"),
        Glob("/sys/block/md*/md/dev-*/state"),
    )
    tool, mdstat, arrays, members = yield questions
    return First(tool, mdstat, arrays, members)
