"""Outputs of hdparm, nvme and sdparm, read into observations."""

from __future__ import annotations

from raidctl.model import Drive
from raidctl.vendor.protocol import Document, Observation
from raidctl_drives import read, sniff


def observed(kind: str, text: str) -> Observation:
    """The observation of an output that is recognised as one of this kind. No line of it may be left unread."""
    claim = sniff("x.txt", text)
    assert claim is not None
    assert claim.kind == kind
    found = read([Document("x.txt", claim.kind, text)])
    assert [line.text for output in found.outputs for line in output.unparsed()] == []
    return found


def only(kind: str, text: str) -> Drive:
    """The only drive of an output."""
    (controller,) = observed(kind, text).controllers
    (drive,) = controller.drives
    return drive
