"""What follows from several outputs, before the model's objects are made.

Weak values only: nothing here outweighs a line of an output.
"""

from __future__ import annotations

from collections.abc import Iterable

from raidctl.model import Health
from raidctl.vendor.disagreement import settle_settings
from raidctl.vendor.draft import WEAK, Draft, GroupDraft, is_bad
from raidctl.vendor.statuses import doubt_ok, health_of_volume, in_no_array, put_status
from raidctl_megaraid.draft import ControllerDraft
from raidctl_megaraid.megacli import infer as infer_megacli
from raidctl_megaraid.ports import report_lost_paths
from raidctl_megaraid.storcli import drive as storcli_drive
from raidctl_megaraid.storcli import volume as storcli_volume
from raidctl_megaraid.storcli.battery import merge_batteries

BAD_BBU = "Write cache with a bad BBU"
"""Detail: whether write-back was reported to stay on without a good battery, whatever the policy is."""
_TARGETS = 128
"""Number of volumes that megaraid_sas shows on channel 2. It shows as many again on channel 3
(MEGASAS_MAX_DEV_PER_CHANNEL)."""
_LD_CHANNEL = 2
_ALL_CHANNELS = 2 * _TARGETS
_WORST: tuple[tuple[frozenset[str], Health], ...] = (
    (frozenset({"failed", "offline"}), "critical"),
    (frozenset({"degraded", "rebuilding", "inactive"}), "warning"),
    (frozenset({"unknown"}), "unknown"),
)
# As the drive's own word reports it.
_REBUILDING = frozenset({"rbld", "rebuild", "rebuilding"})
_COPYING = frozenset({"cpybck", "copyback", "replacing"})


def infer(controller: ControllerDraft, kind: str) -> None:
    """Complete the drafts of a controller: groups, members, rebuilds, SCSI targets."""
    if kind == "megacli":
        infer_megacli(controller)
    elif kind != "mfi":
        _storcli(controller)
    settle_settings(controller)
    _next_learn(controller)
    _put_arrays_of_volumes(controller)
    _members(controller)
    _doubt(controller)
    _alert(controller)
    report_lost_paths(controller)
    _mode(controller)
    _group_health(controller)
    _pools(controller)
    _mirrors(controller)
    for each in controller.volumes.values():
        _rebuild(controller, each)
        if each.get("bad_bbu") is not None:
            each.keep_words(BAD_BBU, "Yes" if each.get("bad_bbu") else "No")
        if kind in ("storcli", "megacli", "mfi"):
            _target(each)


def _storcli(controller: ControllerDraft) -> None:
    """What follows from several lines of storcli, possibly of several outputs."""
    merge_batteries(controller)
    for one in controller.volumes.values():
        storcli_volume.infer(one)
    _counted(controller)
    for other in controller.drives.values():
        storcli_drive.infer(other)


def _counted(controller: ControllerDraft) -> None:
    """Derive a volume's missing number of drives. Its group has a place in the topology for each of them."""
    for volume in controller.volumes.values():
        group = controller.arrays.get(volume.get("array"))
        places = len(group.get("rows") or {}) if group is not None else 0
        if places and volume.get("drives_expected") is None:
            derive(volume, "drives_expected", places)


def _alert(controller: ControllerDraft) -> None:
    """Give drives that count predictive failures the status warning. Their state word may still be a good one."""
    for one in controller.drives.values():
        if one.get("status") == "ok" and (one.get("errors.predictive") or one.get("alert")):
            one.override("status", "warning")


def _mode(controller: ControllerDraft) -> None:
    """Infer the mode: volumes mean RAID; an HBA hides no drive."""
    if controller.volumes:
        seen = any(one.get("role") == "passthrough" for one in controller.drives.values())
        derive(controller, "mode", "mixed" if seen else "raid")
    if controller.get("mode") == "hba" and (controller.get("driver") or "").startswith("mpt"):
        # on a plain host bus adapter, drives are UGood, and the system sees each of them
        for one in controller.drives.values():
            if one.get("role") == "unassigned":
                one.override("role", "passthrough")


def _next_learn(controller: ControllerDraft) -> None:
    """Give the battery the ``Next Battery Learn`` of the controller's scheduled tasks."""
    reported = controller.get("next_learn")
    if reported is not None and len(controller.batteries) == 1:
        line, when = reported
        next(iter(controller.batteries.values())).put(line, "next_learn_at", when, WEAK)


def derive(draft: Draft, name: str, value: object) -> None:
    """Set a field that no line reported."""
    draft.conclude(name, value)


def _put_arrays_of_volumes(controller: ControllerDraft) -> None:
    """The group of each volume. Old MegaCli reports its drives but no group: it gets one, ``gv0``."""
    same = {frozenset(group.members): name for name, group in controller.arrays.items() if group.members}
    for volume in controller.volumes.values():
        members = frozenset(volume.members)
        if volume.get("array") is None and members:
            reported = {controller.drives[key].get("array") for key in members if key in controller.drives} - {None}
            home = reported.pop() if len(reported) == 1 else same.setdefault(members, f"v{volume.name}")
            derive(volume, "array", home)
        if volume.get("array") is not None:
            controller.array(volume.get("array")).members.update(volume.members)


