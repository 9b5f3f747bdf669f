"""Read the kernel's caches, in at most two rounds of requests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from raidctl.discovery.sysfs import path_of
from raidctl.host import HostView
from raidctl.layers import dm
from raidctl.layers.kernel import DIRTY, VM, Files, Kernel
from raidctl.layers.sysfs_values import number
from raidctl.model import Problem
from raidctl.request import (
    MORE_TIME,
    Answer,
    Dialogue,
    Failure,
    Glob,
    GlobAnswer,
    Read,
    ReadAnswer,
    Run,
    RunAnswer,
    ask_all,
)
from raidctl.survey.failed_requests import problems_of
from raidctl.text import collapse, counted, regex

MEMINFO, VMSTAT = "/proc/meminfo", "/proc/vmstat"
TABLE = Run(("dmsetup", "table"))
STATUS = Run(("dmsetup", "status", "--noflush"))
"""Without ``--noflush`` the kernel commits metadata first."""
PAGE = Run(("getconf", "PAGESIZE"))
BCACHES = "/sys/class/block/bcache*/bcache/state"
BCACHE = (
    "state", "cache_mode", "dirty_data", "writeback_percent", "writeback_delay", "writeback_rate", "writeback_running",
    "sequential_cutoff", "cache/cache_available_percent", "cache/cache0/nbuckets", "cache/cache0/bucket_size",
    "stats_total/cache_hits", "stats_total/cache_misses", "stats_total/cache_bypass_hits",
    "stats_total/cache_bypass_misses", "stats_total/bypassed",
)  # fmt: skip
ARRAY = (
    "level", "array_state", "consistency_policy", "journal_mode", "raid_disks", "stripe_cache_size",
    "stripe_cache_active",
)  # fmt: skip
_ARRAYS = "/sys/block/{}/md"
"""The path that the md family reads and writes. With another one, a recording would lack files that it has."""
# Dirty:              1540 kB
_MEMORY = regex(r"(?m)^(MemTotal|MemAvailable|Dirty|Writeback): +(\d{1,18}) kB$", re.ASCII)
_PAGES = regex(r"(?m)^(nr_\w+) (\d{1,20})$", re.ASCII)


@dataclass
class _Round:
    """The requests of one round, and their answers."""

    reads: dict[str, ReadAnswer] = field(default_factory=dict)

    def pairs(self) -> list[tuple[Read, Answer]]:
        """Return the requests with their answers."""
        return [(Read(path), answer) for path, answer in self.reads.items()]

    def files(self, place: str, names: Iterable[str], problems: list[Problem]) -> Files:
        """Return the files of a directory that were read."""
        return Files(place, {name: self.reads[f"{place}/{name}"] for name in names}, problems)


def probe_caches(view: HostView, names: Iterable[str] | None = None) -> Dialogue[Kernel]:
    """Read the kernel's caches: all, or those of some block devices. The page cache is always included."""
    chosen = None if names is None else frozenset(names)
    wanted = [block for block in view.blocks if chosen is None or block.name in chosen]
    mapped = {block.dm_name: block.name for block in wanted if block.kind == "dm" and block.dm_name}
    arrays = [block.name for block in wanted if block.kind == "md"]
    others = {block.name for block in wanted if block.kind == "other"}
    files = [*(f"{VM}/{name}" for name in DIRTY), MEMINFO, VMSTAT]
    files += [f"{_ARRAYS.format(name)}/{attribute}" for name in arrays for attribute in ARRAY]
    first = _Round()
    asked = [*map(Read, files), PAGE, Glob(BCACHES), *((TABLE, STATUS) if mapped else ())]
    answers: Sequence[Answer] = yield from ask_all(asked)
    problems: list[Problem] = []
    rest = iter(answers[len(files) :])
    first.reads = {path: answer for path, answer in zip(files, answers, strict=False) if isinstance(answer, ReadAnswer)}
    page, found = next(rest), next(rest)
    targets = _targets(list(rest), mapped, problems) if mapped else {}
    backed = [name for name in _names(found) if name in others or chosen is None]
    second = yield from _second(backed, targets)
    problems += problems_of([*zip(asked, answers, strict=True), *second.pairs()], problems)
    uuids = {name: answer.text or "" for name in targets if (answer := second.reads.get(path_of(name, "dm/uuid")))}
    kernel = Kernel(
        vm=first.files(VM, DIRTY, problems),
        memory={match[1]: int(match[2]) * 1024 for match in _MEMORY.finditer(_text(first.reads[MEMINFO]))},
        pages={match[1]: int(match[2]) for match in _PAGES.finditer(_text(first.reads[VMSTAT]))},
        page_size=_page(page),
        targets=targets,
        bcaches={name: second.files(path_of(name, "bcache"), BCACHE, problems) for name in backed},
        arrays={name: first.files(_ARRAYS.format(name), ARRAY, problems) for name in arrays},
        uuids=uuids,
        problems=problems,
    )
    _report_unknown(kernel, first)
    return kernel


