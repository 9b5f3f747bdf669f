"""An array that changes while it is read, and words that contradict each other."""

from __future__ import annotations

from itertools import product

import pytest

import raidctl_md as md
from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import diagnose, exit_code
from raidctl.health.redundancy import with_redundancy
from raidctl.model import Host, Inventory, Volume, unread_problems
from raidctl.vendor.protocol import Document

_LEVELS = {"raid1": "", "raid5": "level 5, 64k chunk, algorithm 2 ", "raid6": "level 6, 64k chunk, algorithm 2 "}
_TOLERATED = {"raid1": 2, "raid5": 1, "raid6": 2}
_STATES = ("+++", "-++", "--+", "*++")
"""Of each member: in sync, failed, being rebuilt; further members are in sync."""


def _mdstat(level: str, members: str) -> str:
    names = " ".join(f"sd{'abcd'[at]}1[{at}]{'(F)' if sign == '-' else ''}" for at, sign in enumerate(members))
    slots = "".join("U" if sign == "+" else "_" for sign in members)
    bar = "      [==>..................]  recovery = 12.6% (1320448/10476544)\n" if "*" in members else ""
    return (f"Personalities : [{level}]\nmd7 : active {level} {names}\n      20953088 blocks super 1.2 {_LEVELS[level]}"
            f"[{len(members)}/{members.count('+')}] [{slots}]\n{bar}      \nunused devices: <none>\n")  # fmt: skip


def _files(level: str, members: str) -> str:
    gone = len(members) - members.count("+")
    action = "recover" if "*" in members else "idle"
    return (f"level: {level}\nraid_disks: {len(members)}\nmetadata_version: 1.2\narray_state: clean\ndegraded: {gone}\n"
            f"sync_action: {action}\nmismatch_cnt: 0\nconsistency_policy: bitmap\n")  # fmt: skip


def _member_files(members: str) -> str:
    words = {"+": "in_sync", "-": "faulty", "*": "spare"}
    lines = []
    for at, sign in enumerate(members):
        lines.append(f"dev-sd{'abcd'[at]}1/state: {words[sign]}\n")
        lines.append(f"dev-sd{'abcd'[at]}1/slot: {'none' if sign == '-' else at}\n")
    return "".join(lines)


def _detail(level: str, members: str) -> str:
    gone, words = len(members) - members.count("+"), {"+": "active sync", "-": "faulty", "*": "spare rebuilding"}
    state = ", FAILED" * (gone > _TOLERATED[level]) or ", degraded" * bool(gone)
    rows = "".join(f"       {at}       8       {16 * at + 1}        {'-' if sign == '-' else at}      {words[sign]}"
                   f"   /dev/sd{'abcd'[at]}1\n" for at, sign in enumerate(members))  # fmt: skip
    return (f"/dev/md7:\n           Version : 1.2\n        Raid Level : {level}\n      Raid Devices : {len(members)}\n"
            f"     Total Devices : {len(members)}\n\n             State : clean{state}"
            f"{', recovering' * ('*' in members)}\n    Active Devices : {members.count('+')}\n"
            f"    Failed Devices : {members.count('-')}\n\n    Number   Major   Minor   RaidDevice State\n"
            f"{rows}")  # fmt: skip


def _inventory(mdstat: str, sysfs: str, detail: str = "") -> Inventory:
    documents = [Document("/proc/mdstat", "md", mdstat), Document("/sys/block/md7/md", "sysfs", sysfs)]
    documents += [Document("mdadm --detail /dev/md7", "md", detail)] if detail else []
    found = md.read(documents)
    return Inventory(host=Host(), controllers=tuple(with_redundancy(found.controllers)), problems=found.problems)


def _volume(mdstat: str, sysfs: str, detail: str = "") -> Volume:
    [volume] = _inventory(mdstat, sysfs, detail).controllers[0].volumes
    return volume


def _good(volume: Volume) -> tuple[int, int]:
    assert volume.failures_tolerated is not None
    return {"failed": 0, "degraded": 1, "rebuilding": 1, "ok": 2}[volume.status], volume.failures_tolerated


