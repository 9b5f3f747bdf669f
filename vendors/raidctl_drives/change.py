"""The write caches of plain drives: settings and commands that change them.

The setting ``write_cache`` of a drive is changed by

* ``hdparm -W1 /dev/sda`` for ATA: the kernel notices the change;
* ``echo 'write back' > /sys/class/scsi_disk/2:0:0:0/cache_type`` for SCSI, and for ATA without hdparm: MODE SELECT to
  the drive, and the kernel's own view with it (with sdparm the kernel would not notice);
* ``nvme set-feature /dev/nvme0 --feature-id=6 --value=1``: always the long options, because the short one for the
  value means "verbose" since version 2.5, and would switch the cache off; and always the controller, because drives
  refuse the feature for one namespace (0x410f: not namespace specific), whose number nvme sends with a namespace's
  node. The kernel reports which controller it is; the number in the name of a namespace does not show it.

The form ``temporary write through`` of ``cache_type`` is never written: it changes only the kernel's setting, not the
drive (sd_mod, ``cache_type_store``), so a drive that still caches would get no flushes. What survives a power cycle:
SCSI drives that have a saved page keep what the kernel sets, NVMe drives forget it (``--save`` is refused by many, and
never used), ATA drives differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from raidctl.model import Controller, Drive, Tool
from raidctl.request import Answer, RunAnswer
from raidctl.text import collapse, regex
from raidctl.vendor.plan import Action, Desired, Flush, Plan, Refusal, RefusalKind, Step, ToolSetting

SETTING = "write_cache"
_TIMEOUT = 60.0
_ADDRESS = regex(r"\d+:\d+:\d+:\d+")
_NO_READ = frozenset({"none", "write back, no read (daft)"})
_NAMESPACE = regex(r"/dev/nvme\d+n(\d+)", re.ASCII)
# 1 [cha: y, def:  1, sav:  1]
_SAVED = regex(r"\bsav: *([01])\b")
_FIXED = regex(r"\bcha: *n\b")
_UNTIL = "Lost at a power cycle or reset: an NVMe drive keeps only saved settings."
_REFUSED = regex(r"\bfailed\b|bad/missing sense|\berror\b|not supported", re.IGNORECASE)
_NO_FLUSHES = (
    "The kernel treats the drive as having no write cache (queue/write_cache is write through) and does not notice the "
    "change: it sends no flushes until the next reboot."
)
_CONTROLLER = regex(r"/dev/nvme\d+", re.ASCII)
_NO_CONTROLLER = "The kernel shows no single controller for the drive, and the cache is set through that controller."
_SYNC = "Run sync: for a mounted file system it ends with a flush of the drive."
_PLACE = "/sys/class/scsi_disk/{}/cache_type"


def current_settings(controller: Controller) -> dict[ToolSetting, str]:
    """The write cache of each drive, ``enabled`` or ``disabled``, if reported."""
    return {(drive.id, SETTING): drive.write_cache for drive in controller.drives if drive.write_cache is not None}


def plan(controller: Controller, requests: Sequence[Desired], tools: Sequence[Tool]) -> Plan:
    """One step for each drive whose cache differs from the requested one."""
    names = {tool.name for tool in tools}
    drives = {drive.id: drive for drive in controller.drives}
    steps: list[Step] = []
    already: list[Desired] = []
    refusals: list[Refusal] = []
    for desired in requests:
        drive = drives.get(desired.object_id)
        if desired.setting != SETTING or drive is None:
            reason = "Plain drives have one cache setting: the write cache is on or off."
            refusals.append(Refusal(desired=desired, kind="unsupported", reason=reason))
        elif drive.write_cache == desired.value:
            already.append(desired)
        elif (why := _cannot(drive, names)) is not None:
            refusals.append(Refusal(desired=desired, kind=_kind(drive, why), reason=why))
        else:
            steps.append(_step(drive, desired.value, names))
    return Plan(desired=tuple(requests), steps=tuple(steps), already=tuple(already), refusals=tuple(refusals))


def flushes(controller: Controller, tools: Sequence[Tool]) -> list[Flush]:
    """``hdparm -F``, ``sdparm --command=sync``, ``nvme flush``: each returns when the drive has written everything."""
    names = {tool.name for tool in tools}
    return [_flush(drive, names) for drive in controller.drives]


def _flush(drive: Drive, tools: set[str]) -> Flush:
    if drive.device is None:
        return Flush(object_id=drive.id, why="The drive has no device node on this machine.")
    if drive.interface == "virtual":
        return Flush(object_id=drive.id, why="Virtual drive: the host controls its cache and the storage below it.")
    if drive.interface == "nvme":
        return _flush_nvme(drive, tools)
    argv = {
        "sata": ("hdparm", "-F", drive.device),
        "ata": ("hdparm", "-F", drive.device),
        "sas": ("sdparm", "--command=sync", drive.device),
        "scsi": ("sdparm", "--command=sync", drive.device),
    }.get(drive.interface or "")
    if argv is None:
        return Flush(object_id=drive.id, why="The drive's interface is unknown.", alternative=_SYNC)
    if argv[0] not in tools:
        return Flush(object_id=drive.id, why=f"{argv[0]} is not installed.", alternative=_SYNC, lack="tool")
    return Flush(object_id=drive.id, action=Action(argv=argv, timeout=_TIMEOUT))


def _flush_nvme(drive: Drive, tools: set[str]) -> Flush:
    """Flush each namespace. The kernel accepts only the number of the node's own namespace."""
    if "nvme" not in tools:
        return Flush(object_id=drive.id, why="nvme is not installed.", alternative=_SYNC, lack="tool")
    nodes = drive.details.get("namespaces", drive.device or "").split(", ")
    found = [(node, match[1]) for node in nodes if (match := _NAMESPACE.fullmatch(node))]
    if len(found) != 1:
        commands = " and ".join(f"nvme flush {node} -n {number}" for node, number in found)
        why = (
            "A flush covers one namespace, and the drive has several."
            if found
            else "The drive has no namespace on this machine."
        )
        return Flush(object_id=drive.id, why=why, alternative=commands or _SYNC)
    [(node, number)] = found
    return Flush(object_id=drive.id, action=Action(argv=("nvme", "flush", node, "-n", number), timeout=_TIMEOUT))


