"""The words of MegaRAID's tools and their neutral values. All dialects share one vocabulary.

storcli and perccli print short words (``Optl``, ``UGood``), MegaCli long ones (``Optimal``, ``Unconfigured(good)``),
version 8 splits a drive's word in two (``Conf`` and ``Online``). Words are compared in lower case with runs of blanks
made one. For a word that is not here, the result is None: the caller keeps the raw word and reports a problem.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple, TypeVar

from raidctl.model import (
    DriveCachePolicy,
    Health,
    Interface,
    IoPolicy,
    Media,
    Operation,
    RaidLevel,
    ReadPolicy,
    Role,
    ScrubState,
    VolumeStatus,
    WritePolicy,
)
from raidctl.text import collapse, regex, typed
from raidctl.vendor.statuses import VolumeWord

T = TypeVar("T")

SMART_ALERT = ", S.M.A.R.T. alert"
"""Suffix of the state of a drive that flags an alert. Its state word does not show the alert."""
LOCKED_STATE = ", locked"
"""Suffix of the state of a locked drive. Its state word may be a good one."""
LOCKED = ("The drive is locked: its data cannot be read without its key.", "Enter the key that it was locked with.")
ALERTED = (
    "The drive has raised a S.M.A.R.T. alert: it predicts its failure.",
    "Replace the drive while the array still has redundancy.",
)
KEY_SERVER = ("The drive is waiting for the key management server.", "Check that server.")

NO_VALUE = frozenset(
    {
        "", "-", "--", "---", "n/a", "na", "n.a.", "none", "unknown", "unkn", "unkwn", "not available",
        "not applicable", "not supported", "not set", "undefined", "null", "not reported",
    }
)  # fmt: skip
"""Values that mean that there is no value."""


class DriveWord(NamedTuple):
    """The health and role that a physical drive's state word reports.

    The role is None if the word does not report it.
    """

    health: Health
    role: Role | None = None


@lru_cache(maxsize=8192)
def normalized(text: str) -> str:
    """The form in which words are looked up.

    Typographic marks count as typed ones: the strings of a JSON document keep those of a mail program.
    """
    return collapse(typed(text)).lower()


def has_value(text: str) -> bool:
    """Whether it is a value, and not ``-``, ``N/A`` or blank."""
    return normalized(text) not in NO_VALUE


def has_state(text: str) -> bool:
    """Whether a state is printed. This includes the word for one that the tool cannot read, ``Unkwn=Unknown``."""
    return has_value(text) or is_unknown(text)


def is_unknown(text: str) -> bool:
    """Whether it is the word for a state that the tool cannot read."""
    return normalized(text) in ("unknown", "unkn", "unkwn")


VOLUME_STATES: dict[str, VolumeWord] = {
    "optl": VolumeWord("ok"), "optimal": VolumeWord("ok"),
    # One drive of a RAID 6 is gone: it still has redundancy, and it is degraded.
    "pdgd": VolumeWord("degraded"), "partially degraded": VolumeWord("degraded"),
    "partial degraded": VolumeWord("degraded"), "dgrd": VolumeWord("degraded"), "dgd": VolumeWord("degraded"),
    "degraded": VolumeWord("degraded"), "ofln": VolumeWord("offline"), "offln": VolumeWord("offline"),
    "offline": VolumeWord("offline"), "failed": VolumeWord("failed"), "fld": VolumeWord("failed"),
    # Rec=Recovery
    "rec": VolumeWord("rebuilding", "recovery"), "recovery": VolumeWord("rebuilding", "recovery"),
    "recovering": VolumeWord("rebuilding", "recovery"), "rbld": VolumeWord("rebuilding", "rebuild"),
    "rebuild": VolumeWord("rebuilding", "rebuild"), "rebuilding": VolumeWord("rebuilding", "rebuild"),
    "missing": VolumeWord("failed"), "msng": VolumeWord("failed"), "frgn": VolumeWord("inactive"),
    "foreign": VolumeWord("inactive"),
}  # fmt: skip

GROUP_STATES: dict[str, Health] = {
    "optl": "ok", "optimal": "ok", "onln": "ok", "online": "ok", "pdgd": "warning", "partially degraded": "warning",
    "dgrd": "warning", "dgd": "warning", "degraded": "warning", "rec": "warning", "recovery": "warning",
    "rbld": "warning", "rebuild": "warning", "frgn": "warning", "foreign": "warning", "ofln": "critical",
    "offln": "critical", "offline": "critical", "failed": "critical", "msng": "critical", "missing": "critical",
}  # fmt: skip

_MEMBER, _SPARE, _FREE, _SEEN, _BAD = (
    DriveWord("ok", "member"),
    DriveWord("ok", "spare"),
    DriveWord("ok", "unassigned"),
    DriveWord("ok", "passthrough"),
    DriveWord("critical", "failed"),
)
_BUSY_MEMBER = DriveWord("warning", "member")

DRIVE_STATES: dict[str, DriveWord] = {
    "onln": _MEMBER, "online": _MEMBER, "conf": DriveWord("ok", "member"), "configured": DriveWord("ok", "member"),
    "rbld": _BUSY_MEMBER, "rebuild": _BUSY_MEMBER, "rebuilding": _BUSY_MEMBER, "cpybck": _BUSY_MEMBER,
    "cpybk": _BUSY_MEMBER, "copyback": _BUSY_MEMBER, "replacing": _BUSY_MEMBER, "offln": _BAD, "ofln": _BAD,
    "offline": _BAD, "failed": _BAD, "fld": _BAD, "fail": _BAD, "bad": _BAD, "msng": _BAD, "missing": _BAD,
    "ugood": _FREE, "uconf": _FREE, "unconfigured": _FREE, "unconfigured good": _FREE, "unconfigured(good)": _FREE,
    "ready": _FREE, "rdy": _FREE, "available": _FREE, "avl": _FREE, "ubad": _BAD, "ubunsp": _BAD,
    "unconfigured bad": _BAD, "unconfigured(bad)": _BAD, "ugunsp": DriveWord("warning", "unassigned"),
    "unsupported": DriveWord("warning", "unassigned"), "unusbl": DriveWord("critical", "unassigned"),
    "unusable": DriveWord("critical", "unassigned"),
    # UGShld-UnConfigured shielded|HSPShld-Hotspare shielded|CFShld-Configured shielded|CBShld-Copyback Shielded: the
    # firmware took the drive aside to test it.
    "ugshld": DriveWord("warning", "unassigned"), "unconfigured shielded": DriveWord("warning", "unassigned"),
    "hspshld": DriveWord("warning", "spare"), "hotspare shielded": DriveWord("warning", "spare"),
    "cfshld": _BUSY_MEMBER, "configured shielded": _BUSY_MEMBER, "cbshld": _BUSY_MEMBER,
    "copyback shielded": _BUSY_MEMBER, "shld": DriveWord("warning", "passthrough"), "ghs": _SPARE, "dhs": _SPARE,
    "hsp": _SPARE, "hotspare": _SPARE, "hot spare": _SPARE, "global hotspare": _SPARE, "global hot spare": _SPARE,
    "dedicated hotspare": _SPARE, "dedicated hot spare": _SPARE, "emergency spare": _SPARE,
    "commissioned hotspare": _MEMBER, "emergency hotspare": _MEMBER, "jbod": _SEEN,
    "sntze": DriveWord("warning", "unassigned"), "sntz": DriveWord("warning", "unassigned"),
    "sanitize": DriveWord("warning", "unassigned"), "erase": DriveWord("warning", "unassigned"),
    "frgn": DriveWord("warning", "unassigned"), "foreign": DriveWord("warning", "unassigned"),
    "locked": DriveWord("warning", None), "degraded": DriveWord("warning", None),
    "dgrd": DriveWord("warning", None),
}  # fmt: skip

DRIVE_STATUSES: dict[str, Health] = {
    "online": "ok", "onln": "ok", "good": "ok", "ok": "ok", "optimal": "ok", "rebuild": "warning",
    "rebuilding": "warning", "rbld": "warning", "copyback": "warning", "cpybck": "warning", "replace": "warning",
    "replacing": "warning", "shielded": "warning", "shield": "warning", "sanitize": "warning",
    "sanitizing": "warning", "sntz": "warning", "erase": "warning", "foreign": "warning", "unsupported": "warning",
    "degraded": "warning", "dgrd": "warning", "various": "warning", "locked": "warning",
    "predictive failure": "warning", "offline": "critical", "offln": "critical", "failed": "critical",
    "bad": "critical", "missing": "critical", "msng": "critical", "unusable": "critical",
}  # fmt: skip
"""The second word of version 8: ``Conf`` ``Online``, ``UConf`` ``Good``."""

_STEM = regex(r"(uconf|conf|jbod|ghs|dhs|hsp)(shld|sntze?|dgrd|unsp|bad)")
_STEM_ROLE: dict[str, Role] = {
    "uconf": "unassigned", "conf": "member", "jbod": "passthrough", "ghs": "spare", "dhs": "spare", "hsp": "spare",
}  # fmt: skip


def volume_state(text: str) -> VolumeWord | None:
    """What ``Optl`` or ``Partially Degraded`` means. None for an unknown word."""
    return VOLUME_STATES.get(normalized(text))


def group_state(text: str) -> Health | None:
    """Return the health that an array's or span's state word means. None if unknown."""
    return GROUP_STATES.get(normalized(text))


def drive_state(text: str) -> DriveWord | None:
    """What ``UGood``, ``Unconfigured(good)``, ``ConfShld`` mean. None for an unknown word."""
    known = DRIVE_STATES.get(normalized(text))
    if known is not None:
        return known
    # Version 8 puts its words together: UConfUnsp, GHSShld, ConfSntz, JBODDgrd.
    match = _STEM.fullmatch(normalized(text))
    if match is None:
        return None
    return _BAD if match[2] == "bad" else DriveWord("warning", _STEM_ROLE[match[1]])


def drive_status(text: str) -> Health | None:
    """The health behind version 8's second word, ``Online``, ``Good``. None for an unknown word."""
    return DRIVE_STATUSES.get(normalized(text))


