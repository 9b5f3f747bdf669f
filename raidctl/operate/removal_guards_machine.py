"""Guards against pulling a drive that do not concern its arrays. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.health.error_recovery import gives_up_first
from raidctl.health.redundancy import OUT_OF_REACH
from raidctl.health.write_journal import is_read_cache
from raidctl.model import Controller, Drive, Problem, unread_problems
from raidctl.model.write_protection import without_cache
from raidctl.operate.boot_loader import boot_parts
from raidctl.operate.container import UNREAD
from raidctl.operate.contents import HELD, Contents
from raidctl.operate.removal_guards import Reasons, fact, reason
from raidctl.operate.removal_report import Reason, Verdict
from raidctl.operate.removal_subject import Subject, uses
from raidctl.select import family_of
from raidctl.text import capitalised, listing
from raidctl.units import format_duration, parse_moment


def identity(subject: Subject) -> Reasons:
    """X1: the serial number is known and unique."""
    drive, others = subject.drive, subject.namesakes
    evidence = (fact(drive, "serial"), fact(drive, "wwn"))
    if others:
        names = listing(other.id for other in others)
        text = (
            f"{names} {'has' if len(others) == 1 else 'have'} the same serial number: the label does not identify it."
        )
        remedy = "Identify the bay by other means, with the machine switched off if necessary."
        yield reason("X1", "unknown", text, *evidence, *(fact(other, "serial") for other in others), remedy=remedy)
    elif not drive.serial and not drive.wwn:
        text = "Neither serial number nor world wide name is reported, so the drive in your hand cannot be identified."
        yield reason("X1", "unknown", text, *evidence, remedy="`raidctl doctor` lists the tools that report it.")
    elif not drive.serial:
        yield reason("X1", "note", "The serial number is not reported; compare the world wide name.", *evidence)
    else:
        yield reason("X1", "yes", "No other drive has this serial number.", *evidence)
    beside = [
        other.id
        for other in subject.controller.drives
        if drive.bay and drive.enclosure and (other.enclosure, other.bay) == (drive.enclosure, drive.bay)
        and other.id != drive.id
    ]  # fmt: skip
    if beside:
        text = f"{listing(beside)} {'reports' if len(beside) == 1 else 'report'} the same enclosure and bay."
        yield reason("X1", "note", text, fact(drive, "enclosure"), fact(drive, "bay"),
                     remedy="If they share a carrier, check each of them.")  # fmt: skip


def age(subject: Subject) -> int | None:
    """Age of the information in seconds; None: unknown."""
    moment = parse_moment(subject.inventory.host.collected_at)
    return None if moment is None else max(int((subject.now - moment).total_seconds()), 0)


def fresh(subject: Subject) -> Reasons:
    """X3: the information is live, from the machine itself. A recording is judged with its age."""
    host, seconds = subject.inventory.host, age(subject)
    evidence = (f"host.source = {host.source}", f"host.collected_at = {host.collected_at or 'not reported'}")
    if not host.source.startswith("replay:"):
        yield reason("X3", "yes", "The machine was read just now.", *evidence)
        return
    old = f"{format_duration(seconds)} old" if seconds is not None else "of unknown age"
    text = f"This result is from a recording, {old}: it does not show later failures."
    yield reason("X3", "note", text, *evidence, remedy="Check again on the machine itself before you pull the drive.")


def visible(subject: Subject) -> Reasons:
    """X8: the host's devices are visible. What concerns the drive could be read."""
    fine = True
    if subject.view.sys_read_only:
        fine = False
        text = "/sys is read-only, as in a container: what uses the host's drives is unknown."
        yield reason("X8", "unknown", text, "/sys mount option = ro", remedy="Run raidctl on the host itself.")
    elif subject.around.container is not None:
        fine = False
        maybe = "may run" if subject.around.container.endswith(UNREAD) else "runs"
        text = f"raidctl {maybe} in a container: what uses the host's drives is unknown."
        yield reason("X8", "unknown", text, subject.around.container, remedy="Run raidctl on the host itself.")
    for problem in unread_problems(subject.inventory.problems):
        if problem.severity != "info" and _may_concern(subject, problem):
            fine = False
            text = f"Not everything could be read: {problem.where}: {problem.message}"
            evidence = f"problem.kind = {problem.kind}"
            yield reason("X8", "unknown", text, evidence, remedy=problem.remedy)
    if fine:
        yield reason("X8", "yes", "Everything that concerns the drive could be read.")


