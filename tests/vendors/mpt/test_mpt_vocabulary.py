"""The words of sas2ircu and sas3ircu.

The SAS-2 and SAS-3 Integrated RAID Solution User Guides list them.
"""

from __future__ import annotations

import re

import pytest

from raidctl.survey.survey import Survey
from raidctl.vendor.protocol import Document
from raidctl_mpt.collect import assemble
from tests.support.conclusions import anything_unread, only_controller, read_text

_DISPLAY = """LSI Corporation SAS3 IR Configuration Utility.
Version 16.00.00.00 (2017.04.26)

Read configuration has been initiated for controller 0
------------------------------------------------------------------------
IR Volume information
------------------------------------------------------------------------
IR volume 1
  Volume ID                               : 323
  Status of volume                        : {volume}
  Volume wwid                             : 04f9d0fa34f56e84
  RAID level                              : {level}
  Size (in MB)                            : 152627
  Physical hard disks                     :
  PHY[0] Enclosure#/Slot#                 : 1:0
  PHY[1] Enclosure#/Slot#                 : 1:1
------------------------------------------------------------------------
Physical device information
------------------------------------------------------------------------
Device is a Hard disk
  Enclosure #                             : 1
  Slot #                                  : 0
  State                                   : {drive}
  Size (in MB)/(in sectors)               : 152627/312581807
  Drive Type                              : {kind}
SAS3IRCU: Command DISPLAY Completed Successfully.
SAS3IRCU: Utility Completed Successfully.
"""
_STATUS = """LSI Corporation SAS2 IR Configuration Utility.
Background command progress status for controller 0...
IR Volume 1
  Volume ID                               : 323
  Current operation                       : {operation}
  Volume status                           : {status}
  Volume state                            : {state}
  Physical disk I/Os                      : Not quiesced
  Percentage complete                     : 2.93%
SAS2IRCU: Command STATUS Completed Successfully.
SAS2IRCU: Utility Completed Successfully.
"""


def _display(
    *, volume: str = "Okay (OKY)", drive: str = "Optimal (OPT)", level: str = "RAID1", kind: str = "SAS_HDD"
) -> Survey:
    return read_text(_DISPLAY.format(volume=volume, drive=drive, level=level, kind=kind))


def _status(*, operation: str = "None", status: str = "Enabled", state: str = "Optimal") -> Survey:
    return read_text(_STATUS.format(operation=operation, status=status, state=state))


@pytest.mark.parametrize(("word", "stopped"), [("Not quiesced", False), ("Quiesced", True)])
def test_a_volume_whose_drives_are_quiesced_is_a_finding(word: str, *, stopped: bool) -> None:
    """Reads and writes then wait, while the state is Optimal."""
    text = _STATUS.format(operation="None", status="Enabled", state="Optimal").replace("Not quiesced", word)
    assert [one.kind for one in read_text(text).inventory.problems if "are stopped" in one.message] == [
        "state"
    ] * stopped


@pytest.mark.parametrize(
    ("word", "status"),
    [("Okay (OKY)", "ok"), ("Degraded (DGD)", "degraded"), ("Failed (FLD)", "failed"), ("Missing (MIS)", "offline"),
     ("Initializing (INIT)", "initializing"), ("Online (ONL)", "ok"), ("Inactive, Okay (OKY)", "inactive"),
     ("Inactive, Degraded (DGD)", "inactive"), ("Bewildered (BWD)", "unknown"), ("Okay, Bewildered (OKY)", "unknown"),
     ("Not Okay (NOK)", "unknown")],
)  # fmt: skip
def test_states_of_volumes(word: str, status: str) -> None:
    """DISPLAY: every state of the guides is known. Any other word is unknown, and a problem."""
    seen = _display(volume=word)
    assert [volume.status for volume in only_controller(seen).volumes] == [status]
    assert anything_unread(seen) == (status == "unknown")


@pytest.mark.parametrize(
    ("word", "status", "role"),
    [("Online (ONL)", "ok", "member"), ("Optimal (OPT)", "ok", "member"), ("Hot Spare (HSP)", "ok", "member"),
     ("Ready (RDY)", "ok", "member"), ("Available (AVL)", "warning", "member"), ("Failed (FLD)", "critical", "failed"),
     ("Missing (MIS)", "critical", "failed"), ("Standby (SBY)", "ok", "member"),
     ("Out of Sync (OSY)", "warning", "member"), ("Degraded (DGD)", "warning", "member"),
     ("Rebuilding (RBLD)", "warning", "member"),
     ("Bewildered (BWD)", "unknown", "member")],
)  # fmt: skip
def test_states_of_drives(word: str, status: str, role: str) -> None:
    """A drive that a volume lists is a member. The state in its own section does not matter."""
    seen = _display(drive=word)
    assert [(drive.status, drive.role) for drive in only_controller(seen).drives] == [(status, role)]
    assert anything_unread(seen) == (status == "unknown")