_RAID_WORD = regex(r"(?:raid|r)[ -]?([0-9]{1,2}|1e0?)(?:[ -]?rlq-?\d)?")
_RAID_NUMBERS: dict[str, RaidLevel] = {
    "0": "raid0", "00": "raid0", "1": "raid1", "1e": "raid1e", "4": "raid4", "5": "raid5", "6": "raid6",
    "10": "raid10", "1e0": "raid10", "50": "raid50", "60": "raid60",
}  # fmt: skip
_RAID_WORDS: dict[str, RaidLevel] = {
    "jbod": "jbod",
    # CacheCade: SSDs as a cache, a RAID 0 or a RAID 1.
    "cac0": "raid0",
    "cac1": "raid1",
    "cachecade0": "raid0",
    "cachecade1": "raid1",
}


def raid_level(text: str) -> RaidLevel | None:
    """The level of ``RAID5``, ``RAID-5``, ``R5``, ``RAID1E``, ``Cac0``. None if there is none.

    Raises:
        ValueError: An unknown word.
    """
    if not has_value(text):
        return None
    key = normalized(text)
    match = _RAID_WORD.fullmatch(key)
    level = _RAID_WORDS.get(key) or (_RAID_NUMBERS.get(match[1]) if match else None)
    if level is None:
        raise ValueError(f"not a RAID level of this tool: {text!r}")
    return level


