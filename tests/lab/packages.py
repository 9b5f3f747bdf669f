"""Debian packages for the lab's machines, unpacked beside their kernel, never installed."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from tests.lab.kernel import alone, run
from tests.lab.places import STORE, LabError, program

LVM = STORE / "lvm2"
_LVM = ("lvm2", "libdevmapper-event1.02.1")


def lvm(store: Path = STORE) -> Path:
    """LVM's tools, downloaded if missing. Installed on the host, they would scan its drives."""
    tree = store / LVM.name
    store.mkdir(exist_ok=True)
    with alone(store):
        if not tree.exists():
            try:
                _unpack(tree)
            except LabError:
                if os.geteuid():
                    raise
                run([program("apt-get", "apt"), "-q", "update"])
                _unpack(tree)
    return tree


def _unpack(tree: Path) -> None:
    """Download and unpack; the tree gets its name when it is complete."""
    with tempfile.TemporaryDirectory(prefix="tmp-", dir=tree.parent) as name:
        scratch = Path(name)
        run([program("apt-get", "apt"), "-q", "download", *_LVM], cwd=scratch)
        for archive in scratch.glob("*.deb"):
            run([program("dpkg", "dpkg"), "-x", str(archive), str(scratch / "tree")])
        (scratch / "tree").rename(tree)
