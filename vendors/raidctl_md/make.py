"""Steps that make, list or delete an md array. Pure.

``mdadm --create --run`` does not ask for confirmation: it was seen to overwrite an ext4 file system and members of
another array with exit code 0. So raidctl's own guards come before it. It runs under the locks of the whole drives:
udev's late events were seen to assemble what had just been stopped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from raidctl.host import HostView
from raidctl.model import Controller, Drive, Volume
from raidctl.request import Dialogue, Failure, Glob, Read, Run, Which, ask, ask_all
from raidctl.vendor.creating import CannotCreate, NewVolume, Setup
from raidctl.vendor.deed_steps import saved_ends
from raidctl.vendor.plan import Action, Expectation, Identity, Saved, Step
from raidctl.vendor.shapes import Shape, locked
from raidctl_md import conf
from raidctl_md.create import create

_NAME = r"[A-Za-z0-9][\w.-]{0,31}"
_HOST = r"[A-Za-z0-9][\w.-]{0,63}"
_BESIDE = ".raidctl"
"""The suffix of the file that is written first. That file then takes the place of the configuration."""
SHAPES: tuple[Shape, ...] = (
    (
        "mdadm", "--create", rf"~/dev/md/{_NAME}", "--run", rf"~--name={_NAME}", rf"~--homehost={_HOST}",
        r"~--level=(?:0|1|4|5|6|10|linear)", r"~--raid-devices=\d{1,3}", r"?~--spare-devices=\d{1,3}",
        r"?~--chunk=\d{1,8}K", r"?~--metadata=(?:0\.90|1\.[0-2])", r"?~--layout=(?:[nfo]\d|[a-z]+-[a-z]+)",
        "?~--bitmap=internal", r"?~--consistency-policy=(?:resync|ppl)", "{}+",
    ),
    ("mdadm", "--stop", "{}"),
    ("mdadm", "--zero-superblock", "{}"),
    *(("dd", f"of={path}{_BESIDE}", "conv=fsync", "status=none") for path in conf.PATHS),
    *(("mv", "--no-target-directory", "--", f"{path}{_BESIDE}", path) for path in conf.PATHS),
    ("update-initramfs", "-u"),
    ("dracut", "--force"),
)  # fmt: skip
_IMAGES = (("update-initramfs", "/boot/initrd.img-{}"), ("dracut", "/boot/initramfs-{}.img"))
"""The tools that make boot images, and where they write them. Both are from their manual pages."""
_SECONDS = 60.0
_IMAGE_SECONDS = 900.0


def setup(view: HostView) -> Dialogue[Setup]:
    """Read the configuration files, their times, and which programs are installed."""
    pieces = yield from ask_all([Glob("/etc/mdadm/mdadm.conf.d/*.conf"), Glob("/etc/mdadm.conf.d/*.conf")])
    places = yield from ask_all([Glob("/etc/mdadm"), Glob("/etc/debian_version")])
    paths = [
        *conf.PATHS,
        *(f"{path}{_BESIDE}" for path in conf.PATHS),
        *(path for answer in pieces for path in answer.paths),
    ]
    texts = yield from ask_all([Read(path) for path in paths])
    programs = ("mdadm", "flock", "wipefs", "sfdisk", *(name for name, _ in _IMAGES))
    found = yield from ask_all([Which(name) for name in programs])
    images = [place.format(view.kernel) for _, place in _IMAGES] if view.kernel else []
    dated = [path for path, answer in zip(paths, texts, strict=True) if answer.text is not None] + images
    times = {}
    for path in dated:
        answer = yield from ask(Run(("stat", "--format=%Y", path)))
        if answer.code == 0 and answer.text.strip().isdecimal():
            times[path] = int(answer.text)
    texts_of = {path: answer.text for path, answer in zip(paths, texts, strict=True)}
    first = conf.PATHS if any(answer.paths for answer in places) else conf.PATHS[::-1]
    return Setup(
        files={path: texts_of[path] for path in (*first, *paths[2:])},
        unread=tuple(
            path for path, answer in zip(paths, texts, strict=True) if answer.trouble not in (None, Failure.MISSING)
        ),
        times=times, hostname=view.hostname,
        tools=frozenset(name for name, answer in zip(programs, found, strict=True) if answer.path),
    )  # fmt: skip


def obstacles(new: NewVolume, found: Setup, view: HostView) -> Sequence[str]:
    """Return the violations of P16.

    The name has to be free in /dev/md and in the configuration, and mdadm has to take the home host's form.
    """
    return list(_obstacles(new, found, view))


def _obstacles(new: NewVolume, found: Setup, view: HostView) -> Iterator[str]:
    name = _name(new)
    if view.block(f"/dev/md/{name}") is not None:
        yield f"There is an array /dev/md/{name} already."
    for path, text in found.files.items():
        if conf.names_device(text or "", name):
            yield f"{path} has an ARRAY line for /dev/md/{name} already."
    yield from (f"{path} cannot be read, so it cannot be known whether the name is free." for path in found.unread)
    if not re.fullmatch(_HOST, _host(new, found), re.ASCII):
        yield "The host name of the machine is unknown, or has characters that mdadm does not take for the home host."
    for tool in ("mdadm", "flock", "wipefs"):
        if tool not in found.tools:
            yield f"{tool} is not installed."


def _name(new: NewVolume) -> str:
    return (new.name or "").rpartition(":")[2]


def _host(new: NewVolume, found: Setup) -> str:
    return (new.name or "").rpartition(":")[0] or found.hostname or ""


def make(controller: Controller, new: NewVolume, found: Setup, subjects: Sequence[Identity]) -> Step:
    """``mdadm --create --run`` under the locks of the drives. The first and last MiB of each drive are kept."""
    [argv] = create(controller, new, ())
    head, *options = argv[2:]
    words = (*argv[:2], head, "--run", f"--name={_name(new)}", f"--homehost={_host(new, found)}", *options)
    drives = [one.device for one in subjects if one.device]
    return Step(
        object_id=f"{controller.id}:{_name(new)}", setting="create_volume", before="", after=new.raid_level,
        kind="deed", way_back="none", no_way_back="What these drives contain is overwritten.",
        action=Action(argv=locked(words, drives), timeout=120.0, lock="mdadm"),
        expects=(Expectation(object_id=f"node:{head}", field="present", value="yes", within_seconds=_SECONDS),),
        subjects=tuple(subjects), saves=tuple(_ends(subjects, new.drives)),
    )  # fmt: skip


def _ends(subjects: Sequence[Identity], drives: Sequence[Drive]) -> Iterator[Saved]:
    """The first and the last MiB of each drive."""
    sizes = {drive.device: drive.size_bytes for drive in drives}
    for one in subjects:
        yield from saved_ends(one.unique, one.device or "", sizes.get(one.device))


def register(volumes: Sequence[Volume], found: Setup) -> Sequence[Step]:
    """Return steps that list arrays in mdadm.conf.

    The new file is written beside the old one, then takes its place at once.
    """
    path, old = _config(found)
    text, subjects = old or "", list[Identity]()
    for volume in volumes:
        if volume.unique_id and not any(conf.lists(one or "", volume.unique_id) for one in found.files.values()):
            listed = conf.with_array(text, volume)
            if listed == text:  # its UUID has no form that could be written
                continue
            text = listed
            subjects.append(Identity(object_id=volume.id, unique=volume.unique_id, device=volume.device))
    return _rewritten(subjects, (path, old), text, _LISTED) if subjects else []


def unregister(unique_id: str, subject: Identity, found: Setup) -> Sequence[Step]:
    """The same without the ARRAY line."""
    path, old = _config(found)
    text = conf.without(old or "", unique_id)
    return [] if text == (old or "") else _rewritten([subject], (path, old), text, f"without {unique_id}")


_LISTED = "with the ARRAY lines"


def _config(found: Setup) -> tuple[str, str | None]:
    """The file to write: the existing one, else at the distribution's place."""
    known = [(path, text) for path, text in found.files.items() if path in conf.PATHS]
    return next((pair for pair in known if pair[1] is not None), known[0])


