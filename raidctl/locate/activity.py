"""Read a drive in bursts, so that its activity LED flashes. Pure.

Only reads, past the page cache, from a drive that the operating system sees.
"""

from __future__ import annotations

import re

from raidctl.locate.targets import Wanted
from raidctl.request import Failure, Run, RunAnswer
from raidctl.text import collapse, regex

BURST = 1.0
"""Seconds of reading."""
REST = 1.0
"""Seconds between."""
_NODE = regex(r"/dev/[\w/-]{1,60}", re.ASCII)


def burst(wanted: Wanted) -> Run | str:
    """Return the command that reads until its time is over. Otherwise why there is none."""
    block = wanted.blocks[0] if wanted.blocks else None
    if block is None:
        return "the operating system does not see it, so it cannot be read from"
    if not _NODE.fullmatch(block.node):
        return f"raidctl does not read a device of the name {block.node}"
    return Run(("dd", f"if={block.node}", "of=/dev/null", "bs=128K", "iflag=direct"), timeout=BURST)


def failed(answer: RunAnswer) -> str | None:
    """Return why a burst did not read. None if it read, or came to the end of a small drive."""
    if answer.trouble is Failure.TIMEOUT or (answer.fine and answer.code == 0):
        return None
    message = collapse(answer.error_text)[:200]
    return message or answer.detail or f"exit code {answer.code}"