_MEDIA: dict[str, Media] = {
    "hdd": "hdd", "hard disk device": "hdd", "hard disk drive": "hdd", "hybrid": "hdd",
    "ssd": "ssd", "ssm": "ssd", "solid state device": "ssd", "solid state drive": "ssd", "ssd flash": "ssd",
}  # fmt: skip
_INTERFACES: dict[str, Interface] = {
    "sas": "sas", "sata": "sata", "nvme": "nvme", "pcie": "nvme", "scsi": "scsi", "parallel scsi": "scsi",
    "ide": "ata", "pata": "ata", "ata": "ata", "usb": "usb",
}  # fmt: skip
_DISK_CACHE: dict[str, DriveCachePolicy] = {
    "disk's default": "default", "disks default": "default", "disk default": "default", "default": "default",
    "dflt": "default", "unchanged": "default",
    "enabled": "enabled", "enable": "enabled", "enbl": "enabled", "on": "enabled",
    "disabled": "disabled", "disable": "disabled", "dsbl": "disabled", "off": "disabled",
}  # fmt: skip
_WRITE: dict[str, WritePolicy] = {
    "wb": "protected_write_back", "writeback": "protected_write_back", "write back": "protected_write_back",
    "awb": "unprotected_write_back", "alwayswriteback": "unprotected_write_back",
    "always write back": "unprotected_write_back", "always writeback": "unprotected_write_back",
    "forcedwriteback": "unprotected_write_back", "force write back": "unprotected_write_back",
    "forced write back": "unprotected_write_back", "forced writeback": "unprotected_write_back",
    "fwb": "unprotected_write_back", "forcedwb": "unprotected_write_back",
    "wt": "write_through", "writethrough": "write_through", "write through": "write_through",
    "write-back": "protected_write_back", "write-through": "write_through", "writethru": "write_through",
}  # fmt: skip
_READ: dict[str, ReadPolicy] = {
    "r": "read_ahead", "ra": "read_ahead", "readahead": "read_ahead", "read ahead": "read_ahead",
    "always read ahead": "read_ahead", "read ahead always": "read_ahead", "alwaysreadahead": "read_ahead",
    "nr": "none", "nora": "none", "readaheadnone": "none", "noreadahead": "none", "no read ahead": "none",
    "readadaptive": "adaptive", "adaptive": "adaptive", "adra": "adaptive", "adaptivereadahead": "adaptive",
    "read ahead adaptive": "adaptive", "adaptive read ahead": "adaptive",
}  # fmt: skip
_IO: dict[str, IoPolicy] = {
    "d": "direct", "direct": "direct", "direct io": "direct", "directio": "direct",
    "c": "cached", "cached": "cached", "cached io": "cached", "cachedio": "cached",
}  # fmt: skip