def _second(backed: Sequence[str], targets: Mapping[str, dm.Target]) -> Dialogue[_Round]:
    paths = [path_of(name, f"bcache/{attribute}") for name in backed for attribute in BCACHE]
    paths += [path_of(name, "dm/uuid") for name in targets]
    answers = yield from ask_all([Read(path) for path in paths])
    return _Round(dict(zip(paths, answers, strict=True)))


def _names(found: Answer) -> list[str]:
    """Return the kernel names in ``/sys/class/block/bcache0/bcache/state``."""
    return [path.split("/")[4] for path in found.paths] if isinstance(found, GlobAnswer) else []


def _text(answer: ReadAnswer) -> str:
    return answer.text or ""


def _page(answer: Answer) -> int | None:
    try:
        size = number(answer.text) if isinstance(answer, RunAnswer) and answer.code == 0 else 0
    except ValueError:
        size = 0
    return size if 512 <= size <= 1 << 22 else None


def _targets(answers: Sequence[Answer], mapped: Mapping[str, str], problems: list[Problem]) -> dict[str, dm.Target]:
    """Return the caching mappings by kernel name."""
    texts = []
    for request, answer in zip((TABLE, STATUS), answers, strict=False):
        fault = _fault(request, answer)
        if fault is not None:
            if fault.message not in {problem.message for problem in problems}:
                problems.append(fault)
            texts.append("")
        else:
            texts.append(answer.text if isinstance(answer, RunAnswer) else "")
    found, unknown_lines = dm.mappings(texts[0], texts[1])
    if unknown_lines:
        message = f"{counted(unknown_lines, 'line')} of dmsetup not understood."
        problems.append(Problem(severity="warning", where="dmsetup", message=message, kind="unread"))
    return {mapped[name]: target for name, target in found.items() if name in mapped}


def _fault(request: Run, answer: Answer) -> Problem | None:
    """Report why caches of the device mapper are unknown."""
    where = " ".join(request.argv)
    missing = "caches of the device mapper are unknown"
    if answer.trouble is Failure.MISSING:
        remedy = "Install the package dmsetup (device-mapper)."
        return Problem("warning", "dmsetup", f"dmsetup is not installed: {missing}.", remedy, "no_tool")
    message = answer.error_text if isinstance(answer, RunAnswer) else ""
    if answer.trouble is Failure.DENIED or "ermission denied" in message:
        message = f"dmsetup needs root: {missing}."
        return Problem("warning", "dmsetup", message, "Run raidctl as root (sudo).", "no_right")
    if answer.trouble is Failure.UNRECORDED:
        message = f"It was not recorded: {missing}."
        return Problem("warning", "dmsetup", message, "Record the machine again.", "unread")  # fmt: skip
    if answer.trouble is None and isinstance(answer, RunAnswer) and answer.code == 0:
        return None
    detail = collapse(answer.detail or message)[:160] or "no answer"
    return Problem(severity="warning", kind="unread", where=where, message=f"{where} failed ({detail}): {missing}.")


def _report_unknown(kernel: Kernel, first: _Round) -> None:
    """Report once if the page cache is unknown. The cause is a missing /proc or an old recording."""
    answers = [*kernel.vm.answers.values(), first.reads[MEMINFO]]
    if all(answer.data is None for answer in answers):
        unrecorded = any(answer.trouble is Failure.UNRECORDED for answer in answers)
        slow = any(answer.trouble is Failure.TIMEOUT for answer in answers)
        why = "the recording does not have them" if unrecorded else "they cannot be read"
        message = f"The page cache's settings and statistics are unknown: {why}."
        remedy = MORE_TIME if slow else "Run where /proc is mounted; if this is a recording, record the machine again."
        remedy = "Record the machine again." if unrecorded else remedy
        kernel.problems.append(Problem("warning", "kernel:vm", message, remedy, "unread"))