def judge(action: Action, answer: Answer) -> str | None:
    """Why a change failed; None if the tool prints the new state. Exit code 0 does not show a refusal."""
    if not isinstance(answer, RunAnswer):
        return None
    text = f"{answer.text}\n{answer.error_text}"
    if "-F" in action.argv or "flush" in action.argv or "--command=sync" in action.argv:
        return _not_flushed(action, answer.code, collapse(text)[:200])
    if action.argv[:1] == ("hdparm",):
        # write-caching =  1 (on)
        match = re.search(r"write-caching\s*=\s*(\d)", text)
        printed = match[1] if match else None
        wanted = action.argv[1].removeprefix("-W")
    else:
        # set-feature:0x06 (Volatile Write Cache), value:0x00000001, cdw12:00000000, save:0
        match = re.search(r"\bvalue:(?:0x)?0*([01])\b", text)
        printed = match[1] if match else None
        wanted = action.argv[-1].removeprefix("--value=")
    if printed == wanted:
        return None
    output = collapse(text)[:200]
    return f"the drive rejected it: {output or f'exit code {answer.code}'}"


def _not_flushed(action: Action, code: int | None, output: str) -> str | None:
    """Why a flush failed. If the drive refused it, hdparm exits with 0, and nvme prints its success."""
    # SG_IO: bad/missing sense data, sb[]:  70 00 05 …
    # sdparm ends with 6 for a unit attention: the next command is answered
    if code == 0 and not _REFUSED.search(output) and ("nvme" not in action.argv or "success" in output.lower()):
        return None
    return f"{output or 'no output'} (exit code {code})"


def _kind(drive: Drive, why: str) -> RefusalKind:
    """The kind of reason why a drive's cache cannot be switched."""
    if drive.write_cache is None:
        return "unknown"
    return "no_tool" if why.endswith("not installed.") else "unsupported"