def _may_concern(subject: Subject, problem: Problem) -> bool:
    """Whether a problem may hide something about the drive. All do but those of other controllers and drives."""
    own = {controller.id for controller, _ in subject.entries} | {
        controller.pci_address for controller, _ in subject.entries
    }
    for controller in subject.inventory.controllers:
        if controller.id not in own and problem.where in (controller.id, controller.pci_address):
            return False
        if controller.id not in own and problem.where.startswith(f"{controller.id}/"):
            return False
    return not (problem.kind == "no_tool" and _of_health(subject, problem))


def _of_health(subject: Subject, problem: Problem) -> bool:
    """Whether a missing tool hides only the health of plain drives. R2 judges it."""
    families = {
        family_of(controller) for controller in subject.inventory.controllers if controller.mode in ("none", "hba")
    }
    return problem.where in families


def cache(subject: Subject) -> Reasons:
    """R5: no cache holds data of volumes that are offline or gone."""
    controller, memory = subject.controller, subject.controller.cache
    evidence = (
        f"{controller.id} cache.preserved_data = {_word(memory.preserved_data if memory else None)}",
        f"{controller.id} cache.status = {_word(memory.status if memory else None)}",
    )
    if without_cache(controller):
        yield reason(
            "R5",
            "yes",
            "The controller has no write cache that could hold data.",
            f"{controller.id} mode = {controller.mode}",
        )
    elif memory is not None and memory.preserved_data:
        text = f"The cache of {controller.id} holds preserved data of a volume that is offline or gone."
        remedy = "Reconnect the drives of that volume, and the controller writes the data. Do not discard it."
        yield reason("R5", "no", text, *evidence, remedy=remedy)
    elif memory is not None and (memory.preserved_data is False or _good_status(subject)):
        yield reason("R5", "yes", "The cache holds no data of lost volumes.", *evidence)
    else:
        yield _silent_cache(subject, *evidence)


def _good_status(subject: Subject) -> bool:
    """Whether the cache has a good status, and that of its family would mention preserved data."""
    memory, silent = subject.controller.cache, subject.unreported(subject.controller, "preserved_data")
    return memory is not None and memory.status == "ok" and silent is not None and silent.in_status


def _silent_cache(subject: Subject, *evidence: str) -> Reason:
    """R5 without a report about preserved data. It passes only if no tool of the family can report it."""
    controller, memory = subject.controller, subject.controller.cache
    silent = subject.unreported(controller, "preserved_data")
    lost = [volume.id for volume in controller.volumes if volume.status in OUT_OF_REACH]
    unclear = [volume.id for volume in controller.volumes if volume.status == "unknown"]
    status = memory.status if memory is not None else None
    if silent is not None and not lost and not unclear and (not silent.in_status or status not in (None, "unknown")):
        return reason("R5", "yes", f"Every listed volume of {controller.id} works, and {silent.why}.", *evidence)
    text = f"Whether the cache of {controller.id} holds data of lost volumes is not reported."
    if lost:
        it = "it" if len(lost) == 1 else "them"
        text = f"{listing(lost)} cannot be read, and whether the cache holds data of {it} is not reported."
    elif unclear:
        text = f"The state of {listing(unclear)} is unknown, and whether the cache holds data of it is not reported."
    return reason("R5", "unknown", text, *evidence, remedy="`raidctl doctor` lists the tools that report it.")


def _word(value: object) -> str:
    return "not reported" if value is None else str(value).lower()


def unused(subject: Subject) -> Reasons:
    """R7: nothing uses the drive besides the arrays that R1 judges."""
    drive = subject.drive
    evidence = (fact(drive, "role"), fact(drive, "device"), fact(drive, "mountpoints"))
    found = list(dict.fromkeys(uses(subject)))
    for use in found:
        remedy = "Unmount or release it first." if use.certain else None
        yield reason("R7", "no" if use.certain else "unknown", f"{_sentence(use.text)}.", *evidence, remedy=remedy)
    if found:
        return
    if drive.foreign or (drive.foreign is None and any(one.foreign is not None for one in subject.controller.drives)):
        text = "The drive may hold a configuration that the controller has not imported, and be a missing member."
        yield reason("R7", "unknown", text, fact(drive, "foreign"), remedy="Import or clear that configuration first.")
    elif subject.blocks:
        yield reason("R7", "yes", "The system shows no use of the drive other than by its arrays.", *evidence)
    elif drive.device or drive.role == "passthrough" or subject.software or subject.controller.mode in ("none", "hba"):
        yield reason("R7", "unknown", "What the system uses the drive for is unknown.", *evidence)
    elif drive.array or drive.role in ("member", "spare", "failed", "unassigned", "journal"):
        yield reason("R7", "yes", "The system sees the drive through its controller only.", *evidence)
    else:
        yield reason("R7", "unknown", "What the drive is used for is not reported.", *evidence)


