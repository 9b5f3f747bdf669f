"""The write caches of plain drives: knobs, and what turns them. Pure.

The knob ``write_cache`` of a drive is turned by

* ``hdparm -W1 /dev/sda`` for ATA: the kernel notices by itself;
* ``echo 'write back' > /sys/class/scsi_disk/2:0:0:0/cache_type`` for SCSI, and for ATA without hdparm: MODE SELECT to
  the drive, and the kernel's own view with it (with sdparm the kernel would not notice);
* ``nvme set-feature /dev/nvme0n1 --feature-id=6 --value=1``: always the long options, because the short one for the
  value means "verbose" since version 2.5, and would switch the cache off.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from raidctl.change.plan import Action, Flush, Knob, Plan, Refusal, Step, Wish
from raidctl.model import Controller, Drive, Tool
from raidctl.request import Answer, RunAnswer

KNOB = "write_cache"
_TIMEOUT = 60.0
_ADDRESS = re.compile(r"\d+:\d+:\d+:\d+")
_NO_READ = frozenset({"none", "write back, no read (daft)"})
_UNTIL = "The drive forgets it with its power or at a reset: NVMe keeps only what is saved."
_SYNC = "A sync of a mounted file system ends with a flush of the drive below it."
_PLACE = "/sys/class/scsi_disk/{}/cache_type"


def knobs(controller: Controller) -> dict[Knob, str]:
    """The write cache of each drive, ``enabled`` or ``disabled``, where something tells it."""
    return {(drive.id, KNOB): drive.write_cache for drive in controller.drives if drive.write_cache is not None}


def plan(controller: Controller, wishes: Sequence[Wish], tools: Sequence[Tool]) -> Plan:
    """One step for each drive whose cache is not as wished."""
    names = {tool.name for tool in tools}
    drives = {drive.id: drive for drive in controller.drives}
    steps: list[Step] = []
    already: list[Wish] = []
    refusals: list[Refusal] = []
    for wish in wishes:
        drive = drives.get(wish.object_id)
        if wish.setting != KNOB or drive is None:
            reason = "Plain drives have a write cache that is on or off, and no other cache setting."
            refusals.append(Refusal(wish=wish, kind="unsupported", reason=reason))
        elif drive.write_cache == wish.value:
            already.append(wish)
        elif (why := _cannot(drive, names)) is not None:
            refusals.append(Refusal(wish=wish, kind="unsupported" if drive.write_cache else "unknown", reason=why))
        else:
            steps.append(_step(drive, wish.value, names))
    return Plan(wishes=tuple(wishes), steps=tuple(steps), already=tuple(already), refusals=tuple(refusals))


def flushes(controller: Controller, tools: Sequence[Tool]) -> list[Flush]:
    """``hdparm -F``, ``sdparm --command=sync``, ``nvme flush``: each returns when the drive has written everything."""
    names = {tool.name for tool in tools}
    return [_flush(drive, names) for drive in controller.drives]


def _flush(drive: Drive, tools: set[str]) -> Flush:
    if drive.device is None:
        return Flush(object_id=drive.id, why="The drive has no device node here.")
    if drive.interface == "virtual":
        return Flush(object_id=drive.id, why="The drive is a hypervisor's: what lies below is the host's matter.")
    argv = {
        "nvme": ("nvme", "flush", drive.device, "-n", "1"),
        "sata": ("hdparm", "-F", drive.device),
        "ata": ("hdparm", "-F", drive.device),
        "sas": ("sdparm", "--command=sync", drive.device),
        "scsi": ("sdparm", "--command=sync", drive.device),
    }.get(drive.interface or "")
    if argv is None:
        return Flush(object_id=drive.id, why="It is not known how the drive is attached.", alternative=_SYNC)
    if argv[0] not in tools:
        return Flush(object_id=drive.id, why=f"{argv[0]} is not installed.", alternative=_SYNC)
    return Flush(object_id=drive.id, action=Action(argv=argv, timeout=_TIMEOUT))


def judge(action: Action, answer: Answer) -> str | None:
    """What the tool said against it. Both end with 0 when the drive has refused, so the new state has to be printed."""
    if not isinstance(answer, RunAnswer):
        return None
    text = f"{answer.text}\n{answer.error_text}"
    if "-F" in action.argv or "flush" in action.argv or "--command=sync" in action.argv:
        # sdparm ends with 6 for a unit attention: the next command is answered
        return None if answer.code == 0 else f"{' '.join(text.split())[:200] or 'exit code'} ({answer.code})"
    if action.argv[:1] == ("hdparm",):
        # write-caching =  1 (on)
        match = re.search(r"write-caching\s*=\s*(\d)", text)
        told = match[1] if match else None
        wanted = action.argv[1].removeprefix("-W")
    else:
        # set-feature:0x06 (Volatile Write Cache), value:0x00000001, cdw12:00000000, save:0
        match = re.search(r"\bvalue:(?:0x)?0*([01])\b", text)
        told = match[1] if match else None
        wanted = action.argv[-1].removeprefix("--value=")
    if told == wanted:
        return None
    said = " ".join(text.split())[:200]
    return f"the drive did not take it: {said or f'exit code {answer.code}'}"


def _cannot(drive: Drive, tools: set[str]) -> str | None:
    """Why the cache of a drive cannot be switched."""
    if drive.write_cache is None:
        return "Nothing tells whether the drive's write cache is on, so it could not be put back."
    if drive.device is None:
        return "The drive has no device node here: it is reached through its controller only."
    if drive.interface == "virtual":
        return "The drive is a hypervisor's: its cache is set on the host."
    if drive.interface == "nvme":
        return None if "nvme" in tools else "It needs nvme (package nvme-cli), which is not installed."
    if drive.interface == "usb":
        return "USB adapters pass such commands on in no reliable way."
    if "hdparm" in tools and drive.interface in ("sata", "ata"):
        return None
    return None if _address(drive) else "The kernel shows no SCSI address of the drive, and hdparm is not installed."


def _step(drive: Drive, wanted: str, tools: set[str]) -> Step:
    before: str = drive.write_cache or ""
    return Step(
        object_id=drive.id,
        knob=KNOB,
        before=before,
        after=wanted,
        action=_action(drive, wanted, tools),
        undo=_action(drive, before, tools),
        affects=(_UNTIL,) if drive.interface == "nvme" else (),
        persistent=False if drive.interface == "nvme" else None,
    )


def _action(drive: Drive, wanted: str, tools: set[str]) -> Action:
    value = "1" if wanted == "enabled" else "0"
    node = drive.device or ""
    if drive.interface == "nvme":
        return Action(argv=("nvme", "set-feature", node, "--feature-id=6", f"--value={value}"), timeout=_TIMEOUT)
    if drive.interface in ("sata", "ata") and "hdparm" in tools:
        return Action(argv=("hdparm", f"-W{value}", node), timeout=_TIMEOUT)
    # the same file holds whether the read cache is off: "none", "write back, no read (daft)"
    silent = drive.details.get("cache_type", "") in _NO_READ
    words = {"1": ("write back", "write back, no read (daft)"), "0": ("write through", "none")}
    return Action(path=_PLACE.format(_address(drive)), data=words[value][silent], timeout=_TIMEOUT)


def _address(drive: Drive) -> str | None:
    told: Mapping[str, str] = drive.details
    address = told.get("SCSI address", "")
    return address if _ADDRESS.fullmatch(address) else None