def _rewritten(subjects: Sequence[Identity], before: tuple[str, str | None], text: str, what: str) -> list[Step]:
    path, old = before
    kept = (Saved(name=path.rpartition("/")[2], action=Action(argv=("cat", path))),) if old is not None else ()
    return [
        Step(
            object_id=subjects[0].object_id, setting="write_config", before=path, after=what, kind="deed",
            way_back="other", action=Action(argv=("dd", f"of={path}{_BESIDE}", "conv=fsync", "status=none"), feed=text),
            subjects=tuple(subjects), saves=kept,
        ),
        Step(
            object_id=subjects[0].object_id, setting="install_config", before=path, after=what, kind="deed",
            way_back="other", subjects=tuple(subjects),
            action=Action(argv=("mv", "--no-target-directory", "--", f"{path}{_BESIDE}", path)),
        ),
    ]  # fmt: skip


def renew(subject: Identity, found: Setup) -> Sequence[Step]:
    """``update-initramfs -u`` or ``dracut --force``, if the image is older than the configuration."""
    path, text = _config(found)
    for program, place in _IMAGES:
        image = next((one for one in found.times if one.startswith(place.partition("{}")[0])), None)
        if program not in found.tools or image is None or text is None:
            continue
        if found.times[image] >= found.times.get(path, 0):
            return []
        argv = ("update-initramfs", "-u") if program == "update-initramfs" else ("dracut", "--force")
        return [
            Step(
                object_id=subject.object_id, setting="boot_image", before=path, after=image, kind="deed",
                way_back="other", action=Action(argv=argv, timeout=_IMAGE_SECONDS), subjects=(subject,),
            )
        ]  # fmt: skip
    return []