def _members(controller: ControllerDraft) -> None:
    """Link drives and arrays. Some outputs name the array of a drive, others the drives of an array."""
    for drive in controller.drives.values():
        home, role = drive.get("array"), drive.get("role")
        if home is None:
            continue
        group = controller.array(home)
        if role == "spare":
            group.spares[drive.name] = True
        elif role in ("member", "failed", None):
            group.members[drive.name] = None
    for group in controller.arrays.values():
        for key in [key for key in group.members if key in group.spares]:
            del group.members[key]
        for key in (*group.members, *group.spares):
            if key in controller.drives:
                derive(controller.drives[key], "array", group.name)
                derive(controller.drives[key], "role", "spare" if key in group.spares else "member")


def _doubt(controller: ControllerDraft) -> None:
    """Make ok volumes unknown if a member's own state is that of a drive in no array, such as ``UGood``."""
    for volume in controller.volumes.values():
        group = controller.arrays.get(volume.get("array"))
        members = (*volume.members, *(group.members if group is not None else ()))
        doubt_ok(volume, in_no_array(controller.drives[key] for key in members if key in controller.drives))


def _group_health(controller: ControllerDraft) -> None:
    """Infer the health of arrays without a state from their volumes."""
    states: dict[str, set[str]] = {}
    for volume in controller.volumes.values():
        states.setdefault(volume.get("array"), set()).add(volume.get("status") or "unknown")
    for group in controller.arrays.values():
        if group.get("status") is None and group.name in states:
            derive(group, "status", _health(states[group.name]))


def is_pool(volume: GroupDraft) -> bool:
    """Whether a volume is a pool of CacheCade. Its SSDs cache the other volumes."""
    words = (volume.details.get(name, "").lower() for name in ("TYPE", "Virtual Drive Type", "Type"))
    return any(word.startswith(("cac", "cachecade")) for word in words)


def _pools(controller: ControllerDraft) -> None:
    """Move the data of a CacheCade pool to its array, which is as bad as its pool.

    The pool is not a volume; without an array, the data goes to the controller.
    """
    for key in [key for key, volume in controller.volumes.items() if is_pool(volume)]:
        volume = controller.volumes.pop(key)
        home: Draft = controller.arrays.get(volume.get("array")) or controller
        for problem in volume.complaints:
            home.complain(problem)
        for line, name, value in volume.evidence:
            label = name[8:-1] if name.startswith("details[") else name
            home.detail(line, f"CacheCade {volume.name}: {label}", str(value))
        health, word = health_of_volume(volume.get("status")), volume.get("status_text") or "-"
        if not is_bad(health):
            continue
        if home is controller:
            text = f"The CacheCade pool {volume.name}, which caches other volumes, is {word}."
            home.add_problem("warning", "state", text, "Check its SSDs.")
        else:
            lines = [line for line, name, _ in volume.evidence if name == "status"]
            put_status(home, lines, "array", health, text=f"CacheCade {volume.name} {word}")


def _mirrors(controller: ControllerDraft) -> None:
    """Correct the level of striped mirrored pairs.

    The firmware calls them RAID1: more than two drives, and larger than one of them.
    """
    for group in controller.arrays.values():
        sizes = [controller.drives[key].get("size_bytes") for key in group.members if key in controller.drives]
        mine = [volume for volume in controller.volumes.values() if volume.get("array") == group.name]
        held = sum(volume.get("size_bytes") or 0 for volume in mine)
        if len(sizes) < 4 or None in sizes or held <= min(sizes) * 1.05:
            continue
        for volume in mine:
            if volume.get("raid_level") == "raid1":
                volume.override("raid_level", "raid10")
                for line, name, _ in list(volume.evidence):
                    if name == "raid_level":
                        volume.detail(line, "RAID level of the tool", "RAID1")


def _health(states: Iterable[str]) -> Health:
    found = set(states)
    return next((health for words, health in _WORST if found & words), "ok")


def _rebuild(controller: ControllerDraft, volume: GroupDraft) -> None:
    """Make a drive's rebuild its volume's operation. Tools report it of drives being filled, and the slowest counts."""
    if volume.get("progress.operation") is not None or volume.get("array") not in controller.arrays:
        return
    keys = volume.members or controller.arrays[volume.get("array")].members
    busy = [
        controller.drives[key] for key in keys if key in controller.drives and _is_being_filled(controller.drives[key])
    ]
    if busy:
        copied = all(_copies(drive) for drive in busy)
        derive(volume, "progress.operation", "copyback" if copied else "rebuild")
        for name, slowest in (("progress.percent", min), ("progress.remaining_seconds", max)):
            reported = [figure for drive in busy if (figure := drive.get(name)) is not None]
            if reported:
                derive(volume, name, slowest(reported))


def _is_being_filled(drive: Draft) -> bool:
    return drive.get("progress.operation") == "rebuild" or bool(_words(drive) & _REBUILDING) or _copies(drive)


def _copies(drive: Draft) -> bool:
    return bool(_words(drive) & _COPYING)


def _words(drive: Draft) -> set[str]:
    return set((drive.get("status_text") or "").lower().replace(",", " ").split())


def _target(volume: GroupDraft) -> None:
    """Set ``SCSI target``, where megaraid_sas shows a volume.

    It follows from the target id, which is the volume's number.
    """
    number = volume.get("target")
    if number is None and volume.name.isascii() and volume.name.isdecimal() and len(volume.name) < 4:
        number = int(volume.name)
    if number is not None and 0 <= number < _ALL_CHANNELS:
        address = f"{_LD_CHANNEL + number // _TARGETS}:{number % _TARGETS}:0"
        volume.keep_words("SCSI target", address)