def unused_and_empty(subject: Subject) -> Reasons:
    """R7 before a pull: a drive in no array is also empty. No process holds it."""
    found = list(unused(subject))
    if any(one.verdict != "yes" for one in found) or not subject.unproven:
        yield from found
        return
    evidence = found[0].evidence
    fine = True
    for node in subject.unproven:
        text, verdict, remedy = _content(node, subject.around.contents.get(node))
        if text:
            fine = False
            yield reason("R7", verdict, text, *evidence, remedy=remedy)
    if fine:
        text = (
            "Nothing uses the drive: it has no mount, no mapping and no signature, its first sector is empty, "
            "and no program holds it."
        )
        yield reason("R7", "yes", text, *evidence, *(f"{node} contents = empty" for node in subject.unproven))


def _content(node: str, found: Contents | None) -> tuple[str, Verdict, str | None]:
    """Why a device may be in use although the kernel shows nothing. An empty text: the device is empty."""
    ask = "whether anything uses it is unknown."
    if found is None:
        text = f"The contents of {node} were not read. It may be in use although the kernel shows nothing on it."
        return text, "unknown", "Check on the machine itself, where it is read."
    if found.signatures is None or found.blank is None:
        return f"What {node} contains could not be read: {ask}", "unknown", found.remedy
    if found.signatures:
        return f"{node} contains {listing(found.signatures)}: {ask}", "unknown", None
    if not found.blank:
        return f"{node} begins with data in no known format: {ask}", "unknown", None
    if found.held:
        text = f"{node} {HELD}"
        return text, "no", f"Find it with `lsof {node}` or `targetcli ls`, and release the drive first."
    return "", "yes", None


def _sentence(text: str) -> str:
    return text if text.startswith("/") else capitalised(text)


_AUTO_REBUILD = "Auto-Rebuild Policy"
"""Label of the only tool that reports it."""


def taken_automatically(subject: Subject) -> Reasons:
    """S6: which drive the controller takes for an automatic rebuild. The guard applies if that may be any drive."""
    controller = subject.controller
    word = controller.details.get(_AUTO_REBUILD, "").strip().lower()
    others = [
        drive.id
        for drive in controller.drives
        if drive.id != subject.drive.id and drive.role in ("unassigned", "failed", "spare")
    ]
    if word == "on":
        which = f" (now {listing(others)})" if others else ""
        text = (
            f"Auto-rebuild is on: {controller.id} takes a spare, else any unconfigured drive, even a failed one{which}."
        )
        remedy = "Leave no other unconfigured drive in the machine, or add the right one as a spare first."
        yield reason("S6", "note", text, f"{controller.id} {_AUTO_REBUILD} = {word}", remedy=remedy)
    elif _AUTO_REBUILD in controller.details and word != "off":
        yield reason("S6", "note", f"Which drive {controller.id} takes for an automatic rebuild is unknown.")
    else:
        yield reason("S6", "yes", "The controller is not reported to rebuild onto any unconfigured drive.")


def boot(subject: Subject) -> Iterator[str]:
    """Yield boot-related content of the drive, as far as it is known."""
    for block in subject.blocks:
        yield from boot_parts(subject.view, block.name)
        code = subject.around.sectors.get(block.node)
        if code is not None and code != "none":
            what = "GRUB" if code == "grub" else "code that a BIOS would start"
            yield f"{what} in the first sector of {block.node}"


def boots(subject: Subject) -> Reasons:
    """R13: whether the drive boots the machine."""
    found = list(boot(subject))
    codes = [subject.around.sectors.get(block.node) for block in subject.blocks]
    if found:
        remedy = "Make sure that another drive boots the machine, and install the boot loader on the new drive."
        yield reason("R13", "note", f"The machine may boot from the drive: {listing(found)}.", *found, remedy=remedy)
    elif subject.blocks and None in codes and subject.around.firmware != "uefi":
        text = "No boot partition is seen on the drive; its first sector was not read, so it may contain a boot loader."
        yield reason("R13", "note", text)
    elif subject.blocks:
        why = "no boot loader in its first sector" if None not in codes else "UEFI starts no code of its first sector"
        text = f"The drive has no boot partition, and {why}."
        yield reason("R13", "yes", text, *(f"{block.node} first sector = {code or 'not read'}" for block, code in zip(
            subject.blocks, codes, strict=True)))  # fmt: skip
    elif subject.software or subject.controller.mode in ("none", "hba"):
        yield reason("R13", "note", "Whether the drive boots the machine is unknown.")
    else:
        yield reason("R13", "yes", "The system boots from volumes of the controller, not from this drive.")


