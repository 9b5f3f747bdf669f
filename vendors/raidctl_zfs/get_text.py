"""``zfs get sync``: which file systems and volumes of a pool acknowledge a commit before it is written."""

from __future__ import annotations

import re

from raidctl.evidence import Output, mark_read
from raidctl.text import collapse, regex
from raidctl_zfs.draft import ControllerDraft

# NAME     PROPERTY  VALUE     SOURCE
_HEAD = regex(r"NAME\s+PROPERTY\s+VALUE\s+SOURCE")
# tank/db  sync      disabled  local
# tank/db/logs  sync  disabled  inherited from tank/db
_ROW = regex(
    r"(?P<name>(?P<pool>[^\s/@][^/@]{0,255})(?:/.{0,255})?)\s{1,255}sync\s{1,255}(?P<value>[a-z]{1,20})"
    r"\s{1,255}(?:inherited from (?P<above>\S.{0,255})|(?:default|local|received|temporary|-))",
    re.ASCII,
)
# tank/db  sync      disab     the output is cut off
_CUT = regex(r"(?P<pool>[^\s/@][^/@]{0,255}?)(?:/.{0,255}?)?\s{1,255}sync(?:\s.{0,255})?", re.ASCII)
_VALUES = ("standard", "always", "disabled")
# cannot open 'tank/db': I/O error
# cannot iterate filesystems: I/O error
ERROR = regex(r"cannot (?:open|import|iterate) [^:]{1,300}: |internal error: ")
"""Messages of the tools about what they cannot list."""


def read_sync(output: Output, controller: ControllerDraft) -> bool:
    """Read the table; False if there is none. Properties other than ``sync`` are not read."""
    found = False
    for line in output.lines:
        if _HEAD.fullmatch(line.stripped):
            found = True
            mark_read(line)
        elif found and (match := _ROW.fullmatch(line.stripped)):
            pool = controller.volume(match["pool"].strip())
            pool.sync_read = pool.sync_read is not False and match["value"] in _VALUES
            mark_read(line)
            if match["value"] not in _VALUES:
                pool.unread("sync", match["value"])
            elif match["value"] == "disabled" and match["above"] not in pool.sync_disabled:
                name = match["name"].rstrip()
                pool.sync_disabled.append(name)
                pool.add_evidence(line, "sync_disabled", name)
        elif found and (cut := _CUT.fullmatch(line.stripped)):
            pool = controller.volume(cut["pool"])
            pool.sync_read = False
            pool.unread("row of zfs get", collapse(line.stripped))
    if found and any(ERROR.match(line.stripped) for line in output.lines):
        for pool in controller.volumes.values():
            pool.sync_read = False
    return found
