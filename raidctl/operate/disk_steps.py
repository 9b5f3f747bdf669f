"""Steps that erase signatures or copy partitions before a drive joins. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.host import HostView, partition_node
from raidctl.model import Drive
from raidctl.operate.partition_table import Table, script
from raidctl.text import counted
from raidctl.vendor.deed_steps import saved_ends
from raidctl.vendor.plan import Action, Expectation, Identity, Step

_SECONDS = 30.0


def _subject(new: Drive) -> Identity:
    return Identity(object_id=new.id, unique=str(new.serial), device=new.device)


def wiping(new: Drive, view: HostView) -> list[Step]:
    """Remove all signatures of a drive, those of its partitions first. Its first and last MiB are saved (R11)."""
    node = new.device or ""
    nodes = [block.node for block in view.blocks if block.parent == node.removeprefix("/dev/")] + [node]
    saves = saved_ends(new.serial or "", node, new.size_bytes)
    return [
        Step(
            object_id=new.id, setting="wipe", before="", after="", kind="deed", way_back="none",
            no_way_back=f"What {new.id} contains cannot be recovered.", action=Action(argv=("wipefs", "--all", one)),
            # the last step is confirmed by probing for signatures again
            expects=(_present(new),), subjects=(_subject(new),), saves=saves if one == nodes[0] else (),
        )
        for one in nodes
    ]  # fmt: skip


def copying(new: Drive, source: Table, partitions: Sequence[str]) -> list[Step]:
    """Create the partitions of another drive on a new one. They get new identifiers (R12)."""
    node = new.device or ""
    expects = [
        Expectation(
            object_id=f"node:{partition_node(node, part)}", field="present", value="yes", within_seconds=_SECONDS
        )
        for part in partitions
    ]
    return [
        Step(
            object_id=new.id, setting="copy_table", before="no partitions",
            after=counted(len(source.partitions), "partition"),
            kind="deed", way_back="other", action=Action(argv=("sfdisk", "--quiet", node), feed=script(source, node)),
            undo=Action(argv=("wipefs", "--all", node)), expects=tuple(expects),
            undo_expects=tuple(
                Expectation(object_id=one.object_id, field="present", value="no", within_seconds=_SECONDS)
                for one in expects
            ),
            subjects=(_subject(new),),
        )
    ]  # fmt: skip


def booting(new: Drive, tool: str) -> Step:
    """Install GRUB in and after the first sector of a drive. That sector is read again."""
    return Step(
        object_id=new.id, setting="boot_loader", before="", after=tool, kind="deed", way_back="none",
        no_way_back=f"The previous contents of the first sector of {new.id} are overwritten.",
        action=Action(argv=(tool, new.device or ""), timeout=300.0), expects=(_present(new),),
        subjects=(_subject(new),),
    )  # fmt: skip


def _present(new: Drive) -> Expectation:
    return Expectation(object_id=f"serial:{new.serial}", field="present", value="yes", within_seconds=_SECONDS)