def media(text: str) -> Media | None:
    """Spinning or solid state; None if not reported. ValueError for another word."""
    return _found(_MEDIA, text, "a medium")


def interface(text: str) -> Interface | None:
    """How a drive is attached; None if not reported. ValueError for another word."""
    return _found(_INTERFACES, text, "an interface")


def disk_cache(text: str) -> DriveCachePolicy | None:
    """The policy for the drives' own write caches: ``Disk's Default``. ValueError for another word."""
    return _found(_DISK_CACHE, text, "a disk cache policy")


def write_policy(text: str) -> WritePolicy | None:
    """``WriteBack``, ``WT``, ``Always Write Back``. ValueError for another word."""
    return _found(_WRITE, text, "a write policy")


def read_policy(text: str) -> ReadPolicy | None:
    """``ReadAheadNone``, ``ReadAdaptive``, ``RA``. ValueError for another word."""
    return _found(_READ, text, "a read policy")


def io_policy(text: str) -> IoPolicy | None:
    """``Direct``, ``Cached``. ValueError for another word."""
    return _found(_IO, text, "an IO policy")


def switch(text: str) -> Literal["enabled", "disabled"] | None:
    """``On``, ``Disabled`` of a write cache; None if not reported. ValueError for another word."""
    found = flag(text)
    return None if found is None else "enabled" if found else "disabled"


_FLAGS = {
    "yes": True, "y": True, "true": True, "on": True, "enabled": True, "enable": True, "present": True,
    "no": False, "n": False, "false": False, "off": False, "disabled": False, "disable": False, "absent": False,
}  # fmt: skip


def flag(text: str) -> bool | None:
    """Yes or no; None if not reported. ValueError for another word, and for ``Unknown``."""
    if is_unknown(text):
        raise ValueError("the tool reports it as unknown")
    return _found(_FLAGS, text, "yes or no")


def _found(table: dict[str, T], text: str, what: str) -> T | None:
    key = normalized(text)
    if key in table:
        return table[key]
    if key in NO_VALUE:
        return None
    raise ValueError(f"not {what} of this tool: {text!r}")


OPERATIONS: dict[str, Operation] = {
    "cc": "check", "consistency check": "check", "check consistency": "check", "bgi": "parity",
    "background initialization": "parity", "background init": "parity", "init": "initialize",
    "initialization": "initialize", "initialize": "initialize", "fgi": "initialize",
    "foreground initialization": "initialize", "full initialization": "initialize",
    "fast initialization": "initialize", "slow initialization": "initialize", "clear": "initialize",
    "migrate": "migrate", "migration": "migrate", "reconstruction": "migrate", "recon": "migrate",
    "raid level migration": "migrate", "oce": "expand", "expansion": "expand", "expand": "expand",
    "online capacity expansion": "expand", "rebuild": "rebuild", "rbld": "rebuild", "copyback": "copyback",
    "copy back": "copyback", "cpybck": "copyback", "replace": "copyback", "recovery": "recovery", "erase": "erase",
    "secure erase": "erase", "sanitize": "erase", "patrol read": "patrol_read",
}  # fmt: skip
"""Background operations of virtual and physical drives; flushing has no neutral word."""

_BY_STATE: tuple[tuple[str, Operation], ...] = (
    ("rbld", "rebuild"), ("rebuild", "rebuild"), ("cpyb", "copyback"), ("copyback", "copyback"),
    ("replacing", "copyback"), ("sntz", "erase"), ("sanitiz", "erase"), ("erase", "erase"),
)  # fmt: skip

BUSY_STATUS: dict[Operation, VolumeStatus] = {
    "check": "checking", "parity": "initializing", "initialize": "initializing", "migrate": "migrating",
    "expand": "expanding", "rebuild": "rebuilding", "recovery": "rebuilding", "copyback": "rebuilding",
}  # fmt: skip
"""The status of an optimal volume during an operation."""


def operation(text: str) -> Operation:
    """The operation of ``Consistency Check`` or ``BGI``. ``unknown`` for flushing and words not known."""
    return OPERATIONS.get(normalized(text), "unknown")


def operation_of_state(text: str | None) -> Operation | None:
    """The operation that a drive's state names, such as ``Rbld``, ``Cpybck``, ``UConfSntz``. None for the others."""
    state = normalized(text or "")
    return next((found for sign, found in _BY_STATE if sign in state and "shield" not in state), None)


def patrol_state(text: str) -> ScrubState | None:
    """``Active 3``, ``Stopped``. The firmware's other states, Ready and Aborted (mfireg.h), mean stopped as well."""
    word = (text.split() or [""])[0].lower()
    return "running" if word == "active" else "stopped" if word in ("stopped", "ready", "aborted") else None
