"""Outputs of smartctl, as text and as JSON, and the call of smartctl itself.

The rest of the family imports :func:`read_smartctl`, :func:`sniff_smartctl` and :func:`query_smartctl` from here.
Labels are tables: ``vocabulary`` and ``labels`` of the text, ``json_labels`` of the JSON; lines without facts are
listed in ``sentences``.
"""

from __future__ import annotations

from raidctl.evidence import Output
from raidctl_drives.smart.draft import SmartDraft
from raidctl_drives.smart.json_reader import read_json
from raidctl_drives.smart.recognise import is_json, sniff_smartctl
from raidctl_drives.smart.text import read_text
from raidctl_drives.smart.tool_call import query_smartctl

__all__ = ["query_smartctl", "read_smartctl", "sniff_smartctl"]


def read_smartctl(command: str, text: str, drive_id: str) -> tuple[list[SmartDraft], Output]:
    """Read an output of smartctl, text or JSON.

    One draft for each drive in the text, in order; their names are ``drive_id``, then
    ``drive_id#2``, ``drive_id#3`` … (several outputs in one file, or ``--scan``). The drafts carry the problems;
    one that is ``empty`` has nothing else. Nothing is raised.
    """
    if is_json(text):
        return read_json(command, text, drive_id)
    return read_text(command, text, drive_id)