def timeouts(subject: Subject) -> Reasons:
    """R14: a bad sector does not drop another drive of a software array during a rebuild."""
    members = [one for loss in subject.losses if loss.controller.mode == "software" for one in loss.others]
    others = {drive.id: drive for member in members for _, drive in subject.below(member)}
    unseen = [member.id for member in members if not subject.below(member)]
    slow = [drive for drive in others.values() if drive.media != "ssd" and drive.interface in ("sata", "ata", None)]
    bad: list[Drive] = []
    silent: list[Drive] = []
    for drive in slow:
        first = gives_up_first(drive)
        if not first:
            (silent if first is None else bad).append(drive)
    if bad:
        text = (
            f"A bad sector on {listing(drive.id for drive in bad)} may drop that drive from the array in the rebuild."
        )
        remedy = f"Set them first; `raidctl diagnose --rule error_recovery_timeout {bad[0].id}` prints the commands."
        yield reason("R14", "note", text, *(fact(drive, "error_recovery_seconds") for drive in bad), remedy=remedy)
    if silent or unseen:
        names = listing([*(drive.id for drive in silent), *(f"the drive below {name}" for name in unseen)])
        text = f"Whether {names} would give up on a bad sector before the kernel does is unknown."
        yield reason("R14", "note", text, *(fact(drive, "error_recovery_seconds") for drive in silent))
    if not bad and not silent and not unseen:
        yield reason("R14", "yes", "No drive that a rebuild reads is known to retry longer than the kernel waits.")


def no_journal(subject: Subject) -> Reasons:
    """R16: the drive is not a journal or cache of another volume."""
    found = [(controller, drive) for controller, drive in subject.entries if drive.role == "journal"]
    for controller, drive in found:
        if family_of(controller) == "zfs":
            yield _of_pool(controller, drive)
            continue
        text = f"The drive holds the journal of {_journal_of(controller, drive)}: data that may not be elsewhere yet."
        remedy = "Take the journal out of use first: stop the array, and start it without the journal."
        yield reason("R16", "no", text, fact(drive, "role"), fact(drive, "array"), remedy=remedy)
    silent = [
        one for controller, one in subject.entries if one.role is None and one.array and controller.mode == "software"
    ]
    for drive in silent:
        text = f"What {drive.id} is for in its array is not reported: it may be a journal."
        yield reason("R16", "unknown", text, fact(drive, "role"), fact(drive, "array"))
    if not found and not silent:
        yield reason("R16", "yes", "The drive is not reported as a journal.", fact(subject.drive, "role"))


def _of_pool(controller: Controller, drive: Drive) -> Reason:
    """R16 for a pool of ZFS, which can do without its log and cache devices."""
    pool = _journal_of(controller, drive)
    evidence = (fact(drive, "role"), f"{drive.id} class = {drive.details.get('class', 'not reported')}")
    remedy = f"Take it out of the pool first: zpool remove {pool.removeprefix('zfs:')} {drive.details.get('name', '')}"
    if is_read_cache(drive):
        text = f"The drive is a read cache of {pool}, and holds only copies of its data."
        return reason("R16", "note", text, *evidence, remedy=remedy.rstrip())
    text = f"The drive holds the log of {pool}: data that may not be elsewhere yet."
    return reason("R16", "no", text, *evidence, remedy=remedy.rstrip())


def _journal_of(controller: Controller, drive: Drive) -> str:
    return next((volume.id for volume in controller.volumes if volume.array == drive.array), drive.array or "an array")


def all_of_it(subject: Subject) -> Reasons:
    """R17: everything that leaves with the bay is known. All of it counts as one."""
    drive = subject.drive
    with_it = [other.id for _, other in subject.entries if other.id != drive.id]
    nodes = [block.node for block in subject.blocks]
    nodes += [
        part.node for block in subject.blocks for part in subject.view.above(block.name) if part.kind == "partition"
    ]
    if subject.software:
        text = f"What else is on the drive of {drive.id} is unknown: other partitions may belong to other arrays."
        yield reason("R17", "unknown", text, fact(drive, "backing"), fact(drive, "device"),
                     remedy="Check on the machine itself, or on a recording of it.")  # fmt: skip
        return
    text = (
        f"Removed with it: {listing(with_it)}; each array is judged." if with_it else "Nothing else leaves the machine."
    )
    yield reason("R17", "yes", text, *(f"on the drive: {node}" for node in nodes))
