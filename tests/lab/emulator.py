"""A QEMU whose NVMe drives have another model name.

QEMU's NVMe drive is named "QEMU NVMe Ctrl", which no property changes, and raidctl rightly leaves the cache of an
emulated drive to its host. A copy of the program in the ignored folder, with another name of the same length in that
place, gives a drive that differs in nothing but its name.
"""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path

from tests.lab.places import STORE, LabError

OWN = b"QEMU NVMe Ctrl\0"


def renamed(qemu: str, model: str, store: Path = STORE) -> str:
    """The path of a QEMU whose NVMe drives are of this model. A missing one is made.

    Args:
        qemu: The packaged program.
        model: At most 14 characters of ASCII.
        store: The ignored folder.

    Raises:
        LabError: The program does not hold the name exactly once.
    """
    name = model.encode("ascii")
    if len(name) >= len(OWN):
        raise LabError(f'the model "{model}" is longer than the {len(OWN) - 1} characters that there is room for')
    packaged = Path(qemu).resolve()
    status = packaged.stat()
    tree = store / f"qemu-{status.st_size}-{int(status.st_mtime)}-{model.replace(' ', '_').replace('/', '_')}"
    if not tree.exists():
        program = packaged.read_bytes()
        if program.count(OWN) != 1:
            raise LabError(f'{qemu} has "{OWN[:-1].decode()}" {program.count(OWN)} times instead of once')
        _make(tree, packaged, program.replace(OWN, name.ljust(len(OWN), b"\0")))
    return str(tree / "bin" / packaged.name)


def _make(tree: Path, packaged: Path, program: bytes) -> None:
    """Make a folder with the program and links beside it. The links lead to QEMU's modules and firmware."""
    tree.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="tmp-", dir=tree.parent) as name:
        scratch = Path(name) / "tree"
        (scratch / "bin").mkdir(parents=True)
        for folder in ("lib", "share"):
            (scratch / folder).symlink_to(packaged.parent.parent / folder)
        copy = scratch / "bin" / packaged.name
        copy.write_bytes(program)
        copy.chmod(0o755)
        with contextlib.suppress(FileExistsError, OSError):  # another process has made it meanwhile
            scratch.rename(tree)
    if not tree.exists():
        raise LabError(f"{tree} could not be made")