@pytest.mark.parametrize("level", ["raid1", "raid5", "raid6"])
@pytest.mark.parametrize("tool", [True, False])
def test_a_reading_is_no_better_than_any_of_its_files(level: str, tool: bool) -> None:
    """If members fail between two files, the state and the redundancy are those of the worst file."""
    states = [one + "+" * (level == "raid6") for one in _STATES]
    whole = {one: _good(_volume(_mdstat(level, one), _files(level, one) + _member_files(one))) for one in states}
    assert len({*whole.values()}) >= 3
    for one, two, three, four in product(states, states, states, states if tool else [""]):
        detail = _detail(level, four) if four else ""
        found = _good(_volume(_mdstat(level, one), _files(level, two) + _member_files(three), detail))
        worst = [whole[state] for state in (one, two, three, four) if state]
        assert found[0] <= min(status for status, _ in worst), (one, two, three, four)
        assert found[1] <= min(left for _, left in worst), (one, two, three, four)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("mdstat", "[UUU]", "[UUZ]"),
        ("mdstat", "[UUU]", "[UU]"),
        ("mdstat", "[UUU]", "[UUUU]"),
        ("mdstat", "[3/3]", "[2/3]"),
        ("mdstat", ": active", ": active (stalled)"),
        ("mdstat", "[UUU]", "[UUU]\n      \trewrite=DELAYED"),
        ("sysfs", "sync_action: idle", "sync_action: rewrite"),
        ("sysfs", "mismatch_cnt: 0", "mismatch_cnt: many"),
        ("sysfs", "state: in_sync", "state: in_sync,ailing"),
        ("mdstat", "sda1[0]", "sda1[0] sdd1[?](F)"),
        ("detail", "/dev/sda1\n", "/dev/sda1\n   ?   8   49   -   faulty   /dev/sdd1\n"),
    ],
)
def test_an_unknown_or_contradictory_word_is_unread(file: str, old: str, new: str) -> None:
    """A state, letter, operation or count that is not known is not a good one."""
    texts = {
        "mdstat": _mdstat("raid5", "+++"), "sysfs": _files("raid5", "+++") + _member_files("+++"),
        "detail": _detail("raid5", "+++"),
    }  # fmt: skip
    assert exit_code(diagnose(_inventory(**texts), rules())) == 0
    assert old in texts[file]
    texts[file] = texts[file].replace(old, new, 1)
    found = _inventory(**texts)
    assert unread_problems(found.problems)
    assert exit_code(diagnose(found, rules())) == 3


@pytest.mark.parametrize(
    ("file", "old", "new", "code"),
    [
        ("mdstat", ": active", ": active (read-only)", 1), ("mdstat", ": active", ": active (auto-read-only)", 0),
        ("sysfs", "array_state: clean", "array_state: readonly", 1),
        ("sysfs", "array_state: clean", "array_state: read-auto", 0),
        ("detail", "State : clean", "State : readonly", 1), ("detail", "State : clean", "State : read-auto", 0),
    ],
)  # fmt: skip
def test_an_array_that_takes_no_writes_is_a_warning(file: str, old: str, new: str, code: int) -> None:
    """A read-only array is a finding; one that is auto-read-only takes the first write."""
    texts = {
        "mdstat": _mdstat("raid5", "+++"), "sysfs": _files("raid5", "+++") + _member_files("+++"),
        "detail": _detail("raid5", "+++"),
    }  # fmt: skip
    assert old in texts[file]
    texts[file] = texts[file].replace(old, new, 1)
    found = _inventory(**texts)
    assert exit_code(diagnose(found, rules())) == code
    assert [one.message for one in found.problems if "takes no writes" in one.message] == [
        "The array is read-only: it takes no writes, and nothing is rebuilt on it."
    ] * code


def test_an_array_whose_journal_is_gone_is_not_ok() -> None:
    """The policy is still ``journal``, but no member is one: the array takes no writes."""
    sysfs = _files("raid5", "+++").replace("bitmap", "journal") + _member_files("+++")
    mdstat = _mdstat("raid5", "+++")
    found = _inventory(mdstat.replace("active", "active (read-only)"), sysfs)
    assert any("journal is missing" in one.message and one.severity == "error" for one in found.problems)
    assert exit_code(diagnose(found, rules())) == 1
    beside = "dev-sdj1/state: journal\ndev-sdj1/slot: journal\n"
    found = _inventory(mdstat.replace("sdc1[2]", "sdc1[2] sdj1[3](J)"), sysfs + beside)
    assert found.problems == ()
