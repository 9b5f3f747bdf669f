"""Machines written as recordings of the kernel's files and dmsetup's outputs."""

from __future__ import annotations

from collections.abc import Mapping

from raidctl.host import BlockDevice, HostView
from raidctl.layers.kernel import Kernel
from raidctl.layers.probe import probe_caches
from raidctl.recording.manifest import FORMAT, Entry, Manifest
from raidctl.recording.recording import Recording
from raidctl.request import Failure, converse
from raidctl.runners.replay import ReplayRunner

VM = {
    "/proc/sys/vm/dirty_background_bytes": "0\n",
    "/proc/sys/vm/dirty_background_ratio": "10\n",
    "/proc/sys/vm/dirty_bytes": "0\n",
    "/proc/sys/vm/dirty_ratio": "20\n",
    "/proc/sys/vm/dirty_expire_centisecs": "3000\n",
    "/proc/sys/vm/dirty_writeback_centisecs": "500\n",
    "/proc/meminfo": "MemTotal:       1000 kB\nDirty:             8 kB\nWriteback:         4 kB\n",
    "/proc/vmstat": "nr_dirty 2\nnr_dirtied 10\nnr_written 8\n"
    "nr_dirty_threshold 50\nnr_dirty_background_threshold 25\n",
}


def runner(
    files: Mapping[str, str | Failure], programs: Mapping[tuple[str, ...], tuple[int, str, str]] | None = None
) -> ReplayRunner:
    """A machine with only these files and program replies. A reply has exit code, output and errors."""
    entries: list[Entry] = []
    kept: dict[str, bytes] = {}
    for path, text in files.items():
        if isinstance(text, Failure):
            entries.append(Entry(read=path, trouble=text, detail="so it is"))
        else:
            entries.append(Entry(read=path, text=text))
    for number, (argv, (code, out, err)) in enumerate((programs or {}).items()):
        kept |= {f"{number}.out": out.encode(), f"{number}.err": err.encode()}
        entries.append(Entry(run=argv, code=code, out=f"{number}.out", err=f"{number}.err"))
    manifest = Manifest(
        format=FORMAT,
        collected_at="2026-01-02T03:04:05Z",
        source="written",
        unrecorded="missing",
        answers=tuple(entries),
    )
    return ReplayRunner(Recording(manifest, kept))


def kernel(
    files: Mapping[str, str | Failure],
    blocks: tuple[BlockDevice, ...] = (),
    programs: Mapping[tuple[str, ...], tuple[int, str, str]] | None = None,
) -> Kernel:
    """What the kernel of such a machine reports about its caches."""
    return converse(probe_caches(HostView(blocks=blocks)), runner(files, programs))