def _cannot(drive: Drive, tools: set[str]) -> str | None:
    """Why the cache of a drive cannot be switched."""
    if drive.write_cache is None:
        return "The drive's write cache state is unknown, so it could not be restored."
    if drive.device is None:
        return "The drive has no device node: it is accessible only through its controller."
    if drive.interface == "virtual":
        return "Virtual drive: its cache is set on the host."
    if drive.interface == "nvme":
        if drive.details.get("volatile write cache") == "not present":
            return "The drive has no volatile write cache."
        if "nvme" not in tools:
            return "nvme (package nvme-cli) is required but not installed."
        return None if _CONTROLLER.fullmatch(drive.details.get("controller", "")) else _NO_CONTROLLER
    if drive.interface == "usb":
        return "USB adapters do not pass such commands on reliably."
    if "hdparm" in tools and drive.interface in ("sata", "ata"):
        return None
    if _FIXED.search(drive.details.get("WCE", "")):
        return "The drive's write cache cannot be changed (WCE is not changeable)."
    return None if _address(drive) else "The kernel shows no SCSI address of the drive, and hdparm is not installed."


def _step(drive: Drive, wanted: str, tools: set[str]) -> Step:
    before: str = drive.write_cache or ""
    return Step(
        object_id=drive.id,
        setting=SETTING,
        before=before,
        after=wanted,
        action=_action(drive, wanted, tools),
        undo=_action(drive, before, tools),
        affects=tuple(_affects(drive, wanted, tools)),
        persistent=_persistent(drive, tools),
    )


def _by_kernel(drive: Drive, tools: set[str]) -> bool:
    """Whether the kernel's file does it, and no tool."""
    return drive.interface != "nvme" and not (drive.interface in ("sata", "ata") and "hdparm" in tools)


def _persistent(drive: Drive, tools: set[str]) -> bool | None:
    """Whether it survives a power cycle. The kernel saves a SCSI drive's page where the drive can."""
    if drive.interface == "nvme":
        return False
    saved = _SAVED.search(drive.details.get("WCE", "")) if _by_kernel(drive, tools) else None
    return True if saved else None


def _affects(drive: Drive, wanted: str, tools: set[str]) -> Iterator[str]:
    """What else it changes, and what it does not."""
    if drive.interface == "nvme":
        yield _UNTIL
        nodes = drive.details.get("namespaces")
        if nodes:
            yield f"Applies to all namespaces of the drive: {nodes}."
        if wanted == "enabled" and drive.details.get("queue/write_cache") == "write through":
            yield _NO_FLUSHES
    elif _by_kernel(drive, tools):
        saved = _SAVED.search(drive.details.get("WCE", ""))
        if saved and (saved[1] == "1") != (drive.write_cache == "enabled"):
            state = "on" if saved[1] == "1" else "off"
            yield f"The drive's saved setting is {state}, unlike the current one; it is overwritten."
        if wanted == "enabled" and "devices" in drive.details:
            yield (
                f"The kernel notices the change on {drive.device} only, not on the drive's other paths "
                f"({drive.details['devices']}): echo 1 > /sys/block/NAME/device/rescan for each of them."
            )


def _action(drive: Drive, wanted: str, tools: set[str]) -> Action:
    value = "1" if wanted == "enabled" else "0"
    node = drive.device or ""
    if drive.interface == "nvme":
        controller = drive.details.get("controller", "")
        return Action(argv=("nvme", "set-feature", controller, "--feature-id=6", f"--value={value}"), timeout=_TIMEOUT)
    if drive.interface in ("sata", "ata") and "hdparm" in tools:
        return Action(argv=("hdparm", f"-W{value}", node), timeout=_TIMEOUT)
    # the same file holds whether the read cache is off: "none", "write back, no read (daft)"
    silent = drive.details.get("cache_type", "") in _NO_READ
    words = {"1": ("write back", "write back, no read (daft)"), "0": ("write through", "none")}
    return Action(path=_PLACE.format(_address(drive)), data=words[value][silent], timeout=_TIMEOUT)


def _address(drive: Drive) -> str | None:
    details: Mapping[str, str] = drive.details
    address = details.get("SCSI address", "")
    return address if _ADDRESS.fullmatch(address) else None