def wrong(step: Step, found: Setup) -> str | None:
    """What the files, read again after a step, do not show yet."""
    if step.setting == "boot_image":
        newer = found.times.get(step.after, 0) >= found.times.get(step.before, 0)
        return None if newer else f"{step.after} is older than {step.before}"
    if step.setting == "write_config":
        written = found.files.get(f"{step.before}{_BESIDE}") == step.action.feed
        return None if written else f"{step.before}{_BESIDE} does not contain what was written"
    if step.setting == "install_config":
        text = found.files.get(step.before) or ""
        added = step.after == _LISTED
        uuids = [one.unique for one in step.subjects] if added else [step.after.removeprefix("without ")]
        right = all(conf.lists(text, uuid) is added for uuid in uuids)
        return None if right else f"{step.before} is not {step.after}"
    return None


def delete(controller: Controller, volume: Volume, view: HostView) -> Sequence[Step]:
    """Stop the array, then remove the superblock of each member. The drives are locked."""
    members = [drive for drive in controller.drives if drive.array == volume.array and drive.device]
    found = [(whole, drive.device or "") for drive in members if (whole := _whole(drive, view)) is not None]
    if not volume.unique_id or not volume.device or not members or len(found) < len(members):
        raise CannotCreate(f"The members of {volume.id}, or their serial numbers, are not all known.")
    subject = Identity(object_id=volume.id, unique=volume.unique_id, device=volume.device)
    drives = list({whole.unique: whole for whole, _ in found}.values())
    stop = locked(("mdadm", "--stop", volume.device), [one.device or "" for one in drives])
    return [
        Step(
            object_id=volume.id, setting="delete_volume", before=volume.raid_level or "", after="", kind="deed",
            way_back="none", no_way_back=f"{volume.id} with its data is no longer reachable.",
            action=Action(argv=stop, timeout=60.0, lock="mdadm"),
            expects=(Expectation(object_id=volume.id, field="present", value="no", within_seconds=_SECONDS),),
            subjects=(subject, *drives), saves=tuple(_kept(volume, members, drives)),
        ),
        *(_zeroed(whole, node) for whole, node in found),
    ]  # fmt: skip


def remains(unique_id: str, members: Sequence[tuple[Identity, str]]) -> Dialogue[Sequence[Step]]:
    """The superblocks that still have the UUID: ``MD_UUID=…`` of ``mdadm --examine --export``."""
    answers = yield from ask_all([Run(("mdadm", "--examine", "--export", node)) for _, node in members])
    uuid = conf.plain(unique_id)
    return [
        _zeroed(whole, node)
        for (whole, node), answer in zip(members, answers, strict=True)
        if any(line.startswith("MD_UUID=") and conf.plain(line[8:]) == uuid for line in answer.text.splitlines())
    ]


def _zeroed(whole: Identity, node: str) -> Step:
    action = Action(argv=locked(("mdadm", "--zero-superblock", node), [whole.device or ""]), lock="mdadm")
    return Step(
        object_id=whole.object_id, setting="zero_superblock", before=node, after="", kind="deed", way_back="none",
        no_way_back=f"{node} is no longer a member.", action=action, subjects=(whole,),
    )  # fmt: skip


def _whole(drive: Drive, view: HostView) -> Identity | None:
    block = view.block(drive.device)
    whole = view.block(block.parent) if block is not None and block.parent else block
    if whole is None or not whole.serial or len(drive.backing) != 1:
        return None
    return Identity(object_id=drive.backing[0], unique=whole.serial, device=whole.node)


def _kept(volume: Volume, members: Sequence[Drive], drives: Sequence[Identity]) -> Iterator[Saved]:
    """The array's geometry, its members' superblocks, and each drive's first MiB."""
    name = volume.id.replace(":", "-")
    yield Saved(name=f"{name}-detail", action=Action(argv=("mdadm", "--detail", volume.device or "")))
    for drive in members:
        node = drive.device or ""
        examined = Action(argv=("mdadm", "--examine", node))
        yield Saved(name=f"{name}-examine-{node.removeprefix('/dev/')}", action=examined)
    yield from _ends(drives, ())
