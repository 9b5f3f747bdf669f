"""The error messages of cciss_vol_status (standard error, exit code 1) as problems."""

from __future__ import annotations

from raidctl.text import regex
from raidctl.vendor.draft import Complaint

_TOOL = r"(?:\S*/)?cciss_vol_status: ?"
_DEVICE = regex(rf"{_TOOL}.{{0,200}}(?:Unknown SCSI device|is not a \w+ device)\.?")
_DENIED = regex(rf"{_TOOL}.{{0,200}}(?:Permission denied|Operation not permitted)\.?")
_OTHER = regex(
    rf"{_TOOL}.{{1,300}}|Error getting status for .{{1,200}}|Cannot get device information for .{{1,200}}"
    r"|do_report_luns\(logical\) failed\.|logical lun \d+ inquiry 0x83 failed.*"
    r"|.{1,80}: cannot identify controller 0x.{1,40}|Controller reports zero devices per.*"
    r"|.{1,80}: Don't know how to decode drive map data for .{1,60}|Bug detected at .{1,80}"
    r"|CHK: .{1,80}: CommandStatus=.{1,20}|sgio (?:cmd|ioctl).{1,120}"
)
_USAGE = regex(rf"{_TOOL}usage: .*")


def error_problem(text: str) -> Complaint | None:
    """The problem in a line. None if the line is not an error message."""
    if _DENIED.fullmatch(text):
        return Complaint("error", "no_right", f"The tool reports: {text}.", "Run raidctl as root (sudo).")
    if _DEVICE.fullmatch(text):
        return Complaint("info", "note", f"The tool reports: {text}")
    if _USAGE.fullmatch(text):
        return Complaint("error", "unread", "The tool printed its usage.", "Run it with a device: `/dev/cciss/c0d0`.")
    if _OTHER.fullmatch(text):
        return Complaint("error", "unread", f"The tool reports an error: {text}", "Run the command by hand, as root.")
    return None