@pytest.mark.parametrize(
    ("word", "status", "active"),
    [("Optimal (OPT)", "ok", 2), ("Online (ONL)", "ok", 2), ("Out of Sync (OSY)", "ok", 0), ("Failed (FLD)", "ok", 0)]
    + [(word, "unknown", None) for word in ("Hot Spare (HSP)", "Ready (RDY)", "Available (AVL)", "Standby (SBY)",
                                            "Bewildered (BWD)")],
)  # fmt: skip
def test_only_a_state_that_members_have_counts_for_a_volume(word: str, status: str, active: int | None) -> None:
    """A volume that is ok and lists a drive with a state that no member has is unknown, with what it survives."""
    text = _DISPLAY.format(volume="Okay (OKY)", drive=word, level="RAID1", kind="SAS_HDD")
    first = text[text.index("Device is a Hard disk") : text.index("SAS3IRCU: Command")]
    second = re.sub(r"(Slot # +: )0", r"\g<1>1", first)
    seen = read_text(text.replace(first, f"{first}\n{second}"))
    [volume] = only_controller(seen).volumes
    assert (volume.status, volume.drives_active) == (status, active)
    assert (volume.failures_tolerated or 0) == (active or 0) // 2
    assert (word in (volume.status_text or "")) == (status == "unknown")


@pytest.mark.parametrize(
    ("word", "level"),
    [("RAID0", "raid0"), ("RAID1", "raid1"), ("RAID1E", "raid1e"), ("RAID10", "raid10"), ("RAID 99", None)],
)
def test_levels(word: str, level: str | None) -> None:
    """Levels are read; one without a neutral name is unknown."""
    assert [volume.raid_level for volume in only_controller(_display(level=word)).volumes] == [level]


@pytest.mark.parametrize(
    ("word", "found"),
    [("SAS_HDD", ("sas", "hdd")), ("SATA_HDD", ("sata", "hdd")), ("SAS_SSD", ("sas", "ssd")),
     ("SATA_SSD", ("sata", "ssd")), ("Undetermined", (None, None))],
)  # fmt: skip
def test_kinds_of_drives(word: str, found: tuple[str | None, str | None]) -> None:
    """Interface and medium are read from one word."""
    assert [(drive.interface, drive.media) for drive in only_controller(_display(kind=word)).drives] == [found]


@pytest.mark.parametrize(
    ("operation", "status", "state", "expected"),
    [
        ("None", "Enabled", "Optimal", ("ok", None)),
        ("Synchronize", "Enabled", "Degraded", ("rebuilding", "rebuild")),
        ("Synchronize", "Enabled", "Optimal", ("ok", "resync")),
        ("Rebuild", "Enabled", "Degraded", ("rebuilding", "rebuild")),
        ("Background Init", "Enabled", "Optimal", ("ok", "initialize")),
        ("Consistency Check", "Enabled", "Optimal", ("ok", "check")),
        ("None", "Disabled", "Optimal", ("inactive", None)),
        ("None", "Enabled", "[Inactive] Optimal", ("inactive", None)),
        ("None", "Enabled", "Failed", ("failed", None)),
        ("None", "Enabled", "Bewildered", ("unknown", None)),
    ],
)
def test_status(operation: str, status: str, state: str, expected: tuple[str, str | None]) -> None:
    """STATUS: the operation and the volume's states together give its status."""
    [volume] = only_controller(_status(operation=operation, status=status, state=state)).volumes
    assert (volume.status, volume.progress and volume.progress.operation) == expected


@pytest.mark.parametrize("words", [("Juggle", "Enabled"), ("None", "Resting")])
def test_unknown_words_of_status_are_problems(words: tuple[str, str]) -> None:
    """An unknown operation, or an unknown word beside "Enabled", is a problem."""
    assert anything_unread(_status(operation=words[0], status=words[1]))


@pytest.mark.parametrize(
    ("state", "kind"),
    [("Standby (SBY)", None), ("Failed (FLD)", "state"), ("Missing (MIS)", "state"), ("Bewildered (BWD)", "unread")],
)
def test_an_enclosure_that_has_failed_is_a_finding(state: str, kind: str | None) -> None:
    """A failed ``Device is a Enclosure services device`` is a problem, an unknown state is one, too."""
    part = f"Device is a Enclosure services device\n  Enclosure #   : 1\n  Slot #   : 8\n  State    : {state}\n"
    text = _DISPLAY.format(volume="Okay (OKY)", level="RAID1", drive="Optimal (OPT)", kind="SAS_HDD")
    text = text.replace("SAS3IRCU: Command", f"{part}SAS3IRCU: Command")
    found = [one for one in read_text(text).inventory.problems if "1:8" in one.message]
    assert [one.kind for one in found] == ([kind] if kind else [])
    # the controller is an HBA, whose drives are shown as plain ones
    document = Document("sas3ircu 0 DISPLAY", "ircu", text)
    assert assemble([document], left_out=lambda _: True).problems == read_text(text).inventory.problems


def test_a_failed_volume_that_is_disabled_has_failed() -> None:
    """A volume that is failed and disabled is failed."""
    seen = read_text(_STATUS.format(operation="None", status="Disabled", state="Failed"))
    assert [volume.status for volume in only_controller(seen).volumes] == ["failed"]
