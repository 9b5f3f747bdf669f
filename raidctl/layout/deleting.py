"""Whether a volume may be deleted: guards P1 to P5. Pure. Unknown use counts as use."""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.layout.machine_facts import MachineFacts
from raidctl.layout.objects import plain_id
from raidctl.model import Controller, Volume
from raidctl.operate.contents import Contents
from raidctl.survey.survey import Survey
from raidctl.text import listing

_RESHAPING = ("reshape", "expand", "migrate")


def deletion_objections(
    controller: Controller, volume: Volume, seen: Survey, read: MachineFacts, wipe: frozenset[str]
) -> Iterator[tuple[str, str]]:
    """Yield the reasons to refuse deleting a volume: guard and sentence."""
    if controller.mode != "software":
        yield "P", f"{volume.id}: raidctl does not delete volumes of hardware controllers."
        return
    block = seen.view.block(volume.device)
    if volume.device is None or block is None:
        yield "P4", f"{volume.id}: its device is unknown, so its use is unknown."
        return
    points = [*block.mountpoints, *(point for one in seen.view.above(block.name) for point in one.mountpoints)]
    if points:
        yield "P1", f"{volume.id} is in use: {listing(list(dict.fromkeys(points)))}."
    above = [one.node for one in seen.view.above(block.name)]
    if above:
        yield "P1", f"{listing(above)} {'is' if len(above) == 1 else 'are'} on {volume.id}."
    if read.contents.get(block.node, Contents()).held and not (points or above):
        yield "P1", f"{volume.id}: a program has {block.node} open exclusively, or it cannot be opened."
    if seen.view.sys_read_only:
        yield "X8", f"{volume.id}: /sys is read-only, as in a container: its use is unknown."
    if "cluster" in (volume.bitmap or "").lower():
        yield "P5", f"{volume.id} is shared with other machines."
    if volume.progress is not None and volume.progress.operation in _RESHAPING:
        yield "T6", f"{volume.id} is being reshaped."
    found = read.signatures(block.node)
    if found is None:
        yield "P2", f"{volume.id}: {block.node} could not be probed for signatures."
    elif found and plain_id(volume.unique_id) not in {plain_id(one) for one in wipe}:
        yield "P2", f"{volume.id} contains {listing(found)}. --wipe {volume.unique_id} deletes it nevertheless."
